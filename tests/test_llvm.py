"""The LLVM backend: right on this host, compiled for every target, and free of branches there."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from primes import operands

from fieldc.algorithms import OPERATIONS as KERNEL_OPERATIONS
from fieldc.algorithms import choose
from fieldc.catalogue import find_field, named_primes
from fieldc.decisions.formulas import straight_lines
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.formulas import Element, formula
from fieldc.language import Expression
from fieldc.machine.assemble import Compiled, compile_ir, host_triple
from fieldc.machine.load import Library, LoadedKernel, load
from fieldc.machine.processor import is_x86_64
from fieldc.targets.llvm.print import (
    PORTABLE,
    PRINTERS,
    Carry,
    LlvmError,
    LlvmForm,
    SelectStyle,
    chains,
    print_llvm,
    print_module,
)
from fieldc.targets.llvm.processors import LLVM_TARGETS, LlvmTarget
from fieldc.targets.llvm.targets import compiled as compiled_kernel
from fieldc.targets.registry import UnknownTarget, find_target
from fieldc.words.lower import lower
from fieldc.words.operations import OPERATIONS
from fieldc.words.program import Program
from fieldc.words.rows import RowChoice, RowStyle

BLS12_381 = named_primes()["bls12-381-p"].p
PRIMES = {
    "bls12-381-p": BLS12_381,
    "secp256k1-p": 2**256 - 2**32 - 977,
    "curve25519-p": 2**255 - 19,
    "three": 3,
    "two-limbs": 2**127 - 1,
    "goldilocks": 2**64 - 2**32 + 1,
    "eight-limbs": 2**511 - 187,
}
ADDCARRY = LlvmForm(Carry.ADDCARRY, SelectStyle.SELECT, "sapphirerapids")
DOUBLE = LlvmForm(Carry.DOUBLE, SelectStyle.MASK)
SELECT = LlvmForm(Carry.OVERFLOW, SelectStyle.SELECT)
ONE_CHAIN, TWO_CHAINS, TWO_SUMS, CARRY_WORD = (
    RowChoice(style)
    for style in (RowStyle.ONE_CHAIN, RowStyle.TWO_CHAINS, RowStyle.TWO_SUMS, RowStyle.CARRY_WORD)
)
needs_x86 = pytest.mark.skipif(not is_x86_64(), reason="llvm.x86.addcarry is x86's")
RUNS = [
    pytest.param(PORTABLE, TWO_CHAINS, id="portable"),
    pytest.param(DOUBLE, CARRY_WORD, id="double"),
    pytest.param(ADDCARRY, ONE_CHAIN, id="addcarry", marks=needs_x86),
]


def kernels(
    f: Field, rows: RowChoice, operations: tuple[str, ...] = KERNEL_OPERATIONS
) -> dict[str, tuple[Expression, Program]]:
    """Operations of a field, expressed and lowered."""
    expressions = {operation: choose(f, operation) for operation in operations}
    return {
        operation: (expression, lower(expression, rows))
        for operation, expression in expressions.items()
    }


def compiled_here(ir: str) -> Library:
    """A module compiled for and loaded into this process."""
    return load(compile_ir(ir, host_triple(), "", "").object)


def values(expression: Expression, rng: random.Random) -> list[tuple[int, ...]]:
    """Every combination of edge values, and random ones."""
    edges = [sorted({0, 1, x.high >> 1, x.high - 1, x.high}) for x in expression.inputs]
    random_ones = [tuple(rng.randint(0, x.high) for x in expression.inputs) for _ in range(8)]
    return [
        operands(expression.kernel, expression.field, v) for v in [*product(*edges), *random_ones]
    ]


def check(library: Library, symbol: str, expression: Expression, program: Program) -> None:
    """Compare a loaded kernel with the algorithm on Python's integers."""
    counts = tuple(count for _, count in program.operands)
    kernel = LoadedKernel(library, symbol, counts, len(program.results), program.word)
    for given in values(expression, random.Random(symbol)):
        assert kernel(*given) == expression.kernel.run(expression.field, *given), (symbol, given)


@pytest.mark.parametrize(("form", "rows"), RUNS)
@pytest.mark.parametrize("name", PRIMES)
@pytest.mark.sweep(10)
def test_every_operation_computes(name: str, form: LlvmForm, rows: RowChoice) -> None:
    made = kernels(Field(PRIMES[name]), rows)
    library = compiled_here(print_module([(k, program) for k, (_, program) in made.items()], form))
    for operation, (expression, program) in made.items():
        check(library, operation, expression, program)


