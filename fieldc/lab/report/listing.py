"""A kernel's instructions, each with what it is for: a row of the product, of the reduction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE = re.compile(r"^    (?P<text>[a-z].*?)\s*(?:# (?P<comment>.*))?$")
PRODUCT, REDUCTION = (
    re.compile(r"^[xy]\[(\d+)\]"),
    re.compile(r"^(mu|minus_mu|p|n0|fold|complement)\b"),
)
MULTIPLICATIONS = ("mulx", "mul", "imul")
CARRY = ("add", "adc", "adcx", "sub", "sbb")
OVERFLOW = ("adox",)
FRAME = re.compile(r"^(push|pop|ret|(add|sub) rsp)\b")
"""What saves and restores registers belongs to no part, wherever it stands."""


@dataclass(frozen=True)
class Line:
    """One instruction: its text, its comment, the part of the kernel, and its carry chain.

    `part` is "", "product", "reduction" or "final subtraction"; `chain` is "", "carry" or
    "overflow".
    """

    text: str
    comment: str
    part: str
    row: int
    chain: str

    @property
    def says(self) -> str:
        """The part in words."""
        return (
            f"{self.part}, row {self.row}" if self.part in ("product", "reduction") else self.part
        )


def listing(assembly: str) -> Iterator[Line]:
    """The instructions of an assembly text of ours, in program order.

    A part begins where an operand or a constant of it is read.
    """
    found = [match for line in assembly.splitlines() if (match := LINE.match(line))]
    last = max((i for i, m in enumerate(found) if _opcode(m) in MULTIPLICATIONS), default=-1)
    part, row, rows = "", 0, {"product": 0, "reduction": 0}
    multiplied = False
    for number, match in enumerate(found):
        comment = match["comment"] or ""
        if FRAME.match(match["text"]):
            yield Line(match["text"], comment, "", 0, "")
            continue
        named = "product" if PRODUCT.match(comment) else "reduction"
        known = bool(PRODUCT.match(comment) or REDUCTION.match(comment))
        if known and number > last:
            part = "final subtraction"
        elif known and (part != named or (multiplied and _begins_row(match, comment))):
            part, multiplied = named, False
            rows[part] += 1
            row = rows[part]
        opcode = _opcode(match)
        multiplied |= opcode in MULTIPLICATIONS
        chain = "overflow" if opcode in OVERFLOW else "carry" if opcode in CARRY else ""
        yield Line(match["text"], comment, part, row, chain)


def _begins_row(match: re.Match[str], comment: str) -> bool:
    return match["text"].startswith("mov rdx") and comment.startswith("y[")


def _opcode(match: re.Match[str]) -> str:
    return str(match["text"]).split()[0]
