"""Sums, differences and doubles: every text and every reading of it gives the same residues."""

from __future__ import annotations

import random

import pytest

from fieldc.algorithms import offered_for
from fieldc.artifacts.verify import judge
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.language import DoesNotApply, Expression
from fieldc.targets.choice import Choice
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.instructions import INSTRUCTIONS
from fieldc.targets.x86_64.operands import Immediate, Memory, Virtual
from fieldc.targets.x86_64.plan import DEFAULTS
from fieldc.targets.x86_64.select import Selection
from fieldc.targets.x86_64.targets import X86_64
from fieldc.words.build import Builder
from fieldc.words.carries import differences_as_sums
from fieldc.words.interpret import interpret
from fieldc.words.lower import constant_names, lower
from fieldc.words.operations import ADD, AND, MASK, SUB
from fieldc.words.program import Program
from fieldc.words.shifts import highest_first

BN254 = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
PRIMES = {
    "bn254": BN254,
    "p521": 2**521 - 1,
    "m511": 2**511 - 187,
    "25519": 2**255 - 19,
    "full": 2**256 - 189,
    "p127": 2**127 - 1,
    "babybear": 15 * 2**27 + 1,
}
OPERATIONS = ("add", "sub", "neg", "double")


def expressions(f: Field) -> list[Expression]:
    found = []
    for operation in OPERATIONS:
        for kernel in offered_for(operation):
            try:
                found.append(kernel.expression(f))
            except DoesNotApply:
                continue
    return found


def with_sums(expression: Expression) -> Program:
    return differences_as_sums(lower(expression), constant_names(expression.field))


