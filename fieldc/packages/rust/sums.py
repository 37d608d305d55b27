"""Sums and differences of the crate in inline assembly, one piece each: x and z are in registers.

Those of values below 2p are the same pieces with 2p for p.

s - p is made as s + (2^(64n) - p), whose carry says that s >= p; to a negative difference p is
added, to others 0, for selections take the ports that carries take. Constants are parts of the
instructions, so no more than 13 registers are needed: all that a program has that keeps a frame
pointer and a base pointer. They stand between other instructions: six in a row, at one of four
places in a cache line, made an addition of 6 limbs take 15.5 cycles on a Golden Cove core instead
of 10.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fieldc.field import Field

FITTING = range(2, 7)
"""Numbers of limbs whose sums fit in registers; those of one limb are in `inlined.py`."""


@dataclass(frozen=True)
class InlineSum:
    """One piece: registers a[i] hold x and then the result, t[i] are scratch, y points to y if any.

    `constant` is what {c[i]} stand for: COMPLEMENT is 2^(64n) - p.
    """

    name: str
    says: str
    constant: str
    lines: tuple[str, ...]

    @property
    def has_pointer(self) -> bool:
        """Whether there is a y."""
        return any("{y}" in line for line in self.lines)

    @property
    def changes_pointer(self) -> bool:
        """Whether y holds something else in the end."""
        return any(line.split(" ", 1)[1].startswith("{y}") for line in self.lines)


def inline_sums(n: int) -> Iterator[InlineSum]:
    """The pieces of a number of limbs."""
    yield InlineSum(
        "add_spare",
        "x + y mod p for p with a spare bit",
        "COMPLEMENT",
        (*_chain("add", "adc", n), *_plus(n), *_moves("cmovc", n)),
    )
    carry = ("mov {y:e}, 0", "adc {y}, 0")
    either = "adc {y}, -1"  # the carry of either sum
    yield InlineSum(
        "add_full",
        "x + y mod p",
        "COMPLEMENT",
        (*_chain("add", "adc", n), *carry, *_plus(n), either, *_moves("cmovc", n)),
    )
    mask = ("sbb {y}, {y}", *(f"and {{t{i}}}, {{y}}" for i in range(n)))
    again = (f"{'adc' if i else 'add'} {{a{i}}}, {{t{i}}}" for i in range(n))
    yield InlineSum("sub", "x - y mod p", "P", (*_chain("sub", "sbb", n), *mask, *again))
    yield InlineSum(
        "reduce",
        "x mod p for x < 2p, p with a spare bit",
        "COMPLEMENT",
        (*_alternately(_constants(n), _plus(n)), *_moves("cmovc", n)),
    )


def _chain(first: str, rest: str, n: int) -> list[str]:
    """a and the number in memory; t = c on the way, for moves leave the flags."""
    sums = [f"{rest if i else first} {{a{i}}}, qword ptr [{{y}} + {8 * i}]" for i in range(n)]
    return _alternately(sums, _constants(n))


def _alternately(one: list[str], other: list[str]) -> list[str]:
    return [line for pair in zip(one, other, strict=True) for line in pair]


def _constants(n: int) -> list[str]:
    """t = c."""
    return [f"mov {{t{i}}}, {{c{i}}}" for i in range(n)]


def _plus(n: int) -> list[str]:
    """t = t + a."""
    return [f"{'adc' if i else 'add'} {{t{i}}}, {{a{i}}}" for i in range(n)]


def _moves(name: str, n: int) -> list[str]:
    """t over a, if the condition holds."""
    return [f"{name} {{a{i}}}, {{t{i}}}" for i in range(n)]


SUM = """
/// {says}.
#[inline(always)]
fn {name}<M: Modulus<{n}>>({operands}) -> [u64; {n}] {{
    let [{mutable}] = *x;
    // SAFETY: it {reads}changes the named registers and flags only.
    unsafe {{
        asm!(
{lines}
{results}
            {scratch},
{pointer}{constants}
            options(pure, {memory}, nostack),
        );
    }}
    [{result}]
}}
"""


def sum_text(piece: InlineSum, n: int) -> str:
    """A piece as a function of a modulus."""
    a, each = [f"a{i}" for i in range(n)], range(n)
    changed = "inout(reg) y.as_ptr() => _" if piece.changes_pointer else "in(reg) y.as_ptr()"
    has_y = piece.has_pointer
    return SUM.format(
        says=piece.says,
        name=piece.name,
        n=n,
        operands=", ".join(f"{name}: &[u64; {n}]" for name in ("xy" if has_y else "x")),
        reads="reads y, and " if has_y else "",
        memory="readonly" if has_y else "nomem",
        mutable=", ".join(f"mut {x}" for x in a),
        lines="\n".join(f'            "{line}",' for line in piece.lines),
        results="\n".join(f"            {x} = inout(reg) {x}," for x in a),
        scratch=", ".join(f"t{i} = out(reg) _" for i in each),
        pointer=f"            y = {changed},\n" if has_y else "",
        constants="\n".join(f"            c{i} = const M::{piece.constant}[{i}]," for i in each),
        result=", ".join(a),
    )


RESULT = ("rax", "rcx", "r8", "r9", "r10", "r11")
SCRATCH = ("rbx", "rbp", "r12", "r13", "r14", "r15")


def as_function(piece: InlineSum, f: Field, multiple: int = 1) -> str:
    """A piece with one choice of registers, as a function of z, x and y: what can be proved.

    It is for p, or for that multiple of p.
    """
    p = f.p * multiple
    return with_words(piece, f.limbs(p if piece.constant == "P" else f.R - p))


def with_words(piece: InlineSum, words: Sequence[int], operands: str = "xy") -> str:
    """The same with any words for its constant.

    `operands` are x and y, or `xx` for a function of x that doubles it, `0x` for its negative.
    """
    n = len(words)
    first = ("0" if operands[0] == "0" else f"qword ptr [rsi + {8 * i}]" for i in range(n))
    names = {"y": "rdx", "y:e": "edx"}
    names |= {f"a{i}": RESULT[i] for i in range(n)} | {f"t{i}": SCRATCH[i] for i in range(n)}
    names |= {f"c{i}": hex(word) for i, word in enumerate(words)}
    lines = list(piece.lines)
    for name, text in names.items():
        lines = [line.replace(f"{{{name}}}", text) for line in lines]
    lines = [
        *(f"push {r}" for r in SCRATCH),
        *(f"mov {RESULT[i]}, {word}" for i, word in enumerate(first)),
        *(["mov rdx, rsi"] if operands[1] == "x" else []),
        *lines,
        *(f"mov qword ptr [rdi + {8 * i}], {RESULT[i]}" for i in range(n)),
        *(f"pop {r}" for r in reversed(SCRATCH)),
        "ret",
    ]
    return ".intel_syntax noprefix\n.text\n.globl piece\npiece:\n" + "\n".join(lines) + "\n"
