"""fieldc list: what there is."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from fieldc.catalogue import named_primes
from fieldc.commands.verb import Answer, Table, one_of, option, verb
from fieldc.field import Field


def fields() -> Answer:
    """The named primes, each checked by making its field."""
    made = [(prime, Field(prime.p, name=prime.name)) for prime in named_primes().values()]
    rows = [(f.name, f.bits, f.n, f.spare_bits, prime.about) for prime, f in made]
    data = [
        {
            "name": f.name,
            "bits": f.bits,
            "limbs": f.n,
            "spare_bits": f.spare_bits,
            "p": hex(f.p),
            "expression": prime.expression,
            "about": prime.about,
            "source": prime.source,
            "aliases": list(prime.aliases),
        }
        for prime, f in made
    ]
    return Answer((Table(("name", "bits", "limbs", "spare", "about"), rows),), data)


LISTINGS: dict[str, Callable[[], Answer]] = {"fields": fields}
"""What can be listed; a new listing is one function and one entry."""


@verb(
    option(
        "what",
        metavar="WHAT",
        type=one_of("listing", *LISTINGS),
        help=f"one of: {', '.join(LISTINGS)}",
    )
)
def list_(arguments: argparse.Namespace) -> Answer:
    """what there is"""
    return LISTINGS[arguments.what]()
