"""Generates the rows of ours in crates/race that are texts: Rust in three flavours, LLVM's code,
and kernels on arrays of 32-bit words.

python -m fieldc.packages.rust.race_texts           writes them (make generate)
python -m fieldc.packages.rust.race_texts --check   exit 1, naming the files that are not the same

All of one operation and field are printed from the same algorithm.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

from fieldc.algorithms import kernels_for
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import BoundError, Expression, LanguageError
from fieldc.machine.assemble import compile_ir
from fieldc.packages.checked_in import CheckedIn, header
from fieldc.packages.rust.race_words import words_file
from fieldc.program import maintained
from fieldc.targets.header import field_symbol
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import LLVM_TARGETS
from fieldc.targets.llvm.wide import print_llvm_wide
from fieldc.targets.rust.flat import (
    PORTABLE,
    ROWS,
    Flavour,
    RustFunction,
    rust_function,
    rust_helpers,
)
from fieldc.targets.rust.intrinsics import INTRINSICS
from fieldc.targets.rust.looped import rust_looped_function
from fieldc.targets.source import contract
from fieldc.words.lower import lower

MODULE = "fieldc.packages.rust.race_texts"
FOLDER = "crates/race/src/texts"
FIELDS = ("bls12-381-p", "bls12-381-r", "bn254-p", "secp256k1-p")
OPERATIONS = ("add", "sub", "mul", "square")
ALGORITHMS = ("add", "sub", "cios", "product")
"""Of an operation the first of these that the field's bounds allow."""
INLINED = ("add", "sub")
"""Operations whose rows say that they are inlined, so that rustc must."""


def generate() -> dict[str, str]:
    """Every generated file: its path from the repository's root, and its text."""
    texts = {
        "looped": rust_file("Rust with a loop over limbs for each row.", PORTABLE, _looped),
        "flat": rust_file("Rust without loops.", PORTABLE, _flat),
        "intrinsics": rust_file("Rust that calls mulx, adc and sbb.", INTRINSICS, _intrinsics),
        "llvm_wide": llvm_file("LLVM's code for integers of n limbs, with BMI2.", _wide),
        "llvm_bmi2": llvm_file("LLVM's code for our words, with BMI2.", _words),
        "words": words_file(MODULE),
    }
    return {f"{FOLDER}/{name}.rs": text for name, text in texts.items()}


def expressions(field: Field) -> Iterator[Expression]:
    """The kernel of each operation."""
    for operation in OPERATIONS:
        kernels = {kernel.algorithm: kernel for kernel in kernels_for(operation)}
        for algorithm in ALGORITHMS:
            if algorithm not in kernels:
                continue
            try:
                yield kernels[algorithm].expression(field)
            except BoundError:
                continue
            break


def _looped(expression: Expression) -> RustFunction:
    return rust_looped_function(expression, expression.kernel.operation)


def _flat(expression: Expression) -> RustFunction:
    return rust_function(lower(expression, ROWS), expression.kernel.operation, expression)


def _intrinsics(expression: Expression) -> RustFunction:
    return rust_function(
        lower(expression, ROWS), expression.kernel.operation, expression, INTRINSICS
    )


def rust_file(title: str, flavour: Flavour, print_one: Callable[[Expression], RustFunction]) -> str:
    """A flavour's functions, a module for each field, below the helpers that they call."""
    modules: list[str] = []
    called: set[str] = set()
    for name in FIELDS:
        functions: list[str] = []
        helpers: set[str] = set()
        for expression in expressions(find_field(name)):
            function = print_one(expression)
            helpers |= function.helpers
            inline = "#[inline(always)]\n" if expression.kernel.operation in INLINED else ""
            functions.append(re.sub("^pub ", f"{inline}pub ", function.text, count=1, flags=re.M))
        use = f"use super::{{{', '.join(sorted(helpers))}}};\n\n"
        modules.append(module(name, functions, use))
        called |= helpers
    return f"{header(title, MODULE)}{rust_helpers(called, 64, flavour)}\n" + "\n".join(modules)


def module(name: str, functions: list[str], head: str = "") -> str:
    """A field's module, with the names of its algorithms."""
    field = find_field(name)
    constants = "".join(
        f'pub const {t.kernel.operation.upper()}: &str = "{t.kernel.algorithm}";\n'
        for t in expressions(field)
        if t.kernel.operation not in INLINED
    )
    body = "\n".join([head + constants, *functions])
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    return f"pub mod {field_symbol(field)} {{\n{lines}}}\n"


LLVM_FUNCTION = """
{says}
///
/// # Safety
/// The processor has BMI2; the operands can be read and z written, which may be one of them.
#[unsafe(naked)]
pub unsafe extern "sysv64" fn {operation}({operands}) {{
    core::arch::naked_asm!(
        r"
{lines}
",
        options(att_syntax)
    )
}}
"""


def llvm_file(title: str, compile_one: Callable[[Expression], str]) -> str:
    """LLVM's code as naked functions, a module for each field."""
    modules = [
        module(name, [llvm_function(t, compile_one(t)) for t in expressions(find_field(name))])
        for name in FIELDS
    ]
    return header(title, MODULE) + "\n".join(modules)


def llvm_function(expression: Expression, assembly: str) -> str:
    """A kernel's instructions as a function of its own."""
    n = expression.field.n
    operands = "".join(f", {name}: *const [u64; {n}]" for name, _ in expression.kernel.operands)
    return LLVM_FUNCTION.format(
        says="\n".join(f"/// {line}" for line in contract(expression)),
        operation=expression.kernel.operation,
        operands=f"z: *mut [u64; {n}]{operands}",
        lines="\n".join(f"    {' '.join(line.split())}" for line in instructions(assembly)),
    ).lstrip("\n")


def instructions(assembly: str) -> list[str]:
    """The instructions of a text that has one function.

    Raises LanguageError for one that needs more than its instructions, such as a label.
    """
    lines = [line.split("#")[0].strip() for line in assembly.splitlines()]
    labels = [line for line in lines if line.endswith(":")]
    found = [line for line in lines if line and line not in labels and not line.startswith(".")]
    if len(labels) != 2 or any(".L" in line or "rip" in line for line in found):
        raise LanguageError("LLVM made more than straight-line code")
    return found


SYMBOL = "kernel"
TARGET = "x86_64-linux-llvm-bmi2"


def _wide(expression: Expression) -> str:
    return compile_ir(
        print_llvm_wide(expression, SYMBOL), LLVM_TARGETS[TARGET].triple, "x86-64", "+bmi2"
    ).assembly


def _words(expression: Expression) -> str:
    target = LLVM_TARGETS[TARGET]
    processor = target.processor
    text = print_llvm(lower(expression, processor.rows), SYMBOL, processor.form)
    return compile_ir(text, target.triple, processor.cpu, processor.features).assembly


FILES = CheckedIn(MODULE, FOLDER, generate)


if __name__ == "__main__":
    sys.exit(maintained(FILES.main))
