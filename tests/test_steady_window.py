"""How many calls a prediction counts: until windows of calls agree, and no more than a bound."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from lab_code import kernel

from fieldc.counting.functions import count_in
from fieldc.machine.processors import find_processor
from fieldc.simulator.cores import cores
from fieldc.simulator.predict import predict, predict_throughput
from fieldc.simulator.window import CHOICE, STEADY, CallWindow, steady_cycles


def ends(each: Iterator[int]) -> Iterator[int]:
    """When calls of so many cycles end."""
    end = 0
    for cycles in each:
        end += cycles
        yield end


def test_the_first_window_does_not_count_and_four_that_agree_are_enough() -> None:
    calls = ends(iter([*[90] * 10, *[50] * 1000]))
    found = steady_cycles(calls.__next__, STEADY.instructions // 10)
    assert (found.cycles, found.error, found.agreed) == (50, 0, True)
    assert next(calls) == 10 * 90 + 40 * 50 + 50


def test_a_run_lasts_until_the_error_is_small() -> None:
    draw = random.Random(3)
    calls = ends(draw.choice((95, 105)) for _ in range(1000))
    window = CallWindow(instructions=10, most=900, tolerance=0.004)
    found = steady_cycles(calls.__next__, 10, window)
    assert found.agreed and found.error <= 0.004 * found.cycles
    assert abs(found.cycles - 100) < 3 * found.error


def test_windows_that_never_agree_give_their_mean_and_say_so() -> None:
    calls = ends(10 if number % 2 else 30 for number in range(1000))
    found = steady_cycles(calls.__next__, 100, CallWindow(instructions=100, most=8))
    assert (found.cycles, found.agreed) == (20, False) and found.error > 3
    assert next(calls) == 10 * 20  # the tenth call: one of warming up, eight that count, this one


def test_a_window_is_a_call_at_least_and_fills_every_core() -> None:
    calls = ends(iter([7] * 100))
    assert steady_cycles(calls.__next__, 10 * STEADY.instructions).cycles == 7
    assert next(calls) == 7 * 6
    assert all(STEADY.instructions >= 5 * core.window for core in cores().values())


@pytest.mark.parametrize("key", ["neoverse-v2", "apple-m1"])
def test_a_prediction_is_that_of_a_run_ten_times_as_long(key: str) -> None:
    """Calls 9 to 20, counted before, were 8 % below for an order that was fitted to them."""
    found, processor = count_in(kernel("aarch64-linux", "bn254-p"), "kernel"), find_processor(key)
    prediction = predict(found, processor)
    long = predict_throughput(found, processor, CallWindow(30000, least=10, most=10))
    assert prediction and long and abs(prediction.throughput / long - 1) < 0.01
    assert prediction.throughput == predict_throughput(found, processor)
    rough = predict_throughput(found, processor, CHOICE)
    assert rough and abs(rough / long - 1) < 0.03
