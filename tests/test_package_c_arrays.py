"""Functions on arrays of the C package: on every path, in place, and beside guarded pages."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from package_c import (
    NOT_SUPPORTED,
    PATHS,
    STRICT,
    Library,
    Packages,
    packaged,
    run,
    shared,
    tool,
)
from package_c_arrays import LENGTHS, GuardedArray, check_arrays, check_inverses, drawn
from package_c_transforms import check_transforms
from sampling import sampled, sampled_rows
from vector_emulator import EmulatedCall, EmulatedFunction

from fieldc.algorithms.columns import columns_of
from fieldc.algorithms.representations import MONTGOMERY, PLAIN
from fieldc.artifacts import arrays
from fieldc.artifacts.verify import Job, Verdict, prove_job, prove_new
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.representation import judged
from fieldc.field import Field
from fieldc.machine.processor import is_x86_64, missing
from fieldc.machine.processors import host_processor
from fieldc.packages.c.arrays import (
    BITS,
    MEMBERS,
    PRODUCTS,
    SUM,
    SUMS,
    TRANSFORM,
    offered,
    packaged_targets,
)
from fieldc.packages.c.texts import prefers_two_chains
from fieldc.progress import Progress
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.registry import TARGETS
from fieldc.targets.vectors.offers import ARRAY, array_expression

SMALL = "goldilocks"
SHAPELESS = "0x1622c483bfd1d338d0038ec42650645"
"""Two limbs, in Montgomery form."""
VECTOR_PATHS = {8: "avx512ifma", 7: "avx512ifma", 6: "avx512f"}
SHORT_PATHS = {9: "avx2", 10: "avx2"}
"""From two limbs on."""
Package = tuple[Path, Field, str]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> Package:
    """A package of one limb: its folder, field and name."""
    folder = tmp_path_factory.mktemp("arrays") / "package"
    return folder, *packages(SMALL, folder)


def sources(name: str) -> tuple[str, ...]:
    """What is compiled."""
    return "-Iinclude", f"src/{name}.c", f"src/{name}_x86_64.S"


def test_every_path_computes_arrays(small: Package, tmp_path: Path) -> None:
    folder, f, name = small
    library = Library(shared(folder, tmp_path / "library.so", *sources(name)), f, name)
    for _ in library.paths():
        check_arrays(library)
    many = 2 * 2048 + 5  # two parts in place, and a rest
    check_inverses(library, many, at_end=True)


@pytest.mark.parametrize(
    ("text", "missing", "compared"),
    sampled_rows(
        [(SMALL, ("mul",), "")],
        [
            (SHAPELESS, ("mul", "square"), "mul_add"),
            (SHAPELESS, ("mul",), "square"),
            (SHAPELESS, PRODUCTS, ""),
        ],
    ),
)
def test_a_kernel_that_is_not_proved_is_left_out(
    text: str,
    missing: Sequence[str],
    compared: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A loop of scalar kernels does its work. With AVX2 another product shows that doubles are
    rounded as they must be, where any are; without one there are sums alone.
    """

    def without_products(jobs: Sequence[Job], progress: Progress) -> list[Verdict]:
        pairs = zip(jobs, prove_new(jobs, progress), strict=True)
        names = [f"_{operation}_array" for operation in missing]
        refused = Verdict("no", 0.0)
        return [refused if any(n in job.symbol for n in names) else v for job, v in pairs]

    monkeypatch.setattr(arrays, "prove_new", without_products)
    f, name = packaged(text, tmp_path)
    rows = json.loads((tmp_path / "manifest.json").read_text())["arrays"]
    elementwise = {*SUMS, *PRODUCTS}
    assert {row["op"] for row in rows} & elementwise == elementwise - {*missing}
    source = (tmp_path / "src" / f"{name}.c").read_text()
    assert (f"arrays->{compared}.run(8, z" in source) == bool(compared) == ("_agrees" in source)
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources(name)), f, name)
    seen = []
    for path in library.paths():
        seen.append(path)
        check_arrays(library, (0, 1, 8, 33))
    assert not is_x86_64() or ARRAY_TARGETS["avx2"].runs_here == (9 in seen)


