"""What the instructions of MIPS, of 64 and of 32 bits, do as far as constant time goes.

No manual promises that they take the same time for all values; listed are those that do on cores
with a pipelined multiplier. Divisions and conditional traps are not.
"""

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
    "add addi addu addiu dadd daddi daddu daddiu subu sub dsubu and andi or ori xor xori nor not",
    "neg negu dnegu sll srl sra sllv srlv srav dsll dsrl dsra dsll32 dsrl32 dsra32 dsllv dsrlv",
    "dsrav rotr rotrv drotr drotr32 drotrv slt slti sltu sltiu lui move li ext dext dextm dextu",
    "seb seh wsbh dsbh dshd clz clo dclz dclo mul",
)
_CHANGES = names("ins dins dinsm dinsu movn movz")
_PRODUCTS = names("mult multu dmult dmultu")
_SUMS = names("madd maddu msub msubu")
_LOADS = {"ld": 8, "lw": 4, "lwu": 4, "lh": 2, "lhu": 2, "lb": 1, "lbu": 1}
_STORES = {"sd": 8, "sw": 4, "sh": 2, "sb": 1}
_PARTS = {"ldl": 8, "ldr": 8, "lwl": 4, "lwr": 4, "sdl": 8, "sdr": 8, "swl": 4, "swr": 4}
"""Each loads or stores the part of an unaligned word that lies in one aligned word."""
_FLOW = {"b": Flow.JUMP, "j": Flow.JUMP, "jr": Flow.JUMP, "jal": Flow.CALL, "jalr": Flow.CALL}
_FLOW |= {"bal": Flow.CALL}
_BRANCH = re.compile(r"b(eq|ne|lt|gt|le|ge|c1[tf])\w*")


def mips64(instruction: MachineInstruction) -> Effect:
    return _mips(instruction, 8)


def mips32(instruction: MachineInstruction) -> Effect:
    return _mips(instruction, 4)


def _mips(instruction: MachineInstruction, word: int) -> Effect:
    operands, name = operands_of(instruction), instruction.mnemonic
    if name in _LOADS or name in _STORES:
        return effect(instruction, [_memory(name, operands, word)])
    if name in _PARTS:
        return effect(instruction, [_part(name, operands)])
    if name in _FLOW or _BRANCH.fullmatch(name):
        return _flow(instruction, name, operands)
    if name in ("nop", "ssnop"):
        return effect(instruction, [])
    if name == "break":
        return effect(instruction, [], flow=Flow.STOP)
    transfers = _transfers(name, operands)
    return unknown(instruction, operands) if transfers is None else effect(instruction, transfers)


def _memory(name: str, operands: DecodedOperands, word: int) -> Transfer:
    register, given = operands[0], operands[1]
    size = _LOADS.get(name) or _STORES[name]
    memory = MemoryOperand(given.bases, given.displacement, size)
    exact = 0 if size == word else None
    if name in _LOADS:
        return Transfer((register,), (memory,), exact)
    return Transfer((memory,), (register,), exact)


def _part(name: str, operands: DecodedOperands) -> Transfer:
    """The part lies before the address or after it. Whatever is not in it stays."""
    register, given, most = operands[0], operands[1], _PARTS[name] - 1
    memory = MemoryOperand(given.bases, given.displacement - most, 2 * most + 1)
    if name.startswith("l"):
        return Transfer((register,), (register, memory))
    return Transfer((memory,), (register, memory))


def _flow(instruction: MachineInstruction, name: str, operands: DecodedOperands) -> Effect:
    if name == "jr" and operands == ["ra"]:
        return jump(instruction, Flow.RETURN, [])
    flow = _FLOW.get(name, Flow.BRANCH)
    asked = [o for o in operands if o != "ra"] if name == "jalr" else operands
    return jump(instruction, flow, asked)


def _transfers(name: str, operands: DecodedOperands) -> list[Transfer] | None:
    places = places_of(operands)
    if name in ("mfhi", "mflo"):
        return [Transfer(places, (name[2:],), 0)]
    if name in ("mthi", "mtlo"):
        return [Transfer((name[2:],), places, 0)]
    if name in _PRODUCTS:
        return [Transfer(("hi", "lo"), places)]
    if name in _SUMS:
        return [Transfer(("hi", "lo"), (*places, "hi", "lo"))]
    if name in _CHANGES:
        return [Transfer(places[:1], places)]
    if name in _PLAIN:
        number = operands[-1]
        adds = isinstance(number, int) and name in ("addiu", "daddiu")
        return [Transfer(places[:1], places[1:], number if adds else 0 if name == "move" else None)]
    return None


_KEPT = frozenset({*numbered("s", 8), "sp", "fp"})
# The n64 arguments 5 to 8 are $8 to $11, which capstone calls t0 to t3.
_N64 = CallConvention(
    (*numbered("a", 4), *numbered("t", 4)), _KEPT | {"gp"}, "sp", ("zero", "gp"), ("t9",)
)
_O32 = CallConvention(numbered("a", 4), _KEPT, "sp", ("zero", "gp"), ("t9",))

MIPS64 = ScannedInstructionSet(Architecture.MIPS64, mips64, _N64, delayed=True)
MIPS64EL = ScannedInstructionSet(Architecture.MIPS64EL, mips64, _N64, delayed=True)
MIPSEL = ScannedInstructionSet(Architecture.MIPSEL, mips32, _O32, word=4, delayed=True)
