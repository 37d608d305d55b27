"""Prints word programs as C99 with a double word: uint64_t for 32 bits, for 64 `unsigned __int128`.

A compiler that lacks that type (or is told FIELDC_NO_INT128) multiplies by halves of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Template
from textwrap import wrap
from types import MappingProxyType

from fieldc.language import Expression
from fieldc.targets.source import (
    StepText,
    check_word,
    heading,
    identifier,
    is_named,
    mask_name,
    named_constants,
    read_values,
    unread_operands,
    with_free_operands,
)
from fieldc.words.operations import ADD, MUL, Kind, WordOperation
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, RowStyle

ROWS = RowChoice(RowStyle.CARRY_WORD)
"""What gcc 12 -O2 turns into the fastest code. BLS12-381 p, mul, x86-64 without bmi2 on Sapphire
Rapids, cycles throughput | latency: a word of carry with each product fused to `mac` 180 | 175,
the same without `mac` 216 | 214, two chains 249 | 249, one chain 336 | 287. Adding flags by
comparison and by a builtin tie; by a double word two chains take 297 | 310.
"""


def _mac(w: int, v: tuple[int, ...], _: int) -> tuple[int, ...]:
    total = v[0] + v[1] * v[2] + v[3]
    return total % (1 << w), total >> w


MAC = WordOperation("mac", (Kind.WORD,) * 4, (Kind.WORD,) * 2, "hi*2^w + lo = t + a*b + c", _mac)
"""A product and two addends: (2^w - 1)^2 + 2*(2^w - 1) = 2^2w - 1, so it always fits two words."""

ZERO = Value(-1, Kind.WORD, 0, "0x0", 0)


def fuse(program: Program) -> Program:
    """The same program with each product and the addends that follow it as one step, MAC."""
    reads = Counter(v.number for step in program.steps for v in step.inputs)
    reads.update(v.number for v in program.results)
    steps, fused = list(program.steps), []
    while steps:
        step, taken = _fused(steps, reads) if steps[0].operation is MUL else (steps[0], 1)
        fused.append(step)
        del steps[:taken]
    return Program(program.name, program.word, program.operands, tuple(fused), program.results)


def _fused(steps: list[Step], reads: Counter[int]) -> tuple[Step, int]:
    """The product at the head of `steps` with up to two addends, and the steps it stands for."""
    (a, b), (lo, hi), taken = steps[0].inputs, steps[0].outputs, 1
    addends: list[Value] = []
    while len(addends) < 2 and len(steps) >= taken + 2:
        low, high = steps[taken : taken + 2]
        addend = _addend(low, high, lo, hi, reads)
        if addend is None:
            break
        addends.append(addend)
        lo, hi, taken = low.outputs[0], high.outputs[0], taken + 2
    if not addends:
        return steps[0], 1
    carry, t = [*addends, ZERO][:2]
    return Step(MAC, (t, a, b, carry), (lo, hi)), taken


def _addend(low: Step, high: Step, lo: Value, hi: Value, reads: Counter[int]) -> Value | None:
    """Return what two steps add to the product hi*2^w + lo, or None if they do something else."""
    if low.operation is not ADD or high.operation is not ADD:
        return None
    (a, b, carry_in), (_, carry) = low.inputs, low.outputs
    upper, zero, flag = high.inputs
    joined = upper is hi and zero.constant == 0 and flag is carry and carry_in.constant == 0
    alone = all(reads[v.number] == 1 for v in (lo, hi, carry))
    if not joined or not alone or reads[high.outputs[1].number]:
        return None
    return b if a is lo else a if b is lo else None


PRELUDE = Template("""
#include <stdint.h>

#ifndef FIELDC_WORDS_$w
#define FIELDC_WORDS_$w
#if defined(__GNUC__)
#define FIELDC_HELPER_$w static inline __attribute__((always_inline, unused))
#else
#define FIELDC_HELPER_$w static inline
#endif

/* a + b + carry, and the carry out. */
FIELDC_HELPER_$w $word adc$w($word *carry_out, $word a, $word b, $word carry)
{
    $word sum = a + b;
    $word total = sum + carry;
    *carry_out = ($word)(sum < a) | ($word)(total < sum);
    return total;
}

/* a - b - borrow, and the borrow out. */
FIELDC_HELPER_$w $word sbb$w($word *borrow_out, $word a, $word b, $word borrow)
{
    $word difference = a - b;
    *borrow_out = ($word)(a < b) | ($word)(difference < borrow);
    return difference - borrow;
}

