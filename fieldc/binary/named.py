"""The one function that a name means: a proof is of the function that is named, and of no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fieldc.binary.image import Image, ObjectError, nearest, no_function
from fieldc.errors import enumerated, name_in_full, quote

MOST_PLACES = 4


def member_of(images: Mapping[str, Image], symbol: str) -> str:
    """The file, or the member of an archive, that has a function.

    Raises ObjectError where no member has it, or several; each may have an address.
    """
    if len(images) == 1:
        return next(iter(images))
    if symbol.startswith("0x"):
        raise ObjectError(
            f"{symbol} may be in any of {len(images)} members; take out the one that is meant "
            "(ar x), and name that file"
        )
    having = [
        member
        for member, image in images.items()
        if any(_places(image, n) or n in image.choosers for n in _spelled(image, symbol))
    ]
    if not having:
        names = [name for image in images.values() for name in image.routines()]
        raise ObjectError(_no_function(symbol, names))
    if len(having) > 1:
        named = _listed([name_in_full(member) for member in having])
        raise ObjectError(
            f"{len(having)} members have {quote(symbol)}: {named}; take out the one "
            "that is meant (ar x), and name that file"
        )
    return having[0]


def place_of(image: Image, symbol: str) -> tuple[str, int]:
    """A function's name as the file has it, and its address, which `symbol` may be as `0x...`.

    Raises ObjectError where nothing is called so, or several are.
    """
    if symbol.startswith("0x"):
        try:
            return symbol, int(symbol, 16)
        except ValueError:
            raise ObjectError(no_address(symbol)) from None
    for name in _spelled(image, symbol):
        if name in image.choosers:
            why = "its code only chooses a function when the file is loaded"
            raise ObjectError(f"{quote(name)} is no function: {why}; name one that it chooses from")
        if places := _places(image, name):
            return name, _only(image, name, places)
    routines = image.routines()
    if symbol in routines:  # one of several of a name, with its address behind it
        return symbol, routines[symbol].address
    raise ObjectError(_no_function(symbol, [*routines]))


def no_address(text: str) -> str:
    """What is wrong with a text that begins as an address does."""
    return f"{quote(text)} is no address; write one such as 0x401000"


def _spelled(image: Image, symbol: str) -> Sequence[str]:
    """How a file may write a name: Mach-O has an underscore before it."""
    return (symbol, f"_{symbol}") if image.container == "mach-o" else (symbol,)


def _places(image: Image, name: str) -> Sequence[int]:
    """Every address of code with this very name."""
    found = {start.address for start in (*image.starts, *image.labels) if start.name == name}
    return sorted(address for address in found if image.is_code(address))


def _only(image: Image, name: str, places: Sequence[int]) -> int:
    """The address of the one function. Raises ObjectError."""
    shown = _listed([f"{place:#x}" for place in places])
    if len(places) > 1:
        raise ObjectError(
            f"{len(places)} functions are called {quote(name)}; name one by its address: {shown}"
        )
    if any(start.name == name for start in image.starts):
        return places[0]
    raise ObjectError(
        f"{quote(name)} is a local symbol without a type, so it is not known to be "
        f"a function; name it by its address: {shown}"
    )


def _no_function(symbol: str, names: Sequence[str]) -> str:
    """That there is none of this very name, with those that are similar."""
    if not names:
        return no_function(symbol, names)
    return f"no function {quote(symbol)}; the nearest: {nearest(symbol, names)}"


def _listed(texts: Sequence[str]) -> str:
    """The first of some texts, and how many there are besides."""
    more = [f"{len(texts) - MOST_PLACES} more"] if len(texts) > MOST_PLACES else []
    return enumerated([*texts[:MOST_PLACES], *more])
