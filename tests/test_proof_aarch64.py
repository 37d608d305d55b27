"""The AArch64 prover: kernels of LLVM proved, mutants rejected, semantics against an emulator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import capstone
import pytest

from fieldc.algorithms import KERNELS, Kernel
from fieldc.backends.llvm import print_llvm
from fieldc.backends.targets import find_target
from fieldc.catalogue import find_field, named_primes
from fieldc.language import BoundError
from fieldc.machine.assemble import compile_ir
from fieldc.proof.aarch64 import Flags, Held, Processor
from fieldc.proof.aarch64_meanings import MEANINGS
from fieldc.proof.bounds import Input
from fieldc.proof.equations import Choice, Polynomial, System
from fieldc.proof.identity import ProofError
from fieldc.proof.machine import Entry, Memory, Pointer
from fieldc.proof.objects import function_of
from fieldc.proof.prove import Contract, contract_of, prove
from fieldc.words.lower import lower

RADIX = 1 << 64
CONVENTIONS = {"aarch64-linux": "aapcs64", "aarch64-macos": "apple"}
QUICK = ("bls12-381-r", "curve25519", "goldilocks")
RET, NOP = 0xD65F03C0, 0xD503201F


@cache
def code_of(name: str, kernel: Kernel, target_name: str = "aarch64-linux") -> bytes | None:
    """A kernel's code as LLVM compiles it, or None where the field has no such kernel."""
    target = find_target(target_name)
    processor = target.processor
    try:
        trace = kernel.trace(find_field(name))
    except BoundError:
        return None
    ir = print_llvm(lower(trace, processor.rows), "k", processor.form)
    object_ = compile_ir(ir, target.triple, processor.cpu, processor.features).object
    return function_of(object_, "k").code


def prove_all(name: str, target: str, kernels: tuple[Kernel, ...] = tuple(KERNELS)) -> None:
    field_ = find_field(name)
    for kernel in kernels:
        code = code_of(name, kernel, target)
        if code is not None:
            contract = contract_of(kernel.operation, field_.p, field_.n)
            prove(code, contract, CONVENTIONS[target], architecture="aarch64")


@pytest.mark.parametrize("target", CONVENTIONS)
@pytest.mark.parametrize("name", QUICK)
def test_proved(name: str, target: str) -> None:
    prove_all(name, target)


@pytest.mark.parametrize("operation", ["add", "sub", "double"])
@pytest.mark.parametrize("name", ["secp256k1-p", "p256"])
def test_proved_where_flags_meet_or_limbs_are_many(name: str, operation: str) -> None:
    prove_all(name, "aarch64-linux", tuple(k for k in KERNELS if k.operation == operation))


@pytest.mark.parametrize("target", CONVENTIONS)
@pytest.mark.parametrize("name", sorted(set(named_primes()) - set(QUICK)))
def test_proved_full(name: str, target: str) -> None:
    prove_all(name, target)


def kernel_of(operation: str) -> Kernel:
    """The first kernel of an operation that every field has."""
    return next(k for k in KERNELS if k.operation == operation and k.algorithm != "log-jump")


def words_of(code: bytes) -> list[int]:
    return [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]


def bytes_of(words: list[int]) -> bytes:
    return b"".join(w.to_bytes(4, "little") for w in words)


def changed(word: int) -> Iterator[tuple[str, int]]:
    """One instruction's mutants."""
    yield "nop", NOP
    top = word >> 21
    if top in (0x9A000000 >> 21, 0xBA000000 >> 21, 0xDA000000 >> 21, 0xFA000000 >> 21):
        yield "carry in dropped", word & ~0x9A000000 | (word & 0xE0000000) | 0x8B000000
        yield "sum for difference", word ^ 0x40000000
    if top == 0x9A800000 >> 21:
        yield "condition inverted", word ^ 0x1000
    if word >> 29 in (4, 5, 6, 7) and word >> 24 & 0x1F in (0x0A, 0x0B, 0x1A):
        rn, rm = word >> 5 & 31, word >> 16 & 31
        yield "operands swapped", word & ~(31 << 5 | 31 << 16) | rm << 5 | rn << 16
        yield "another register", word ^ 1 << 16
    if word >> 23 == 0xF2800000 >> 23:
        yield "constant", word ^ 1 << 5
    if word >> 22 in (0xA9400000 >> 22, 0xA9000000 >> 22):
        yield "offset", word ^ 1 << 15


