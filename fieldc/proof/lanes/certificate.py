"""A proof of a kernel on arrays written down, so that a second program can replay it.

One lane stands for all. Its variables are integers, numbered from 0: the words of each operand in
call order, without those that are always 0, then two for each cut in the order of the steps.

    cut     [bits, integer]              integer = low + 2^bits*rest, 0 <= low < 2^bits
    low     [bits, parts, rest]          the low bits of parts + 2^bits*rest are the parts:
                                         [[place, integer], ...], each times 2^place
    whole   [bits, number, rest]         the variable of that number, low bits of a cut, is the
                                         integer that is 2^bits*rest more, for that has no more bits
    most    [integer, limit, bound]      integer <= limit
    least   [integer, limit, bound]      integer >= limit
    wrap    [integer, turns]             where a sum is the integer, its word is the integer less
                                         2^64*turns

An integer is a polynomial in variables, [[coefficient, [variable, ...]], ...]. A bound says that

    scale*target - sum(slope*product) + sum(factor*sign) = remainder

where products are of operands, named, or those in `rests` of variables that are not negative, such
as the rest of a word of an operand above its low bits. Every product and every monomial of the
remainder, over words of operands and low bits alone, is taken at its largest value, with a negative
coefficient at 0. A sign is an integer that was decided to be negative, then it is at most -1 and
its factor is not positive, or not to be, then it is at least 0. The sum is below scale*(limit + 1);
for `least` the target is the negated integer.

    bound        {scale, slopes: [[slope, [operand, ...]], ...], signs: [[number, factor], ...],
                  rests: [[slope, [variable, ...]], ...], where there are some}
    node         {steps, split: integer, negative: node, other: node}
                 {steps, canonical: [bound, ...]}

The nodes are a tree: whether the integer of a split is negative is the next sign below it. At a
leaf the code of a block is run, word by word:

    sums           the word is the sum, as an integer; it may be negative
    shifts, halves of products, `and` with low ones
                   the low bits of an integer are what a step says, or the integer itself where its
                   bounds say so
    masks          by the signs of the leaf, or by bounds

Then R times each result is the claim modulo p, coefficient by coefficient, if need be with integers
for low bits that are `whole`. `canonical` says why it is below its bound. Where a word's bounds
leave no integer, the signs of the leaf cannot be.

    contract     {operation, family, parameters: {lazy}, p, words, word_bits, convention, turns}
    loop         {elements, frame, masks, advances, block: [from, to], tail: [from, to]}

`turns` is only there for sums in columns, `accumulate` and `collect`: how often a lane adds at
most. An element has `words` limbs then, or the digits that hold them. What `accumulate` gives is an
exact sum: `canonical` has for each column why a turn adds no more than it may. `column_bits` says
that columns are 32 bits apart. `multiple` is there where second factors are below so many p, and
first ones in digits are moved up.

Where `word_bits` is 32, two elements share a lane: x0 and x1 are operands, in this order, and each
result has two bounds.

`mixed` is {in_digits, gives_digits}, where some arrays are in limbs and others in digits: operands
by their names, and whether results are in digits. `words` are limbs then, and R is 2^(64*words).
`to_digits` is the product with 2^e, `from_digits` the quotient by it, where digits have e bits
more. Operands in `shared` have one element, which serves for all. An operand of several values, as
the digits of one or the rows of another, has its values by number: y0, y1 and so on.

`loop` is the shape of the function, as `loop.py` describes it: elements of a block, places of a
vector where these are four, whether MXCSR rounds to zero while the loop runs, bytes of the frame,
masks of blends by the number of their register, the registers that hold vectors of the first array
(`held`, where there are some), what each pointer advances by in a turn, and the places of the code
of a block and of a tail. `block` and `tail` have a node each; the tail's is left out where it is
the same. Coefficients, limits and factors are hexadecimal strings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.block import LANES
from fieldc.proof.lanes.columns import COLUMN_PROOFS, ColumnContract
from fieldc.proof.lanes.loop import LoopParts
from fieldc.proof.lanes.mixed import MixedArrays, prove_mixed
from fieldc.proof.lanes.prove import ArrayRecorder, prove_arrays
from fieldc.proof.lanes.recording import RecordingLane, Step
from fieldc.proof.lanes.word import WORD
from fieldc.proof.lanes.words import Lane

ARRAY_FORMAT = "fieldc-array-certificate-1"
CERTIFIED_FAMILIES = ("add", "sub", "neg", "double", "mul", "square", "mul_add", "butterfly")
"""Operations whose proofs are written down."""
CONVERSIONS = ("to_digits", "from_digits")
"""Products with 2^e and by it, for e bits more in digits: their results have another R."""
CERTIFIED_INSTRUCTIONS = {
    "vmovdqu64",
    "vmovdqa64",
    "vpbroadcastq",
    "vpxorq",
    "vpaddq",
    "vpsubq",
    "vpandq",
    "vpsrlq",
    "vpsraq",
    "vpsllq",
    "vpshrdq",
    "vpternlogq",
    "vpmadd52luq",
    "vpmadd52huq",
    "vpmuludq",
    "vpminuq",
    "vpermq",
    "vpermi2q",
    "vpblendmq",
    "vpcmpltuq",
    "vcvtuqq2pd",
    "vfmadd231pd",
    "vsubpd",
    "kmovb",
    "kmovw",
    "vmovdqu32",
    "vmovshdup",
    "vpaddd",
    "vpsubd",
    "vpminud",
}
"""Those on vectors of 512 bits that `crates/check` knows."""
CERTIFIED_SHORT = {
    "vmovdqu",
    "vmovdqa",
    "vpbroadcastq",
    "vpmaskmovq",
    "vinserti128",
    "vextracti128",
    "vpunpcklqdq",
    "vpunpckhqdq",
    "vpxor",
    "vfmadd231pd",
    "vsubpd",
    "vpmuludq",
    "vpminud",
    "vpaddq",
    "vpsubq",
    "vpand",
    "vpsrlq",
    "vpsllq",
    "vblendvpd",
    "vpcmpgtq",
}
"""Those on vectors of 256 bits."""


def certify_arrays(
    code: bytes,
    family: str,
    p: int,
    words: int,
    word_bits: int,
    parameters: Mapping[str, int],
    operation: str,
    start: int = 0,
    symbol: str = "kernel",
) -> dict[str, Any] | None:
    """Prove a kernel on arrays and write the proof down, as JSON values. Raises ProofError.

    None for a kernel that is proved, but whose operation or instructions are not on the lists.
    """
    notes = _Notes(family in CERTIFIED_FAMILIES)
    named = dict(parameters)
    prove_arrays(code, family, p, words, word_bits, named, start, record=notes)
    contract: dict[str, Any] = {
        "operation": operation,
        "family": family,
        "parameters": dict(parameters),
        "p": hex(p),
        "words": words,
        "word_bits": word_bits,
    }
    return _written(notes, symbol, contract, start)


def certify_columns(
    code: bytes, operation: str, of: ColumnContract, start: int = 0, symbol: str = "kernel"
) -> dict[str, Any] | None:
    """The same of a kernel of sums in columns."""
    notes = _Notes(True)
    COLUMN_PROOFS[operation](code, of, start, notes)
    contract = {
        "operation": operation,
        "family": operation,
        "parameters": {},
        "p": hex(of.p),
        "words": of.words,
        "word_bits": of.word_bits,
        "turns": of.turns,
        **({"column_bits": of.bits} if of.in_words else {}),
        **({"multiple": of.multiple} if of.multiple else {}),
    }
    return _written(notes, symbol, contract, start)


def certify_mixed(
    code: bytes,
    operation: str,
    of: MixedArrays,
    p: int,
    limbs: int,
    start: int = 0,
    symbol: str = "kernel",
) -> dict[str, Any] | None:
    """The same of a kernel on arrays of which some are in limbs and others in digits."""
    notes = _Notes(True)
    prove_mixed(code, of, p, limbs, start, notes)
    is_conversion = operation in CONVERSIONS
    contract = {
        "operation": operation,
        "family": operation if is_conversion else of.family,
        "parameters": {} if is_conversion else dict(of.parameters),
        "p": hex(p),
        "words": limbs,
        "word_bits": WORD,
        "mixed": {"in_digits": [*of.in_digits], "gives_digits": of.gives_digits},
        **({"shared": [*of.shared]} if of.shared else {}),
    }
    return _written(notes, symbol, contract, start)


def _written(
    notes: _Notes, symbol: str, contract: dict[str, Any], start: int
) -> dict[str, Any] | None:
    """The certificate that notes make."""
    if not notes.writes or notes.shape is None:
        return None
    block, *tails = [_tree(part) for part in notes.parts]
    return {
        "format": ARRAY_FORMAT,
        "symbol": symbol,
        "contract": contract | {"convention": "sysv"},
        "loop": _loop(notes.shape, start),
        "block": block,
        **({"tail": tails[0]} if tails and tails[0] != block else {}),
    }


def _loop(shape: LoopParts, start: int) -> dict[str, Any]:
    """The shape of a function, by places from its first byte on."""
    return {
        "elements": shape.elements,
        **({"places": shape.places} if shape.places < LANES else {}),
        **({"rounds_to_zero": True} if shape.rounds_to_zero else {}),
        "frame": shape.frame,
        "masks": [[int(name[1:]), mask] for name, mask in shape.blends.items()],
        **({"held": shape.held} if shape.enter else {}),
        "advances": [*shape.advances],
        "block": [place - start for place in shape.block_ends],
        "tail": [place - start for place in shape.tail_ends] if shape.tail_ends else None,
    }


@dataclass
class _Notes(ArrayRecorder):
    """The steps of each case of each part, in which signs are steps too."""

    writes: bool
    """Whether there will be a certificate."""
    shape: LoopParts | None = None
    parts: list[list[list[Step]]] = field(default_factory=list)

    def begin(self, shape: LoopParts, tail: bool) -> None:
        """Before the cases of a block or a tail."""
        self.shape = shape
        self.parts.append([])
        code = shape.tail if tail else shape.block
        known = CERTIFIED_INSTRUCTIONS if shape.places == LANES else CERTIFIED_SHORT
        self.writes &= {i.mnemonic for i in code} <= known

    def lane(self, decisions: Sequence[bool]) -> Lane:
        """A lane for a case."""
        return RecordingLane(decisions) if self.writes else Lane(decisions)

    def case(self, lane: Lane, results: Sequence[Polynomial]) -> None:
        """What a case rests on."""
        if isinstance(lane, RecordingLane):
            bounds = [lane.bound(result) for result in results]
            self.parts[-1].append([*lane.steps(), {"canonical": bounds}])


def _tree(cases: Sequence[Sequence[Step]]) -> dict[str, Any]:
    """The cases as a tree by their signs. Raises ProofError where they are none."""
    steps = cases[0]
    count = next((n for n, step in enumerate(steps) if "sign" in step), len(steps) - 1)
    common, last = [*steps[:count]], steps[count]
    if any([*case[:count]] != common for case in cases):
        raise ProofError("cases of which one lacks a step of the others")
    if "canonical" in last:
        if len(cases) > 1:
            raise ProofError("two cases with the same signs")
        return {"steps": common, **last}
    sides: dict[bool, list[Sequence[Step]]] = {True: [], False: []}
    for case in cases:
        if case[count].get("sign") != last["sign"]:
            raise ProofError("cases that decide different signs")
        sides[case[count]["negative"]].append(case[count + 1 :])
    if not all(sides.values()):
        raise ProofError("a sign of which only one case is known")
    return {
        "steps": common,
        "split": last["sign"],
        "negative": _tree(sides[True]),
        "other": _tree(sides[False]),
    }
