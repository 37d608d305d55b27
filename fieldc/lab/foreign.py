"""blst's assembly, from the package that crates/race depends on: routines to race and to prove.

Its routines take their modulus and n0 as arguments; a stub of two instructions sets these and
jumps, as blst's own C does. On AArch64 hosts they are its routines for ARMv8.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.lab.peers import FOLDER
from fieldc.machine.assemble import assemble
from fieldc.processes import run_group

PACKAGE = "blst"
ENTRY = "fieldc_foreign"
"""The symbol of the stub."""
_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8")
"""Where System V passes arguments."""


class NoForeignCode(UserError):
    """blst's package cannot be had here; the message is one line."""


@dataclass(frozen=True)
class BlstRoutine:
    """One of blst's routines: what it computes and the order of its arguments."""

    file: str
    symbol: str
    operation: str
    arguments: tuple[str, ...]


_MUL, _SQUARE, _SUM = ("z", "x", "y", "p", "n0"), ("z", "x", "p", "n0"), ("z", "x", "y", "p")
_384, _256 = "mulx_mont_384", "mulx_mont_256"
ROUTINES = {
    routine.symbol: routine
    for routine in (
        BlstRoutine(_384, "mulx_mont_384", "mul", _MUL),
        BlstRoutine(_384, "sqrx_mont_384", "square", _SQUARE),
        BlstRoutine(_384, "mulx_mont_384x", "fp2_mul", _MUL),
        BlstRoutine("add_mod_384", "add_mod_384", "add", _SUM),
        BlstRoutine("add_mod_384", "sub_mod_384", "sub", _SUM),
        BlstRoutine(_256, "mulx_mont_sparse_256", "mul", _MUL),
        BlstRoutine(_256, "sqrx_mont_sparse_256", "square", _SQUARE),
    )
}
"""Those for processors with BMI2 and ADX that are raced, by symbol."""


@cache
def assembly_folder() -> Path:
    """blst's assembly files for ELF; cargo fetches the package where it is not here yet.

    Raises NoForeignCode.
    """
    if not FOLDER.is_dir() or shutil.which("cargo") is None:
        raise NoForeignCode("blst's assembly comes with cargo and the folder crates/race: not here")
    command = ("cargo", "metadata", "--format-version", "1", "--locked")
    ran = run_group(command, FOLDER)
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NoForeignCode(f"cargo cannot fetch {PACKAGE}: {reason}")
    packages = json.loads(ran.stdout)["packages"]
    manifest = next(Path(p["manifest_path"]) for p in packages if p["name"] == PACKAGE)
    return manifest.parent / "blst/build/elf"


ARM_ROUTINES = {
    routine.symbol: routine
    for routine in (
        BlstRoutine("mul_mont_384", "mul_mont_384", "mul", _MUL),
        BlstRoutine("mul_mont_384", "sqr_mont_384", "square", _SQUARE),
        BlstRoutine("mul_mont_384", "mul_mont_384x", "fp2_mul", _MUL),
        BlstRoutine("add_mod_384", "add_mod_384", "add", _SUM),
        BlstRoutine("add_mod_384", "sub_mod_384", "sub", _SUM),
        BlstRoutine("mul_mont_256", "mul_mont_sparse_256", "mul", _MUL),
        BlstRoutine("mul_mont_256", "sqr_mont_sparse_256", "square", _SQUARE),
        BlstRoutine("add_mod_256", "add_mod_256", "add", _SUM),
        BlstRoutine("add_mod_256", "sub_mod_256", "sub", _SUM),
    )
}
"""Those for ARMv8, by symbol."""
ARM_TRIPLE = "aarch64-unknown-linux-gnu"
"""On every AArch64 host: a race writes the code where it runs, and needs no system's format."""


def arm_text(routine: BlstRoutine, field: Field) -> str:
    """An ARMv8 routine and a stub ENTRY for one field, as an assembler takes it.

    Raises NoForeignCode.
    """
    text = (assembly_folder() / f"{routine.file}-armv8.S").read_text("utf-8")
    return _without_features(text) + _arm_stub(routine, field)


def arm_object(routine: BlstRoutine, field: Field) -> bytes:
    """The object of `arm_text`, on AArch64 hosts. Raises NoForeignCode."""
    return assemble(arm_text(routine, field), ARM_TRIPLE)


def _arm_stub(routine: BlstRoutine, field: Field) -> str:
    sets = {"p": "adr x{}, .Lfieldc_p", "n0": "ldr x{}, .Lfieldc_n0"}
    lines = [sets[name].format(i) for i, name in enumerate(routine.arguments) if name in sets]
    head = (".text", f".globl {ENTRY}", f".type {ENTRY},%function", ".p2align 6", f"{ENTRY}:")
    table = [*_table(field.limbs(field.p)), ".Lfieldc_n0:", f".quad {field.n0:#x}"]
    return "\n".join([*head, *lines, f"b {routine.symbol}", *table]) + "\n"


def _without_features(text: str) -> str:
    """What a C preprocessor that knows no feature keeps of the file's #if blocks."""
    kept: list[str] = []
    names = {"__SIZEOF_POINTER__": "8"}
    skipping = False
    for line in text.splitlines():
        words = line.removeprefix("#").split()
        if line.startswith("#if"):
            skipping = True
        elif line.startswith("#else"):
            skipping = not skipping
        elif line.startswith("#endif"):
            skipping = False
        elif not skipping and line.startswith("#"):
            names[words[1]] = words[2]
        elif not skipping:
            kept.append(line)
    made = "\n".join(kept) + "\n"
    for name, value in names.items():
        made = made.replace(name, value)
    return made


@cache
def foreign_text(file: str) -> str:
    """One of the files as an assembler takes it. Raises NoForeignCode."""
    return _without_conditions((assembly_folder() / f"{file}-x86_64.s").read_text("utf-8"))


def foreign_object(routine: BlstRoutine, field: Field) -> bytes:
    """The routine and a stub ENTRY `void (z, x[, y])` for one field. Raises NoForeignCode."""
    return assemble(foreign_text(routine.file) + _stub(routine, field))


def _stub(routine: BlstRoutine, field: Field) -> str:
    sets = {
        "p": "leaq .Lfieldc_p(%rip), %{}",
        "n0": f"movabsq ${field.n0:#x}, %{{}}",
    }
    places = zip(routine.arguments, _REGISTERS, strict=False)
    lines = [sets[name].format(register) for name, register in places if name in sets]
    head = (".text", f".globl {ENTRY}", ".p2align 6", f"{ENTRY}:")
    return "\n".join([*head, *lines, f"jmp {routine.symbol}", *_table(field.limbs(field.p))]) + "\n"


def _table(limbs: Sequence[int]) -> list[str]:
    return [".p2align 6", ".Lfieldc_p:", *(f".quad {limb:#x}" for limb in limbs)]


def _without_conditions(text: str) -> str:
    """What a C preprocessor without definitions keeps of the file's #ifdef blocks."""
    kept, skipping = [], False
    for line in text.splitlines():
        if line.startswith("#ifdef"):
            skipping = True
        elif line.startswith("#else"):
            skipping = not skipping
        elif line.startswith("#endif"):
            skipping = False
        elif not skipping and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept) + "\n"