def mutants(code: bytes) -> Iterator[tuple[str, bytes]]:
    words = words_of(code)
    end = words.index(RET)
    for place in range(end):
        for why, word in changed(words[place]):
            if word != words[place]:
                yield f"{4 * place:#x} {why}", bytes_of([*words[:place], word, *words[place + 1 :]])


def is_right(code: bytes, operation: str, name: str) -> bool:
    """Whether code computes the operation on corner and random values."""
    field_ = find_field(name)
    p, n = field_.p, field_.n
    contract = contract_of(operation, p, n)
    corner = [0, 1, 2, p - 1, p - 2, p >> 1, (1 << 64) - 1, 1 << 128]
    chance = random.Random(1)
    pairs = [(a, b) for a in corner for b in corner]
    pairs += [(chance.randrange(p), chance.randrange(p)) for _ in range(50)]
    claims: dict[str, Callable[[int, int], int]] = {
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
    }
    for a, b in pairs:
        machine = Emulator(bytes_of(words_of(code)), {"x": limbs(a, n), "y": limbs(b, n)}, n)
        machine.run()
        z = machine.result()
        if z >= p or (z * contract.factor - claims[operation](a, b)) % p:
            return False
    return True


@pytest.mark.parametrize(("operation", "step", "least"), [("sub", 1, 60), ("mul", 9, 40)])
def test_mutants_are_rejected(operation: str, step: int, least: int) -> None:
    """A mutant that is proved after all must be right: operands of a sum swapped, say."""
    pytest.importorskip("unicorn")
    code = code_of("bn254-p", kernel_of(operation))
    assert code is not None
    contract = contract_of(operation, find_field("bn254-p").p, 4)
    rejected, equivalent = 0, []
    for why, mutant in list(mutants(code))[::step]:
        try:
            prove(mutant, contract, "aapcs64", architecture="aarch64")
            equivalent.append((why, mutant))
        except ProofError:
            rejected += 1
    assert rejected >= least
    for why, mutant in equivalent:
        assert is_right(mutant, operation, "bn254-p"), why


def limbs(value: int, n: int) -> list[int]:
    return [value >> 64 * i & RADIX - 1 for i in range(n)]


PLACES = {"z": 0x10000, "x": 0x20000, "y": 0x30000, "stack": 0x80000}


class Emulator:
    """Unicorn with operands in memory, and random values in the other registers."""

    def __init__(self, code: bytes, operands: dict[str, list[int]], result_limbs: int) -> None:
        unicorn = pytest.importorskip("unicorn")
        arm = pytest.importorskip("unicorn.arm64_const")
        self.numbers = {f"x{i}": getattr(arm, f"UC_ARM64_REG_X{i}") for i in range(31)}
        self.numbers |= {"sp": arm.UC_ARM64_REG_SP, "nzcv": arm.UC_ARM64_REG_NZCV}
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self.machine.mem_map(0, 0x100000)
        self.machine.mem_write(0x1000, code)
        chance = random.Random(2)
        self.entry = {f"x{i}": chance.getrandbits(64) for i in range(31)}
        names = ("z", *operands)
        self.entry |= {f"x{i}": PLACES[name] for i, name in enumerate(names)}
        for name, values in operands.items():
            data = b"".join(v.to_bytes(8, "little") for v in values)
            self.machine.mem_write(PLACES[name], data)
        for name, value in {**self.entry, "sp": PLACES["stack"]}.items():
            self.machine.reg_write(self.numbers[name], value)
        self.place, self.limbs = 0x1000, result_limbs
        self.length = 4 * words_of(code).index(RET)

    def step(self) -> None:
        self.machine.emu_start(self.place, self.place + 4, count=1)
        self.place += 4

    def run(self) -> None:
        self.machine.emu_start(0x1000, 0x1000 + self.length)

    def register(self, name: str) -> int:
        return int(self.machine.reg_read(self.numbers[name]))

    def result(self) -> int:
        return int.from_bytes(self.machine.mem_read(PLACES["z"], 8 * self.limbs), "little")


