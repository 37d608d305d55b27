"""Let `fieldc-certify`, the checker that is proved in Coq, replay the certificates of a build.

Here a claim and its certificate are written as words for that program. The claim comes from the
manifest and the object. A certificate's cases are only a proposal, so this translation is not
trusted with them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import instructions
from fieldc.binary.linkable import KernelCode
from fieldc.errors import Refusal
from fieldc.proof.claims.contracts import Contract, contract_of
from fieldc.proof.claims.formulas import (
    ARITY,
    FormulaStatement,
    Size,
    contract_of_formula,
    statement_of,
)
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.memory import MOST_STACK

CERTIFIER = "fieldc-certify"
"""The program that `make formal` builds."""
UNKNOWN = 3
"""Its exit status where it does not know what is claimed."""


class NoAnswer(Refusal):
    """The checker stopped without an answer for each claim."""


class UnknownToChecker(NoAnswer):
    """The checker does not know what is claimed: it may be older than the build."""


class BadCertificate(Refusal):
    """A file is no certificate, or the kernel is of a kind that has none."""


@dataclass(frozen=True)
class KernelClaim:
    """What the checker is asked: an operation, its code, and what a certificate proposes."""

    family: str
    parameters: Mapping[str, int]
    p: int
    limbs: int
    stack: int
    convention: str
    code: bytes
    """From the first instruction on, with the constants."""
    certificate: tuple[str, ...]
    """What it proposes, as words: values between, equalities, cases."""
    formula: FormulaStatement | None = None
    """A user's formula, which is claimed instead of an operation."""
    calls: bool = False
    """Whether the formula calls routines, which are then all that the certificate proposes."""


def certifier() -> str:
    """Where the checker is: on PATH, or beside this Python; empty where it is not installed."""
    beside = Path(sys.executable).parent / CERTIFIER
    return shutil.which(CERTIFIER) or (str(beside) if beside.is_file() else "")


def claim_for(
    code: KernelCode,
    family: str,
    parameters: Mapping[str, int],
    p: int,
    limbs: int,
    stack: int,
    certificate: bytes,
    formula: str = "",
) -> KernelClaim:
    """The claim on a kernel, with the cases of its certificate. Raises BadCertificate, ProofError.

    The convention is that of the object's container. `formula` is the text of a user's formula,
    which is claimed instead of the family.
    """
    known = INSTRUCTION_SETS.get(code.architecture)
    if known is None:
        raise BadCertificate("the checker knows x86-64 and AArch64 only")
    if not (1 <= limbs <= 64 and p % 2 and 3 <= p < 1 << 64 * limbs):
        raise BadCertificate(f"no field: {limbs} limbs do not hold an odd p = {p:#x} above 1")
    if not 0 <= stack <= MOST_STACK:
        raise BadCertificate(f"a kernel takes at most {MOST_STACK} bytes of stack, not {stack}")
    statement = statement_of(formula) if formula else None
    contract = (
        contract_of_formula(statement, p, limbs)
        if statement
        else contract_of(family, p, limbs, parameters)
    )
    bytes_given = code.code[code.start :]
    r = 1 << 64 * limbs
    units = (pow(r, -1, p), r % p) if family == "to_montgomery" else (1, 1)
    try:
        stated = json.loads(certificate)
        routines = stated.get("routines", ())
        has_products = code.architecture == Architecture.AARCH64.value
        if statement and routines:
            called = zip(called_places(bytes_given, code.architecture), routines, strict=True)
            words = (
                *_many(called, lambda call: _routine(call[0], call[1], p, limbs, has_products)),
            )
        else:
            steps = None if statement is None else len(statement.steps)
            words = (*_proposals(stated, contract, units, steps),)
            if has_products:
                words = (*_many(stated.get("products", ()), _product), *words)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise BadCertificate("the file is no certificate") from None
    convention = known.convention(code.container, "")
    return KernelClaim(
        *(family, parameters, p, limbs, stack, convention, bytes_given),
        words,
        statement,
        bool(statement and routines),
    )


