"""Forms of instructions that others use: proved and replayed, and refused where one is wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from certificates import LINUX

from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import certify, text

MERSENNE = 2**61 - 1
ADD_97 = """
  mov rax, [rsi]
  add rax, [rdx]
  mov rcx, rax
  lea rdx, [rax - 97]
  sub rax, 97
  cmovae rcx, rdx
  mov [rdi], rcx
  ret
"""
NEXT_97 = """
  mov rax, [rsi]
  lea rax, [rax + 5]    # what was added is taken away again
  lea rax, [rax - 5]
  add rax, [rdx]
  mov rcx, rax
  sub rax, 97
  cmovae rcx, rax
  mov [rdi], rcx
  ret
"""
MUL_61 = f"""
  mov rax, [rsi]
  mul qword ptr [rdx]
  movabs rcx, {MERSENNE}
  mov r8, rax
  shrd r8, rdx, 61      # x*y >> 61
  and rax, rcx
  add rax, r8
  mov r8, rax
  sub rax, rcx
  cmovb rax, r8
  mov [rdi], rax
  ret
"""
NEG_97 = """
  mov rax, [rsi]
  sub rax, [rdx]
  sbb rcx, rcx
  mov r8, rax
  add r8, 97
  neg rcx               # the borrow as a carry
  cmovb rax, r8
  mov [rdi], rax
  ret
"""
FORMS = {
    "neg of a mask": (
        NEG_97,
        ("sub", 97),
        (("neg rcx", "neg rax"), ("neg rcx", "test rcx, rcx"), ("sbb", "sub"), ("cmovb", "cmovae")),
    ),
    "lea less a constant": (
        ADD_97,
        ("add", 97),
        (("- 97]", "- 96]"), ("- 97]", "- 98]"), ("- 97]", "+ 97]"), ("[rax - 97]", "[rcx - 96]")),
    ),
    "lea and a constant": (
        NEXT_97,
        ("add", 97),
        (("+ 5]", "+ 6]"), ("+ 5]", "- 5]"), ("- 5]", "- 4]"), ("- 5]", "- 102]")),
    ),
    "shrd": (
        MUL_61,
        ("mul_plain", MERSENNE),
        (("rdx, 61", "rdx, 60"), ("rdx, 61", "rdx, 62"), ("shrd r8, rdx", "shrd rdx, r8")),
    ),
}


def object_with(body: str) -> bytes:
    return assemble(f".intel_syntax noprefix\n.globl kernel\n.text\nkernel:\n{body}", LINUX)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_proved_and_replayed(checker: Path, tmp_path: Path, name: str) -> None:
    body, (family, p), mutations = FORMS[name]
    data = object_with(body)
    certificate = text(certify(function_of(data, "kernel").code, family, p, 1))
    for old, new in (("", ""), *mutations):
        assert old in body
        (tmp_path / "kernel.cert.json").write_text(certificate)
        (tmp_path / "kernel.o").write_bytes(object_with(body.replace(old, new)))
        done = subprocess.run([checker, tmp_path / "kernel.cert.json"], capture_output=True)
        assert done.returncode == (0 if old == new else 1), (old, new, done.stderr)


@pytest.mark.parametrize("name", FORMS)
def test_a_wrong_form_is_not_proved(name: str) -> None:
    body, (family, p), mutations = FORMS[name]
    certify(function_of(object_with(body), "kernel").code, family, p, 1)
    for old, new in mutations:
        code = function_of(object_with(body.replace(old, new)), "kernel").code
        with pytest.raises(ProofError):
            certify(code, family, p, 1)
