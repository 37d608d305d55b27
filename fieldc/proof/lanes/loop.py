"""The loop of a kernel on arrays, by its shape: what it must be, instruction by instruction.

    push rbp; mov rbp, rsp; sub rsp, FRAME; and rsp, -64      where there is a frame
    vstmxcsr [rbp - 4]; vldmxcsr [rounding]                   where results are rounded to zero
    lea ANCHOR, [rsp + I] or [rip + I]                        for each anchor
    mov eax, MASK; kmovb k, eax                               for each mask of blends
    vmovdqu64 REGISTER, [rsi + 64*i]                          for each vector that the loop holds
    sub rdi, 8; jb tail           or, in whole blocks         add rdi, 7; shr rdi, 3; je end
  block:
    the code of eight elements, which has no other register than vectors
    add POINTER, 64*words         for z and every operand, but not for columns, which stay
    sub rdi, 8; jae block         or                          dec rdi; jne block
  tail:
    add rdi, 8; je end; imul rdi, rdi, words; lea rax, [masks]; add rax, rdi
    the code of fewer elements, with the masks at [rax] on all that is read and written
  end:
    vmovdqu64 [rsi + 64*i], REGISTER                          for the same vectors
    vldmxcsr [rbp - 4]            where it was stored
    mov rsp, rbp; pop rbp         where there is a frame
    vzeroupper; ret

Turn k of the loop has z + 64*words*k and so on in its pointers, and runs while 8*(k + 1) <= count.
The tail has rdi = count mod 8 then, and row rdi of the table has the mask of each vector. So blocks
cover the arrays exactly, in order, and nothing decides but the count.

A block of elements of 32 bits has 16, and so have masks bits: above, 8 is 16 then, kmovb is kmovw,
and a row of the table has 2*words bytes.

An anchor is a register that points to no array. The code may read and write near it: it is the
stack pointer, or a place in the code, plus I.

Where vectors have four lanes, the code of eight elements has registers of 256 bits, a frame is
aligned to 32 bytes, and masks are words. Other kernels have no anchors. The table has 8*words ones
before its label, and as many zeros after it; in the tail, `imul rdi, rdi, -8*words` lets rax point
to the masks of a block.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import capstone

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.block import LANES, WORD_BYTES
from fieldc.proof.lanes.reader import ShapeReader

REGISTER = capstone.x86.X86_OP_REG
CONTROL = "dword ptr [rbp - 4]"
ROUND_TO_ZERO = 0x7F80
"""MXCSR with all exceptions masked, rounding to zero, and no other bit."""
POINTERS = ("rsi", "rdx", "rcx", "r8", "r9")
"""Where the System V convention has z and the operands, after the count."""
ANCHORS = ("rcx", "r8", "r9", "r10", "r11")
"""What an anchor may be, where it is no pointer: registers that a caller does not keep."""
MASK_REGISTERS = ("k2", "k3", "k4", "k5", "k6", "k7")
BYTES = WORD_BYTES * LANES
"""Of a word of each element of a block."""
MOST_FRAME = 4096 - BYTES - 16
"""Bytes of a frame with what its alignment and the saved register take: within a page."""


@dataclass
class LoopParts:
    """The parts of a kernel: the code of a block and of a tail, the frame, the masks of blends."""

    block: list[capstone.CsInsn] = field(default_factory=list)
    tail: list[capstone.CsInsn] = field(default_factory=list)
    frame: int = 0
    blends: dict[str, int] = field(default_factory=dict)
    elements: int = LANES
    """Of a block: 8, or 16 of 32 bits."""
    enter: list[capstone.CsInsn] = field(default_factory=list)
    """The loads of vectors of the first array that the loop holds in registers."""
    leave: list[capstone.CsInsn] = field(default_factory=list)
    """The stores of the same registers to the same places."""
    places: int = LANES
    """Of a register: 8 or 4."""
    masks: int = 0
    """The words of a block that the tail has masks for, where these are words."""
    has_frame: bool = False
    rounds_to_zero: bool = False
    """Whether MXCSR says so while the loop runs. The caller's is put back."""
    anchors: dict[str, tuple[str, int]] = field(default_factory=dict)
    """What each of them is: `rsp` or `rip`, and an offset, from the start of the code for `rip`."""
    advances: list[int] = field(default_factory=list)
    """What each pointer advances by in a turn, in bytes."""
    block_ends: tuple[int, int] = (0, 0)
    """The place of the first byte of a block's code, and of the one after it."""
    tail_ends: tuple[int, int] | None = None

    @property
    def held(self) -> list[int]:
        """The numbers of the registers that hold vectors of the first array."""
        return [int(_register(load).removeprefix("zmm")) for load in self.enter]


