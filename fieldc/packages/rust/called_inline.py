"""Prints an x86-64 kernel as a Rust function whose inline assembly calls the kernel's code.

The code takes and leaves words in registers of its own choice, with its constants after it. Results
in registers need not be read back from memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fieldc.language import Expression
from fieldc.packages.rust.text import array, called, signature, wrapped
from fieldc.targets.rust.comments import rust_doc
from fieldc.targets.x86_64.conventions import CALLED_INLINE, GENERAL
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.operands import Register
from fieldc.targets.x86_64.print import INTEL, print_instruction

KERNEL = """
/// {says}; {algorithm}, variant {variant}.
///
/// # Safety
/// The processor has {features}; {condition}.
#[inline(always)]
{signature} {{
    let mut z = [0; {words}];
    // SAFETY: the kernel reads the operands and changes registers, flags and its own stack only.
    unsafe {{
        asm!(
{called}{registers}
            options(pure, readonly),
        );
    }}
    z
}}
"""
STORING = """
/// {says}; {algorithm}, variant {variant}. It writes all of z.
///
/// # Safety
/// The processor has {features}; {condition}.
#[inline(always)]
{signature} {{
    // SAFETY: the kernel reads the operands and writes z, registers, flags and its own stack only.
    unsafe {{
        asm!(
{called}{registers}
        );
    }}
}}
"""
TABLE = """
.balign 64
2:
.quad {}"""


def called_inline(
    kernel: X86Kernel,
    expression: Expression,
    symbol: str,
    variant: str,
    condition: str,
    constants: Mapping[str, str],
) -> str:
    """A kernel as a function of a modulus and its operands.

    `condition` says what must hold of p. `constants` are the operands of the assembly that stand
    for the words of the kernel's table, in their order, each with its value in Rust; without any,
    the table has the kernel's own words.
    """
    n = expression.field.n
    count = expression.kernel.result.width(expression.field)
    says = " ".join(expression.kernel.source.splitlines()[0].rstrip(".").split())
    words = [f"z[{i}]" for i in range(count)]
    operands = [
        f"{x}: &{array(bound.count, bound.limbs(expression.field))}"
        for x, bound in expression.kernel.operands
    ]
    values = [f"core::ptr::from_ref({name})" for name, _ in expression.kernel.operands]
    result = f"[u64; {count}]"
    if not kernel.convention.returns_words:
        bound, words = expression.kernel.result, []
        stored = array(bound.count, bound.limbs(expression.field))
        operands = [f"z: &mut core::mem::MaybeUninit<{stored}>", *operands]
        values, result = ["core::ptr::from_mut(z)", *values], ""
    pointers = dict(zip(kernel.convention.arguments, values, strict=False))
    lines = body_of(kernel, constants)
    text = KERNEL if result else STORING
    return text.format(
        says=rust_doc(says.split(":")[0]),
        algorithm=expression.kernel.algorithm,
        variant=variant,
        features=" and ".join(f.upper() for f in kernel.features),
        condition=condition,
        symbol=symbol,
        words=count,
        signature=signature(f"unsafe fn {symbol}<M: Modulus<{n}>>", operands, result),
        registers=wrapped(_registers(dict(zip(kernel.returned, words, strict=True)), pointers)),
        called=called("call", symbol, lines, constants, n),
    )


def body_of(kernel: X86Kernel, constants: Iterable[str] = ()) -> str:
    """The code and its table, of the kernel's own words or of operands of inline assembly."""
    table = [f"{{{name}}}" for name in constants] or [hex(word) for _, word in kernel.constants]
    lines = "\n".join(map(_instruction, kernel.code))
    return lines + (TABLE.format(", ".join(table)) if table else "")


def _registers(results: Mapping[str, str], pointers: Mapping[str, str]) -> Iterator[str]:
    """What each register holds before and after, for inline assembly."""
    for register in GENERAL:
        if register in CALLED_INLINE.preserved:
            continue
        after = results.get(register, "_")
        if register in pointers:
            yield f'inout("{register}") {pointers[register]} => {after},'
        else:
            yield f'out("{register}") {after},'


def _instruction(instruction: Physical) -> str:
    """A line of a kernel, as short as can be: a register says how long a word in memory is."""
    line = print_instruction(instruction, INTEL, "2f").split("#")[0].strip()
    has_register = any(isinstance(operand, Register) for operand in instruction.operands)
    return line.replace("qword ptr ", "") if has_register else line
