"""Inlined kernels as they stand in a generated file: read back, and as functions to be proved.

A function (z, x, y) does around the text what a compiler does: words of operands and constants go
to registers of one choice, and the result is stored. It has no other instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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

ConstantOf = Callable[[str], int]


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
        return self.with_numbers(lambda text: _number(text, f, multiple))

    def with_numbers(self, number: ConstantOf, operands: str = "xy") -> str:
        """The same with any constants; `number` gives each from its text in Rust.

        `operands` are x and y, or `xx` for a function of x that doubles it, `0x` for its negative.
        """
        registers, numbers = self._places(number, FREE)
        named = {**numbers, **registers}
        named |= {f"{x}:e": LOW_HALVES.get(r, f"{r}d") for x, r in registers.items()}
        lines = [re.sub(r"\{([\w:]+)\}", lambda m: named[m[1]], line) for line in self.lines]
        saved = [register for register in SAVED if register in registers.values()]
        body = (
            *(f"push {register}" for register in saved),
            *self._entrance(registers, number, operands),
            *lines,
            *self._exit(registers),
            *(f"pop {register}" for register in reversed(saved)),
            "ret",
        )
        head = (".intel_syntax noprefix", ".text", f".globl {self.symbol}", f"{self.symbol}:")
        return "\n".join((*head, *body)) + "\n"

    def arm_function(self, f: Field, multiple: int = 1) -> str:
        """The same for AArch64: z, x and y are in x0, x1 and x2. Raises ValueError."""

        def number(text: str) -> int:
            return _number(text, f, multiple)

        def put(register: str, text: str) -> list[str]:
            return number_text(number(text)).format(register).split("\n")

        return "\n".join(self._arm_lines(number, put, "xy")) + "\n"

    def arm_with_numbers(self, number: ConstantOf, operands: str = "xy") -> str:
        """The same with any constants, which are read from a table after the return."""
        words = dict.fromkeys(o.before for o in self.operands if o.before.startswith("M::"))
        places = {text: 8 * place for place, text in enumerate(words)}

        def put(register: str, text: str) -> list[str]:
            place = f", #{places[text]}" if places[text] else ""
            return [f"adr {register}, 2f", f"ldr {register}, [{register}{place}]"]

        table = ", ".join(f"{number(text):#x}" for text in words)
        lines = self._arm_lines(number, put, operands)
        return "\n".join((*lines, ".p2align 3", "2:", f".quad {table}")) + "\n"

    def _arm_lines(
        self, number: ConstantOf, put: Callable[[str, str], list[str]], operands: str
    ) -> list[str]:
        """The instructions; `put` loads a register with a constant."""
        registers, numbers = self._places(number, ARM_FREE)
        named = {**numbers, **registers}
        lines = [re.sub(r"\{(\w+)\}", lambda m: named[m[1]], line) for line in self.lines]
        pointer = {"0": "", "x": "x1", "y": "x2"}
        pointers = dict(zip(self.arguments, (pointer[x] for x in operands), strict=False))
        before: list[str] = []
        for o in self.operands:
            word = WORD.fullmatch(o.before)
            if not o.place or not o.before:
                continue
            if word is None or word[1] not in pointers:
                before += put(registers[o.name], o.before)
            elif base := pointers[word[1]]:
                place = f"[{base}, #{8 * self._place(word[2])}]"
                before.append(f"ldr {registers[o.name]}, {place.replace(', #0]', ']')}")
            else:
                before.append(f"mov {registers[o.name]}, xzr")
        (end,) = (registers[o.name] for o in self.operands if o.after == "z0")
        return [*before, *lines, f"str {end}, [x0]", "ret"]

    def assembled(self, f: Field, multiple: int = 1) -> bytes:
        """The object file of this function."""
        return assemble(self.function(f, multiple))

    def _places(
        self, number: ConstantOf, registers_of: Sequence[str]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The register of each name, and the number."""
        free = list(registers_of)
        registers = {o.name: free.pop(0) for o in self.operands if o.place == "reg"}
        numbers = {o.name: o.before for o in self.operands if not o.place}
        return registers, {x: str(number(text)) for x, text in numbers.items()}

    def _entrance(
        self, registers: Mapping[str, str], number: ConstantOf, operands: str
    ) -> list[str]:
        """Every register gets its value; rdx, which is a pointer, comes last."""
        pointer = {"0": "", "x": POINTERS[1], "y": POINTERS[2]}
        pointers = dict(zip(self.arguments, (pointer[x] for x in operands), strict=False))
        moves: dict[str, str] = {}
        for o in self.operands:
            if not o.place or not o.before:
                continue
            register = registers.get(o.name, o.place)
            word = WORD.fullmatch(o.before)
            if word is None or word[1] not in pointers:
                moves[register] = f"{number(o.before):#x}"
            elif base := pointers[word[1]]:
                moves[register] = f"qword ptr [{base} + {8 * self._place(word[2])}]"
            else:
                moves[register] = "0"
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
