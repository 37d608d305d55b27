"""Instructions on words that one flag decides, constants among them: both values are computed.

So counts of loops, masks and flags kept in registers stay what they are, at any width.
"""

from __future__ import annotations

from collections.abc import Callable

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.bits import TwoValues, bit, joined, two_values, word_of
from fieldc.proof.values import LowByte, OnEntry, Pointer, Value
from fieldc.proof.x86_64.conditions import sets_known_signs
from fieldc.proof.x86_64.processor import LOW_BYTES, LOW_HALVES, SymbolicX86

Result = tuple[int, int | None, int | None]
"""The word before it is cut to its width, the carry and the overflow; None for undefined."""
OnWords = Callable[[int, int, int, int], Result]
"""Of two words, the carry and the number of bits."""


def _signed(value: int, bits: int) -> int:
    return value - (value >> bits - 1 << bits)


def _sum(a: int, b: int, carry: int, bits: int) -> Result:
    total, exact = a + b + carry, _signed(a, bits) + _signed(b, bits) + carry
    word = total % (1 << bits)
    return word, total >> bits, int(_signed(word, bits) != exact)


def _difference(a: int, b: int, borrow: int, bits: int) -> Result:
    total, exact = a - b - borrow, _signed(a, bits) - _signed(b, bits) - borrow
    word = total % (1 << bits)
    return word, int(total < 0), int(_signed(word, bits) != exact)


def _shift_left(a: int, count: int, _carry: int, bits: int) -> Result:
    return (a << count) % (1 << bits), a >> bits - count & 1, None


def _shift_right(a: int, count: int, _carry: int, _bits: int) -> Result:
    return a >> count, a >> count - 1 & 1, None


def _shift_signed(a: int, count: int, _carry: int, bits: int) -> Result:
    return (_signed(a, bits) >> count) % (1 << bits), a >> count - 1 & 1, None


OPERATIONS: dict[str, OnWords] = {
    "add": lambda a, b, _, bits: _sum(a, b, 0, bits),
    "adc": _sum,
    "sub": lambda a, b, _, bits: _difference(a, b, 0, bits),
    "cmp": lambda a, b, _, bits: _difference(a, b, 0, bits),
    "sbb": _difference,
    "inc": lambda a, b, _, bits: _sum(a, 1, 0, bits),
    "dec": lambda a, b, _, bits: _difference(a, 1, 0, bits),
    "neg": lambda a, b, _, bits: _difference(0, a, 0, bits),
    "and": lambda a, b, _, __: (a & b, 0, 0),
    "test": lambda a, b, _, __: (a & b, 0, 0),
    "or": lambda a, b, _, __: (a | b, 0, 0),
    "xor": lambda a, b, _, __: (a ^ b, 0, 0),
    "shl": _shift_left,
    "shr": _shift_right,
    "sar": _shift_signed,
}
TAKES_CARRY = ("adc", "sbb")
KEEPS_CARRY = ("inc", "dec")
WRITES_NOTHING = ("cmp", "test")
SHIFTS = ("shl", "shr", "sar")


def folded(cpu: SymbolicX86, i: capstone.CsInsn) -> bool:
    """Run an instruction whose operands one flag decides. False where they are others.

    Where a certificate is written, only the negation of a mask.
    """
    name, bits = i.mnemonic, 8 * i.operands[0].size
    if not cpu.memory.is_foreign and (name != "neg" or bits != 64):
        return False
    system = cpu.memory.system
    if bits not in (8, 32, 64) or (name in SHIFTS and not _has_count(i, bits)):
        return False
    a = _operand(cpu, i, 0)
    b = _operand(cpu, i, 1) if len(i.operands) > 1 else TwoValues(None, 0, 0)
    carry: TwoValues | None = TwoValues(None, 0, 0)
    if name in TAKES_CARRY:
        carry = two_values(system, cpu.flag(cpu.carry))
    pair = joined(a, b, lambda x, y: x << 64 | y)
    both = joined(pair, carry, lambda x, y: x << 1 | y)
    if both is None or (both.flag is None and not cpu.memory.is_foreign):
        return False
    first, second = (
        OPERATIONS[name](v >> 65, v >> 1 & (1 << 64) - 1, v & 1, bits)
        for v in (both.when_set, both.otherwise)
    )
    if name not in WRITES_NOTHING:
        _write(cpu, i, TwoValues(both.flag, first[0], second[0]))
    if name not in KEEPS_CARRY:
        cpu.carry = _flag(both.flag, first[1], second[1])
    cpu.overflow = _flag(both.flag, first[2], second[2])
    zero, sign = (
        bit(TwoValues(both.flag, ask(first[0]), ask(second[0])))
        for ask in (lambda word: int(word == 0), lambda word: word >> bits - 1)
    )
    sets_known_signs(cpu, zero, sign)
    return True


