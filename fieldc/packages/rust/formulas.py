"""Formulas in a Rust package: functions of elements, proved kernels for x86-64, and their tests.

A kernel is code of System V's convention, which inline assembly calls and brings along on every
system. On other processors a formula is Rust that calls the field's operations, one for each step.
Steps on values that are no elements are Rust from the same text as the kernels.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import indent

from fieldc.field import Field
from fieldc.formulas.field_calls import FieldCall, FieldCalls, blocks_of, field_calls
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import operand_names
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.formula_values import RustValue, limbs_text, texts
from fieldc.packages.rust.own_kernels import VARIANTS
from fieldc.packages.rust.text import called, wrapped
from fieldc.targets.choice import Choice
from fieldc.targets.header import in_comment
from fieldc.targets.registry import TARGETS
from fieldc.targets.rust.comments import rust_doc_lines
from fieldc.targets.rust.flat import PATTERNS, PORTABLE, ROWS, rust_function, rust_helpers
from fieldc.targets.target import Artifact, Target
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.print import INTEL
from fieldc.targets.x86_64.targets import compiled
from fieldc.words.lower import lower

FILE = "src/generated/formulas.rs"
ENDINGS = (*(f"_{variant}" for variant in VARIANTS), "_portable")
TAKEN = ("Kernels", "asm", "called", "sources")
CASES = 6
LABEL = re.compile(r"@(\w+)@(:?)")
MEANS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "neg": "-{0}",
    "double": "{0}.double()",
    "square": "{0}.square()",
}
HAS_ASSEMBLY = '#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]'
HEAD = """//! Formulas of `{file}`, on elements.
//!
//! On x86-64 with BMI2 each is one proved kernel. Elsewhere it calls the field's operations.

#![allow(non_snake_case, reason = "names are those of the formulas' file")]
#![allow(clippy::let_and_return, reason = "each value has a line")]
#![allow(clippy::eq_op, reason = "a formula may subtract a value from itself")]

use crate::{type};
{has_assembly}
use {{crate::Kernels, crate::machine::called, core::arch::asm}};
"""
KERNEL = """
{has_assembly}
/// # Safety
/// The processor has {features}; z is that of {results} words, which may be those of an operand.
#[inline(always)]
unsafe fn {name}(z: *mut u64{pointers}) {{
    // SAFETY: the kernel reads the operands, writes z, and keeps System V's convention.
    unsafe {{
        asm!(
{called}{registers}
            clobber_abi("sysv64"),
        );
    }}
}}
"""
FUNCTION = """
{says}
#[inline(never)]
{signature} {{
    {has_assembly}
    {{
        let mut z = {zero};
        match Kernels::current() {{
            // SAFETY: the processor has ADX and BMI2; an element is its limbs, below p.
            Kernels::Adx
            | Kernels::AdxAvx2
            | Kernels::Avx512f
            | Kernels::AdxAvx512Ifma => unsafe {{ {name}_adx({to}{pointers}) }},
            // SAFETY: the processor has BMI2; an element is its limbs, below p.
            Kernels::Mulx | Kernels::Avx2 | Kernels::Avx512Ifma => unsafe {{
                {name}_mulx({to}{pointers})
            }},
            _ => z = {name}_portable({given}),
        }}
        z
    }}
    #[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
    {name}_portable({given})
}}

fn {name}_portable({read}) -> {result} {{
{body}
}}
"""


def kernel_lines(choice: Choice) -> list[str]:
    """A formula's kernel as it stands in inline assembly: labels are numbers.

    They begin with 2: one of only the digits 0 and 1 reads as a binary number in Intel's syntax.
    """
    kernel = compiled(choice, "kernel", SYSV)
    lines = kernel.lines(INTEL, lambda label: f"@{label}@")
    known: dict[str, int] = {}

    def numbered(label: re.Match[str]) -> str:
        number = known.setdefault(label[1], len(known))
        return f"2{number:03}{label[2] or 'f'}"

    bare = (line.split("#")[0].rstrip() for line in lines)
    return [LABEL.sub(numbered, line) for line in bare if line]


def object_of(symbol: str, lines: Sequence[str]) -> bytes:
    """The object that a kernel's text assembles to."""
    head = (".intel_syntax noprefix", ".text", f".globl {symbol}", ".p2align 6, 0x90")
    return assemble("\n".join((*head, f"{symbol}:", *lines, "")), _LINUX.triple)


def _make(target: Target, choice: Choice) -> Artifact:
    operation, variant = choice.expression.kernel.operation, choice.variant.name
    symbol, lines = f"{operation}_{variant}", kernel_lines(choice)
    text = "\n".join(lines)
    code = object_of(symbol, lines)
    return Artifact(symbol, target, choice, target.proved_as, ".rs", text, code)


