"""Objects of finished AArch64 code, made by LLVM on every host.

LLVM in this process has the assembler of its host alone, but writes objects for all targets. The
bytes of a function are its prologue data; the body after them is never reached.
"""

from __future__ import annotations

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
    return compile_ir(text, triple, "generic", "", level=0).object


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
