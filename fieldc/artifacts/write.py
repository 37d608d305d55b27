"""Compiles, checks and writes a whole build; nothing is written unless everything holds."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fieldc.artifacts.checker import certified
from fieldc.artifacts.verify import UnprovedKernel, Verdict, judge
from fieldc.decisions.decision import Decision
from fieldc.decisions.limits import within_limits
from fieldc.errors import quote
from fieldc.field import Field
from fieldc.files import (
    MANIFEST,
    OutputError,
    check_links,
    check_outside_builds,
    explained,
    manifest_in,
    try_folder,
)
from fieldc.folders import PREFIX, SUFFIX, look, recover, turn, write_folder
from fieldc.progress import Progress
from fieldc.reading import read_text
from fieldc.signals import deferred_signals
from fieldc.targets.c.print import print_c_header
from fieldc.targets.header import OWNERSHIP, field_symbol
from fieldc.targets.target import Artifact
from fieldc.words.lower import interface

KERNELS = "kernels"
"""What kind of build a folder holds, where it is no package; the manifest says it as `kind`."""
ELSEWHERE = "name another with -o"
PACKED = "NAME-VERSION.tgz"
"""What `npm pack` writes: named by package.json."""
LEFT_BY_TOOLS = {
    "Rust package": {"Cargo.lock": "", "target": "CACHEDIR.TAG"},
    "C package": {"a.out": "", "build": "CMakeCache.txt"},
    "JavaScript package": {
        "package-lock.json": "",
        "node_modules": ".package-lock.json",
        PACKED: "",
    },
}
"""What cargo, CMake, cc and npm make in a package: it goes with the earlier build.

