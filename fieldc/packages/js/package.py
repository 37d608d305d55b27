"""Makes a JavaScript package of one field: its module, and the texts that compute with it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from textwrap import wrap

from fieldc.algorithms.chains import chain
from fieldc.algorithms.representations import Representation
from fieldc.artifacts.verify import judge
from fieldc.artifacts.write import check_writable, manifest, manifest_file, write
from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import check_names
from fieldc.packages.js.formulas import ENDINGS, counts_text, types_text, vectors_text
from fieldc.packages.js.module import FORMS, SYMBOLS, field_module, kernels_of, says
from fieldc.progress import Progress
from fieldc.properties import properties, two_adicity
from fieldc.targets.header import OWNERSHIP, field_symbol
from fieldc.targets.target import Artifact

WORD = 64
KIND = "JavaScript package"
VERSION = "0.1.0"
LIBRARY = files("fieldc.packages.js") / "library"
"""What every package has, whatever its field."""
MODULE = "module.js"
BINARIES = {"wasm32": "module.wasm", "wasm32-wide": "module-wide.wasm"}
PARAMETER = re.compile(r"@([a-z][a-z0-9_]*)@")


@dataclass(frozen=True)
class WasmPackageKernel(Artifact):
    """A kernel of one of a package's two modules."""

    @property
    def source_file(self) -> str:
        """Path of both modules as a text."""
        return MODULE

    @property
    def object_file(self) -> str | None:
        """Path of the module."""
        return BINARIES[self.target.name]


def build_package(
    field: Field,
    folder: Path,
    progress: Progress,
    r: Representation,
    command: str,
    formulas: Sequence[Formula] = (),
) -> tuple[list[WasmPackageKernel], dict[str, object]]:
    """Build, check and write residues in a representation; the kernels, and the manifest.

    `command` makes the package again. Raises OutputError; for a wrong kernel CheckError or
    FrameError, before anything is written.
    """
    check_writable(folder, field, KIND)
    check_names(formulas, (), ENDINGS, are_kernels=False)
    artifacts, made = package(field, progress, r, command, formulas)
    checked = write(folder, field, made, KIND)
    return artifacts, manifest(field, artifacts) | checked


def package(
    f: Field,
    progress: Progress,
    r: Representation,
    command: str,
    formulas: Sequence[Formula] = (),
) -> tuple[list[WasmPackageKernel], dict[str, bytes]]:
    """The kernels of a package, checked where an engine is here, and its files by their paths."""
    codes = {
        form.target.name: field_module(f, command, form, r, formulas).encode() for form in FORMS
    }
    text = module_text(f, command, r, formulas=formulas)
    kernels = [
        WasmPackageKernel(
            symbol,
            form.target,
            choice,
            *("c", "", text, codes[form.target.name]),
        )
        for form in FORMS
        for symbol, (choice, _) in zip(SYMBOLS, kernels_of(f, form, r), strict=True)
    ]
    judged = [each for each in judge(kernels, progress) if isinstance(each, WasmPackageKernel)]
    words = {
        "label": f.label,
        "name": f"fieldc-{field_symbol(f).replace('_', '-')}",
        "prime": hex(f.p),
        "bits": str(f.bits),
        "command": command,
        "stands": r.says,
        "version": VERSION,
        "ownership": OWNERSHIP,
    }
    words["example"] = fill("example.mjs", words)
    texts = {
        f"lib/{file.name}": file.read_text(encoding="utf-8")
        for file in sorted(LIBRARY.iterdir(), key=lambda f: f.name)
    }
    texts |= {"index.js": template("index.js"), "index.d.ts": template("index.d.ts")}
    texts |= {"example.mjs": words["example"], MODULE: text}
    words["formulas"] = ""
    if formulas:
        words["formula_file"] = Path(formulas[0].file).name
        words["formula_names"] = ", ".join(f"`{one.name}`" for one in formulas)
        words["formula_vectors"] = vectors_text(f, formulas)
        words["formula_types"] = types_text(formulas)
        words["formulas"] = fill("formulas.md", words)
        texts["index.d.ts"] = fill("formulas.d.ts", words)
        texts["test/formulas.test.mjs"] = fill("formulas.test.mjs", words)
    texts |= {name: fill(name, words) for name in ("package.json", "README.md")}
    texts[".gitignore"] = "/node_modules\n/package-lock.json\n/*.tgz\n"  # npm pack reads it too
    made = {path: each.encode() for path, each in texts.items()}
    made |= {BINARIES[target]: code for target, code in codes.items()}
    return judged, made | manifest_file(f, judged)


def module_text(
    f: Field,
    command: str,
    r: Representation,
    licence: str = OWNERSHIP,
    formulas: Sequence[Formula] = (),
) -> str:
    """A field's modules as JavaScript: the field, and their bytes in base64."""
    head = f"// Generated by fieldc, do not edit. Make it again: `{command}`\n"
    head += f"// {licence}\n// Residues: {r.says}.\n"
    fields = [f'name: "{f.label}"', f"p: {f.p:#x}n"]
    generator = properties(f.p).generator
    fields += [] if generator is None else [f"generator: {generator}n"]
    fields.append(chain_text(f))
    for form in FORMS:
        head += f"// {form.key}:\n"
        head += "".join(f"// {says(choice.expression)}\n" for choice, _ in kernels_of(f, form, r))
        module = field_module(f, command, form, r, formulas)
        code = base64.b64encode(module.encode()).decode()
        fields.append(f"{form.key}: `\n" + "\n".join(wrap(code, 98)) + "\n`")
    if formulas:
        head += 'import { formulasOf } from "./lib/formulas.js";\n\n'
        fields += [counts_text(formulas), "formulasOf"]
    inside = "".join(f"  {field},\n" for field in fields)
    return f"{head}export default {{\n{inside}}};\n"


def chain_text(f: Field) -> str:
    """The chain for (odd - 1)/2, where p - 1 = odd * 2^s, or for p - 1 if that is 0.

    A step is [squarings, by, of, to], and [squarings, by] where it goes on in the last place; `by`
    is -1 where no product follows. The first place, 0, has the number itself.
    """
    exponent = (f.p - 1 >> two_adicity(f.p)) // 2
    steps, last = [], 0
    for s in chain(exponent or f.p - 1).steps:
        numbers = [s.squarings, -1 if s.by is None else s.by]
        numbers += [] if s.of == s.to == last else [s.of, s.to]
        steps.append(f"[{','.join(map(str, numbers))}]")
        last = s.to
    lines = [line.replace(" ", "") for line in wrap(", ".join(steps), 98)]
    return "chain: [\n" + "\n".join(lines) + "\n]"


def template(name: str) -> str:
    """A template's text."""
    return files("fieldc.packages.js").joinpath("templates", name).read_text(encoding="utf-8")


def fill(name: str, words: dict[str, str]) -> str:
    """A template with the field's own words."""
    return PARAMETER.sub(lambda m: words[m[1]], template(name))
