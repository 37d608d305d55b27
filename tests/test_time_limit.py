"""A test that hangs fails and shows where, instead of keeping the whole run waiting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HANGS = "import time\n\n\ndef test_it():\n    time.sleep(300)  # here\n"


def test_a_test_that_hangs_fails(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 600
    (tmp_path / "test_it.py").write_text(HANGS)
    words = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--timeout", "0.2")
    done = subprocess.run((*words, tmp_path), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout
    assert "# here" in done.stdout and "Timeout" in done.stdout
