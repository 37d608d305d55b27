"""The bytes of x86-64 instructions, directly: the search tries thousands of kernels a second.

Encodings are those that LLVM's assembler picks, byte for byte (Intel SDM volume 2, chapters 2, 3).
What leaves the house is assembled by LLVM all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fieldc.targets.x86_64.instructions import CONSTANTS, Immediate, Memory, Physical, Register

Operand = Register | Memory | Immediate
REGISTERS = (
    "rax",
    "rcx",
    "rdx",
    "rbx",
    "rsp",
    "rbp",
    "rsi",
    "rdi",
    *(f"r{i}" for i in range(8, 16)),
)
NUMBER = {name: number for number, name in enumerate(REGISTERS)}
CACHE_LINE = 64
WIDE = 8
"""REX.W: 64-bit operands."""

ARITHMETIC = {"add": 0, "adc": 2, "sbb": 3, "and": 4, "sub": 5}
"""Rows of the opcode table: 8 * row + 1 into register or memory, 8 * row + 3 into a register."""
INTO_REGISTER = {
    "imul": (b"", b"\x0f\xaf"),
    "cmovc": (b"", b"\x0f\x42"),
    "cmovnc": (b"", b"\x0f\x43"),
    "adcx": (b"\x66", b"\x0f\x38\xf6"),
    "adox": (b"\xf3", b"\x0f\x38\xf6"),
    "lea": (b"", b"\x8d"),
}


class EncodeError(ValueError):
    """An instruction that this encoder does not know (a defect)."""


@dataclass(frozen=True)
class Piece:
    """One instruction's bytes; `table` is the offset of the constant that its last 4 address."""

    code: bytes
    table: int = -1


def encode(instruction: Physical) -> Piece:
    """The bytes of one instruction. Raises EncodeError."""
    mnemonic, operands = instruction.mnemonic, instruction.operands
    constants = (o for o in operands if isinstance(o, Memory) and o.base == CONSTANTS)
    table = next((o.offset for o in constants), -1)
    return Piece(_encode(mnemonic, operands), table)


def size_of(pieces: Iterable[Piece]) -> int:
    """Bytes of some instructions."""
    return sum([len(piece.code) for piece in pieces])


