"""Orders of AArch64 kernels that a search by the simulator found, as they ship with the package.

`python -m fieldc.tune.arm` writes them. Each has a digest of its code: where another version of
fieldc makes other code of the decisions, the order is not used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from fieldc.algorithms import choose
from fieldc.decisions.model import Figure, figure_of
from fieldc.decisions.schedule import file_name
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.processors import Processor
from fieldc.simulator.window import STEADY
from fieldc.targets.aarch64.kernel import ArmOrder
from fieldc.targets.aarch64.pace import Pace
from fieldc.targets.aarch64.permute import BrokenOrder
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.judge import Judge
from fieldc.words.rows import RowChoice, RowStyle

FOLDER = "arm"
"""Of these files, in that of the schedules."""


@dataclass(frozen=True)
class FoundOrder:
    """An order that a search found, and how to find it again."""

    operation: str
    algorithm: str
    order: ArmOrder
    digest: str
    seed: int
    tries: int

    def row(self) -> dict[str, object]:
        """The order as JSON has it."""
        order = self.order
        return {
            "op": self.operation,
            "algorithm": self.algorithm,
            "rows": order.rows.style.value,
            "distance": order.distance,
            "pace": None if order.pace is None else list(astuple(order.pace)),
            "shifts": order.shifts,
            "shifted_highs": order.shifted_highs,
            "sums_double": order.sums_double,
            "seed": self.seed,
            "tries": self.tries,
            "code": self.digest,
            "places": list(order.places),
        }


def of_row(row: Mapping[str, Any]) -> FoundOrder:
    """An order from JSON."""
    pace = None if row["pace"] is None else Pace(*row["pace"])
    order = ArmOrder(
        RowChoice(RowStyle(row["rows"])),
        row["distance"],
        pace,
        row["shifts"],
        row["shifted_highs"],
        row["sums_double"],
        tuple(row["places"]),
    )
    return FoundOrder(row["op"], row["algorithm"], order, row["code"], row["seed"], row["tries"])


def dumped(field: Field, processor: str, found: Sequence[FoundOrder]) -> str:
    """A file of orders: a line for each decision."""
    kernels = []
    for one in sorted(found, key=lambda one: one.operation):
        lines = (f'      "{name}": {json.dumps(value)}' for name, value in one.row().items())
        kernels.append("    {\n" + ",\n".join(lines) + "\n    }")
    head = f'  "p": "{field.p:#x}",\n  "processor": "{processor}",\n  "kernels": [\n'
    return "{\n" + head + ",\n".join(kernels) + "\n  ]\n}\n"


def path_of(field: Field, processor: str) -> Path:
    """Where the file of a field's orders lies in the checkout."""
    return Path(__file__).parent / "schedules" / FOLDER / file_name(field, processor)


def shipped_orders(field: Field, processor: str) -> tuple[FoundOrder, ...]:
    """The orders of a field's kernels on a processor; none where nothing ships."""
    folder = resources.files("fieldc.decisions").joinpath("schedules", FOLDER)
    file = folder.joinpath(file_name(field, processor))
    if field.word != 64 or not file.is_file():
        return ()
    data = json.loads(file.read_text("utf-8"))
    return tuple(map(of_row, data["kernels"])) if int(data["p"], 16) == field.p else ()


def digest_of_code(code: bytes) -> str:
    """SHA-256 of a kernel's bytes with its constants."""
    return hashlib.sha256(code).hexdigest()


def searched(
    judge: Judge,
    expressions: Sequence[Expression],
    variant: Variant,
    model: Processor,
    any_algorithm: bool = False,
) -> list[tuple[Choice, Figure]]:
    """The kernels in the orders that ship for a processor, with what is predicted of them.

    Of these expressions; with `any_algorithm` an order may be of another one, too.
    """
    found = []
    for one in shipped_orders(expressions[0].field, model.key):
        expression = _expression_of(one, expressions, any_algorithm)
        if expression is None:
            continue
        choice = Choice(expression, variant, one.order)
        try:
            code = judge.code(choice)
        except BrokenOrder:
            continue
        if digest_of_code(code) == one.digest:
            found.append((choice, figure_of(code, judge, model.key, STEADY)))
    return found


def _expression_of(
    one: FoundOrder, expressions: Sequence[Expression], any_algorithm: bool
) -> Expression | None:
    """The expression that an order is of; None where it is of none that may be taken."""
    if expressions[0].kernel.operation != one.operation:
        return None
    named = (e for e in expressions if e.kernel.algorithm == one.algorithm)
    found = next(named, None)
    if found is None and any_algorithm:
        return choose(expressions[0].field, one.operation, one.algorithm)
    return found
