"""The example and the README of the C package say what the package does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from package_c import STRICT, Packages, run, tool


@pytest.fixture(scope="module")
def goldilocks(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> tuple[Path, str]:
    """A package of one limb: its folder and name."""
    folder = tmp_path_factory.mktemp("example") / "package"
    return folder, packages("goldilocks", folder)[1]


def test_the_example_names_every_path(goldilocks: tuple[Path, str], tmp_path: Path) -> None:
    """The path is put in its mouth, so no processor needs to have it."""
    (folder, name), compiler = goldilocks, tool("gcc")
    header = (folder / f"include/{name}.h").read_text()
    paths = dict(re.findall(r"FIELDC_(\w+) = (\d+)", header.partition("enum fieldc_path {")[2]))
    del paths["AUTOMATIC"]
    spoken = []
    for number in paths.values():
        source = (folder / "example/example.c").read_text()
        (tmp_path / "example.c").write_text(source.replace(f"{name}_path()", number))
        words = (*STRICT, f"-I{folder}/include", "example.c")
        run(tmp_path, compiler, *words, folder / f"src/{name}.c", "-DFIELDC_PORTABLE_ONLY")
        spoken += re.findall(r", by (.*)", run(tmp_path, "./a.out"))
    letters = [re.sub(r"[^A-Z0-9]", "", each.upper()) for each in spoken]
    assert letters == [path.replace("_", "") for path in paths]


@pytest.mark.parametrize("path", ["77", "-1", "9"])
def test_a_path_that_the_build_has_not_is_c(
    path: str, goldilocks: tuple[Path, str], tmp_path: Path
) -> None:
    """-DFIELDC_PATH asks nobody, and a null table was called. The vectors' paths are left out."""
    (folder, name), compiler = goldilocks, tool("gcc")
    words = (*STRICT, f"-I{folder}/include", f"-DFIELDC_PATH={path}", "-DFIELDC_NO_VECTORS")
    sources = (folder / f"src/{name}.c", folder / f"src/{name}_x86_64.S")
    run(tmp_path, compiler, *words, folder / "example/example.c", *sources)
    assert ", by portable\n" in run(tmp_path, "./a.out")


def test_the_readme_has_each_function_that_refuses(goldilocks: tuple[Path, str]) -> None:
    """The comment before functions names what they return; the README's table has it again."""
    folder, name = goldilocks
    header = (folder / f"include/{name}.h").read_text()
    enum = header.partition("enum fieldc_status {")[2].partition("}")[0]
    statuses = re.findall(r"(FIELDC_\w+) = [2-9]", enum)
    comments = re.findall(r"/\*((?:(?!\*/).)*)\*/\n((?:int [^;]*;[^\n]*\n)+)", header, re.DOTALL)
    refusals = {
        (status, function)
        for comment, functions in comments
        for status in statuses
        for function in re.findall(rf"int {name}_(\w+)", functions)
        if status in comment
    }
    readme = (folder / "README.md").read_text().partition("## What is returned")[2]
    table = {
        (status, function)
        for status, of in re.findall(r"^\| `(\w+)` \(\d\) \| ([^|]*) \|", readme, re.MULTILINE)
        for function in of.split(", ")
    }
    assert len(refusals) > 15 and refusals <= table
