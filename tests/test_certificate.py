"""Certificates: what they state is true on concrete runs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from certificates import (
    KERNEL_CASES,
    WITH_EQUALITIES,
    certificate_of,
    code_of,
)
from concrete import MASK, Run
from contracts import contract_named

from fieldc.catalogue import find_field
from fieldc.proof.algebra.equations import Select, System
from fieldc.proof.certificate import text
from fieldc.proof.prove import prove


def values_of(system: System, operands: list[list[int]], run: Run) -> list[int]:
    """Every variable's value in a run, by its name."""
    values = [limb for limbs in operands for limb in limbs]
    chains = {where: iter(chain) for where, chain in run.chains.items()}
    for name in system.names[len(values) :]:
        if ">>" in name:
            base, shift = name.rsplit(">>", 1)
            values.append(values[system.names.index(base)] >> int(shift))
        else:
            where, part = name.rsplit(":", 1)
            if where in chains and part != "carry":
                run.wrote[where] = next(chains[where])
            values.append(run.wrote[where][part == "carry"])
    return values


def total(polynomial: Any, values: list[int]) -> int:
    """A certificate's polynomial on a run's values."""
    result = 0
    for coefficient, variables in polynomial:
        product = int(coefficient, 16)
        for v in variables:
            product *= values[v]
        result += product
    return result


def left_over(system: System, values: list[int]) -> list[int]:
    """left - right of every row."""

    def of(polynomial: Any) -> int:
        return total([(hex(c), m) for m, c in polynomial.items()], values)

    return [
        values[row.word] - of(row.when_set if values[row.flag] else row.otherwise)
        if isinstance(row, Select)
        else values[row.word]
        + (row.factor * values[row.carry] if row.carry is not None else 0)
        - of(row.right)
        for row in system.rows
    ]


def operand_values(p: int, high: int, limbs: int, seed: random.Random) -> list[int]:
    corners = [0, 1, p - 1, p // 2, high, (1 << 64 * limbs - 64) - 1, (1 << 64 * limbs - 1) - 1]
    return [min(v, high) for v in corners] + [seed.randrange(high + 1) for _ in range(12)]


@pytest.mark.parametrize("case", KERNEL_CASES, ids="-".join)
@pytest.mark.sweep(12)
def test_a_certificate_holds_on_concrete_runs(case: tuple[str, str, str, str]) -> None:
    f, code, seed = find_field(case[0]), code_of(*case), random.Random(1)
    certificate = certificate_of(*case)
    contract = contract_named(case[1], f.p, f.n)
    stated_equal = certificate.get("equalities", [])
    assert bool(stated_equal) == (case in WITH_EQUALITIES)
    system = prove(code, contract).system
    cases = {tuple(map(tuple, c["flags"])): c for c in certificate["cases"]}
    pools = [operand_values(f.p, o.high, o.limbs, seed) for o in contract.operands]
    for _ in range(25):
        numbers = [seed.choice(pool) for pool in pools]
        operands = [
            [number >> 64 * i & MASK for i in range(o.limbs)]
            for number, o in zip(numbers, contract.operands, strict=True)
        ]
        run = Run(code, operands)
        values = values_of(system, operands, run)
        assert not any(left_over(system, values))
        equal = [values[e["variable"]] - total(e["value"], values) for e in stated_equal]
        assert not any(equal)
        stated = next(c for flags, c in cases.items() if all(values[f] == v for f, v in flags))
        assert "excluded" not in stated
        result = sum(run.memory[0x10000 + 8 * i] << 64 * i for i in range(f.n))
        assert 0 <= result < f.p
        claim = contract.claim([{(): number} for number in numbers]).get((), 0)
        target = contract.factor * result - int(claim)
        assert (target - combined(system, stated["identity"], values)) % f.p == 0
        names = {o.name: n for n, o in zip(numbers, contract.operands, strict=True)}
        highs = {o.name: o.high for o in contract.operands}
        for equality in stated_equal:
            for side in ("most", "least"):
                check_bound(system, equality[side], values, names, highs)
        for fact in stated["facts"]:
            assert values[fact["variable"]] == fact["value"]
            if "bound" in fact:
                check_bound(system, fact["bound"], values, names, highs)
            if "most" in fact:
                check_bound(system, fact["most"], values, names, highs)
        check_bound(system, stated["canonical"], values, names, highs)


def combined(system: System, combination: Any, values: list[int]) -> int:
    """sum(multiplier * (left - right))."""
    rows = dict(enumerate(left_over(system, values)))  # those of equalities are 0 too
    return sum(total(multiplier, values) * rows.get(row, 0) for row, multiplier in combination)


def check_bound(
    system: System,
    bound: Any,
    values: list[int],
    names: dict[str, int],
    highs: dict[str, int],
) -> None:
    """The rows' multiples are 0, and no slope's product is above its largest value."""
    assert combined(system, bound["rows"], values) == 0
    slopes = most = 0
    for coefficient, operands, limbs in bound["slopes"]:
        product = high = 1
        for name in operands:
            product, high = product * names[name], high * highs[name]
        for limb in limbs:
            product, high = product * values[limb], high * system.ranges[limb][1]
        assert 0 <= product <= high
        slopes += int(coefficient, 16) * product
        most += max(int(coefficient, 16), 0) * high
    assert slopes <= most
    assert int(bound["scale"], 16) > 0


def test_a_certificate_is_json(tmp_path: Path) -> None:
    certificate = certificate_of(*KERNEL_CASES[0])
    assert json.loads(text(certificate)) == certificate
