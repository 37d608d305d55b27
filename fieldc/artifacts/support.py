"""What `fieldc build` does for each target on this host, by the code that does it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass

from fieldc.targets.target import SKIPPED, Target


@dataclass(frozen=True)
class Support:
    """The answers to five questions, each in words; what is not done is `SKIPPED(reason)`."""

    built: str
    """What a kernel comes as."""
    run_here: str
    """How this host runs it."""
    proved: str
    """Which kernels are proved: `always` where nothing else is written, `tried` where what is not
    proved is tested instead."""
    tested: str
    """Which are run on vectors, here: `always`, `unproved` ones, or `by make test` alone."""
    constant_time: str
    """Whether a `proof` shows it, a `scan`, or the scan of what has no proof."""

    def skipped(self) -> dict[str, str]:
        """For each reason the questions that have no answer because of it."""
        found = defaultdict[str, list[str]](list)
        for question, answer in asdict(self).items():
            if answer.startswith(SKIPPED):
                found[answer[len(SKIPPED) + 1 : -1]].append(question.replace("_", " "))
        return {why: ", ".join(questions) for why, questions in found.items()}

    def short(self) -> tuple[str, ...]:
        """The answers without reasons."""
        return tuple(str(answer).partition("(")[0] for answer in asdict(self).values())


def support_of(target: Target) -> Support:
    """What is done for a target, with words of the width that it has first."""
    if target.object_format is None:
        return Support("text", *(_skipped("its user compiles the text"),) * 4)
    place, is_proved = target.place(), target.is_proved(target.words[0])
    proved = "always" if target.is_own else "tried" if is_proved else ""
    run = "in this process" if place.is_here else f"by {place.runner}"
    tested = {"always": "by make test", "tried": "unproved"}.get(proved, "always")
    tested = "always" if place.is_here else tested
    if place.reason:
        run = tested = _skipped(place.reason)
    if target.not_scanned:
        timed = _skipped(target.not_scanned)
    else:
        timed = "proof" if target.is_own else "proof or scan" if is_proved else "scan"
    proved = proved or _skipped("the prover knows x86_64 and aarch64 with 64-bit words")
    return Support(f"{target.object_format.label} object", run, proved, tested, timed)


def _skipped(reason: str) -> str:
    return f"{SKIPPED}({reason})"
