"""Which objects are read as a function's final bytes, and which are refused."""

from __future__ import annotations

import struct

import pytest
from replaced_objects import ARM, REPLACED, UNALIGNED, arm_object
from unfit_objects import LINUX, MACOS, UNFIT, WINDOWS, Unfit, elf_symbol

from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import function_of, size_of
from fieldc.machine.assemble import assemble, host_triple

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the code is x86-64")
BODY = "mov rax, [rsi]\nmov [rdi], rax\nret\n"
RELOCATED = ".globl f\nf:\nmov rax, [rip + k]\nmov [rdi], rax\nret\n.balign 8\nk: .quad elsewhere\n"
RELA, CREL = 4, 0x40000014
"""ELF's numbers for sections of relocations."""

NOBITS = 8
"""ELF's number for a section without content."""
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


def test_a_function_ends_where_the_next_one_begins() -> None:
    text = f".text\n.globl f\nf:\n{BODY}.globl g\ng:\n{BODY}nop\n"
    data = object_of(text + f'.section .text.h, "ax"\n.globl h\nh:\n{BODY}')
    assert [size_of(data, name) for name in "fgh"] == [7, 8, 7]
    with pytest.raises(ObjectError, match="no function 'i'"):
        size_of(data, "i")


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


@pytest.mark.parametrize("name", UNFIT)
def test_what_a_linker_may_replace_is_refused(name: str) -> None:
    unfit = UNFIT[name]
    with pytest.raises(ObjectError, match=unfit.why):
        function_of(unfit.object(BODY), "f")


def test_another_symbol_with_an_underscore_is_not_taken() -> None:
    """Of ELF and COFF `_f` is another function than `f`, which may be weak and wrong."""
    text = f".text\n.weak f\nf:\nret\n.globl _f\n_f:\n{BODY}"
    with pytest.raises(ObjectError, match="f: the symbol is weak"):
        function_of(object_of(text), "f")
    with pytest.raises(ObjectError, match="no function 'f'; the nearest is '_f'"):
        function_of(object_of(f".text\n.globl _f\n_f:\n{BODY}", WINDOWS), "f")
    assert function_of(object_of(text), "_f").symbol == "_f"


def test_names_in_mach_o_have_one_underscore_more() -> None:
    """So `f` without one is another function, and so is `_f`, which C would call `f`."""
    data = object_of(f".text\n.globl _f\n_f:\n{BODY}.globl f\nf:\nret\n", MACOS)
    assert function_of(data, "f").symbol == "_f"
    with pytest.raises(ObjectError, match=r"'_f' \(in Mach-O '__f'\); the nearest is 'f'"):
        function_of(data, "_f")


def test_an_at_in_the_name_of_a_source_file_is_no_version() -> None:
    data = object_of(f'.file "f@@1.c"\n.text\n.globl f\nf:\n{BODY}')
    assert function_of(data, "f").symbol == "f"


@pytest.mark.parametrize("data", [b"", b"MZ", b"\x7fELF", b"\x7fELF" + bytes(60), b"\x64\x86" * 9])
def test_what_is_no_object_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(ObjectError) as caught:
        function_of(data, "f")
    assert "\n" not in str(caught.value)


def test_a_number_without_a_name_prints_nothing(recwarn: pytest.WarningsRecorder) -> None:
    data = bytearray(object_of(f".globl f\nf:\n{BODY}.bss\n.zero 8\n"))
    (headers,) = struct.unpack_from("<Q", data, 40)
    count = struct.unpack_from("<H", data, 60)[0]
    types = [headers + 64 * i + 4 for i in range(count)]
    other = next(at for at in types if struct.unpack_from("<I", data, at)[0] == NOBITS)
    struct.pack_into("<I", data, other, 0x9A0000)
    function_of(bytes(data), "f")
    struct.pack_into("<H", data, 18, 153)
    with pytest.raises(ObjectError, match="x86_64 and aarch64, not for machine 153"):
        function_of(bytes(data), "f")
    assert not recwarn.list


def test_what_a_mach_o_linker_may_move_away_is_not_read() -> None:
    text = ".globl _f\n_f:\nmov rax, [rsi]\n.globl _g\n_g:\nmov [rdi], rax\nret\n"
    data = bytearray(object_of(text + ".subsections_via_symbols\n", MACOS))
    cut = function_of(bytes(data), "f")
    assert cut.code[cut.start :] == bytes.fromhex("488b06")
    (flags,) = struct.unpack_from("<I", data, 24)
    struct.pack_into("<I", data, 24, flags & ~SUBSECTIONS_VIA_SYMBOLS)
    whole = function_of(bytes(data), "f")
    assert whole.code[whole.start :] == bytes.fromhex("488b06488907c3")


@pytest.mark.parametrize("name", REPLACED)
def test_what_a_linker_reads_otherwise_is_refused(name: str) -> None:
    unfit = REPLACED[name]
    with pytest.raises(ObjectError, match=unfit.why) as caught:
        function_of(unfit.object(BODY), "f")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("container", ARM)
def test_a_function_of_aarch64_starts_at_a_multiple_of_4(container: str) -> None:
    data = arm_object(container)
    assert function_of(bytes(data), "f").container == container
    UNALIGNED[container](data)
    with pytest.raises(ObjectError, match="aligned to 2, not to a multiple of 4"):
        function_of(bytes(data), "f")


def test_an_odd_place_in_aarch64_is_refused() -> None:
    data = arm_object("elf")
    elf_symbol(8, "<Q", 1)(data)
    with pytest.raises(ObjectError, match="starts at 0x1, which is no multiple of 4"):
        function_of(bytes(data), "f")


@pytest.mark.parametrize("machine", [0xA641, 0xA64E])
def test_arm64_for_emulation_is_not_aarch64(machine: int) -> None:
    """ARM64EC and ARM64X: their convention has fewer registers."""
    data = arm_object("coff")
    struct.pack_into("<H", data, 0, machine)
    with pytest.raises(ObjectError, match="no ELF, COFF or Mach-O object"):
        function_of(bytes(data), "f")


@pytest.mark.parametrize(
    ("triple", "section"),
    [
        (LINUX, '.text.f, "ax"'),
        (LINUX, '.text.unlikely, "ax"'),
        (WINDOWS, '.text$f, "xr"'),
        (WINDOWS, '.text.unlikely, "xr"'),
    ],
)
def test_sections_of_one_function_are_read(triple: str, section: str) -> None:
    data = object_of(f".section {section}\n.globl f\nf:\n{BODY}", triple)
    assert function_of(data, "f").code.startswith(bytes.fromhex("488b06488907c3"))


def test_long_names_of_other_sections_are_read() -> None:
    tail = '.section .debug_something, "n"\n.byte 1\n'
    assert function_of(Unfit(WINDOWS, tail=tail).object(BODY), "f").container == "coff"
