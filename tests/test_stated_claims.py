"""A routine is PROVED together with all that its contract takes for granted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fieldc.artifacts.foreign import contract_in_file, prove_foreign
from fieldc.binary.read import open_images
from fieldc.cli import main
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.statements import contract_from

P = (1 << 61) - 1
BELOW = 'below = {x = "2**60", z = "2**62"}\n'
ALL = f"""
    mov rax, [rsi + 16]
    add rax, [rdi]
    mov r10, [rip + features + 8]
    mov r10, {P:#x}
    mov r11, rax
    sub rax, r10
    cmovc rax, r11
    add rax, rdx
    add rax, [r8 - 8]
    mov [rdi], rax
"""
EVERYTHING = """
claim = "z = w + 7"
between = ["w = y + x2"]
arguments = ["z", "x", "four", "-", "three", "p", "n0"]
in_place = "y"
below = {x = "2**60", y = "2**60", z = "2**62"}
values = {x = 3}
numbers = {four = "2 + 2"}
tables = {three = 3}
sizes = {three = 2, p = 4}
before = {three = 1}
memory = {"features+8" = "0x1 of 8 bytes"}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "f.o"
    path.write_bytes(assemble(f".intel_syntax noprefix\n.globl f\nf:\n{text}\nret\n"))
    return path


def answer(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    contract: str,
    *words: str,
    status: int = 0,
) -> str:
    """What the command line prints, on one line."""
    file = folder / "claim.toml"
    file.write_text(contract)
    said = ["prove", str(written(folder, text)), "--symbol", "f", "--field", hex(P)]
    assert main([*said, "--contract", str(file), *words]) == status
    captured = capsys.readouterr()
    return " ".join((captured.err if status == 2 else captured.out).split())


def refused(contract: str) -> str:
    """Why a text is no contract, on one line."""
    with pytest.raises(ProofError) as error:
        contract_from(contract_in_file(contract, 1).statement, P)
    assert str(error.value).isprintable()
    return str(error.value)


ADD = "mov rax, [rsi]\nadd rax, rdx\nmov [rdi], rax"
COPY = "mov rax, [{}]\nmov [rdi], rax"
XN = 'arguments = ["z", "x", "n"]\n'
ASSUMING = {
    "a number": (
        ADD,
        f'claim = "z = x - 1 + p"\n{XN}numbers = {{n = "p - 1"}}\n{BELOW}',
        "assumed n is 0x1ffffffffffffffe (p - 1)",
    ),
    "n0": (
        "imul rdx, [rdi]\nmov rax, [rsi]\nmov [rdi], rax",
        f'claim = "z = x"\narguments = ["z", "x", "n0"]\nin_place = "y"\n{BELOW}',
        f"assumed n0 is {-pow(P, -1, 1 << 64) % (1 << 64):#x} (-1/p mod 2^64)",
    ),
    "the modulus": (
        "mov rax, [rsi]\nmov [rdi], rax",
        f'claim = "z = x"\narguments = ["z", "x", "p"]\n{BELOW}',
        f"assumed {P:#x} (p) stands at p, in 1 limb",
    ),
    "a table before its address": (
        ADD.replace("rdx", "[rdx - 8]"),
        f'claim = "z = x + 5"\n{XN}tables = {{n = "5"}}\nsizes = {{n = 2}}\nbefore = {{n = 1}}\n'
        + BELOW,
        "assumed 0x5 stands at n-8, in 2 limbs",
    ),
    "an operand in place": (
        COPY.format("rdi"),
        'claim = "z = x"\narguments = ["z", "y"]\nin_place = "x"\n',
        "assumed z holds x before the call",
    ),
    "values side by side": (
        COPY.format("rsi + 16"),
        'claim = "z = x2"\narguments = ["z", "x"]\nvalues = {x = 3}\n',
        "values x is 3 values side by side, x0 to x2",
    ),
    "sizes": (
        COPY.format("rsi"),
        'claim = "z = x"\narguments = ["z", "x"]\nsizes = {x = 2}\nbelow = {x = "p"}\n',
        "sizes x: 2 limbs, z: 1 limb; R = 2^64",
    ),
}


@pytest.mark.parametrize("name", ASSUMING)
def test_what_is_assumed_is_printed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, contract, wanted = ASSUMING[name]
    said = answer(tmp_path, capsys, text, contract)
    assert "f PROVED" in said and wanted in said


def test_json_says_all_that_the_table_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = json.loads(answer(tmp_path, capsys, ALL, EVERYTHING, "--json"))
    found: dict[str, Any] = row
    assert found["status"] == "PROVED", found["reason"]
    said = answer(tmp_path, capsys, ALL, EVERYTHING)
    assert found["claim"] == "z = w + 7, where w = y + x2"
    assert f"{found['claim']} mod {found['p']}" in said
    assert found["bounds"] == {"y": "2**60", "x": "2**60", "z": "2**62"}
    assert found["arguments"] == ["z", "x", "four", "-", "three", "p", "n0"]
    assert (found["convention"], found["stack"], found["overlap"]) == ("sysv", 0, True)
    assert (found["in_place"], found["limbs"]) == ("y", 1)
    assert found["values"] == {"y": 1, "x": 3, "z": 1}
    assert found["sizes"] == {"y": 1, "x": 1, "z": 1}
    assert found["numbers"]["four"] == "0x4"
    assert found["tables"]["three"] == {"value": "0x3", "limbs": 2, "offset": -8}
    assert found["tables"]["p"]["limbs"] == 4
    assert found["memory"] == {"features+8": "0x1 of 8 bytes"}
    assert "0x1 of 8 bytes stands at features+8" in found["assumed"]
    assert len(found["assumed"]) == 7
    for line in (*found["assumed"], found["for_all_inputs"]):
        assert line in said


def test_json_of_a_failure_says_what_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = f'claim = "z = x + 2"\n{XN}numbers = {{n = "1"}}\n{BELOW}'
    (row,) = json.loads(answer(tmp_path, capsys, ADD, contract, "--json", status=1))
    assert row["status"] == "FAILED" and row["numbers"] == {"n": "0x1"}
    assert row["convention"] is row["stack"] is None


STACK_CHECK = "mov r8, fs:[-8]\nlea r9, [rsp - 256]\ncmp {}, [r8 + 16]\njbe f\n"
GOROUTINE = "fs:[-8] is the address of the goroutine"


@pytest.mark.parametrize(
    ("begin", "wanted"),
    [
        ("", []),
        ("mov r8, fs:[-8]\n", [GOROUTINE]),
        *(
            (STACK_CHECK.format(place), [GOROUTINE, f"its end lies below {said} on entry"])
            for place, said in (("rsp", "rsp"), ("r9", "rsp - 256"))
        ),
    ],
)
def test_what_go_gives_is_printed_where_it_is_used(
    begin: str, wanted: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = 'claim = "z = x"\narguments = ["z"]\nin_place = "x"\nconvention = "go-abi0"\n'
    text = f"{begin}mov rax, [rsp + 8]\nmov rcx, [rax]\nmov [rax], rcx"
    (row,) = json.loads(answer(tmp_path, capsys, text, contract, "--json"))
    _, *found, _ = row["assumed"]
    assert len(found) == len(wanted)
    assert all(said in line for said, line in zip(wanted, found, strict=True))
    table = answer(tmp_path, capsys, text, contract)
    assert all(f"assumed {line}" in table for line in found) and ("gorout" in table) == bool(begin)


ARGUMENTS = 'claim = "z = x"\narguments = ["z", "x", "p", "n0", "k"]\n'
MISPLACED = [
    ('numbers = {p = "2"}', "numbers is about p, which is always the modulus"),
    ('tables = {p = "2"}', "tables is about p, which is always the modulus"),
    ('numbers = {n0 = "1"}', "numbers is about n0, which is always -1/p"),
    ('tables = {n0 = "1"}', "tables is about n0, which is always -1/p"),
    ('numbers = {k = "1"}\ntables = {k = "1"}', "'k' is in numbers and in tables"),
    ('in_place = "w"\nnumbers = {w = "1"}', "numbers is about w, which is always the operand"),
    *(
        (f'{part} = {{{name} = {value}}}\n{kind}"1"}}', f"{part} is about {name}, which is {what}")
        for part, value in (("below", '"2"'), ("values", 1), ("before", 0), ("sizes", 1))
        for name, kind, what in (
            ("p", "numbers = {k = ", "the modulus by address"),
            ("n0", "numbers = {k = ", "a number"),
            ("k", "numbers = {k = ", "a number"),
            ("k", "tables = {k = ", "a table"),
        )
        if (name, part) != ("p", "sizes")
        and not (what == "a table" and part in ("before", "sizes"))
    ),
    ("before = {x = 0}", "before is about x, which is an operand"),
]


@pytest.mark.parametrize(("said", "why"), MISPLACED)
def test_what_cannot_apply_is_refused(said: str, why: str) -> None:
    assert why in refused(ARGUMENTS + said)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("between = []", "the contract's between is an empty list"),
        ("between = 3", "the contract's between is no list"),
        ('between = [""]', "the contract's between has an empty text"),
        ("below = 7", "the contract's below is no table"),
        ("below = {x = 1.5}", "the contract's below of 'x' is neither"),
        ("sizes = {x = [1]}", "the contract's sizes of 'x' is no whole number"),
        ("limbs = 4.5", "the contract's limbs is no whole number"),
        ("in_place = 7", "the contract's in_place is empty, or what is no text"),
        ("overlap = 1", "the contract's overlap is neither true nor false"),
        (f"below = {{x = 0x{'f' * 5000}}}", "the bound of x"),
        (f'tables = {{k = "1"}}\nbefore = {{k = 0x{"f" * 5000}}}', "before: k is no table"),
        ('tables = {k = "2**99"}', "what stands at k is no number of 1 limb"),
        ('numbers = {k = "2**64+4"}', "the number 'k' is '2**64+4', not from 0 to 2**64 - 1"),
        (f"numbers = {{k = {1 << 64}}}", "not from 0 to 2**64 - 1"),
        ('numbers = {k = "-1"}', "write (-1) % 2**64 to wrap it"),
    ],
)
def test_a_wrong_value_is_named_with_its_key(said: str, why: str) -> None:
    assert why in refused(ARGUMENTS + said)


