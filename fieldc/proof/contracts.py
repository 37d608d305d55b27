"""What each operation must do, said once more for the prover: operands, and results modulo p."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fieldc.proof.equations import Polynomial, add_to, product
from fieldc.proof.identity import ProofError

WORD_BITS = 64
Claim = Callable[[Sequence[Polynomial]], Polynomial]
"""What a result is, as a polynomial in the operands' values."""


@dataclass(frozen=True)
class Contract:
    """What a kernel must do: its operands, and its results as polynomials in their values mod p.

    `factor` times the result is claimed to be `claim(values)` mod p, 0 <= result <= high.
    """

    p: int
    limbs: int
    operands: tuple[tuple[str, int, int], ...]
    """Name, limbs of one value, largest value."""
    claim: Claim
    factor: int
    high: int
    count: int = 1
    """Values of each operand, side by side."""
    arguments: tuple[str, ...] = ()
    """Names in call order where they are not z and the operands."""
    tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Constants passed by address, as words."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Constants passed by value."""
    more: tuple[Claim, ...] = ()
    """The claims of further results, which lie behind the first one."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claim of each result."""
        return self.claim, *self.more


def _total(*terms: tuple[Polynomial, int]) -> Polynomial:
    total: Polynomial = {}
    for term, factor in terms:
        add_to(total, term, factor)
    return total


CLAIMS: dict[str, Claim] = {
    "add": lambda v: _total((v[0], 1), (v[1], 1)),
    "sub": lambda v: _total((v[0], 1), (v[1], -1)),
    "neg": lambda v: _total((v[0], -1)),
    "double": lambda v: _total((v[0], 2)),
    "mul": lambda v: product(v[0], v[1]),
    "square": lambda v: product(v[0], v[0]),
    "redc": lambda v: v[0],
    "to_montgomery": lambda v: v[0],
    "from_montgomery": lambda v: v[0],
    "mul_plain": lambda v: product(v[0], v[1]),
    "reduce": lambda v: v[0],
}
"""What factor * result is, of operations on one value or two."""
TWO_OPERANDS = ("add", "sub", "mul", "mul_plain")
MONTGOMERY = ("mul", "square", "redc", "from_montgomery")
"""Operations that divide by R; so do those of several values."""
LAZY = ("add", "sub", "mul", "square", "sum_of_products")
"""Operations of which NAME_lazy takes and gives values below 2p; reduce_lazy gives one below p."""


def _sum_of_products(count: int) -> Claim:
    """Of x and y with `count` values each."""
    return lambda v: _total(*((product(v[i], v[count + i]), 1) for i in range(count)))


def _difference(v: Sequence[Polynomial]) -> Polynomial:
    return _total((product(v[0], v[2]), 1), (product(v[1], v[3]), -1))


def _fp2_product(beta: int) -> tuple[Claim, ...]:
    """(x0 + x1*u)*(y0 + y1*u) with u^2 = beta."""
    return (
        lambda v: _total((product(v[0], v[2]), 1), (product(v[1], v[3]), beta)),
        lambda v: _total((product(v[0], v[3]), 1), (product(v[1], v[2]), 1)),
    )


def _fp2_square(beta: int) -> tuple[Claim, ...]:
    """(x0 + x1*u)^2 with u^2 = beta."""
    return (
        lambda v: _total((product(v[0], v[0]), 1), (product(v[1], v[1]), beta)),
        lambda v: _total((product(v[0], v[1]), 2)),
    )


NUMBERED = re.compile(r"(sum_of_products|mul_by|fp2_mul|fp2_square)(?:_(minus_)?([0-9]+))?")
"""Names with a number: of products, of a factor, or u^2 where that is not -1."""


def _several(operation: str) -> tuple[int, tuple[Claim, ...]] | None:
    """How many values each operand has, and the claims, where the name has a number."""
    named = NUMBERED.fullmatch(operation)
    if named is None:
        return (2, (_difference,)) if operation == "difference_of_products" else None
    number = int(named[3] or 1) * (-1 if named[2] else 1)
    if named[1] == "sum_of_products":
        return (count := number if named[3] else 2), (_sum_of_products(count),)
    if named[1] == "mul_by":
        return 1, (lambda v: _total((v[0], number)),)
    beta = number if named[3] else -1
    return 2, _fp2_product(beta) if named[1] == "fp2_mul" else _fp2_square(beta)


def contract_of(operation: str, p: int, limbs: int) -> Contract:
    """The contract of a named operation over a field of n 64-bit limbs, R = 2^(64n).

    Raises ProofError where there is none.
    """
    R, name = 1 << WORD_BITS * limbs, operation.removesuffix("_lazy")
    lazy = name != operation and (name in LAZY or name == "reduce")
    several = _several(name)
    if not (several or name in CLAIMS) or (name != operation and not lazy):
        raise ProofError(f"there is no contract for {operation}")
    count, (claim, *more) = several or (1, (CLAIMS[name],))
    two = name in TWO_OPERANDS or name.startswith(("sum_of", "difference_of", "fp2_mul"))
    operand = (limbs, 2 * p - 1 if lazy else p - 1)
    if operation in ("redc", "reduce"):
        operand = (2 * limbs, p * R - 1)
    factor = R if count > 1 or name in MONTGOMERY else 1
    if name == "to_montgomery":
        factor = pow(R, -1, p)
    high = operand[1] if lazy and name != "reduce" else p - 1
    operands = tuple((x, *operand) for x in (("x", "y") if two else ("x",)))
    return Contract(p, limbs, operands, claim, factor, high, count, more=tuple(more))


def foreign(contract: Contract, arguments: tuple[str, ...]) -> Contract:
    """The contract of a function that takes its constants as arguments.

    `arguments` names them in call order: z, the operands, `p` (the modulus, by address) and `n0`
    (-1/p mod 2^64, by value). Raises ProofError for other names.
    """
    known = ("z", *(name for name, _, _ in contract.operands), "p", "n0")
    for name in arguments:
        if name not in known:
            raise ProofError(f"no argument {name}; there are: {', '.join(known)}")
    radix = 1 << WORD_BITS
    p = tuple(contract.p >> WORD_BITS * i & radix - 1 for i in range(contract.limbs))
    n0 = -pow(contract.p, -1, radix) % radix
    return replace(contract, arguments=arguments, tables={"p": p}, numbers={"n0": n0})
