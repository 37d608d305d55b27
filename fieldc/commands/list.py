"""fieldc list: what there is."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from fieldc.algorithms import KERNELS, kernels_for
from fieldc.algorithms.meaning import MEANINGS
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


def ops() -> Answer:
    """The operations and what they mean."""
    rows = [
        (name, meaning.says, ", ".join(k.algorithm for k in kernels_for(name)))
        for name, meaning in MEANINGS.items()
    ]
    data = [
        {"op": name, "means": says, "algorithms": names.split(", ")} for name, says, names in rows
    ]
    return Answer((Table(("op", "means", "algorithms"), rows),), data)


def algorithms() -> Answer:
    """The algorithms of each operation and where they come from."""
    rows = [(k.operation, k.algorithm, " ".join(k.source.split())) for k in KERNELS]
    data = [{"op": op, "algorithm": name, "source": source} for op, name, source in rows]
    return Answer((Table(("op", "algorithm", "what and whence"), rows),), data)


def targets() -> Answer:
    """What `fieldc build` can make."""
    from fieldc.artifacts.produce import build_targets

    made = build_targets().values()
    rows = [(t.name, t.backend, "/".join(map(str, t.words)), t.about) for t in made]
    data = [
        {"target": t.name, "backend": t.backend, "words": list(t.words), "about": t.about}
        for t in made
    ]
    return Answer((Table(("target", "backend", "words", "about"), rows),), data)


LISTINGS: dict[str, Callable[[], Answer]] = {
    "fields": fields,
    "ops": ops,
    "algorithms": algorithms,
    "targets": targets,
}
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
