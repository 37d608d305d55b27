"""The checker refuses a built folder of which anything is not what its manifest says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from checked_folder import Copy, said_of
from package_c import Packages

from fieldc.artifacts import checker as installed
from fieldc.artifacts.checker import NotCertified, certified
from fieldc.artifacts.write import LEFT_BY_TOOLS, PACKED
from fieldc.catalogue import find_field
from fieldc.cli import main

FIELD = find_field("secp256k1-p")
TARGETS = "x86_64-linux,x86_64-windows,aarch64-linux,c"
ADD, SUB = "x86_64-linux/add_base", "x86_64-linux/sub_base"
ARM_ADD, ARM_SUB = "aarch64-linux/add_aarch64", "aarch64-linux/sub_aarch64"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certified") / "built"
    words = ["--op", "add,sub,redc", "--target", TARGETS, "-o", str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.devnull)  # nothing checks it before the tests do
        assert main(["build", FIELD.name, *words]) == 0
    return folder


def test_a_folder_as_it_was_built_passes(checker: Path, built: Path, tmp_path: Path) -> None:
    rows = json.loads((built / "manifest.json").read_text())["kernels"]
    count = sum(bool(row["certificate"]) for row in rows)
    status, said = said_of(checker, built)
    assert status == 0 and said.count("\n") == 1
    assert said.startswith(f"CHECKED {built}: {count} kernels PROVED by their certificates, ")
    copy = Copy(built, tmp_path)
    copy.sign()  # what the tests below sign is signed as a build is
    assert said_of(checker, copy.path)[0] == 0


def test_one_kernel_is_one(checker: Path, built: Path, tmp_path: Path) -> None:
    copy = Copy(built, tmp_path)
    copy.manifest["kernels"] = [copy.row(ADD)]
    for path in built.rglob("*"):
        if path.is_file() and path.name != "manifest.json" and f"{ADD}." not in path.as_posix():
            copy.file(path.relative_to(built).as_posix()).unlink()
    copy.sign()
    status, said = said_of(checker, copy.path)
    assert status == 0 and ": 1 kernel PROVED by their certificates, 0 not PROVED" in said


def test_nobody_need_read_what_the_checker_says(checker: Path, built: Path) -> None:
    """Its status says the same. A line that cannot be written, as on a full disk, is a failure."""
    for option in ([], ["--json"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([checker, *option, built], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, b"")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([checker, built], stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 1 and done.stderr.startswith(b"FAILED to write: ")


def rename(data: bytes, old: str, new: str) -> bytes:
    """Another symbol of the same length, in an object or a certificate."""
    assert len(old) == len(new) and old.encode() in data
    return data.replace(old.encode(), new.encode())


def swap_kernels(copy: Copy, add: str = ADD, sub: str = SUB) -> None:
    """A right proof of a subtraction, under the name of an addition."""
    symbols = copy.row(sub)["symbol"], copy.row(add)["symbol"]
    for end in (".o", ".cert.json"):
        data = copy.file(f"{sub}{end}").read_bytes()
        copy.file(f"{add}{end}").write_bytes(rename(data, *symbols))
    copy.sign()


def swap_names(copy: Copy) -> None:
    """The same, and the row says that it is a subtraction."""
    swap_kernels(copy)
    add, sub = copy.row(ADD), copy.row(SUB)
    add.update({key: sub[key] for key in ("op", "family", "contract", "stack")})
    copy.sign()


def swap_objects(copy: Copy) -> None:
    symbols = copy.row(SUB)["symbol"], copy.row(ADD)["symbol"]
    copy.file(f"{ADD}.o").write_bytes(rename(copy.file(f"{SUB}.o").read_bytes(), *symbols))
    copy.sign()


def swap_systems(copy: Copy) -> None:
    """Windows' kernel for Linux."""
    for end in (".o", ".cert.json"):
        data = copy.file(f"{ADD.replace('linux', 'windows')}{end}").read_bytes()
        copy.file(f"{ADD}{end}").write_bytes(data)
    copy.sign()