$mac
/* All ones if the flag is 1, else 0; opaque where GNU C is, so that no select becomes a branch. */
FIELDC_HELPER_$w $word mask$w($word flag)
{
    $word mask = 0 - flag;
#if defined(__GNUC__)
    __asm__("" : "+r"(mask));
#endif
    return mask;
}

/* a where the mask is ones, b where it is 0. */
FIELDC_HELPER_$w $word select$w($word mask, $word a, $word b)
{
    return b ^ (mask & (a ^ b));
}
#endif
""")

MAC_BY_DOUBLE = Template("""
$double fieldc_double_$w;

/* t + a*b + c, which always fits two words. */
FIELDC_HELPER_$w $word mac$w($word *hi, $word t, $word a, $word b, $word c)
{
    fieldc_double_$w total = (fieldc_double_$w)a * b + t + c;
    *hi = ($word)(total >> $w);
    return ($word)total;
}
""")

MAC_BY_HALVES = """
/* t + a*b + c, which always fits two words; by halves of words, without a double word. */
FIELDC_HELPER_64 uint64_t mac64(uint64_t *hi, uint64_t t, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t half = UINT32_MAX, a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
    const uint64_t low = a0 * b0 + (t & half) + (c & half);
    const uint64_t one = a1 * b0 + (low >> 32) + (t >> 32);
    const uint64_t other = a0 * b1 + (one & half) + (c >> 32);
    *hi = a1 * b1 + (one >> 32) + (other >> 32);
    return (other << 32) | (low & half);
}
"""
"""No sum overflows: (2^32 - 1)^2 + 2*(2^32 - 1) = 2^64 - 1."""


def c_prelude(word: int) -> str:
    """The helpers that printed functions call; may stand more than once in a file."""
    of = {"w": str(word), "word": f"uint{word}_t"}
    if word == 32:
        mac = MAC_BY_DOUBLE.substitute(of, double="typedef uint64_t")
    else:
        double = "__extension__ typedef unsigned __int128"
        mac = (
            "\n#if defined(__SIZEOF_INT128__) && !defined(FIELDC_NO_INT128)"
            f"{MAC_BY_DOUBLE.substitute(of, double=double)}#else{MAC_BY_HALVES}#endif\n"
        )
    return PRELUDE.substitute(of, mac=mac.removeprefix("\n")).lstrip("\n")


HELPERS = ("adc", "sbb", "mac", "mask", "select")
"""The functions of the prelude, without the bits of a word after them."""


@dataclass
class CBody:
    """The lines of one function while it is printed."""

    program: Program
    lines: list[str] = field(default_factory=list)
    read: set[int] = field(default_factory=set)
    _masks: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.read = read_values(self.program)

    @property
    def type(self) -> str:
        """The word's type."""
        return f"uint{self.program.word}_t"

    def print_step(self, step: Step) -> None:
        """Add the step's line."""
        self.lines.append(FORMS[step.operation.name](self, step))

    def assign(self, value: Value, expression: str) -> str:
        """A declaration of one value."""
        return f"const {self.type} {value.name} = {expression};"

    def call(self, helper: str, step: Step, *arguments: str) -> str:
        """A call of a helper with two outputs; C has no way to name the first one `_`."""
        first, second = step.outputs
        of = ", ".join([f"&{second.name}", *arguments])
        call = f"{helper}{self.program.word}({of})"
        if first.number in self.read:
            return f"{self.type} {second.name}, {first.name} = {call};"
        return f"{self.type} {second.name}; (void){call};"

    def text(self, value: Value) -> str:
        """A value as an operand."""
        if value.constant is None or is_named(value):
            return identifier(value)
        return c_literal(value.constant, self.program.word)

    def mask_of(self, flag: Value) -> str:
        """The mask of a flag, made once: each one passes a barrier of its own."""
        if flag.number not in self._masks:
            name = mask_name(flag)
            word = self.program.word
            self.lines.append(f"const {self.type} {name} = mask{word}({self.text(flag)});")
            self._masks[flag.number] = name
        return self._masks[flag.number]


def c_literal(value: int, word: int) -> str:
    """A number of the word's type; small ones fit every type."""
    return str(value) if value < 10 else f"UINT{word}_C({value:#x})"


