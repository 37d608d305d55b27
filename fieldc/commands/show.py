"""fieldc show: everything derived from a modulus."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from fieldc.algorithms import (
    KERNELS,
    STUDIED,
    Applicability,
    applicability,
    representations,
)
from fieldc.algorithms.representations import Offer
from fieldc.algorithms.shapes import Shape, shapes
from fieldc.catalogue import find_field
from fieldc.commands.options import file
from fieldc.commands.progress import progress
from fieldc.commands.verb import FIELD, WORD, Answer, Table, UsageError, option, verb
from fieldc.commands.why import why
from fieldc.field import Field
from fieldc.properties import properties


def constants(field: Field) -> Table:
    """The derived constants of a field, to read."""
    w = field.word
    facts = properties(field.p)
    names = [("names", ", ".join(facts.names))] if facts.names else []
    group = [("generator", facts.generator)] if facts.generator else []
    kind = "full-bit" if field.spare_bits == 0 else "not full-bit"
    rows: list[tuple[object, ...]] = [
        *names,
        ("p", hex(field.p)),
        ("decimal", field.p),
        ("shape", facts.shape),
        ("bits", field.bits),
        ("limbs", f"{field.n} of {w} bits"),
        ("spare bits", f"{field.spare_bits} ({kind})"),
        ("R", f"2^{w * field.n}"),
        ("R mod p", hex(field.one)),
        ("R^2 mod p", hex(field.R2)),
        ("1/R mod p", hex(field.R_inverse)),
        (f"n0 = -1/p mod 2^{w}", hex(field.n0)),
        (f"mu = 2^-{w} mod p", hex(field.mu)),
        ("mu/p", f"{field.mu / field.p:.12g}"),
        ("two-adicity", f"{facts.two_adicity}: 2^{facts.two_adicity} divides p - 1"),
        ("root of unity", f"{facts.root_of_unity:#x}, of order 2^{facts.two_adicity}"),
        *group,
    ]
    return Table((), rows)


def constants_data(field: Field) -> dict[str, object]:
    """The derived constants of a field as JSON: residues in hexadecimal, sizes as numbers."""
    facts = properties(field.p)
    return {
        "field": field.label,
        "names": list(facts.names),
        "word": field.word,
        "p": hex(field.p),
        "decimal": str(field.p),
        "shape": facts.shape,
        "two_adicity": facts.two_adicity,
        "root_of_unity": hex(facts.root_of_unity),
        "generator": facts.generator,
        "bits": field.bits,
        "limbs": field.n,
        "spare_bits": field.spare_bits,
        "full_bit": field.spare_bits == 0,
        "R": hex(field.R),
        "R_mod_p": hex(field.one),
        "R2": hex(field.R2),
        "R_inverse": hex(field.R_inverse),
        "n0": hex(field.n0),
        "mu": hex(field.mu),
        "mu_over_p": field.mu / field.p,
    }


def algorithms(rows: Sequence[Applicability]) -> Table:
    """Which algorithms apply, with the bound before the last subtraction, and why not."""
    columns = ("op", "algorithm", "applies", "at most", "why not")
    shown = [
        (
            row.kernel.operation,
            row.kernel.algorithm,
            "yes" if row.applies else "no",
            row.bound,
            row.hint,
        )
        for row in rows
    ]
    return Table(columns, shown, "algorithms, and the bound before the last subtraction")


def algorithms_data(rows: Sequence[Applicability]) -> list[dict[str, object]]:
    """The same as JSON, with the whole reason."""
    return [
        {
            "op": row.kernel.operation,
            "algorithm": row.kernel.algorithm,
            "applies": row.applies,
            "bound": row.bound,
            "reason": row.reason,
        }
        for row in rows
    ]


def shape_table(found: Sequence[Shape]) -> Table:
    """What of the prime's form saves work."""
    rows = [(s.name, "yes" if s.applies else "no", s.reason) for s in found]
    return Table(("shape", "has it", "why"), rows, "shapes of the prime")


def representation_table(found: Sequence[Offer]) -> Table:
    """How residues may stand for numbers."""
    rows = [
        (o.representation.name, "yes" if o.applies else "no", o.representation.says, o.reason)
        for o in found
    ]
    return Table(("representation", "offered", "residues", "why not"), rows, "representations")


def shape_data(found: Sequence[Shape]) -> list[dict[str, object]]:
    """Shapes as JSON."""
    return [
        {"shape": s.name, "applies": s.applies, "reason": s.reason, "saves": s.saves} for s in found
    ]


def representation_data(found: Sequence[Offer]) -> list[dict[str, object]]:
    """Representations as JSON, with the algorithms of each part."""
    return [
        {
            "representation": o.representation.name,
            "applies": o.applies,
            "reason": o.reason,
            "operations": dict(o.representation.parts),
            "algorithms": {part: list(names) for part, names in o.algorithms.items()},
        }
        for o in found
    ]


@verb(
    FIELD,
    WORD,
    option(
        "--why",
        metavar="OP",
        help="what could be chosen for an operation, or as representation, the best first",
    ),
    option(
        "--formula",
        type=file,
        metavar="FILE.py",
        help="what the planner decides for the formulas of a file, with bounds; the file is run",
    ),
    option("--target", metavar="NAME", help="with --why: for a target (default this host)"),
    option("--processor", metavar="NAME", help="with --why: on a processor (default this host's)"),
)
def show(arguments: argparse.Namespace) -> Answer:
    """every derived constant of a field, and which algorithms its bounds allow"""
    field = find_field(arguments.field, int(arguments.word))
    if arguments.why is not None:
        if arguments.formula is not None:
            raise UsageError("--why and --formula are two questions; ask one at a time")
        with progress() as show:
            show("choose", 0, 1)  # a model of a processor may take long
            answer = why(field, arguments.why, arguments.target, arguments.processor)
            show("choose", 1, 1)
            return answer
    if arguments.target is not None or arguments.processor is not None:
        raise UsageError("--target and --processor go with --why OP")
    if arguments.formula is not None:
        from fieldc.commands.formula_plan import formula_plans

        return formula_plans(field, arguments.formula)
    rows = applicability(field, (*KERNELS, *STUDIED))
    found, ways = shapes(field), representations(field)
    data = {
        **constants_data(field),
        "shapes": shape_data(found),
        "representations": representation_data(ways),
        "algorithms": algorithms_data(rows),
    }
    tables = constants(field), shape_table(found), representation_table(ways), algorithms(rows)
    return Answer(tables, data)
