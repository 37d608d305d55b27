"""x86-64: what an instruction counts as, and what it reads and writes, with capstone's mistakes
corrected."""

from __future__ import annotations

import re
from functools import cache

from capstone import CS_AC_READ, CS_AC_WRITE, x86

from fieldc.binary.decode import MachineInstruction
from fieldc.binary.operands import DecodedMemory, DecodedRegister, x86_64_name
from fieldc.counting import instructions as kinds
from fieldc.counting.instructions import Access, DecodedInstruction

NAMES = {
    kinds.ADDITION: {"add": "add inc xadd", "adc": "adc", "adx": "adcx adox"},
    kinds.SUBTRACTION: {"add": "sub dec neg", "adc": "sbb"},
    kinds.MULTIPLICATION: {"mulx": "mulx", "mul": "mul"},
    kinds.COMPARISON: {"add": "cmp test", "bit": "bt"},
    kinds.LOGIC: {"add": "and or xor not", "bits": "andn bzhi blsi blsr popcnt lzcnt tzcnt bextr"},
    kinds.SHIFT: {"shift": "shl sal shr sar rol ror rorx shlx shrx sarx", "shld": "shld shrd"},
    kinds.MOVE: {"move": "mov movabs movzx movsx movsxd", "other": "bswap xchg"},
    kinds.ADDRESS: {"lea": "lea"},
    kinds.STACK: {"push": "push", "pop": "pop", "other": "leave pushfq popfq"},
    kinds.CONTROL: {"call": "call", "ret": "ret retq", "jump": "jmp"},
    kinds.OTHER: {"trap": "ud2 hlt int3", "other": "int1 syscall cpuid"},
    kinds.NOTHING: {"nop": "nop endbr64 pause lfence mfence sfence"},
}
TABLE = {
    name: (kind, timing)
    for kind, rows in NAMES.items()
    for timing, names in rows.items()
    for name in names.split()
}
"""Kind and timing of an opcode."""
CHANGES = ("MODIFY", "RESET", "SET", "UNDEFINED")
FLAGS = ("CF", "OF", "ZF", "SF", "PF", "AF")
ZEROING = re.compile(r"v?(xor|sub|pxor|xorp[sd]|pxor[dq]|psub[bwdq]|pcmpeq[bwdq])$")
NO_ACCESS = re.compile(r"(lea|nop|prefetch|endbr|clflush)")
VECTOR_MULTIPLIES = re.compile(r"v?(pmul|pmadd|mul[ps]|fmadd|fmsub|fnm)|vpmadd52")
VECTOR_ADDS = re.compile(r"v?p?add")
VECTOR_MOVES = re.compile(r"v?(mov|lddqu|broadcast|pbroadcast)")
ADDS = (kinds.ADDITION, kinds.SUBTRACTION)
PARTIAL = 4
"""A write of fewer bytes keeps the rest of the register."""


def understand_x86_64(insn: MachineInstruction) -> DecodedInstruction:
    """One instruction of x86-64."""
    mnemonic = _mnemonic(insn)
    registers = [o for o in insn.operands if isinstance(o, DecodedRegister)]
    names = [o.name for o in registers]
    vector = any(name.startswith(("zmm", "k")) for name in names)
    kind, timing = _classified(mnemonic, insn, vector)
    reads, writes = _registers(insn, mnemonic, names)
    accesses = _accesses(insn, mnemonic, names)
    is_zero = ZEROING.match(mnemonic) and len(set(names)) == 1 and len(names) == len(insn.operands)
    if is_zero and registers[0].size >= PARTIAL:
        reads, timing = frozenset(), "zero"
    elif mnemonic == "sbb" and len(set(names)) == 1 and len(names) == 2:
        reads = frozenset({"cf"})
    elif timing == "move" and len(names) == 2 and not vector and _is_renamed(mnemonic, registers):
        timing = "copy"
    elif timing == "add" and kind in ADDS and len(names) == 1 and not accesses:
        timing = "add immediate"
    return DecodedInstruction(
        *(insn.address, insn.size, mnemonic, insn.op_str, kind, timing),
        *(reads, writes, accesses, _high(mnemonic, names), _copies(insn, mnemonic, names)),
        target=_target(insn, timing),
    )


def _is_renamed(mnemonic: str, registers: list[DecodedRegister]) -> bool:
    """Whether a move between registers may take no unit: those of 32 and 64 bits, and of bytes
    that are extended by zeros."""
    return registers[0].size >= PARTIAL and (
        mnemonic == "mov" or (mnemonic == "movzx" and registers[1].size == 1)
    )


def _mnemonic(insn: MachineInstruction) -> str:
    return str(insn.mnemonic).removeprefix("notrack ").removeprefix("bnd ")


def _classified(mnemonic: str, insn: MachineInstruction, vector: bool) -> tuple[str, str]:
    if vector:
        for pattern, kind in (
            (VECTOR_MULTIPLIES, kinds.MULTIPLICATION),
            (VECTOR_ADDS, kinds.ADDITION),
            (VECTOR_MOVES, kinds.MOVE),
        ):
            if pattern.match(mnemonic):
                return kind, "vector"
        return kinds.OTHER, "vector"
    last = mnemonic.split()[-1]
    if last in TABLE:
        return TABLE[last]
    if last == "imul":
        return kinds.MULTIPLICATION, "mul" if len(insn.operands) == 1 else "imul"
    if last.startswith("cmov"):
        return kinds.SELECTION, "cmov"
    if last.startswith("set"):
        return kinds.SELECTION, "setcc"
    if x86.X86_GRP_JUMP in insn.raw.groups:
        return kinds.CONTROL, "branch"
    return kinds.OTHER, "other"


