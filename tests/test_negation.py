"""Negation that asks by `or` whether x is 0: in words, proved from bytes, and chosen; mutants."""

from __future__ import annotations

from collections.abc import Iterator

import capstone
import pytest
from test_doubling import with_zeros
from test_shapes import ON_X86_64, check_proof, check_words

from fieldc.algorithms import choose
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.language import DoesNotApply
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.prove import prove
from fieldc.targets.registry import find_target
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

NAMED = ("p256", "secp256k1-p", "p384", "p521", "curve25519")
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(4, 40))]


def code_of(name: str, algorithm: str, variant: str = "adx") -> KernelCode:
    """A kernel's bytes."""
    kernel = compile_expression(choose(find_field(name), "neg", algorithm), "k", VARIANTS[variant])
    return function_of(assemble(kernel.text(GNU)), "k")


def disassembled(code: bytes) -> Iterator[capstone.CsInsn]:
    """The instructions up to the return."""
    for instruction in capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64).disasm(code, 0):
        yield instruction
        if instruction.mnemonic == "ret":
            return


@pytest.mark.parametrize("name", NAMED)
def test_the_modulus_is_chosen_in_words(name: str) -> None:
    check_words(choose(find_field(name), "neg", "chosen"))


@pytest.mark.parametrize("name", ["bn254-p", "bls12-381-p", "goldilocks"])
def test_a_modulus_without_such_limbs_is_refused(name: str) -> None:
    with pytest.raises(DoesNotApply, match="at least half of its limbs 0 or 2"):
        choose(find_field(name), "neg", "chosen")


@ON_X86_64
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("algorithm", ["chosen", "masked"])
def test_named_primes_are_proved(name: str, algorithm: str) -> None:
    for variant in VARIANTS:
        check_proof(choose(find_field(name), "neg", algorithm), variant)


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
def test_random_primes_are_proved(seed: int) -> None:
    f, variant = with_zeros(seed), tuple(VARIANTS)[seed % len(VARIANTS)]
    for algorithm in ("masked", "chosen"):
        try:
            expression = choose(f, "neg", algorithm)
        except DoesNotApply:
            continue
        check_words(expression)
        check_proof(expression, variant)


@ON_X86_64
@pytest.mark.parametrize(("name", "algorithm"), [("p256", "chosen"), ("bn254-p", "masked")])
def test_no_limb_is_subtracted_from_0(name: str, algorithm: str) -> None:
    """A limb is read at once, then by one `or`, but for the first; `neg` answers."""
    found = [i.mnemonic for i in disassembled(code_of(name, algorithm).code)]
    assert found.count("or") == 3 and found.count("neg") == 1
    assert found.count("sub") + found.count("sbb") == 5  # of those one makes the mask
    assert not {"push", "xor"} & {*found}


@ON_X86_64
def test_of_6_limbs_none_waits_on_the_stack() -> None:
    for name, algorithm in (("p384", "chosen"), ("bls12-381-p", "masked")):
        assert "push" not in {i.mnemonic for i in disassembled(code_of(name, algorithm).code)}


@ON_X86_64
@pytest.mark.parametrize(("name", "algorithm"), [("p256", "chosen"), ("bn254-p", "masked")])
def test_a_limb_that_is_left_out_is_refused(name: str, algorithm: str) -> None:
    """Each `or` becomes a `mov`, that of its register with itself, or a sum."""
    kernel, contract = code_of(name, algorithm), contract_of("neg", find_field(name).p, 4)
    prove(kernel.code, contract)
    for i in disassembled(kernel.code):
        if i.mnemonic != "or":
            continue
        rex, opcode, modrm = i.bytes
        itself = 0xC0 | modrm & 7 | (modrm & 7) << 3, rex & 0xFB | (rex & 1) << 2
        for changed in ((rex, 0x89, modrm), (itself[1], opcode, itself[0]), (rex, 0x01, modrm)):
            code = bytearray(kernel.code)
            code[i.address : i.address + 3] = bytes(changed)
            with pytest.raises(ProofError):
                prove(bytes(code), contract)


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [("p256", "chosen"), ("secp256k1-p", "chosen"), ("p384", "chosen"), ("bls12-381-p", "masked")],
)
def test_which_is_chosen_on_golden_cove(name: str, algorithm: str) -> None:
    target = find_target("x86_64-linux")
    made = preferred(find_field(name), "neg", target, processor="sapphire-rapids")
    assert made.expression.kernel.algorithm == algorithm
