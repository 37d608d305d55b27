"""Why an accepted mutant is right: reasons that are checked on concrete runs, not asserted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fieldc.language import Expression
from fieldc.machine.assemble import assemble
from fieldc.machine.check import check, vectors
from fieldc.machine.load import LoadedKernel, load
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.operands import STACK
from mutation.emulate import Key, State, entry, result, step
from mutation.mutants import FLAG_CLEARS, Mutant

REASONS = {
    "the same state follows": "what it reads holds the same value: a carry that is 0, two flags "
    "that are equal, another register with the same word",
    "clears what is clear": "a deleted clearing of flags and register that are 0 already",
    "a flag that nobody reads": "only a flag differs, and it is overwritten before it is read",
    "a register that nobody reads": "only registers and flags differ that are overwritten first",
    "the carry in the other flag": "adcx for adox: both flags together carry the same",
    "a carry into the other word": "two words of one weight: their sum is the same",
    "sums in another order": "a few additions later nothing differs that is read again",
}
"""The reviewed list."""
FEW = 32
"""Instructions after which sums in another order are the same: a row has no more at 6 limbs."""


class Unexplained(AssertionError):
    """The prover accepts a mutant that no reason covers: look at it at once."""


@dataclass(frozen=True)
class Runs:
    """A kernel and the operands that it is run on."""

    kernel: X86Kernel
    expression: Expression
    count: int = 60

    def states(self) -> Iterator[State]:
        """The entry states."""
        drawn = list(vectors(self.expression, 1))
        chosen = random.Random(2).sample(drawn, min(self.count, len(drawn)))
        for number, operands in enumerate(chosen):
            limbs = {
                name: _limbs(value, bound.width(self.expression.field))
                for (name, bound), value in zip(
                    self.expression.kernel.operands, operands, strict=True
                )
            }
            yield entry(self.kernel, _named(limbs), number * 0x12345 + number % 4)


def _named(limbs: dict[str, list[int]]) -> dict[str, list[int]]:
    return dict(zip(("x", "y"), limbs.values(), strict=False))


def _limbs(value: int, count: int) -> list[int]:
    return [value >> 64 * i & (1 << 64) - 1 for i in range(count)]


def result_limbs(expression: Expression) -> int:
    """The limbs that a kernel writes."""
    return expression.kernel.result.width(expression.field)


def reason(runs: Runs, mutant: Mutant) -> str:
    """The reason class of an accepted mutant. Raises Unexplained where there is none."""
    differing: set[Key] = set()
    later: list[set[Key]] = [set() for _ in range(FEW)]
    flags_agree, clear, sums_agree = True, True, True
    for start in runs.states():
        old, new = State(dict(start.values)), State(dict(start.values))
        at = len(runs.kernel.code) if mutant.place < 0 else mutant.place
        for instruction in runs.kernel.code[:at]:
            step(old, instruction)
        new.values = dict(old.values)
        clear = clear and not (old.values["cf"] or old.values["of"])
        step(old, runs.kernel.code[at])
        if mutant.now is not None:
            step(new, mutant.now)
        here = _differing(old, new)
        differing |= here
        sums_agree = sums_agree and _total(old, here) == _total(new, here)
        flags_agree = flags_agree and _carried(old) == _carried(new)
        _same_end(runs, mutant, old, new, later)
    return _named_reason(runs, mutant, differing, later, flags_agree, clear, sums_agree)


def _differing(old: State, new: State) -> set[Key]:
    keys = old.values.keys() | new.values.keys()
    return {k for k in keys if old.values.get(k) != new.values.get(k)}


def _total(state: State, keys: set[Key]) -> int:
    return sum(state.values.get(k, 0) for k in keys - {"cf", "of"}) % (1 << 64)


def _carried(state: State) -> int:
    return state.values["cf"] + state.values["of"]


def _same_end(runs: Runs, mutant: Mutant, old: State, new: State, later: list[set[Key]]) -> None:
    """Run both to the end, and note in `later` what differs after the next few instructions."""
    for number, instruction in enumerate(runs.kernel.code[mutant.place + 1 :]):
        step(old, instruction)
        step(new, instruction)
        if number < FEW:
            later[number] |= _differing(old, new)
    n = result_limbs(runs.expression)
    kept = [*runs.kernel.convention.preserved, STACK]
    if result(old, n) != result(new, n) or any(old.values[r] != new.values[r] for r in kept):
        raise Unexplained(f"{mutant.kind} at {mutant.place}: {mutant.was} -> {mutant.now}")


def _named_reason(
    runs: Runs,
    mutant: Mutant,
    differing: set[Key],
    later: list[set[Key]],
    flags_agree: bool,
    clear: bool,
    sums_agree: bool,
) -> str:
    if not differing:
        dropped = mutant.now is None and mutant.was and mutant.was.mnemonic in FLAG_CLEARS
        return "clears what is clear" if dropped and clear else "the same state follows"
    if _dead(runs, mutant.place, differing):
        flags = differing <= {"cf", "of"}
        return "a flag that nobody reads" if flags else "a register that nobody reads"
    if differing <= {"cf", "of"} and flags_agree and mutant.kind in ADX:
        return "the carry in the other flag"
    if sums_agree and _dead(runs, mutant.place, differing & {"cf", "of"}):
        return "a carry into the other word"
    if _adds(mutant) and any(_dead(runs, mutant.place + 1 + n, d) for n, d in enumerate(later)):
        return "sums in another order"
    raise Unexplained(f"{mutant.kind} at {mutant.place}: {mutant.was} -> {mutant.now}")


def _adds(mutant: Mutant) -> bool:
    return mutant.was is not None and mutant.was.mnemonic in ("add", "adc", "adcx", "adox")


ADX = ("adcx becomes adox", "adox becomes adcx")


def _dead(runs: Runs, place: int, differing: set[Key]) -> bool:
    """Whether inverting what differs, behind the place, changes nothing in the end."""
    for start in runs.states():
        plain, spoilt = State(dict(start.values)), State(dict(start.values))
        for number, instruction in enumerate(runs.kernel.code):
            try:
                step(plain, instruction)
                step(spoilt, instruction)
            except KeyError:
                return False
            if number == place:
                for key in differing:
                    mask = 1 if key in ("cf", "of") else (1 << 64) - 1
                    spoilt.values[key] = plain.values.get(key, 0) ^ mask
        n = result_limbs(runs.expression)
        if result(plain, n) != result(spoilt, n):
            return False
    return True


def run_on_processor(kernel: X86Kernel, expression: Expression) -> int:
    """Run a mutant of a kernel. Raises CheckError or FrameError; returns the number of calls."""
    return run_text(replace(kernel, symbol="mutant").text(), expression)


def run_text(text: str, expression: Expression) -> int:
    """Run the function `mutant` of a text, in GNU's syntax.

    All aliasings on edge and random vectors, entry flags set, callee-saved registers watched.

    Raises CheckError or FrameError; returns the number of calls.
    """
    operands = tuple(bound.width(expression.field) for _, bound in expression.kernel.operands)
    return check(
        LoadedKernel(load(assemble(text + WATCH)), "watched", operands, result_limbs(expression)),
        expression,
    )


_KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
WATCH = "\n".join(
    [
        "    .intel_syntax noprefix",
        "    .globl watched",
        "watched:",
        *(f"    push {r}" for r in _KEPT),
        "    push rdi",
        *(f"    mov {r}, {0x1111 * (i + 1)}" for i, r in enumerate(_KEPT)),
        "    movabs rax, 0x8000000000000000",
        "    add rax, rax  # carry and overflow are set on entry",
        "    call mutant",
        "    pop rdi",
        "    xor eax, eax",
        *(
            line
            for i, r in enumerate(_KEPT)
            for line in (f"    xor {r}, {0x1111 * (i + 1)}", f"    or rax, {r}")
        ),
        "    xor [rdi], rax  # a register that is not restored spoils the result",
        *(f"    pop {r}" for r in reversed(_KEPT)),
        "    ret",
        "    .att_syntax prefix\n",
    ]
)
"""Calls the mutant as a watchful caller would."""
