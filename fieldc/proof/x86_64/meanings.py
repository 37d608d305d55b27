"""The meaning of the x86-64 instructions a kernel may use; anything else ends the proof.

Intel, "Software Developer's Manual", volume 2. Written from the manual, apart from the compiler's
own table of instructions. Every instruction here has timing that does not depend on data.
"""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.equations import Choice, Polynomial, add_to, product
from fieldc.proof.identity import ProofError
from fieldc.proof.memory import OnEntry, Pointer
from fieldc.proof.x86_64.processor import (
    CALLEE_SAVED,
    CLEAR,
    LOW_HALVES,
    REGISTERS,
    Meaning,
    SymbolicX86,
)

PAGE = 4096
"""Bytes that a Win64 function may take from the stack at once."""


def _sum(cpu: SymbolicX86, i: capstone.CsInsn, carry: Polynomial, sign: int) -> Polynomial:
    """operand0 += sign*(operand1 + carry); the carry or borrow out."""
    first, second = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    if sign > 0 and _same_register(i) and carry == CLEAR:  # r + r: the carry is the top bit of r
        cpu.write(i, 0, _shifted(cpu, first, {}, 1))
        return _top_bits(cpu, first, 1)
    right = dict(first)
    add_to(right, second, sign)
    add_to(right, carry, sign)
    kind = "add" if sign > 0 else "sub"
    word, out = cpu.memory.system.define(kind, right, sign, cpu.where)
    cpu.write(i, 0, {(word,): 1})
    return {(out,): 1}


def _add(with_carry: bool, sign: int) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        if not with_carry and _moves_stack(cpu, i, sign):
            return
        if with_carry and sign < 0 and _same_register(i):
            _mask(cpu, i)
            return
        cpu.carry = _sum(cpu, i, cpu.flag(cpu.carry) if with_carry else CLEAR, sign)
        cpu.overflow = None

    return meaning


