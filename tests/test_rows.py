"""What a manifest's row says beside its proof is held against its object and its operation."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from checked_folder import said_of
from package_c import Packages

from fieldc.artifacts.arrays import made_conversion, made_sums
from fieldc.artifacts.beside import faults_beside
from fieldc.artifacts.entries import entry_of
from fieldc.artifacts.rows import fault_of_row
from fieldc.binary.features import features_used
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64
from fieldc.targets.array_targets import ARRAY_TARGETS

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
SMALL = "2^61-1"
FIELD = find_field(SMALL)
FORMULA = """
from fieldc.formulas import U64, Element, formula

@formula
def scaled(x: Element, k: U64) -> Element:
    return x * k
"""
Row = dict[str, Any]


def manifest_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return found


def faults_in(folder: Path) -> list[str]:
    """What is wrong with the rows that are PROVED."""
    manifest = manifest_of(folder)
    rows = [
        (part, row) for part in ("kernels", "arrays", "divsteps") for row in manifest.get(part, ())
    ]
    return [
        why
        for part, row in rows
        if row["status"] == "PROVED"
        and (why := fault_of_row(part, row, (folder / row["object"]).read_bytes(), FIELD))
    ] + [*faults_beside(folder, manifest).values()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Products for two systems, by our own code and by LLVM's."""
    folder = tmp_path_factory.mktemp("rows") / "built"
    targets = "x86_64-linux,x86_64-windows,aarch64-macos,x86_64-linux-llvm-bmi2"
    words = ["--op", "mul,add_lazy", "--target", targets, "-o", str(folder)]
    assert main(["build", SMALL, *words]) == 0
    return folder


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A formula that takes an integer."""
    folder = tmp_path_factory.mktemp("rows")
    (folder / "formulas.py").write_text(FORMULA)
    words = ["--formula", str(folder / "formulas.py"), "--target", "x86_64-linux"]
    assert main(["build", SMALL, *words, "-o", str(folder / "built")]) == 0
    return folder / "built"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> Path:
    folder = tmp_path_factory.mktemp("rows") / "package"
    packages(SMALL, folder)
    return folder


def test_what_is_built_is_accepted(built: Path, scaled: Path, package: Path) -> None:
    assert faults_in(built) == faults_in(scaled) == faults_in(package) == []


def of(folder: Path, target: str, variant: str, op: str = "mul") -> tuple[Row, bytes]:
    """A row of single values, and its object."""
    (row,) = (
        row
        for row in manifest_of(folder)["kernels"]
        if (row["target"], row["variant"], row["op"]) == (target, variant, op)
    )
    return row, (folder / row["object"]).read_bytes()


RESULT = {"name": "z", "values": 1, "below": "2p"}
WRONG = {
    "target": ({"target": "x86_64-freebsd"}, "its target 'x86_64-freebsd' is none that makes"),
    "text": ({"target": "rust"}, "its target 'rust' is none that makes objects"),
    "format": (
        {"target": "x86_64-windows", "convention": "win64"},
        "mul_mulx.o is x86_64 ELF, and x86_64-windows has x86_64 COFF",
    ),
    "convention": ({"convention": "win64"}, "its convention is 'win64', and that of x86_64-linux"),
    "c": ({"convention": "c"}, "its convention is 'c', and that of x86_64-linux is sysv"),
    "processor": ({"target": "aarch64-linux"}, "is x86_64 ELF, and aarch64-linux has aarch64 ELF"),
    "variant": ({"variant": "fast"}, "x86_64-linux has no variant 'fast'"),
    "needs": ({"needs": []}, "mul_mulx.o uses mulx of BMI2, which its row does not name"),
    "base": ({"variant": "base"}, "its row needs 'bmi2', and the variant base needs nothing"),
    "more": ({"needs": ["bmi2", "adx"]}, "its row needs 'bmi2, adx', and the variant mulx needs"),
    "result": ({"result": RESULT}, "its operands or its result are not those of mul"),
    "operands": ({"operands": []}, "its operands or its result are not those of mul"),
    "family": ({"family": "add"}, "its operands or its result are not those of mul"),
    "contract": ({"contract": "z = x"}, "its contract is not that of mul"),
    "operation": ({"op": "mull"}, "there is no operation 'mull'"),
}


@pytest.mark.parametrize(("change", "why"), WRONG.values(), ids=list(WRONG))
def test_a_row_that_does_not_agree_is_refused(change: Row, why: str, built: Path) -> None:
    row, code = of(built, "x86_64-linux", "mulx")
    assert why in fault_of_row("kernels", row | change, code, FIELD)


def test_an_object_of_windows_is_called_by_its_convention(built: Path) -> None:
    row, code = of(built, "x86_64-windows", "mulx")
    said = "its convention is 'sysv', and that of x86_64-windows is win64"
    assert fault_of_row("kernels", row | {"convention": "sysv"}, code, FIELD) == said
    said = "mul_mulx.o is x86_64 COFF, and x86_64-linux has x86_64 ELF"
    linux = {"target": "x86_64-linux", "convention": "sysv"}
    assert fault_of_row("kernels", row | linux, code, FIELD) == said


@pytest.mark.parametrize(
    ("old", "new"),
    [('["k", 1, [1, 0, 64]]', '["k", 1, [1, 0, 32]]'), ('"multiple": 1', '"multiple": 2')],
)
def test_the_ranges_of_a_formula_are_those_of_its_row(old: str, new: str, scaled: Path) -> None:
    row, code = of(scaled, "x86_64-linux", "mulx", "scaled")
    assert old in row["formula"]
    said = "its operands or its result are not those of scaled"
    assert (
        fault_of_row("kernels", row | {"formula": row["formula"].replace(old, new)}, code, FIELD)
        == said
    )
    contract = row["contract"].replace("2^64", "2^32")
    said = "its contract is not that of scaled"
    assert fault_of_row("kernels", row | {"contract": contract}, code, FIELD) == said


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("verb", ["prove", "certify"])
def test_both_verbs_refuse_such_a_row(
    verb: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(built, tmp_path / "copy")
    manifest = manifest_of(folder)
    manifest["kernels"] = [
        row | {"needs": []}
        for row in manifest["kernels"]
        if (row["target"], row["variant"], row["op"]) == ("x86_64-linux", "mulx", "mul")
    ]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert main([verb, str(folder), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["status"] in ("FAILED", "REFUSED")
    assert row["reason"] == "mul_mulx.o uses mulx of BMI2, which its row does not name"


def array_row(package: Path, op: str = "add", target: str = "avx512f") -> tuple[Row, bytes]:
    """A row on arrays, and its object."""
    rows = manifest_of(package)["arrays"]
    row = next(r for r in rows if (r["op"], r["target"], r["layout"]) == (op, target, "array"))
    return row, (package / row["object"]).read_bytes()


ON_ARRAYS = {
    "avx2": ({"target": "avx2", "needs": ["avx2", "fma"]}, "of AVX-512F, which its row does not"),
    "target": ({"target": "sve"}, "its target 'sve' is none of arrays"),
    "convention": ({"convention": "win64"}, "its convention is 'win64', and that of avx512f"),
    "needs": ({"needs": ["avx512f"]}, "uses kmovb of AVX-512DQ, which its row does not name"),
    "result": ({"result": RESULT}, "its operands or its result are not those of add"),
    "contract": ({"contract": "add on arrays"}, "its contract is not that of add"),
    "layout": ({"layout": "digits"}, "it has other words than 2 digits of 52 bits"),
    "word": ({"word": 32, "n": 2}, "it has other words than 1 limb of 64 bits"),
    "R": ({"R": "0x1"}, "it has other words than 1 limb of 64 bits"),
}


@pytest.mark.parametrize(("change", "why"), ON_ARRAYS.values(), ids=list(ON_ARRAYS))
def test_a_row_on_arrays_that_does_not_agree_is_refused(
    change: Row, why: str, package: Path
) -> None:
    row, code = array_row(package)
    assert why in fault_of_row("arrays", row | change, code, FIELD)


def test_the_ranges_of_other_kernels_are_those_of_their_rows() -> None:
    """Of sums in columns, and of what changes the layout."""
    target, f = ARRAY_TARGETS["avx2"], find_field("bn254-p")
    for made in (*made_sums(target, f), made_conversion(target, f, "to_digits")):
        row, code = made.row(), made.kernel.object
        assert not fault_of_row("arrays", row, code, f)
        (first, *rest) = json.loads(json.dumps(row["operands"]))
        said = f"its operands or its result are not those of {row['op']}"
        more = row | {"operands": [first | {"below": "7p*p"}, *rest]}
        assert fault_of_row("arrays", more, code, f) == said


def test_an_entry_is_that_of_its_row(package: Path) -> None:
    row, code = array_row(package)
    other = array_row(package, "sub")[0]["entry"]
    said = f"its entry is not {entry_of(row['symbol'])}"
    assert fault_of_row("arrays", row | {"entry": other}, code, FIELD) == said
    fewer = row["entry"] | {"arguments": 3}
    said = "its entry has 3 arguments, not 4"
    assert fault_of_row("arrays", row | {"entry": fewer}, code, FIELD) == said


OBJECTS = ("objects/x86_64-macos.o", "objects/x86_64-windows.obj")


@pytest.mark.parametrize("name", OBJECTS)
def test_other_objects_have_the_proved_bytes(name: str, package: Path, tmp_path: Path) -> None:
    """Each byte of a kernel on arrays is compared, its constants too."""
    folder = shutil.copytree(package, tmp_path / "copy")
    manifest, (row, own) = manifest_of(folder), array_row(folder, "add", "avx2")
    kernel = function_of(own, row["symbol"])
    wanted, code = kernel.code[kernel.start :], (folder / name).read_bytes()
    assert code.count(wanted) == 1
    for place in (0, len(wanted) // 2, len(wanted) - 1):
        changed = bytearray(code)
        changed[code.index(wanted) + place] ^= 1
        (folder / name).write_bytes(changed)
        said = f"{name} has other bytes of {row['symbol']} than those that are proved"
        assert faults_beside(folder, manifest) == {(row["object"], row["symbol"]): said}


def test_an_entry_that_no_row_names_is_refused(package: Path) -> None:
    manifest = manifest_of(package)
    row = next(row for row in manifest["arrays"])
    del row["entry"]
    said = f"{OBJECTS[1]} has {entry_of(row['symbol'])}, which its row does not name"
    assert faults_beside(package, manifest) == {(row["object"], row["symbol"]): said}


@pytest.mark.parametrize("verb", ["prove", "certify"])
@pytest.mark.usefixtures("checker_here")
def test_both_verbs_compare_other_objects(
    verb: str, package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(package, tmp_path / "copy")
    manifest, (row, own) = manifest_of(folder), array_row(folder, "add", "avx2")
    manifest |= {"kernels": [], "divsteps": [], "arrays": [row]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    kernel, path = function_of(own, row["symbol"]), folder / OBJECTS[0]
    at = path.read_bytes().index(kernel.code[kernel.start :])
    path.write_bytes(path.read_bytes()[:at] + b"\x90" + path.read_bytes()[at + 1 :])
    capsys.readouterr()
    assert main([verb, str(folder), "--json"]) == 1
    (shown,) = json.loads(capsys.readouterr().out)
    said = f"{OBJECTS[0]} has other bytes of {row['symbol']} than those that are proved"
    assert shown["kernel"] == row["symbol"] and said in shown["reason"]


def written(package: Path, to: Path, *rows: Row) -> Path:
    """A copy of the package whose manifest has these rows on arrays, and no other rows."""
    folder = shutil.copytree(package, to / "written")
    changed = {"kernels": [], "divsteps": [], "arrays": rows}
    (folder / "manifest.json").write_text(json.dumps(manifest_of(folder) | changed))
    return folder


def test_the_checker_refuses_such_rows_too(
    package: Path, built: Path, checker: Path, tmp_path: Path
) -> None:
    row, own = array_row(package, "add", "avx2")
    entry, symbol = row["entry"], row["symbol"]
    other = array_row(package, "sub", "avx2")[0]["entry"]
    nameless = {key: value for key, value in row.items() if key != "entry"}
    assert said_of(checker, package)[0] == said_of(checker, built)[0] == 0
    cases = {
        "uses AVX2, which its row does not name": row | {"needs": ["fma"]},
        "and avx2 needs": row | {"needs": ["avx2", "fma", "bmi2"]},
        "its entry is another kernel's": row | {"entry": other},
        "its entry has 3 arguments": row | {"entry": entry | {"arguments": 3}},
        f"an object has {entry_of(symbol)}, which its row does not name": nameless,
    }
    for number, (why, changed) in enumerate(cases.items()):
        assert why in said_of(checker, written(package, tmp_path / str(number), changed))[1]
    kernel = function_of(own, symbol)
    saved, other_place = bytes.fromhex("0f297c2410"), bytes.fromhex("0f297c2420")  # xmm7
    wanted = kernel.code[kernel.start :]
    flipped = wanted[:-1] + bytes((wanted[-1] ^ 1,))
    changes = (
        (OBJECTS[0], wanted, flipped, f"other bytes of {symbol}"),
        (OBJECTS[1], wanted, flipped, f"other bytes of {symbol}"),
        (OBJECTS[1], saved, other_place, f"{entry_of(symbol)} is not what calls {symbol}"),
        (OBJECTS[0], b"\xcf\xfa\xed\xfe", b"\xcf\xfa\xed\xff", f"it holds the name {symbol}"),
    )
    for number, (name, old, new, why) in enumerate(changes):
        path = written(package, tmp_path / f"changed{number}", row) / name
        path.write_bytes(path.read_bytes().replace(old, new))
        assert why in said_of(checker, path.parents[1])[1]


@pytest.fixture
def checker_here(checker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker of arrays, on PATH."""
    monkeypatch.setenv("PATH", str(checker.parent), prepend=":")


