"""Prints word programs as LLVM IR, for every target that LLVM has.

A program becomes one function `void SYMBOL(ptr %z, ptr %x, ptr %y)` without branches. All limbs
are loaded before the first is stored, so z, x and y may be the same or overlap. LLVM promises no
constant time: what it makes of the text must still be checked, in the object.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from fieldc.targets.source import with_free_operands
from fieldc.words.operations import ADD, SUB, Kind
from fieldc.words.program import Program, Step, Value


class LlvmError(ValueError):
    """The program or the symbol cannot be printed; the message is one line for the user."""


class Carry(Enum):
    """How a carry goes from limb to limb."""

    OVERFLOW = "overflow"
    """llvm.uadd.with.overflow twice a limb, which LLVM turns into add-with-carry."""
    ADDCARRY = "addcarry"
    """llvm.x86.addcarry: x86 only, one adc a limb."""
    DOUBLE = "double"
    """A limb with the word of carry above it as one double word; other carries as OVERFLOW."""


class SelectStyle(Enum):
    """How a flag chooses between words."""

    SELECT = "select"
    """`select`, marked unpredictable: for targets that have a conditional move."""
    MASK = "mask"
    """and and xor with a mask that LLVM cannot see through, so that it cannot bring a branch."""


@dataclass(frozen=True)
class LlvmForm:
    """What LLVM compiles best differs by target; every form means the same on every target."""

    carry: Carry = Carry.OVERFLOW
    choice: SelectStyle = SelectStyle.MASK
    tune: str = ""
    """LLVM's name of the processor to schedule for; its features are not used."""


PORTABLE = LlvmForm()
"""Compiles for every target, without a branch on each one that targets.py lists."""

_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def print_llvm(program: Program, symbol: str, form: LlvmForm = PORTABLE) -> str:
    """A module of one function. Raises LlvmError as print_module does."""
    return print_module([(symbol, program)], form)


def print_module(kernels: Iterable[tuple[str, Program]], form: LlvmForm = PORTABLE) -> str:
    """A module of several functions; triple and data layout are left to the compiler.

    Raises LlvmError for words that are not whole bytes, and for a symbol that C would not take.
    """
    bodies = [_Body(with_free_operands(of, ()), symbol, form) for symbol, of in kernels]
    functions = [body.text() for body in bodies]
    declared = sorted({line for body in bodies for line in body.declared})
    tune = f' "tune-cpu"="{form.tune}"' if form.tune else ""
    calls_none = '"no-builtins"'  # else stores of zeros become a call of memset
    known = f"nounwind willreturn memory(argmem: readwrite) {calls_none}{tune}"
    attributes = f"attributes #0 = {{ {known} }}"
    return "\n\n".join([*functions, "\n".join([*declared, attributes, "!0 = !{}"])]) + "\n"


CarryChain = tuple[Step, ...]
"""Steps that are printed as one: a step, or two additions joined by a carry."""


def chains(program: Program, form: LlvmForm) -> list[CarryChain]:
    """The steps in order; for DOUBLE, a limb's addition together with that of its carry."""
    reads = Counter(v.number for step in program.steps for v in step.inputs)
    joined: list[CarryChain] = []
    for step in program.steps:
        if form.carry is Carry.DOUBLE and joined and _joins(joined[-1], step, reads):
            joined[-1] += (step,)
        else:
            joined.append((step,))
    return joined


def _joins(chain: CarryChain, high: Step, reads: Counter[int]) -> bool:
    """Whether an addition and the next are one of double words, without a carry in or out."""
    low = chain[0]
    if len(chain) > 1 or low.operation is not ADD or high.operation is not ADD:
        return False
    (total, carry), (*words, carry_in), carry_out = low.outputs, high.inputs, high.outputs[1]
    return (
        carry_in is carry
        and reads[carry.number] == 1
        and total not in words
        and low.inputs[2].constant == 0
        and (carry_out.high == 0 or reads[carry_out.number] == 0)
    )


