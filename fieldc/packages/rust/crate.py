"""Generates the checked-in files of the Rust crate, and checks that they are what it generates.

python -m fieldc.packages.rust.crate           writes them (make generate)
python -m fieldc.packages.rust.crate --check   exit 1, naming the files that are not the same
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldc.catalogue import NamedPrime, find_field, named_primes
from fieldc.errors import counted
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.checked_in import CheckedIn, header
from fieldc.packages.rust.aarch64_text import arm_kernels
from fieldc.packages.rust.arrays import (
    CONDITION,
    array_kernels,
    entries_text,
    kernels_text,
    module_name,
)
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import (
    CLASSES,
    COMPLEMENT,
    EXTENSION,
    FOLD,
    LAZY_CLASSES,
    LAZY_FOLD,
    LAZY_FULL,
    LAZY_SPARE,
    LIMBS,
    NEAR,
    SPARE,
    PrimeClass,
    class_expressions,
    class_of,
    kernels_of,
)
from fieldc.packages.rust.divsteps import arm_divsteps_text, divsteps_text
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.inlined import inlined_module
from fieldc.packages.rust.plain import (
    PLAIN_OPERATIONS,
    class_number,
    lazy_parts_of,
    modulus_lists,
    own_kernel,
    own_parts,
    own_primes,
    own_says,
    own_symbol,
    own_variants,
    plain_primes,
    shaped_primes,
)
from fieldc.packages.rust.portable import portable_products
from fieldc.packages.rust.schedules import crate_kernel
from fieldc.packages.rust.sums import FITTING, inline_sums, sum_text
from fieldc.packages.rust.text import constant
from fieldc.packages.rust.towers import (
    tower_dispatch,
    tower_expressions,
    tower_symbol,
    tower_variants,
)
from fieldc.packages.rust.updates import updates_text
from fieldc.program import maintained
from fieldc.targets.avx512ifma.target import AVX512IFMA

MODULE = "fieldc.packages.rust.crate"
FOLDER = "crates/fieldc/src/generated"

BOTH = (4, 6)
"""Numbers of limbs whose kernels come with two carry chains too."""
CHAINS = ("mulx", "adx")
"""One carry chain was measured to be faster on Sapphire Rapids, two on Zen 4. Two also run on Zen 3
and on Intel's cores of four slots, which were not measured."""

ON_ARRAYS = (
    "bls12-381-p",
    "bls12-381-r",
    "bn254-p",
    "bn254-r",
    "pallas",
    "vesta",
    "goldilocks",
)
"""The primes that have kernels on arrays. Each has a text of its own, of four limbs a third of a
megabyte."""
STAYING = (AVX512IFMA,)
"""The targets of transforms and arrays in digits. Their texts for AVX-512 F would be twice as long,
those for AVX2 four times; packages have all."""

ARCHITECTURES = (
    ("x86_64", 'target_arch = "x86_64"', ""),
    ("aarch64", 'target_arch = "aarch64", target_endian = "little"', "aarch64_"),
)
"""Modules of kernels: what the compiler asks before it takes one, and how names of files begin."""


def generate(numbers: Iterable[int] = LIMBS) -> dict[str, str]:
    """Every generated file: its path from the repository's root, and its text.

    Kernels of other numbers of limbs than those named are left out.
    """
    files = {f"{FOLDER}/mod.rs": modules_file(), f"{FOLDER}/fields.rs": fields_file()}
    title = "A batch of divsteps, the inner loop of an inversion, for {}."
    files[f"{FOLDER}/divsteps.rs"] = header(title.format("x86-64"), MODULE) + divsteps_text()
    said = "What a batch of divsteps does to f, g, d and e, for x86-64."
    files[f"{FOLDER}/updates.rs"] = header(said, MODULE) + updates_text()
    arm = header(title.format("AArch64"), MODULE) + arm_divsteps_text()
    files[f"{FOLDER}/aarch64_divsteps.rs"] = arm
    title = "Portable products for some numbers of limbs, by class of primes."
    files[f"{FOLDER}/portable.rs"] = header(title, MODULE) + portable_products(plain_primes())
    for limbs in numbers:
        own, other = kernel_paths(limbs)
        files |= {own: kernels_file(limbs), other: arm_kernels_file(limbs)}
    return files | arrays_files()


