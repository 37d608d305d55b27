"""Objects of finished AArch64 code, made by LLVM on every host.

LLVM in this process has the assembler of its host alone, but writes objects for all targets. The
bytes of a function are its prologue data; the body after them is never reached.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from fieldc.machine.assemble import compile_ir

ALIGNMENT = 64


BRANCHES_ARE_CHECKED = """
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"branch-target-enforcement", i32 1}
"""
"""Tells a linker that all functions have landing pads."""


def object_of(
    functions: Mapping[str, bytes],
    triple: str,
    landing_pads: bool = False,
    frames: Mapping[str, tuple[bytes, bytes]] | None = None,
) -> bytes:
    """The object file of functions by their symbols, for a system. Raises AssemblyError.

    `frames` are their unwind data in `.eh_frame`, before and after a function's place.
    """
    text = "\n".join(_function(symbol, code) for symbol, code in functions.items())
    text += "".join(_frame(symbol, *parts) for symbol, parts in (frames or {}).items())
    text += BRANCHES_ARE_CHECKED if landing_pads else ""
    made = compile_ir(text, triple, "generic", "", level=0).object
    return _marked_as_code(made) if made.startswith(b"\x7fELF") else made


SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
EXECUTABLE, SYMBOLS, STRINGS = 4, 2, 3
"""A section's flag, and two of its types."""


def _marked_as_code(data: bytes) -> bytes:
    """The ELF object whose code has the mapping symbol `$x`.

    LLVM marks prologue data as `$d`, for which disassemblers, debuggers and profilers show no
    instructions. Names are the last section: the new one is added to it.
    """
    (start,) = struct.unpack_from("<Q", data, 0x28)
    sections = [list(one) for one in SECTION.iter_unpack(data[start:])]
    (names,) = (one for one in sections if one[1] == STRINGS)
    (table,) = (one for one in sections if one[1] == SYMBOLS)
    first, size, new = names[4], names[5], names[5]
    made = bytearray(data[: first + size] + b"$x\0")
    for at in range(table[4], table[4] + table[5], SYMBOL.size):
        name, kind, other, section, *rest = SYMBOL.unpack_from(made, at)
        is_data = made[first + name : first + name + 3] == b"$d\0"
        if is_data and sections[section][2] & EXECUTABLE:
            SYMBOL.pack_into(made, at, new, kind, other, section, *rest)
    names[5] += 3
    made += bytes(-len(made) % 8)
    struct.pack_into("<Q", made, 0x28, len(made))
    return bytes(made) + b"".join(SECTION.pack(*one) for one in sections)


def _function(symbol: str, code: bytes) -> str:
    padded = code + bytes(-len(code) % 4)
    words = [int.from_bytes(padded[i : i + 4], "little") for i in range(0, len(padded), 4)]
    listed = ", ".join(f"i32 {word}" for word in words)
    data = f"<{{ {', '.join(['i32'] * len(words))} }}> <{{ {listed} }}>"
    return (
        f"define dso_local void @{symbol}() nounwind naked align {ALIGNMENT} "
        f"prologue {data} {{ unreachable }}"
    )


def _frame(symbol: str, before: bytes, after: bytes) -> str:
    """Unwind data of a function, whose place is relative to where it is written."""
    name = f'@"{symbol}.frame"'
    types = f"<{{ [{len(before)} x i8], i32, [{len(after)} x i8] }}>"
    here = f"ptrtoint (ptr getelementptr inbounds ({types}, ptr {name}, i32 0, i32 1) to i64)"
    distance = f"i32 trunc (i64 sub (i64 ptrtoint (ptr @{symbol} to i64), i64 {here}) to i32)"
    parts = ", ".join((_bytes(before), distance, _bytes(after)))
    return f'\n{name} = private constant {types} <{{ {parts} }}>, section ".eh_frame", align 8\n'


def _bytes(data: bytes) -> str:
    quoted = "".join(f"\\{byte:02x}" for byte in data)
    return f'[{len(data)} x i8] c"{quoted}"'
