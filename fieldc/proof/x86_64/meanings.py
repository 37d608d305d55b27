"""The meaning of the x86-64 instructions a kernel may use; anything else ends the proof.

Intel, "Software Developer's Manual", volume 2. Written from the manual, apart from the compiler's
own table of instructions. Every instruction here has timing that does not depend on data.
"""

from __future__ import annotations

from collections.abc import Callable

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.dropped import is_zero_word
from fieldc.proof.algebra.equations import Equation, Polynomial, System, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.bits import chosen, doubled, inverse, is_any, shifted
from fieldc.proof.values import AnyOf, LowByte, Pointer
from fieldc.proof.x86_64 import conditions, logic, shifts
from fieldc.proof.x86_64.arithmetic import compares_pointers, folded
from fieldc.proof.x86_64.conditions import sets_signs
from fieldc.proof.x86_64.control import (
    call,
    jmp,
    move_stack_pointer,
    moves_stack,
    nothing,
    pop,
    push,
    ret,
)
from fieldc.proof.x86_64.narrow import (
    add_byte,
    add_half,
    mask_of_half,
    mov_byte,
    mov_half,
    movzx,
)
from fieldc.proof.x86_64.processor import (
    CLEAR,
    LOW_HALVES,
    Meaning,
    SymbolicX86,
    same_register,
    signed,
)


def _sum(cpu: SymbolicX86, i: capstone.CsInsn, carry: Polynomial, sign: int) -> Polynomial:
    """operand0 += sign*(operand1 + carry); the carry or borrow out."""
    first, second = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    if sign > 0 and same_register(i) and carry == CLEAR:
        twice, top = doubled(cpu, first)
        cpu.write(i, 0, twice)
        sets_signs(cpu, twice)
        return top
    right = dict(first)
    add_to(right, second, sign)
    add_to(right, carry, sign)
    kind = "add" if sign > 0 else "sub"
    system = cpu.memory.system
    word, out = system.define(kind, right, sign, cpu.where)
    may_be_0 = sign > 0 and cpu.memory.is_foreign and _has_low_half(system, right)
    # A quotient's digit is chosen so that a word becomes 0.
    result: Polynomial = {} if may_be_0 and is_zero_word(system, word) else {(word,): 1}
    if _is_minus_flag(cpu, right, sign):
        mask: Polynomial = {(): system.radix - 1}
        result = chosen(cpu, {(out,): 1}, *((mask, {}) if sign < 0 else ({}, mask)))
    cpu.write(i, 0, result)
    sets_signs(cpu, result)
    never = cpu.memory.is_foreign and not system.ranges[out][1]
    return {} if never else {(out,): 1}


def _is_minus_flag(cpu: SymbolicX86, right: Polynomial, sign: int) -> bool:
    """Whether flags less others, or -1 and flags, are -1 or 0 by bounds: a mask by the carry."""
    case = cpu.memory.case
    if case is None or not right:
        return False
    flags: Polynomial = {m: c for m, c in right.items() if m}
    ranges = case.system.ranges
    few = len(flags) == len(right) <= 2 and {*flags.values()} <= {1, -1}
    if sign < 0 and few and any(ranges[m[0]][1] <= 1 for m in flags):
        return case.at_most(flags, 0) and case.at_least(flags, -1)
    if any(len(m) > 1 or ranges[m[0]][1] > 1 or c not in (1, -1) for m, c in flags.items()):
        return False
    least = sum(int(c) for c in flags.values() if c < 0)
    if sign > 0:
        ones = right.get((), 0) == case.system.radix - 1
        return least == 0 and ones and case.at_most(flags, 1)
    return () not in right and least >= -1 and bool(flags) and case.at_most(flags, 0)


def _has_low_half(system: System, right: Polynomial) -> bool:
    """Whether a product's low half goes into a sum."""
    rows = (system.rows[system.owners[v]] for m in right for v in m if system.owners[v] >= 0)
    return any(isinstance(row, Equation) and row.kind == "mul" for row in rows)


def _add(with_carry: bool, sign: int) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        if not with_carry and (moves_stack(cpu, i, sign) or _moves_pointer(cpu, i, sign)):
            return
        size = i.operands[0].size
        if folded(cpu, i):
            return
        if sign > 0 and not with_carry and size == 1:
            add_byte(cpu, i)
            return
        if sign > 0 and size == 4:
            add_half(cpu, i, cpu.flag(cpu.carry) if with_carry else CLEAR)
            return
        if with_carry and sign < 0 and same_register(i) and size == 4:
            mask_of_half(cpu, i)
            return
        if with_carry and sign < 0 and same_register(i):
            _mask(cpu, i)
            return
        small = sign > 0 and _is_small(cpu, i)
        cpu.carry = _sum(cpu, i, cpu.flag(cpu.carry) if with_carry else CLEAR, sign)
        cpu.overflow = dict(CLEAR) if small else None

    return meaning


