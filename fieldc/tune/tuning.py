"""One tuning run: structures, then choices, then early and late moves, then the honest figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event

from fieldc.artifacts.verify import Job, prove_job
from fieldc.decisions.model import preferred_variant
from fieldc.decisions.schedule import Decisions, ScheduleError, TunedKernel, digest_of
from fieldc.errors import UserError, counted
from fieldc.machine.code import Code
from fieldc.machine.processor import ProcessorError, is_x86_64
from fieldc.machine.processors import Processor, host_processor
from fieldc.machine.results import MODES, Mode
from fieldc.machine.timing import Race, candidate_of, measure, pinned
from fieldc.targets.registry import instruments_here
from fieldc.targets.x86_64.choices import choices_on
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.targets import JUDGE
from fieldc.tune.duel import DuelResult, Duels, verdict
from fieldc.tune.examine import QUICK, Examination
from fieldc.tune.search import CONFIRM, SETTLE, Search
from fieldc.tune.space import Draft, Proposals, Workshop, neighbours, promising
from fieldc.tune.subject import Subject

START, BEST = "start", "best"
SLACK = 1.12
"""Structures whose model is further above the lowest bound are not timed."""
FINALISTS = 3
FIRST_LOOK, LOOKS = 12, 6
"""Rounds in which every structure meets the start, and how often where there is no verdict."""
UNSOUND = verdict([], 1)
PATIENCE_EARLY, PATIENCE_LATE = 600, 12_000
"""Tries without an acceptance after which a search has converged."""
SHARE_STRUCTURES, SHARE_EARLY = 0.3, 0.6
"""Of the time: when structures, and when early moves, come to an end."""
FINAL_ROUNDS = 60
SECONDS_BETWEEN_REPORTS = 3.0

Say = Callable[[str], None]


class NothingToTune(UserError):
    """This host cannot tune this operation; the message is one line."""


@dataclass(frozen=True)
class SearchPlan:
    """How long, with which seed, for which modes, and where progress goes."""

    seconds: float
    seed: int
    modes: Sequence[Mode] = MODES
    say: Say = lambda line: None
    clock: Callable[[], float] = time.monotonic
    stop: Event = field(default_factory=Event)
    """Set where Ctrl-C came: what was found is kept, and no other operation is searched."""

    def end(self, operation: str) -> None:
        """Ask the search to end, and say so."""
        self.stop.set()
        self.say(f"tune {operation}: interrupted; the best so far is kept")


def ratio_kept(last: DuelResult, is_start: bool) -> float | None:
    """What is kept against the start, where the last duel tells: the start itself is 1."""
    if not last.sound:
        return None
    return 1.0 if is_start else round(last.ratio, 4)


class Tuning:
    """The search for one operation. `run` gives its entry of a schedule."""

    def __init__(self, subject: Subject, plan: SearchPlan, hop: Callable[[], None]) -> None:
        variants, expression = subject.variants, subject.start
        if expression.field.word != 64 or not is_x86_64() or not variants:
            raise ProcessorError("fieldc tune needs an x86-64 Linux or Darwin host with BMI2")
        self.subject, self.workshop = subject, Workshop(subject)
        self.operation, self.plan, self.expression = subject.operation, plan, expression
        self.processor: Processor | None = host_processor()
        if self.processor is not None and len(variants) > 1:
            variants = (preferred_variant(JUDGE, expression, self.processor, variants),)
        choices = choices_on(variants[0], self.processor.key if self.processor else "")
        self.start = self._draft(Decisions(expression.kernel.algorithm, choices))
        self.duels = Duels(expression, plan.seed, plan.modes, hop)
        self.examination = Examination(expression, plan.seed)
        self.began = self._said = plan.clock()
        self.tried = self.accepted = self.rolled_back = self.unsound = 0
        self.rates: dict[str, float] = {}

    def run(self, resumed: TunedKernel | None = None) -> TunedKernel:
        """Search until the time is over or nothing more is found; Ctrl-C ends it sooner.

        The best so far is kept, where there is one. A second Ctrl-C keeps nothing.
        """
        best, is_found = self._resumed(resumed) if resumed else self.start, False
        try:
            for found in self._phases(best):
                best, is_found = found, True
                self._report("best so far", best)
            return self._entry(best)
        except KeyboardInterrupt:
            if self.plan.stop.is_set() or not is_found:
                raise
            self.plan.end(self.operation)
        return self._entry(best)

    def _draft(self, decisions: Decisions) -> Draft:
        draft = self.workshop.draft(decisions)
        if draft is None:
            raise NothingToTune("these decisions make no kernel")
        return draft

    def _resumed(self, entry: TunedKernel) -> Draft:
        entry.require(self.workshop.kernel(entry.decisions))
        return self._draft(entry.decisions)

    def _phases(self, best: Draft) -> Iterator[Draft]:
        fresh = best is self.start
        finalists = self._structures() if fresh or not best.decisions.refinement.late else []
        searched = [self._early(draft, finalists) for draft in finalists]
        best = self._champion([best, *searched])
        yield best
        proposals = Proposals(self.workshop, self.plan.seed + 1)
        yield self._search("late moves", best, proposals.late, 1.0, PATIENCE_LATE)

    def _structures(self) -> list[Draft]:
        """The fastest structures, each with its best choices."""
        began, before = self.plan.clock(), self.tried
        drafts = promising(self.workshop, self.processor, SLACK, self._more)
        ranked = self._provable(self._ranked(drafts))
        found = counted(len(drafts), "structure")
        self._report(f"{found} within {SLACK} of the lowest bound", ranked[0])
        chosen = [self._climbed(draft) for draft in ranked]
        self._rate("structures", began, before)
        return self._ranked(chosen)

    def _climbed(self, draft: Draft) -> Draft:
        """The draft with its best choices: none that is near is faster."""
        for decisions in neighbours(draft.decisions, self.operation):
            if not self._more(SHARE_STRUCTURES):
                break
            other = self.workshop.draft(decisions)
            better = self._champion([draft, other]) if other else draft
            if better is not draft:
                return self._climbed(better)
        return draft

    def _ranked(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Those that are right, fastest first; without a verdict, last.

        Where the time is over, those that were timed until then, and at least one.
        """
        ratios: list[tuple[float, int, Draft]] = []
        for number, draft in enumerate(drafts):
            if ratios and not self._more():
                break
            if self._right(draft):
                self.tried += 1
                looks = (self._duel(draft, self.start, FIRST_LOOK) for _ in range(LOOKS))
                duel = next((look for look in looks if look.sound), UNSOUND)
                ratios.append((duel.ratio if duel.sound else 2.0, number, draft))
        return [draft for *_, draft in sorted(ratios, key=lambda item: item[:2])] or [self.start]

    def _provable(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The first few that the prover follows: no other kernel gets out.

        Where the time is over, no other one is asked about; the first always is.
        """
        found: list[Draft] = []
        for number, draft in enumerate(drafts):
            if len(found) < FINALISTS and (number == 0 or self._more()):
                failure = self._failure(draft)
                found += [] if failure else [draft]
                if failure:
                    algorithm = draft.decisions.algorithm
                    self.plan.say(f"tune {self.operation}: no {algorithm}, which is not proved")
        return found or [self.start]

    def _failure(self, draft: Draft) -> str:
        field, kernel = self.expression.field, self.workshop.kernel(draft.decisions)
        code = self.subject.object(kernel)
        formula = self.expression.kernel.computes.formula
        job = Job(code, kernel.symbol, self.operation, field.p, field.n, SYSV.name, formula=formula)
        return prove_job(job).failure

    def _champion(self, drafts: Sequence[Draft]) -> Draft:
        """The first, unless a later one beats it in a long duel."""
        best, *others = drafts
        for other in others:
            if other.machine_code != best.machine_code and self._right(other):
                self.tried += 1
                best = other if self._duel(other, best, CONFIRM).won else best
        return best

    def _early(self, draft: Draft, finalists: Sequence[Draft]) -> Draft:
        number = finalists.index(draft)
        spent = (self.plan.clock() - self.began) / self.plan.seconds
        until = spent + (SHARE_EARLY - spent) / (len(finalists) - number)
        proposals = Proposals(self.workshop, self.plan.seed + 2 + number)
        return self._search("early moves", draft, proposals.early, until, PATIENCE_EARLY)

    def _search(
        self,
        phase: str,
        start: Draft,
        propose: Callable[[Draft], Draft | None],
        until: float,
        patience: int,
    ) -> Draft:
        began, before = self.plan.clock(), self.tried
        search = Search(start, propose, self._duel, self._right)

        def more() -> bool:
            if self.plan.clock() - self._said > SECONDS_BETWEEN_REPORTS:
                self._report(f"{phase}, {search.tried} tried", search.best)
            return self._more(until)

        try:
            best = search.run(more, patience)
        except KeyboardInterrupt:  # what was accepted since the last long duel is given up
            best = search.best
            self.plan.end(self.operation)
        self.tried += search.tried
        self.accepted += search.accepted
        self.rolled_back += search.rolled_back
        self.unsound += search.disturbed
        self._rate(phase, began, before)
        return best

    def _more(self, share: float = 1.0) -> bool:
        spent = self.plan.clock() - self.began
        return not self.plan.stop.is_set() and spent < share * self.plan.seconds

    def _duel(self, candidate: Draft, incumbent: Draft, rounds: int) -> DuelResult:
        return self.duels(candidate.timed, incumbent.timed, rounds)

    def _right(self, draft: Draft, calls: int = QUICK) -> bool:
        copy = self.duels.pages.copies(draft.timed)[0]
        return self.examination.right(copy.function, calls)

    def _rate(self, phase: str, began: float, before: int) -> None:
        seconds = self.plan.clock() - began
        if seconds > 0 and self.tried > before:
            self.rates[phase] = round((self.tried - before) / seconds, 1)

    def _report(self, what: str, best: Draft) -> None:
        duel = self._duel(best, self.start, CONFIRM)
        ratio = f"{duel.ratio:.3f} of the start" if duel.sound else "DISTURBED now: no ratio"
        bound = ""
        if self.processor is not None:
            name, cycles = self.workshop.bounds(best, self.processor).binding
            bound = f"; {name} allow {cycles:.1f} cycles"
        seconds, most = self.plan.clock() - self.began, self.plan.seconds
        where = f"{seconds:.0f} of {most:.0f} s"
        if round(seconds) > most:  # a kernel is compiled, timed or proved to the end
            where = f"time over after {seconds:.0f} s"
        self._said = self.plan.clock()
        self.plan.say(f"tune {self.operation}: {where}, {what}: {ratio}{bound}")

    def _entry(self, best: Draft) -> TunedKernel:
        """The entry of the best, or of the start where that is not beaten in the last duel."""
        last = self._duel(best, self.start, SETTLE)
        if best is not self.start and last.sound and last.ratio >= 1:
            best, self.rolled_back = self.start, self.rolled_back + 1
        kernel = self.workshop.kernel(best.decisions)
        if kernel.machine_code() != best.machine_code:
            raise ScheduleError("the decisions do not give the code that was timed (a defect)")
        if not self._right(best, 0):
            raise ScheduleError("the best kernel computes something wrong (a defect)")
        measured = self._measured(best, last)
        return TunedKernel(self.operation, best.decisions, digest_of(kernel), measured)

    def _measured(self, best: Draft, last: DuelResult) -> dict[str, object]:
        drafts = ((START, self.start), (BEST, best))
        race = measure(
            [
                candidate_of(label, Code(draft.machine_code), self.expression, draft.caller)
                for label, draft in drafts
            ],
            instruments=instruments_here(),
            rounds=FINAL_ROUNDS,
            seed=self.plan.seed,
        )
        return {
            **_figures(race),
            **self._fixed(best),
            "operands": self.subject.operands,
            "duel_ratio": ratio_kept(last, best is self.start),
            "disturbed": race.disturbed or self.duels.disturbed or not last.sound,
            "dropped": f"{self.duels.dropped} of {self.duels.rounds} rounds",
            **self._bounds(best),
            "tried": self.tried,
            "accepted": self.accepted,
            "rolled_back": self.rolled_back,
            "without_verdict": self.unsound,
            "tries_a_second": self.rates,
            "seconds": round(self.plan.clock() - self.began, 1),
            "seed": self.plan.seed,
        }

    def _fixed(self, best: Draft) -> dict[str, object]:
        """Cycles with fixed operands, by which the simulator is judged; none of the crate's."""
        if self.subject.convention.is_inline:
            return {}
        timed = candidate_of(BEST, Code(best.machine_code), self.expression)
        race = measure(
            [timed],
            instruments=instruments_here(),
            rounds=FINAL_ROUNDS,
            seed=self.plan.seed,
            operands="fixed",
        )
        row = race.row(BEST)
        return {
            "fixed_throughput_cycles": round(row.throughput.median, 1),
            "fixed_latency_cycles": round(row.latency.median, 1),
        }

    def _bounds(self, best: Draft) -> dict[str, object]:
        if self.processor is None:
            return {}
        limits = self.workshop.bounds(best, self.processor)
        (binds, cycles), (_, latency) = limits.binding, limits.latency
        model = self.processor.key
        return {
            "model": model,
            "bound": binds,
            "bound_cycles": round(cycles, 1),
            "latency_bound_cycles": round(latency, 1),
        }


def _figures(race: Race) -> dict[str, object]:
    found: dict[str, object] = {}
    for label in (START, BEST):
        row = race.row(label)
        found[f"{label}_throughput_cycles"] = round(row.throughput.median, 1)
        found[f"{label}_latency_cycles"] = round(row.latency.median, 1)
        found[f"{label}_throughput_worst_cycles"] = round(row.throughput_worst, 1)
        found[f"{label}_latency_worst_cycles"] = round(row.latency_worst, 1)
    return found | {f"{mode}_ratio": round(race.ratio(BEST, START, mode), 4) for mode in MODES}


def tune_operation(
    subject: Subject, plan: SearchPlan, resumed: TunedKernel | None = None
) -> TunedKernel:
    """The fastest kernel found for this processor. Raises UserError where there is no search."""
    with pinned() as hop:
        return Tuning(subject, plan, hop).run(resumed)
