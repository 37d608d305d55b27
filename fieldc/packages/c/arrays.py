"""Kernels on arrays in a C package: which there are, their text, and the table that names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldc.algorithms.columns import ACCUMULATE, COLLECT
from fieldc.algorithms.lanes import MOST_BITS
from fieldc.algorithms.representations import MONTGOMERY, Representation
from fieldc.algorithms.sums import has_sums, sums_of
from fieldc.algorithms.transforms import ROLES
from fieldc.artifacts.arrays import (
    BuiltArray,
    made_array,
    made_digits,
    made_moves,
    made_sums,
    made_transforms,
    proved_arrays,
)
from fieldc.artifacts.digit_arrays import MOVE_ROLES, TO_DIGITS
from fieldc.artifacts.entries import entry_of
from fieldc.artifacts.transforms import with_every_step
from fieldc.decisions.arrays import least_for_a_block, scalars_of
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK
from fieldc.packages.c.assembly import LINUX, PREPROCESSED, WINDOWS, ArrayText
from fieldc.packages.c.digits import (
    DIGIT_KINDS,
    MOVE_KINDS,
    digit_words,
    has_digits,
    pointer_to_digits,
    table_of_digits,
)
from fieldc.packages.c.entries import START, called, entries_text
from fieldc.packages.c.transforms import KINDS_OF_TILES, table_of_tiles, tile_words
from fieldc.progress import Progress
from fieldc.properties import has_transforms
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.avx2.target import AVX2
from fieldc.targets.avx512ifma.target import AVX512IFMA
from fieldc.targets.header import field_symbol
from fieldc.targets.target import Artifact
from fieldc.targets.vectors.offers import ARRAY
from fieldc.targets.vectors.target import VectorTarget

SUMS = ("add", "sub", "neg", "double")
"""Operations that are the same in every representation."""
PRODUCTS = ("mul", "square", "mul_add")
"""Operations of Montgomery form."""
COMPARED = {"mul": "x, x", "square": "x", "mul_add": "x, x, z"}
"""Products that may be compared with scalar ones, and their operands in C, where z is 0."""
TRANSFORM = "butterfly"
"""What transforms call, in Montgomery form too."""
MEMBERS = {
    "binary": ("add", "sub", "mul"),
    "unary": ("neg", "double", "square"),
    "ternary": ("mul_add",),
    "butterfly": (TRANSFORM,),
}
"""The members of the table of kernels, by their number of operands."""
ARGUMENTS = {"unary": 3, "binary": 4, "ternary": 5, "pair": 5, "butterfly": 6}
"""The count, the results and the operands."""
SUM = (ACCUMULATE, COLLECT)
"""The two kernels of inner products."""
ALONE = (
    *zip(("binary", "unary"), SUM, strict=True),
    *zip(KINDS_OF_TILES, ROLES, strict=True),
)
"""The kernels that are no members, with their kinds."""
SCALAR = "mulx"
"""The variant that every processor with AVX-512 runs."""
TWO_CHAINS = "adx"
BESIDE_TWO_CHAINS = (AVX512IFMA, AVX2)
"""The targets beside which that variant stands too: for Zen 4 and Zen 3."""
CONDITION = "!defined(FIELDC_NO_VECTORS)"
"""What the preprocessor asks before it takes kernels on arrays."""
STATE = {64: 0xE6, 32: 0x6}
"""The registers that a system must keep, as xgetbv names them, by the bytes of a vector."""
BITS = {
    "adx": ("b", 19),
    "avx512f": ("b", 16),
    "avx512dq": ("b", 17),
    "avx512ifma": ("b", 21),
    "avx512vbmi2": ("c", 6),
    "avx2": ("b", 5),
    "fma": ("first", 12),
}
"""Where cpuid's leaf 7 or its first one has a feature, by LLVM's name: the register and the bit."""


PROOFS = "proofs"
"""The folder of a package that has its certificates."""


@dataclass(frozen=True)
class PackagedArray(BuiltArray):
    """A kernel on arrays in a package: one of several in its file and object."""

    least: int = 0
    """From how many elements on it takes a block, 0 if never."""

    @property
    def operation(self) -> str:
        """Its operation's name, or that among the kernels of transforms."""
        return self.role or self.kernel.expression.kernel.operation

    @property
    def source_file(self) -> str:
        """Path of the text inside the package."""
        return f"src/fieldc_{field_symbol(self.kernel.expression.field)}_x86_64.S"

    @property
    def object_file(self) -> str:
        """Path of the object inside the package."""
        return LINUX.object_file

    @property
    def certificate_file(self) -> str | None:
        """Path of the certificate inside the package, if there is one."""
        path = super().certificate_file
        return f"{PROOFS}/{path}" if path else None

    @property
    def arguments(self) -> int:
        """How many its C function has."""
        kinds = {operation: kind for kind, some in MEMBERS.items() for operation in some}
        kinds |= {operation: kind for kind, operation in (*ALONE, *DIGIT_KINDS, *MOVE_KINDS)}
        return ARGUMENTS[kinds[self.operation]]

    def row(self, code: bytes = b"") -> dict[str, object]:
        """The entry in manifest.json, with that by which Windows calls the kernel."""
        symbol = entry_of(self.kernel.symbol)
        called = {"symbol": symbol, "object": WINDOWS.object_file, "arguments": self.arguments}
        return super().row(code) | {"entry": called}

    def macro_text(self) -> str:
        """The kernel in the macros of the assembly file."""
        symbol, comment = self.kernel.symbol, PREPROCESSED.comment
        lines = [
            *(f"{comment} {line}" for line in self.head()),
            f"FIELDC_KERNEL({symbol})",
            f"FIELDC_LOCAL({symbol}_{START}):",
            *self.kernel.lines(comment, lambda label: f"FIELDC_LOCAL({symbol}_{label})"),
            f"FIELDC_END({symbol})",
        ]
        return "\n".join(lines) + "\n"


