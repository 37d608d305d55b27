"""A traced call computes what the function means, and agrees with the static count."""

from __future__ import annotations

import pytest
import unicorn
from lab_code import COMPILED, MULX, TRIPLES, caller, kernel, trace_of

from fieldc.catalogue import find_field
from fieldc.counting.count import Count
from fieldc.counting.functions import count_in
from fieldc.errors import UserError
from fieldc.lab.registers import MODELS
from fieldc.lab.trace import Request, Trace
from fieldc.machine.assemble import assemble

F = find_field("bls12-381-p")
A, B = 3 * F.R % F.p, 5 * F.R % F.p
REQUEST = Request(values=(("x", A), ("y", B)), field=F)


def widths(counts: Count, store: bool) -> dict[int, int]:
    """The static count's accesses by width, those of push, pop, call and ret among them."""
    found: dict[int, int] = {}
    for pushed in (False, True):
        for access in counts.accesses(pushed):
            if access.store is store:
                found[access.width] = found.get(access.width, 0) + 1
    return found


@pytest.mark.parametrize("name", [*MULX, *COMPILED])
def test_a_straight_line_runs_as_it_stands(name: str) -> None:
    static, run = count_in(kernel(name), "kernel"), trace_of(kernel(name), "kernel", REQUEST)
    assert static.is_straight
    assert run.count.code == static.code
    assert run.moved(False) == widths(static, False)
    assert run.moved(True) == widths(static, True)
    assert run.result == tuple(F.limbs(15 * F.R % F.p))


@pytest.mark.parametrize("triple", TRIPLES)
def test_calls_inside_the_object_are_followed(triple: str) -> None:
    run = trace_of(caller(triple), "looks_up", Request(("100", "2")))
    assert run.returned == 100 + 7 * 33
    assert [name.lstrip("_") for name in run.functions] == ["looks_up", "helper"]


@pytest.mark.parametrize("triple", TRIPLES)
@pytest.mark.parametrize(
    ("symbol", "message"),
    [
        ("calls_out", "outside, which is in another file"),
        ("reads_out", "reads _?other, which is in another file"),
        ("loops", "no return within 500 instructions"),
    ],
)
def test_what_has_no_end_here_is_one_line(triple: str, symbol: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as raised:
        trace_of(caller(triple), symbol, Request(("1",), limit=500))
    assert "\n" not in str(raised.value) and raised.value.status == 2


BODY = """
.globl kernel
kernel:
    movups (%rsi), %xmm0
    movups %xmm0, (%rdi)
    addq %rdx, 8(%rdi)
    movzbl 3(%rsi), %eax
    movb %al, 16(%rdi)
    mov %fs:0x28, %rcx
    movw %cx, 18(%rdi)
    ret
"""


def test_wide_and_narrow_accesses() -> None:
    static = count_in(assemble(BODY, "x86_64-unknown-linux-gnu"), "kernel")
    run = trace_of(assemble(BODY, "x86_64-unknown-linux-gnu"), "kernel", REQUEST)
    assert static.memory(False) == {8: 1, 64: 2, 128: 1}
    assert static.memory(True) == {8: 1, 16: 1, 64: 1, 128: 1}
    assert run.moved(True) == static.memory(True)
    assert run.moved(False) == widths(static, False)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("mov (%rax), %rax", "reads 0x5eed00000000, where no memory is"),
        ("vpxor %ymm0, %ymm0, %ymm0", "'vpxor ymm0, ymm0, ymm0' at 0x10000"),
        ("syscall", "'syscall' at 0x10000"),
        ("ud2", "'ud2' at 0x10000"),
        ("rep stosb", "no end within 8001 memory accesses"),
        ("jmp *%rax", "calls 0x5eed00000000"),
    ],
)
def test_what_the_emulator_cannot_do_is_one_line(body: str, message: str) -> None:
    text = f".globl kernel\nkernel:\n{body}\nret\n"
    with pytest.raises(UserError) as raised:
        trace_of(assemble(text, "x86_64-unknown-linux-gnu"), "kernel", Request(limit=500))
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_a_repeated_instruction_is_one() -> None:
    text = ".globl kernel\nkernel:\nmov $40, %ecx\nmov $7, %eax\nrep stosb\nret\n"
    run = trace_of(assemble(text, "x86_64-unknown-linux-gnu"), "kernel", REQUEST)
    assert run.count.instructions == 4 and run.moved(True) == {8: 40}
    assert run.result == (0x0707070707070707,) * 5


