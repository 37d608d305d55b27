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
from fieldc.targets.x86_64.choices import PLAIN, choices_on
from fieldc.targets.x86_64.conventions import Convention, inline
from fieldc.targets.x86_64.kernel import X86Kernel, compile_program

FOLDER = Path(decisions.__file__).parent / "schedules" / "crate"
FOUND_ON = {"mulx": "sapphire-rapids", "adx": "zen-4"}
"""The processor on which the schedules of each variant were found, by its key.

Every processor that runs the variant gets their kernels.
"""


def path_of(prime_class: PrimeClass, limbs: int, variant: str) -> Path:
    """The file of the schedule of a class in a variant."""
    return FOLDER / f"{prime_class.name}_{limbs}.{FOUND_ON[variant]}.json"


@cache
def schedule_of(prime_class: PrimeClass, limbs: int, variant: str) -> Schedule:
    """The schedule of a class in a variant, without entries if there is no file.

    Raises ScheduleError.
    """
    f, path = representative(prime_class, limbs), path_of(prime_class, limbs, variant)
    if not path.exists():
        return Schedule(f"{prime_class.name}, {limbs} limbs", f.p, "")
    return read(path.read_text("utf-8"), f)


def crate_kernel(
    prime_class: PrimeClass,
    expression: Expression,
    symbol: str,
    variant: str,
    convention: Convention | None = None,
) -> X86Kernel:
    """The kernel of a class that the crate has. Raises ScheduleError for an outdated schedule."""
    schedule = schedule_of(prime_class, expression.field.n, variant)
    entry = schedule.entry(expression.kernel.operation)
    choices = entry.decisions.choices if entry else choices_on(variant, FOUND_ON[variant])
    refinement = entry.decisions.refinement if entry else PLAIN
    bounded = prime_class.bounded(expression.field)
    program = class_program(expression, choices, bounded)
    called = convention or inline(expression.kernel.result.width(expression.field))
    kernel = compile_program(program, symbol, choices, called, refinement)
    kernel = completed(kernel, representative(prime_class, expression.field.n))
    if entry:
        entry.require(kernel)
    return kernel
