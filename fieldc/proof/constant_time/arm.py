"""What the instructions of 32-bit ARM do as far as constant time goes.

Arm promises nothing for these; listed are those whose time the manuals of Cortex-A cores give
without a condition on values. An instruction with a condition does as much when it is not met.
"""

from __future__ import annotations

from capstone import arm as _arm

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import MachineInstruction
from fieldc.proof.constant_time.effects import (
    Effect,
    Flow,
    Location,
    MemoryOperand,
    Transfer,
    added_by,
    effect,
    names,
    operands_of,
)
from fieldc.proof.constant_time.instruction_set import (
    CallConvention,
    ScannedInstructionSet,
    numbered,
)

_PLAIN = names(
    "adc add and bic eor mov movt movw mvn orr orn rsb rsc sbc sub teq tst cmp cmn lsl lsr asr ror",
    "rrx clz rev rev16 rbit bfc bfi ubfx sbfx uxtb uxth sxtb sxth uxtab uxtah mul mla mls umull",
    "umlal umaal smull smlal mrs msr adr",
)
_PRODUCTS = names("mul mla mls umull umlal umaal smull smlal")
_LOADS = {"ldr": 4, "ldrb": 1, "ldrh": 2, "ldrsb": 1, "ldrsh": 2, "ldrd": 4}
_STORES = {"str": 4, "strb": 1, "strh": 2, "strd": 4}
_MANY = names("ldm ldmib ldmda ldmdb stm stmib stmda stmdb push pop")
_SUFFIXES = (*("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"),)


def _effect(instruction: MachineInstruction) -> Effect:
    name = _plain_name(instruction)
    conditional = instruction.raw.cc not in (_arm.ARM_CC_AL, _arm.ARM_CC_INVALID)
    asked: tuple[str, ...] = ("flags",) if conditional else ()
    flow = _flow(instruction, name, asked)
    if flow is not None:
        return flow
    if name == "nop":
        return effect(instruction, [])
    if name in _LOADS or name in _STORES:
        return effect(instruction, _memory(instruction, name, asked), asks=asked)
    if name in _MANY:
        return _many(instruction, name, asked)
    reads, writes = _accessed(instruction)
    known = name in _PLAIN and not (conditional and name in _PRODUCTS)
    if not known:
        return effect(instruction, [Transfer((*reads, *writes), (*reads, *writes))], known=False)
    return effect(
        instruction, [Transfer(writes, (*reads, *asked), _added(instruction, name, asked))]
    )


def _plain_name(instruction: MachineInstruction) -> str:
    """The mnemonic without what says that it sets flags or has a condition."""
    name = str(instruction.mnemonic)
    if instruction.raw.cc not in (_arm.ARM_CC_AL, _arm.ARM_CC_INVALID) and name.endswith(_SUFFIXES):
        name = name[:-2]
    return name[:-1] if instruction.raw.update_flags and name.endswith("s") else name


def _accessed(instruction: MachineInstruction) -> tuple[tuple[Location, ...], tuple[Location, ...]]:
    """Registers read and written; the status register is called flags."""
    reads, writes = (
        [instruction.raw.reg_name(register) for register in found]
        for found in instruction.raw.regs_access()
    )
    for operand in instruction.raw.operands:
        if operand.type == _arm.ARM_OP_SYSREG:
            (reads if instruction.mnemonic.startswith("mrs") else writes).append("flags")
    found = [
        tuple("flags" if n.startswith(("cpsr", "apsr")) else n for n in s) for s in (reads, writes)
    ]
    return found[0], found[1]


def _added(instruction: MachineInstruction, name: str, asked: tuple[str, ...]) -> int | None:
    """What an addition of a number adds; 0 for a plain move."""
    if asked or instruction.raw.update_flags:
        return None
    operands = operands_of(instruction)
    if isinstance(operands[-1], int):
        return added_by(name, operands)
    shifted = instruction.raw.operands[-1].shift.type != _arm.ARM_SFT_INVALID
    return 0 if name == "mov" and isinstance(operands[-1], str) and not shifted else None


def _place(instruction: MachineInstruction, size: int) -> tuple[MemoryOperand, int | None]:
    """The memory that an instruction names, and what it adds to the base after or before."""
    operands = operands_of(instruction)
    given = next(o for o in operands if isinstance(o, MemoryOperand))
    after = operands[-1] if isinstance(operands[-1], int) else given.displacement
    added = after if instruction.raw.writeback else None
    return MemoryOperand(given.bases, given.displacement, size), added


def _memory(instruction: MachineInstruction, name: str, asked: tuple[str, ...]) -> list[Transfer]:
    size = _LOADS.get(name) or _STORES[name]
    memory, added = _place(instruction, size)
    registers = [o for o in operands_of(instruction) if isinstance(o, str)]
    exact = 0 if size == 4 and not asked else None
    transfers = []
    for i, register in enumerate(registers[: 2 if name.endswith("d") else 1]):
        place = MemoryOperand(memory.bases, memory.displacement + 4 * i, size)
        if name in _LOADS:
            kept = (register,) if asked else ()
            transfers.append(Transfer((register,), (place, *kept, *asked), exact))
        else:
            transfers.append(Transfer((place,), (register, *asked), exact))
    if added is not None:
        transfers.append(Transfer(memory.bases[:1], memory.bases[:1], added))
    return transfers


def _many(instruction: MachineInstruction, name: str, asked: tuple[str, ...]) -> Effect:
    """Loads and stores of several registers, at words that follow each other."""
    registers = operands_of(instruction)
    base = "sp" if name in ("push", "pop") else registers.pop(0)
    size = 4 * len(registers)
    down = name == "push" or name.endswith(("da", "db"))
    first = {"ib": 4, "db": -size, "da": 4 - size}.get(name[3:], -size if down else 0)
    loads, transfers = name.startswith(("ldm", "pop")), []
    for i, register in enumerate(registers):
        place = MemoryOperand((base,), first + 4 * i, 4)
        to, source = (register, place) if loads else (place, register)
        transfers.append(Transfer((to,), (source, *asked), None if asked else 0))
    if instruction.raw.writeback or name in ("push", "pop"):
        transfers.append(Transfer((base,), (base,), -size if down else size))
    if loads and "pc" in registers:
        flow = Flow.BRANCH if asked else Flow.RETURN
        return effect(instruction, transfers, flow=flow, asks=asked, returns=True)
    return effect(instruction, transfers, asks=asked)


def _flow(instruction: MachineInstruction, name: str, asked: tuple[str, ...]) -> Effect | None:
    if name in ("udf", "bkpt", "trap"):
        return effect(instruction, [], flow=Flow.STOP)
    if name not in ("b", "bl", "bx", "blx"):
        return None
    (to,) = operands_of(instruction)
    if isinstance(to, str):
        returns = name == "bx" and to == "lr"
        flow = Flow.RETURN if returns else Flow.CALL if name == "blx" else Flow.JUMP
        asks = asked if returns else (*asked, to)
        flow = Flow.BRANCH if asked else flow
        return effect(instruction, [], flow=flow, asks=asks, returns=returns)
    flow = Flow.BRANCH if asked else Flow.CALL if name in ("bl", "blx") else Flow.JUMP
    return effect(instruction, [], flow=flow, target=to, asks=asked)


ARM = ScannedInstructionSet(
    Architecture.ARM,
    _effect,
    CallConvention(
        numbered("r", 4), frozenset({*numbered("r", 4, 9), "sb", "sl", "fp", "sp"}), "sp", ("pc",)
    ),
    word=4,
)
