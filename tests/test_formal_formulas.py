"""The checker that is proved in Coq, on formulas that users write."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from formal_checker import answers, ask, claim_in, nothing_shown

from fieldc.artifacts.certify import KernelClaim, claim_words
from fieldc.cli import main
from fieldc.proof.claims.formulas import Size

EXAMPLES = Path(__file__).parent.parent / "examples"
FIELD, LINUX = "2^127-1", "x86_64-linux"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Formulas with integers, masks and sums; and those with several results."""
    folders = {}
    for name in ("integers", "butterfly"):
        folders[name] = tmp_path_factory.mktemp("formal") / name
        words = [FIELD, "--formula", str(EXAMPLES / f"{name}.py"), "--target", LINUX]
        assert main(["build", *words, "-o", str(folders[name])]) == 0
    return folders


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["integers", "butterfly"])
def test_formulas_are_certified(
    name: str, built: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """With signed integers too, in straight lines and in routines."""
    capsys.readouterr()
    assert main(["certify", str(built[name]), "--json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert len(rows) > 5 and {row["status"] for row in rows} == {"CERTIFIED"}
    signed = [row for row in rows if "signed" in row["kernel"]]
    assert bool(signed) == (name == "integers")


@pytest.mark.parametrize("stem", ["scaled_mulx", "signed_step_mulx", "scaled_signed_mulx"])
def test_a_sign_belongs_to_the_claim(stem: str, certifier: Path, built: dict[str, Path]) -> None:
    """Code and certificate for an unsigned integer prove nothing of a signed one, nor reversed."""
    claim = claim_in(built["integers"], f"{LINUX}/{stem}")
    assert claim.formula is not None and claim.calls == (stem == "scaled_signed_mulx")
    operands = tuple(
        (name, count, replace(size, is_signed=not size.is_signed) if size.powers == 0 else size)
        for name, count, size in claim.formula.operands
    )
    assert operands != claim.formula.operands
    assert answers(certifier, [claim, changed(claim, operands=operands)]) == ["accepted", "refused"]


def changed(claim: KernelClaim, **parts: Any) -> KernelClaim:
    """A claim on another formula."""
    assert claim.formula is not None
    return replace(claim, formula=replace(claim.formula, **parts))


def with_step(claim: KernelClaim, number: int, *step: Any) -> KernelClaim:
    """A claim on a formula with another step."""
    assert claim.formula is not None
    steps = list(claim.formula.steps)
    steps[number] = step
    return changed(claim, steps=tuple(steps))


def larger(claim: KernelClaim, operand: int) -> KernelClaim:
    """A claim on operands that may be larger."""
    assert claim.formula is not None
    operands = list(claim.formula.operands)
    name, count, size = operands[operand]
    operands[operand] = (name, count, replace(size, multiple=2 * size.multiple))
    return changed(claim, operands=tuple(operands))


# horner is s*x + c: two steps, of the values 0, 1 and 2.
WRONG: dict[str, Callable[[KernelClaim], KernelClaim]] = {
    "another product": lambda c: with_step(c, 0, "mul", (0, 0), 0),
    "a product less 1/R": lambda c: with_step(c, 0, "times", (0, 1), 0),
    "a difference": lambda c: with_step(c, 1, "sub", (3, 2), 0),
    "a multiple": lambda c: with_step(c, 1, "scale", (3,), 2),
    "a quotient": lambda c: with_step(c, 1, "divide", (3,), 0),
    "a constant": lambda c: with_step(c, 1, "constant", (), 5),
    "itself": lambda c: with_step(c, 1, "add", (3, 4), 0),
    "a number to come": lambda c: with_step(c, 0, "add", (3, 4), 0),
    "another number": lambda c: changed(c, results=(3,)),
    "no such number": lambda c: changed(c, results=(9,)),
    "a smaller result": lambda c: changed(c, size=Size(1, 0, 126)),
    "a shorter result": lambda c: changed(c, size=Size(1, 0, 64)),
    "a larger operand": lambda c: larger(c, 0),
    "another prime": lambda c: replace(c, p=c.p - 2),
    "no cases": lambda c: replace(c, certificate=nothing_shown(c)),
    "other code": lambda c: replace(c, code=c.code[:1] + c.code),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_formula_is_refused(what: str, certifier: Path, built: dict[str, Path]) -> None:
    claim = claim_in(built["butterfly"], f"{LINUX}/horner_mulx")
    assert answers(certifier, [claim, WRONG[what](claim)]) == ["accepted", "refused"]


@pytest.mark.parametrize("kernel", ["chosen_mulx", "scaled_mulx", "step_mulx"])
def test_other_sizes_are_refused(kernel: str, certifier: Path, built: dict[str, Path]) -> None:
    """A mask of 2, an integer of 65 bits, a sum with a product too many."""
    claim = claim_in(built["integers"], f"{LINUX}/{kernel}")
    wrong = larger(claim, 1 if kernel == "scaled_mulx" else 0)
    assert answers(certifier, [claim, wrong]) == ["accepted", "refused"]


def test_another_inverse_of_r_is_refused(certifier: Path, built: dict[str, Path]) -> None:
    """It is proposed with the certificate, and any number that is 1/R modulo p will do."""
    claim = claim_in(built["butterfly"], f"{LINUX}/horner_mulx")
    words, inverse = list(claim_words(claim)), pow(1 << 64 * claim.limbs, -1, claim.p)
    place = words.index(f"{inverse:x}")
    said = []
    for number in (inverse + claim.p, inverse + 1, 0):
        words[place] = f"{number:x}"
        said += ask(certifier, [" ".join(words)])
    assert said == ["accepted", "refused", "refused"]
