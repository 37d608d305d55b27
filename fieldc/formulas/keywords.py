"""Names that the languages of generated code keep for themselves."""

from __future__ import annotations

import re

from fieldc.errors import shorten
from fieldc.formulas.errors import SourceLine, wrong

KEYWORDS = """
    BUFSIZ EDOM EILSEQ EOF ERANGE FALSE I INFINITY L_tmpnam NAN NULL P_tmpdir SIGABRT SIGFPE SIGILL
    SIGINT SIGSEGV SIGTERM Self TRUE
    abstract alignas alignof and_eq arguments asm auto become bitand bitor bool box case catch char
    char16_t char32_t char8_t co_await co_return co_yield compl complex concept const const_cast
    consteval constexpr constinit crate debugger decltype default delete do double dyn dynamic_cast
    enum errno eval explicit export extends extern false final float fn for friend function gen goto
    i386 imaginary impl implements inline instanceof int interface let linux long loop macro match
    math_errhandling mod move mut mutable namespace new noexcept noreturn not_eq null nullptr
    operator or_eq override package priv private protected pub public ref register reinterpret_cast
    requires restrict self short signed sizeof static static_assert static_cast stderr stdin stdout
    struct super switch template this thread_local throw trait true type typedef typeid typename
    typeof typeof_unqual union unix unsafe unsigned unsized use using var virtual void volatile
    wchar_t where xor xor_eq yield
    """
"""Words of C, C++, Rust and JavaScript that Python does not keep for itself, and macros of C."""


RESERVED = re.compile(
    r"_|_[A-Z_].*|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|s?size_t|ptrdiff_t|max_align_t"
    r"|u?int((_least|_fast)?(8|16|32|64)|ptr|max)_t|(PRI|SCN)[diouxX]\w*",
    re.DOTALL,
)
"""Names such as _Bool, which C keeps for itself, and UINT64_MAX, int64_t and PRIx64, which its
headers may define. To Rust _ is no name."""
LONGEST_NAME = 100
"""Letters of a name: files are called by it too, with a few letters more."""


def checked_name(name: str, at: SourceLine) -> str:
    """A name that code in every language can have: a keyword or a macro gets an underscore.

    Raises FormulaError for a name beyond ASCII, or a very long one.
    """
    if len(name) > LONGEST_NAME:
        raise wrong(f"{shorten(name)} has {len(name)} letters; at most {LONGEST_NAME} work", at)
    if not name.isascii():
        raise wrong(f"{name} has letters that are not ASCII, which other languages lack", at)
    return f"{name}_" if name in KEYWORDS.split() or RESERVED.fullmatch(name) else name
