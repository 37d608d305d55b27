"""The harness: rows, acceptance and ratios. Nothing here asserts a time."""

import ctypes
import math
import os
import platform
from dataclasses import replace

import pytest

from fieldc.machine import results, timing
from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.machine.loops import Loops, TimingError
from fieldc.machine.processor import is_x86_64
from fieldc.machine.timing import Candidate, PythonCandidate, Slice, measure

needs_x86 = pytest.mark.skipif(not is_x86_64(), reason="loops are System V x86-64")

TEXT = """
    .globl double, addition, frame
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
frame:
    mov %rsi, %rax
    and $0xfff, %eax
    mov %rsp, %rcx
    and $0xfff, %ecx
    mov %rax, (%rdi)
    mov %rcx, 8(%rdi)
    ret
"""


def candidates() -> list[Candidate | PythonCandidate]:
    library = load(assemble(TEXT))
    return [
        Candidate("double", library.address("double"), 1, (1,), ((97,),), library),
        Candidate("addition", library.address("addition"), 1, (1, 1), ((97,), (89,)), library),
        PythonCandidate("python", lambda: 12345 * 6789 % 97),
    ]


@needs_x86
def test_a_race_has_a_row_for_each_candidate() -> None:
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    seen: list[tuple[int, int]] = []
    race = measure(candidates(), rounds=6, seed=1, progress=lambda *at: seen.append(at))
    assert seen == [(i, 6) for i in range(1, 7)]
    assert [row.label for row in race.rows] == ["double", "addition", "python"]
    assert len(race.slices) == 6 * 3 * 2
    for row in race.rows:
        assert row.accepted + row.dropped == 12
        spreads = (row.latency, row.throughput, row.latency_ns, row.throughput_ns)
        assert all(0 < s.low <= s.median <= s.high for s in spreads)
        assert race.row(row.label) is row
    assert race.ratio("double", "double", "latency") == 1
    assert race.ratio("python", "double", "throughput") > 0
    assert min(race.ticks_per_cycle, race.tsc_ghz, race.core_ghz, race.canary) > 0
    assert race.processor
    if before is not None:
        assert os.sched_getaffinity(0) == before


@needs_x86
def test_order_within_rounds_follows_the_seed() -> None:
    def order(seed: int) -> list[tuple[str, str]]:
        slices = measure(candidates(), rounds=3, seed=seed).slices
        return [(piece.label, piece.mode) for piece in slices]

    assert order(5) == order(5)
    assert order(5) != order(6)


@needs_x86
def test_buffers_and_stack_lie_at_pinned_page_offsets() -> None:
    library = load(assemble(TEXT))
    offsets = set()
    for _ in range(3):
        loops = Loops()
        loops.throughput(library.address("frame"), 3)
        offsets.add(tuple((ctypes.c_uint64 * 2).from_address(loops.z)))
        assert loops.x % 4096 == next(iter(offsets))[0]
        assert len({loops.x % 4096, loops.y % 4096, loops.z % 4096}) == 3
    assert len(offsets) == 1


@needs_x86
def test_latency_feeds_results_back_and_throughput_does_not() -> None:
    library, loops = load(assemble(TEXT)), Loops()
    kernel = library.address("double")
    loops.store((1,), (1,))
    loops.throughput(kernel, 10)
    assert ctypes.c_uint64.from_address(loops.x).value == 1
    assert ctypes.c_uint64.from_address(loops.z).value == 2
    loops.latency(kernel, 10)
    assert ctypes.c_uint64.from_address(loops.x).value == 1 << 8 + 10


@needs_x86
def test_a_race_that_cannot_be_run() -> None:
    one = candidates()[:1]
    for bad, rounds in (([], 3), (one, 0), (one + one, 3)):
        with pytest.raises(TimingError, match="distinct labels"):
            measure(bad, rounds=rounds, seed=0)


def test_candidates_are_checked_and_inputs_follow_the_seed() -> None:
    good = Candidate("k", 0, 2, (4, 2), ((1 << 256,), (97,)))
    assert good.inputs(3) == good.inputs(3) != good.inputs(4)
    assert all(x < bound for x, (bound,) in zip(good.inputs(3), good.bounds, strict=True))
    pairs = replace(good, bounds=((97, 89), (97,)))
    assert all(x % 2**128 < 97 and x >> 128 < 89 for x in (pairs.inputs(s)[0] for s in range(9)))
    for change in ({"bounds": ((97,),)}, {"limbs": 65}, {"bounds": ((97,), (1 << 129,))}):
        with pytest.raises(TimingError, match=r"^k: "):
            replace(good, **change)


def test_other_hosts_get_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(TimingError, match="x86-64"):
        measure([PythonCandidate("python", int)], rounds=1, seed=0)


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
