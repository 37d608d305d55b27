"""Both updates of a batch of divsteps: inverses by them, their proofs, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from contracts import contract_named
from forged import renamed, replay
from primes import named_field, shaped
from test_divsteps import STEPS, batch
from test_studied import ON_X86_64

from fieldc.algorithms import choose
from fieldc.algorithms.divsteps import QUOTIENTS
from fieldc.artifacts.verify import job_of, prove_job
from fieldc.artifacts.write import build
from fieldc.binary.linkable import function_of
from fieldc.field import Field
from fieldc.language import DoesNotApply, Expression
from fieldc.machine.assemble import assemble
from fieldc.operations import DIVSTEP_SHIFT
from fieldc.packages.rust.classes import FULL, representative
from fieldc.packages.rust.own_updates import own_updates_text, update_decisions
from fieldc.packages.rust.updates import narrower
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import certify
from fieldc.proof.prove import prove
from fieldc.targets.aarch64.kernel import compile_words
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.lower import lower

LINUX = "x86_64-unknown-linux-gnu"
BOTH = ("divstep_fg", "divstep_de_lazy")
NAMES = ("bls12-381-p", "bls12-381-r", "bn254-p", "curve25519")


def expression(f: Field, operation: str) -> Expression:
    return QUOTIENTS.expression(f) if operation == "divstep_fg" else choose(f, operation)


def side_by_side(values: list[int], bits: int) -> int:
    return sum(value << bits * i for i, value in enumerate(values))


def narrowed(f: Field, updates: int) -> Field:
    """A field of as many limbs as f and g need before so many updates."""
    limbs = updates + 1
    return representative(FULL, limbs) if limbs in narrower(f.n) else f


def inverse(f: Field, x: int) -> int:
    """1/x mod p, or 0 for 0, as the crate computes it."""
    size, mask, half = f.word * f.n, int(f.R) - 1, int(f.R) // 2
    de = choose(f, "divstep_de_lazy").kernel
    batches = -(-(9437 * f.bits + 1) // 4096 // STEPS) + 1
    delta, a, b = 1, int(f.p) + half, x + half
    pair = pow(2, (DIVSTEP_SHIFT - STEPS) * batches, f.p) << size
    for left in reversed(range(batches)):
        delta, *rows = batch(delta, a, b)
        entries = [entry for row in rows for entry in row]
        if left:
            narrow = narrowed(f, left)
            r, bits = int(narrow.R), narrow.word * narrow.n
            m = side_by_side([(1 << 63) - 16 * u for u in entries], 64)
            both = QUOTIENTS.run(narrow, a % r, b % r, m)
            assert not both >> bits + 64 & (1 << 64) - 1  # the division is exact
            a, b = both % r, (both >> bits + 128) % r
        else:  # by the sign of the last f
            sign = (entries[0] * a + entries[1] * b) >> 63 & 1
            entries[:2] = [-u if sign else u for u in entries[:2]]
        pair = de.run(f, pair, side_by_side([u + (1 << STEPS) for u in entries], 64))
    return (pair & mask) % f.p


@pytest.mark.parametrize("name", NAMES)
def test_both_updates_make_an_inverse(name: str) -> None:
    f, draw = named_field(name), random.Random(name)
    for x in (0, 1, 2, f.p - 1, f.p // 2, *(draw.randrange(f.p) for _ in range(3))):
        assert inverse(f, x) == pow(x, f.p - 2, f.p)


@pytest.mark.parametrize("operation", BOTH)
def test_the_text_is_the_function(operation: str) -> None:
    f, draw = named_field("bn254-r"), random.Random(1)
    kernel = expression(f, operation).kernel
    for edge in range(8):
        numbers = []
        for place, (_, bound) in enumerate(kernel.operands):
            high = bound.high(f)
            values = [high * (edge >> place & 1)] * bound.count
            if edge == 7:
                values = [draw.randrange(high + 1) for _ in values]
            numbers.append(bound.number(f, values))
        found = kernel.result.values(f, kernel.run(f, *numbers))
        meant = kernel.result.values(f, kernel.computes(f, *numbers))
        modulus = kernel.result.modulus(f)
        assert all((a - b) % modulus == 0 for a, b in zip(found, meant, strict=True))


@cache
def compiled(f: Field, operation: str, variant: str = "adx") -> bytes:
    made = compile_expression(expression(f, operation), "kernel", VARIANTS[variant])
    return assemble(made.text(GNU), LINUX)


@pytest.mark.parametrize("operation", BOTH)
@pytest.mark.parametrize(("limbs", "variant"), [(1, "base"), (2, "adx"), (5, "mulx"), (12, "adx")])
def test_the_kernels_are_proved(operation: str, limbs: int, variant: str) -> None:
    f = shaped("one-spare", limbs)
    function = function_of(compiled(f, operation, variant), "kernel")
    prove(function.code, contract_named(operation, f.p, f.n), start=function.start)


@pytest.mark.parametrize("operation", BOTH)
@pytest.mark.parametrize("name", ["bls12-381-p", "bls12-381-r"])
def test_the_kernels_for_aarch64_are_proved(operation: str, name: str) -> None:
    f = named_field(name)
    of = expression(f, operation)
    code = compile_words(lambda rows: lower(of, rows)).code
    contract = contract_named(operation, f.p, f.n)
    prove(code, contract, convention="aapcs64", architecture="aarch64")


Change = Callable[[list[str]], None]


def without(start: str, number: int) -> Change:
    """Leave out an instruction that begins so."""

    def change(lines: list[str]) -> None:
        places = [k for k, line in enumerate(lines) if line.split()[:1] == [start]]
        del lines[places[number]]

    return change


@ON_X86_64
@pytest.mark.parametrize("operation", BOTH)
@pytest.mark.parametrize("change", [without("adc", 3), without("adc", -1), without("sbb", 2)])
def test_a_kernel_without_an_instruction_is_refused(operation: str, change: Change) -> None:
    f = named_field("bn254-p")
    made = compile_expression(expression(f, operation), "kernel", VARIANTS["mulx"])
    lines = made.text(GNU).splitlines()
    change(lines)
    function = function_of(assemble("\n".join(lines) + "\n", LINUX), "kernel")
    with pytest.raises(ProofError):
        prove(function.code, contract_named(operation, f.p, f.n), start=function.start)


@pytest.mark.parametrize("operation", BOTH)
def test_another_statement_is_refused(operation: str) -> None:
    f = named_field("bls12-381-r")
    function = function_of(compiled(f, operation), "kernel")
    asked = contract_named(operation, f.p, f.n)
    *_, m = asked.operands
    wide = replace(m, high=(1 << 64) - 1) if operation != "divstep_fg" else replace(m, count=3)
    for wrong in (
        replace(asked, factor=1 << 59),
        replace(asked, high=f.p - 1),
        replace(asked, p=asked.p + 2),
        replace(asked, operands=(*asked.operands[:-1], wide)),
        replace(asked, claim=asked.more[0], more=(asked.claim,)),
    ):
        with pytest.raises((ProofError, IndexError)):
            prove(function.code, wrong, start=function.start)


def test_values_below_2p_need_a_spare_bit() -> None:
    with pytest.raises(DoesNotApply, match="a spare bit"):
        choose(named_field("secp256k1-p"), "divstep_de_lazy")


def test_a_rust_package_has_both_updates_proved() -> None:
    """Where the crate calls them, and else none."""
    f = named_field("bls12-381-r")
    built = build(update_decisions(f), lambda *_: None)
    assert [(a.expression.kernel.operation, a.status) for a in built] == [(x, PROVED) for x in BOTH]
    assert kernels_in(own_updates_text(f)).keys() == {a.symbol for a in built}
    for other in map(named_field, ("secp256k1-p", "goldilocks")):
        assert not update_decisions(other) and not kernels_in(own_updates_text(other))


@pytest.mark.parametrize("operation", BOTH)
def test_the_checker_replays_the_certificate(checker: Path, tmp_path: Path, operation: str) -> None:
    f = named_field("bls12-381-p")
    data, record = compiled(f, operation), expression(f, operation).kernel.computes
    function = function_of(data, "kernel")
    named = record.family, f.p, f.n
    certificate = certify(
        function.code,
        *named,
        start=function.start,
        parameters=record.parameters,
        operation=operation,
    )
    status, said = replay(checker, tmp_path, certificate, data)
    assert (status, said.split(":")[0]) == (0, "PROVED kernel"), said
    case = certificate["cases"][0]
    case["canonical"] = [*case["canonical"]][:-1]
    assert replay(checker, tmp_path, certificate, data)[0] == 1
    renamed(certificate, "divstep_update")
    assert replay(checker, tmp_path, certificate, data)[0] == 1


@pytest.mark.parametrize("operation", BOTH)
def test_the_checker_replays_that_for_aarch64(
    checker: Path, tmp_path: Path, operation: str
) -> None:
    of = expression(named_field("bls12-381-p"), operation)
    (artifact,) = TARGETS["aarch64-linux"].produce(of)
    job = job_of(artifact)
    assert job is not None and artifact.code is not None
    certificate = json.loads(prove_job(job).certificate)
    status, said = replay(checker, tmp_path, certificate, artifact.code)
    assert (status, said.split(":")[0]) == (0, f"PROVED {artifact.symbol}"), said
    case = certificate["cases"][0]
    case["canonical"] = [*case["canonical"]][:-1]
    assert replay(checker, tmp_path, certificate, artifact.code)[0] == 1
