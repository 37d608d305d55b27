"""From what a user writes to a field: a name, a number, an expression or a file.

Nothing a user writes is evaluated as Python, and every step of an expression is bounded, so a
hostile text costs no more than a short one. Every error is one line.
"""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from string import whitespace

from fieldc.errors import ERROR_WIDTH, nearest, plain, quote, shorten
from fieldc.field import MAX_BITS, Field
from fieldc.modulus import ModulusError
from fieldc.reading import read_up_to

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_TEXT = 4096
"""Longest expression or file that is read, in characters."""
MAX_STEP_BITS = 2 * MAX_BITS
"""Largest intermediate value of an expression."""
MAX_DIGITS = 640
"""Longest number: more than any modulus needs, and int() reads it whatever its limit is set to."""
MAX_DEPTH = 40
"""Deepest nesting of an expression."""
FORMS = "a name, a number, an expression such as 2^255-19, or a file"

TOKEN = re.compile(
    r"""\s*(?:(0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|[0-9]+(?:_[0-9]+)*)
          |(u\b)
          |(\*\*|[-+*/^()]))""",
    re.ASCII | re.VERBOSE,
)


class UnknownField(ModulusError):
    """The text is not a field; the message names the nearest one."""


@dataclass(frozen=True)
class NamedPrime:
    """One entry of primes.toml."""

    name: str
    p: int
    expression: str
    about: str
    source: str
    aliases: tuple[str, ...] = ()
    generator: int | None = None
    is_packaged: bool = True
    """Whether the crate and the JavaScript package have it as a type of its own."""


