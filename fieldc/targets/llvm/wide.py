"""Prints a kernel as LLVM IR on wide integers: one i384 for a residue of 6 limbs.

The reading of the talk "Low-level implementation of finite field operations using LLVM/Asm"
(Mitsunari, 2023): the integers of the text become LLVM's, and LLVM finds words and carries. It
needs no words layer, and it is what that layer is measured against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fieldc.language import Expression, Integer, LanguageError


@dataclass(frozen=True)
class WideInteger:
    """An LLVM value: its text and its width in bits."""

    text: str
    bits: int


def print_llvm_wide(expression: Expression, symbol: str) -> str:
    """Print a module of one function `void SYMBOL(ptr z, ptr x, ...)`.

    z may be any operand, and operands may be the same.
    """
    printer = _Printer(expression.field.word)
    names = [name for name, _ in expression.kernel.operands]
    result = printer.value(expression.result)
    z = printer.resized(
        result, expression.field.word * expression.kernel.result.width(expression.field)
    )
    parameters = ", ".join(f"ptr %{name}" for name in ("z", *names))
    store = f"  store i{z.bits} {z.text}, ptr %z, align 8"
    lines = [f"define void @{symbol}({parameters}) {{", *printer.lines, store, "  ret void", "}"]
    return "\n".join(lines) + "\n"


@dataclass
class _Printer:
    word: int
    lines: list[str] = field(default_factory=list)
    _values: dict[int, WideInteger] = field(default_factory=dict)

    def value(self, node: Integer) -> WideInteger:
        """The LLVM value of an expression, printed once."""
        chain = [node]
        while chain[-1].op in _IN_ORDER and id(chain[-1]) not in self._values:
            chain.append(chain[-1].args[0])
        for each in reversed(chain):  # in the order of a recursion, which could be too deep
            if id(each) not in self._values:
                self._values[id(each)] = _READERS[each.op](self, each)
        return self._values[id(node)]

    def width(self, node: Integer) -> int:
        """Return the bits of whole words that hold every value of a node, and its sign."""
        largest = max(node.high, -node.low)
        bits = largest.bit_length() + (node.low < 0)
        return self.word * max(1, -(-bits // self.word))

    def put(self, bits: int, expression: str) -> WideInteger:
        """Name an expression."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {expression}")
        return WideInteger(name, bits)

    def resized(self, value: WideInteger, bits: int, signed: bool = False) -> WideInteger:
        """Return the value in another width. The part that is cut off is 0 or not needed."""
        if value.bits == bits:
            return value
        if not value.text.startswith("%"):
            return WideInteger(str(int(value.text) % (1 << bits)), bits)
        grow = "sext" if signed else "zext"
        how = grow if value.bits < bits else "trunc"
        return self.put(bits, f"{how} i{value.bits} {value.text} to i{bits}")

    def arg(self, node: Integer, bits: int) -> str:
        """An operand's text in a width."""
        return self.resized(self.value(node), bits, signed=node.low < 0).text


def _input(printer: _Printer, node: Integer) -> WideInteger:
    bits, place = printer.width(node), f"%{node.name}"
    if node.amount:
        place = f"%{node.name}.{node.amount}"
        at = f"getelementptr i{printer.word}, ptr %{node.name}, i64 {node.amount}"
        printer.lines.append(f"  {place} = {at}")
    return printer.put(bits, f"load i{bits}, ptr {place}, align 8")


def _constant(printer: _Printer, node: Integer) -> WideInteger:
    return WideInteger(str(node.high), printer.width(node))


def _binary(operation: str) -> Callable[[_Printer, Integer], WideInteger]:
    def read(printer: _Printer, node: Integer) -> WideInteger:
        bits = max(printer.width(n) for n in (node, *node.args))
        a, b = (printer.arg(n, bits) for n in node.args)
        return printer.put(bits, f"{operation} i{bits} {a}, {b}")

    return read


