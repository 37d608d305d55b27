"""Instructions from the bytes of a function, for each architecture that can be counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import capstone

from fieldc.counting.decode_aarch64 import understand_aarch64
from fieldc.counting.decode_riscv64 import understand_riscv64, understand_zicond
from fieldc.counting.decode_x86_64 import understand_x86_64
from fieldc.counting.instructions import NOTHING, CodeError, DecodedInstruction

LONGEST = 15
"""Bytes of the longest instruction."""
Decode = Callable[[capstone.CsInsn], DecodedInstruction]


def decode(code: bytes, architecture: str, address: int = 0) -> tuple[DecodedInstruction, ...]:
    """The instructions of a function that control can reach, in the order of addresses.

    What lies between or after them is data, or fills room. Where a jump's target is computed, all
    bytes are taken for instructions. Raises CodeError.
    """
    engine, understand = _engine(architecture)
    end = address + len(code)
    found: dict[int, DecodedInstruction] = {}
    waiting = [(address, False)]
    while waiting:
        place, follows_call = waiting.pop()
        while place not in found and address <= place < end:
            window = code[place - address : place - address + LONGEST]
            raw = next(engine.disasm(window, place, 1), None)
            known = (
                _beyond_capstone(window, architecture, place) if raw is None else understand(raw)
            )
            if known is None:
                if follows_call:  # which does not return
                    break
                raise _no_instruction(architecture, place, window)
            found[place] = one = known
            if one.timing in ("jump", "branch") and one.target is None:
                return _swept(code, architecture, address)
            if one.timing in ("jump", "branch") and one.target is not None:
                waiting.append((one.target, False))
            if one.timing in ("ret", "jump", "trap"):
                break
            place, follows_call = one.address + one.size, one.timing == "call"
    return tuple(found[place] for place in sorted(found))


def _beyond_capstone(code: bytes, architecture: str, address: int) -> DecodedInstruction | None:
    return understand_zicond(code, address) if architecture == "riscv64" else None


def _swept(code: bytes, architecture: str, address: int) -> tuple[DecodedInstruction, ...]:
    """Every instruction, from the first byte to the last but for what fills room at the end."""
    engine, understand = _engine(architecture)
    found = [understand(raw) for raw in engine.disasm(code, address)]
    end = found[-1].address + found[-1].size if found else address
    if end != address + len(code):
        raise _no_instruction(architecture, end, code[end - address :])
    while found and (found[-1].kind == NOTHING or found[-1].timing == "trap"):
        found.pop()
    return tuple(found)


def decode_one(code: bytes, architecture: str, address: int) -> DecodedInstruction:
    """The instruction that the bytes begin with. Raises CodeError."""
    engine, understand = _engine(architecture)
    for raw in engine.disasm(code[:LONGEST], address, 1):
        return understand(raw)
    raise _no_instruction(architecture, address, code)


def _no_instruction(architecture: str, place: int, code: bytes) -> CodeError:
    return CodeError(f"no {architecture} instruction at {place:#x}: {code[:8].hex(' ')}")


@cache
def _engine(architecture: str) -> tuple[capstone.Cs, Decode]:
    riscv = capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC
    made: dict[str, tuple[int, int, Decode]] = {
        "x86_64": (capstone.CS_ARCH_X86, capstone.CS_MODE_64, understand_x86_64),
        "aarch64": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM, understand_aarch64),
        "riscv64": (capstone.CS_ARCH_RISCV, riscv, understand_riscv64),
    }
    machine, mode, understand = made[architecture]
    engine = capstone.Cs(machine, mode)
    engine.detail = True
    return engine, understand
