"""Work that may end its process, done in a child process that stays for the next piece.

LLVM ends the process for bad assembly. A child is forked at the first piece of work, and another
one after a piece that ended it. To fork for every piece takes 5 to 20 ms, more than most pieces.
"""

from __future__ import annotations

import errno
import faulthandler
import gc
import os
import pickle
import signal
import struct
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, NoReturn

import llvmlite.binding as llvm

HEAD = struct.Struct("<?Q")
"""Before each message: whether work succeeded, and the bytes that follow."""

PIECES = 5_000
"""After so many another child is forked: LLVM keeps 5 KB of each."""


class WorkFailed(Exception):
    """Work raised an exception, ended its process or complained; with all that it said."""


@dataclass
class GuardedChild:
    """A child process: its pipes, and the file that stands for its standard error."""

    pid: int
    """0 once it has ended."""
    asked: int
    answers: IO[bytes]
    complaints: IO[bytes]
    read: int = 0
    """How much of its complaints is known; the place in the file is the child's."""
    pieces: int = 0
    """How many it was asked for."""

    def do(self, request: bytes) -> bytes:
        """Its answer. Raises WorkFailed, and BrokenPipeError where the child is gone already."""
        self.pieces += 1
        _send(self.asked, True, request)
        answer = _receive(self.answers)
        file = self.complaints.fileno()
        said = os.pread(file, os.fstat(file).st_size - self.read, self.read)
        self.read += len(said)
        if answer is None:
            status, self.pid = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), 0
            said = said or f"LLVM ended with status {status}".encode()
        elif not answer[0]:
            said += answer[1]
        if said or answer is None:
            raise WorkFailed(said.decode(errors="replace"))
        return answer[1]

    def leave(self, end: bool) -> None:
        """Ask it no more; and end it at once, if it has not."""
        os.close(self.asked)
        self.answers.close()
        self.complaints.close()
        if end and self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


_lock = threading.Lock()
_child: GuardedChild | None = None


def guarded(work: Callable[..., bytes], *arguments: object) -> bytes:
    """What a function at the top of a module returns. Raises WorkFailed, and OSError."""
    request = pickle.dumps((work, arguments))
    with _lock:
        if _child is not None:
            with suppress(BrokenPipeError):  # somebody ended it while it had nothing to do
                return _answer(_child, request)
        try:
            return _answer(_forked(), request)
        except BrokenPipeError:  # not of standard output, where it says that nobody reads
            said = "the process that assembles ended at once; is there a limit on open files?"
            raise ChildProcessError(errno.ECHILD, said) from None


def _answer(child: GuardedChild, request: bytes) -> bytes:
    """A child's answer. It is kept for the next piece of work if it can do one."""
    global _child
    _child = None
    try:
        answer = child.do(request)
    except WorkFailed:
        if child.pid:
            _child = child
        else:
            child.leave(end=False)
        raise
    except BaseException:
        child.leave(end=True)
        raise
    if child.pieces < PIECES:
        _child = child
    else:
        child.leave(end=True)
    return answer


def _after_fork() -> None:
    """Leave the child to the process that made it, when another one is forked from that."""
    global _lock, _child
    _lock = threading.Lock()
    if _child is not None:
        _child.leave(end=False)
        _child = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _forked() -> GuardedChild:
    complaints = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - as long as the child is asked
    reads, asked = os.pipe()
    answers, writes = os.pipe()
    # Other threads may use LLVM: its lock is not theirs when the child gets it.
    with llvm.ffi.lib._lock:
        pid = os.fork()
    if pid == 0:
        _serve(reads, writes, complaints.fileno())
    os.close(reads)
    os.close(writes)
    return GuardedChild(pid, asked, os.fdopen(answers, "rb"), complaints)


def _serve(reads: int, writes: int, complaints: int) -> NoReturn:
    """Do what is asked until nobody can ask any more."""
    try:
        asked, answers = _let_go(reads, writes, complaints)
        requests = os.fdopen(asked, "rb")
        while (request := _receive(requests)) is not None:
            work, arguments = pickle.loads(request[1])
            try:
                succeeded, data = True, work(*arguments)
            except Exception as error:
                succeeded, data = False, (str(error) or repr(error)).encode()
            _send(answers, succeeded, data)
    finally:
        os._exit(1)


def _let_go(reads: int, writes: int, complaints: int) -> tuple[int, int]:
    """Close what the parent had open, but these pipes: locks, and pipes whose end others await."""
    from fcntl import F_DUPFD, fcntl

    faulthandler.disable()
    gc.freeze()  # what the parent's objects had open would be closed once more
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    kept = fcntl(reads, F_DUPFD, 3), fcntl(writes, F_DUPFD, 3)
    os.dup2(complaints, 2)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.closerange(3, min(kept))
    os.closerange(min(kept) + 1, max(kept))
    os.closerange(max(kept) + 1, os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")
    return kept


def _send(pipe: int, succeeded: bool, data: bytes) -> None:
    rest = memoryview(HEAD.pack(succeeded, len(data)) + data)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _receive(pipe: IO[bytes]) -> tuple[bool, bytes] | None:
    """A message, or None where the other end is closed."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    succeeded, size = HEAD.unpack(head)
    data = pipe.read(size)
    return (succeeded, data) if len(data) == size else None
