"""The C package: it compiles everywhere, computes on every path, and refuses what it must."""

from __future__ import annotations

import ctypes
import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldc.algorithms import choose
from fieldc.artifacts import trust
from fieldc.artifacts.artifact import Artifact
from fieldc.artifacts.produce import build_targets
from fieldc.artifacts.write import build
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64, missing
from fieldc.packages.c.assembly import LINUX, MACOS, SYSTEMS, DifferentKernel, System, check_same
from fieldc.packages.c.package import OPERATIONS
from fieldc.packages.c.texts import package_name
from fieldc.proof.objects import functions

FIELDS = ("bn254-p", "bls12-381-p", "secp256k1-p", "2^285-9")
"""4 limbs, 6 limbs, no spare bit, 36 bytes in 5 limbs."""
SMALL = "goldilocks"
STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror")
OK, NULL, LENGTH, NOT_CANONICAL, NO_INVERSE, NOT_SUPPORTED = range(6)
PATHS = {1: ("adx", "bmi2"), 2: ("bmi2",), 3: (), 4: ()}
"""What each path asks of the processor: adx, mulx, base and C."""
FUZZ = Path(__file__).with_name("package_c_fuzz.c")


def tool(name: str) -> str:
    """A program's path, or the test is skipped and says why."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"SKIPPED: {name} is not installed")
    return found


def run(folder: Path, *command: str | Path) -> str:
    """What a command prints; its errors if it fails."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stderr or done.stdout}"
    return done.stdout


def packaged(text: str, folder: Path) -> tuple[Field, str]:
    """A written package: its field, and its name."""
    assert main(["build", text, "--package", "c", "-o", str(folder)]) == 0
    f = find_field(text)
    return f, package_name(f)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Field, str]:
    """A package of one limb: its folder, field and name. Tests build elsewhere."""
    folder = tmp_path_factory.mktemp("small") / "package"
    return folder, *packaged(SMALL, folder)


class Library:
    """A compiled package, on Python's integers."""

    def __init__(self, path: Path, f: Field, name: str) -> None:
        self.f, self.name = f, name
        self.functions = ctypes.CDLL(str(path))
        self.bytes = -(-f.bits // 8)
        self.value = ctypes.c_uint64 * f.n

    def call(self, name: str, *arguments: object) -> int:
        return int(self.functions[f"{self.name}_{name}"](*arguments))

    def decode(self, x: int) -> ctypes.Array[ctypes.c_uint64]:
        z = self.value()
        text = x.to_bytes(self.bytes, "big")
        assert self.call("decode", z, text, ctypes.c_size_t(self.bytes)) == OK
        return z

    def encode(self, x: ctypes.Array[ctypes.c_uint64]) -> int:
        text = ctypes.create_string_buffer(self.bytes)
        assert self.call("encode", text, ctypes.c_size_t(self.bytes), x) == OK
        return int.from_bytes(text.raw, "big")

    def paths(self) -> Iterator[int]:
        """Every path of this processor, in use."""
        for path, needs in PATHS.items():
            here = path == 4 or (is_x86_64() and not missing(needs))
            assert self.call("use", path) == (OK if here else NOT_SUPPORTED)
            if here:
                assert self.call("path") == path
                yield path


def shared(folder: Path, made: Path, *sources: str) -> Path:
    """A package compiled as a shared library."""
    run(folder, tool("gcc"), "-std=c99", "-O1", *STRICT, "-shared", "-fPIC", *sources, "-o", made)
    return made


def edges(f: Field, count: int) -> list[int]:
    """Edge values of a field, and random ones."""
    draw = random.Random(f.p)
    ones = sum((1 << 64) - 1 << 64 * i for i in range(f.n - 1))
    some = {0, 1, 2, f.p - 1, f.p - 2, f.p // 2, f.one, f.R2, ones, ones + 1, (1 << 64) - 1}
    return sorted(v for v in some if v < f.p) + [draw.randrange(f.p) for _ in range(count)]


def check_arithmetic(library: Library) -> None:
    """Every function on the path in use, each result over its first operand too."""
    f, values = library.f, edges(library.f, 4)
    binary = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}
    unary = {"neg": lambda x: -x, "double": lambda x: 2 * x, "square": lambda x: x * x}
    for x in values:
        for name, means in unary.items():
            a, z = library.decode(x), library.value()
            library.call(name, z, a)
            library.call(name, a, a)
            assert library.encode(z) == library.encode(a) == means(x) % f.p, (name, hex(x))
        for y in values:
            for name, of_two in binary.items():
                a, b, z = library.decode(x), library.decode(y), library.value()
                library.call(name, z, a, b)
                library.call(name, a, a, b)
                assert library.encode(z) == library.encode(a) == of_two(x, y) % f.p, (name, x, y)
        check_rest(library, x)


def check_rest(library: Library, x: int) -> None:
    """What is no kernel: conversions, inversion, comparison."""
    f, a, z = library.f, library.decode(x), library.value()
    assert f.from_montgomery(sum(limb << 64 * i for i, limb in enumerate(a))) == x
    assert library.call("invert", z, a) == (OK if x else NO_INVERSE)
    assert library.encode(z) == (pow(x, -1, f.p) if x else 0)
    assert library.call("is_zero", a) == (x == 0)
    assert [library.call("equal", a, library.decode(y)) for y in (x, (x + 1) % f.p)] == [1, 0]
    limbs = library.value(*f.limbs(x))
    assert library.call("to_montgomery", z, limbs) == OK and list(z) == list(a)
    library.call("from_montgomery", z, a)
    assert list(z) == list(limbs)


def check_refusals(library: Library) -> None:
    """Every documented status, and 0 as the value of what is refused."""
    f, size = library.f, library.bytes
    for number in {f.p, f.p + 1, 2 ** (8 * size) - 1}:
        z = library.value(*[7] * f.n)
        text = number.to_bytes(size, "big")
        assert library.call("decode", z, text, ctypes.c_size_t(size)) == NOT_CANONICAL
        assert not any(z)
    for number in {f.p, f.R - 1}:
        z = library.value(*f.limbs(number))
        assert library.call("to_montgomery", z, z) == NOT_CANONICAL and not any(z)
    for length in {0, 1, size - 1, size + 1, 3 * size} - {size}:
        z = library.value(*[7] * f.n)
        assert library.call("decode", z, bytes(length), ctypes.c_size_t(length)) == LENGTH
        assert not any(z)
        buffer = ctypes.create_string_buffer(b"\7" * length, length)
        assert library.call("encode", buffer, ctypes.c_size_t(length), z) == LENGTH
        assert buffer.raw == b"\7" * length
    z, right = library.value(*[7] * f.n), ctypes.c_size_t(size)
    assert library.call("decode", z, None, right) == NULL and not any(z)
    assert library.call("decode", None, bytes(size), right) == NULL
    assert library.call("encode", None, right, z) == library.call("invert", z, None) == NULL
    assert library.call("to_montgomery", z, None) == library.call("invert", None, z) == NULL
    assert library.call("use", 5) == library.call("use", -1) == NOT_SUPPORTED


@pytest.mark.parametrize("text", FIELDS)
def test_every_path_computes(text: str, tmp_path: Path) -> None:
    f, name = packaged(text, tmp_path)
    sources = ("-Iinclude", f"src/{name}.c", f"src/{name}_x86_64.S")
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources), f, name)
    for _ in library.paths():
        check_arithmetic(library)
        check_refusals(library)


