"""Mutants of finished bytes, by class: what the prover or a checker accepts must run right.

The checkers get the certificate of the kernel as it was. The prover searches for a new proof.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from contracts import contract_named
from forged import run
from formal_checker import answers
from mutation.campaign import CLASSES, drawn
from mutation.cuts import Cut, cut
from mutation.equivalent import run_text
from test_proof_aarch64 import is_right

from fieldc.algorithms import choose
from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.artifacts.verify import job_of, named_operation, prove_job
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble, host_triple
from fieldc.machine.check import CheckError
from fieldc.machine.frames import FrameError
from fieldc.machine.processor import missing
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.prove import prove
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the mutants run on x86-64")
LINUX, LLVM, ARM = "x86_64-linux", "x86_64-linux-llvm", "aarch64-linux"


@cache
def _artifacts(target: str, field: str, operation: str) -> dict[str, Artifact]:
    """An operation's kernels by their variants."""
    made = TARGETS[target]
    expression = choose(find_field(field), operation)
    return {artifact.variant: artifact for artifact in made.produce(expression)}


@dataclass(frozen=True)
class Subject:
    """A kernel whose bytes are changed."""

    target: str
    field: str
    operation: str
    variant: str

    def __str__(self) -> str:
        return f"{self.target}-{self.field}-{self.operation}-{self.variant}"

    @property
    def artifact(self) -> Artifact:
        """The kernel as it is built."""
        return _artifacts(self.target, self.field, self.operation)[self.variant]

    @property
    def function(self) -> KernelCode:
        """Its bytes."""
        assert self.artifact.code is not None
        return function_of(self.artifact.code, self.artifact.symbol)

    @property
    def cut(self) -> Cut:
        """Its instructions."""
        function = self.function
        return cut(function.code[function.start :], function.architecture)

    def object(self, code: bytes) -> bytes:
        """An object of code under the kernel's name."""
        symbol = self.artifact.symbol
        if self.target == ARM:
            return object_of({symbol: code}, self.artifact.target.triple)
        return assemble(_text(symbol, code), host_triple())

    def is_proved(self, code: bytes) -> bool:
        """Whether the proof alone, without runs on numbers, accepts the code."""
        f, function = self.artifact.expression.field, self.function
        convention = INSTRUCTION_SETS[function.architecture].convention(function.container, "")
        contract = contract_named(self.operation, f.p, f.n)
        try:
            prove(code, contract, convention, architecture=function.architecture, runs=0)
        except ProofError:
            return False
        return True

    def claim(self, code: bytes) -> KernelClaim:
        """The kernel's certificate, for code, as the proved checker reads it."""
        f, text = self.artifact.expression.field, certificate(self)
        family, parameters = named_operation(self.operation)
        function, stack = replace(self.function, code=code, start=0), json.loads(text)["stack"]
        return claim_for(function, family, parameters, f.p, f.n, stack, text.encode())

    def runs_right(self, code: bytes) -> bool:
        """Whether code computes the operation, on edge and random operands, and keeps registers."""
        if self.target == ARM:
            return is_right(code, self.operation, self.field)
        if missing(self.artifact.needs):
            pytest.skip(f"SKIPPED: this processor lacks {', '.join(missing(self.artifact.needs))}")
        try:
            run_text(_text("mutant", code), self.artifact.expression)
        except (CheckError, FrameError):
            return False
        return True


def _text(symbol: str, code: bytes) -> str:
    numbers = ", ".join(map(str, code))
    return f".text\n.balign 64\n.globl {symbol}\n{symbol}:\n.byte {numbers}\n"


@cache
def certificate(subject: Subject) -> str:
    """The certificate of a kernel as it is."""
    job = job_of(subject.artifact)
    assert job is not None
    verdict = prove_job(job)
    assert verdict.failure == ""
    return verdict.certificate


def mutants(subject: Subject, many: int) -> list[tuple[str, bytes]]:
    """So many of each class, or fewer of classes that have few."""
    return [(name, code) for name in CLASSES for code in drawn(subject.cut, name, many)]


def all_right(subject: Subject, accepted: Iterable[tuple[str, bytes]]) -> None:
    wrong = [(name, code.hex()) for name, code in accepted if not subject.runs_right(code)]
    assert not wrong, f"{subject}: accepted, and wrong"


