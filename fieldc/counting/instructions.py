"""A decoded instruction: what it is, what it reads and writes, and where it touches memory."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.errors import UserError

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
class DecodedInstruction:
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
