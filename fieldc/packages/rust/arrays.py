"""Kernels on arrays in Rust: which there are, and the modules of their texts.

A kernel is assembly with a symbol. Its name has a digest of its text, so that two copies of the
crate in a program share it (crates/fieldc/src/vector_kernels.rs).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from hashlib import sha256

from fieldc.algorithms.columns import ACCUMULATE, COLLECT
from fieldc.algorithms.lanes import MOST_BITS, in_lanes, spare
from fieldc.algorithms.representations import MONTGOMERY, Representation
from fieldc.algorithms.transforms import CHAINED, LOOKED_UP, ROLES
from fieldc.artifacts.arrays import (
    BuiltArray,
    made_array,
    made_digits,
    made_moves,
    made_multiples,
    made_sums,
    made_transforms,
    proved_arrays,
)
from fieldc.artifacts.digit_arrays import (
    ACCUMULATE_DIGITS,
    DIGIT_ROLES,
    FROM_DIGITS,
    MOVE_ROLES,
    MULTIPLE_ROLES,
    TO_DIGITS,
)
from fieldc.artifacts.transforms import with_every_step
from fieldc.decisions.arrays import least_for_a_block, scalars_of
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK
from fieldc.machine.assemble import assemble
from fieldc.progress import Progress
from fieldc.properties import has_transforms
from fieldc.targets.avx2.target import AVX2
from fieldc.targets.avx512f.target import AVX512F
from fieldc.targets.avx512ifma.target import AVX512IFMA
from fieldc.targets.header import field_symbol
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.offers import ARRAY
from fieldc.targets.vectors.target import VectorTarget

TRANSFORM = "butterfly"
"""What transforms call."""
OPERATIONS = ("add", "sub", "mul", "square", "mul_add", TRANSFORM)
"""The members of `ArrayKernels` in crates/fieldc/src/vector_kernels.rs."""
SUMS = ("add", "sub")
"""Those that are the same in every representation; the others are of Montgomery form."""
ENDING = "_digits"
"""Of the names of kernels of arrays in digits, but not of their members' in `DigitKernels`."""
SUM = (ACCUMULATE, COLLECT)
"""The two kernels of inner products."""
TOWERS = (AVX512IFMA,)
"""The targets that compute products in towers."""
SCALAR, VARIANT, PROCESSOR = "x86_64-linux", "mulx", "sapphire-rapids"
"""What a block is compared with, and where that was decided."""
TABLES: Mapping[VectorTarget, str] = {
    AVX2: "AVX2",
    AVX512F: "AVX512F",
    AVX512IFMA: "AVX512IFMA",
}
"""The targets in the order of an entry, and the names of their tables."""
FIRST_LABEL = 2
"""Labels 0 and 1 would be read as binary numbers."""
LABEL = re.compile(r"@(\d+)@")
SIZE = re.compile(r"\b([xyz]mmword|[dq]word|byte) ptr ")
ALIGNED, TRAP = ".p2align 6", 0xCC
CONDITION = (
    'feature = "vectors", target_arch = "x86_64", target_pointer_width = "64", '
    'not(target_os = "uefi"), '
    'not(feature = "portable"), not(miri)'
)
"""When a build has kernels on arrays: lib.rs of the crate asks the same."""


@dataclass(frozen=True)
class TextKernel(ArrayKernel):
    """A kernel on arrays whose object is that of its text in Rust."""

    @cached_property
    def object(self) -> bytes:
        """The object file."""
        return object_of(self.symbol, text_of(self))


def object_of(symbol: str, text: str) -> bytes:
    """The object file of a text."""
    return assemble(f".intel_syntax noprefix\n.globl {symbol}\n{symbol}:\n{text}\n")


