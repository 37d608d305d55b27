"""What `fieldc prove` shows of kernels that fieldc made, in words and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fieldc.artifacts.verify import Job, Verdict
    from fieldc.proof.claims.contracts import Contract

ALWAYS = "for all inputs; no branch and no address depends on data; writes only z and its own stack"
FOR_ALL = f"{ALWAYS}; z, x and y may be the same"
"""What every proof shows beside its claim."""
APART = f"{ALWAYS}; z, or t which it adds to, is apart from the others"
"""The same of a kernel whose arrays have different layouts."""
IN_PLACE = f"{ALWAYS}; z0 and z1 may be x and y, all other arrays are apart"
"""The same of the kernels of transforms."""


def promise_of_arrays(layout: str) -> tuple[str, str]:
    """Which kernels on arrays a layout's are, and what every proof of them shows."""
    from fieldc.artifacts.promise import TRANSFORM
    from fieldc.targets.vectors.offers import LAYOUTS

    if layout in LAYOUTS:
        return "of one layout", f"for every count; {FOR_ALL}"
    if layout == TRANSFORM:
        return "of transforms", f"for every count; {IN_PLACE}"
    return "of others", f"for every count; {APART}"


def claim_of(job: Job, verdict: Verdict) -> str:
    """What a proof shows, on one line."""
    from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
    from fieldc.proof.constant_time.vendors import promises_nothing

    note = f"; note: {promises_nothing(verdict.unlisted)}" if verdict.unlisted else ""
    called = f"convention: {verdict.convention}; stack: {verdict.stack} bytes{note}"
    if job.operation == DIVSTEP_MATRIX:
        return f"{DIVSTEP_MATRIX}: {BATCH.says}; {called}"
    bounds = ", ".join(f"{name} < {bound}" for name, bound in bounds_of(job).items())
    named = f"{job.operation}, a formula," if job.formula else job.operation
    return f"{named} mod {job.p:#x}: {bounds}; limbs: {job.limbs}; {called}"


def bounds_of(job: Job) -> dict[str, str]:
    """What each operand, and z, is below; nothing of integers, whose claim says it."""
    from fieldc.proof.claims.divsteps import DIVSTEP_MATRIX

    if job.operation == DIVSTEP_MATRIX:
        return {}
    contract = _contract_of(job)
    highs = {operand.name: operand.high for operand in contract.operands} | {"z": contract.high}
    return {name: _bound(high, job) for name, high in highs.items()}


def _contract_of(job: Job) -> Contract:
    from fieldc.artifacts.verify import named_operation
    from fieldc.proof.claims.contracts import contract_of
    from fieldc.proof.claims.formulas import contract_of_formula, statement_of

    if job.formula:
        return contract_of_formula(statement_of(job.formula), job.p, job.limbs)
    family, parameters = named_operation(job.operation)
    return contract_of(family, job.p, job.limbs, parameters)


def _bound(high: int, job: Job) -> str:
    """What values of at most `high` are below, as text: 2p, p*R, 2^64, 8p*p."""
    from fieldc.operands import Range

    bound, powers = high + 1, 0
    while bound % job.p == 0:
        bound, powers = bound // job.p, powers + 1
    if (bound, powers) == (1 << 64 * job.limbs, 1):
        return Range(is_wide=True).bound
    return Range(multiple=bound, powers=powers).bound
