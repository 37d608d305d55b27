"""A proof is of the routine that is named: of that very name, and where only one has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc.artifacts.foreign import contract_in_file, prove_foreign
from fieldc.binary.archive import MAGIC
from fieldc.binary.image import ObjectError
from fieldc.binary.read import read_image
from fieldc.cli import main
from fieldc.machine.assemble import assemble

P = (1 << 64) - 59
SAME = 'claim = "z = x"\narguments = ["z", "x"]\n'
RIGHT = "mov rax, [rsi]\nmov [rdi], rax\nret\n"
WRONG = "mov qword ptr [rdi], 7\nret\n"
APPLE = "x86_64-apple-darwin"
LOCAL = ".type {0}, @function\n{0}:\n"
SHARED = ".globl {0}\n{0}:\n"


def assembled(*routines: tuple[str, str], triple: str = "x86_64-unknown-linux-gnu") -> bytes:
    """An object of routines, each by how it begins and by its code."""
    text = "".join(begin + code for begin, code in routines)
    return assemble(f".intel_syntax noprefix\n.text\n{text}", triple)


def archive(**members: bytes) -> bytes:
    """An archive of members by their names, which have no dot here."""
    made = MAGIC
    for name, data in members.items():
        head = f"{name}.o/".ljust(48) + str(len(data)).ljust(10) + "`\n"
        made += head.encode() + data + b"\n" * (len(data) % 2)
    return made


def said(
    folder: Path, capsys: pytest.CaptureFixture[str], data: bytes, symbol: str, *words: str
) -> tuple[int, str]:
    """What prove says of a routine of a file."""
    (folder / "f").write_bytes(data)
    (folder / "same.toml").write_text(SAME)
    contract = ["--contract", str(folder / "same.toml"), "--field", hex(P)]
    capsys.readouterr()
    status = main(["prove", str(folder / "f"), "--symbol", symbol, *contract, *words])
    return status, "".join(capsys.readouterr())


def local(name: str) -> str:
    return LOCAL.format(name)


def shared(name: str) -> str:
    return SHARED.format(name)


REFUSED = {
    "a part of a name": (
        assembled((shared("fe_copy_slow"), RIGHT)),
        "fe_copy",
        "no function 'fe_copy'; the nearest: 'fe_copy_slow'",
    ),
    "a part, beside a wrong one without a type": (
        assembled(("f:\n", WRONG), (shared("old_f"), RIGHT)),
        "f",
        "'f' is a local symbol without a type, so it is not known to be a function; name it by "
        "its address: 0x10000",
    ),
    "an underscore that is not Mach-O's": (
        assembled((shared("_f"), RIGHT)),
        "f",
        "no function 'f'; the nearest: '_f'",
    ),
    "no name": (assembled((shared("f"), RIGHT)), "o", "no function 'o'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_another_routine_is_not_proved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, symbol, why = REFUSED[name]
    status, text = said(tmp_path, capsys, data, symbol)
    assert status == 2 and why in text and text.count("\n") == 1


def test_the_routine_of_the_very_name_is_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = assembled((shared("f"), RIGHT), (shared("old_f"), WRONG))
    assert said(tmp_path, capsys, both, "f")[0] == 0
    assert said(tmp_path, capsys, both, "old_f")[0] == 1
    apple = assembled((".globl _f\n_f:\n", RIGHT), triple=APPLE)
    assert said(tmp_path, capsys, apple, "f")[0] == said(tmp_path, capsys, apple, "_f")[0] == 0


def twice() -> bytes:
    """An object with two local functions of one name, as a linker makes it of two."""
    data = assembled((local("f"), RIGHT), (local("g"), WRONG))
    names = data.rindex(b"\0g\0")
    return data[: names + 1] + b"f" + data[names + 2 :]


def test_two_functions_of_a_name_are_told_by_their_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text = said(tmp_path, capsys, twice(), "f")
    assert (status, text.count("\n")) == (2, 1)
    assert "2 functions are called 'f'; name one by its address: 0x10000, 0x10007" in text
    assert said(tmp_path, capsys, twice(), "0x10000")[0] == 0
    assert said(tmp_path, capsys, twice(), "0x10007")[0] == 1
    with pytest.raises(ObjectError, match="2 functions are called 'f'"):
        prove_foreign(read_image(twice()), "f", contract_in_file(SAME, 1), P)


def test_two_members_of_an_archive_with_one_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right, wrong = assembled((shared("f"), RIGHT)), assembled((shared("f"), WRONG))
    for members in ({"a": right, "b": wrong}, {"a": wrong, "b": right}):
        status, text = said(tmp_path, capsys, archive(**members), "f")
        assert (status, text.count("\n")) == (2, 1)
        assert "2 members have 'f': 'a.o', 'b.o'; take out the one that is meant (ar x)" in text
        assert "may be in any of 2 members" in said(tmp_path, capsys, archive(**members), "0x0")[1]


def test_the_member_of_an_archive_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = archive(a=assembled((shared("g"), WRONG)), b=assembled((shared("f"), RIGHT)))
    status, text = said(tmp_path, capsys, data, "f")
    assert status == 0 and "b.o" in text
    (row,) = json.loads(said(tmp_path, capsys, data, "f", "--json")[1])
    assert (row["kernel"], row["member"], row["status"]) == ("f", "b.o", "PROVED")
    (row,) = json.loads(said(tmp_path, capsys, assembled((shared("f"), RIGHT)), "f", "--json")[1])
    assert row["member"] == ""
    assert "no function 'h'" in said(tmp_path, capsys, data, "h")[1]


def test_memory_is_at_one_place() -> None:
    """A contract's memory is about one of two places of a name, and nobody knows which."""
    contract = contract_in_file(SAME + 'memory = {"f+100" = "0x0 of 8 bytes"}\n', 1)
    with pytest.raises(ObjectError, match="2 places of the file are called 'f'"):
        prove_foreign(read_image(twice()), "0x10000", contract, P)


SUM = """mov rax, [rsi]
mov r8, -59
sub r8, [rdx]
mov rcx, [rdx]
add rcx, rax
sub rax, r8
cmovb rax, rcx
mov [rdi], rax
ret
"""


def test_an_operation_comes_before_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`cc -o add` leaves such a file; a contract of that name is ./add."""
    monkeypatch.chdir(tmp_path)
    Path("f.o").write_bytes(assembled((SHARED.format("f"), SUM)))
    words = ["prove", "f.o", "--symbol", "f", "--field", str(P), "--contract"]
    Path("add").write_bytes(b"\x7fELF\xff")
    assert main([*words, "add"]) == 0
    Path("add").write_text(SAME.replace('"x"]', '"x", "y"]'))
    assert main([*words, "add"]) == 0
    assert main([*words, "./add"]) == 1
    capsys.readouterr()