def test_arguments_go_where_the_convention_says() -> None:
    text = ".globl kernel\nkernel:\nmov 8(%rsp), %rax\nadd %r9, %rax\nret\n"
    request = Request(tuple("1234567"), convention="sysv")
    run = trace_of(assemble(text, "x86_64-unknown-linux-gnu"), "kernel", request)
    assert run.returned == 6 + 7
    text = ".globl kernel\nkernel:\nmov 40(%rsp), %rax\nadd %r9, %rax\nret\n"
    run = trace_of(assemble(text, "x86_64-pc-windows-msvc"), "kernel", Request(tuple("12345")))
    assert run.returned == 4 + 5


def test_the_same_seed_gives_the_same_call() -> None:
    first, again, other = (
        trace_of(kernel("mulx"), "kernel", Request(field=F, seed=seed)) for seed in (1, 1, 2)
    )
    assert first.steps == again.steps
    assert first.result != other.result


FLAG_BITS = {
    "x86_64": ("eflags", {"cf": 0, "zf": 6, "sf": 7, "of": 11}),
    "aarch64": ("nzcv", {"nzcv": 28}),
}


def states_of(
    name: str, request: Request, monkeypatch: pytest.MonkeyPatch
) -> tuple[Trace, list[dict[str, int]]]:
    """A call, and the registers and flags before each of its instructions."""
    from fieldc.lab import emulate

    states: list[dict[str, int]] = []
    architecture = "aarch64" if name.startswith("aarch64") else "x86_64"
    model, plain = MODELS[architecture], emulate.Run.on_code
    register, bits = FLAG_BITS[architecture]
    constants = unicorn.arm64_const if architecture == "aarch64" else unicorn.x86_const
    prefix = "UC_ARM64_REG_NZCV" if architecture == "aarch64" else "UC_X86_REG_EFLAGS"

    def on_code(run: emulate.Run, machine: unicorn.Uc, *rest: int) -> None:
        held = {r: machine.reg_read(model.numbers[r]) for r in (*model.general, model.stack)}
        flags = machine.reg_read(getattr(constants, prefix))
        mask = 15 if register == "nzcv" else 1
        states.append(held | {flag: flags >> bit & mask for flag, bit in bits.items()})
        plain(run, machine, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(emulate.Run, "on_code", on_code)
        return trace_of(kernel(name), "kernel", request), states


@pytest.mark.parametrize("name", ["adx", "base", "x86_64-linux-llvm-bmi2", "aarch64-linux"])
def test_what_changes_is_written_and_what_it_depends_on_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two calls: what an instruction left different it wrote, from something different."""
    one, before = states_of(name, REQUEST, monkeypatch)
    other, others = states_of(name, Request(field=F, seed=7), monkeypatch)
    pairs = zip(one.steps, other.steps, before, others, before[1:], others[1:], strict=False)
    for step, twin, a, b, after_a, after_b in pairs:
        i = step.instruction
        moved = {i.copies[0]} if i.copies else set()
        assert {r for r in a if a[r] != after_a[r]} <= i.writes | moved, i.text
        if any(after_a[r] != after_b[r] for r in i.writes if r in a):
            read = any(a[r] != b[r] for r in i.reads if r in a)
            assert read or step.reads != twin.reads, i.text


@pytest.mark.parametrize("name", ["x86_64-macos-llvm-bmi2", "aarch64-macos"])
def test_a_linked_mach_o_keeps_its_addresses(name: str) -> None:
    """An object that calls itself a library: its sections have addresses already."""
    data = bytearray(kernel(name))
    data[12] = 6  # MH_DYLIB
    run = trace_of(bytes(data), "kernel", REQUEST)
    assert run.steps[0].instruction.address == 0
    assert run.result == tuple(F.limbs(15 * F.R % F.p))