@dataclass
class Recorded:
    """A symbolic run: what each instruction left in registers and flags."""

    code: bytes
    limbs: int
    operands: dict[str, int]
    states: list[tuple[dict[str, Held], Flags]] = field(default_factory=list)
    mnemonics: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.system = System(64)
        inputs = {}
        for name, count in self.operands.items():
            variables = tuple(self.system.new(f"{name}[{i}]", RADIX - 1) for i in range(count))
            inputs[name] = Input(name, variables, RADIX**count - 1)
        self.inputs = inputs
        memory = Memory(self.system, inputs, self.code, self.limbs)
        meanings = {name: self.watched(meaning) for name, meaning in MEANINGS.items()}
        Processor(memory).run(self.code, 0, meanings)

    def watched(self, meaning: Callable[..., None]) -> Callable[..., None]:
        def inner(cpu: Processor, instruction: capstone.CsInsn) -> None:
            if instruction.address == 0:
                self.states.clear()
            meaning(cpu, instruction)
            self.states.append((dict(cpu.registers), replace(cpu.flags)))
            self.mnemonics.add(instruction.mnemonic)

        return inner

    def evaluated(self, operands: dict[str, list[int]]) -> dict[int, int]:
        """Every variable's value; each row must hold with its variables in range."""
        values = {
            v: k for n, i in self.inputs.items() for v, k in zip(i.limbs, operands[n], strict=True)
        }
        for row in self.system.rows:
            if isinstance(row, Choice):
                side = row.when_set if values[row.flag] else row.otherwise
                values[row.word] = number(side, values)
                continue
            right = number(row.right, values)
            values[row.word] = right % RADIX if row.carry is not None else right
            assert 0 <= values[row.word] < RADIX, row
            if row.carry is not None:
                values[row.carry] = (right - values[row.word]) // row.factor
                low, high = self.system.ranges[row.carry]
                assert low <= values[row.carry] <= high, row
        return values

    def agrees(self, operands: dict[str, list[int]]) -> None:
        """Compare with the emulator after every instruction."""
        values = self.evaluated(operands)
        machine = Emulator(self.code, operands, self.limbs)
        before: dict[str, Held] = {}
        for index, (registers, flags) in enumerate(self.states[:-1]):
            machine.step()
            for name, held in registers.items():
                if before.get(name) is not held:
                    expected = concrete(held, values, machine.entry)
                    got = machine.register(name)
                    assert expected is None or got == expected, (hex(4 * index), name, held)
            nzcv = machine.register("nzcv")
            for flag, bit in ((flags.zero, 30), (flags.carry, 29)):
                if flag is not None:
                    assert number(flag, values) == nzcv >> bit & 1, (hex(4 * index), bit)
            before = registers


def number(value: Polynomial, values: dict[int, int]) -> int:
    total = 0
    for monomial, coefficient in value.items():
        term = int(coefficient)
        for variable in monomial:
            term *= values[variable]
        total += term
    return total


def concrete(held: Held, values: dict[int, int], entry: dict[str, int]) -> int | None:
    """A register's number; None for saved flags, which are compared where they are restored."""
    if isinstance(held, Flags):
        return None
    if isinstance(held, Pointer):
        return (PLACES[held.base] + held.offset) % RADIX
    if isinstance(held, Entry):
        return entry[held.register]
    return number(held, values)


CORNERS = (0, 1, 2, 1 << 32, (1 << 32) - 1, 1 << 63, (1 << 63) - 1, RADIX - 2, RADIX - 1)


def samples(counts: dict[str, int], many: int) -> Iterator[dict[str, list[int]]]:
    """Operands of zeros, of ones, of corner limbs and of random limbs."""
    chance = random.Random(3)
    for fill in (0, RADIX - 1):
        yield {name: [fill] * count for name, count in counts.items()}
    for turn in range(many):
        yield {
            name: [
                chance.choice(CORNERS) if turn % 2 else chance.getrandbits(64) for _ in range(count)
            ]
            for name, count in counts.items()
        }


@pytest.mark.parametrize("name", ["goldilocks", "p256"])
def test_semantics_of_kernels(name: str) -> None:
    """Also where operands are above p: rows hold for every input."""
    pytest.importorskip("unicorn")
    for kernel in KERNELS:
        code = code_of(name, kernel)
        if code is None or kernel.algorithm == "log-jump":
            continue
        contract = contract_of(kernel.operation, find_field(name).p, find_field(name).n)
        counts = {operand: count for operand, count, _ in contract.operands}
        recorded = Recorded(code, contract.limbs, counts)
        for operands in samples(counts, 2):
            recorded.agrees(operands)


def three(base: int) -> Callable[..., int]:
    """An encoding with a target and two operands, and what is or-ed to it."""

    def encode(rd: int, rn: int, rm: int, more: int = 0) -> int:
        return base | more | rm << 16 | rn << 5 | rd

    return encode


