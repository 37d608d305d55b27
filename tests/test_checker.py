"""The checker replays certificates for the objects beside them; it rejects every tampered one."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import capstone
import pytest
from certificates import BARRETT, KERNEL_CASES, LINUX, certificate_of, code_of, object_of
from forged import MISSING, TAMPERS, Tamper, renamed, replay, run
from replaced_objects import REPLACED
from sampling import sampled
from unfit_objects import MACOS, UNFIT, WINDOWS, Unfit

from fieldc.algorithms import OPERATIONS, choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import certify
from fieldc.proof.x86_64.meanings import MEANINGS
from fieldc.proof.x86_64.processor import CERTIFIED
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.conventions import WIN64
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("case", KERNEL_CASES, ids="-".join)
def test_the_checker_accepts(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str]
) -> None:
    status, said = replay(checker, tmp_path, certificate_of(*case), object_of(*case))
    assert (status, said.split(":")[0]) == (0, "PROVED kernel"), said


@pytest.mark.parametrize("operation", ["mul", "add", "mul_add"])
def test_the_checker_knows_both_conventions(checker: Path, tmp_path: Path, operation: str) -> None:
    f = find_field("bls12-381-p")
    compiled = compile_expression(choose(f, operation), "kernel", VARIANTS["adx"], WIN64)
    data = assemble(compiled.text(GNU), "x86_64-pc-windows-msvc")
    function = function_of(data, "kernel")
    certificate = certify(function.code, operation, f.p, f.n, "win64", function.start)
    assert replay(checker, tmp_path, certificate, data)[0] == 0
    certificate["contract"]["convention"] = "sysv"
    assert replay(checker, tmp_path, certificate, data)[0] == 1


FUSED_CASES = [
    ("bls12-381-p", "fp2_mul", "log-jump", "mulx"),
    ("bn254-p", "fp2_square", "cios", "adx"),
    ("bls12-377-p", "fp2_mul_minus_5", "log-jump", "adx"),
    ("bls12-381-r", "sum_of_products_3", "subtractions", "base"),
    ("secp256k1-p", "difference_of_products", "subtractions", "adx"),
    ("bls12-381-p", "mul_lazy", "log-jump", "adx"),
    ("bls12-381-p", "reduce_lazy", "reduce_lazy", "base"),
    ("bn254-p", "mul_by_12", "mul_by_12", "adx"),
    ("2^127-1", "sum_of_products_plain", "pseudo-mersenne", "adx"),
    ("bls12-381-p", "mul_add", "cios", "adx"),
    ("secp256k1-p", "mul_add", "cios", "base"),
    ("bn254-p", "mul_u64", "barrett", "adx"),
    ("bls12-381-r", "divstep_update", "raised", "mulx"),
    ("2^255-19", "mul_u128", "pseudo-mersenne", "base"),
]


@pytest.mark.parametrize("case", FUSED_CASES, ids="-".join)
def test_the_checker_knows_fused_operations(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str]
) -> None:
    certificate, data = certificate_of(*case), object_of(*case)
    status, said = replay(checker, tmp_path, certificate, data)
    assert (status, said.split(":")[0]) == (0, "PROVED kernel"), said


@pytest.mark.parametrize(
    ("case", "change", "says"),
    [
        (0, lambda c: c.update(cases=[k for k in c["cases"] if "result" not in k]), "cases: none"),
        (0, lambda c: c.update(cases=[k for k in c["cases"] if "result" in k]), "cases: none"),
        (0, lambda c: [k.update(result=1 - k.get("result", 0)) for k in c["cases"]], "function"),
        (0, lambda c: c["cases"][0].update(result=2), "there is no value 2"),
        (2, lambda c: c["contract"].update(operation="fp2_mul_5"), "is not the name of"),
        (2, lambda c: renamed(c, "fp2_mul", beta=5), "function"),
        (2, lambda c: renamed(c, "fp2_mul", beta=-5, count=2), "no operation"),
        (5, lambda c: renamed(c, "mul"), "canonical"),
        (6, lambda c: renamed(c, "add", lazy=1), "FAILED"),
        (9, lambda c: renamed(c, "mul"), "reads"),
        (11, lambda c: renamed(c, "mul_u128"), "FAILED"),
        (11, lambda c: renamed(c, "mul"), "FAILED"),
    ],
)
def test_the_checker_rejects_other_fused_contracts(
    checker: Path, tmp_path: Path, case: int, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    certificate = copy.deepcopy(certificate_of(*FUSED_CASES[case]))
    change(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*FUSED_CASES[case]))
    assert status == 1 and says in said


@pytest.mark.parametrize("scale", ["0x1", "0x0", "-0x10000000000000000", "0x20000000000000000"])
def test_a_word_is_0_for_no_other_scale(checker: Path, tmp_path: Path, scale: str) -> None:
    """Of a quotient of two limbs: 2^w times the word is a multiple of 2^(2w)."""
    case = ("bn254-p", "mul", "two-limb-quotients", "adx")
    certificate = copy.deepcopy(certificate_of(*case))
    facts = [f for c in certificate["cases"] for f in c["facts"] if "scale" in f]
    assert len(facts) == 4
    for fact in facts:
        fact["scale"] = scale
    status, said = replay(checker, tmp_path, certificate, object_of(*case))
    assert status == 1 and "is not shown to be 0" in said, said


MERSENNE = 2**61 - 1
BY_HAND = f"""
.intel_syntax noprefix
.globl kernel
.text
kernel:
  xor r11, r11
  mov rax, [rsi]
  movabs rcx, {2**64 - 2**60}
  add rcx, rax
  adc r11, 0
  mul rax
  add rax, r11      # no carry: the low half of a square is at most 2^64 - 3
  sub rax, r11
  mov r8, rax
  mov r9, rdx
  movabs rcx, {-pow(MERSENNE, -1, 2**64) % 2**64}
  imul rax, rcx
  movabs rcx, {MERSENNE}
  mul rcx
  add r8, rax       # 0
  adc r8, rdx       # no carry, because r8 was 0
  add r8, r9
  mov rax, r8
  sub rax, rcx
  cmovb rax, r8
  mov [rdi], rax
  ret
