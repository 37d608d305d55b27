"""Makes a Rust package of one prime: the crate's library around kernels with its constants inside.

It needs no other crate, so `cargo test` passes in its folder without a network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.algorithms.lazy import has_two_spare_bits
from fieldc.algorithms.representations import PLAIN, Representation
from fieldc.artifacts.divsteps import BuiltDivsteps, proved_as_made
from fieldc.artifacts.write import build, check_writable, manifest, manifest_file, write
from fieldc.catalogue import named_primes
from fieldc.decisions.decision import Decision
from fieldc.decisions.formulas import decide_formula
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import check_names
from fieldc.packages.paths import by_path
from fieldc.packages.rust.aarch64_text import arm_kernels
from fieldc.packages.rust.arrays import (
    RustArray,
    array_kernels,
    entries_text,
    kernels_text,
    module_name,
    proved,
)
from fieldc.packages.rust.cargo import features_text
from fieldc.packages.rust.classes import LIMBS
from fieldc.packages.rust.crate import TYPES, field_type, modules
from fieldc.packages.rust.divsteps import arm_divsteps_text, divsteps_text
from fieldc.packages.rust.formulas import ENDINGS, TAKEN, RustFormula, formula_tests
from fieldc.packages.rust.formulas import FILE as FORMULAS
from fieldc.packages.rust.formulas import TARGET as FORMULA_TARGET
from fieldc.packages.rust.formulas import module as formulas_module
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.kernels import UPDATES, divsteps_job
from fieldc.packages.rust.library import licence, root_module, sources
from fieldc.packages.rust.own_kernels import choices, kernel_of, module, operations
from fieldc.packages.rust.own_updates import own_updates_text, update_decisions
from fieldc.packages.rust.portable import portable_products
from fieldc.packages.rust.updates import OPERATIONS as UPDATE_OPERATIONS
from fieldc.packages.rust.updates import is_updated
from fieldc.packages.rust.vectors import vectors
from fieldc.progress import Progress, shown_choices
from fieldc.properties import properties
from fieldc.targets.header import OWNERSHIP, field_symbol
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact

VERSION = "0.1.0"
KIND = "Rust package"
RUST = "1.85"
"""The oldest Rust that compiles a package, the first with edition 2024."""
WITHOUT_GENERATOR = """
No generator of all elements but 0 is known here: `ff` gives `Field` without
`PrimeField`, and `ark-ff` gives nothing."""
PARAMETER = re.compile(r"@([a-z][a-z0-9_]*)@")
GENERATED = "src/generated"
PROOFS = "proofs"
UPDATES_FILE = f"{GENERATED}/{UPDATES}"


class TooManyLimbs(UserError):
    """The library has no numbers as long as this modulus."""


@dataclass(frozen=True)
class Packaged(Artifact):
    """A kernel of a package: one of several in its file."""

    file: str = ""

    @property
    def source_file(self) -> str:
        """Path of the text inside the package."""
        return self.file

    @property
    def object_file(self) -> str | None:
        """Path of the object that the text assembles to."""
        return f"{PROOFS}/{self.stem}.o"

    @property
    def certificate_file(self) -> str | None:
        """Path of the certificate inside the package, beside the object."""
        return f"{PROOFS}/{self.stem}.cert.json" if self.certificate else None


def build_package(
    field: Field,
    folder: Path,
    progress: Progress,
    r: Representation,
    command: str,
    processor: str | None,
    traits: Sequence[str],
    formulas: Sequence[Formula] = (),
) -> tuple[list[Packaged], dict[str, object]]:
    """Build, check and write residues in a representation; the kernels, and the manifest.

    `command` makes the package again. `processor` is a key of processors.toml, None for that
    of each path; `traits` are features of the crate that implement traits of other crates. Formulas
    are of Montgomery form. Raises OutputError, TooManyLimbs, UnknownTrait, NoLibrary,
    UnknownProcessor; for a wrong kernel UnprovedKernel, CheckError or FrameError, before anything
    is written.
    """
    check_writable(folder, field, KIND)
    check_length(field)
    check_names(formulas, taken(field, r), ENDINGS)
    words = values(field, traits, formulas) | {"command": command}
    of_formulas = [partial(decide_formula, field, one, FORMULA_TARGET) for one in formulas]
    decided: list[Callable[[], Decision]] = [
        *choices(field, r, processor),
        *(partial(by_path, FORMULA_TARGET, one, processor) for one in of_formulas),
    ]
    built = build([*shown_choices(decided, progress)], progress)
    kernels = [_packaged(a) for a in built]
    updates = [
        Packaged(**vars(a), file=UPDATES_FILE) for a in build(update_decisions(field), progress)
    ]
    arrays = proved(array_kernels(field, arrays_file(field), PROOFS, r=r), progress)
    batches = proved_as_made(field, list(batch_kernels(field)), progress)
    rows = [each.row() for each in arrays], [each.row() for each in batches]
    written = texts(field, r, kernels, words, formulas, arrays)
    kernels += updates
    made = {path: text.encode() for path, text in written.items()}
    made |= {each.object_file: each.kernel.object for each in arrays}
    made |= {each.object_file: each.code for each in batches}
    made |= {each.certificate_file: each.certificate.encode() for each in batches}
    for each in arrays:
        made |= each.certificate_files()
    for a in kernels:
        if a.object_file and a.code:
            made[a.object_file] = a.code
        if a.certificate_file:
            made[a.certificate_file] = a.certificate.encode()
    checked = write(folder, field, made | manifest_file(field, kernels, *rows), KIND)
    return kernels, manifest(field, kernels, *rows) | checked


def taken(f: Field, r: Representation) -> list[str]:
    """The names that no formula can have: those of its module, and those of kernels."""
    updates = UPDATE_OPERATIONS if is_updated(f) else ()
    return [*TAKEN, type_name(f), *operations(f, r), *updates]


def batch_kernels(f: Field) -> Iterator[BuiltDivsteps]:
    """The kernels of a batch of divsteps, as the package's text for x86-64 has them."""
    text, target = divsteps_text(), TARGETS["x86_64-linux"]
    for order in StepOrder:
        job, file = divsteps_job(text, f, order), f"{GENERATED}/divsteps.rs"
        stem = f"{PROOFS}/{job.symbol}"
        files = file, f"{stem}.o", "", f"{stem}.cert.json"
        yield BuiltDivsteps(job.symbol, target, text, job.code, 0, *files)