USED = {
    "adc rax, [rsi]\nmul rcx\ncmovb rax, rcx\nshld rax, rcx, 7": "",
    "mulx rax, rcx, [rsi]": "bmi2",
    "shlx rax, rcx, rdx": "bmi2",
    "adox rax, rcx": "adx",
    "vpaddq ymm0, ymm1, ymm2": "avx2",
    "vfmadd231pd ymm0, ymm1, ymm2": "fma",
    "vpaddq zmm0, zmm1, zmm2": "avx512f",
    "vpaddq ymm16, ymm1, ymm2": "avx512vl",
    "vcvtuqq2pd zmm0, zmm1": "avx512dq",
    "kmovb k1, eax": "avx512dq",
    "kmovw k1, eax": "avx512f",
    "kmovq k1, rax": "avx512bw",
    "vpmadd52luq zmm0, zmm1, zmm2": "avx512ifma",
    "vpshrdq zmm0, zmm1, zmm2, 7": "avx512vbmi2",
    "jb 1f\nret\n1: mulx rax, rcx, [rsi]": "bmi2",
    "call 1f\nret\n1: adcx rax, rcx": "adx",
    "jmp 1f\n.byte 0xc4, 0xe2, 0xfb, 0xf6, 0xc1\n1: add rax, rcx": "",
}


@pytest.mark.parametrize(("text", "feature"), USED.items())
def test_which_extensions_code_uses(text: str, feature: str) -> None:
    """On all ways through it, and not in bytes between them."""
    body = re.sub("^", "    ", text, flags=re.MULTILINE)
    code = assemble(
        f".intel_syntax noprefix\n.text\n.globl f\nf:\n{body}\nret\n", "x86_64-linux-gnu"
    )
    assert [*features_used(function_of(code, "f"))] == ([feature] if feature else [])


def test_the_stack_of_a_row_is_that_of_its_proof(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(built, tmp_path / "copy")
    manifest, (row, _) = manifest_of(folder), of(folder, "x86_64-linux", "mulx")
    more = row | {"stack": row["stack"] + 8}
    (folder / "manifest.json").write_text(json.dumps(manifest | {"kernels": [more]}))
    capsys.readouterr()
    assert main(["prove", str(folder), "--json"]) == 1
    (shown,) = json.loads(capsys.readouterr().out)
    said = f"it uses {row['stack']} bytes of stack, and its row says {row['stack'] + 8}"
    assert shown["reason"] == said
