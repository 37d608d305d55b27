"""Certificates of divsteps: crates/check replays them, and refuses damaged kernels and claims."""

from __future__ import annotations

import copy
import json
import random
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from test_divstep_proof import CLAIM, MUTANTS, STEP, kernel
from test_divstep_proof_aarch64 import MUTANTS as ARM_MUTANTS
from test_studied import ON_X86_64

from fieldc.artifacts.divsteps import check_divsteps
from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import instructions
from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.machine.check import CheckError
from fieldc.proof.divsteps import prove
from fieldc.proof.divsteps.certificate import certificate_of_divsteps
from fieldc.targets.aarch64.divsteps import compile_divsteps_for_arm
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.systems import SYSTEMS

Certificate = dict[str, Any]
LINUX = next(system for system in SYSTEMS if system.name == "linux")
CONVENTIONS = {"x86_64": "sysv", "aarch64": "aapcs64"}


def arm_object(lines: Sequence[str]) -> bytes:
    return object_of({"k": assembled("\n".join(lines))}, LINUX.triple)


def certificate_of(data: bytes) -> Certificate:
    """The certificate of an object's kernel `k`."""
    f = function_of(data, "k")
    convention = CONVENTIONS[f.architecture]
    proved = prove.prove_divsteps(f.code, CLAIM, None, convention, f.start, f.architecture)
    written = certificate_of_divsteps(proved, CLAIM.steps, convention, "k")
    found: Certificate = json.loads(json.dumps(written))
    return found


def said_of(
    checker: Path, folder: Path, cases: Sequence[tuple[bytes, Mapping[str, Any]]]
) -> list[str]:
    """What the checker says of objects with certificates, a line for each."""
    paths = []
    for number, (data, certificate) in enumerate(cases):
        (folder / f"{number}.o").write_bytes(data)
        paths.append(folder / f"{number}.cert.json")
        paths[-1].write_text(json.dumps(certificate))
    done = subprocess.run([checker, *paths], capture_output=True, text=True, check=False)
    assert "panicked" not in done.stderr
    said = iter(done.stdout.splitlines())
    refused = dict(line.removeprefix("FAILED ").split(": ", 1) for line in done.stderr.splitlines())
    return [refused.get(str(path)) or next(said) for path in paths]


def offsets(data: bytes) -> list[int]:
    """Where a kernel's instructions begin, up to its return."""
    f, found = function_of(data, "k"), []
    for one in instructions(f.code[f.start :], Architecture(f.architecture), 0):
        found.append(one.address)
        if one.mnemonic == "ret":
            break
    return found


def moved(certificate: Certificate, old: bytes, new: bytes, left_out: int = -1) -> Certificate:
    """The certificate of a kernel for one without an instruction, or with longer ones."""
    places = offsets(old)
    kept = [place for number, place in enumerate(places) if number != left_out]
    to = dict(zip(kept, offsets(new), strict=True))

    def change(value: Any) -> Any:
        if isinstance(value, list):
            return [change(one) for one in value]
        return to.get(value, 1)

    blocks = [
        {name: change(part) for name, part in block.items()} for block in certificate["blocks"]
    ]
    return certificate | {"blocks": blocks}


@ON_X86_64
def test_kernels_are_certified(checker: Path, tmp_path: Path) -> None:
    cases = [
        (data, certificate_of(data))
        for data in (assemble(kernel()), arm_object(compile_divsteps_for_arm().lines))
    ]
    said = said_of(checker, tmp_path, cases)
    assert said == [f"PROVED k: 59 divsteps, {name}" for name in CONVENTIONS.values()]


@ON_X86_64
def test_a_step_without_one_of_its_instructions_is_refused(checker: Path, tmp_path: Path) -> None:
    lines, right = kernel().splitlines(), assemble(kernel())
    certificate, before = certificate_of(right), 5  # directives and the label
    cases = []
    for line in range(STEP.start, STEP.stop):
        data = assemble("\n".join([*lines[:line], *lines[line + 1 :]]))
        cases.append((data, moved(certificate, right, data, line - before)))
    said = said_of(checker, tmp_path, cases)
    assert len(said) == 14 and not [line for line in said if "PROVED" in line]
    assert sum("step 2" in line or "is not what the rule says" in line for line in said) > 8


def changed(lines: Sequence[str], old: str, new: str, start: int = 0) -> list[str]:
    """Lines of which the first that has a text has another one instead."""
    at = next(k for k in range(start, len(lines)) if old in lines[k])
    return [*lines[:at], lines[at].replace(old, new), *lines[at + 1 :]]


@ON_X86_64
def test_a_wrong_step_is_refused(checker: Path, tmp_path: Path) -> None:
    lines, right = kernel().splitlines(), assemble(kernel())
    certificate, cases = certificate_of(right), []
    for old, new in MUTANTS.values():
        data = assemble("\n".join(changed(lines, old, new, STEP.start)))
        cases.append((data, moved(certificate, right, data)))
    said = said_of(checker, tmp_path, cases)
    assert said and not [line for line in said if "step" not in line], said


