"""fieldc bench: race backends and algorithms in one interleaved run."""

from __future__ import annotations

import argparse

from fieldc.algorithms import OPERATIONS
from fieldc.catalogue import find_field
from fieldc.commands.batch import ELEMENTS, batch
from fieldc.commands.goals import all_goals
from fieldc.commands.options import (
    ALL,
    BUILT,
    OPERANDS,
    SEED,
    algorithm_list,
    check_operations,
    file,
    operation_list,
    picture,
    positive,
    with_all,
)
from fieldc.commands.progress import progress
from fieldc.commands.races import check_drawing, conclusion, failure_to_draw, race_tables
from fieldc.commands.verb import WORD, Answer, UsageError, option, verb
from fieldc.field import Field
from fieldc.files import check_file
from fieldc.lab import peers

NAMED = tuple(dict.fromkeys((*BUILT, *peers.OPERATIONS)))
"""The operations that --op may name."""


@verb(
    option("field", metavar="FIELD", nargs="?", help="a name, a number, an expression or a file"),
    WORD,
    option(
        "--op",
        type=operation_list,
        metavar="OP,..",
        help=f"operations, or all: {', '.join(OPERATIONS)} (default mul,square,add,sub);"
        f" of the peers: {', '.join(peers.OPERATIONS)}",
    ),
    option(
        "--algorithm",
        type=algorithm_list,
        default=[],
        metavar="NAME,..",
        help="algorithms, or all (fieldc list algorithms); default those that are built",
    ),
    option(
        "--formula",
        type=file,
        metavar="FILE.py",
        help="the formulas of a file instead of operations; the file is Python, and it is run",
    ),
    option("--rounds", type=positive, default=60, metavar="N", help="rounds (default 60)"),
    SEED,
    OPERANDS,
    option(
        "--peers",
        action="store_true",
        help="also run crates/race, for which cargo compiles the libraries of others, the first"
        " time for minutes",
    ),
    option("--plot", metavar="FILE", type=picture, help="draw the rows, as .svg or .png"),
    option(
        "--batch",
        action="store_true",
        help="kernels on arrays instead, in each layout, against our scalar kernel in a loop;"
        " without --algorithm, --operands, --peers and --plot",
    ),
    option(
        "--elements",
        type=positive,
        metavar="N",
        help=f"with --batch: the length of the arrays (default {ELEMENTS})",
    ),
    option(
        "--all-goals",
        action="store_true",
        help="in place of FIELD: what the kernels must reach, PASS or the shortfall of each",
    ),
)
def bench(arguments: argparse.Namespace) -> Answer:
    """race backends and algorithms in one interleaved run"""
    from fieldc.lab.race import run_race

    _check(arguments)
    if arguments.batch:
        return batch(arguments)
    if arguments.plot:
        check_file(arguments.plot)
        check_drawing()
    if arguments.all_goals:
        return all_goals(arguments.rounds, arguments.seed, arguments.operands)
    field = find_field(arguments.field, int(arguments.word))
    if arguments.formula:
        return _formulas(field, arguments)
    rounds, seed = arguments.rounds, arguments.seed
    own, foreign = _operations(arguments)
    if arguments.peers and seed not in peers.SEEDS:
        raise UsageError(f"with --peers a seed is from 1 to {peers.SEEDS[-1]}")
    report = None
    if own:
        with progress() as show:
            report = run_race(
                *(field, own, rounds, seed, show),
                algorithms=arguments.algorithm,
                operands=arguments.operands,
            )
    others = peers.Peers()
    if arguments.peers:
        others = peers.race_peers(field, foreign, rounds, seed, arguments.operands)
    data = [*(report.data() if report else ()), *others.data]
    unwritten = failure_to_draw(data, arguments.plot) if arguments.plot else None
    said = conclusion(report)
    return Answer(race_tables(report, others), data, conclusion=said, unwritten=unwritten)


def _check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options that do not go together."""
    if arguments.all_goals != (arguments.field is None):
        raise UsageError("name either a FIELD or --all-goals; see fieldc bench --help")
    if arguments.all_goals:
        _check_goals(arguments)
    check_operations(arguments, NAMED)
    if arguments.elements and not arguments.batch:
        raise UsageError("--elements is the length of the arrays of --batch; add it")
    if arguments.formula and arguments.batch:
        raise UsageError("--formula names what is raced; leave out --batch")


def _formulas(field: Field, arguments: argparse.Namespace) -> Answer:
    """Races the formulas of a file. Raises FormulaError, UsageError."""
    from fieldc.formulas.load import load_formulas
    from fieldc.lab.formula_race import race_formulas

    for name in ("op", "algorithm", "peers"):
        if getattr(arguments, name):
            raise UsageError(f"--formula names what is raced; leave out --{name}")
    if field.word != 64:
        raise UsageError("kernels of formulas have words of 64 bits; leave out --word 32")
    formulas = load_formulas(arguments.formula)
    with progress() as show:
        rounds, seed = arguments.rounds, arguments.seed
        report = race_formulas(field, formulas, rounds, seed, show, arguments.operands)
    data = report.data()
    unwritten = failure_to_draw(data, arguments.plot) if arguments.plot else None
    said = conclusion(report)
    return Answer(race_tables(report), data, conclusion=said, unwritten=unwritten)


def _check_goals(arguments: argparse.Namespace) -> None:
    """Raise UsageError for an option that the goals do not take."""
    given = {
        "--word": arguments.word != "64",
        "--op": arguments.op,
        "--algorithm": arguments.algorithm,
        "--formula": arguments.formula,
        "--peers": arguments.peers,
        "--plot": arguments.plot,
        "--batch": arguments.batch,
        "--elements": arguments.elements,
    }
    for name, value in given.items():
        if value:
            raise UsageError(f"--all-goals has operations and fields of its own; leave out {name}")


def _operations(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The operations of our own race, and those of the peers'."""
    from fieldc.lab.race import DEFAULT_OPERATIONS

    chosen = arguments.op or (["mul"] if arguments.algorithm else DEFAULT_OPERATIONS)
    for name in chosen:
        if name not in (*BUILT, ALL) and not arguments.peers:
            raise UsageError(f"{name} is an operation of the peers; add --peers")
    own = [name for name in with_all(chosen, OPERATIONS) if name in BUILT]
    foreign = with_all(chosen, peers.OPERATIONS)
    return own, [name for name in foreign if name in peers.OPERATIONS]
