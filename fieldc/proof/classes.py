"""Proves a kernel for every odd modulus of a class at once: its constants are symbols.

The code reads p's limbs and n0 from a table. Here each is a variable in its range, and nothing is
known of them but n0 * p[0] = -1 mod 2^64. The equations of the code give

    factor * z = claim(x, y) + p * cofactor

exactly, over the integers: what is left after elimination must be a multiple of the polynomial p.
So z is right modulo p, whatever p is. The same line bounds z: the claim is below kappa * p, and the
cofactor below its largest value. Where that says too little, a comparison says that z < p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product as combinations
from math import prod

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.comparisons import comparison_of
from fieldc.proof.algebra.dropped import dropped
from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Polynomial,
    Select,
    System,
    add_to,
    product,
)
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError, flags_of, value_of
from fieldc.proof.algebra.totals import Total
from fieldc.proof.claims.contracts import CLAIMS, WORD_BITS, Claim
from fieldc.proof.class_code import ClassCode, SymbolMemory
from fieldc.proof.instruction_sets import INSTRUCTION_SETS

RADIX = 1 << WORD_BITS


@dataclass(frozen=True)
class ClassClaim:
    """An operation on values below p, for all p: operands, claim, and whether R divides."""

    names: str
    claim: Claim
    divides: bool
    kappa: Callable[[int], int]
    """From the largest p, a number k so that the claim is below k * p for all operands below p."""


CLASS_CLAIMS = {
    "mul": ClassClaim("xy", CLAIMS["mul"], True, lambda most: most),
    "square": ClassClaim("x", CLAIMS["square"], True, lambda most: most),
    "add": ClassClaim("xy", CLAIMS["add"], False, lambda _: 2),
    "sub": ClassClaim("xy", CLAIMS["sub"], False, lambda _: 1),
    "double": ClassClaim("x", CLAIMS["double"], False, lambda _: 2),
}


@dataclass
class ClassProof:
    """The state of a proof: the modulus, and n0, as variables."""

    system: System
    inputs: tuple[Input, ...]
    p: Polynomial
    """The modulus as a polynomial in the variables of its constants."""
    most: int
    """The largest modulus."""
    n0: int
    lowest: int
    """The variable of its lowest limb, or that of its complement, R - p."""

    @cached_property
    def zeros(self) -> tuple[int, ...]:
        """The words that a quotient's digit was chosen for."""
        rows = (row for row in self.system.rows if isinstance(row, Equation) and row.kind == "add")
        return tuple(row.word for row in rows if _is_zero(self, row.word))

    def case(self, fixed: Mapping[int, int]) -> Case:
        """What is known where some flags have values."""
        chains = (comparison_of(self.system, flag) for flag in fixed)
        return Case(self.system, self.inputs, dict(fixed), tuple(filter(None, chains)))


def prove_class(found: ClassCode, operation: str, limbs: int, top: int) -> int:
    """Prove an operation for all odd p of n limbs whose top limb is below `top`; number of cases.

    For operands below p the result is below p. Raises ProofError.
    """
    said = CLASS_CLAIMS.get(operation)
    if said is None:
        raise ProofError(f"there are no theorems of classes for {operation}")
    system = System(WORD_BITS)
    most = (top << WORD_BITS * (limbs - 1)) - 1
    operands = {name: _input(system, name, limbs, most - 1) for name in said.names}
    is_complement = any(name.startswith("c[") for name in found.symbols.values())
    high = RADIX**limbs - 1 if is_complement else most
    p = _input(system, "c" if is_complement else "p", limbs, high)
    n0 = _input(system, "n0", 1, RADIX - 1)
    names = {"n0": n0.limbs[0], **{f"{p.name}[{i}]": v for i, v in enumerate(p.limbs)}}
    modulus = p.value(WORD_BITS)
    if is_complement:
        modulus = {ONE: RADIX**limbs, **{m: -c for m, c in modulus.items()}}
    memory = SymbolMemory(
        system,
        {name: value.limbs for name, value in operands.items()},
        found.code,
        limbs,
        symbols={place: names[name] for place, name in found.symbols.items()},
    )
    INSTRUCTION_SETS["x86_64"].run(memory, "sysv", found.code, found.start)
    missing = [i for i in range(limbs) if i not in memory.result]
    if missing:
        raise ProofError(f"frame: limb {missing[0]} of z is never written")
    z = value_of([memory.result[i] for i in range(limbs)], RADIX)
    inputs = (*operands.values(), p, n0)
    proof = ClassProof(system, inputs, modulus, most, n0.limbs[0], p.limbs[0])
    values = [value.value(WORD_BITS) for value in operands.values()]
    factor = RADIX**limbs if said.divides else 1
    claim, kappa = said.claim(values), said.kappa(most)
    cases = 0
    for case in _cases(proof, z):
        refused = None
        for whole in _wholes(proof, case, memory.result[limbs - 1], z, limbs):
            try:
                _prove_case(proof, case, whole, Claimed(claim, factor, kappa))
                break
            except ProofError as error:
                refused = refused or error
        else:
            raise refused or ProofError("function: no case of it is understood")
        cases += 1
    return cases