def _is_small(cpu: SymbolicX86, i: capstone.CsInsn) -> bool:
    """Whether two words and a carry stay below 2^63, so that no sign is lost."""
    system = cpu.memory.system
    total = sum(system.largest(cpu.word(cpu.read(i, index))) for index in (0, 1))
    return total + 1 < system.radix // 2


def _moves_pointer(cpu: SymbolicX86, i: capstone.CsInsn, sign: int) -> bool:
    """add or sub of a constant to an address in a register."""
    target = i.operands[0]
    if target.type != x86.X86_OP_REG or target.size != 8:
        return False
    address = cpu.registers[cpu.register(i, target.reg)]
    if not isinstance(address, Pointer):
        return False
    other = cpu.read(i, 1)
    if sign < 0 and isinstance(other, Pointer) and other.base == address.base:
        cpu.needs_no_certificate()
        distance = (address.offset - other.offset) % cpu.memory.system.radix
        cpu.write(i, 0, {(): distance} if distance else {})
        cpu.carry = cpu.overflow = None
        return True
    amount = cpu.word(other)
    if amount.keys() - {()}:
        raise ProofError(f"{cpu.where}: the address depends on data")
    moved = signed(int(amount.get((), 0)), cpu.memory.system.radix)
    cpu.write(i, 0, Pointer(address.base, address.offset + sign * moved))
    cpu.carry = cpu.overflow = None
    return True


def _step(sign: int) -> Meaning:
    """inc and dec: the carry stays."""

    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        if folded(cpu, i):
            return
        if i.operands[0].size != 8:
            raise ProofError(f"{cpu.where}: counts a part of a word that data decide")
        value = cpu.read(i, 0)
        if isinstance(value, Pointer):
            cpu.write(i, 0, Pointer(value.base, value.offset + sign))
            cpu.overflow = None
            return
        word = _plain_sum(cpu, cpu.word(value), {(): sign})
        cpu.write(i, 0, word)
        cpu.overflow = None
        sets_signs(cpu, word)

    return meaning


def _cmp(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """sub without its result."""
    if compares_pointers(cpu, i) or folded(cpu, i):
        return
    first, second = cpu.read(i, 0), cpu.read(i, 1)
    if isinstance(first, AnyOf) and second == CLEAR:
        cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)
        sets_signs(cpu, first)
        return
    right = dict(cpu.word(first))
    add_to(right, cpu.word(second), -1)
    word, out = cpu.memory.system.define("sub", right, -1, cpu.where)
    cpu.carry, cpu.overflow = {(out,): 1}, None
    sets_signs(cpu, {(word,): 1})


