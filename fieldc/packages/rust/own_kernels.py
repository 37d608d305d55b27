"""The kernels of a package of one prime: those of the compiler's choice, with its constants inside.

A kernel is decided, proved and certified as for every other build. Its object is what the text in
the package assembles to, called as the crate calls it: `kernels.called`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fieldc.algorithms.lazy import has_two_spare_bits
from fieldc.algorithms.representations import PLAIN, Representation
from fieldc.decisions.decision import Decision
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.paths import by_path
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import (
    CLASSES,
    LAZY_CLASSES,
    LAZY_FULL,
    class_expressions,
    class_of,
    completed,
    kernels_of,
    lazy_class_of,
)
from fieldc.packages.rust.crate import dispatch
from fieldc.packages.rust.inlined import LIMBS as ONE_LIMB
from fieldc.packages.rust.kernels import assembled
from fieldc.packages.rust.own_inlined import INLINED, inlined_module, lazy_parts, parts
from fieldc.packages.rust.plain import class_number
from fieldc.packages.rust.schedules import FOUND_ON, crate_kernel, schedule_of
from fieldc.packages.rust.sums import FITTING, inline_sums, sum_text
from fieldc.packages.rust.written import kernels_in
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact, Target
from fieldc.targets.x86_64.conventions import CALLED_INLINE
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.targets import plan_of

PARTS = ("mul", "sum_of_products", "square")
"""What the types call of a representation. Additions are inline assembly of the crate's."""
LAZY = ("mul", "square")
"""What they call too where values below 2p stay there."""
VARIANTS = ("mulx", "adx")
"""The first needs BMI2 only. Processors without it run portable Rust."""
PRODUCTS = ("imul", "mulx")
OF = "prime"
"""In the names of the kernels, where the crate's have their class."""


def operations(f: Field, r: Representation) -> list[str]:
    """The operations that have kernels."""
    if f.n in ONE_LIMB:
        return [*parts(r).values(), *lazy_parts(f, r).values()]
    lazy = [r.lazy[part] for part in LAZY if has_two_spare_bits(f)]
    return [*(r.parts[part] for part in PARTS), *lazy]


def choices(f: Field, r: Representation, processor: str | None) -> list[Callable[[], Decision]]:
    """What the model decides for each operation, of a processor or of that of each path.

    Schedules for System V name algorithms that are fast in their own order of instructions. Raises
    UnknownProcessor.
    """
    target = INLINED if f.n in ONE_LIMB else TARGET

    def choice(operation: str) -> Decision:
        return by_path(target, partial(preferred, f, operation, target), processor).unscheduled

    return [partial(choice, operation) for operation in operations(f, r)]


def kernel_of(choice: Choice) -> tuple[X86Kernel, str]:
    """The kernel of a choice, and what chose it.

    The crate's schedules were found for kernels that are called as these are. One is taken where
    the prime's own constants save no multiplication of the same algorithm.
    """
    expression, plan = choice.expression, plan_of(choice)
    own = plan.compile(expression, OF, CALLED_INLINE)
    variant = choice.variant.name
    known = scheduled(expression, variant)
    if known is not None and products(known) <= products(own):
        return known, f"the crate's schedule of {FOUND_ON[variant]} for primes of its class"
    return own, choice.chosen_by


def products(kernel: X86Kernel) -> int:
    """The multiplications of a kernel."""
    return sum(line.mnemonic in PRODUCTS for line in kernel.code)


def scheduled(expression: Expression, variant: str) -> X86Kernel | None:
    """The crate's kernel of the same algorithm for a prime, if a search found its schedule."""
    f, operation = expression.field, expression.kernel.operation
    for family in filter(None, (class_of(f), lazy_class_of(f))):
        of = kernels_of(family, f.n).get(operation)
        if of is None or schedule_of(of, f.n, variant).entry(operation) is None:
            continue
        for known in class_expressions(of, f.n):
            if known.kernel == expression.kernel:
                return completed(crate_kernel(of, known, OF, variant), f)
    return None