ADC, ADCS, SBC, SBCS = (three(b) for b in (0x9A000000, 0xBA000000, 0xDA000000, 0xFA000000))
ADD, ADDS, SUB, SUBS = (three(b) for b in (0x8B000000, 0xAB000000, 0xCB000000, 0xEB000000))
AND, ANDS, BIC, ORR = (three(b) for b in (0x8A000000, 0xEA000000, 0x8A200000, 0xAA000000))
EOR, ORN, EXTR = (three(b) for b in (0xCA000000, 0xAA200000, 0x93C00000))
CSEL, CSINC, CSINV, CSNEG = (three(b) for b in (0x9A800000, 0x9A800400, 0xDA800000, 0xDA800400))
MADD, MSUB, UMULH = (three(b) for b in (0x9B000000, 0x9B008000, 0x9BC07C00))
UBFM, SBFM = three(0xD3400000), three(0x93400000)
EQ, NE, HS, LO = (c << 12 for c in range(4))
Z = 31
LOADS = [
    0xA9401023,  # ldp x3, x4, [x1]
    0xA9411825,  # ldp x5, x6, [x1, #16]
    0xF8408047,  # ldur x7, [x2, #8]
    0xF9400048,  # ldr x8, [x2]
]
SNIPPETS = {
    "sums": [ADDS(9, 3, 4), ADCS(10, 5, 6), ADC(11, 7, 8), ADC(12, Z, Z), ADD(13, 3, 8)],
    "differences": [SUBS(9, 3, 4), SBCS(10, 5, 6), SBC(11, 7, 8), SBC(12, Z, 3), SUB(13, 3, 8)],
    "carry, then borrow": [ADDS(9, 3, 4), SBCS(10, 5, 6), ADCS(11, 7, 8), SBC(12, 7, Z)],
    "negations": [SUBS(9, Z, 4), SBCS(10, Z, 6), SBC(11, Z, 8), SUB(12, Z, 3, 7 << 10)],
    "compared": [SUBS(Z, 3, 4), SBCS(Z, 5, 6), CSINC(9, Z, Z, HS), ADDS(Z, 3, 4), ADC(10, 3, Z)],
    "shifted": [ADD(9, 3, 4, 5 << 10), ADDS(10, 3, 4, 1 << 22 | 9 << 10), SUB(11, 3, 3, 32 << 10)],
    "selected": [
        *(ADDS(9, 3, 4), CSEL(10, 5, 6, HS), CSEL(11, 5, 6, LO), CSINC(12, 5, 6, LO)),
        *(CSINV(13, 5, 6, HS), CSNEG(14, 5, 6, HS), CSINV(15, Z, Z, LO), CSINC(16, 7, 7, LO)),
    ],
    "bits": [
        *(ADDS(9, 3, 4), CSINC(10, Z, Z, LO), SUBS(9, 5, 6), CSINC(11, Z, Z, HS)),
        *(AND(12, 10, 11), ORR(13, 10, 11), EOR(14, 10, 11), BIC(15, 10, 11), ANDS(11, 10, 11)),
        *(CSEL(16, 3, 4, NE), CSINC(17, Z, Z, NE), ADD(18, 10, 11), ADC(0, 10, 11)),
        *(SUBS(Z, 18, 11), CSEL(1, 5, 6, EQ), ADDS(Z, 10, 11), CSEL(2, 5, 6, EQ)),
    ],
    "masks": [
        *(SUBS(9, 3, 4), CSINV(10, Z, Z, HS), AND(11, 10, 5), SBFM(12, 5, 63, 63 << 10)),
        *(AND(13, 12, 6), CSINC(14, Z, Z, HS), SBFM(15, 14, 0), BIC(16, 15, 14), ORN(17, Z, 5)),
    ],
    "products": [
        *(
            MADD(9, 3, 4, Z << 10),
            UMULH(10, 3, 4),
            MADD(11, 3, 4, 5 << 10),
            MSUB(12, 3, 4, 5 << 10),
        ),
        *(MSUB(13, 5, 5, Z << 10), UMULH(14, 5, 5), MADD(15, 9, 9, Z << 10), UMULH(16, 9, Z)),
    ],
    "constants": [
        *(0x92800009 | 5 << 5, 0xD280000A | 0xFFFF << 5, 0xF2A0000A | 0x1234 << 5),
        *(UMULH(11, 3, 9), MADD(12, 3, 9, Z << 10), UMULH(13, 3, 10), SUB(14, Z, 3, 4 << 10)),
        *(MADD(15, 3, 10, Z << 10), UMULH(16, 15, 9), MSUB(17, 15, 9, Z << 10)),
    ],
    "fields": [
        *(UBFM(9, 3, 31, 63 << 10), UBFM(10, 3, 3, 7 << 10), UBFM(11, 3, 64 - 9, 54 << 10)),
        *(EXTR(12, 3, 4, 63 << 10), EXTR(13, 3, 4, 1 << 10), EXTR(14, 5, 6, 17 << 10)),
    ],
    "saved flags": [ADDS(9, 3, 4), 0xD53B420A, SUBS(9, 5, 6), 0xD51B420A, ADC(11, 7, 8)],
    "stack": [
        *(0xA9BF13E3, 0xA9400FE9, 0xF81F0FE5, 0xF84107EA, 0xA8C133EB, NOP),
    ],
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_semantics_of_snippets(name: str) -> None:
    pytest.importorskip("unicorn")
    counts = {"x": 4, "y": 2}
    recorded = Recorded(bytes_of([*LOADS, *SNIPPETS[name], RET]), 4, counts)
    for operands in samples(counts, 60):
        recorded.agrees(operands)


def test_every_instruction_on_the_list_is_simulated() -> None:
    seen: set[str] = set()
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    codes = [bytes_of([*LOADS, *snippet]) for snippet in SNIPPETS.values()]
    for name in ("goldilocks", "p256"):
        codes += [code for k in KERNELS if (code := code_of(name, k)) is not None]
    for code in codes:
        seen |= {i.mnemonic for i in engine.disasm(code, 0)}
    assert set(MEANINGS) - seen <= {"movz", "movn", "stur"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([0xD65F0020], "returns to an address of its own"),
        ([0x9AC40862], "not on the list"),  # udiv
        ([0x54000040, RET], "not on the list"),  # b.eq
        ([0xD503245F], "not on the list"),  # bti, and no return
        ([CSEL(9, 3, 4, HS)], "nothing is known"),
        ([SUBS(Z, 3, 4), CSEL(9, 3, 4, EQ)], "nothing is known"),
        ([SUBS(Z, 3, 4), CSEL(9, 3, 4, 11 << 12)], "condition"),
        ([0xF8656829], "address"),  # ldr x9, [x1, x5]
        ([0xF9400069], "depends on data"),  # ldr x9, [x3]
        ([ADD(19, 3, 4)], "x19 is not restored"),
        ([0xD10043FF], "stack pointer is not restored"),
        ([0xD10023FF], "stack pointer"),  # sub sp, sp, #8
        ([0xF81F83E3], "stack"),  # stur x3, [sp, #-8]
        ([EOR(9, 3, 4)], "combines the bits"),
        ([0xF2A00023], "no constant"),  # movk x3, #1, lsl #16
        ([0x0B040069], "half a register"),  # add w9, w3, w4
        ([0xD51B4203], "never saved"),
        ([0x9E670060], "not on the list"),  # fmov
    ],
)
def test_refused(words: list[int], why: str) -> None:
    memory_words = [*LOADS, *words, RET]
    with pytest.raises(ProofError, match=why):
        Recorded(bytes_of(memory_words), 4, {"x": 4, "y": 2})