def operands(f: Field) -> list[int]:
    draw = random.Random(f.p)
    edges = [0, 1, f.p // 2, f.p // 2 + 1, f.p - 1, (1 << f.bits - 1) - 1, 1 << f.bits - 1]
    return [*edges, *(draw.randrange(f.p) for _ in range(3))]


@pytest.mark.parametrize("p", PRIMES.values(), ids=PRIMES)
def test_each_text_in_words_with_borrows_and_with_carries_computes_its_operation(p: int) -> None:
    f = Field(p)
    for expression in expressions(f):
        programs = lower(expression), with_sums(expression)
        for x in operands(f):
            for y in operands(f) if len(expression.inputs) == 2 else [0]:
                given = (x, y)[: len(expression.inputs)]
                expected = expression.kernel.meaning(f, *given)
                assert {interpret(program, *given) for program in programs} == {expected}


def test_a_difference_is_a_sum_only_where_selections_alone_read_its_borrow() -> None:
    f = Field(BN254)
    add, masked = (
        next(e for e in expressions(field) if (e.kernel.operation, e.kernel.algorithm) == name)
        for field, name in ((f, ("add", "add")), (Field(2**255 - 19), ("add", "mask")))
    )
    assert lower(add).count("sub") == f.n
    assert (with_sums(add).count("sub"), with_sums(add).count("add")) == (0, 2 * f.n)
    assert any(step.operation is MASK for step in with_sums(masked).steps)
    assert with_sums(masked) == lower(masked)


def test_the_carry_of_x_minus_y_plus_p_stands_for_the_borrow_of_x_minus_y() -> None:
    f = Field(BN254)
    (select,) = [e for e in expressions(f) if e.kernel.algorithm == "select"]
    flags = {s.inputs[0].number for s in lower(select).steps if s.operation.name == "select"}
    (last,) = [s for s in lower(select).steps if s.outputs[-1].number in flags]
    assert last.operation is ADD
    with pytest.raises(DoesNotApply, match="spare bit"):
        kernel = next(k for k in offered_for("sub") if k.algorithm == "select")
        kernel.expression(Field(2**256 - 189))


def test_a_word_that_differs_from_field_to_field_is_never_in_an_instruction() -> None:
    f = Field(2**255 - 19)
    expression = next(e for e in expressions(f) if e.kernel.algorithm == "mask")
    known, unknown = (
        Selection(lower(expression, unknown=words), VARIANTS["mulx"])
        for words in (frozenset[int](), frozenset({f.limbs(f.p)[0]}))
    )
    low = Immediate(-19)
    assert any(low in line.reads for line in known.code)
    assert not any(low in line.reads for line in unknown.code)


def test_a_sum_with_a_constant_begins_with_the_constant() -> None:
    f = Field(BN254)
    expression = next(e for e in expressions(f) if e.kernel.algorithm == "add")
    code = Selection(with_sums(expression), VARIANTS["mulx"]).code
    sums = [line for line in code if line.row in (INSTRUCTIONS["add"], INSTRUCTIONS["adc"])]
    last = sums[-f.n :]
    assert all(isinstance(line.reads[0], Memory) for line in last)
    assert all(isinstance(line.reads[1], Virtual) for line in last)


@pytest.mark.parametrize("p", [2**61 - 1, BN254, 2**256 - 189], ids=["one", "spare", "full"])
def test_no_sum_of_a_masked_negation_waits_for_its_mask(p: int) -> None:
    expression = next(e for e in expressions(Field(p)) if e.kernel.algorithm == "masked")
    assert expression.result.high == p - 1
    steps = lower(expression).steps
    masked = {value for step in steps if step.operation in (MASK, AND) for value in step.outputs}
    sums = [step for step in steps if step.operation in (ADD, SUB)]
    assert sums and masked.isdisjoint(value for step in sums for value in step.inputs)


@pytest.mark.parametrize("field", ["bn254-p", "bw6-761-p"])
def test_the_latency_decides_between_sums_of_almost_the_same_throughput(field: str) -> None:
    for processor in ("zen-4", "sapphire-rapids"):
        decision = preferred(find_field(field), "neg", X86_64[0], processor)
        assert {c.expression.kernel.algorithm for c in decision.choices()} == {"masked"}


def test_shifts_from_the_highest_limb_down_compute_the_same_and_copy_no_limb() -> None:
    f = Field(BN254)
    expression = next(e for e in expressions(f) if e.kernel.algorithm == "shifts")
    program = lower(expression)
    assert highest_first(program) != program
    for x in operands(f):
        assert interpret(highest_first(program), x) == 2 * x % f.p
    code = DEFAULTS["base"].compile(expression, "kernel").code
    last = max(i for i, line in enumerate(code) if line.mnemonic == "shld")
    assert sum(line.mnemonic == "shld" for line in code) == f.n - 1
    assert all(line.mnemonic in ("mov", "shld") for line in code[:last])
    assert all(isinstance(i.operands[1], Memory) for i in code[:last] if i.mnemonic == "mov")


def test_shifts_of_what_a_shift_gave_keep_their_order() -> None:
    build = Builder(64)
    x = build.load("x", 0, build.top)
    once = build.funnel(x, build.constant(0), 60)
    twice = build.funnel(once, build.constant(0), 60)
    program = Program("double", 64, (("x", 1),), tuple(build.steps), (twice,))
    assert highest_first(program) == program


def test_a_negative_begins_with_zeros_that_take_no_port() -> None:
    expression = next(e for e in expressions(Field(BN254)) if e.kernel.operation == "neg")
    code = [each.mnemonic for each in DEFAULTS["base"].compile(expression, "kernel").code]
    assert code[:9] == [*["mov"] * 4, *["xor"] * 4, "sub"]  # a limb each, loaded and subtracted


@pytest.mark.parametrize("name", ("bn254", "p127", "m511"))
def test_every_text_is_proved_from_its_bytes(name: str) -> None:
    target = X86_64[0]
    variant = next(v for v in target.variants if v.name == "base")
    made = [
        target.make(target, Choice(e, variant, DEFAULTS["base"]))
        for e in expressions(Field(PRIMES[name]))
    ]
    assert {artifact.status for artifact in judge(made, lambda *_: None)} == {"PROVED"}


def test_a_wrong_constant_is_not_a_subtraction_of_p() -> None:
    f = Field(BN254)
    expression = next(e for e in expressions(f) if e.kernel.algorithm == "add")
    wrong = differences_as_sums(lower(expression), {})
    constants = {v.constant for s in wrong.steps for v in s.inputs if v.constant}
    assert constants == {*f.limbs(f.R - f.p)}
    assert not any(step.operation is SUB for step in wrong.steps)
