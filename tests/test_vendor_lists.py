"""Instructions of kernels against the makers' lists of data-independent times."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fieldc.cli import main
from fieldc.machine.assemble import assemble, host_triple
from fieldc.proof.aarch64.meanings import MEANINGS as ARM_MEANINGS
from fieldc.proof.aarch64.processor import CERTIFIED as ARM_CERTIFIED
from fieldc.proof.constant_time.vendors import unlisted
from fieldc.proof.lanes.meanings import MEANINGS as LANE_MEANINGS
from fieldc.proof.x86_64.meanings import MEANINGS as X86_MEANINGS
from fieldc.proof.x86_64.processor import CERTIFIED

GENERATED = Path(__file__).parents[1] / "crates" / "fieldc" / "src" / "generated"
DOUBLES = ("vcvtuqq2pd", "vfmadd231pd", "vsubpd")
SPELLED = {"cmovc": "cmovb", "cmovnc": "cmovae"}
"""As the decoder writes what our texts say."""


def test_what_the_lists_lack_of_what_is_certified() -> None:
    """SOUNDNESS.md names these; a new one is to be named there too."""
    assert unlisted(CERTIFIED, "x86_64") == ("bzhi", "shld", "shrd")
    assert unlisted(ARM_CERTIFIED, "aarch64") == ("mrs", "msr")
    assert unlisted(LANE_MEANINGS, "x86_64") == DOUBLES


@pytest.mark.parametrize(("target", "lacking"), [("avx512ifma", ()), ("avx512f", DOUBLES)])
def test_a_folder_of_kernels_on_arrays_gets_a_note(
    target: str, lacking: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["build", "bn254-r", "--batch", "--op", "mul", "--target", target]
    assert main([*words, "-o", str(tmp_path / "built")]) == 0
    assert ".o " in (said := capsys.readouterr().out) and ".s " not in said
    assert main(["prove", str(tmp_path / "built"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {name for row in rows for name in row["unlisted"]} <= {*lacking}
    assert any(row["unlisted"] for row in rows) == bool(lacking)
    assert main(["prove", str(tmp_path / "built")]) == 0
    assert ("not on the maker's list" in capsys.readouterr().out) == bool(lacking)


@pytest.mark.parametrize(
    ("architecture", "meanings", "lacking"),
    [("x86_64", X86_MEANINGS, ("shld",)), ("aarch64", ARM_MEANINGS, ())],
)
def test_the_crates_kernels(
    architecture: str, meanings: dict[str, object], lacking: tuple[str, ...]
) -> None:
    """Those on elements."""
    elements = (path for path in GENERATED.rglob("*.rs") if path.parent.name != "arrays")
    texts = "".join(path.read_text() for path in elements)
    words = {SPELLED.get(word, word) for word in re.findall(r'^\s*"?\s*([a-z]+)\b', texts, re.M)}
    used = words & meanings.keys()
    assert len(used) > 15 and unlisted(used, architecture) == lacking


@pytest.mark.skipif("x86_64" not in host_triple(), reason="the code is x86-64")
@pytest.mark.parametrize(("body", "names"), [("mov rax, rcx", []), ("xchg rax, rcx", ["xchg"])])
def test_a_routine_gets_a_note(
    body: str, names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = f".globl f\nf:\nmov rcx, [rsi]\n{body}\nmov [rdi], rax\nret\n"
    (tmp_path / "f.o").write_bytes(assemble(f".intel_syntax noprefix\n.text\n{code}"))
    contract = 'claim = "z = x"\narguments = ["z", "x"]\n'
    (tmp_path / "f.toml").write_text(contract)
    words = ["prove", str(tmp_path / "f.o"), "--symbol", "f", "--field", "goldilocks"]
    words += ["--contract", str(tmp_path / "f.toml")]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["unlisted"] == names
    assert main(words) == 0
    assert ("not on the maker's list" in capsys.readouterr().out) == bool(names)
