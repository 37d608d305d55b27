"""What `fieldc prove` does with routines that others compiled, in any binary."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.catalogue import find_field
from fieldc.commands.code import check_file
from fieldc.commands.verb import Answer, Table, UsageError
from fieldc.errors import counted, quote

if TYPE_CHECKING:
    from fieldc.artifacts.foreign import ForeignContract
    from fieldc.artifacts.verify import Verdict
    from fieldc.binary.image import Image

MOST_LISTED = 200


def listed(path: Path) -> Answer:
    """The routines of a file that look like arithmetic on limbs.

    Raises ObjectError, and UsageError for a folder.
    """
    from fieldc.artifacts.foreign import candidates
    from fieldc.binary.read import open_images

    check_file(path)
    found = [
        (member, outline)
        for member, image in open_images(path).items()
        for outline in candidates(image)
        if outline.products or outline.calls == 0
    ]
    found.sort(key=lambda pair: (pair[1].branches, -pair[1].products))
    rows = [
        (
            s.name,
            f"{s.address:#x}",
            s.instructions,
            s.products,
            s.carries,
            s.branches,
            s.calls,
            member,
        )
        for member, s in found[:MOST_LISTED]
    ]
    data = [{"file": member, **vars(s)} for member, s in found]
    columns = ("routine", "address", "instructions", "products", "carries", "branches", "calls")
    more = len(found) - len(rows)
    said = [f"{counted(len(found), 'routine')} with carries and few branches"]
    if more:
        said.append(f"{more} more are in --json")
    return Answer((Table((*columns, "member"), rows, optional=("member",)),), data, 0, (*said,))


def stated(arguments: argparse.Namespace, text: str | None) -> Answer | None:
    """The proof of a routine by a contract's text that states its claim; None for others.

    Raises UsageError, and ObjectError where the file or the routine cannot be read.
    """
    from fieldc.artifacts.foreign import contract_in_file, is_statement, prove_foreign
    from fieldc.binary.image import ObjectError
    from fieldc.binary.named import member_of, place_of
    from fieldc.binary.read import open_images
    from fieldc.proof.algebra.identity import ProofError
    from fieldc.proof.claims.statements import contract_from

    if text is None or not is_statement(text):
        return None
    for name in ("symbol", "field"):
        if not getattr(arguments, name):
            raise UsageError(f"a routine needs --{name}")
    path, f = Path(arguments.path), find_field(arguments.field)
    images = open_images(path)
    try:
        contract = contract_in_file(text, f.n)
        contract_from(contract.statement, f.p)
    except ProofError as error:
        raise UsageError(f"{quote(arguments.contract)}: {error}") from None
    asked = arguments.convention or ""
    try:
        member = member_of(images, arguments.symbol)
        symbol, _ = place_of(images[member], arguments.symbol)
        check_convention(images[member], asked, contract)
        verdict = prove_foreign(images[member], symbol, contract, f.p, asked)
    except ObjectError as error:
        raise UsageError(f"{quote(str(path))}: {error}") from None
    return _answer(member, symbol, verdict, contract, f.p)


def check_convention(image: Image, asked: str, contract: ForeignContract) -> None:
    """Raise UsageError for a convention that the file's architecture does not have."""
    from fieldc.proof.algebra.identity import ProofError
    from fieldc.proof.instruction_sets import INSTRUCTION_SETS

    if known := INSTRUCTION_SETS.get(image.architecture):
        try:
            known.convention(image.container, asked or contract.convention, is_foreign=True)
        except ProofError as error:
            raise UsageError(str(error)) from None


def _answer(
    member: str, symbol: str, verdict: Verdict, contract: ForeignContract, p: int
) -> Answer:
    """The answer about a routine of a file, or of a member of an archive."""
    from fieldc.commands.claimed import as_data, as_rows

    status = "FAILED" if verdict.failure else "PROVED"
    shown = {"routine": symbol, **({"member": member} if member else {}), "status": status}
    shown |= {"seconds": f"{verdict.seconds:.2f}", "why not": verdict.failure}
    tables = [Table((*shown,), [(*shown.values(),)])]
    if not verdict.failure:
        tables.append(Table((), as_rows(verdict, contract, p)))
    row = {
        "kernel": symbol,
        "member": member,
        "status": status,
        "seconds": round(verdict.seconds, 2),
        "reason": verdict.failure,
        **as_data(verdict, contract, p),
    }
    return Answer(tuple(tables), [row], int(bool(verdict.failure)))