def kernel_paths(limbs: int) -> tuple[str, str]:
    """The files of a number of limbs: for x86-64, and for AArch64."""
    return f"{FOLDER}/n{limbs:02}.rs", f"{FOLDER}/aarch64_n{limbs:02}.rs"


def arrays_files() -> dict[str, str]:
    """The kernels on arrays, a file for each prime that has any, and the list of these."""
    fields = [find_field(name) for name in ON_ARRAYS]
    names = [module_name(f) for f in fields]
    title = "The primes that have kernels on arrays."
    files = {f"{FOLDER}/arrays/mod.rs": header(title, MODULE) + entries_text(names)}
    for name, f in zip(names, fields, strict=True):
        head = header(f"{f.label}: kernels on arrays, for processors with AVX-512 or AVX2.", MODULE)
        kernels = array_kernels(f, staying=STAYING, has_towers=True)
        files[f"{FOLDER}/arrays/{name}.rs"] = head + kernels_text(f, kernels)
    return files


def modules_file() -> str:
    """The modules, and the limits of the classes."""
    title = "Kernels for every number of limbs, the classes of primes, and the named fields."
    return f"{header(title, MODULE)}{modules(LIMBS, plain_primes(), shaped_primes())}"


def modules(
    numbers: Iterable[int],
    plain: Sequence[Field] = (),
    shaped: Sequence[Field] = (),
    own: Field | None = None,
) -> str:
    """The modules of some numbers of limbs, limits of the classes, primes with their own kernels.

    `own` is the one modulus that the kernels are for, if they are for one alone.
    """
    least, _ = COMPLEMENT.n0
    limits = (
        ("FOLD_TOP", "The top limb of a prime of class FOLD is below this.", FOLD.top),
        ("FOLD_N0", "Its n0 is at most this.", FOLD.n0[1]),
        ("COMPLEMENT_N0", "The n0 of a prime of class COMPLEMENT is at least this.", least),
        ("SPARE_TOP", "The top limb of one of class COMPLEMENT or SPARE is below this.", SPARE.top),
        (
            "LAZY_FOLD_TOP",
            "The top limb of a prime of class LAZY_FOLD is below this.",
            LAZY_FOLD.top,
        ),
        ("LAZY_FOLD_N0", "Its n0 is at most this.", LAZY_FOLD.n0[1]),
        (
            "LAZY_SPARE_TOP",
            "The top limb of a prime of class LAZY_SPARE is below this.",
            LAZY_SPARE.top,
        ),
        (
            "EXTENSION_MU",
            "The limb of mu below its top one is at most this for a prime of class EXTENSION.",
            EXTENSION.next_of_mu,
        ),
        ("LAZY_FULL_TOP", "The top limb of a prime with 4p < R is below this.", LAZY_FULL.top),
    )
    constants = "".join(
        f"/// {says}\npub(crate) const {name}: u64 = {value:#018x};\n"
        for name, says, value in limits
    )
    for of in (COMPLEMENT, NEAR):
        name = of.name.upper()
        most = f"pub(crate) const {name}_LIMBS: usize = {of.limbs[-1]};\n"
        constants += f"/// The most limbs of class {name}.\n{most}"
    declared = "".join(
        f'#[cfg(all({condition}, not(feature = "portable"), not(miri)))]\n'
        f'#[path = "."]\nmod {architecture} {{\n'
        + "".join(f"    mod {prefix}n{limbs:02};\n" for limbs in numbers)
        + "}\n"
        for architecture, condition, prefix in ARCHITECTURES
    )
    declared += divsteps_modules()
    listed = modulus_lists(plain, shaped)
    arrays = f"#[cfg(all({CONDITION}))]\npub(crate) mod arrays;\n"
    always = "pub(crate) mod fields;\npub(crate) mod portable;\n"
    return f"{arrays}{always}{declared}\n{constants}{listed}{only(own)}"


