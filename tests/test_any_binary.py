"""Routines of any binary are proved by contracts in files, and what is not known is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fieldc.artifacts.foreign import contract_in_file, prove_foreign
from fieldc.binary.image import ObjectError
from fieldc.binary.read import open_images
from fieldc.cli import main
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.statements import Statement, contract_from

P = (1 << 64) - 59
ADD = """
    .intel_syntax noprefix
    .text
    push rbx
    .globl other
other:
    ret
    .type hidden, @function
hidden:
    mov rax, [rsi]
    mov rcx, [rip + {table} + 8]
    xor r8d, r8d
    add rax, [rdx]
    adc r8, 0
    mov r9, rax
    sub rax, rcx
    sbb r8, 0
    cmovc rax, r9
    mov [rdi], rax
    ret
    .size hidden, .-hidden
    .globl outside
outside:
    call hidden
    ret
    .section .rodata
constant:
    .quad 5, 0xffffffffffffffc5
    .quad outside
    .section .data
changing:
    .quad 5, 0xffffffffffffffc5
"""
SUM = 'claim = "z = x + y"\narguments = ["z", "x", "y"]\n'


def prove(path: Path, symbol: str, contract: str = SUM, p: int = P) -> str:
    """Why a routine is not proved; empty where it is."""
    (image,) = open_images(path).values()
    return prove_foreign(image, symbol, contract_in_file(contract, 1), p).failure


def written(folder: Path, text: str) -> Path:
    path = folder / "f.o"
    path.write_bytes(assemble(text))
    return path


def test_a_local_function_with_constants_in_another_section(tmp_path: Path) -> None:
    path = written(tmp_path, ADD.format(table="constant"))
    assert prove(path, "hidden") == ""
    assert "function" in prove(path, "hidden", SUM.replace("x + y", "x - y"))
    assert "function" in prove(path, "hidden", p=P - 24)
    assert prove(path, "outside") == ""  # a call in the same file is followed
    assert prove(path, "0x10002") == ""  # by its address


@pytest.mark.parametrize(
    ("triple", "mark"),
    [
        ("x86_64-unknown-linux-gnu", ".type hidden, @gnu_indirect_function"),
        ("x86_64-apple-darwin", ".symbol_resolver hidden"),
    ],
)
def test_what_chooses_a_function_is_none(tmp_path: Path, triple: str, mark: str) -> None:
    """A call of its name runs what it returns when the file is loaded."""
    path = tmp_path / "f.o"
    text = f"{mark}\n.text\n.globl hidden\nhidden: mov rax, rdi\nret\n"
    path.write_bytes(assemble(f".intel_syntax noprefix\n{text}", triple))
    with pytest.raises(ObjectError, match="'hidden' is no function: its code only chooses"):
        prove(path, "hidden")
    called = text + ".globl outside\noutside: call hidden\nret\n"
    path.write_bytes(assemble(f".intel_syntax noprefix\n{called}", triple))
    assert "no instruction" in prove(path, "outside")  # as for what another file defines


def test_memory_that_may_change_is_no_constant(tmp_path: Path) -> None:
    path = written(tmp_path, ADD.format(table="changing"))
    assert "not read-only" in prove(path, "hidden")
    assert "not read-only" in prove(written(tmp_path, ADD.format(table="elsewhere")), "hidden")
    relocated = ADD.format(table="constant + 8")
    assert "not read-only" in prove(written(tmp_path, relocated), "hidden")
    taken = SUM + 'memory = {"elsewhere+8" = "0xffffffffffffffc5 of 8 bytes"}\n'
    path = written(tmp_path, ADD.format(table="elsewhere"))
    assert prove(path, "hidden", taken) == ""


@pytest.mark.parametrize(
    ("place", "number", "is_so"),
    [
        ("hidden", "0x068b48 of 3", True),
        ("hidden+1", "0x8b of 1", True),
        ("hidden+1", "0x8a of 1", False),
        ("hidden", "0x058b48 of 3", False),
        ("outside", "0 of 1", False),
    ],
)
def test_memory_is_not_said_to_be_what_the_file_does_not_have(
    tmp_path: Path, place: str, number: str, is_so: bool
) -> None:
    """Read-only bytes of the file stand for themselves: a contract may only say the same."""
    path = written(tmp_path, ADD.format(table="constant"))
    taken = f'{SUM}memory = {{"{place}" = "{number} bytes"}}\n'
    if is_so:
        assert prove(path, "hidden", taken) == ""
    else:
        with pytest.raises(ObjectError, match="has other bytes there"):
            prove(path, "hidden", taken)


@pytest.mark.parametrize("place", ["0x4q", "0x", "0x1+0x2", "else\\nwhere"])
def test_memory_at_no_address_and_no_symbol_is_one_line(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = tmp_path / "sum.toml"
    contract.write_text(f'{SUM}memory = {{"{place}" = "0x0 of 4 bytes"}}\n')
    words = ["prove", str(written(tmp_path, ADD.format(table="constant"))), "--symbol", "hidden"]
    is_address = "+" in place
    assert main([*words, "--field", hex(P), "--contract", str(contract)]) == (
        0 if is_address else 2
    )
    said = capsys.readouterr().err.splitlines()
    assert len(said) == (0 if is_address else 1)
    assert is_address or "is no address; write one such as" in said[0] or "no symbol" in said[0]


def test_an_address_in_an_instruction_is_no_number(tmp_path: Path) -> None:
    text = ".intel_syntax noprefix\n.globl f\nf: movabs rax, offset f\nmov [rdi], rax\nret\n"
    assert "linker writes" in prove(
        written(tmp_path, text), "f", 'claim="z=x"\narguments=["z","x"]'
    )


def test_linked_files(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("SKIPPED: no C compiler links here")
    path = written(tmp_path, ADD.format(table="constant"))
    shared = tmp_path / "f.so"
    link = [compiler, "-shared", "-nostdlib", "-o"]
    subprocess.run([*link, shared, path], check=True)
    assert prove(shared, "hidden") == ""
    address = f"{open_images(shared)[''].routines()['hidden'].address:#x}"
    stripped = tmp_path / "stripped.so"
    subprocess.run([*link, stripped, "-s", path], check=True)
    with pytest.raises(ObjectError):
        prove(stripped, "hidden")
    assert prove(stripped, address) == ""


def test_windows_libraries(tmp_path: Path) -> None:
    compiler = shutil.which("x86_64-w64-mingw32-gcc")
    if compiler is None:
        pytest.skip("SKIPPED: no compiler for Windows is here")
    copy = ".intel_syntax noprefix\n.globl {0}\n{0}:\nmov rax, [{2}]\nmov [{1}], rax\nret\n"
    (tmp_path / "f.s").write_text(copy.format("f", "rcx", "rdx") + copy.format("g", "rdi", "rsi"))
    library = tmp_path / "f.dll"
    words = [compiler, "-shared", "-nostdlib", "-Wl,--export-all-symbols", "-o", str(library)]
    subprocess.run([*words, str(tmp_path / "f.s")], check=True)
    claim = 'claim = "z = x"\narguments = ["z", "x"]\n'
    assert prove(library, "f", claim) == ""
    assert "depends on data" in prove(library, "g", claim)  # of another convention
    with pytest.raises(ObjectError):
        prove(library, "h", claim)


LOOP = """
    .intel_syntax noprefix
    .globl f