def test_reserved_register() -> None:
    contract = contract_of("add", find_field("goldilocks").p, 1)
    with pytest.raises(ProofError, match="x18 is not the kernel's"):
        prove(bytes_of([ADD(18, Z, Z), RET]), contract, "apple", architecture="aarch64")


@pytest.mark.parametrize("convention", ["apple", "windows"])
def test_a_borrow_that_cannot_be_is_still_a_bit(convention: str) -> None:
    """z = 8 from `cset hs` after x - 0, with `cset lo` shifted first: not z = 0."""
    words = [0xF9400023, 0xEB1F0064, 0x9A9F37E5, 0x9A9F27E7, 0xD37DF0E8, 0xD37DF0A6, 0xF9000006]
    claim = Contract(RADIX - 59, 1, (("x", 1, RADIX - 60),), lambda values: {}, 1, 0)
    with pytest.raises(ProofError, match="do not cancel"):
        prove(bytes_of([*words, RET]), claim, convention, architecture="aarch64")


def test_a_store_that_moves_the_register_it_stores() -> None:
    contract = contract_of("neg", find_field("goldilocks").p, 1)
    with pytest.raises(ProofError, match="stores the register that it moves"):
        prove(bytes_of([0x910003E9, 0xF81F8D29, RET]), contract, "aapcs64", architecture="aarch64")