class ModulusExpression:
    """Integers, + - * / ^ ** and parentheses; a division must be exact, a power non-negative.

    `value` raises ModulusError for a text that does not parse, for a value beyond MAX_STEP_BITS
    and for nesting beyond MAX_DEPTH.
    """

    def __init__(self, text: str, names: Mapping[str, int] | None = None) -> None:
        self.text = text
        self.names = names or {}
        self.tokens = tokens(text)
        self.position = 0
        self.depth = 0

    def value(self) -> int:
        """The number that the whole text stands for."""
        result = self._sum()
        if self._next():
            raise self._unexpected()
        return result

    def _next(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _take(self, *wanted: str) -> str:
        token = self._next()
        if token not in wanted:
            return ""
        self.position += 1
        return token

    def _unexpected(self) -> ModulusError:
        what = f"unexpected {quote(self._next())}" if self._next() else "it ends too early"
        return ModulusError(f"cannot read {quote(self.text)}: {what}; use {FORMS}")

    def _too_large(self) -> ModulusError:
        return ModulusError(
            f"{quote(self.text)} is too large; at most {MAX_BITS} bits are supported"
        )

    def _bounded(self, value: int) -> int:
        if value.bit_length() > MAX_STEP_BITS:
            raise self._too_large()
        return value

    def _sum(self) -> int:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ModulusError(f"{quote(self.text)} is nested too deeply; at most {MAX_DEPTH} deep")
        total = self._product()
        while operator := self._take("+", "-"):
            term = self._product()
            total = self._bounded(total + term if operator == "+" else total - term)
        self.depth -= 1
        return total

    def _product(self) -> int:
        total = self._signed()
        while operator := self._take("*", "/"):
            factor = self._signed()
            if operator == "*":
                total = self._bounded(total * factor)
            elif factor == 0:
                raise ModulusError(f"{quote(self.text)} divides by 0")
            elif total % factor:
                raise ModulusError(
                    f"a division in {quote(self.text)} leaves a remainder; it must be exact"
                )
            else:
                total //= factor
        return total

    def _signed(self) -> int:
        sign = 1
        while operator := self._take("+", "-"):
            sign = -sign if operator == "-" else sign
        return sign * self._power()

    def _power(self) -> int:
        """base ^ exponent; powers group to the right and bind tighter than a sign before them."""
        bases = [self._atom()]
        while self._take("^", "**"):
            sign = -1 if self._take("-") else 1
            bases.append(sign * self._atom())
        result = bases.pop()
        while bases:
            base, exponent = bases.pop(), result
            if exponent < 0:
                raise ModulusError(f"{quote(self.text)} has a negative exponent; use 0 or more")
            if (abs(base).bit_length() - 1) * exponent > MAX_STEP_BITS:
                raise self._too_large()
            result = self._bounded(base**exponent)
        return result

    def _atom(self) -> int:
        token = self._next()
        if self._take("("):
            value = self._sum()
            if not self._take(")"):
                raise self._unexpected()
            return value
        if token in self.names:
            self.position += 1
            return self.names[token]
        if not token[:1].isdigit():
            raise self._unexpected()
        self.position += 1
        return self._number(token.replace("_", ""))

    def _number(self, digits: str) -> int:
        base, digits = (16, digits[2:]) if digits[:2] in ("0x", "0X") else (10, digits)
        digits = digits.lstrip("0") or "0"
        if len(digits) > MAX_DIGITS:
            raise self._too_large()
        return self._bounded(int(digits, base))


def tokens(text: str) -> list[str]:
    """The tokens of an expression. Raises ModulusError where the text is not one."""
    found, position = [], 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            first = text[position:].lstrip(whitespace)[0]  # others are letters that are refused
            raise ModulusError(f"cannot read {quote(text)}: unexpected {quote(first)}; use {FORMS}")
        found.append(match[match.lastindex or 0])
        position = match.end()
    return found


def evaluate(text: str, names: Mapping[str, int] | None = None) -> int:
    """The integer that a number or an expression stands for. Raises ModulusError, in one line."""
    if len(text) > MAX_TEXT:
        raise ModulusError(
            f"{quote(text)} has {len(text)} characters, too long; at most {MAX_TEXT} are read"
        )
    return ModulusExpression(text.strip(), names).value()


@lru_cache(maxsize=1)
def named_primes() -> Mapping[str, NamedPrime]:
    """The named primes that the packages have, in the order of primes.toml."""
    return {name: prime for name, prime in every_prime().items() if prime.is_packaged}


@lru_cache(maxsize=1)
def every_prime() -> Mapping[str, NamedPrime]:
    """Every named prime, in the order of primes.toml. Raises ValueError where a size is wrong."""
    table = tomllib.loads(resources.files("fieldc").joinpath("primes.toml").read_text("utf-8"))
    primes = {}
    for name, row in table.items():
        names = {"u": evaluate(row["u"])} if "u" in row else {}
        p = evaluate(row["p"], names)
        if p.bit_length() != row["bits"]:
            raise ValueError(f"{name} has {p.bit_length()} bits, not {row['bits']}")
        expression = " ".join(row["p"].split()) + (f", u = {row['u']}" if names else "")
        aliases = tuple(row.get("aliases", ()))
        generator = row.get("generator")
        packaged = row.get("packaged", True)
        primes[name] = NamedPrime(
            name, p, expression, row["about"], row["source"], aliases, generator, packaged
        )
    return primes


def _find_name(text: str) -> NamedPrime | None:
    wanted = plain(text)
    for prime in every_prime().values():
        if any(wanted == plain(name) for name in (prime.name, *prime.aliases)):
            return prime
    return None


def wrong_label(label: str, p: int) -> str:
    """Why no file may call the field of p so: it is another prime's name or number; else empty."""
    if label[:2] in ("0x", "0X"):
        is_wrong = label != hex(p)
    else:
        prime = _find_name(label)
        is_wrong = prime is not None and prime.p != p
    return f"the field {shorten(label, 24)} is not that of p" if is_wrong else ""


def _unknown(text: str) -> UnknownField:
    names = [name for prime in every_prime().values() for name in (prime.name, *prime.aliases)]
    near = nearest(text, names)
    hint = f"the nearest: {', '.join(near)}" if near else f"use {FORMS} (fieldc list fields)"
    return UnknownField(f"unknown field {quote(text)}; {hint}")


def _read(path: str) -> str | None:
    """The text of a file, or None where there is none. Raises ModulusError."""
    try:
        content = read_up_to(path, MAX_TEXT + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModulusError(f"cannot read the file {quote(path)}: {reason}; use {FORMS}") from None
    if len(content) > MAX_TEXT:
        raise ModulusError(f"the file {quote(path)} is too long; at most {MAX_TEXT} bytes are read")
    try:
        return content.removeprefix(BOM_UTF8).decode("utf-8").strip()
    except UnicodeDecodeError:
        raise ModulusError(
            f"the file {quote(path)} is not text in UTF-8;"
            " it must hold a name, a number or an expression"
        ) from None


def _is_expression(text: str) -> bool:
    """Whether the text can only be an expression; then it is never taken for a file."""
    try:
        return text[0] != "/" and "u" not in tokens(text)
    except ModulusError:
        return False


def _modulus(text: str, from_file: bool = False) -> tuple[int, str]:
    """(p, name) of a text; the name is empty for a number."""
    if prime := _find_name(text):
        return prime.p, prime.name
    if len(text) > MAX_TEXT or _is_expression(text):
        return evaluate(text), ""
    if not from_file and (content := _read(text)) is not None:
        if not content:
            raise ModulusError(f"the file {quote(text)} is empty; write a prime into it")
        try:
            return _modulus(content, from_file=True)
        except ModulusError as error:
            raise type(error)(f"in the file {quote(text)}: {error}") from None
    if text[0].isdigit() or text[0] in "(+-":
        return evaluate(text), ""
    if not from_file and "/" in text:
        raise UnknownField(f"there is no file {quote(text)}; use {FORMS}")
    raise _unknown(text)


def find_field(text: str, word: int = 64) -> Field:
    """The field that a name, a number, an expression or a file stands for, in words of `word` bits.

    Raises ModulusError (UnknownField for a name), one line of at most ERROR_WIDTH characters.
    """
    text = text.strip()
    try:
        if not text:
            raise ModulusError(f"the field is empty; use {FORMS}")
        p, name = _modulus(text)
        return Field(p, word, name)
    except ModulusError as error:
        raise type(error)(shorten(str(error), ERROR_WIDTH)) from None
