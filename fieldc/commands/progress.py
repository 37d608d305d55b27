"""Progress of long work on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from fieldc.commands.verb import wrapped
from fieldc.progress import Progress

SECONDS_BETWEEN_LINES = 5.0
SECONDS_OF_SILENCE = 4.0
"""After these the last line is said once more: one proof can take minutes.

The next silence is twice as long, up to LONGEST_SILENCE, so that a log of long work stays short.
"""
LONGEST_SILENCE = 300.0
AT_WORK = "at work"
"""Said while nobody has said yet what the work is."""


def say(line: str) -> None:
    """A line of progress; work goes on where nobody can read it."""
    with suppress(OSError):
        if sys.stderr.isatty():
            line = "\n".join(wrapped(line, shutil.get_terminal_size().columns, "  "))
        print(line, file=sys.stderr, flush=True)


@contextmanager
def progress() -> Iterator[Progress]:
    """A function progress(what, done, total) that shows how far the work is."""
    if not sys.stderr.isatty():
        with _repeated(_lines()) as show:
            yield show
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Bars(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:
        tasks = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            if done < bars.tasks[tasks[what]].completed:  # the same work once more
                bars.reset(tasks[what])
            bars.update(tasks[what], completed=done, total=total)

        yield show


@contextmanager
def _repeated(show: Progress) -> Iterator[Progress]:
    """The same function, which a thread calls again where nobody does for long."""
    last: list[tuple[str, int, int]] = []
    heard, is_over = Event(), Event()

    def repeat() -> None:
        silence = SECONDS_OF_SILENCE
        while not is_over.is_set():
            if heard.wait(silence):
                heard.clear()
                silence = SECONDS_OF_SILENCE
                continue
            silence = min(2 * silence, LONGEST_SILENCE)
            if not last:
                say(AT_WORK)
            elif last[0][1] < last[0][2]:
                show(*last[0])

    def shown(what: str, done: int, total: int) -> None:
        last[:] = [(what, done, total)]
        heard.set()
        show(what, done, total)

    thread = Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        is_over.set()
        heard.set()
        thread.join()


def _lines() -> Progress:
    """A line after each few seconds, so none of short work: an error stays the only line."""
    started: dict[str, tuple[float, int]] = {}
    said: dict[str, float] = {}
    reached: dict[str, int] = {}

    def show(what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if done < reached.get(what, total + 1):  # the first time, or the same work once more
            started[what] = now, done
            said.pop(what, None)
        reached[what] = done
        began, first = started[what]
        if done >= total:
            if what in said:
                say(f"{what}: {done}/{total}")
        elif now - said.get(what, began) >= SECONDS_BETWEEN_LINES:
            said[what] = now
            left = f", {_about(now - began, done - first, total - done)} left"
            so_far = f" after {now - began:.0f} s"
            say(f"{what}: {done}/{total}{left if done > first else so_far}")

    return show


def _about(elapsed: float, done: int, left: int) -> str:
    return f"about {elapsed / max(done, 1) * left:.0f} s"
