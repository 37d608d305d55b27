"""The order of instructions: products, loads and numbers move ahead of the chains that add them.

Selection makes each of them right before its first use. That takes the fewest registers, and a
core that starts instructions in order waits for every product.
"""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.targets.aarch64.virtual import ArmCode


def ahead(code: Sequence[ArmCode], distance: int) -> list[ArmCode]:
    """The code with each free instruction up to `distance` pinned ones earlier.

    None passes what makes its operands. Pinned instructions keep their order.
    """
    groups: list[list[ArmCode]] = [[]]
    """The free instructions before each pinned one, then those after the last."""
    pinned: list[ArmCode] = []
    group_of: dict[int, int] = {}
    """The first group that can read a register."""
    for instruction in code:
        if instruction.pinned:
            pinned.append(instruction)
            groups.append([])
            place = len(pinned)
        else:
            operands = (group_of.get(register, 0) for register in instruction.reads)
            place = max(0, len(pinned) - distance, *operands)
            groups[place].append(instruction)
        group_of.update(dict.fromkeys(instruction.writes, place))
    last = groups.pop()
    return [
        each for group, one in zip(groups, pinned, strict=True) for each in (*group, one)
    ] + last