@dataclass
class _Body:
    """The lines of one function while it is printed. `w` and `ww` are its word and double word."""

    program: Program
    symbol: str
    form: LlvmForm
    lines: list[str] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    """The field's names for numbers that the chain now being printed reads."""
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.bits = self.program.word
        if self.bits % 8:
            raise LlvmError(f"LLVM loads whole bytes; a word of {self.bits} bits is none")
        if not _SYMBOL.fullmatch(self.symbol):
            raise LlvmError(f"{self.symbol!a} is no name in C: use letters, digits and _")
        self.w, self.ww = f"i{self.bits}", f"i{2 * self.bits}"
        self.flag = "i8" if self.form.carry is Carry.ADDCARRY else "i1"
        self.read = {v.number for step in self.program.steps for v in step.inputs}

    def text(self) -> str:
        """The whole function."""
        for chain in chains(self.program, self.form):
            read = [v for step in chain for v in step.inputs if v.constant is not None]
            self.constants = {str(v.constant): v.name for v in read if not v.name[0].isdigit()}
            PRINTERS[chain[0].operation.name](self, chain)
        for i, value in enumerate(self.program.results):
            self.lines.append(f"  store {self.typed(value)}, {self.place('z', i)}")
        arrays = (("z", len(self.program.results)), *self.program.operands)
        limbs = ", ".join(f"{name}[{count}]" for name, count in arrays)
        parameters = ", ".join(f"ptr %{name}" for name, _ in arrays)
        head = f"; {self.program.name}: {limbs} of {self.bits}-bit limbs, least significant first"
        define = f"define void @{self.symbol}({parameters}) #0 {{"
        return "\n".join([head, define, *self.lines, "  ret void", "}"])

    def put(self, name: str, expression: str) -> str:
        """Assign a name, once: one that is known keeps its value."""
        if name not in self._known:
            self._known.add(name)
            names = [
                self.constants[word]
                for word in re.findall(r"\S+\b", expression)
                if word in self.constants
            ]
            remark = f"  ; {', '.join(names)}" if names else ""
            self.lines.append(f"  %{name} = {expression}{remark}")
        return f"%{name}"

    def call(self, name: str, result: str, function: str, *arguments: str) -> str:
        """Assign the result of an intrinsic."""
        types = ", ".join(argument.split()[0] for argument in arguments)
        self.declared.add(f"declare {result} @{function}({types})")
        return self.put(name, f"call {result} @{function}({', '.join(arguments)})")

    def call_pair(
        self, pair: str, function: str, arguments: list[str], names: tuple[str, str]
    ) -> str:
        """Assign the two results of an intrinsic; the first as an operand."""
        both = self.call(f"{names[0]}.pair", pair, function, *arguments)
        for i, name in enumerate(names):
            self.put(name, f"extractvalue {pair} {both}, {i}")
        return f"%{names[0]}"

    def of(self, value: Value) -> str:
        """A word or flag as an operand."""
        return f"%{value.name}" if value.constant is None else str(value.constant)

    def type_of(self, value: Value) -> str:
        """The type of a word or flag."""
        return self.w if value.kind is Kind.WORD else self.flag

    def typed(self, value: Value) -> str:
        """A word or flag as an operand with its type."""
        return f"{self.type_of(value)} {self.of(value)}"

    def widened(self, value: Value, wide: str) -> str:
        """A word or flag as an operand of a wider type."""
        if value.constant is not None or self.type_of(value) == wide:
            return self.of(value)
        return self.put(f"{value.name}.{wide}", f"zext {self.typed(value)} to {wide}")

    def place(self, operand: str, index: int) -> str:
        """Where a limb is, with the alignment that C gives a word."""
        at = f"%{operand}"
        if index:
            offset = f"getelementptr inbounds {self.w}, ptr %{operand}, i32 {index}"
            at = self.put(f"{operand}.at{index}", offset)
        return f"ptr {at}, align {self.bits // 8}"

    def condition(self, flag: Value) -> str:
        """A flag as an i1."""
        if self.flag == "i1":
            return self.of(flag)
        return self.put(f"{flag.name}.i1", f"icmp ne {self.typed(flag)}, 0")

    def carries(self, chain: CarryChain) -> bool:
        """Whether anything reads the carry out of a chain, and bounds let it be 1."""
        carry = chain[-1].outputs[1]
        return carry.high > 0 and carry.number in self.read

    def mask(self, name: str, flag: Value) -> str:
        """Return all ones if the flag is set, else 0, hidden from LLVM's optimiser.

        The assembly is empty and leaves the word where it is. Without it LLVM finds the flag again:
        it made 45 data-dependent branches of one selection on RISC-V.
        """
        ones = self.put(f"{flag.name}.ones", f"sext i1 {self.condition(flag)} to {self.w}")
        return self.put(name, f'call {self.w} asm "", "=r,0"({self.w} {ones})')

    def part(self, value: Value, double: str, shift: int) -> None:
        """Assign the lower or upper word of a double word."""
        if shift:
            double = self.put(f"{value.name}.up", f"lshr {self.ww} {double}, {shift}")
        self.put(value.name, f"trunc {self.ww} {double} to {self.w}")


def _load(body: _Body, chain: CarryChain) -> None:
    place = body.place(chain[0].operand, chain[0].attribute)
    body.put(chain[0].outputs[0].name, f"load {body.w}, {place}")


def _mul(body: _Body, chain: CarryChain) -> None:
    (a, b), (lo, hi) = chain[0].inputs, chain[0].outputs
    factors = f"{body.widened(a, body.ww)}, {body.widened(b, body.ww)}"
    product = body.put(f"{lo.name}.product", f"mul nuw {body.ww} {factors}")
    body.part(lo, product, 0)
    body.part(hi, product, body.bits)