def called_places(code: bytes, architecture: str) -> list[int]:
    """Where code calls before it returns, each place once, by its offset."""
    places = list[int]()
    for instruction in instructions(code, Architecture(architecture), 0):
        if instruction.mnemonic == "ret":
            break
        place = instruction.operands[0] if instruction.mnemonic in ("call", "bl") else None
        if isinstance(place, int) and place not in places:
            places.append(place)
    return places


def _proposals(
    stated: Mapping[str, Any], contract: Contract, units: tuple[int, int], steps: int | None
) -> Iterator[str]:
    """Values between, of a formula one for each of its steps, equalities, and cases."""
    places = value_places(contract)
    listed = stated.get("cut_points", ())
    cuts = {cut.get("step", number): cut for number, cut in enumerate(listed)}
    between = range(len(cuts) if steps is None else steps)
    if len(cuts) < len(listed) or not cuts.keys() <= {*between}:
        raise ValueError("a value of no step, or one twice")
    places |= {f"v{number}": number for number in (len(places) + step for step in between)}
    yield from _many(between, lambda step: _between(cuts.get(step), places, units))
    yield from _equalities(stated, places)
    yield from _many(stated["cases"], lambda case: _case(case, places, units))


def _equalities(stated: Mapping[str, Any], places: Mapping[str, int]) -> Iterator[str]:
    return _many(stated.get("equalities", ()), lambda equality: _equality(equality, places))


def _routine(
    place: int, stated: Mapping[str, Any], p: int, limbs: int, has_products: bool
) -> Iterator[str]:
    """A routine: where it is, its statement, its stack, and its certificate."""
    statement = statement_of(stated["formula"])
    yield _hex(place)
    yield from _formula(statement)
    yield _hex(stated["stack"])
    if has_products:
        yield from _many(stated.get("products", ()), _product)
    contract = contract_of_formula(statement, p, limbs)
    yield from _proposals(stated, contract, (1, 1), len(statement.steps))


def value_places(contract: Contract) -> dict[str, int]:
    """The number of each operand value by its name in certificates: x, or x.0 and x.1."""
    names: list[str] = []
    for operand in contract.operands:
        several = operand.count > 1
        names += [f"{operand.name}.{i}" if several else operand.name for i in range(operand.count)]
    return {name: number for number, name in enumerate(names)}


