"""Which instruction set extensions the code of a function uses, beyond those of every x86-64.

Followed are all jumps and calls, both ways of a branch. AArch64 code uses none: the prover knows
instructions of Armv8.0 alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import decoder
from fieldc.binary.linkable import KernelCode

BY_NAME = {
    **dict.fromkeys(("adcx", "adox"), "adx"),
    **dict.fromkeys(("mulx", "rorx", "shlx", "shrx", "sarx", "pdep", "pext", "bzhi"), "bmi2"),
    **dict.fromkeys(("andn", "bextr", "blsi", "blsr", "blsmsk", "tzcnt"), "bmi"),
    **{name: name for name in ("lzcnt", "popcnt", "movbe", "crc32")},
}
"""Of instructions on words: the extension, by LLVM's name."""
OF_MASKS = {"b": "avx512dq", "w": "avx512f"}
"""Of instructions on masks, by how their names end; the others are AVX-512BW's."""
EVEX = b"\x62"
BEFORE = bytes((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF2, 0xF3))
"""Prefixes that may stand before an instruction."""
IN_AVX512 = (
    ("avx512ifma", ("vpmadd52",)),
    ("avx512vbmi2", ("vpshld", "vpshrd")),
    ("avx512dq", ("vpmull", "vcvtqq2", "vcvtuqq2", "vcvttpd2qq", "vcvttpd2uqq", "vcvtpd2qq")),
    ("avx512dq", ("vcvtpd2uqq", "vandpd", "vandnpd", "vorpd", "vxorpd", "vpmovm2", "vpmovq2m")),
    ("avx512dq", ("vinserti64x2", "vextracti64x2", "vbroadcasti64x2", "vfpclass", "vrange")),
)
"""Parts of AVX-512 beyond its foundation, by how their instructions' names begin."""
IMPLIED = {
    "avx2": ("avx",),
    "fma": ("avx",),
    "avx512f": ("avx", "avx2", "fma"),
    **dict.fromkeys(("avx512dq", "avx512ifma", "avx512vbmi2"), ("avx", "avx2", "fma", "avx512f")),
}
"""What a processor has that has an extension."""
LABELS = {
    **{"avx512f": "AVX-512F", "avx512dq": "AVX-512DQ", "avx512ifma": "AVX-512IFMA"},
    **{"avx512vbmi2": "AVX-512VBMI2", "avx512vl": "AVX-512VL", "avx512bw": "AVX-512BW"},
}


def named(feature: str) -> str:
    """An extension as its maker writes it."""
    return LABELS.get(feature, feature.upper())


def covered(features: Iterable[str]) -> set[str]:
    """Extensions and all that they imply."""
    given = [*features]
    return {*given, *(name for one in given for name in IMPLIED.get(one, ()))}


def features_used(function: KernelCode) -> dict[str, str]:
    """The extensions that a function uses, each with an instruction of it."""
    if function.architecture != Architecture.X86_64.value:
        return {}
    found: dict[str, str] = {}
    for code, name, operands in executed(function.code, function.start):
        if feature := _feature(code, name, operands):
            found.setdefault(feature, name)
    return found


def executed(code: bytes, start: int) -> Iterator[tuple[bytes, str, str]]:
    """The bytes, names and operands of all instructions that x86-64 code may reach."""
    todo, seen = [start], set[int]()
    engine = decoder(Architecture.X86_64)
    while todo:
        first = todo.pop()
        for at, size, name, operands in engine.disasm_lite(code[first:], first):
            if at in seen:
                break
            seen.add(at)
            yield code[at : at + size], name, operands
            if name == "call" or name.startswith("j"):
                todo += _place(operands, len(code))
            if name in ("ret", "jmp"):
                break


def _place(operand: str, end: int) -> list[int]:
    """Where a jump leads, if that is a place in the code."""
    try:
        place = int(operand, 16)
    except ValueError:
        return []
    return [place] if 0 <= place < end else []


def _feature(code: bytes, name: str, operands: str) -> str:
    """The extension of one instruction; empty for what every processor has."""
    if name in BY_NAME:
        return BY_NAME[name]
    if code.lstrip(BEFORE).startswith(EVEX):
        parts = (part for part, starts in IN_AVX512 if name.startswith(starts))
        is_whole = "zmm" in operands
        return next(parts, "avx512f") if is_whole else "avx512vl"
    if name.startswith("k"):
        return OF_MASKS.get(name[-1], "avx512bw")
    if name.startswith(("vfm", "vfnm")):
        return "fma"
    return "avx2" if name.startswith("v") else ""
