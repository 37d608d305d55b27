"""A compiler for finite fields: give it a prime, get proved machine code for arithmetic modulo it.

The Python interface (docs/python.md). Each name is loaded when it is first used, so `import fieldc`
costs nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` itself would cost 20 ms
    from fieldc.python.arrays import LengthMismatch as LengthMismatch
    from fieldc.python.compile import compile as compile
    from fieldc.python.elements import Element as Element
    from fieldc.python.elements import Field as Field
    from fieldc.python.elements import FieldMismatch as FieldMismatch

__version__ = "0.1.0"

_HOMES = {
    "Element": "fieldc.python.elements",
    "Field": "fieldc.python.elements",
    "FieldMismatch": "fieldc.python.elements",
    "LengthMismatch": "fieldc.python.arrays",
    "compile": "fieldc.python.compile",
}
"""The module of each public name."""

__all__ = ["Element", "Field", "FieldMismatch", "LengthMismatch", "__version__", "compile"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'fieldc' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
