"""The decisions that make the crate's kernels: found by a search, or the defaults of a variant.

A schedule of a class is for all its primes: constants are data after the code, so other values
change no instruction. `python -m fieldc.tune.crate` finds it, with the class' representative.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fieldc import decisions
from fieldc.decisions.schedule import Schedule, read
from fieldc.language import Expression
from fieldc.packages.rust.classes import PrimeClass, class_program, completed, representative
from fieldc.targets.x86_64.choices import PLAIN, VARIANTS
from fieldc.targets.x86_64.conventions import CALLED_INLINE
from fieldc.targets.x86_64.kernel import X86Kernel, compile_program

FOLDER = Path(decisions.__file__).parent / "schedules" / "crate"
PROCESSOR = "sapphire-rapids"
"""Where the schedules were found. The crate has their kernels for every processor with BMI2."""
TUNED = "mulx"
"""The variant that they are of: it needs nothing else."""


def path_of(prime_class: PrimeClass, limbs: int) -> Path:
    """The file of a class' schedule."""
    return FOLDER / f"{prime_class.name}_{limbs}.{PROCESSOR}.json"


@cache
def schedule_of(prime_class: PrimeClass, limbs: int) -> Schedule:
    """The schedule of a class, without entries where there is no file. Raises ScheduleError."""
    f, path = representative(prime_class, limbs), path_of(prime_class, limbs)
    if not path.exists():
        return Schedule(f"{prime_class.name}, {limbs} limbs", f.p, "")
    return read(path.read_text("utf-8"), f)


def crate_kernel(
    prime_class: PrimeClass, expression: Expression, symbol: str, variant: str
) -> X86Kernel:
    """The kernel of a class that the crate has. Raises ScheduleError for an outdated schedule."""
    schedule = schedule_of(prime_class, expression.field.n)
    entry = schedule.entry(expression.kernel.operation) if variant == TUNED else None
    choices = entry.decisions.choices if entry else VARIANTS[variant]
    refinement = entry.decisions.refinement if entry else PLAIN
    program = class_program(expression, choices)
    kernel = compile_program(program, symbol, choices, CALLED_INLINE, refinement)
    kernel = completed(kernel, representative(prime_class, expression.field.n))
    if entry:
        entry.require(kernel)
    return kernel
