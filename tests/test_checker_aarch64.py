"""The checker replays AArch64 kernels' certificates; it refuses changed code and changed proofs."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from aarch64_code import code_of, mutants
from forged import MISSING, TAMPERS, Tamper, replay
from target_code import PROCESSOR, kernels
from test_proof_aarch64 import is_right

from fieldc.algorithms import choose
from fieldc.artifacts.verify import job_of, prove_job
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.proof.aarch64.processor import CERTIFIED
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact

ROOT = Path(__file__).parent.parent
LINUX = "aarch64-linux"


@cache
def proved(name: str, target: str) -> dict[str, tuple[bytes, str]]:
    """Object and certificate of each kernel of a field, by the operation."""
    return {a.expression.kernel.operation: _proved(_provable(a)) for a in kernels(target, name)}


def _provable(artifact: Artifact) -> Artifact:
    """What is preferred, or what it gives way to where that is not proved."""
    made, f = artifact.target, artifact.expression.field
    decision = preferred(f, artifact.expression.kernel.operation, made, PROCESSOR)
    while (job := job_of(artifact)) is not None and prove_job(job).failure:
        after = decision.without(decision.preferred)
        assert after is not None
        decision, artifact = after, made.make(made, after.preferred)
    return artifact


def _proved(artifact: Artifact) -> tuple[bytes, str]:
    job = job_of(artifact)
    assert job is not None
    verdict = prove_job(job)
    assert verdict.failure == "" and artifact.code is not None
    return artifact.code, verdict.certificate


FIELDS = [("p256", LINUX), ("bls12-381-r", "aarch64-windows"), ("2^127-1", "aarch64-macos")]
ALSO = ["bls12-381-p", "secp256k1-p", "goldilocks", "2^255-19", "p384", "p521", "0x61"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "target"),
    [*FIELDS, *(pytest.param(name, LINUX, marks=pytest.mark.full) for name in ALSO)],
)
def test_every_kernel_of_a_field(checker: Path, tmp_path: Path, name: str, target: str) -> None:
    for operation, (data, certificate) in proved(name, target).items():
        status, said = replay(checker, tmp_path, json.loads(certificate), data)
        assert status == 0, (operation, said)


@pytest.mark.parametrize("operation", ["mul", "square"])
@pytest.mark.parametrize(
    "name", ["2^127-1", "bls12-381-p", pytest.param("p256", marks=pytest.mark.full)]
)
def test_products_by_half_limbs(checker: Path, tmp_path: Path, name: str, operation: str) -> None:
    (artifact,) = TARGETS[LINUX].produce(choose(find_field(name), operation, "half-limbs"))
    data, certificate = _proved(artifact)
    assert "umull" in str(artifact.text)
    status, said = replay(checker, tmp_path, json.loads(certificate), data)
    assert status == 0, said


def test_a_convention_is_the_systems(checker: Path, tmp_path: Path) -> None:
    """The same bytes, said to be called by another one."""
    data, certificate = proved("p256", LINUX)["add"]
    for convention in ("apple", "windows", "sysv", "none"):
        forged = json.loads(certificate)
        forged["contract"]["convention"] = convention
        assert replay(checker, tmp_path, forged, data)[0] == 1


@pytest.mark.parametrize(
    ("operation", "step"),
    [("sub", 1), ("mul", 4), pytest.param("mul", 1, marks=pytest.mark.full)],
)
def test_changed_code_is_refused(checker: Path, tmp_path: Path, operation: str, step: int) -> None:
    """What a certificate still proves of a mutant is true of it: each one, or some of many."""
    data, certificate = proved("p256", LINUX)[operation]
    symbol = json.loads(certificate)["symbol"]
    code = function_of(data, symbol).code
    accepted, changes = [], [*mutants(code)][::step]
    for why, mutant in changes:
        changed = data.replace(code, mutant)
        assert changed != data
        if replay(checker, tmp_path, json.loads(certificate), changed)[0] == 0:
            accepted.append((why, is_right(mutant, operation, "p256")))
    assert len(changes) > 50
    assert not [why for why, right in accepted if not right]
    assert len(accepted) < len(changes) / 4  # sums whose operands are swapped


@pytest.mark.parametrize("tamper", [*(t for t in TAMPERS if t.__name__ != "_operation"), *MISSING])
@pytest.mark.parametrize("operation", ["mul", "sub"])
def test_changed_proofs_are_refused(
    checker: Path, tmp_path: Path, operation: str, tamper: Tamper
) -> None:
    data, certificate = proved("p256", LINUX)[operation]
    forged = copy.deepcopy(json.loads(certificate))
    try:
        tamper(forged)
    except (IndexError, StopIteration):
        pytest.skip("this proof has no such part")
    status, said = replay(checker, tmp_path, forged, data)
    assert status == 1 and said.startswith("FAILED ") and said.count("\n") == 1, said


def test_a_right_proof_of_another_operation_is_refused(checker: Path, tmp_path: Path) -> None:
    found = proved("p256", LINUX)
    forged = json.loads(found["sub"][1])
    forged["contract"].update(operation="add", family="add")
    assert replay(checker, tmp_path, forged, found["sub"][0])[0] == 1


def test_wrong_hints_prove_nothing(checker: Path, tmp_path: Path) -> None:
    """`products` only says which rows there are. LLVM's code needs that: it shifts and negates."""
    (ours,) = (a for a in kernels(LINUX, "p256") if a.expression.kernel.operation == "mul")
    code = code_of("p256", ours.expression.kernel, LINUX)
    assert code is not None
    theirs = object_of({ours.symbol: code}, "aarch64-unknown-linux-gnu")
    data, certificate = _proved(replace(ours, code=theirs))
    right = json.loads(certificate)
    assert right["products"]
    without = {**right, "products": []}
    odd = {**right, "products": [[n, f, hex(int(c, 16) + 1)] for n, f, c in right["products"]]}
    far = {**right, "products": [[10**6, "0x1", "0x1"], *right["products"]]}
    for forged, expected in ((without, 1), (odd, 1), (far, 0)):
        assert replay(checker, tmp_path, forged, data)[0] == expected


ALIASES = {
    "mov": "movz", "cmn": "adds", "cmp": "subs", "neg": "sub", "negs": "subs",
    "ngc": "sbc", "ngcs": "sbcs", "mul": "madd", "mneg": "msub", "cinc": "csinc", "cset": "csinc",
    "csetm": "csinv", "tst": "ands", "mvn": "orn", "lsl": "ubfm", "lsr": "ubfm", "ubfx": "ubfm",
    "asr": "sbfm", "sbfx": "sbfm", "nop": "hint", "bti": "hint", "umull": "umaddl",
}  # fmt: skip
"""Other names of instructions."""


def test_the_checker_knows_the_instructions_of_the_prover() -> None:
    """Else a kernel would be PROVED with a certificate that nobody can replay."""
    source = (ROOT / "crates/check/src/aarch64/instructions.rs").read_text()
    known = {name.lower() for name in re.findall(r"\bO(?:pcode)?::([A-Z]+)\b", source)}
    assert "SAVE_FLAGS" in source and "RESTORE_FLAGS" in source
    known |= {"mrs", "msr", "bl"}
    assert {name for name in CERTIFIED if ALIASES.get(name, name) not in known} == set()
