"""Run a routine's own bytes on random and edge operands, against Python's integers."""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Iterator, Sequence

from audits.emulated import EmulatedArm64
from audits.go_calls import GoCall
from fieldc.artifacts.foreign import ForeignContract
from fieldc.binary.image import PAGE, Image
from fieldc.binary.located import LocatedCode, locate
from fieldc.binary.relocate import link
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.claims.statements import NOTHING, contract_from

RANDOM_RUNS = 200
WORD = 1 << 64


class WrongResult(Exception):
    """A run that breaks the contract; says operands and result."""


def laid_out(image: Image, code: LocatedCode) -> bytes:
    """An image as a linker would lay it out, from its lowest address, in whole pages."""
    linked = link(image)
    base = min(r.address for r in image.regions) // PAGE * PAGE
    end = max(
        *(r.address + r.size for r in image.regions),
        *(place + base + len(data) for place, data in code.constants.items()),
    )
    memory = bytearray((end - base) // PAGE * PAGE + PAGE)
    for region, data in linked.memory[: len(image.regions)]:
        memory[region.address - base : region.address - base + len(data)] = data
    for place, held in code.constants.items():  # with what is taken for granted
        memory[place : place + len(held)] = held
    return bytes(memory)


class Loaded:
    """An image in executable memory."""

    def __init__(self, image: Image, code: LocatedCode, convention: str = "") -> None:
        data = laid_out(image, code)
        protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        self.memory = mmap.mmap(-1, len(data), prot=protection)
        self.memory[:] = data
        first = ctypes.c_char.from_buffer(self.memory)
        start = ctypes.addressof(first) + code.start
        is_go = convention == "go-abi0"
        self.routine = GoCall(start) if is_go else ctypes.CFUNCTYPE(None)(start)

    def call(self, arguments: Sequence[object]) -> None:
        self.routine(*arguments)


def _loaded(image: Image, code: LocatedCode, convention: str) -> Loaded | EmulatedArm64:
    if code.architecture == "aarch64":
        return EmulatedArm64(laid_out(image, code), code.start)
    return Loaded(image, code, convention)


def confirm(image: Image, symbol: str, contract: ForeignContract, p: int) -> int:
    """Run a routine; how many runs were right. Raises WrongResult."""
    said = contract_from(contract.statement, p)
    code = locate(image, symbol, contract.memory)
    loaded = _loaded(image, code, contract.convention)
    count = 0
    for values in _operands(said):
        ways = (True,) if said.in_place else (False, True) if said.overlap else (False,)
        for shared in ways:
            _run(loaded, said, values, shared)
            count += 1
    return count


def _operands(contract: Contract) -> Iterator[list[int]]:
    """Values of all operands: edges with edges, then random ones."""
    highs = [o.high for o in contract.operands for _ in range(o.count)]
    p, draw = contract.p, random.Random(7)
    for index in range(len(EDGES)):
        yield [_edge(high, p, index) for high in highs]
        yield [_edge(high, p, index + k * 3) for k, high in enumerate(highs)]
    for _ in range(RANDOM_RUNS):
        yield [draw.randrange(high + 1) for high in highs]
        yield [_with_full_limbs(draw, high) for high in highs]


EDGES = ("0", "1", "2", "p-1", "p", "p+1", "high", "high-1", "half", "2p-1", "full", "limb")


def _edge(high: int, p: int, index: int) -> int:
    values = (
        0,
        1,
        2,
        p - 1,
        p,
        p + 1,
        high,
        high - 1,
        (p + 1) // 2,
        2 * p - 1,
        high | high - 1,
        WORD,
    )
    value = values[index % len(values)]
    return value if 0 <= value <= high else high


def _with_full_limbs(draw: random.Random, high: int) -> int:
    """A number of limbs that are all ones, or 0, or random."""
    value = 0
    for place in range(0, high.bit_length(), 64):
        value |= draw.choice((0, 1, WORD - 1, WORD - 2, draw.getrandbits(64))) << place
    return value % (high + 1)


def _from(table: ctypes.Array[ctypes.c_uint64], contract: Contract, name: str) -> object:
    """The address of a table, of which some words may lie below."""
    words = contract.before.get(name, 0)
    return ctypes.byref(table, 8 * words) if words else table


def _run(loaded: Loaded, contract: Contract, values: list[int], shared: bool) -> None:
    limbs, left = contract.limbs, list(values)
    results = limbs * len(contract.claims)
    arrays: dict[str, ctypes.Array[ctypes.c_uint64]] = {}
    for operand in contract.operands:
        words = [
            left[k] >> 64 * i & WORD - 1 for k in range(operand.count) for i in range(operand.limbs)
        ]
        del left[: operand.count]
        arrays[operand.name] = (ctypes.c_uint64 * max(len(words), results))(*words)
    first = contract.operands[0].name
    z = arrays[first] if shared else (ctypes.c_uint64 * results)(*[0x5A] * results)
    tables = {n: (ctypes.c_uint64 * len(t))(*t) for n, t in contract.tables.items()}
    arguments: list[object] = []
    for name in contract.arguments:
        if name == "z":
            arguments.append(z)
        elif name == NOTHING:
            arguments.append(ctypes.c_uint64(0))
        elif name in contract.numbers:
            arguments.append(ctypes.c_uint64(contract.numbers[name]))
        else:
            arguments.append(
                arrays[name] if name in arrays else _from(tables[name], contract, name)
            )
    loaded.call(arguments)
    given = [{(): v} if v else {} for v in values]
    for claim in contract.between:
        wanted = int(claim(given).get((), 0))
        value = wanted * pow(contract.factor, -1, contract.p) % contract.p
        given.append({(): value} if value else {})
    for number, claim in enumerate(contract.claims):
        words = z[number * limbs : (number + 1) * limbs]
        result = sum(int(word) << 64 * i for i, word in enumerate(words))
        wanted = int(claim(given).get((), 0))
        if (contract.factor * result - wanted) % contract.p or result > contract.high:
            raise WrongResult(f"z is {result:#x} for {', '.join(map(hex, values))}")