"""


def test_the_checker_knows_squares_and_words_that_are_0(checker: Path, tmp_path: Path) -> None:
    data = assemble(BY_HAND, LINUX)
    certificate = certify(function_of(data, "kernel").code, "square", MERSENNE, 1)
    assert replay(checker, tmp_path, certificate, data)[0] == 0
    case = certificate["cases"][0]
    assert any("residue" in fact for fact in case["facts"])
    case["facts"] = [fact for fact in case["facts"] if "residue" not in fact]
    assert replay(checker, tmp_path, certificate, data)[0] == 1
    more = assemble(BY_HAND.replace("adc r11, 0", "adc r11, 2"), LINUX)
    with pytest.raises(ProofError, match="is dropped that may be 0 or 1"):
        certify(function_of(more, "kernel").code, "square", MERSENNE, 1)


@pytest.mark.parametrize("tamper", TAMPERS)
@pytest.mark.parametrize("case", [KERNEL_CASES[0], KERNEL_CASES[9]], ids="-".join)
def test_the_checker_rejects_a_changed_certificate(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str], tamper: Tamper
) -> None:
    certificate = copy.deepcopy(certificate_of(*case))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*case))
    assert status == 1 and said.startswith("FAILED "), said
    assert said.count("\n") == 1


SWAPS = {"adc": 0x10, "add": 0x10, "sbb": 0x30, "sub": 0x28, "or": 0x08}


def changes(code: bytes) -> list[bytes]:
    """The code with one instruction changed: adc and add, sbb to sub, sub and or to add, adcx and
    adox.

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


BY_OR = ("p384", "neg", "chosen", "mulx")


@pytest.mark.parametrize(
    "case", [KERNEL_CASES[0], KERNEL_CASES[9], BARRETT[1], BY_OR], ids="-".join
)
def test_the_checker_rejects_changed_code(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str]
) -> None:
    code, data, certificate = code_of(*case), object_of(*case), certificate_of(*case)
    assert data.count(code) == 1
    mutants = changes(code)
    assert len(mutants) > (10 if case == BY_OR else 50)
    accepted = []
    for mutant in mutants:
        if replay(checker, tmp_path, certificate, data.replace(code, mutant))[0] != 1:
            accepted.append(mutant.hex())
    assert not accepted


@pytest.mark.parametrize("tamper", MISSING)
def test_what_is_not_there_is_refused(checker: Path, tmp_path: Path, tamper: Tamper) -> None:
    certificate = copy.deepcopy(certificate_of(*KERNEL_CASES[0]))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*KERNEL_CASES[0]))
    assert status == 1 and " no " in said and said.count("\n") == 1


def test_bad_input_is_refused(checker: Path, tmp_path: Path) -> None:
    data, certificate = object_of(*KERNEL_CASES[0]), certificate_of(*KERNEL_CASES[0])
    bad = [({"format": "none"}, data), ({**certificate, "format": "none"}, data)]
    for answer in [replay(checker, tmp_path, *b) for b in (*bad, (certificate, b"no object"))]:
        assert answer[0] == 1 and answer[1].startswith("FAILED ") and answer[1].count("\n") == 1
    (tmp_path / "kernel.o").unlink()
    status, said = run(checker, [tmp_path / "kernel.cert.json"])
    assert status == 1 and f"cannot read {tmp_path / 'kernel.o'}: No such file" in said
    for name in ("kernel.o", "other.cert.json", "other"):
        status, said = run(checker, [tmp_path / name])
        assert (status, said) == (1, f"FAILED {tmp_path / name}: there is no such file or folder\n")
    (tmp_path / "mine").write_text("mine")
    assert "no folder and no NAME.cert.json" in run(checker, [tmp_path / "mine"])[1]
    assert run(checker, [])[0] == 2


