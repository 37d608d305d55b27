"""The meaning of the x86-64 instructions a kernel may use; anything else ends the proof.

Intel, "Software Developer's Manual", volume 2. Written from the manual, apart from the compiler's
own table of instructions. Every instruction here has timing that does not depend on data.
"""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.equations import Polynomial, add_to, product
from fieldc.proof.identity import ProofError
from fieldc.proof.memory import LowByte
from fieldc.proof.x86_64.bits import (
    chosen,
    doubled,
    flag_of_mask,
    low_bits,
    masked,
    shifted,
    top_bits,
)
from fieldc.proof.x86_64.control import call, jmp, moves_stack, nothing, pop, push, ret, set_stack
from fieldc.proof.x86_64.narrow import add_byte, add_half, and_half, mov_byte, set_byte
from fieldc.proof.x86_64.processor import CLEAR, LOW_HALVES, REGISTERS, Meaning, SymbolicX86


def _sum(cpu: SymbolicX86, i: capstone.CsInsn, carry: Polynomial, sign: int) -> Polynomial:
    """operand0 += sign*(operand1 + carry); the carry or borrow out."""
    first, second = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    if sign > 0 and _same_register(i) and carry == CLEAR:
        twice, top = doubled(cpu, first)
        cpu.write(i, 0, twice)
        return top
    right = dict(first)
    add_to(right, second, sign)
    add_to(right, carry, sign)
    kind = "add" if sign > 0 else "sub"
    word, out = cpu.memory.system.define(kind, right, sign, cpu.where)
    cpu.write(i, 0, {(word,): 1})
    return {(out,): 1}


def _add(with_carry: bool, sign: int) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        if not with_carry and moves_stack(cpu, i, sign):
            return
        if sign > 0 and not with_carry and i.operands[0].size == 1:
            add_byte(cpu, i)
            return
        if sign > 0 and i.operands[0].size == 4:
            add_half(cpu, i, cpu.flag(cpu.carry) if with_carry else CLEAR)
            return
        if with_carry and sign < 0 and _same_register(i):
            _mask(cpu, i)
            return
        cpu.carry = _sum(cpu, i, cpu.flag(cpu.carry) if with_carry else CLEAR, sign)
        cpu.overflow = None

    return meaning


