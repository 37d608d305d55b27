"""From a word program to a finished AArch64 kernel, with its constants after the return.

One text serves Linux, macOS and Windows: it leaves x18 alone, and the three conventions agree in
everything else that a kernel uses. A constant that one instruction makes stays in the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from fieldc.machine.processors import Processor
from fieldc.targets.aarch64.allocate import FREE, allocated
from fieldc.targets.aarch64.borrows import without_borrows_of_carries
from fieldc.targets.aarch64.cancel import cancelled
from fieldc.targets.aarch64.doubled import with_doubling_sums
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.order import ahead, fewest_words
from fieldc.targets.aarch64.pace import Pace, paced
from fieldc.targets.aarch64.permute import permuted
from fieldc.targets.aarch64.quotients import with_shifted_highs, with_shifts
from fieldc.targets.aarch64.select import selected
from fieldc.targets.aarch64.virtual import TABLE_LABEL, ArmCode, Selected
from fieldc.words.program import Program, Value
from fieldc.words.rows import RowChoice, RowStyle
from fieldc.words.sums import joined_sums
from fieldc.words.table import with_table

LANDING_PAD = "hint #34 // bti c"
ROWS = tuple(map(RowChoice, (RowStyle.HALVES, RowStyle.ONE_CHAIN)))
"""The row styles that keep one carry alive, which is all that the processor has."""
DISTANCES = (0, 1, 2, 3)
"""How far products may be ahead of the chains that add them."""
LONGER = 0.02
"""How much longer code may be for products that are further ahead."""
TIGHT = 0.015
"""The same where code in which fewer words wait is tried too."""
MOST_TIGHT = 400
"""Instructions; longer code saves all registers and keeps words on the stack anyway. A product in
Fp2 of 6 limbs would have 1004 instead of 1012, and take a quarter more time on Cortex-A55."""
HELD_BACK = 1.5
"""What the distance counts less there. BN254's product takes 150 cycles on Cortex-A55 with products
three sums ahead where they can be, and 114 with all two ahead; with all one ahead it is 142."""


SLOW = (Pace(3, 2, 5, 30),)
"""Of one multiplier that is busy for three cycles."""
FAST = (Pace(0.5, 2.5, 2, 18), Pace(0.75, 3, 4, 50), Pace(0.75, 2.5, 3, 24))
"""Of multipliers that start a product in each cycle."""


@dataclass(frozen=True)
class ArmOrder:
    """An order of a kernel's instructions: by which rows, and how far products are ahead.

    With a pace a rough clock says instead when each starts.
    """

    rows: RowChoice
    distance: int = 0
    pace: Pace | None = None
    shifts: bool = False
    """Whether quotients are made by shifts, where they can be."""
    shifted_highs: int = 0
    """With shifts, in how many rows the high half of a quotient's first product is one too."""
    sums_double: bool = False
    """Whether words are doubled by sums with carries, not by `extr`."""
    places: tuple[int, ...] = ()
    """Of an order that a search found: what was where, before it (`permute.py`)."""


ORDERS = tuple(ArmOrder(*of) for of in product(ROWS, (0, 2, 4, 6)))
"""Those without a clock."""


def orders_for(
    processor: Processor,
    is_long: bool,
    has_shifts: bool = False,
    shifted_highs: Sequence[int] = (),
) -> Sequence[ArmOrder]:
    """The orders among which a simulation chooses for a processor; of long kernels few.

    Where quotients can be made by shifts, those with them too, and with this many high halves.
    """
    products = processor.timing("mul")
    paces = SLOW if products is not None and len(products.ports) > 1 else FAST
    if is_long:
        return [ArmOrder(ROWS[0], pace=pace) for pace in paces]
    found = [*ORDERS, *(ArmOrder(rows, pace=pace) for rows, pace in product(ROWS, paces))]
    shifted = [replace(one, shifts=True) for one in found] if has_shifts else []
    both = [replace(one, shifted_highs=n) for n in shifted_highs for one in shifted]
    return [*found, *shifted, *both]


