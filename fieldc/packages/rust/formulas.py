"""Formulas in a Rust package: functions of elements, proved kernels for x86-64, and their tests.

A kernel is code of System V's convention, which inline assembly calls and brings along on every
system. On other processors a formula is Rust that calls the field's operations, one for each step.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from fieldc.field import Field
from fieldc.formulas.field_calls import field_calls
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import operand_names
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.own_kernels import VARIANTS
from fieldc.packages.rust.text import called, wrapped
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact, Target
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.print import INTEL
from fieldc.targets.x86_64.targets import compiled

FILE = "src/generated/formulas.rs"
ENDINGS = (*(f"_{variant}" for variant in VARIANTS), "_portable")
PATTERNS = ("Some", "Ok", "Err")
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

use crate::{type};
{has_assembly}
use {{crate::Kernels, crate::machine::called, core::arch::asm}};
"""
KERNEL = """
{has_assembly}
/// # Safety
/// The processor has {features}; z is that of {results} elements, which may be those of an operand.
#[inline(always)]
unsafe fn {name}(z: *mut {type}{pointers}) {{
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
{signature} {{
    {has_assembly}
    {{
        let mut z = {zero};
        match Kernels::current() {{
            // SAFETY: the processor has ADX and BMI2; an element is its limbs, below p.
            Kernels::Adx => unsafe {{ {name}_adx({to}{pointers}) }},
            // SAFETY: the processor has BMI2; an element is its limbs, below p.
            Kernels::Mulx => unsafe {{ {name}_mulx({to}{pointers}) }},
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

    def of(self, count: int) -> str:
        """The type of so many elements."""
        return self.type if count == 1 else f"[{self.type}; {count}]"

    @property
    def operand_names(self) -> list[str]:
        """The operands' names, none of them one that Rust takes for a pattern."""
        return operand_names(self.formula, (self.type, *PATTERNS))

    @property
    def signature(self) -> str:
        """What users call."""
        counts = (count for _, count in self.formula.operands)
        each = zip(self.operand_names, counts, strict=True)
        operands = ", ".join(f"{name}: &{self.of(n)}" for name, n in each)
        return f"pub fn {self.formula.name}({operands}) -> {self.of(len(self.formula.results))}"

    def text(self, kernels: Sequence[Artifact]) -> str:
        """The function, its kernels, and its calls."""
        formula, results = self.formula, len(self.formula.results)
        names = self.operand_names
        zero = f"{self.type}::ZERO"
        function = FUNCTION.format(
            says="\n".join(f"/// {line}" for line in wrap(formula.summary, 95)),
            name=formula.name,
            signature=self.signature,
            result=self.of(results),
            zero=zero if results == 1 else f"[{zero}; {results}]",
            type=self.type,
            has_assembly=HAS_ASSEMBLY,
            to="core::ptr::from_mut(&mut z).cast()",
            pointers="".join(f", core::ptr::from_ref({x}).cast()" for x in names),
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
            results=len(self.formula.results),
            name=kernel.symbol,
            type=self.type,
            pointers="".join(f", x{i}: *const {self.type}" for i in range(count)),
            called=called("call", kernel.symbol, kernel.text, {}, self.field.n),
            registers=wrapped(f'inout("{register}") {x} => _,' for register, x in given),
        )

    def _names(self) -> list[str]:
        """The values as the calls name them: elements of operands, constants, then results."""
        made, named = field_calls(self.formula), []
        for i, (_, count) in enumerate(self.formula.operands):
            named += [f"x{i}[{k}]" for k in range(count)] if count > 1 else [f"*x{i}"]
        named += [f"c{i}" for i in range(len(made.constants))]
        return named + [f"v{i}" for i in range(len(made.calls))]

    def _read(self) -> Iterator[str]:
        """The operands; a name that nothing reads begins with `_`."""
        made = field_calls(self.formula)
        read = {i for call in made.calls for i in call.sources} | {*made.results}
        first = 0
        for i, (_, count) in enumerate(self.formula.operands):
            unread = read.isdisjoint(range(first, first + count))
            yield f"{'_' * unread}x{i}: &{self.of(count)}"
            first += count

    def _body(self) -> Iterator[str]:
        made, names = field_calls(self.formula), self._names()
        for i, number in enumerate(made.constants):
            words = ", ".join(map(hex, self.field.limbs(number % self.field.p)))
            yield f"const C{i}: {self.type} = {self.type}::from_limbs([{words}]).unwrap();"
            names[self.formula.inputs + i] = f"C{i}"
        for call in made.calls:
            taken = [names[i] for i in call.sources]
            if call.operation in ("double", "square"):
                taken = [name.removeprefix("*") for name in taken]
            yield f"let {names[call.value]} = {MEANS[call.operation].format(*taken)};"
        results = [names[i] for i in made.results]
        yield results[0] if len(results) == 1 else f"[{', '.join(results)}]"

    def test(self) -> str:
        """A test on vectors from Python's integers."""
        f, formula = self.field, self.formula
        draw = random.Random(formula.name)
        given = [[v] * formula.inputs for v in (0, 1, f.p - 1)]
        given += [[draw.randrange(f.p) for _ in range(formula.inputs)] for _ in range(CASES)]
        rows = ((x, formula.evaluate(f, [f.to_montgomery(v) for v in x])) for x in given)
        table = "".join(
            f"    ({_texts(x)}, {_texts([f.from_montgomery(v) for v in z])}),\n" for x, z in rows
        )
        first, operands = 0, []
        for _, count in formula.operands:
            part = f'x[{first}..{first + count}].try_into().expect("so many")'
            operands.append(f"&x[{first}]" if count == 1 else part)
            first += count
        call = f"formulas::{formula.name}({', '.join(operands)})"
        found = f"[{call}]" if len(formula.results) == 1 else call
        return TEST.format(name=formula.name, upper=formula.name.upper(), table=table, found=found)


TEST = """
const {upper}: &[(&[&str], &[&str])] = &[
{table}];

#[test]
fn {name}_is_right() {{
    on_every_kernel(|| {{
        for (given, wanted) in {upper} {{
            let x = values(given);
            assert_eq!({found}.as_slice(), values(wanted));
        }}
    }});
}}
"""


def _texts(values: Sequence[int]) -> str:
    return f"&[{', '.join(f'{chr(34)}{value:x}{chr(34)}' for value in values)}]"


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
    return HEAD.format(file=file, type=of, has_assembly=HAS_ASSEMBLY) + "".join(parts)
