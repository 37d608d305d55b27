"""What a manifest says of files, texts and routines: the three that read it refuse the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_folder import Copy, said_of

from fieldc.cli import main
from fieldc.machine.processor import is_x86_64

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
TEXT = """
from fieldc.formulas import Element, formula

@formula
def chain(a: tuple[Element, Element], b: tuple[Element, Element]) -> tuple[Element, Element]:
    u = a[0] * b[0] - 2 * a[1]
    v = (a[1] + b[1]) ** 2 - u
    w = u * v + a[0] * b[1]
    return w * v, 3 * u - w * (u - v)
"""
MUL, CHAIN = "x86_64-linux/mul_base", "x86_64-linux/chain_base"
Change = Callable[[Copy], None]


@pytest.fixture(scope="module")
def products(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows") / "built"
    words = ["--op", "mul", "--target", "x86_64-linux", "-o", str(folder)]
    assert main(["build", "2^61-1", *words]) == 0
    return folder


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows") / "arrays"
    words = ["--batch", "--op", "add", "--target", "avx512f", "-o", str(folder)]
    assert main(["build", "2^61-1", *words]) == 0
    return folder


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A formula that calls routines."""
    folder = tmp_path_factory.mktemp("rows")
    (folder / "formulas.py").write_text(TEXT)
    words = ["--formula", str(folder / "formulas.py"), "--target", "x86_64-linux"]
    assert main(["build", "2^125-9", *words, "-o", str(folder / "built")]) == 0
    return folder / "built"


def refuses(verb: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says, which fails."""
    capsys.readouterr()
    assert main([verb, str(folder)]) != 0
    return "".join(capsys.readouterr())


def elsewhere(copy: Copy, row: dict[str, Any], key: str, way: str) -> str:
    """A file outside with the bytes of a row's, and how the row names it."""
    own, other = copy.file(row[key]), copy.path.parent / Path(row[key]).name
    shutil.copy(own, other)
    if way == "link":
        own.unlink()
        own.symlink_to(other)
        return str(row[key])
    return str(other) if way == "absolute" else f"../{other.name}"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("verb", ["prove", "certify"])
@pytest.mark.parametrize("way", ["absolute", "above", "link"])
@pytest.mark.parametrize("key", ["object", "certificate"])
def test_no_file_outside_the_folder_is_read(
    key: str,
    way: str,
    verb: str,
    products: Path,
    arrays: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for folder, part in ((products, "kernels"), (arrays, "arrays")):
        copy = Copy(folder, tmp_path / part)
        row = copy.manifest[part][0]
        row[key] = elsewhere(copy, row, key, way)
        copy.write()
        said = refuses(verb, copy.path, capsys)
        assert said.count("\n") == 1 and "is not in the folder; build it again" in said


def test_a_folder_behind_a_link_is_proved(products: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(products)
    assert main(["prove", str(tmp_path / "link")]) == 0


def called(change: Callable[[list[str]], object]) -> Change:
    def changed(copy: Copy) -> None:
        change(copy.row(CHAIN)["called"])

    return changed


CALLED: dict[str, Change] = {
    "reversed": called(lambda texts: texts.reverse()),
    "one too few": called(lambda texts: texts.pop()),
    "one too many": called(lambda texts: texts.append(texts[0])),
    "a smaller multiple": called(
        lambda texts: texts.__setitem__(0, texts[0].replace('"multiple": 2', '"multiple": 1'))
    ),
    "none": called(lambda texts: texts.clear()),
}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", CALLED)
def test_the_routines_of_a_row_are_those_of_its_proof(
    name: str, chain: Path, checker: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", str(chain)]) == 0
    copy = Copy(chain, tmp_path)
    before = json.dumps(copy.manifest)
    CALLED[name](copy)
    assert json.dumps(copy.manifest) != before
    copy.sign()
    why = "the certificate is of other routines"
    assert why in refuses("certify", copy.path, capsys)
    assert why in said_of(checker, copy.path)[1]
    if name != "none":  # then prove proves the formula as a whole
        refuses("prove", copy.path, capsys)


def of_row(**values: object) -> Change:
    return lambda copy: copy.row(MUL).update(values)


def zero(number: str) -> str:
    return number.replace("0x", "0x0")


def proved_text(copy: Copy) -> None:
    row = copy.row(MUL)
    row["texts"] = dict.fromkeys(row["texts"], "PROVED")


ROWS: dict[str, tuple[Change, str]] = {
    "plain": (of_row(representation="plain"), "its representation is plain, and that of mul is"),
    "no form": (of_row(representation=None), ", and that of mul is montgomery"),
    "a text": (proved_text, f"of {MUL}.s"),
    "a key": (lambda copy: copy.row(MUL)["operands"][0].update(bits=3), ""),
    "a zero": (lambda copy: copy.manifest.update(p=zero(copy.manifest["p"])), "manifest"),
}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ROWS)
def test_all_three_refuse_a_manifest_with(
    name: str, products: Path, checker: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, (change, why) = Copy(products, tmp_path), ROWS[name]
    change(copy)
    copy.sign()
    status, said = said_of(checker, copy.path)
    assert status == 1 and why in said
    for verb in ("prove", "certify"):
        assert why in refuses(verb, copy.path, capsys).replace("'", "")


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row["operands"][0].update(bits=3),
        lambda row: row.update(R=zero(row["R"])),
    ],
    ids=["a key", "a zero"],
)
def test_the_checker_refuses_a_row_on_arrays_with(
    change: Callable[[dict[str, Any]], None], arrays: Path, checker: Path, tmp_path: Path
) -> None:
    copy = Copy(arrays, tmp_path)
    change(copy.manifest["arrays"][0])
    copy.write()
    status, said = said_of(checker, copy.path)
    assert status == 1 and "manifest.json: " in said
