"""Modules as bytes: sections, functions, and a table of the instructions that are used.

WebAssembly Core Specification 2.0, chapter 5; of products and sums of 128 bits the proposal
WebAssembly/wide-arithmetic. An instruction is its name and its immediates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

Instruction = tuple[str | int, ...]
Instructions = tuple[Instruction, ...]
"""A name of OPCODES, then its immediates: an index, a constant, or a memory's offset."""

I32, I64 = "i32", "i64"
TYPES = {I32: 0x7F, I64: 0x7E}
EMPTY = 0x40
PAGE = 1 << 16

OPCODES: dict[str, int] = {
    "block": 0x02,
    "loop": 0x03,
    "if": 0x04,
    "end": 0x0B,
    "br_if": 0x0D,
    "call": 0x10,
    "local.get": 0x20,
    "local.set": 0x21,
    "local.tee": 0x22,
    "i64.load": 0x29,
    "i32.load8_u": 0x2D,
    "i64.store": 0x37,
    "i32.const": 0x41,
    "i64.const": 0x42,
    "i32.eqz": 0x45,
    "i32.lt_u": 0x49,
    "i64.lt_u": 0x54,
    "i32.add": 0x6A,
    "i32.and": 0x71,
    "i32.shr_u": 0x76,
    "i64.add": 0x7C,
    "i64.sub": 0x7D,
    "i64.mul": 0x7E,
    "i64.and": 0x83,
    "i64.or": 0x84,
    "i64.xor": 0x85,
    "i64.shl": 0x86,
    "i64.shr_s": 0x87,
    "i64.shr_u": 0x88,
    "i64.extend_i32_u": 0xAD,
    "i64.add128": 0xFC13,
    "i64.sub128": 0xFC14,
    "i64.mul_wide_u": 0xFC16,
}
MEMORY = {"i64.load": 3, "i64.store": 3, "i32.load8_u": 0}
"""Instructions with an offset in memory, and the power of two that they are aligned to."""
BLOCKS = ("block", "loop", "if")


def unsigned(value: int) -> bytes:
    """A number in LEB128."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def signed(value: int) -> bytes:
    """A number in signed LEB128."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value & 0x7F])


def encode(instruction: Instruction) -> bytes:
    """An instruction's bytes; a constant of 64 bits may be given as a word or with its sign."""
    name, *immediates = instruction
    opcode = OPCODES[str(name)]
    code = opcode.to_bytes(1 + (opcode > 0xFF), "big")
    numbers = [int(i) for i in immediates]
    if name in MEMORY:
        return code + unsigned(MEMORY[str(name)]) + unsigned(numbers[0])
    if name in BLOCKS:
        return code + bytes([EMPTY])
    if name in ("i64.const", "i32.const"):
        half = 1 << (63 if name == "i64.const" else 31)
        return code + signed((numbers[0] + half) % (2 * half) - half)
    return code + b"".join(map(unsigned, numbers))


@dataclass(frozen=True)
class WasmFunction:
    """A function without result; `locals` are the types of its locals after the parameters."""

    name: str
    parameters: tuple[str, ...]
    locals: tuple[str, ...]
    body: Instructions
    exported: bool = True

    def code(self) -> bytes:
        """The function's entry in the code section."""
        groups = [(len(list(same)), kind) for kind, same in groupby(self.locals)]
        kinds = b"".join(unsigned(count) + bytes([TYPES[kind]]) for count, kind in groups)
        body = b"".join(map(encode, self.body))
        code = unsigned(len(groups)) + kinds + body + encode(("end",))
        return unsigned(len(code)) + code

    def text(self) -> str:
        """The function in the text format."""
        names = " ".join(self.parameters)
        lines = [f'  (func (export "{self.name}") (param {names})']
        lines += [f"    (local {' '.join(self.locals)})"] if self.locals else []
        lines += [f"    {_written(instruction)}" for instruction in self.body]
        return "\n".join(lines) + ")\n"


def _written(instruction: Instruction) -> str:
    name, *immediates = instruction
    mark = "offset=" if name in MEMORY else ""
    return " ".join([str(name), *(f"{mark}{i}" for i in immediates)])


@dataclass(frozen=True)
class Module:
    """Functions with a memory, which is `imported` from "env" "memory" or the module's own.

    `data` begins at address `at`.
    """

    functions: tuple[WasmFunction, ...]
    imported: bool = True
    pages: int = 1
    data: bytes = b""
    at: int = 0
    globals: tuple[tuple[str, int], ...] = ()
    """Exported constants of type i32."""
    about: str = ""
    """What the module says of itself, in a custom section."""

    def encode(self) -> bytes:
        """The module's bytes."""
        kinds = list(dict.fromkeys(f.parameters for f in self.functions))
        types = [b"\x60" + _vector(bytes([TYPES[p]]) for p in kind) + b"\0" for kind in kinds]
        memory = b"\0" + unsigned(self.pages)
        sections = [
            (0, _name("fieldc") + self.about.encode()),
            (1, _vector(types)),
            (2, _vector([_name("env") + _name("memory") + b"\2" + memory])),
            (3, _vector(unsigned(kinds.index(f.parameters)) for f in self.functions)),
            (5, _vector([memory])),
            (6, _vector(_global(value) for _, value in self.globals)),
            (7, _vector(self._exports())),
            (10, _vector(f.code() for f in self.functions)),
            (11, _vector([b"\0" + encode(("i32.const", self.at)) + b"\x0b" + _bytes(self.data)])),
        ]
        absent = {5 if self.imported else 2} | ({11} if not self.data else set())
        absent |= {6} if not self.globals else set()
        absent |= {0} if not self.about else set()
        kept = ((number, body) for number, body in sections if number not in absent)
        return b"\0asm\1\0\0\0" + b"".join(bytes([n]) + _bytes(body) for n, body in kept)

    def _exports(self) -> Iterable[bytes]:
        if not self.imported:
            yield _name("memory") + b"\2\0"
        for index, (name, _) in enumerate(self.globals):
            yield _name(name) + b"\3" + unsigned(index)
        for index, function in enumerate(self.functions):
            if function.exported:
                yield _name(function.name) + b"\0" + unsigned(index)

    def text(self) -> str:
        """The module in the text format."""
        memory = f'  (import "env" "memory" (memory {self.pages}))\n'
        return "(module\n" + memory + "".join(f.text() for f in self.functions) + ")\n"


def _vector(items: Iterable[bytes]) -> bytes:
    listed: Sequence[bytes] = list(items)
    return unsigned(len(listed)) + b"".join(listed)


def _bytes(data: bytes) -> bytes:
    return unsigned(len(data)) + data


def _name(text: str) -> bytes:
    return _bytes(text.encode())


def _global(value: int) -> bytes:
    return bytes([TYPES[I32], 0]) + encode(("i32.const", value)) + b"\x0b"
