"""What the prover must refuse, and what it may not contain."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import lief
import pytest

import fieldc.binary
import fieldc.proof
from fieldc.machine.assemble import assemble, host_triple
from fieldc.proof.algebra.equations import Polynomial, add_to
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import CLAIMS, Contract, Operand
from fieldc.proof.prove import prove

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the code is x86-64")
P = (1 << 64) - 59
TOP = (1 << 64) - 1
ROOT = Path(__file__).parents[1]
PROOF = sorted(Path(fieldc.proof.__path__[0]).rglob("*.py"))
BINARY = sorted(Path(fieldc.binary.__path__[0]).rglob("*.py"))


def name_of(path: Path) -> str:
    """A source file and its folder."""
    return f"{path.parent.name}/{path.name}"


def code_of(text: str) -> bytes:
    """The machine code of Intel-syntax text with `;` between instructions."""
    lines = text.replace(";", "\n")
    data = assemble(f".intel_syntax noprefix\n.text\n{lines}\n")
    return bytes(lief.parse(list(data)).get_section(".text").content)


def first(values: Sequence[Polynomial]) -> Polynomial:
    """The claim z = x."""
    return values[0]


def after(values: Sequence[Polynomial]) -> Polynomial:
    """The claim z = x + 1."""
    total = dict(values[0])
    add_to(total, {(): 1})
    return total


def copies(high: int = P - 1, claim: object = first) -> Contract:
    """One word in, one word out."""
    return Contract(P, 1, (Operand("x", 1, high),), claim, 1, TOP)  # type: ignore[arg-type]


INTEGER = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "prod"}
"""Functions of `math` that give integers for integers."""
COPY = "mov rax, [rsi]; mov [rdi], rax; "


def test_the_copy_itself_is_proved() -> None:
    prove(code_of(COPY + "ret"), copies())


REFUSED = {
    "unknown opcode": (COPY + "bswap rcx; ret", "bswap"),
    "vector instruction": (COPY + "pxor xmm0, xmm0; ret", "pxor"),
    "variable-time division": (COPY + "div rcx; ret", "div"),
    "undefined carry": ("mov rax, [rsi]; imul rax, rax; adc rax, 0; ret", "adc"),
    "undefined overflow": ("mov rax, [rsi]; add rax, 0; adox rax, rax; ret", "adox"),
    "carry on entry": ("mov rax, [rsi]; adc rax, 0; mov [rdi], rax; ret", "adc"),
    "overflow on entry": ("mov rax, [rsi]; adox rax, rax; mov [rdi], rax; ret", "adox"),
    "branch": ("test rax, rax; je 1f; " + COPY + "1: ret", "je"),
    "jump that never ends": ("1: jmp 1b", "not return"),
    "indirect jump": (COPY + "jmp rax", "jmp"),
    "indirect call": (COPY + "call rax; ret", "call"),
    "address from data": ("mov rax, [rsi]; mov rcx, [rax]; mov [rdi], rcx; ret", "mov rcx"),
    "index": ("mov rax, [rsi + 8*rcx]; mov [rdi], rax; ret", "mov rax"),
    "segment": ("mov rax, fs:[rsi]; mov [rdi], rax; ret", "mov rax"),
    "write behind z": (COPY + "mov [rdi + 8], rax; ret", "mov"),
    "write before z": (COPY + "mov [rdi - 8], rax; ret", "mov"),
    "write to x": (COPY + "mov [rsi], rax; ret", "mov"),
    "read behind x": ("mov rax, [rsi + 8]; mov [rdi], rax; ret", "mov rax"),
    "read after the store": (COPY + "mov rcx, [rsi]; ret", "mov rcx"),
    "write below the red zone": (COPY + "mov [rsp - 136], rax; ret", "mov"),
    "write over the return address": (COPY + "mov [rsp], rax; ret", "mov"),
    "read of the stack": ("mov rax, [rsp]; mov [rdi], rax; ret", "mov rax"),
    "callee-saved": (COPY + "xor ebx, ebx; ret", "rbx"),
    "stack pointer": (COPY + "push rax; ret", "ret"),
    "stack pointer from data": ("mov rsp, [rsi]; ret", "rsp"),
    "half a register": ("mov eax, [rsi]; mov [rdi], rax; ret", "mov eax"),
    "32-bit sum": ("mov rax, [rsi]; add eax, 0; mov [rdi], rax; ret", "add eax"),
    "32-bit sum that may carry": (
        COPY + "add rax, 0; mov ecx, -1; mov r8d, 1; adc ecx, r8d; ret",
        "adc ecx",
    ),
    "32-bit sum of a word": (COPY + "xor ecx, ecx; adc eax, ecx; ret", "adc eax"),
    "32-bit and of words": (COPY + "mov rcx, rax; and eax, ecx; ret", "and eax"),
    "bits as data say": (COPY + "bzhi rcx, rax, rax; ret", "bzhi"),
    "bits by an unknown byte": (COPY + "setb cl; bzhi rcx, rax, rcx; ret", "setb"),
    "byte of an address": ("mov dil, 8; mov rax, [rsi]; mov [rdi], rax; ret", "depends on data"),
    "word of a byte": (COPY + "mov cl, 1; add rcx, rax; ret", "computes with"),
    "byte of a byte": (COPY + "mov ch, 1; ret", "mov ch"),
    "byte of the stack pointer": (COPY + "mov spl, 8; ret", "mov spl"),
    "sum of a byte": (COPY + "add rax, 0; setb cl; add cl, 1; ret", "add cl"),
    "byte that is no flag": (COPY + "mov rcx, rax; add cl, 255; ret", "add cl"),
    "callee-saved byte": (COPY + "mov bl, 1; ret", "rbx"),
    "shift by a register": ("mov eax, 5; mov ecx, 0; shld rax, rcx, cl; ret", "shld"),
    "shift by 64": ("mov eax, 5; mov ecx, 7; shld rcx, rax, 64; ret", "shld"),
    "shift by 65": ("mov eax, 5; mov ecx, 7; shld rcx, rax, 65; ret", "shld"),
    "shrd by a register": ("mov eax, 5; mov ecx, 0; shrd rax, rcx, cl; ret", "shrd"),
    "shrd by 64": ("mov eax, 5; mov ecx, 7; shrd rcx, rax, 64; ret", "shrd"),
    "flag after shrd": (COPY + "shrd rax, rax, 1; adc rax, rax; ret", "adc"),
    "half of lea": (COPY + "lea eax, [rax + 1]; ret", "lea"),
    "stack pointer by lea": (COPY + "lea rsp, [rax + 1]; ret", "lea"),
    "push of 16 bits": (COPY + ".byte 0x66, 0x6a, 1; " * 4 + "add rsp, 32; ret", "push"),
    "return with a prefix": (COPY + ".byte 0x66; ret", "ret"),
    "lock before a return": (COPY + ".byte 0xf0, 0xf3, 0xc3", "ret"),
    "another prefix before adcx": (
        COPY + "xor ecx, ecx; .byte 0xf3, 0x2e, 0x66, 0x48, 0x0f, 0x38, 0xf6, 0xc1; ret",
        "adcx",
    ),
    "prefix before mulx": (COPY + ".byte 0xf2; mulx rcx, r8, rax; ret", "mulx"),
    "two REX prefixes": (COPY + ".byte 0x48; add rcx, 0; ret", "add"),
    "return that frees": (COPY + "ret 8", "ret"),
    "truncated": (COPY + ".byte 0x48, 0x8b", "no instruction"),
    "no return": (COPY, "no instruction"),
    "data": (".quad 0x0606060606060606", "no instruction"),
}


FOREIGN = {
    "half of inc": (COPY + "mov rcx, rax; inc ecx; ret", "inc"),
    "half of dec": (COPY + "mov rcx, rax; dec ecx; ret", "dec"),
    "and of halves": (COPY + "lea rcx, [rax + 1]; and eax, ecx; ret", "and eax"),
    "or that is used": (COPY + "lea rcx, [rax + 1]; or rcx, rax; add rax, rcx; ret", "add rax"),
    "xor of halves": (COPY + "lea rcx, [rax + 1]; xor eax, ecx; ret", "xor eax"),
    "btr by a register": (COPY + "btr rax, rax; ret", "btr"),
    "bts by a register": (COPY + "bts rax, rax; ret", "bts"),
    "bts of a half": (COPY + "bts eax, 3; ret", "bts"),
    "signed shift": (COPY + "sar rax, 5; ret", "sar"),
    "shlx as data say": (COPY + "shlx rcx, rax, rax; ret", "shlx"),
    "bit as data say": (COPY + "bt rax, rax; ret", "bt"),
    "bit of memory": (COPY + "bt qword ptr [rsp], 1; ret", "bt"),
    "zero flag after adcx": (COPY + "adcx rax, rax; cmove rax, rcx; ret", "adcx"),
    "zero flag on entry": (COPY + "cmove rax, rax; ret", "cmove"),
    "zero flag after a product": (COPY + "imul rcx, rax, 3; sete al; ret", "sete"),
    "sign of an or": (COPY + "lea rcx, [rax + 1]; or rcx, rax; cmovs rax, rax; ret", "cmovs"),
    "two flags": (COPY + "cmp rax, 5; cmova rax, rax; ret", "cmova"),
    "overflow of a difference": (COPY + "cmp rax, 5; cmovl rax, rax; ret", "cmovl"),
    "loop as data say": ("1: mov rax, [rsi]; dec rax; jne 1b; ret", "depends on data"),
    "end of a loop as data say": ("mov rax, [rsi]; cmp rax, 8; jb 1f; 1: ret", "jb"),
    "half of a word": (COPY + "mov ecx, [rsp]; ret", "mov ecx"),
    "exchange with memory": (COPY + "xchg rax, [rdi]; ret", "xchg"),
}
"""Refused also in routines that fieldc did not make."""


@pytest.mark.parametrize("name", FOREIGN)
def test_refusals_in_foreign_code(name: str) -> None:
    text, wanted = FOREIGN[name]
    with pytest.raises(ProofError) as caught:
        prove(code_of(text), copies(), constants={})
    assert wanted in str(caught.value)
    with pytest.raises(ProofError):
        prove(code_of(text), copies())


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_instruction(name: str) -> None:
    text, wanted = REFUSED[name]
    with pytest.raises(ProofError) as caught:
        prove(code_of(text), copies())
    assert wanted in str(caught.value)


@pytest.mark.parametrize(
    ("convention", "z", "x"), [("win64", "rcx", "rdx"), ("sysv", "rdi", "rsi")]
)
def test_a_frame_of_more_than_a_page_needs_a_probe(convention: str, z: str, x: str) -> None:
    text = f"mov rax, [{x}]; sub rsp, {{0}}; mov [rsp], rax; add rsp, {{0}}; mov [{z}], rax; ret"
    assert prove(code_of(text.format(4096)), copies(), convention).stack == 4096
    for size in (4104, 1 << 30):
        with pytest.raises(ProofError, match="without a probe"):
            prove(code_of(text.format(size)), copies(), convention)


def test_stack_use_counts_the_red_zone_and_calls() -> None:
    assert prove(code_of(COPY + "ret"), copies()).stack == 0
    assert prove(code_of(COPY + "mov [rsp - 24], rax; ret"), copies()).stack == 24
    assert prove(code_of(COPY + "push rax; pop rcx; ret"), copies()).stack == 8
    assert prove(code_of(COPY + "call 1f; ret; 1: push rax; pop rcx; ret"), copies()).stack == 16


def test_a_win64_kernel_may_use_its_home_space() -> None:
    text = "mov rax, [rdx]; mov [rsp + {0}], rax; mov rax, [rsp + {0}]; mov [rcx], rax; ret"
    assert prove(code_of(text.format(8)), copies(), "win64").stack == 0
    prove(code_of(text.format(32)), copies(), "win64")
    for place in (0, 40, 12):
        with pytest.raises(ProofError, match="stack that is not its own"):
            prove(code_of(text.format(place)), copies(), "win64")
    with pytest.raises(ProofError, match="not its own"):
        prove(code_of(COPY + "mov [rsp + 8], rax; ret"), copies())


def test_a_run_refuses_a_wrong_kernel_with_its_operands() -> None:
    text = "mov rax, [rsi]; add rax, 1; mov [rdi], rax; ret"
    with pytest.raises(ProofError, match=f"function: z is {P:#x} for x = {P - 1:#x}"):
        prove(code_of(text), copies())
    with pytest.raises(ProofError, match=f"canonical: z is {P:#x}, above its bound"):
        prove(code_of(text), Contract(P, 1, (Operand("x", 1, P - 1),), after, 1, P - 1))


def test_an_output_limb_that_is_never_written() -> None:
    with pytest.raises(ProofError, match="never written"):
        prove(code_of("mov rax, [rsi]; ret"), copies())


def test_a_mixed_chain_does_not_telescope() -> None:
    """The carry of `add` into `sbb`: what the chain sums is not what its words are."""
    text = "mov rax, [rsi]; add rax, [rdx]; mov ecx, 0; sbb rcx, 0; cmovb rcx, rax; "
    text += "mov [rdi], rax; imul rcx, rax; ret"
    operands = (Operand("x", 1, P - 1), Operand("y", 1, P - 1))
    with pytest.raises(ProofError):
        prove(code_of(text), Contract(P, 1, operands, CLAIMS["add"], 1, TOP), runs=0)


def test_a_mask_of_a_clear_carry_clears_overflow() -> None:
    """`sbb r, r` with carry 0 clears the overflow flag that adox left."""
    text = "mov rax, [rsi]; mov rcx, [rdx]; xor r8d, r8d; adox rax, rcx; sbb r9, r9; "
    text += "mov ecx, 0; adox rcx, r8; mov [rdi], rax; mov [rdi + 8], rcx; ret"
    operands = (Operand("x", 1, P - 1), Operand("y", 1, P - 1))
    with pytest.raises(ProofError):
        prove(code_of(text), Contract(P, 2, operands, CLAIMS["add"], 1, (1 << 128) - 1), runs=0)


@pytest.mark.parametrize("path", PROOF, ids=name_of)
def test_no_floating_point(path: Path) -> None:
    """No literals, no `float`, no math; `/` only in the functions that work on Fractions."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.Name) and node.id in ("float", "complex", "round"))
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            assert {alias.name for alias in node.names} <= INTEGER, f"line {node.lineno}"
            continue
        assert not _imported(node) & {"math", "cmath", "numpy", "decimal", "statistics"}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            assert "Fraction(" in ast.unparse(node.left), f"line {node.lineno}: true division"
        assert not (isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div))