@pytest.mark.parametrize("text", [SMALL, "3", "secp256k1-p"])
def test_other_builds_compute(text: str, tmp_path: Path) -> None:
    f, name = packaged(text, tmp_path)
    single = ("-Isingle", f"single/{name}.c")
    library = Library(shared(tmp_path, tmp_path / "single.so", *single), f, name)
    for _ in library.paths():
        check_arithmetic(library)
        check_refusals(library)
    without = ("-DFIELDC_PORTABLE_ONLY", "-DFIELDC_NO_INT128")
    library = Library(shared(tmp_path, tmp_path / "halves.so", *without, *single), f, name)
    assert library.call("path") == 4
    assert [library.call("use", path) for path in (0, 1, 2, 3, 4)] == [OK, *[NOT_SUPPORTED] * 3, OK]
    check_arithmetic(library)


COMPILERS = [
    *(("gcc", f"-std={standard}", ()) for standard in ("c99", "c11")),
    *(("clang", f"-std={standard}", ()) for standard in ("c99", "c11")),
    *(("g++", f"-std=c++{year}", ("-x", "c++")) for year in (11, 17)),
    ("clang++", "-std=c++11", ("-x", "c++")),
]


@pytest.mark.parametrize(("compiler", "standard", "language"), COMPILERS)
def test_no_compiler_warns(
    compiler: str,
    standard: str,
    language: tuple[str, ...],
    small: tuple[Path, Field, str],
    tmp_path: Path,
) -> None:
    folder, _, name = small
    flags = (tool(compiler), standard, "-O1", *STRICT, "-Wconversion", *language)
    example, made = "example/example.c", tmp_path / "example"
    for more in ((), ("-DFIELDC_PORTABLE_ONLY",), ("-DFIELDC_NO_INT128",)):
        run(folder, *flags, *more, "-Isingle", example, f"single/{name}.c", "-o", made)
        assert "2 * 1/2 = 1: yes" in run(folder, made)
    separate = (f"src/{name}.c", *(("-x", "none") if language else ()), f"src/{name}_x86_64.S")
    run(folder, *flags, "-Iinclude", example, *separate, "-o", made)
    assert "2 * 1/2 = 1: yes" in run(folder, made)


