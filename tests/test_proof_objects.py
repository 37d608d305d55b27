"""Which objects are read as a function's final bytes, and which are refused."""

from __future__ import annotations

import struct

import pytest

from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble, host_triple

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the code is x86-64")
LINUX, MACOS, WINDOWS = "x86_64-linux-gnu", "x86_64-apple-macos", "x86_64-pc-windows-msvc"
BODY = "mov rax, [rsi]\nmov [rdi], rax\nret\n"
RELOCATED = ".globl f\nf:\nmov rax, [rip + k]\nmov [rdi], rax\nret\n.balign 8\nk: .quad elsewhere\n"
RELA, CREL = 4, 0x40000014
"""ELF's numbers for sections of relocations."""

SUBSECTIONS_VIA_SYMBOLS = 0x2000


def object_of(text: str, triple: str = LINUX) -> bytes:
    """An object file of Intel-syntax text."""
    return assemble(f".intel_syntax noprefix\n{text}", triple)


@pytest.mark.parametrize(
    ("triple", "container"), [(LINUX, "elf"), (MACOS, "mach-o"), (WINDOWS, "coff")]
)
def test_a_plain_function_is_read(triple: str, container: str) -> None:
    symbol = "_f" if triple == MACOS else "f"
    function = function_of(object_of(f".text\n.globl {symbol}\n{symbol}:\n{BODY}", triple), "f")
    assert function.container == container and function.architecture == "x86_64"
    assert function.code[function.start :].startswith(bytes.fromhex("488b06488907c3"))


@pytest.mark.parametrize("triple", [LINUX, WINDOWS])
def test_a_relocation_is_refused(triple: str) -> None:
    with pytest.raises(ObjectError, match="linker changes its section"):
        function_of(object_of(RELOCATED, triple), "f")


def test_relocations_of_an_unknown_form_are_refused() -> None:
    data = bytearray(object_of(RELOCATED))
    (table,) = struct.unpack_from("<Q", data, 0x28)
    (count,) = struct.unpack_from("<H", data, 0x3C)
    for header in range(table, table + 64 * count, 64):
        if struct.unpack_from("<I", data, header + 4) == (RELA,):
            struct.pack_into("<I", data, header + 4, CREL)
    with pytest.raises(ObjectError, match="linker changes its section"):
        function_of(bytes(data), "f")


@pytest.mark.parametrize("kind", [2, 3])
def test_a_linked_file_is_refused(kind: int) -> None:
    """An executable (2) or a shared object (3): there a symbol's value is an address."""
    data = bytearray(object_of(f".text\n.globl f\nf:\n{BODY}"))
    struct.pack_into("<H", data, 16, kind)
    with pytest.raises(ObjectError, match="no relocatable object"):
        function_of(bytes(data), "f")


@pytest.mark.parametrize(
    "head",
    [
        '.section .wt, "awx", @progbits\n.globl f\nf:\n',
        ".text\n.globl f\n.type f, @gnu_indirect_function\nf:\n",
        ".text\n.globl f\n.type f, @object\nf:\n",
        ".text\nf:\n",
    ],
    ids=["writable", "chosen at load", "data", "local"],
)
def test_what_is_no_function_for_others(head: str) -> None:
    with pytest.raises(ObjectError, match="has no function f"):
        function_of(object_of(head + BODY), "f")


def test_what_a_mach_o_linker_may_move_away_is_not_read() -> None:
    text = ".globl _f\n_f:\nmov rax, [rsi]\n.globl _g\n_g:\nmov [rdi], rax\nret\n"
    data = bytearray(object_of(text + ".subsections_via_symbols\n", MACOS))
    cut = function_of(bytes(data), "f")
    assert cut.code[cut.start :] == bytes.fromhex("488b06")
    (flags,) = struct.unpack_from("<I", data, 24)
    struct.pack_into("<I", data, 24, flags & ~SUBSECTIONS_VIA_SYMBOLS)
    whole = function_of(bytes(data), "f")
    assert whole.code[whole.start :] == bytes.fromhex("488b06488907c3")
