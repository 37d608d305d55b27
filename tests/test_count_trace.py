"""fieldc count and fieldc trace as they are typed, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab_code import TRIPLES, caller, kernel

from fieldc import cli
from fieldc.binary.image import no_function
from fieldc.binary.read import read_image
from fieldc.binary.relocate import link
from fieldc.catalogue import find_field
from fieldc.counting.functions import open_file
from fieldc.counting.limits import all_bounds
from fieldc.errors import UserError
from fieldc.lab.trace import Request, trace

LINUX = "x86_64-unknown-linux-gnu"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Objects to name on a command line."""
    (tmp_path / "mul.o").write_bytes(kernel("mulx"))
    (tmp_path / "arm.o").write_bytes(kernel("aarch64-linux"))
    (tmp_path / "calls.o").write_bytes(caller(LINUX))
    (tmp_path / "empty.o").write_bytes(b"")
    (tmp_path / "text.o").write_text("no object")
    (tmp_path / "cut.o").write_bytes(kernel("mulx")[:-200])
    (tmp_path / "head.o").write_bytes(kernel("mulx")[:70])
    narrow = bytearray(kernel("mulx"))
    narrow[4] = 1
    (tmp_path / "narrow.o").write_bytes(narrow)
    other = bytearray(kernel("mulx"))
    other[18:20] = b"\x15\0"
    (tmp_path / "power.o").write_bytes(other)
    return tmp_path


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a good command line prints."""
    assert cli.main(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_the_nearest_name_can_be_copied() -> None:
    name = "_fieldc_p273_1611a78f_sum_of_products_plain_aarch64"
    assert no_function("nothing", [name]) == f"no function 'nothing'; the nearest: '{name}'"


REFUSED = [
    ("mul.o:kernle", "no function 'kernle'; the nearest: 'kernel'"),
    ("calls.o:s", "4 functions have 's' in their names, such as 'loops', 'looks_up', 'calls_out'"),
    ("empty.o:f", "the file is empty"),
    ("text.o:f", "this is no ELF, Mach-O or COFF file"),
    ("cut.o:f", "truncated or damaged"),
    ("head.o:f", "truncated or damaged"),
    ("narrow.o:f", "32 bits"),
    ("power.o:f", "no decoder for 'ppc64'; there are x86_64, aarch64, riscv64"),
    ("none.o:f", "No such file"),
    (":f", "is a folder; name a file of code"),
    ("", "is a folder; name a file of code, such as"),
]


@pytest.mark.parametrize("verb", ["count", "trace"])
@pytest.mark.parametrize(("path", "message"), REFUSED, ids=[p or "folder" for p, _ in REFUSED])
def test_refused_in_one_line(
    verb: str, path: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main([verb, str(folder / path) if path not in ("", ":f") else f"{folder}{path}"]) == 2
    )
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert message in captured.err and captured.err.startswith("fieldc: ")


def test_a_folder_has_no_routines_to_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["prove", str(folder), "--list"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert "is a folder; name a file of code, such as" in captured.err
    assert captured.err.endswith("/arm.o'\n")


BAD_TRACES = [
    (["calls.o:loops", "--limit", "100"], "no return within 100 instructions"),
    (["calls.o:calls_out"], "calls outside, which is in another file"),
    (["mul.o"], "trace needs PATH:SYMBOL"),
    (["mul.o:kernel", "--arguments", "z,x,y,"], "'z,x,y,' has an empty argument"),
    (["mul.o:kernel", "--arguments", "z,x,p"], "the argument p needs --field"),
    (["mul.o:kernel", "--arguments", "z,x,n0"], "the argument n0 needs --field"),
    (["mul.o:kernel", "--arguments", "z,x", "--y", "1"], "no argument is y; they are z,x"),
    (["mul.o:kernel", "--arguments", ",".join("1" * 13)], "at most 12 arguments"),
    (["mul.o:kernel", "--x", "ten"], "'ten' is no whole number"),
    (["mul.o:kernel", "--limit", "0"], "not a whole number from 1"),
    (["mul.o:kernel", "--convention", "aapcs64"], "x86_64 has no aapcs64; use sysv or win64"),
    (["mul.o:kernel", "--processor", "zen5"], "the nearest: zen-5"),
    (["mul.o:kernel", "--processor", "apple-m1"], "apple-m1 does not run x86_64"),
    (["mul.o:kernel", "--field", "15"], "composite"),
    (
        ["mul.o:kernel", "--limbs", "6", "--x", hex(1 << 384)],
        "'x' has 385 bits, more than fit --limbs 6; it needs --limbs 7",
    ),
    (
        ["mul.o:kernel", "--limbs", "4"],
        "writes 6 words to z; --limbs 4 does not fit; use --limbs 6",
    ),
    (
        ["mul.o:kernel", "--limbs", "3"],
        "reads 6 words of x; --limbs 3 does not fit; use --limbs 6",
    ),
    (
        ["mul.o:kernel", "--limbs", "8193"],
        "--limbs 8193 is too many: an operand has at most 8192",
    ),
    (["mul.o:kernel", "--limbs", "00000000011000000000"], "not a whole number from 1"),
    (
        ["mul.o:kernel", "--limbs", "7", "--x", hex(1 << 384)],
        "--limbs 7 does not fit; no number of limbs fits it with these operands",
    ),
    (["mul.o:kernel", "--field", "17"], "writes 6 words to z; the field has 1 limb"),
    (["mul.o:kernel", "--field", "bn254-p"], "writes 6 words to z; the field has 4 limbs"),
    (["mul.o:kernel", "--field", "bw6-761-p"], "writes 6 words to z; the field has 12 limbs"),
    (["mul.o:kernel", "--arguments", "1,2,3"], "where no memory is"),
    (
        ["mul.o:kernel", "--x", "0x1" + "0" * 96],
        "reads 6 words of x, which has 385 bits; give at most 384",
    ),
    (["mul.o:kernel", "--x", "9" * 5000], "has 5000 digits, too many; write it as 0x..."),
    (["mul.o:kernel", "--arguments", "z," + "9" * 5000], "has 5000 digits"),
    (["mul.o:kernel", "--arguments", f"z,x,{1 << 64}"], "has 65 bits, more than a register"),
]


@pytest.mark.parametrize(("words", "message"), BAD_TRACES, ids=[m for _, m in BAD_TRACES])
def test_bad_traces(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["trace", str(folder / words[0]), *words[1:]]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err and captured.err.count("\n") == 1


def test_count_of_one_function(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = f"{folder}/mul.o:kernel"
    shown = output(capsys, "count", place)
    assert "cascade-lake" in shown and "neoverse" not in shown and "mulx" in shown
    data = json.loads(output(capsys, "count", place, "--json"))
    assert data["multiplications"] == 73 and data["by_opcode"]["mulx"] == 72
    assert data["instructions"] == sum(data["by_opcode"].values())
    assert set(data["memory"]) == {"64"} and data["straight_line"]
    one = json.loads(output(capsys, "count", place, "--processor", "zen-5", "--json"))
    assert [b["processor"] for b in one["bounds"]] == ["zen-5"]
    assert one["bounds"][0]["binds"] in one["bounds"][0]["throughput"]


def test_returns_and_calls_are_no_registers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """AArch64 has no push and no pop; a return of x86-64 pops an address, and a call pushes one."""
    for place, says in [
        ("arm.o:kernel", "0 pushed, 0 popped"),
        ("mul.o:kernel", "6 pushed, 6 popped"),
        ("calls.o:calls_out", "1 pushed, 1 popped"),
    ]:
        shown = output(capsys, "count", f"{folder}/{place}")
        (line,) = (line for line in shown.splitlines() if line.startswith("at the stack"))
        assert line.endswith(f" {says}")


def test_a_name_that_is_no_utf_8_is_written_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = kernel("mulx")
    (folder / "odd.o").write_bytes(data.replace(b"\0kernel\0", b"\0ker\xffel\0"))
    shown = output(capsys, "count", f"{folder}/odd.o")
    assert shown.splitlines()[1].split()[0] == "ker\\xffel"
    assert output(capsys, "count", f"{folder}/odd.o:ker\\xffel").startswith("ker\\xffel\n")


def test_count_of_every_function(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "count", f"{folder}/calls.o").splitlines()
    names = ["helper", "looks_up", "calls_out", "reads_out", "loops"]
    assert [line.split()[0] for line in lines] == ["function", *names]
    rows = json.loads(output(capsys, "count", f"{folder}/calls.o", "--json"))
    assert [row["symbol"] for row in rows] == names
    assert rows[1]["calls"] == ["helper"] and rows[2]["calls"] == ["outside"]


def test_trace_prints_each_instruction(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("trace", f"{folder}/mul.o:kernel", "--field", "bls12-381-p", "--x", "3", "--y", "5")
    shown = output(capsys, *words)
    assert "y[0x0] = 0x5" in shown and "z[0x28] := " in shown and "returned" in shown
    data = json.loads(output(capsys, *words, "--json"))
    assert len(data["executed"]) == data["instructions"]
    assert data["executed"][-1]["opcode"] == "ret"
    assert data["reads"]["64"] == sum(len(step["reads"]) for step in data["executed"])
    short = json.loads(output(capsys, *words, "--summary", "--json"))
    assert short["executed"] == [] and short["result"] == data["result"]


def test_an_operand_of_p_is_pointed_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    p = find_field("bls12-381-p").p
    words = ("trace", f"{folder}/mul.o:kernel", "--field", "bls12-381-p", "--summary")
    assert "y is not below p" in output(capsys, *words, "--x", f"{p - 1}", "--y", f"{p}")
    assert "is not below p" not in output(capsys, *words, "--x", f"{p - 1}")


def test_part_of_a_name_is_enough(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "count", f"{folder}/calls.o:looks").startswith("looks_up\n")


def test_a_colon_in_a_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a:b.o").write_bytes(kernel("mulx"))
    assert "kernel" in output(capsys, "count", f"{folder}/a:b.o")
    assert output(capsys, "count", f"{folder}/a:b.o:kernel").startswith("kernel\n")


def archive(*members: tuple[str, bytes]) -> bytes:
    """A static archive."""
    data = b"!<arch>\n"
    for name, body in members:
        data += f"{name + '/':16}{0:<12}{0:<6}{0:<6}{644:<8}{len(body):<10}`\n".encode() + body
        data += b"\n" * (len(body) % 2)
    return data


def test_archives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = archive(("mul.o", kernel("mulx")), ("note.txt", b"abc"), ("calls.o", caller(LINUX)))
    (tmp_path / "lib.a").write_bytes(made)
    lines = output(capsys, "count", f"{tmp_path}/lib.a").splitlines()
    assert lines[1].startswith("mul.o: kernel ") and lines[2].startswith("calls.o: helper ")
    request = ("--arguments", "100,2", "--summary", "--json")
    data = json.loads(output(capsys, "trace", f"{tmp_path}/lib.a:looks_up", *request))
    assert data["returned"] == hex(100 + 7 * 33) and data["member"] == "calls.o"
    for bad in (made[:-9], b"!<arch>\n", b"!<thin>\n", made.replace(b"`\n", b"xx")):
        (tmp_path / "bad.a").write_bytes(bad)
        assert cli.main(["count", f"{tmp_path}/bad.a"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


SEEDS = [kernel("mulx"), kernel("aarch64-linux"), *map(caller, TRIPLES)]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real object, cut off or with bytes replaced, near its start more often."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    if draw(st.booleans()):
        return bytes(data[: draw(st.integers(0, len(data)))])
    near = st.one_of(st.integers(0, 63), st.integers(0, 1023), st.integers(0, len(data) - 1))
    for place, byte in draw(
        st.lists(st.tuples(near, st.integers(0, 255)), min_size=1, max_size=40)
    ):
        data[place % len(data)] = byte
    return bytes(data)


@settings(max_examples=250)
@given(damaged())
def test_no_bytes_end_in_a_traceback(data: bytes) -> None:
    try:
        image = read_image(data)
        linked = link(image)
        for routine in list(image.routines().values())[:2]:
            trace(linked, routine, Request(limit=200))
    except UserError as error:
        assert "\n" not in str(error)


@settings(max_examples=60)
@given(damaged())
def test_no_bytes_break_a_count(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("damaged") / "a.o"
    path.write_bytes(data)
    try:
        for _, _, each in open_file(path).every(lambda *_: None):
            if not isinstance(each, str):
                all_bounds(each.count)
                each.row()
    except UserError as error:
        assert "\n" not in str(error)


def test_kernels_of_ours_that_have_no_decoder_are_not_called_damaged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for target, why in (("mips64-linux", "big-endian"), ("mips64el-linux", "no decoder for")):
        out = tmp_path / target
        words = ("build", "17", "--op", "add", "--target", target, "-o", str(out))
        assert cli.main(words) == 0
        capsys.readouterr()
        assert cli.main(["count", str(next(out.rglob("*.o")))]) == 2
        assert why in capsys.readouterr().err
