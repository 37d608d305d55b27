"""Instruction selection: each word operation becomes one or two virtual instructions.

Flags stay where `color_flags` put them. Selection knows for each flag whether it is 0 for sure
(`clean`): a chain may begin with adcx or adox on a clean flag, and every chain that bounds show to
end with carry 0 leaves its flag clean.
"""

from __future__ import annotations

from collections import Counter

from fieldc.targets.x86_64 import ahead
from fieldc.targets.x86_64.choices import Choices
from fieldc.targets.x86_64.flags import FlagError, color_flags
from fieldc.targets.x86_64.instructions import BOTH, CF, INSTRUCTIONS, OF, RETURNED, VirtualCode
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Operand, Virtual
from fieldc.targets.x86_64.stores import Stores
from fieldc.words.operations import Kind
from fieldc.words.program import Program, Step, Value

WORD_BYTES = 8
IMMEDIATE = 1 << 31
"""Instructions hold numbers from minus this to below it."""
KEPT = 2
"""Limbs that are kept in registers, of those loaded last, beside the multiplier."""
FREE = 8
"""Registers that such a kernel need not save, without the pointer to z."""


class Selection:
    """The virtual code of one program, with its pointers and its table of constants.

    The result is stored in z, or left in registers where it `returns_words`.
    """

    def __init__(self, program: Program, choices: Choices, returns_words: bool = False) -> None:
        self.program, self.choices, self.returns_words = program, choices, returns_words
        self.code: list[VirtualCode] = []
        self.constants: list[tuple[str, int]] = []
        self._numbers = 0
        operands = tuple(name for name, _ in program.operands)
        pointers = operands if returns_words else ("z", *operands)
        self.pointers = {name: self._new(f"{name}*") for name in pointers}
        self._flags = color_flags(program, choices.flags)
        self._two_chains = OF in self._flags.values()
        self._clean: set[str] = set()
        self._is_row_new = False
        """Whether a row began beside a chain, so that flags are cleared for it after that."""
        self._alive: Counter[str] = Counter()
        self._places: dict[int, Operand] = {}
        self._limbs: dict[int, Memory] = {}
        self._multiplier: tuple[int, Virtual] | None = None
        self._read: set[Operand] = set()
        self._kept: dict[int, Virtual] = {}
        self._zeros: list[Virtual] = []
        self._uses = Counter(v.number for step in program.steps for v in step.inputs)
        self._uses.update(v.number for v in program.results)
        self._multiplies = program.multiplies
        self._loaded_at_once = set() if self._multiplies else ahead.first_limbs(program, self._uses)
        self._table = self._address_constants()
        self._zero = self._keep_zero()
        self._next_rows = ahead.multipliers_of_the_next_row(program.steps, self._uses)
        tests = [] if self._multiplies else ahead.zero_tests(program.steps, self._uses)
        self._tests = {id(step): test for test in tests for step in test}
        self._late = ahead.overwritten(program.steps, tests, FREE - 1)  # less a pointer
        self._stores = Stores(program, self._uses, choices, returns_words)
        self._select()

    def _new(self, name: str, fixed: str = "") -> Virtual:
        self._numbers += 1
        return Virtual(self._numbers, name, fixed)

    def _emit(
        self, mnemonic: str, writes: tuple[Virtual, ...], *reads: Operand, remark: str = ""
    ) -> None:
        row = INSTRUCTIONS[mnemonic]
        for flag in row.writes_flags:
            if self._alive[flag] > (flag in row.reads_flags):
                raise FlagError(f"{mnemonic} destroys a carry that is still needed in {flag}")
        self.code.append(VirtualCode(row, writes, reads, remark))
        self._clean -= row.writes_flags

    def _address_constants(self) -> Virtual | str:
        steps = self.program.steps
        has_table = any(v.constant and v.kind is not Kind.FLAG for s in steps for v in s.inputs)
        if self.choices.constants == "rip" or not self._multiplies or not has_table:
            return CONSTANTS
        base = self._new("constants*")
        self._emit("lea", (base,), Memory(CONSTANTS, 0))
        return base

    def _keep_zero(self) -> Virtual | None:
        if self.choices.zero == "memory" or not self._two_chains:
            return None
        zero = self._new("zero")
        self._emit("xor", (zero,))
        self._clean |= BOTH
        return zero

    def _select(self) -> None:
        if not self.returns_words:
            self._select_and_store()
            return
        for step in self.program.steps:
            self._step(step)
        words: list[Operand] = []
        for value in self.program.results:
            place = self._place(value)
            shared = not isinstance(place, Virtual) or place in words
            words.append(self._move(place, value.name) if shared else place)
        self.code.append(VirtualCode(RETURNED, (), tuple(words)))

    def _select_and_store(self) -> None:
        for position, step in enumerate(self.program.steps):
            self._step(step)
            for limb, value in self._stores.after(position):
                self._store(limb, value)
                if value.number in self._stores.waiting and self._uses[value.number] == 1:
                    self._places[value.number] = self._result(limb)
        rest = self._stores.at_the_end()
        for _, value in rest:
            place = self._place(value)
            if value.number in self._stores.copied and isinstance(place, Memory):
                self._places[value.number] = self._move(place, value.name)
        for limb, value in rest:
            self._store(limb, value)

    def _store(self, limb: int, value: Value) -> None:
        place = self._place(value)
        if not isinstance(place, Virtual):
            place = self._move(place, value.name)
        self._emit("store", (), self._result(limb), place)

    def _result(self, limb: int) -> Memory:
        return Memory(self.pointers["z"], WORD_BYTES * limb, f"z[{limb}]")

    def _step(self, step: Step) -> None:
        name = step.operation.name
        getattr(self, _SELECTORS.get(name, name))(step)
        for value in step.inputs:
            if value.kind is Kind.FLAG and value.constant is None:
                self._alive[self._flags[value.number]] -= 1
        for value in step.outputs:
            if value.kind is Kind.FLAG and value.number in self._flags:
                flag = self._flags[value.number]
                self._alive[flag] += self._uses[value.number]
                if value.high == 0:
                    self._clean.add(flag)

    def _place(self, value: Value) -> Operand:
        if value.constant is not None:
            return self.constant(value)
        return self._places[value.number]

    def _number(self, value: Value) -> Operand:
        """A number in the instruction where it fits, in a kernel without products; else its place.

        Of a constant that is another one for each field of a class only the bound is known.
        """
        if value.constant == 0:
            return Immediate(0)
        if value.constant is not None and value.constant == value.high and not self._multiplies:
            half = 1 << self.program.word - 1
            signed = (value.constant ^ half) - half
            if -IMMEDIATE <= signed < IMMEDIATE:
                return Immediate(signed)
            if self._stores.moves_constants:
                return self._move(self._place(value), value.name)
        return self._place(value)

    def constant(self, value: Value) -> Memory:
        """The memory word of a constant, added to the table at its first use."""
        entry = value.name, value.constant or 0
        if entry not in self.constants:
            self.constants.append(entry)
        return Memory(self._table, WORD_BYTES * self.constants.index(entry), value.name)

    def _define(self, value: Value, fixed: str = "") -> Virtual:
        place = self._new(value.name, fixed)
        self._places[value.number] = place
        return place

    def _move(self, source: Operand, name: str, fixed: str = "") -> Virtual:
        place = self._new(name, fixed)
        self._emit("mov", (place,), source)
        return place

    def _in_register(self, value: Value) -> Virtual:
        """A value's register, to which it is loaded if it is in memory."""
        place = self._place(value)
        if self._keeps(place):
            return self._kept_limb(value, place)
        return place if isinstance(place, Virtual) else self._move(place, value.name)

    def _keeps(self, place: Operand) -> bool:
        """Whether a word of memory is an operand's limb, and limbs are kept when loaded."""
        is_limb = isinstance(place, Memory) and place.base != self._table
        return is_limb and self.choices.loads == "kept"

    def _kept_limb(self, value: Value, place: Operand) -> Virtual:
        """The register that has a limb already: of the multiplier, or of the last ones loaded."""
        if self._multiplier is not None and self._multiplier[0] == value.number:
            return self._multiplier[1]
        if value.number not in self._kept:
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[value.number] = self._move(place, value.name)
        return self._kept[value.number]

    def load(self, step: Step) -> None:
        """A limb of an operand stays in memory, where instructions read it, or is loaded now."""
        name, number = f"{step.operand}[{step.attribute}]", step.outputs[0].number
        place = Memory(self.pointers[step.operand], WORD_BYTES * step.attribute, name)
        self._limbs[number] = place
        loaded = number in self._loaded_at_once
        self._places[number] = self._move(place, step.outputs[0].name) if loaded else place

    def add(self, step: Step) -> None:
        """add, adc, adcx or adox, by the chain's flag and whether it begins here; without: lea."""
        a, b, carry = step.inputs
        total, out = step.outputs
        begins = carry.constant is not None
        flag = self._flags.get(out.number, "")
        if begins and not self._uses[out.number] and self._is_in_use(flag):
            self._flags.pop(out.number, None)
            places = [self._in_register(value) for value in (a, b)]
            self._emit("lea_sum", (self._define(total),), *places)
            return
        if not self._two_chains:
            mnemonic = "add" if begins else "adc"
            absorbed: Operand = Immediate(0)
        else:
            if begins:
                self._begin_chain(flag)
            mnemonic = "adcx" if flag == CF else "adox"
            absorbed = self._zero or self._place(b)
        addend = absorbed if b.constant == 0 else self._number(b)
        augend = Immediate(0) if a.constant == 0 else self._place(a)
        if augend == addend and isinstance(augend, Memory):  # twice a limb: read it once
            augend = addend = self._move(augend, a.name)
        self._emit(mnemonic, (self._define(total),), *self._memory_first(augend, addend))

    def _is_in_use(self, flag: str) -> bool:
        """Whether a sum in a flag would destroy another chain; without a flag it would."""
        beside = any(self._alive.values())
        return not flag or (beside and self._two_chains and flag not in self._clean)

    def _begin_chain(self, flag: str) -> None:
        if any(self._alive.values()):
            if flag not in self._clean:
                raise FlagError(f"{flag} is not clear where a chain begins beside another")
        elif self._is_row_new or not self._clean >= BOTH:
            self._emit("clear", ())
            self._clean |= BOTH
            self._is_row_new = False

    def sub(self, step: Step) -> None:
        """Return `sub` for the start of a chain of borrows and `sbb` after it."""
        if test := self._tests.get(id(step)):
            if step is test[0]:
                self._test_for_zero([each.inputs[1] for each in test])
            return
        a, b, borrow = step.inputs
        begins = borrow.constant is not None
        mnemonic = "sub" if begins else "sbb"
        augend, subtrahend = self._number(a), self._number(b)
        is_free = not (self._multiplies or any(self._alive.values()))
        if begins and ahead.is_from_zero(step) and is_free:
            self._make_zeros(step)
        if a.constant == 0 and self._zeros:
            augend = self._zeros.pop(0)
        place = self._define(step.outputs[0], self._fixed(step.outputs[0]))
        self._emit(mnemonic, (place,), augend, subtrahend)

    def _make_zeros(self, first: Step) -> None:
        """Zeros for a chain of borrows, as many as there is room for, before the chain begins.

        xor is shorter than a mov, and no port runs it; but it destroys the borrow.
        """
        wanted = sum(map(ahead.is_from_zero, ahead.chain(self.program.steps, first)))
        room = FREE - len(self._loaded_at_once)
        self._zeros = [self._new("zero") for _ in range(max(1, min(wanted, room)))]
        for zero in self._zeros:
            self._emit("xor", (zero,))

    def _test_for_zero(self, words: list[Value]) -> None:
        """The carry of words that are not all 0: `neg` of all their bits together."""
        words = sorted(words, key=lambda word: word.number not in self._late[:1])
        total, *others = map(self._place, words)
        for other in others:
            united = self._new("any")
            self._emit("or", (united,), total, other)
            total = united
        self._emit("neg", (self._new("unused"),), total)
        for word in words:
            if word.number in self._late and word.number in self._limbs:
                self._places[word.number] = self._limbs[word.number]

    def mul(self, step: Step) -> None:
        """mulx with the row's multiplier in rdx, or mul with it as the operand."""
        row, multiplier = step.inputs
        lo, hi = step.outputs
        if self.choices.variant == "base":
            source = self._move(self._place(row), row.name, "rax")
            writes = self._define(hi, "rdx"), self._define(lo, "rax")
            self._emit("mul", writes, self._place(multiplier), source)
            return
        rdx = self._in_rdx(multiplier)
        self._emit("mulx", (self._define(hi), self._define(lo)), self._factor(row), rdx)

    def _factor(self, row: Value) -> Operand:
        """A limb of a row, in a register the first time if the choices say so."""
        place = self._place(row)
        if self._keeps(place):
            return self._kept_limb(row, place)
        limb = isinstance(place, Memory) and place.base != self._table
        if self.choices.loads == "first" and limb and place not in self._read:
            self._read.add(place)
            return self._move(place, row.name)
        return place

    def _in_rdx(self, multiplier: Value) -> Virtual:
        if self._multiplier is None or self._multiplier[0] != multiplier.number:
            place = self._place(multiplier)
            from_operand = isinstance(place, Memory) and place.base != self._table
            if self.choices.clear == "all" or (self.choices.clear == "product" and from_operand):
                if any(self._alive.values()):
                    self._is_row_new = True
                else:
                    self._clean = set()
            if not (isinstance(place, Virtual) and place.fixed == "rdx"):
                place = self._move(place, multiplier.name, "rdx")
            self._multiplier = multiplier.number, place
        return self._multiplier[1]

    def _fixed(self, value: Value) -> str:
        """rdx where the next row of products is by this value."""
        next_row = value.number in self._next_rows
        return "rdx" if next_row and self.choices.variant != "base" else ""

    def mul_low(self, step: Step) -> None:
        """A quotient digit, made in rdx where the next row needs it."""
        a, b = step.inputs
        (low,) = step.outputs
        fixed = self._fixed(low)
        if self.choices.quotient == "mulx" and self.choices.variant != "base":
            rdx = self._move(self._place(a), a.name, "rdx")
            self._multiplier = None
            writes = self._new("unused"), self._define(low, fixed)
            self._emit("mulx", writes, self._place(b), rdx)
        else:
            self._emit("imul", (self._define(low, fixed),), self._place(a), self._place(b))

    def select(self, step: Step) -> None:
        """cmovc or cmovnc: the flag is a borrow, in CF."""
        when_set, otherwise = map(self._place, step.inputs[1:])
        place, limb = self._define(step.outputs[0]), self._stores.waiting.get(step.inputs[2].number)
        if limb is not None:
            otherwise = self._result(limb)
        if self.choices.selected == "sum" or limb is not None:
            self._emit("cmovnc", (place,), when_set, otherwise)
        else:
            self._emit("cmovc", (place,), otherwise, when_set)

    def mask(self, step: Step) -> None:
        """sbb r, r: all ones if CF."""
        self._emit("sbb_mask", (self._define(step.outputs[0]),))

    def bit_and(self, step: Step) -> None:
        """and."""
        a, b = map(self._number, step.inputs)
        a, b = (b, a) if isinstance(a, Immediate) else (a, b)
        self._emit("and", (self._define(step.outputs[0]),), *self._memory_first(a, b))

    def _memory_first(self, a: Operand, b: Operand) -> tuple[Operand, Operand]:
        """The operands of a sum or an `and`, in a kernel without products a word of memory first.

        Where both live on, it is loaded for the result: a copy of the other one costs as much, and
        the result waits for it.
        """
        swapped = isinstance(b, Memory) and isinstance(a, Virtual) and not self._multiplies
        return (b, a) if swapped else (a, b)

    def funnel(self, step: Step) -> None:
        """shld, or its cheap forms where one half is 0."""
        high, low = step.inputs
        place, k = self._define(step.outputs[0]), step.attribute
        if low.constant == 0 and k == self.program.word - 1:
            self._emit("lea_double", (place,), self._in_register(high))
        elif high.constant == 0:
            self._emit("shr", (place,), self._place(low), Immediate(k))
        elif low.constant == 0:
            self._emit("shl", (place,), self._place(high), Immediate(self.program.word - k))
        else:
            shift = Immediate(self.program.word - k)
            self._emit("shld", (place,), self._place(high), self._in_register(low), shift)


_SELECTORS = {"and": "bit_and"}
"""The selectors of word operations, where they are not of the same name."""
