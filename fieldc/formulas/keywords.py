"""Names that the languages of generated code keep for themselves."""

from __future__ import annotations

from fieldc.formulas.errors import SourceLine, wrong

KEYWORDS = """
    EOF I NULL alignas alignof asm auto bool box case catch char const const_cast crate debugger
    decltype default delete do double dyn enum errno explicit export extends extern false final
    float fn for friend function goto impl inline instanceof int let linux long loop match mod
    move mut mutable namespace new noexcept null nullptr operator override priv private
    protected pub public ref register restrict self short signed sizeof static stderr stdin
    stdout struct super switch template this throw trait true typedef typeid typename typeof
    uint64_t union unix unsafe unsigned unsized use using var virtual void volatile wchar_t
    where yield
    """
"""Words of C, C++, Rust and JavaScript that Python does not keep for itself, and macros of C."""


def checked_name(name: str, at: SourceLine) -> str:
    """A name that code in every language can have: a keyword gets an underscore.

    Raises FormulaError for a name beyond ASCII.
    """
    if not name.isascii():
        raise wrong(f"{name} has letters that are not ASCII, which other languages lack", at)
    return f"{name}_" if name in KEYWORDS.split() else name
