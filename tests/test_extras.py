"""Landing pads and unwind data: kernels with them are proved from all of their bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import capstone
import lief
import pytest
from forged import run

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.assemble import assemble, host_triple
from fieldc.targets.extras import Extras
from fieldc.targets.registry import TARGETS as ALL_TARGETS

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the host is not x86-64")
ENDBR64, BTI_C = bytes.fromhex("f30f1efa"), bytes.fromhex("5f2403d5")
X86_LINUX = ALL_TARGETS["x86_64-linux"]
TARGETS = {"x86_64-linux": ENDBR64, "aarch64-linux": BTI_C, "aarch64-macos": BTI_C}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A product and a sum with landing pads, on three targets."""
    folder = tmp_path_factory.mktemp("extras") / "built"
    words = ["build", "bn254-p", "--op", "mul,add", "--target", ",".join(TARGETS), "--no-cache"]
    assert main([*words, "--landing-pads", "-o", str(folder)]) == 0
    return folder


def test_kernels_begin_with_a_landing_pad_and_are_proved(built: Path) -> None:
    kernels = json.loads((built / "manifest.json").read_text())["kernels"]
    assert len(kernels) == 10 and {k["status"] for k in kernels} == {"PROVED"}
    for kernel in kernels:
        function = function_of((built / kernel["object"]).read_bytes(), kernel["symbol"])
        assert function.code[function.start :].startswith(TARGETS[kernel["target"]])
        text = (built / kernel["file"]).read_text()
        assert "--landing-pads" in text and ("endbr64" in text or "hint #34" in text)


def note_in(data: bytes) -> bytes:
    """What an object says of itself to linkers."""
    elf = lief.ELF.parse(list(data))
    assert elf is not None
    section = elf.get_section(".note.gnu.property")
    assert section is not None
    return bytes(section.content)


def test_linkers_are_told(built: Path) -> None:
    """The note that a linker asks of every object, in the text too."""
    for name, bits in (("x86_64-linux/mul_adx", 3), ("aarch64-linux/mul_aarch64", 1)):
        note = note_in((built / f"{name}.o").read_bytes())
        assert int.from_bytes(note[24:28], "little") == bits
        assert ".note.gnu.property" in (built / f"{name}.s").read_text()
    kernel = built / "x86_64-linux" / "mul_adx.s"
    data = assemble(kernel.read_text(), host_triple())
    assert note_in(data) == note_in(kernel.with_suffix(".o").read_bytes())


def test_the_checker_replays_them(built: Path, checker: Path) -> None:
    status, said = run(checker, [built])
    assert status == 0, said


@pytest.mark.parametrize("operation", ["mul", "fp2_mul"])
def test_unwind_data_follows_the_stack(operation: str, tmp_path: Path) -> None:
    """At each instruction the table says where the frame is and what was pushed."""
    if shutil.which("readelf") is None:
        pytest.skip("SKIPPED: there is no readelf")
    target = replace(X86_LINUX, extras=Extras(landing_pads=True, unwind=True))
    for artifact in target.produce(choose(find_field("bls12-381-p"), operation)):
        path = tmp_path / f"{artifact.variant}.o"
        assert artifact.code is not None
        path.write_bytes(artifact.code)
        rows = unwind_rows(path)
        places = stack_by_place(function_of(artifact.code, artifact.symbol).code)
        assert set(rows) == {at for at, _, changes in places if changes}
        said: tuple[int, dict[str, int]] = (8, {})
        for at, expected, _ in places:
            said = rows.get(at, said)
            assert said == expected, (artifact.symbol, hex(at))
        assert any(saved for _, (_, saved), _ in places)


def test_the_code_is_the_same_with_unwind_data() -> None:
    expression = choose(find_field("goldilocks"), "mul")
    plain, more = (
        [function_of(a.code, a.symbol).code for a in target.produce(expression) if a.code]
        for target in (X86_LINUX, replace(X86_LINUX, extras=Extras(unwind=True)))
    )
    assert plain == more


@pytest.mark.parametrize("extras", [["--unwind"], ["--unwind", "--landing-pads"]])
def test_a_build_with_unwind_data(extras: list[str], checker: Path, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    words = ["build", "goldilocks", "--op", "add", "--target", "x86_64-linux", *extras]
    assert main([*words, "-o", str(folder)]) == 0
    assert ".cfi_endproc" in (folder / "x86_64-linux" / "add_base.s").read_text()
    assert run(checker, [folder])[0] == 0


def unwind_rows(path: Path) -> dict[int, tuple[int, dict[str, int]]]:
    """By place: how far the frame is from the stack pointer, and saved registers from the frame."""
    command = ["readelf", "--debug-dump=frames-interp", "--wide", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    _, _, text = text.partition("FDE")
    _, _, text = text.partition("LOC")
    head, *lines = text.strip().splitlines()
    columns = ["loc", *head.split()]
    found = {}
    for line in filter(None, lines):
        row = dict(zip(columns, line.split(), strict=True))
        saved = {name: -int(place[1:]) for name, place in row.items() if place.startswith("c-")}
        assert saved.pop("ra") == 8
        found[int(row["loc"], 16)] = int(row["CFA"].removeprefix("rsp+")), saved
    return found


def stack_by_place(code: bytes) -> list[tuple[int, tuple[int, dict[str, int]], bool]]:
    """Each instruction's place, what holds before it, and whether the one before changed that."""
    engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    depth, saved, changes = 8, dict[str, int](), True
    found = []
    for at, _, name, operands in engine.disasm_lite(code, 0):
        found.append((at, (depth, dict(saved)), changes))
        first, _, amount = operands.partition(", ")
        moves = first == "rsp" and name != "test"
        changes = moves or name in ("push", "pop")
        if name == "push":
            depth += 8
            saved[first] = depth
        elif name == "pop":
            depth -= 8
            del saved[first]
        elif moves:
            depth += int(amount, 0) * (1 if name == "sub" else -1)
        if name == "ret":
            break
    return found


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--target", "riscv64-linux", "--landing-pads"],
            "cannot have landing pads; leave out --landing-pads",
        ),
        (["--target", "aarch64-macos", "--unwind"], "cannot have unwind data; leave out --unwind"),
        (["--target", "x86_64-windows", "--landing-pads"], "leave out --landing-pads"),
        (["--package", "c", "--landing-pads"], "leave out --package"),
        (["--batch", "--unwind"], "leave out --batch"),
    ],
)
def test_what_cannot_be_added(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "goldilocks", "--op", "add", *words, "-o", str(tmp_path / "x")]) == 2
    assert says in capsys.readouterr().err