def _infix(operator: str) -> ChainPrinter:
    def printer(body: _Body, chain: CarryChain) -> None:
        (a, b), (out,) = chain[0].inputs, chain[0].outputs
        body.put(out.name, f"{operator} {body.typed(a)}, {body.of(b)}")

    return printer


def _select(body: _Body, chain: CarryChain) -> None:
    (flag, a, b), (out,) = chain[0].inputs, chain[0].outputs
    if body.form.choice is SelectStyle.SELECT:
        words = f"{body.typed(a)}, {body.typed(b)}"
        body.put(out.name, f"select i1 {body.condition(flag)}, {words}, !unpredictable !0")
        return
    mask = body.mask(f"{flag.name}.mask", flag)
    differs = body.put(f"{out.name}.differs", f"xor {body.typed(a)}, {body.of(b)}")
    chosen = body.put(f"{out.name}.chosen", f"and {body.w} {differs}, {mask}")
    body.put(out.name, f"xor {body.w} {chosen}, {body.of(b)}")


def _mask(body: _Body, chain: CarryChain) -> None:
    (flag,), (out,) = chain[0].inputs, chain[0].outputs
    body.mask(out.name, flag)


def _funnel(body: _Body, chain: CarryChain) -> None:
    (high, low), (out,) = chain[0].inputs, chain[0].outputs
    bits = f"{body.w} {chain[0].attribute}"
    body.call(out.name, body.w, f"llvm.fshr.{body.w}", body.typed(high), body.typed(low), bits)


def _carried(body: _Body, chain: CarryChain) -> None:
    _CARRIES[body.form.carry](body, chain)


def _overflow(body: _Body, chain: CarryChain) -> None:
    (a, b, carry_in), (out, carry) = chain[0].inputs, chain[0].outputs
    addends = [v for v in (b, carry_in) if v.constant != 0]
    if len(addends) < 2:
        addend = body.widened(addends[0], body.w) if addends else "0"
        _half(body, chain, (out.name, carry.name), body.of(a), addend)
        return
    first, then = f"{carry.name}.first", f"{carry.name}.then"
    total = _half(body, chain, (f"{out.name}.first", first), body.of(a), body.of(b))
    _half(body, chain, (out.name, then), total, body.widened(carry_in, body.w))
    if body.carries(chain):
        body.put(carry.name, f"or i1 %{first}, %{then}")


def _half(body: _Body, chain: CarryChain, names: tuple[str, str], a: str, b: str) -> str:
    """Assign the sum or difference of two words, and its carry if it is possible and read."""
    operation = chain[0].operation.name
    if not body.carries(chain):
        return body.put(names[0], f"{operation} {body.w} {a}, {b}")
    function = f"llvm.u{operation}.with.overflow.{body.w}"
    arguments = [f"{body.w} {a}", f"{body.w} {b}"]
    return body.call_pair(f"{{ {body.w}, i1 }}", function, arguments, names)


_X86 = {ADD.name: "addcarry", SUB.name: "subborrow"}


def _addcarry(body: _Body, chain: CarryChain) -> None:
    (a, b, carry_in), (out, carry) = chain[0].inputs, chain[0].outputs
    function = f"llvm.x86.{_X86[chain[0].operation.name]}.{body.bits}"
    arguments = [body.typed(v) for v in (carry_in, a, b)]
    body.call_pair(f"{{ i8, {body.w} }}", function, arguments, (carry.name, out.name))


def _double(body: _Body, chain: CarryChain) -> None:
    if len(chain) == 1:
        _overflow(body, chain)
        return
    low, high = (step.outputs[0] for step in chain)
    a, b = (
        _joined(body, f"{low.name}.{name}", chain[0].inputs[side], chain[1].inputs[side])
        for side, name in enumerate("ab")
    )
    total = body.put(f"{low.name}.double", f"{chain[0].operation.name} {body.ww} {a}, {b}")
    body.part(low, total, 0)
    body.part(high, total, body.bits)


def _joined(body: _Body, name: str, low: Value, high: Value) -> str:
    """high*2^w + low as a double word."""
    bottom, top = body.widened(low, body.ww), body.widened(high, body.ww)
    if high.constant == 0:
        return bottom
    raised = body.put(f"{name}.up", f"shl {body.ww} {top}, {body.bits}")
    return body.put(name, f"or {body.ww} {bottom}, {raised}")


ChainPrinter = Callable[[_Body, CarryChain], None]

_CARRIES: dict[Carry, ChainPrinter] = {
    Carry.OVERFLOW: _overflow,
    Carry.ADDCARRY: _addcarry,
    Carry.DOUBLE: _double,
}

PRINTERS: dict[str, ChainPrinter] = {
    "add": _carried,
    "sub": _carried,
    "mul": _mul,
    "mul_low": _infix("mul"),
    "select": _select,
    "mask": _mask,
    "and": _infix("and"),
    "funnel": _funnel,
    "load": _load,
}
"""How each operation of the table is printed; additions may take two steps, others take one."""
