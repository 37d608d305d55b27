"""The texts of a package that are no kernels: templates with the field's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from fieldc.algorithms.representations import MONTGOMERY, Representation
from fieldc.decisions.preferred import preferred
from fieldc.errors import counted
from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.packages.c.aarch64 import (
    CONDITION as ARM_CONDITION,
)
from fieldc.packages.c.aarch64 import (
    arm_assembly_file,
    arm_inline_assembly,
    of_one_system,
)
from fieldc.packages.c.arrays import PackagedArray, array_words, arrays_text
from fieldc.packages.c.assembly import assembly_file, inline_assembly
from fieldc.packages.c.constants import has_updates, inversion, limbs, roots, wide
from fieldc.packages.c.formula_tests import tested
from fieldc.packages.c.formulas import CFormula, formula_words
from fieldc.packages.c.transforms import transform_words
from fieldc.packages.paths import RUNS_ON
from fieldc.properties import has_transforms
from fieldc.targets.c.print import ROWS as C_ROWS
from fieldc.targets.c.print import c_function, c_prelude, prototype
from fieldc.targets.header import OWNERSHIP, field_symbol
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact
from fieldc.words.lower import lower

WORD = re.compile(r"@([a-z][a-z0-9_]*)@")
TAKEN = re.compile(r"@name@_(\w+)")
PRIVATE = re.compile(r"^static [^;(=]*@name@_(\w+)\(", re.MULTILINE)
CALLED = frozenset({"digits_invert_apart", "in_vectors", "invert_in_digits", "ntt_in_tiles", "run"})
"""Functions of templates that texts made elsewhere call."""
MOVED = "own_"
"""What a function of a template gets before its name where a formula has that name."""
VERSION = "0.1.0"
PARTS = (
    "inversion",
    "choice",
    "arrays",
    "inverses",
    "digits",
    "digit_sums",
    "digit_inverses",
    "bytes",
)
"""Templates of which the C file is made."""
CONDITION = (
    "!defined(FIELDC_PORTABLE_ONLY) && \\\n    "
    "((defined(__x86_64__) && !defined(__ILP32__)) || "
    "(defined(_M_X64) && !defined(_M_ARM64EC)))"
)
"""What the preprocessor asks before it takes assembly."""


def package_name(f: Field) -> str:
    """The package's name, which begins all of its symbols."""
    return f"fieldc_{field_symbol(f)}"