HUGE, DEEP = f"0x{'f' * 5000}", "x + " * 700


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (f"z = x/{HUGE}", "a part of a statement is neither a number nor"),
        (f"{HUGE}/2*z = x", "a part of a statement is neither a number nor"),
        (f"z = {DEEP}x", "is deeper than 500 operations"),
        (f"z = {'-' * 700}x", "is deeper than 500 operations"),
        (f"z = x if {DEEP[:1600]}x else 1", "is neither a number nor"),
        (f"z = v{'w' * 5000}", "no value vwww"),
        ("(2 +\\n x)*z = x", "no value x"),
        ("(2 +\\n 0*z) = x", "is no number times z"),
    ],
)
def test_a_claim_that_is_long_or_deep_is_refused_in_few_words(claim: str, why: str) -> None:
    said = refused(f'claim = "{claim}"\narguments = ["z", "x"]')
    assert why in said and len(said) < 200


def test_a_prime_of_more_limbs_than_the_contract_is_named() -> None:
    """What stood at an argument p was named, which the contract does not have."""
    copy = 'claim = "z = x"\narguments = ["z", "x"]\nlimbs = 1\n'
    for below in ("", 'below = {x = "R", z = "R"}\n'):
        with pytest.raises(ProofError, match="p has 2 limbs, the contract 1; write limbs = 2"):
            contract_from(contract_in_file(copy + below, 2).statement, 2**127 - 1)


