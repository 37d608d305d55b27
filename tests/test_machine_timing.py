"""The harness: rows, acceptance and ratios. Nothing here asserts a time."""

import ctypes
import math
import os
import platform
import re
from dataclasses import replace

import pytest

from fieldc.machine import results, timing
from fieldc.machine.assemble import assemble
from fieldc.machine.code import Code, code_of
from fieldc.machine.instruments import TimingError
from fieldc.machine.pages import PAGE, PLACEMENTS, Copy, OperandMemory, Pages, gaps
from fieldc.machine.processor import is_x86_64, missing
from fieldc.machine.ring import OPERANDS, RING, Layout, OperandMode
from fieldc.machine.timing import MAX_LIMBS, PythonCandidate, Slice, TimedKernel, measure
from fieldc.targets.registry import instruments_here
from fieldc.targets.x86_64.timing import probe
from fieldc.targets.x86_64.timing.loops import loops

needs_x86 = pytest.mark.skipif(not is_x86_64(), reason="loops are System V x86-64")

TEXT = """
    .globl double, addition, fused, frame
double:
    mov (%rsi), %rax
    add %rax, %rax
    mov %rax, (%rdi)
    ret
addition:
    mov (%rsi), %rax
    add (%rdx), %rax
    mov %rax, (%rdi)
    ret
fused:
    mov (%rsi), %rax
    imul (%rdx), %rax
    add (%rcx), %rax
    mov %rax, (%rdi)
    ret
frame:
    mov %rsp, %rcx
    and $0xfff, %ecx
    mov %rcx, (%rdi)
    ret
"""


def code(symbol: str) -> Code:
    return code_of(assemble(TEXT), symbol)


def candidate(symbol: str, *bounds: int) -> TimedKernel:
    layout = Layout(1, (1,) * len(bounds))
    return TimedKernel(symbol, code(symbol), layout, tuple((bound,) for bound in bounds))


def candidates() -> list[TimedKernel | PythonCandidate]:
    return [
        candidate("double", 97),
        candidate("addition", 97, 89),
        candidate("fused", 97, 89, 83),
        PythonCandidate("python", lambda: 12345 * 6789 % 97),
    ]


@needs_x86
@pytest.mark.parametrize("operands", OPERANDS)
def test_a_race_has_a_row_for_each_candidate(operands: OperandMode) -> None:
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    seen: list[tuple[int, int]] = []
    race = measure(
        candidates(),
        instruments=instruments_here(),
        rounds=6,
        seed=1,
        progress=lambda *at: seen.append(at),
        operands=operands,
    )
    assert seen == [(i, 6) for i in range(1, 7)]
    assert [row.label for row in race.rows] == ["double", "addition", "fused", "python"]
    assert len(race.slices) == 6 * 4 * 2
    for row in race.rows:
        assert row.accepted + row.dropped == 12
        spreads = (row.latency, row.throughput, row.latency_ns, row.throughput_ns)
        assert all(0 < s.low <= s.median <= s.high for s in spreads)
        assert row.latency_worst >= row.latency.median
        assert row.throughput_worst >= row.throughput.median
        assert row.placements <= (1 if row.label == "python" else 6)
        assert race.row(row.label) is row
    assert race.ratio("double", "double", "latency") == 1
    assert race.ratio("python", "double", "throughput") > 0
    assert min(race.ticks_per_cycle, race.tsc_ghz, race.core_ghz, race.canary) > 0
    assert race.processor and race.calibration()["operands"] == operands
    if before is not None:
        assert os.sched_getaffinity(0) == before


@needs_x86
def test_order_within_rounds_follows_the_seed() -> None:
    def order(seed: int) -> list[tuple[str, str]]:
        slices = measure(candidates(), instruments=instruments_here(), rounds=3, seed=seed).slices
        return [(piece.label, piece.mode) for piece in slices]

    assert order(5) == order(5)
    assert order(5) != order(6)


HELD: list[Pages] = []


def copies(symbol: str, layout: Layout, operands: OperandMode = "moving") -> list[Copy]:
    HELD.append(Pages(1, 1 << 12))
    return HELD[-1].copies((loops(layout, operands), code(symbol)))


def words(memory: OperandMemory, count: int) -> list[int]:
    return list((ctypes.c_uint64 * count).from_address(memory.address))


