"""Schedules: the decisions that make a tuned kernel, as a small file of JSON.

Decisions determine the bytes; figures beside them are a record of one run on one processor. The
passes of the compiler apply them, so a schedule holds no code: it has a digest of the code it gave,
and where the compiler no longer gives that, the schedule is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from fieldc.catalogue import wrong_label
from fieldc.errors import UserError, nearest, quote, shorten
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.processors import processors
from fieldc.reading import NotText, json_in, read_text
from fieldc.targets.header import field_symbol
from fieldc.targets.judge import NotCompiled
from fieldc.targets.x86_64.choices import PLAIN, VARIANTS, Choices, Refinement
from fieldc.targets.x86_64.conventions import GENERAL
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.order import OrderError
from fieldc.targets.x86_64.plan import Plan
from fieldc.words.rows import RowChoice, RowStyle

VERSION = 1
FORMULAS = "formulas"
"""The folder of shipped schedules of formulas: a name there means no operation of the catalogue."""
FREE_ORDER = ("mul", "add")
"""Operations whose operands may be exchanged."""
ALLOWED: dict[str, tuple[str, ...]] = {
    "variant": tuple(VARIANTS),
    "clear": ("needed", "product", "all"),
    "zero": ("memory", "register"),
    "constants": ("rip", "register"),
    "quotient": ("mulx", "imul"),
    "scanned": ("y", "x"),
    "loads": ("folded", "first", "kept"),
    "selected": ("difference", "sum"),
    "complements": ("late", "early"),
    "literals": ("memory", "many"),
}
"""The values of each choice but the rows."""
NEW = {"complements": "late", "literals": "memory"}
"""Choices that older schedules do not name, as these had them."""


class ScheduleError(UserError):
    """A schedule cannot be read or applied; the message is one line."""


class NotShipped(ScheduleError):
    """No schedule of a field on a processor comes with the package; the message is one line."""


@dataclass(frozen=True)
class Decisions:
    """Everything that makes one kernel from one operation of one field."""

    algorithm: str
    choices: Choices
    refinement: Refinement = PLAIN


@dataclass(frozen=True)
class TunedKernel:
    """The decisions for one operation, the digest of their code, and what was measured."""

    operation: str
    decisions: Decisions
    digest: str
    measured: Mapping[str, Any] = field(default_factory=dict)

    def plan(self, expression: Expression) -> Plan:
        """The plan of the tuned kernel. Raises ScheduleError where it is not the one tuned."""
        if expression.kernel.algorithm != self.decisions.algorithm:
            raise ScheduleError(
                f"the schedule's {self.operation} is {self.decisions.algorithm},"
                f" not {expression.kernel.algorithm}"
            )
        plan = Plan(self.decisions.choices, self.decisions.refinement)
        try:
            self.require(plan.compile(expression, "kernel"))
        except (NotCompiled, OrderError) as error:
            what = f"the schedule's {self.operation} makes no kernel: {error}"
            raise ScheduleError(what) from None
        return plan

    def compile(self, expression: Expression, symbol: str) -> X86Kernel:
        """The tuned kernel, by System V. Raises ScheduleError where it is not the one tuned."""
        return self.plan(expression).compile(expression, symbol)

    def require(self, kernel: X86Kernel) -> None:
        """Raises ScheduleError for a kernel that is not the one that was tuned."""
        if digest_of(kernel) != self.digest:
            raise ScheduleError(
                f"the schedule's {self.operation} is of another version of fieldc;"
                " run fieldc tune again"
            )


@dataclass(frozen=True)
class Schedule:
    """The tuned kernels of one field on one processor."""

    label: str
    p: int
    processor: str
    entries: tuple[TunedKernel, ...] = ()

    def entry(self, operation: str) -> TunedKernel | None:
        """The entry of an operation, if there is one."""
        return next((e for e in self.entries if e.operation == operation), None)

    def with_entry(self, entry: TunedKernel) -> Schedule:
        """With this entry in place of one for the same operation."""
        others = [e for e in self.entries if e.operation != entry.operation]
        return replace(self, entries=tuple(sorted((*others, entry), key=lambda e: e.operation)))


def digest_of(kernel: X86Kernel) -> str:
    """SHA-256 of the kernel's code."""
    return hashlib.sha256(kernel.machine_code()).hexdigest()