def test_an_empty_list_of_claims_is_named() -> None:
    assert "the contract's claims is an empty list" in refused('claims = []\narguments = ["z"]')
    assert "the contract's arguments is an empty" in refused('claim = "z = 0"\narguments = []')


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("stack", "mov qword ptr [rsp - 8], 5\nmov rax, [rsi - 8]\nmov [rdi], rax"),
        ("code", "mov rax, [rsi]\nmov eax, 5\nmov [rdi], rax"),
    ],
)
def test_no_argument_is_called_as_the_provers_own_memory(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such an operand was taken for the routine's own stack, or for its code."""
    contract = f'claim = "z = 5"\narguments = ["z", "{name}"]\n'
    said = answer(tmp_path, capsys, text, contract, status=2)
    assert f"no argument can be called '{name}'" in said


def test_an_operand_is_no_goroutine(tmp_path: Path) -> None:
    """A branch on an operand of that name was taken for Go's check of its stack."""
    text = "cmp rsp, [rsi + 16]\njbe f\nmov eax, 5\nmov [rdi], rax"
    (image,) = open_images(written(tmp_path, text)).values()
    contract = 'claim = "z = 5"\narguments = ["z", "{}"]\nsizes = {{{} = 3}}\n'
    for name in ("x", "goroutine"):
        said = contract_in_file(contract.format(name, name), 1)
        assert prove_foreign(image, "f", said, P).failure != ""


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ('claim = "z = x0"\narguments = ["z", "x", "x0"]\nvalues = {x = 2}\n', "x0"),
        ('claims = ["z0 = x", "z1 = x"]\narguments = ["z", "x", "z0"]\n', "z0"),
        ('claim = "z = k"\nbetween = ["k = x"]\narguments = ["z", "x", "k"]\n', "k"),
        ('claim = "z = n0"\nbetween = ["n0 = x"]\narguments = ["z", "x", "n0"]\n', "n0"),
    ],
)
def test_a_name_is_of_one_thing(said: str, name: str) -> None:
    is_operand = name in ("n0", "z0")
    number = "" if is_operand else f'numbers = {{{name} = "1"}}\n'
    assert f"there are two values {name}" in refused(said + number)


@pytest.mark.parametrize("claim", ["z = x # + 7", "z = \uff58"])
def test_what_is_printed_is_what_was_read(claim: str) -> None:
    assert "has a comment, or no ASCII" in refused(f'claim = "{claim}"\narguments = ["z", "x"]')
