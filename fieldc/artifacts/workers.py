"""Processes that compute beside this one: Ctrl-C reaches this one alone, and they end with it."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from threading import Thread
from typing import TypeVar

from fieldc.errors import UserError
from fieldc.program import collect_rarely
from fieldc.signals import blocked_signals, deferred_signals

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


FEW = 4
"""So many jobs are done before other processes have begun."""
MOMENT = 0.5
"""Seconds after which Python looks for a signal that did not wake it."""
COPIED = "fieldc.artifacts.copied"
"""What is loaded before all else: a copy that comes when the command has ended says nothing."""
READS_OBJECTS = "lief"
"""The library that proofs read objects with: loaded before the copies are made, not in each."""

SAFE_PATH = "PYTHONSAFEPATH"
"""A variable of the environment: the current folder is no place for modules."""

SOCKET = "/pymp-12345678/listener-12345678"
"""What Python adds to the temporary folder's path for the socket of the process that is copied."""
LONGEST_SOCKET = 103
"""Bytes of a socket's path that every system takes."""


class WorkerLost(UserError):
    """The system killed a process that computed beside this one."""

    def __init__(self) -> None:
        super().__init__("the system killed a process of the proof; is there enough memory?")


class NoGuard(UserError):
    """A script has no guard: a process that imports it would run it again."""

    def __init__(self) -> None:
        super().__init__(
            "each process that computes imports this script: put what calls fieldc under "
            "if __name__ == '__main__':"
        )


def on_all_processors(
    function: Callable[[_Job], _Result], jobs: Sequence[_Job]
) -> Iterator[_Result]:
    """The results of a function of a module, in order: by many processes where jobs are not few.

    This process does them all where the system has no locks for many. Raises what in_processes
    raises.
    """
    number = min(os.cpu_count() or 1, len(jobs))
    if len(jobs) <= FEW or number < 2 or not _has_locks():
        return map(function, jobs)
    return in_processes(function, jobs, number)


def _has_locks() -> bool:
    """Whether processes can share locks: not where /dev/shm is read-only or absent."""
    can_copy = "fork" in multiprocessing.get_all_start_methods()
    try:
        # This kind removes its file at once, and so begins no process that would do it later.
        multiprocessing.get_context("fork" if can_copy else "spawn").Lock()
    except (OSError, ImportError):
        return False
    return True


def in_processes(
    function: Callable[[_Job], _Result], jobs: Sequence[_Job], number: int
) -> Iterator[_Result]:
    """The results of a function of a module, in order, from a number of processes.

    If the caller is interrupted or stops early, they are killed. Raises WorkerLost if one was
    killed from elsewhere, NoGuard in a process that is not ready yet, and what the function raises.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise NoGuard
    context = _context(function.__module__)
    watched, held = context.Pipe(duplex=False)
    with _no_modules_of_this_folder():
        pool = ProcessPoolExecutor(number, context, initializer=_end_with, initargs=(watched,))
    try:
        # A process that is half begun could not be ended.
        with deferred_signals(_end_server), _no_modules_of_this_folder():
            futures = [_submit(pool, function, job) for job in jobs]
        for future in futures:
            # A signal that comes just before a wait begins does not end it: Python sees it after.
            while not wait([future], MOMENT).done:
                pass
            yield future.result()
    except BrokenProcessPool:
        raise WorkerLost from None
    finally:
        with deferred_signals(_end_server):  # a second signal would leave their semaphores behind
            held.close()  # ends those that still compute
            pool.shutdown(cancel_futures=True)
            watched.close()


def _submit(
    pool: ProcessPoolExecutor, function: Callable[[_Job], _Result], job: _Job
) -> Future[_Result]:
    """The result to come. Raises BrokenProcessPool.

    A broken pool first notes that it is broken, then closes its pipes. A job that comes meanwhile
    fails by a closed pipe. Submitting it again gives the reason.
    """
    try:
        return pool.submit(function, job)
    except OSError:
        pool.submit(function, job)
        raise


def _context(module: str) -> BaseContext:
    """How processes begin: where the system can, as copies of one that has imported the module.

    The import takes a second. Never as copies of this process, which may have threads.
    """
    has_socket = len(os.fsencode(tempfile.gettempdir() + SOCKET)) <= LONGEST_SOCKET
    if not has_socket or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([COPIED, module, READS_OBJECTS])
    for begin in (resource_tracker.ensure_running, forkserver.ensure_running):
        # The first one unblocks some of them.
        with blocked_signals(), _no_modules_of_this_folder():
            begin()
    return context


@contextmanager
def _no_modules_of_this_folder() -> Iterator[None]:
    """Let processes that begin meanwhile import nothing of the current folder, from Python 3.11 on.

    Python begins them by `python -c`, which looks there first: a file of the user's called enum.py
    would be run in place of Python's own.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _end_server() -> None:
    """Kill the process that copies are made of, if there is one.

    A copy that is asked for while it imports its modules would be waited for, a second or two.
    """
    server = getattr(forkserver, "_forkserver", None)
    if (number := getattr(server, "_forkserver_pid", None)) is not None:
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)


def remove_socket() -> None:
    """End that process and remove the folder of its socket, as Python does where it ends itself."""
    _end_server()
    server = getattr(forkserver, "_forkserver", None)
    address = getattr(server, "_forkserver_address", None)
    if isinstance(address, str) and os.path.isabs(address):
        shutil.rmtree(os.path.dirname(address), ignore_errors=True)


def _end_with(watched: Connection) -> None:
    """End this process as soon as nobody holds the other end: its parent stopped or is gone."""
    collect_rarely()

    def watch() -> None:
        watched.poll(None)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
