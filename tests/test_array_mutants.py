"""Kernels on arrays with a few other bits: what the checker still accepts computes the same."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checked_folder import said_of
from sampling import sampled

from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.arrays import ArrayFunction, check_arrays
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.offers import array_expression

DRAWN = sampled([30], [1500])
"""Mutants of a kernel."""
SECONDS = 20
"""A mutant that runs for longer does not end."""


def mutants(code: bytes, seed: str, count: int) -> Iterator[bytes]:
    """Code with one bit or byte changed, or two bytes exchanged."""
    draw = random.Random(seed)
    for _ in range(count):
        changed, at = bytearray(code), draw.randrange(len(code))
        match draw.choice(("bit", "bit", "byte", "exchange")):
            case "bit":
                changed[at] ^= 1 << draw.randrange(8)
            case "byte":
                changed[at] = draw.randrange(256)
            case _:
                other = draw.randrange(len(code))
                changed[at], changed[other] = changed[other], changed[at]
        if changed != code:
            yield bytes(changed)


def is_right(function: ArrayFunction) -> bool:
    """Whether a kernel computes what it promises, in a process that may crash."""
    process = multiprocessing.get_context("fork").Process(target=check_arrays, args=(function,))
    process.start()
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
    process.join()
    return process.exitcode == 0


class Folder:
    """A folder of one kernel, whose object may be another one."""

    def __init__(self, built: Path, row: dict[str, Any], to: Path) -> None:
        self.path, self.row = to / row["object"].replace("/", "_"), row
        self.manifest = json.loads((built / "manifest.json").read_text())
        self.manifest["files"] = ["manifest.json"]
        for name in (row["file"], row["object"], row["certificate"]):
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_bytes((built / name).read_bytes())
            self.manifest["files"].append(name)
        self.object = (built / row["object"]).read_bytes()

    def is_accepted(self, checker: Path, data: bytes) -> bool:
        """Whether the checker takes an object in place of the kernel's own."""
        proof = (self.path / self.row["certificate"]).read_bytes()
        parts = data, self.manifest["p"].encode(), self.row["contract"].encode(), proof
        digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts))
        changed = {"arrays": [self.row | {"digest": digest.hexdigest()}]}
        (self.path / self.row["object"]).write_bytes(data)
        (self.path / "manifest.json").write_text(json.dumps(self.manifest | changed))
        return said_of(checker, self.path)[0] == 0


@pytest.mark.usefixtures("no_checker")
@pytest.mark.parametrize("count", DRAWN)
@pytest.mark.parametrize("prime", ["babybear", "bn254-p"])
@pytest.mark.parametrize("target", ARRAY_TARGETS)
def test_what_the_checker_accepts_is_right(
    target: str, prime: str, count: int, checker: Path, tmp_path: Path
) -> None:
    if not ARRAY_TARGETS[target].runs_here:
        pytest.skip(f"the processor has not all of {target}")
    f, built = find_field(prime), tmp_path / "built"
    words = ["--batch", "--op", "sub,mul", "--target", target, "-o", str(built)]
    assert main(["build", prime, *words]) == 0
    rows = json.loads((built / "manifest.json").read_text())["arrays"]
    accepted = 0
    for row in (row for row in rows if "-to-" not in row["layout"]):
        folder = Folder(built, row, tmp_path)
        assert folder.is_accepted(checker, folder.object)
        kernel = function_of(folder.object, row["symbol"])
        code = kernel.code[kernel.start :]
        expression = array_expression(f, row["op"].removesuffix("_lazy"), row["layout"])
        for mutant in mutants(code, row["symbol"], count):
            data = folder.object.replace(code, mutant)
            if folder.is_accepted(checker, data):
                accepted += 1
                assert is_right(ArrayFunction(data, row["symbol"], expression)), mutant.hex()
    print(f"{accepted} mutants were accepted")
