"""Routines that others compiled: contracts in files, proofs, and candidates by their shape."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fieldc.artifacts.verify import Verdict
from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import mnemonics
from fieldc.binary.image import Image, Routine
from fieldc.binary.located import LocatedCode, locate
from fieldc.errors import enumerated, printable, quote
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.claims.statements import Statement, contract_from
from fieldc.proof.constant_time.vendors import unlisted
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.prove import prove

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_DIGITS, MOST_BYTES = 640, 1 << 16
"""Of a number that a contract states, and of one of its words of memory."""
KEYS = frozenset(
    (
        *("claim", "claims", "arguments", "limbs", "below", "sizes", "values", "numbers"),
        *("tables", "overlap", "memory", "between", "before", "in_place", "convention"),
    )
)
FORMS = {
    "arguments": "z",
    "claims": "z0 = x",
    "between": "v = x*y",
    **{"below": '{x = "2*p"}', "numbers": '{count = "4"}', "tables": '{q = "n0"}'},
    **{"sizes": "{x = 8}", "values": "{x = 2}", "before": "{q = 1}"},
    "memory": '{"symbol+8" = "0x80100 of 4 bytes"}',
}
"""An example of each key that is a list or a table."""


@dataclass(frozen=True)
class ForeignContract:
    """A statement, the bytes of other memory that are taken for granted, and the convention."""

    statement: Statement
    memory: Mapping[str, tuple[int, bytes]]
    convention: str = ""
    """By which it is called; that of the file's system where nothing is said."""


def is_statement(text: str) -> bool:
    """Whether a contract's file says what is claimed, and not only an operation."""
    try:
        said = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return "claim" in said or "claims" in said


def contract_in_file(text: str, limbs: int) -> ForeignContract:
    """The contract that a file states. Raises ProofError where it is none.

    claim = "R*z = x*y"
    arguments = ["z", "x", "y", "p", "n0"]
    below = {x = "2*p"}
    memory = {"features+8" = "0x80100 of 4 bytes"}
    convention = "go-abi0"
    """
    said: dict[str, Any] = tomllib.loads(text)
    if unknown := said.keys() - KEYS:
        raise ProofError(f"a contract has no {printable(enumerated(sorted(unknown)))}")
    if "claim" in said and "claims" in said:
        raise ProofError("the contract has claim and claims; write one of them")
    if not said.keys() & {"claim", "claims"}:
        raise ProofError('the contract lacks claim; write such as claim = "R*z = x*y"')
    if "arguments" not in said:
        raise ProofError('the contract lacks arguments; write such as arguments = ["z", "x"]')
    statement = Statement(
        _texts("arguments", said["arguments"]),
        _texts("claims", said["claims"]) if "claims" in said else (_text("claim", said),),
        _number("limbs", said.get("limbs", limbs)),
        _expressions("below", said),
        _counts("sizes", said),
        _counts("values", said),
        _expressions("numbers", said),
        _expressions("tables", said),
        _truth("overlap", said.get("overlap", True)),
        _texts("between", said["between"]) if "between" in said else (),
        _counts("before", said),
        _text("in_place", said) if "in_place" in said else "",
    )
    memory: dict[str, tuple[int, bytes]] = {}
    for place, value in _expressions("memory", said).items():
        name, held = _bytes_at(place, value)
        if name in memory:
            raise ProofError(f"the contract's memory is about {quote(name)} twice")
        memory[name] = held
    return ForeignContract(
        statement, memory, _text("convention", said) if "convention" in said else ""
    )


def _text(key: str, said: Mapping[str, Any]) -> str:
    """A text that is not empty. Raises ProofError."""
    if not isinstance(text := said[key], str) or not text:
        raise ProofError(f"the contract's {key} is empty, or what is no text")
    return text


def _texts(key: str, said: object) -> tuple[str, ...]:
    """A list of texts that are not empty. Raises ProofError."""
    if not isinstance(said, list) or not said:
        wrong = "an empty list" if said == [] else "no list"
        raise ProofError(
            f'the contract\'s {key} is {wrong}; write such as {key} = ["{FORMS[key]}"]'
        )
    if not all(isinstance(text, str) and text for text in said):
        raise ProofError(f"the contract's {key} has an empty text, or what is no text")
    return tuple(said)


