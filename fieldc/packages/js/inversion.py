"""Inversion in WebAssembly by divsteps, in the same time for all values.

Source: D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd computation and modular inversion",
2019 (eprint 2019/266), sections 8 to 11. It starts at delta = 1/2 as in P. Wuille, "Bounds on
divsteps iterations in safegcd", 2021.

Numbers are signed digits of 30 bits, one in each word of memory, least significant first. Each
digit is in 0..2^30 except the top one, which has the sign.
"""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.field import Field
from fieldc.targets.wasm.encode import I32, I64, Instructions, WasmFunction

DIGIT = 30
MASK = (1 << DIGIT) - 1
NUMBERS = ("p", "scale", "f", "g", "d", "e")
"""What lies in memory in digits: two constants, and four that change."""
GIVEN = ("z", "x")
COUNTERS = ("batch", "step", "at")
WORDS = (
    *("zeta", "f", "g", "odd", "swap", "above"),
    *("u", "v", "q", "r", "first_u", "first_v", "first_q", "first_r", "low_f", "low_g"),
    *("carry_d", "carry_e", "carry_f", "carry_g", "p_d", "p_e", "sign", "mask", "t"),
)
INDEX = {name: i for i, name in enumerate((*GIVEN, *COUNTERS, *WORDS))}


