"""AArch64 text to bytes: instructions of the table, labels, and words of data.

LLVM in this process assembles for its host alone, so the text of kernels has an assembler here.
Tests compare it with LLVM's bytes, and with capstone's reading of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fieldc.targets.aarch64.instructions import INSTRUCTIONS, ArmLine, TextError

_PART = re.compile(r"\[[^]]*\]!?|[^,\s][^,]*")
"""An operand: an address in brackets, or what is between commas."""
_LABEL = re.compile(r"([.\w$]+):")
DATA = (".quad", ".xword")
"""Words of 64 bits."""
ALIGN = ".p2align"
"""Fills with `nop`, as assemblers do in code."""
NOP = ArmLine("nop", (), 0, {})
TO_LABELS = ("adr", "bl")
"""What names a place of the text."""


def assembled(text: str, places: Mapping[str, int] | None = None) -> bytes:
    """The bytes of a text, which may lie at any multiple of its largest alignment.

    A number label, as `2`, is one place; `2f` and `2b` name it. `places` are labels of what
    follows the text. Raises TextError.
    """
    lines = [line.split("//")[0].strip() for line in text.splitlines()]
    labels = dict(places or {})
    for is_last in (False, True):  # the second time every label is known
        code = b""
        for line in filter(None, lines):
            if label := _LABEL.fullmatch(line):
                name = label[1]
                labels.update(dict.fromkeys([f"{name}f", f"{name}b", name], len(code)))
            else:
                code += _bytes_of(line, len(code), labels, is_last)
    for line in filter(None, lines):
        _check_labels(line, labels)
    return code


def _bytes_of(line: str, place: int, labels: dict[str, int], is_last: bool) -> bytes:
    mnemonic, _, rest = line.partition(" ") if " " in line else line.partition("\t")
    operands = tuple(part.strip() for part in _PART.findall(rest))
    if mnemonic in DATA:
        return b"".join((int(word, 0) % (1 << 64)).to_bytes(8, "little") for word in operands)
    if mnemonic == ALIGN:
        gap = -place % (1 << int(operands[0]))
        return bytes(gap % 4) + encode(NOP).to_bytes(4, "little") * (gap // 4)
    known = labels if is_last else dict.fromkeys(operands, place) | labels
    return encode(ArmLine(mnemonic, operands, place, known)).to_bytes(4, "little")


def encode(line: ArmLine) -> int:
    """The word of one instruction. Raises TextError."""
    for row in INSTRUCTIONS.get(line.mnemonic, ()):
        if (word := row.encode(line)) is not None:
            return word
    raise TextError(f"no such AArch64 instruction here: {line.mnemonic} {', '.join(line.operands)}")


def _check_labels(line: str, labels: dict[str, int]) -> None:
    if line.startswith(TO_LABELS) and re.split(r"[,\s]\s*", line)[-1] not in labels:
        raise TextError(f"no label for: {line}")