SMALL = [
    Subject(LINUX, "goldilocks", "mul", "adx"),
    Subject(LINUX, "goldilocks", "mul", "base"),
    Subject(LINUX, "goldilocks", "add", "base"),
    Subject(LINUX, "bn254-p", "sub", "mulx"),
    Subject(LLVM, "goldilocks", "redc", "llvm"),
    Subject(ARM, "goldilocks", "mul", "aarch64"),
    Subject(ARM, "bn254-p", "sub", "aarch64"),
]
LARGE = [
    *(Subject(LINUX, "bn254-p", "mul", variant) for variant in ("adx", "mulx", "base")),
    *(Subject(LINUX, "bn254-p", op, "adx") for op in ("square", "redc", "add")),
    *(Subject(LINUX, "secp256k1-p", op, "adx") for op in ("mul", "double")),
    Subject(LINUX, "bls12-381-p", "mul", "adx"),
    Subject(LLVM, "bn254-p", "mul", "llvm"),
    Subject(ARM, "bn254-p", "mul", "aarch64"),
]
SUBJECTS = [*SMALL, *(pytest.param(one, marks=pytest.mark.full) for one in LARGE)]
FEW, MANY = 8, 60
"""Mutants of each class in make test, and in the larger sweep."""


@pytest.mark.parametrize("many", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
@pytest.mark.parametrize("subject", SUBJECTS, ids=str)
@pytest.mark.sweep(4)
def test_the_prover_accepts_what_runs_right(subject: Subject, many: int) -> None:
    changed = mutants(subject, many)
    accepted = [(name, code) for name, code in changed if subject.is_proved(code)]
    assert subject.is_proved(subject.cut.joined())
    assert len(changed) > 4 * many and len(accepted) < len(changed) / 2
    all_right(subject, accepted)


@pytest.mark.parametrize("many", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
@pytest.mark.parametrize("subject", SUBJECTS, ids=str)
@pytest.mark.sweep(4)
def test_the_checker_accepts_what_runs_right(
    subject: Subject, many: int, checker: Path, tmp_path: Path
) -> None:
    changed = [("as it was", subject.cut.joined()), *mutants(subject, many)]
    paths = [tmp_path / f"{number}.cert.json" for number in range(len(changed))]
    for path, (_, code) in zip(paths, changed, strict=True):
        path.write_text(certificate(subject))
        path.with_name(path.name.replace(".cert.json", ".o")).write_bytes(subject.object(code))
    said = run(checker, paths)[1].splitlines()
    refused = {line.split(": ")[0].removeprefix("FAILED ") for line in said if "FAILED" in line}
    accepted = [it for path, it in zip(paths, changed, strict=True) if str(path) not in refused]
    assert len(said) == len(changed) and len(accepted) < len(changed) / 2
    assert accepted[0] == changed[0]
    all_right(subject, accepted)


@pytest.mark.parametrize("many", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "subject",
    [s for s in SMALL if s.target == LINUX]
    + [pytest.param(s, marks=pytest.mark.full) for s in LARGE if s.target == LINUX],
    ids=str,
)
def test_the_proved_checker_accepts_what_runs_right(
    subject: Subject, many: int, certifier: Path
) -> None:
    """It knows x86-64, and not all that LLVM uses."""
    changed = [("as it was", subject.cut.joined()), *mutants(subject, many)]
    said = answers(certifier, [subject.claim(code) for _, code in changed])
    accepted = [it for it, word in zip(changed, said, strict=True) if word == "accepted"]
    assert said[0] == "accepted" and len(accepted) < len(changed) / 2
    all_right(subject, accepted)


@pytest.mark.parametrize("target", [LINUX, ARM])
def test_what_is_wrong_does_not_run_right(target: str) -> None:
    """Else whatever is accepted would be called right."""
    variant = "aarch64" if target == ARM else "base"
    wrong = Subject(target, "bn254-p", "mul", variant)
    subject = Subject(target, "bn254-p", "sub", variant)
    assert subject.runs_right(subject.cut.joined())
    assert not subject.runs_right(wrong.cut.joined())