def offered(f: Field, r: Representation) -> Sequence[str]:
    """The operations that have kernels on arrays."""
    if f.bits > MOST_BITS:
        return ()
    if r is not MONTGOMERY:
        return SUMS
    return (*SUMS, *PRODUCTS, TRANSFORM) if has_transforms(f.p) else (*SUMS, *PRODUCTS)


def packaged_targets(f: Field) -> Sequence[VectorTarget]:
    """The targets whose kernels a package has, in the order in which they are chosen."""
    return [target for target in ARRAY_TARGETS.values() if target.takes(f)]


def array_kernels(
    f: Field, r: Representation, proved: Sequence[Artifact], progress: Progress
) -> list[PackagedArray]:
    """The kernels on arrays of a package, each proved.

    One that is not is left out: its function calls the scalar kernel in a loop. `proved` are the
    scalar kernels, against which they are judged.
    """
    targets = packaged_targets(f)
    made = [
        _packaged(f, operation, target, proved) for target in targets for operation in offered(f, r)
    ]
    if r is MONTGOMERY and has_sums(f) and f.bits <= MOST_BITS:
        pairs = (made_sums(target, f) for target in targets if target.has_sums(f))
        made += [PackagedArray(**vars(each)) for pair in pairs for each in pair]
    if r is MONTGOMERY and has_digits(f):
        staying = [target for target in targets if target.has_sums(f)]
        digits = (each(target, f) for target in staying for each in (made_digits, made_moves))
        made += [PackagedArray(**vars(each)) for some in digits for each in some]
    if TRANSFORM in offered(f, r):
        tiles = (made_transforms(target, f).values() for target in targets)
        made += [PackagedArray(**vars(each)) for some in tiles for each in some]
    kernels, _ = proved_arrays(made, progress)
    return kernels


def _packaged(
    f: Field, operation: str, target: VectorTarget, proved: Sequence[Artifact]
) -> PackagedArray:
    made = made_array(target, f, operation, ARRAY)
    scalars = {
        a.expression.kernel.operation: (a.code or b"", a.symbol)
        for a in proved
        if (a.target.name, a.variant) == (LINUX.target, SCALAR)
    }
    least = least_for_a_block(made.kernel, (scalars[name] for name in scalars_of(operation)))
    return PackagedArray(**vars(made), least=least)


def arrays_text(kernels: Sequence[PackagedArray]) -> ArrayText:
    """The kernels in macros, and their entries."""
    text = "\n".join(each.macro_text() for each in kernels)
    return ArrayText(text, entries_text(entries_of(kernels)))


def entries_of(kernels: Sequence[PackagedArray]) -> dict[str, int]:
    """The symbols of kernels and the numbers of their arguments, which their entries move."""
    return {each.kernel.symbol: each.arguments for each in kernels}


