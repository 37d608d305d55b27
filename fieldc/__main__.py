"""The command `fieldc`, also `python -m fieldc`: Ctrl-C is one line however early it comes.

This module imports nothing before `main` is ready for a signal.
"""

import sys

HUNG_UP, INTERRUPTED, TERMINATED = 129, 130, 143
"""What a shell reports for a program that SIGHUP, SIGINT or SIGTERM ends."""

FOLDERS = {
    "fieldc.artifacts.workers": "remove_socket",
    "fieldc.lab.report": "remove_folder",
}
"""For each module the function that removes the temporary folder of a library it uses."""


def main() -> int:
    """Load the command line and run it."""
    try:
        status = loaded()
    except BaseException as error:
        signalled = ended(error)
        if signalled is None:
            raise
        status = signalled
    if status in (HUNG_UP, INTERRUPTED, TERMINATED):
        leave(status)
    return status


def loaded() -> int:
    """Run the command line. What comes after its answer is not interrupted any more."""
    from fieldc.signals import raise_signals

    raise_signals()
    from fieldc.cli import main as run

    status = run()
    ignore_signals()
    return status


def ignore_signals() -> None:
    """Let no signal change how the program ends: it does so by itself in a moment."""
    import signal

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def ended(error: BaseException) -> int | None:
    """Say which signal ended the program, and return its status; None where it was no signal."""
    ignore_signals()  # a second one changes nothing
    from contextlib import suppress

    from fieldc.errors import Terminated, interruption

    cause = interruption(error)
    if cause is None:
        return None
    status = cause.status if isinstance(cause, Terminated) else INTERRUPTED
    with suppress(OSError):  # the terminal may be gone
        print(
            f"fieldc: {'interrupted' if status == INTERRUPTED else 'terminated'}", file=sys.stderr
        )
    return status


def leave(status: int) -> None:
    """End at once: pools and compilers that were interrupted may abort while Python ends."""
    import os
    from contextlib import suppress

    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    for name, removes in FOLDERS.items():
        if module := sys.modules.get(name):
            with suppress(Exception):
                getattr(module, removes)()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
