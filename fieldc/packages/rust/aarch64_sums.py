"""Sums and differences of the crate for AArch64, one piece of inline assembly each.

Operands and results are in registers, so the compiler loads and stores only what it has to. The
modulus is read where it is needed, two limbs at a time. Pieces for values below 2p are the same
with 2p for p.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fieldc.field import Field
from fieldc.packages.rust.text import wrapped

ARM_FITTING = range(2, 9)
"""Numbers of limbs whose sums fit in registers; of one limb the compiler's own are as good."""


@dataclass(frozen=True)
class ArmSum:
    """One piece: a[i] hold x and then the result, b[i] hold y if any; p points to the modulus."""

    name: str
    says: str
    lines: tuple[str, ...]
    has_other: bool = True
    """Whether there is a y; without, b[i] are scratch."""

    @property
    def changes_pointer(self) -> bool:
        """Whether p holds something else in the end."""
        return any(line.startswith("cset {p},") for line in self.lines)


def arm_sums(n: int) -> Iterator[ArmSum]:
    """The pieces of a number of limbs."""
    less = (*_chain("subs", "sbcs", "b", "a", "b", n),)
    choice = tuple(f"csel {{a{i}}}, {{a{i}}}, {{b{i}}}, lo" for i in range(n))
    total = _chain("adds", "adcs", "a", "a", "b", n)
    yield ArmSum(
        "add_spare",
        "x + y mod p for p with a spare bit",
        (*total, *_modulus(n), *less, *choice),
    )
    # The sum is below p where it has no carry and the subtraction borrows.
    carry, borrow = "cset {p}, hs", "sbcs xzr, {p}, xzr"
    yield ArmSum("add_full", "x + y mod p", (*total, *_modulus(n), carry, *less, borrow, *choice))
    masked = (f"csel {{b{i}}}, {{b{i}}}, xzr, lo" for i in range(n))
    yield ArmSum(
        "sub",
        "x - y mod p",
        (*_chain("subs", "sbcs", "a", "a", "b", n), *_modulus(n), *masked, *total),
    )
    yield ArmSum(
        "reduce",
        "x mod p for x < 2p, p with a spare bit",
        (*_modulus(n), *less, *choice),
        has_other=False,
    )


def _chain(first: str, rest: str, to: str, left: str, right: str, n: int) -> list[str]:
    """A sum or difference with its carries."""
    return [f"{rest if i else first} {{{to}{i}}}, {{{left}{i}}}, {{{right}{i}}}" for i in range(n)]


def _modulus(n: int) -> list[str]:
    """b = p."""
    return _loads([f"{{b{i}}}" for i in range(n)], "{p}")


def _loads(registers: list[str], pointer: str) -> list[str]:
    """Words from memory; those that come last may be of the register that points to them."""
    pairs = [
        f"ldp {registers[i]}, {registers[i + 1]}, [{pointer}, #{8 * i}]"
        for i in range(0, len(registers) - 1, 2)
    ]
    last = len(registers) - 1
    return pairs if last % 2 else [*pairs, f"ldr {registers[last]}, [{pointer}, #{8 * last}]"]


SUM = """
/// {says}.
#[inline(always)]
fn {name}<M: Modulus<{n}>>({operands}) -> [u64; {n}] {{
    let [{mutable}] = *x;
{other}    // SAFETY: it reads p, and changes the named registers and flags only.
    unsafe {{
        asm!(
{lines}
{registers}
            options(pure, readonly, nostack),
        );
    }}
    [{result}]
}}
"""


def arm_sum_text(piece: ArmSum, n: int) -> str:
    """A piece as a function of a modulus."""
    a, b = ([f"{name}{i}" for i in range(n)] for name in "ab")
    p = "core::ptr::from_ref(const { &M::P })"
    registers = [
        *(f"{x} = inout(reg) {x}," for x in a),
        *(f"{y} = {f'inout(reg) {y} =>' if piece.has_other else 'out(reg)'} _," for y in b),
        f"p = {f'inout(reg) {p} => _' if piece.changes_pointer else f'in(reg) {p}'},",
    ]
    return SUM.format(
        says=piece.says,
        name=piece.name,
        n=n,
        operands=", ".join(f"{x}: &[u64; {n}]" for x in ("xy" if piece.has_other else "x")),
        mutable=", ".join(f"mut {x}" for x in a),
        other=f"    let [{', '.join(b)}] = *y;\n" if piece.has_other else "",
        lines="\n".join(f'            "{line}",' for line in piece.lines),
        registers=wrapped(registers),
        result=", ".join(a),
    )


def arm_function(piece: ArmSum, f: Field, multiple: int = 1) -> str:
    """A piece with one choice of registers, as a function of z, x and y: what can be proved.

    It is for p, or for that multiple of p, which comes after the return.
    """
    return function_with(piece, f.limbs(f.p * multiple))


def function_with(piece: ArmSum, words: Sequence[int], operands: str = "xy") -> str:
    """The same with any words for p.

    `operands` are x and y, or `xx` for a function of x that doubles it, `0x` for its negative.
    """
    n = len(words)
    a, b = [f"x{3 + i}" for i in range(n)], [*(f"x{3 + n + i}" for i in range(n - 1)), "x2"]
    names = {"p": "x1"} | {f"a{i}": a[i] for i in range(n)} | {f"b{i}": b[i] for i in range(n)}
    lines = list(piece.lines)
    for name, text in names.items():
        lines = [line.replace(f"{{{name}}}", text) for line in lines]
    stores = (line.replace("ld", "st", 1) for line in _loads(a, "x0"))
    table = ", ".join(map(hex, words))
    first = [f"mov {x}, xzr" for x in a] if operands[0] == "0" else _loads(a, "x1")
    other = _loads(b, "x2" if operands[1] == "y" else "x1") if piece.has_other else []
    after = (*stores, "ret", ".p2align 3", "2:", f".quad {table}")
    return "\n".join((*first, *other, "adr x1, 2f", *lines, *after)) + "\n"
