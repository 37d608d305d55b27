"""What the words of several verbs mean: lists of names, numbers, files, targets."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.algorithms import FUSED, KERNELS, OPERATIONS, STUDIED, STUDIED_OPERATIONS
from fieldc.algorithms.columns import INNER
from fieldc.commands.verb import UsageError, one_of, option, unknown
from fieldc.errors import quote
from fieldc.field import Field
from fieldc.seeds import seed

if TYPE_CHECKING:
    from fieldc.language import Expression
    from fieldc.targets.target import Target
    from fieldc.targets.vectors.target import VectorTarget

ALL = "all"
ON_ARRAYS = ("butterfly", INNER)
"""The operations that kernels on arrays alone have."""
BUILT = tuple(dict.fromkeys((*OPERATIONS, *STUDIED_OPERATIONS, *ON_ARRAYS)))
"""The operations that have kernels of ours."""
TUNED = ("mul", "square")
"""The operations that tune takes where none is named."""
DIVSTEP_MATRIX = "divstep_matrix"
"""The operation on integers, which is the same for all primes."""
PICTURES = (".svg", ".png")
MOST = 1_000_000
"""Of what `positive` reads."""


def listed(text: str, what: str) -> list[str]:
    """The names in a text with commas between, each once. Raises UsageError if one is empty."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise UsageError(f"{quote(text)} has an empty {what}; use {what}s with commas between")
    return list(dict.fromkeys(found))


def names(what: str, known: Sequence[str], every: Sequence[str] = ()) -> Callable[[str], list[str]]:
    """A type for argparse: names such as mul,square, each once; `all` stands for `every`."""
    check = one_of(what, *known, *([ALL] if every else []))

    def parse(text: str) -> list[str]:
        return with_all([check(name) for name in listed(text, what)], every)

    return parse


def with_all(named: Sequence[str], every: Sequence[str]) -> list[str]:
    """The names, each once, with `every` in place of the word `all`."""
    return list(dict.fromkeys(n for name in named for n in (every if name == ALL else [name])))


def operation_list(text: str) -> list[str]:
    """A type for argparse: operations such as mul,square, each once; `all` stays that word.

    Names that are unknown are left to `check_operations`, which knows what they are for.
    """
    return listed(text, "operation")


algorithm_list = names(
    "algorithm", list(dict.fromkeys(k.algorithm for k in (*KERNELS, *FUSED, *STUDIED))), [ALL]
)
"""Algorithms from `cios,sos`, or `all`, which stays that word."""


def check_operations(arguments: argparse.Namespace, known: Sequence[str]) -> None:
    """Raise UsageError for an unknown operation, and for one of arrays without --batch."""
    for name in arguments.op or ():
        if name not in known and name != ALL:
            from fieldc.targets.vectors.offers import BATCHED

            others = (*BATCHED, INNER) if arguments.batch else known
            raise UsageError(unknown("operation", name, others))
        if name in ON_ARRAYS and not arguments.batch:
            raise UsageError(f"{name} is an operation on arrays; add --batch")


def array_operations(
    field: Field, named: Sequence[str] | None, targets: Sequence[VectorTarget]
) -> list[str]:
    """The operations that are named; for none or `all`, those that some of the targets have.

    Raises UsageError for another one.
    """
    from fieldc.targets.vectors.offers import BATCHED

    for name in named or ():
        if name not in (*BATCHED, INNER, ALL):
            known = ", ".join((*BATCHED, INNER))
            raise UsageError(f"{name} has no kernel on arrays; there is {known}")
    if named and ALL not in named:
        return list(named)
    has_sums = any(target.has_sums(field) for target in targets)
    return with_all(named or [ALL], [*BATCHED, *([INNER] if has_sums else [])])


def positive(text: str) -> int:
    """A whole number above 0 for argparse."""
    digits = text.lstrip("0")
    is_short = text.isascii() and digits.isdigit() and len(digits) <= len(str(MOST))
    if not is_short or int(digits) > MOST:
        raise UsageError(f"{quote(text)} is not a whole number from 1 to {MOST}")
    return int(digits)