f:
    xor eax, eax
    mov ecx, {count}
    lea rdx, [rdi + 8*{count}]
1:  mov r8, [rsi + 8*rax]
    mov [rdi + 8*rax], r8
    lea rax, [rax + 1]
    cmp rax, rcx
    jb 1b
    ret
"""


GO_BODY = """
    mov {a}, [{x}]
    add {a}, [{y}]
    mov r15, {a}
    mov rbx, 1
    shl rbx, 61
    dec rbx
    sub r15, rbx
    cmovnc {a}, r15
    mov [{z}], {a}
    ret
"""
GO_STACK = "mov rdi, [rsp + 8]\nmov rsi, [rsp + 16]\nmov r14, [rsp + 24]"
GO = {
    "go-abi0": GO_STACK + GO_BODY.format(a="rcx", z="rdi", x="rsi", y="r14"),
    "go-abiinternal": "mov rdx, rbx\n" + GO_BODY.format(a="r8", z="rax", x="rdx", y="rcx"),
}


@pytest.mark.parametrize("convention", GO)
def test_conventions_of_go(convention: str, tmp_path: Path) -> None:
    """Arguments on the stack, or in Go's registers; what it keeps is kept."""
    begin, p = ".intel_syntax noprefix\n.globl f\nf: ", 2**61 - 1
    path, claim = written(tmp_path, begin + GO[convention]), f'convention = "{convention}"\n{SUM}'
    assert prove(path, "f", claim, p) == ""
    assert prove(path, "f", SUM, p) != ""  # by System V
    other = next(name for name in GO if name != convention)
    assert prove(path, "f", claim.replace(convention, other), p) != ""
    assert "no convention go" in prove(path, "f", claim.replace(convention, "go"), p)
    path = written(tmp_path, begin + GO[convention].replace("rbx, 1", "rbp, 1\nmov rbx, 1"))
    assert "rbp" in prove(path, "f", claim, p)
    path = written(tmp_path, begin + "mov r14, 1\n" + GO["go-abiinternal"])
    assert "r14" in prove(path, "f", claim.replace(convention, "go-abiinternal"), p)
    path = written(tmp_path, begin + GO["go-abi0"].replace("rsp + 24", "rsp + 32"))
    assert "stack" in prove(path, "f", claim.replace(convention, "go-abi0"), p)


