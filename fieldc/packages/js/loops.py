"""Functions of a module that call kernels in loops: on vectors, for powers and for inverses."""

from __future__ import annotations

from fieldc.targets.wasm.encode import I32, Instruction, Instructions, WasmFunction

CANONICAL = "canonical"


def loops(kernels: list[WasmFunction], size: int) -> list[WasmFunction]:
    """Functions on vectors of values of `size` bytes, that call kernels by their places."""
    index = {kernel.name: i for i, kernel in enumerate(kernels)}
    return [
        # The first, so that its place is known. A kernel of its own would make modules 28 % larger.
        _mul_add(index["mul"], index["add"]),
        *(_vector(f"{name}_vec", index[name], size, "zxy") for name in ("add", "sub", "mul")),
        *(_vector(f"{name}_vec", index[name], size, "zx") for name in ("neg", "square")),
        _vector("mul_add_vec", len(kernels), size, "zxya"),
        _vector("scale_vec", index["mul"], size, "zxY"),
        _vector("canonical_vec", index[CANONICAL], size, "Zx", (0, 1, 0)),
        _unwind(index["mul"], size),
        _power(index["mul"], index["square"]),
    ]


def get(local: int) -> Instruction:
    """The value of a local."""
    return "local.get", local


def step(local: int, by: int) -> Instructions:
    """Add a number to a local."""
    return get(local), ("i32.const", by), ("i32.add",), ("local.set", local)


def times(count: int, body: Instructions) -> Instructions:
    """The body so many times as a local says, which counts down to 0."""
    down: Instructions = (get(count), ("i32.const", -1), ("i32.add",), ("local.tee", count))
    empty: Instructions = (get(count), ("i32.eqz",), ("br_if", 0))
    return ("block",), *empty, ("loop",), *body, *down, ("br_if", 0), ("end",), ("end",)


def _vector(
    name: str, kernel: int, size: int, operands: str, arguments: tuple[int, ...] = ()
) -> WasmFunction:
    """name(operands.., count): the kernel on each value; an operand in capitals stays the same."""
    given = arguments or tuple(range(len(operands)))
    moves = [i for i, operand in enumerate(operands) if operand.islower()]
    steps = (instruction for i in moves for instruction in step(i, size))
    body = (*map(get, given), ("call", kernel), *steps)
    count = len(operands)
    return WasmFunction(name, (I32,) * (count + 1), (), times(count, body))


def _mul_add(mul: int, add: int) -> WasmFunction:
    """mul_add(z, x, y, a): z = x*y + a. The product waits at address 0."""
    z, x, y, a = map(get, range(4))
    zero: Instruction = ("i32.const", 0)
    body = (zero, x, y, ("call", mul), z, zero, a, ("call", add))
    return WasmFunction("mul_add", (I32,) * 4, (), body)


def _unwind(mul: int, size: int) -> WasmFunction:
    """unwind(s, x, t, count): from the last value back, s_i = t * s_(i-1), then t = t * x_i.

    `s` and `x` are the addresses of the last values. With products s_i = x_0 * ... * x_i and t the
    inverse of the last, s_i becomes the inverse of x_i, and t at last that of x_0.
    """
    s, x, t, count = range(4)
    before: Instructions = (get(s), ("i32.const", -size), ("i32.add",))
    body = (get(s), get(t), *before, ("call", mul), get(t), get(t), get(x), ("call", mul))
    steps = (*step(s, -size), *step(x, -size))
    return WasmFunction("unwind", (I32,) * 4, (), times(count, (*body, *steps)))


def _power(mul: int, square: int) -> WasmFunction:
    """power(z, x, e, bits): z = z^(2^bits) * x^e, the exponent's bits from bytes; z is not x.

    It branches on the exponent's bits, not on values.
    """
    z, x, e, bits = range(4)
    place: Instructions = (get(bits), ("i32.const", -1), ("i32.add",))
    byte: Instructions = (get(e), *place, ("i32.const", 3), ("i32.shr_u",), ("i32.add",))
    shift: Instructions = (*place, ("i32.const", 7), ("i32.and",))
    bit: Instructions = (
        *byte,
        ("i32.load8_u", 0),
        *shift,
        ("i32.shr_u",),
        ("i32.const", 1),
        ("i32.and",),
    )
    multiply: Instructions = (("if",), get(z), get(z), get(x), ("call", mul), ("end",))
    body = (get(z), get(z), ("call", square), *bit, *multiply)
    return WasmFunction("power", (I32,) * 4, (), times(bits, body))
