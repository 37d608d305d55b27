"""Formulas in a C package: what declares, chooses and tests their functions.

On x86-64 a formula is a proved kernel. On other processors it is C that calls the field's kernels
in use, one for each step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from fieldc.algorithms.representations import MONTGOMERY
from fieldc.field import Field
from fieldc.formulas.field_calls import field_calls
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import operand_names
from fieldc.formulas.places import Area, ElementPlace
from fieldc.packages.c.constants import limbs
from fieldc.targets.array_targets import ARRAY_TARGETS

VARIANTS = ("adx", "mulx", "base")
ENDINGS = tuple(f"_{ending}" for ending in (*VARIANTS, "c", "aarch64", "kernel", *ARRAY_TARGETS))
"""What a formula's name goes on with in the names of what it brings along."""
KERNELS = {"double": "twice"}
"""Members of the table of kernels whose name is not that of their operation."""
CASES = 8
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
        return operand_names(self.formula, ("uint64_t", self.name, f"{self.name}_run"))

    @property
    def parameters(self) -> list[str]:
        """The parameters of kernels."""
        counts = [count for _, count in self.formula.operands]
        words = [("uint64_t z", len(self.formula.results))]
        words += [(f"const uint64_t x{i}", count) for i, count in enumerate(counts)]
        return [f"{name}[{count * self.field.n}]" for name, count in words]

    @property
    def prototype(self) -> str:
        """What users call."""
        values = [(self.name, "z", len(self.formula.results))]
        counts = (count for _, count in self.formula.operands)
        each = zip(self.operand_names, counts, strict=True)
        values += [(f"const {self.name}", name, count) for name, count in each]
        said = [f"{t} *{x}" if count == 1 else f"{t} {x}[{count}]" for t, x, count in values]
        return _wrapped(f"void {self.symbol}(", said)

    def declared(self) -> str:
        """The declaration, for the header."""
        lines = wrap(f"z = {self.formula.summary}".replace("*/", "* /"), 90)
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
        given = [f"(const uint64_t *){name}" for name in self.operand_names]
        member = f"    {self.name}_run()->formula_{self.formula.name}("
        call = f"{_wrapped(member, ['(uint64_t *)z', *given])};".lstrip()
        return (
            "/* Calls of the kernels in use; z may be any operand. */\n"
            f"{_wrapped(f'static void {self.symbol}_c(', self.parameters)}\n"
            f"{_braced(self._body())}\n{self.prototype}\n{_braced([call])}"
        )

    def _body(self) -> Iterator[str]:
        made, n = field_calls(self.formula), self.field.n
        places = made.places
        if made.calls:
            yield f"const {self.name}_kernels *const k = {self.name}_run();"
        if made.constants:
            rows = (MONTGOMERY.stored(self.field, number) for number in made.constants)
            inside = ",\n        ".join(f"{{{limbs(self.field, row)}}}" for row in rows)
            yield f"static const uint64_t c[{len(made.constants)}][{n}] = {{\n        {inside}}};"
        if places.slots:
            yield f"uint64_t s[{places.slots}][{n}];"
        if places.before or places.after:
            yield "int i;"
        read = [places.of[i] for call in made.calls for i in call.sources]
        read += [source for _, source in places.before]
        of_operands = {place.operand for place in read if place.area is Area.OPERAND}
        for i in range(len(self.formula.operands)):
            if i not in of_operands:
                yield f"(void)x{i};"
        yield from (self._copied(*copy) for copy in places.before)
        for call in made.calls:
            member = KERNELS.get(call.operation, call.operation)
            at = (self._at(places.of[i]) for i in (call.value, *call.sources))
            yield f"k->{member}({', '.join(at)});"
        yield from (self._copied(*copy) for copy in places.after)

    def _at(self, place: ElementPlace) -> str:
        """An address."""
        if place.area is Area.SLOTS:
            return f"s[{place.index}]"
        if place.area is Area.RESULT:
            return f"z + {place.index * self.field.n}"
        if place.operand == len(self.formula.operands):
            return f"c[{place.index}]"
        return f"x{place.operand} + {place.index * self.field.n}"

    def _copied(self, to: ElementPlace, source: ElementPlace) -> str:
        target, taken = self._at(to), self._at(source)
        return f"for (i = 0; i < {self.field.n}; i++) ({target})[i] = ({taken})[i];"

    def test(self) -> str:
        """A function of the test: whether vectors come out right, with z over each operand too."""
        name, of_z = self.formula.name, len(self.formula.results)
        counts = [count for _, count in self.formula.operands]
        starts = [sum(counts[:i]) for i in range(len(counts))]
        given = [f"inputs_{name}[i] + {start}" for start in starts]
        check = f"right &= memcmp(z, outputs_{name}[i], sizeof z) == 0;"
        steps = [f"{self.symbol}({', '.join(['z', *given])});", check]
        for i, (at, count) in enumerate(zip(given, counts, strict=True)):
            if count == of_z:
                shared = ["z", *given[:i], "z", *given[i + 1 :]]
                steps += [f"memcpy(z, {at}, sizeof z);", f"{self.symbol}({', '.join(shared)});"]
                steps.append(check)
        inside = "".join(f"        {step}\n" for step in steps)
        return (
            f"{''.join(self._tables())}\nstatic int check_{name}(void)\n{{\n"
            f"    {self.name} z[{of_z}];\n    int i, right = 1;\n"
            f"    for (i = 0; i < {len(self._vectors())}; i++) {{\n{inside}    }}\n"
            "    return right;\n}\n"
        )

    def _vectors(self) -> list[list[int]]:
        """Residues for the operands: equal edges, and random ones."""
        f, size = self.field, self.formula.inputs
        draw = random.Random(self.formula.name)
        edges = [[v] * size for v in (0, f.one, f.p - 1)]
        return edges + [[draw.randrange(f.p) for _ in range(size)] for _ in range(CASES)]

    def _tables(self) -> Iterator[str]:
        given = self._vectors()
        found = [self.formula.evaluate(self.field, values) for values in given]
        for what, rows in (("inputs", given), ("outputs", found)):
            size = f"[{len(rows)}][{len(rows[0])}]"
            yield f"static const {self.name} {what}_{self.formula.name}{size} = {{\n"
            for row in rows:
                values = (f"{{{{{limbs(self.field, value)}}}}}" for value in row)
                yield f"    {{{f',{chr(10)}     '.join(values)}}},\n"
            yield "};\n"


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
        "formulas_defined": each(CFormula.defined, "\n"),
        "formula_members": each(lambda o: f"    {o.symbol}_kernel *formula_{o.formula.name};\n"),
        "formula_kernels": each(lambda o: f", \\\n     {o.symbol}_##variant"),
        "formula_tests": each(CFormula.test, "\n"),
        "formula_checks": each(lambda o: f"        right &= check_{o.formula.name}();\n"),
    }