@dataclass(frozen=True)
class Claimed:
    """factor * z is the claim modulo p, which is below kappa * p."""

    claim: Polynomial
    factor: int
    kappa: int


def _prove_case(proof: ClassProof, case: Case, z: Polynomial, said: Claimed) -> None:
    target: Polynomial = {}
    add_to(target, z, said.factor)
    add_to(target, said.claim, -1)
    never = (v for v, (_, high) in enumerate(proof.system.ranges) if not high)
    zeros = dict.fromkeys((*proof.zeros, *never), 0)
    known = replace(case, fixed={**zeros, **case.fixed}, facts={})
    cofactor = _cofactor(proof, known, target)
    _is_below(proof, known, z, said.factor, cofactor, said.kappa)


def _wholes(
    proof: ClassProof, case: Case, top: Polynomial, z: Polynomial, limbs: int
) -> Iterator[Polynomial]:
    """z, and z + R*u where u >= 0 is what the code leaves out above its highest limb.

    Where the latter is shown to be below p, which is below R, u is 0.
    """
    yield z
    system = proof.system
    row = system.defining(next(iter(top))[0]) if len(top) == 1 else None
    if isinstance(row, Select) and row.flag in case.fixed:
        side = row.when_set if case.fixed[row.flag] else row.otherwise
        row = system.defining(next(iter(side))[0]) if len(side) == 1 else None
    if not isinstance(row, Equation) or row.carry is None:
        return
    if row.kind == "add":
        yield _plus(z, row.carry, limbs)
    for reader in system.rows:
        if not isinstance(reader, Equation) or reader.kind != row.kind or reader.carry is None:
            continue
        sign, known = (1, 1) if row.kind == "add" else (-1, 0)
        if reader.right.get((row.carry,)) == sign and case.fixed.get(reader.carry) == known:
            yield _plus(z, reader.word, limbs)


def _plus(z: Polynomial, above: int, limbs: int) -> Polynomial:
    """z with a variable above its highest limb."""
    whole = dict(z)
    add_to(whole, {(above,): RADIX**limbs})
    return whole


def _input(system: System, name: str, limbs: int, high: int) -> Input:
    highs = (min(RADIX - 1, high >> WORD_BITS * i) for i in range(limbs))
    return Input(name, tuple(system.new(f"{name}[{i}]", h) for i, h in enumerate(highs)), high)


def _cases(proof: ClassProof, z: Polynomial) -> Iterator[Case]:
    """Every combination of the flags that z depends on."""
    flags = flags_of(proof.system, z)
    for values in combinations((0, 1), repeat=len(flags)):
        yield proof.case(dict(zip(flags, values, strict=True)))


def _cofactor(proof: ClassProof, case: Case, target: Polynomial) -> Polynomial:
    """The polynomial c for which target = p * c, exactly. Raises ProofError where there is none."""
    total = Total(proof.system, target)
    cofactor: Polynomial = {}
    for row in total.backwards():
        _take_multiples(proof, total, cofactor)
        if isinstance(row, Select):
            if row.flag not in case.fixed and row.word in total.places:
                raise ProofError(f"{row.where}: a choice whose flag is not decided")
            case.decide(row, total)
        else:
            _eliminate(proof, case, row, total)
    total.put_in_all(case.fixed)
    _take_multiples(proof, total, cofactor)
    if total.terms:
        names = proof.system.names
        terms = ["*".join(names[v] for v in monomial) or "1" for monomial in total.terms]
        raise ProofError(f"function: {len(terms)} terms are no multiple of p: {terms[:3]}")
    return cofactor


def _take_multiples(proof: ClassProof, total: Total, cofactor: Polynomial) -> None:
    """Take p times what stands with p's lowest limb to the cofactor."""
    sign = int(proof.p[proof.lowest,])
    rest: Polynomial = {m: -sign * c for m, c in proof.p.items() if m != (proof.lowest,)}
    while multiple := total.split(proof.lowest):
        add_to(cofactor, multiple, sign)
        total.add(product(multiple, rest))


