"""The hypotheses of a class: a modulus and its constants as variables, and what is known of them.

The code's constants follow from p. Of n0 and 1/p only their product with p modulo 2^64 is known.
Of mu = 1/2^64 mod p and its kind an equation is known, such as 2^64 * mu = n0*p + 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fieldc.proof.algebra.equations import ONE, Polynomial, System, add_to, product
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.totals import Total
from fieldc.proof.claims.contracts import WORD_BITS

RADIX = 1 << WORD_BITS


@dataclass(frozen=True)
class Moduli:
    """All odd moduli p of n limbs whose top limb is below `top`."""

    limbs: int
    top: int
    n0: tuple[int, int] = (0, RADIX - 1)
    """The least and the most that -1/p mod 2^64 may be."""
    is_near: bool = False
    """Whether R - p is one word."""
    next_of_mu: int = RADIX - 1
    """The most that the limb of mu below its top one may be."""

    @property
    def most(self) -> int:
        """The largest modulus."""
        return (self.top << WORD_BITS * (self.limbs - 1)) - 1

    @property
    def least(self) -> int:
        """The smallest one: p has n limbs."""
        return 1 << WORD_BITS * (self.limbs - 1)


@dataclass(frozen=True)
class ConstantEquation:
    """A constant of which divisor * value = p * factor + rest."""

    value: Polynomial
    lowest: int
    """The variable of its lowest limb."""
    divisor: int
    factor: Polynomial
    rest: int

    def of_lowest(self, p: Polynomial) -> Polynomial:
        """What the lowest limb is, times the divisor."""
        right = product(p, self.factor)
        add_to(right, {ONE: self.rest})
        add_to(right, {m: c for m, c in self.value.items() if m != (self.lowest,)}, -self.divisor)
        return right


@dataclass
class Modulus:
    """The modulus as a polynomial in variables, and what the code's constants are."""

    of: Moduli
    system: System
    p: Polynomial = field(default_factory=dict)
    lowest: int = -1
    """The variable of its lowest limb, or that of its complement, R - p."""
    inputs: list[Input] = field(default_factory=list)
    constants: dict[str, Polynomial] = field(default_factory=dict)
    """The words of constants by their names in the code."""
    pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    """Products of two variables, modulo 2^64."""
    equations: list[ConstantEquation] = field(default_factory=list)
    multiples: dict[str, int] = field(default_factory=dict)
    """Numbers that are below so many times the modulus, by their names."""

    def without_pairs(self, total: Total) -> Polynomial | None:
        """The polynomial modulo 2^64 less products whose residue is known; None without any."""
        places = total.places
        pairs = {ab: r for ab, r in self.pairs.items() if ab[0] in places and ab[1] in places}
        for monomial, coefficient in total.terms.items() if pairs else ():
            for pair, value in pairs.items():
                if pair[0] not in monomial or pair[1] not in monomial:
                    continue
                rest = list(monomial)
                try:
                    for number in pair:
                        rest.remove(number)
                except ValueError:
                    continue
                return {monomial: -coefficient, tuple(rest): coefficient * value}
        return None


def modulus_of(of: Moduli, system: System, names: Iterable[str]) -> Modulus:
    """The variables of a class for the constants that code has. Raises ProofError for others."""
    modulus = Modulus(of, system)
    found = {name.partition("[")[0] for name in names}
    is_complement = "complement" in found
    if of.is_near:
        _near(modulus)
    elif is_complement and "p" in found:
        raise ProofError("the code has both p and its complement")
    else:
        _limbs(modulus, "complement" if is_complement else "p")
    unit = modulus.lowest
    sign = -1 if is_complement or of.is_near else 1  # of p[0] in that variable, modulo 2^64
    if found & {"n0", "mu", "minus_mu"}:
        n0 = _input(modulus, "n0", 1, of.n0[1])
        modulus.pairs[_pair(n0, unit)] = -sign
    if "p_inverse" in found:
        modulus.pairs[_pair(_input(modulus, "p_inverse", 1, RADIX - 1), unit)] = sign
    for name in ("mu", "minus_mu", "fold_rest"):
        if name in found:
            _folded(modulus, name)
    for name in names:
        if name not in modulus.constants:
            raise ProofError(f"{name} is no constant that is known")
    return modulus


def _pair(value: Input, other: int) -> tuple[int, int]:
    a, b = sorted((value.limbs[0], other))
    return a, b


def _limbs(modulus: Modulus, name: str) -> None:
    """p as its limbs, or as R less those of its complement."""
    of = modulus.of
    R = RADIX**of.limbs
    high = of.most if name == "p" else R - 1
    value = _input(modulus, name, of.limbs, high)
    modulus.lowest = value.limbs[0]
    modulus.p = value.value(WORD_BITS)
    if name != "p":
        modulus.p = {ONE: R, **{m: -c for m, c in modulus.p.items()}}


def _near(modulus: Modulus) -> None:
    """p = R - c, where c is one word."""
    limbs = modulus.of.limbs
    c = _input(modulus, "complement", 1, RADIX - 1).limbs[0]
    modulus.lowest = c
    modulus.p = {ONE: RADIX**limbs, (c,): -1}
    right: Polynomial = {ONE: RADIX, (c,): -1}
    low = modulus.system.define_word(right, "p[0]", RADIX - 1)
    modulus.constants["p[0]"] = {(low,): 1}
    modulus.constants |= {f"p[{i}]": {ONE: RADIX - 1} for i in range(1, limbs)}


def _folded(modulus: Modulus, name: str) -> None:
    """mu = 2^-64, minus_mu = -2^-64, or fold_rest = 1 - 2^(-64*(n - 1)) modulo p."""
    of, system = modulus.of, modulus.system
    n0 = modulus.constants.get("n0", {})
    if name == "mu":
        high, divisor, factor, rest = of.n0[1], RADIX, n0, 1
    elif name == "minus_mu":
        high, divisor, rest = RADIX - of.n0[0], RADIX, -1
        factor = {(system.new("2^64 - n0", high),): 1}
    else:  # 2^(64*(n - 1)) times it is that power less 1, and a multiple of p
        divisor = of.least
        high, rest = divisor, divisor - 1
        factor = {(system.new("fold_rest's multiple", divisor - 1),): 1}
    most = (of.most * high + max(rest, 0)) // divisor
    value = _input(modulus, name, of.limbs, min(most, of.most - 1))
    if name == "mu" and of.limbs > 1:
        system.narrow(value.limbs[-2], of.next_of_mu)
    number = value.value(WORD_BITS)
    modulus.equations.append(ConstantEquation(number, value.limbs[0], divisor, factor, rest))
    modulus.multiples[name] = 1


def _input(modulus: Modulus, name: str, limbs: int, high: int) -> Input:
    """A constant of several words."""
    value = new_input(modulus.system, name, limbs, high)
    modulus.inputs.append(value)
    modulus.constants |= {f"{name}[{i}]": {(v,): 1} for i, v in enumerate(value.limbs)}
    if limbs == 1 and name in ("n0", "p_inverse"):
        modulus.constants[name] = {(value.limbs[0],): 1}
    return value


def new_input(system: System, name: str, limbs: int, high: int) -> Input:
    """A number of at most `high`, as a variable for each limb."""
    highs = (min(RADIX - 1, high >> WORD_BITS * i) for i in range(limbs))
    return Input(name, tuple(system.new(f"{name}[{i}]", h) for i, h in enumerate(highs)), high)
