"""Words by their bits: masks, low bits and shifts by constants."""

from __future__ import annotations

from fieldc.proof.equations import Polynomial, Select, add_to
from fieldc.proof.identity import ProofError
from fieldc.proof.x86_64.processor import SymbolicX86


def chosen(
    cpu: SymbolicX86, flag: Polynomial, when_set: Polynomial, otherwise: Polynomial
) -> Polynomial:
    """One of two words by a flag, which may be known."""
    if flag.keys() <= {()}:
        return when_set if flag else otherwise
    ((number,),) = flag
    return {(cpu.memory.system.choose(number, when_set, otherwise, cpu.where),): 1}


def flag_of_mask(cpu: SymbolicX86, word: Polynomial) -> int | None:
    """The flag of a word that is all ones if the flag is set, else 0."""
    system = cpu.memory.system
    for row in system.rows:
        is_mask = isinstance(row, Select) and word == {(row.word,): 1} and not row.otherwise
        if is_mask and isinstance(row, Select) and row.when_set == {(): system.radix - 1}:
            return row.flag
    return None


def masked(cpu: SymbolicX86, a: Polynomial, b: Polynomial) -> Polynomial:
    """a & b where one is a mask by a flag, or low ones."""
    system = cpu.memory.system
    for mask, word in ((a, b), (b, a)):
        if (flag := flag_of_mask(cpu, mask)) is not None:
            return {(system.choose(flag, word, {}, cpu.where),): 1}
    for ones, word in ((a, b), (b, a)):
        bits = int(ones.get((), 0)).bit_length()
        if ones == {(): (1 << bits) - 1} and 0 < bits < system.word_bits:
            return low_bits(cpu, word, bits)
    raise ProofError(f"{cpu.where}: `and` of two words of which none is a mask")


def low_bits(cpu: SymbolicX86, word: Polynomial, bits: int) -> Polynomial:
    """word mod 2^bits, 0 < bits < w; of a mask, a choice by its flag."""
    system = cpu.memory.system
    if (flag := flag_of_mask(cpu, word)) is not None:
        return chosen(cpu, {(flag,): 1}, {(): (1 << bits) - 1}, {})
    low = dict(word)
    add_to(low, top_bits(cpu, word, system.word_bits - bits), -(1 << bits))
    return {(system.define_word(low, cpu.where, (1 << bits) - 1),): 1}


def shifted(cpu: SymbolicX86, high: Polynomial, low: Polynomial, k: int) -> Polynomial:
    """(high << k | low >> (w - k)) mod 2^w."""
    system = cpu.memory.system
    right: Polynomial = {}
    add_to(right, high, 1 << k)
    add_to(right, top_bits(cpu, high, k), -system.radix)
    add_to(right, top_bits(cpu, low, k))
    return {(system.define_word(right, cpu.where),): 1}


def doubled(cpu: SymbolicX86, value: Polynomial) -> tuple[Polynomial, Polynomial]:
    """2*value mod 2^w, and the carry, which is the top bit of the value.

    It is a carry as any other where nothing asked for the top bit before: chains go on with it.
    """
    system = cpu.memory.system
    known = len(system.names)
    carry = top_bits(cpu, value, 1)
    if len(system.names) == known:
        return shifted(cpu, value, {}, 1), carry
    ((top,),) = carry
    return {(system.define_sum({m: 2 * c for m, c in value.items()}, top, cpu.where),): 1}, carry


def top_bits(cpu: SymbolicX86, value: Polynomial, k: int) -> Polynomial:
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