def _neg(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """0 - operand0; the borrow out."""
    right = {m: -c for m, c in cpu.word(cpu.read(i, 0)).items()}
    word, out = cpu.memory.system.define("sub", right, -1, cpu.where)
    cpu.write(i, 0, {(word,): 1})
    cpu.carry, cpu.overflow = {(out,): 1}, None


def _moves_stack(cpu: SymbolicX86, i: capstone.CsInsn, sign: int) -> bool:
    """add or sub of a constant to rsp."""
    target, amount = i.operands
    if target.type != x86.X86_OP_REG or i.reg_name(target.reg) != "rsp":
        return False
    if amount.type != x86.X86_OP_IMM or amount.imm % 8:
        raise ProofError(f"{cpu.where}: moves the stack pointer by what is not known")
    _set_stack(cpu, cpu.memory.stack_pointer + sign * amount.imm)
    cpu.carry = cpu.overflow = None
    return True


def _same_register(i: capstone.CsInsn) -> bool:
    a, b = i.operands[:2]
    return bool(a.type == b.type == x86.X86_OP_REG and a.reg == b.reg)


def _mask(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """sbb r, r: all ones if the carry is set; the carry stays."""
    flag = cpu.flag(cpu.carry)
    cpu.overflow = None
    cpu.write(i, 0, _chosen(cpu, flag, {(): cpu.memory.system.radix - 1}, {}))


def _chosen(
    cpu: SymbolicX86, flag: Polynomial, when_set: Polynomial, otherwise: Polynomial
) -> Polynomial:
    """One of two words by a flag, which may be known."""
    if flag.keys() <= {()}:
        return when_set if flag else otherwise
    ((number,),) = flag
    return {(cpu.memory.system.choose(number, when_set, otherwise, cpu.where),): 1}


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
    if i.operands[0].type == x86.X86_OP_REG and i.reg_name(i.operands[0].reg) in LOW_HALVES:
        if i.operands[1].type != x86.X86_OP_IMM:
            raise ProofError(f"{cpu.where}: moves half a register")
        value = i.operands[1].imm % (1 << 32)  # a 32-bit write clears the upper half
        name = LOW_HALVES[i.reg_name(i.operands[0].reg)]
        cpu.registers[name] = {(): value} if value else {}
        return
    cpu.write(i, 0, cpu.read(i, 1))


def _lea(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A known address; a + a: twice a word, less its top bit; a + b, less the carry."""
    memory = i.operands[1].mem
    if memory.index and memory.base and memory.scale == 1 and not memory.disp:
        a, b = (cpu.word(cpu.registers[cpu.register(i, r)]) for r in (memory.base, memory.index))
        twice = memory.base == memory.index
        cpu.write(i, 0, _shifted(cpu, a, {}, 1) if twice else _plain_sum(cpu, a, b))
        return
    address = cpu.address(i, i.operands[1])
    if i.reg_name(i.operands[0].reg) != "rsp":
        cpu.write(i, 0, address)
    elif address.base == "stack":
        _set_stack(cpu, address.offset)
    else:
        raise ProofError(f"{cpu.where}: moves the stack pointer off the stack")


def _plain_sum(cpu: SymbolicX86, a: Polynomial, b: Polynomial) -> Polynomial:
    """a + b mod 2^w, whose carry nobody reads."""
    right = dict(a)
    add_to(right, b)
    return {(cpu.memory.system.define("add", right, 1, cpu.where)[0],): 1}


def _set_stack(cpu: SymbolicX86, offset: int) -> None:
    memory = cpu.memory
    if offset > 0 or offset % 8:
        raise ProofError(f"{cpu.where}: frees stack that is not its own")
    if cpu.convention == "win64" and offset < -PAGE:
        raise ProofError(f"{cpu.where}: takes a page of stack or more without a probe")
    memory.stack_pointer = offset
    for old in [o for o in memory.stack if o < offset - memory.red_zone]:
        del memory.stack[old]
    cpu.registers["rsp"] = Pointer("stack", offset)


def _shld(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shld by a constant; the processor masks a count to 6 bits, and by 0 it does nothing."""
    k = _count(cpu, i, 2)
    high, low = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    cpu.write(i, 0, _shifted(cpu, high, low, k))
    cpu.carry = cpu.overflow = None


def _shl(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shl by a constant: as shld with zeros."""
    k = _count(cpu, i, 1)
    cpu.write(i, 0, _shifted(cpu, cpu.word(cpu.read(i, 0)), {}, k))
    cpu.carry = cpu.overflow = None


def _shr(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shr by a constant: the top bits."""
    k = _count(cpu, i, 1)
    top = _top_bits(cpu, cpu.word(cpu.read(i, 0)), cpu.memory.system.word_bits - k)
    cpu.write(i, 0, {(cpu.memory.system.define_word(top, cpu.where),): 1})
    cpu.carry = cpu.overflow = None


def _count(cpu: SymbolicX86, i: capstone.CsInsn, operand: int) -> int:
    """How far a shift goes."""
    count = i.operands[operand]
    if count.type != x86.X86_OP_IMM or not 0 < count.imm < cpu.memory.system.word_bits:
        raise ProofError(f"{cpu.where}: shifts by what is no constant from 1 to 63")
    return int(count.imm)


def _shifted(cpu: SymbolicX86, high: Polynomial, low: Polynomial, k: int) -> Polynomial:
    """(high << k | low >> (w - k)) mod 2^w."""
    system = cpu.memory.system
    right: Polynomial = {}
    add_to(right, high, 1 << k)
    add_to(right, _top_bits(cpu, high, k), -system.radix)
    add_to(right, _top_bits(cpu, low, k))
    return {(system.define_word(right, cpu.where),): 1}


def _top_bits(cpu: SymbolicX86, value: Polynomial, k: int) -> Polynomial:
    """value >> (w - k): one variable for each word and k."""
    system = cpu.memory.system
    shift = system.word_bits - k
    if value.keys() <= {()}:
        number = int(value.get((), 0)) >> shift
        return {(): number} if number else {}
    ((word,),) = value
    high = system.ranges[word][1] >> shift
    if not high:
        return {}
    if (word, shift) not in system.top_bits:
        system.top_bits[word, shift] = system.new(f"{system.names[word]}>>{shift}", high)
    return {(system.top_bits[word, shift],): 1}


def _cmov(when_set: bool) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        flag = cpu.flag(cpu.carry)
        old, new = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
        cpu.write(i, 0, _chosen(cpu, flag, *((new, old) if when_set else (old, new))))

    return meaning


def _and(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A mask and a word: the word if the mask's flag is set, else 0; or a word's low bits."""
    system = cpu.memory.system
    a, b = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    masks = {
        row.word: row.flag
        for row in system.rows
        if isinstance(row, Choice)
        and row.when_set == {(): system.radix - 1}
        and row.otherwise == {}
    }
    for mask, word in ((a, b), (b, a)):
        names = [m[0] for m in mask if len(m) == 1 and m[0] in masks]
        if len(mask) == 1 and names:
            cpu.write(i, 0, {(system.choose(masks[names[0]], word, {}, cpu.where),): 1})
            cpu.carry = cpu.overflow = dict(CLEAR)
            return
    for ones, word in ((a, b), (b, a)):
        bits = int(ones.get((), 0)).bit_length()
        if ones == {(): (1 << bits) - 1} and 0 < bits < system.word_bits:
            low = dict(word)
            add_to(low, _top_bits(cpu, word, system.word_bits - bits), -(1 << bits))
            cpu.write(i, 0, {(system.define_word(low, cpu.where, (1 << bits) - 1),): 1})
            cpu.carry = cpu.overflow = dict(CLEAR)
            return
    raise ProofError(f"{cpu.where}: `and` of two words of which none is a mask")


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


def _push(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    value = cpu.read(i, 0)
    cpu.memory.push(value)
    cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)


def _pop(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    value = cpu.memory.pop(cpu.where)
    cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)
    cpu.write(i, 0, value)


def _ret(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    if i.operands:
        raise ProofError(f"{cpu.where}: a return that frees stack")
    if cpu.registers["rsp"] != Pointer("stack", 0):
        back = cpu.memory.pop(cpu.where)
        if not isinstance(back, Pointer) or back.base != "code":
            raise ProofError(f"{cpu.where}: returns to no place that it was called from")
        cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)
        cpu.place = back.offset
        return
    for name in CALLEE_SAVED[cpu.convention]:
        if cpu.registers[name] != OnEntry(name):
            raise ProofError(f"{cpu.where}: {name} is not restored")
    cpu.returned = True


def _target(cpu: SymbolicX86, i: capstone.CsInsn) -> int:
    if i.operands[0].type != x86.X86_OP_IMM:
        raise ProofError(f"{cpu.where}: goes where a register or memory says")
    return int(i.operands[0].imm)


def _call(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A call of code beside the kernel, which is run in its place."""
    target = _target(cpu, i)
    cpu.memory.push(Pointer("code", cpu.place))
    cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)
    cpu.place = target


def _jmp(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    cpu.place = _target(cpu, i)


def _nothing(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    return None


MEANINGS: dict[str, Meaning] = {
    "mov": _mov,
    "movabs": _mov,
    "lea": _lea,
    "push": _push,
    "pop": _pop,
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
    "neg": _neg,
    "not": _not,
    "xor": _xor,
    "test": _test,
    "shld": _shld,
    "shl": _shl,
    "shr": _shr,
    "cmovb": _cmov(True),
    "cmovae": _cmov(False),
    "ret": _ret,
    "repz ret": _ret,
    "call": _call,
    "jmp": _jmp,
    "endbr64": _nothing,
    "nop": _nothing,
}
"""The list. An instruction that is not here is refused."""
