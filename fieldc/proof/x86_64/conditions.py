"""The zero and sign flags, and what asks for a condition: cmov, set and conditional jumps.

A jump must be decided by constants: counts of loops, and what the contract says of memory. Where
data decide, the proof ends and names the address.
"""

from __future__ import annotations

from collections.abc import Callable

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.comparisons import comparison_of
from fieldc.proof.algebra.equations import Equation, Polynomial
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.bits import (
    TwoValues,
    bit,
    chosen,
    inverse,
    is_any,
    joined,
    top_bits,
    two_values,
)
from fieldc.proof.values import AnyOf, LowByte, Value
from fieldc.proof.x86_64.processor import LOW_BYTES, LOW_HALVES, Meaning, Signs, SymbolicX86

FlagCondition = Callable[[SymbolicX86], Polynomial]


def sets_signs(cpu: SymbolicX86, result: Value) -> None:
    """Let the zero and sign flags be those of a 64-bit result, from now on."""
    cpu.signs = signs_of(cpu, result)


def signs_of(cpu: SymbolicX86, result: Value) -> Signs:
    """The zero and sign flags of a 64-bit result, which are found when they are asked for."""
    found: dict[bool, Polynomial] = {}

    def zero() -> Polynomial:
        return found.get(True) or found.setdefault(True, _is_zero(cpu, result))

    def sign() -> Polynomial:
        return found.get(False) or found.setdefault(False, _is_negative(cpu, result))

    return zero, sign


def sets_known_signs(cpu: SymbolicX86, zero: Polynomial, sign: Polynomial) -> None:
    """Let the zero and sign flags be two flags."""
    cpu.signs = (lambda: zero, lambda: sign)


def _is_zero(cpu: SymbolicX86, result: Value) -> Polynomial:
    """Whether a word, or each of several, is 0: then 0 less their number leaves no borrow."""
    system = cpu.memory.system
    words = result.words if isinstance(result, AnyOf) else (cpu.word(result),)
    if len(words) == 1 and (values := two_values(system, words[0])) is not None:
        return bit(values.mapped(lambda value: int(value == 0)))
    return inverse(is_any(cpu, words))


def _is_negative(cpu: SymbolicX86, result: Value) -> Polynomial:
    """The top bit of a word."""
    system = cpu.memory.system
    word = cpu.word(result)
    if (values := two_values(system, word)) is not None:
        return bit(values.mapped(lambda value: value >> system.word_bits - 1))
    return _borrow_of(cpu, word) or top_bits(cpu, word, 1)


def _borrow_of(cpu: SymbolicX86, word: Polynomial) -> Polynomial | None:
    """The borrow of the chain that ends in a word, where it is the word's top bit.

    It is where bounds show the difference to be a signed number of as many words.
    """
    case, system = cpu.memory.case, cpu.memory.system
    row = system.defining(next(iter(word))[0]) if [*word.values()] == [1] else None
    if case is None or not isinstance(row, Equation) or row.kind != "sub" or row.carry is None:
        return None
    chain = comparison_of(system, row.carry)
    if chain is None or {(row.word,): 1} != word:
        return None
    half = abs(chain.weight) // 2
    if case.at_most(chain.operands, half - 1) and case.at_least(chain.operands, -half):
        return {(row.carry,): 1}
    return None


def _zero(cpu: SymbolicX86) -> Polynomial:
    if cpu.signs is None:
        raise ProofError(f"{cpu.where}: reads a flag that is undefined here")
    return cpu.signs[0]()


def _sign(cpu: SymbolicX86) -> Polynomial:
    if cpu.signs is None:
        raise ProofError(f"{cpu.where}: reads a flag that is undefined here")
    return cpu.signs[1]()


def _carry(cpu: SymbolicX86) -> Polynomial:
    return cpu.flag(cpu.carry)


def _overflow(cpu: SymbolicX86) -> Polynomial:
    return cpu.flag(cpu.overflow)


