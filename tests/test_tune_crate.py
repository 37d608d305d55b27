"""Tuning the crate's kernels: of a class of primes, called out of inline assembly. No times."""

from __future__ import annotations

import ctypes
from argparse import ArgumentTypeError

import pytest
from x86_64_kernels import runs_here

from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.decisions.schedule import Decisions, ScheduleError
from fieldc.machine.code import Code
from fieldc.machine.instruments import TimingError
from fieldc.machine.pages import OperandMemory, Pages
from fieldc.machine.processor import is_x86_64
from fieldc.machine.results import MODES
from fieldc.machine.ring import RING, Layout
from fieldc.packages.rust.classes import COMPLEMENT, FOLD, SPARE, PrimeClass, completed
from fieldc.packages.rust.schedules import (
    FOLDER,
    FOUND_ON,
    crate_kernel,
    path_of,
    schedule_of,
)
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.timing.called import surroundings
from fieldc.tune.crate import prime_class
from fieldc.tune.duel import Duels
from fieldc.tune.examine import Examination
from fieldc.tune.space import Draft, Proposals, Workshop
from fieldc.tune.subject import of_class

HOST = pytest.mark.skipif(not is_x86_64(), reason="this host does not run System V x86-64 code")
ROOM = 1 << 15
TUNED = "mulx"
VARIANT_OF = {processor: variant for variant, processor in FOUND_ON.items()}
SHIPPED = sorted(path.stem for path in FOLDER.glob("*.json"))


def shop_of(of: PrimeClass, operation: str, limbs: int = 4) -> Workshop:
    return Workshop(of_class(of, limbs, operation, TUNED))


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
    shop, pages = shop_of(of, operation), Pages(1, ROOM)
    draft, subject = walked(shop), shop.subject
    exam = Examination(subject.start, 1)
    assert all(exam.right(copy.function, 0) for copy in pages.copies(draft.timed))
    kernel, f = shop.kernel(draft.decisions), subject.field
    assert kernel.machine_code() == draft.machine_code
    job = Job(subject.object(kernel), kernel.symbol, operation, f.p, f.n, "sysv")
    assert not prove_job(job).failure


@HOST
def test_a_wrong_kernel_fails_its_examination() -> None:
    runs_here(TUNED)
    shop, pages = shop_of(FOLD, "mul"), Pages(2, ROOM)
    draft = walked(shop, 0)
    sums = [i for i, c in enumerate(draft.code) if c.mnemonic == "add"]
    at = sum(len(piece.code) for piece in draft.pieces[: sums[0]])
    size = len(draft.pieces[sums[0]].code)
    code = draft.machine_code
    wrong = draft.caller, Code(code[:at] + b"\x90" * size + code[at + size :])
    exam = Examination(shop.subject.start, 1)
    assert not exam.right(pages.copies(wrong)[0].function)
    assert exam.right(pages.copies(draft.timed)[0].function)


@HOST
def test_the_loops_run_and_say_what_they_cannot() -> None:
    runs_here(TUNED)
    shop = shop_of(SPARE, "mul")
    draft, other = walked(shop, 0), walked(shop, 3)
    duels = Duels(shop.subject.start, 1)
    assert duels(draft.timed, other.timed, 4).rounds == 4
    memory = OperandMemory()
    memory.write(shop.subject.layout.image([(1, 1)] * RING))
    for copy in duels.pages.copies(draft.timed):
        for mode in MODES:
            assert copy.ticks(mode, memory.address, 8) > 0
    with pytest.raises(TimingError, match="1 to 5 operands"):
        surroundings(("rax",), Layout(4, (4,) * 6))


@HOST
def test_what_stands_before_a_kernel_calls_it_and_stores_its_words() -> None:
    """A kernel that leaves the first words of x and y in its registers."""
    code = bytes.fromhex("4c8b0e") + bytes.fromhex("488b32") + b"\xc3"
    layout, pages = Layout(2, (1, 1)), Pages(1, 64)
    (copy, *_) = pages.copies((surroundings(("r9", "rsi"), layout), Code(code)))
    z, x, y = (ctypes.c_uint64 * 2)(), ctypes.c_uint64(1), ctypes.c_uint64(2)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(copy.function)
    function(ctypes.addressof(z), ctypes.addressof(x), ctypes.addressof(y))
    assert list(z) == [1, 2]
    memory = OperandMemory()
    memory.write(layout.image([(n, 100 + n) for n in range(RING)]))
    copy.ticks("throughput", memory.address, RING)
    words = (ctypes.c_uint64 * (4 * RING)).from_address(memory.address)
    # Each cell has its operands and its own result. In the last loop y is added: to the first word
    # y, to the second what comes after y in memory, which is the result's first word.
    cells = [list(words[4 * n : 4 * n + 3]) for n in range(RING)]
    assert cells == [[n, 100 + n, n + 100 + n] for n in range(RING)]


@HOST
def test_a_kernel_of_three_operands_is_called_with_each() -> None:
    """A kernel that leaves the sum of its operands' words in r9."""
    code = bytes.fromhex("4c8b0e") + bytes.fromhex("4c030a") + bytes.fromhex("4c0309") + b"\xc3"
    layout, pages, memory = Layout(1, (1, 1, 1)), Pages(1, 64), OperandMemory()
    (copy, *_) = pages.copies((surroundings(("r9",), layout), Code(code)))
    z, *operands = (ctypes.c_uint64(n) for n in (0, 1, 20, 300))
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(copy.function)
    function(*map(ctypes.addressof, (z, *operands)))
    assert z.value == 321
    memory.write(layout.image([(n, 100 + n, 1000 + n) for n in range(RING)]))
    copy.ticks("throughput", memory.address, RING)
    copy.ticks("latency", memory.address, 8)
    words = (ctypes.c_uint64 * (4 * RING)).from_address(memory.address)
    # The last loop adds the last operand once more.
    assert [words[4 * n + 3] for n in range(RING)] == [2100 + 4 * n for n in range(RING)]


# Schedules


@pytest.mark.parametrize("name", SHIPPED)
def test_a_schedule_of_a_class_is_current_and_was_found_undisturbed(name: str) -> None:
    class_limbs, processor = name.split(".")
    (of, limbs), variant = prime_class(class_limbs), VARIANT_OF[processor]
    schedule = schedule_of(of, limbs, variant)
    assert schedule.entries and path_of(of, limbs, variant).stem == name
    for entry in schedule.entries:
        subject = of_class(of, limbs, entry.operation, variant)
        assert crate_kernel(of, subject.start, "k", variant)
        assert entry.decisions.choices.variant == variant
        assert not entry.measured["disturbed"]


def test_an_outdated_schedule_is_refused() -> None:
    entry = schedule_of(FOLD, 4, TUNED).entry("mul")
    assert entry is not None
    expression = of_class(FOLD, 4, "mul", TUNED).start
    other = completed(crate_kernel(FOLD, expression, "k", "adx"), find_field("bn254-p"))
    with pytest.raises(ScheduleError, match="another version"):
        entry.require(other)


@pytest.mark.parametrize("name", ["fold", "fold_1", "fold_x", "none_4", "4", ""])
def test_only_classes_that_there_are(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match="classes are fold, complement"):
        prime_class(name)