def change_row(stem: str, **changes: object) -> Callable[[Copy], None]:
    def change(copy: Copy) -> None:
        copy.row(stem).update(changes)
        copy.sign()

    return change


def change_manifest(**changes: object) -> Callable[[Copy], None]:
    def change(copy: Copy) -> None:
        copy.manifest.update(changes)
        copy.sign()

    return change


def add_file(path: str, data: bytes, is_named: bool = False) -> Callable[[Copy], None]:
    def change(copy: Copy) -> None:
        copy.file(path).write_bytes(data)
        copy.sign() if is_named else None

    return change


def remove(path: str) -> Callable[[Copy], None]:
    return lambda copy: copy.file(path).unlink()


def change_object(copy: Copy) -> None:
    with copy.file(f"{ADD}.o").open("ab") as file:
        file.write(b"\0")


def no_certificate(copy: Copy, stem: str = ADD) -> None:
    copy.row(stem).update(certificate=None, certificate_digest=None)
    copy.file(f"{stem}.cert.json").unlink()
    copy.sign()


def forget_row(copy: Copy) -> None:
    copy.manifest["kernels"].remove(copy.row(ADD))
    copy.sign()


def twice(copy: Copy) -> None:
    copy.manifest["kernels"].append(copy.row(ADD))
    copy.sign()


def link(copy: Copy) -> None:
    path = copy.file(f"{ADD}.o")
    path.rename(copy.path.parent / "elsewhere.o")
    path.symlink_to(copy.path.parent / "elsewhere.o")


def change_byte(path: str) -> Callable[[Copy], None]:
    def change(copy: Copy) -> None:
        data = copy.file(path).read_bytes()
        copy.file(path).write_bytes(data.replace(b"\xc3", b"\x90", 1))
        assert copy.file(path).read_bytes() != data
        copy.sign()

    return change


