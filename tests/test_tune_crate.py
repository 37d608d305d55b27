"""Tuning the crate's kernels: of a class of primes, called out of inline assembly. No times."""

from __future__ import annotations

import ctypes
from argparse import ArgumentTypeError

import pytest
from x86_64_kernels import runs_here

from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.decisions.schedule import Decisions, ScheduleError, code_of
from fieldc.machine.called import KERNEL, ONCE, CalledLoops, surroundings
from fieldc.machine.loops import TimingError
from fieldc.machine.pages import Pages
from fieldc.machine.processor import is_x86_64
from fieldc.packages.rust.classes import COMPLEMENT, FOLD, SPARE, PrimeClass, completed
from fieldc.packages.rust.schedules import FOLDER, TUNED, crate_kernel, path_of, schedule_of
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.tune.crate import prime_class
from fieldc.tune.duel import Duels
from fieldc.tune.examine import Examination
from fieldc.tune.space import Draft, Proposals, Workshop
from fieldc.tune.subject import of_class

HOST = pytest.mark.skipif(not is_x86_64(), reason="this host does not run System V x86-64 code")
SHIPPED = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.json"))


def shop_of(of: PrimeClass, operation: str, limbs: int = 4) -> Workshop:
    return Workshop(of_class(of, limbs, operation))


def walked(shop: Workshop, steps: int = 25) -> Draft:
    """Some random moves from the default."""
    proposals = Proposals(shop, 1)
    draft = shop.draft(Decisions(next(iter(shop.expressions)), VARIANTS[TUNED]))
    assert draft is not None
    for propose in (proposals.early, proposals.late):
        for _ in range(steps):
            draft = propose(draft) or draft
    return draft


@HOST
@pytest.mark.parametrize(
    ("of", "operation"), [(FOLD, "mul"), (COMPLEMENT, "mul"), (COMPLEMENT, "square")]
)
def test_moved_kernels_are_right_and_proved(of: PrimeClass, operation: str) -> None:
    runs_here(TUNED)
    shop, pages = shop_of(of, operation), Pages()
    draft, subject = walked(shop), shop.subject
    exam = Examination(subject.start, 1)
    assert exam.right(pages.address(draft.timed) + subject.entry, 0)
    kernel, f = shop.kernel(draft.decisions), subject.field
    assert code_of(kernel) == draft.machine_code
    job = Job(subject.object(kernel), kernel.symbol, operation, f.p, f.n, "sysv")
    assert not prove_job(job).failure


@HOST
def test_a_wrong_kernel_fails_its_examination() -> None:
    runs_here(TUNED)
    shop, pages = shop_of(FOLD, "mul"), Pages()
    draft = walked(shop, 0)
    sums = [i for i, c in enumerate(draft.code) if c.mnemonic == "add"]
    at = sum(len(piece.code) for piece in draft.pieces[: sums[0]])
    size = len(draft.pieces[sums[0]].code)
    code = draft.machine_code
    wrong = draft.before + code[:at] + b"\x90" * size + code[at + size :]
    exam = Examination(shop.subject.start, 1)
    assert not exam.right(pages.address(wrong) + shop.subject.entry)
    assert exam.right(pages.address(draft.timed) + shop.subject.entry)


@HOST
def test_the_loops_run_and_say_what_they_cannot() -> None:
    runs_here(TUNED)
    shop = shop_of(SPARE, "mul")
    draft, loops = walked(shop, 0), shop.subject.loops()
    assert isinstance(loops, CalledLoops)
    duels = Duels(shop.subject.start, 1, loops=loops)
    duels(draft.timed, walked(shop, 3).timed, 4)
    address = duels.pages.address(draft.timed)
    assert loops.latency(address, 8) > 0 < loops.throughput(address, 8)
    with pytest.raises(TimingError, match="up to 16 limbs"):
        loops.store((1, 1), (17, 17))


@HOST
def test_what_stands_before_a_kernel_calls_it_and_stores_its_words() -> None:
    """A kernel that leaves 1 and 2 in its registers."""
    code = bytes.fromhex("41b901000000") + bytes.fromhex("be02000000") + b"\xc3"
    before = surroundings(("r9", "rsi"))
    assert len(before) == KERNEL
    pages = Pages()
    address = pages.address(before + code)
    z = (ctypes.c_uint64 * 2)()
    u64 = ctypes.c_uint64
    function = ctypes.CFUNCTYPE(None, u64, u64, u64)(address + ONCE)
    function(ctypes.addressof(z), 0, 0)
    assert list(z) == [1, 2]


# Schedules


@pytest.mark.parametrize("name", SHIPPED)
def test_a_schedule_of_a_class_is_current_and_was_found_undisturbed(name: str) -> None:
    of, limbs = prime_class(name)
    subjects = {op: of_class(of, limbs, op) for op, _ in of.algorithms}
    schedule = schedule_of(of, limbs)
    assert schedule.entries and path_of(of, limbs).name.startswith(name)
    for entry in schedule.entries:
        assert crate_kernel(of, subjects[entry.operation].start, "k", TUNED)
        assert entry.decisions.choices.variant == TUNED
        assert not entry.measured["disturbed"]


def test_an_outdated_schedule_is_refused() -> None:
    entry = schedule_of(FOLD, 4).entry("mul")
    assert entry is not None
    other = completed(
        crate_kernel(FOLD, of_class(FOLD, 4, "mul").start, "k", "adx"), find_field("bn254-p")
    )
    with pytest.raises(ScheduleError, match="another version"):
        entry.require(other)


@pytest.mark.parametrize("name", ["fold", "fold_1", "fold_x", "none_4", "4", ""])
def test_only_classes_that_there_are(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match="classes are fold, complement"):
        prime_class(name)
