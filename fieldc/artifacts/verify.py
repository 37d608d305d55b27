"""How far each built kernel is trusted: proved from its bytes, tested on this host, or neither.

An object that is not proved is run here, in an emulator if need be, and scanned for branches.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from fieldc.algorithms.lanes import ARRAY_OPERATIONS
from fieldc.artifacts import cache
from fieldc.artifacts.workers import on_all_processors
from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import KernelCode, function_of, size_of
from fieldc.errors import Refusal
from fieldc.machine.check import check_text
from fieldc.operations import DIVSTEP_FG, OPERATIONS, TOWER_OPERATIONS, Operation
from fieldc.progress import Progress, shown_proofs
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import certificate_of_formula, certify, text
from fieldc.proof.claims.arguments import foreign
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.proof.constant_time.scan import scan
from fieldc.proof.constant_time.vendors import unlisted
from fieldc.proof.divsteps.certificate import certificate_of_divsteps
from fieldc.proof.divsteps.prove import prove_divsteps
from fieldc.proof.instruction_set import ProvedInstructionSet
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.lanes.certificate import certify_arrays, certify_columns, certify_mixed
from fieldc.proof.lanes.columns import COLUMN_PROOFS, ColumnContract
from fieldc.proof.lanes.mixed import MixedArrays
from fieldc.proof.lanes.word import DIGIT
from fieldc.proof.programs import are_proved, prove_formula
from fieldc.proof.prove import prove
from fieldc.targets.running import run_here
from fieldc.targets.target import PROVED, SKIPPED, TESTED, Artifact, Target


class LeakyKernel(Refusal):
    """A kernel for a processor that may not take the same time for all operands; says where."""


class UnprovedKernel(Refusal):
    """Kernels that must be proved, or give way to others, are not; names the first and its claim.

    `failures` are all of them, each with the reason.
    """

    def __init__(self, *failures: tuple[Artifact, str]) -> None:
        artifact, failure = failures[0]
        super().__init__(f"{artifact.symbol} is not proved: {failure}")
        self.failures = failures


@dataclass(frozen=True)
class Job:
    """A proof to be done: an object's bytes, the symbol, and what it must be.

    `operation` is a name in fieldc.operations.OPERATIONS.
    """

    code: bytes
    symbol: str
    operation: str
    p: int
    limbs: int
    convention: str = ""
    """The prover's name of it; empty for that of the object's container."""
    arguments: tuple[str, ...] = ()
    """Of a foreign function: z, its operands, `p` for the modulus by address, `n0` by value."""
    formula: str = ""
    """Of a user's formula: its text, which stands for the operation."""
    called: tuple[str, ...] = ()
    """The statements of the routines that it calls, in the order of their first calls."""
    array_word: int = 0
    """Of a kernel on arrays: the bits of an element's words; 0 for one on single values."""
    turns: int = 0
    """Of a kernel of sums in columns: how often a lane adds at most; else 0."""
    column_bits: int = DIGIT
    """Of such a kernel: how far its columns are apart."""
    multiple: int = 0
    """Of such a kernel of multiples of p: how many p the second factors are below."""
    mixed: MixedArrays | None = None
    """Of a kernel on arrays in limbs and in digits: what it must be."""


@dataclass(frozen=True)
class Verdict:
    """`failure` is empty for a proof that succeeded; `certificate` where none was written."""

    failure: str
    seconds: float
    certificate: str = ""
    convention: str = ""
    stack: int = 0
    """Bytes of stack that the kernel uses below the return address."""
    unlisted: tuple[str, ...] = ()
    """Instructions of which the processor's maker does not promise data-independent times."""
    assumed: tuple[str, ...] = ()
    """What a foreign routine made use of that only its caller can know, a sentence each."""


def job_of(artifact: Artifact) -> Job | None:
    """The proof of an artifact, or None where the prover covers neither words nor processor."""
    f = artifact.expression.field
    if artifact.code is None or not artifact.target.is_proved(f.word):
        return None
    operation = artifact.expression.kernel.computes
    called = artifact.called
    if operation.formula and not called and artifact.target.caller is None:
        return None  # long straight lines of another compiler's
    return Job(
        artifact.code,
        artifact.symbol,
        operation.name,
        f.p,
        f.n,
        formula=operation.formula,
        called=called,
    )


def named_operation(
    name: str, known: Mapping[str, Operation] = OPERATIONS | TOWER_OPERATIONS | DIVSTEP_FG
) -> tuple[str, Mapping[str, int]]:
    """Return the family and the parameters of an operation. Raises ProofError."""
    operation = known.get(name)
    if operation is None:
        raise ProofError(f"there is no operation {name}")
    return operation.family, operation.parameters


