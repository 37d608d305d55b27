"""The schedules that come with the package: current, and their kernels proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts import contract_named

from fieldc import decisions
from fieldc.algorithms import choose
from fieldc.artifacts.host import SYMBOL
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field, named_primes
from fieldc.cli import find_verb
from fieldc.decisions.schedule import dump, file_name, load_schedule, read, shipped
from fieldc.errors import ERROR_WIDTH, UserError
from fieldc.machine.assemble import assemble, host_triple
from fieldc.machine.processors import processors
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.print import GNU

FOLDER = Path(decisions.__file__).parent / "schedules"
FILES = {
    (name, processor): FOLDER / file_name(find_field(name), processor)
    for name in named_primes()
    for processor in processors()
}
SHIPPED = [key for key, path in FILES.items() if path.is_file()]
PROVED_ALWAYS = ("bn254-p", "secp256k1-n", "bls12-381-p")
SEARCHED = {"sapphire-rapids", "zen-3", "zen-4", "zen-5"}


def test_every_file_is_of_a_named_field_and_a_known_processor() -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == {FILES[key].name for key in SHIPPED}
    assert {processor for _, processor in SHIPPED} == SEARCHED


@pytest.mark.parametrize(("name", "processor"), SHIPPED)
def test_decisions_still_make_the_code_that_was_measured(name: str, processor: str) -> None:
    """Another code is refused by its digest: then tune again, as docs/tuning.md says."""
    f = find_field(name)
    for entry in shipped(f, processor).entries:
        assert entry.measured["operands"] == "moving"
        entry.compile(choose(f, entry.operation, entry.decisions.algorithm), SYMBOL)
        assert not entry.measured["disturbed"] and entry.measured["duel_ratio"] < 1


@pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")
@pytest.mark.parametrize(
    ("name", "processor"),
    [pytest.param(*k, marks=[pytest.mark.full] * (k[0] not in PROVED_ALWAYS)) for k in SHIPPED],
)
def test_their_kernels_are_proved(name: str, processor: str) -> None:
    f = find_field(name)
    for entry in shipped(f, processor).entries:
        expression = choose(f, entry.operation, entry.decisions.algorithm)
        made = assemble(entry.compile(expression, SYMBOL).text(GNU))
        function = function_of(made, SYMBOL)
        contract = contract_named(entry.operation, f.p, f.n)
        prove(function.code, contract, start=function.start)


def _said_of(line: str) -> str:
    verb = find_verb("build")
    with pytest.raises(UserError) as caught:
        verb.run(verb.parse([*line.split(), "--target", "x86_64-linux", "-o", "no-such-folder"]))
    said = str(caught.value)
    assert "\n" not in said and len(said) <= ERROR_WIDTH
    return said


MUL = "bn254-p --op mul --schedule"
FORMULA = "--formula examples/butterfly.py --schedule"


@pytest.mark.parametrize(
    ("line", "end"),
    [
        (f"{MUL} zen-9", "No such file or directory; the nearest that ships is zen-3"),
        (f"{MUL} icelake", "; those that ship for bn254-p are: " + ", ".join(sorted(SEARCHED))),
        (f"{MUL} ice-lake", "; use sapphire-rapids, zen-3, zen-4, zen-5, or make one there with"),
        ("bn254-p --op add --schedule zen5", "'zen5': No such file or directory; none ships"),
        (f"{MUL} none.json", "cannot read 'none.json': No such file or directory"),
        ("2^61-1 --schedule zen4", "; none ships for what is built"),
        (f"bls12-381-r {FORMULA} zen-5", "; use sapphire-rapids, zen-3, zen-4, or make one there"),
        (f"bls12-381-r {FORMULA} zen5", "'zen5': No such file or directory; the nearest"),
    ],
)
def test_what_is_suggested_ships(line: str, end: str) -> None:
    said = _said_of(line)
    assert end in said and not {"zen-2", "cascade-lake"} & {*said.replace(",", "").split()}


@pytest.mark.parametrize(
    ("line", "end"),
    [
        (f"{MUL} apple-m1", "are for x86-64; use sapphire-rapids, zen-3, zen-4, zen-5"),
        ("2^61-1 --schedule apple-m1", "they are for x86-64; leave out --schedule"),
        ("2^61-1 --schedule zen-4", "; make one there with fieldc tune 0x1fffffffffffffff"),
        ("2^61-1 --op add --schedule zen-4", "fieldc tune 0x1fffffffffffffff --op add"),
        (
            f"2^61-1 {FORMULA} zen-4",
            "fieldc tune 0x1fffffffffffffff --formula examples/butterfly.py",
        ),
        (f"2^1024-105 {FORMULA} zen-4", "fieldc tune FIELD --formula FILE.py"),
        (
            "bls12-381-p --formula examples/add_2007_bl.py --schedule zen-4",
            "no schedule of formulas for bls12-381-p on zen-4 is shipped; leave out --schedule",
        ),
    ],
)
def test_the_command_that_is_advised_makes_a_schedule_that_is_taken(line: str, end: str) -> None:
    """Not on AArch64, not of operations where formulas are built, nor of what calls routines."""
    assert _said_of(line).endswith(end)


@pytest.mark.parametrize("name", ["secp256k1-p", "secp256k1", "0x11", "0X11"])
def test_the_label_of_a_schedule_is_that_of_its_modulus(name: str) -> None:
    """One of the two is damaged, and the command that tune prints would name the label."""
    f = find_field("bn254-p")
    text = dump(shipped(f, "zen-4"))
    assert read(text, f, "'s'").label == "bn254-p"
    for damaged in (text.replace('"bn254-p"', f'"{name}"'), text.replace(hex(f.p), "0x11")):
        with pytest.raises(UserError, match=r"^'s' is damaged: the field .* is not that of p; t"):
            read(damaged, f, "'s'")
    with pytest.raises(UserError, match=r"^the schedule is for 'bn254-p', not secp256k1-p$"):
        read(text, find_field("secp256k1-p"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"p": "', '"p": "q', "p 'q0x"),
        ('"bn254-p"', '["bn254-p"]', 'field ["bn254-p"] is no text'),
        ('"processor": ', '"processor": true, "was": ', "processor true is no text"),
        ('"op": "', '"was": "', "it lacks 'op'"),
        ('"schedule": 1', '"schedule": "1"', "'s' is a schedule of version '1', not 1"),
        ('"style": "', '"style": "x', "style 'x"),
        ('"order": [', '"order": [[1, "a"], ', "'a' is no position"),
        ('"order": [', '"order": [[1, null], ', "null is no position"),
    ],
)
def test_values_of_a_damaged_schedule_are_said_as_the_file_has_them(
    old: str, new: str, said: str
) -> None:
    """In quotes once, and not as Python has them."""
    f = find_field("bn254-p")
    text = dump(shipped(f, "zen-4"))
    assert old in text
    with pytest.raises(UserError) as caught:
        read(text.replace(old, new, 1), f, "'s'")
    message = str(caught.value)
    assert message.removeprefix("'s' is no schedule of fieldc tune: ").startswith(said)
    assert not {"True", "None"} & {*message.split()}


def test_a_folder_may_be_called_as_a_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zen-5").mkdir()
    schedule = load_schedule(Path("zen-5"), find_field("bls12-381-p"))
    assert schedule.entries
