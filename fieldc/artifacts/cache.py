"""Remember proofs from earlier builds, by everything that a proof depends on.

The key is a digest of the function's bytes, the symbol, the contract, the convention, the prover's
own source, and the versions of Python and of the libraries that decode and read objects. Only
success is remembered, with its certificate, in a folder that belongs to the user and that nobody
else can write to. It has a bound: what was used longest ago goes first. `fieldc prove` never reads
it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import re
import stat
import zlib
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, reduce
from importlib.metadata import version
from operator import or_
from pathlib import Path
from typing import Any

import fieldc.binary
import fieldc.proof
from fieldc.errors import UserError
from fieldc.progress import Progress
from fieldc.proof.certificate import FORMAT
from fieldc.proof.divsteps.certificate import FORMAT as DIVSTEPS_FORMAT
from fieldc.proof.lanes.certificate import ARRAY_FORMAT

PRIVATE = 0o700
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
LIBRARIES = ("capstone", "lief")
OFF = "FIELDC_NO_CACHE"
"""The environment variable that turns the cache off, in this process and those that it starts.

Empty and 0 leave it on.
"""
MOST_BYTES = 64 << 20
"""What all entries may take after a build, about 15 000 proofs. Those used longest ago go first."""
ENTRY = re.compile(r"[0-9a-f]{64}(\.\d+)?")
"""The name of an entry, with a process where it is written just now."""
MOST_TEXT = 1 << 28
"""Of one entry, unpacked."""
DAMAGE = (
    *(OSError, EOFError, zlib.error, MemoryError),  # of a file
    *(ValueError, RecursionError, KeyError, TypeError, OverflowError),  # of what it says
)
"""What reading an entry raises that is missing, or not as it was written."""
LEFT_BYTES = MOST_BYTES // 4 * 3
"""What is left of more than that, so that not each build has to look for the oldest."""


@dataclass(frozen=True)
class Record:
    """What is remembered of a proof: its certificate, empty if it has none, and its claim."""

    certificate: str
    convention: str
    stack: int


class NoFolder(UserError, OSError):
    """There is no folder for proofs: the user has no home."""


def folder() -> Path:
    """Where proofs are remembered: below XDG_CACHE_HOME, or .cache in the user's home.

    Raises NoFolder.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not named.is_absolute():
        try:
            named = Path.home() / ".cache"
        except RuntimeError:  # a user whom the system does not know, without HOME
            named = Path()
    if not named.is_absolute():
        raise NoFolder("no proofs are remembered: HOME is not the path of a folder; set it")
    return named / "fieldc" / "proofs"


def is_off() -> bool:
    """Whether the user turned the cache off."""
    return os.environ.get(OFF, "") not in ("", "0")


def turn_off() -> None:
    """Neither recall nor remember proofs from now on."""
    os.environ[OFF] = "1"


@cache
def prover_version() -> str:
    """A digest of the prover's source and of what it runs on."""
    total = hashlib.sha256(platform.python_version().encode())
    for name in LIBRARIES:
        total.update(f"{name} {version(name)}".encode())
    for room in (fieldc.proof, fieldc.binary):
        for path in sorted(Path(room.__path__[0]).rglob("*.py")):
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def key_of(code: bytes, *parts: object) -> str:
    """The digest of one proof: the function's bytes, and what else it depends on."""
    texts = [repr(part).encode() for part in (prover_version(), *parts)]
    digests = [hashlib.sha256(piece).digest() for piece in (code, *texts)]
    return hashlib.sha256(b"".join(digests)).hexdigest()


def recall(key: str) -> Record | None:
    """Return what is remembered of a proof that succeeded, or None.

    An entry that others may have written, or that is not as it was written, counts as missing.
    """
    try:
        path = folder() / key
        if is_off() or not _is_private(folder()):
            return None
        found = json.loads(_content(path))
        record = Record(str(found["certificate"]), str(found["convention"]), int(found["stack"]))
        if found["digest"] != _digest(key, record):
            return None
        with suppress(OSError):  # a folder that is only read keeps its times
            os.utime(path)
        if record.certificate:
            return record if _is_whole(json.loads(record.certificate), record.stack) else None
        return record
    except DAMAGE:
        return None  # missing, or not as it was written