def replay(program: str, claim: KernelClaim) -> bool:
    """Whether the checker accepts a claim. Raises NoAnswer."""
    try:
        done = subprocess.run(
            [program],
            input=" ".join(claim_words(claim)),
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise NoAnswer(f"{program} does not run: {error.strerror}") from None
    answer = done.stdout.strip()
    if done.returncode or answer not in ("accepted", "refused"):
        said = done.stderr.strip().partition("\n")[0].removeprefix(f"{CERTIFIER}: ")
        why = said or f"exit status {done.returncode}"
        kind = UnknownToChecker if done.returncode == UNKNOWN else NoAnswer
        raise kind(f"{CERTIFIER} gives no answer: {why}")
    return answer == "accepted"


def claim_words(claim: KernelClaim) -> Iterator[str]:
    """A claim with its certificate's proposals, as formal/main.ml reads them."""
    if claim.formula:
        yield "calls" if claim.calls else "formula"
        yield from _formula(claim.formula)
    else:
        yield from ("claim", claim.family)
        yield from _many(claim.parameters.items(), lambda item: (item[0], _hex(item[1])))
    yield from (_hex(claim.p), _hex(claim.limbs), _hex(claim.stack), claim.convention)
    yield f".{claim.code.hex()}"
    if claim.formula:
        yield _hex(pow(1 << 64 * claim.limbs, -1, claim.p))
    yield from claim.certificate


def _formula(statement: FormulaStatement) -> Iterator[str]:
    """A user's formula: operands, steps, results, and the results' size."""
    yield from _many(statement.operands, lambda of: (_hex(of[1]), *_size(of[2])))
    yield from _many(statement.steps, _step)
    yield from _many(statement.results, _number)
    yield from _size(statement.size)


def _size(size: Size) -> Iterator[str]:
    return map(_hex, (size.multiple, size.powers, size.bits, size.is_signed))


def _step(step: tuple[str, tuple[int, ...], int]) -> Iterator[str]:
    kind, taken, integer = step
    integers = ARITY[kind][1]
    return iter((kind, *map(_hex, taken), *(_hex(integer) for _ in range(integers))))


def _hex(number: int) -> str:
    return f"{number:x}"


def _coefficient(text: str) -> str:
    return _hex(int(text, 16))


def _many(items: Iterable[Any], write: Callable[[Any], Iterable[str]]) -> Iterator[str]:
    """How many there are, then each."""
    listed = list(items)
    yield _hex(len(listed))
    for item in listed:
        yield from write(item)


def _number(value: int) -> tuple[str, ...]:
    return (_hex(value),)


def _product(product: Sequence[Any]) -> Iterator[str]:
    """A product by constants that AArch64 code needs: the word, its factor, the constant."""
    variable, factor, constant = product
    return iter((_hex(variable), _coefficient(factor), _coefficient(constant)))


def _equality(equality: Mapping[str, Any], places: Mapping[str, int]) -> Iterator[str]:
    yield _hex(equality["variable"])
    yield from _many(equality["value"], _term)
    cut = equality.get("cut")  # a word, and how many of its top bits
    yield from _many([(cut[0], 64 - cut[1])] if cut else [], lambda one: map(_hex, one))
    yield from _bound(equality["most"], places)
    yield from _bound(equality["least"], places)


def _between(
    cut: Mapping[str, Any] | None, places: Mapping[str, int], units: tuple[int, int]
) -> Iterator[str]:
    """A value between: the words that hold it, or none do."""
    if cut is None:
        yield "written"
        return
    yield "words"
    yield from _equalities(cut, places)
    yield from _many(cut["words"], _number)
    yield _hex(int(cut["high"], 16) + 1)
    yield from _many(cut["cases"], lambda case: _case(case, places, units))


def _case(
    case: Mapping[str, Any], places: Mapping[str, int], units: tuple[int, int]
) -> Iterator[str]:
    flags = case["flags"]
    if "excluded" in case:
        yield "excluded"
        yield from _many(flags[:-1], lambda flag: map(_hex, flag))
        yield from map(_hex, flags[-1])
        yield from _bound(case["excluded"], places)
        return
    yield from ("proved", _hex(case.get("result", 0)))
    yield from _many(flags, lambda flag: map(_hex, flag))
    yield from _many(case["facts"], lambda fact: _fact(fact, places))
    yield from map(_hex, units)
    yield from _combination(case["identity"])
    yield from _bound(case["canonical"], places)


def _fact(fact: Mapping[str, Any], places: Mapping[str, int]) -> Iterator[str]:
    if "bound" in fact:
        kind = "between" if "most" in fact else "bound"
        yield from (kind, _hex(fact["variable"]), _hex(fact["value"]))
        yield from _bound(fact["bound"], places)
        yield from _bound(fact["most"], places) if "most" in fact else ()
    else:
        scale = _coefficient(fact.get("scale", "0x1"))
        yield from ("residue", _hex(fact["variable"]), scale)
        yield from _combination(fact["residue"])


def _combination(rows: Sequence[Any]) -> Iterator[str]:
    return _many(rows, lambda row: (_hex(row[0]), *_many(row[1], _term)))


def _term(term: Sequence[Any]) -> Iterator[str]:
    yield _coefficient(term[0])
    yield from _many(term[1], _number)


def _bound(bound: Mapping[str, Any], places: Mapping[str, int]) -> Iterator[str]:
    yield _coefficient(bound["scale"])
    yield from _combination(bound["rows"])
    yield from _many(bound["slopes"], lambda slope: _slope(slope, places))


def _slope(slope: Sequence[Any], places: Mapping[str, int]) -> Iterator[str]:
    coefficient, operands, limbs = slope
    yield _coefficient(coefficient)
    yield from _many((places[name] for name in operands), _number)
    yield from _many(limbs, _number)
