"""What the instructions of RISC-V do, as far as constant time goes."""

from __future__ import annotations

import re

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import MachineInstruction
from fieldc.proof.constant_time.effects import (
    DecodedOperands,
    Effect,
    Flow,
    MemoryOperand,
    Transfer,
    effect,
    jump,
    names,
    operands_of,
    places_of,
    unknown,
)
from fieldc.proof.constant_time.instruction_set import (
    CallConvention,
    ScannedInstructionSet,
    numbered,
)

_PLAIN = names(
    "lui auipc add addi addw addiw sub subw and andi or ori xor xori sll slli sllw slliw srl srli",
    "srlw srliw sra srai sraw sraiw slt slti sltu sltiu seqz snez sltz sgtz neg negw not mv li",
    "mul mulw mulhu mulh mulhsu sext.w addi16sp addi4spn czero.eqz czero.nez",
)
_LOADS = {"ld": 8, "lw": 4, "lwu": 4, "lh": 2, "lhu": 2, "lb": 1, "lbu": 1, "ldsp": 8}
_LOADS |= {"lwsp": 4}
_STORES = {"sd": 8, "sw": 4, "sh": 2, "sb": 1, "sdsp": 8, "swsp": 4}
_FLOW = {"j": Flow.JUMP, "jr": Flow.JUMP, "jal": Flow.CALL, "jalr": Flow.CALL}


def _effect(instruction: MachineInstruction) -> Effect:
    operands = operands_of(instruction)
    name = instruction.mnemonic.removeprefix("c.")
    if name in _LOADS or name in _STORES:
        return effect(instruction, [_memory(name, operands)])
    if name in _FLOW or name == "ret" or re.fullmatch(r"b(eq|ne|lt|ge|gt|le)u?z?", name):
        return _flow(instruction, name, operands)
    if name in ("nop", "ebreak", "unimp"):
        return effect(instruction, [], flow=Flow.NEXT if name == "nop" else Flow.STOP)
    if name not in _PLAIN:
        return unknown(instruction, operands)
    places, number = places_of(operands), operands[-1]
    # Of two operands of a compressed instruction the first is read as well.
    changes = (
        name != instruction.mnemonic and len(operands) == 2 and name not in ("mv", "li", "lui")
    )
    rest = places if changes else places[1:]
    added = (
        number if isinstance(number, int) and name.startswith("addi") and name != "addiw" else None
    )
    return effect(instruction, [Transfer(places[:1], rest, 0 if name == "mv" else added)])


def _memory(name: str, operands: DecodedOperands) -> Transfer:
    """A load or a store."""
    size, given = _LOADS.get(name) or _STORES[name], operands[1]
    memory = MemoryOperand(given.bases, given.displacement, size)
    exact = 0 if size == 8 else None
    if name in _LOADS:
        return Transfer((operands[0],), (memory,), exact)
    return Transfer((memory,), (operands[0],), exact)


def _flow(instruction: MachineInstruction, name: str, operands: DecodedOperands) -> Effect:
    if name == "ret" or (name == "jr" and operands == ["ra"]):
        return jump(instruction, Flow.RETURN, [])
    flow = _FLOW.get(name, Flow.BRANCH)
    if name == "jal" and operands[0] == "zero":
        flow = Flow.JUMP
    if name == "jalr" and len(operands) > 1:  # a number there is added to the register
        return jump(instruction, flow, operands[1:2])
    asked = [o for o in operands if o not in ("ra", "zero")] if name == "jal" else operands
    return jump(instruction, flow, asked)


def _relocated(effect: Effect, before: Effect | None) -> tuple[int, ...]:
    """In a jump itself, or in the auipc before it."""
    if effect.target is None and before and before.text.startswith("auipc"):
        return effect.address, before.address
    return (effect.address,)


RISCV64 = ScannedInstructionSet(
    Architecture.RISCV64,
    _effect,
    CallConvention(numbered("a", 8), frozenset({*numbered("s", 12), "sp"}), "sp", ("zero", "gp")),
    relocated=_relocated,
)
