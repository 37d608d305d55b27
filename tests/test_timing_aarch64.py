"""The loops that time AArch64 kernels, in an emulator: what they call, with what, and how often.

Nothing here is timed. `fieldc bench` itself runs on AArch64 hosts only.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from fieldc.binary.read import find_routine, read_image
from fieldc.binary.relocate import link
from fieldc.catalogue import find_field
from fieldc.goals.goals import ARM_GOALS, Goal
from fieldc.lab.foreign import ARM_ROUTINES, ENTRY, NoForeignCode, arm_text
from fieldc.lab.trace import Request, trace
from fieldc.machine.caller import Caller
from fieldc.machine.instruments import TimingError
from fieldc.machine.processor import host_architecture
from fieldc.machine.ring import RING, Layout
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.timing import clock
from fieldc.targets.aarch64.timing.loops import (
    MOST_OPERANDS,
    PAGE,
    STACK_OFFSET,
    WARM_UP,
    caller_of,
    text,
)

BASE, MEMORY, STACK, RETURN = 0x100000, 0x200000, 0x300000, 0x400000
ADDITION = assembled(
    """stp x19, x28, [sp, #-16]!
ldr x3, [x1]
ldr x4, [x2]
adds x3, x3, x4
mov x19, x3
mov x28, x3
str x3, [x0]
ldp x19, x28, [sp], #16
ret"""
)
LAYOUT = Layout(1, (1, 1))


def made(source: str, folder: Path) -> bytes:
    """An object by clang: this host's own assembler may be for another architecture."""
    if shutil.which("clang") is None:
        pytest.skip("SKIPPED: needs clang, which assembles for AArch64")
    (folder / "a.s").write_text(source)
    command = ["clang", "--target=aarch64-linux-gnu", "-c", "a.s", "-o", "a.o"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "a.o").read_bytes()


class Emulated:
    """Loops, a kernel behind them, and operands, in an emulator."""

    def __init__(self, caller: Caller, gap: int) -> None:
        unicorn = pytest.importorskip("unicorn")
        self.names = pytest.importorskip("unicorn.arm64_const")
        self.caller, self.kernel = caller, BASE + len(caller.code) + gap
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        for start in (BASE, MEMORY, STACK, RETURN):
            self.machine.mem_map(start, 0x20000)
        self.machine.mem_write(BASE, caller.before(gap))
        self.machine.mem_write(self.kernel, ADDITION)
        inputs = [(1000 + i, 7 * i) for i in range(RING)]
        self.machine.mem_write(MEMORY, LAYOUT.image(inputs))
        self.calls: Counter[int] = Counter()
        self.stacks: set[int] = set()
        self.machine.hook_add(
            unicorn.UC_HOOK_CODE, self._called, begin=self.kernel, end=self.kernel
        )

    def _called(self, machine: object, address: int, size: int, _: object) -> None:
        self.calls[self.register("X0")] += 1
        self.stacks.add(self.register("SP"))

    def register(self, name: str) -> int:
        return int(self.machine.reg_read(getattr(self.names, f"UC_ARM64_REG_{name}")))

    def run(self, offset: int, count: int) -> dict[str, int]:
        """Call a loop; return what it must keep."""
        kept = {f"X{i}": 0x1111 * i for i in range(19, 30)} | {"SP": STACK + 0x18000 - 0x70}
        for name, value in (*kept.items(), ("X0", MEMORY), ("X1", count), ("X30", RETURN)):
            self.machine.reg_write(getattr(self.names, f"UC_ARM64_REG_{name}"), value)
        self.machine.emu_start(BASE + offset, RETURN)
        assert {name: self.register(name) for name in kept} == kept
        return kept

    def word(self, place: int) -> int:
        return int.from_bytes(self.machine.mem_read(MEMORY + place, 8), "little")


@pytest.mark.parametrize("gap", [0, 576, 4032])
def test_throughput_walks_the_ring(gap: int, tmp_path: Path) -> None:
    caller = caller_of(made(text(LAYOUT, "moving"), tmp_path))
    assert len(caller.code) % PAGE == 0
    run = Emulated(caller, gap)
    run.run(caller.loops["throughput"][0], 3 * RING)
    assert sum(run.calls.values()) == WARM_UP + 3 * RING
    assert set(run.calls) == {MEMORY + i * LAYOUT.cell + LAYOUT.places[0] for i in range(RING)}
    assert min(run.calls.values()) == 3
    for i in range(RING):
        assert run.word(i * LAYOUT.cell + LAYOUT.places[0]) == 1000 + 8 * i
    assert {stack % PAGE for stack in run.stacks} == {STACK_OFFSET}


def test_fixed_operands_are_those_of_the_first_cell(tmp_path: Path) -> None:
    caller = caller_of(made(text(LAYOUT, "fixed"), tmp_path))
    run = Emulated(caller, 64)
    run.run(caller.loops["throughput"][0], 5)
    assert run.calls == {MEMORY + LAYOUT.places[0]: WARM_UP + 5}


def test_latency_is_a_chain(tmp_path: Path) -> None:
    caller = caller_of(made(text(LAYOUT, "moving"), tmp_path))
    run = Emulated(caller, 0)
    run.machine.mem_write(MEMORY + LAYOUT.chain[2], (3).to_bytes(8, "little"))
    run.run(caller.loops["latency"][0], 10)
    assert run.word(LAYOUT.chain[0]) == 1000 + 3 * (WARM_UP + 10)


def test_too_many_operands_are_refused() -> None:
    with pytest.raises(TimingError):
        text(Layout(1, (1,) * (MOST_OPERANDS + 1)), "moving")


def test_the_clocks_routines_return(tmp_path: Path) -> None:
    unicorn = pytest.importorskip("unicorn")
    image = read_image(made(clock.TEXT, tmp_path))
    region = next(r for r in image.regions if r.executable)
    names = pytest.importorskip("unicorn.arm64_const")
    machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
    machine.mem_map(BASE, 0x10000)
    machine.mem_map(RETURN, 0x1000)
    machine.mem_write(BASE, bytes(region.data))
    steps: Counter[str] = Counter()

    def run(name: str, first: int, second: int = 0) -> int:
        place = BASE + image.routines()[name].address - region.address
        machine.reg_write(names.UC_ARM64_REG_X0, first)
        machine.reg_write(names.UC_ARM64_REG_X1, second)
        machine.reg_write(names.UC_ARM64_REG_X30, RETURN)
        hook = machine.hook_add(unicorn.UC_HOOK_CODE, lambda *_: steps.update([name]))
        machine.emu_start(place, RETURN)
        machine.hook_del(hook)
        return int(machine.reg_read(names.UC_ARM64_REG_X0))

    assert run("fieldc_calibrate", 10) >= 0
    assert steps["fieldc_calibrate"] >= 10 * (clock.CYCLES_PER_TURN + 2)
    assert run("fieldc_canary", 10) >= 0 and steps["fieldc_canary"] >= 960
    assert run("fieldc_ticks", 0) <= run("fieldc_ticks", 0)
    assert run("fieldc_rate", 0) > 0
    assert run("fieldc_written", BASE + 8, BASE + 256) >= BASE + 256


def test_a_slow_counter_stretches_slices() -> None:
    assert [clock.stretch(rate) for rate in (1_000_000_000, 121_875_000, 24_000_000)] == [1, 2, 9]
    assert clock.stretch(0) == clock.stretch(1000) == 64


@pytest.mark.skipif(host_architecture() == "aarch64", reason="the loops run here")
def test_other_hosts_are_refused() -> None:
    with pytest.raises(TimingError):
        clock.GenericTimer()


@pytest.mark.parametrize("goal", ARM_GOALS, ids=[goal.rival for goal in ARM_GOALS])
def test_rivals_of_goals_compute_what_ours_do(goal: Goal, tmp_path: Path) -> None:
    routine = ARM_ROUTINES[goal.rival]
    f = find_field(goal.field)
    try:
        source = arm_text(routine, f)
    except NoForeignCode as error:
        pytest.skip(f"SKIPPED: {error}")
    image = read_image(made(source, tmp_path))
    _, entry = find_routine({"": image}, ENTRY)
    x, y = f.p - 2, f.p // 3
    two = 1 if goal.operation == "square" else 2
    names = ("z", "x", "y")[: 1 + two]
    found = trace(link(image), entry, Request(names, (("x", x), ("y", y))[:two], f))
    value = sum(word << 64 * i for i, word in enumerate(found.result[: f.n]))
    product = {"mul": x * y, "square": x * x, "fp2_mul": x * y}.get(goal.operation)
    if product is not None:
        assert value == product * f.R_inverse % f.p
    else:
        assert value == (x + y if goal.operation == "add" else x - y) % f.p
