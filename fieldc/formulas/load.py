"""Read a file of formulas: it is Python, and it is run.

Whoever reads a formula file runs it, with all that Python can do. Run only files that you trust.
"""

from __future__ import annotations

import dis
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

import fieldc.formulas
from fieldc.errors import UserError, quote
from fieldc.formulas.errors import MODULE, FormulaError, line_of, wrong
from fieldc.formulas.formula import RECORDED, Formula
from fieldc.formulas.streams import imports_beside, kept_place, kept_streams
from fieldc.reading import read_bytes

SAYS_ENOUGH = (
    *(TypeError, ValueError, AttributeError, NameError, ArithmeticError),
    *(ImportError, SyntaxError),
)
"""Errors of Python whose message can be read without their names."""


def load_formulas(path: Path) -> list[Formula]:
    """Run a file and return its formulas, in the order of the file.

    Raises FormulaError, with the line, for whatever goes wrong.
    """
    file = str(path)
    try:
        source = read_bytes(path)
    except OSError as error:
        raise FormulaError(f"cannot read {quote(file)}: {error.strerror}") from None
    try:
        code = compile(source, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        said = "the file is not text in UTF-8" if "unicode error" in error.msg else error.msg
        raise wrong(f"this is not Python: {said}", (file, error.lineno or 1)) from None
    except (MemoryError, RecursionError):
        raise wrong("this nests too deep for Python", (file, 1)) from None
    except ValueError as error:
        raise wrong(f"this is not Python: {error}", (file, 1)) from None
    module = ModuleType(MODULE)
    module.__file__ = file
    sys.modules[MODULE] = module  # annotations that are strings are looked up there
    recorded: list[Formula] = []
    collecting = RECORDED.set(recorded)
    try:
        # What the file prints is no part of an answer.
        with kept_place(), imports_beside(path), kept_streams():
            exec(code, module.__dict__)
    except UserError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise wrong(_said(error, code), (file, line_of(error, file))) from None
    finally:
        RECORDED.reset(collecting)
        sys.modules.pop(MODULE, None)
    _check_once([one for one in recorded if one.file == file])
    found = [one for one in vars(module).values() if isinstance(one, Formula) and one.file == file]
    if not found:
        others = "; imported ones are not counted" if recorded else ""
        raise wrong(
            f"there is no formula here: write @formula before a function{others}", (file, 1)
        )
    return list({one.name: one for one in found}.values())


def _check_once(formulas: Sequence[Formula]) -> None:
    """Raise FormulaError for the second formula of a name: one of the two would be forgotten.

    So would a name that differs by case alone, where a system's file names have no case.
    """
    known: dict[str, Formula] = {}
    for one in formulas:
        first = known.setdefault(one.name.lower(), one)
        if first is not one:
            name = one.name if one.name == first.name else f"{one.name} (as {first.name})"
            message = f"{name} is the formula of line {first.line} already: choose another name"
            raise wrong(message, (one.file, one.line))


def _said(error: BaseException, code: CodeType) -> str:
    """What an error says, and where a name is not defined, what works."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # an error of the file's own, whose text is wrong too
        text = ""
    name = type(error).__name__
    if isinstance(error, NameError):
        return text + _remedy(error, code)
    if text and isinstance(error, SAYS_ENOUGH):
        return text
    return f"this ends with {name}: {text}" if text else f"this ends with {name}"


def _remedy(error: NameError, code: CodeType) -> str:
    """What to write where a file uses a name that it has not defined; nothing if nobody knows."""
    name = error.name
    if name in fieldc.formulas.__all__:
        return f"; write: from fieldc.formulas import {name}"
    frames = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    if name in frames:
        return ": a formula cannot call itself, but a function without @formula can"
    sets = dis.get_instructions(code)
    if any(one.opname.startswith("STORE_") and one.argval == name for one in sets):
        return " yet: a formula is read where it stands, so define what it uses above it"
    return ""