def test_how_it_is_used_and_its_version(checker: Path) -> None:
    for option, said in (("-h", "usage: "), ("--help", "usage: "), ("--version", "fieldc-check 0")):
        done = subprocess.run([checker, option], capture_output=True, text=True, check=True)
        assert done.stdout.startswith(said) and done.stdout.count("\n") == 1 and not done.stderr


@pytest.mark.parametrize("name", UNFIT | REPLACED)
def test_what_a_linker_may_change_is_refused(checker: Path, tmp_path: Path, name: str) -> None:
    """The certificate is right for the bytes; they may not be those that run."""
    unfit, p = (UNFIT | REPLACED)[name], find_field("goldilocks").p
    windows = unfit.triple == WINDOWS
    convention, (x, z) = ("win64", ("rdx", "rcx")) if windows else ("sysv", ("rsi", "rdi"))
    body = f"mov rax, [{x}]\nmov [{z}], rax\nret"
    symbol = "_f" if unfit.triple == MACOS else "f"
    data = Unfit(unfit.triple, f".text\n.globl {symbol}\n{symbol}:\n").object(body)
    code = function_of(data, "f")
    factor = {"factor": 1}
    certificate = certify(
        code.code, "mul_by", p, 1, convention, code.start, "f", factor, "mul_by_1"
    )
    assert replay(checker, tmp_path, certificate, data)[0] == 0
    assert replay(checker, tmp_path, certificate, unfit.object(body))[0] == 1


NOT_CERTIFIED = {"jmp", "repz ret"}
"""Instructions of the prover that the checker refuses. It takes calls of a formula's routines."""


def test_the_checker_knows_the_instructions_of_the_prover() -> None:
    """Else a kernel would be PROVED with a certificate that nobody can replay.

    The prover takes the others in routines that fieldc did not make: those have no certificate.
    """
    source = "".join(path.read_text() for path in (ROOT / "crates/check/src/x86_64").glob("*.rs"))
    known = {name.lower() for name in re.findall(r"\bM::([A-Z][a-z0-9]+)", source)} | {"ret"}
    missing = {name for name in CERTIFIED if name.replace("movabs", "mov") not in known}
    assert missing == NOT_CERTIFIED and set(MEANINGS) > CERTIFIED


TARGETS = {
    "p256": "x86_64-linux,x86_64-windows",
    "secp256k1-p": "x86_64-macos,x86_64-windows-llvm,x86_64-linux-llvm-bmi2",
    "bn254-p": "x86_64-linux,x86_64-macos-llvm,aarch64-linux",
    "2^61-1": "x86_64-linux,x86_64-linux-llvm-bmi2",
    "2^127-1": "x86_64-linux-llvm-bmi2,x86_64-windows-llvm-bmi2",
    "2^255-19": "x86_64-linux,x86_64-linux-llvm-bmi2",
    **dict.fromkeys(("bls12-381-p", "p384", "goldilocks", "p521", "bw6-761-p"), "x86_64-linux"),
}
FEWER = dict.fromkeys(("p384", "bw6-761-p"), "mul,square,redc,sub,neg")
"""Operations of fields whose proofs take long."""
OFTEN = ("bn254-p", "2^61-1", "2^127-1", "2^255-19", "goldilocks")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("field", sampled(OFTEN, [f for f in TARGETS if f not in OFTEN]))
def test_the_checker_replays_a_built_folder(
    checker: Path, tmp_path: Path, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    built = tmp_path / "built"
    words = ["--target", TARGETS[field], "--op", FEWER.get(field, ",".join(OPERATIONS))]
    assert main(["build", field, *words, "-o", str(built)]) == 0
    kernels = json.loads((built / "manifest.json").read_text())["kernels"]
    proved = [k for k in kernels if k["status"] == "PROVED"]
    assert len(proved) >= 15
    assert {k["certificate"] for k in kernels if k not in proved} <= {None}
    assert run(checker, [built])[0] == 0
    status, said = run(checker, [built / k["certificate"] for k in proved])
    assert status == 0 and said.count("PROVED ") == said.count("\n") == len(proved), said
    assert max((built / k["certificate"]).stat().st_size for k in proved) < 1 << 20