def _neg(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """0 - operand0; the borrow out, which tells whether the operand is not 0."""
    operand = cpu.read(i, 0) if i.operands[0].size == 8 else {}
    if isinstance(operand, AnyOf):
        cpu.carry, cpu.overflow = is_any(cpu, operand.words), None
        cpu.write(i, 0, LowByte(None))
        return
    if folded(cpu, i):
        return
    right = {m: -c for m, c in cpu.word(cpu.read(i, 0)).items()}
    word, out = cpu.memory.system.define("sub", right, -1, cpu.where)
    cpu.write(i, 0, {(word,): 1})
    cpu.carry, cpu.overflow = {(out,): 1}, None
    sets_signs(cpu, {(word,): 1})


def _mask(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """sbb r, r: all ones if the carry is set; the carry stays."""
    flag = cpu.flag(cpu.carry)
    cpu.overflow = None
    mask = chosen(cpu, flag, {(): cpu.memory.system.radix - 1}, {})
    cpu.write(i, 0, mask)
    sets_signs(cpu, mask)


def _adcx(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    signs = cpu.signs
    cpu.carry = _sum(cpu, i, cpu.flag(cpu.carry), 1)
    cpu.signs = signs


def _adox(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    signs = cpu.signs
    cpu.overflow = _sum(cpu, i, cpu.flag(cpu.overflow), 1)
    cpu.signs = signs


def _multiplied(cpu: SymbolicX86, a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Low and high half of a product; the high half is 0 where the factors are small."""
    system = cpu.memory.system
    system.multipliers.update(m[0] for factor in (a, b) for m in factor if m)
    right = product(a, b)
    if system.largest(right) < system.radix:
        return {(system.define_word(right, cpu.where),): 1}, {}
    low, high = system.define("mul", right, 1, cpu.where)
    return {(low,): 1}, {(high,): 1}


def _mulx(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    low, high = _multiplied(cpu, cpu.word(cpu.read(i, 2)), cpu.word(cpu.registers["rdx"]))
    cpu.write(i, 1, low)
    cpu.write(i, 0, high)


def _mul(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    low, high = _multiplied(cpu, cpu.word(cpu.read(i, 0)), cpu.word(cpu.registers["rax"]))
    cpu.registers["rax"], cpu.registers["rdx"] = low, high
    cpu.carry = cpu.overflow = None


def _imul(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """The low half of a product is the same for signed and unsigned numbers."""
    if len(i.operands) < 2:
        raise ProofError(f"{cpu.where}: the signed product is not on the list")
    first, second = (0, 1) if len(i.operands) == 2 else (1, 2)
    a, b = cpu.word(cpu.read(i, first)), cpu.word(cpu.read(i, second))
    cpu.write(i, 0, _multiplied(cpu, a, b)[0])
    cpu.carry = cpu.overflow = None


def _mov(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    if i.operands[0].size == 1:
        mov_byte(cpu, i)
        return
    if i.operands[0].type == x86.X86_OP_REG and i.reg_name(i.operands[0].reg) in LOW_HALVES:
        mov_half(cpu, i)
        return
    value = cpu.read(i, 1)
    if i.operands[0].type == x86.X86_OP_REG and i.reg_name(i.operands[0].reg) == "rsp":
        move_stack_pointer(cpu, value)
        return
    cpu.write(i, 0, value)


def _xchg(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """Two whole registers change places."""
    if any(operand.type != x86.X86_OP_REG for operand in i.operands):
        raise ProofError(f"{cpu.where}: changes places with memory")
    first, second = cpu.read(i, 0), cpu.read(i, 1)
    cpu.write(i, 0, second)
    cpu.write(i, 1, first)


def _lea(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A known address; or a sum of words, shifted ones and a constant, less its carries."""
    memory = i.operands[1].mem
    used = [r for r in (memory.base, memory.index) if r not in (0, x86.X86_REG_RIP)]
    parts = [cpu.registers[cpu.register(i, register)] for register in used]
    if parts and not any(isinstance(value, Pointer) for value in parts):
        cpu.write(i, 0, _sum_of_address(cpu, i))
        return
    address = cpu.address(i, i.operands[1])
    if i.reg_name(i.operands[0].reg) != "rsp":
        cpu.write(i, 0, address)
    else:
        move_stack_pointer(cpu, address)


def _sum_of_address(cpu: SymbolicX86, i: capstone.CsInsn) -> Polynomial:
    """base + index * scale + a constant."""
    memory = i.operands[1].mem
    base = cpu.word(cpu.registers[cpu.register(i, memory.base)]) if memory.base else None
    if memory.index and (memory.scale > 1 or memory.disp or not memory.base):
        cpu.needs_no_certificate()
    constant: Polynomial = {(): memory.disp} if memory.disp else {}
    if not memory.index:
        return _plain_sum(cpu, base or {}, constant)
    index = cpu.word(cpu.registers[cpu.register(i, memory.index)])
    if memory.scale == 1 and base is not None and memory.base == memory.index:
        total = shifted(cpu, index, {}, 1)
    else:
        if memory.scale > 1:
            index = shifted(cpu, index, {}, memory.scale.bit_length() - 1)
        total = index if base is None else _plain_sum(cpu, base, index)
    return _plain_sum(cpu, total, constant) if constant else total


def _plain_sum(cpu: SymbolicX86, a: Polynomial, b: Polynomial) -> Polynomial:
    """a + b mod 2^w, whose carry nobody reads; b may be a negative constant."""
    sign = -1 if b.get((), 0) < 0 else 1
    right = dict(a)
    add_to(right, b)
    if cpu.memory.is_foreign and right.keys() <= {()}:
        value = int(right.get((), 0)) % cpu.memory.system.radix
        return {(): value} if value else {}
    kind = "add" if sign > 0 else "sub"
    return {(cpu.memory.system.define(kind, right, sign, cpu.where)[0],): 1}


def _carry_to(change: Callable[[Polynomial], Polynomial], reads: bool = False) -> Meaning:
    """clc, stc and cmc."""

    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        cpu.carry = change(cpu.flag(cpu.carry) if reads else {})

    return meaning


MEANINGS: dict[str, Meaning] = {
    **conditions.MEANINGS,
    **logic.MEANINGS,
    **shifts.MEANINGS,
    "mov": _mov,
    "movabs": _mov,
    "lea": _lea,
    "push": push,
    "pop": pop,
    "add": _add(False, 1),
    "adc": _add(True, 1),
    "adcx": _adcx,
    "adox": _adox,
    "sub": _add(False, -1),
    "sbb": _add(True, -1),
    "mulx": _mulx,
    "mul": _mul,
    "imul": _imul,
    "neg": _neg,
    "cmp": _cmp,
    "inc": _step(1),
    "dec": _step(-1),
    "movzx": movzx,
    "xchg": _xchg,
    "clc": _carry_to(lambda flag: {}),
    "stc": _carry_to(lambda flag: {(): 1}),
    "cmc": _carry_to(inverse, reads=True),
    "ret": ret,
    "repz ret": ret,
    "call": call,
    "jmp": jmp,
    "endbr64": nothing,
    "nop": nothing,
}
"""The list. An instruction that is not here is refused."""
