"""A copy of a built folder that a test may change, and what the checker says of one."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any


class Copy:
    """A copy of a built folder that a test may change."""

    def __init__(self, built: Path, to: Path) -> None:
        self.path = to / "copy"
        shutil.copytree(built, self.path)
        self.manifest: dict[str, Any] = json.loads((self.path / "manifest.json").read_text())

    def row(self, stem: str) -> dict[str, Any]:
        """The manifest's row of a kernel."""
        rows = self.manifest["kernels"]
        return next(r for r in rows if str(r["file"]).startswith(f"{stem}."))

    def file(self, path: str) -> Path:
        """One of its files."""
        return self.path / path

    def sign(self) -> None:
        """Write the manifest with all digests and all files as they are now."""
        for row in self.manifest["kernels"]:
            code = self.file(row["object"] or row["file"]).read_bytes()
            certificate = self.file(row["certificate"]).read_bytes() if row["certificate"] else b""
            if row["certificate"]:
                row["certificate_digest"] = hashlib.sha256(certificate).hexdigest()
            texts = (self.manifest["p"].encode(), row["contract"].encode(), certificate)
            parts = [hashlib.sha256(part).digest() for part in (code, *texts)]
            row["digest"] = hashlib.sha256(b"".join(parts)).hexdigest()
        found = (p.relative_to(self.path) for p in self.path.rglob("*") if p.is_file())
        self.manifest["files"] = sorted(path.as_posix() for path in found)
        self.write()

    def write(self) -> None:
        """Write the manifest alone."""
        self.file("manifest.json").write_text(json.dumps(self.manifest))


def said_of(checker: Path, folder: Path) -> tuple[int, str]:
    done = subprocess.run([checker, folder], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr
