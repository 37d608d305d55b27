"""Joins sums: a + (b + 0 + carry) is one sum with a carry, a + b + carry."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fieldc.words.operations import ADD, Kind
from fieldc.words.program import Program, Step


def joined_sums(program: Program) -> Program:
    """The program without sums of a word and a carry that only the next chain reads.

    By its bounds such a sum has no carry out, so the carry of both together is that of the second.
    A sum is kept where another flag is made before it is read: a processor with one flag would need
    a copy.
    """
    uses = Counter(v.number for step in program.steps for v in step.inputs)
    uses.update(v.number for v in program.results)
    kept: list[Step] = []
    waiting: Step | None = None
    for step in program.steps:
        if waiting is not None:
            joined = _joined(waiting, step)
            if joined is not None:
                step, waiting = joined, None
            elif _must_follow(step, waiting):
                kept.append(waiting)
                waiting = None
        is_lone = uses[step.outputs[0].number] == 1
        if waiting is None and is_lone and _adds_only_a_carry(step):
            waiting = step
        else:
            kept.append(step)
    last = () if waiting is None else (waiting,)
    return replace(program, steps=(*kept, *last))


def _must_follow(step: Step, waiting: Step) -> bool:
    """Whether a step reads the waiting sum's word, or touches a flag."""
    flags = any(v.kind is Kind.FLAG for v in (*step.inputs, *step.outputs))
    return flags or waiting.outputs[0] in step.inputs


def _adds_only_a_carry(step: Step) -> bool:
    if step.operation is not ADD:
        return False
    a, b, carry = step.inputs
    zero = b.constant == 0 and a.constant is None
    return zero and carry.constant is None and step.outputs[1].high == 0


def _joined(inner: Step, outer: Step) -> Step | None:
    """Both sums as one, if the outer one begins a chain with the inner one's word."""
    if outer.operation is not ADD or outer.inputs[2].constant != 0:
        return None
    a, b, _ = outer.inputs
    total = inner.outputs[0]
    if total not in (a, b):
        return None
    word, _, carry = inner.inputs
    return replace(outer, inputs=(b if a == total else a, word, carry))