def test_a_wrong_step_for_aarch64_is_refused(checker: Path, tmp_path: Path) -> None:
    lines = [*compile_divsteps_for_arm().lines]
    certificate = certificate_of(arm_object(lines))
    cases = [
        (arm_object(changed(lines, old, new)), certificate) for old, new in ARM_MUTANTS.values()
    ]
    said = said_of(checker, tmp_path, cases)
    assert said and not [line for line in said if "step" not in line and "begin" not in line], said


# Kernels that are right for all but few numbers


@ON_X86_64
@pytest.mark.parametrize("fields", [{"LOW": 21, "MIDDLE": 21}, {"LOW": 20, "MIDDLE": 23}])
def test_fields_that_are_too_short_are_refused(
    fields: dict[str, int], checker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """u or v may not fit."""
    right = assemble(kernel())
    data = assemble(kernel(monkeypatch, **fields))
    (said,) = said_of(checker, tmp_path, [(data, moved(certificate_of(right), right, data))])
    assert "PROVED" not in said and ("what is claimed" in said or "step" in said or "drops" in said)


@ON_X86_64
def test_a_rule_for_another_delta_is_refused(
    checker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prover is made to believe each step, so that it writes a certificate."""

    def divstep(m: Any, zeta: Any, f: Any, g: Any, _: Any) -> Any:
        counted, turned, minus = zeta - 1, -2 - zeta, -f
        total = m.choose(m.is_at_least_0(zeta), f, minus) + g
        swaps = m.is_below_0_and_odd(zeta, g)
        far = m.is_at_least_0(zeta + 1000)
        turned, kept = m.choose(far, turned, counted), m.choose(far, g, f)
        zeta, x = m.choose(swaps, turned, counted), m.choose(swaps, kept, f)
        return zeta, x, m.choose(m.is_odd(g), total, g) >> 1

    def believed(_proof: object, _places: object, _later: object, ranges: list[Any]) -> list[Any]:
        low, high = ranges[0]
        return [(low - 1, high + 1), *ranges[1:]]

    monkeypatch.setattr(prove._DivstepProof, "_step", believed)
    right = assemble(kernel())
    wrong = assemble(kernel(monkeypatch, divstep=divstep))
    cases = [(data, certificate_of(data)) for data in (right, wrong)]
    first, second = said_of(checker, tmp_path, cases)
    assert first == "PROVED k: 59 divsteps, sysv"
    assert second == "step 1, delta > 0, g odd: whether a word is 0 is not decided"


# Damaged certificates and code


def without(block: int, name: str, index: int) -> Callable[[Certificate], None]:
    return lambda c: c["blocks"][block][name].pop(index)


def swapped(block: int, name: str) -> Callable[[Certificate], None]:
    return lambda c: c["blocks"][block][name].reverse()


CHANGES: dict[str, Callable[[Certificate], object]] = {
    "steps": lambda c: c.update(steps=58),
    "convention": lambda c: c.update(convention="win64"),
    "stack": lambda c: c.update(stack=c["stack"] + 8),
    "symbol": lambda c: c.update(symbol="other"),
    "no blocks": lambda c: c.update(blocks=[]),
    "more": lambda c: c.update(more=1),
    "a block too few": lambda c: c["blocks"].pop(),
    "a block twice": lambda c: c["blocks"].append(c["blocks"][-1]),
    "a step too few": without(0, "steps", -1),
    "another step too few": without(2, "steps", 7),
    "no steps": lambda c: c["blocks"][1].update(steps=[]),
    "no sum": without(0, "sums", 0),
    "f for g": swapped(0, "sums"),
    "x for y": swapped(1, "begin"),
    "a place outside": lambda c: c["blocks"][1]["begin"].__setitem__(0, 1 << 40),
}


@ON_X86_64
def test_a_changed_certificate_is_refused(checker: Path, tmp_path: Path) -> None:
    data, draw = assemble(kernel()), random.Random(1)
    right, places, cases = certificate_of(data), offsets(data), []
    for change in CHANGES.values():
        one = copy.deepcopy(right)
        change(one)
        cases.append((data, one))
    for _ in range(60):
        one = copy.deepcopy(right)
        step = draw.choice(draw.choice(one["blocks"])["steps"])
        member, further = draw.randrange(3), draw.choice((-2, -1, 1, 2))
        step[member] = places[places.index(step[member]) + further]
        cases.append((data, one))
    assert not [line for line in said_of(checker, tmp_path, cases) if "PROVED" in line]


@ON_X86_64
def test_what_flipped_bits_leave_certified_runs_right(checker: Path, tmp_path: Path) -> None:
    right, draw = assemble(kernel()), random.Random(2)
    certificate, f = certificate_of(right), function_of(right, "k")
    first = right.index(f.code) + f.start
    cases = []
    for bit in draw.sample(range(8 * offsets(right)[-1]), 300):
        data = bytearray(right)
        data[first + bit // 8] ^= 1 << bit % 8
        cases.append((bytes(data), certificate))
    said = said_of(checker, tmp_path, cases)
    accepted = [data for (data, _), line in zip(cases, said, strict=True) if "PROVED" in line]
    assert len(accepted) < 20
    for one in accepted:
        check_divsteps(one, "k")
    with pytest.raises(CheckError):
        check_divsteps(assemble(kernel().replace("cmove", "cmovne", 1)), "k")
