"""The AArch64 prover: kernels of LLVM proved, mutants and wrong claims rejected."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import count, product

import pytest
from aarch64_code import ADD, RET, Z, bytes_of, code_of, mutants, words_of
from aarch64_emulator import RADIX, Emulator, limbs
from contracts import contract_named
from primes import OF_EVERY_CLASS
from sampling import sampled, sampled_rows
from target_code import kernels

from fieldc.algorithms import KERNELS, choose
from fieldc.artifacts.verify import job_of, prove_job
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field, named_primes
from fieldc.language import Kernel
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract, Operand
from fieldc.proof.prove import prove
from fieldc.proof.proved import CaseProof, Excluded
from fieldc.targets.aarch64.cancel import cancelled
from fieldc.targets.registry import TARGETS
from fieldc.words.lower import lower
from fieldc.words.operations import ADD as ADD_WORDS
from fieldc.words.operations import LOAD, MUL, MUL_LOW, Kind
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, RowStyle

CONVENTIONS = {"aarch64-linux": "aapcs64", "aarch64-macos": "apple"}

MORE = ("2^127-1", "bn254-p", "m-511", "p384", "csidh-512")
"""Primes for the full run."""

CASES = [
    pytest.param(name, target, marks=[pytest.mark.full] * (name not in chosen))
    for name in sorted(named_primes())
    for target, chosen in (("aarch64-linux", OF_EVERY_CLASS), ("aarch64-macos", ("secp256k1-p",)))
]
"""Every field; make test takes those of every class, and of the other convention one."""


@pytest.mark.parametrize(("name", "target"), CASES)
def test_every_kernel_of_a_named_field(name: str, target: str) -> None:
    f = find_field(name)
    for kernel in KERNELS:
        code = code_of(name, kernel, target)
        if code is not None:
            contract = contract_named(kernel.operation, f.p, f.n)
            prove(code, contract, CONVENTIONS[target], architecture="aarch64")


BUILT = [
    ("bn254-p", "aarch64-linux"),
    ("p256", "aarch64-linux"),
    ("bls12-381-r", "aarch64-windows"),
    ("2^127-1", "aarch64-linux"),
]
ALSO_BUILT = [*product(sorted(named_primes()), ["aarch64-linux", "aarch64-windows"])]


@pytest.mark.parametrize(
    ("name", "target"), [*BUILT, *(pytest.param(*of, marks=pytest.mark.full) for of in ALSO_BUILT)]
)
def test_what_is_built_is_proved(name: str, target: str) -> None:
    """With the algorithm and the row style that a build chooses."""
    for artifact in kernels(target, name):
        job = job_of(artifact)
        assert job is not None and prove_job(job).failure == "", artifact.symbol


def kernel_of(operation: str) -> Kernel:
    """The kernel of an operation that every field has: the last one."""
    return [k for k in KERNELS if k.operation == operation][-1]


CLAIMS: dict[str, Callable[[list[int], list[int]], int]] = {
    "sub": lambda x, y: x[0] - y[0],
    "mul": lambda x, y: x[0] * y[0],
    "sum_of_products": lambda x, y: x[0] * y[0] + x[1] * y[1],
}


KEPT = [f"x{number}" for number in range(19, 31)]
"""What the Procedure Call Standard keeps; on Linux x18 is anyone's."""


def is_right(code: bytes, operation: str, name: str) -> bool:
    """Whether code computes the operation on corner and random values, and keeps registers."""
    p, n = find_field(name).p, find_field(name).n
    contract = contract_named(operation, p, n)
    corner = [v for v in (0, 1, 2, p - 1, p - 2, p >> 1, (1 << 64) - 1, 1 << 128) if v < p]
    chance = random.Random(1)
    pairs = [(a, b) for a in corner for b in corner]
    pairs += [(chance.randrange(p), chance.randrange(p)) for _ in range(50)]
    for a, b in pairs:
        x, y = ([a, b], [b, p - 1]) if contract.operands[0].count == 2 else ([a], [b])
        places = {"x": [limb for v in x for limb in limbs(v, n)]}
        places["y"] = [limb for v in y for limb in limbs(v, n)]
        machine = Emulator(bytes_of(words_of(code)), places, n)
        machine.run()
        if any(machine.register(r) != machine.entry[r] for r in KEPT):
            return False
        z = machine.result()
        if z >= p or (z * contract.factor - CLAIMS[operation](x, y)) % p:
            return False
    return True


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("operation", "name", "step", "least"),
    [
        ("sub", "bn254-p", 1, 60),
        ("mul", "bn254-p", 27, 10),
        ("sum_of_products", "goldilocks", 4, 10),
        pytest.param("mul", "bn254-p", 9, 40, marks=pytest.mark.full),
        pytest.param("sum_of_products", "goldilocks", 1, 40, marks=pytest.mark.full),
    ],
)
def test_mutants_are_rejected(operation: str, name: str, step: int, least: int) -> None:
    """A mutant that is proved after all must be right: operands of a sum swapped, say.

    make test tries every mutant of a difference, and some of the kernels with products.
    """
    code = code_of(name, kernel_of(operation))
    assert code is not None
    check_mutants(code, operation, name, step, least)