MAY_READ = ("errors", "reading", "signals")


@pytest.mark.parametrize("path", PROOF, ids=name_of)
def test_the_prover_imports_nothing_of_the_compiler(path: Path) -> None:
    assert _rooms(path) <= {"proof", "binary"}


@pytest.mark.parametrize(("room", "below"), [("algebra", ()), ("claims", ("algebra",))])
def test_the_rooms_of_the_prover_import_one_way(room: str, below: tuple[str, ...]) -> None:
    allowed = tuple(f"fieldc.proof.{name}" for name in (room, *below))
    for path in PROOF:
        if path.parent.name == room:
            names = {n for node in ast.walk(ast.parse(path.read_text())) for n in _imported(node)}
            assert all(n.startswith(allowed) for n in names if n.startswith("fieldc.proof")), path


@pytest.mark.parametrize("path", BINARY, ids=name_of)
def test_the_reader_of_binaries_imports_nothing_of_the_compiler(path: Path) -> None:
    """Only errors, a limit to the size of files, and signals that wait while native code loads."""
    assert _rooms(path) <= {"binary", *MAY_READ}


@pytest.mark.parametrize("name", MAY_READ)
def test_what_the_reader_of_binaries_may_import_imports_no_more_of_fieldc(name: str) -> None:
    assert _rooms(ROOT / "fieldc" / f"{name}.py") <= set(MAY_READ)


def _rooms(path: Path) -> set[str]:
    """The rooms of fieldc that a file imports from."""
    names = {name for node in ast.walk(ast.parse(path.read_text())) for name in _imported(node)}
    return {name.split(".")[1] for name in names if name.startswith("fieldc.")}


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return set()