ON_BITS = {
    "carries apart": """
        mov rcx, rax
        xor rcx, rdx  # the sum of each pair of bits, and what they carry
        and rax, rdx
        lea rax, [rcx + 2*rax]""",
    "every second bit": """
        mov r8, 0x5555555555555555
        mov r9, 0xaaaaaaaaaaaaaaaa
        and r8, rax
        and r9, rax
        lea rax, [r8 + r9]
        add rax, rdx""",
    "a bit by itself": """
        bts rax, 7
        setnc cl
        movzx ecx, cl
        shl rcx, 7
        sub rax, rcx
        add rax, rdx""",
}


@pytest.mark.parametrize("name", ON_BITS)
def test_sums_by_bits(name: str, tmp_path: Path) -> None:
    """z = x + y modulo 2^61 - 1, below 2^62; and not with one instruction's constant changed."""
    claim = SUM + 'below = {z = "2*p"}\n'
    begin = ".intel_syntax noprefix\n.globl f\nf: mov rax, [rsi]\nmov rdx, [rdx]\n"
    right, end = ON_BITS[name], "\nmov [rdi], rax\nret\n"
    path = written(tmp_path, begin + right + end)
    assert prove(path, "f", claim, 2**61 - 1) == ""
    for old, new in (("2*rax", "rax"), ("0x5555", "0x5557"), ("rax, 7", "rax, 8")):
        if old in right:
            path = written(tmp_path, begin + right.replace(old, new, 1) + end)
            assert "function" in prove(path, "f", claim, 2**61 - 1)


