"""Loaded kernels: marshalling, aliasing, guards."""

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from fieldc.machine.aliasing import Aliasing, aliasings, apart
from fieldc.machine.assemble import assemble, compile_ir, host_triple
from fieldc.machine.frames import FrameError
from fieldc.machine.load import Library, LoadedKernel, LoadError, load

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
    "seven": "    mov (%rsi), %rax\n    add (%rdx), %rax\n    add (%rcx), %rax\n"
    "    add (%r8), %rax\n    add (%r9), %rax\n    mov 8(%rsp), %rcx\n    add (%rcx), %rax\n"
    "    mov 16(%rsp), %rcx\n    add (%rcx), %rax\n    mov %rax, (%rdi)\n",
    "sixth": "    mov 8(%rsp), %rcx\n    addq $1, (%rcx)\n",
    "lazy": "    movq $1, (%rdi)\n",
}
MASK = (1 << 128) - 1
Z_IS_X, Z_IS_Y, X_IS_Y, ALL = map(Aliasing, ((1, 1, 2), (2, 1, 2), (0, 1, 1), (1, 1, 1)))


@pytest.fixture(scope="module")
def library() -> Library:
    text = "".join(f"    .globl {name}\n{name}:\n{body}    ret\n" for name, body in BODY.items())
    return load(assemble(text))


def test_two_operands_in_every_aliasing(library: Library) -> None:
    kernel = LoadedKernel(library, "sum", (2, 2), 2)
    x, y = (1 << 128) - 3, 0x0123456789ABCDEF_FEDCBA9876543210
    for aliasing in (apart(2), Z_IS_X, Z_IS_Y):
        assert kernel.aliased(aliasing, x, y) == (x + y) & MASK
    for aliasing in (X_IS_Y, ALL):
        assert kernel.aliased(aliasing, y, y) == 2 * y
        with pytest.raises(ValueError, match="equal"):
            kernel.aliased(aliasing, x, y)
    assert [*kernel.aliasings()] == [apart(2), Z_IS_X, Z_IS_Y, X_IS_Y, ALL]


def test_aliasings_of_any_number_of_operands() -> None:
    for count, ways in ((1, 2), (2, 5), (3, 15)):  # partitions of a set of count + 1
        found = [*aliasings((8,) * count)]
        assert found[0] == apart(count) and len({*found}) == len(found) == ways
    found = [*aliasings((8,) * 5)]
    pairs = [{i for i, b in enumerate(a.buffers) if a.buffers.count(b) > 1} for a in found]
    assert len(found) == 17 and all(len(pair) in (0, 2, 6) for pair in pairs)
    assert len({frozenset(pair) for pair in pairs}) == 17
    # Operands of other sizes share nothing, but z may begin where any of them does.
    assert [a.buffers for a in aliasings((8, 16))] == [(0, 1, 2), (1, 1, 2), (2, 1, 2)]
    assert str(apart(2)) == "nothing shared"
    assert str(Aliasing((1, 1, 2, 2))) == "z is operand 1, operand 2 is operand 3"


def test_seven_operands(library: Library) -> None:
    kernel = LoadedKernel(library, "seven", (1,) * 7, 1)
    assert kernel(*(10**i for i in range(7))) == 1111111
    for aliasing in kernel.aliasings():
        given = aliasing.merged(tuple(10**i for i in range(7)))
        assert kernel.aliased(aliasing, *given) == sum(given)
    with pytest.raises(FrameError, match="changed byte 0 of d's buffer"):
        LoadedKernel(library, "sixth", (1,) * 7, 1)(*range(7))


def test_aliasing_shows_a_kernel_that_writes_too_early(library: Library) -> None:
    kernel = LoadedKernel(library, "early", (2, 2), 2)
    x, y = 5 << 64 | 7, 3 << 64 | 4
    assert kernel(x, y) == kernel.aliased(Z_IS_X, x, y) == x + y
    assert kernel.aliased(Z_IS_Y, x, y) != x + y


def test_one_operand_and_a_longer_operand(library: Library) -> None:
    assert LoadedKernel(library, "copy", (2,), 2)(9 << 64 | 1) == 9 << 64 | 1
    redc = LoadedKernel(library, "copy", (4,), 2)
    assert redc.aliased(Aliasing((1, 1)), 8 << 192 | 6 << 64 | 5) == 6 << 64 | 5
    with pytest.raises(ValueError, match="takes 1 operands"):
        redc.aliased(Z_IS_Y, 1)


def test_words_of_32_bits(library: Library) -> None:
    assert LoadedKernel(library, "sum", (4, 4), 4, word=32)(MASK, 2) == 1
    with pytest.raises(ValueError, match="32 or 64"):
        LoadedKernel(library, "sum", (4, 4), 4, word=16)


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
        LoadedKernel(library, symbol, (2, 2), 2)(1, 2)


def test_unwritten_limbs_read_as_poison(library: Library) -> None:
    assert LoadedKernel(library, "lazy", (2, 2), 2)(1, 2) == 0x5C5C5C5C5C5C5C5C << 64 | 1


def test_operands_that_do_not_fit(library: Library) -> None:
    kernel = LoadedKernel(library, "sum", (2, 2), 2)
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
    kernel = LoadedKernel(load(compile_ir(ir, host_triple(), "", "").object), "g", (1,), 1)
    gc.collect()
    assert [kernel(i) for i in range(100)] == list(range(1, 101))


def test_objects_are_linked_together() -> None:
    caller = assemble("    .globl twice\ntwice:\n    call once\n    ret\n")
    callee = assemble("    .globl once\nonce:\n    movq $7, (%rdi)\n    ret\n")
    assert LoadedKernel(load(caller, callee), "twice", (1,), 1)(0) == 7


def test_a_call_of_another_thread_meanwhile_changes_nothing(library: Library) -> None:
    kernel = LoadedKernel(library, "sum", (2, 2), 2)
    run = kernel._function

    with ThreadPoolExecutor(1) as another:

        def delayed(*places: int) -> None:
            kernel._function = run
            assert another.submit(kernel, 30, 40).result() == 70
            run(*places)

        kernel._function = delayed  # type: ignore[assignment]
        assert kernel(1, 2) == 3