def _both(
    first: FlagCondition, second: FlagCondition, function: Callable[[int, int], int]
) -> FlagCondition:
    """A function of two flags, where one flag or none decides both."""

    def condition(cpu: SymbolicX86) -> Polynomial:
        system = cpu.memory.system
        a, b = (two_values(system, flag(cpu)) for flag in (first, second))
        found: TwoValues | None = joined(a, b, function)
        if found is None:
            raise ProofError(f"{cpu.where}: a condition of two flags that data decide")
        return bit(found)

    return condition


def _not(condition: FlagCondition) -> FlagCondition:
    return lambda cpu: inverse(condition(cpu))


_below_or_equal = _both(_carry, _zero, lambda a, b: a | b)
_less = _both(_sign, _overflow, lambda a, b: a ^ b)
_less_or_equal = _both(_zero, _less, lambda a, b: a | b)
CONDITIONS: dict[str, FlagCondition] = {
    "b": _carry,
    "ae": _not(_carry),
    "e": _zero,
    "ne": _not(_zero),
    "s": _sign,
    "ns": _not(_sign),
    "o": _overflow,
    "no": _not(_overflow),
    "be": _below_or_equal,
    "a": _not(_below_or_equal),
    "l": _less,
    "ge": _not(_less),
    "le": _less_or_equal,
    "g": _not(_less_or_equal),
}
"""What each condition asks of the flags. Parity is missing."""


def _cmov(condition: FlagCondition) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        flag = condition(cpu)
        if i.operands[0].size == 8:
            old, new = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
            cpu.write(i, 0, chosen(cpu, flag, new, old))
            return
        old, new = (_half(cpu, i, index) for index in (0, 1))
        cpu.registers[LOW_HALVES[i.reg_name(i.operands[0].reg)]] = chosen(cpu, flag, new, old)

    return meaning


def _half(cpu: SymbolicX86, i: capstone.CsInsn, index: int) -> Polynomial:
    """A 32-bit register of which more is not set."""
    operand = i.operands[index]
    name = i.reg_name(operand.reg) if operand.type == x86.X86_OP_REG else "memory"
    word = cpu.word(cpu.registers[LOW_HALVES[name]]) if name in LOW_HALVES else None
    if word is None or cpu.memory.system.largest(word) >> 32:
        raise ProofError(f"{cpu.where}: {name} may be more than 32 bits")
    return word


def _set(condition: FlagCondition) -> Meaning:
    """A word where the rest of the register is 0, else a byte."""

    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        operand = i.operands[0]
        if operand.type == x86.X86_OP_MEM:
            cpu.needs_no_certificate()
            cpu.memory.store(cpu.address(i, operand), LowByte(condition(cpu)), cpu.where)
            return
        name = i.reg_name(operand.reg) if operand.type == x86.X86_OP_REG else "memory"
        if name not in LOW_BYTES:
            raise ProofError(f"{cpu.where}: {name} is not the low byte of a general register")
        whole, flag = LOW_BYTES[name], condition(cpu)
        old, system = cpu.registers[whole], cpu.memory.system
        if isinstance(old, dict) and system.largest(old) <= 0xFF:
            cpu.registers[whole] = {(system.define_word(flag, cpu.where),): 1}
        else:
            cpu.registers[whole] = LowByte(flag)

    return meaning


def _jump(condition: FlagCondition) -> Meaning:
    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        flag = condition(cpu)
        if flag.keys() - {()}:
            raise ProofError(f"{cpu.where}: a branch that depends on data")
        if flag:
            cpu.place = int(i.operands[0].imm)

    return meaning


MEANINGS: dict[str, Meaning] = {
    **{f"cmov{name}": _cmov(condition) for name, condition in CONDITIONS.items()},
    **{f"set{name}": _set(condition) for name, condition in CONDITIONS.items()},
    **{f"j{name}": _jump(condition) for name, condition in CONDITIONS.items()},
}
"""What reads a condition. An instruction that is not on a list is refused."""
