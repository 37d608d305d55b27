"""The crate's kernels for towers are proved for every odd modulus of their class at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldc.packages.rust.classes import EXTENSION, FULL, LAZY_FULL, SPARE, PrimeClass
from fieldc.packages.rust.theorems import Theorem, code_of, moduli_of
from fieldc.packages.rust.tower_theorems import IntegerTheorem, kernels_of_towers
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes.integers import prove_integers
from fieldc.proof.classes.prove import prove_class

GENERATED = Path(__file__).parents[1] / "crates" / "fieldc" / "src" / "generated"
LIMBS = 6
THEOREMS = {t.symbol: t for t in kernels_of_towers(GENERATED, LIMBS)}
CASES = {"fp2_mul_e": 4, "fp2_square": 4, "redc_lazy": 4, "fp2_mul_wide": 2, "wide_sum": 1}
"""By the names' beginnings."""


def test_every_kernel_for_towers_has_a_theorem() -> None:
    written = [n for path in GENERATED.glob("n*.rs") for n in kernels_in(path.read_text())]
    of_towers = {name for name in written if re.search("_extension_|_tower_", name)}
    assert THEOREMS.keys() == of_towers


@pytest.mark.parametrize("symbol", THEOREMS)
def test_every_kernel_for_towers_is_a_theorem(symbol: str) -> None:
    (cases,) = (number for name, number in CASES.items() if symbol.startswith(name))
    assert THEOREMS[symbol].prove() == cases


def is_refused(theorem: Theorem | IntegerTheorem) -> bool:
    try:
        theorem.prove()
    except ProofError:
        return True
    return False


@pytest.mark.parametrize(
    ("symbol", "of"),
    [
        ("fp2_mul_extension_mulx", FULL),
        ("fp2_square_extension_adx", FULL),
        ("fp2_mul_wide_lazy_tower_adx", LAZY_FULL),
        ("redc_lazy_tower_mulx", SPARE),
    ],
)
def test_no_theorem_for_towers_holds_for_a_wider_class(symbol: str, of: PrimeClass) -> None:
    assert is_refused(replace(THEOREMS[symbol], of=of))


def test_no_theorem_for_towers_is_of_another_operation() -> None:
    moduli = moduli_of(EXTENSION, LIMBS)
    for symbol, other in (
        ("fp2_mul_extension_mulx", "fp2_square"),
        ("fp2_square_extension_mulx", "fp2_mul"),
        ("redc_lazy_tower_mulx", "reduce_lazy"),
    ):
        with pytest.raises(ProofError):
            prove_class(code_of(THEOREMS[symbol].kernel), other, moduli)
    for symbol, sums in (("wide_sum_2_1_tower_mulx", (1, 2)), ("wide_sum_1_1_tower_mulx", (2, 0))):
        parameters = dict(zip(("plus", "minus"), sums, strict=True))
        with pytest.raises(ProofError):
            prove_integers(code_of(THEOREMS[symbol].kernel), "wide_sum", parameters, moduli)


def test_code_that_knows_its_modulus_computes_no_integers() -> None:
    code, moduli = code_of(THEOREMS["redc_lazy_tower_mulx"].kernel), moduli_of(EXTENSION, LIMBS)
    with pytest.raises(ProofError, match="constants of the modulus"):
        prove_integers(code, "wide_sum", {"plus": 2, "minus": 0}, moduli)
    with pytest.raises(ProofError, match="no integers"):
        prove_integers(code, "redc", {"lazy": 1}, moduli)


def changed(theorem: Theorem | IntegerTheorem) -> Iterator[str]:
    """Constants that change places; sums left out, or without their carries; other choices.

    A product modulo p without one carry may be right in all runs: then bounds alone refute it.
    """
    lines = theorem.kernel.lines
    if found := re.search(r"\.quad (.*)", lines):
        names = found[1].split(", ")
        for i in range(1, len(names)):
            swapped = [*names[: i - 1], names[i], names[i - 1], *names[i + 1 :]]
            yield lines.replace(found[1], ", ".join(swapped))
    others = {"cmovc": "cmovnc", "add": "sub", "sub": "add"}
    if isinstance(theorem, IntegerTheorem):
        others |= {"adc": "add", "sbb": "sub", "adcx": "add", "adox": "add"}
    for row in re.finditer(r"^(\w+) (?!rsp).*$", lines, re.MULTILINE):
        first, last, name = row.start(), row.end(), row[1]
        if re.search(r", (0|rax)$", row[0]):  # its carry may be 0 in all runs
            continue
        if name in ("adc", "sbb", "adcx", "adox", "add", "sub"):
            yield lines[:first] + lines[last:]
        if name in others and not is_the_same(lines[:first], row[0], lines[last:]):
            yield lines[:first] + row[0].replace(name, others[name], 1) + lines[last:]


def is_the_same(before: str, row: str, after: str) -> bool:
    """Whether `add` does what `adcx` does: no carry comes in, and no `adox` reads what it sets.

    None comes in where flags were just cleared, and where lowest limbs of an operand are added.
    """
    clears = before.rstrip().split("\n")[-1].startswith(("test ", "xor "))
    rest = re.split(r"^(?:test|xor|add|sub) ", after, maxsplit=1, flags=re.MULTILINE)[0]
    begins = clears or row.endswith(f" + {8 * LIMBS}]")
    return row.startswith("adcx ") and begins and "adox " not in rest


MUTANTS = [
    (symbol, text)
    for symbol, theorem in THEOREMS.items()
    for text in dict.fromkeys(changed(theorem))
]


@pytest.mark.sweep(40)
@pytest.mark.parametrize(("symbol", "text"), MUTANTS, ids=range(len(MUTANTS)))
def test_a_changed_kernel_for_towers_is_no_theorem(symbol: str, text: str) -> None:
    theorem = THEOREMS[symbol]
    assert text != theorem.kernel.lines
    assert is_refused(replace(theorem, kernel=replace(theorem.kernel, lines=text)))