def shape_of(
    code: bytes,
    start: int,
    words: dict[str, int],
    masked: int,
    elements: int = LANES,
    held: int = 0,
) -> LoopParts:
    """The parts of a kernel whose pointers advance by so many words an element, or stay for 0.

    `masked` is the words of an element of arrays in limbs, 0 where there is no such array. A block
    has 8 elements, or 16 of which each pair has a word. So many vectors of the first array are
    `held` in registers.
    Raises ProofError where the code has another shape.
    """
    reader, is_array = ShapeReader(code, start), masked > 0
    shape = LoopParts(elements=elements)
    block_size = f"rdi, {_said(elements)}"
    _frame(reader, shape)
    _anchors(reader, shape, words)
    _masks(reader, shape)
    _held(reader, shape, held)
    if is_array:
        reader.want("sub", block_size)
        skip = reader.jump("jb")
    else:
        reader.want("add", "rdi, 7")
        reader.want("shr", "rdi, 3")
        skip = reader.jump("je")
    while reader.peek().mnemonic == "nop":
        reader.next()
    block = reader.place
    shape.block = list(_vectors(reader))
    shape.block_ends = block, reader.place
    _check_registers(reader, shape)
    shape.advances = [BYTES * words[pointer] for pointer in POINTERS[: len(words)]]
    for pointer, size in zip(POINTERS, shape.advances, strict=False):
        if size:
            reader.want("add", f"{pointer}, {_said(size)}")
    reader.want(*(("sub", block_size) if is_array else ("dec", "rdi")))
    if reader.jump("jae" if is_array else "jne") != block:
        raise ProofError("the loop goes back to another place than its block")
    end = reader.place
    if is_array:
        if skip != reader.place:
            raise ProofError("the loop is left for another place than its tail")
        end = _tail(reader, shape, masked)
        shape.tail_ends = reader.place - sum(i.size for i in shape.tail), reader.place
    if end != reader.place or (not is_array and skip != end):
        raise ProofError("the loop is left for another place than its end")
    _end(reader, shape)
    return shape


def _held(reader: ShapeReader, shape: LoopParts, count: int) -> None:
    """Reads the loads of vectors that the loop holds."""
    for offset in range(0, BYTES * count, BYTES):
        found = reader.want("vmovdqu64")
        register = _register(found)
        if not register.startswith("zmm") or found.op_str != f"{register}, {_place(offset)}":
            raise ProofError(f"+{found.address:#x}: the loop holds another vector here")
        shape.enter.append(found)
    if len({_register(load) for load in shape.enter}) < count:
        raise ProofError("one register holds two vectors")


def _register(load: capstone.CsInsn) -> str:
    """The first operand, as the decoder prints it."""
    return str(load.op_str).partition(",")[0]


def _place(offset: int) -> str:
    """A vector of the first array, as the decoder prints it."""
    return f"zmmword ptr [{POINTERS[0]}{f' + {_said(offset)}' if offset else ''}]"


def _check_registers(reader: ShapeReader, shape: LoopParts) -> None:
    """Which vectors the code has; its frame and its loop must be for these."""
    names = {i.reg_name(o.reg) for i in shape.block for o in i.operands if o.type == REGISTER}
    if any(name.startswith("zmm") for name in names):
        if shape.places != LANES or shape.anchors:
            raise ProofError("the frame is for vectors of 256 bits")
        return
    shape.places = LANES // 2
    if shape.blends or shape.enter or shape.elements != LANES:
        raise ProofError("the loop is for vectors of 512 bits")


