"""A new instruction set is a folder and one line: it builds, runs and is checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from toy.instructions import decode
from toy.targets import TOY

from fieldc.artifacts.support import support_of
from fieldc.artifacts.verify import judge
from fieldc.cli import main
from fieldc.machine.check import CheckError
from fieldc.targets import registry


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "TARGETS", dict(registry.TARGETS))
    registry.register(TOY)


def test_it_builds_runs_and_is_checked(tmp_path: Path) -> None:
    assert main(["build", "bn254-p", "--target", "toy-tests", "-o", str(tmp_path / "out")]) == 0
    kernels = json.loads((tmp_path / "out" / "manifest.json").read_text())["kernels"]
    assert {k["status"] for k in kernels} == {"TESTED"} and len(kernels) == 10
    text = (tmp_path / "out" / "toy-tests" / "mul_plain.toy").read_text()
    assert text.startswith("; fieldc build bn254-p --op mul --algorithm log-jump")
    assert "    mul_low c" in text
    made = (tmp_path / "out" / "toy-tests" / "mul_plain.o").read_bytes()
    assert b"".join(line.encode() for line in decode(made)) == made


def test_it_is_listed_with_what_is_done_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    support = support_of(registry.find_target("toy-tests"))
    assert support.run_here == "by the toy's interpreter" and support.tested == "always"
    assert support.constant_time == "SKIPPED(a toy has no clock)"
    assert main(["list", "targets"]) == 0 and "toy-tests" in capsys.readouterr().out


def test_a_wrong_kernel_is_refused() -> None:
    from dataclasses import replace

    from fieldc.algorithms import choose
    from fieldc.catalogue import find_field

    (toy,) = TOY
    (add,) = toy.produce(choose(find_field("bn254-p"), "add"))
    (sub,) = toy.produce(choose(find_field("bn254-p"), "sub"))
    with pytest.raises(CheckError, match="add"):
        judge([replace(add, code=sub.code)], lambda *_: None)


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="two targets toy-tests"):
        registry.register(TOY)
