"""Read a file of formulas: it is Python, and it is run.

Whoever reads a formula file runs it, with all that Python can do. Run only files that you trust.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from fieldc.errors import UserError, quote
from fieldc.formulas.errors import FormulaError, line_of, wrong
from fieldc.formulas.formula import Formula

MODULE = "fieldc_formula_file"
"""The name that a file's module has while it runs."""


def load_formulas(path: Path) -> list[Formula]:
    """Run a file and return its formulas, in the order of the file.

    Raises FormulaError, with the line, for whatever goes wrong.
    """
    file = str(path)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise FormulaError(f"cannot read {quote(file)}: {error.strerror}") from None
    try:
        code = compile(source, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise wrong(f"this is not Python: {error.msg}", (file, error.lineno or 1)) from None
    except ValueError as error:
        raise wrong(f"this is not Python: {error}", (file, 1)) from None
    module = ModuleType(MODULE)
    module.__file__ = file
    sys.modules[MODULE] = module  # annotations that are strings are looked up there
    try:
        exec(code, module.__dict__)
    except UserError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise wrong(_said(error), (file, line_of(error, file))) from None
    finally:
        del sys.modules[MODULE]
    found = [one for one in vars(module).values() if isinstance(one, Formula) and one.file == file]
    if not found:
        raise wrong("there is no formula here: write @formula before a function", (file, 1))
    return list({one.name: one for one in found}.values())


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}" if text else name
