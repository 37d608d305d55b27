"""fieldc trace: the instructions that one call executes, and the memory it touches."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fieldc.catalogue import find_field
from fieldc.commands.code import (
    PROCESSOR,
    bounds_table,
    located,
    memory_table,
    opcode_table,
    shown_bounds,
)
from fieldc.commands.options import positive
from fieldc.commands.verb import Answer, Table, UsageError, one_of, option, verb
from fieldc.errors import quote
from fieldc.seeds import seed

if TYPE_CHECKING:
    from fieldc.lab.emulate import ExecutedInstruction, Moved
    from fieldc.lab.trace import Request, Trace

CONVENTIONS = ("sysv", "win64", "aapcs64")
MOST_DIGITS = 4096
"""Python reads no decimal number of many more."""
MOST_TEXT = 200_000
WHOLE = re.compile("0x[0-9a-f]+|[0-9]+", re.ASCII | re.IGNORECASE)


def number(text: str) -> int:
    """A whole number from 0 on, decimal or 0x..., for argparse."""
    if not WHOLE.fullmatch(text) or len(text) > MOST_TEXT:
        raise UsageError(f"{quote(text)} is no whole number such as 7 or 0x1f")
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    if len(text) > MOST_DIGITS:
        raise UsageError(f"{quote(text)} has {len(text)} digits, too many; write it as 0x...")
    return int(text)


def argument_list(text: str) -> tuple[str, ...]:
    """Arguments such as z,x,y,p,n0 or z,x,4,0x10, for argparse: numbers as they are passed."""
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise UsageError(f"{quote(text)} has an empty argument; use z,x,y with commas between")
    return tuple(word if _is_identifier(word) else hex(number(word)) for word in words)


def _is_identifier(word: str) -> bool:
    return word.isascii() and word.isidentifier()


@verb(
    option(
        "path",
        metavar="PATH:SYMBOL",
        help="a file of machine code (ELF, Mach-O, COFF, a static archive) and one of its "
        "functions, or part of a name that only one function has",
    ),
    option(
        "--arguments",
        type=argument_list,
        default=("z", "x", "y"),
        metavar="A,..",
        help="what the call takes: a name is the address of words (z: the result, p: the field's "
        "modulus), n the number of limbs, n0 -1/p mod 2^64, a number is itself (default z,x,y)",
    ),
    option("--x", type=number, metavar="X", help="the words at x, a number; else by the seed"),
    option("--y", type=number, metavar="Y", help="the words at y"),
    option("--a", type=number, metavar="A", help="the words at a, the third operand of mul_add"),
    option("--field", metavar="FIELD", help="draw operands below this prime; for p, n and n0"),
    option("--limbs", type=positive, metavar="N", help="words of each operand without a field"),
    option("--seed", type=seed, default=1, metavar="N", help="seed of the operands (default 1)"),
    option(
        "--limit",
        type=positive,
        default=100_000,
        metavar="N",
        help="refuse a call of more instructions (default 100000)",
    ),
    option(
        "--convention",
        type=one_of("convention", *CONVENTIONS),
        help=f"{' or '.join(CONVENTIONS)} (default: that of the file's system)",
    ),
    option("--summary", action="store_true", help="leave the instructions out"),
    PROCESSOR,
)
def trace(arguments: argparse.Namespace) -> Answer:
    """the instructions that one call executes, and the memory it touches"""
    from fieldc.counting.functions import open_file
    from fieldc.lab.trace import check_size
    from fieldc.lab.trace import trace as run

    path, symbol = located(arguments.path)
    if not symbol:
        raise UsageError("trace needs PATH:SYMBOL; fieldc count PATH lists the functions")
    file = open_file(path)
    member, routine = file.find(symbol)
    asked = request(arguments)
    found = run(file.link(member), routine, asked)
    check_size(found, asked)
    bounds = shown_bounds(found.count, arguments.processor)
    tables = [] if arguments.summary else [steps_table(found)]
    tables += [
        Table((), [*summary(found), *notes(asked)], "the call"),
        opcode_table(found.count),
        memory_table(found.moved(False), found.moved(True), "memory, with push, pop, call and ret"),
        bounds_table(bounds),
    ]
    data = {
        "symbol": routine.name,
        "file": str(path),
        "member": member,
        **found.row(),
        "bounds": [limits.row() for limits in bounds],
        "executed": [] if arguments.summary else list(rows(found)),
    }
    return Answer(tuple(tables), data)


def request(arguments: argparse.Namespace) -> Request:
    """The call that a command line describes."""
    from fieldc.lab.trace import Request

    given = [(name, getattr(arguments, name)) for name in ("x", "y", "a")]
    return Request(
        arguments.arguments,
        tuple((name, value) for name, value in given if value is not None),
        find_field(arguments.field) if arguments.field is not None else None,
        arguments.limbs or 0,
        arguments.seed,
        arguments.limit,
        arguments.convention or "",
    )


def steps_table(found: Trace) -> Table:
    """Every executed instruction."""
    shown = [
        (
            f"{step.instruction.address:#x}",
            found.linked.name_of(step.instruction.address),
            step.instruction.text,
            memory(found, step),
        )
        for step in found.steps
    ]
    columns = ("address", "place", "instruction", "memory")
    return Table(columns, shown, found.routine.name, optional=("place",))


def memory(found: Trace, step: ExecutedInstruction) -> str:
    """What a step read and wrote."""
    parts = [f"{found.place_of(m.address)} = {m.value:#x}" for m in step.reads]
    parts += [f"{found.place_of(m.address)} := {m.value:#x}" for m in step.writes]
    return ", ".join(parts)


def summary(found: Trace) -> list[tuple[object, ...]]:
    """The figures of a call, one a line."""
    distinct = len({step.instruction.address for step in found.steps})
    result = ", ".join(f"{word:#x}" for word in found.result) or "nothing"
    return [
        ("instructions", f"{found.count.instructions}, {distinct} of them different"),
        *((f"  {kind}", times) for kind, times in found.count.by_kind().items()),
        ("functions", ", ".join(found.functions)),
        ("written to z", result),
        ("returned", f"{found.returned:#x}"),
    ]


def notes(asked: Request) -> list[tuple[object, ...]]:
    """What is unusual about a call's operands: most kernels of a field take residues below p."""
    if asked.field is None:
        return []
    return [
        ("note", f"{name} is not below p; a kernel that takes residues may give anything")
        for name, value in asked.values
        if value >= asked.field.p
    ]


def rows(found: Trace) -> Iterable[dict[str, object]]:
    """Every executed instruction for programs."""
    for step in found.steps:
        one = step.instruction
        yield {
            "address": one.address,
            "place": found.linked.name_of(one.address),
            "opcode": one.mnemonic,
            "operands": one.operands,
            "reads": [_moved(m) for m in step.reads],
            "writes": [_moved(m) for m in step.writes],
        }


def _moved(moved: Moved) -> dict[str, object]:
    return {"address": moved.address, "width": 8 * moved.size, "value": hex(moved.value)}