def _registers(
    insn: MachineInstruction, mnemonic: str, names: list[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """What is read, addresses left out, and what is written."""
    raw = insn.raw
    read_ids, written_ids = raw.regs_access()
    address = {i for o in raw.operands if o.type == x86.X86_OP_MEM for i in _address(o)}
    registers = [o for o in raw.operands if o.type == x86.X86_OP_REG]
    direct = {o.reg for o in registers}
    reads = {x86_64_name(raw, r) for r in read_ids if r not in address or r in direct}
    writes = {x86_64_name(raw, r) for r in written_ids}
    keeps = mnemonic.startswith("cmov") or mnemonic == "adox"
    for operand, name in zip(registers, names, strict=True):
        if operand.access & CS_AC_WRITE and (keeps or operand.size < PARTIAL):
            reads.add(name)
        if operand.access & CS_AC_READ and mnemonic != "lea":
            reads.add(name)
        keeps = False
    if mnemonic in ("push", "pop", "call", "ret"):
        reads.discard("rsp")
    flags_read, flags_written = _flags(insn, mnemonic, any(n.startswith("zmm") for n in names))
    nothing = {"", "rflags", "rip"}
    if mnemonic == "lea":
        reads |= {x86_64_name(raw, r) for r in address}
    if mnemonic.startswith("nop") or mnemonic == "endbr64":
        return frozenset(), frozenset()
    return frozenset(reads - nothing | flags_read), frozenset(writes - nothing | flags_written)


def _address(operand: x86.X86Op) -> list[int]:
    return [operand.mem.base, operand.mem.index]


def _flags(insn: MachineInstruction, mnemonic: str, vector: bool) -> tuple[set[str], set[str]]:
    """The flags that are read and written; capstone has no adox, and no flags of vectors."""
    if mnemonic in ("adox", "adcx"):
        flag = "of" if mnemonic == "adox" else "cf"
        return {flag}, {flag}
    if vector:
        return set(), set()
    return _named_flags(insn.raw.eflags, ("TEST",)), _named_flags(insn.raw.eflags, CHANGES)


@cache
def _named_flags(eflags: int, roles: tuple[str, ...]) -> set[str]:
    return {
        flag.lower()
        for flag in FLAGS
        for role in roles
        if eflags & getattr(x86, f"X86_EFLAGS_{role}_{flag}", 0)
    }


def _accesses(insn: MachineInstruction, mnemonic: str, names: list[str]) -> tuple[Access, ...]:
    found: list[Access] = []
    if not NO_ACCESS.match(mnemonic):
        for operand, raw in zip(insn.operands, insn.raw.operands, strict=True):
            if isinstance(operand, DecodedMemory):
                found += _explicit(insn, mnemonic, operand, raw.access, names)
    if mnemonic in ("push", "pushfq", "call"):
        found.append(Access(True, 64, "rsp", offset=-8, register="".join(names[:1]), pushed=True))
    elif mnemonic in ("pop", "popfq", "leave") or mnemonic.split()[-1] == "ret":
        base = "rbp" if mnemonic == "leave" else "rsp"
        found.append(Access(False, 64, base, register="".join(names[:1]), pushed=True))
    return tuple(found)


def _explicit(
    insn: MachineInstruction, mnemonic: str, place: DecodedMemory, access: int, names: list[str]
) -> list[Access]:
    base, offset = place.base, place.displacement
    if base == "rip":
        offset, base = offset + insn.address + insn.size, ""
    width, register = 8 * place.size, names[0] if len(names) == 1 else ""
    stored = _is_stored(insn, mnemonic)
    sides = [False] * bool(access & CS_AC_READ and stored is not True) + [True] * (
        stored is not False and bool(access & CS_AC_WRITE or stored)
    )
    return [
        Access(side, width, base, place.index, place.scale, offset, register)
        for side in sides or [False]
    ]


def _is_stored(insn: MachineInstruction, mnemonic: str) -> bool | None:
    """Whether memory is only written (True), only read (False), or as capstone says (None)."""
    first = isinstance(insn.operands[0], DecodedMemory)
    if mnemonic.startswith(("mov", "vmov", "set")) and "movs" not in mnemonic.split()[0]:
        return first
    if mnemonic in ("cmp", "test", "call", "jmp", "push") or not first:
        return False
    return None


def _high(mnemonic: str, names: list[str]) -> str:
    if mnemonic == "mulx":
        return names[0]
    return "rdx" if mnemonic in ("mul", "imul") and len(names) < 2 else ""


def _copies(
    insn: MachineInstruction, mnemonic: str, names: list[str]
) -> tuple[str, str, int] | None:
    """The register that becomes another one plus a constant: what addresses are followed by."""
    operands = insn.operands
    if mnemonic in ("push", "call", "pushfq"):
        return "rsp", "rsp", -8
    if (mnemonic == "pop" and names != ["rsp"]) or mnemonic.split()[-1] == "ret":
        return "rsp", "rsp", 8
    if len(operands) != 2 or not isinstance(operands[0], DecodedRegister) or insn.size_of(0) != 8:
        return None
    source = operands[1]
    if mnemonic == "mov" and isinstance(source, DecodedRegister):
        return names[0], names[1], 0
    if mnemonic in ("add", "sub") and isinstance(source, int):
        return names[0], names[0], source if mnemonic == "add" else -source
    if mnemonic == "lea" and isinstance(source, DecodedMemory) and not source.index:
        base = source.base
        return None if base in ("", "rip") else (names[0], base, source.displacement)
    return None


def _target(insn: MachineInstruction, timing: str) -> int | None:
    first = insn.operands[0] if insn.operands else None
    jumps = timing in ("call", "jump", "branch")
    return first if jumps and isinstance(first, int) else None
