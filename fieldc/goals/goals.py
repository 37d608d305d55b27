"""What the kernels must reach, and how far they are: `fieldc bench --all-goals`.

Ours are the kernels that this processor should run (`preferred`), canonical in and out and one call
an operation where the goal says nothing else. All of them and all rivals race in one run.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache, partial

from fieldc.algorithms import choose
from fieldc.artifacts.host import SYMBOL, compiled, decide_here, find_backend
from fieldc.catalogue import find_field
from fieldc.errors import UserError
from fieldc.lab.foreign import ARM_ROUTINES, ENTRY, ROUTINES, arm_object, foreign_object
from fieldc.lab.hand_written import ROUTINES as ROUTINES_OF_ARM
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.processor import host_architecture
from fieldc.machine.processors import host_processor
from fieldc.machine.results import Race
from fieldc.machine.timing import OperandMode, TimedKernel, candidate_of, layout_of, measure
from fieldc.progress import Progress
from fieldc.targets.choice import Choice
from fieldc.targets.registry import instruments_here
from fieldc.targets.x86_64.choices import Choices
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.targets.x86_64.targets import plan_of
from fieldc.targets.x86_64.timing.inline import TURNS, inlined
from fieldc.targets.x86_64.timing.loops import loops
from fieldc.words.rows import RowChoice, RowStyle

CYCLES = "core cycles"
SEED = "two chains, CIOS, unsearched"
LLVM = "llvm-bmi2"
SEED_DESIGN = Choices("adx", RowChoice(RowStyle.TWO_CHAINS), clear="all", quotient="mulx")
"""The published hand-written design as one of this compiler's choices."""
P6, P4, R4 = "bls12-381-p", "bn254-p", "bls12-381-r"
WIDE_AND_FULL = ("csidh-512", "m-511", "bw6-761-p", "secp256k1-p", "secp256k1-n", "p256")


@dataclass(frozen=True)
class Goal:
    """At most these fractions of a rival's time, or cycles, throughput and latency."""

    field: str
    operation: str
    rival: str
    throughput: float
    latency: float
    in_a_loop: bool = False
    """Whether our kernel stands inside a loop, without a call."""
    on: str = ""
    """Of a goal in cycles the processor that they are of; others measure, and judge nothing."""

    @property
    def name(self) -> str:
        """The goal in words."""
        place = ", inlined in a loop" if self.in_a_loop else ""
        return f"{self.operation}, {self.field}{place}"


SHAPED = (
    ("secp256k1-p", "mul_plain", 32.3, 48.5, 0.90, 0.90),
    ("secp256k1-p", "square_plain", 27.0, 43.4, 0.90, 0.90),
    ("curve25519", "mul_plain", 32.7, 53.0, 0.90, 0.90),
    ("curve25519", "square_plain", 25.8, 40.4, 0.90, 0.90),
    ("p256", "mul", 38.3, 55.9, 0.92, 0.92),
    ("p256", "square", 35.1, 46.9, 0.92, 0.92),
    ("p384", "mul", 99.5, 123.0, 0.92, 0.92),
    ("p384", "square", 82.0, 100.0, 0.90, 0.90),
    ("p521", "mul_plain", 116.4, 133.0, 0.92, 0.92),
    ("p521", "square_plain", 74.1, 88.0, 0.90, 0.90),
    (R4, "mul", 46.8, 55.0, 0.90, 0.85),
    (P6, "mul", 93.7, 98.8, 0.88, 0.85),
    (P6, "sub", 9.4, 12.6, 0.97, 0.95),
    (R4, "add", 7.4, 9.3, 0.97, 0.95),
)
"""Cycles on Sapphire Rapids of the best published code for each prime, moving operands and latency,
and the fractions of them that ours may take."""

GOALS = (
    Goal(P6, "mul", "mulx_mont_384", 0.81, 0.84),
    Goal(P6, "square", "sqrx_mont_384", 0.70, 0.72),
    Goal(R4, "mul", "mulx_mont_sparse_256", 0.72, 0.73),
    Goal(R4, "square", "sqrx_mont_sparse_256", 0.63, 0.65),
    Goal(P6, "fp2_mul", "mulx_mont_384x", 0.74, 0.75),
    Goal(P6, "add", "add_mod_384", 0.75, 0.75),
    Goal(P6, "sub", "sub_mod_384", 0.75, 0.75),
    Goal(P6, "mul", SEED, 0.88, 0.90),
    Goal(P6, "mul_lazy", CYCLES, 90, 90, in_a_loop=True),
    Goal(P4, "mul_lazy", CYCLES, 43, 43, in_a_loop=True),
    *(
        Goal(field, operation, LLVM, 1 / 1.3, 1 / 1.3)
        for field in WIDE_AND_FULL
        for operation in ("mul", "square")
    ),
    *(
        Goal(f, op, CYCLES, round(part * moving, 1), round(of * latency, 1), on="sapphire-rapids")
        for f, op, moving, latency, part, of in SHAPED
    ),
)


ARM_GOALS = tuple(
    Goal(of.field, of.operation, of.symbol, of.fraction, of.fraction)
    for of in ROUTINES_OF_ARM
    if of.fraction
)
"""Against blst's routines for ARMv8. docs/predictions.md has what the simulator says of them."""


def goals_here() -> tuple[Goal, ...]:
    """Those of this host's architecture."""
    return ARM_GOALS if host_architecture() == "aarch64" else GOALS


