"""Inlined kernels as they stand in a generated file: read back, and as functions to be proved.

A function (z, x, y) does around the text what a compiler does: words of operands and constants go
to registers of one choice, and the result is stored. It has no other instruction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.classes import value_of
from fieldc.targets.aarch64.virtual import number_text

KERNEL = re.compile(
    r"\nfn (?P<symbol>\w+)<M: Modulus<(?P<limbs>\d+)>>\((?P<arguments>[^)]*)\)(?:(?!\n}\n).)*?"
    r"asm!\(\n(?P<lines>(?: +\"[^\"\n]*\",\n)+)(?P<operands>.*?),\n"
    r" +options\(pure, nomem, nostack\),\n",
    re.DOTALL,
)
OPERAND = re.compile(
    r'(?:(?P<name>\w+) = )?(?P<kind>const|in|out|inout)(?:\("?(?P<place>\w+)"?\))?'
    r" (?P<before>.*?)(?: => (?P<after>\w+))?"
)
ARGUMENT = re.compile(r"(\w+): &")
WORD = re.compile(r"(\w+)((?:\[\d+\])+)")
MODULUS = re.compile(r"M::([A-Z]\w*)(?:\[(\d+)\])?")
POINTERS = ("rdi", "rsi", "rdx")
FREE = ("rcx", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13", "r14", "r15")
ARM_FREE = tuple(f"x{i}" for i in range(3, 18))
SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
LOW_HALVES = {"rcx": "ecx", "rbx": "ebx", "rbp": "ebp"}


@dataclass(frozen=True)
class InlineOperand:
    """One operand of inline assembly: a number in its text, or a register."""

    name: str
    """What stands for it in the text; nothing for a register that the text names."""
    place: str
    """Its register, or `reg` for any; nothing for a number."""
    before: str
    """The value in Rust with which it begins, if it has one."""
    after: str
    """The word of the result with which it ends, `z0`, or `_`; nothing if it does not change."""


@dataclass(frozen=True)
class InlineKernel:
    """A function that is a piece of inline assembly."""

    symbol: str
    limbs: int
    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    operands: tuple[InlineOperand, ...]

    def function(self, f: Field, multiple: int = 1) -> str:
        """It as a System V function, with the constants of a field, or with a multiple of p for p.

        Raises ValueError for assembly that it does not understand.
        """
        registers, numbers = self._places(f, multiple, FREE)
        named = {**numbers, **registers}
        named |= {f"{x}:e": LOW_HALVES.get(r, f"{r}d") for x, r in registers.items()}
        lines = [re.sub(r"\{([\w:]+)\}", lambda m: named[m[1]], line) for line in self.lines]
        saved = [register for register in SAVED if register in registers.values()]
        body = (
            *(f"push {register}" for register in saved),
            *self._entrance(registers, f, multiple),
            *lines,
            *self._exit(registers),
            *(f"pop {register}" for register in reversed(saved)),
            "ret",
        )
        head = (".intel_syntax noprefix", ".text", f".globl {self.symbol}", f"{self.symbol}:")
        return "\n".join((*head, *body)) + "\n"

    def arm_function(self, f: Field, multiple: int = 1) -> str:
        """The same for AArch64: z, x and y are in x0, x1 and x2. Raises ValueError."""
        registers, numbers = self._places(f, multiple, ARM_FREE)
        named = {**numbers, **registers}
        lines = [re.sub(r"\{(\w+)\}", lambda m: named[m[1]], line) for line in self.lines]
        pointers = dict(zip(self.arguments, ("x1", "x2"), strict=False))
        before: list[str] = []
        for o in self.operands:
            word = WORD.fullmatch(o.before)
            if o.place and word is not None and word[1] in pointers:
                place = f"[{pointers[word[1]]}, #{8 * self._place(word[2])}]"
                before.append(f"ldr {registers[o.name]}, {place.replace(', #0]', ']')}")
            elif o.place and o.before:
                number = number_text(_number(o.before, f, multiple))
                before += number.format(registers[o.name]).split("\n")
        (end,) = (registers[o.name] for o in self.operands if o.after == "z0")
        return "\n".join((*before, *lines, f"str {end}, [x0]", "ret")) + "\n"

    def assembled(self, f: Field, multiple: int = 1) -> bytes:
        """The object file of this function."""
        return assemble(self.function(f, multiple))

    def _places(
        self, f: Field, multiple: int, registers_of: Sequence[str]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The register of each name, and the number."""
        free = list(registers_of)
        registers = {o.name: free.pop(0) for o in self.operands if o.place == "reg"}
        numbers = {o.name: o.before for o in self.operands if not o.place}
        return registers, {x: str(_number(text, f, multiple)) for x, text in numbers.items()}

    def _entrance(self, registers: Mapping[str, str], f: Field, multiple: int) -> list[str]:
        """Every register gets its value; rdx, which is a pointer, comes last."""
        pointers = dict(zip(self.arguments, POINTERS[1:], strict=False))
        moves: dict[str, str] = {}
        for o in self.operands:
            if not o.place or not o.before:
                continue
            register = registers.get(o.name, o.place)
            word = WORD.fullmatch(o.before)
            if word is not None and word[1] in pointers:
                moves[register] = f"qword ptr [{pointers[word[1]]} + {8 * self._place(word[2])}]"
            else:
                moves[register] = f"{_number(o.before, f, multiple):#x}"
        order = sorted(moves, key=lambda register: register == POINTERS[-1])
        return [f"mov {register}, {moves[register]}" for register in order]

    def _place(self, index: str) -> int:
        """The number of a word of an operand, from `[1]` or, of several values, `[1][0]`."""
        *values, limb = map(int, re.findall(r"\d+", index))
        return sum(values) * self.limbs + limb

    def _exit(self, registers: Mapping[str, str]) -> list[str]:
        """The result is stored."""
        ends = {o.after: registers.get(o.name, o.place) for o in self.operands}
        words = sorted(word for word in ends if word.startswith("z"))
        return [f"mov qword ptr [rdi + {8 * int(word[1:])}], {ends[word]}" for word in words]


def _number(text: str, f: Field, multiple: int) -> int:
    """A constant as it stands in Rust. Raises ValueError for anything else."""
    if text.startswith("64 - "):
        return 64 - _number(text[5:], f, multiple)
    if text.endswith("_u64"):
        return int(text.removesuffix("_u64"), 16)
    found = MODULUS.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is no constant of a modulus")
    name = found[1].lower()
    if multiple > 1:
        return {"p": f.p * multiple, "complement": f.R - f.p * multiple}[name]
    return value_of(f"{name}[{found[2]}]" if found[2] else name, f)


def inline_kernels_in(text: str) -> dict[str, InlineKernel]:
    """The inlined kernels of a generated file by their symbols."""
    return {
        found["symbol"]: InlineKernel(
            found["symbol"],
            int(found["limbs"]),
            tuple(ARGUMENT.findall(found["arguments"])),
            tuple(re.findall(r'"(.*)",', found["lines"])),
            tuple(map(_operand, " ".join(found["operands"].split()).split(", "))),
        )
        for found in KERNEL.finditer(text)
    }


def _operand(text: str) -> InlineOperand:
    """One operand. Raises ValueError for what it does not understand."""
    found = OPERAND.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is no operand of inline assembly")
    before, after = found["before"], found["after"] or ""
    if found["kind"] == "out":
        before, after = "", before
    return InlineOperand(found["name"] or "", found["place"] or "", before, after)
