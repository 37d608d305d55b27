"""What a message suggests for a name that is none: the nearest one that a person may have meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldc import algorithms
from fieldc.algorithms import NoKernel, choose
from fieldc.catalogue import ModulusError, UnknownField, find_field
from fieldc.cli import find_verb
from fieldc.commands.options import BUILT, targets_of
from fieldc.commands.verb import UsageError
from fieldc.decisions.schedule import ScheduleError, load_schedule
from fieldc.errors import ERROR_WIDTH, MOST_NEAREST, counted, nearest, with_article
from fieldc.language import DoesNotApply
from fieldc.targets import registry
from fieldc.targets.array_targets import array_targets
from fieldc.targets.registry import UnknownTarget, unknown_target


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("multiply", "mul"),
        ("negate", "neg"),
        ("sqr", "square"),
        ("add_lzy", "add_lazy"),
        ("to_mont", "to_montgomery"),
        ("sum_of_products_2", "sum_of_products"),
        ("MUL", "mul"),
        ("mull", "mul"),
        ("subtraction", "sub"),
    ],
)
def test_an_operation(text: str, near: str) -> None:
    assert nearest(text, BUILT)[0] == near


@pytest.mark.parametrize("text", ["", "qqqq", "\u0663", "zz" * 5000])
def test_nothing_is_near(text: str) -> None:
    assert nearest(text, BUILT) == []


@pytest.mark.parametrize("text", ["crandall", "callpipe", "dismutation"])
def test_a_short_name_within_a_word_is_not_near(text: str) -> None:
    assert nearest(text, ["all", "mul", "sub"]) == []


def test_a_few_are_named() -> None:
    assert len(nearest("mul", BUILT)) == MOST_NEAREST


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("x86-64", "x86_64-linux"),
        ("amd64", "x86_64-linux"),
        ("linux", "x86_64-linux"),
        ("native", "x86_64-linux"),
        ("arm64", "aarch64-linux"),
        ("aarch64-apple-darwin", "aarch64-macos"),
        ("x86_64-pc-windows-msvc", "x86_64-windows"),
        ("x86_64-unknown-linux-gnu", "x86_64-linux"),
        ("wasm", "wasm32"),
        ("C", "c"),
    ],
)
def test_a_target(text: str, near: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "host_target", lambda: "x86_64-linux")
    assert unknown_target(text).endswith(f"; the nearest: {near}")


def test_a_target_of_arrays() -> None:
    with pytest.raises(UsageError, match="avx2 is a target of kernels on arrays, of fieldc build"):
        targets_of(find_field("7"), "x86_64-linux,avx2")


def test_a_target_that_lacks_words_of_32_bits_is_not_said_to_lack_a_modulus() -> None:
    said = "^avx2 has no kernels on words of 32 bits; use avx512ifma, or leave out --word$"
    with pytest.raises(UnknownTarget, match=said):
        array_targets("avx2", find_field("babybear", 32))
    with pytest.raises(UnknownTarget, match=r"^avx2 has no kernels for a modulus of 1 limb; use "):
        array_targets("avx2", find_field("2^61-31"))


@pytest.mark.parametrize("target", [None, "all", "avx2", "avx512ifma"])
def test_words_of_32_bits_are_not_advised_for_a_modulus_that_they_do_not_hold(
    target: str | None,
) -> None:
    with pytest.raises(DoesNotApply, match=r"below 2\^31, not 0x1f{15}; leave out --word$"):
        array_targets(target, find_field("2^61-1", 32))
    assert array_targets(target, find_field("2^61-1"))


def test_what_is_advised_for_kernels_on_arrays_is_not_refused() -> None:
    said = r"not 0x1fffffffffffffe1; leave out --word and use avx512ifma$"
    with pytest.raises(DoesNotApply, match=said):
        array_targets("avx2", find_field("2^61-31", 32))
    assert array_targets("avx512ifma", find_field("2^61-31"))
    with pytest.raises(DoesNotApply, match=r"a modulus of up to 768 bits, not of 1024$"):
        array_targets("avx2", find_field("2^1024-105", 32))


def test_of_equal_targets_the_hosts_system_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "host_target", lambda: "aarch64-macos")
    assert unknown_target("x86-64").endswith("x86_64-macos")
    assert unknown_target("host").endswith("aarch64-macos")
    monkeypatch.setattr(registry, "host_target", lambda: "riscv128-plan9")  # which is no target
    assert "; " in unknown_target("native")


@pytest.mark.parametrize(
    ("operation", "algorithm", "said"),
    [
        ("mul", "log_jump", "mul has no algorithm 'log_jump'; the nearest: log-jump"),
        ("mul", "CIOS", "mul has no algorithm 'CIOS'; the nearest: cios"),
        ("multiply", None, "no operation 'multiply'; the nearest: mul"),
        ("inverse", None, "no operation 'inverse'; there are: add, "),
    ],
)
def test_an_algorithm(operation: str, algorithm: str | None, said: str) -> None:
    with pytest.raises(NoKernel) as caught:
        choose(find_field("17"), operation, algorithm)
    assert str(caught.value).startswith(said)


def test_an_operation_without_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of the tutorial's reader who left a line out."""
    monkeypatch.setattr(algorithms, "STUDIED_OPERATIONS", ("norm",))
    for name in (None, "norm"):
        with pytest.raises(NoKernel, match="no kernel computes norm: add one to FUSED"):
            choose(find_field("17"), "norm", name)


