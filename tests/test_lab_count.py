"""What is counted, and the lower bounds that follow."""

from __future__ import annotations

import pytest
from lab_code import TRIPLES, caller, kernel

from fieldc.counting.count import count
from fieldc.counting.decode import decode
from fieldc.counting.functions import count_in
from fieldc.counting.instructions import CodeError
from fieldc.counting.limits import CHAIN, SLOTS, Limits, all_bounds, lower_bounds
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import part_of
from fieldc.machine.processors import (
    find_processor,
    processor_of_part,
    processor_of_signature,
    processors,
    processors_of,
)

LINUX = "x86_64-unknown-linux-gnu"


def limits_of(body: str, processor: str = "cascade-lake") -> Limits:
    """The bounds of a few lines of AT&T assembly."""
    data = assemble(f".globl kernel\nkernel:\n{body}\n", LINUX)
    return lower_bounds(count_in(data, "kernel"), find_processor(processor))


@pytest.mark.parametrize(
    ("field", "limbs"), [("bls12-381-p", 6), ("bls12-381-r", 4), ("secp256k1-n", 4)]
)
@pytest.mark.parametrize("name", ["mulx", "base"])
def test_multiplications_are_those_of_the_algorithm(name: str, field: str, limbs: int) -> None:
    """2n^2 + 1 by log-jump and with complements, 2n^2 + n by CIOS: bounds chose between them."""
    expected = 2 * limbs**2 + (limbs if field == "secp256k1-n" else 1)
    assert count_in(kernel(name, field), "kernel").multiplications == expected


def test_a_product_takes_two_instructions_on_aarch64() -> None:
    by_opcode = count_in(kernel("aarch64-linux"), "kernel").by_opcode()
    assert by_opcode["mul"] == by_opcode["umulh"] == 72


@pytest.mark.parametrize("name", ["mulx", "x86_64-windows-llvm-bmi2", "aarch64-macos"])
def test_the_parts_make_the_whole(name: str) -> None:
    found = count_in(kernel(name), "kernel")
    row = found.row()
    for part in ("by_opcode", "by_kind"):
        assert sum(row[part].values()) == found.instructions  # type: ignore[attr-defined]
    loads, stores, both = found.memory(False), found.memory(True), found.memory()
    assert {w: loads.get(w, 0) + stores.get(w, 0) for w in both} == both


def test_spills_are_what_goes_to_the_stack() -> None:
    text = "push %rbx\nmov %rsp, %rbp\nsub $16, %rsp\nmov %rdi, 8(%rsp)\nmov -8(%rbp), %rax\n"
    text += "mov %rax, (%rdi)\nmov $0, %ebp\nmov (%rbp), %rax\nadd $16, %rsp\npop %rbx\nret"
    found = count_in(assemble(f".globl kernel\nkernel:\n{text}\n", LINUX), "kernel")
    assert found.spills() == {"stores": 1, "loads": 1}
    row = found.row()
    assert (row["pushes"], row["pops"]) == (1, 2)  # the return pops too


def test_zicond_is_counted() -> None:
    by_opcode = count_in(kernel("riscv64-linux-zicond"), "kernel").by_opcode()
    assert by_opcode["czero.eqz"] == by_opcode["czero.nez"] == 6


def test_risc_v_is_counted() -> None:
    found = count_in(kernel("riscv64-linux"), "kernel")
    assert found.by_opcode()["mulhu"] == 72 and found.multiplications == 144
    assert found.memory(True)[64] >= 6 and all_bounds(found) == []


@pytest.mark.parametrize("triple", TRIPLES)
def test_data_behind_code_is_not_counted(triple: str) -> None:
    assert count_in(caller(triple), "helper").instructions <= 4
    assert not count_in(caller(triple), "loops").is_straight