def folder(text: str) -> Path:
    """The path of a folder for argparse.

    The system finds nothing behind a folder that is not there, as in `build/../mine` before there
    is a build. Such a path is resolved here: what it means is looked at before it is replaced.
    """
    if not text.strip() or "\0" in text:
        raise UsageError(f"{quote(text)} is not the name of a folder; use -o DIR")
    path = Path(text)
    try:
        is_there = path.exists()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{quote(text)} is too long for the name of a folder") from None
        return path
    is_plain = is_there or os.pardir not in path.parts
    return path if is_plain else Path(os.path.relpath(os.path.realpath(path)))


def file(text: str) -> Path:
    """The path of a file for argparse."""
    if not text.strip() or "\0" in text:
        raise UsageError(f"{quote(text)} is not the name of a file; name one")
    if text.endswith(("/", os.sep)):
        raise UsageError(f"{quote(text)} is the name of a folder; name a file")
    return Path(text)


def picture(text: str) -> Path:
    """The path of a picture for argparse."""
    return ending(file(text), PICTURES, "picture")


def ending(path: Path, endings: Sequence[str], what: str) -> Path:
    """The path of a file, whose name must end so and be more. Raises UsageError."""
    if path.suffix in endings:
        return path
    said = f"{quote(str(path))} is no {what}"
    if path.name in endings:
        raise UsageError(f"{said}: that is only the ending of a name; put a name before it")
    raise UsageError(f"{said}; its name ends in {' or '.join(endings)}")


SEED = option(
    "--seed", type=seed, default=1, metavar="N", help="seed of inputs and order (default 1)"
)

MOVING = "moving"
OPERANDS = option(
    "--operands",
    type=one_of("mode", MOVING, "fixed"),
    default=MOVING,
    metavar="MODE",
    help="throughput with moving operands (default: each call has another cell of a ring of 16 for"
    " operands and result), or with fixed ones, which flatter",
)


def targets_of(field: Field, text: str, expressions: Sequence[Expression] = ()) -> list[Target]:
    """Targets from `x86_64-linux,c`, or all that make these kernels. Raises UserError."""
    from fieldc.targets.registry import TARGETS, UnknownTarget, find_target

    chosen = listed(text, "target")
    try:
        named = [find_target(name) for name in chosen if name != ALL]
    except UnknownTarget:
        check_not_of_arrays(chosen)
        raise
    for target in named:
        if field.word not in target.words:
            need = target.words[0]
            raise UsageError(f"target {target.name} has {need}-bit words; use --word {need}")
    if ALL in chosen:
        able = (target for target in TARGETS.values() if all(map(target.can, expressions)))
        every = [target for target in able if field.word in target.words]
        return [*every, *(target for target in named if target not in every)]
    return named


def check_not_of_arrays(targets: Sequence[str]) -> None:
    """Raise UsageError for a target that only kernels on arrays have."""
    from fieldc.targets.array_targets import ARRAY_TARGETS

    for name in ARRAY_TARGETS:
        if name in targets:
            raise UsageError(f"{name} is a target of kernels on arrays, of fieldc build --batch")


def check_processor(field: Field, targets: Sequence[Target], processor: str | None) -> None:
    """Raise UsageError for a processor by which no kernel of these targets is chosen.

    Raises UnknownProcessor.
    """
    from fieldc.machine.processors import find_processor, processors_of

    if processor is None:
        return
    architecture = find_processor(processor).architecture
    judged = [target for target in targets if target.judge_of(field.word)]
    if not judged:
        raise UsageError(f"no processor decides for {targets[0].name}; leave out --processor")
    if architecture not in (target.architecture for target in judged):
        known = ", ".join(p.key for p in processors_of(judged[0].architecture))
        raise UsageError(f"{processor} does not run {judged[0].name}; use {known}")


def check_schedule(targets: Sequence[Target]) -> None:
    """Raise UsageError where no target's kernels are made by a schedule."""
    if not any(target.judge and target.judge.takes_schedules for target in targets):
        names = ", ".join(target.name for target in targets)
        raise UsageError(f"schedules are for x86-64 kernels of our own, not for {names}")


def one_target(field: Field, text: str | None) -> Target:
    """The target that was named, or this host. Raises UserError where several are."""
    from fieldc.targets.registry import host_target

    found = targets_of(field, host_target() if text is None else text)
    if len(found) > 1:
        raise UsageError(f"{quote(str(text))} is more than one target; name one with --target")
    return found[0]
