"""The checker that is proved in Coq, and the processor of its proof, for the tests."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldc.artifacts.certify import KernelClaim, claim_for, claim_words
from fieldc.artifacts.verify import named_operation
from fieldc.binary.linkable import function_of

NAMED = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi")
REGISTERS = (*NAMED, *(f"r{number}" for number in range(8, 16)))
CODE, STACK, RETURN = 0x10000, 0x80000, 0x77000
"""Where the code lies in a run, the top of its stack, and where it returns."""


@dataclass(frozen=True)
class State:
    """Registers and flags after a run; a flag is None where the model leaves it undefined."""

    registers: Mapping[str, int]
    carry: int | None
    overflow: int | None
    rip: int
    memory: bytes
    """The bytes that were asked for."""


def ask(program: Path, questions: Iterable[str]) -> list[str]:
    """The program's answers, one for each question."""
    text = "\n".join(questions)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def answers(program: Path, claims: Iterable[KernelClaim]) -> list[str]:
    """What the checker says of each claim: accepted or refused."""
    return ask(program, (" ".join(claim_words(claim)) for claim in claims))


def run_question(
    registers: Mapping[str, int],
    flags: tuple[int, int],
    memory: Mapping[int, int],
    steps: int,
    shown: Sequence[int] = (),
) -> str:
    """A run of so many instructions from CODE, and the addresses of bytes to show after it."""
    numbers = [registers.get(name, 0) for name in REGISTERS]
    numbers += [*flags, CODE, len(memory)]
    numbers += [number for item in memory.items() for number in item]
    numbers += [steps, len(shown), *shown]
    return " ".join(["step", *(f"{number:x}" for number in numbers)])


def state_of(answer: str) -> State | None:
    """The answer to a question for a run; None where the model does not say what happens."""
    if answer == "undefined":
        return None
    words = answer.split()
    carry, overflow = (None if word == "-" else int(word) for word in words[16:18])
    registers = dict(zip(REGISTERS, (int(word, 16) for word in words[:16]), strict=True))
    shown = bytes(int(word, 16) for word in words[19:])
    return State(registers, carry, overflow, int(words[18], 16), shown)


def bytes_from(start: int, data: bytes) -> dict[int, int]:
    """Memory with some bytes from an address on."""
    return {start + i: byte for i, byte in enumerate(data)}


def claim_in(folder: Path, stem: str) -> KernelClaim:
    """The claim on a kernel of a built folder, with its certificate."""
    manifest = json.loads((folder / "manifest.json").read_text())
    [row] = [k for k in manifest["kernels"] if k["object"] == f"{stem}.o"]
    code = function_of((folder / row["object"]).read_bytes(), row["symbol"])
    formula = row.get("formula", "")
    family, parameters = ("", {}) if formula else named_operation(row["op"])
    text = (folder / row["certificate"]).read_bytes()
    p, limbs = int(manifest["p"], 16), manifest["n"]
    return claim_for(code, family, parameters, p, limbs, row["stack"], text, formula)


def nothing_shown(claim: KernelClaim) -> tuple[str, ...]:
    """A certificate of a formula in one line: no words hold a step, no equality, and no case."""
    steps = claim.formula.steps if claim.formula else ()
    return (f"{len(steps):x}", *("written" for _ in steps), "0", "0")


def functions(p: int) -> dict[str, Callable[[int, int], int]]:
    """What kernels of one limb compute of two residues."""
    return {
        "add": lambda x, y: (x + y) % p,
        "sub": lambda x, y: (x - y) % p,
        "mul": lambda x, y: x * y * pow(2**64, -1, p) % p,
    }


def operand_pairs(p: int, drawn: int) -> list[tuple[int, int]]:
    """Every pair of edge values, and some random ones."""
    draw = random.Random(7)
    edges = [0, 1, 2, p - 1, p - 2, p >> 1]
    pairs = [(a, b) for a in edges for b in edges]
    return pairs + [(draw.randrange(p), draw.randrange(p)) for _ in range(drawn)]
