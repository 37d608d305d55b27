"""Which flag carries which chain: flags are values in the program, CF and OF in the processor."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.targets.judge import NotCompiled
from fieldc.targets.x86_64.instructions import CF, OF
from fieldc.words.operations import Kind
from fieldc.words.program import Program


class FlagError(NotCompiled):
    """More chains are alive at once than the variant has flags."""


@dataclass
class FlagChain:
    """Flags linked carry-out to carry-in; alive from step `first` to step `last`."""

    first: int
    last: int
    flag: str = ""
    """CF or OF; none of a lone sum beside other chains, which `lea` makes."""


def color_flags(program: Program, available: tuple[str, ...]) -> dict[int, str]:
    """CF or OF for each flag value, by number. Raises FlagError if `available` do not suffice.

    A subtraction's borrow and whatever a selection reads must be in CF. The carry of a sum that
    nothing reads has no flag where none is free.
    """
    chain_of: dict[int, FlagChain] = {}
    chains: list[FlagChain] = []
    only_cf: set[int] = set()
    for position, step in enumerate(program.steps):
        incoming = [v for v in step.inputs if v.kind is Kind.FLAG and v.constant is None]
        outgoing = [v for v in step.outputs if v.kind is Kind.FLAG]
        for flag in incoming:
            chain_of[flag.number].last = position
        for flag in outgoing:
            if incoming:
                chain_of[flag.number] = chain_of[incoming[0].number]
            else:
                chain_of[flag.number] = FlagChain(position, position)
                chains.append(chain_of[flag.number])
        if step.operation.name not in ("add",):
            only_cf.update(id(chain_of[v.number]) for v in (*incoming, *outgoing))
    _color(chains, only_cf, available)
    return {number: chain.flag for number, chain in chain_of.items() if chain.flag}


def _color(chains: list[FlagChain], only_cf: set[int], available: tuple[str, ...]) -> None:
    # A step frees the flags that die in it before it makes its own, so intervals may touch.
    free_from = {flag: -1 for flag in (CF, OF)}
    for chain in chains:
        allowed = (CF,) if id(chain) in only_cf else available
        flag = next((f for f in allowed if free_from[f] <= chain.first), None)
        if flag is None and chain.first == chain.last:
            continue
        if flag is None:
            raise FlagError(
                f"{len(allowed) + 1} carry chains are alive at step {chain.first}, "
                f"but there is only {' and '.join(allowed)}; use the row style carry-word"
            )
        chain.flag = flag
        free_from[flag] = chain.last
