"""Certificates: true on concrete runs, replayed by the checker; it rejects every tampered one."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import capstone
import pytest
from concrete import MASK, Run

from fieldc.algorithms import KERNELS
from fieldc.backends.x86_64.choices import VARIANTS
from fieldc.backends.x86_64.conventions import WIN64
from fieldc.backends.x86_64.kernel import compile_trace
from fieldc.backends.x86_64.print import GNU
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble
from fieldc.proof.certificate import certify, text
from fieldc.proof.equations import Choice, System
from fieldc.proof.objects import function_of
from fieldc.proof.prove import contract_of, prove

ROOT = Path(__file__).parent.parent
KERNEL_CASES = [
    *(("bn254-r", op, alg, v) for op, alg in (("mul", "cios"), ("add", "add")) for v in VARIANTS),
    *(("secp256k1-p", op, alg, "adx") for op, alg in (("mul", "cios"), ("sub", "sub"))),
    ("secp256k1-p", "redc", "redc", "base"),
    ("bls12-381-p", "mul", "log-jump", "adx"),
    ("bls12-381-p", "square", "log-jump", "mulx"),
    ("bls12-381-p", "redc", "redc", "base"),
    ("bls12-381-p", "sub", "sub", "adx"),
    ("goldilocks", "mul", "cios", "adx"),
    ("goldilocks", "add", "add", "base"),
    ("goldilocks", "to_montgomery", "to_montgomery", "mulx"),
]


@cache
def code_of(field: str, operation: str, algorithm: str, variant: str) -> bytes:
    f = find_field(field)
    kernel = next(k for k in KERNELS if (k.operation, k.algorithm) == (operation, algorithm))
    compiled = compile_trace(kernel.trace(f), "kernel", VARIANTS[variant])
    function = function_of(assemble(compiled.text(GNU)), "kernel")
    return function.code[function.start :]


@cache
def certificate_of(field: str, operation: str, algorithm: str, variant: str) -> dict[str, Any]:
    f = find_field(field)
    return certify(code_of(field, operation, algorithm, variant), operation, f.p, f.n)


def values_of(system: System, operands: list[list[int]], run: Run) -> list[int]:
    """Every variable's value in a run, by its name."""
    values = [limb for limbs in operands for limb in limbs]
    for name in system.names[len(values) :]:
        if ">>" in name:
            base, shift = name.rsplit(">>", 1)
            values.append(values[system.names.index(base)] >> int(shift))
        else:
            where, part = name.rsplit(":", 1)
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
        if isinstance(row, Choice)
        else values[row.word]
        + (row.factor * values[row.carry] if row.carry is not None else 0)
        - of(row.right)
        for row in system.rows
    ]