def _neg(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """0 - operand0; the borrow out. A mask by a flag becomes the flag, as a word and as carry."""
    operand = cpu.word(cpu.read(i, 0))
    if (flag := flag_of_mask(cpu, operand)) is not None:
        cpu.write(i, 0, chosen(cpu, {(flag,): 1}, {(): 1}, {}))
        cpu.carry, cpu.overflow = {(flag,): 1}, None
        return
    right = {m: -c for m, c in operand.items()}
    word, out = cpu.memory.system.define("sub", right, -1, cpu.where)
    cpu.write(i, 0, {(word,): 1})
    cpu.carry, cpu.overflow = {(out,): 1}, None


def _same_register(i: capstone.CsInsn) -> bool:
    a, b = i.operands[:2]
    return bool(a.type == b.type == x86.X86_OP_REG and a.reg == b.reg)


def _mask(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """sbb r, r: all ones if the carry is set; the carry stays."""
    flag = cpu.flag(cpu.carry)
    cpu.overflow = None
    cpu.write(i, 0, chosen(cpu, flag, {(): cpu.memory.system.radix - 1}, {}))


def _adcx(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    cpu.carry = _sum(cpu, i, cpu.flag(cpu.carry), 1)


def _adox(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    cpu.overflow = _sum(cpu, i, cpu.flag(cpu.overflow), 1)


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
        if i.operands[1].type != x86.X86_OP_IMM:
            raise ProofError(f"{cpu.where}: moves half a register")
        value = i.operands[1].imm % (1 << 32)  # a 32-bit write clears the upper half
        name = LOW_HALVES[i.reg_name(i.operands[0].reg)]
        cpu.registers[name] = {(): value} if value else {}
        return
    cpu.write(i, 0, cpu.read(i, 1))


def _lea(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A known address; twice a word, less its top bit; a + b or a + constant, less the carry."""
    memory = i.operands[1].mem
    if memory.index and memory.base and memory.scale == 1 and not memory.disp:
        a, b = (cpu.word(cpu.registers[cpu.register(i, r)]) for r in (memory.base, memory.index))
        twice = memory.base == memory.index
        cpu.write(i, 0, shifted(cpu, a, {}, 1) if twice else _plain_sum(cpu, a, b))
        return
    if memory.base and not memory.index and memory.base != x86.X86_REG_RIP:
        word = cpu.registers[cpu.register(i, memory.base)]
        if isinstance(word, dict):
            cpu.write(i, 0, _plain_sum(cpu, word, {(): memory.disp} if memory.disp else {}))
            return
    address = cpu.address(i, i.operands[1])
    if i.reg_name(i.operands[0].reg) != "rsp":
        cpu.write(i, 0, address)
    elif address.base == "stack":
        set_stack(cpu, address.offset)
    else:
        raise ProofError(f"{cpu.where}: moves the stack pointer off the stack")


def _plain_sum(cpu: SymbolicX86, a: Polynomial, b: Polynomial) -> Polynomial:
    """a + b mod 2^w, whose carry nobody reads; b may be a negative constant."""
    sign = -1 if b.get((), 0) < 0 else 1
    right = dict(a)
    add_to(right, b)
    kind = "add" if sign > 0 else "sub"
    return {(cpu.memory.system.define(kind, right, sign, cpu.where)[0],): 1}


def _shld(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shld by a constant; the processor masks a count to 6 bits, and by 0 it does nothing."""
    k = _count(cpu, i, 2)
    high, low = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    cpu.write(i, 0, shifted(cpu, high, low, k))
    cpu.carry = cpu.overflow = None


def _shrd(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shrd by a constant k: what shld by w - k makes of the two words the other way round."""
    k = _count(cpu, i, 2)
    low, high = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    cpu.write(i, 0, shifted(cpu, high, low, cpu.memory.system.word_bits - k))
    cpu.carry = cpu.overflow = None


def _shl(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shl by a constant: as shld with zeros."""
    k = _count(cpu, i, 1)
    cpu.write(i, 0, shifted(cpu, cpu.word(cpu.read(i, 0)), {}, k))
    cpu.carry = cpu.overflow = None


def _shr(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shr by a constant: the top bits."""
    k = _count(cpu, i, 1)
    top = top_bits(cpu, cpu.word(cpu.read(i, 0)), cpu.memory.system.word_bits - k)
    cpu.write(i, 0, {(cpu.memory.system.define_word(top, cpu.where),): 1})
    cpu.carry = cpu.overflow = None


def _count(cpu: SymbolicX86, i: capstone.CsInsn, operand: int) -> int:
    """How far a shift goes."""
    count = i.operands[operand]
    if count.type != x86.X86_OP_IMM or not 0 < count.imm < cpu.memory.system.word_bits:
        raise ProofError(f"{cpu.where}: shifts by what is no constant from 1 to 63")
    return int(count.imm)


def _cmov(when_set: bool) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        flag = cpu.flag(cpu.carry)
        old, new = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
        cpu.write(i, 0, chosen(cpu, flag, *((new, old) if when_set else (old, new))))

    return meaning


def _and(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A mask and a word: the word if the mask's flag is set, else 0; or a word's low bits."""
    if i.operands[0].size == 4:
        and_half(cpu, i)
        return
    value = masked(cpu, cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1)))
    cpu.write(i, 0, value)
    cpu.carry = cpu.overflow = dict(CLEAR)


def _bzhi(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """bzhi by a constant: the low bits; the processor takes 8 bits of the constant."""
    system = cpu.memory.system
    word, index = cpu.word(cpu.read(i, 1)), cpu.read(i, 2)
    if isinstance(index, LowByte) and index.value is not None:
        index = index.value
    if not isinstance(index, dict) or index.keys() - {()}:
        raise ProofError(f"{cpu.where}: keeps as many bits as data say")
    bits = int(index.get((), 0)) & 0xFF
    keeps_all = bits >= system.word_bits
    if bits and not keeps_all:
        word = low_bits(cpu, word, bits)
    cpu.write(i, 0, word if bits else {})
    cpu.carry = {(): 1} if keeps_all else dict(CLEAR)
    cpu.overflow = dict(CLEAR)


def _not(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """2^64 - 1 - word; no flag changes."""
    system = cpu.memory.system
    right = {m: -c for m, c in cpu.word(cpu.read(i, 0)).items()}
    add_to(right, {(): system.radix - 1})
    cpu.write(i, 0, {(system.define_word(right, cpu.where),): 1})


def _xor(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """xor r, r: zero, and both flags clear."""
    if not _same_register(i):
        raise ProofError(f"{cpu.where}: `xor` of two different words is not on the list")
    name: str = i.reg_name(i.operands[0].reg)
    name = LOW_HALVES.get(name, name)
    if name not in REGISTERS:
        raise ProofError(f"{cpu.where}: register {name} is not a general one")
    cpu.registers[name] = {}
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)


def _test(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """test: both flags clear, whatever is compared."""
    for index in (0, 1):
        if i.operands[index].type != x86.X86_OP_REG:
            raise ProofError(f"{cpu.where}: `test` of memory is not on the list")
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)


MEANINGS: dict[str, Meaning] = {
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
    "and": _and,
    "bzhi": _bzhi,
    "neg": _neg,
    "not": _not,
    "xor": _xor,
    "test": _test,
    "shld": _shld,
    "shrd": _shrd,
    "shl": _shl,
    "shr": _shr,
    "setb": set_byte(True),
    "setae": set_byte(False),
    "cmovb": _cmov(True),
    "cmovae": _cmov(False),
    "ret": ret,
    "repz ret": ret,
    "call": call,
    "jmp": jmp,
    "endbr64": nothing,
    "nop": nothing,
}
"""The list. An instruction that is not here is refused."""
