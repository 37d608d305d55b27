"""The checker that is proved in Coq, on AArch64's formulas that call routines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from aarch64_callers import caller_of
from aarch64_code import NOP, RET, bytes_of, words_of
from formal_checker import answers
from test_formal_routines import CHANGES, TEXT, WRONG, Change

from fieldc.artifacts.certify import BadCertificate, KernelClaim, called_places, claim_for
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.catalogue import find_field
from fieldc.formulas.kernels import operation_of
from fieldc.formulas.load import load_formulas
from fieldc.proof.certificate import certificate_of_formula, text
from fieldc.proof.programs import prove_formula
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.systems import LINUX, SYSTEMS, ArmSystem


@dataclass(frozen=True)
class Proved:
    """A formula's code with its proof, written down."""

    function: KernelCode
    formula: str
    certificate: str
    stack: int
    calls: tuple[int, ...]
    """Where the caller calls."""

    def claim(self, change: Change | None = None) -> KernelClaim:
        """The claim with its certificate, or with a changed one."""
        stated = json.loads(self.certificate)
        if change:
            change(stated["routines"])
        given = json.dumps(stated).encode()
        return claim_for(self.function, "", {}, 2**127 - 1, 2, self.stack, given, self.formula)


@pytest.fixture(scope="module")
def prove(tmp_path_factory: pytest.TempPathFactory) -> Callable[[ArmSystem], Proved]:
    """A formula by calls modulo 2^127 - 1, for a system."""
    file, field = tmp_path_factory.mktemp("formal") / "chain.py", find_field("2^127-1")
    file.write_text(TEXT)
    (formula,) = load_formulas(file)
    caller, plan = caller_of(field, formula)
    stated = operation_of(formula.over(field)).formula
    places = [4 * i for i, line in enumerate(caller.lines) if line.startswith("bl ")]

    @cache
    def proved(system: ArmSystem) -> Proved:
        symbol = f"{system.prefix}chain"
        function = function_of(object_of({"chain": caller.code}, system.triple), symbol)
        how = (system.convention, function.start, "aarch64", plan.called)
        found = prove_formula(function.code, stated, field.p, field.n, *how)
        named = ("chain", field.p, field.n, system.convention, symbol)
        certificate = text(certificate_of_formula(found, stated, *named))
        return Proved(function, stated, certificate, found.proof.stack, tuple(places))

    return proved


@pytest.fixture(scope="module")
def linux(prove: Callable[[ArmSystem], Proved]) -> Proved:
    return prove(LINUX)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_formulas_by_calls_are_accepted(
    system: ArmSystem, certifier: Path, prove: Callable[[ArmSystem], Proved]
) -> None:
    one = prove(system)
    claim = one.claim()
    assert len(one.calls) > 4 and len(json.loads(one.certificate)["routines"]) > 3
    assert claim.convention == system.convention
    assert answers(certifier, [claim]) == ["accepted"]


WRONG_HERE = WRONG | {
    "less stack": lambda c: replace(c, stack=c.stack - 16),
    "a line without calls": lambda c: replace(c, calls=False, certificate=("0", "0", "0")),
}


@pytest.mark.parametrize("what", WRONG_HERE.keys() - {"the other convention"})
def test_a_wrong_claim_is_refused(what: str, certifier: Path, linux: Proved) -> None:
    assert answers(certifier, [WRONG_HERE[what](linux.claim())]) == ["refused"]


@pytest.mark.parametrize("what", CHANGES.keys() - {"less stack"})
def test_a_wrong_certificate_is_refused(what: str, certifier: Path, linux: Proved) -> None:
    assert answers(certifier, [linux.claim(CHANGES[what])]) == ["refused"]


@pytest.mark.parametrize(
    "change",
    [
        lambda routines: routines.pop(),
        lambda routines: routines.append(routines[0]),
        lambda routines: routines[0].pop("stack"),
    ],
    ids=["a routine too few", "one too many", "no stack"],
)
def test_other_routines_are_no_certificate(change: Change, linux: Proved) -> None:
    with pytest.raises(BadCertificate, match="no certificate"):
        linux.claim(change)


# Other code.

Patch = Callable[[list[int], Sequence[int]], None]