@pytest.mark.parametrize("form", [PORTABLE, DOUBLE, SELECT], ids=["portable", "double", "select"])
@pytest.mark.parametrize("rows", [ONE_CHAIN, TWO_SUMS, RowChoice(RowStyle.TWO_CHAINS, 1)])
def test_every_form_takes_every_row_style(form: LlvmForm, rows: RowChoice) -> None:
    made = kernels(Field(PRIMES["curve25519-p"], 32), rows, ("mul", "square", "sub"))
    library = compiled_here(print_module([(k, program) for k, (_, program) in made.items()], form))
    for operation, (expression, program) in made.items():
        check(library, operation, expression, program)


@pytest.mark.parametrize("form", [PORTABLE, DOUBLE], ids=["portable", "double"])
def test_operands_may_share_a_buffer(form: LlvmForm) -> None:
    f = Field(BLS12_381)
    library = compiled_here(print_llvm(lower(choose(f, "mul")), "mul", form))
    kernel = LoadedKernel(library, "mul", (f.n, f.n), f.n)
    x, y = f.p - 1, f.p // 3
    for aliasing in kernel.aliasings():
        a, b = aliasing.merged((x, y))
        assert kernel.aliased(aliasing, a, b) == a * b * f.R_inverse % f.p


def test_the_table_covers_every_operation() -> None:
    assert PRINTERS.keys() == OPERATIONS.keys()


def test_the_same_program_gives_the_same_text() -> None:
    texts = {
        print_llvm(lower(choose(Field(BLS12_381), "mul"), ONE_CHAIN), "mul", form)
        for form in (DOUBLE, DOUBLE, ADDCARRY, ADDCARRY)
    }
    assert len(texts) == 2


def test_all_loads_come_before_the_first_store_and_nothing_branches() -> None:
    text = print_llvm(lower(choose(Field(BLS12_381), "mul")), "mul")
    assert text.rindex(" load ") < text.index(" store ")
    assert not re.search(r"\b(br|switch|phi|noalias)\b", text)


def test_double_words_take_every_step_once_and_in_order() -> None:
    program = lower(choose(Field(BLS12_381), "mul", "cios"), CARRY_WORD)
    taken = chains(program, DOUBLE)
    assert tuple(step for chain in taken for step in chain) == program.steps
    # Each product takes two addends; the first of a row meets no carry, the first row no total.
    assert sum(len(chain) == 2 for chain in taken) == 2 * program.count("mul") - 12 - 6
    assert {len(chain) for chain in chains(program, PORTABLE)} == {1}


def test_what_cannot_be_printed_is_named_in_one_line() -> None:
    program = lower(choose(Field(13, 5), "add"))
    with pytest.raises(LlvmError, match="5 bits"):
        print_llvm(program, "add")
    with pytest.raises(LlvmError, match="no name in C"):
        print_llvm(lower(choose(Field(13), "add")), "a b")


BRANCHES = {
    "x86_64": r"j\w+|call\w*|loop\w*",
    "aarch64": r"b|b\.\w+|cbn?z|tbn?z|bl|blr|br",
    "arm64": r"b|b\.\w+|cbn?z|tbn?z|bl|blr|br",
    "riscv64": r"b(eq|ne|lt|ge|gt|le)\w*|j|jal|jalr|jr|call|tail|c\.\w*j\w*",
    "mips64": r"b|b(eq|ne|lt|ge|gt|le|al|c)\w*|j|jal\w*",
    "mips64el": r"b|b(eq|ne|lt|ge|gt|le|al|c)\w*|j|jal\w*",
    "mipsel": r"b|b(eq|ne|lt|ge|gt|le|al|c)\w*|j|jal\w*",
    "armv7": r"b(?!ic|fc|fi|x$)\w*",
    "wasm32": r"br\w*|if|loop|block|call\w*|\w+\.select",
}
"""What may leave the straight line, by architecture; a return is none of these.

So is a `select` of WebAssembly, which an engine may compile to a branch."""
OPERATION_SAMPLE = ("mul", "square", "sub", "neg", "add")


