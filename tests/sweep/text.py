"""The native code of the sweep, as LLVM IR: it takes a word program record by record.

A record names slots of a frame; a slot holds one value of the program for LANES inputs, a byte
each: words of up to 4 bits, whose products and double words are bytes. Operands and wanted results
are planes: limb by limb, a byte for each input.

Each operation is printed here from its equation, apart from `compute` in the table of operations
and from the backends. Every output is compared with its bound.
"""

from __future__ import annotations

import re

LANES = 256
WIDEST = 4
"""Bits of the widest words."""
COMPARE = "compare"
"""The record that compares a limb of the result; no operation of the table."""

FIELDS = ("operation", "a", "b", "c", "s", "t", "high_s", "high_t", "attribute")
"""A record, i32 each: slots, bounds of the outputs, and the step's attribute or its plane."""

TEXTS: dict[str, str] = {
    "add": """
  %partial = add V %a, %b
  %sum = add V %partial, %c
  %s = and V %sum, TOP
  %t = lshr V %sum, WIDTH""",
    "sub": """
  %partial = sub V %a, %b
  %difference = sub V %partial, %c
  %s = and V %difference, TOP
  %t = lshr V %difference, SIGN""",
    "mul": """
  %product = mul V %a, %b
  %s = and V %product, TOP
  %t = lshr V %product, WIDTH""",
    "mul_low": """
  %product = mul V %a, %b
  %s = and V %product, TOP""",
    "select": """
  %flag = icmp ne V %a, zeroinitializer
  %s = select B %flag, V %b, V %c""",
    "mask": """
  %s = mul V %a, TOP""",
    "and": """
  %s = and V %a, %b""",
    "funnel": """
  %high = shl V %a, WIDTH
  %both = or V %high, %b
  %k = call V @splat(i32 %attribute)
  %shifted = lshr V %both, %k
  %s = and V %shifted, TOP""",
    "load": """
  %s = load V, ptr %plane, align 1""",
    COMPARE: """
  %wanted = load V, ptr %plane, align 1
  %s = xor V %a, %wanted""",
}
"""What each record computes: %s and %t from %a, %b and %c, or from a plane."""

NUMBERS = {name: number for number, name in enumerate(TEXTS)}
"""A record's first field."""

_QUARTER = LANES // 4
_TYPES = {
    "V": f"<{LANES} x i8>",
    "B": f"<{LANES} x i1>",
    "Q": f"<{_QUARTER} x i8>",
    "QB": f"<{_QUARTER} x i1>",
}
_STATE = "ptr %record, ptr %frame, ptr %planes, i64 %stride, i64 %start, Q %bad"


def print_sweep(word: int) -> str:
    """A module with `i64 agreeing(records, steps, frame, planes, stride, blocks)`.

    It returns how many blocks of LANES inputs come before the first in which a value is above its
    bound or a result is wrong: `blocks` if there is none.
    """
    assert 2 <= word <= WIDEST
    numbers = {"TOP": (1 << word) - 1, "WIDTH": word, "SIGN": 7}
    known = {**_TYPES, **{name: f"splat (i8 {value})" for name, value in numbers.items()}}
    text = "".join([_HELPERS, _fold(), *map(_record, TEXTS), _loop()])
    return re.sub(rf"\b({'|'.join(known)})\b", lambda name: known[name[0]], text)


def _record(name: str) -> str:
    """The function that runs one kind of record; it returns `bad` and what it found."""
    text, found = TEXTS[name], "%bad"
    for field in ("s", "t") if "%t =" in text else ("s",):
        text += _output(field, found)
        found = f"%{field}.found"
    inputs = "".join(map(_input, ("a", "b", "c")))
    return (
        f"\ndefine internal Q @{name}({_STATE}) alwaysinline {{{_PLANE}"
        f"{inputs}{text}\n  ret Q {found}\n}}\n"
    )


def _read(field: str, name: str) -> str:
    return f"""
  %{name}.field = getelementptr i32, ptr %record, i64 {FIELDS.index(field)}
  %{name} = load i32, ptr %{name}.field"""


