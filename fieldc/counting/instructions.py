"""A decoded instruction: what it is, what it reads and writes, and where it touches memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import capstone

from fieldc.errors import UserError

LONGEST = 15
"""Bytes of the longest instruction."""
STACK_POINTERS = ("rsp", "sp")
MULTIPLICATION, ADDITION, SUBTRACTION = "multiplication", "addition", "subtraction"
MOVE, SELECTION, LOGIC, SHIFT = "move", "selection", "logic", "shift"
COMPARISON, ADDRESS, STACK, CONTROL = "comparison", "address", "stack", "control"
NOTHING, OTHER = "nothing", "other"
KINDS = (
    *(MULTIPLICATION, ADDITION, SUBTRACTION, MOVE, SELECTION, LOGIC, SHIFT),
    *(COMPARISON, ADDRESS, STACK, CONTROL, NOTHING, OTHER),
)
"""Every instruction is of one of these kinds."""


class CodeError(UserError):
    """Bytes that are no instructions; the message is one line."""


@dataclass(frozen=True)
class Access:
    """One load or store: its width in bits, and its address base + scale*index + offset.

    `pushed` is for those that push, pop, call and ret do without naming memory.
    """

    store: bool
    width: int
    base: str = ""
    index: str = ""
    scale: int = 1
    offset: int = 0
    register: str = ""
    """The register that is stored or loaded, where it is one."""
    pushed: bool = False


@dataclass(frozen=True)
class Instruction:
    """One instruction. Registers are whole ones (`rax` for `al`), flags stand beside them.

    `timing` is its row in `processors.toml`. `reads` leaves out what only makes an address.
    `high` is the register of the high half of a product. `copies` says that a register becomes
    another one plus a constant.
    """

    address: int
    size: int
    mnemonic: str
    operands: str
    kind: str
    timing: str
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    accesses: tuple[Access, ...] = ()
    high: str = ""
    copies: tuple[str, str, int] | None = None
    target: int | None = None
    """Where a jump or call with a fixed target goes."""

    @property
    def text(self) -> str:
        """As a disassembler writes it."""
        return f"{self.mnemonic} {self.operands}".rstrip()

    @property
    def is_return(self) -> bool:
        """Whether it returns to the caller."""
        return self.timing == "ret"

    @property
    def moves_only(self) -> bool:
        """Whether it only brings a value from memory, or to it."""
        return bool(self.accesses) and self.kind in (MOVE, STACK)


Decode = Callable[[capstone.CsInsn], Instruction]


def decode(code: bytes, architecture: str, address: int = 0) -> tuple[Instruction, ...]:
    """The instructions of a function that control can reach, in the order of addresses.

    What lies between or behind them is data, or fills room. Where a jump's target is computed, all
    bytes are taken for instructions. Raises CodeError.
    """
    engine, understand = _engine(architecture)
    end = address + len(code)
    found: dict[int, Instruction] = {}
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


def _beyond_capstone(code: bytes, architecture: str, address: int) -> Instruction | None:
    from fieldc.counting.decode_riscv64 import understand_zicond

    return understand_zicond(code, address) if architecture == "riscv64" else None


def _swept(code: bytes, architecture: str, address: int) -> tuple[Instruction, ...]:
    """Every instruction, from the first byte to the last but for what fills room at the end."""
    engine, understand = _engine(architecture)
    found = [understand(raw) for raw in engine.disasm(code, address)]
    end = found[-1].address + found[-1].size if found else address
    if end != address + len(code):
        raise _no_instruction(architecture, end, code[end - address :])
    while found and (found[-1].kind == NOTHING or found[-1].timing == "trap"):
        found.pop()
    return tuple(found)


def decode_one(code: bytes, architecture: str, address: int) -> Instruction:
    """The instruction that the bytes begin with. Raises CodeError."""
    engine, understand = _engine(architecture)
    for raw in engine.disasm(code[:LONGEST], address, 1):
        return understand(raw)
    raise _no_instruction(architecture, address, code)


def _no_instruction(architecture: str, place: int, code: bytes) -> CodeError:
    return CodeError(f"no {architecture} instruction at {place:#x}: {code[:8].hex(' ')}")


@cache
def _engine(architecture: str) -> tuple[capstone.Cs, Decode]:
    from fieldc.counting.decode_aarch64 import understand_aarch64
    from fieldc.counting.decode_riscv64 import understand_riscv64
    from fieldc.counting.decode_x86_64 import understand_x86_64

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
