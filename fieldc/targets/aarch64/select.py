"""Instruction selection for AArch64: each word operation becomes one instruction, or none.

The processor has one carry, in the flag C; after a difference it is the complement of the borrow.
A flag that another one overwrites too early waits in a word. Products, loads and numbers are made
where they are first used: each half of a product is an instruction of its own, and sets no flags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from fieldc.targets.aarch64.virtual import (
    TABLE_LABEL,
    ZERO,
    ArmCode,
    Selected,
    Shift,
    address_of,
    code_of,
    number_text,
    pair_of,
)
from fieldc.words.operations import ADD, AND, FUNNEL, LOAD, MUL, MUL_LOW, SUB, Kind, WordOperation
from fieldc.words.program import Program, Step, Value
from fieldc.words.table import TABLE

RESULT = "z"
SMALL = 1 << 12
"""Sums hold numbers below it."""
OPPOSITE = {"add": "sub", "sub": "add"}
IS_SET = {ADD: "hs", SUB: "lo"}
"""The condition of a flag by what made it: a carry is C, a borrow is its complement."""
CONSTANT = {ADD: ("cmn {}, {}", "cmp {}, {}"), SUB: ("cmp {}, {}", "cmn {}, {}")}
"""Sums and differences of 0 and 0 that make a carry, or a borrow, of 0 or 1."""
RESTORED = {ADD: "cmp {}, #1", SUB: "cmp xzr, {}"}
"""A comparison that makes a carry, or a borrow, of a word that is 0 or 1."""


def selected(program: Program, zeros: Collection[Step] = (), folds_shifts: bool = True) -> Selected:
    """The instructions of a program whose constants are an operand (`with_table`).

    `zeros` are sums that are 0, by a product that nothing else uses (`cancel.py`): their carries
    are compared, not added. Unless it `folds_shifts` a sum has no shifted operand.
    """
    return ArmSelection(program, {s.outputs[1].number for s in zeros}, folds_shifts).run()


@dataclass
class ArmSelection:
    """The instructions of one program, as they are made."""

    program: Program
    zeros: set[int]
    """Carries of sums that are 0."""
    folds_shifts: bool = True
    code: list[ArmCode] = field(default_factory=list)
    again: dict[int, ArmCode] = field(default_factory=dict)

    def __post_init__(self) -> None:
        steps = self.program.steps
        self._numbers = 0
        names = (RESULT, *(name for name, _ in self.program.operands if name != TABLE))
        self._pointers = {name: self._new() for name in names}
        self._makers = {v.number: step for step in steps for v in step.outputs}
        self._limbs = {(s.operand, s.attribute): s.outputs[0] for s in steps if s.operation is LOAD}
        self._unread = {key for key in self._limbs if key[0] != TABLE}
        self._uses = Counter(v.number for step in steps for v in step.inputs)
        self._uses.update(v.number for v in self.program.results)
        self._places: dict[int, int] = {}
        self._flag: tuple[int, WordOperation] | None = None
        """The value in C, and whether it is a carry or a borrow."""
        self._waiting: dict[int, int] = {}
        """Words of flags that were overwritten."""

    def run(self) -> Selected:
        """Select every step."""
        unstored = {i: v for i, v in enumerate(self.program.results)}
        for step in self.program.steps:
            selector = _SELECTORS.get(step.operation.name)
            if selector is not None:
                selector(self, step)
                self._uses.subtract(v.number for v in step.inputs if v.kind is Kind.FLAG)
            if not self._unread:
                self._store_made(unstored)
        for value in unstored.values():  # z may be an operand: all is read before it is written
            self._place(value)
        self._store_made(unstored)
        pointers = tuple(p for name, p in self._pointers.items() if name != TABLE)
        return Selected(tuple(self.code), pointers, self.again)

    def _new(self) -> int:
        self._numbers += 1
        return self._numbers

    def _emit(
        self, text: str, writes: int = 0, reads: tuple[int, ...] = (), pin: bool = False
    ) -> ArmCode:
        self.code.append(code_of(text, (writes,) if writes else (), reads, pin))
        return self.code[-1]

    # Where values are

    def _place(self, value: Value) -> int:
        """The register of a word, which is made now if nothing made it."""
        if value.constant == 0:
            return ZERO
        if value.number not in self._places:
            step = self._makers.get(value.number)
            if step is None:
                self._make_number(value)
            else:
                _MAKERS[step.operation.name](self, step, value)
        return self._places[value.number]

    def _make_number(self, value: Value) -> None:
        place = self._places[value.number] = self._new()
        self.again[place] = self._emit(number_text(value.constant or 0), place)

    def load(self, step: Step, value: Value) -> None:
        """A limb with its neighbour, if both are read."""
        base = self._pointer(step.operand)
        pair = [i for i in pair_of(step.attribute) if (step.operand, i) in self._limbs]
        registers = tuple(self._new() for _ in pair)
        self._unread -= {(step.operand, i) for i in pair}
        for i, register in zip(pair, registers, strict=True):
            self._places[self._limbs[step.operand, i].number] = register
            one = f"ldr {{}}, {address_of(i)}"
            self.again[register] = ArmCode(one, (register,), (base,))
        text = f"ldp {{}}, {{}}, {address_of(pair[0])}"
        both = ArmCode(text, registers, (base,))
        self.code.append(both if len(pair) == 2 else self.again[registers[0]])

    def _pointer(self, operand: str) -> int:
        if operand not in self._pointers:
            self._pointers[operand] = self._new()
            adr = self._emit(f"adr {{}}, {TABLE_LABEL}f", self._pointers[operand])
            self.again[self._pointers[operand]] = adr
        return self._pointers[operand]

    def multiply(self, step: Step, value: Value) -> None:
        """A half of a product; a shift where a factor is a power of two."""
        high = value is step.outputs[-1] and len(step.outputs) == 2
        shift = self._shift(value)
        if shift is not None:
            self._define(value, shift.instruction, (self._place(shift.word),))
        else:
            is_short, factors = self._factors(step)
            if high and is_short:
                self._define(value, "mov {}, #0", ())
                return
            whole = "umulh {}, {}, {}" if high else "mul {}, {}, {}"
            self._define(value, "umull {}, w{}, w{}" if is_short else whole, factors)

    def _factors(self, step: Step) -> tuple[bool, tuple[int, ...]]:
        """Whether a product's factors are half words, and their registers.

        The upper halves of these registers may hold anything: the product does not read them.
        """
        half = 1 << self.program.word // 2
        if not all(factor.high < half for factor in step.inputs):
            return False, tuple(map(self._place, step.inputs))
        return True, tuple(self._place(self._uncut(factor, half - 1)) for factor in step.inputs)

    def _uncut(self, value: Value, ones: int) -> Value:
        """The word of which a value is the lower half, if it is that."""
        step = self._makers.get(value.number)
        if step is not None and step.operation is AND:
            for word, mask in (step.inputs, step.inputs[::-1]):
                if mask.constant == mask.high == ones:
                    return word
        return value

    def bit_and(self, step: Step, value: Value) -> None:
        """and."""
        self._define(value, "and {}, {}, {}", tuple(map(self._place, step.inputs)))

    def funnel(self, step: Step, value: Value) -> None:
        """extr, or a shift where one half is 0."""
        shift = self._shift(value)
        if shift is not None:
            self._define(value, shift.instruction, (self._place(shift.word),))
        else:
            both = tuple(map(self._place, step.inputs))
            self._define(value, f"extr {{}}, {{}}, {{}}, #{step.attribute}", both)

    def _store_made(self, unstored: dict[int, Value]) -> None:
        """Store results that are made, in pairs; one alone where it has no partner."""
        z = self._pointers[RESULT]
        for i in [i for i in unstored if i == pair_of(i)[0]]:
            pair = [v for j in pair_of(i) if (v := unstored.get(j)) is not None]
            if all(v.constant == 0 or v.number in self._places for v in pair):
                places = tuple(map(self._place, pair))
                name, blanks = ("str", "{}") if len(pair) == 1 else ("stp", "{}, {}")
                self._emit(f"{name} {blanks}, {address_of(i)}", 0, (*places, z), pin=True)
                for j in pair_of(i):
                    unstored.pop(j, None)

    def _shift(self, value: Value) -> Shift | None:
        """A word as another one shifted, if it is that; a product with 2^k is two shifts."""
        step = self._makers.get(value.number)
        if step is None:
            return None
        if step.operation is FUNNEL:
            high, low = step.inputs
            if low.constant == 0:
                return Shift(high, f"lsl #{self.program.word - step.attribute}")
            return Shift(low, f"lsr #{step.attribute}") if high.constant == 0 else None
        if step.operation in (MUL, MUL_LOW):
            for word, factor in (step.inputs, step.inputs[::-1]):
                number = factor.constant or 0
                bits = number.bit_length() - 1
                if number and number == factor.high == 1 << bits:
                    is_low = value is step.outputs[0]
                    return Shift(
                        word, f"lsl #{bits}" if is_low else f"lsr #{self.program.word - bits}"
                    )
        return None

    # Flags

    def _is_read(self, flag: Value) -> bool:
        return self._uses[flag.number] > 0

    def _save_flag(self, reading: Value | None = None) -> None:
        """Keep the flag in C as a word, if more than the instruction that comes now reads it."""
        if self._flag is None:
            return
        number, kind = self._flag
        if self._uses[number] > (reading is not None and reading.number == number):
            self._flag_as_word(number, kind)
        self._flag = None

    def _flag_as_word(self, number: int, kind: WordOperation) -> int:
        if number not in self._waiting:
            self._waiting[number] = self._new()
            self._emit(f"cset {{}}, {IS_SET[kind]}", self._waiting[number], pin=True)
        return self._waiting[number]

    def _demand(self, flag: Value, kind: WordOperation | None = None) -> WordOperation:
        """Bring a flag to C, as a carry or as a borrow, or either; say which."""
        if flag.constant is not None:
            self._save_flag()
            kind = kind or ADD
            self._emit(CONSTANT[kind][flag.constant], 0, (ZERO, ZERO), pin=True)
            return kind
        if self._flag is not None and self._flag[0] == flag.number:
            if kind in (None, self._flag[1]):
                return self._flag[1]
            self._flag_as_word(*self._flag)
        else:
            self._save_flag()
        kind = kind or ADD
        self._emit(RESTORED[kind], 0, (self._waiting[flag.number],), pin=True)
        self._flag = flag.number, kind
        return kind

    # One selector for each word operation; products and loads are made where they are used.

    def add(self, step: Step) -> None:
        """adds, adcs, add or adc; `cset` of a carry alone; `cmp` where the sum is 0."""
        a, b, carry = step.inputs
        total, out = step.outputs
        if out.number in self.zeros:
            limb = b if self._is_lone_product(a) else a
            place = self._place(limb)
            self._save_flag()
            self._emit("cmp {}, #1", 0, (place,), pin=True)
            self._flag = out.number, ADD
        elif a.constant == 0 and b.constant == 0:
            kind = self._demand(carry)
            self._places[total.number] = self._new()
            self._emit(f"cset {{}}, {IS_SET[kind]}", self._places[total.number], pin=True)
        else:
            self._sum(step, "add", "adc")

    def _is_lone_product(self, value: Value) -> bool:
        step = self._makers.get(value.number)
        return step is not None and step.operation is MUL and self._is_lone(value)

    def _is_lone(self, value: Value) -> bool:
        """Whether nothing else reads a word, and it is not made yet."""
        return self._uses[value.number] == 1 and value.number not in self._places

    def sub(self, step: Step) -> None:
        """subs, sbcs, sub or sbc."""
        self._sum(step, "sub", "sbc")

    def _sum(self, step: Step, first: str, later: str) -> None:
        a, b, carry = step.inputs
        total, out = step.outputs
        begins, sets = carry.constant == 0, self._is_read(out)
        if begins and not sets and self._added_product(step):
            return
        if begins and step.operation is ADD and self._is_shifted(a):
            a, b = b, a
        name, tail, last = self._last(b, first) if begins else (later, "{}", b)
        places: tuple[int, ...] = (self._first(a, last is None),)
        if last is not None:
            places = *places, self._place(last)
        if not begins:
            self._demand(carry, step.operation)
        if sets:
            self._save_flag(None if begins else carry)
        wanted = self._uses[total.number] > 0
        target = self._places[total.number] = self._new() if wanted else ZERO
        text = f"{name}{'s' * sets} {{}}, {{}}, {tail}"
        self._emit(text, target, places, pin=sets or not begins)
        if sets:
            self._flag = out.number, step.operation

    def _last(self, value: Value, name: str) -> tuple[str, str, Value | None]:
        """How a chain begins that adds a word: the mnemonic, the last operand, and its register.

        To add 2^64 - c is to subtract c, with the same flag C.
        """
        if value.constant is not None and value.constant == value.high:
            opposite = (1 << self.program.word) - value.constant
            for number, mnemonic in ((value.constant, name), (opposite, OPPOSITE[name])):
                if 0 < number < SMALL:
                    return mnemonic, f"#{number}", None
        shift = self._shift(value) if self._is_shifted(value) else None
        return (name, f"{{}}, {shift.by}", shift.word) if shift else (name, "{}", value)

    def _is_shifted(self, value: Value) -> bool:
        is_folded = self.folds_shifts and self._is_lone(value)
        return is_folded and self._shift(value) is not None

    def _added_product(self, step: Step) -> bool:
        """Whether a sum without a carry is madd, or a difference msub; then it is emitted."""
        a, b, _ = step.inputs
        total = step.outputs[0]
        for product, other in ((b, a), (a, b))[: 2 if step.operation is ADD else 1]:
            made = self._makers.get(product.number)
            is_low = made is not None and product is made.outputs[0]
            if made is None or made.operation not in (MUL, MUL_LOW) or not is_low:
                continue
            if self._is_lone(product) and self._shift(product) is None:
                is_short, factors = self._factors(made)
                if is_short and step.operation is SUB:
                    continue
                name = "madd" if step.operation is ADD else "msub"
                text = "umaddl {}, w{}, w{}, {}" if is_short else f"{name} {{}}, {{}}, {{}}, {{}}"
                self._define(total, text, (*factors, self._place(other)))
                return True
        return False

    def _first(self, value: Value, before_number: bool) -> int:
        """The first operand of a sum. Before a number register 31 is the stack pointer."""
        if value.constant == 0 and before_number:
            self._places[value.number] = self._new()
            self._emit("mov {}, #0", self._places[value.number])
            return self._places[value.number]
        return self._place(value)

    def select(self, step: Step) -> None:
        """csel."""
        flag, a, b = step.inputs
        places = self._place(a), self._place(b)
        kind = self._demand(flag)
        self._define(step.outputs[0], f"csel {{}}, {{}}, {{}}, {IS_SET[kind]}", places, pin=True)

    def mask(self, step: Step) -> None:
        """csetm."""
        kind = self._demand(step.inputs[0])
        self._define(step.outputs[0], f"csetm {{}}, {IS_SET[kind]}", (), pin=True)

    def _define(self, value: Value, text: str, reads: tuple[int, ...], pin: bool = False) -> None:
        self._places[value.number] = self._new()
        self._emit(text, self._places[value.number], reads, pin)


_SELECTORS: dict[str, Callable[[ArmSelection, Step], None]] = {
    "add": ArmSelection.add,
    "sub": ArmSelection.sub,
    "select": ArmSelection.select,
    "mask": ArmSelection.mask,
}
"""For word operations that touch flags: in the order of the program."""
_MAKERS: dict[str, Callable[[ArmSelection, Step, Value], None]] = {
    "load": ArmSelection.load,
    "mul": ArmSelection.multiply,
    "mul_low": ArmSelection.multiply,
    "and": ArmSelection.bit_and,
    "funnel": ArmSelection.funnel,
}
"""For all others: one output, where it is first used."""