_LINUX = TARGETS["x86_64-linux"]
TARGET = _LINUX.named(
    _LINUX.name,
    make=_make,
    variants=tuple(variant for variant in _LINUX.variants if variant.name in VARIANTS),
)
"""x86-64 on every system: the text is called by System V's convention."""


@dataclass(frozen=True)
class RustFormula:
    """A formula of a package whose field is `type`."""

    formula: Formula
    field: Field
    type: str

    @cached_property
    def operands(self) -> list[RustValue]:
        """The operands."""
        return [RustValue(bound, self.field, self.type) for _, bound in self.formula.ranges]

    @property
    def result(self) -> RustValue:
        """The result."""
        return RustValue(self.formula.result, self.field, self.type)

    @cached_property
    def calls(self) -> FieldCalls:
        """What the formula calls where it is no kernel."""
        return field_calls(self.formula)

    @property
    def says(self) -> str:
        """The formula, and the bounds of its sums."""
        names = [*self.operand_names, "The result"]
        each = zip(names, [*self.operands, self.result], strict=True)
        sums = [f"{name} is below {one.says}." for name, one in each if one.says]
        return " ".join([in_comment(self.formula.summary), *sums])

    @property
    def operand_names(self) -> list[str]:
        """The operands' names: no pattern of Rust, and no function that the formula calls."""
        own = (f"{self.formula.name}{ending}" for ending in ENDINGS)
        return operand_names(self.formula, (self.type, *PATTERNS, *own))

    @property
    def signature(self) -> str:
        """What users call."""
        each = zip(self.operand_names, self.operands, strict=True)
        operands = ", ".join(f"{name}: {one.operand}" for name, one in each)
        return f"pub fn {self.formula.name}({operands}) -> {self.result.of}"

    def text(self, kernels: Sequence[Artifact]) -> str:
        """The function, its kernels, and its calls."""
        names = self.operand_names
        addresses = (one.address(x) for one, x in zip(self.operands, names, strict=True))
        function = FUNCTION.format(
            says="\n".join(f"/// {line}" for line in rust_doc_lines(self.says, 95)),
            name=self.formula.name,
            signature=self.signature,
            result=self.result.of,
            zero=self.result.zero,
            has_assembly=HAS_ASSEMBLY,
            to="core::ptr::from_mut(&mut z).cast()",
            pointers="".join(f", {address}" for address in addresses),
            given=", ".join(names),
            read=", ".join(self._read()),
            body="\n".join(f"    {line}" for line in self._body()),
        )
        return function + "".join(self._kernel(kernel) for kernel in kernels)

    def _kernel(self, kernel: Artifact) -> str:
        count = len(self.formula.operands)
        given = zip(SYSV.arguments, ["z", *(f"x{i}" for i in range(count))], strict=False)
        return KERNEL.format(
            has_assembly=HAS_ASSEMBLY,
            features=" and ".join(need.upper() for need in kernel.needs),
            results=self.result.words,
            name=kernel.symbol,
            pointers="".join(f", x{i}: *const u64" for i in range(count)),
            called=called("call", kernel.symbol, kernel.text, {}, self.field.n),
            registers=wrapped(f'inout("{register}") {x} => _,' for register, x in given),
        )

    def _names(self) -> list[str]:
        """The values as the calls name them: elements of operands, constants, then results."""
        made = self.calls
        named = [name for i, one in enumerate(self.operands) for name in one.names(f"x{i}")]
        named += [f"c{i}" for i in range(len(made.constants))]
        return named + [f"v{i}" for i in range(len(made.calls))]

    def _read(self) -> Iterator[str]:
        """The operands; a name that nothing reads begins with `_`."""
        made = self.calls
        read = {i for call in made.calls for i in call.sources} | {*made.results}
        first = 0
        for i, one in enumerate(self.operands):
            unread = read.isdisjoint(range(first, first + one.bound.count))
            yield f"{'_' * unread}x{i}: {one.operand}"
            first += one.bound.count

    def _body(self) -> Iterator[str]:
        made, names = self.calls, self._names()
        for i, number in enumerate(made.constants):
            words = ", ".join(map(hex, self.field.limbs(number % self.field.p)))
            yield f"const C{i}: {self.type} = {self.type}::from_limbs([{words}]).unwrap();"
            names[self.formula.inputs + i] = f"C{i}"
        for call in made.calls:
            found = self._called(call, [names[i] for i in call.sources])
            yield f"let {names[call.value]} = {found};"
        results = [names[i] for i in made.results]
        kept = made.limbs(self.field, made.results[0])
        if self.formula.held and kept < self.result.words:
            yield f"let mut z = {self.result.zero};"
            yield f"z[..{kept}].copy_from_slice(&{results[0].removeprefix('*')}[..]);"
            results = ["z"]
        yield results[0] if len(results) == 1 else f"[{', '.join(results)}]"

    def _called(self, call: FieldCall, taken: Sequence[str]) -> str:
        """A call of an operation of the field, or of the function of a step."""
        bare = [name.removeprefix("*") for name in taken]
        if call.block is None:
            given = bare if call.operation in ("double", "square") else taken
            return MEANS[call.operation].format(*given)
        if call.block.kind == "choose":
            a, b = (f"&{name}" if name[0] != "*" else name[1:] for name in taken[1:])
            return f"{self.type}::select({taken[0]}, {a}, {b})"
        pairs = zip(call.block.sizes, taken, strict=True)
        limbs = ", ".join(limbs_text(bound, name) for bound, name in pairs)
        found = f"steps::{call.block.name}({limbs})"
        if not call.block.is_element:
            return found
        return f'{self.type}::from_montgomery_limbs({found}).expect("below p")'

    def test(self) -> str:
        """A test on vectors from Python's integers."""
        f, formula = self.field, self.formula
        rows = ((x, self._computed(x)) for x in self._vectors())
        table = "".join(f"    ({texts(x)}, {texts(z)}),\n" for x, z in rows)
        first, operands = 0, []
        for one in self.operands:
            operands.append(one.read(f"x[{first}..{first + one.bound.count}]"))
            first += one.bound.count
        call = f"formulas::{formula.name}({', '.join(operands)})"
        found, wanted = call, "values(wanted)"
        if formula.held:
            wanted = f"words::<{formula.held.limbs(f)}>(wanted[0])"
        elif len(formula.results) == 1:
            found = f"[{call}]"
        return TEST.format(
            name=formula.name, upper=formula.name.upper(), table=table, found=found, wanted=wanted
        )

    def _vectors(self) -> list[list[int]]:
        """Values of operands, elements as numbers: edges, and random ones."""
        draw = random.Random(self.formula.name)
        tops = [one.bound.high(self.field) for one in self.operands for _ in range(one.bound.count)]
        edges = [[0] * len(tops), [1] * len(tops), tops]
        return edges + [[draw.randrange(top + 1) for top in tops] for _ in range(CASES)]

    def _computed(self, numbers: Sequence[int]) -> Sequence[int]:
        """The results by Python's integers."""
        f = self.field
        bounds = [one.bound for one in self.operands for _ in range(one.bound.count)]
        pairs = zip(numbers, bounds, strict=True)
        given = [f.to_montgomery(v) if bound.is_residue else v for v, bound in pairs]
        found = self.formula.evaluate(f, given)
        return found if self.formula.held else [f.from_montgomery(z) for z in found]


