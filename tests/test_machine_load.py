"""Loaded kernels: marshalling, aliasing, guards."""

import gc

import pytest

from fieldc.machine.assemble import assemble, compile_ir, host_triple
from fieldc.machine.frames import Alias, FrameError
from fieldc.machine.load import Kernel, Library, LoadError, load

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")

BODY = {
    "sum": "    mov (%rsi), %rax\n    mov 8(%rsi), %rcx\n    add (%rdx), %rax\n"
    "    adc 8(%rdx), %rcx\n    mov %rax, (%rdi)\n    mov %rcx, 8(%rdi)\n",
    "early": "    mov (%rsi), %rax\n    mov %rax, (%rdi)\n    mov (%rdx), %rax\n"
    "    add %rax, (%rdi)\n    mov 8(%rsi), %rax\n    add 8(%rdx), %rax\n    mov %rax, 8(%rdi)\n",
    "copy": "    mov (%rsi), %rax\n    mov 8(%rsi), %rcx\n    mov %rax, (%rdi)\n"
    "    mov %rcx, 8(%rdi)\n",
    "after": "    movb $1, 16(%rdi)\n",
    "before": "    movq $1, -8(%rdi)\n",
    "input": "    addq $1, 8(%rdx)\n",
    "lazy": "    movq $1, (%rdi)\n",
}
MASK = (1 << 128) - 1


@pytest.fixture(scope="module")
def library() -> Library:
    text = "".join(f"    .globl {name}\n{name}:\n{body}    ret\n" for name, body in BODY.items())
    return load(assemble(text))


def test_two_operands_in_every_aliasing(library: Library) -> None:
    kernel = Kernel(library, "sum", (2, 2), 2)
    x, y = (1 << 128) - 3, 0x0123456789ABCDEF_FEDCBA9876543210
    for alias in (Alias.NONE, Alias.Z_IS_X, Alias.Z_IS_Y):
        assert kernel.aliased(alias, x, y) == (x + y) & MASK
    for alias in (Alias.X_IS_Y, Alias.ALL):
        assert kernel.aliased(alias, y, y) == 2 * y
        with pytest.raises(ValueError, match="equal"):
            kernel.aliased(alias, x, y)


def test_aliasing_shows_a_kernel_that_writes_too_early(library: Library) -> None:
    kernel = Kernel(library, "early", (2, 2), 2)
    x, y = 5 << 64 | 7, 3 << 64 | 4
    assert kernel(x, y) == kernel.aliased(Alias.Z_IS_X, x, y) == x + y
    assert kernel.aliased(Alias.Z_IS_Y, x, y) != x + y


def test_one_operand_and_a_longer_operand(library: Library) -> None:
    assert Kernel(library, "copy", (2,), 2)(9 << 64 | 1) == 9 << 64 | 1
    redc = Kernel(library, "copy", (4,), 2)
    assert redc.aliased(Alias.Z_IS_X, 8 << 192 | 6 << 64 | 5) == 6 << 64 | 5
    with pytest.raises(ValueError, match="no y"):
        redc.aliased(Alias.Z_IS_Y, 1)


def test_words_of_32_bits(library: Library) -> None:
    assert Kernel(library, "sum", (4, 4), 4, word=32)(MASK, 2) == 1
    with pytest.raises(ValueError, match="32 or 64"):
        Kernel(library, "sum", (4, 4), 4, word=16)


@pytest.mark.parametrize(
    ("symbol", "message"),
    [
        ("after", "outside z's buffer, at byte 16"),
        ("before", "outside z's buffer, at byte -8"),
        ("input", "changed byte 8 of y's buffer"),
    ],
)
def test_a_write_out_of_bounds_is_an_error(library: Library, symbol: str, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        Kernel(library, symbol, (2, 2), 2)(1, 2)


def test_unwritten_limbs_read_as_poison(library: Library) -> None:
    assert Kernel(library, "lazy", (2, 2), 2)(1, 2) == 0x5C5C5C5C5C5C5C5C << 64 | 1


def test_operands_that_do_not_fit(library: Library) -> None:
    kernel = Kernel(library, "sum", (2, 2), 2)
    for x, y in ((1 << 128, 0), (-1, 0)):
        with pytest.raises(ValueError, match="does not fit"):
            kernel(x, y)
    with pytest.raises(ValueError, match="2 operands"):
        kernel(1)


def test_bad_objects_and_symbols(library: Library) -> None:
    with pytest.raises(LoadError, match="cannot load nosuch"):
        library.address("nosuch")
    with pytest.raises(LoadError, match="cannot load the object"):
        load(b"garbage")


def test_code_stays_while_its_kernel_does() -> None:
    ir = "define void @g(ptr %z, ptr %x) {\n %a = load i64, ptr %x\n %b = add i64 %a, 1\n"
    ir += " store i64 %b, ptr %z\n ret void\n}\n"
    kernel = Kernel(load(compile_ir(ir, host_triple(), "", "").object), "g", (1,), 1)
    gc.collect()
    assert [kernel(i) for i in range(100)] == list(range(1, 101))


def test_objects_are_linked_together() -> None:
    caller = assemble("    .globl twice\ntwice:\n    call once\n    ret\n")
    callee = assemble("    .globl once\nonce:\n    movq $7, (%rdi)\n    ret\n")
    assert Kernel(load(caller, callee), "twice", (1,), 1)(0) == 7