def test_the_readme_says_what_works(small: tuple[Path, Field, str], tmp_path: Path) -> None:
    folder = tmp_path / "package"
    shutil.copytree(small[0], folder)
    tool("cc")
    readme = (folder / "README.md").read_text()
    assert (folder / "example/example.c").read_text() in readme
    first, second, *_ = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    for block in (first, second):
        assert "2 * 1/2 = 1: yes" in run(folder, "sh", "-ec", block)


def test_cmake_builds_installs_and_finds(small: tuple[Path, Field, str], tmp_path: Path) -> None:
    folder, name, cmake = small[0], small[2], tool("cmake")
    tool("gcc")
    installed, user = tmp_path / "installed", tmp_path / "user"
    run(tmp_path, cmake, "-S", folder, "-B", "build", "-DFIELDC_EXAMPLE=ON")
    run(tmp_path, cmake, "--build", "build")
    assert "2 * 1/2 = 1: yes" in run(tmp_path, f"build/{name}_example")
    run(tmp_path, cmake, "--install", "build", "--prefix", installed)
    user.mkdir()
    shutil.copy(folder / "example/example.c", user)
    (user / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(you C)\nadd_executable(you example.c)\n"
        f"find_package({name} 0.1 REQUIRED)\ntarget_link_libraries(you PRIVATE fieldc::{name})\n"
    )
    run(user, cmake, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={installed}")
    run(user, cmake, "--build", "build")
    assert "2 * 1/2 = 1: yes" in run(user, "build/you")
    tool("pkg-config")
    (found,) = installed.rglob("*.pc")
    said = f"PKG_CONFIG_PATH={found.parent} pkg-config --cflags --libs {name}"
    run(user, "sh", "-ec", f"cc example.c $({said}) -o by-pkg-config")
    assert "2 * 1/2 = 1: yes" in run(user, "./by-pkg-config")


def fuzz_words(f: Field, name: str) -> list[str]:
    """What the fuzz program is compiled with."""
    size = -(-f.bits // 8)
    return [
        *(f"-DFIELD={name}", f'-DHEADER="{name}.h"', f"-DLIMBS={f.n}", f"-DBYTES={size}"),
        f"-DTOP={f.p >> 8 * (size - 1)}",
    ]


@pytest.mark.parametrize("text", [SMALL, "2^285-9"])
def test_fuzz_under_sanitizers(text: str, tmp_path: Path) -> None:
    compiler = tool("gcc")
    f, name = packaged(text, tmp_path)
    sources = (FUZZ, f"src/{name}.c", f"src/{name}_x86_64.S")
    checks = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    words = (*checks, *fuzz_words(f, name), "-Iinclude", *sources, "-o", "fuzz")
    run(tmp_path, compiler, "-std=c99", *STRICT, *words)
    assert run(tmp_path, "./fuzz", "1000") == "1000 inputs\n"


EMPTY = """#include <stddef.h>
int LLVMFuzzerTestOneInput(const char *data, size_t size);
int LLVMFuzzerTestOneInput(const char *data, size_t size) { return data == NULL && size; }
"""


def test_libfuzzer(small: tuple[Path, Field, str], tmp_path: Path) -> None:
    compiler = tool("clang")
    folder, f, name = small
    sources = (FUZZ, f"src/{name}.c", f"src/{name}_x86_64.S")
    fuzzer = (compiler, "-std=c99", "-O1", "-fsanitize=fuzzer,address,undefined")
    (tmp_path / "empty.c").write_text(EMPTY)
    empty = [*fuzzer, str(tmp_path / "empty.c"), "-o", str(tmp_path / "empty")]
    if subprocess.run(empty, capture_output=True).returncode:
        pytest.skip("SKIPPED: clang has no libFuzzer here")
    words = ("-DLIBFUZZER", *fuzz_words(f, name), "-Iinclude", *sources, "-o", tmp_path / "fuzz")
    run(folder, *fuzzer, *words)
    run(tmp_path, "./fuzz", "-runs=20000", "-seed=1")


@pytest.mark.parametrize("more", [(), ("-DFIELDC_PORTABLE_ONLY", "-DFIELDC_NO_INT128")])
def test_nothing_branches_on_values(
    more: tuple[str, ...], small: tuple[Path, Field, str], tmp_path: Path
) -> None:
    valgrind = (tool("valgrind"), "-q", "--error-exitcode=9")
    folder, f, name = small
    made, words = tmp_path / "secret", fuzz_words(f, name)
    sources = (FUZZ.with_name("package_c_secret.c"), "-Isingle", f"single/{name}.c")
    run(folder, tool("gcc"), "-std=c99", "-O2", *STRICT, *more, *words, *sources, "-o", made)
    assert "path 4" in run(folder, *valgrind, made)
    branching = subprocess.run([*map(str, valgrind), str(made), "1"], capture_output=True)
    assert branching.returncode == 9


PREDEFINED = {
    "x86_64-windows": ("-D_WIN32", "-U__ELF__"),
    "x86_64-macos": ("-D__APPLE__", "-U__ELF__"),
    "x86_64-linux": (),
}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.target)
def test_the_preprocessor_gives_what_was_proved(
    system: System, small: tuple[Path, Field, str]
) -> None:
    if not is_x86_64():
        pytest.skip("SKIPPED: gcc is for another processor here")
    folder, _, name = small
    source = folder / f"src/{name}_x86_64.S"
    text = run(folder, tool("gcc"), "-E", "-P", *PREDEFINED[system.target], source)
    found = functions(assemble(text, system.triple))
    shipped = functions((folder / system.object_file).read_bytes())
    assert len(found) == 3 * len(OPERATIONS) and found == shipped


def test_what_gcc_assembles_is_proved(small: tuple[Path, Field, str], tmp_path: Path) -> None:
    """Its bytes are not always ours: of two encodings of an instruction it may take the other."""
    if not is_x86_64():
        pytest.skip("SKIPPED: gcc is for another processor here")
    folder, f, name = small
    ours = functions((folder / LINUX.object_file).read_bytes())
    jobs = []
    for source in (f"src/{name}_x86_64.S", f"single/{name}.c"):
        made = tmp_path / "made.o"
        run(folder, tool("gcc"), "-O1", "-c", source, "-o", made)
        for symbol in ours:
            operation = symbol.removeprefix(f"{name}_").rpartition("_")[0]
            jobs.append(trust.Job(made.read_bytes(), symbol, operation, f.p, f.n, "sysv"))
    verdicts = trust.prove_all(jobs, lambda *_: None)
    assert len(verdicts) == 2 * 3 * len(OPERATIONS)
    assert not [verdict.failure for verdict in verdicts if verdict.failure]


def test_the_package_is_proved_again_and_the_same(
    small: tuple[Path, Field, str], tmp_path: Path
) -> None:
    folder = small[0]
    kernels = json.loads((folder / "manifest.json").read_text())["kernels"]
    status = {(row["target"], row["status"].split("(")[0]) for row in kernels}
    assert status == {("c", "SKIPPED"), *((s.target, "PROVED") for s in SYSTEMS)}
    assert all((folder / row["file"]).is_file() for row in kernels)
    certificates = sorted((folder / "proofs").rglob("*.cert.json"))
    assert len(certificates) == 2 * 3 * len(OPERATIONS)
    for path in certificates:  # where fieldc-check looks for the object
        (found,) = functions(Path(f"{str(path).removesuffix('.cert.json')}.o").read_bytes())
        assert found == json.loads(path.read_text())["symbol"]
    assert main(["prove", str(folder)]) == 0
    packaged(SMALL, tmp_path)
    for path in folder.rglob("*.*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(folder)).read_bytes()


def test_another_text_than_the_proved_one_is_refused(small: tuple[Path, Field, str]) -> None:
    folder, f, _ = small
    proved = build([choose(f, "mul")], [build_targets()["x86_64-linux"]], lambda *_: None)
    for system in (LINUX, MACOS):
        check_same((folder / system.object_file).read_bytes(), system, proved)
        changed = [replace(a, code=_changed(a)) for a in proved]
        with pytest.raises(DifferentKernel, match=f"_mul_adx for {system.target} is not what was"):
            check_same((folder / system.object_file).read_bytes(), system, changed)


def _changed(artifact: Artifact) -> bytes:
    assert artifact.code is not None
    (found,) = functions(artifact.code).values()
    place = artifact.code.index(found.code) + len(found.code) // 2
    return artifact.code[:place] + bytes([artifact.code[place] ^ 1]) + artifact.code[place + 1 :]


def test_what_is_not_proved_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(jobs: list[trust.Job], _: object) -> list[trust.Verdict]:
        return [trust.Verdict("no", 0.0) for _ in jobs]

    monkeypatch.setattr(trust, "prove_new", refuse)
    folder = tmp_path / "out"
    assert main(["build", SMALL, "--package", "c", "-o", str(folder)]) == 1
    assert "is not proved: no" in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--package", "c", "--op", "mul"), "--package c chooses by itself; leave out --op"),
        (("--package", "c", "--target", "c"), "--package c chooses by itself; leave out --target"),
        (("--package", "c", "--word", "32"), "--package c has 64-bit limbs; leave out --word"),
        (("--package", "d"), "unknown package 'd'; "),
    ],
)
def test_what_a_package_cannot_be(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", SMALL, *words, "-o", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
