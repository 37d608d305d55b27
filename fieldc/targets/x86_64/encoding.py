"""How x86-64 instructions become bytes (Intel SDM volume 2, chapters 2 and 3).

The rows of `instructions` name these functions. Encodings are those that LLVM's assembler picks.
"""

from __future__ import annotations

from collections.abc import Callable

from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Placed, Register

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
WIDE = 8
"""REX.W: 64-bit operands."""
Encoder = Callable[..., bytes]
"""From an instruction's operands to its bytes. Raises EncodeError."""


class EncodeError(ValueError):
    """An operand that an instruction cannot take (a defect)."""


def arithmetic(row: int) -> Encoder:
    """A row of the opcode table: 8*row + 1 into register or memory, 8*row + 3 into a register."""
    return lambda target, source: _arithmetic(row, target, source)


def into_register(opcode: bytes, prefix: bytes = b"") -> Encoder:
    """A register first, then a register or memory."""
    return lambda target, source: _modrm(prefix, opcode, _number(target), source)


def fixed(code: bytes) -> Encoder:
    """No operands."""
    return lambda: code


def stack(opcode: int) -> Encoder:
    """push and pop."""
    return lambda register: _stack(opcode, register)


def group(opcode: bytes, extension: int) -> Encoder:
    """One operand; the opcode's extension stands in the place of a register."""
    return lambda source: _modrm(b"", opcode, extension, source)


def itself(opcode: bytes, wide: int = WIDE) -> Encoder:
    """A register with itself."""
    return lambda register: _modrm(b"", opcode, _number(register), register, wide)


def registers(opcode: bytes) -> Encoder:
    """Two registers, the first one in the place of memory."""
    return lambda one, other: _modrm(b"", opcode, _number(other), one)


def _number(operand: Placed) -> int:
    if not isinstance(operand, Register):
        raise EncodeError(f"{operand} is no register")
    return NUMBER[operand.name]


def _stack(opcode: int, register: Placed) -> bytes:
    number = _number(register)
    code = bytes((opcode + number % 8,))
    return b"\x41" + code if number > 7 else code


def mov(target: Placed, source: Placed) -> bytes:
    if isinstance(source, Immediate):
        return _modrm(b"", b"\xc7", 0, target) + _signed(source.value, 4)
    if isinstance(source, Memory):
        return _modrm(b"", b"\x8b", _number(target), source)
    return _modrm(b"", b"\x89", _number(source), target)


def movabs(target: Placed, source: Placed) -> bytes:
    """A register and all 64 bits of a number."""
    if not isinstance(source, Immediate):
        raise EncodeError(f"movabs of {source}")
    number = _number(target)
    opcode = bytes((0x48 | (number > 7), 0xB8 + number % 8))
    return opcode + source.value.to_bytes(8, "little")


def _arithmetic(row: int, target: Placed, source: Placed) -> bytes:
    if isinstance(source, Immediate):
        short = -128 <= source.value <= 127
        opcode = b"\x83" if short else b"\x81"
        return _modrm(b"", opcode, row, target) + _signed(source.value, 1 if short else 4)
    if isinstance(source, Memory):
        return _modrm(b"", bytes((8 * row + 3,)), _number(target), source)
    return _modrm(b"", bytes((8 * row + 1,)), _number(source), target)


def test_low(register: Placed, number: Placed) -> bytes:
    """A number and the low half of a register; rax has a form of its own."""
    if not isinstance(number, Immediate):
        raise EncodeError(f"test of {number}")
    opcode = b"\xa9" if register == Register("rax") else _modrm(b"", b"\xf7", 0, register, 0)
    return opcode + _signed(number.value, 4)


def shld(target: Placed, source: Placed, amount: Placed) -> bytes:
    return _modrm(b"", b"\x0f\xa4", _number(source), target) + _amount(amount)


def shift(extension: int) -> Encoder:
    """A shift by a number; the opcode's extension says which."""
    return lambda target, amount: _shift(extension, target, amount)


def _shift(extension: int, target: Placed, amount: Placed) -> bytes:
    if amount == Immediate(1):
        return _modrm(b"", b"\xd1", extension, target)
    return _modrm(b"", b"\xc1", extension, target) + _amount(amount)


def _amount(operand: Placed) -> bytes:
    if not isinstance(operand, Immediate):
        raise EncodeError(f"a shift by {operand}")
    return bytes((operand.value,))


def mulx(high: Placed, low: Placed, source: Placed) -> bytes:
    reg, extension, tail = _address(_number(high), source)
    second = (reg & 4) << 5 ^ 0x80 | 0x40 | (extension & 1) << 5 ^ 0x20 | 2
    third = 0x80 | (15 - _number(low)) << 3 | 3
    return bytes((0xC4, second, third, 0xF6)) + tail


def lea_double(target: Placed, source: Placed) -> bytes:
    return lea_sum(target, source, source)


def lea_sum(*operands: Placed) -> bytes:
    target, base, index = map(_number, operands)
    rex = 0x48 | (target > 7) << 2 | (index > 7) << 1 | (base > 7)
    sib = index % 8 << 3 | base % 8
    if base % 8 == 5:  # rbp and r13 as a base need a displacement
        return bytes((rex, 0x8D, 0x44 | target % 8 << 3, sib, 0))
    return bytes((rex, 0x8D, 0x04 | target % 8 << 3, sib))


def _modrm(prefix: bytes, opcode: bytes, number: int, operand: Placed, wide: int = WIDE) -> bytes:
    reg, extension, tail = _address(number, operand)
    rex = wide | reg | extension
    head = prefix + bytes((0x40 | rex,)) if rex else prefix
    return head + opcode + tail


def _address(number: int, operand: Placed) -> tuple[int, int, bytes]:
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