def patched(one: Proved, patch: Patch) -> KernelClaim:
    """The claim with other instructions."""
    claim = one.claim()
    words = words_of(claim.code)
    patch(words, [place // 4 for place in one.calls])
    return replace(claim, code=bytes_of(words))


def put(place: int, word: int) -> Patch:
    """Another instruction at a place from a call on: the first one that has operands x1 and x2."""

    def patch(words: list[int], calls: Sequence[int]) -> None:
        words[calls[0] + place] = word

    return patch


def other_routine(words: list[int], calls: Sequence[int]) -> None:
    first, *others = calls
    target = (words[first] + first) & 0x3FFFFFF
    (other, *_) = (c for c in others if (words[c] + c) & 0x3FFFFFF != target)
    words[first] = 0x94000000 | words[other] + other - first & 0x3FFFFFF


def without_x30(words: list[int], calls: Sequence[int]) -> None:
    """The last load of the frame takes x30 back: it becomes a load of another register."""
    end = words.index(RET)
    (place,) = (i for i in range(calls[-1], end) if words[i] >> 10 & 31 == 30)
    words[place] = words[place] & ~(31 << 10) | 9 << 10


PATCHES: dict[str, Patch] = {
    "another routine": other_routine,
    "the middle of a routine": lambda words, calls: put(0, words[calls[0]] + 1)(words, calls),
    "no call": put(0, NOP),
    "no operand": put(-1, NOP),
    "another operand": put(-1, 0x910002A2),  # add x2, x21, #0
    "an operand that is half another": lambda words, calls: put(
        -1, words[calls[0] - 1] + (8 << 10)
    )(words, calls),
    "operands of no routine": put(-1, 0xD2800002),  # mov x2, #0
    "a pointer in a register that a routine may change": put(-1, 0xAA0003E2),  # mov x2, x0
    "a kept register": put(-1, 0xAA0003F3),  # mov x19, x0
    "the return address is not restored": without_x30,
    "the stack pointer": put(1, 0x910043FF),  # add sp, sp, #16
    "an address of the code as x30": put(1, 0x1000001E),  # adr x30, .
}


@pytest.mark.parametrize("what", PATCHES)
def test_other_code_is_refused(what: str, certifier: Path, linux: Proved) -> None:
    assert answers(certifier, [patched(linux, PATCHES[what])]) == ["refused"]


def test_a_register_that_no_call_keeps_is_not_read(certifier: Path, linux: Proved) -> None:
    """A pointer in x9, used before the first call, and after it."""
    copied, read = 0xAA1303E9, 0xAA0903E0  # mov x9, x19; mov x0, x9
    before, after = linux.calls[0] // 4, linux.calls[1] // 4
    words = words_of(linux.claim().code)
    assert words[before - 3] >> 22 == words[after - 3] >> 22 == 0x91000000 >> 22

    def keep(words: list[int], calls: Sequence[int]) -> None:
        words[before - 3] = copied
        words[after - 3] = read

    assert answers(certifier, [patched(linux, keep)]) == ["refused"]


def is_the_same(word: int, other: int) -> bool:
    """Whether both add 0 to a register: one subtracts, or shifts the 0."""
    return (
        word >> 24 in (0x91, 0xD1) and not word >> 10 & 0xFFF and word ^ other in (1 << 30, 1 << 22)
    )


def test_mutants_of_the_caller_are_refused(certifier: Path, linux: Proved) -> None:
    """A third of the bits of the instructions that make addresses or call."""
    claim, mutants, expected = linux.claim(), [], []
    words = words_of(claim.code)
    for bit in range(8 * linux.calls[0] - 96, 8 * linux.calls[-1] + 32, 3):
        word = words[bit // 32] ^ 1 << bit % 32
        code = bytes_of([*words[: bit // 32], word, *words[bit // 32 + 1 :]])
        mutants.append(replace(claim, code=code))
        expected.append("accepted" if is_the_same(words[bit // 32], word) else "refused")
    assert answers(certifier, mutants) == expected


def test_the_places_of_calls_are_found(linux: Proved) -> None:
    code = linux.claim().code
    words = words_of(code)
    found = called_places(code, "aarch64")
    targets = [place + 4 * (words[place // 4] & 0xFFFFFF) for place in linux.calls]
    assert found == [*dict.fromkeys(targets)]
