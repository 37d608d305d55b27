"""AArch64 for Linux, macOS and Windows: the same instructions, by each system's convention."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fieldc.language import Expression
from fieldc.machine.instruments import Instruments
from fieldc.machine.processors import Processor
from fieldc.targets.aarch64.calls import CALLER, ArmCaller, ArmCalls
from fieldc.targets.aarch64.kernel import ArmKernel, ArmOrder, compile_words, orders_for
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.quotients import as_shift, can_shift_high
from fieldc.targets.aarch64.systems import SYSTEMS, ArmSystem
from fieldc.targets.aarch64.timing.clock import GenericTimer, show_written
from fieldc.targets.aarch64.timing.loops import loops
from fieldc.targets.aarch64.unwind import (
    UndescribedRoutines,
    frame_description,
    with_directives,
)
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.extras import Extras
from fieldc.targets.header import header, symbol_of
from fieldc.targets.judge import Judge
from fieldc.targets.llvm.targets import LLVM
from fieldc.targets.target import Artifact, Target
from fieldc.words.lower import lower

WORD = 64
ARCHITECTURE = "aarch64"
VARIANTS = (Variant(ARCHITECTURE),)


def kernel_of(choice: Choice) -> ArmKernel:
    """The instructions of a choice with 64-bit words, without calls: the same for every system."""
    return _kernel(choice.expression, choice.plan)


@lru_cache(maxsize=128)
def _kernel(expression: Expression, order: ArmOrder | None) -> ArmKernel:
    return compile_words(lambda rows: lower(expression, rows), order=order)


def code_of(choice: Choice) -> ArmKernel | ArmCaller:
    """The instructions of a choice, which may be a caller with its routines."""
    if isinstance(choice.plan, ArmCalls):
        return choice.plan.compile(choice.expression)
    return kernel_of(choice)


def _judged(choice: Choice) -> bytes:
    """The bytes by which a model judges a choice."""
    return code_of(choice).code


def _orders(choice: Choice, processor: Processor, is_long: bool) -> Sequence[ArmOrder]:
    """The orders of a kernel among which a simulation chooses."""
    f = choice.expression.field
    has_shifts = as_shift(f.n0, WORD) is not None
    highs = (f.n // 2, f.n) if can_shift_high(f.n0, WORD) else ()
    return orders_for(processor, is_long, has_shifts, highs)


JUDGE = Judge(
    _judged,
    ARCHITECTURE,
    "apple-m1",
    is_simulated=True,
    studied=(
        "half-limbs",
        "karatsuba",
        *(f"karatsuba-{of}" for of in ("halves", "limbs", "quotients")),
    ),
    orders=_orders,
)
"""A processor that is not known is taken for the core that most people have."""


INSTRUMENTS = Instruments(GenericTimer, loops, show_written)


def _target(system: ArmSystem) -> Target:
    llvm = next(t for t in LLVM if (t.architecture, t.system) == (ARCHITECTURE, system.name))

    def make(target: Target, choice: Choice) -> Artifact:
        """The kernel's text and its object; with 32-bit words LLVM's own."""
        if choice.expression.field.word != WORD:
            return llvm.make(target, choice)
        symbol = symbol_of(choice.expression, choice.variant.name)
        kernel, pads = code_of(choice), target.extras.landing_pads
        kernel = kernel.with_landing_pad() if pads else kernel
        head = header(target.name, choice, system.convention, target.extras)
        unwinds = target.extras.unwind
        if unwinds and isinstance(kernel, ArmCaller):
            raise UndescribedRoutines(
                "a long formula calls routines, without unwind data on AArch64; leave out --unwind"
            )
        lines = with_directives(kernel.text()) if unwinds else kernel.text()
        frames = {symbol: frame_description(kernel.lines)} if unwinds else {}
        text = system.text(symbol, head, lines, pads)
        code = object_of({symbol: kernel.code}, system.triple, pads, frames)
        return Artifact(symbol, target, choice, system.convention, ".s", text, code)

    return llvm.named(
        llvm.name,
        about=f"AArch64 for {system.triple}",
        make=make,
        variants=VARIANTS,
        judge=JUDGE,
        caller=CALLER,
        can_add=Extras(landing_pads=True, unwind=system.name == "linux"),
        instruments=INSTRUMENTS if system.name != "windows" else None,
    )


AARCH64_SYSTEMS = tuple(map(_target, SYSTEMS))