@dataclass(frozen=True)
class RustArray(BuiltArray):
    """A kernel on arrays of a crate: one of several in its file."""

    least: int = 0
    """From how many elements on it takes a block, 0 if never."""
    file: str = ""
    proofs: str = ""
    """The folder of its object."""

    @property
    def operation(self) -> str:
        """Its operation's name, or that among the kernels of transforms."""
        return self.role or self.kernel.expression.kernel.operation

    @property
    def name(self) -> str:
        """Its name in Rust."""
        return f"{self.operation}_{self.kernel.target.name}"

    @property
    def source_file(self) -> str:
        """Path of the text inside the package."""
        return self.file

    @property
    def object_file(self) -> str:
        """Path of the object inside the package."""
        return f"{self.proofs}/{self.operation}_array_{self.kernel.target.name}.o"

    @property
    def certificate_file(self) -> str | None:
        """Path of the certificate inside the package, if there is one."""
        return f"{self.object_file.removesuffix('.o')}.cert.json" if self.certificate else None


def array_kernels(
    f: Field,
    file: str = "",
    proofs: str = "",
    staying: Collection[VectorTarget] = tuple(TABLES),
    r: Representation = MONTGOMERY,
    has_towers: bool = False,
) -> list[RustArray]:
    """The kernels on arrays of a prime that save time, not proved yet.

    With them come those of inner products if residues are of Montgomery form; and for the targets
    `staying` those of transforms and of arrays whose values stay in digits, and with `has_towers`
    those of products in a tower. `file` is the path of their text in a package, `proofs` the folder
    of their objects.
    """
    if f.bits > MOST_BITS:
        return []
    if r is not MONTGOMERY:
        staying = ()
    every = OPERATIONS if r is MONTGOMERY else SUMS
    offered = [op for op in every if op != TRANSFORM or has_transforms(f.p)]
    found = list[RustArray]()
    for target in filter(lambda target: target.takes(f), TABLES):
        made = [made_array(target, f, operation, ARRAY) for operation in offered]
        ranked = ((each, _least(f, each.kernel)) for each in made)
        found += [_named(each, least, file, proofs) for each, least in ranked if least]
        sums = made_sums(target, f) if r is MONTGOMERY and target.has_sums(f) else []
        stays = target in staying
        tiles = made_transforms(target, f).values() if stays and has_transforms(f.p) else ()
        digits = (*made_digits(target, f), *made_moves(target, f)) if stays else ()
        multiples = made_multiples(target, f) if has_towers and target in TOWERS else ()
        found += [_named(e, 0, file, proofs) for e in (*sums, *tiles, *digits, *multiples)]
    return found


def _least(f: Field, kernel: ArrayKernel) -> int:
    """From how many elements on a block saves time, 0 if never."""
    scalars = (_scalar(f, name) for name in scalars_of(kernel.expression.kernel.operation))
    return least_for_a_block(kernel, ((a.code or b"", a.symbol) for a in scalars))


def _named(made: BuiltArray, least: int, file: str, proofs: str) -> RustArray:
    """A kernel whose symbol has a digest of its text."""
    digest = sha256(text_of(made.kernel).encode()).hexdigest()[:16]
    symbol = f"{made.kernel.symbol}_{digest}"
    named = TextKernel(
        **{each.name: getattr(made.kernel, each.name) for each in fields(made.kernel)}
    )
    kernel = replace(named, symbol=symbol)
    return RustArray(kernel, made.promise, least=least, file=file, proofs=proofs)


@lru_cache(maxsize=64)
def _scalar(f: Field, operation: str) -> Artifact:
    """What a block is compared with: our kernel with one carry chain, by an ordinary algorithm."""
    target = TARGETS[SCALAR]
    algorithm = {"mul": "cios", "square": "cios" if f.spare_bits else "product"}.get(operation)
    decision = preferred(f, operation, target, PROCESSOR, algorithm)
    return target.make(target, decision.variant(VARIANT))


def proved(kernels: Sequence[RustArray], progress: Progress) -> list[RustArray]:
    """The kernels that are proved: a slice does without the others, one element at a time."""
    found, _ = proved_arrays(kernels, progress)
    return found


