"""Words doubled by sums with carries: the program, and the kernels, proved."""

from __future__ import annotations

import pytest
from contracts import contract_named

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.proof.algebra.dropped import ProofError
from fieldc.proof.prove import prove
from fieldc.targets.aarch64.doubled import with_doubling_sums
from fieldc.targets.aarch64.kernel import ROWS, ArmOrder, compile_words
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.operations import FUNNEL


@pytest.mark.parametrize("name", ["bls12-381-r", "bn254-p", "bls12-381-p"])
def test_squares_are_right_and_proved_with_fewer_rotations(name: str) -> None:
    f = find_field(name)
    expression = choose(f, "square", "cios")
    for rows in ROWS:
        before = lower(expression, rows)
        program = with_doubling_sums(before)
        rotated = [
            sum(s.operation is FUNNEL and s.inputs[1].constant != 0 for s in one.steps)
            for one in (before, program)
        ]
        assert rotated[0] == f.n - 2 and rotated[1] == 0
        for x in (0, 1, f.p - 1, f.p // 3, (1 << 63) % f.p):
            assert interpret(program, x) == x * x * pow(f.R, -1, f.p) % f.p
        order = ArmOrder(rows, 2, sums_double=True)
        kernel = compile_words(lambda rows: lower(expression, rows), order=order)
        assert not any(line.startswith("extr") for line in kernel.lines)
        contract = contract_named("square", f.p, f.n)
        prove(kernel.code, contract, "aapcs64", architecture="aarch64")


def test_a_program_that_doubles_nothing_stays() -> None:
    program = lower(choose(find_field("bn254-p"), "mul", "cios"), ROWS[0])
    assert with_doubling_sums(program) == program


def test_a_chain_without_its_carry_is_refused() -> None:
    """The first `adcs` as `adds`: bit 63 of the limb below is lost."""
    f = find_field("bls12-381-r")
    expression = choose(f, "square", "cios")
    order = ArmOrder(ROWS[0], 2, sums_double=True)
    kernel = compile_words(lambda rows: lower(expression, rows), order=order)
    place = next(i for i, line in enumerate(kernel.lines) if line.startswith("adcs"))
    register = kernel.lines[place].split()[2].rstrip(",")
    assert kernel.lines[place].split()[3] == register  # it doubles
    wrong = bytearray(kernel.code)
    wrong[4 * place + 3] ^= 0xBA ^ 0xAB
    wrong[4 * place + 2] &= 0x1F
    with pytest.raises(ProofError):
        prove(bytes(wrong), contract_named("square", f.p, f.n), "aapcs64", architecture="aarch64")