def _mul(printer: _Printer, node: Integer) -> WideInteger:
    """A row for each limb of the shorter factor."""
    w, bits = printer.word, printer.width(node)
    row, factor = sorted(node.args, key=printer.width, reverse=True)
    if printer.width(factor) <= w:
        return _row(printer, row, printer.arg(factor, 2 * w), bits)
    total = WideInteger("0", bits)
    for i in range(printer.width(factor) // w):
        limb = printer.resized(_shifted(printer, printer.value(factor), w * i), w)
        product = _row(printer, row, printer.resized(limb, 2 * w).text, bits)
        place = printer.put(bits, f"shl i{bits} {product.text}, {w * i}")
        total = printer.put(bits, f"add i{bits} {total.text}, {place.text}")
    return total


def _row(printer: _Printer, row: Integer, multiplier: str, bits: int) -> WideInteger:
    """The low halves and the high halves of a row's products, packed and added."""
    w = printer.word
    limbs = printer.width(row) // w
    halves: tuple[list[WideInteger], list[WideInteger]] = [], []
    for i in range(limbs):
        limb = printer.resized(_shifted(printer, printer.value(row), w * i), w)
        double = printer.resized(limb, 2 * w)
        product = printer.put(2 * w, f"mul i{2 * w} {double.text}, {multiplier}")
        halves[0].append(printer.resized(product, w))
        halves[1].append(printer.resized(_shifted(printer, product, w), w))
    low = _packed(printer, halves[0], bits, 0)
    high = _packed(printer, halves[1], bits, w)
    return printer.put(bits, f"add i{bits} {low.text}, {high.text}")


def _shifted(printer: _Printer, value: WideInteger, bits: int) -> WideInteger:
    if not value.text.startswith("%"):
        return WideInteger(str(int(value.text) >> bits), value.bits)
    return printer.put(value.bits, f"lshr i{value.bits} {value.text}, {bits}") if bits else value


def _packed(printer: _Printer, words: list[WideInteger], bits: int, offset: int) -> WideInteger:
    total = WideInteger("0", bits)
    for i, word in enumerate(words):
        place = offset + printer.word * i
        if place >= bits:
            break
        part = printer.resized(word, bits)
        if place:
            part = printer.put(bits, f"shl i{bits} {part.text}, {place}")
        total = printer.put(bits, f"or i{bits} {total.text}, {part.text}")
    return total


def _shift_left(printer: _Printer, node: Integer) -> WideInteger:
    bits = printer.width(node)
    return printer.put(bits, f"shl i{bits} {printer.arg(node.args[0], bits)}, {node.amount}")


def _double(printer: _Printer, node: Integer) -> WideInteger:
    bits = printer.width(node)
    return printer.put(bits, f"shl i{bits} {printer.arg(node.args[0], bits)}, 1")


def _shift_right(printer: _Printer, node: Integer) -> WideInteger:
    value = _shifted(printer, printer.value(node.args[0]), node.amount)
    return printer.resized(value, printer.width(node))


def _mod(printer: _Printer, node: Integer) -> WideInteger:
    low = printer.resized(printer.value(node.args[0]), node.amount)
    return printer.resized(low, printer.width(node))


def _flag(printer: _Printer, node: Integer) -> str:
    if node.condition is None:
        raise LanguageError(f"{node.op} needs a condition")
    difference = node.condition.difference
    value = printer.value(difference)
    if difference.low >= 0:
        return "false"
    return printer.put(1, f"icmp slt i{value.bits} {value.text}, 0").text


def _select(printer: _Printer, node: Integer) -> WideInteger:
    flag, bits = _flag(printer, node), printer.width(node)
    a, b = (printer.resized(printer.value(arg), bits).text for arg in node.args)
    return printer.put(bits, f"select i1 {flag}, i{bits} {a}, i{bits} {b}")


def _masked(printer: _Printer, node: Integer) -> WideInteger:
    flag, bits = _flag(printer, node), printer.width(node)
    return printer.put(
        bits, f"select i1 {flag}, i{bits} {printer.arg(node.args[0], bits)}, i{bits} 0"
    )


_READERS: dict[str, Callable[[_Printer, Integer], WideInteger]] = {
    "input": _input,
    "constant": _constant,
    "add": _binary("add"),
    "sub": _binary("sub"),
    "mul": _mul,
    "double": _double,
    "shift_left": _shift_left,
    "shift_right": _shift_right,
    "mod": _mod,
    "select": _select,
    "masked": _masked,
}
"""One reader for each operator of the language."""

_IN_ORDER = ("add", "sub", "double", "shift_left", "shift_right", "mod")
"""Operators whose reader begins with its first argument."""
