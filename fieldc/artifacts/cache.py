"""Proofs remembered from earlier builds, by everything that a proof depends on.

The key is a digest of the object's bytes, the symbol, the contract, the convention and the prover's
own source, so a remembered proof is one of exactly these bytes by exactly this prover. Only success
is remembered, with its certificate, in a folder that belongs to the user; `fieldc prove` never
reads it.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from functools import cache
from pathlib import Path

import fieldc.binary
import fieldc.proof

PRIVATE = 0o700


def folder() -> Path:
    """Where proofs are remembered: below XDG_CACHE_HOME, or .cache in the user's home."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "fieldc" / "proofs"


@cache
def prover_version() -> str:
    """A digest of the prover's source."""
    total = hashlib.sha256()
    for room in (fieldc.proof, fieldc.binary):
        for path in sorted(Path(room.__path__[0]).rglob("*.py")):
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def key_of(code: bytes, *parts: object) -> str:
    """The digest of one proof: the object's bytes, and what else it depends on."""
    texts = [repr(part).encode() for part in (prover_version(), *parts)]
    digests = [hashlib.sha256(piece).digest() for piece in (code, *texts)]
    return hashlib.sha256(b"".join(digests)).hexdigest()


def certificate_of(key: str) -> str | None:
    """The certificate of a proof that succeeded before, empty if it had none; else None."""
    try:
        return gzip.decompress((folder() / key).read_bytes()).decode()
    except (OSError, EOFError, ValueError, zlib.error):  # missing, or not as it was written
        return None


def remember(key: str, certificate: str) -> None:
    """Remember a proof that succeeded; where nothing can be written, nothing is remembered."""
    try:
        folder().mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        part = folder() / f"{key}.{os.getpid()}"
        part.write_bytes(gzip.compress(certificate.encode(), mtime=0))
        part.replace(folder() / key)
    except OSError:
        return