def array_words(f: Field, name: str, kernels: Sequence[PackagedArray]) -> dict[str, str]:
    """What the templates say of kernels on arrays: tables, declarations and the processor."""
    by_target: dict[VectorTarget, Mapping[str, PackagedArray]] = {
        target: {k.operation: k for k in kernels if k.kernel.target is target}
        for target in packaged_targets(f)
    }
    by_target = {t: used for t, found in by_target.items() if (used := _used(found))}
    kinds = [(kind, operation) for kind, some in MEMBERS.items() for operation in some]
    externs = (
        f"extern {name}_{kind}_vectors {called(found[operation].kernel)};\n"
        for found in by_target.values()
        for kind, operation in (*kinds, *ALONE, *DIGIT_KINDS, *MOVE_KINDS)
        if operation in found
    )
    tables = [(target, SCALAR) for target in by_target]
    tables += [(target, TWO_CHAINS) for target in by_target if target in BESIDE_TWO_CHAINS]
    checked = {t: by for t, found in by_target.items() if (by := _compared(found))}
    cases = (
        f"    case {_path(target, variant)}:\n        return mulx && {_needs(target, variant)}"
        f"{f' && {name}_agrees(&{name}_{target.name})' * (target in checked)};\n"
        for target, variant in tables
    )
    has_tiles = any(each.promise.in_transform for each in kernels)
    return (
        tile_words(f, name, has_tiles)
        | digit_words(
            f,
            name,
            any(k.operation == TO_DIGITS for k in kernels),
            any(k.operation in MOVE_ROLES for k in kernels),
        )
        | {
            "has_arrays": str(int(bool(kernels))),
            "condition_arrays": CONDITION,
            "columns": str(sums_of(f).columns.count if has_sums(f) and f.bits <= MOST_BITS else 1),
            "copied": str(max(32, (1 << 11) // f.n // 32 * 32)),
            "array_externs": "".join(externs),
            "array_tables": "".join(
                _arrays(name, target, found, has_tiles) for target, found in by_target.items()
            )
            + "".join(_table(name, *each) for each in tables)
            + "".join(_check_text(f, name, by) for by in checked.values()),
            "array_places": " ".join(f"&{name}_in_{_both(*each)}," for each in tables),
            "array_cases": "".join(cases),
        }
    )


def _compared(found: Mapping[str, PackagedArray]) -> str:
    """The operation whose products are compared before a path is taken, where MXCSR rounds any."""
    return next((op for op in COMPARED if op in found and found[op].kernel.rounds), "")


def _used(found: Mapping[str, PackagedArray]) -> Mapping[str, PackagedArray]:
    """The kernels that a target's table has: sums alone if MXCSR rounds and nothing is compared."""
    if _compared(found) or not any(each.kernel.rounds for each in found.values()):
        return found
    return {op: each for op, each in found.items() if op in SUMS}


def _check_text(f: Field, name: str, by: str) -> str:
    """A function that compares a block of squares with those of a scalar kernel."""
    words, last = BLOCK * f.n, f.n - 1
    return f"""
/* Whether products in vectors are right here. Their kernels let MXCSR say how doubles are rounded,
 * and valgrind does not follow it. */
#ifdef FIELDC_PATH
#define {name}_agrees(arrays) 1
#else
static int {name}_agrees(const {name}_arrays *arrays)
{{
    uint64_t x[{words}], z[{words}], one[{f.n}], wrong = 0;
    size_t i, j;
    for (i = 0; i < {words}; i++) {{
        x[i] = i % {f.n} == {last} ? 0 : (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
        z[i] = 0;
    }}
    arrays->{by}.run({BLOCK}, z, {COMPARED[by]});
    for (i = 0; i < {words}; i += {f.n}) {{
        {name}_mul_{SCALAR}(one, &x[i], &x[i]);
        for (j = 0; j < {f.n}; j++)
            wrong |= one[j] ^ z[i + j];
    }}
    return wrong == 0;
}}
#endif
"""


def _both(target: VectorTarget, variant: str) -> str:
    """The name of a target's vectors beside single values of a variant."""
    return target.name if variant == SCALAR else f"{variant}_{target.name}"


def _path(target: VectorTarget, variant: str) -> str:
    """What the header calls it."""
    return f"FIELDC_{_both(target, variant).upper()}"


def _table(name: str, target: VectorTarget, variant: str) -> str:
    """The table of all kernels of a path with vectors."""
    words = (f"{name}_in_{_both(target, variant)}", _path(target, variant))
    return f"{name.upper()}_TABLE({', '.join((*words, f'{name}_{target.name}', variant))});\n"


def _arrays(
    name: str, target: VectorTarget, found: Mapping[str, PackagedArray], has_tiles: bool
) -> str:
    """The kernels on arrays of a target: one for each member, and the fewest elements."""
    rows = (found.get(operation) for kind in MEMBERS.values() for operation in kind)
    members = [f"{{{called(k.kernel)}, {k.least}}}" if k else "{NULL, 0}" for k in rows]
    tiles = {role: called(found[role].kernel) for role in ROLES if role in found}
    more = [table_of_tiles(with_every_step(tiles))] if has_tiles else []
    digits = table_of_digits(name, target, {op: k.kernel for op, k in found.items()})
    pointer = pointer_to_digits(name, target) if digits else "NULL"
    inside = ",\n    ".join((*members, _sum(found), pointer, *more))
    return f"{digits}static const {name}_arrays {name}_{target.name} = {{\n    {inside}}};\n"


def _sum(found: Mapping[str, PackagedArray]) -> str:
    """The member of inner products: two kernels, and the most terms that columns take."""
    both = [found[name].kernel for name in SUM if name in found]
    columns = both[0].columns if both else None
    if columns is None:
        return "{NULL, NULL, 0}"
    symbols = ", ".join(map(called, both))
    return f"{{{symbols}, {BLOCK * columns.terms * columns.turns}}}"


def _needs(target: VectorTarget, variant: str) -> str:
    """Whether processor and system have all that a path needs, as an expression of C."""
    masks = dict.fromkeys(("b", "c", "first"), 0)
    for feature in (*target.features, *(["adx"] if variant == TWO_CHAINS else [])):
        register, bit = BITS[feature]
        masks[register] |= 1 << bit
    masks["state"] = STATE[target.selection.registers.bytes]
    asked = (f"(found.{r} & {mask:#x}u) == {mask:#x}u" for r, mask in masks.items() if mask)
    return " && ".join(asked)