TEST = """
const {upper}: &[(&[&str], &[&str])] = &[
{table}];

#[test]
fn {name}_is_right() {{
    on_every_kernel(|| {{
        for (given, wanted) in {upper} {{
            let x = *given;
            assert_eq!({found}.as_slice(), {wanted});
        }}
    }});
}}
"""


STEPS = """
/// Steps on values that are no elements, in Montgomery form.
mod steps {{
{text}}}
"""
WORDS = """
fn words<const N: usize>(text: &str) -> [u64; N] {
    let text = format!("{text:0>width$}", width = 16 * N);
    core::array::from_fn(|i| {
        let end = text.len() - 16 * i;
        u64::from_str_radix(&text[end - 16..end], 16).expect("a word")
    })
}
"""


def step_functions(formulas: Sequence[Formula], f: Field) -> str:
    """The module with a function for each step that is no operation of the field."""
    flavour = replace(PORTABLE, head=lambda _: "pub(super) fn")
    made = []
    for block in blocks_of(formulas):
        if block.kind != "choose":
            kernel, *_ = block.kernels(block.name)
            expression = kernel.expression(f)
            made.append(rust_function(lower(expression, ROWS), block.name, expression, flavour))
    if not made:
        return ""
    helpers = rust_helpers({name for one in made for name in one.helpers}, f.word, flavour)
    text = "\n".join([helpers, *(one.text for one in made)])
    return STEPS.format(text=indent(text, "    "))


def formula_tests(formulas: Sequence[RustFormula]) -> str:
    """The tests, and the function that some of them need."""
    has_words = any(one.says for each in formulas for one in (*each.operands, each.result))
    return WORDS * has_words + "".join(one.test() for one in formulas)


def module(
    formulas: Sequence[Formula], f: Field, kernels: Sequence[Artifact], words: Mapping[str, str]
) -> str:
    """The module after its header."""
    file, of = words["formula_file"], words["type"]
    parts = (
        RustFormula(one, f, of).text(
            [k for k in kernels if k.expression.kernel.operation == one.name]
        )
        for one in formulas
    )
    head = HEAD.format(file=file, type=of, has_assembly=HAS_ASSEMBLY)
    return head + "".join(parts) + step_functions(formulas, f)
