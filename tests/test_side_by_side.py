"""Products in vectors beside scalar ones: the steps are a product, and the streams have no gaps."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fieldc.catalogue import find_field
from fieldc.lab.side_by_side import BITS, DIGITS, STREAMS, DigitProduct, block_cycles, merged
from fieldc.machine.processors import find_processor, processors_of
from fieldc.simulator.run import steps_of


@pytest.mark.parametrize("name", ["bn254-p", "bn254-r"])
def test_the_steps_of_the_digits_are_a_montgomery_product(name: str) -> None:
    p, draw = find_field(name).p, random.Random(5)
    multiply, r = DigitProduct(p), 1 << BITS * DIGITS
    for x, y in [(0, 0), (p - 1, p - 1), *((draw.randrange(p), draw.randrange(p)) for _ in "1234")]:
        z = multiply(x, y)
        assert z * r % p == x * y % p and z < 2 * p


def test_a_stream_has_the_products_of_its_digits() -> None:
    timings = Counter(each.timing for each in STREAMS["integers"]())
    assert timings["vector long product"] == 2 * DIGITS * DIGITS
    assert timings["vector product"] == DIGITS
    floats = Counter(each.timing for each in STREAMS["floats"]())
    assert floats["vector float product"] == 2 * (2 * 5 * 5 + 5)
    for processor in processors_of("aarch64"):
        assert all(processor.timing(name) for name in (*timings, *floats))


def test_merged_streams_keep_their_order() -> None:
    processor = find_processor("neoverse-n1")
    code = STREAMS["integers"]()
    steps = steps_of(code, [()] * len(code), processor)
    both = list(merged([steps[:10], steps[10:40]]))
    assert [s for s in both if s in steps[:10]] == steps[:10] and len(both) == 40
    assert steps[0] in both[:4]


def test_a_block_takes_no_less_than_its_parts() -> None:
    processor = find_processor("neoverse-n1")
    alone, vectors = (block_cycles(processor, *size) for size in ((1, ""), (0, "integers")))
    assert block_cycles(processor, 1, "integers") >= 0.99 * max(alone, vectors)
