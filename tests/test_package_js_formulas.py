"""Formulas in a JavaScript package: functions of both modules, and a test in the package."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from package_formulas import ALL_NAMES, MIXED, SMALL, TEXT, written
from test_package_js import PACKAGE, node, run

from fieldc.algorithms.representations import MONTGOMERY, PLAIN, Representation
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.formulas.load import load_formulas
from fieldc.machine.wasm_wide import WideKernel, why_not_wasmtime


@pytest.fixture(scope="module", params=[PLAIN, MONTGOMERY], ids=lambda r: r.name)
def package(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Representation]:
    """A package with formulas in a representation."""
    folder, r = tmp_path_factory.mktemp("formulas"), request.param
    words = [
        "--package",
        "js",
        "--representation",
        r.name,
        "--formula",
        str(written(folder, TEXT + MIXED)),
    ]
    assert main(["build", SMALL, *words, "-o", str(folder / "package")]) == 0
    return folder / "package", r


@node
def test_formulas_compute_in_node(package: tuple[Path, Representation]) -> None:
    folder, _ = package
    said = run(folder, "node", "--test", "--test-reporter=tap")
    assert f"# pass {2 * len(ALL_NAMES)}\n" in said and "# fail 0" in said
    for name in ALL_NAMES:
        assert f"`{name}`" in (folder / "README.md").read_text()


OPERANDS = """
import { load } from "./index.js";
const F = await load();
const { picked, signed_128: signed, scaled_sum: ended, chain } = F.formulas;
const thrown = (run) => { try { run(); } catch (error) { return error.message; } };
console.log(picked(true, 2n, 3n), picked(false, 2n, 3n), signed(5n, -(2n ** 127n)), ended(7n));
console.log(thrown(() => picked(2n, 2n, 3n)));
console.log(thrown(() => signed(5n, 2n ** 127n)));
console.log(thrown(() => signed(5n, true)));
console.log(thrown(() => chain([1n, 2n], null)));
console.log(thrown(() => chain(7, [1n, 2n])));
console.log(thrown(() => chain([1n, 2n], [3n])));
"""


@node
def test_operands_that_are_no_elements_are_checked(package: tuple[Path, Representation]) -> None:
    folder, _ = package
    said = run(folder, "node", "--input-type=module", "--eval", OPERANDS).splitlines()
    p = find_field(SMALL).p
    assert said == [
        f"3n 2n {-5 * 2**127 % p}n 7n",
        "an operand of picked is no mask: 0 to 1",
        f"an operand of signed_128 is no i128: {-(2**127)} to {2**127 - 1}",
        "an operand is a bigint, not a boolean",
        "the values of operand 2 of chain are an iterable of bigints, not null",
        "the values of operand 1 of chain are an iterable of bigints, not the number 7",
        "operand 2 of chain has 2 values, not 1",
    ]


USES = """
import { Field, Formulas, Vector, load } from "./package/index.js";
import { nobleField } from "./package/lib/noble.js";

const F = await load();
const field: Field = F;
const { multiples, chain }: Formulas = F.formulas;
const one: bigint = multiples(1n, 2n, 3n);
const two: [bigint, bigint] = chain([1n, 2n], [one, 3n]);
const three: bigint = F.formulas.turned(two, two)[2];
const four: bigint = F.formulas.picked(true, 1n, F.formulas.scaled_sum(three));
const z: Vector = F.formulas.picked.vec(F.vector(1), F.vector(1), F.vector(1), F.from([four]));
const same: boolean = nobleField(F).ORDER === field.p;
// @ts-expect-error: three operands
multiples(1n, 2n);
// @ts-expect-error: a point is an array
chain(1n, [1n, 2n]);
// @ts-expect-error: a mask is no number
F.formulas.picked(1, 2n, 3n);
// @ts-expect-error: one vector for each operand
multiples.vec(F.vector(1), F.vector(1));
// @ts-expect-error: no formula has this name
F.formulas.chains;
"""
STRICT = {
    **{"strict": True, "noEmit": True, "target": "es2022", "skipLibCheck": False, "types": []},
    **{"noUncheckedIndexedAccess": True, "noPropertyAccessFromIndexSignature": True},
    **{"exactOptionalPropertyTypes": True, "lib": ["es2022"]},
}


@node
@pytest.mark.parametrize("module", ["nodenext", "bundler"])
def test_formulas_have_types(
    module: str, package: tuple[Path, Representation], tmp_path: Path
) -> None:
    compiler = PACKAGE / "node_modules/.bin/tsc"
    if not compiler.exists():
        pytest.skip("SKIPPED: no TypeScript; run: npm install in packages/js")
    shutil.copytree(package[0], tmp_path / "package")
    (tmp_path / "use.ts").write_text(USES)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    kinds = {"module": "esnext" if module == "bundler" else module, "moduleResolution": module}
    options = {"compilerOptions": STRICT | kinds, "files": ["use.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(options))
    run(tmp_path, compiler, "-p", ".")


@node
def test_the_test_notices_a_wrong_result(package: tuple[Path, Representation]) -> None:
    folder, _ = package
    path = folder / "test/formulas.test.mjs"
    right = path.read_text()
    place = right.rindex("n]],") if "n]],\n" in right else right.rindex("n],")
    try:
        path.write_text(right[: place - 1] + str((int(right[place - 1]) + 1) % 10) + right[place:])
        done = subprocess.run(["node", "--test"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 1
    finally:
        path.write_text(right)


@pytest.mark.skipif(bool(why_not_wasmtime()), reason=f"SKIPPED: {why_not_wasmtime()}")
@pytest.mark.parametrize("module", ["module.wasm", "module-wide.wasm"])
def test_formulas_compute_in_both_modules(
    module: str, package: tuple[Path, Representation]
) -> None:
    (folder, r), f, draw = package, find_field(SMALL), random.Random(1)
    chain, *_ = load_formulas(written(folder.parent, TEXT + MIXED))
    with WideKernel((folder / module).read_bytes(), "formula_chain", (2, 2), 2) as kernel:
        for _ in range(4):
            given = [draw.randrange(f.p) for _ in range(4)]
            montgomery = chain.evaluate(f, [f.to_montgomery(v) for v in given])
            wanted = [r.stored(f, f.from_montgomery(v)) for v in montgomery]
            x = [r.stored(f, v) for v in given]
            found = kernel(x[0] | x[1] << 64, x[2] | x[3] << 64)
            assert found == wanted[0] | wanted[1] << 64


def test_a_name_that_the_module_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.py"
    text = "@formula\ndef {}(x: Element) -> Element:\n    return x + 1\n"
    head = "from fieldc.formulas import Element, formula\n"
    path.write_text(head + text.format("f") + text.format("f_vec"))
    words = ("--package", "js", "--formula", str(path), "-o", str(tmp_path / "o"))
    assert main(["build", SMALL, *words]) == 2
    assert "has the name f_vec already" in capsys.readouterr().err