@pytest.mark.parametrize(("step", "least"), sampled_rows([(92, 2)], [(23, 10)]))
def test_mutants_of_a_kernel_whose_top_word_is_a_sum_of_bits(step: int, least: int) -> None:
    """Near the radix the top word is two carries less a borrow, which by itself might wrap."""
    code = own_code("secp256k1-p", "mul", "near-radix")
    check_mutants(code, "mul", "secp256k1-p", step, least)


@pytest.mark.parametrize(
    "name",
    ["secp256k1-p", "bls12-381-p", *(pytest.param(n, marks=pytest.mark.full) for n in MORE)],
)
@pytest.mark.parametrize("algorithm", ["karatsuba", "karatsuba-limbs"])
def test_karatsuba_is_proved(name: str, algorithm: str) -> None:
    """With a spare bit and without, and for halves of unequal length."""
    f = find_field(name)
    contract = contract_named("mul", f.p, f.n)
    prove(own_code(name, "mul", algorithm), contract, "aapcs64", architecture="aarch64")


@pytest.mark.parametrize(
    "name",
    ["secp256k1-p", "bls12-381-p", *(pytest.param(n, marks=pytest.mark.full) for n in MORE)],
)
@pytest.mark.parametrize("operation", ["mul", "square"])
def test_products_by_half_limbs_are_proved(name: str, operation: str) -> None:
    f = find_field(name)
    code = own_code(name, operation, "half-limbs")
    prove(code, contract_named(operation, f.p, f.n), "aapcs64", architecture="aarch64")


@pytest.mark.parametrize("operation", ["mul", "square"])
@pytest.mark.parametrize("name", ["bls12-381-r", "bls12-381-p"])
def test_last_differences_are_proved(name: str, operation: str) -> None:
    """The low half of the last quotient times p[0] is a limb, which nobody multiplies out."""
    f, code = find_field(name), own_code(name, operation, "last-difference")
    prove(code, contract_named(operation, f.p, f.n), "aapcs64", architecture="aarch64")


def test_mutants_of_last_differences_are_rejected() -> None:
    check_mutants(own_code("2^127-1", "mul", "last-difference"), "mul", "2^127-1", 17, 3)


def test_mutants_of_products_by_half_limbs_are_rejected() -> None:
    """Also where another half of a register is multiplied, or a product is added that was not."""
    code = own_code("2^127-1", "mul", "half-limbs")
    check_mutants(code, "mul", "2^127-1", 17, 10)


def test_a_product_of_halves_reads_nothing_above_them() -> None:
    """umull of whole words is not their product; with another addend it is another number."""
    contract = contract_named("mul", find_field("goldilocks").p, 1)
    code = own_code("goldilocks", "mul", "half-limbs")
    words = words_of(code)
    places = [k for k, word in enumerate(words) if word & 0xFFE08000 == 0x9BA00000]
    assert len(places) > 4
    prove(code, contract, "aapcs64", architecture="aarch64")
    for place in places:
        for whole in (0x9B007C00, 0x9BC07C00):  # mul, umulh
            word = words[place] & 0x001F03FF | whole
            mutant = bytes_of([*words[:place], word, *words[place + 1 :]])
            try:
                prove(mutant, contract, "aapcs64", architecture="aarch64", runs=0)
            except ProofError:
                continue
            assert is_right(mutant, "mul", "goldilocks")


def test_masks_of_many_flags_need_no_cases() -> None:
    """18 carries mask words; only the last subtraction's flag tells cases apart."""
    f = find_field("bls12-381-p")
    contract, cases = contract_named("mul", f.p, f.n), list[CaseProof | Excluded]()
    code = own_code("bls12-381-p", "mul", "karatsuba-limbs")
    prove(code, contract, "aapcs64", architecture="aarch64", record=cases.append)
    flags = {flag for c in cases for flag in (c.case.fixed if isinstance(c, CaseProof) else ())}
    assert len(cases) == 2 and flags


def test_mutants_of_karatsuba_are_rejected() -> None:
    check_mutants(own_code("2^127-1", "mul", "karatsuba"), "mul", "2^127-1", 40, 3)


@pytest.mark.parametrize(("step", "least"), sampled_rows([(240, 1)], [(60, 5)]))
def test_mutants_of_opened_masks_are_rejected(step: int, least: int) -> None:
    """Where masked words are taken for products, a wrong mask is found as before."""
    code = own_code("2^191-19", "mul", "karatsuba-limbs")
    check_mutants(code, "mul", "2^191-19", step, least)


def own_code(name: str, operation: str, algorithm: str) -> bytes:
    """What our backend makes of an algorithm."""
    expression = choose(find_field(name), operation, algorithm)
    (artifact,) = TARGETS["aarch64-linux"].produce(expression)
    return function_of(artifact.code or b"", artifact.symbol).code


