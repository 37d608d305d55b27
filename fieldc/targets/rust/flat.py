"""Prints word programs as Rust: safe, straight-line functions on arrays of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fieldc.language import Expression
from fieldc.targets.rust.comments import rust_doc
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
from fieldc.words.operations import Kind
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, RowStyle

ROWS = RowChoice(RowStyle.TWO_CHAINS)
"""What rustc -O (1.95, LLVM 22) turns into the fastest code. BLS12-381 p, mul, x86-64 without
bmi2 on Sapphire Rapids, cycles throughput | latency: two chains 122 | 142, one chain 129 | 142,
word of carry 157 | 180, with its products fused to `mac` 140 | 159; two chains with adc on u128
instead of overflowing_add 171 | 170. Instructions on aarch64: 571 for two chains, 653 for one. The
barrier in `mask` costs 7 to 9 of these cycles; without it LLVM makes the select a branch on RISC-V.
"""

HELPERS = {
    "adc": """
/// a + b + carry, and the carry out.
#[inline(always)]
const fn adc(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}
""",
    "sbb": """
/// a - b - borrow, and the borrow out.
#[inline(always)]
const fn sbb(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}
""",
    "mul_wide": """
/// a * b as its low and high half.
#[inline(always)]
const fn mul_wide(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    (product as u64, (product >> 64) as u64)
}
""",
    "mac": """
/// t + a * b + carry, which always fits two words, as its low and high half.
#[inline(always)]
const fn mac(t: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let total = a as u128 * b as u128 + t as u128 + carry as u128;
    (total as u64, (total >> 64) as u64)
}
""",
    "mask": """
/// All ones if the flag is set, else 0; opaque, so that no select becomes a branch.
#[inline(always)]
fn mask(flag: bool) -> u64 {
    core::hint::black_box((flag as u64).wrapping_neg())
}
""",
    "select": """
/// a where the mask is ones, b where it is 0.
#[inline(always)]
const fn select(mask: u64, a: u64, b: u64) -> u64 {
    b ^ (mask & (a ^ b))
}
""",
}
"""The functions that printed code calls, for 64-bit words."""
PATTERNS = ("Some", "Ok", "Err")
"""What Rust takes for a pattern where a parameter stands."""


@dataclass(frozen=True)
class Flavour:
    """What the same lines call: the helpers, the two flags, and what a function begins with."""

    helpers: dict[str, str]
    flags: tuple[str, str]
    head: Callable[[set[str]], str]
    """From the helpers that it calls."""
    constant: Callable[[Value], str] = identifier
    """How a constant of the field is read."""
    parameters: str = ""
    """Parameters after the operands that give constants; without any the function declares them."""


def _portable_head(helpers: set[str]) -> str:
    """What a function begins with: before Rust 1.86 no constant function calls black_box."""
    return "pub fn" if "mask" in helpers else "pub const fn"


PORTABLE = Flavour(HELPERS, ("false", "true"), _portable_head)
"""For every processor that rustc has."""


@dataclass
class FlatBody:
    """The lines of one function while it is printed."""

    program: Program
    flavour: Flavour = PORTABLE
    lines: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    _masks: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.read = read_values(self.program)

    def print_step(self, step: Step) -> None:
        """Add the step's line."""
        self.assign(step.outputs, FORMS[step.operation.name](self, step))

    def assign(self, outputs: tuple[Value, ...], expression: str) -> None:
        """Bind outputs, those that nothing reads to `_`."""
        names = [v.name if v.number in self.read else "_" for v in outputs]
        target = names[0] if len(names) == 1 else f"({', '.join(names)})"
        self.lines.append(f"let {target} = {expression};")

    def call(self, helper: str, *arguments: str) -> str:
        """A call of one of HELPERS."""
        self.helpers.add(helper)
        return f"{helper}({', '.join(arguments)})"

    def text(self, value: Value) -> str:
        """A value as an operand."""
        if value.constant is None:
            return identifier(value)
        if is_named(value):
            return self.flavour.constant(value)
        if value.kind is Kind.FLAG:
            return self.flavour.flags[value.constant]
        return str(value.constant) if value.constant < 10 else f"{value.constant:#x}"

    def mask_of(self, flag: Value) -> str:
        """The mask of a flag, made once: each one passes a barrier of its own."""
        if flag.number not in self._masks:
            name = mask_name(flag)
            self.lines.append(f"let {name} = {self.call('mask', self.text(flag))};")
            self._masks[flag.number] = name
        return self._masks[flag.number]


