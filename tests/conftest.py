"""Examples are the same in every run, a busy machine fails nothing, shared checks show values."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from cargo_words import ROOT, cargo_words
from hypothesis import settings
from mentions import mentions

from fieldc.program import collect_rarely

if TYPE_CHECKING:
    from package_c import Packages

pytest.register_assert_rewrite(
    "aarch64_emulator",
    "lane_texts",
    "package_c",
    "well_formed",
    "x86_64_checks",
    "x86_64_kernels",
    "x86_64_symbolic",
)

settings.register_profile("fieldc", deadline=None, derandomize=True, database=None)
settings.load_profile("fieldc")
collect_rarely()


@pytest.fixture(autouse=True)
def environment_as_before() -> Iterator[None]:
    """A test that turns the cache of proofs off does so for itself alone."""
    with patch.dict(os.environ):
        yield


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run share, for what takes long to make."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def packages(run_folder: Path) -> Packages:
    """C packages of default options, each made once in this run."""
    from package_c import Packages  # after its assertions are known to pytest

    return Packages(run_folder)


@pytest.fixture(scope="session")
def checker() -> Path:
    """The program of crates/check."""
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo to build the checker with")
    command = ["cargo", "build", "--quiet", *cargo_words(), "--bin", "fieldc-check"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = os.environ.get("CARGO_TARGET_DIR") or ROOT / "target"
    return Path(target) / "debug" / "fieldc-check"


@pytest.fixture
def no_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build finds no fieldc-check on PATH: it would look at what a test writes."""
    monkeypatch.setattr("fieldc.artifacts.checker.CHECKER", "no-fieldc-check")


@pytest.fixture
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long work says nothing of how far it is, however busy the machine."""
    for name in ("SECONDS_OF_SILENCE", "SECONDS_BETWEEN_LINES"):
        monkeypatch.setattr(f"fieldc.commands.progress.{name}", 3600.0)


@pytest.fixture(scope="session")
def certifier() -> Path:
    """The program that `make formal` builds."""
    lacking = [tool for tool in ("coqc", "ocamlopt", "make") if shutil.which(tool) is None]
    if lacking:
        pytest.skip(f"the proved checker is not built: there is no {lacking[0]}")
    build = Path(__file__).parent.parent / "build"
    build.mkdir(exist_ok=True)
    with (build / "formal.lock").open("w") as lock:  # one process builds it, the others wait
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "formal"], cwd=build.parent, check=True, capture_output=True)
    return build / "formal" / "fieldc-certify"


@pytest.fixture
def installed(certifier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker that is proved, on PATH."""
    monkeypatch.setenv("PATH", str(certifier.parent), prepend=":")


def pytest_addoption(parser: pytest.Parser) -> None:
    says = "only tests that mention this pattern: they, their fixtures or what these use of tests/"
    parser.addoption("--mentions", metavar="PATTERN", default="", help=says)
    says = "every Nth of the chosen tests, beginning with the Kth"
    parser.addoption("--part", metavar="K/N", default="1/1", help=says)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what --part is before processes begin, which would all end at once."""
    _part(config.getoption("--part"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Apply --mentions and `sweep` before pytest chooses by marks, and --part after it."""
    _leave_out(config, items)
    yield
    first, step = _part(config.getoption("--part"))
    left_out = [item for place, item in enumerate(items, 1) if (place - first) % step]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = items[first - 1 :: step]


def _part(text: str) -> tuple[int, int]:
    """The two numbers of K/N. Raises UsageError."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise pytest.UsageError(f"--part is K/N with 1 <= K <= N, such as 3/20, not {text!r}")
    return int(found[1]), int(found[2])


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked `sweep(n)` the quick run takes n cases, spread evenly; the rest are full."""
    if pattern := config.getoption("--mentions"):
        left_out = [item for item in items if not mentions(item, pattern)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    sweeps: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sweep") and not item.get_closest_marker("full"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in sweeps.values():
        (kept,) = cases[0].get_closest_marker("sweep").args
        quick = {i * (len(cases) - 1) // max(kept - 1, 1) for i in range(kept)}
        for i, item in enumerate(cases):
            if i not in quick:
                item.add_marker("full")
