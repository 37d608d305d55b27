"""Second opinions on independent calls: llvm-mca's and OSACA's, where they are installed.

llvm-mca is LLVM's (`llvm-mca`, or `llvm-mca-19` and such, the newest counts). For a core without a
model of its own LLVM takes another's; the names of its units tell. OSACA (`pip install osaca`)
gives the load of the busiest port, a lower bound, and leaves out what it does not know.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fieldc.counting.count import Count
from fieldc.files import temporary_folder
from fieldc.machine.processors import Processor
from fieldc.processes import environment

ITERATIONS = 50
NEWEST, OLDEST = 40, 11
"""Versions of llvm-mca that are looked for by name."""
TRIPLES = {"aarch64": "aarch64", "x86_64": "x86_64"}
LLVM_NAMES = {
    "cascade-lake": ("cascadelake", "SKX"),
    "sapphire-rapids": ("sapphirerapids", "SPR"),
    "neoverse-n1": ("neoverse-n1", "N1Unit"),
    "cortex-a76": ("cortex-a76", "N1Unit"),
    "neoverse-v1": ("neoverse-v1", "V1Unit"),
    "neoverse-v2": ("neoverse-v2", "V2Unit"),
    "cortex-a55": ("cortex-a55", "CortexA55Unit"),
    "apple-m1": ("apple-m1", ""),
}
"""LLVM's name of a processor, and how the units of its own model begin: of M1 there is none that
is not Cyclone's, of 2014."""
OSACA_NAMES = {
    "cascade-lake": "CSX",
    "sapphire-rapids": "SPR",
    "neoverse-n1": "N1",
    "neoverse-v2": "V2",
    "apple-m1": "M1",
}
AGREE = 0.15
"""How far an opinion may be from ours and still agree."""
UNKNOWN = 0.1
"""Of the instructions: an opinion that knows fewer of them does not count."""


@dataclass(frozen=True)
class Opinion:
    """What a tool says of a call on a processor: cycles, or why it says nothing."""

    tool: str
    processor: str
    cycles: float | None = None
    remark: str = ""
    counts: bool = True
    """Whether the tool has a model of this core, and knows its instructions."""

    def row(self) -> dict[str, object]:
        """The opinion for programs."""
        return {**asdict(self), "cycles": None if self.cycles is None else round(self.cycles, 2)}

    def verdict(self, ours: float) -> str:
        """Whether it agrees with our prediction."""
        if self.cycles is None:
            return f"SKIPPED: {self.remark}"
        if not self.counts:
            return f"does not count: {self.remark}"
        off = self.cycles / ours - 1
        said = (
            f"agrees, {100 * off:+.0f} %" if abs(off) <= AGREE else f"DISAGREES, {100 * off:+.0f} %"
        )
        return f"{said}; {self.remark}" if self.remark else said


def opinions(count: Count, processor: Processor) -> list[Opinion]:
    """Both tools' opinions of straight-line code."""
    return [llvm_mca(count, processor), osaca(count, processor)]


def llvm_mca(count: Count, processor: Processor) -> Opinion:
    """What llvm-mca says."""
    names = (*(f"llvm-mca-{n}" for n in range(NEWEST, OLDEST - 1, -1)), "llvm-mca")
    tool = next((name for name in names if shutil.which(name)), "")
    if not tool:
        return Opinion("llvm-mca", processor.key, remark="llvm-mca is not installed")
    if processor.key not in LLVM_NAMES:
        return Opinion(tool, processor.key, remark="no name of LLVM's is known for it")
    cpu, own = LLVM_NAMES[processor.key]
    options = (f"-mtriple={TRIPLES[processor.architecture]}", f"-mcpu={cpu}", "--json")
    command = (tool, *options, f"--iterations={ITERATIONS}")
    ran = subprocess.run(command, input=_text(count), capture_output=True, text=True, check=False)
    try:
        found = json.loads(ran.stdout)
        cycles = float(found["CodeRegions"][0]["SummaryView"]["TotalCycles"]) / ITERATIONS
        units = [str(name) for name in found["TargetInfo"]["Resources"]] or [""]
    except (ValueError, LookupError, TypeError):
        return Opinion(tool, processor.key, remark=_reason(ran.stderr))
    if "not a recognized processor" in ran.stderr:
        return Opinion(tool, processor.key, remark=f"its LLVM does not know {cpu}")
    if own and units[0].startswith(own):
        return Opinion(tool, processor.key, cycles)
    return Opinion(
        tool, processor.key, cycles, f"it takes {units[0]} and such of another core", counts=False
    )


def osaca(count: Count, processor: Processor) -> Opinion:
    """What OSACA says."""
    if importlib.util.find_spec("osaca") is None:
        return Opinion("osaca", processor.key, remark="OSACA is not installed: pip install osaca")
    name = OSACA_NAMES.get(processor.key)
    if name is None:
        return Opinion("osaca", processor.key, remark="it has no model of this core")
    with temporary_folder() as folder:
        path = folder / "code.s"
        path.write_text(_text(count), encoding="utf-8")
        options = ("--arch", name, "--ignore-unknown", "--lcd-timeout", "0")
        lines = ("--lines", f"1-{path.read_text(encoding='utf-8').count(chr(10))}")
        command = (sys.executable, "-m", "osaca", *options, *lines, str(path))
        # In an empty folder: Python would run the user's enum.py in place of its own.
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=folder, env=environment()
        )
    loads = _port_loads(ran.stdout.splitlines())
    if not loads:
        return Opinion("osaca", processor.key, remark=_reason(ran.stderr))
    unknown = sum(bool(re.search(r"\|\|.*\| +X ", line)) for line in ran.stdout.splitlines())
    remark = f"{unknown} of {count.instructions} instructions unknown" if unknown else ""
    known = unknown <= UNKNOWN * count.instructions
    return Opinion("osaca", processor.key, max(loads), remark, counts=known)


def _port_loads(lines: Sequence[str]) -> list[float]:
    """The sums of the ports in OSACA's table, a line of numbers after its last instruction.

    Critical path and loop-carried chain stand last.
    """
    for line in lines:
        if re.fullmatch(r"( +\d+\.\d+)+ *", line):
            return [float(number) for number in line.split()[:-2]]
    return []


def _text(count: Count) -> str:
    """The instructions as assemblers take them, without the return."""
    syntax = [".intel_syntax noprefix"] if count.architecture == "x86_64" else []
    body = [each.text for each in count.code if not each.is_return]
    return "\n".join([*syntax, *body]) + "\n"


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "rror" in line]
    return f"it failed: {(errors or lines or ['no reason given'])[-1]}"