def test_bytes_that_are_no_instructions() -> None:
    with pytest.raises(CodeError, match="no x86_64 instruction at 0x1001: 06 c3"):
        count(b"\x90\x06\xc3", "x86_64", 0x1000)
    assert count(b"\x90\xc3\x06", "x86_64").instructions == 2
    # Behind a computed jump anything may be reached.
    assert count(b"\xff\xe0\x90\x31\xc0\xc3\x90", "x86_64").instructions == 4


def test_where_calls_and_jumps_go() -> None:
    call, back, jump = decode(b"\xe8\x10\0\0\0\x75\xf9\xeb\x20", "x86_64", 0x400)
    assert (call.target, back.target, jump.target) == (0x415, 0x400, 0x429)


# Bounds


def test_slots_and_ports_of_a_row() -> None:
    """Six mulx from memory take 12 slots, port 1 six times; twelve adcx two ports six times."""
    row = "mulx 8(%rsi), %rax, %rcx\nadcx %rax, %r8\nadox %rcx, %r9\n" * 6
    found = limits_of(row).throughput
    assert found[SLOTS] == (6 * 2 + 12) / 4
    assert found["multipliers"] == 6 and found["carry adders"] == 6 and found["loads"] == 3
    assert found["ALUs"] == 24 / 4


def test_the_latency_chain_goes_through_registers_flags_and_memory() -> None:
    # load 4, imul 3, store and load again 4, add 1, then the carry: adc 1, stored
    body = "mov (%rsi), %rax\nimul %rax, %rax\nmov %rax, -8(%rsp)\nmov -8(%rsp), %rcx\n"
    body += "add $1, %rcx\nmov $0, %edx\nadc %rdx, %rdx\nmov %rdx, (%rdi)"
    chain = limits_of(body).chain
    assert chain is not None and chain.cycles == 4 + 3 + 4 + 1 + 1
    path = [i.mnemonic for i in chain.path]
    assert path == ["mov", "imul", "mov", "mov", "add", "adc", "mov"]


def test_two_flags_are_two_chains() -> None:
    """adcx and adox side by side wait each for its own flag."""
    turn = "adcx %r8, %rax\nadox %r8, %rcx\n"
    body = f"mov (%rsi), %r8\n{turn * 10}mov %rax, (%rdi)\nmov %rcx, 8(%rdi)"
    chain = limits_of(body).chain
    assert chain is not None and chain.cycles == 4 + 10
    one = limits_of(body.replace("adcx", "adc").replace("adox", "adc")).chain
    assert one is not None and one.cycles == 4 + 20


def test_a_high_half_comes_later() -> None:
    load, low, high = 4, 3, 4
    for register, latency in (("rax", low), ("rcx", high)):
        chain = limits_of(f"mov (%rsi), %rdx\nmulx %rdx, %rax, %rcx\nmov %{register}, (%rdi)").chain
        assert chain is not None and chain.cycles == load + latency


def test_zeroing_breaks_a_chain_and_a_partial_write_does_not() -> None:
    body = "mov (%rsi), %rax\nimul %rax, %rax\nxor %eax, %eax\nmov %rax, (%rdi)"
    chain = limits_of(body).chain
    assert chain is not None and chain.cycles == 0
    chain = limits_of(body.replace("xor %eax, %eax", "setc %al")).chain
    assert chain is not None and chain.cycles == 4 + 3 + 1


def test_a_stack_pointer_does_not_wait_for_what_is_pushed() -> None:
    body = "mov (%rsi), %rax\nimul %rax, %rax\npush %rax\nmov 16(%rsp), %rcx\nmov %rcx, (%rdi)"
    chain = limits_of(body).chain
    assert chain is not None and chain.cycles == 0


def test_moves_and_small_sums_may_be_done_while_renaming() -> None:
    body = "mov (%rsi), %rax\nmov %rax, %rcx\nmov %ecx, %ecx\nadd $5, %rcx\nmov %rcx, (%rdi)"
    for processor, cycles in (("cascade-lake", 4 + 1), ("sapphire-rapids", 5)):
        chain = limits_of(body, processor).chain
        assert chain is not None and chain.cycles == cycles