def _call(helper: str) -> StepText[FlatBody]:
    return lambda body, step: body.call(helper, *(body.text(v) for v in step.inputs))


def _infix(operator: str) -> StepText[FlatBody]:
    return lambda body, step: f" {operator} ".join(body.text(v) for v in step.inputs)


def _load(body: FlatBody, step: Step) -> str:
    return f"{step.operand}[{step.attribute}]"


def _mul_low(body: FlatBody, step: Step) -> str:
    a, b = sorted((body.text(v) for v in step.inputs), key=lambda text: text[0].isdigit())
    return f"{a}.wrapping_mul({b})"


def _select(body: FlatBody, step: Step) -> str:
    flag, a, b = step.inputs
    return body.call("select", body.mask_of(flag), body.text(a), body.text(b))


def _mask(body: FlatBody, step: Step) -> str:
    return body.call("mask", body.text(step.inputs[0]))


def _funnel(body: FlatBody, step: Step) -> str:
    (high, low), k = step.inputs, step.attribute
    left = f"{body.text(high)} << {body.program.word - k}"
    right = f"{body.text(low)} >> {k}"
    return right if high.constant == 0 else left if low.constant == 0 else f"({left}) | ({right})"


FORMS: dict[str, StepText[FlatBody]] = {
    "add": _call("adc"),
    "sub": _call("sbb"),
    "mul": _call("mul_wide"),
    "mul_low": _mul_low,
    "select": _select,
    "mask": _mask,
    "and": _infix("&"),
    "funnel": _funnel,
    "load": _load,
}
"""How each row of the table of operations is written."""


@dataclass(frozen=True)
class RustFunction:
    """One function, and the names of the helpers that it calls."""

    text: str
    helpers: frozenset[str]


def rust_function(
    program: Program,
    name: str,
    expression: Expression | None = None,
    flavour: Flavour = PORTABLE,
    body: FlatBody | None = None,
) -> RustFunction:
    """The program as a `pub` function; the expression, where given, says more in its header.

    An empty `body` of the same program and flavour prints its lines in another way.
    """
    check_word(program.word, "Rust")
    program = with_free_operands(program, (*flavour.helpers, *PATTERNS))
    body = body or FlatBody(program, flavour)
    for step in program.steps:
        body.print_step(step)
    word = f"u{program.word}"
    named = {} if flavour.parameters else named_constants(program)
    constants = [f"const {n}: {word} = {v:#x};" for n, v in named.items()]
    parameters = [f"{operand}: &[{word}; {count}]" for operand, count in program.operands]
    operands = ", ".join((*parameters, *filter(None, [flavour.parameters])))
    results = ", ".join(body.text(v) for v in program.results)
    unread = [f"let _ = {each};" for each in unread_operands(program, [*body.lines, results])]
    names = [name, *(operand for operand, _ in program.operands)]
    is_snake = all(each == each.lower() and "__" not in each for each in names)
    lines = [
        *(f"/// {rust_doc(line)}" for line in heading(program, expression)),
        *([] if is_snake else ["#[allow(non_snake_case)] // names are the user's"]),
        f"{flavour.head(body.helpers)} {name}({operands}) -> [{word}; {len(program.results)}] {{",
        *(f"    {line}" for line in [*constants, *unread, *body.lines, f"[{results}]"]),
        "}",
    ]
    return RustFunction("\n".join(lines) + "\n", frozenset(body.helpers))


def rust_helpers(names: Iterable[str], word: int, flavour: Flavour = PORTABLE) -> str:
    """The text of some of a flavour's helpers, in their order, for a word size."""
    wanted = set(names)
    text = "".join(body for name, body in flavour.helpers.items() if name in wanted)
    if word == 32:
        text = text.replace("u64", "u32").replace("u128", "u64").replace("64)", "32)")
    return text.lstrip("\n")


def print_rust(
    program: Program, name: str, expression: Expression | None = None, flavour: Flavour = PORTABLE
) -> str:
    """Return a complete Rust file: the helpers, then the program as one function."""
    function = rust_function(program, name, expression, flavour)
    return f"{rust_helpers(function.helpers, program.word, flavour)}\n{function.text}"