def check_mutants(code: bytes, operation: str, name: str, step: int, least: int) -> None:
    """At least so many of every so many mutants are rejected, and all others are right."""
    pytest.importorskip("unicorn")
    contract = contract_named(operation, find_field(name).p, find_field(name).n)
    rejected, equivalent = 0, []
    for why, mutant in list(mutants(code))[::step]:
        try:
            prove(mutant, contract, "aapcs64", architecture="aarch64", runs=0)
            equivalent.append((why, mutant))
        except ProofError:
            rejected += 1
    assert rejected >= least
    for why, mutant in equivalent:
        assert is_right(mutant, operation, name), why


@pytest.mark.parametrize("operation", sampled(["mul"], ["square"]))
def test_a_comparison_gives_the_carry_of_a_cancelled_limb(operation: str) -> None:
    """Of no other limb, and with no other number; then the product is needed."""
    f = find_field("bn254-p")
    code = own_code("bn254-p", operation, "cios")
    words = words_of(code)
    contract = contract_named(operation, f.p, 4)
    prove(code, contract, "aapcs64", architecture="aarch64")
    places = [k for k, word in enumerate(words) if word & ~(31 << 5) == COMPARE_WITH_1]
    assert len(places) == 4
    for place in places:
        for change in (1 << 10, 1 << 5, 2 << 5, 4 << 5):  # cmp x, #0; another register
            mutant = bytes_of([*words[:place], words[place] ^ change, *words[place + 1 :]])
            with pytest.raises(ProofError):
                prove(mutant, contract, "aapcs64", architecture="aarch64")


COMPARE_WITH_1 = 0xF100041F


def test_products_are_left_out_only_where_sums_cancel() -> None:
    f = find_field("bn254-p")
    program = lower(choose(f, "mul", "cios"), RowChoice(RowStyle.ONE_CHAIN))
    assert len(cancelled(program)) == 4
    wrong = replace_constant(program, "n0", lambda n: n ^ 2)
    assert not cancelled(wrong)


def test_a_sum_with_the_low_half_of_a_product_must_be_0_too() -> None:
    """A sum with another product is not."""
    numbers = count()

    def value(kind: Kind = Kind.WORD, constant: int | None = None) -> Value:
        high = RADIX - 1 if constant is None else constant
        return Value(next(numbers), kind, high, "v", constant)

    def sum_of(a: Value, b: Value) -> Step:
        return Step(ADD_WORDS, (a, b, value(Kind.FLAG, 0)), (value(), value(Kind.FLAG)))

    x, n, m = value(), value(constant=RADIX - 3), value(constant=pow(3, -1, RADIX))
    read = Step(LOAD, (), (x,), operand="x")
    quotient = Step(MUL_LOW, (x, n), (value(),))
    whole = Step(MUL, (quotient.outputs[0], m), (value(), value()))
    cancels, other = sum_of(x, whole.outputs[0]), Step(MUL_LOW, (x, m), (value(),))
    steps = (read, quotient, whole, cancels)
    more = (*steps, other, sum_of(x, other.outputs[0]))
    of = Program("k", 64, (("x", 1),), steps, ())
    assert cancelled(of) == [cancels]
    assert cancelled(replace(of, steps=more)) == [cancels]


def replace_constant(program: Program, name: str, change: Callable[[int], int]) -> Program:
    def changed(value: Value) -> Value:
        if value.name != name or value.constant is None:
            return value
        return replace(value, constant=change(value.constant))

    steps = (replace(s, inputs=tuple(map(changed, s.inputs))) for s in program.steps)
    return replace(program, steps=tuple(steps))


@pytest.mark.parametrize("landing_pad", [0xD503245F, 0xD50324DF], ids=["bti c", "bti jc"])
def test_a_landing_pad_does_nothing(landing_pad: int) -> None:
    code = code_of("goldilocks", kernel_of("add"))
    assert code is not None
    contract = contract_named("add", find_field("goldilocks").p, 1)
    pad = landing_pad.to_bytes(4, "little")
    prove(pad + code, contract, "aapcs64", architecture="aarch64")


def test_reserved_register() -> None:
    contract = contract_named("add", find_field("goldilocks").p, 1)
    with pytest.raises(ProofError, match="x18 is not the kernel's"):
        prove(bytes_of([ADD(18, Z, Z), RET]), contract, "apple", architecture="aarch64")


@pytest.mark.parametrize("convention", ["apple", "windows"])
def test_a_borrow_that_cannot_be_is_still_a_bit(convention: str) -> None:
    """z = 8 from `cset hs` after x - 0, with `cset lo` shifted first: not z = 0."""
    words = [0xF9400023, 0xEB1F0064, 0x9A9F37E5, 0x9A9F27E7, 0xD37DF0E8, 0xD37DF0A6, 0xF9000006]
    claim = Contract(RADIX - 59, 1, (Operand("x", 1, RADIX - 60),), lambda values: {}, 1, 0)
    with pytest.raises(ProofError, match="do not cancel"):
        prove(bytes_of([*words, RET]), claim, convention, architecture="aarch64", runs=0)


def test_a_store_that_moves_the_register_it_stores() -> None:
    contract = contract_named("neg", find_field("goldilocks").p, 1)
    with pytest.raises(ProofError, match="stores the register that it moves"):
        prove(bytes_of([0x910003E9, 0xF81F8D29, RET]), contract, "aapcs64", architecture="aarch64")
