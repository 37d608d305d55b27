"""Runs functions of WebAssembly in Python: the instructions that our kernels are made of."""

from __future__ import annotations

from collections.abc import Callable

from fieldc.targets.wasm.encode import WasmFunction

TOP = (1 << 64) - 1

WORDS: dict[str, Callable[[int, int], int]] = {
    "i64.add": lambda a, b: a + b,
    "i64.sub": lambda a, b: a - b,
    "i64.mul": lambda a, b: a * b,
    "i64.and": lambda a, b: a & b,
    "i64.or": lambda a, b: a | b,
    "i64.xor": lambda a, b: a ^ b,
    "i64.shl": lambda a, b: a << b % 64,
    "i64.shr_u": lambda a, b: a >> b % 64,
}
PAIRS: dict[str, Callable[[int, int], int]] = {
    "i64.add128": lambda a, b: a + b,
    "i64.sub128": lambda a, b: a - b,
}


def run(function: WasmFunction, limbs: int, *operands: int) -> int:
    """The result of a kernel function(z, x, ...) of `limbs` limbs."""
    space = 1 << 10
    memory = bytearray(space * (1 + len(operands)))
    for i, value in enumerate(operands, 1):
        memory[space * i : space * (i + 1)] = value.to_bytes(space, "little")
    places = [space * i for i in range(1 + len(operands))]
    local = [*places, *([0] * len(function.locals))]
    stack: list[int] = []
    for name, *immediates in function.body:
        step(str(name), [int(i) for i in immediates], stack, local, memory)
    assert not stack
    return int.from_bytes(memory[: 8 * limbs], "little")


def step(
    name: str, immediates: list[int], stack: list[int], local: list[int], memory: bytearray
) -> None:
    """One instruction."""
    if name == "local.get":
        stack.append(local[immediates[0]])
    elif name in ("local.set", "local.tee"):
        local[immediates[0]] = stack[-1] if name == "local.tee" else stack.pop()
    elif name == "i64.const":
        stack.append(immediates[0] & TOP)
    elif name == "i64.load":
        at = stack.pop() + immediates[0]
        stack.append(int.from_bytes(memory[at : at + 8], "little"))
    elif name == "i64.store":
        value, at = stack.pop(), stack.pop() + immediates[0]
        memory[at : at + 8] = value.to_bytes(8, "little")
    elif name in PAIRS:
        b_high, b, a_high, a = (stack.pop() for _ in range(4))
        both = PAIRS[name](a + (a_high << 64), b + (b_high << 64))
        stack.extend((both & TOP, both >> 64 & TOP))
    elif name == "i64.mul_wide_u":
        both = stack.pop() * stack.pop()
        stack.extend((both & TOP, both >> 64))
    else:
        b, a = stack.pop(), stack.pop()
        stack.append(WORDS[name](a, b) & TOP)
