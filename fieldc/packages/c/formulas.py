"""Formulas in a C package: what declares, chooses and tests their functions.

On x86-64 a formula is a proved kernel. On other processors it is C that calls the field's kernels
in use, one for each step. Steps on values that are no elements call functions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

from fieldc.algorithms.representations import MONTGOMERY
from fieldc.field import Field
from fieldc.formulas.field_calls import FieldCall, FieldCalls, blocks_of, field_calls
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import operand_names
from fieldc.formulas.places import Area, ElementPlace
from fieldc.formulas.step_blocks import StepBlock
from fieldc.packages.c.constants import limbs
from fieldc.packages.c.formula_values import CValue
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.c.print import ROWS, c_function
from fieldc.targets.header import in_comment
from fieldc.words.lower import lower

VARIANTS = ("adx", "mulx", "base")
ENDINGS = tuple(f"_{ending}" for ending in (*VARIANTS, "c", "aarch64", "kernel", *ARRAY_TARGETS))
"""What a formula's name goes on with in the names of what it brings along."""
KERNELS = {"double": "twice"}
"""Members of the table of kernels whose name is not that of their operation."""
STEP = "step"
"""What the names of functions for one step begin with."""
LINE = 98


@dataclass(frozen=True)
class CFormula:
    """A formula of the package `name`."""

    formula: Formula
    field: Field
    name: str

    @property
    def symbol(self) -> str:
        """The function that users call."""
        return f"{self.name}_{self.formula.name}"

    @property
    def operand_names(self) -> list[str]:
        """The operands' names, none of them one that the function itself needs."""
        return operand_names(self.formula, ("uint64_t", "words", self.name, f"{self.name}_run"))

    @property
    def operands(self) -> list[CValue]:
        """The operands."""
        ranges = (bound for _, bound in self.formula.ranges)
        each = zip(self.operand_names, ranges, strict=True)
        return [CValue(name, bound, self.field, self.name) for name, bound in each]

    @property
    def result(self) -> CValue:
        """The result."""
        return CValue("z", self.formula.result, self.field, self.name)

    @cached_property
    def calls(self) -> FieldCalls:
        """What the formula calls where it is no kernel."""
        return field_calls(self.formula)

    @property
    def parameters(self) -> list[str]:
        """The parameters of kernels."""
        operands = (f"const uint64_t x{i}[{one.words}]" for i, one in enumerate(self.operands))
        return [f"uint64_t z[{self.result.words}]", *operands]

    @property
    def prototype(self) -> str:
        """What users call."""
        said = [self.result.result, *(one.operand for one in self.operands)]
        return _wrapped(f"void {self.symbol}(", said)

    def declared(self) -> str:
        """The declaration, for the header."""
        said = (one.says for one in (*self.operands, self.result))
        summary = in_comment(self.formula.summary)
        lines = wrap(" ".join([f"z = {summary}", *filter(None, said)]), 90)
        return f"/* {(chr(10) + ' * ').join(lines)} */\n{self.prototype};\n"

    def externs(self) -> str:
        """The declarations of the kernels in assembly."""
        return "".join(f"extern {self.symbol}_kernel {self.symbol}_{v};\n" for v in VARIANTS)

    def first(self) -> str:
        """What stands before the tables of kernels. AArch64 has the C that calls its kernels."""
        return (
            f"{_wrapped(f'typedef void {self.symbol}_kernel(', self.parameters)};\n"
            f"static {self.symbol}_kernel {self.symbol}_c;\n"
            f"#define {self.symbol}_aarch64 {self.symbol}_c\n"
        )

    def defined(self) -> str:
        """The formula by calls, and the function that users call."""
        passed = [one.word for one in self.operands if one.is_passed]
        lines = (
            [f"const uint64_t words[{len(passed)}] = {{{', '.join(passed)}}};"] if passed else []
        )
        member = f"    {self.name}_run()->formula_{self.formula.name}("
        lines.append(f"{_wrapped(member, ['(uint64_t *)z', *self._given()])};".lstrip())
        return (
            "/* Calls of the kernels in use; z may be any operand. */\n"
            f"{_wrapped(f'static void {self.symbol}_c(', self.parameters)}\n"
            f"{_braced(self._body())}\n{self.prototype}\n{_braced(lines)}"
        )

    def _given(self) -> Iterator[str]:
        """The operands as addresses of words."""
        passed = 0
        for one in self.operands:
            yield f"words + {passed}" if one.is_passed else f"(const uint64_t *){one.name}"
            passed += one.is_passed

    def _body(self) -> Iterator[str]:
        made, n = self.calls, self.field.n
        places = made.places
        if any(call.block is None for call in made.calls):
            yield f"const {self.name}_kernels *const k = {self.name}_run();"
        if made.constants:
            rows = (MONTGOMERY.stored(self.field, number) for number in made.constants)
            inside = ",\n        ".join(f"{{{limbs(self.field, row)}}}" for row in rows)
            yield f"static const uint64_t c[{len(made.constants)}][{n}] = {{\n        {inside}}};"
        if places.slots:
            most = max(made.limbs(self.field, value) for value in places.of)
            yield f"uint64_t s[{places.slots}][{most}];"
        kept = made.limbs(self.field, made.results[0])
        rest = self.result.words if self.formula.held else kept
        if places.before or places.after or kept < rest:
            yield "int i;"
        read = [places.of[i] for call in made.calls for i in call.sources]
        read += [source for _, source in places.before]
        of_operands = {place.operand for place in read if place.area is Area.OPERAND}
        for i in range(len(self.formula.operands)):
            if i not in of_operands:
                yield f"(void)x{i};"
        yield from (self._copied(kept, *copy) for copy in places.before)
        for call in made.calls:
            at = (self._at(places.of[i]) for i in (call.value, *call.sources))
            yield f"{self._called(call)}({', '.join(at)});"
        yield from (self._copied(kept, *copy) for copy in places.after)
        if kept < rest:
            yield f"for (i = {kept}; i < {rest}; i++) z[i] = 0;"

    def _called(self, call: FieldCall) -> str:
        """The function of a step."""
        if call.block:
            return f"{self.name}_{step_name(call.block)}"
        return f"k->{KERNELS.get(call.operation, call.operation)}"

    def _at(self, place: ElementPlace) -> str:
        """An address."""
        if place.area is Area.SLOTS:
            return f"s[{place.index}]"
        if place.area is Area.RESULT:
            return f"z + {place.index * self.field.n}"
        if place.operand == len(self.formula.operands):
            return f"c[{place.index}]"
        return f"x{place.operand} + {place.index * self.field.n}"

    def _copied(self, count: int, to: ElementPlace, source: ElementPlace) -> str:
        target, taken = self._at(to), self._at(source)
        return f"for (i = 0; i < {count}; i++) ({target})[i] = ({taken})[i];"


