"""The simulator: short runs whose cycles are worked out by hand, and whole kernels.

By hand: what is renamed in cycle c starts in c + 1 at the earliest, and is done when its latency
has passed. The toy renames two instructions a cycle. Its ports a and b add, only a takes a carry,
and m multiplies.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lab_code import kernel

from fieldc import cli
from fieldc.counting.count import Count
from fieldc.counting.decode import decode
from fieldc.counting.functions import count_in
from fieldc.counting.limits import lower_bounds
from fieldc.counting.places import touches_of
from fieldc.lab import facts
from fieldc.lab.hand_written import ROUTINES, HandWritten, ratio_cells
from fieldc.lab.predictions import PAGE, compared, page, predicted_cells
from fieldc.lab.published import NoPublishedCode
from fieldc.machine.assemble import assemble
from fieldc.machine.processors import InstructionCost, Processor, find_processor, processors_of
from fieldc.simulator.cores import Core, core_of, cores
from fieldc.simulator.predict import predict
from fieldc.simulator.run import PAST, Port, Simulation, steps_of

LINUX = "x86_64-unknown-linux-gnu"
ADDER, CARRY = InstructionCost(1, ("ab",), 1), InstructionCost(1, ("a",), 1)
TOY = Processor(
    *("toy", "Toy", "x86_64", (), (), ()),
    slots=2,
    fuses=False,
    read_modify_write=0,
    load="l",
    store_address="s",
    store_data="d",
    load_latency=4,
    forward_latency=5,
    units={},
    timings={
        **{"add": ADDER, "adx": ADDER, "adc": CARRY},
        "imul": InstructionCost(1, ("m",), 3),
        "copy": InstructionCost(),
    },
)
VECTOR_WORDS = (
    "20c0a22e",  # umull v0.2d, v1.2s, v2.2s
    "239ca24e",  # mul v3.4s, v1.4s, v2.4s
    "6014606f",  # usra v0.2d, v3.2d, #32
    "0054604f",  # shl v0.2d, v0.2d, #32
    "0418834e",  # uzp1 v4.4s, v0.4s, v3.4s
    "003c184e",  # mov x0, v0.d[1]
    "201c084e",  # mov v0.d[0], x1
    "428003ab",  # adds x2, x2, x3, lsl #32
    "421003ab",  # adds x2, x2, x3, lsl #4
    "4224438a",  # and x2, x2, x3, lsr #9
)
"""Instructions on vectors, and sums of shifted registers."""
CORE = Core(window=100, retire=8, load=4, forward=5)


def counted(body: str) -> Count:
    """A few lines of AT&T assembly, with a return."""
    return count_in(assemble(f".globl kernel\nkernel:\n{body}\nret\n", LINUX), "kernel")


def run(body: str, core: Core = CORE, processor: Processor = TOY) -> Simulation:
    """The core after one call of a few lines, without their return."""
    found = counted(body)
    run = Simulation(core, processor)
    run.call(steps_of(found.code[:-1], found.touches[:-1], processor))
    return run


def busy(simulation: Simulation, port: str) -> set[int]:
    """The cycles of a short run in which a port is busy."""
    return {cycle for cycle in range(64) if simulation.ports[port].busy >> cycle & 1}


def test_a_chain_takes_its_latencies() -> None:
    assert run("add %rax, %rax\n" * 5).retired == 6  # starts 1, 2, 3, 4, 5


def test_a_port_starts_one_a_cycle() -> None:
    body = "".join(f"imul $3, %rax, %{r}\n" for r in ("rcx", "rdx", "rsi", "rdi"))
    assert run(body).retired == 7  # starts 1, 2, 3, 4
    slow = replace(TOY, timings={"imul": InstructionCost(1, ("m", "m"), 3)})
    assert run(body, processor=slow).retired == 10  # two cycles each: starts 1, 3, 5, 7


def test_a_port_forgets_cycles_that_are_past() -> None:
    port, starts = Port(), set()
    for cycle in range(3 * PAST):
        starts.add(port.take(cycle, 1, cycle))
        starts.add(port.take(cycle, 1, cycle))
    assert starts == set(range(6 * PAST)) and port.base > PAST
    assert port.waiting(3 * PAST) == 3 * PAST
    assert port.take(6 * PAST, 3, 6 * PAST) == 6 * PAST and port.base == 5 * PAST
    assert port.free(6 * PAST - 2, 2) == 6 * PAST + 3


def test_moves_take_slots_and_no_port() -> None:
    moves = "mov %rax, %rcx\nmov %rax, %rdx\n"
    assert run(moves * 3).retired == 3  # renamed 0, 0, 1, 1, 2, 2
    assert run(moves * 3, processor=replace(TOY, slots=6)).retired == 1


def test_the_window_holds_what_has_not_retired() -> None:
    body = "imul %rax, %rax\nadd %rcx, %rcx\nadd %rdx, %rdx"
    assert run(body).retired == 4  # the product is done in 4, both sums before it
    # The first sum waits for the product to retire, and the second one cannot be renamed before 4.
    assert run(body, replace(CORE, window=2)).retired == 6


def test_the_scheduler_holds_what_has_not_started() -> None:
    body = "imul %rax, %rax\nimul %rax, %rax\nadd %rcx, %rcx"
    assert run(body).registers["rcx"] == 3
    # The second product starts in 4; until then the one place is taken.
    assert run(body, replace(CORE, scheduler=1)).registers["rcx"] == 6


def test_retirement_is_in_order_and_has_a_width() -> None:
    body = "imul %rax, %rax\nadd %rcx, %rcx\nadd %rdx, %rdx"
    assert run(body, replace(CORE, retire=1)).retired == 6  # 4, 5, 6


def test_each_flag_is_a_value() -> None:
    chain = "".join(f"adc %r9, %{r}\n" for r in ("rax", "rcx", "rdx"))
    assert run(chain).retired == 4  # by CF: starts 1, 2, 3
    # CF by adcx, OF by adox. Both of cycle 0 go to a, which starts them in 1 and 2; both of cycle 1
    # see two waiting there and go to b: the adcx in 2, the adox when the first one is done, in 3.
    pair = "adcx %r9, %rax\nadox %r9, %rcx\n"
    assert run(pair + "adcx %r9, %rdx\nadox %r9, %rsi\n").retired == 4
    # The product writes CF in 4: the carries start in 4 and 5.
    assert run("imul $3, %rax, %rcx\nadc %r9, %rdx\nadc %r9, %rsi").registers["rsi"] == 6


def test_a_port_is_chosen_by_what_waited_when_the_cycle_began() -> None:
    sums = "add %rax, %rax\nadd %rcx, %rcx\nadd %rdx, %rdx\nadd %rsi, %rsi\n"
    found = run(sums)
    assert busy(found, "a") == {1, 2}  # those of cycle 0
    assert busy(found, "b") == {2, 3}  # those of cycle 1


def test_a_load_waits_for_the_store_of_its_bytes() -> None:
    text = "mov %rax, (%rdi)\nmov {}(%rdi), %rcx\nadd %rcx, %rcx"
    # Data is stored in 1, and loaded 5 later; what was not stored comes 4 after cycle 1.
    assert run(text.format(0)).retired == run(text.format(4)).retired == 7
    assert run(text.format(8)).retired == 6
    # A renamed load has the value in 1; the sum is renamed in 1 and starts in 2.
    assert run(text.format(0), replace(CORE, renamed=0)).retired == 3
    assert run(text.format(8), replace(CORE, renamed=0)).retired == 6


def test_an_address_waits_for_its_register() -> None:
    assert run("imul %rax, %rax\nmov (%rax), %rcx").registers["rcx"] == 4 + 4
    assert run("imul %rax, %rax\nmov (%rdx), %rcx").registers["rcx"] == 1 + 4


def test_in_order_none_starts_before_an_older_one() -> None:
    body = "imul %rax, %rax\nadd %rax, %rax\nadd %rcx, %rcx\nadd %rdx, %rdx"
    found = run(body, replace(CORE, in_order=True))
    # The product starts in 1, the first two sums in 4, the third in 5: two a cycle.
    assert [found.registers[name] for name in ("rax", "rcx", "rdx")] == [5, 5, 6]
    # Out of order: a has the sum that waits, so both of cycle 1 go to b, in 2 and 3.
    assert run(body).registers["rdx"] == 4
    # A load that waits for the cache does not hold what comes after it.
    load = run("mov (%rsi), %rax\nadd %rcx, %rcx", replace(CORE, in_order=True))
    assert (load.registers["rax"], load.registers["rcx"]) == (5, 2)


def test_a_pair_is_two_loads_where_the_core_says_so() -> None:
    (ldp,) = (
        i
        for i in count_in(kernel("aarch64-linux"), "kernel").code
        if i.mnemonic == "ldp" and i.accesses[0].base == "x1" and i.accesses[0].offset == 0
    )
    processor = replace(find_processor("neoverse-n1"), load="l")
    for pairs, cycles in ((True, {1, 2}), (False, {1})):
        found = Simulation(replace(CORE, pairs=pairs), processor)
        found.call(steps_of([ldp], touches_of([ldp]), processor))
        assert busy(found, "l") == cycles


def test_a_chain_of_calls_goes_through_memory() -> None:
    folded = counted("imul $3, (%rsi), %rax\nmov %rax, (%rdi)")
    moved = counted("mov (%rsi), %rax\nimul $3, %rax, %rax\nmov %rax, (%rdi)")
    other = counted("imul $3, (%rdx), %rax\nmov %rax, (%rdi)")
    core = find_processor("sapphire-rapids")
    found = [predict(count, core) for count in (folded, moved, other)]
    assert [p and p.latency for p in found][:2] == [5 + 3, 0 + 3]
    assert found[2] and found[2].latency < 2  # y is not what the call before wrote


def test_a_spilled_pointer_is_followed() -> None:
    text = "push %rdi\nxor %edi, %edi\nimul $3, (%rsi), %rax\npop %rcx\nmov %rax, (%rcx)"
    found = predict(counted(text), find_processor("sapphire-rapids"))
    assert found and found.latency == 8


def test_an_overwritten_spill_is_forgotten() -> None:
    text = "mov %rdi, -8(%rsp)\nmovl $0, -4(%rsp)\nmov -8(%rsp), %rcx\nmov %rax, (%rcx)"
    *_, store, _ = counted(text).touches
    assert store[0].root != "rdi"


@pytest.mark.parametrize("key", sorted(cores()))
def test_no_prediction_is_below_the_bound(key: str) -> None:
    processor = find_processor(key)
    name = {"x86_64": "mulx", "aarch64": "aarch64-linux"}[processor.architecture]
    found = count_in(kernel(name, "bn254-p"), "kernel")
    prediction, bound = predict(found, processor), lower_bounds(found, processor).binding[1]
    assert prediction and prediction.throughput >= 0.99 * bound
    assert prediction == predict(found, processor)


def test_code_with_branches_and_unknown_cores_have_no_prediction() -> None:
    core = find_processor("sapphire-rapids")
    assert predict(counted("1: dec %rax\njnz 1b"), core) is None
    assert predict(counted("add %rax, %rax"), find_processor("zen-3")) is None
    assert core_of(find_processor("zen-3")) is None
    assert set(cores()) <= {p.key for a in ("x86_64", "aarch64") for p in processors_of(a)}


@pytest.mark.parametrize(("field", "operation"), [("bls12-381-p", "mul"), ("bn254-p", "square")])
def test_measured_kernels_are_predicted_within_12_percent(field: str, operation: str) -> None:
    found = compared(field, operation)
    assert max(map(abs, found.errors)) < 0.12
    line = f"| {' | '.join(map(str, found.cells()))} |"
    assert line in PAGE.read_text("utf-8").splitlines(), "make it again: make generate"


def test_rows_of_aarch64_are_current() -> None:
    line = f"| {' | '.join(map(str, predicted_cells('bn254-p', 'add')))} |"
    assert line in PAGE.read_text("utf-8").splitlines(), "make it again: make generate"


@pytest.mark.sweep(2)  # test_the_page_is_current has all
@pytest.mark.parametrize("of", ROUTINES, ids=[of.symbol for of in ROUTINES])
def test_the_page_has_the_ratios_to_hand_written_code(of: HandWritten) -> None:
    if of.operation == "fp2_mul":
        pytest.skip("SKIPPED: long; test_the_page_is_current has it")
    try:
        cells = ratio_cells(of)
    except NoPublishedCode as error:
        pytest.skip(f"SKIPPED: {error}")
    line = f"| {' | '.join(map(str, cells))} |"
    assert line in PAGE.read_text("utf-8").splitlines(), "make it again: make generate"


def test_there_are_enough_pairs_and_three_are_held_back() -> None:
    known = list(facts.facts())
    assert len(known) >= 8 and sum(fact.held_back for fact in known) == 3
    assert all(fact.core in cores() and fact.source.startswith("https://") for fact in known)
    assert all(list(fact.nanoseconds) == sorted(fact.nanoseconds) for fact in known)
    page_text = PAGE.read_text("utf-8")
    assert all(f"[{fact.name}]({fact.source})" in page_text for fact in known)
    wrong = page_text.count("WRONG ORDER")
    assert f"Ranked as measured: {len(known) - wrong} of {len(known)} pairs" in page_text


@pytest.mark.parametrize("number", [1, 6])
def test_pairs_of_published_routines_are_ranked(number: int) -> None:
    try:
        found = facts.judged(list(facts.facts())[number])
    except NoPublishedCode as error:
        pytest.skip(f"SKIPPED: {error}")
    line = f"| {' | '.join(map(str, found.cells()))} |"
    assert line in PAGE.read_text("utf-8").splitlines(), "make it again: make generate"


def test_vectors_have_ports_of_their_own() -> None:
    code = decode(bytes.fromhex("".join(VECTOR_WORDS)), "aarch64")
    assert [each.timing for each in code] == [
        *("vector long product", "vector product", "vector shift and add", "vector shift"),
        *("vector", "vector to general", "vector from general"),
        *("adds shifted", "adds", "add"),
    ]
    assert "v0" in code[2].reads
    for processor in processors_of("aarch64"):
        assert all(processor.timing(each.timing) for each in code)


@pytest.mark.full
def test_the_page_is_current() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "make it again: make generate"


def test_count_prints_predictions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kernel.o"
    path.write_bytes(kernel("aarch64-linux", "bn254-p"))
    assert cli.main(["count", f"{path}:kernel", "--processor", "neoverse-v2"]) == 0
    out = capsys.readouterr().out
    assert "by the simulator, not measured" in out and "neoverse-v2" in out
