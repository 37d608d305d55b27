"""AArch64 routines as others write them: signed return addresses, calls beside, values between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from aarch64_code import ADD, RET, SUB, bytes_of, changed, words_of
from aarch64_emulator import Emulator, limbs
from contracts import contract_named
from test_proof_aarch64 import is_right, own_code

from fieldc.catalogue import find_field
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.claims.statements import Statement, contract_from
from fieldc.proof.prove import prove

P = find_field("bn254-p").p
PACIASP, AUTIASP = 0xD503233F, 0xD50323BF
PUSH, POP = 0xA9BC7BFD, 0xA8C47BFD  # stp x29, x30, [sp, #-64]! and ldp x29, x30, [sp], #64
KEEP, TAKE = 0xA9010BE0, 0xA9410BE0  # x0, x2 at [sp, #16]
TO_STACK, FROM_STACK = 0x910083E0, 0x910083E1  # add x0, sp, #32; add x1, sp, #32


def BL(words: int) -> int:
    return 0x94000000 | words


ONCE = [PACIASP, PUSH, BL(4), POP, AUTIASP, RET]
TWICE = [PACIASP, PUSH, KEEP, TO_STACK, BL(7), TAKE, FROM_STACK, BL(4), POP, AUTIASP, RET]
MUL = words_of(own_code("bn254-p", "mul", "cios"))


def proved(words: list[int], contract: Contract) -> None:
    code = bytes_of(words)
    prove(code, contract, "aapcs64", architecture="aarch64", constants={0: code})


def stated(claim: str, *between: str) -> Contract:
    return contract_from(Statement(("z", "x", "y"), (claim,), 4, between=between), P)


def test_code_beside_is_called_and_comes_back() -> None:
    proved([*ONCE, *MUL], contract_named("mul", P, 4))
    with pytest.raises(ProofError, match="certificates do not know"):
        code = bytes_of([*ONCE, *MUL])
        prove(code, contract_named("mul", P, 4), "aapcs64", architecture="aarch64")


def mutants_of(words: list[int], step: int) -> Iterator[list[int]]:
    """Every bit of the caller flipped, and some of the called code's mutants."""
    for place in range(len(ONCE)):
        for bit in range(32):
            yield [*words[:place], words[place] ^ 1 << bit, *words[place + 1 :]]
    inner = [(k, w) for k in range(len(ONCE), len(words)) for _, w in changed(words[k])]
    for place, word in inner[::step]:
        yield [*words[:place], word, *words[place + 1 :]]


def test_mutants_are_refused_or_right() -> None:
    pytest.importorskip("unicorn")
    contract, words = contract_named("mul", P, 4), [*ONCE, *MUL]
    refused, accepted = 0, []
    for mutant in mutants_of(words, 29):
        if mutant == words:
            continue
        try:
            proved(mutant, contract)
            accepted.append(mutant)
        except ProofError:
            refused += 1
    assert refused > 180
    for mutant in accepted:
        assert is_right(bytes_of(mutant), "mul", "bn254-p")


def test_values_between_are_proved_and_used() -> None:
    pytest.importorskip("unicorn")
    contract = stated("R*z = v*y", "R*v = x*y")
    proved([*TWICE, *MUL], contract)
    x, y = P - 5, P // 3
    machine = Emulator(bytes_of([*TWICE, *MUL]), {"x": limbs(x, 4), "y": limbs(y, 4)}, 4)
    machine.run()
    assert (machine.result() * 2**512 - x * y * y) % P == 0


@pytest.mark.parametrize(
    ("claim", "between", "why"),
    [
        ("R*z = v*y", "R*v = x*x", "no words hold"),
        ("R*z = v*x", "R*v = x*y", "function"),
        ("R*z = 2*v*y", "R*v = x*y", "function"),
        ("R*z = v*y", "R*x = x*y", "two values x"),
        ("R*z = v*y", "R*p = x*y", "no statement"),
        ("R*z = v*y", "7*v = x*y", "a factor that is not"),
        ("R*z = v*y", "R*v = w*y", "no value w"),
    ],
)
def test_wrong_values_between_are_refused(claim: str, between: str, why: str) -> None:
    with pytest.raises(ProofError, match=why):
        proved([*TWICE, *MUL], stated(claim, between))


def test_what_a_linker_changes_is_refused() -> None:
    code = bytes_of([*ONCE, *MUL])
    contract = contract_named("mul", P, 4)
    with pytest.raises(ProofError, match="a linker writes an address"):
        prove(
            code,
            contract,
            "aapcs64",
            architecture="aarch64",
            constants={0: code},
            unfit=frozenset(range(8, 12)),
        )


def test_a_stack_that_moves_between_calls_is_refused() -> None:
    contract = replace(contract_named("mul", P, 4))
    moved = [PACIASP, PUSH, BL(4), AUTIASP, POP, RET]
    with pytest.raises(ProofError, match="never signed"):
        proved([*moved, *MUL], contract)
    unbalanced = [PACIASP, PUSH, BL(5), POP, 0xD10043FF, AUTIASP, RET]  # sub sp, sp, #16
    with pytest.raises(ProofError, match="another stack pointer"):
        proved([*unbalanced, *MUL], contract)
    overwritten = [PACIASP, PUSH, BL(5), ADD(30, 9, 9), POP, AUTIASP, RET]
    with pytest.raises(ProofError):
        proved([SUB(9, 3, 3), *overwritten, *MUL], contract)