def text_of(kernel: ArrayKernel) -> str:
    """The code and its tables, with labels that a text may repeat.

    All assemblers give it the same bytes. They fill gaps in code in many ways, so the loop is not
    aligned, and the gap before a table has a filling.
    """
    names: dict[str, int] = {}

    def label(name: str) -> str:
        return f"@{names.setdefault(name, FIRST_LABEL + len(names))}@"

    lines = [_short(line) for line in kernel.lines("#", label)]
    return "\n".join(_numbered(lines))


def _short(line: str) -> str:
    """A line without its remark, and without what its registers say too."""
    return SIZE.sub("", line.partition("#")[0].strip())


def _numbered(lines: Sequence[str]) -> Iterator[str]:
    """Lines whose labels are numbers, with the direction of a label where it is used."""
    seen, is_table = set[str](), False
    for line in lines:
        is_table |= line == "ret"
        if line == ALIGNED:
            yield from [f"{ALIGNED}, {TRAP:#x}"] if is_table else []
        elif defined := LABEL.fullmatch(line.removesuffix(":")):
            seen.add(defined[1])
            yield f"{defined[1]}:"
        else:
            yield LABEL.sub(lambda m: m[1] + ("b" if m[1] in seen else "f"), line)


def entries_text(modules: Sequence[str]) -> str:
    """The module of all primes that have kernels on arrays, a module each."""
    declared = "".join(f"mod {name};\n" for name in modules)
    rows = "".join(
        f"    ({name}::P, {', '.join(f'&{name}::{table}' for table in TABLES.values())}),\n"
        for name in modules
    )
    return (
        f"use crate::vector_kernels::Entry;\n\n{declared}\n"
        "/// The primes that have kernels on arrays.\n"
        f"pub(crate) const ENTRIES: &[Entry] = &[\n{rows}];\n"
    )


def kernels_text(f: Field, kernels: Sequence[RustArray]) -> str:
    """The module of a prime's kernels on arrays: its limbs, the tables, the texts."""
    limbs = ", ".join(f"{limb:#018x}" for limb in f.limbs(f.p))
    parts = [
        f"use crate::vector_kernels::{{{', '.join(_used(kernels))}}};\n\n",
        f"/// {f.label}, least significant limb first.\n",
        f"pub(crate) const P: &[u64] = &[{limbs}];\n",
        *(_table(target, kernels) for target in TABLES),
        *(_kernel(each) for each in kernels),
    ]
    return "".join(parts)


def _table(target: VectorTarget, kernels: Sequence[RustArray]) -> str:
    """The static of a target: a member for each operation."""
    found = {each.operation: each for each in kernels if each.kernel.target is target}
    rows = "".join(f"    {op}: {_member(found.get(op))},\n" for op in OPERATIONS)
    rows += f"    sum: {_sum(*(found[op] for op in SUM if op in found))},\n"
    rows += f"    transform: {_transform([found[op] for op in ROLES if op in found])},\n"
    rows += f"    digits: {_digits([found[op] for op in DIGIT_ROLES if op in found])},\n"
    rows += f"    moves: {_moves([found[op] for op in MOVE_ROLES if op in found])},\n"
    rows += f"    multiples: {_sum(*(found[op] for op in MULTIPLE_ROLES if op in found))},\n"
    needs = ", ".join(target.features)
    return (
        f"\n/// For processors with {needs}.\n"
        f"pub(crate) static {TABLES[target]}: ArrayKernels = ArrayKernels {{\n{rows}}};\n"
    )


def _member(kernel: RustArray | None) -> str:
    if kernel is None:
        return "None"
    return f"Some(ArrayKernel {{ run: {kernel.name}, least: {kernel.least} }})"


