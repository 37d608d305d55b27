"""One x86-64 instruction from bytes, by capstone, and its prefixes, by ourselves.

Capstone tells neither all legacy prefixes nor, where several could be mandatory ones, which of them
the processor takes: `f3 2e 66 0f 38 f6` is adox, whatever a decoder prints.
"""

from __future__ import annotations

from functools import lru_cache

import capstone
from capstone import x86_const as x86

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import LONGEST, decoder
from fieldc.proof.algebra.identity import ProofError

LEGACY = frozenset(bytes.fromhex("66 67 f0 f2 f3 2e 36 3e 26 64 65"))
REX = range(0x40, 0x50)
VECTOR = (0xC4, 0xC5, 0x62)
"""What opens a VEX or EVEX instruction; no REX prefix may stand before it."""
PREFIXES = {
    "adcx": (b"\x66",),
    "adox": (b"\xf3",),
    "endbr64": (b"\xf3",),
    "repz ret": (b"\xf3",),
    "nop": (b"", b"\x66", b"\x2e", b"\x66\x2e"),
}
"""The legacy prefixes that an instruction may have, repeated ones once; elsewhere none."""


MOST_REMEMBERED = 1024
"""Instructions: a kernel runs some of its code in several cases, and looks ahead in a loop."""


def decode(code: bytes, start: int) -> capstone.CsInsn:
    """The instruction at an offset. Raises ProofError where there is none."""
    if start < 0:
        raise ProofError(f"the code goes to {start:#x}, outside its section")
    return _decoded(code[start : start + LONGEST], start)


@lru_cache(MOST_REMEMBERED)
def _decoded(code: bytes, address: int) -> capstone.CsInsn:
    """The instruction that bytes begin with; it is shared, and never changed."""
    for instruction in decoder(Architecture.X86_64).disasm(code, address, 1):
        return instruction
    raise ProofError(f"+{address:#x}: bytes that are no instruction")


def has_known_prefixes(instruction: capstone.CsInsn) -> bool:
    """Whether its prefixes leave an instruction what it is taken for, on every processor."""
    code = bytes(instruction.bytes)
    count = next((k for k, byte in enumerate(code) if byte not in LEGACY), len(code))
    legacy = bytes(dict.fromkeys(code[:count]))
    if legacy == b"\x67" and not any(o.type == x86.X86_OP_MEM for o in instruction.operands):
        legacy = b""  # a width of addresses, where there is none
    return legacy in PREFIXES.get(instruction.mnemonic, (b"",)) and _is_opcode(code[count:])


def _is_opcode(rest: bytes) -> bool:
    """Whether an opcode follows, after one REX prefix at most."""
    if not rest or rest[0] not in REX:
        return bool(rest)
    return len(rest) > 1 and rest[1] not in (*LEGACY, *REX, *VECTOR)