def _content(path: Path) -> bytes:
    """The text of an entry. Raises OSError, also for what is no file of the user's, and DAMAGE."""
    flags = (getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
    if not _is_private(path):  # systems without O_NOFOLLOW would follow a link
        raise PermissionError
    with open(os.open(path, reduce(or_, flags, os.O_RDONLY)), "rb") as file:
        found = os.fstat(file.fileno())
        if not (_is_ours(found) and stat.S_ISREG(found.st_mode)):
            raise PermissionError
        text = gzip.GzipFile(fileobj=file).read(MOST_TEXT + 1)
    if len(text) > MOST_TEXT:
        raise ValueError("it has no end, or one far away")
    return text


def _digest(key: str, record: Record) -> str:
    """What shows that an entry is that of this key, and all of it."""
    return hashlib.sha256(json.dumps([key, asdict(record)]).encode()).hexdigest()


def _is_whole(stated: dict[str, Any], stack: int) -> bool:
    """Whether a certificate has its proof."""
    if stated["format"] == ARRAY_FORMAT:
        block = stated["block"]
        return bool(block["steps"] or "split" in block)  # a sign may be all it rests on
    if stated["format"] == DIVSTEPS_FORMAT:
        return bool(stated["blocks"]) and stated["stack"] == stack
    has_proof = bool(stated["cases"] or stated["routines"])
    return bool(stated["format"] == FORMAT and has_proof and stated["stack"] == stack)


def remember(key: str, record: Record) -> None:
    """Remember a proof that succeeded; where nothing can be written, nothing is remembered."""
    if is_off():
        return
    try:
        folder().mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        if not _is_private(folder()):
            return
        part = folder() / f"{key}.{os.getpid()}"
        text = json.dumps(asdict(record) | {"digest": _digest(key, record)})
        try:
            part.write_bytes(gzip.compress(text.encode(), mtime=0))
            part.chmod(stat.S_IRUSR | stat.S_IWUSR)
            part.replace(folder() / key)
        finally:
            part.unlink(missing_ok=True)  # on a full disk a part of it was written
    except OSError:
        return


def entries() -> list[Path]:
    """Return the files of the cache, in the order of their names.

    Other files in its folder are not its own, and neither is a folder that a link leads to.
    """
    try:
        if not _is_private(folder()):
            return []
        with os.scandir(folder()) as found:  # a large folder is read in one go, file by file
            own = (entry for entry in found if ENTRY.fullmatch(entry.name))
            return sorted(Path(entry) for entry in own if entry.is_file(follow_symlinks=False))
    except OSError:
        return []


def trim() -> None:
    """Forget what was used longest ago, where the entries take more than they may."""
    known = []
    for path in entries():
        with suppress(OSError):  # another build may have forgotten it
            found = path.stat()
            known.append((found.st_mtime_ns, found.st_size, path))
    total = sum(size for _, size, _ in known)
    if total <= MOST_BYTES:
        return
    for _, size, path in sorted(known):
        if total <= LEFT_BYTES:
            return
        with suppress(OSError):
            path.unlink(missing_ok=True)
        total -= size


def clear(show: Progress) -> int:
    """Forget every proof; how many there were. Raises OSError."""
    found = entries()
    for number, path in enumerate(found, 1):
        path.unlink(missing_ok=True)
        show("clear", number, len(found))
    return len(found)


def _is_private(path: Path) -> bool:
    """Whether a file or a folder is the user's, no link, and nobody else may write to it."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return _is_ours(found) and not stat.S_ISLNK(found.st_mode)


def _is_ours(found: os.stat_result) -> bool:
    """Whether something is the user's, and nobody else may write to it."""
    own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return own and (os.name == "nt" or not found.st_mode & OTHERS_MAY_WRITE)