def test_a_comparison_fuses_with_its_branch() -> None:
    data = assemble(".globl kernel\nkernel:\ncmp %rax, %rcx\nje 1f\n1: ret\n", LINUX)
    found = count_in(data, "kernel")
    assert all_bounds(found) == []  # it branches
    assert lower_bounds(found, find_processor("cascade-lake")).throughput[SLOTS] == 2 / 4


def test_what_is_not_known_counts_for_one_slot() -> None:
    found = limits_of("cpuid\nret")
    assert found.unknown == {"cpuid": 1} and found.throughput[SLOTS] == 2 / 4


def test_the_larger_of_throughput_and_chain_binds_a_chain_of_calls() -> None:
    found = limits_of("mov (%rsi), %rax\n" + "imul %rax, %rax\n" * 9 + "mov %rax, (%rdi)\nret")
    assert found.binding == ("multipliers", 9.0)
    assert found.latency == (CHAIN, 4 + 27.0)


@pytest.mark.parametrize("name", ["adx", "mulx", "base", "x86_64-linux-llvm-bmi2"])
def test_no_processor_beats_its_slots_and_multipliers(name: str) -> None:
    """What evidence there is: 73 products take 73 cycles where one starts a cycle."""
    for limits in all_bounds(count_in(kernel(name), "kernel")):
        multipliers = len(limits.processor.units["multipliers"])
        times = limits.throughput["multipliers"] * multipliers
        # Both halves of a product of mul or mulx take a multiplier of Zen 5; imul has one half.
        most = 2 * 73 if limits.processor.key == "zen-5" else 73
        assert 73 - 1e-9 <= times <= most + 1e-9
        assert limits.binding[1] >= 73 / multipliers and not limits.unknown
        assert limits.chain is not None and 20 < limits.chain.cycles < 120


def test_the_processors_file_is_whole() -> None:
    assert {p.architecture for p in processors().values()} == {"x86_64", "aarch64"}
    for processor in processors().values():
        ports = set(processor.load + processor.store_address + processor.store_data)
        for timing in processor.timings.values():
            assert timing.slots >= 0 <= timing.latency <= timing.high
            ports |= set("".join(timing.ports))
        named = set("".join(processor.units.values()))
        assert named <= ports, processor.key
        assert set(processor.measured) <= {"slots", *processor.timings}
    assert [p.key for p in processors_of("riscv64")] == []
    with pytest.raises(LookupError, match="zen-5"):
        find_processor("zen5")


@pytest.mark.parametrize(
    ("signature", "key"),
    [
        (0x50657, "cascade-lake"),
        (0x606A6, "ice-lake"),
        (0x806F8, "sapphire-rapids"),
        (0x830F10, "zen-2"),
        (0x870F10, "zen-2"),
        (0xA00F11, "zen-3"),
        (0xA20F12, "zen-3"),
        (0xA10F11, "zen-4"),
        (0xA60F12, "zen-4"),
        (0xB00F21, "zen-5"),
        (0xB40F40, "zen-5"),
        (0xB50F00, None),  # Zen 6
        (0x306C3, None),  # Haswell
        (0x800F12, None),  # Zen 1
    ],
)
def test_processors_are_known_by_their_signatures(signature: int, key: str | None) -> None:
    found = processor_of_signature(signature)
    assert (found.key if found else None) == key


@pytest.mark.parametrize(
    ("part", "key"),
    [
        (part_of(0x413FD0C1), "neoverse-n1"),
        (part_of(0x411FD401), "neoverse-v1"),
        (part_of(0x410FD4F1), "neoverse-v2"),
        ("Apple M1 Pro", "apple-m1"),
        ("Apple M4", None),
        (part_of(0x610F0280), None),
    ],
)
def test_arm_cores_are_known_by_what_the_system_says(part: str, key: str | None) -> None:
    found = processor_of_part(part)
    assert (found and found.key) == key