def operand_values(p: int, high: int, limbs: int, seed: random.Random) -> list[int]:
    corners = [0, 1, p - 1, p // 2, high, (1 << 64 * limbs - 64) - 1, (1 << 64 * limbs - 1) - 1]
    return [min(v, high) for v in corners] + [seed.randrange(high + 1) for _ in range(12)]


@pytest.mark.parametrize("case", KERNEL_CASES, ids="-".join)
def test_a_certificate_holds_on_concrete_runs(case: tuple[str, str, str, str]) -> None:
    f, code, seed = find_field(case[0]), code_of(*case), random.Random(1)
    certificate = certificate_of(*case)
    contract = contract_of(case[1], f.p, f.n)
    system = prove(code, contract)
    cases = {tuple(map(tuple, c["flags"])): c for c in certificate["cases"]}
    pools = [operand_values(f.p, high, limbs, seed) for _, limbs, high in contract.operands]
    for _ in range(25):
        numbers = [seed.choice(pool) for pool in pools]
        operands = [
            [number >> 64 * i & MASK for i in range(limbs)]
            for number, (_, limbs, _) in zip(numbers, contract.operands, strict=True)
        ]
        run = Run(code, operands)
        values = values_of(system, operands, run)
        assert not any(left_over(system, values))
        stated = next(c for flags, c in cases.items() if all(values[f] == v for f, v in flags))
        assert "excluded" not in stated
        result = sum(run.memory[0x10000 + 8 * i] << 64 * i for i in range(f.n))
        assert 0 <= result < f.p
        claim = contract.claim([{(): number} for number in numbers]).get((), 0)
        target = contract.factor * result - int(claim)
        assert (target - combined(system, stated["identity"], values)) % f.p == 0
        names = {name: n for n, (name, _, _) in zip(numbers, contract.operands, strict=True)}
        highs = {name: high for name, _, high in contract.operands}
        for fact in stated["facts"]:
            assert values[fact["variable"]] == fact["value"]
            if "bound" in fact:
                check_bound(system, fact["bound"], values, names, highs)
        check_bound(system, stated["canonical"], values, names, highs)


def combined(system: System, combination: Any, values: list[int]) -> int:
    """sum(multiplier * (left - right))."""
    rows = left_over(system, values)
    return sum(total(multiplier, values) * rows[row] for row, multiplier in combination)


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


@pytest.fixture(scope="session")
def checker() -> Path:
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo to build the checker with")
    command = ["cargo", "build", "--release", "--quiet", "-p", "fieldc-check"]
    subprocess.run(command, cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "fieldc-check"


def replay(checker: Path, tmp_path: Path, certificate: dict[str, Any]) -> tuple[int, str]:
    path = tmp_path / "certificate.json"
    path.write_text(text(certificate))
    done = subprocess.run([checker, path], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("case", KERNEL_CASES, ids="-".join)
def test_the_checker_accepts(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str]
) -> None:
    status, said = replay(checker, tmp_path, certificate_of(*case))
    assert (status, said.split(":")[0]) == (0, "PROVED kernel"), said


@pytest.mark.parametrize("operation", ["mul", "add"])
def test_the_checker_knows_both_conventions(checker: Path, tmp_path: Path, operation: str) -> None:
    f = find_field("bls12-381-p")
    kernel = next(k for k in KERNELS if k.operation == operation)
    compiled = compile_trace(kernel.trace(f), "kernel", VARIANTS["adx"], WIN64)
    function = function_of(assemble(compiled.text(GNU)), "kernel")
    certificate = certify(function.code, operation, f.p, f.n, "win64", function.start)
    assert replay(checker, tmp_path, certificate)[0] == 0
    certificate["contract"]["convention"] = "sysv"
    assert replay(checker, tmp_path, certificate)[0] == 1


Tamper = Callable[[dict[str, Any]], None]


def _multiplier(c: dict[str, Any]) -> None:
    term = c["cases"][0]["identity"][3][1][0]
    term[0] = hex(int(term[0], 16) + 1)


def _fixed_value(c: dict[str, Any]) -> None:
    fact = next(f for f in c["cases"][0]["facts"] if "bound" in f)
    fact["value"] = 1 - fact["value"]


def _no_reason(c: dict[str, Any]) -> None:
    c["cases"][1]["canonical"] = {"scale": "0x1", "rows": [], "slopes": []}


def _bound_row(c: dict[str, Any]) -> None:
    c["cases"][1]["canonical"]["rows"].pop()


def _no_scale(c: dict[str, Any]) -> None:
    c["cases"][0]["canonical"]["scale"] = "0x0"


def _case_left_out(c: dict[str, Any]) -> None:
    c["cases"].pop()


def _same_case_twice(c: dict[str, Any]) -> None:
    c["cases"][1] = c["cases"][0]


def _prime(c: dict[str, Any]) -> None:
    c["contract"]["p"] = hex(int(c["contract"]["p"], 16) - 2)


def _operation(c: dict[str, Any]) -> None:
    c["contract"]["operation"] = "add"


def _convention(c: dict[str, Any]) -> None:
    c["contract"]["convention"] = "win64"


def _excluded(c: dict[str, Any]) -> None:
    case = c["cases"][0]
    c["cases"][0] = {"flags": case["flags"], "excluded": case["canonical"]}


def _excluded_by_itself(c: dict[str, Any]) -> None:
    flag, value = c["cases"][0]["flags"][0]
    bound = {"scale": "0x1", "rows": [], "slopes": []}
    c["cases"][0] = {"flags": [[flag, 1 - value], [flag, value]], "excluded": bound}


TAMPERS = (
    *(_multiplier, _fixed_value, _no_reason, _bound_row, _no_scale, _case_left_out),
    *(_same_case_twice, _prime, _operation, _convention, _excluded),
    _excluded_by_itself,
)


@pytest.mark.parametrize("tamper", TAMPERS)
@pytest.mark.parametrize("case", [KERNEL_CASES[0], KERNEL_CASES[9]], ids="-".join)
def test_the_checker_rejects_a_changed_certificate(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str], tamper: Tamper
) -> None:
    certificate = copy.deepcopy(certificate_of(*case))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate)
    assert status == 1 and said.startswith("FAILED "), said
    assert said.count("\n") == 1