By the file that shows a folder to be theirs. crates/check/src/gathered.rs has the same table.
"""


def build_folder(
    field: Field, decisions: Sequence[Decision], folder: Path, progress: Progress
) -> tuple[list[Artifact], dict[str, object]]:
    """Build what was decided, check it and write it; the kernels, and the manifest.

    Raises OutputError; for a wrong kernel UnprovedKernel, CheckError or FrameError, before anything
    is written.
    """
    check_writable(folder, field)
    artifacts = build(decisions, progress)
    checked = write(folder, field, files_of(field, artifacts))
    return artifacts, manifest(field, artifacts) | checked


def build(decisions: Sequence[Decision], progress: Progress) -> list[Artifact]:
    """The best kernel of every variant that is proved, and checked.

    Where no kernel of a variant is proved, and none must be, it is the best.
    Raises UnprovedKernel, CheckError or FrameError for a kernel that is wrong: for one that is not
    proved only if no other could be chosen for its variant. Raises AboveLimit before all that.
    """
    decisions = [within_limits(decision) for decision in decisions]
    verdicts: dict[str, Verdict] = {}
    while True:
        built = _made(decisions, progress)
        try:
            return judge(built, progress, verdicts)
        except UnprovedKernel as error:
            decisions = _without(decisions, error)


def _made(decisions: Sequence[Decision], progress: Progress) -> list[Artifact]:
    built: list[Artifact] = []
    for done, decision in enumerate(decisions, 1):
        target, first = decision.target, decision.preferred
        for choice in decision.choices():
            made, gives_way = target.make(target, choice), decision.gives_way(choice)
            built.append(replace(made, preferred=choice is first, gives_way=gives_way))
        progress("compile", done, len(decisions))
    return built


def _without(decisions: Sequence[Decision], error: UnprovedKernel) -> list[Decision]:
    """The decisions with the next candidates for all kernels that are not proved.

    Raises UnprovedKernel for one that has no other.
    """
    kept = list(decisions)
    for artifact, failure in error.failures:
        for i, decision in enumerate(kept):
            choices = decision.choices() if decision.target == artifact.target else []
            if artifact.choice not in choices:
                continue
            after = decision.without(artifact.choice)
            if after is None:
                raise UnprovedKernel((artifact, failure))
            kept[i] = after
    return kept


def files_of(field: Field, artifacts: Sequence[Artifact]) -> dict[str, bytes]:
    """Every file of a build by its path inside the folder, header and manifest among them."""
    files = {a.source_file: a.text.encode() for a in artifacts}
    files |= {path: text.encode() for a in artifacts for path, text in a.other_files.items()}
    files |= {a.object_file: a.code for a in artifacts if a.object_file and a.code}
    files |= {a.certificate_file: a.certificate.encode() for a in artifacts if a.certificate_file}
    name = field_symbol(field)
    declared = [(interface(a.expression), a.symbol) for a in artifacts if a.convention != "rust"]
    unique = {symbol: program for program, symbol in declared}
    if unique:
        guard = f"FIELDC_{name.upper()}_H"
        kernels = [(program, symbol) for symbol, program in unique.items()]
        contracts = {a.symbol: f"{a.expression.kernel.operation}: {a.contract}" for a in artifacts}
        text = f"/* {OWNERSHIP} */\n" + print_c_header(kernels, guard, contracts)
        files[f"fieldc_{name}.h"] = text.encode()
    return files | manifest_file(field, artifacts)


RowsOf = Sequence[dict[str, object]]


def manifest_file(
    field: Field,
    artifacts: Sequence[Artifact],
    arrays: RowsOf = (),
    divsteps: RowsOf = (),
) -> dict[str, bytes]:
    """The manifest, by its path."""
    found = manifest(field, artifacts, arrays, divsteps)
    return {MANIFEST: (json.dumps(found, indent=2) + "\n").encode()}


def manifest(
    field: Field,
    artifacts: Sequence[Artifact],
    arrays: RowsOf = (),
    divsteps: RowsOf = (),
) -> dict[str, object]:
    """What a build contains, for programs.

    `arrays` are the rows of kernels on arrays, `divsteps` those of kernels that do divsteps.
    """
    return {
        "field": field.label,
        "p": hex(field.p),
        "word": field.word,
        "n": field.n,
        "R": hex(field.R),
        "kernels": [artifact.row() for artifact in artifacts],
        **({"arrays": [*arrays]} if arrays else {}),
        **({"divsteps": [*divsteps]} if divsteps else {}),
    }


def check_writable(
    folder: Path, field: Field, kind: str = KERNELS, any_field: bool = False
) -> None:
    """Raise OutputError unless the folder may become a build of the field.

    It may if it is not there, if it is empty, and if it holds an earlier build of this kind, of
    the same field or of `any_field`, and nothing else. What a killed build left there is put
    right first.
    """
    with look(folder, ELSEWHERE):
        _check_writable(folder, field, kind, any_field)


def _check_writable(folder: Path, field: Field, kind: str, any_field: bool) -> None:
    """The same, while nobody else writes there."""
    with explained(folder, ELSEWHERE):
        recover(folder)
        _check_place(folder)
        check_outside_builds(folder, ELSEWHERE)
        if folder.exists():
            _check_held(folder, field, kind, any_field)


def _check_place(folder: Path) -> None:
    """Raise OutputError unless the folder can be made and written to."""
    name = quote(str(folder))
    check_links(folder, ELSEWHERE)
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    where = quote(str(there))
    if not there.is_dir():
        raise OutputError(f"cannot write {name}: {where} is not a folder; {ELSEWHERE}")
    if not os.access(there, os.W_OK | os.X_OK | os.R_OK):
        raise OutputError(f"cannot write {name}: no permission in {where}; {ELSEWHERE}")
    # Some places only say so when they are written to.
    with deferred_signals():
        os.rmdir(tempfile.mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=there))
        try_folder(there)


def _check_held(folder: Path, field: Field, kind: str, any_field: bool) -> None:
    """Raise OutputError for a folder that holds another build, or what no build wrote."""
    if not any(folder.iterdir()):
        return
    name, manifest = quote(str(folder)), manifest_in(folder)
    same = (manifest.get("p"), manifest.get("word")) == (hex(field.p), field.word)
    if manifest and not same and not any_field:
        what = f"a build of {manifest.get('field')}, {manifest.get('word')}-bit words"
        raise OutputError(f"{name} holds {what}; {ELSEWHERE}")
    if (held := manifest.get("kind", kind)) != kind:
        raise OutputError(f"{name} holds a build of another kind, {held}; {ELSEWHERE}")
    ours = {MANIFEST, *manifest.get("files", ())} if manifest else set()
    if foreign := _foreign(folder, ours, _left_by_tools(folder, kind)):
        held = quote(foreign)
        raise OutputError(f"{name} holds {held}, which no build there wrote; {ELSEWHERE}")


def _left_by_tools(folder: Path, kind: str) -> set[str]:
    """What others made of the build in a folder."""
    known = LEFT_BY_TOOLS.get(kind, {})
    named = [(_packed(folder) if name == PACKED else name, known[name]) for name in known]
    return {name for name, shows in named if (folder / name / shows).is_file()}


def _packed(folder: Path) -> str:
    """The name of what `npm pack` writes there; PACKED where package.json has no name."""
    try:
        said = json.loads(read_text(folder / "package.json"))
        name = "-".join((said["name"], said["version"])) + ".tgz"
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return PACKED
    return PACKED if {"/", "\\", "\0"} & {*name} else name


def _foreign(folder: Path, ours: Collection[str], left: Collection[str]) -> str:
    """The first file or empty folder in a folder that is not ours; nothing if all are.

    What tools left there does not count.
    """
    if not ours:
        return min(path.name for path in folder.iterdir())
    found = (
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir())
    )
    theirs = (path for path in found if path not in ours and path.split("/")[0] not in left)
    return next(theirs, "")


def write(
    folder: Path,
    field: Field,
    files: Mapping[str, bytes],
    kind: str = KERNELS,
    any_field: bool = False,
) -> dict[str, str]:
    """Put a build of a field in the place of an earlier one; its manifest names kind and files.

    The earlier one is of the same field unless it may be of `any_field`. What the checker said of
    it is `checked`, where the checker is installed. Raises OutputError, NotCertified; then the
    folder is as it was.
    """
    manifest = json.loads(files[MANIFEST]) | {"kind": kind, "files": sorted(files)}
    named = {**files, MANIFEST: (json.dumps(manifest, indent=2) + "\n").encode()}
    checked = certified(named)
    check_writable(folder, field, kind, any_field)
    with turn(folder, ELSEWHERE):
        _check_writable(folder, field, kind, any_field)  # another build may have taken it
        write_folder(folder, named, ELSEWHERE, seal=MANIFEST)
    return {"checked": checked} if checked else {}