def dump(schedule: Schedule) -> str:
    """The schedule as text: a line for each decision."""
    head = {
        "schedule": VERSION,
        "field": schedule.label,
        "p": hex(schedule.p),
        "processor": schedule.processor,
    }
    lines = [f'  "{key}": {json.dumps(value)},' for key, value in head.items()]
    kernels = ",\n".join(f"    {{\n{_lines(row_of(e))}\n    }}" for e in schedule.entries)
    return "\n".join(("{", *lines, f'  "kernels": [\n{kernels}\n  ]', "}")) + "\n"


def _lines(row: Mapping[str, object]) -> str:
    return ",\n".join(f'      "{key}": {json.dumps(value)}' for key, value in row.items())


def row_of(entry: TunedKernel) -> dict[str, object]:
    """An entry as JSON has it."""
    choices, refinement = entry.decisions.choices, entry.decisions.refinement
    rows = choices.rows
    return {
        "op": entry.operation,
        "algorithm": entry.decisions.algorithm,
        "rows": {"style": rows.style.value, "lag": rows.lag, "ahead": rows.ahead},
        **{name: getattr(choices, name) for name in ALLOWED},
        **asdict(refinement),
        "code": entry.digest,
        "measured": dict(entry.measured),
    }


def read(text: str, field: Field, name: str = "this") -> Schedule:
    """A schedule of this field, from the text of the file `name`. Raises ScheduleError."""
    try:
        data = _parsed(text, name)
        if data["schedule"] != VERSION:
            version = _said(data["schedule"])
            raise ScheduleError(f"{name} is a schedule of version {version}, not {VERSION}")
        p = _number(data["p"])
        entries = _once(map(_entry, data["kernels"]))
        schedule = Schedule(_text(data, "field"), p, _text(data, "processor"), entries)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ScheduleError(f"{name} is no schedule of fieldc tune: {_wrong(error)}") from None
    check_word(field)
    if wrong := wrong_label(schedule.label, p):
        raise ScheduleError(f"{name} is damaged: {wrong}; tune into another file")
    if p != field.p:
        raise ScheduleError(f"the schedule is for {quote(schedule.label)}, not {field.short}")
    return schedule


def check_word(field: Field) -> None:
    """Raise ScheduleError for a field in words that no schedule is for."""
    if field.word != 64:
        raise ScheduleError(f"schedules are for 64-bit words, not {field.word}; leave out --word")


class _WrongValue(ValueError):
    """A value that no schedule has; the message says which."""


def _said(value: object) -> str:
    """A value of a file for a message: a text in quotes, another value as JSON has it."""
    return quote(value) if isinstance(value, str) else shorten(json.dumps(value))


def _wrong(error: Exception) -> str:
    """What of a file's content an exception tells."""
    if isinstance(error, _WrongValue):
        return str(error)
    if isinstance(error, KeyError):
        return f"it lacks {quote(str(error.args[0]))}"
    return "its values are of other kinds"


def _parsed(text: str, name: str) -> Any:
    """What a file's text says. Raises ScheduleError, RecursionError."""
    try:
        return json_in(text)
    except ValueError as error:
        raise ScheduleError(f"{name} is no schedule of fieldc tune: {error}") from None