def _frame(reader: ShapeReader, shape: LoopParts) -> None:
    if not reader.has("push", "rbp"):
        return
    shape.has_frame = True
    reader.want("mov", "rbp, rsp")
    size = reader.want("sub")
    to, given = size.operands
    if size.reg_name(to.reg) != "rsp" or given.type != capstone.x86.X86_OP_IMM:
        raise ProofError(f"+{size.address:#x}: a frame of an unknown kind")
    shape.frame, slot = int(given.imm), BYTES
    if reader.has("and", _aligned(BYTES // 2)):
        shape.places, slot = LANES // 2, BYTES // 2
    else:
        reader.want("and", _aligned(BYTES))
    if not 0 < shape.frame <= MOST_FRAME or shape.frame % slot:
        raise ProofError(f"a frame of {shape.frame} bytes")
    if shape.places < LANES and reader.has("vstmxcsr", CONTROL):
        load = reader.want("vldmxcsr")
        memory = load.operands[0].mem
        place = load.address + load.size + memory.disp
        found = reader.code[place : place + 4] if place >= 0 else b""
        if load.reg_name(memory.base) != "rip" or memory.index or memory.segment:
            raise ProofError(f"+{load.address:#x}: no constant for MXCSR")
        if int.from_bytes(found, "little") != ROUND_TO_ZERO or len(found) < 4:
            raise ProofError(f"+{load.address:#x}: MXCSR does not round to zero, or reports")
        shape.rounds_to_zero = True
        shape.frame -= slot  # at its end, above what the code may write, is the caller's MXCSR


def _anchors(reader: ShapeReader, shape: LoopParts, pointers: Collection[str]) -> None:
    """Reads what makes registers point near constants, or near what is in the frame."""
    while reader.peek().mnemonic == "lea":
        lea = reader.next()
        register, memory = lea.reg_name(lea.operands[0].reg), lea.operands[1].mem
        base = lea.reg_name(memory.base) if memory.base else ""
        if register not in ANCHORS or register in pointers or register in shape.anchors:
            raise ProofError(f"+{lea.address:#x}: {register} is no anchor")
        if base not in ("rsp", "rip") or memory.index or memory.segment:
            raise ProofError(f"+{lea.address:#x}: an anchor at {base}")
        if base == "rsp" and not shape.has_frame:
            raise ProofError(f"+{lea.address:#x}: an anchor in no frame")
        after = lea.address + lea.size if base == "rip" else 0
        shape.anchors[register] = base, memory.disp + after


def _aligned(size: int) -> str:
    """The operands that align the stack, as the decoder prints them."""
    return f"rsp, {-size & (1 << 64) - 1:#x}"


def _masks(reader: ShapeReader, shape: LoopParts) -> None:
    """Reads the masks of blends."""
    while reader.peek().mnemonic == "mov":
        value = reader.want("mov").operands
        mask = reader.want("kmovb" if shape.elements == LANES else "kmovw")
        name = mask.reg_name(mask.operands[0].reg)
        if mask.op_str != f"{name}, eax" or name not in MASK_REGISTERS:
            raise ProofError(f"+{mask.address:#x}: a mask in {name}")
        if mask.reg_name(value[0].reg) != "eax" or value[1].type != capstone.x86.X86_OP_IMM:
            raise ProofError(f"+{mask.address:#x}: a mask of an unknown kind")
        shape.blends[name] = value[1].imm & (1 << shape.elements) - 1


def _tail(reader: ShapeReader, shape: LoopParts, words: int) -> int:
    """Reads a tail; where it jumps to if no element is left."""
    elements, size = shape.elements, shape.elements // LANES  # size: bytes of a mask
    reader.want("add", f"rdi, {_said(elements)}")
    end = reader.jump("je")
    has_words = shape.places < LANES
    step = -WORD_BYTES * words if has_words else words * size
    reader.want("imul", f"rdi, rdi, {_said(step)}")
    table = reader.want("lea")
    memory = table.operands[1].mem
    if table.reg_name(table.operands[0].reg) != "rax" or table.reg_name(memory.base) != "rip":
        raise ProofError(f"+{table.address:#x}: the masks are in no table")
    reader.want("add", "rax, rdi")
    at = table.address + table.size + memory.disp
    if has_words:
        shape.masks = words * LANES
        _check_words(reader.code, at, words)
        shape.tail = list(_vectors(reader, end))
        return end
    for left in range(1, elements):
        for vector in range(words):
            full = (1 << max(0, min(elements, left * words - elements * vector))) - 1
            place = at + (left * words + vector) * size
            found = reader.code[place : place + size] if place >= 0 else b""
            if found != full.to_bytes(size, "little"):
                raise ProofError(f"the mask of vector {vector} where {left} elements are left")
    shape.tail = list(_vectors(reader, end))
    return end


def _check_words(code: bytes, at: int, words: int) -> None:
    """The masks of words: ones before a place, zeros from there on."""
    size = WORD_BYTES * LANES * words
    if at < size or code[at - size : at + size] != b"\xff" * size + bytes(size):
        raise ProofError("the masks of words")


def _end(reader: ShapeReader, shape: LoopParts) -> None:
    for number, load in enumerate(shape.enter):
        place = _place(BYTES * number)
        shape.leave.append(reader.want("vmovdqu64", f"{place}, {_register(load)}"))
    if shape.rounds_to_zero:
        reader.want("vldmxcsr", CONTROL)
    if shape.has_frame:
        reader.want("mov", "rsp, rbp")
        reader.want("pop", "rbp")
    reader.want("vzeroupper", "")
    reader.want("ret", "")


def _vectors(reader: ShapeReader, end: int = -1) -> Iterator[capstone.CsInsn]:
    """The instructions up to an end, or to the next that is not one of vectors and masks."""
    while reader.place != end:
        mnemonic = reader.peek().mnemonic
        if not mnemonic.startswith(("v", "k")) or mnemonic == "vzeroupper":
            return
        yield reader.next()


def _said(value: int) -> str:
    """A number as the decoder prints it."""
    return str(value) if -10 < value < 10 else hex(value)