def _slot(field: str) -> str:
    return f"""{_read(field, f"{field}.slot")}
  %{field}.at = getelementptr V, ptr %frame, i32 %{field}.slot"""


def _input(field: str) -> str:
    return f"{_slot(field)}\n  %{field} = load V, ptr %{field}.at, align 1"


def _output(field: str, found: str) -> str:
    """Store an output, and add to `found` the lanes where it is above its bound."""
    return f"""{_slot(field)}{_read(f"high_{field}", f"high_{field}")}
  store V %{field}, ptr %{field}.at, align 1
  %{field}.bound = call V @splat(i32 %high_{field})
  %{field}.above = call V @llvm.usub.sat.v{LANES}i8(V %{field}, V %{field}.bound)
  %{field}.folded = call Q @fold(V %{field}.above)
  %{field}.found = or Q {found}, %{field}.folded"""


_PLANE = f"""{_read("attribute", "attribute")}
  %number = zext i32 %attribute to i64
  %offset = mul i64 %number, %stride
  %within = add i64 %offset, %start
  %plane = getelementptr i8, ptr %planes, i64 %within"""

_HELPERS = f"""
declare V @llvm.usub.sat.v{LANES}i8(V, V)
declare i1 @llvm.vector.reduce.or.v{_QUARTER}i1(QB)

define internal V @splat(i32 %wide) alwaysinline {{
  %byte = trunc i32 %wide to i8
  %one = insertelement V poison, i8 %byte, i64 0
  %all = shufflevector V %one, V poison, <{LANES} x i32> zeroinitializer
  ret V %all
}}
"""


def _fold() -> str:
    """The four quarters of a vector, or'ed."""
    parts = ""
    for i in range(4):
        lanes = ", ".join(f"i32 {i * _QUARTER + lane}" for lane in range(_QUARTER))
        parts += f"\n  %q{i} = shufflevector V %v, V poison, <{_QUARTER} x i32> <{lanes}>"
    return f"""
define internal Q @fold(V %v) alwaysinline {{{parts}
  %low = or Q %q0, %q1
  %high = or Q %q2, %q3
  %all = or Q %low, %high
  ret Q %all
}}
"""


def _loop() -> str:
    """Blocks in order, and in each block the records in order."""
    cases = " ".join(f"i32 {number}, label %run.{name}" for name, number in NUMBERS.items())
    runs = "".join(
        f"run.{name}:\n  %bad.{name} = call Q @{name}({_STATE})\n  br label %stepped\n"
        for name in TEXTS
    )
    after = ", ".join(f"[ %bad.{name}, %run.{name} ]" for name in TEXTS)
    return f"""
define i64 @agreeing(
    ptr %records, i64 %steps, ptr %frame, ptr %planes, i64 %stride, i64 %blocks) {{
entry:
  br label %block
block:
  %n = phi i64 [ 0, %entry ], [ %n.next, %agrees ]
  %start = mul i64 %n, {LANES}
  %more = icmp ult i64 %n, %blocks
  br i1 %more, label %step, label %end
step:
  %i = phi i64 [ 0, %block ], [ %i.next, %stepped ]
  %bad = phi Q [ zeroinitializer, %block ], [ %bad.next, %stepped ]
  %record = getelementptr [{len(FIELDS)} x i32], ptr %records, i64 %i
  %operation = load i32, ptr %record
  switch i32 %operation, label %unknown [ {cases} ]
{runs}
stepped:
  %bad.next = phi Q {after}
  %i.next = add i64 %i, 1
  %last = icmp eq i64 %i.next, %steps
  br i1 %last, label %compared, label %step
compared:
  %lanes = icmp ne Q %bad.next, zeroinitializer
  %any = call i1 @llvm.vector.reduce.or.v{_QUARTER}i1(QB %lanes)
  br i1 %any, label %end, label %agrees
agrees:
  %n.next = add i64 %n, 1
  br label %block
unknown:
  unreachable
end:
  ret i64 %n
}}
"""