@needs_x86
def test_operands_and_stack_lie_at_pinned_page_offsets() -> None:
    found = set()
    for _ in range(3):
        memory = OperandMemory()
        memory.write(Layout(1, (1,)).image([(1,)] * RING))
        for copy in copies("frame", Layout(1, (1,))):
            copy.ticks("throughput", memory.address, 3)
            found.add((memory.address % PAGE, words(memory, 2)[1]))
    assert len(found) == 1


@needs_x86
@pytest.mark.parametrize("count", [1, 2, 3])
def test_moving_calls_go_round_the_ring(count: int) -> None:
    symbol, result = {
        1: ("double", lambda x: 2 * x),
        2: ("addition", lambda x, y: x + y),
        3: ("fused", lambda x, y, z: x * y + z),
    }[count]
    layout = Layout(1, (1,) * count)
    inputs = [tuple(10 * n + i + 2 for i in range(count)) for n in range(RING)]
    for copy in copies(symbol, layout):
        memory = OperandMemory()
        memory.write(layout.image(inputs))
        copy.ticks("throughput", memory.address, RING)
        cells = words(memory, RING * (count + 1))
        for n, operands in enumerate(inputs):
            cell = cells[n * (count + 1) : (n + 1) * (count + 1)]
            assert cell == [*operands, result(*operands)]


@needs_x86
def test_fixed_calls_stay_at_one_cell() -> None:
    layout, memory = Layout(1, (1, 1)), OperandMemory()
    memory.write(layout.image([(n + 1, n + 2) for n in range(RING)]))
    copies("addition", layout, "fixed")[0].ticks("throughput", memory.address, RING)
    cells = words(memory, 3 * RING)
    assert cells[2] == 3 and not any(cells[5::3])


@needs_x86
def test_latency_feeds_results_back() -> None:
    layout, memory = Layout(2, (1, 1)), OperandMemory()
    memory.write(layout.image([(1, 3)] * RING))
    copies("addition", layout)[0].ticks("latency", memory.address, 10)
    chain = memory.address + layout.chain[1]
    assert layout.chain[0] == layout.chain[1] and layout.chain[2] == layout.chain[1] + 16
    assert ctypes.c_uint64.from_address(chain).value == 1 + 3 * (8 + 10)


def test_places_in_memory_are_those_that_an_alignment_allows() -> None:
    for alignment in (1, 16, 32, 64):
        found = gaps(alignment)
        assert len(set(found)) == PLACEMENTS and found[0] == 0 and max(found) < PAGE
        assert all(gap % alignment == 0 for gap in found)
    assert {gap % 64 for gap in gaps(16)} == {0, 16, 32, 48} and not any(g % 64 for g in gaps(64))


@needs_x86
def test_an_object_runs_wherever_it_is_written() -> None:
    """Its function reads another section, through an address that a linker writes."""
    text = """
    .globl reads
    .text
    nop
    .p2align 5
reads:
    mov .Laddress(%rip), %rax
    mov (%rax), %rax
    add .Lvalue(%rip), %rax
    mov %rax, (%rdi)
    ret
    .data
.Laddress: .quad .Lvalue
    .section .rodata
.Lvalue: .quad 21
"""
    made = code_of(assemble(text), "reads")
    assert (made.start, made.alignment) == (32, 32) and made.absolute
    pages = Pages(1, len(made.data))
    for number, copy in enumerate(pages.copies((loops(Layout(1, (1,))), made))):
        assert copy.kernel % PAGE == gaps(32)[number]
        z = ctypes.c_uint64()
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(copy.function)(ctypes.addressof(z))
        assert z.value == 42


@needs_x86
def test_an_object_may_call_the_c_library() -> None:
    made = code_of(assemble(".globl k\nk:\n mov $1, %edx\n jmp memcpy@PLT\n"), "k")
    pages = Pages(1, len(made.data))
    (copy, *_) = pages.copies((loops(Layout(1, (1,))), made))
    x, z = ctypes.c_uint64(0x1234), ctypes.c_uint64()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(copy.function)
    function(ctypes.addressof(z), ctypes.addressof(x))
    assert z.value == 0x34
    with pytest.raises(TimingError, match="no_such_function"):
        code_of(assemble(".globl k\nk: jmp no_such_function@PLT\n"), "k")


