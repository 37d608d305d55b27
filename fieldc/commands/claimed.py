"""What a contract claims of a routine of others and takes for granted, in words and as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fieldc.errors import counted, printable

if TYPE_CHECKING:
    from fieldc.artifacts.foreign import ForeignContract
    from fieldc.artifacts.verify import Verdict
    from fieldc.proof.claims.contracts import Contract
    from fieldc.proof.claims.statements import Statement

CONSTANT_TIME = "no branch and no address depends on data"
WORD_BYTES = 8


def as_rows(verdict: Verdict, contract: ForeignContract, p: int) -> list[tuple[object, ...]]:
    """What was proved and what was assumed, as rows. Raises ProofError for no contract."""
    statement = contract.statement
    overlap = "z may be an operand" if statement.overlap else "z overlaps no operand"
    rows: list[tuple[object, ...]] = [("claim", f"{_claim(statement)} mod {p:#x}")]
    if several := _several(statement):
        rows.append(("values", "; ".join(several)))
    bounds = ", ".join(f"{name} < {high}" for name, high in _bounds(statement).items())
    sizes = (f"{name}: {counted(size, 'limb')}" for name, size in _sizes(statement).items())
    rows += [
        ("bounds", bounds),
        ("sizes", f"{', '.join(sizes)}; R = 2^{64 * statement.limbs}"),
        ("arguments", ", ".join(statement.arguments)),
        ("frame", f"{verdict.convention}; {verdict.stack} bytes of stack; {overlap}"),
        ("for all inputs", CONSTANT_TIME),
        *(("assumed", said) for said in _assumed(verdict, contract, p)),
    ]
    if note := _note(verdict):
        rows.append(("note", note))
    return rows


def as_data(verdict: Verdict, contract: ForeignContract, p: int) -> dict[str, object]:
    """The same for --json; of what is not proved, what was to be proved.

    Raises ProofError for no contract.
    """
    from fieldc.proof.claims.statements import contract_from

    statement, is_proved = contract.statement, not verdict.failure
    meant = contract_from(statement, p)
    given = {name for name in statement.arguments if name in (*meant.tables, *meant.numbers)}
    memory = {f"{name}+{at}": _held(data) for name, (at, data) in contract.memory.items()}
    return {
        "claim": _claim(statement),
        "p": hex(p),
        "limbs": statement.limbs,
        "arguments": list(statement.arguments),
        "bounds": _bounds(statement),
        "sizes": _sizes(statement),
        "values": {name: len(values) for name, values in _values(statement).items()},
        "numbers": {name: hex(v) for name, v in meant.numbers.items() if name in given},
        "tables": {
            name: {
                "value": hex(_number(words)),
                "limbs": len(words),
                "offset": _offset(meant, name),
            }
            for name, words in meant.tables.items()
            if name in given
        },
        "memory": memory,
        "in_place": statement.in_place,
        "overlap": statement.overlap,
        "convention": verdict.convention if is_proved else None,
        "stack": verdict.stack if is_proved else None,
        "for_all_inputs": CONSTANT_TIME if is_proved else None,
        "assumed": _assumed(verdict, contract, p),
        "unlisted": list(verdict.unlisted),
        "note": _note(verdict),
    }


def _note(verdict: Verdict) -> str:
    from fieldc.proof.constant_time.vendors import promises_nothing

    return promises_nothing(verdict.unlisted) if verdict.unlisted else ""


def _line(text: str) -> str:
    """An expression on one line; where its words break says nothing."""
    return printable(" ".join(text.split()))


def _claim(statement: Statement) -> str:
    """All claims, and the values on the way of which they speak."""
    between = "; ".join(map(_line, statement.between))
    return "; ".join(map(_line, statement.claims)) + (f", where {between}" if between else "")


def _bounds(statement: Statement) -> dict[str, str]:
    """What each value of each operand, and of z, is below."""
    named = (*statement.operands, "z")
    return {name: _line(statement.below.get(name, "p")) for name in named}


def _sizes(statement: Statement) -> dict[str, int]:
    """The limbs of each value of each operand, and of z."""
    named = (*statement.operands, "z")
    return {name: statement.sizes.get(name, statement.limbs) for name in named}


def _values(statement: Statement) -> dict[str, tuple[str, ...]]:
    """The names of the values of each operand, and of z."""
    counts = {name: statement.values.get(name, 1) for name in statement.operands}
    counts["z"] = len(statement.claims)
    return {
        name: (name,) if count == 1 else tuple(f"{name}{k}" for k in range(count))
        for name, count in counts.items()
    }


def _several(statement: Statement) -> list[str]:
    """Which values lie side by side, in words."""
    return [
        f"{name} is {len(values)} values side by side, {values[0]} to {values[-1]}"
        for name, values in _values(statement).items()
        if len(values) > 1
    ]


def _assumed(verdict: Verdict, contract: ForeignContract, p: int) -> list[str]:
    """What is taken for granted, a sentence each: of the caller, of memory, and of the file."""
    from fieldc.binary.located import ASSUMED
    from fieldc.proof.claims.statements import contract_from

    statement, meant = contract.statement, contract_from(contract.statement, p)
    said = [f"z holds {statement.in_place} before the call"] if statement.in_place else []
    for name in statement.arguments:
        if name in meant.numbers:
            meaning = _meaning(name, {"n0": "-1/p mod 2^64", **statement.numbers})
            said.append(f"{name} is {meant.numbers[name]:#x}{meaning}")
        elif name in meant.tables:
            words, meaning = meant.tables[name], _meaning(name, {"p": "p", **statement.tables})
            held = f"{_number(words):#x}{meaning} stands at {_place(meant, name)}"
            said.append(f"{held}, in {counted(len(words), 'limb')}")
    for name, (offset, data) in contract.memory.items():
        said.append(f"{_held(data)} stands at {printable(name)}+{offset}")
    return [*said, *verdict.assumed, ASSUMED]


def _meaning(name: str, texts: Mapping[str, str]) -> str:
    """How a contract writes a number, in brackets where it does not just write its digits."""
    text = _line(texts[name])
    return "" if text.isalnum() and text[:1].isdigit() else f" ({text})"


def _held(data: bytes) -> str:
    return f"{int.from_bytes(data, 'little'):#x} of {counted(len(data), 'byte')}"


def _number(words: tuple[int, ...]) -> int:
    return sum(word << 8 * WORD_BYTES * k for k, word in enumerate(words))


def _offset(meant: Contract, name: str) -> int:
    """Where the first word of a table lies, in bytes from its address."""
    return -WORD_BYTES * meant.before.get(name, 0)


def _place(meant: Contract, name: str) -> str:
    return f"{name}{offset}" if (offset := _offset(meant, name)) else name