def step_name(block: StepBlock) -> str:
    """The name of the function of a step, without the package's before it."""
    return f"{STEP}_{block.name}"


def step_functions(formulas: Sequence[CFormula]) -> Iterator[str]:
    """The functions for steps on values that are no elements."""
    for block in blocks_of(one.formula for one in formulas):
        name, field = formulas[0].name, formulas[0].field
        kernel, *_ = block.kernels(block.name)
        expression = kernel.expression(field)
        text = c_function(lower(expression, ROWS), f"{name}_{step_name(block)}", expression)
        yield text.replace("\nvoid ", "\nstatic void ", 1) + "\n"


def _wrapped(head: str, parts: Sequence[str]) -> str:
    """A list in parentheses, on lines of its own where one is too long."""
    line = f"{head}{', '.join(parts)})"
    if len(line) <= LINE:
        return line
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    return f"{head}\n{indent}{f',{chr(10)}{indent}'.join(parts)})"


def _braced(lines: Iterable[str]) -> str:
    return "{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def formula_words(formulas: Sequence[CFormula]) -> dict[str, str]:
    """What the templates say of formulas; nothing where there are none."""

    def each(text: Callable[[CFormula], str], between: str = "") -> str:
        return between.join(map(text, formulas))

    return {
        "formulas_declared": each(CFormula.declared, "\n"),
        "formulas_first": each(CFormula.first),
        "formulas_externs": each(CFormula.externs),
        "formulas_defined": "".join(step_functions(formulas)) + each(CFormula.defined, "\n"),
        "formula_members": each(lambda o: f"    {o.symbol}_kernel *formula_{o.formula.name};\n"),
        "formula_kernels": each(lambda o: f", \\\n     {o.symbol}_##variant"),
        "formula_checks": each(lambda o: f"        right &= check_{o.formula.name}();\n"),
    }
