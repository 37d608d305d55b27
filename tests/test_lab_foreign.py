"""Code that nobody here compiled, and programs of the system's compiler: counted and traced."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.machine.processor import is_x86_64

FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib")


def library(name: str) -> str:
    """A system library's path; skips where there is none."""
    for folder in FOLDERS:
        for path in sorted(Path(folder).glob(f"{name}.so*")):
            if is_x86_64():
                return str(path)
    pytest.skip(f"SKIPPED: there is no {name} for x86-64 here")


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    """What a good command line prints as JSON."""
    assert cli.main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert isinstance(data, dict)
    return data


def words_of(data: dict[str, object]) -> int:
    """The result of a trace, as a number."""
    result = data["result"]
    assert isinstance(result, list)
    return sum(int(word, 16) << 64 * i for i, word in enumerate(result))


X = 0x0123456789ABCDEF0F1E2D3C4B5A69788796A5B4C3D2E1F000112233445566
Y = 0xFEDCBA9876543210


@pytest.mark.parametrize("routine", ["__gmpn_mul_1", "__gmpn_addmul_1"])
def test_a_routine_of_libgmp(capsys: pytest.CaptureFixture[str], routine: str) -> None:
    """What lies at z before the call is 0."""
    place = f"{library('libgmp')}:{routine}"
    counts = answer(capsys, "count", place)
    assert counts["symbol"] == routine and int(str(counts["multiplications"])) >= 1
    data = answer(capsys, "trace", place, "--x", hex(X), "--arguments", f"z,x,4,{Y}", "--summary")
    assert words_of(data) + (int(str(data["returned"]), 16) << 256) == X * Y
    assert data["multiplications"] == 4 and data["bounds"]


def test_calls_through_a_linkage_table_are_followed(capsys: pytest.CaptureFixture[str]) -> None:
    place = f"{library('libgmp')}:__gmpn_mul_n"
    words = ("--x", hex(X), "--y", hex(Y), "--arguments", "z,x,y,4", "--summary")
    assert words_of(answer(capsys, "trace", place, *words)) == X * Y


def test_a_routine_of_libcrypto(capsys: pytest.CaptureFixture[str]) -> None:
    path = library("libcrypto")
    data = answer(capsys, "trace", f"{path}:BN_num_bits_word", "--arguments", str(Y), "--summary")
    assert int(str(data["returned"]), 16) & 0xFFFFFFFF == Y.bit_length()
    assert cli.main(["trace", f"{path}:BN_new", "--arguments", "1"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "is in another file" in error
    assert cli.main(["count", f"{path}:BN_num_bits_wrod"]) == 2
    assert "BN_num_bits_word" in capsys.readouterr().err


PROGRAM = """
#include <stdint.h>
typedef unsigned __int128 wide;
static const uint64_t p[4] = {0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d,
                              0x30644e72e131a029};
__attribute__((noinline)) void scalar_mul(uint64_t z[4], const uint64_t x[4], const uint64_t y[4]) {
    uint64_t t[5] = {0};
    for (int i = 0; i < 4; i++) {
        wide c = 0;
        for (int j = 0; j < 4; j++) { c += (wide)x[j] * y[i] + t[j]; t[j] = c; c >>= 64; }
        t[4] = c;
        uint64_t q = t[0] * 0x87d20782e4866389;
        c = ((wide)q * p[0] + t[0]) >> 64;
        for (int j = 1; j < 4; j++) { c += (wide)q * p[j] + t[j]; t[j - 1] = c; c >>= 64; }
        t[3] = t[4] + (uint64_t)c;
    }
    for (int i = 0; i < 4; i++) z[i] = t[i];
}
int main(int argc, char **argv) {
    uint64_t z[4] = {argc, 2, 3, 4};
    scalar_mul(z, z, z);
    return z[0];
}
"""
"""CIOS without its last subtraction, in a program; the result is below 2p."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """PROGRAM as a linked executable."""
    compiler = shutil.which("cc")
    if compiler is None or not is_x86_64():
        pytest.skip("SKIPPED: there is no C compiler for x86-64 here")
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.c").write_text(PROGRAM)
    command = [compiler, "-O3", "-o", "program", "program.c"]
    subprocess.run(command, cwd=folder, check=True)
    yield str(folder / "program")


def test_a_function_of_a_program(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The seed's figures: 2n^2 + n products executed, whether the compiler unrolled or not."""
    from fieldc.catalogue import find_field

    f = find_field("bn254-p")
    words = ("--field", "bn254-p", "--x", str(3 * f.R % f.p), "--y", str(5 * f.R % f.p))
    data = answer(capsys, "trace", f"{program}:scalar_mul", *words)
    assert data["multiplications"] == 2 * 4**2 + 4
    assert words_of(data) % f.p == 15 * f.R % f.p
    executed = data["executed"]
    assert isinstance(executed, list) and executed[-1]["opcode"] == "ret"


def test_a_stripped_program(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("strip") is None:
        pytest.skip("SKIPPED: there is no strip here")
    bare = tmp_path / "bare"
    subprocess.run(["strip", "-o", str(bare), program], check=True)
    assert cli.main(["count", f"{bare}:scalar_mul"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "no function" in error
