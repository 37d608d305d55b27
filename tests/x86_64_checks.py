"""What holds for the instructions of every x86-64 kernel, by roles written a second time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fieldc.targets.x86_64.choices import FEATURES
from fieldc.targets.x86_64.instructions import INSTRUCTIONS, Physical
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Register

READ_WRITE = {"imul", "add", "adc", "adcx", "adox", "sub", "sbb", "and", "shld", "shl", "shr"}
READ_WRITE |= {"cmovc", "cmovnc"}
WRITES = {"mov": 1, "lea": 1, "lea_double": 1, "lea_sum": 1, "mulx": 2}
WRITES |= {"pop": 1, "xor": 1, "sbb_mask": 1}
NEEDS_CF = {"adc", "adcx", "sbb", "sbb_mask", "cmovc", "cmovnc"}
NEEDS_OF = {"adox"}
DEFINES_BOTH = {"add", "adc", "sub", "sbb", "and", "xor", "imul", "mul", "test"}
UNDEFINES_OF = {"shld", "shl", "shr"}
FEATURE_OF = {"mulx": "bmi2", "adcx": "adx", "adox": "adx"}
STORES = ("store",)


def registers_in(operand: Register | Memory | Immediate) -> list[str]:
    """The registers that an operand reads, whether its value or its address."""
    if isinstance(operand, Register):
        return [operand.name]
    if isinstance(operand, Memory) and operand.base != CONSTANTS:
        return [str(operand.base)]
    return []


def reads_and_writes(code: Physical) -> tuple[set[str], set[str]]:
    """Registers that an instruction reads and writes, implicit ones included."""
    m, operands = code.mnemonic, code.operands
    writes = WRITES.get(m, 1 if m in READ_WRITE else 0)
    written = {o.name for o in operands[:writes] if isinstance(o, Register)}
    first = 0 if m in READ_WRITE else writes
    read = {r for o in operands[first:] for r in registers_in(o)}
    read |= {r for o in operands[:writes] if isinstance(o, Memory) for r in registers_in(o)}
    if m == "mulx":
        read.add("rdx")
    if m == "mul":
        read.add("rax")
        written |= {"rax", "rdx"}
    return read - {"rsp"}, written - {"rsp"}


def live_on_entry(code: Sequence[Physical]) -> set[str]:
    """Registers whose value on entry is read, except to be saved."""
    written: set[str] = set()
    live: set[str] = set()
    for instruction in code:
        read, writes = reads_and_writes(instruction)
        if instruction.mnemonic != "push":
            live |= read - written
        written |= writes
    return live


def check_code(code: X86Kernel, variant: str) -> None:
    """What holds for every kernel, whatever it computes."""
    check_known(code, variant)
    check_entry(code)
    check_frame(code)
    check_stores_last(code)


def check_known(code: X86Kernel, variant: str) -> None:
    """Only instructions of the table and of the variant's features."""
    for instruction in code.code:
        m = instruction.mnemonic
        assert m in INSTRUCTIONS or m == "test", m  # `test` has no row: reported
        assert m not in FEATURE_OF or FEATURE_OF[m] in FEATURES[variant], (variant, m)
        assert m not in INSTRUCTIONS or INSTRUCTIONS[m].feature == FEATURE_OF.get(m, "")
    assert code.features == FEATURES[variant]


def check_entry(code: X86Kernel) -> None:
    """No register or flag is read before it is written, but the pointers."""
    pointers = set(code.convention.arguments[:3])
    assert live_on_entry(code.code) <= pointers
    defined: set[str] = set()
    for instruction in code.code:
        m = instruction.mnemonic
        assert m not in NEEDS_CF or "cf" in defined, instruction
        assert m not in NEEDS_OF or "of" in defined, instruction
        if m in DEFINES_BOTH:
            defined |= {"cf", "of"}
        if m in UNDEFINES_OF:
            defined -= {"of"}


def check_frame(code: X86Kernel) -> None:
    """What is pushed is popped in reverse, what is kept is pushed, the stack pointer comes back."""
    pushed = [i.operands[0] for i in code.code if i.mnemonic == "push"]
    popped = [i.operands[0] for i in code.code if i.mnemonic == "pop"]
    assert popped == pushed[::-1] and len(set(pushed)) == len(pushed)
    body = [i for i in code.code if i.mnemonic not in ("push", "pop")]
    written = set().union(*(reads_and_writes(i)[1] for i in body))
    assert {Register(r) for r in written & set(code.convention.preserved)} == set(pushed)
    stack = [i for i in code.code if Register("rsp") in i.operands and i.mnemonic != "test"]
    moves = [(i.mnemonic, i.operands[1]) for i in stack]
    frame = Immediate(code.frame)
    assert moves == ([("sub", frame), ("add", frame)] if code.frame else [])
    slots = {o.offset for i in body for o in i.operands if isinstance(o, Memory) and on_stack(o)}
    assert all(0 <= offset <= code.frame - 8 and offset % 8 == 0 for offset in slots)
    assert code.code[-1].mnemonic == "ret"


def on_stack(operand: Memory) -> bool:
    """Whether a memory operand is a spill slot."""
    return operand.base == "rsp"


OPERAND_WORD = re.compile(r"[xy]\[\d+\]")


def check_stores_last(code: X86Kernel) -> None:
    """After the first store to z no limb of x or y is read from memory; each limb is stored."""
    stored: set[str] = set()
    for instruction in code.code:
        memory = [o for o in instruction.operands if isinstance(o, Memory)]
        if instruction.mnemonic in STORES:
            stored |= {o.name for o in memory}
            continue
        for operand in memory:
            assert not stored or on_stack(operand) or not OPERAND_WORD.fullmatch(operand.name)
    assert stored == {f"z[{i}]" for i in range(len(stored))} and stored