def test_loops_with_a_constant_count(tmp_path: Path) -> None:
    path = written(tmp_path, LOOP.format(count=4))
    (image,) = open_images(path).values()
    copy = 'claim = "z = x"\narguments = ["z", "x"]\nlimbs = 4\n'
    same = prove_foreign(
        image, "f", contract_in_file(copy + "overlap = false\n", 4), (1 << 256) - 189
    )
    assert same.failure == ""
    into = prove_foreign(image, "f", contract_in_file(copy, 4), (1 << 256) - 189)
    assert into.failure == ""  # each limb is read before z has one at its place
    late = ".intel_syntax noprefix\n.globl f\nf: mov qword ptr [rdi], 0\nmov rax, [rsi]\n"
    path = written(tmp_path, late + "mov [rdi], rax\nret\n")
    one = 'claim = "z = x"\narguments = ["z", "x"]\n'
    assert "after it wrote z" in prove(path, "f", one)
    assert prove(path, "f", one + "overlap = false\n") == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("claim = 'z = x'", "lacks"),
        ("claim = 3\narguments = ['z']", "what is no text"),
        ("claim = 'z = w'\narguments = ['z', 'x']", "no value w"),
        ("claim = 'z*z = x'\narguments = ['z', 'x']", "no number times"),
        ("claim = '0*z = x'\narguments = ['z', 'x']", "no number times"),
        ("claim = 'p*z = 5*p*x'\narguments = ['z', 'x']", "does not determine z"),
        ("claim = '2*p*z = 0'\narguments = ['z', 'x']", "does not determine z"),
        ("claims = ['z0 = x', '-p*z1 = x']\narguments = ['z', 'x']", "does not determine z1"),
        ("claim = 'z = v'\nbetween = ['p*v = x']\narguments = ['z', 'x']", "not determine v"),
        ("claim = 'z = x/2'\narguments = ['z', 'x']", "neither"),
        ("claim = 'z = x**2'\narguments = ['z', 'x']", "only added"),
        ("claim = 'z = x*(1//0)'\narguments = ['z', 'x']", "divided by 0"),
        ("claim = 'z = 2**999999999 + x'\narguments = ['z', 'x']", "too high"),
        ("claim = 'z = ('\narguments = ['z', 'x']", "no expression"),
        ("claim = 'z = x'\narguments = ['x']", "no argument z"),
        ("claim = 'z = x'\narguments = ['z', 'x']\nbelow = {x = '2*R'}", "bound of x"),
        ("claim = 'z = x'\narguments = ['z', 'x']\ncolour = 1", "has no colour"),
        ("claim = 'z = x'\narguments = ['z', 'x']\nmemory = {a = '5'}", "is not as in"),
    ],
)
def test_bad_contracts(said: str, why: str) -> None:
    with pytest.raises(ProofError, match=why):
        contract_from(contract_in_file(said, 1).statement, P)


def test_several_results_and_bounds() -> None:
    contract = contract_from(
        Statement(
            ("z", "x", "-", "y", "count", "rr"),
            ("R*z0 = x0*y - 3*x1", "R*z1 = x1*y"),
            2,
            below={"x": "2*p", "z": "4*p - 1"},
            sizes={"rr": 2},
            values={"x": 2, "z": 2},
            numbers={"count": "2"},
            tables={"rr": "R**2 % p"},
        ),
        1000003,
    )
    assert [(o.name, o.high, o.count) for o in contract.operands] == [
        ("x", 2000005, 2),
        ("y", 1000002, 1),
    ]
    assert contract.high == 4000010 and contract.factor == 1 << 128
    assert contract.claims[0]([{(0,): 1}, {(1,): 1}, {(2,): 1}]) == {(0, 2): 1, (1,): -3}
    assert contract.tables["rr"] == (pow(2, 256, 1000003), 0)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, ADD.format(table="constant"))
    contract = tmp_path / "sum.toml"
    contract.write_text(SUM)
    words = ["prove", str(path), "--symbol", "hidden", "--contract", str(contract)]
    assert main([*words, "--field", hex(P)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for part in ("PROVED", "z = x + y", "x < p", "assumed", "read-only"):
        assert part in said
    assert main([*words, "--field", hex(P - 24)]) == 1
    capsys.readouterr()
    assert main(["prove", str(path), "--list", "--json"]) == 0
    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed == {} or "hidden" in listed
    contract.write_text(SUM + "x = 3\n")
    assert main([*words, "--field", hex(P)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("size", [0, 3, 16, 63, 64, 200, 400])
def test_damaged_files_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: int
) -> None:
    whole = assemble(ADD.format(table="constant"))
    for data in (
        whole[:size],
        bytes((b * 7 + 3) % 256 for b in whole[:size]),
        whole[:20] + bytes(size),
    ):
        path = tmp_path / "f.o"
        path.write_bytes(data)
        status = main(["prove", str(path), "--list"])
        assert status in (0, 2)
        assert len(capsys.readouterr().err.splitlines()) == (1 if status else 0)