def _sum(*both: RustArray) -> str:
    """The member of sums of products: both kernels, and what columns take."""
    columns = both[0].kernel.columns if both else None
    if columns is None:
        return "None"
    members = zip(SUM, both, strict=True)
    kernels = ", ".join(f"{member}: {each.name}" for member, each in members)
    most = BLOCK * columns.terms * columns.turns
    rest = f"columns: {columns.count}, most: {most}, multiple: {columns.multiple or 1}"
    return f"Some(SumKernels {{ {kernels}, {rest} }})"


def _transform(kernels: Sequence[RustArray]) -> str:
    """The member of transforms in digits: their kernels, and the words of an element."""
    if not kernels:
        return "None"
    found = with_every_step({each.operation: each for each in kernels})
    ways = {CHAINED: "Chained", LOOKED_UP: "LookedUp"}
    members = ", ".join(
        f"powers: PowerKernels::{ways[role]}({found[role].name})"
        if role in ways
        else f"{role}: {found[role].name}"
        for role in ROLES
        if role in found
    )
    digits = in_lanes(kernels[0].kernel.expression.field).n
    return f"Some(TransformKernels {{ {members}, digits: {digits} }})"


def _digits(kernels: Sequence[RustArray]) -> str:
    """The member of arrays in digits: their kernels, the words of an element, what sums lack."""
    if not kernels:
        return "None"
    members = ", ".join(f"{each.operation.removesuffix(ENDING)}: {each.name}" for each in kernels)
    digits = in_lanes(kernels[0].kernel.expression.field)
    f = Field(digits.p)
    factor = ", ".join(f"{limb:#x}" for limb in f.limbs(f.to_montgomery(pow(2, -spare(f), f.p))))
    return f"Some(DigitKernels {{ {members}, digits: {digits.n}, factor: &[{factor}] }})"


def _moves(kernels: Sequence[RustArray]) -> str:
    """The member of moves to digits and back."""
    members = ", ".join(f"{each.operation}: {each.name}" for each in kernels)
    return f"Some(MoveKernels {{ {members} }})" if kernels else "None"


def _used(kernels: Sequence[RustArray]) -> Sequence[str]:
    """The types and macros that a module of kernels uses."""
    sums = (*SUM, *MULTIPLE_ROLES)
    types = {
        "DigitKernels": DIGIT_ROLES,
        "MoveKernels": MOVE_ROLES,
        "PowerKernels": ROLES,
        "SumKernels": sums,
        "TransformKernels": ROLES,
    }
    more = (t for t, some in types.items() if any(each.operation in some for each in kernels))
    member = ["ArrayKernel"] if any(each.operation in OPERATIONS for each in kernels) else []
    return *member, "ArrayKernels", *more, *sorted({_macro(each) for each in kernels})


def _macro(kernel: RustArray) -> str:
    """The macro for a kernel's signature."""
    if kernel.operation in (TO_DIGITS, FROM_DIGITS):
        return f"{COLLECT}_kernel"
    if kernel.operation == ACCUMULATE_DIGITS:
        return f"{ACCUMULATE}_kernel"
    if kernel.operation in MULTIPLE_ROLES:
        return f"{kernel.operation.partition('_')[0]}_kernel"
    if kernel.promise.in_transform and kernel.kernel.results == 1:
        operands = kernel.kernel.expression.kernel.operands
        return f"{ACCUMULATE if len(operands) > 1 else COLLECT}_kernel"
    if kernel.promise.in_transform:
        return f"{TRANSFORM}_kernel"
    is_plain = kernel.kernel.results == 1 and kernel.operation not in SUM
    return f"{'array' if is_plain else kernel.operation}_kernel"


def _kernel(kernel: RustArray) -> str:
    """A kernel's declaration and text, with its contract before it."""
    words = f'{kernel.name},\n    "{kernel.kernel.symbol}",\n    r"\n{text_of(kernel.kernel)}\n"'
    return f"\n// {kernel.said()}\n{_macro(kernel)}! {{\n    {words}\n}}\n"


def module_name(f: Field) -> str:
    """The name of a prime's module."""
    return field_symbol(f)