def _table(key: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table of the contract; empty where it has none. Raises ProofError."""
    table = said.get(key, {})
    if not isinstance(table, dict):
        raise ProofError(f"the contract's {key} is no table; write such as {key} = {FORMS[key]}")
    return table


def _expressions(key: str, said: Mapping[str, Any]) -> dict[str, str]:
    """A table of texts, or of whole numbers as such. Raises ProofError."""
    table = _table(key, said)
    for name, value in table.items():
        if type(value) not in (str, int):
            raise ProofError(f"the contract's {key} of {quote(name)} is neither text nor number")
    return {name: v if isinstance(v, str) else f"{v:#x}" for name, v in table.items()}


def _counts(key: str, said: Mapping[str, Any]) -> dict[str, int]:
    """A table of whole numbers. Raises ProofError."""
    return {k: _number(f"{key} of {quote(k)}", v) for k, v in _table(key, said).items()}


def _number(what: str, said: object) -> int:
    """A whole number, as TOML has it or as a text of its digits. Raises ProofError."""
    if type(said) is int:
        return said
    if isinstance(said, str) and said.isascii() and said.isdigit() and len(said) <= MOST_DIGITS:
        return int(said)
    raise ProofError(f"the contract's {what} is no whole number")


def _truth(key: str, said: object) -> bool:
    if not isinstance(said, bool):
        raise ProofError(f"the contract's {key} is neither true nor false")
    return said


def _bytes_at(place: str, value: str) -> tuple[str, tuple[int, bytes]]:
    """`symbol+8` and `0x80100 of 4 bytes`."""
    name, _, offset = place.partition("+")
    number, _, size = value.partition(" of ")
    try:
        count = int(size.removesuffix("s").removesuffix(" byte"))
        if not (name and 0 < count <= MOST_BYTES):
            raise ValueError
        return name, (int(offset or "0", 0), int(number, 0).to_bytes(count, "little"))
    except (ValueError, OverflowError):
        said = quote(f"{place} = {value}")
        form = "symbol+8 = 0x80100 of 4 bytes"
        raise ProofError(f"the contract's memory {said} is not as in {form}") from None


def prove_foreign(
    image: Image, symbol: str, contract: ForeignContract, p: int, convention: str = ""
) -> Verdict:
    """Prove a routine of any file. What is assumed of the file is `located.ASSUMED`."""
    began = time.perf_counter()
    try:
        code = locate(image, symbol, contract.memory)
        asked = convention or contract.convention
        verdict = _proved(code, contract_from(contract.statement, p), asked)
    except ProofError as error:
        verdict = Verdict(str(error), 0.0)
    return replace(verdict, seconds=time.perf_counter() - began)


def _proved(code: LocatedCode, contract: Contract, convention: str) -> Verdict:
    instructions = INSTRUCTION_SETS.get(code.architecture)
    if instructions is None:
        raise ProofError(f"there are no proofs for {code.architecture}")
    asked = instructions.convention(code.container, convention, is_foreign=True)
    proved = prove(
        code.code,
        contract,
        asked,
        code.start,
        code.architecture,
        constants=code.constants,
        unfit=code.unfit,
    )
    outside = unlisted(proved.instructions, code.architecture)
    return Verdict("", 0.0, "", asked, proved.stack, outside, proved.assumed)


@dataclass(frozen=True)
class Outline:
    """What a routine looks like, from its instructions in the order of their bytes."""

    name: str
    address: int
    instructions: int
    products: int
    carries: int
    branches: int
    calls: int

    @property
    def is_candidate(self) -> bool:
        """Whether it may be arithmetic on limbs: carries, and few branches."""
        return self.carries >= FEWEST_CARRIES and self.branches <= MOST_BRANCHES


FEWEST_CARRIES = 3
MOST_BRANCHES = 4
LARGEST = 1 << 16
"""Bytes of a routine that is looked at."""
PRODUCTS = ("mul", "mulx", "imul", "umulh", "madd", "msub")
CARRIES = ("adc", "sbb", "adcx", "adox", "adcs", "sbcs", "sbc")


@dataclass(frozen=True)
class Survey:
    """How code is looked through: the architecture, and how branches begin."""

    architecture: Architecture
    branches: tuple[str, ...]


SURVEYS = {
    "x86_64": Survey(Architecture.X86_64, ("j",)),
    "aarch64": Survey(Architecture.AARCH64, ("b.", "cb", "tb")),
}
ALWAYS = ("jmp",)
"""Jumps that are no branches."""


def candidates(image: Image) -> Iterator[Outline]:
    """The routines of a file that look like arithmetic on limbs."""
    if image.architecture not in SURVEYS:
        return
    survey = SURVEYS[image.architecture]
    for routine in image.routines().values():
        if len(routine.code) <= LARGEST:
            outline = _outline(survey, routine)
            if outline.is_candidate:
                yield outline


def _outline(survey: Survey, routine: Routine) -> Outline:
    names = mnemonics(routine.code, survey.architecture)
    return Outline(
        routine.name,
        routine.address,
        len(names),
        sum(name in PRODUCTS for name in names),
        sum(name in CARRIES for name in names),
        sum(name.startswith(survey.branches) and name not in ALWAYS for name in names),
        sum(name in ("call", "bl", "blr") for name in names),
    )
