"""A proof written down, so that a second program can replay it without a search.

Variables are numbered from 0: the limbs of each operand in call order, then for each signed operand
word and carry of its top limb plus 2^63, then what the instructions create in the order in which
they run. Rows are numbered in that order too. A word is a constant or one variable. What creates
variables, in this order:

    add, adc, adcx, adox    word, carry       word + 2^w*carry = a + b + carry_in
    sub, sbb                word, borrow      word - 2^w*borrow = a - b - borrow_in
    neg of an `or`          words, borrows    of 0 less each word in the `or`, as sub and sbb
    mul, mulx, imul         low, high         low + 2^w*high = a*b
                            low               where the largest values have a product below 2^w
    lea of a + constant     word, carry       as add, or as sub where the constant is negative
    shld, shrd by w-k       t(a), t(b), word  word = 2^k*a - 2^w*t(a) + t(b)
    lea and add of a + a    t(a), word        as shld by 1 with b = 0; the carry is t(a)
    and, bzhi: low k bits   t(a), word        word = a - 2^k*t(a), with the top w-k bits of a
    cmov, sbb r,r, and, neg word              word = one side or the other, by a flag: a choice
    setb, 32-bit add, adc   word              word = the flag, or a + b + carry_in below 2^32

On AArch64 a word may also be a polynomial in carries and borrows. It is then no variable until it
is added to a word. There

    adds, adcs, subs, sbcs  word, carry       as add and sub; the same sum again is the same row
    add, adc, sub, sbc      word, carry       the same; of carries alone only where the sum wraps
                                              around and has products of them as a polynomial
    mul, umulh, madd, msub  low, high         as mul; the same product again is the same row
    shifts, fields, extr    low, high, word   of products by powers of 2; a field is word - 2^k*high
    csel, csinc, and        word              one side or the other, for each bit of the flag
    a polynomial in bits    word              a choice where it is 0 or one other value, else a row

Two words that are congruent modulo 2^64 are equal. So a word that is a constant multiple of a
variable modulo 2^64 is made once: by the product that `products` names, or where it comes first.

    products     [[variable, factor, constant], ...]: words congruent to factor*variable that umulh
                 multiplies by the constant. They only say which rows there are.

t(a) is the top k bits of a: one variable for each a and k, made when it is first needed and where
it is not constant, with no row. A high half is below 2^w, a carry at most 1, an operand's limb i
at most its largest value >> w*i, the low half of a*a at most 2^w - 3.

Where every choice's flag has a value, each row is an equation `left - right = 0`. All claims are

    scale*target - sum(multiplier*row) - sum(slope*product) = rest

where variables with one possible value are replaced by it. For the function, and for a word that is
0 modulo 2^w, there are no slopes and scale 1, and the coefficients of `rest` are 0 modulo p or 2^w.
A residue with a scale says that scale*word is 0 modulo scale*2^w: then the word is 0 too.
For a bound every monomial of `rest` and every product (of operands, named, and limbs, numbered) is
taken at its largest value, with a negative coefficient at 0; the sum is below scale*(limit + 1).

    polynomial   [[coefficient, [variable, ...]], ...]
    combination  [[row, polynomial], ...]
    slope        [coefficient, [operand, ...], [limb, ...]]
    bound        {scale, rows: combination, slopes: [slope, ...]}
    fact         {variable, value, bound} or {variable, value: 0, residue: combination}
                 {variable, value, bound, most: bound} or {..., residue: combination, scale}
    equality     {variable, value: polynomial, most: bound, least: bound}
                 {..., cut: [word, bit]}
    case         {flags: [[variable, value], ...], facts, identity: combination, canonical: bound}
                 {flags, excluded: bound}

`stack` is how many bytes below the return address the code uses.

    contract     {operation, family, parameters: {name: integer}, p, limbs, convention}

The family and its parameters say what the kernel computes. The operation's name is made of them,
and a checker refuses another one. Of a user's formula, `formula` in the contract is its text, as
`proof/claims/formulas.py` describes it; the family is its name, and there are no parameters.

A formula by calls has no cases, but `routines`, in the order of their first calls:

    routine      {formula, stack, cases}, with equalities and products where it has some

Each is verified from the place of the call on, on x86-64 by System V, on AArch64 by its caller's
convention. Then the caller's run needs no search:
`proof/calls.py` says what a call does, `proof/claims/forms.py` when two results are equal.

Where a contract has values between operands and result, as repeated squarings have, there are

    cut_points   [{step, equalities, words: [variable, ...], high, cases}, ...]

one for each, in order. Of a formula there is one for each step whose value words hold, numbered
from 0; another step's value is what the text says. Equalities are shown before the cut point that
has them; the certificate's own come after all cut points. The cases show, as those of a result do,
that the words' number is the value and at most `high`. From then on the value counts as an operand:
v1 is the name of the first one after one operand, and its word i is at most high >> w*i. The name
has the step's number in the formula's text, where operands' values count first.

A case is of z's first result, or with `result: k` of the one k places after it. For each result
the cases cover all values of the choices' flags. An excluded case cannot be: its bound shows that
where the other flags are as given, the last one is not. A fact may use the facts before it. Its
value is 0, and the bound is of the variable, or its largest value, and the bound is of minus the
variable. With `most` it is any: the bound says at least, `most` says at most.
An equality holds in all cases: variable - value is at most 0 and at least 0, and is one more row,
numbered after those of the code. Its bounds may use the equalities before it. With `cut` the
variable is t(word), the bits of a word from a bit on, and what is bounded is word - 2^bit*value: it
is at most 2^bit - 1 and at least 0, so the value is the word divided by 2^bit and rounded down.
Coefficients and scales are integers as hexadecimal strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from fieldc.proof.algebra.combinations import Combination, Slopes
from fieldc.proof.algebra.equations import Polynomial, Rational
from fieldc.proof.algebra.facts import Bound, Fact
from fieldc.proof.algebra.wraps import Equality, in_given_rows
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.programs import ProvedFormula
from fieldc.proof.prove import prove
from fieldc.proof.proved import CaseProof, Excluded, ProvedCode

FORMAT = "fieldc-certificate-1"


def certify(
    code: bytes,
    family: str,
    p: int,
    limbs: int,
    convention: str = "sysv",
    start: int = 0,
    symbol: str = "kernel",
    parameters: Mapping[str, int] | None = None,
    operation: str = "",
    architecture: str = "x86_64",
    instructions: set[str] | None = None,
) -> dict[str, Any]:
    """Prove a kernel and write the proof down, as JSON values. Raises ProofError.

    The family and the parameters say what it computes; `operation` is the name that people use.

    The code is not written down: a certificate is about the object that defines the symbol.
    `instructions` gets the names of those that it runs.
    """
    cases: list[CaseProof | Excluded] = []
    contract = contract_of(family, p, limbs, parameters)
    proved = prove(code, contract, convention, start, architecture, cases.append)
    found = ProvedCode.of(proved, cases)
    if instructions is not None:
        instructions |= found.instructions
    return {
        **_head(symbol, operation or family, family, p, limbs, convention, parameters or {}),
        **_proof(found, contract.p),
    }


def certificate_of_formula(
    proved: ProvedFormula,
    formula: str,
    name: str,
    p: int,
    limbs: int,
    convention: str,
    symbol: str,
) -> dict[str, Any]:
    """The proof of a formula, whose text is given, as JSON values."""
    head = _head(symbol, name, name, p, limbs, convention, {})
    head["contract"]["formula"] = formula
    routines = [{"formula": text, **_proof(one, p, by_steps=True)} for text, one in proved.routines]
    proof = _proof(proved.proof, p, by_steps=True)
    return {**head, **proof, **({"routines": routines} if routines else {})}


def _head(
    symbol: str,
    operation: str,
    family: str,
    p: int,
    limbs: int,
    convention: str,
    parameters: Mapping[str, int],
) -> dict[str, Any]:
    """What a certificate is about."""
    return {
        "format": FORMAT,
        "symbol": symbol,
        "contract": {
            "operation": operation,
            "family": family,
            "parameters": dict(parameters),
            "p": hex(p),
            "limbs": limbs,
            "convention": convention,
        },
    }


def _proof(proved: ProvedCode, p: int, by_steps: bool = False) -> dict[str, Any]:
    writer = Writer(proved.rows, proved.equalities)
    products = [[word, hex(factor), hex(constant)] for word, factor, constant in proved.products]
    cut_points = _cut_points(writer, proved, p, by_steps)
    *_, before = (0, *(point.equated for point in proved.cut_points if point))
    equalities = _equalities(writer, before, len(proved.equalities))
    return {
        **({"products": products} if products else {}),
        "stack": proved.stack,
        **({"cut_points": cut_points} if cut_points else {}),
        **equalities,
        "cases": [writer.case(proof, p) for proof in proved.cases],
    }


def _equalities(writer: Writer, start: int, end: int) -> dict[str, Any]:
    """Those that were shown between two counts, if there are any."""
    found = writer.equalities(start, end)
    return {"equalities": found} if found else {}


def _cut_points(writer: Writer, proved: ProvedCode, p: int, by_steps: bool) -> list[dict[str, Any]]:
    found, before = [], 0
    for step, point in enumerate(proved.cut_points):
        if point is None:
            continue
        found.append(
            {
                **({"step": step} if by_steps else {}),
                **_equalities(writer, before, point.equated),
                "words": list(point.value.limbs),
                "high": hex(point.value.high),
                "cases": [writer.case(proof, p) for proof in point.cases],
            }
        )
        before = point.equated
    return found


def text(certificate: dict[str, Any]) -> str:
    """The certificate's file: one line of JSON for each of its parts."""
    lines = [f"{json.dumps(key)}: {json.dumps(part)}" for key, part in certificate.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@dataclass(frozen=True)
class Writer:
    """Writes what was proved of code that has so many rows, given what dropped carries equal."""

    rows: int
    known: tuple[Equality, ...] = ()

    def equalities(self, start: int, end: int) -> list[dict[str, Any]]:
        """What words equal, by two counts. Each is shown by means of those before it."""
        return [self._knowing(k)._equality(self.known[k]) for k in range(start, end)]

    def _knowing(self, count: int) -> Writer:
        return replace(self, known=self.known[:count])

    def _equality(self, equality: Equality) -> dict[str, Any]:
        return {
            "variable": equality.carry,
            "value": _polynomial(equality.value, 1),
            "most": self._bound(equality.most),
            "least": self._bound(equality.least),
            **({"cut": [*equality.cut]} if equality.cut else {}),
        }

    def case(self, proof: CaseProof | Excluded, p: int) -> dict[str, Any]:
        """One case of a certificate, shown by means of the equalities before it."""
        return self._knowing(proof.equated)._case(proof, p)

    def _case(self, proof: CaseProof | Excluded, p: int) -> dict[str, Any]:
        if isinstance(proof, Excluded):
            flags = [*map(list, proof.flags.items())]
            return {"flags": flags, "excluded": self._bound(proof.bound)}
        facts = proof.case.facts
        identity = in_given_rows(proof.identity, self.known)
        return {
            **({"result": proof.result} if proof.result else {}),
            "flags": [[v, value] for v, value in proof.case.fixed.items() if v not in facts],
            "facts": [self._fact(variable, fact) for variable, fact in facts.items()],
            "identity": self._combination(
                {
                    row: {m: int(c) % p for m, c in multiple.items() if int(c) % p}
                    for row, multiple in identity.items()
                }
            ),
            "canonical": self._bound(proof.canonical),
        }

    def _fact(self, variable: int, fact: Fact) -> dict[str, Any]:
        if fact.bound is not None:
            most = {"most": self._bound(fact.most)} if fact.most is not None else {}
            bound = self._bound(fact.bound)
            return {"variable": variable, "value": fact.value, "bound": bound, **most}
        residue = in_given_rows(fact.residue, self.known)
        scale = {"scale": hex(fact.scale)} if fact.scale != 1 else {}
        return {"variable": variable, "value": 0, "residue": self._combination(residue), **scale}

    def _bound(self, bound: Bound) -> dict[str, Any]:
        """With the least scale at which every number is an integer."""
        rows = in_given_rows(bound.rows, self.known)
        numbers = [Fraction(c) for multiple in rows.values() for c in multiple.values()]
        numbers += [Fraction(slope) for slope in bound.slopes.values()]
        up = lcm(*(n.denominator for n in numbers))
        down = gcd(bound.scale * up, *(int(n * up) for n in numbers))
        factor = Fraction(up, down)
        return {
            "scale": hex(int(bound.scale * factor)),
            "rows": self._combination(rows, factor),
            "slopes": _slopes(bound.slopes, factor),
        }

    def _combination(self, rows: Combination, factor: Rational = 1) -> list[list[Any]]:
        """The rows of equalities come last, in their order."""
        places = {row if row >= 0 else self.rows - 1 - row: row for row in rows if rows[row]}
        return [[place, _polynomial(rows[places[place]], factor)] for place in sorted(places)]


def _slopes(slopes: Slopes, factor: Fraction) -> list[list[Any]]:
    return [
        [
            _hex(slope * factor),
            [name for name in product if isinstance(name, str)],
            [limb for limb in product if isinstance(limb, int)],
        ]
        for product, slope in slopes.items()
        if slope
    ]


def _polynomial(polynomial: Polynomial, factor: Rational) -> list[list[Any]]:
    return [[_hex(c * factor), list(monomial)] for monomial, c in sorted(polynomial.items())]


def _hex(number: Rational) -> str:
    if int(number) != number:
        raise ValueError(f"{number} is no integer")
    return hex(int(number))