def compiled(target: LlvmTarget) -> Compiled:
    """Several kernels of two fields, one of them full-bit, in one object."""
    q = target.processor
    programs = [
        (f"{operation}_{i}", lower(choose(Field(p, q.word), operation), q.rows))
        for i, p in enumerate((2**127 - 1, 2**256 - 2**32 - 977))
        for operation in OPERATION_SAMPLE
    ]
    return compile_ir(print_module(programs, q.form), target.triple, q.cpu, q.features)


def mnemonics(assembly: str) -> list[str]:
    """The first word of every instruction."""
    lines = [line.split("#")[0].split("//")[0].strip() for line in assembly.splitlines()]
    code = [line for line in lines if re.match(r"[a-z][\w.]*(\s|$)", line)]
    return [line.split()[0] for line in code]


@pytest.mark.sweep(8)
@pytest.mark.parametrize("target", LLVM_TARGETS.values(), ids=lambda target: target.name)
def test_every_target_gives_an_object_without_branches(target: LlvmTarget) -> None:
    made = compiled(target)
    assert made.object.startswith(target.object_format.value)
    for operation in OPERATION_SAMPLE:
        assert f"{operation}_1".encode() in made.object
    names = mnemonics(made.assembly)
    assert len(names) > 400
    leaving = re.compile(BRANCHES[target.triple.split("-")[0]])
    assert [name for name in names if leaving.fullmatch(name)] == []


@pytest.mark.parametrize("name", [name for name, t in LLVM_TARGETS.items() if "x86" not in name])
def test_the_portable_form_has_no_branches_either(name: str) -> None:
    target = LLVM_TARGETS[name]
    q = target.processor
    program = lower(choose(Field(2**255 - 19, q.word), "mul"), q.rows)
    made = compile_ir(print_llvm(program, "mul"), target.triple, q.cpu, q.features)
    leaving = re.compile(BRANCHES[target.triple.split("-")[0]])
    found = [m for m in mnemonics(made.assembly) if leaving.fullmatch(m)]
    assert found == []


def test_a_wide_selection_on_riscv_would_branch() -> None:
    """The scan sees what the mask is for."""
    target = LLVM_TARGETS["riscv64-linux"]
    q = target.processor
    program = lower(choose(Field(BLS12_381), "mul"), q.rows)
    made = compile_ir(print_llvm(program, "mul", SELECT), target.triple, q.cpu, q.features)
    assert any(re.fullmatch(BRANCHES["riscv64"], m) for m in mnemonics(made.assembly))


@pytest.mark.parametrize(
    ("prime", "operation"),
    [
        ("bls12-377-p", "fp2_mul_minus_5"),
        ("bn254-r", "fp2_square_5"),
        ("goldilocks", "fp2_square_7"),
        ("2^255-19", "fp2_mul_7"),
    ],
)
def test_products_in_fp2_have_no_branch_on_riscv(prime: str, operation: str) -> None:
    """LLVM made one of a carry, in its first form, and the scan refused the kernel."""
    target, branch = LLVM_TARGETS["riscv64-linux"], re.compile(BRANCHES["riscv64"])
    expression = preferred(find_field(prime), operation, find_target(target.name)).expression
    q = target.processor
    ir = print_llvm(lower(expression, q.rows), "k", q.form)
    first = compile_ir(ir, target.triple, q.cpu, q.features)
    _, chosen = compiled_kernel(target, expression, "k")
    assert any(map(branch.fullmatch, mnemonics(first.assembly)))
    assert not any(map(branch.fullmatch, mnemonics(chosen.assembly)))


@formula
def zeros(x: Element) -> tuple[Element, Element, Element, Element]:
    """Four times 0."""
    none = x - x
    return none, none, none, none


@pytest.mark.parametrize("target", LLVM_TARGETS.values(), ids=LLVM_TARGETS)
def test_zeros_are_stored_without_a_call(target: LlvmTarget) -> None:
    """LLVM made a call of memset of them, and the scan refused the kernel."""
    field = Field(BLS12_381, target.processor.word)
    _, made = compiled_kernel(target, straight_lines(field, zeros)[0], "k")
    assert "memset" not in made.assembly


def test_an_unknown_target_names_the_nearest() -> None:
    with pytest.raises(UnknownTarget, match="the nearest: aarch64-linux"):
        find_target("aarch64-linus")
    with pytest.raises(UnknownTarget) as error:
        find_target("")
    assert "\n" not in str(error.value)