def _number(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise _WrongValue(f"p {_said(text)} is no number in hexadecimal") from None


def _entry(row: Mapping[str, Any]) -> TunedKernel:
    named = row["rows"]["style"]
    if named not in (styles := [style.value for style in RowStyle]):
        raise _WrongValue(f"style {_said(named)} is not {' or '.join(styles)}")
    style = RowChoice(RowStyle(named), _count(row["rows"]["lag"]), _count(row["rows"]["ahead"]))
    row, operation = {**NEW, **row}, _text(row, "op")
    for name, values in ALLOWED.items():
        if row[name] not in values:
            raise _WrongValue(f"{name} {_said(row[name])} is not {' or '.join(values)}")
    if row["scanned"] != "y" and operation not in FREE_ORDER:
        raise _WrongValue(f"the operands of {_said(operation)} cannot be exchanged")
    registers = tuple(row["registers"])
    if registers and sorted(registers) != sorted(GENERAL):
        raise _WrongValue("registers are not each register once")
    places = tuple((_count(number), _register(name)) for number, name in row["places"])
    moves = {
        name: tuple((_count(a), _count(b)) for a, b in row[name]) for name in ("order", "late")
    }
    refinement = Refinement(registers=registers, places=places, **moves)
    choices = Choices(rows=style, **{name: row[name] for name in ALLOWED})
    decisions = Decisions(_text(row, "algorithm"), choices, refinement)
    return TunedKernel(operation, decisions, _text(row, "code"), dict(row["measured"]))


def _once(entries: Iterable[TunedKernel]) -> tuple[TunedKernel, ...]:
    """The entries. Raises _WrongValue where two are for one operation."""
    found = {}
    for entry in entries:
        if entry.operation in found:
            raise _WrongValue(f"it has {_said(entry.operation)} twice")
        found[entry.operation] = entry
    return tuple(found.values())


def _text(row: Mapping[str, Any], key: str) -> str:
    """A name or a digest of a file. Raises KeyError, _WrongValue."""
    if not isinstance(row[key], str):
        raise _WrongValue(f"{key} {_said(row[key])} is no text")
    return str(row[key])


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 20:
        raise _WrongValue(f"{_said(value)} is no position")
    return value


def _register(name: str) -> str:
    if name not in GENERAL:
        raise _WrongValue(f"{_said(name)} is no register of a kernel")
    return name


def load_schedule(
    path: Path, field: Field, folder: str = "", operations: Sequence[str] = ()
) -> Schedule:
    """A schedule from a file, or the one shipped for a processor. Raises ScheduleError.

    For a name that is neither, the message says which ship with one of the operations in a folder.
    """
    check_word(field)
    if str(path) in processors() and not path.is_file():  # a folder may be called so
        return shipped(field, str(path), folder)
    try:
        text = read_text(path)
    except (OSError, NotText) as error:
        reason = str(error) if isinstance(error, NotText) else error.strerror
        is_lacking = isinstance(error, FileNotFoundError)
        hint = _instead_of(path, field, shipped_on(field, folder, operations)) if is_lacking else ""
        raise ScheduleError(f"cannot read {quote(str(path))}: {reason}{hint}") from None
    return read(text, field, quote(str(path)))


def _instead_of(path: Path, field: Field, there: Sequence[str]) -> str:
    """Which shipped schedules there are instead of one that was named; empty for a file."""
    if near := nearest(str(path), there):
        return f"; the nearest that ships is {near[0]}"
    if path.suffix or path.name != str(path):
        return ""
    if not there:
        return "; none ships for what is built"
    return f"; those that ship for {field.short} are: {', '.join(there)}"


def file_name(field: Field, processor: str) -> str:
    """The name of the schedule of a field on a processor of processors.toml."""
    return f"{field_symbol(field)}.{processor}.json"


def shipped(field: Field, processor: str, folder: str = "") -> Schedule:
    """The schedule that comes with the package. Raises NotShipped where there is none.

    The folder FORMULAS has those of the examples' formulas.
    """
    name = file_name(field, processor)
    file = resources.files("fieldc.decisions").joinpath("schedules", folder, name)
    if not file.is_file():
        what = "schedule of formulas" if folder else "schedule"
        raise NotShipped(f"no {what} for {field.short} on {processor} is shipped")
    return read(file.read_text("utf-8"), field)


def shipped_on(field: Field, folder: str = "", operations: Sequence[str] = ()) -> list[str]:
    """The processors whose shipped schedule has one of the operations; any if none is named."""
    found = []
    for processor in processors():
        with suppress(NotShipped):
            entries = shipped(field, processor, folder).entries
            if not operations or {*operations} & {entry.operation for entry in entries}:
                found.append(processor)
    return found