def divsteps_modules() -> str:
    """The modules of inversion."""
    declared = "".join(
        f'#[cfg(all({condition}, not(feature = "portable"), not(miri)))]\n'
        + (f'#[path = "{prefix}divsteps.rs"]\n' if prefix else "")
        + "pub(crate) mod divsteps;\n"
        for _, condition, prefix in ARCHITECTURES
    )
    _, condition, _ = ARCHITECTURES[0]
    only_there = f'#[cfg(all({condition}, not(feature = "portable"), not(miri)))]\n'
    return f"{declared}{only_there}pub(crate) mod updates;\n"


def fields_file() -> str:
    """The modules of all named fields."""
    parts = [header("The named fields, a module for each family.", MODULE)]
    plain = {f.name for f in plain_primes()}
    for module, primes in families().items():
        fields = "".join(
            field_type(name, p.p, p.about, p.generator, p.name in plain)
            for name, p in primes.items()
        )
        body = "".join(f"    {line}\n" if line else "\n" for line in fields.splitlines())
        parts.append(f"/// {', '.join(p.name for p in primes.values())}.\n")
        parts.append(f"pub mod {module} {{\n    use crate::__field;\n\n{body}}}\n\n")
    return "".join(parts)[:-1]


def only(f: Field | None) -> str:
    """The limbs of the one modulus that the kernels are for, if they are for one alone."""
    own = "None" if f is None else f"Some(&[{', '.join(map(hex, f.limbs(f.p)))}])"
    return (
        "/// The one modulus that the kernels are for, if there is one.\n"
        f"pub(crate) const ONLY: Option<&[u64]> = {own};\n"
    )


def field_type(name: str, p: int, about: str, generator: int | None, is_plain: bool = False) -> str:
    """A prime as a type."""
    given = "" if generator is None else f", generator = {generator}"
    plain = "    ///\n    /// Elements are plain: x stands as x.\n" if is_plain else ""
    says = f"{about[0].upper()}{about[1:]}; {p.bit_length()} bits."
    return (
        f'__field! {{\n    "```"\n    /// {says}\n{plain}'
        f'    pub struct {name}(modulus = "{p:#x}"{given});\n}}\n'
    )


TYPES = {"p": "Fp", "r": "Fr", "n": "Fr"}
"""A type's name, from how the name of its prime ends."""


def families() -> dict[str, dict[str, NamedPrime]]:
    """The primes of each module, by the name of their type."""
    found: dict[str, dict[str, NamedPrime]] = {}
    for name, prime in named_primes().items():
        stem, _, end = name.rpartition("-")
        family = stem if end in TYPES and stem else name
        module = family.replace("-", "_")
        found.setdefault(module, {})[TYPES.get(end, "Fp") if stem else "Fp"] = prime
    return found


def kernels_file(limbs: int) -> str:
    """The kernels of one number of limbs, every class and variant."""
    if limbs in INLINED:
        return "".join((header(_kernels_title(limbs, "x86-64"), MODULE), inlined_module(limbs)))
    classes = [c for c in (*CLASSES, *LAZY_CLASSES) if limbs in c.limbs]
    parts = [
        header(_kernels_title(limbs, "x86-64"), MODULE),
        "use core::arch::asm;\n\n",
        "use crate::machine::{assembly, called, lazy_assembly};\n",
        "use crate::modulus::Modulus;\n",
        "use crate::tower::tower;\n" * (limbs in EXTENSION.limbs),
        *(part for c in classes for part in class_texts(c, limbs)),
        *(
            part
            for place, f in enumerate(own_primes())
            if f.n == limbs
            for part in own_texts(f, place)
        ),
    ]
    if limbs in EXTENSION.limbs:
        parts += tower_texts(limbs)
    if limbs in FITTING:
        parts += ["\n// Sums.\n", *(sum_text(piece, limbs) for piece in inline_sums(limbs))]
    return "".join(parts)


def arm_kernels_file(limbs: int) -> str:
    """The AArch64 kernels of one number of limbs, and which class takes which."""
    return header(_kernels_title(limbs, "AArch64"), MODULE) + arm_kernels(limbs, own_primes())


def _kernels_title(limbs: int, processor: str) -> str:
    size = counted(limbs, "limb")
    return f"{size}: kernels for {processor}, a text for each operation and class of primes."


def variants(limbs: int) -> tuple[str, ...]:
    """The variants of a number of limbs; the first needs BMI2 only."""
    return CHAINS if limbs in BOTH else CHAINS[:1]