def test_one_thing_and_several() -> None:
    assert [counted(n, "limb") for n in (0, 1, 2)] == ["0 limbs", "1 limb", "2 limbs"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("butterfly_lazy", "the nearest: butterfly$"),
        ("inner_products", "the nearest: inner_product$"),
        ("to_digits", "use add, sub, .*, inner_product$"),
    ],
)
@pytest.mark.parametrize("words", [["build", "17", "-o", "no-such-folder"], ["bench", "17"]])
def test_with_batch_operations_on_arrays_are_near(words: list[str], name: str, said: str) -> None:
    verb = find_verb(words[0])
    with pytest.raises(UsageError, match=f"^unknown operation '{name}'; {said}"):
        verb.run(verb.parse([*words[1:], "--batch", "--op", name]))


def test_a_long_option_is_near_to_long_ones_alone() -> None:
    with pytest.raises(UsageError, match="use --help, --op, --formula, --time"):
        find_verb("tune").parse(["17", "--why"])


@pytest.mark.parametrize(("words", "name"), [(["--rounds=0"], "--rounds"), (["-o", ""], "-o")])
def test_a_value_that_cannot_be_used_is_said_with_its_option(words: list[str], name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name}: '0?' is not "):
        find_verb("lab").parse(words)


def test_what_is_wrong_in_a_file_is_said_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "prime"
    path.write_text("2^")
    with pytest.raises(ModulusError, match=r"^in the file '.*prime': cannot read '2\^'"):
        find_field(str(path))
    path.write_text("rot13")
    with pytest.raises(UnknownField, match=r"^in the file '.*prime': unknown field 'rot13'"):
        find_field(str(path))


def test_the_schedule_of_a_processor() -> None:
    with pytest.raises(ScheduleError, match=r"'zen5': No such file .*; the nearest .* is zen-5$"):
        load_schedule(Path("zen5"), find_field("bn254-p"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["count", ""], "'' is not the name of a file"),
        (["count", ":mul"], "':mul' does not name a file before the colon"),
        (["plot", "", "-o", "x.svg"], "'' is not the name of a file"),
        (["build", "17", "-o", "x", "--schedule", ""], "--schedule: '' is not the name of a file"),
    ],
)
def test_an_empty_path_is_none(words: list[str], said: str) -> None:
    verb = find_verb(words[0])
    with pytest.raises(UsageError, match=f"^{said}"):
        verb.run(verb.parse(words[1:]))


def test_a_schedule_of_no_formula_of_the_file_is_not_asked_for_with_op() -> None:
    shipped = "fieldc/decisions/schedules/bls12_381_p.sapphire-rapids.json"
    schedule = ["--formula", "examples/integers.py", "--schedule", shipped]
    words = ["bls12-381-p", "-o", "x", *schedule]
    verb = find_verb("build")
    with pytest.raises(UsageError, match=r"; tune one of the file's formulas first$"):
        verb.run(verb.parse(words))


def test_many_targets_fit_a_line() -> None:
    said = unknown_target("vax")
    assert len(said) < ERROR_WIDTH and said.endswith(" more")


def test_articles() -> None:
    assert [with_article(name) for name in ("str", "Element", "U64")] == [
        "a str",
        "an Element",
        "a U64",
    ]
