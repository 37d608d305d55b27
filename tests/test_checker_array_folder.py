"""A folder of kernels on arrays: manifest, certificates and objects are of each other."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_folder import said_of
from sampling import sampled
from unfit_objects import elf_section

from fieldc.artifacts import checker as installed
from fieldc.cli import main
from fieldc.machine.processor import is_x86_64

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
Rows = dict[str, dict[str, Any]]
TARGETS = "avx512ifma,avx2"
ADD, SUB = "avx512ifma/add_lazy_digits", "avx512ifma/sub_lazy_digits"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two operations in three layouts, and sums; for two targets."""
    path = tmp_path_factory.mktemp("arrays") / "built"
    words = ["--batch", "--op", "add,sub,inner_product", "--target", TARGETS, "-o", str(path)]
    assert main(["build", "bn254-p", *words]) == 0
    return path


def rows_of(folder: Path) -> tuple[dict[str, Any], Rows]:
    manifest = json.loads((folder / "manifest.json").read_text())
    return manifest, {str(row["object"]).removesuffix(".o"): row for row in manifest["arrays"]}


def signed(folder: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest with the digests of the files as they are now."""
    for row in manifest["arrays"]:
        proof = (folder / row["certificate"]).read_bytes() if row["certificate"] else b""
        if proof:
            row["certificate_digest"] = hashlib.sha256(proof).hexdigest()
        texts = manifest["p"].encode(), row["contract"].encode(), proof
        parts = ((folder / row["object"]).read_bytes(), *texts)
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        row["digest"] = hashlib.sha256(digests).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_the_kernels_on_arrays_of_a_folder_are_checked(checker: Path, folder: Path) -> None:
    status, said = said_of(checker, folder)
    _, rows = rows_of(folder)
    assert status == 0, said
    assert f"; on arrays {len(rows)} PROVED by their certificates, 0 without" in said
    # Two targets have two operations in three layouts, and both kernels of sums.
    assert all(row["certificate"] for row in rows.values()) and len(rows) == 2 * (2 * 3 + 2)


def test_another_kind_of_kernel_is_named(checker: Path, folder: Path, tmp_path: Path) -> None:
    """One that the checker has no certificates for is counted, and is no fault."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    manifest, rows = rows_of(copy)
    row = rows[ADD]
    (copy / row["certificate"]).unlink()
    manifest["files"].remove(row["certificate"])
    row.update(certificate=None, certificate_digest=None, family="another", op="another")
    signed(copy, manifest)
    status, said = said_of(checker, copy)
    assert status == 0 and ", 1 without one" in said, said
    assert f"NO CERTIFICATE {row['symbol']}: that it is PROVED is the prover's word" in said
    data = bytearray((copy / row["object"]).read_bytes())
    elf_section(b".text", 16, "<Q", 64)(data)
    (copy / row["object"]).write_bytes(data)
    signed(copy, manifest)
    status, said = said_of(checker, copy)
    assert status == 1 and "has an address, 0x40" in said, said


@pytest.mark.parametrize("field", sampled(["2^127-1"], ["p521"]))
def test_values_below_5p_have_the_layout_of_digits(
    field: str, checker: Path, tmp_path: Path
) -> None:
    words = ["--batch", "--op", "butterfly", "--target", "avx512ifma", "-o", str(tmp_path / "made")]
    assert main(["build", field, *words]) == 0
    assert '"5p"' in (tmp_path / "made" / "manifest.json").read_text()
    status, said = said_of(checker, tmp_path / "made")
    assert status == 0 and "; on arrays 3 PROVED by their certificates, 0 without one" in said, said


def changed(**values: object) -> Callable[[Path, Rows], None]:
    """Another value in the row of the sum."""
    return lambda _, rows: rows[ADD].update(values)


def swap_objects(folder: Path, rows: Rows) -> None:
    a, b = folder / rows[ADD]["object"], folder / rows[SUB]["object"]
    first, second = a.read_bytes(), b.read_bytes()
    a.write_bytes(second)
    b.write_bytes(first)


def swap_certificates(_: Path, rows: Rows) -> None:
    a, b = rows[ADD], rows[SUB]
    a["certificate"], b["certificate"] = b["certificate"], a["certificate"]


def claim_a_difference(_: Path, rows: Rows) -> None:
    rows[ADD].update(op="sub_lazy", family="sub")


def no_certificate(folder: Path, rows: Rows) -> None:
    rows[ADD].update(certificate=None, certificate_digest=None)


def change_code(folder: Path, rows: Rows) -> None:
    path = folder / rows[ADD]["object"]
    data = path.read_bytes()
    assert data.count(b"\x62\xf1\xfd\x48\xd4\x01") == 1  # vpaddq zmm0, zmm0, [rcx]
    path.write_bytes(data.replace(b"\x62\xf1\xfd\x48\xd4\x01", b"\x62\xf1\xfd\x48\xfb\x01"))


FAULTS: dict[str, tuple[Callable[[Path, Rows], None], str]] = {
    "objects swapped": (swap_objects, "has no function"),
    "certificates swapped": (swap_certificates, "is of another symbol"),
    "another operation": (claim_a_difference, "the certificate is of another one"),
    "changed code": (change_code, "add_lazy_digits.cert.json: block: "),
    "another layout": (changed(layout="canonical-digits"), "its layout is another one"),
    "other words": (changed(n=6), "the certificate has other words"),
    "other bits": (changed(word=64), "the certificate has other words"),
    "another R": (changed(R="0x10"), "R is not 2^(word*n)"),
    "other parameters": (changed(parameters={}), "the certificate has other parameters"),
    "other operands": (changed(operands=[]), "its operands or its result are not those"),
    "another target": (changed(target="avx512"), "its symbol does not say"),
    "another convention": (changed(convention="win64"), "another convention"),
    "another word for trust": (changed(status="TESTED"), "a kernel on arrays is TESTED"),
    "a certificate left out": (changed(certificate=None), "that certificate_digest is of"),
    "no certificate at all": (no_certificate, "add_digits_avx512ifma: it has no certificate"),
    "a missing certificate": (changed(certificate="x.cert.json"), "there is no x.cert.json"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_folder_of_arrays_is_refused(
    checker: Path, folder: Path, tmp_path: Path, fault: str
) -> None:
    copy, (change, why) = tmp_path / "copy", FAULTS[fault]
    shutil.copytree(folder, copy)
    manifest, rows = rows_of(copy)
    change(copy, rows)
    if fault == "a missing certificate":
        (copy / "manifest.json").write_text(json.dumps(manifest))
    else:
        signed(copy, manifest)
    status, said = said_of(checker, copy)
    assert status == 1 and why in said and "panicked" not in said, said


@pytest.mark.parametrize("part", ["object", "contract", "certificate", "digest"])
@pytest.mark.parametrize("stem", [ADD, "avx2/accumulate_columns"])
def test_the_digest_of_a_kernel_on_arrays_is_checked(
    checker: Path, folder: Path, tmp_path: Path, stem: str, part: str
) -> None:
    """Of every target."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    manifest, rows = rows_of(copy)
    row = rows[stem]
    if part == "object":
        path = copy / row["object"]
        path.write_bytes(path.read_bytes() + b"\0")
    elif part == "certificate":
        row.update(certificate=None, certificate_digest=None)
    else:
        row[part] += "0"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    status, said = said_of(checker, copy)
    assert status == 1 and f"{row['symbol']}: its files are not those that" in said, said


def test_build_runs_the_checker_on_kernels_on_arrays(
    checker: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(installed.shutil, "which", lambda _: str(checker))
    words = ["--batch", "--op", "neg", "--target", "avx512ifma", "-o", str(tmp_path / "out")]
    assert main(["build", "bn254-p", *words]) == 0
    said = capsys.readouterr().out
    assert "on arrays 2 PROVED by their certificates, 0 without one" in said
    assert "NO CERTIFICATE" not in said
