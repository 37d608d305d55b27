"""Registers that point near what a loop of 256-bit vectors reads most."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from test_lanes import fields

from fieldc.algorithms.lanes import in_lanes_by
from fieldc.language import Expression
from fieldc.targets.avx2.target import AVX2
from fieldc.targets.avx512f.target import AVX512F
from fieldc.targets.vectors.anchors import ANCHORS, LEAST, REACH
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array

BY_ANCHOR = re.compile(r"\[(r(?:cx|8|9|10|11))( [+-] \d+)?\]")


def kernels() -> Iterator[Expression]:
    for f in fields("bls12-381-p"):
        for operation in ("mul", "mul_add", "butterfly"):
            yield in_lanes_by(f, operation)


def block_of(kernel: ArrayKernel) -> list[str]:
    lines = kernel.text.splitlines()
    start, *_, end = (at for at, line in enumerate(lines) if line.endswith(("_block:", "_end:")))
    return lines[start:end]


@pytest.mark.parametrize("expression", [*kernels()], ids=lambda e: e.kernel.operation)
def test_anchors_are_no_pointers_and_reach_what_is_read_by_them(expression: Expression) -> None:
    kernel = compile_array(AVX2, expression, "kernel")
    registers = [anchor.register for anchor in kernel.anchors]
    pointers = ("rsi", "rdx", "rcx", "r8", "r9")[: len(kernel.widths)]
    assert registers == [r for r in ANCHORS if r not in pointers]
    offsets = dict.fromkeys(registers, 0)
    for line in block_of(kernel):
        if (found := BY_ANCHOR.search(line)) and found[1] in registers:
            assert -REACH <= int((found[2] or "0").replace(" ", "")) < REACH
            offsets[found[1]] += 1
    counts = [*offsets.values()]
    assert min(counts) >= LEAST and counts[0] == max(counts)


@pytest.mark.parametrize("expression", [*kernels()], ids=lambda e: e.kernel.operation)
def test_code_is_shorter_by_anchors(
    expression: Expression, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = compile_array(AVX2, expression, "kernel")
    monkeypatch.setattr(ArrayKernel, "with_anchors", lambda self: self)
    plain = compile_array(AVX2, expression, "kernel")
    assert not plain.anchors and plain.ports == shorter.ports
    assert len(shorter.block.code) == len(plain.block.code)
    saved = sum(len(BY_ANCHOR.findall(line)) for line in block_of(shorter))
    saved -= sum(len(BY_ANCHOR.findall(line)) for line in block_of(plain))
    assert len(plain.object) - len(shorter.object) > 2 * saved > 500


def test_vectors_of_512_bits_need_none() -> None:
    """There an address of one byte counts vectors, so it reaches a frame of 8 kB."""
    kernel = compile_array(AVX512F, next(kernels()), "kernel")
    assert not kernel.anchors