def check_length(f: Field) -> None:
    """Raises TooManyLimbs for a modulus that is longer than the library's numbers."""
    if f.n not in LIMBS:
        most = 64 * LIMBS[-1]
        raise TooManyLimbs(
            f"--package rust takes primes of up to {most} bits, not {f.bits}; use --package c"
        )


def _packaged(artifact: Artifact) -> Packaged:
    """The kernel with what chose its text."""
    if artifact.expression.kernel.computes.formula:
        return Packaged(**vars(artifact), file=FORMULAS)
    n = artifact.expression.field.n
    chosen_by = artifact.choice.chosen_by if n in INLINED else kernel_of(artifact.choice)[1]
    file = f"{GENERATED}/n{n:02}.rs"
    told = replace(artifact, choice=replace(artifact.choice, chosen_by=chosen_by))
    return Packaged(**vars(told), file=file)


def arrays_file(f: Field) -> str:
    """The path of the texts of the kernels on arrays."""
    return f"{GENERATED}/arrays/{module_name(f)}.rs"


def package_name(f: Field) -> str:
    """The name of the package; that of its library has underscores."""
    return f"fieldc-{field_symbol(f).replace('_', '-')}"


def type_name(f: Field) -> str:
    """The name of the field's type, as the crate has it."""
    stem, _, end = f.name.rpartition("-")
    return TYPES.get(end, "Fp") if stem else "Fp"