def table_after(size: int) -> int:
    """Where the constants of code begin: on a cache line of their own."""
    return -(-size // CACHE_LINE) * CACHE_LINE


def linked(pieces: Sequence[Piece], constants: Iterable[int]) -> bytes:
    """Instructions, and behind them the table of constants."""
    size = size_of(pieces)
    table = table_after(size)
    words = b"".join(value.to_bytes(8, "little") for value in constants)
    return b"".join((placed(pieces, 0, table), bytes(table - size), words))


def placed(pieces: Iterable[Piece], start: int, table: int) -> bytes:
    """Instructions from a place on, with the distance of each to its constant."""
    parts, end = [], start
    for piece in pieces:
        end += len(piece.code)
        if piece.table < 0:
            parts.append(piece.code)
        else:
            parts += (piece.code[:-4], (table + piece.table - end).to_bytes(4, "little"))
    return b"".join(parts)


def _encode(mnemonic: str, operands: tuple[Operand, ...]) -> bytes:
    if mnemonic in SPECIAL:
        return SPECIAL[mnemonic](*operands)
    if mnemonic in INTO_REGISTER:
        prefix, opcode = INTO_REGISTER[mnemonic]
        return _modrm(prefix, opcode, _number(operands[0]), operands[1])
    if mnemonic not in ARITHMETIC:
        raise EncodeError(f"no encoding of {mnemonic}")
    return _arithmetic(ARITHMETIC[mnemonic], *operands)


def _number(operand: Operand) -> int:
    if not isinstance(operand, Register):
        raise EncodeError(f"{operand} is no register")
    return NUMBER[operand.name]


def _stack(opcode: int, register: Operand) -> bytes:
    number = _number(register)
    code = bytes((opcode + number % 8,))
    return b"\x41" + code if number > 7 else code


def _mov(target: Operand, source: Operand) -> bytes:
    if isinstance(source, Immediate):
        return _modrm(b"", b"\xc7", 0, target) + _signed(source.value, 4)
    if isinstance(source, Memory):
        return _modrm(b"", b"\x8b", _number(target), source)
    return _modrm(b"", b"\x89", _number(source), target)


def _arithmetic(row: int, target: Operand, source: Operand) -> bytes:
    if isinstance(source, Immediate):
        short = -128 <= source.value <= 127
        opcode = b"\x83" if short else b"\x81"
        return _modrm(b"", opcode, row, target) + _signed(source.value, 1 if short else 4)
    if isinstance(source, Memory):
        return _modrm(b"", bytes((8 * row + 3,)), _number(target), source)
    return _modrm(b"", bytes((8 * row + 1,)), _number(source), target)


def _shld(target: Operand, source: Operand, amount: Operand) -> bytes:
    return _modrm(b"", b"\x0f\xa4", _number(source), target) + _amount(amount)


def _shr(target: Operand, amount: Operand) -> bytes:
    if amount == Immediate(1):
        return _modrm(b"", b"\xd1", 5, target)
    return _modrm(b"", b"\xc1", 5, target) + _amount(amount)


def _amount(operand: Operand) -> bytes:
    if not isinstance(operand, Immediate):
        raise EncodeError(f"a shift by {operand}")
    return bytes((operand.value,))


def _mulx(high: Operand, low: Operand, source: Operand) -> bytes:
    reg, extension, tail = _address(_number(high), source)
    second = (reg & 4) << 5 ^ 0x80 | 0x40 | (extension & 1) << 5 ^ 0x20 | 2
    third = 0x80 | (15 - _number(low)) << 3 | 3
    return bytes((0xC4, second, third, 0xF6)) + tail


def _lea_double(*operands: Operand) -> bytes:
    target, source = map(_number, operands)
    rex = 0x48 | (target > 7) << 2 | (source > 7) << 1 | (source > 7)
    base = source % 8
    if base == 5:  # rbp and r13 as a base need a displacement
        return bytes((rex, 0x8D, 0x44 | target % 8 << 3, base << 3 | base, 0))
    return bytes((rex, 0x8D, 0x04 | target % 8 << 3, base << 3 | base))


def _modrm(prefix: bytes, opcode: bytes, number: int, operand: Operand, wide: int = WIDE) -> bytes:
    reg, extension, tail = _address(number, operand)
    rex = wide | reg | extension
    head = prefix + bytes((0x40 | rex,)) if rex else prefix
    return head + opcode + tail


def _address(number: int, operand: Operand) -> tuple[int, int, bytes]:
    """REX.R, REX.B, and the ModRM byte with what follows it."""
    reg, middle = (number > 7) << 2, number % 8 << 3
    if isinstance(operand, Immediate):
        raise EncodeError(f"{operand} has no address")
    if isinstance(operand, Register):
        rm = NUMBER[operand.name]
        return reg, rm >> 3, bytes((0xC0 | middle | rm % 8,))
    if operand.base == CONSTANTS:
        return reg, 0, bytes((middle | 5, 0, 0, 0, 0))
    base = NUMBER[str(operand.base)]
    sib = b"\x24" if base % 8 == 4 else b""
    if operand.offset == 0 and base % 8 != 5:
        return reg, base >> 3, bytes((middle | base % 8,)) + sib
    short = -128 <= operand.offset <= 127
    mode = 0x40 if short else 0x80
    tail = sib + _signed(operand.offset, 1 if short else 4)
    return reg, base >> 3, bytes((mode | middle | base % 8,)) + tail


def _signed(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little", signed=True)


SPECIAL: dict[str, Callable[..., bytes]] = {
    "ret": lambda: b"\xc3",
    "push": lambda register: _stack(0x50, register),
    "pop": lambda register: _stack(0x58, register),
    "mov": _mov,
    "store": _mov,
    "mulx": _mulx,
    "mul": lambda source: _modrm(b"", b"\xf7", 4, source),
    "xor": lambda register: _modrm(b"", b"\x31", _number(register), register, wide=0),
    "sbb_mask": lambda register: _modrm(b"", b"\x19", _number(register), register),
    "test": lambda one, other: _modrm(b"", b"\x85", _number(other), one),
    "lea_double": _lea_double,
    "shld": _shld,
    "shr": _shr,
}
"""Instructions with an encoding of their own."""
