"""Searches for the crate's kernels, a class of primes and a number of limbs at a time.

python -m fieldc.tune.crate fold_4 complement_4 --op mul,square --time 60

Needs a quiet machine. `make generate` takes what is found into the crate.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from fieldc.algorithms.towers import MULTIPLY, REDUCE
from fieldc.decisions.schedule import dump
from fieldc.machine.processors import host_processor
from fieldc.packages.rust.classes import CLASSES, EXTENSION, LAZY_CLASSES, PrimeClass
from fieldc.packages.rust.schedules import FOUND_ON, path_of, schedule_of
from fieldc.program import maintained
from fieldc.seeds import seed
from fieldc.tune.subject import of_class
from fieldc.tune.tuning import SearchPlan, tune_operation

AGAIN = 10
"""How often a disturbed end is measured again."""


def prime_class(text: str) -> tuple[PrimeClass, int]:
    """A class and a number of limbs from `fold_4`."""
    name, _, limbs = text.rpartition("_")
    classes = {c.name: c for c in (*CLASSES, *LAZY_CLASSES, EXTENSION)}
    if name not in classes or not limbs.isdigit() or int(limbs) not in classes[name].limbs:
        known = ", ".join(classes)
        raise argparse.ArgumentTypeError(f"{text!r} is no class_limbs; classes are {known}")
    return classes[name], int(limbs)


def main() -> int:
    """Search for each, and write its schedule. 1 where the processor is another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("classes", nargs="+", type=prime_class, metavar="CLASS_LIMBS")
    parser.add_argument("--op", type=lambda text: text.split(","), help="default: all it has")
    parser.add_argument("--time", type=float, default=60, metavar="SECONDS", help="for each")
    parser.add_argument("--seed", type=seed, default=1, metavar="N")
    arguments = parser.parse_args()
    processor = host_processor()
    variants = [v for v, key in FOUND_ON.items() if processor and processor.key == key]
    if not variants:
        known = ", ".join(FOUND_ON.values())
        print(f"the crate's schedules are for {known}, not for this processor", file=sys.stderr)
        return 1
    (variant,) = variants
    plan = SearchPlan(arguments.time, arguments.seed, say=say)
    for of, limbs in arguments.classes:
        own = [name for name, _ in of.algorithms]
        own += [MULTIPLY.operation, REDUCE.operation] if of is EXTENSION else []
        for operation in arguments.op or own:
            if operation not in own:
                parser.error(f"class {of.name} has no {operation} of its own; {', '.join(own)}")
            search(of, limbs, operation, variant, plan)
            if plan.stop.is_set():
                return 0
    return 0


def say(line: str) -> None:
    """A line of progress."""
    print(line, file=sys.stderr, flush=True)


def search(of: PrimeClass, limbs: int, operation: str, variant: str, plan: SearchPlan) -> None:
    """Search for one kernel, from the one that there is, and keep it if it is sound.

    Where the last duel or race was disturbed the search goes on for a while, to be measured again.
    """
    schedule = schedule_of(of, limbs, variant)
    subject = of_class(of, limbs, operation, variant)
    say(f"{of.name}, {limbs} limbs: {operation}, {variant}")
    entry = tune_operation(subject, plan, schedule.entry(operation))
    for _ in range(AGAIN):
        if not entry.measured["disturbed"]:
            path = path_of(of, limbs, variant)
            path.parent.mkdir(exist_ok=True)
            path.write_text(dump(schedule.with_entry(entry)), "utf-8")
            schedule_of.cache_clear()
            return
        entry = tune_operation(subject, replace(plan, seconds=plan.seconds / AGAIN), entry)
    say(f"{operation}: DISTURBED, not kept")


if __name__ == "__main__":
    sys.exit(maintained(main))