def values(f: Field, traits: Sequence[str], formulas: Sequence[Formula] = ()) -> dict[str, str]:
    """What the templates' words stand for, but for the command. Raises UnknownTrait."""
    name = package_name(f)
    words = {
        "name": name,
        "crate": name.replace("-", "_"),
        "type": type_name(f),
        "label": f.label,
        "prime": hex(f.p),
        "bits": str(f.bits),
        "bytes": str(-(-f.bits // 8)),
        "size": f.size,
        "version": VERSION,
        "ownership": OWNERSHIP,
        "features": features_text(traits),
        "vectors": vectors(f),
        "on_every_kernel": fill("on_every_kernel.rs", {}),
        "without_generator": "" if properties(f.p).generator else WITHOUT_GENERATOR,
    }
    words["lazy"] = fill("lazy.rs", words) if has_two_spare_bits(f) else ""
    words["example"] = fill("example.rs", words)
    words["documented"] = "".join(
        f"//! {line}".rstrip() + "\n" for line in words["example"].splitlines()
    )
    words["formulas"], words["rust"] = "", RUST
    if formulas:
        said = [RustFormula(one, f, words["type"]) for one in formulas]
        words["formula_file"] = Path(formulas[0].file).name
        words["formula_tests"] = formula_tests(said)
        words["formula_signatures"] = "".join(f"{one.signature};\n" for one in said)
        words["formulas"] = fill("formulas.md", words)
    return words


def texts(
    f: Field,
    r: Representation,
    kernels: Sequence[Artifact],
    words: Mapping[str, str],
    formulas: Sequence[Formula] = (),
    arrays: Sequence[RustArray] = (),
) -> dict[str, str]:
    """Every file that is text, by its path in the package."""
    head = f"// Generated by fieldc, do not edit. Make it again: `{words['command']}`\n"
    head += f"// {OWNERSHIP}\n\n"
    own = [a for a in kernels if not a.expression.kernel.computes.formula]
    prime = named_primes().get(f.name)
    about = prime.about if prime else f"the integers modulo {f.label}"
    declared = field_type(words["type"], f.p, about, properties(f.p).generator, r is PLAIN)
    plain = [f] if r is PLAIN else []
    made = {f"src/{path}": text for path, text in sources().items()}
    made |= {
        "src/lib.rs": root_module(fill("lib.rs", words)),
        f"{GENERATED}/mod.rs": head + modules([f.n], plain, own=f),
        f"{GENERATED}/arrays/mod.rs": head + entries_text([module_name(f)]),
        arrays_file(f): head + kernels_text(f, arrays),
        f"{GENERATED}/portable.rs": head + portable_products(),
        f"{GENERATED}/divsteps.rs": head + divsteps_text(),
        UPDATES_FILE: head + own_updates_text(f),
        f"{GENERATED}/aarch64_divsteps.rs": head + arm_divsteps_text(),
        f"{GENERATED}/fields.rs": f"{head}use crate::__field;\n\n{declared}",
        f"{GENERATED}/n{f.n:02}.rs": head + module(f, r, own),
        f"{GENERATED}/aarch64_n{f.n:02}.rs": head + arm_kernels(f.n, plain),
        "tests/arithmetic.rs": fill("arithmetic.rs", words),
        "tests/slices.rs": fill("slices.rs", words),
        "tests/digit_array.rs": fill("digit_array.rs", words),
        f"examples/{words['crate']}_example.rs": words["example"],
    }
    if formulas:
        made["src/lib.rs"] += "\npub use generated::formulas;\n"
        made[f"{GENERATED}/mod.rs"] += "\n#[rustfmt::skip]\npub mod formulas;\n"
        made[FORMULAS] = head + formulas_module(formulas, f, kernels, words)
        made["tests/formulas.rs"] = fill("formulas.rs", words)
    made |= {file: fill(file, words) for file in ("Cargo.toml", "README.md")}
    made[".gitignore"] = "/target\n/Cargo.lock\n"
    return made | {name: licence(name) for name in ("LICENSE-MIT", "LICENSE-APACHE")}


def fill(template: str, words: Mapping[str, str]) -> str:
    """A template with the field's own words."""
    text = files("fieldc.packages.rust").joinpath("templates", template).read_text("utf-8")
    return PARAMETER.sub(lambda m: words[m[1]], text)