FAULTS: dict[str, tuple[Callable[[Copy], None], str]] = {
    "sub's kernel under add's name": (swap_kernels, "the certificate is of sub"),
    "sub's kernel and row under add's symbol": (swap_names, "its symbol does not say sub_base"),
    "sub's object with add's certificate": (swap_objects, f"{ADD}.cert.json: "),
    "another system's kernel": (swap_systems, "the object's format is Coff"),
    "another prime": (change_manifest(p=hex(FIELD.p - 4)), "the certificate's prime is"),
    "another R": (change_manifest(R=hex(FIELD.R * 2)), "R is not 2^(word*n)"),
    "other limbs": (change_manifest(n=5, R=hex(FIELD.R << 64)), "p has not n = 5 words of 64 bits"),
    "another family": (change_row(ADD, family="double"), "the certificate's family is add"),
    "other parameters": (change_row(ADD, parameters={"lazy": 1}), "has other parameters"),
    "unknown parameters": (change_row(ADD, parameters={"x": 1}), "its parameters: unknown"),
    "another convention": (change_row(ADD, convention="win64"), "is win64, not sysv"),
    "another stack": (change_row(ADD, stack=80), "the certificate's stack is"),
    "other operands": (change_row(ADD, operands=[]), "its operands or its result"),
    "another word for trust": (change_row(ADD, status="SURE"), "SURE is no word for trust"),
    "proved without saying so": (change_row(ADD, status="TESTED"), "is not PROVED"),
    "no certificate": (no_certificate, "it is PROVED and has no certificate"),
    "AArch64's sub under add's name": (
        lambda copy: swap_kernels(copy, ARM_ADD, ARM_SUB),
        "the certificate is of sub",
    ),
    "no certificate for AArch64": (
        lambda copy: no_certificate(copy, ARM_ADD),
        "it is PROVED and has no certificate",
    ),
    "another convention of AArch64": (change_row(ARM_ADD, convention="apple"), "not aapcs64"),
    "another system of AArch64": (change_row(ARM_ADD, target="aarch64-macos"), "format is Elf"),
    "an object of another processor": (change_row(ADD, target="aarch64-linux"), "is not for"),
    "proved, a text": (change_row("c/add_portable", status="PROVED"), "and has no object"),
    "two kernels of one name": (twice, "x86_64-linux: two kernels are called"),
    "a row left out": (forget_row, f"{ADD}.cert.json is of no kernel"),
    "a missing object": (remove(f"{ADD}.o"), f"{ADD}.o is missing"),
    "a missing certificate": (remove(f"{ADD}.cert.json"), f"{ADD}.cert.json is missing"),
    "a missing text": (remove(f"{ADD}.s"), f"{ADD}.s is missing"),
    "a missing manifest": (remove("manifest.json"), "there is no manifest.json"),
    "an extra file": (add_file("more.txt", b""), "more.txt is not named in manifest.json"),
    "an extra object": (add_file("m.o", b"", is_named=True), "m.o is of no kernel"),
    "an extra certificate": (add_file("m.cert.json", b"", True), "m.cert.json is of no kernel"),
    "a link": (link, f"{ADD}.o is no regular file"),
    "a longer object": (change_object, "its files are not those that the digest is of"),
    "a changed certificate's digest": (
        lambda copy: (copy.row(ADD).update(certificate_digest="0" * 64), copy.write())[0],
        "is not the one that certificate_digest is of",
    ),
    "changed code": (change_byte(f"{ADD}.o"), f"{ADD}.cert.json: "),
    "no kernels": (change_manifest(kernels=[]), "it names no kernel"),
    "no manifest": (add_file("manifest.json", b"{}"), "manifest.json: missing field"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_checker_refuses_a_folder_with(
    checker: Path, built: Path, tmp_path: Path, name: str
) -> None:
    change, expected = FAULTS[name]
    copy = Copy(built, tmp_path)
    change(copy)
    status, said = said_of(checker, copy.path)
    assert status == 1 and expected in said, said
    assert all(line.startswith(f"FAILED {copy.path}: ") for line in said.splitlines())


def test_every_fault_has_a_line(checker: Path, built: Path, tmp_path: Path) -> None:
    copy = Copy(built, tmp_path)
    copy.row(ADD).update(stack=80)
    copy.row(SUB).update(stack=80)
    copy.sign()
    copy.file("more.txt").write_bytes(b"")
    status, said = said_of(checker, copy.path)
    assert status == 1 and said.count("\n") == 3, said


def test_a_package_is_checked(checker: Path, tmp_path: Path, packages: Packages) -> None:
    folder = tmp_path / "package"
    packages("goldilocks", folder)
    (folder / "a.out").write_bytes(b"")
    status, said = said_of(checker, folder)
    assert status == 0 and " 120 kernels PROVED by their certificates" in said
    assert "; not read: a.out\n" in said
    (folder / "Cargo.lock").write_bytes(b"")  # of another kind of package
    assert said_of(checker, folder)[1].endswith(": Cargo.lock is not named in manifest.json\n")
    (folder / "Cargo.lock").unlink()
    beside = folder / "proofs/x86_64-linux"
    for end in (".o", ".cert.json"):
        shutil.copy(beside / f"sub_base{end}", beside / f"add_base{end}")
    status, said = said_of(checker, folder)
    assert status == 1 and "digest" in said


def test_a_rust_package_is_checked(checker: Path, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    assert main(["build", "2^61-1", "--package", "rust", "-o", str(folder)]) == 0
    kernels = json.loads((folder / "manifest.json").read_text())["arrays"]
    status, said = said_of(checker, folder)
    proved = f" 0 not PROVED; on arrays {len(kernels)} PROVED by their certificates, 0 without"
    assert status == 0 and proved in said and kernels
    (folder / "Cargo.lock").write_text("version = 4\n")
    (folder / "target" / "debug").mkdir(parents=True)
    (folder / "target" / "debug" / "lib.rlib").write_bytes(b"")
    status, said = said_of(checker, folder)  # no folder of cargo, which begins with its tag
    assert status == 1 and "target/debug/lib.rlib is not named in manifest.json" in said
    (folder / "target" / "CACHEDIR.TAG").write_text("")
    status, said = said_of(checker, folder)
    assert status == 0 and "; not read: Cargo.lock, target\n" in said
    (folder / kernels[0]["object"]).write_bytes(b"")
    status, said = said_of(checker, folder)
    assert status == 1 and kernels[0]["object"] in said


def test_a_javascript_package_is_checked(checker: Path, tmp_path: Path) -> None:
    """By name and version npm calls what it packs; another archive is no work of npm."""
    folder = tmp_path / "package"
    assert main(["build", "17", "--package", "js", "-o", str(folder)]) == 0
    named = json.loads((folder / "package.json").read_text())
    packed = f"{named['name']}-{named['version']}.tgz"
    (folder / "node_modules" / "other").mkdir(parents=True)
    for path in ("package-lock.json", "node_modules/other/index.js", packed):
        (folder / path).write_text("{}")
    status, said = said_of(checker, folder)
    assert status == 1 and "node_modules/other/index.js is not named in manifest.json" in said
    (folder / "node_modules" / ".package-lock.json").write_text("{}")
    status, said = said_of(checker, folder)
    assert status == 0 and f"; not read: package-lock.json, node_modules, {packed}\n" in said
    (folder / "more.tgz").write_bytes(b"")
    assert said_of(checker, folder)[1].endswith(": more.tgz is not named in manifest.json\n")


def test_both_programs_know_the_same_that_tools_leave() -> None:
    text = (Path(__file__).parents[1] / "crates/check/src/gathered.rs").read_text()
    table = text.partition("const LEFT: ")[2].partition("];\n")[0].replace("PACKED", f'"{PACKED}"')
    assert f'const PACKED: &str = "{PACKED}";' in text
    rows = [
        (kind, name, shows) for kind, left in LEFT_BY_TOOLS.items() for name, shows in left.items()
    ]
    assert re.findall(r'\("(.*?)", "(.*?)", "(.*?)"\)', table) == rows


def test_what_is_not_read_is_no_kernel(checker: Path, built: Path, tmp_path: Path) -> None:
    copy = Copy(built, tmp_path)
    copy.manifest["kind"] = "Rust package"
    (copy.path / "target").mkdir()
    (copy.path / "target" / "CACHEDIR.TAG").write_text("")
    moved = copy.row(ADD)["object"]
    shutil.move(copy.file(moved), copy.path / "target")
    copy.row(ADD)["object"] = f"target/{Path(moved).name}"
    copy.write()
    status, said = said_of(checker, copy.path)
    assert status == 1 and f"there is no target/{Path(moved).name}" in said


def test_the_objects_beside_a_packages_certificates_are_checked(
    checker: Path, tmp_path: Path, packages: Packages
) -> None:
    folder = tmp_path / "package"
    packages("goldilocks", folder)
    beside = folder / "proofs/x86_64-linux"
    shutil.copy(beside / "sub_base.o", beside / "add_base.o")
    status, said = said_of(checker, folder)
    assert status == 1 and said.count("\n") == 1
    assert "proofs/x86_64-linux/add_base.o: the object has no function" in said


def test_build_runs_the_checker_where_it_is_installed(
    checker: Path,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(installed.shutil, "which", lambda _: str(checker))
    words = ["--op", "add", "--target", "x86_64-linux", "-o", str(tmp_path / "out")]
    assert main(["build", FIELD.name, *words]) == 0
    assert "fieldc-check: 3 kernels PROVED by their certificates" in capsys.readouterr().out
    copy = Copy(built, tmp_path)
    swap_kernels(copy)
    files = {path: copy.file(path).read_bytes() for path in copy.manifest["files"]}
    with pytest.raises(NotCertified, match=r"refuses the build: .* the certificate is of sub$"):
        certified(files)


def test_a_build_that_the_checker_refuses_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "fieldc-check"
    program.write_text(
        "#!/bin/sh\necho 'FAILED .: first' >&2\necho 'FAILED .: second' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(installed.shutil, "which", lambda _: str(program))
    words = ["--op", "add", "--target", "x86_64-linux", "-o", str(tmp_path / "out")]
    assert main(["build", FIELD.name, *words]) == 1
    assert "fieldc-check refuses the build: first (and 1 more)" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