def _has_count(i: capstone.CsInsn, bits: int) -> bool:
    count = i.operands[1] if len(i.operands) > 1 else None
    return count is not None and count.type == x86.X86_OP_IMM and 0 < count.imm < bits


def _flag(flag: int | None, first: int | None, second: int | None) -> Polynomial | None:
    if first is None or second is None:
        return None
    return bit(TwoValues(flag, first, second))


def _operand(cpu: SymbolicX86, i: capstone.CsInsn, index: int) -> TwoValues | None:
    """An operand of 1, 4 or 8 bytes, if one flag decides it."""
    operand, size = i.operands[index], i.operands[0].size
    if operand.type == x86.X86_OP_IMM:
        return TwoValues(None, *2 * (operand.imm % (1 << 8 * size),))
    if operand.type == x86.X86_OP_MEM:
        value: Value = cpu.read(i, index) if size == 8 else cpu.read_part(i, index)
    else:
        name = i.reg_name(operand.reg)
        whole = LOW_HALVES.get(name) or LOW_BYTES.get(name) or name
        if whole not in cpu.registers:
            return None
        value = cpu.registers[whole]
    if isinstance(value, LowByte) and size == 1 and value.value is not None:
        value = value.value
    if not isinstance(value, dict):
        return None
    found = two_values(cpu.memory.system, value)
    return found and found.mapped(lambda word: word % (1 << 8 * size))


def _write(cpu: SymbolicX86, i: capstone.CsInsn, values: TwoValues) -> None:
    """Assign a word of 8 bytes, a half, which clears the other half, or a low byte."""
    size = i.operands[0].size
    if size == 8:
        cpu.write(i, 0, _word(cpu, values))
        return
    name = i.reg_name(i.operands[0].reg) if i.operands[0].type == x86.X86_OP_REG else "memory"
    if size == 4 and name in LOW_HALVES:
        cpu.registers[LOW_HALVES[name]] = _word(cpu, values)
        return
    if name not in LOW_BYTES:
        raise ProofError(f"{cpu.where}: writes a part of memory, or a high byte")
    whole = LOW_BYTES[name]
    old = cpu.registers[whole]
    kept = two_values(cpu.memory.system, old) if isinstance(old, dict) else None
    new = joined(kept, values, lambda word, byte: word & ~0xFF | byte)
    cpu.registers[whole] = LowByte(word_of(cpu, values)) if new is None else word_of(cpu, new)


def _word(cpu: SymbolicX86, values: TwoValues) -> Polynomial:
    """A word from its two values; in foreign code a flag is a word as it is."""
    if cpu.memory.is_foreign and (values.when_set, values.otherwise) == (1, 0):
        return bit(values)
    return word_of(cpu, values)


def compares_pointers(cpu: SymbolicX86, i: capstone.CsInsn) -> bool:
    """Compare two addresses in one operand, as loops do; False for anything else."""
    if any(operand.size != 8 for operand in i.operands):
        return False
    a, b = cpu.read(i, 0), cpu.read(i, 1)
    if isinstance(a, Pointer) and a.base == "stack" and b == OnEntry("end of stack"):
        place = f"rsp {'-' if a.offset < 0 else '+'} {abs(a.offset)}" if a.offset else "rsp"
        said = f"the goroutine's stack has room: its end lies below {place} on entry"
        cpu.memory.assumed.add(said)
        cpu.carry, cpu.overflow = {}, None
        sets_known_signs(cpu, {}, {})
        return True
    if not isinstance(a, Pointer) or not isinstance(b, Pointer) or a.base != b.base:
        return False
    if a.base != "stack" and min(a.offset, b.offset) < 0:
        raise ProofError(f"{cpu.where}: compares addresses outside {a.base}")
    cpu.carry = {(): 1} if a.offset < b.offset else {}
    cpu.overflow = None
    sets_known_signs(cpu, {(): 1} if a == b else {}, {(): 1} if a.offset < b.offset else {})
    return True