def _eliminate(proof: ClassProof, case: Case, row: Equation, total: Total) -> None:
    """Take a multiple of a row away. Raises ProofError."""
    total.put_in(row.word, case.fixed)
    if row.carry is not None:
        total.put_in(row.carry, case.fixed)
    words = total.split(row.word)
    carries = total.split(row.carry) if row.carry is not None else {}
    lost = dict(carries)
    add_to(lost, words, -row.factor)
    if row.carry is None or row.carry in case.fixed or not lost:
        total.add(product(words, case.right_of(row)))
    elif not words and row.word in proof.zeros:
        total.add(product(carries, row.right), Fraction(1, row.factor))
    elif (value := _value_of_carry(proof, case, row)) is not None:
        case.fixed[row.carry] = value
        for part in (words, carries):
            if any(row.carry in monomial for monomial in part):
                raise ProofError(dropped(row))
        total.add(carries, value)
        total.add(product(words, case.right_of(row)))
        total.put_in(row.carry, case.fixed)
    else:
        raise ProofError(dropped(row))


def _is_zero(proof: ClassProof, word: int) -> bool:
    """Whether a word is a multiple of 2^64, because of n0 * p[0] = -1, hence 0."""
    total = Total(proof.system, {(word,): 1}, modulus=RADIX)
    for row in total.backwards():
        if isinstance(row, Equation) and (quotient := total.split(row.word)):
            total.add(product(quotient, row.right))
    pair = {proof.n0, proof.lowest} if proof.p[proof.lowest,] == 1 else set()
    for monomial in [m for m in total.terms if pair and pair <= {*m}]:
        rest = list(monomial)
        for number in pair:
            rest.remove(number)
        coefficient = int(total.terms[monomial])
        total.add({monomial: -coefficient, tuple(rest): -coefficient})
    return not total.terms


def _value_of_carry(proof: ClassProof, case: Case, row: Equation) -> int | None:
    """The one value that a dropped carry may have, by ranges, or by the relation of x, y and p."""
    assert row.carry is not None
    if row.kind != "mul" and (value := _by_relation(proof, case, row)) is not None:
        return value
    for value in (0, 1) if row.kind != "mul" else (0,):
        if case.is_always(row.carry, value):
            return value
    return None


def _by_relation(proof: ClassProof, case: Case, row: Equation) -> int | None:
    """The carry of a chain whose number is linear in x, y and p, with x and y below p."""
    assert row.carry is not None
    chain = comparison_of(proof.system, row.carry)
    if chain is None or proof.system.ranges[row.carry][1] > 1:
        return None
    low, high = (_linear_bound(proof, case, chain.operands, sign) for sign in (-1, 1))
    limit = max(chain.weight, 0)  # from there on a sum has a carry, and below it a difference
    if high is not None and high < limit:
        return int(chain.weight < 0)
    if low is not None and -low >= limit:
        return int(chain.weight > 0)
    return None


def _linear_bound(proof: ClassProof, case: Case, number: Polynomial, sign: int) -> int | None:
    """The largest value of sign * number, where it is a*x + b*y + c*p + d exactly."""
    total = Total(proof.system, {m: sign * c for m, c in number.items()})
    for row in total.backwards():
        if isinstance(row, Select):
            case.decide(row, total)
            continue
        total.put_in(row.word, case.fixed)
        if row.carry is not None:
            total.put_in(row.carry, case.fixed)
        words = total.split(row.word)
        carries = total.split(row.carry) if row.carry is not None else {}
        if row.carry is not None and row.carry not in case.fixed:
            lost = dict(carries)
            add_to(lost, words, -row.factor)
            if lost:
                return None
        total.add(product(words, case.right_of(row)))
    slopes: dict[str, int] = {}
    for value in proof.inputs:
        slope = int(total.terms.get((value.limbs[0],), 0))
        if slope:
            total.add({m: -slope * c for m, c in value.value(WORD_BITS).items()})
            slopes[value.name] = slope
    constant = int(total.terms.get(ONE, 0))
    if total.terms.keys() - {ONE} or "n0" in slopes:
        return None
    of_c = slopes.pop("c", 0)
    of_p = slopes.pop("p", 0) - of_c
    constant += of_c * int(proof.p.get(ONE, 0))
    positive = [slope for slope in slopes.values() if slope > 0]
    slope, constant = of_p + sum(positive), constant - sum(positive)  # x and y are at most p - 1
    return constant + max(slope * 1, slope * proof.most)


def _is_below(
    proof: ClassProof,
    case: Case,
    z: Polynomial,
    factor: int,
    cofactor: Polynomial,
    kappa: int,
) -> None:
    """Show that z < p. Raises ProofError.

    factor * z = claim + p * cofactor < p * (kappa + the cofactor's largest value).
    """
    largest = sum(
        c * prod(proof.system.ranges[v][1] for v in m)
        for m, c in cofactor.items()
        if m == ONE or c > 0
    )
    if kappa + largest <= factor:
        return
    less: Polynomial = dict(z)
    add_to(less, proof.p, -1)
    if case.at_most(less, -1):
        return
    raise ProofError("canonical: the result may be p or more, for some p of the class")