def values(f: Field, r: Representation, command: str) -> dict[str, str]:
    """What the templates' words stand for."""
    name = package_name(f)
    return {
        "name": name,
        "upper": name.upper(),
        "label": f.label,
        "prime": hex(f.p),
        "bits": str(f.bits),
        "bytes": str(-(-f.bits // 8)),
        "limbs": str(f.n),
        "size": f.size,
        "in_limbs": counted(f.n, "limb"),
        "r_bits": str(f.word * f.n),
        "p_words": limbs(f, f.p),
        "one_words": limbs(f, r.stored(f, 1)),
        "version": VERSION,
        "condition": CONDITION,
        "condition_aarch64": ARM_CONDITION,
        "command": command,
        "ownership": OWNERSHIP,
        **inversion(f, r),
        **roots(f, r),
        **wide(f, r),
        **transform_words(f, r),
        **(_montgomery(f, name) if r is MONTGOMERY else _plain(f, name)),
        **{part: r.parts[part] for part in ("mul", "square", "sum_of_products")},
        **_chains(f, r),
    }


def prefers_two_chains(f: Field, r: Representation) -> bool:
    """Whether products with two carry chains are the fastest on Zen 4. Zen 3 has its core."""
    fastest = preferred(f, r.parts["mul"], TARGETS["x86_64-linux"], RUNS_ON["adx"]).preferred
    return fastest.variant.name == "adx"


def _chains(f: Field, r: Representation) -> dict[str, str]:
    """What the templates say of Zen 3 and 4."""
    has_two = prefers_two_chains(f, r)
    return {
        "zen_two_chains": str(int(has_two)),
        "zen_fastest": "two carry chains are" if has_two else "one carry chain is",
        "zen_readme": "`adx` runs instead of `mulx`" if has_two else "`mulx` runs too",
    }


def _montgomery(f: Field, name: str) -> dict[str, str]:
    """What the templates say of Montgomery form, and how they enter and leave it."""
    members = ("to_montgomery", "from_montgomery")
    return {
        "stands": f"in Montgomery form: x stands as x*R mod p, R = 2^{f.word * f.n}",
        "not_stored": " and not in Montgomery form",
        "conversion_members": "".join(f", *{member}" for member in members),
        "conversion_kernels": "".join(f", {name}_{member}_##variant" for member in members),
        "enter": f"    {name}_run()->to_montgomery(z->limbs, words);\n",
        "leave": f"    {name}_run()->from_montgomery(z, x->limbs);\n",
        **_converted_arrays(f, name),
        **_mul_add(f, name),
    }


def _converted_arrays(f: Field, name: str) -> dict[str, str]:
    """How the templates convert arrays: vectors multiply by R^2 or 1, kernels convert the rest."""

    def converted(member: str, x: str, factor: int) -> str:
        return (
            f"    static const {name} factor = {{{{{limbs(f, factor)}}}}};\n"
            f"    const {name}_kernels *const k = {name}_run();\n"
            f"    const size_t vectors = {name}_in_vectors(k->arrays->mul.least, count);\n"
            "    size_t at;\n"
            f"    {name}_array_scale(z, {x}, &factor, vectors);\n"
            "    for (at = vectors; at < count; at++)\n"
            f"        k->{member}(z[at].limbs, {x}[at].limbs);\n"
        )

    return {
        "enter_array": converted("to_montgomery", "z", f.R2),
        "leave_array": converted("from_montgomery", "x", 1),
    }


def _mul_add(f: Field, name: str) -> dict[str, str]:
    """The kernel of three operands, x*y + a, in the templates."""
    words = ", ".join(f"const uint64_t {operand}[{f.n}]" for operand in "xya")
    return {
        "ternary": f"typedef void {name}_ternary(uint64_t z[{f.n}], {words});\n",
        "ternary_members": f"    {name}_ternary *mul_add;\n",
        "ternary_kernels": f", \\\n     {name}_mul_add_##variant",
        "ternary_externs": f" \\\n    extern {name}_ternary {name}_mul_add_##variant;",
        "mul_add": "    k->mul_add(z->limbs, x->limbs, y->limbs, a->limbs);\n",
    }


def _plain(f: Field, name: str) -> dict[str, str]:
    """The same of plain residues."""
    loop = f"    for (i = 0; i < {f.n}; i++)\n"
    return {
        "stands": "plain: x stands as x",
        "not_stored": "; here residues are plain, so this copies it",
        "conversion_members": "",
        "conversion_kernels": "",
        "enter": f"{loop}        z->limbs[i] = words[i];\n",
        "leave": f"    int i;\n{loop}        z[i] = x->limbs[i];\n",
        "enter_array": "",
        "leave_array": "    size_t i;\n    for (i = 0; i < count; i++)\n        z[i] = x[i];\n",
        **dict.fromkeys(("ternary", "ternary_members", "ternary_kernels", "ternary_externs"), ""),
        "mul_add": f"    {name} product;\n    k->mul(product.limbs, x->limbs, y->limbs);\n"
        "    k->add(z->limbs, product.limbs, a->limbs);\n",
    }


def _lazy_words(words: Mapping[str, str], r: Representation, has_lazy: bool) -> dict[str, str]:
    """What stands in the templates for values below 2p; nothing where there are none."""
    found = {"lazy_h": "lazy.h", "lazy_c": "lazy.c"}
    texts = {word: fill(file, words) if has_lazy else "" for word, file in found.items()}
    mul, square = r.lazy["mul"], r.lazy["square"]
    binary = {"add_lazy": "add_lazy", "sub_lazy": "sub_lazy", "mul_lazy": mul}
    unary = {"square_lazy": square, "reduce_lazy": "reduce_lazy"}
    for word, members in (("lazy_binary", binary), ("lazy_unary", unary)):
        kernels = (f", \\\n     {words['name']}_{name}_##variant" for name in members.values())
        texts[word] = "".join(f", *{member}" for member in members) if has_lazy else ""
        texts[f"{word}_kernels"] = "".join(kernels) if has_lazy else ""
    return texts


def taken_names(formulas: Sequence[Formula]) -> set[str]:
    """What the package itself calls things beside these, without its own name before it."""
    names = {name for text in _sources().values() for name in TAKEN.findall(text)}
    moved = _private() & {one.name for one in formulas}
    return names - moved | {MOVED + name for name in moved}


def _private() -> set[str]:
    """Functions that only a package's own C file calls, so that they can have any name."""
    of = _sources()
    shown = {name for file in of if file.endswith(".h") for name in TAKEN.findall(of[file])}
    return {name for text in of.values() for name in PRIVATE.findall(text)} - shown - CALLED


def _sources() -> dict[str, str]:
    """The templates of C files and headers, by their names."""
    folder = files("fieldc.packages.c").joinpath("templates")
    return {f.name: f.read_text("utf-8") for f in folder.iterdir() if f.name.endswith((".c", ".h"))}


def _formula_words(
    words: Mapping[str, str], f: Field, formulas: Sequence[Formula]
) -> dict[str, str]:
    """What stands in the templates for formulas; nothing where there are none."""
    made = [CFormula(one, f, words["name"]) for one in formulas]
    found = formula_words(made)
    found["formula_tests"] = "\n".join(map(tested, made))
    if not formulas:
        return found | dict.fromkeys(("formulas_h", "formulas_c", "formulas_md"), "")
    found["formula_file"] = Path(formulas[0].file).name
    of = {**words, **found}
    return found | {f"formulas_{kind}": fill(f"formulas.{kind}", of) for kind in ("h", "c", "md")}


def fill(template: str, words: Mapping[str, str]) -> str:
    """A template's text; words in capitals are CMake's.

    Names that formulas have, which are `moved`, become others.
    """
    text = files("fieldc.packages.c").joinpath("templates", template).read_text(encoding="utf-8")
    if words["moved"]:
        text = re.sub(rf"(?<=@name@_)(?=(?:{words['moved']})\b)", MOVED, text)
    return WORD.sub(lambda m: words[m[1]], text)


def texts(
    f: Field,
    r: Representation,
    kernels: Sequence[Artifact],
    command: str,
    formulas: Sequence[Formula] = (),
    arrays: Sequence[PackagedArray] = (),
) -> dict[str, str]:
    """Every file that is text, by its path in the package."""
    words = values(f, r, command)
    words |= array_words(f, words["name"], arrays)
    words["moved"] = "|".join(sorted(_private() & {one.name for one in formulas}))
    words["arrays_h"] = fill("arrays.h", words) + fill("digits.h", words)
    words["transform_h"] = (
        fill("transform.h", words) if has_transforms(f.p) else words["ntt_missing"]
    )
    words["tiles_c"] = fill("tiles.c", words) if words["tiles_run"] else ""
    for part in ("transform", "digit_transforms"):
        words[f"{part}_c"] = fill(f"{part}.c", words) if has_transforms(f.p) else ""
    for part in ("chains", "digit_chains"):
        words[f"{part}_c"] = fill(f"{part}.c", words) if words["chains_run"] else ""
    words["example"] = fill("example.c", words)
    words |= _formula_words(words, f, formulas)
    words["inverters_c"] = fill("inverters.c", words)
    words["updates_c"] = fill("updates.c", words) if has_updates(f) else ""
    words |= {f"{part}_c": fill(f"{part}.c", words) for part in PARTS}
    operations = {a.expression.kernel.operation for a in kernels}
    words |= _lazy_words(words, r, r.lazy["mul"] in operations)
    name, header = words["name"], fill("field.h", words)
    portable = [a for a in kernels if a.target.name == "c"]
    own = [a for a in kernels if a.target.is_own]
    arm = of_one_system(kernels)
    words["has_aarch64"] = str(int(bool(arm)))
    gnu = " && \\\n    defined(__GNUC__)"
    single = words | {"condition": CONDITION + gnu, "condition_aarch64": ARM_CONDITION + gnu}
    in_vectors = arrays_text(arrays)
    inline = inline_assembly(words["upper"], own, in_vectors)
    if arm:
        inline += "\n" + arm_inline_assembly(words["upper"], arm)
    tests = {"test/formulas.c": fill("formulas_test.c", words)} if formulas else {}
    return tests | {
        f"include/{name}.h": header,
        f"src/{name}.c": _c_file(words, portable, ""),
        f"src/{name}_x86_64.S": assembly_file(
            fill("head.S", words), CONDITION, own, in_vectors, words["condition_arrays"]
        ),
        f"src/{name}_aarch64.S": arm_assembly_file(fill("head_aarch64.S", words), arm),
        f"single/{name}.h": header,
        f"single/{name}.c": _c_file(single, portable, inline),
        "example/example.c": words["example"],
        "CMakeLists.txt": fill("CMakeLists.txt", words),
        f"{name}.pc.in": fill("field.pc.in", words),
        "README.md": fill("README.md", words),
    }


def _c_file(words: Mapping[str, str], kernels: Sequence[Artifact], assembly: str) -> str:
    programs = [(lower(a.expression, C_ROWS), a) for a in kernels]
    heads = "".join(f"static {prototype(program, a.symbol)};\n" for program, a in programs)
    bodies = (c_function(program, a.symbol, a.expression) for program, a in programs)
    parts = (fill("head.c", words), c_prelude(64), heads, *bodies, assembly)
    interface = (fill("kernels.c", words), fill("field.c", words))
    return "\n".join((*filter(None, parts), *interface))
