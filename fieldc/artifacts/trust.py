"""How far each built kernel is trusted: proved from its bytes, tested on this host, or neither."""

from __future__ import annotations

import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, replace

from fieldc.artifacts import cache
from fieldc.artifacts.artifact import PROVED, SKIPPED, TESTED, Artifact
from fieldc.errors import Refusal
from fieldc.machine.check import check
from fieldc.machine.load import Kernel, load
from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.certificate import certify, text
from fieldc.proof.identity import ProofError
from fieldc.proof.objects import Function, function_of
from fieldc.proof.prove import contract_of, foreign, prove

Progress = Callable[[str, int, int], None]
AARCH64_CONVENTIONS = {"elf": "aapcs64", "mach-o": "apple", "coff": "windows"}
FEW = 4
"""Proofs that are done sooner in this process than in others."""


class UnprovedKernel(Refusal):
    """A kernel of our own whose proof failed; names the kernel and the claim."""


@dataclass(frozen=True)
class Job:
    """A proof to be done: an object's bytes, the symbol, and what it must be."""

    code: bytes
    symbol: str
    operation: str
    p: int
    limbs: int
    convention: str
    arguments: tuple[str, ...] = ()
    """Of a foreign function: z, its operands, `p` for the modulus by address, `n0` by value."""


@dataclass(frozen=True)
class Verdict:
    """`failure` is empty for a proof that succeeded; `certificate` where none was written."""

    failure: str
    seconds: float
    certificate: str = ""


def job_of(artifact: Artifact) -> Job | None:
    """The proof of an artifact, or None where the prover covers neither words nor processor."""
    f = artifact.trace.field
    covered = artifact.target.startswith(("x86_64", "aarch64")) and f.word == 64
    if artifact.code is None or not covered:
        return None
    convention = "win64" if "windows" in artifact.target else "sysv"
    operation = artifact.trace.kernel.operation
    return Job(artifact.code, artifact.symbol, operation, f.p, f.n, convention)


def prove_job(job: Job) -> Verdict:
    """Prove one kernel from its object's bytes."""
    began = time.perf_counter()
    failure = certificate = ""
    try:
        certificate = _proof_of(function_of(job.code, job.symbol), job)
    except ProofError as error:
        failure = str(error)
    return Verdict(failure, time.perf_counter() - began, certificate)


def _proof_of(function: Function, job: Job) -> str:
    """Prove a function; of x86-64 code with a contract of our own, the certificate.

    Raises ProofError.
    """
    code, start, convention = function.code, function.start, job.convention
    contract = contract_of(job.operation, job.p, job.limbs)
    if function.architecture == "x86_64" and not job.arguments:
        proof = certify(code, job.operation, job.p, job.limbs, convention, start, job.symbol)
        return text(proof)
    if job.arguments:
        contract = foreign(contract, job.arguments)
    if function.architecture == "aarch64":
        convention = AARCH64_CONVENTIONS[function.container]
    prove(code, contract, convention, start, function.architecture)
    return ""


def prove_all(jobs: Sequence[Job], progress: Progress) -> list[Verdict]:
    """Prove kernels, on all processors where there are more than a few."""
    return list(_shown(_verdicts(jobs), len(jobs), progress))


def prove_new(jobs: Sequence[Job], progress: Progress) -> list[Verdict]:
    """The same, but a proof that succeeded before, by this prover, is not done again."""
    keys = [cache.key_of(job.code, *astuple(job)[1:]) for job in jobs]
    known = [cache.certificate_of(key) for key in keys]
    new = [job for job, old in zip(jobs, known, strict=True) if old is None]
    fresh = iter(prove_all(new, progress))
    verdicts = [next(fresh) if old is None else Verdict("", 0.0, old) for old in known]
    for key, old, verdict in zip(keys, known, verdicts, strict=True):
        if old is None and not verdict.failure:
            cache.remember(key, verdict.certificate)
    return verdicts


def _verdicts(jobs: Sequence[Job]) -> Iterator[Verdict]:
    workers = min(os.cpu_count() or 1, len(jobs))
    if len(jobs) <= FEW or workers < 2:
        yield from map(prove_job, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(prove_job, jobs)


def _shown(verdicts: Iterator[Verdict], total: int, progress: Progress) -> Iterator[Verdict]:
    for done, verdict in enumerate(verdicts, 1):
        progress("prove", done, total)
        yield verdict


def judge(artifacts: Sequence[Artifact], progress: Progress) -> list[Artifact]:
    """Every artifact with its status.

    Raises UnprovedKernel where a kernel of our own backend is not proved, CheckError or FrameError
    where one that runs here computes something wrong.
    """
    jobs = {i: job for i, a in enumerate(artifacts) if (job := job_of(a)) is not None}
    verdicts = dict(zip(jobs, prove_new(list(jobs.values()), progress), strict=True))
    judged = []
    for done, artifact in enumerate(artifacts):
        progress("check", done + 1, len(artifacts))
        judged.append(_judged(artifact, verdicts.get(done)))
    return judged


def _judged(artifact: Artifact, verdict: Verdict | None) -> Artifact:
    if verdict is not None and verdict.failure and artifact.is_own:
        raise UnprovedKernel(f"{artifact.symbol} is not proved: {verdict.failure}")
    reason = why_not_here(artifact)
    if not reason:
        run_here(artifact)
    if verdict is not None and not verdict.failure:
        return replace(artifact, status=PROVED, reason="", certificate=verdict.certificate)
    return replace(artifact, status=SKIPPED if reason else TESTED, reason=reason)


def run_here(artifact: Artifact) -> None:
    """Call an artifact on its vectors in every aliasing. Raises CheckError or FrameError."""
    if artifact.code is None:
        return
    f = artifact.trace.field
    operands = tuple(bound.width(f) for _, bound in artifact.trace.kernel.operands)
    kernel = Kernel(load(artifact.code), artifact.symbol, operands, f.n, f.word)
    check(kernel, artifact.trace)


def why_not_here(artifact: Artifact) -> str:
    """Why this host does not run an artifact; empty where it does."""
    if artifact.code is None:
        return f"{artifact.target} source is compiled by its user"
    system = f"x86_64-{platform.system().lower().replace('darwin', 'macos')}"
    if not is_x86_64() or not artifact.target.startswith(system):
        return f"this host does not run {artifact.target} objects"
    lacking = missing(artifact.needs)
    return f"this processor lacks {' and '.join(lacking)}" if lacking else ""
