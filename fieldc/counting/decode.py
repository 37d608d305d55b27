"""Instructions from the bytes of a function, for each architecture that can be counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import LONGEST, MachineInstruction, instruction, instructions
from fieldc.counting.decode_aarch64 import understand_aarch64
from fieldc.counting.decode_riscv64 import understand_riscv64
from fieldc.counting.decode_x86_64 import understand_x86_64
from fieldc.counting.instructions import NOTHING, CodeError, DecodedInstruction

UNDERSTAND: dict[str, Callable[[MachineInstruction], DecodedInstruction]] = {
    "x86_64": understand_x86_64,
    "aarch64": understand_aarch64,
    "riscv64": understand_riscv64,
}
"""What makes a counted instruction of a decoded one."""


def decode(code: bytes, architecture: str, address: int = 0) -> tuple[DecodedInstruction, ...]:
    """The instructions of a function that control can reach, in the order of addresses.

    What lies between or after them is data, or fills room. Where a jump's target is computed, all
    bytes are taken for instructions. Raises CodeError.
    """
    end = address + len(code)
    found: dict[int, DecodedInstruction] = {}
    waiting = [(address, False)]
    while waiting:
        place, follows_call = waiting.pop()
        while place not in found and address <= place < end:
            window = code[place - address : place - address + LONGEST]
            known = _first(window, architecture, place)
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


def _first(code: bytes, architecture: str, address: int) -> DecodedInstruction | None:
    """The instruction that bytes begin with; no instruction is the beginning of another."""
    known = _KNOWN.setdefault(architecture, {})
    for size in range(1, min(len(code), LONGEST) + 1):
        if (one := known.get(code[:size])) is not None:
            return replace(one, address=address)
    found = understood(code, architecture, address)
    if found is not None and len(known) < MOST_KNOWN:
        own = code[: found.size]
        elsewhere = understood(own, architecture, address + ELSEWHERE)
        if elsewhere is not None and replace(elsewhere, address=address) == found:
            known[own] = found
    return found


def understood(code: bytes, architecture: str, address: int) -> DecodedInstruction | None:
    """The instruction that bytes begin with, decoded now; None where they begin with none."""
    found = instruction(code, Architecture(architecture), address)
    return None if found is None else UNDERSTAND[architecture](found)


_KNOWN: dict[str, dict[bytes, DecodedInstruction]] = {}
"""Instructions by their bytes that read the same at every address."""
MOST_KNOWN = 1 << 16
ELSEWHERE = 1 << 16


def _swept(code: bytes, architecture: str, address: int) -> tuple[DecodedInstruction, ...]:
    """Every instruction, from the first byte to the last but for what fills room at the end."""
    decoded = instructions(code, Architecture(architecture), address)
    found = [UNDERSTAND[architecture](one) for one in decoded]
    end = found[-1].address + found[-1].size if found else address
    if end != address + len(code):
        raise _no_instruction(architecture, end, code[end - address :])
    while found and (found[-1].kind == NOTHING or found[-1].timing == "trap"):
        found.pop()
    return tuple(found)


def decode_one(code: bytes, architecture: str, address: int) -> DecodedInstruction:
    """The instruction that the bytes begin with. Raises CodeError."""
    found = _first(code, architecture, address)
    if found is None:
        raise _no_instruction(architecture, address, code)
    return found


def _no_instruction(architecture: str, place: int, code: bytes) -> CodeError:
    return CodeError(f"no {architecture} instruction at {place:#x}: {code[:8].hex(' ')}")
