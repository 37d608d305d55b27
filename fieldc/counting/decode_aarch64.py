"""AArch64: what an instruction counts as, and what it reads and writes.

Capstone 5 is often wrong about which AArch64 operands are read or written. The names of the
instructions are a better guide.
"""

from __future__ import annotations

import re

from fieldc.binary.decode import MachineInstruction
from fieldc.binary.operands import DecodedMemory, DecodedRegister
from fieldc.counting import instructions as kinds
from fieldc.counting.decode_vectors import vector_row
from fieldc.counting.instructions import Access, DecodedInstruction

NAMES = {
    kinds.ADDITION: {"add": "add", "adds": "adds", "adc": "adc adcs"},
    kinds.SUBTRACTION: {"add": "sub neg", "adds": "subs negs", "adc": "sbc ngc sbcs ngcs"},
    kinds.MULTIPLICATION: {
        "mul": "mul madd msub mneg",
        "umulh": "umulh smulh",
        "mull": "umull smull umaddl smaddl umsubl smsubl umnegl smnegl",
    },
    kinds.COMPARISON: {"adds": "cmp cmn tst ccmp ccmn"},
    kinds.LOGIC: {"add": "and orr eor bic orn eon mvn", "adds": "ands bics"},
    kinds.SHIFT: {
        "shift": "lsl lsr asr ror ubfx sbfx ubfm sbfm ubfiz sbfiz uxtb uxth sxtb sxth sxtw uxtw",
        "extr": "extr bfi bfxil bfm",
    },
    kinds.SELECTION: {"csel": "csel csinc csinv csneg cset csetm cinc cinv cneg"},
    kinds.MOVE: {"immediate": "movz movn movk"},
    kinds.ADDRESS: {"immediate": "adr adrp"},
    kinds.CONTROL: {"call": "bl blr", "ret": "ret", "jump": "b br", "branch": "cbz cbnz tbz tbnz"},
    kinds.OTHER: {"trap": "brk udf hlt"},
    kinds.NOTHING: {"nop": "nop bti hint paciasp autiasp"},
}
TABLE = {
    name: (kind, timing)
    for kind, rows in NAMES.items()
    for timing, names in rows.items()
    for name in names.split()
}
ALL_READ = re.compile(r"(cmp|cmn|tst|ccmp|ccmn|fcmp|cbn?z|tbn?z|br|blr|ret|st)")
KEEPS = re.compile(r"(movk|bfi|bfm|bfxil|ins|[us]?ml[as]|fml[as]|[us]r?sra|s[lr]i|bs[lt]|bi[tf])")
READS_FLAGS = re.compile(r"(adcs?|sbcs?|ngcs?|cs(el|inc|inv|neg|et|etm)|cin[cv]|cneg|ccm[pn]|b\.)")
SHIFTING = ("add", "adds", "sub", "subs", "cmp", "cmn", "neg", "negs")
"""Those that may shift their last operand; logic shifts for nothing."""
ZERO = "xzr"
LINK = "x30"


def understand_aarch64(insn: MachineInstruction) -> DecodedInstruction:
    """One instruction of AArch64."""
    mnemonic = str(insn.mnemonic)
    memory = next((o for o in insn.operands if isinstance(o, DecodedMemory)), None)
    named = [_name(o.name) for o in insn.operands if isinstance(o, DecodedRegister)]
    kind, timing = _classified(mnemonic, insn, named)
    reads, writes = _registers(insn, mnemonic, named)
    accesses: tuple[Access, ...] = ()
    copies = _copies(insn, mnemonic, named)
    if memory is not None and mnemonic.startswith(("ld", "st")):
        accesses = _accesses(insn, mnemonic, memory, named)
        if insn.raw.writeback:
            base, last = memory.base, insn.operands[-1]  # an address after the access is a number
            step = last if isinstance(last, int) else memory.displacement
            writes, copies = writes | {base}, (base, base, step)
    return DecodedInstruction(
        *(insn.address, insn.size, mnemonic, insn.op_str, kind, timing),
        *(reads, writes, accesses, "", copies, _target(insn, timing)),
    )


def _name(register: str) -> str:
    """Nothing for the register that is always zero."""
    return "" if register == ZERO else register


