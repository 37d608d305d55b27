"""Proves one kernel from its bytes: function, canonical result, frame, aliasing, constant time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as combinations

from fieldc.proof.bounds import Case, Input, comparison_of
from fieldc.proof.equations import Polynomial, System, add_to, product
from fieldc.proof.identity import Identity, ProofError, flags_chosen_on, value_of
from fieldc.proof.machine import Memory
from fieldc.proof.x86_64 import Processor
from fieldc.proof.x86_64_meanings import MEANINGS

WORD_BITS = 64


@dataclass(frozen=True)
class Contract:
    """What a kernel must do: its operands, and its result as a polynomial in their values mod p.

    `factor` times the result is claimed to be `claim(values)` mod p, 0 <= result <= high.
    """

    p: int
    limbs: int
    operands: tuple[tuple[str, int, int], ...]
    """Name, limbs, largest value."""
    claim: Callable[[Sequence[Polynomial]], Polynomial]
    factor: int
    high: int


def prove(code: bytes, contract: Contract, convention: str = "sysv") -> System:
    """Run the code symbolically and prove its contract. Raises ProofError; else all claims hold."""
    system = System(WORD_BITS)
    inputs = tuple(_input(system, *operand) for operand in contract.operands)
    memory = Memory(system, {i.name: i for i in inputs}, code, contract.limbs)
    Processor(memory, convention).run(code, MEANINGS)
    missing = [i for i in range(contract.limbs) if i not in memory.result]
    if missing:
        raise ProofError(f"frame: limb {missing[0]} of z is never written")
    result = value_of([memory.result[i] for i in range(contract.limbs)], system.radix)
    for case in _cases(system, inputs):
        _prove_case(case, contract, result)
    return system


def _input(system: System, name: str, limbs: int, high: int) -> Input:
    top = system.radix - 1
    variables = tuple(
        system.new(f"{name}[{i}]", min(top, high >> WORD_BITS * i)) for i in range(limbs)
    )
    return Input(name, variables, high)


def _cases(system: System, inputs: tuple[Input, ...]) -> Iterator[Case]:
    flags = flags_chosen_on(system.rows)
    comparisons = tuple(c for flag in flags if (c := comparison_of(system, flag)) is not None)
    if len(flags) > 4:
        raise ProofError(f"choices depend on {len(flags)} flags; at most 4 are followed")
    for values in combinations((0, 1), repeat=len(flags)):
        yield Case(system, inputs, dict(zip(flags, values, strict=True)), comparisons)


def _prove_case(case: Case, contract: Contract, result: Polynomial) -> None:
    known = ", ".join(f"flag {case.system.names[f]} = {v}" for f, v in case.fixed.items())
    try:
        values = [value_of([{(v,): 1} for v in i.limbs], case.system.radix) for i in case.inputs]
        target: Polynomial = {}
        add_to(target, result, contract.factor)
        add_to(target, contract.claim(values), -1)
        Identity(case, contract.p).vanishes(target)
        if not case.at_most(result, contract.high):
            high = case.upper(result)
            over = Fraction(high - contract.high, contract.p)
            percent = -(-over.numerator * 100 // over.denominator)
            raise ProofError(
                f"canonical: the result may exceed its bound by {percent} hundredths of p"
            )
    except ProofError as error:
        raise ProofError(f"{error}" + (f" (where {known})" if known else "")) from None


CLAIMS: dict[str, Callable[[Sequence[Polynomial]], Polynomial]] = {
    "add": lambda v: _plus(v[0], v[1], 1),
    "sub": lambda v: _plus(v[0], v[1], -1),
    "neg": lambda v: _plus({}, v[0], -1),
    "double": lambda v: _plus(v[0], v[0], 1),
    "mul": lambda v: product(v[0], v[1]),
    "square": lambda v: product(v[0], v[0]),
    "redc": lambda v: v[0],
    "to_montgomery": lambda v: v[0],
    "from_montgomery": lambda v: v[0],
}
"""What factor * result is, as a polynomial in the operands' values."""


def _plus(a: Polynomial, b: Polynomial, factor: int) -> Polynomial:
    total = dict(a)
    add_to(total, b, factor)
    return total


def contract_of(operation: str, p: int, limbs: int) -> Contract:
    """The contract of a named operation over a field of n 64-bit limbs, R = 2^(64n)."""
    R = 1 << WORD_BITS * limbs
    two = operation in ("add", "sub", "mul")
    wide = operation == "redc"
    operand = (2 * limbs, p * R - 1) if wide else (limbs, p - 1)
    names = ("x", "y") if two else ("x",)
    factor = {
        "mul": R,
        "square": R,
        "redc": R,
        "from_montgomery": R,
        "to_montgomery": pow(R, -1, p),
    }.get(operation, 1)
    operands = tuple((name, *operand) for name in names)
    return Contract(p, limbs, operands, CLAIMS[operation], factor, p - 1)