def prove_job(job: Job) -> Verdict:
    """Prove one kernel from its object's bytes."""
    began = time.perf_counter()
    try:
        verdict = _proof_of(function_of(job.code, job.symbol), job)
    except (ObjectError, ProofError) as error:
        verdict = Verdict(str(error), 0.0)
    return replace(verdict, seconds=time.perf_counter() - began)


def _proof_of(function: KernelCode, job: Job) -> Verdict:
    """Prove a function; with a contract of our own, with the certificate.

    Raises ProofError.
    """
    if job.array_word:
        return _proof_of_array(function, job)
    code, start = function.code, function.start
    instruction_set = INSTRUCTION_SETS[function.architecture]
    convention = instruction_set.convention(function.container, job.convention)
    if job.formula:
        return _proof_of_formula(function, job, instruction_set, convention)
    if job.operation == DIVSTEP_MATRIX:
        of = prove_divsteps(code, BATCH, None, convention, start, instruction_set.name)
        outside = unlisted(of.instructions, function.architecture)
        written = certificate_of_divsteps(of, BATCH.steps, convention, job.symbol)
        return Verdict("", 0.0, text(written), convention, of.stack, outside)
    family, parameters = named_operation(job.operation)
    if not job.arguments:
        names: set[str] = set()
        proof = certify(
            code,
            family,
            job.p,
            job.limbs,
            convention,
            start,
            job.symbol,
            parameters=parameters,
            operation=job.operation,
            architecture=function.architecture,
            instructions=names,
        )
        outside = unlisted(names, function.architecture)
        return Verdict("", 0.0, text(proof), convention, proof["stack"], outside)
    contract = foreign(contract_of(family, job.p, job.limbs, parameters), job.arguments)
    proved = prove(code, contract, convention, start, function.architecture)
    outside = unlisted(proved.instructions, function.architecture)
    return Verdict("", 0.0, "", convention, proved.stack, outside)


def _proof_of_formula(
    function: KernelCode, job: Job, instruction_set: ProvedInstructionSet, convention: str
) -> Verdict:
    """Prove a function by the statement of a formula. Raises ProofError."""
    found = prove_formula(
        function.code,
        job.formula,
        job.p,
        job.limbs,
        convention,
        function.start,
        instruction_set.name,
        job.called,
    )
    written = ""
    if instruction_set.certifies_formulas:
        stated = (job.formula, job.operation, job.p, job.limbs, convention, job.symbol)
        written = text(certificate_of_formula(found, *stated))
    ran = found.proof.instructions.union(*(of.instructions for _, of in found.routines))
    outside = unlisted(ran, instruction_set.name)
    return Verdict("", 0.0, written, convention, found.proof.stack, outside)


def _proof_of_array(function: KernelCode, job: Job) -> Verdict:
    """Prove a function on arrays of one layout; some have certificates. Raises ProofError."""
    known = INSTRUCTION_SETS.get(function.architecture)
    is_elf = function.container == "elf"
    if known is None or not known.proves_arrays(function.container) or not is_elf:
        raise ProofError("kernels on arrays are ELF objects for x86-64")
    if job.turns:
        if job.operation not in COLUMN_PROOFS:
            raise ProofError(f"{job.operation} is no operation on columns")
        words = job.column_bits, job.array_word
        of = ColumnContract(job.p, job.limbs, job.turns, *words, job.multiple)
        found = certify_columns(function.code, job.operation, of, function.start, job.symbol)
        return Verdict("", 0.0, text(found) if found else "", known.array_convention)
    if job.mixed is not None:
        of_mixed = job.operation, job.mixed, job.p, job.limbs, function.start, job.symbol
        found = certify_mixed(function.code, *of_mixed)
        return Verdict("", 0.0, text(found) if found else "", known.array_convention)
    family, parameters = named_operation(job.operation, ARRAY_OPERATIONS)
    code, p, n, word, start = function.code, job.p, job.limbs, job.array_word, function.start
    named = job.operation, start, job.symbol
    written = certify_arrays(code, family, p, n, word, parameters, *named)
    return Verdict("", 0.0, text(written) if written else "", known.array_convention)


def prove_all(jobs: Sequence[Job], progress: Progress) -> list[Verdict]:
    """Prove kernels, on all processors where there are more than a few."""
    sizes = [code_size(job.code, job.symbol) for job in jobs]
    return list(shown_proofs(_verdicts(jobs), sizes, progress))


def code_size(code: bytes, symbol: str) -> int:
    """The bytes of a function; of the object where it has no such function."""
    try:
        return size_of(code, symbol)
    except ObjectError:
        return len(code)