def _classified(mnemonic: str, insn: MachineInstruction, named: list[str]) -> tuple[str, str]:
    if mnemonic.startswith(("ld", "st")):
        return kinds.MOVE, "load" if mnemonic.startswith("ld") else "store"
    if any(name.startswith("v") for name in named):
        return vector_row(mnemonic, named)
    if mnemonic == "mov":
        immediate = any(isinstance(o, int) for o in insn.operands)
        return kinds.MOVE, "immediate" if immediate or "" in named[1:] else "copy"
    if mnemonic in ("mul", "madd", "msub", "mneg") and str(insn.op_str).startswith("w"):
        return kinds.MULTIPLICATION, "mull"
    if mnemonic.startswith("b."):
        return kinds.CONTROL, "branch"
    if mnemonic in SHIFTING and _is_slow_shift(insn):
        return TABLE[mnemonic][0], f"{TABLE[mnemonic][1]} shifted"
    return TABLE.get(mnemonic, (kinds.OTHER, "other"))


def _is_slow_shift(insn: MachineInstruction) -> bool:
    """Whether the last operand is shifted other than to the left by at most 4 bits."""
    shift = insn.raw.operands[-1].shift if insn.operands else None
    if shift is None or not shift.value or not isinstance(insn.operands[-1], DecodedRegister):
        return False
    return int(shift.value) > 4 or not str(insn.op_str).rpartition(", ")[2].startswith("lsl")


def _registers(
    insn: MachineInstruction, mnemonic: str, named: list[str]
) -> tuple[frozenset[str], frozenset[str]]:
    reads: set[str] = set()
    writes: set[str] = set()
    if mnemonic.startswith("ld"):
        writes |= set(named)
    elif ALL_READ.match(mnemonic) or mnemonic in ("b", "bl"):
        reads |= set(named)
    else:
        writes |= set(named[:1])
        reads |= set(named if KEEPS.match(mnemonic) else named[1:])
    if mnemonic == "ret":
        reads.add(LINK)
    if mnemonic in ("bl", "blr"):
        writes.add(LINK)
    if READS_FLAGS.match(mnemonic):
        reads.add("nzcv")
    if insn.raw.update_flags or mnemonic in ("cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp"):
        writes.add("nzcv")
    return frozenset(reads - {""}), frozenset(writes - {""})


def _width(insn: MachineInstruction, mnemonic: str) -> int:
    """The bits of one access: told by the name, or by the first register."""
    for ending, bits in (("sw", 32), ("b", 8), ("h", 16)):
        if re.match(rf"(ld|st)(x|ax|l|a|u|t|ur|tr|r|p|np|xr|lr|ar)*s?{ending}$", mnemonic):
            return bits
    registers = [o for o in insn.operands if isinstance(o, DecodedRegister)]
    status = mnemonic.startswith(("stxr", "stlxr", "stxp", "stlxp"))
    return 8 * (registers[1] if status and len(registers) > 1 else registers[0]).size


def _accesses(
    insn: MachineInstruction, mnemonic: str, memory: DecodedMemory, named: list[str]
) -> tuple[Access, ...]:
    width, store = _width(insn, mnemonic), mnemonic.startswith("st")
    base, index = memory.base, _name(memory.index)
    pair = mnemonic.startswith(("ldp", "stp", "ldnp", "stnp", "ldxp", "ldaxp"))
    many = len(named) if pair or mnemonic[2:3].isdigit() else 1
    return tuple(
        Access(store, width, base, index, memory.scale, memory.displacement + width // 8 * i, name)
        for i, name in enumerate(named[:many])
    )


def _copies(
    insn: MachineInstruction, mnemonic: str, named: list[str]
) -> tuple[str, str, int] | None:
    operands = insn.operands
    if mnemonic == "mov" and len(named) == 2 and "" not in named:
        return named[0], named[1], 0
    if mnemonic in ("add", "sub") and len(operands) == 3 and len(named) == 2 and "" not in named:
        number = operands[2] if isinstance(operands[2], int) else 0
        offset = number << insn.raw.operands[2].shift.value
        return named[0], named[1], offset if mnemonic == "add" else -offset
    return None


def _target(insn: MachineInstruction, timing: str) -> int | None:
    immediates = [o for o in insn.operands if isinstance(o, int)]
    return immediates[-1] if timing in ("call", "jump", "branch") and immediates else None
