"""x86-64: text in GNU, Intel and MASM syntax, the same in every run, and its mnemonics."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from primes import CARRY_STYLES, expressions, named_field, shaped
from x86_64_checks import FEATURE_OF, NEEDS_CF, NEEDS_OF
from x86_64_kernels import HERE, compiled, sampled_choices, win64_kernels

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.targets.x86_64.choices import VARIANTS, Choices
from fieldc.targets.x86_64.conventions import CONVENTIONS, Convention
from fieldc.targets.x86_64.instructions import INSTRUCTIONS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU, INTEL, MASM

pytestmark = HERE


# MASM

MASM_LINE = re.compile(
    r"""(kernel\ (PROC|ENDP)|_TEXT\ (SEGMENT\ ALIGN\(64\)\ 'CODE'|ENDS)|ALIGN\ 64
        |kernel_constants:|DQ\ 0[0-9a-f]{16}h
        |[a-z]+(\ (?:[a-z0-9]+|\d+|qword\ ptr\ \[[^\]%$]+\]|\[[^\]%$]+\])
           (,\ (?:[a-z0-9]+|-\d+|qword\ ptr\ \[[^\]%$]+\]|\[[^\]%$]+\]))*)?)""",
    re.VERBOSE,
)


def test_masm_text_of_every_kernel() -> None:
    for _, code in win64_kernels():
        lines = code.text(MASM).splitlines()
        plain = [line.split(";")[0].strip() for line in lines]
        assert [line for line in plain if line and not MASM_LINE.fullmatch(line)] == []
        assert plain[:3] == ["_TEXT SEGMENT ALIGN(64) 'CODE'", "ALIGN 64", "kernel PROC"]
        assert plain[-2:] == ["kernel ENDP", "_TEXT ENDS"]
        assert sum(line.startswith("DQ") for line in plain) == len(code.constants)
        assert not any(word in line for line in plain for word in ("rip", "%", "$", ".L", "#"))
        assert sum(line in ("ret",) for line in plain) == 1


def test_masm_says_the_same_as_intel() -> None:
    for _, code in win64_kernels():
        masm = [line.split(";")[0].split() for line in code.text(MASM).splitlines()]
        intel = [line.split("#")[0].split() for line in code.text(INTEL).splitlines()]
        operations = [
            [line[0] for line in lines if line and line[0] in MNEMONICS] for lines in (masm, intel)
        ]
        assert operations[0] == operations[1] and len(operations[0]) == len(code.code)


MNEMONICS = {
    *{m for m in INSTRUCTIONS if not m.startswith(("clear", "store", "sbb_", "lea_", "test_"))},
    "test",
}


# GNU and Intel


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=lambda c: c.name)
def test_gnu_and_intel_text_assemble_to_the_same_bytes(
    convention: Convention, variant: str
) -> None:
    for limbs in (1, 3, 6, 8):
        codes = [
            compile_expression(expression, f"kernel{i}", VARIANTS[variant], convention)
            for i, expression in enumerate(expressions(shaped("one-spare", limbs)))
        ]
        gnu, intel = (
            assemble("\n".join(code.text(syntax) for code in codes)) for syntax in (GNU, INTEL)
        )
        assert gnu == intel


def test_other_choices_print_the_same_in_both_syntaxes() -> None:
    expression = choose(named_field("secp256k1-p"), "mul")
    for i, choices in enumerate(sampled_choices(1)):
        code = compiled(expression, f"kernel{i}", choices)
        if code is not None:
            assert assemble(code.text(GNU)) == assemble(code.text(INTEL))


def test_text_begins_with_its_header_and_names_what_it_touches() -> None:
    code = compile_expression(choose(named_field("bls12-381-p"), "mul"), "mul_p")
    for syntax in (GNU, INTEL, MASM):
        text = code.text(syntax, ("first", "second"))
        mark = syntax.comment
        assert text.startswith(f"{mark} first\n{mark} second\n") and text.endswith("\n")
        for name in ("x[0]", "y[5]", "z[5]", "p[5]", "mu[0]", "n0"):
            assert name in text
        assert all(len(line) <= 100 for line in text.splitlines())


# The same in every run


def test_two_compilations_are_equal() -> None:
    for variant, name in product(VARIANTS, ("bls12-381-p", "secp256k1-p")):
        f = named_field(name)
        for expression in expressions(f):
            codes = [
                compile_expression(
                    expression.kernel.expression(Field(f.p)), "kernel", VARIANTS[variant]
                )
                for _ in range(2)
            ]
            assert codes[0] == codes[1]
            assert codes[0].text() == codes[1].text()


PRINT_ALL = """
import sys
sys.path.insert(0, sys.argv[1])
from primes import named_field, expressions
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
for variant in VARIANTS.values():
    for expression in expressions(named_field("m-511")):
        print(compile_expression(expression, "kernel", variant).text())
"""


def test_the_text_does_not_depend_on_hash_seeds() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ALL, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            cwd=Path(__file__).parents[1],
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1 and len(texts.pop()) > 10000


# The table of instructions


def test_every_emitted_mnemonic_has_a_row() -> None:
    emitted = {
        instruction.mnemonic
        for limbs, variant in product((4, 9), VARIANTS)
        for expression in expressions(shaped("full", limbs))
        for instruction in compile_expression(expression, "kernel", VARIANTS[variant]).code
    }
    emitted |= {
        instruction.mnemonic
        for rows in CARRY_STYLES
        for instruction in compile_expression(
            choose(shaped("full", 9), "mul"), "kernel", Choices(rows=rows)
        ).code
    }
    assert emitted <= set(INSTRUCTIONS)


def test_the_tables_flags_are_the_processors() -> None:
    for mnemonic, row in INSTRUCTIONS.items():
        assert ("cf" in row.reads_flags) == (mnemonic in NEEDS_CF), mnemonic
        assert ("of" in row.reads_flags) == (mnemonic in NEEDS_OF), mnemonic
        assert ("signs" in row.reads_flags) == (mnemonic in ("cmove", "cmovne")), mnemonic
        keeps = {"mov", "movabs", "lea", "lea_double", "lea_sum", "mulx", "cmovc", "cmovnc"}
        keeps |= {"cmove", "cmovne", "store", "push", "pop", "ret"}
        if mnemonic in keeps:
            assert not row.writes_flags, mnemonic
        elif mnemonic in ("adcx", "adox"):
            assert row.writes_flags == {"cf" if mnemonic == "adcx" else "of"}
        else:
            assert row.writes_flags == {"cf", "of", "signs"}, mnemonic
        assert row.feature == FEATURE_OF.get(mnemonic, "")