def text_of(expression: Expression, kernel: X86Kernel, variant: str) -> str:
    """A kernel as a Rust function."""
    name = f"{expression.kernel.operation}_{OF}_{variant}"
    condition = f"p is {expression.field.label}"
    return called_inline(kernel, expression, name, variant, condition, {})


def _make(target: Target, choice: Choice) -> Artifact:
    kernel, _ = kernel_of(choice)
    text = text_of(choice.expression, kernel, choice.variant.name)
    (found,) = kernels_in(text).values()
    code = assembled(found, choice.expression.field)
    return Artifact(found.symbol, target, choice, target.proved_as, ".rs", text, code)


_LINUX = TARGETS["x86_64-linux"]
TARGET = _LINUX.named(
    _LINUX.name,
    make=_make,
    variants=tuple(variant for variant in _LINUX.variants if variant.name in VARIANTS),
)
"""x86-64 on every system: the Rust text is for ELF, Mach-O and COFF, the proved object is ELF."""


IMPORTS = """use core::arch::asm;

use crate::machine::{assembly, called, lazy_assembly};
use crate::modulus::Modulus;

"""
NO_ROOM = """
// Values below 2p do not stay there, so `Lazy` refuses the type: this never runs.
impl crate::lazy_kernels::LazyProducts<{n}> for crate::lazy_kernels::LazyShape<{n}, {number}> {{
    fn mul<M: Modulus<{n}>>(x: &[u64; {n}], y: &[u64; {n}]) -> [u64; {n}] {{
        crate::portable_products::mul_lazy::<{n}, M>(x, y)
    }}

    fn square<M: Modulus<{n}>>(x: &[u64; {n}]) -> [u64; {n}] {{
        crate::portable_products::square_lazy::<{n}, M>(x)
    }}
}}
"""
"""Every type names a form of values below 2p."""


def module(f: Field, r: Representation, kernels: Sequence[Artifact]) -> str:
    """The module of a prime's kernels after its header: which run, and their texts."""
    is_plain, lazy = r is PLAIN, lazy_class_of(f)
    if f.n in ONE_LIMB:
        numbers = CLASSES.index(class_of(f)), LAZY_CLASSES.index(lazy or LAZY_FULL)
        if is_plain:
            numbers = class_number(0), class_number(0, is_lazy=True)
        without = NO_ROOM.format(n=f.n, number=LAZY_CLASSES.index(LAZY_FULL))
        return inlined_module(f, numbers, kernels, (parts(r), lazy_parts(f, r)), without)
    number = class_number(0) if is_plain else CLASSES.index(class_of(f))
    names = _symbols(kernels, {part: r.parts[part] for part in PARTS})
    texts = [IMPORTS, dispatch(f.n, number, names, False, f.spare_bits > 0)]
    if lazy is None:
        texts.append(NO_ROOM.format(n=f.n, number=LAZY_CLASSES.index(LAZY_FULL)))
    else:
        number = class_number(0, is_lazy=True) if is_plain else LAZY_CLASSES.index(lazy)
        room = _symbols(kernels, {part: r.lazy[part] for part in LAZY})
        texts.append(dispatch(f.n, number, room, True, True))
    texts += [kernel.text for kernel in kernels]
    if f.n in FITTING:
        other = "add_full" if f.spare_bits else "add_spare"
        pieces = [piece for piece in inline_sums(f.n) if piece.name != other]
        texts += ["\n// Sums.\n", *(sum_text(piece, f.n) for piece in pieces)]
    return "".join(texts)


def _symbols(kernels: Sequence[Artifact], parts: Mapping[str, str]) -> dict[str, list[str]]:
    """The kernels of the operation of each part, a variant each."""
    found: dict[str, list[str]] = {}
    for name in VARIANTS:
        for kernel in kernels:
            if kernel.variant == name:
                found.setdefault(kernel.expression.kernel.operation, []).append(kernel.symbol)
    return {part: found[operation] for part, operation in parts.items() if operation in found}