SWAPS = {"adc": 0x10, "add": 0x10, "sbb": 0x30, "sub": 0x28}


def changes(code: bytes) -> list[bytes]:
    """The code with one instruction changed: adc and add, sbb to sub, sub to add, adcx and adox.

    Left out is what changes nothing: the first adcx or adox after both flags are cleared adds no
    carry, and the one that leaves it may go into either chain, at the same weight.
    """
    engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    found, are_clear = [], False
    for i in engine.disasm(code, 0):
        at, changed = i.address + 1, bytearray(code)
        if i.mnemonic in SWAPS and code[at] < 0x40:  # opcode /r of the register forms
            changed[at] ^= SWAPS[i.mnemonic]
        elif i.mnemonic in ("cmovb", "cmovae"):
            changed[at + 1] ^= 1
        elif i.mnemonic in ("adcx", "adox"):
            changed[i.address] ^= 0 if are_clear else 0x66 ^ 0xF3
            are_clear = False
        are_clear |= i.mnemonic in ("xor", "test")
        found += [bytes(changed)] if changed != code else []
        if i.mnemonic == "ret":
            break
    return found


@pytest.mark.parametrize("case", [KERNEL_CASES[0], KERNEL_CASES[9]], ids="-".join)
def test_the_checker_rejects_changed_code(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str]
) -> None:
    mutants = changes(code_of(*case))
    assert len(mutants) > 50
    certificate = copy.deepcopy(certificate_of(*case))
    certificate["code"]["bytes"] = mutants[0].hex()
    assert replay(checker, tmp_path, certificate)[0] == 1
    accepted = []
    for mutant in mutants:
        certificate["code"]["bytes"] = mutant.hex()
        certificate["code"]["sha256"] = sha256(mutant).hexdigest()
        if replay(checker, tmp_path, certificate)[0] != 1:
            accepted.append(mutant.hex())
    assert not accepted


def test_bad_input_exits_with_2(checker: Path, tmp_path: Path) -> None:
    assert replay(checker, tmp_path, {"format": "none"})[0] == 2
    certificate = copy.deepcopy(certificate_of(*KERNEL_CASES[0]))
    certificate["cases"][0]["identity"][0][1][0][1] = [10**6]
    assert replay(checker, tmp_path, certificate)[0] == 2
    assert subprocess.run([checker], capture_output=True).returncode == 2


def test_the_code_of_a_file_is_compared(checker: Path, tmp_path: Path) -> None:
    path, raw = tmp_path / "certificate.json", tmp_path / "code"
    path.write_text(text(certificate_of(*KERNEL_CASES[0])))
    for code, status in ((code_of(*KERNEL_CASES[0]), 0), (b"\xc3", 1)):
        raw.write_bytes(code)
        assert subprocess.run([checker, path, raw], capture_output=True).returncode == status


def test_a_certificate_is_json(tmp_path: Path) -> None:
    certificate = certificate_of(*KERNEL_CASES[0])
    assert json.loads(text(certificate)) == certificate
