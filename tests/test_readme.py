"""The texts a newcomer pastes do what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from fieldc.cli import main
from fieldc.machine.processor import is_x86_64, missing

ROOT = Path(__file__).resolve().parents[1]


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language on a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run_python(text: str) -> str:
    command = [sys.executable, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_multiplication_is_the_one_in_the_tree() -> None:
    shown = blocks("README.md", "python")[0]
    lines = [line.strip() for line in shown.splitlines() if '"""' not in line]
    source = (ROOT / "fieldc/algorithms/montgomery.py").read_text(encoding="utf-8")
    assert all(line in source for line in lines)


def test_python_example() -> None:
    assert run_python(blocks("README.md", "python")[1]) == "24 True\n"


def test_python_page() -> None:
    pages = blocks("docs/python.md", "python")
    printed = run_python("\n".join(pages))
    expected = [
        line.split("  # ")[1] for page in pages for line in page.splitlines() if "  # " in line
    ]
    assert printed.splitlines() == expected


def test_c_example(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("SKIPPED: there is no C compiler here")
    if lacking := missing(("bmi2",)):
        pytest.skip(f"SKIPPED: this processor lacks {lacking}")
    build = [sys.executable, "-m", "fieldc.cli", "build", "bn254-p", "-o", str(tmp_path / "out")]
    subprocess.run(build, check=True, capture_output=True, cwd=ROOT)
    (tmp_path / "example.c").write_text(blocks("README.md", "c")[0])
    objects = sorted(map(str, (tmp_path / "out/x86_64-linux").glob("*_mulx.o")))
    command = [compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-Iout", "example.c", *objects]
    subprocess.run(command, check=True, cwd=tmp_path)
    ran = subprocess.run([tmp_path / "a.out"], check=True, capture_output=True, text=True)
    assert ran.stdout == "15\n"


def test_rust_example_is_the_crates() -> None:
    example = ROOT / "crates/fieldc/examples/readme.rs"
    assert example.read_text(encoding="utf-8") == blocks("README.md", "rust")[0]


@pytest.mark.parametrize("name", ["arrays", "migrating"])
def test_rust_of_the_pages_is_in_examples(name: str) -> None:
    """So clippy refuses what has a warning, as it does in a reader's program."""
    (block,) = blocks(f"docs/{name}.md", "rust")
    example = (ROOT / f"crates/fieldc/examples/{name}.rs").read_text(encoding="utf-8")
    lines = {line.strip() for line in example.splitlines()}
    assert {line.strip() for line in block.splitlines()} <= lines


def test_the_words_of_the_tutorial_are_where_it_says() -> None:
    page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    rows = page.partition("## The words a kernel may use")[2].partition("\n\n`if`")[0]
    found = set()
    for row in rows.splitlines():
        text = row.split(" | ")[0]
        module = re.search(r"\(`(fieldc\.\w+)`\)", text)
        words = [word for word in re.findall(r"(\w+)\(", text) if word.isidentifier()]
        for word in words if row.startswith("| `") else ():
            assert hasattr(import_module(module[1] if module else "fieldc.language"), word), word
            found.add(word)
    assert found == {"select", "limbs", "joined", "tighten"}


def test_tutorial_runs_and_prints_what_it_says() -> None:
    first, *_ = blocks("docs/tutorial.md", "python")
    more = "".join(
        re.sub(r"^   ", "", line, flags=re.MULTILINE)
        for line in re.findall(
            r"^   ```python\n(.*?)^   ```",
            (ROOT / "docs/tutorial.md").read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        )
    )
    printed = run_python(first + more)
    expected = blocks("docs/tutorial.md", "text")[0]
    assert printed.startswith(expected)
    assert "108 multiplications of words\nTrue\n" in printed
    kernel = first[first.index("@kernel") : first.index("field =")]
    assert len(first.splitlines()) <= 30 and "carry" not in kernel


def shown_in(printed: str, shown: str) -> bool:
    """Whether an output has a page's lines in order; a page may leave out lines, and columns."""
    lines = iter(printed.splitlines())
    wanted = (line.removesuffix("...") for line in shown.splitlines() if line)
    return all(any(line.startswith(each) for line in lines) for each in wanted)


def test_what_is_not_shown_is_found() -> None:
    assert shown_in("a\nb\nc d\n", "a\n...\nc ...\n")
    assert not shown_in("a\nb\n", "b\na\n") and not shown_in("a\nb c\n", "a\nb d\n")


@pytest.mark.skipif(not is_x86_64(), reason="the page counts kernels for x86-64")
def test_counting_page_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/counting.md").read_text(encoding="utf-8")
    pairs = re.findall(r"^```sh\n(.*?)^```\n\n```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(pairs) == len(blocks("docs/counting.md", "sh")) == 2
    for commands, shown in pairs:
        for line in commands.splitlines():
            capsys.readouterr()
            assert main(line.split()[1:]) == 0, line
        assert shown_in(capsys.readouterr().out, shown)


def tree_with_norm(folder: Path) -> None:
    """The compiler with what docs/tutorial.md adds to it."""
    shutil.copytree(ROOT / "fieldc", folder / "fieldc", ignore=shutil.ignore_patterns("*.pyc"))
    for block in blocks("docs/tutorial.md", "python")[1:]:
        head, code = block.split("\n", 1)
        path = folder / head.removeprefix("# ").partition(",")[0]
        assert path.exists() == head.endswith(", at its end")
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(before + "\n\n" + code, encoding="utf-8")


def run_in_tree(tree: Path, command: str, programs: Path) -> subprocess.CompletedProcess[str]:
    """A command of the tutorial, with a PATH of one folder."""
    return subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=tree,
        env=os.environ | {"PATH": str(programs)},
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(not is_x86_64(), reason="three kernels of ours are for x86-64")
def test_the_tutorials_operation_is_built_and_proved(tmp_path: Path) -> None:
    tree_with_norm(tmp_path)
    commands = blocks("docs/tutorial.md", "sh")[0].splitlines()
    commands.append("fieldc build secp256k1-p --op norm -o full")
    done = [run_in_tree(tmp_path, command, tmp_path) for command in commands]
    assert [each.returncode for each in done] == [0, 0, 0, 2], [each.stderr for each in done]
    assert done[1].stdout.count("PROVED") == 3 and done[2].stdout.count("PROVED") == 3
    assert "before its last subtraction up to 3.00p" in done[3].stderr


@pytest.mark.skipif(not is_x86_64(), reason="three kernels of ours are for x86-64")
def test_the_checker_refuses_the_tutorials_operation(tmp_path: Path, checker: Path) -> None:
    tree_with_norm(tmp_path)
    line = "fieldc build 0x2bdce8626c4bf58e207a2a3da60d3d12bb75 --op norm -o out"
    done = run_in_tree(tmp_path, line, checker.parent)
    assert done.returncode == 1 and "contract: no operation norm modulo p" in done.stderr
    assert not (tmp_path / "out").exists()
