"""The C package: it compiles everywhere, computes on every path, and refuses what it must."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from outputs import missing_files
from package_c import (
    NOT_SUPPORTED,
    OK,
    STRICT,
    Library,
    Packages,
    check_arithmetic,
    check_lazy,
    check_more,
    check_random,
    check_refusals,
    packaged,
    run,
    shared,
    tool,
)
from sampling import sampled

from fieldc.algorithms.columns import columns_of
from fieldc.algorithms.representations import MONTGOMERY, PLAIN, Representation
from fieldc.artifacts import verify
from fieldc.artifacts.write import build
from fieldc.binary.linkable import functions
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64
from fieldc.packages.c.aarch64 import ARM_SYSTEMS
from fieldc.packages.c.arrays import offered, packaged_targets
from fieldc.packages.c.assembly import LINUX, MACOS, SYSTEMS, DifferentKernel, Platform, check_same
from fieldc.packages.c.package import fastest, operations
from fieldc.packages.paths import by_path
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact

FIELDS = ("bn254-p", "bls12-381-p", "secp256k1-p", "2^285-9")
"""4 limbs, 6 limbs, no spare bit, 36 bytes in 5 limbs."""
SMALL = "goldilocks"
OPERATIONS = operations(find_field(SMALL), fastest(find_field(SMALL)))
ARRAYS = offered(find_field(SMALL), fastest(find_field(SMALL)))
SUMS = ("accumulate", "collect")
ON_ARRAYS = sum(
    len(ARRAYS) + len(SUMS) * target.has_sums(find_field(SMALL))
    for target in packaged_targets(find_field(SMALL))
)
"""How many kernels on arrays the package of SMALL has."""
FUZZ = Path(__file__).with_name("package_c_fuzz.c")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> tuple[Path, Field, str]:
    """A package of one limb: its folder, field and name. Tests build elsewhere."""
    folder = tmp_path_factory.mktemp("small") / "package"
    return folder, *packages(SMALL, folder)


def check_everything(library: Library) -> None:
    """Each function, on every path that the processor runs."""
    for _ in library.paths():
        check_arithmetic(library)
        check_lazy(library)
        check_more(library)
        check_refusals(library)
    check_random(library)


@pytest.mark.parametrize("text", sampled(FIELDS[:1], FIELDS[1:]))
def test_every_path_computes(text: str, tmp_path: Path, packages: Packages) -> None:
    f, name = packages(text, tmp_path)
    sources = ("-Iinclude", f"src/{name}.c", f"src/{name}_x86_64.S")
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources), f, name)
    check_everything(library)


@pytest.mark.parametrize(
    ("text", "r"),
    [
        pytest.param("2^125-9", PLAIN, marks=pytest.mark.full),
        (SMALL, MONTGOMERY),
        pytest.param("2^127-1", PLAIN, marks=pytest.mark.full),
    ],
)
def test_a_representation_can_be_named(text: str, r: Representation, tmp_path: Path) -> None:
    """2^125 - 9 has room for values below 2p."""
    f, name = packaged(text, tmp_path, "--representation", r.name)
    kernels = json.loads((tmp_path / "manifest.json").read_text())["kernels"]
    assert {row["representation"] for row in kernels} == {None, r.name}
    for path in (f"include/{name}.h", "README.md", f"src/{name}_x86_64.S"):
        assert r.says in (tmp_path / path).read_text()
    words = ("-Isingle", f"single/{name}.c")
    library = Library(shared(tmp_path, tmp_path / "library.so", *words), f, name, r)
    for _ in library.paths():
        check_arithmetic(library)
        check_lazy(library)
        check_more(library)


@pytest.mark.parametrize(
    "text", sampled((SMALL, "3"), ("secp256k1-p", "2^128-159", "bls12-381-r", "7", "257"))
)
def test_other_builds_compute(text: str, tmp_path: Path, packages: Packages) -> None:
    f, name = packages(text, tmp_path)
    single = ("-Isingle", f"single/{name}.c")
    library = Library(shared(tmp_path, tmp_path / "single.so", *single), f, name)
    check_everything(library)
    without = ("-DFIELDC_PORTABLE_ONLY", "-DFIELDC_NO_INT128")
    library = Library(shared(tmp_path, tmp_path / "halves.so", *without, *single), f, name)
    assert library.call("path") == 4
    assert [library.call("use", path) for path in (0, 1, 2, 3, 4)] == [OK, *[NOT_SUPPORTED] * 3, OK]
    check_arithmetic(library)
    check_more(library)


@pytest.mark.parametrize(
    "call", ["mul(&z, &lazy, &x)", "lazy_mul(&lazy, &x, &x)", "reduce(&z, &x)"]
)
def test_a_lazy_value_is_not_taken_for_a_canonical_one(
    call: str, tmp_path: Path, packages: Packages
) -> None:
    _, name = packages("bn254-p", tmp_path)
    body = f"{name} x, z; {name}_lazy lazy; {name}_one(&x); {name}_to_lazy(&lazy, &x); {name}_"
    text = f"#include <{name}.h>\nint main(void) {{ {body}%s; return (int)z.limbs[0]; }}\n"
    command = [tool("gcc"), "-std=c99", *STRICT, "-fsyntax-only", "-Iinclude", "mixed.c"]
    for one, accepted in (("reduce(&z, &lazy)", True), (call, False)):
        (tmp_path / "mixed.c").write_text(text % one)
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode == 0) == accepted, done.stderr
        assert accepted or "incompatible pointer type" in done.stderr


COMPILERS = [
    *(("gcc", f"-std={standard}", ()) for standard in ("c99", "c11")),
    *(("clang", f"-std={standard}", ()) for standard in ("c99", "c11")),
    *(("g++", f"-std=c++{year}", ("-x", "c++")) for year in (11, 17)),
    ("clang++", "-std=c++11", ("-x", "c++")),
]
OLDEST = ("-std=c99", "-std=c++11")
"""With these the portable code is compiled alone, too: it says no more in newer ones."""


@pytest.mark.sweep(2)
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
    portable = (("-DFIELDC_PORTABLE_ONLY",), ("-DFIELDC_NO_INT128",))
    for more in ((), *(portable if standard in OLDEST else ())):
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
        f"-DLEVELS={name.upper()}_NTT_LEVELS",
    ]


@pytest.mark.parametrize("text", sampled([SMALL], ["2^285-9"]))
def test_fuzz_under_sanitizers(text: str, tmp_path: Path, packages: Packages) -> None:
    compiler = tool("gcc")
    f, name = packages(text, tmp_path)
    sources = (FUZZ, f"src/{name}.c", f"src/{name}_x86_64.S")
    checks = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    words = (*checks, *fuzz_words(f, name), "-Iinclude", *sources, "-o", "fuzz")
    run(tmp_path, compiler, "-std=c99", *STRICT, *words)
    assert run(tmp_path, "./fuzz", "1000") == "1000 inputs\n"


@pytest.mark.parametrize("assembly", ["src/{name}_x86_64.S", "objects/x86_64-windows.obj"])
def test_windows(assembly: str, small: tuple[Path, Field, str], tmp_path: Path) -> None:
    compiler, wine = tool("x86_64-w64-mingw32-gcc"), tool("wine")
    folder, f, name = small
    sources = (FUZZ, "-Iinclude", f"src/{name}.c", assembly.format(name=name))
    made = tmp_path / "fuzz.exe"
    run(folder, compiler, "-std=c99", "-O1", *STRICT, *fuzz_words(f, name), *sources, "-o", made)
    assert "1000 inputs" in run(tmp_path, wine, made, "1000")


EMPTY = """#include <stddef.h>
int LLVMFuzzerTestOneInput(const char *data, size_t size);
int LLVMFuzzerTestOneInput(const char *data, size_t size) { return data == NULL && size; }
"""


@pytest.mark.full
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
    run(tmp_path, "./fuzz", "-runs=5000", "-seed=1")


@pytest.mark.parametrize("more", sampled([()], [("-DFIELDC_PORTABLE_ONLY", "-DFIELDC_NO_INT128")]))
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
    system: Platform, small: tuple[Path, Field, str]
) -> None:
    if not is_x86_64():
        pytest.skip("SKIPPED: gcc is for another processor here")
    folder, _, name = small
    source = folder / f"src/{name}_x86_64.S"
    text = run(folder, tool("gcc"), "-E", "-P", *PREDEFINED[system.target], source)
    found = functions(assemble(text, system.triple))
    shipped = functions((folder / system.object_file).read_bytes())
    entries = ON_ARRAYS * (system.target == "x86_64-windows")  # by which each of these is called
    assert len(found) == 3 * len(OPERATIONS) + ON_ARRAYS + entries and found == shipped


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
            word = 64 * operation.endswith("_array")
            named = operation.removesuffix("_array")
            columns = columns_of(f) if named in SUMS else None
            more = {"turns": columns.turns, "column_bits": columns.bits} if columns else {}
            code = made.read_bytes()
            job = verify.Job(code, symbol, named, f.p, f.n, "sysv", array_word=word, **more)
            jobs.append(job)
    verdicts = verify.prove_new(jobs, lambda *_: None)  # two objects may have the same bytes
    assert len(verdicts) == 2 * (3 * len(OPERATIONS) + ON_ARRAYS)
    assert not [verdict.failure for verdict in verdicts if verdict.failure]


@pytest.mark.full
def test_the_package_is_proved_again_and_the_same(
    small: tuple[Path, Field, str], tmp_path: Path
) -> None:
    folder = small[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    kernels = manifest["kernels"]
    status = {(row["target"], row["status"].split("(")[0]) for row in kernels}
    assert status == {("c", "SKIPPED"), *((s.target, "PROVED") for s in (*SYSTEMS, *ARM_SYSTEMS))}
    assert not missing_files(folder)
    certificates = sorted((folder / "proofs").rglob("*.cert.json"))
    on_arrays = {folder / row["certificate"] for row in manifest["arrays"]}
    scalar = [path for path in certificates if path not in on_arrays]
    assert on_arrays <= {*certificates} and len(on_arrays) == len(manifest["arrays"])
    assert len(scalar) == (2 * len(SYSTEMS) + len(ARM_SYSTEMS)) * len(OPERATIONS)
    for path in scalar:  # where fieldc-check looks for the object
        (found,) = functions(Path(f"{str(path).removesuffix('.cert.json')}.o").read_bytes())
        assert found.removeprefix("_") == json.loads(path.read_text())["symbol"]
    assert main(["prove", str(folder)]) == 0
    packaged(SMALL, tmp_path)
    for path in folder.rglob("*.*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(folder)).read_bytes()


def test_another_text_than_the_proved_one_is_refused(small: tuple[Path, Field, str]) -> None:
    folder, f, _ = small
    mul, target = fastest(f).parts["mul"], TARGETS["x86_64-linux"]
    decision = by_path(target, partial(preferred, f, mul, target))  # of no host: of each path
    proved = build([decision], lambda *_: None)
    for system in (LINUX, MACOS):
        check_same((folder / system.object_file).read_bytes(), system, proved)
        changed = [replace(a, code=_changed(a)) for a in proved]
        with pytest.raises(
            DifferentKernel, match=f"_{mul}_adx for {system.target} is not what was"
        ):
            check_same((folder / system.object_file).read_bytes(), system, changed)


def _changed(artifact: Artifact) -> bytes:
    assert artifact.code is not None
    (found,) = functions(artifact.code).values()
    place = artifact.code.index(found.code) + len(found.code) // 2
    return artifact.code[:place] + bytes([artifact.code[place] ^ 1]) + artifact.code[place + 1 :]


def test_what_is_not_proved_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(jobs: list[verify.Job], *_: object) -> list[verify.Verdict]:
        return [verify.Verdict("no", 0.0) for _ in jobs]

    monkeypatch.setattr(verify, "prove_new", refuse)
    folder = tmp_path / "out"
    assert main(["build", SMALL, "--package", "c", "-o", str(folder)]) == 1
    assert "is not proved: no" in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--package", "c", "--op", "mul"), "--package c chooses by itself; leave out --op"),
        (("--package", "c", "--target", "c"), "--package c chooses by itself; leave out --target"),
        (("--package", "c", "--representation", "plain"), "no plain residues: "),
        (("--package", "js", "--representation", "plain"), "no plain residues: "),
        (("--package", "c", "--word", "32"), "--package c has 64-bit limbs; leave out --word"),
        (("--package", "d"), "unknown package 'd'; "),
    ],
)
def test_what_a_package_cannot_be(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "bn254-p", *words, "-o", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
