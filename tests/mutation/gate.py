"""The gate: mutants of one kernel, judged, and the accepted ones explained."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path

from contracts import contract_named

from fieldc.algorithms import OPERATIONS, choose
from fieldc.catalogue import find_field
from fieldc.language import Expression
from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.prove import RUNS
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression
from mutation.equivalent import Runs, Unexplained, reason, run_on_processor
from mutation.judge import bytes_of, verdicts
from mutation.mutants import Mutant, mutants

FIELDS = ("bn254-p", "secp256k1-p", "bls12-381-p")
SMALL = ("add", "sub", "neg", "double")
"""Operations whose code is the same in every variant."""
SAMPLES = {"bn254-p": 4, "secp256k1-p": 1, "bls12-381-p": 1}
"""Mutants of each longer kernel in the default gate: proofs of one second must be few."""
COUNTS = Path(__file__).parent / "counts.json"
"""What the full gate found: python -m mutation.gate writes it."""


@dataclass(frozen=True)
class Subject:
    """One kernel under the gate."""

    field: str
    operation: str
    variant: str

    def __str__(self) -> str:
        return f"{self.field}/{self.operation}/{self.variant}"

    @property
    def is_small(self) -> bool:
        """Whether its proofs are short: the default gate draws more of its mutants."""
        return self.operation in SMALL

    def expression(self) -> Expression:
        """What the kernel must compute."""
        return choose(find_field(self.field), self.operation)

    def kernel(self) -> X86Kernel:
        """The kernel as compiled."""
        return compile_expression(self.expression(), "k", VARIANTS[self.variant])


@cache
def subjects() -> tuple[Subject, ...]:
    """Every field, operation and variant; small operations once, for their variants agree."""
    return tuple(
        Subject(field, operation, variant)
        for field in FIELDS
        for operation in OPERATIONS
        for variant in ([*VARIANTS][:1] if operation in SMALL else VARIANTS)
    )


FUSED = (
    *("sum_of_products_3", "difference_of_products", "fp2_mul", "fp2_square"),
    *("mul_lazy", "square_lazy", "add_lazy", "sub_lazy", "reduce_lazy", "mul_by_3"),
    "square_times_2",
)
"""Operations that are built where they are named: sampled only, the golden file lacks them."""


def fused_subjects(variants: Sequence[str]) -> list[Subject]:
    """Their kernels for one field."""
    return [Subject("bn254-p", op, v) for op in FUSED for v in variants]


@dataclass(frozen=True)
class Account:
    """What became of the mutants: each is rejected or has a reason."""

    mutants: int
    rejected: int
    equivalent: dict[str, int]


def account(subject: Subject, sample: int | None, runs: int) -> Account:
    """Judge all mutants of a kernel, or a seeded sample. Raises Unexplained."""
    kernel, expression = subject.kernel(), subject.expression()
    drawn = list(mutants(kernel))
    if sample is not None and sample < len(drawn):
        drawn = random.Random(str(subject)).sample(drawn, sample)
    own, *codes = bytes_of([kernel, *(m.kernel for m in drawn)])
    changed = [
        (m, c) for m, c in zip(drawn, codes, strict=True) if c.rstrip(b"\0") != own.rstrip(b"\0")
    ]
    field = expression.field
    contract = contract_named(subject.operation, field.p, field.n)
    said = verdicts([code for _, code in changed], contract, runs)
    accepted = [m for (m, _), why in zip(changed, said, strict=True) if not why]
    reasons, unexplained = _reasons(accepted, Runs(kernel, expression))
    if unexplained:
        raise Unexplained("\n".join([f"{subject} accepts", *unexplained]))
    return Account(len(changed), len(changed) - len(accepted), dict(sorted(reasons.items())))


def _reasons(accepted: Sequence[Mutant], runs: Runs) -> tuple[Counter[str], list[str]]:
    """How many accepted mutants have each reason, and those that have none."""
    reasons: Counter[str] = Counter()
    unexplained = []
    for mutant in accepted:
        try:
            reasons[_explained(mutant, runs)] += 1
        except Unexplained as error:
            unexplained.append(str(error))
    return reasons, unexplained


def _explained(mutant: Mutant, runs: Runs) -> str:
    why = reason(runs, mutant)
    if is_x86_64() and not missing(mutant.kernel.features):
        run_on_processor(mutant.kernel, runs.expression)
    return why


def account_of_all(subject: Subject) -> tuple[str, dict[str, object]]:
    """Every mutant of one kernel, as the golden file has it; or those that have no reason.

    With runs on numbers, as the compiler has them; in the default gate the proof alone rejects.
    """
    try:
        return str(subject), asdict(account(subject, None, RUNS))
    except Unexplained as error:
        return str(subject), {"unexplained": str(error).splitlines()}


def main(parts: Sequence[str]) -> None:
    """Judge all mutants of the kernels whose names have one of the parts, or of all kernels.

    Writes the golden file, if each has a reason; what is not judged stays as it was.
    """
    chosen = [s for s in subjects() if not parts or any(part in str(s) for part in parts)]
    found: dict[str, dict[str, object]] = {}
    with Pool() as pool:
        for done, (name, counts) in enumerate(pool.imap_unordered(account_of_all, chosen), 1):
            found[name] = counts
            print(f"{done}/{len(chosen)} {name}: {counts}", flush=True)
    if any("unexplained" in counts for counts in found.values()):
        raise SystemExit("look at what the prover accepts without a reason")
    names = {str(s) for s in subjects()}
    before = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    found = {name: counts for name, counts in {**before, **found}.items() if name in names}
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    COUNTS.write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