@pytest.mark.parametrize("text", sampled(["goldilocks"], ["bn254-p", "2^127-1", "babybear"]))
def test_other_fields_compute_arrays(text: str, tmp_path: Path, packages: Packages) -> None:
    """Four limbs; plain residues, which have sums in vectors and no products; words in lanes."""
    f, name = packages(text, tmp_path)
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources(name)), f, name)
    for path in (*VECTOR_PATHS, *SHORT_PATHS, 0, 4):
        if library.call("use", path) != NOT_SUPPORTED:
            check_arrays(library, (0, 1, 7, 8, 9, 31, 32, 33, 64, 97, 300, 520))


@pytest.mark.parametrize("more", ["-DFIELDC_NO_VECTORS", "-DFIELDC_PORTABLE_ONLY"])
def test_a_package_without_vectors(more: str, small: Package, tmp_path: Path) -> None:
    folder, f, name = small
    library = Library(shared(folder, tmp_path / "library.so", more, *sources(name)), f, name)
    every = {*VECTOR_PATHS, *SHORT_PATHS}
    assert {library.call("use", path) for path in every} == {NOT_SUPPORTED}
    assert library.call("path") not in every
    check_arrays(library, LENGTHS[::4])


def test_the_fastest_path_that_the_processor_has(small: Package, tmp_path: Path) -> None:
    """The package's own reading of cpuid and xgetbv agrees with LLVM's."""
    if not is_x86_64():
        pytest.skip("SKIPPED: this is no x86-64")
    folder, f, name = small
    library = Library(shared(folder, tmp_path / "library.so", *sources(name)), f, name)
    host = host_processor()
    r = judged(f, TARGETS["x86_64-linux"])[0].representation
    is_zen = host is not None and host.key in ("zen-3", "zen-4")
    best = (8, 10, 1) if is_zen and prefers_two_chains(f, r) else (7, 6, 9, 2, 3)
    wanted = next(path for path in best if not missing(PATHS[path]))
    assert library.call("path") == wanted


COMPARES = """
#include "{name}.h"
#include <stdio.h>

int main(void)
{{
    static {name} x[64], z[64], one;
    int i, wrong = 0;
    for (i = 0; i < 64; i++) {{
        uint8_t bytes[{size}] = {{0}};
        for (size_t j = 1; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)(i * 37 + (int)j * 101);
        wrong |= {name}_decode(&x[i], bytes, sizeof bytes);
    }}
    {name}_array_square(z, x, 64);
    for (i = 0; i < 64; i++) {{
        {name}_square(&one, &x[i]);
        wrong |= !{name}_equal(&one, &z[i]);
    }}
    printf("%d", {name}_path());
    return wrong;
}}
"""