def class_texts(prime_class: PrimeClass, limbs: int) -> Iterator[str]:
    """The dispatch of one class, and its kernels."""
    is_lazy = prime_class in LAZY_CLASSES
    number = (LAZY_CLASSES if is_lazy else CLASSES).index(prime_class)
    made = [(prime_class, e) for e in class_expressions(prime_class, limbs)]
    takes = kernels_of(prime_class, limbs)
    if prime_class is FOLD and limbs in EXTENSION.limbs:  # the class that contains it
        made += [(EXTENSION, e) for e in class_expressions(EXTENSION, limbs)]
        takes |= {operation: EXTENSION for operation, _ in EXTENSION.algorithms}
    symbols = {
        operation: [symbol(operation, of, variant) for variant in variants(limbs)]
        for operation, of in takes.items()
    }
    yield f"\n// {prime_class.name}: {prime_class.says}.\n"
    yield dispatch(limbs, number, symbols, is_lazy, prime_class.has_spare_bit)
    for of, expression in made:
        for variant in variants(limbs):
            yield kernel_text(expression, of, variant)


def tower_texts(limbs: int) -> Iterator[str]:
    """The dispatch of the kernels of double width, and these kernels."""
    yield tower_dispatch(limbs, variants(limbs))
    for expression in tower_expressions(limbs):
        for variant in tower_variants(expression.kernel, variants(limbs)):
            name = tower_symbol(expression.kernel, variant)
            yield kernel_text(expression, EXTENSION, variant, name)


def own_texts(f: Field, place: int) -> Iterator[str]:
    """The dispatch of a prime with kernels of its own, by its place, and these."""
    yield f"\n// {f.label}: {own_says(f)}.\n"
    for is_lazy, parts in ((False, own_parts(f)), (True, lazy_parts_of(f))):
        names = {
            part: [own_symbol(f, operation, v) for v in own_variants(f, variants(f.n))]
            for part, operation in parts.items()
        }
        if names and not is_lazy:
            names = {part: names.get(part) or _of_class(f, part) for part in PLAIN_OPERATIONS}
        if names:
            number = class_number(place, is_lazy)
            yield dispatch(f.n, number, names, is_lazy, f.spare_bits > 0)
        for operation in parts.values():
            for variant in dict.fromkeys(own_variants(f, variants(f.n))):
                yield own_kernel(f, operation, variant)


def _of_class(f: Field, operation: str) -> list[str]:
    """The kernels that a prime has from its class."""
    prime_class = kernels_of(class_of(f), f.n)[operation]
    return [symbol(operation, prime_class, variant) for variant in variants(f.n)]


def dispatch(
    limbs: int,
    number: int,
    symbols: Mapping[str, Sequence[str]],
    is_lazy: bool,
    has_spare_bit: bool,
) -> str:
    """Which kernels run for a class, by its number: those of each operation, a variant each."""
    rows = "".join(
        f"    {operation.removesuffix('_lazy')}: {', '.join(names)};\n"
        for operation, names in symbols.items()
    )
    if limbs in FITTING:
        bounds = "spare" if has_spare_bit else "full"
        rows += f"    add: add_{bounds};\n    sub: sub;\n"
        rows += "    reduce: reduce;\n" if is_lazy else ""
    return f"{'lazy_' * is_lazy}assembly! {{ {limbs}, {number}:\n{rows}}}\n"


def symbol(operation: str, prime_class: PrimeClass, variant: str) -> str:
    """The name of a kernel's function."""
    return f"{operation}_{prime_class.suffix}_{variant}"


def kernel_text(
    expression: Expression, prime_class: PrimeClass, variant: str, name: str = ""
) -> str:
    """A kernel of a class as a function of a modulus and its operands."""
    kernel = crate_kernel(prime_class, expression, "kernel", variant)
    name = name or symbol(expression.kernel.operation, prime_class, variant)
    constants = dict(constant(name) for name, _ in kernel.constants)
    return called_inline(kernel, expression, name, variant, "p is of the class", constants)


FILES = CheckedIn(MODULE, FOLDER, generate)


if __name__ == "__main__":
    sys.exit(maintained(FILES.main))
