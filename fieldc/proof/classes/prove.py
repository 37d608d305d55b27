"""Proves a kernel for every odd modulus of a class at once: its constants are symbols.

The code reads p's limbs and n0 from a table. Here each is a variable in its range, and nothing is
known of them but n0 * p[0] = -1 mod 2^64. The equations of the code give

    factor * z = claim(x, y) + p * cofactor

exactly, over the integers: what is left after elimination must be a multiple of the polynomial p.
The factors are integers, and fractions whose denominators are powers of 2, which divide no odd p.
So z is right modulo p, whatever p is. The same line bounds z: the claim is below a multiple of p,
and the cofactor below its largest value. Where that says too little, a comparison says that z < p.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product as combinations

from fieldc.proof.algebra.comparisons import comparison_of
from fieldc.proof.algebra.equations import Equation, Polynomial, Select, System, add_to
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError, flags_of, value_of
from fieldc.proof.algebra.refute import Sample, evaluate
from fieldc.proof.claims.contracts import WORD_BITS
from fieldc.proof.classes.bounds import ClassCase
from fieldc.proof.classes.claims import ClassClaim, class_claim
from fieldc.proof.classes.code import ClassCode, SymbolMemory
from fieldc.proof.classes.cofactor import Elimination, equal_words, fix_sums, fix_unread
from fieldc.proof.classes.modulus import RADIX, Moduli, Modulus, modulus_of, new_input
from fieldc.proof.classes.runs import RUNS, samples
from fieldc.proof.instruction_sets import INSTRUCTION_SETS


@dataclass
class ClassProof:
    """The state of a proof: the equations, and what is claimed of them."""

    system: System
    modulus: Modulus
    inputs: tuple[Input, ...]
    claim: Polynomial
    factor: int
    """The result times it is the claim modulo p."""
    below: int
    """The result is below so many times p."""
    samples: tuple[Sample, ...]
    """Runs of the equations on numbers."""

    @cached_property
    def equal_words(self) -> dict[int, Polynomial]:
        """Words that are 0, or follow from another word."""
        return equal_words(self.modulus, self.case({}))

    def case(self, fixed: Mapping[int, int]) -> ClassCase:
        """What is known where some flags have values."""
        chains = (comparison_of(self.system, flag) for flag in fixed)
        compared = tuple(filter(None, chains))
        runs = (sample.values for sample in self.samples)
        of_case = tuple(run for run in runs if all(run[f] == v for f, v in fixed.items()))
        return ClassCase(
            self.system, self.inputs, dict(fixed), compared, samples=of_case, modulus=self.modulus
        )


def prove_class(found: ClassCode, operation: str, moduli: Moduli, runs: int = RUNS) -> int:
    """Prove an operation for all moduli of a class; number of cases. Raises ProofError.

    `runs` on numbers come first, to refuse what is plainly wrong.
    """
    said = class_claim(operation)
    system = System(WORD_BITS)
    modulus = modulus_of(moduli, system, set(found.symbols.values()))
    operands = _operands(system, modulus, said)
    results = list(_results(found, modulus, operands, len(said.claims)))
    inputs = tuple(i for of in operands.values() for i in of)
    values = [i.value(WORD_BITS) for i in inputs]
    factor = RADIX**moduli.limbs if said.divides else 1
    seen = tuple(samples(system, modulus, inputs, runs))
    inputs += tuple(modulus.inputs)
    cases = 0
    for claim, words in zip(said.claims, results, strict=True):
        proof = ClassProof(system, modulus, inputs, claim(values), factor, said.result, seen)
        z = value_of(words, RADIX)
        _refute(proof, z)
        cases += sum(_prove(proof, case, words[-1], z) for case in _cases(proof, z))
    return cases


def _refute(proof: ClassProof, z: Polynomial) -> None:
    """Raise ProofError where a run contradicts the claim."""
    for run in proof.samples:
        *operands, p = run.operands
        found, claimed = evaluate(z, run.values), evaluate(proof.claim, run.values)
        given = ", ".join(f"{number:#x}" for number in operands)
        if (proof.factor * found - claimed) % p:
            raise ProofError(f"function: z is {found:#x} for p = {p:#x} and {given}")
        if found >= proof.below * p:
            raise ProofError(f"canonical: z is {found:#x} for p = {p:#x} and {given}")


def _results(
    found: ClassCode, modulus: Modulus, operands: Mapping[str, list[Input]], count: int
) -> Iterator[list[Polynomial]]:
    """The words of each result, once the code has run. Raises ProofError."""
    limbs = modulus.of.limbs
    memory = SymbolMemory(
        modulus.system,
        {name: tuple(v for i in of for v in i.limbs) for name, of in operands.items()},
        found.code,
        limbs * count,
        symbols={place: modulus.constants[name] for place, name in found.symbols.items()},
    )
    convention = "sysv" if found.architecture == "x86_64" else "aapcs64"
    INSTRUCTION_SETS[found.architecture].run(memory, convention, found.code, found.start)
    missing = [i for i in range(limbs * count) if i not in memory.result]
    if missing:
        raise ProofError(f"frame: limb {missing[0]} of z is never written")
    for first in range(0, limbs * count, limbs):
        yield [memory.result[i] for i in range(first, first + limbs)]


def _operands(system: System, modulus: Modulus, said: ClassClaim) -> dict[str, list[Input]]:
    """The values of each operand."""
    limbs = modulus.of.limbs * (2 if said.is_wide else 1)
    multiple = said.multiple(modulus.of.limbs)
    most = multiple * modulus.of.most - 1
    if most >= RADIX**limbs:
        raise ProofError(f"values below {said.below}p have more limbs than p")
    found: dict[str, list[Input]] = {}
    for name in said.names:
        values = [name] if said.count == 1 else [f"{name}{i}" for i in range(said.count)]
        found[name] = [new_input(system, value, limbs, most) for value in values]
        modulus.multiples |= dict.fromkeys(values, multiple)
    return found


def _prove(proof: ClassProof, case: ClassCase, top: Polynomial, z: Polynomial) -> bool:
    """Prove one case; False if it cannot happen. Raises ProofError."""
    refused: ProofError | None = None
    fix_sums(case)
    for knows_more in (False, True):
        if knows_more:
            fix_unread(case)
        for whole in _wholes(proof, case, top, z):
            try:
                _prove_case(proof, case, whole)
                return True
            except ProofError as error:
                refused = refused or error
    if _is_impossible(case):
        return False
    raise refused or ProofError("function: no case of it is understood")


def _is_impossible(case: ClassCase) -> bool:
    """Whether one of the flags has the other value by what the others say."""
    for flag, value in case.fixed.items():
        others = {f: v for f, v in case.fixed.items() if f != flag}
        rest = replace(case, fixed=others, facts={}, hints={})
        if others and rest.excludes(flag, value):
            return True
    return False


def _prove_case(proof: ClassProof, case: ClassCase, z: Polynomial) -> None:
    target: Polynomial = {}
    add_to(target, z, proof.factor)
    add_to(target, proof.claim, -1)
    known = replace(case, fixed=dict(case.fixed), facts={}, hints={})
    cofactor = Elimination(proof.modulus, known, proof.equal_words).cofactor(target)
    _is_below(proof, known, z, cofactor)


def _wholes(
    proof: ClassProof, case: ClassCase, top: Polynomial, z: Polynomial
) -> Iterator[Polynomial]:
    """z + R*u where u >= 0 is what the code leaves out above its highest limb, and z.

    Where the former is shown to be below p, which is below R, u is 0.
    """
    yield from (_plus(z, above, proof.modulus.of.limbs) for above in _left_out(case, top))
    yield z


def _left_out(case: ClassCase, top: Polynomial) -> Iterator[int]:
    """The variables that may be what is left out above the highest limb."""
    system = case.system
    row = _row_of(system, top)
    while isinstance(row, Select) and row.flag in case.fixed:
        side = row.when_set if case.fixed[row.flag] else row.otherwise
        row = _row_of(system, side)
    if not isinstance(row, Equation) or row.carry is None:
        return
    if row.kind == "add":
        yield row.carry
    for reader in system.rows:
        if not isinstance(reader, Equation) or reader.kind != row.kind or reader.carry is None:
            continue
        sign, known = (1, 1) if row.kind == "add" else (-1, 0)
        if reader.right.get((row.carry,)) != sign:
            continue
        is_difference = row.kind == "sub" and case.is_always(reader.carry, 0)
        if is_difference or case.fixed.get(reader.carry) == known:
            yield reader.word


def _row_of(system: System, word: Polynomial) -> Equation | Select | None:
    """The row that defines a word, if that is one variable: a constant has none."""
    match [*word]:
        case [(number,)]:
            return system.defining(number)
    return None


def _plus(z: Polynomial, above: int, limbs: int) -> Polynomial:
    """z with a variable above its highest limb."""
    whole = dict(z)
    add_to(whole, {(above,): RADIX**limbs})
    return whole


def _cases(proof: ClassProof, z: Polynomial) -> Iterator[ClassCase]:
    """Every combination of the flags that z depends on."""
    flags = flags_of(proof.system, z)
    for values in combinations((0, 1), repeat=len(flags)):
        yield proof.case(dict(zip(flags, values, strict=True)))


def _is_below(proof: ClassProof, case: ClassCase, z: Polynomial, cofactor: Polynomial) -> None:
    """Show that z < p, or 2p where that is claimed. Raises ProofError.

    factor * z = claim + p * cofactor, and the claim is below a multiple of p.
    """
    if case.is_negative(proof.claim, cofactor, proof.factor * proof.below):
        return
    less: Polynomial = dict(z)
    add_to(less, proof.modulus.p, -proof.below)
    if case.at_most(less, -1):
        return
    raise ProofError("canonical: the result may be p or more, for some p of the class")