def test_arrays_are_right_in_valgrind(tmp_path: Path, packages: Packages) -> None:
    """It offers AVX2, but rounds all products of doubles to the nearest one."""
    valgrind = (tool("valgrind"), "-q", "--error-exitcode=9")
    f, name = packages("bn254-p", tmp_path)
    (tmp_path / "compares.c").write_text(COMPARES.format(name=name, size=-(-f.bits // 8)))
    made = tmp_path / "compares"
    words = ("-std=c99", "-O1", *STRICT, *sources(name), "compares.c", "-o", made)
    run(tmp_path, tool("gcc"), *words)
    assert int(run(tmp_path, *valgrind, made)) not in SHORT_PATHS


def hooks(symbols: list[tuple[str, int]]) -> str:
    """C that calls back where the package calls a kernel: what the linker's --wrap asks for."""
    lines = ["#include <stddef.h>", "#include <stdint.h>"]
    for symbol, pointers in symbols:
        names = [f"p{i}" for i in range(pointers)]
        types = "size_t count, " + ", ".join(f"const uint64_t *{n}" for n in names)
        lines += [f"typedef void type_{symbol}({types});", f"type_{symbol} *hook_{symbol};"]
        lines += [f"type_{symbol} __wrap_{symbol};", f"void __wrap_{symbol}({types})"]
        lines += [f"{{ hook_{symbol}(count, {', '.join(names)}); }}"]
    return "\n".join(lines) + "\n"


def sizes_of_sums(f: Field) -> dict[str, tuple[int, ...]]:
    """The arrays of both kernels of inner products, in bytes; 0 for one of elements."""
    columns = 64 * columns_of(f).count
    return {SUM[0]: (columns, 0, 0), SUM[1]: (0, columns)}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("path", VECTOR_PATHS)
def test_the_emulator_runs_what_the_package_calls(
    path: int, small: Package, tmp_path: Path
) -> None:
    """FIELDC_PATH takes a path without asking; each kernel's bytes are those of the object."""
    folder, f, name = small
    pointers = {op: POINTERS[kind] for kind, ops in MEMBERS.items() for op in ops}
    expressions = {op: array_expression(f, op, ARRAY) for op in pointers}
    sizes = sizes_of_sums(f)
    pointers |= {op: len(some) for op, some in sizes.items()}
    symbols = {op: f"{name}_{op}_array_{VECTOR_PATHS[path]}" for op in pointers}
    (tmp_path / "hooks.c").write_text(hooks([(symbols[op], pointers[op]) for op in pointers]))
    wrapped = (f"-Wl,--wrap={symbol}" for symbol in symbols.values())
    words = (f"-DFIELDC_PATH={path}", *sources(name), str(tmp_path / "hooks.c"), *wrapped)
    library = Library(shared(folder, tmp_path / "library.so", *words), f, name)
    assert library.call("path") == path
    code = (folder / "objects/x86_64-linux.o").read_bytes()
    calls = {op: EmulatedFunction(code, symbols[op], e).at for op, e in expressions.items()}
    calls |= {op: EmulatedCall(code, symbols[op], some, 8 * f.n) for op, some in sizes.items()}
    held = [hooked(library, symbols[op], pointers[op], calls[op]) for op in symbols]
    check_arrays(library, (0, 1, 7, 12, 70))
    check_transforms(library, 6)
    assert len(held) == len(symbols)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("path", VECTOR_PATHS)
def test_the_emulator_runs_inner_products(path: int, tmp_path: Path, packages: Packages) -> None:
    """Their two kernels and `add`, of which the object's bytes run."""
    f, name = packages("bn254-p", tmp_path)
    columns, target, element = columns_of(f), VECTOR_PATHS[path], 8 * f.n
    sizes = {"add": (0, 0, 0), **sizes_of_sums(f)}
    symbols = {op: f"{name}_{op}_array_{target}" for op in sizes}
    hooks_c = tmp_path / "hooks.c"
    hooks_c.write_text(hooks([(symbols[op], len(sizes[op])) for op in sizes]))
    wrapped = (f"-Wl,--wrap={symbol}" for symbol in symbols.values())
    words = (f"-DFIELDC_PATH={path}", *sources(name), str(hooks_c), *wrapped)
    library = Library(shared(tmp_path, tmp_path / "library.so", *words), f, name)
    code = (tmp_path / "objects/x86_64-linux.o").read_bytes()
    calls = {op: EmulatedCall(code, symbols[op], sizes[op], element) for op in sizes}
    held = [hooked(library, symbols[op], len(sizes[op]), calls[op]) for op in sizes]
    for count in (32, 45, 8 * columns.turns + 9):
        x, y = drawn(library, count, 2)
        a, b = (GuardedArray(library, values, at_end=True) for values in (x, y))
        z = GuardedArray(library, [7], at_end=True)
        library.call("sum_of_products", z.at(), a.at(), b.at(), ctypes.c_size_t(count))
        assert z.values() == [sum(v * w for v, w in zip(x, y, strict=True)) % f.p], count
    assert len(held) == len(sizes)


def hooked(library: Library, symbol: str, pointers: int, call: Callable[..., None]) -> object:
    """What the package calls instead of a kernel; it must be held as long as it may be called."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * (1 + pointers))
    found = kind(call)
    place = ctypes.c_void_p.in_dll(library.functions, f"hook_{symbol}")
    place.value = ctypes.cast(found, ctypes.c_void_p).value
    return found


POINTERS = {"unary": 2, "binary": 3, "ternary": 4, "butterfly": 5}
"""Arrays of a kernel, results included, by its kind."""


def test_address_sanitizer(small: Package, tmp_path: Path) -> None:
    """Arrays on the heap, of every length to 40, with sanitizers around the C."""
    folder, _, name = small
    source = tmp_path / "lengths.c"
    source.write_text(SANITIZED.replace("NAME", name))
    checks = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    made = tmp_path / "lengths"
    run(folder, tool("gcc"), "-std=c99", *checks, str(source), *sources(name), "-o", made)
    assert run(folder, made) == "done\n"


SANITIZED = """#include <NAME.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    size_t count, i, zero;
    for (count = 0; count <= 70; count++) {
        NAME *x = malloc(count * sizeof *x), *z = malloc(count * sizeof *z), sum;
        for (i = 0; i < count; i++)
            NAME_from_u64(&x[i], 1 + i);
        NAME_array_mul_add(z, x, x, x, count);
        NAME_array_scale(z, z, x, count);
        NAME_sum_of_products(&sum, x, z, count);
        NAME_array_sum(&sum, z, count);
        if (NAME_array_invert(z, x, count, &zero) != FIELDC_OK || zero != count)
            return 1;
        NAME_array_mul(z, z, x, count);
        NAME_one(&sum);
        for (i = 0; i < count; i++)
            if (!NAME_equal(&z[i], &sum))
                return 2;
        free(x);
        free(z);
    }
    puts("done");
    return 0;
}
"""


def array_rows(folder: Path) -> Iterator[dict[str, str]]:
    """The manifest's rows of kernels on arrays."""
    yield from json.loads((folder / "manifest.json").read_text())["arrays"]


def test_the_manifest_names_kernels_on_arrays(
    small: Package, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _, name = small
    rows = list(array_rows(folder))
    every = (*SUMS, *PRODUCTS, *SUM, TRANSFORM)
    f = find_field(SMALL)
    wanted = {
        f"{name}_{op}_array_{t.name}"
        for op in every
        for t in packaged_targets(f)
        if op not in SUM or t.has_sums(f)
    }
    assert {row["symbol"] for row in rows} == wanted
    assert {row["status"] for row in rows} == {"PROVED"}
    assert all((folder / row["file"]).is_file() for row in rows)
    capsys.readouterr()
    assert main(["prove", str(folder), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    kernels = json.loads((folder / "manifest.json").read_text())["kernels"]
    proved = [row for row in kernels if row["status"] == "PROVED"]
    assert len(shown) == len(rows) + len(proved)
    assert {row["status"] for row in shown} == {"PROVED"}


def test_a_changed_kernel_on_arrays_is_refused(small: Package) -> None:
    folder, f, name = small
    code, symbol = (folder / "objects/x86_64-linux.o").read_bytes(), f"{name}_mul_array_avx512f"
    job = Job(code, symbol, "mul", f.p, f.n, array_word=64)
    assert not prove_job(job).failure
    assert prove_job(replace(job, operation="square")).failure
    assert prove_job(replace(job, array_word=52)).failure
    place = code.index(bytes.fromhex("c5f877c3")) - 40  # of a kernel, before vzeroupper and ret
    changed = code[:place] + bytes((code[place] ^ 1,)) + code[place + 1 :]
    jobs = [
        replace(
            job,
            code=changed,
            symbol=row["symbol"],
            operation=row["op"],
            turns=row.get("turns", 0),
        )
        for row in array_rows(folder)
    ]
    assert sum(bool(prove_job(each).failure) for each in jobs) == 1


def test_which_operations_are_offered() -> None:
    f = find_field("bn254-p")
    assert offered(f, MONTGOMERY) == (*SUMS, *PRODUCTS)
    assert offered(find_field("bn254-r"), MONTGOMERY) == (*SUMS, *PRODUCTS, TRANSFORM)
    assert offered(f, PLAIN) == SUMS
    assert offered(Field((1 << 769) + 17), MONTGOMERY) == ()
    assert {op for ops in MEMBERS.values() for op in ops} == {*SUMS, *PRODUCTS, TRANSFORM}
    assert {each for t in ARRAY_TARGETS.values() for each in t.features} <= {*BITS}
