"""fieldc list: what there is."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict

from fieldc.algorithms import FUSED, FUSED_STUDIED, KERNELS, STUDIED, every_kernel_for
from fieldc.algorithms.counts import PREDICTIONS, Prediction
from fieldc.catalogue import every_prime
from fieldc.commands.options import BUILT, ON_ARRAYS, names
from fieldc.commands.verb import Answer, Table, UsageError, one_of, option, verb
from fieldc.field import Field
from fieldc.operations import OPERATIONS


def fields() -> Answer:
    """The named primes, each checked by making its field."""
    made = [(prime, Field(prime.p, name=prime.name)) for prime in every_prime().values()]
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
        (name, operation.says, ", ".join(k.algorithm for k in every_kernel_for(name)))
        for name, operation in OPERATIONS.items()
    ]
    data = [
        {"op": name, "means": says, "algorithms": names.split(", "), **OPERATIONS[name].row()}
        for name, says, names in rows
    ]
    return Answer((Table(("op", "means", "algorithms"), rows),), data)


SHOWN = (4, 6)
"""The numbers of limbs for which the listing gives numbers; --json has 2 to 16."""


def algorithms(operations: Sequence[str] = ()) -> Answer:
    """The algorithms of each operation, what they are predicted to need, and whence they come."""
    rows, data = [], []
    for k in (*KERNELS, *FUSED, *STUDIED, *FUSED_STUDIED):
        if operations and k.operation not in operations:
            continue
        source, name = " ".join(k.source.split()), (k.operation, k.algorithm)
        prediction = PREDICTIONS.get(name)
        rows.append((*name, *_predicted(prediction), source))
        row = {"op": k.operation, "algorithm": k.algorithm, "source": source}
        data.append({**row, "built": k in KERNELS, "predicted": _predicted_data(prediction)})
    numbers = (f"n = {n}" for n in SHOWN)
    columns = ("op", "algorithm", "products", "additions", *numbers, "what and whence")
    return Answer((Table(columns, rows, optional=columns[2:4]),), data)


def _predicted(prediction: Prediction | None) -> tuple[str, ...]:
    """Both formulas, and both numbers for each of SHOWN."""
    if prediction is None:
        return ("-",) * (2 + len(SHOWN))
    numbers = ((prediction.products(n), prediction.additions_of(n)) for n in SHOWN)
    pairs = (f"{products} | {'-' if sums is None else sums}" for products, sums in numbers)
    return str(prediction.products), str(prediction.additions or "-"), *pairs


def _predicted_data(prediction: Prediction | None) -> dict[str, object] | None:
    if prediction is None:
        return None
    return {
        "products": str(prediction.products),
        "additions": str(prediction.additions or "-"),
        "paper": prediction.paper,
        "why": prediction.why,
        "by_limbs": {
            n: {"products": prediction.products(n), "additions": prediction.additions_of(n)}
            for n in range(2, 17)
        },
    }


def targets() -> Answer:
    """What `fieldc build` can make, and what it does for each target on this host."""
    from fieldc.artifacts.support import support_of
    from fieldc.targets.registry import TARGETS

    supports = {target: support_of(target) for target in TARGETS.values()}
    rows = [(t.name, "/".join(map(str, t.words)), *s.short()) for t, s in supports.items()]
    columns = ("target", "words", "built", "run here", "proved", "tested", "constant time")
    whys = defaultdict[tuple[str, str], list[str]](list)
    for target, support in supports.items():
        for why, questions in support.skipped().items():
            whys[questions, why].append(target.name)
    skipped = [(questions, why, ", ".join(names)) for (questions, why), names in whys.items()]
    data = [
        {"target": t.name, "backend": t.backend, "words": list(t.words), "about": t.about}
        | asdict(support)
        for t, support in supports.items()
    ]
    reasons = Table(("what", "why", "targets"), skipped, "SKIPPED")
    return Answer((Table(columns, rows), reasons), data)


def processors() -> Answer:
    """The processors whose limits are known, by the names that --processor takes."""
    from fieldc.machine.processors import host_processor
    from fieldc.machine.processors import processors as known

    here = host_processor()
    rows = [
        (p.key, p.name, p.architecture, p.slots, "this host" if p is here else "")
        for p in known().values()
    ]
    data = [
        {"processor": key, "name": name, "architecture": isa, "slots": slots, "here": bool(mark)}
        for key, name, isa, slots, mark in rows
    ]
    columns = ("processor", "name", "architecture", "slots a cycle", "")
    return Answer((Table(columns, rows),), data)


LISTINGS: dict[str, Callable[[], Answer]] = {
    "fields": fields,
    "ops": ops,
    "algorithms": algorithms,
    "targets": targets,
    "processors": processors,
}
"""What can be listed; a new listing is one function and one entry."""


@verb(
    option(
        "what",
        metavar="WHAT",
        type=one_of("listing", *LISTINGS),
        help=f"one of: {', '.join(LISTINGS)}",
    ),
    option(
        "--op", type=names("operation", BUILT), metavar="OP,..", help="algorithms of these alone"
    ),
)
def list_(arguments: argparse.Namespace) -> Answer:
    """what there is"""
    if arguments.op is None:
        return LISTINGS[arguments.what]()
    if arguments.what != "algorithms":
        raise UsageError(f"--op is for list algorithms, not for list {arguments.what}")
    for name in ON_ARRAYS:
        if name in arguments.op:
            raise UsageError(f"{name} is an operation on arrays alone; see docs/batch.md")
    return algorithms(arguments.op)