@needs_x86
def test_a_race_that_cannot_be_run() -> None:
    one = candidates()[:1]
    for bad, rounds in (([], 3), (one, 0), (one + one, 3)):
        with pytest.raises(TimingError, match="distinct labels"):
            measure(bad, instruments=instruments_here(), rounds=rounds, seed=0)


def test_candidates_are_checked_and_inputs_follow_the_seed() -> None:
    good = TimedKernel("k", Code(b""), Layout(2, (4, 2)), ((1 << 256,), (97,)))
    assert good.inputs(3) == good.inputs(3) != good.inputs(4)
    assert all(x < bound for x, (bound,) in zip(good.inputs(3), good.bounds, strict=True))
    pairs = replace(good, bounds=((97, 89), (97,)))
    assert all(x % 2**128 < 97 and x >> 128 < 89 for x in (pairs.inputs(s)[0] for s in range(9)))
    long = {"layout": Layout(MAX_LIMBS + 1, (4, 2))}
    for change in ({"bounds": ((97,),)}, long, {"bounds": ((97,), (1 << 129,))}):
        with pytest.raises(TimingError, match=r"^k: "):
            replace(good, **change)


@needs_x86
def test_a_kernel_of_more_operands_than_registers_is_not_timed() -> None:
    with pytest.raises(TimingError, match="1 to 5 operands"):
        loops(Layout(1, (1,) * 6))


def test_other_hosts_get_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(TimingError, match="x86-64 and AArch64"):
        instruments_here()


def pieces(label: str, cycles: list[float], canaries: list[float]) -> list[Slice]:
    pairs = enumerate(zip(cycles, canaries, strict=True))
    return [Slice(label, mode, i, c, 1.0, True, k) for i, (c, k) in pairs for mode in timing.MODES]


def race(slices: list[Slice], rounds: int, canary: float) -> timing.Race:
    rows = [results.summarise(label, slices, canary, 2.0) for label in ("a", "b")]
    return timing.Race(rows, slices, 1.0, 2.0, 2.0, canary, False, "test", rounds, 0)


def test_slices_with_a_bad_canary_do_not_count() -> None:
    slices = pieces("a", [10, 90, 10, 10, 11], [16, 30, 16, 16, 17])
    slices += pieces("b", [20, 20, 20, 99, 20], [16, 16, 16, 30, 16])
    best = results.best_canary(slices, math.inf)
    result = race(slices, 5, best)
    assert best == 16
    assert result.row("a").latency == timing.Spread(10, 10, 11)
    assert result.row("a").latency_ns.median == 5
    assert (result.row("a").accepted, result.row("a").dropped) == (8, 2)
    assert result.ratio("a", "b", "latency") == 0.5
    with pytest.raises(KeyError):
        result.ratio("a", "c", "latency")


def test_a_known_canary_shows_a_run_disturbed_from_end_to_end() -> None:
    slices = pieces("a", [15] * 9, [30] * 9)
    assert results.best_canary(slices, math.inf) == 30
    best = results.best_canary(slices, 16)
    assert best == 16
    good = [piece for piece in slices if piece.good(best)]
    assert results.starved(["a"], good, 9)
    assert not results.starved([], good, 9)  # rows in Python only: nothing that decides
    assert results.summarise("a", slices, best, 1.0).latency.median == 15


def test_a_figure_is_the_median_over_places_and_the_worst_is_known() -> None:
    cycles = {0: 10.0, 1: 12.0, 2: 30.0}
    slices = [
        Slice("a", mode, n, cycles[n % 3], 1.0, True, 16, n % 3)
        for mode in timing.MODES
        for n in range(7)
    ]
    row = results.summarise("a", slices, 16, 2.0)
    assert (row.latency.median, row.latency_worst, row.placements) == (12, 30, 3)
    assert (row.throughput_ns.median, row.throughput_worst) == (6, 30)


@needs_x86
def test_the_probe_times_chains_and_independent_instructions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probe, "_RUNS", 2)
    monkeypatch.setattr(probe, "AGREE", math.inf)
    lines = {**probe.CHAINS, **probe.INDEPENDENT}
    if missing(("adx", "bmi2")):
        monkeypatch.setattr(probe, "CHAINS", {"imul": probe.CHAINS["imul"]})
        monkeypatch.setattr(probe, "INDEPENDENT", {"imul": probe.INDEPENDENT["imul"]})
        lines = {"imul": None}
    probe.main()
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) >= len(lines) and all(re.search(r" [0-9.]+ ", line) for line in shown)
