"""Damaged objects: the checker answers each with a line, and never ends in a panic."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import LINUX
from forged import run

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble
from fieldc.proof.certificate import certify, text
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.conventions import SYSV, WIN64
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

TRIPLES = {
    LINUX: SYSV,
    "x86_64-pc-windows-msvc": WIN64,
}
COUNT = 200


def damaged(data: bytes, seed: str) -> Iterator[bytes]:
    """Objects that are cut off, or have a few other bits or a word of ones."""
    draw = random.Random(seed)
    for _ in range(COUNT // 4):
        yield data[: draw.randrange(len(data))]
    for _ in range(COUNT // 2):
        changed = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 4))):
            changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        yield bytes(changed)
    for _ in range(COUNT // 4):
        place, size = draw.randrange(len(data) - 8), draw.choice((4, 8))
        yield data[:place] + b"\xff" * size + data[place + size :]


def object_and_certificate(triple: str) -> tuple[bytes, str]:
    f, convention = find_field("goldilocks"), TRIPLES[triple]
    compiled = compile_expression(choose(f, "add"), "kernel", VARIANTS["base"], convention)
    data = assemble(compiled.text(GNU), triple)
    function = function_of(data, "kernel")
    made = certify(function.code, "add", f.p, f.n, convention.name, function.start)
    return data, text(made)


@pytest.mark.parametrize("triple", TRIPLES)
def test_a_damaged_object_ends_in_a_line(checker: Path, tmp_path: Path, triple: str) -> None:
    data, certificate = object_and_certificate(triple)
    paths = []
    for number, changed in enumerate((data, *damaged(data, triple))):
        paths.append(tmp_path / f"{number:03}.cert.json")
        paths[-1].write_text(certificate)
        (tmp_path / f"{number:03}.o").write_bytes(changed)
    status, said = run(checker, paths)
    lines = said.splitlines()
    assert status == 1 and "panicked" not in said, said[-500:]
    assert {line.split()[0] for line in lines} == {"PROVED", "FAILED"}
    assert len(lines) == len(paths)


def test_a_section_that_ends_beyond_all_addresses(checker: Path, tmp_path: Path) -> None:
    data, certificate = object_and_certificate(LINUX)
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<2H", data, 0x3A)
    changed = bytearray(data)
    for number in range(1, count):
        struct.pack_into("<Q", changed, table + size * number + 0x10, 2**64 - 8)
    (tmp_path / "kernel.cert.json").write_text(certificate)
    (tmp_path / "kernel.o").write_bytes(changed)
    status, said = run(checker, [tmp_path / "kernel.cert.json"])
    assert status == 1 and f"has an address, {2**64 - 8:#x}" in said, said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", ["k.cert.json", "k.o", "manifest.json", "package.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_regular_file_is_not_opened(
    checker: Path, tmp_path: Path, name: str, kind: str
) -> None:
    """Nobody writes into the pipe, and the device has no end."""
    data, certificate = object_and_certificate(LINUX)
    (tmp_path / "k.cert.json").write_text(certificate)
    (tmp_path / "k.o").write_bytes(data)
    (tmp_path / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to("/dev/zero")
    asked = tmp_path / "k.cert.json" if name.startswith("k.") else tmp_path
    status, said = run(checker, [asked])
    assert status == 1 and said.count("\n") == 1 and "no regular file" in said, said