def _call(helper: str) -> StepText[CBody]:
    return lambda body, step: body.call(helper, step, *(body.text(v) for v in step.inputs))


def _infix(operator: str) -> StepText[CBody]:
    def form(body: CBody, step: Step) -> str:
        return body.assign(step.outputs[0], f" {operator} ".join(body.text(v) for v in step.inputs))

    return form


def _mul(body: CBody, step: Step) -> str:
    a, b = (body.text(v) for v in step.inputs)
    return body.call("mac", step, "0", a, b, "0")


def _load(body: CBody, step: Step) -> str:
    return body.assign(step.outputs[0], f"{step.operand}[{step.attribute}]")


def _select(body: CBody, step: Step) -> str:
    flag, a, b = step.inputs
    of = ", ".join([body.mask_of(flag), body.text(a), body.text(b)])
    return body.assign(step.outputs[0], f"select{body.program.word}({of})")


def _mask(body: CBody, step: Step) -> str:
    return body.assign(step.outputs[0], f"mask{body.program.word}({body.text(step.inputs[0])})")


def _funnel(body: CBody, step: Step) -> str:
    (high, low), k = step.inputs, step.attribute
    left = f"{body.text(high)} << {body.program.word - k}"
    right = f"{body.text(low)} >> {k}"
    one = right if high.constant == 0 else left if low.constant == 0 else ""
    return body.assign(step.outputs[0], one or f"({left}) | ({right})")


FORMS: dict[str, StepText[CBody]] = {
    "add": _call("adc"),
    "sub": _call("sbb"),
    "mul": _mul,
    "mul_low": _infix("*"),
    "select": _select,
    "mask": _mask,
    "and": _infix("&"),
    "funnel": _funnel,
    "load": _load,
    MAC.name: _call("mac"),
}
"""How each row of the table of operations, and MAC, is written."""


def _with_free_operands(program: Program) -> Program:
    """The program with operands that are not called as a helper is."""
    return with_free_operands(program, [f"{helper}{program.word}" for helper in HELPERS])


def prototype(program: Program, symbol: str) -> str:
    """The function's head, without what follows it."""
    program = _with_free_operands(program)
    word = f"uint{program.word}_t"
    operands = "".join(f", const {word} {name}[{count}]" for name, count in program.operands)
    return f"void {symbol}({word} z[{len(program.results)}]{operands})"


def c_function(program: Program, symbol: str, expression: Expression | None = None) -> str:
    """The program as one function; z may be any of its operands: every load precedes a store."""
    check_word(program.word, "C")
    program = _with_free_operands(program)
    fused = fuse(program)
    body = CBody(fused)
    for step in fused.steps:
        body.print_step(step)
    constants = [
        f"const {body.type} {name} = UINT{program.word}_C({value:#x});"
        for name, value in named_constants(fused).items()
    ]
    stores = [f"z[{i}] = {body.text(v)};" for i, v in enumerate(program.results)]
    header = [*heading(program, expression), "z may be any of the operands."]
    lines = ["/* " + "\n * ".join(header) + " */", prototype(program, symbol), "{"]
    unread = [f"(void){name};" for name in unread_operands(program, [*body.lines, *stores])]
    lines += [f"    {line}" for line in [*unread, *constants, *body.lines, *stores]]
    return "\n".join([*lines, "}"]) + "\n"


def print_c(program: Program, symbol: str, expression: Expression | None = None) -> str:
    """Return a complete C file: the helpers, the prototype, the function."""
    head = f"{c_prelude(program.word)}\n{prototype(program, symbol)};\n"
    return f"{head}\n{c_function(program, symbol, expression)}"


def print_c_header(
    kernels: Iterable[tuple[Program, str]],
    guard: str = "FIELDC_KERNELS_H",
    contracts: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A header that declares kernels, each a program and its symbol, to C and C++.

    `contracts` are by the kernels' symbols; of neighbours with the same one it stands once.
    """
    lines, said = [], ""
    for program, symbol in kernels:
        contract = contracts.get(symbol, "")
        if contract != said:
            said = contract
            lines += ["", *(["/* " + "\n * ".join(wrap(said, 90)) + " */"] if said else [])]
        lines.append(f"{prototype(program, symbol)};")
    prototypes = "\n".join(lines).lstrip("\n")
    return f"""#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* Words are least significant first; z may be any of the operands. */
{prototypes}

#ifdef __cplusplus
}}
#endif

#endif
"""
