"""What the prover says of many kernels at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import lief

from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.print import GNU

BATCH = 200


def object_of(kernels: Sequence[X86Kernel]) -> bytes:
    """Kernels as the symbols k0, k1, ... of one object."""
    named = (replace(kernel, symbol=f"k{i}") for i, kernel in enumerate(kernels))
    return assemble("".join(kernel.text(GNU) for kernel in named))


def bytes_of(kernels: Sequence[X86Kernel]) -> list[bytes]:
    """The machine code of each kernel, its constants behind it."""
    found = []
    for start in range(0, len(kernels), BATCH):
        found += _symbols(object_of(kernels[start : start + BATCH]))
    return found


def _symbols(data: bytes) -> list[bytes]:
    elf = lief.parse(list(data))
    content = bytes(elf.get_section(".text").content)
    places = {s.name: s.value for s in elf.symbols if s.name.startswith("k")}
    starts = [places[f"k{i}"] for i in range(len(places))]
    return [
        content[start:end] for start, end in zip(starts, [*starts[1:], len(content)], strict=True)
    ]


def verdicts(codes: Sequence[bytes], contract: Contract, runs: int) -> Iterator[str]:
    """For each code why it is rejected, or the empty string where it is proved.

    With 0 `runs` on numbers before the proof it is the proof alone that rejects.
    """
    for code in codes:
        try:
            prove(code, contract, runs=runs)
        except ProofError as error:
            yield str(error)
        else:
            yield ""
