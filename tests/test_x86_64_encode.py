"""The direct encoder gives LLVM's bytes; a move of an instruction passes nothing it needs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from primes import expressions
from x86_64_kernels import HERE

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.conventions import GENERAL
from fieldc.targets.x86_64.encode import encode, linked, size_of
from fieldc.targets.x86_64.encoding import EncodeError
from fieldc.targets.x86_64.instructions import INSTRUCTIONS, Physical
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.literals import MANY, VERY_MANY
from fieldc.targets.x86_64.operands import Immediate, Memory, Register
from fieldc.targets.x86_64.order import OrderError, may_move, ordered, reach, touch
from fieldc.targets.x86_64.print import GNU, print_kernel

# The encoder


def assembled(code: tuple[Physical, ...], constants: tuple[tuple[str, int], ...]) -> bytes:
    function = function_of(assemble(print_kernel("k", code, constants, GNU)), "k")
    return function.code[function.start :]


def agree(code: tuple[Physical, ...], constants: tuple[tuple[str, int], ...] = ()) -> None:
    """LLVM pads between code and constants with other bytes."""
    pieces = [encode(instruction) for instruction in code]
    mine, size = linked(pieces, (value for _, value in constants)), size_of(pieces)
    theirs = assembled(code, constants)
    assert mine[:size] == theirs[:size]
    table = len(mine) - 8 * len(constants)
    assert mine[table:] == theirs[table : len(mine)]


def operands() -> list[tuple[Register | Memory, ...]]:
    """Each register with each, and registers with memory at near and far offsets."""
    registers = [Register(name) for name in GENERAL]
    places = [Memory(b, o) for b in (*GENERAL, "rsp") for o in (0, 8, 120, 128, 4096)]
    return [
        *((r, s) for r in registers for s in registers),
        *((r, places[i % len(places)]) for r in registers for i in range(0, len(places), 7)),
        *((Register("r9"), place) for place in places),
    ]


@HERE
def test_every_instruction_has_the_bytes_that_llvm_gives_it() -> None:
    pairs, code = operands(), []
    two = ("mov", "add", "adc", "sbb", "sub", "and", "or", "imul", "adcx", "adox", "cmovc")
    two += ("cmovnc", "cmove", "cmovne", "cmp")
    for mnemonic in two:
        code += [Physical(mnemonic, pair) for pair in pairs]
    code += [Physical("mulx", (Register("r8"), *pair)) for pair in pairs]
    code += [Physical("mulx", (Register("rbx"), *pair)) for pair in pairs]
    for register, other in pairs:
        if isinstance(other, Memory):
            code += [Physical("store", (other, register)), Physical("mul", (other,))]
            continue
        code += [Physical(m, (register, other)) for m in ("test", "lea_double")]
        code += [Physical("shld", (register, other, Immediate(k))) for k in (1, 63)]
        code.append(Physical("lea_sum", (Register("rbx"), register, other)))
    for name in GENERAL:
        one = Register(name)
        code += [Physical(m, (one,)) for m in ("push", "pop", "xor", "sbb_mask", "mul", "neg")]
        code += [Physical(m, (one, Immediate(k))) for m in ("shl", "shr", "sar") for k in (1, 63)]
        code += [Physical(m, (one, Immediate(k))) for m in ("cmp", "test_low") for k in (0, 127)]
        code += [Physical(m, (one, Immediate(k))) for m in ("adc", "sbb", "mov") for k in (0, 127)]
        code += [Physical("movabs", (one, Immediate(k))) for k in (1 << 31, (1 << 64) - 1)]
    stack = Register("rsp")
    code += [Physical("sub", (stack, Immediate(k))) for k in (8, 127, 136)]
    code += [Physical("test", (stack, stack)), Physical("ret", ())]
    assert {i.mnemonic for i in code} >= set(INSTRUCTIONS) - {"clear", "lea"}
    agree(tuple(code))


@HERE
@pytest.mark.parametrize("variant", VARIANTS)
def test_kernels_have_the_bytes_that_llvm_gives_them(variant: str) -> None:
    for expression in expressions(find_field("secp256k1-p")):
        for constants in ("rip", "register"):
            choices = replace(VARIANTS[variant], constants=constants)
            kernel = compile_expression(expression, "k", choices)
            agree(kernel.code, kernel.constants)


@HERE
@pytest.mark.parametrize("operation", ["add", "sub", "neg", "double"])
def test_long_sums_may_have_their_constants_in_instructions(operation: str) -> None:
    for prime, n in (("csidh-512", 8), ("bw6-761-p", 12), ("bls12-381-p", 6)):
        expression = choose(find_field(prime), operation)
        many, memory = (
            compile_expression(expression, "k", replace(VARIANTS["mulx"], literals=literals))
            for literals in ("many", "memory")
        )
        agree(many.code, many.constants)
        written = sum(i.mnemonic == "movabs" for i in many.code)
        limbs = n * (2 if operation in ("add", "sub") else 1)
        assert (len(many.code) > len(memory.code)) == (limbs >= VERY_MANY)
        assert len(memory.constants) == n and len(many.constants) <= n - written
        assert (written > 0) == (2 * n >= MANY)


def test_an_instruction_without_encoding_is_an_error() -> None:
    with pytest.raises(EncodeError, match="vpaddq"):
        encode(Physical("vpaddq", (Register("rax"), Register("rcx"))))


# Order


def test_a_move_passes_nothing_that_it_depends_on() -> None:
    rax, rcx, rdx = map(Register, ("rax", "rcx", "rdx"))
    here, there = Memory("rsi", 0), Memory("rdi", 0)
    code = [
        Physical("mov", (rax, here)),
        Physical("mov", (rcx, here)),
        Physical("add", (rax, rcx)),
        Physical("store", (there, rax)),
        Physical("mov", (rdx, here)),
        Physical("adc", (rdx, rcx)),
        Physical("ret", ()),
    ]
    legal = {(a, b) for a in range(7) for b in range(7) if a != b and may_move(code, (a, b))}
    assert legal == {
        (0, 1),
        (1, 0),
    }  # flags, memory that may be the result's, and ret hold the rest
    touches = [touch(i) for i in code]
    for start in range(7):
        places = reach(touches.__getitem__, 7, start)
        assert {(start, b) for b in places if b != start} <= legal
    assert ordered(code, [(0, 1)])[:2] == [code[1], code[0]]
    with pytest.raises(OrderError, match="instruction 2 cannot move to 0"):
        ordered(code, [(0, 1), (2, 0)])


def test_the_stack_pointer_and_spills_keep_their_order() -> None:
    rax, rsp = Register("rax"), Register("rsp")
    spill, other = Memory("rsp", 0), Memory("rsp", 8)
    code = [
        Physical("push", (Register("rbx"),)),
        Physical("sub", (rsp, Immediate(16))),
        Physical("mov", (spill, rax)),
        Physical("mov", (Register("rcx"), other)),
        Physical("mov", (Register("rbx"), spill)),
        Physical("add", (rsp, Immediate(16))),
        Physical("pop", (Register("rbx"),)),
    ]
    legal = {(a, b) for a in range(7) for b in range(7) if a != b and may_move(code, (a, b))}
    assert legal == {(2, 3), (3, 2), (3, 4), (4, 3)}