@dataclass(frozen=True)
class ArmKernel:
    """Instructions in GNU's syntax, and the constants after them, by their names."""

    lines: tuple[str, ...]
    constants: tuple[tuple[str, int], ...]

    def text(self, comment: str = "//") -> list[str]:
        """Its lines: instructions, then the constants with their names."""
        table = [f".quad {value:#x} {comment} {name}" for name, value in self.constants]
        return [*self.lines, *(table and [".p2align 3", f"{TABLE_LABEL}:", *table])]

    def with_landing_pad(self) -> ArmKernel:
        """The kernel after a landing pad for calls by a register: `bti c`."""
        return replace(self, lines=(LANDING_PAD, *self.lines))

    @cached_property
    def code(self) -> bytes:
        """Its bytes with the constants, for a place at a multiple of 8."""
        return assembled("\n".join(self.text()))


def compile_words(
    lowered: Callable[[RowChoice], Program],
    is_immediate: Callable[[Value], bool] | None = None,
    order: ArmOrder | None = None,
    tight: bool = True,
) -> ArmKernel:
    """The kernel of a program that can be lowered in any row style, in one order if that is named.

    Else the shortest code wins, or code that is a little longer with its products further ahead: a
    core that starts instructions in order waits less for them. `tight` also tries code that saves
    fewer registers. `is_immediate` says which constants stay in the code, by default those that
    one instruction makes.
    """
    stays = is_immediate or is_short
    if order is not None:
        return _ordered(lowered(order.rows), stays, order)
    made = [each for rows in ROWS for each in _compiled(lowered(rows), stays, tight)]
    least = min(len(kernel.lines) for _, kernel in made)
    limit = (1 + (TIGHT if tight and least <= MOST_TIGHT else LONGER)) * least
    near = [(far, kernel) for far, kernel in made if len(kernel.lines) <= limit]
    return max(near, key=lambda one: (one[0], -len(one[1].lines)))[1]


def is_short(value: Value) -> bool:
    """Whether one instruction makes a constant: 16 of its bits, or of its complement's."""
    number = value.constant or 0
    return any(
        part & ~(0xFFFF << 16 * i) == 0 for part in (number, ~number % (1 << 64)) for i in range(4)
    )


ConstantWords = tuple[tuple[str, int], ...]


def _selected(
    program: Program, is_immediate: Callable[[Value], bool], order: ArmOrder | None = None
) -> tuple[Selected, ConstantWords]:
    """The instructions of a program, and the constants that they read."""
    program = without_borrows_of_carries(joined_sums(program))
    shifts = order is not None and order.shifts
    if order is not None and shifts and order.shifted_highs:
        program = with_shifted_highs(program, order.shifted_highs)
    if order is not None and order.sums_double:
        program = with_doubling_sums(program)
    zeros = cancelled(program)
    program = with_shifts(program) if shifts else program
    read, constants = with_table(program, is_immediate)
    return selected(read if constants else program, zeros, not shifts), constants


def _ordered(program: Program, is_immediate: Callable[[Value], bool], order: ArmOrder) -> ArmKernel:
    """The code of a program in one order."""
    chosen, code, constants = in_order(program, is_immediate, order)
    return ArmKernel(tuple(allocated(chosen, code)), constants)


def in_order(
    program: Program, is_immediate: Callable[[Value], bool], order: ArmOrder
) -> tuple[Selected, list[ArmCode], ConstantWords]:
    """The instructions of a program as selected, then in an order; and the constants.

    Raises BrokenOrder.
    """
    chosen, constants = _selected(program, is_immediate, order)
    pace = order.pace
    code = ahead(chosen.code, order.distance) if pace is None else paced(chosen.code, pace)
    return chosen, permuted(code, order.places) if order.places else code, constants


def _compiled(
    program: Program, is_immediate: Callable[[Value], bool], tight: bool
) -> Iterator[tuple[float, ArmKernel]]:
    """The code of a program for each distance, and how far its products are ahead.

    Where that is longer, and code is to be `tight`, also with fewer words waiting: no more
    registers are saved then than in the code as selected.
    """
    chosen, constants = _selected(program, is_immediate)
    shortest = len(allocated(chosen, chosen.code))
    more = max(0, fewest_words(chosen.code) - len(FREE))
    saved = len(FREE) + more + more % 2  # registers are saved in pairs
    limits = ((None, True), (saved, True), (saved, False)) if tight else ((None, True),)
    for distance in DISTANCES:
        for most, moves_loads in limits:
            lines = allocated(chosen, ahead(chosen.code, distance, most, moves_loads))
            yield distance - HELD_BACK * (most is not None), ArmKernel(tuple(lines), constants)
            if len(lines) <= shortest:
                break
