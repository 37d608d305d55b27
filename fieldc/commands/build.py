"""fieldc build: kernels, headers and a manifest for a field."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.algorithms import (
    OPERATIONS,
    STUDIED_OPERATIONS,
    choose,
    every_kernel_for,
    representations,
)
from fieldc.algorithms.representations import MONTGOMERY, PLAIN, REPRESENTATIONS, SAME
from fieldc.catalogue import find_field
from fieldc.commands.build_others import build_batch, build_divstep_matrix
from fieldc.commands.extras import OPTIONS as EXTRAS
from fieldc.commands.extras import extras_of, with_extras
from fieldc.commands.figures import short
from fieldc.commands.named_schedule import algorithm_of, schedule_of, schedule_of_formulas
from fieldc.commands.options import (
    BUILT,
    DIVSTEP_MATRIX,
    check_operations,
    check_processor,
    file,
    folder,
    listed,
    operation_list,
    targets_of,
    with_all,
)
from fieldc.commands.progress import progress
from fieldc.commands.verb import FIELD, WORD, Answer, Table, UsageError, one_of, option, verb
from fieldc.errors import counted, enumerated, quote
from fieldc.field import Field
from fieldc.progress import shown_choices

if TYPE_CHECKING:
    from fieldc.algorithms.representations import Representation
    from fieldc.decisions.decision import Decision
    from fieldc.decisions.schedule import Schedule
    from fieldc.formulas.formula import Formula
    from fieldc.progress import Progress
    from fieldc.targets.target import Artifact

    Built = tuple[Sequence[Artifact], dict[str, object]]


PACKAGES = ("c", "js", "rust")
NAMES, FASTEST = tuple(r.name for r in REPRESENTATIONS), "fastest"


@verb(
    FIELD,
    WORD,
    option(
        "--op",
        type=operation_list,
        metavar="OP,..",
        help=f"operations (default all): {', '.join(OPERATIONS)}",
    ),
    option("--target", metavar="NAME,..", help="targets, or all (default this host)"),
    option(
        "--formula",
        type=file,
        metavar="FILE.py",
        help="the formulas of a file instead of operations; the file is Python, and it is run",
    ),
    option("--algorithm", metavar="NAME", help="instead of the first whose bounds hold"),
    option(
        "--schedule",
        type=file,
        metavar="FILE",
        help="a file of fieldc tune, for the operations it has; or the processor of a shipped one",
    ),
    option(
        "--processor",
        metavar="NAME",
        help="choose kernels for this processor (fieldc list processors; default this host's, for"
        " packages one for each path)",
    ),
    option(
        "--representation",
        type=one_of("representation", *NAMES, FASTEST),
        metavar="NAME",
        help="which operations are built unless --op names some: those of Montgomery form"
        " (default), of plain residues, or of the fastest of both (default of --package)",
    ),
    option(
        "--package",
        type=one_of("package", *PACKAGES),
        metavar="c|js|rust",
        help="a ready package instead, with what its interface needs",
    ),
    option(
        "--traits",
        type=partial(listed, what="trait"),
        metavar="NAME,..",
        help="for --package rust: traits of other crates, such as ff,subtle",
    ),
    option(
        "--no-cache",
        action="store_true",
        help="prove everything again: recall no proof of earlier builds, and remember none",
    ),
    option(
        "--batch",
        action="store_true",
        help="kernels on arrays instead, in every layout; targets: avx512ifma, avx512f, avx2, or"
        " all (default the fastest that this processor runs)",
    ),
    *EXTRAS,
    option(
        "-o",
        dest="folder",
        type=folder,
        required=True,
        metavar="DIR",
        help="where to write; an earlier build there, of this prime and kind, is replaced",
    ),
)
def build(arguments: argparse.Namespace) -> Answer:
    """kernels, headers and manifest.json for a field, checked"""
    field, folder = find_field(arguments.field, int(arguments.word)), arguments.folder
    check_operations(arguments, (*BUILT, DIVSTEP_MATRIX))
    extras_of(arguments)
    if arguments.traits and arguments.package != "rust":
        raise UsageError("--traits goes with --package rust")
    if arguments.no_cache:
        from fieldc.artifacts import cache

        cache.turn_off()
    if arguments.batch:
        return build_batch(field, folder, arguments)
    if DIVSTEP_MATRIX in (arguments.op or ()):
        return build_divstep_matrix(field, folder, arguments)
    make = build_kernels if arguments.package is None else build_package
    artifacts, data = make(field, folder, arguments)
    rows = [
        (k["op"], k["algorithm"], k["target"], k["variant"], k["object"] or k["file"], k["status"])
        for k in (artifact.row() for artifact in artifacts)
    ]
    columns = ("op", "algorithm", "target", "variant", "file", "status")
    title = f"{short(field.label)}: {counted(len(artifacts), 'kernel')} in {folder}"
    table = Table(columns, rows, title, optional=("target", "variant"))
    said = str(data.get("checked", ""))
    return Answer((table,), data, conclusion=(said,) if said else ())


def build_kernels(field: Field, folder: Path, arguments: argparse.Namespace) -> Built:
    """Kernels for targets."""
    from fieldc.artifacts.write import build_folder, check_writable

    check_writable(folder, field)
    if arguments.formula is not None:
        with progress() as show:
            choices = choices_of_formulas(field, arguments)
            found = with_extras([*shown_choices(choices, show)], extras_of(arguments))
            return build_folder(field, found, folder, show)
    named = with_all(arguments.op or (), OPERATIONS)
    operations = named or operations_of(arguments.algorithm)
    if arguments.representation is not None:
        operations = represented(field, arguments)
    targets = targets_of(field, target_of(arguments))
    schedule = schedule_of(field, arguments.schedule, operations, targets)
    check_processor(field, targets, arguments.processor)
    algorithms = {o: algorithm_of(schedule, o, arguments.algorithm) for o in operations}
    with progress() as show:
        found = decided(
            field,
            algorithms,
            target_of(arguments),
            processor=arguments.processor,
            schedule=schedule,
            show=show,
        )
        found = with_extras(found, extras_of(arguments))
        return build_folder(field, found, folder, show)


def choices_of_formulas(
    field: Field, arguments: argparse.Namespace
) -> list[Callable[[], Decision]]:
    """What decides for the formulas of a file. Raises FormulaError, UsageError."""
    from fieldc.decisions.formulas import decide_formula, straight_lines
    from fieldc.formulas.load import load_formulas

    for name in ("op", "algorithm", "representation"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--formula names what is built; leave out --{name}")
    formulas = [one.over(field) for one in load_formulas(arguments.formula)]
    lines = [straight_lines(field, formula)[0] for formula in formulas]
    targets = targets_of(field, target_of(arguments), lines)
    check_processor(field, targets, arguments.processor)
    for target in targets:
        if not all(map(target.can, lines)):
            raise UsageError(f"target {target.name} makes no formulas; --package js calls kernels")
    schedule = schedule_of_formulas(field, arguments.schedule, arguments.formula, formulas, targets)
    return [
        partial(decide_formula, field, formula, target, arguments.processor, schedule)
        for target in targets
        for formula in formulas
    ]


def target_of(arguments: argparse.Namespace) -> str:
    """What --target says, or this host."""
    from fieldc.targets.registry import host_target

    return host_target() if arguments.target is None else str(arguments.target)


def represented(field: Field, arguments: argparse.Namespace) -> list[str]:
    """The operations of a representation. Raises UsageError where the prime cannot have it."""
    from fieldc.decisions.representation import judged

    if arguments.op or arguments.algorithm:
        raise UsageError("--representation chooses operations; leave out --op and --algorithm")
    if arguments.representation != FASTEST:
        found = offered(field, arguments.representation)
    else:
        first = targets_of(field, target_of(arguments))[0]
        found = judged(field, first, arguments.processor)[0].representation
    return [*SAME, *found.parts.values()]


def offered(field: Field, name: str) -> Representation:
    """The representation of a name. Raises UsageError where the prime cannot have it."""
    found = next(o for o in representations(field) if o.representation.name == name)
    if not found.applies:
        reason = f"{found.reason}; use --representation {MONTGOMERY.name}"
        raise UsageError(f"no {name} residues: {reason}")
    return found.representation


def decided(
    field: Field,
    algorithms: Mapping[str, str | None],
    targets: str,
    processor: str | None = None,
    schedule: Schedule | None = None,
    show: Progress = lambda *_: None,
) -> list[Decision]:
    """What is decided for operations, with the algorithms that were named, on targets."""
    from fieldc.decisions.preferred import preferred

    first = [choose(field, operation, algorithm) for operation, algorithm in algorithms.items()]
    choices = [
        partial(preferred, field, operation, target, processor, algorithm, schedule)
        for target in targets_of(field, targets, first)
        for operation, algorithm in algorithms.items()
    ]
    return [*shown_choices(choices, show)]


def build_package(field: Field, folder: Path, arguments: argparse.Namespace) -> Built:
    """A package, which has all that its interface needs and nothing else. Raises UsageError."""
    refused = ["op", "target", "algorithm", "schedule", "processor", "representation"]
    refused += ["traits"]
    own = {
        "rust": ("processor", "traits", "representation"),
        "c": ("representation",),
        "js": ("representation",),
    }
    for name in (name for name in refused if name not in own[arguments.package]):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--package {arguments.package} chooses by itself; leave out --{name}")
    if field.word != 64:
        raise UsageError(f"--package {arguments.package} has 64-bit limbs; leave out --word")
    from fieldc.packages.c.package import build_package as build_c
    from fieldc.packages.c.package import fastest as fastest_in_c
    from fieldc.packages.js.module import fastest as fastest_in_js
    from fieldc.packages.js.package import build_package as build_js
    from fieldc.packages.rust.cargo import check_traits
    from fieldc.packages.rust.own_kernels import TARGET
    from fieldc.packages.rust.package import build_package as build_rust

    formulas = formulas_of(field, arguments)
    name = arguments.representation or FASTEST
    if formulas and arguments.package != "js":
        if name not in (MONTGOMERY.name, FASTEST):
            raise UsageError(f"formulas are of Montgomery form; leave out --representation {name}")
        name = MONTGOMERY.name
    command = command_of(field, arguments)
    if arguments.package == "rust":
        check_processor(field, [TARGET], arguments.processor)
        traits = arguments.traits or ()
        check_traits(traits)
        r = in_rust(field, name, arguments.processor)
        with progress() as show:
            return build_rust(
                field, folder, show, r, command, arguments.processor, traits, formulas
            )
    make, fastest = (
        (build_js, fastest_in_js) if arguments.package == "js" else (build_c, fastest_in_c)
    )
    with progress() as show:
        show("choose a representation", 0, 1)  # takes half a minute at 17 limbs
        found = fastest(field) if name == FASTEST else offered(field, name)
        show("choose a representation", 1, 1)
        return make(field, folder, show, found, command, formulas)


def in_rust(field: Field, name: str, processor: str | None) -> Representation:
    """The representation of a Rust package. Raises UsageError where the prime cannot have it."""
    from fieldc.decisions.representation import OF_PACKAGES
    from fieldc.packages.rust.own_kernels import TARGET
    from fieldc.packages.rust.package import check_length
    from fieldc.packages.rust.plain import fastest, why_not_plain

    check_length(field)
    if name == FASTEST:
        return fastest(field, TARGET, processor or OF_PACKAGES)
    found = offered(field, name)
    if found is PLAIN and (reason := why_not_plain(field)):
        raise UsageError(
            f"--package rust has no plain residues: {reason}; "
            f"use --representation {MONTGOMERY.name} or --package c"
        )
    return found


def command_of(field: Field, arguments: argparse.Namespace) -> str:
    """The command that makes a package again."""
    from fieldc.targets.header import in_comment

    words = ["fieldc", "build", field.label, "--package", arguments.package]
    if arguments.formula is not None:
        words += ["--formula", quote(str(arguments.formula))]
    if arguments.representation is not None:
        words += ["--representation", arguments.representation]
    if arguments.traits:
        words += ["--traits", ",".join(arguments.traits)]
    return in_comment(" ".join([*words, "-o", "DIR"]))


def formulas_of(field: Field, arguments: argparse.Namespace) -> list[Formula]:
    """The formulas of a file, if one was named. Raises FormulaError."""
    if arguments.formula is None:
        return []
    from fieldc.formulas.load import load_formulas

    formulas = [one.over(field) for one in load_formulas(arguments.formula)]
    for formula in formulas:
        formula.check(field)
    return formulas


def operations_of(algorithm: str | None) -> Sequence[str]:
    """The operations that are built where none is named: those that have the named algorithm."""
    if algorithm is None:
        return OPERATIONS
    found = having(algorithm, OPERATIONS)
    if not found and (others := having(algorithm, STUDIED_OPERATIONS)):
        raise UsageError(
            f"{algorithm} is an algorithm of {enumerated(others)}; add --op {others[0]}"
        )
    known = list(dict.fromkeys(k.algorithm for op in OPERATIONS for k in every_kernel_for(op)))
    one_of("algorithm", *known)(algorithm)
    return found


def having(algorithm: str, operations: Sequence[str]) -> list[str]:
    """The operations that have an algorithm of that name."""
    return [op for op in operations if algorithm in {k.algorithm for k in every_kernel_for(op)}]
