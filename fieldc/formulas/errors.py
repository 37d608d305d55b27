"""Errors in formulas: one line with the file and the line that are wrong."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, FunctionType

from fieldc.errors import UserError

SourceLine = tuple[str, int]
"""A file and a line."""
ROOM = str(Path(__file__).parent)
LIBRARY = str(Path(traceback.__file__).parent)
MODULE = "fieldc_formula_file"
"""The name that a file's module has while it runs."""


class FormulaError(UserError, TypeError):
    """A formula asks for something that the language does not have, or is no formula."""


class TooManyProducts(FormulaError):
    """A sum has more products than its type holds; `over` says how many more."""

    over = 0


def place() -> SourceLine:
    """The file and the line outside this room that is running now.

    Where that is a text without a file, or Python's library, it is that of the formula file.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(ROOM):
        frame = frame.f_back
    found: FrameType | None = frame
    if frame.f_code.co_filename.startswith(("<", LIBRARY)):
        while found is not None and not _is_of_a_formula_file(found):
            found = found.f_back
    best = found or frame
    return best.f_code.co_filename, best.f_lineno


def _is_of_a_formula_file(frame: FrameType) -> bool:
    known = frame.f_globals
    return known.get("__name__") == MODULE and known.get("__file__") == frame.f_code.co_filename


def line_of(error: BaseException, file: str) -> int:
    """The last line of a file that ran before an error; 1 where none did."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 1 for f in reversed(frames) if f.filename == file), 1)


def returned_line(function: FunctionType, arguments: Sequence[object]) -> tuple[object, int]:
    """What a function returns, and the line of its return.

    It is the function's first line where a profiler such as cProfile runs: Python could stop that
    one, but not start it again.
    """
    line = function.__code__.co_firstlineno

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal line
        if event == "return" and frame.f_code is function.__code__:
            line = frame.f_lineno

    before = sys.getprofile()
    if before is not None and not callable(before):
        return function(*arguments), line
    sys.setprofile(note)
    try:
        found = function(*arguments)
    finally:
        sys.setprofile(before)
    return found, line


def wrong(message: str, at: SourceLine | None = None) -> FormulaError:
    """The error for what is wrong at a place, which is the running line unless one is given."""
    file, line = at or place()
    return FormulaError(f"{Path(file).name}:{line}: {message}")
