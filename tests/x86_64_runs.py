"""Runs of short x86-64 texts on this processor, from states at the corners and random ones."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from functools import cache
from itertools import product

import capstone
import lief

from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.proof.x86_64.decode import decode

RADIX = 1 << 64
CORNERS = (0, 1, 2, 3, (1 << 63) - 1, 1 << 63, RADIX - 2, RADIX - 1, 0xFFFFFFFF, 1 << 32)
FLAGS = {"cf": 0, "zf": 6, "sf": 7, "of": 11}
"""Each flag's place."""
REGISTERS = ("rax", "rcx", "rdx", "rsi", "r15")
Numbers = dict[str, int]


@cache
def thunk(text: str) -> tuple[object, object, bytes]:
    """A routine that loads registers and flags from memory, runs the text, and stores them."""
    body = text.replace(";", "\n")
    load_all = "\n".join(f"mov {r}, [rdi + {8 * i}]" for i, r in enumerate(REGISTERS))
    store_all = "\n".join(f"mov [rdi + {8 * i}], {r}" for i, r in enumerate(REGISTERS))
    code = f"""
        .intel_syntax noprefix
        .globl thunk
    thunk:
        push r15
        push [rdi + 40]
        popfq
        {load_all}
        {body}
        {store_all}
        pushfq
        pop [rdi + 40]
        pop r15
        ret
        .globl alone
    alone:
        {body}
        ret
    """
    data = assemble(code)
    library = load(data)
    elf = lief.parse(list(data))
    start = elf.get_symbol("alone").value
    alone = bytes(elf.get_section(".text").content)[start:]
    routine = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address("thunk"))
    return routine, library, alone


def on_processor(text: str, entry: Numbers) -> Numbers:
    """Registers and flags after the text has run on this machine."""
    routine, _, _ = thunk(text)
    words = (ctypes.c_uint64 * 6)(*(entry[r] for r in REGISTERS))
    words[5] = 0x202 | entry["cf"] | entry["of"] << 11
    routine(ctypes.addressof(words))  # type: ignore[operator]
    found = dict(zip(REGISTERS, words, strict=False))
    return {**found, **{name: words[5] >> place & 1 for name, place in FLAGS.items()}}


def instructions(code: bytes) -> Iterator[capstone.CsInsn]:
    """The instructions before the return."""
    place = 0
    while (instruction := decode(code, place)).mnemonic != "ret":
        yield instruction
        place += instruction.size


def entries() -> Iterator[Numbers]:
    """Corner and random states, with every pair of flags."""
    draw = random.Random(5)
    for a, c in product(CORNERS, CORNERS):
        yield {"rax": a, "rcx": c, "rdx": draw.choice(CORNERS), "rsi": a ^ c, "r15": c}
    for _ in range(60):
        yield {r: draw.getrandbits(64) for r in REGISTERS}
