"""What this processor's instructions take, measured: the numbers of a row of processors.toml.

python -m fieldc.targets.x86_64.timing.probe

Each line is a loop of one pattern. A chain gives a latency in cycles; independent instructions give
how many start in a cycle. The best of many short runs counts, between two calibrations that agree:
a busy machine reads too slow, never too fast.
"""

from __future__ import annotations

import ctypes
import sys

from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.program import module
from fieldc.targets.x86_64.timing.clock import TickClock, turns

_FREE = ("rax", "rcx", "rdx", "r8", "r9", "r10")
"""Registers that a pattern may write; r11 it may read, and the memory below rsp."""
_TURNS, _RUNS, _LONG = 200, 300, 96
AGREE = 1.02
"""Between the calibrations before and after a run."""


def _each(text: str) -> str:
    return "".join(text.format(register) for register in _FREE)


CHAINS = {
    "add": "add %r11, %rcx\n",
    "add immediate": "add $1, %rcx\n",
    "adc": "adc %r11, %rcx\n",
    "adcx": "adcx %r11, %rcx\n",
    "cmov": "cmovc %r11, %rcx\n",
    "imul": "imul %rcx, %rcx\n",
    "shld": "shld $1, %r11, %rcx\n",
    "shld, second operand": "shld $63, %rcx, %r8\nmov %r8, %rcx\n",
    "mulx, low half": "mulx %rdx, %rdx, %r8\n",
    "mulx, high half": "mulx %rdx, %r8, %rdx\n",
    "mul, low half": "mul %rax\n",
    "store and load": "mov %rcx, -64(%rsp)\nmov -64(%rsp), %rcx\n",
}
"""By name, a pattern whose result is its next operand."""
INDEPENDENT = {
    "nop (slots)": ("nop\n" * 8, 8),
    "mov (slots)": (_each("mov %r11, %{}\n") + "mov %r11, %rax\nmov %r11, %rcx\n", 8),
    "lea (ALUs)": (_each("lea 8(%r11), %{}\n"), 6),
    "test (flags)": ("test %r11, %r11\n" * 6, 6),
    "add, 6 chains": (_each("add %r11, %{}\n"), 6),
    "adc after xor": ("".join(f"xor %eax, %eax\nadc %r11, %{r}\n" for r in _FREE[1:]), 5),
    "adcx and adox, 2 chains": ("adcx %r11, %rcx\nadox %r11, %r8\n", 2),
    "cmov, 6 chains": (_each("cmovc %r11, %{}\n"), 6),
    "shift": (_each("shl $3, %{}\n"), 6),
    "shld": (_each("shld $1, %r11, %{}\n"), 6),
    "imul": (_each("imul $7, %r11, %{}\n"), 6),
    "mulx": ("mulx %r11, %rax, %rcx\nmulx %r11, %r8, %r9\n", 2),
    "mul": ("mov %r11, %rax\nmul %r11\n", 1),
    "mulx, adcx, adox": ("mulx -64(%rsp), %rax, %rcx\nadcx %rax, %r8\nadox %rcx, %r9\n", 1),
    "load": (_each("mov -64(%rsp), %{}\n"), 6),
    "store": ("".join(f"mov %r11, -{8 * i}(%rsp)\n" for i in range(1, 9)), 8),
}
"""By name, a pattern and how many of the named instructions it has."""


def cycles(clock: TickClock, pattern: str) -> float:
    """Core cycles of one pattern, repeated in a loop."""
    repeats = max(1, _LONG // pattern.count("\n"))
    library = load(assemble(turns("fieldc_probe", pattern * repeats)))
    signature = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
    loop = signature(library.address("fieldc_probe"))
    found = []
    for _ in range(_RUNS):
        before = clock.calibrate(_TURNS)
        ticks = int(loop(_TURNS)) - clock.reading
        after = clock.calibrate(_TURNS)
        if max(before, after) < AGREE * min(before, after):
            found.append(ticks / min(before, after) / _TURNS / repeats)
    return sorted(found)[len(found) // 50] if found else float("nan")


def main() -> None:
    """Print the table."""
    clock = TickClock()
    for name, pattern in CHAINS.items():
        print(f"{name:24} {cycles(clock, pattern):6.2f} cycles of latency")
    for name, (pattern, number) in INDEPENDENT.items():
        print(f"{name:24} {number / cycles(clock, pattern):6.2f} a cycle")


if __name__ == "__main__":
    sys.exit(module("fieldc.targets.x86_64.timing.probe", main, __doc__))