def prove_new(
    jobs: Sequence[Job], progress: Progress, round_before: dict[str, Verdict] | None = None
) -> list[Verdict]:
    """The same, but a proof that succeeded before, by this prover, is not done again.

    Nor is one proof done twice: of the same bytes in objects of two systems, say, or of kernels
    that stay where others give way. `round_before` has verdicts by their keys, and takes new ones.
    """
    known = {} if round_before is None else round_before
    keys = [_key(job) for job in jobs]
    for key in keys:
        if key not in known and (old := cache.recall(key)) is not None:
            known[key] = Verdict("", 0.0, old.certificate, old.convention, old.stack)
    new = {key: job for key, job in zip(keys, jobs, strict=True) if key not in known}
    fresh = dict(zip(new, prove_all(list(new.values()), progress), strict=True))
    for key, verdict in fresh.items():
        if not verdict.failure:
            record = cache.Record(verdict.certificate, verdict.convention, verdict.stack)
            cache.remember(key, record)
    if fresh:
        cache.trim()
    known |= fresh
    return [known[key] for key in keys]


def _key(job: Job) -> str:
    """The digest of all that a proof reads: the function, not the object that it lies in."""
    try:
        function = function_of(job.code, job.symbol)
        named = INSTRUCTION_SETS[function.architecture]
        convention = named.convention(function.container, job.convention)
    except (KeyError, ObjectError, ProofError):
        return cache.key_of(job.code, *astuple(job)[1:])
    container = function.container if job.array_word else ""  # those are proved in ELF alone
    found = (function.start, function.architecture, function.fault, convention, container)
    return cache.key_of(function.code, found, *astuple(replace(job, convention=""))[1:])


def _verdicts(jobs: Sequence[Job]) -> Iterator[Verdict]:
    """Callers whose routines this process proved are proved here, the others on all processors."""
    is_soon = [_is_soon_proved(job) for job in jobs]
    others = [job for job, soon in zip(jobs, is_soon, strict=True) if not soon]
    verdicts = on_all_processors(prove_job, others)
    yield from (
        prove_job(job) if soon else next(verdicts) for job, soon in zip(jobs, is_soon, strict=True)
    )


def _is_soon_proved(job: Job) -> bool:
    """Whether all that it calls was proved in this process, where its plan was chosen."""
    if not job.called:
        return False
    try:
        function = function_of(job.code, job.symbol)
        named = INSTRUCTION_SETS[function.architecture]
        convention = named.convention(function.container, job.convention)
    except (KeyError, ObjectError, ProofError):
        return False
    return are_proved(job.called, job.p, job.limbs, convention, named.name)


def judge(
    artifacts: Sequence[Artifact],
    progress: Progress,
    round_before: dict[str, Verdict] | None = None,
) -> list[Artifact]:
    """Every artifact with its status; for `round_before` see `prove_new`.

    Raises UnprovedKernel where kernels are not proved that must be, or that give way to others,
    CheckError or FrameError where one that runs here computes something wrong, LeakyKernel where
    the scan finds something.
    """
    jobs = {i: job for i, a in enumerate(artifacts) if (job := job_of(a)) is not None}
    found = prove_new(list(jobs.values()), progress, round_before)
    verdicts = dict(zip(jobs, found, strict=True))
    failures = [
        (artifacts[i], verdict.failure)
        for i, verdict in verdicts.items()
        if verdict.failure and (artifacts[i].target.is_own or artifacts[i].gives_way)
    ]
    if failures:
        raise UnprovedKernel(*failures)
    judged, elsewhere = [], defaultdict[Target, list[Artifact]](list)
    for done, artifact in enumerate(artifacts):
        progress("check", done + 1, len(artifacts))
        judged.append(_judged(artifact, verdicts.get(done)))
        if judged[-1].status == TESTED and not artifact.target.place(artifact.needs).is_here:
            elsewhere[artifact.target].append(artifact)
    for target, some in elsewhere.items():
        run_elsewhere(target, some)
    return judged


def _judged(artifact: Artifact, verdict: Verdict | None) -> Artifact:
    """With its status, after what this process can do for it; `judge` runs it in an emulator."""
    place = artifact.target.place(artifact.needs)
    if place.is_here:
        run_here(artifact)
    if verdict is not None and not verdict.failure:
        return replace(
            artifact,
            status=PROVED,
            reason="",
            certificate=verdict.certificate,
            stack=verdict.stack,
        )
    if place.reason:
        check_text(artifact.expression)
    require_constant_time(artifact)
    return replace(artifact, status=SKIPPED if place.reason else TESTED, reason=place.reason)


def run_elsewhere(target: Target, artifacts: Sequence[Artifact]) -> None:
    """Call kernels of a target on their vectors, by its runner. Raises CheckError or FrameError."""
    if target.runner is not None:
        target.runner.run(artifacts)


def require_constant_time(artifact: Artifact) -> None:
    """Scan an object for a processor, which a proof would have done. Raises LeakyKernel."""
    if artifact.code is None or artifact.target.not_scanned:
        return
    for finding in scan(artifact.code):
        where = f"{artifact.symbol} for {artifact.target.name}"
        raise LeakyKernel(f"{where} may not be constant time: {finding}")