@dataclass(frozen=True)
class InversionPlan:
    """What an inversion modulo p needs to know; `at` is the address of its digits.

    Enough divsteps: if f is odd, 0 <= g <= f <= 2^b and 9437*b + 1 <= 4096*n, then g = 0 after n
    divsteps from delta = 1/2. Proved in HOL Light: DIVSTEP_ENDTOEND_BITS_SIMPLE, J. Harrison.
    """

    f: Field
    at: int
    scale: int
    """What 1/x is multiplied by: R^2 for residues in Montgomery form, 1 for plain ones."""

    @property
    def digits(self) -> int:
        """Digits of a number between -2p and 2p; at least 2, so that each loop has a turn."""
        return max(2, -(-(self.f.bits + 2) // DIGIT))

    @property
    def size(self) -> int:
        """Bytes of all numbers."""
        return 8 * self.digits * len(NUMBERS)

    @property
    def data(self) -> bytes:
        """The two constants, in digits."""
        return b"".join(
            (value >> DIGIT * i & MASK).to_bytes(8, "little")
            for value in (self.f.p, self.scale)
            for i in range(self.digits)
        )

    def place(self, name: str, digit: int = 0) -> int:
        """The address of a number's digit."""
        return self.at + 8 * (self.digits * NUMBERS.index(name) + digit)

    @property
    def batches(self) -> tuple[int, int]:
        """How many batches, and how many divsteps in each: at most as many as a digit has bits."""
        steps = -(-(9437 * self.f.bits + 1) // 4096)
        count = -(-steps // DIGIT)
        return count, -(-steps // count)


# Expressions: what leaves one word on the stack.


def get(name: str) -> Instructions:
    """A local."""
    return (("local.get", INDEX[name]),)


def word(value: int) -> Instructions:
    """A constant."""
    return (("i64.const", value),)


def op(name: str, *operands: Instructions) -> Instructions:
    """An instruction on operands; of more than two one after the other."""
    first, *rest = operands
    code = first
    for operand in rest:
        code += (*operand, (f"i64.{name}",))
    return code


def shift(name: str, value: Instructions, bits: int) -> Instructions:
    """A value shifted, by nothing at no cost."""
    return op(name, value, word(bits)) if bits else value


def low(value: Instructions, bits: int) -> Instructions:
    """The low bits with their sign."""
    return shift("shr_s", shift("shl", value, 64 - bits), 64 - bits)


def dot(a: str, x: Instructions, b: str, y: Instructions) -> Instructions:
    """a*x + b*y."""
    return op("add", op("mul", get(a), x), op("mul", get(b), y))


def load(place: int, at: bool = False) -> Instructions:
    """A digit; `at` is added to its address."""
    return (*(get("at") if at else (("i32.const", 0),)), ("i64.load", place))


# Statements.


def let(name: str, value: Instructions) -> Instructions:
    """A local's new value."""
    return (*value, ("local.set", INDEX[name]))


def store(place: int, value: Instructions, at: bool = False) -> Instructions:
    """A digit's new value."""
    return (*(get("at") if at else (("i32.const", 0),)), *value, ("i64.store", place))


def counted(counter: str, start: int, end: int, step: int, body: Instructions) -> Instructions:
    """The body while a counter goes from start to end, at least once."""
    index = INDEX[counter]
    begin: Instructions = (("i32.const", start), ("local.set", index), ("loop",))
    up: Instructions = (
        ("local.get", index),
        ("i32.const", step),
        ("i32.add",),
        ("local.tee", index),
    )
    return (*begin, *body, *up, ("i32.const", end), ("i32.lt_u",), ("br_if", 0), ("end",))


def inversion(plan: InversionPlan) -> WasmFunction:
    """invert(z, x): the residue of 1/x from that of x; 0 from 0. z may be x."""
    count, steps = plan.batches
    batch = (
        *let("f", load(plan.place("f"))),
        *let("g", load(plan.place("g"))),
        *_divsteps(steps),
        *_apply(plan),
    )
    sign = shift("shr_s", load(plan.place("f", plan.digits - 1)), 63)
    body = (
        *let("mask", word(MASK)),
        *_start(plan),
        *let("zeta", word(-1)),
        *counted("batch", 0, count, 1, batch),
        *let("sign", sign),
        *counted("batch", 0, 2, 1, (*_adjusted(plan), *let("sign", word(0)))),
        *_result(plan),
    )
    kinds = (*(I32 for _ in COUNTERS), *(I64 for _ in WORDS))
    return WasmFunction("invert", (I32, I32), kinds, body)


def _start(plan: InversionPlan) -> Instructions:
    """f = p, g = x, d = 0, e = scale: then d*x = f and e*x = g modulo p, times the scale."""
    copies = (
        *store(plan.place("f"), load(plan.place("p"), at=True), at=True),
        *store(plan.place("e"), load(plan.place("scale"), at=True), at=True),
        *store(plan.place("d"), word(0), at=True),
    )
    code = counted("at", 0, 8 * plan.digits, 8, copies)
    for i in range(plan.digits):
        code += store(plan.place("g", i), op("and", _digit_of_x(plan, i), get("mask")))
    return code


def _digit_of_x(plan: InversionPlan, i: int) -> Instructions:
    limb, bit = divmod(DIGIT * i, 64)
    if limb >= plan.f.n:
        return word(0)
    lower = shift("shr_u", (*get("x"), ("i64.load", 8 * limb)), bit)
    if bit + DIGIT <= 64 or limb + 1 >= plan.f.n:
        return lower
    return op("or", lower, shift("shl", (*get("x"), ("i64.load", 8 * limb + 8)), 64 - bit))


def _divsteps(steps: int) -> Instructions:
    """The matrix u, v, q, r of a batch, times 2^DIGIT, in two blocks."""
    first, second = steps // 2, steps - steps // 2
    code = (*let("low_f", get("f")), *let("low_g", get("g")), *_block(first))
    for name, a, b in (("f", "u", "v"), ("g", "q", "r")):
        code += let(name, shift("shr_s", dot(a, get("low_f"), b, get("low_g")), first))
    for name in "uvqr":
        code += let(f"first_{name}", get(name))
    code += _block(second)
    for left, right in ("uv", "qr"):
        code += let("t", dot(left, get("first_u"), right, get("first_q")))
        code += let(right, dot(left, get("first_v"), right, get("first_r")))
        code += let(left, get("t"))
    for name in "uvqr":
        code += let(name, shift("shl", get(name), DIGIT - steps))
    return code


def _block(steps: int) -> Instructions:
    """The matrix of at most 20 divsteps, times 2^steps, from the low bits of f and g.

    One word has f in its low bits and u and v above, another one g, q and r: f + 2^20*u + 2^42*v,
    with -2^19 <= f < 2^19 and |u| + |v| <= 2^20. They start as (2^steps, 0) and (0, 2^steps), so
    halving the second one is exact. zeta is -(delta + 1/2).
    """
    added = op("sub", op("xor", op("and", get("f"), get("odd")), get("swap")), get("swap"))
    change = op("and", op("xor", get("f"), get("g")), get("swap"))
    step = (
        *let("odd", op("sub", word(0), op("and", get("g"), word(1)))),
        *let("swap", op("and", shift("shr_s", get("zeta"), 63), get("odd"))),
        *let("t", added),
        *let("f", op("xor", get("f"), change)),
        *let("g", shift("shr_s", op("add", get("g"), get("t")), 1)),
        *let("zeta", op("sub", op("xor", get("zeta"), get("swap")), word(1))),
    )
    code = (
        *let("f", op("add", low(get("f"), 20), word(1 << 20 + steps))),
        *let("g", op("add", low(get("g"), 20), word(1 << 42 + steps))),
        *counted("step", 0, steps, 1, step),
    )
    for packed, lower, upper in (("f", "u", "v"), ("g", "q", "r")):
        code += let("t", shift("shr_s", op("add", get(packed), word(1 << 19)), 20))
        code += let(lower, low(get("t"), 22))
        code += let(upper, shift("shr_s", op("sub", get("t"), get(lower)), 22))
    return code


ROWS = (("d", "e", "u", "v"), ("e", "d", "r", "q"), ("f", "g", "u", "v"), ("g", "f", "r", "q"))
"""Each number that a batch changes, the other one of its pair, and the matrix's words for both."""


def _apply(plan: InversionPlan) -> Instructions:
    """(f, g) and (d, e) become the matrix times them, over 2^DIGIT; d and e modulo p.

    d and e are above -2p and below p. A negative one first gets p. Then a multiple of p from 0 to
    (2^DIGIT - 1)*p is subtracted, so that the low digit becomes 0.
    """
    return (*_first_digits(plan), *_other_digits(plan))


def _first_digits(plan: InversionPlan) -> Instructions:
    top = plan.digits - 1
    inverse = pow(plan.f.p, -1, 1 << DIGIT)
    code: Instructions = ()
    for name, other, a, b in ROWS:
        total, times = f"carry_{name}", f"p_{name}"
        value = dot(a, load(plan.place(name)), b, load(plan.place(other)))
        code += let(total, value)
        if name in "de":
            signs = (shift("shr_s", load(plan.place(each, top)), 63) for each in (name, other))
            mine, others = (op("and", get(w), s) for w, s in zip((a, b), signs, strict=True))
            code += let(times, op("add", mine, others))
            wrong = op("add", op("mul", get(total), word(inverse)), get(times))
            code += let(times, op("sub", get(times), op("and", wrong, get("mask"))))
            product = op("mul", get(times), load(plan.place("p")))
            code += let(total, op("add", get(total), product))
        code += let(total, shift("shr_s", get(total), DIGIT))
    return code


def _other_digits(plan: InversionPlan) -> Instructions:
    body: Instructions = ()
    for name, other, a, b in ROWS:
        digits = (load(plan.place(each), at=True) for each in (name, other))
        total = op("add", get(f"carry_{name}"), dot(a, next(digits), b, next(digits)))
        if name in "de":
            total = op("add", total, op("mul", get(f"p_{name}"), load(plan.place("p"), at=True)))
        body += let(f"carry_{name}", total)
    for name, *_ in ROWS:
        carry = f"carry_{name}"
        body += store(plan.place(name) - 8, op("and", get(carry), get("mask")), at=True)
        body += let(carry, shift("shr_s", get(carry), DIGIT))
    code = counted("at", 8, 8 * plan.digits, 8, body)
    for name, *_ in ROWS:
        code += store(plan.place(name, plan.digits - 1), get(f"carry_{name}"))
    return code


def _adjusted(plan: InversionPlan) -> Instructions:
    """d gets p if it is negative, then becomes -d where `sign` is ones; its digits in range."""
    top = plan.place("d", plan.digits - 1)
    more = op("and", load(plan.place("p"), at=True), get("swap"))
    digit = op("xor", op("add", load(plan.place("d"), at=True), more), get("sign"))
    body = (
        *let("t", op("add", op("sub", digit, get("sign")), get("above"))),
        *store(plan.place("d"), op("and", get("t"), get("mask")), at=True),
        *let("above", shift("shr_s", get("t"), DIGIT)),
    )
    return (
        *let("swap", shift("shr_s", load(top), 63)),
        *let("above", word(0)),
        *counted("at", 0, 8 * plan.digits, 8, body),
        *store(top, get("t")),
    )


def _result(plan: InversionPlan) -> Instructions:
    """z = d, which is now below p."""
    code: Instructions = ()
    for limb in range(plan.f.n):
        parts = []
        for i in range(64 * limb // DIGIT, min(plan.digits, -(-64 * (limb + 1) // DIGIT))):
            up = DIGIT * i - 64 * limb
            digit = load(plan.place("d", i))
            parts.append(shift("shl", digit, up) if up >= 0 else shift("shr_u", digit, -up))
        code += (*get("z"), *op("or", *parts), ("i64.store", 8 * limb))
    return code