@dataclass(frozen=True)
class Figures:
    """Core cycles of one operation, the median over its places in memory; or fractions of them."""

    throughput: float
    latency: float
    worst: tuple[float, float] | None = None
    """Both at the worst place, where that was measured."""

    def per(self, turns: int) -> Figures:
        """Those of one of so many turns."""
        worst = self.worst and (self.worst[0] / turns, self.worst[1] / turns)
        return Figures(self.throughput / turns, self.latency / turns, worst)


@dataclass(frozen=True)
class Outcome:
    """A goal, what was measured, and the verdict: PASS, the shortfall, or SKIPPED and why."""

    goal: Goal
    chosen_by: str = ""
    ours: Figures | None = None
    rival: Figures | None = None
    reached: Figures | None = None
    """Fractions of the rival's time; cycles where the goal is in cycles."""
    skipped: str = ""

    @property
    def verdict(self) -> str:
        """One phrase."""
        if self.reached is None:
            return f"SKIPPED: {self.skipped}"
        over = [
            f"{name} {100 * (reached / asked - 1):.1f} %"
            for name, reached, asked in (
                ("throughput", self.reached.throughput, self.goal.throughput),
                ("latency", self.reached.latency, self.goal.latency),
            )
            if reached > asked
        ]
        return "PASS" if not over else f"short: {', '.join(over)} over"

    def data(self) -> dict[str, object]:
        """The outcome as JSON."""
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class _Pair:
    goal: Goal
    chosen_by: str
    ours: TimedKernel
    rival: TimedKernel | None


def run_goals(
    rounds: int, seed: int, progress: Progress, operands: OperandMode = "moving"
) -> tuple[list[Outcome], Race]:
    """Race every goal that this host can race, in one interleaved run. Raises TimingError."""
    pairs: list[_Pair] = []
    outcomes: dict[Goal, Outcome] = {}
    for goal in goals_here():
        try:
            pairs.append(_pair(goal, operands))
        except UserError as error:
            outcomes[goal] = Outcome(goal, skipped=str(error))
    candidates = {c.label: c for pair in pairs for c in (pair.ours, pair.rival) if c}
    race = measure(
        list(candidates.values()),
        instruments=instruments_here(),
        rounds=rounds,
        seed=seed,
        progress=partial(progress, "race"),
        operands=operands,
    )
    outcomes |= {pair.goal: _outcome(pair, race) for pair in pairs}
    return [outcomes[goal] for goal in goals_here()], race


def _pair(goal: Goal, operands: OperandMode) -> _Pair:
    ours = _preferred(goal.field, goal.operation)
    candidate = _our_candidate(goal, ours, operands)
    return _Pair(goal, ours.chosen_by, candidate, _rival(goal, ours))


@cache
def _preferred(field: str, operation: str) -> Choice:
    return decide_here(find_field(field), operation).preferred


def _our_candidate(goal: Goal, ours: Choice, operands: OperandMode) -> TimedKernel:
    label = f"ours {goal.name}"
    if host_architecture() == "aarch64":
        return _candidate(label, compiled(ours), SYMBOL, ours)
    kernel = plan_of(ours).compile(ours.expression, SYMBOL)
    if not goal.in_a_loop:
        return _candidate(label, assemble(kernel.text(GNU)), SYMBOL, ours)
    layout = layout_of(ours.expression)
    made = inlined(kernel, layout, operands=operands)
    # The loop within goes round the ring itself.
    outer = loops(layout, "fixed")
    return candidate_of(label, code_of(made, SYMBOL), ours.expression, outer)


def _rival(goal: Goal, ours: Choice) -> TimedKernel | None:
    label = f"{goal.rival} {goal.name}"
    if goal.rival == CYCLES:
        return None
    if host_architecture() == "aarch64":
        made = arm_object(ARM_ROUTINES[goal.rival], ours.expression.field)
        return _candidate(label, made, ENTRY, ours)
    if goal.rival in ROUTINES:
        made = foreign_object(ROUTINES[goal.rival], ours.expression.field)
        return _candidate(label, made, ENTRY, ours)
    if goal.rival == SEED:
        expression = choose(ours.expression.field, goal.operation, "cios")
        made = assemble(compile_expression(expression, SYMBOL, SEED_DESIGN).text(GNU))
    else:
        made = find_backend(goal.rival).compile(choose(ours.expression.field, goal.operation))
    return _candidate(label, made, SYMBOL, ours)


def _candidate(label: str, made: bytes, symbol: str, ours: Choice) -> TimedKernel:
    return candidate_of(label, code_of(made, symbol), ours.expression)


def _outcome(pair: _Pair, race: Race) -> Outcome:
    goal, ours = pair.goal, _figures(race, pair.ours.label)
    if goal.in_a_loop:
        ours = ours.per(TURNS)
    if pair.rival is None:
        here = host_processor()
        if goal.on and (here is None or here.key != goal.on):
            why = f"the goal is in cycles of {goal.on}"
            return Outcome(goal, pair.chosen_by, ours, skipped=why)
        return Outcome(goal, pair.chosen_by, ours, None, ours)
    labels = pair.ours.label, pair.rival.label
    reached = Figures(race.ratio(*labels, "throughput"), race.ratio(*labels, "latency"))
    return Outcome(goal, pair.chosen_by, ours, _figures(race, labels[1]), reached)


def _figures(race: Race, label: str) -> Figures:
    row = race.row(label)
    worst = row.throughput_worst, row.latency_worst
    return Figures(row.throughput.median, row.latency.median, worst)
