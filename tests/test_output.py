"""What a terminal of 80 columns shows: whole words, and the columns that matter most."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from fieldc import cli
from fieldc.catalogue import find_field
from fieldc.commands.build import decided
from fieldc.commands.lab import conclusion as of_study
from fieldc.commands.list import targets
from fieldc.commands.output import (
    column_widths,
    emit,
    fitted,
    has_room,
    print_answer,
    print_records,
    rich_table,
    wrapped,
)
from fieldc.commands.races import conclusion, race_tables
from fieldc.commands.verb import Answer, Table
from fieldc.errors import printable
from fieldc.files import OutputError
from fieldc.lab.race import Ratio
from fieldc.machine.processor import is_x86_64

COLUMNS = ("algorithm", "cycles", "ns", "above bound")
TABLE = Table(COLUMNS, [("log-jump-complement", "42.3 | 48.3", "11.1 | 12.7", "81%")] * 2)


def at(width: int) -> Console:
    return Console(width=width, file=io.StringIO(), force_terminal=False)


@pytest.mark.parametrize(
    ("width", "left_out"),
    [(80, []), (52, ["ns"]), (40, ["ns", "above bound"]), (10, ["ns", "above bound"])],
)
def test_a_narrow_terminal_gets_fewer_columns(width: int, left_out: list[str]) -> None:
    optional = ("none", "ns", "above bound")
    table = Table(COLUMNS, TABLE.rows, optional=optional)
    shown, out = fitted(table, at(width))
    assert out == left_out
    assert shown.columns == tuple(name for name in COLUMNS if name not in out)
    assert all(len(row) == len(shown.columns) for row in shown.rows)


@pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")
def test_a_race_fits_80_columns() -> None:
    from fieldc.lab.race import run_race

    field = find_field("2^384-317")
    report = run_race(field, ["mul"], 2, 1, lambda *_: None, every_algorithm=False)
    table, *_ = race_tables(report)
    console = at(80)
    shown, _ = fitted(table, console)
    console.print(rich_table(shown))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert len(lines) == len(table.rows) + 3  # title, heads, rule: no cell is broken
    assert all(len(line) <= 80 for line in lines) and "0xffff" in lines[0]
    (sentence, *_) = conclusion(report)
    assert sentence.startswith("mul runs in ") and sentence.endswith(".")
    assert "what LLVM makes of wide integers" in sentence or "by llvm-wide" in sentence
    assert "lower bound of its code" in sentence


def test_no_word_of_a_table_is_broken() -> None:
    table = targets().tables[0]
    console = at(80)
    console.print(rich_table(table, console.width))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    words = {
        word for row in (table.columns, *table.rows) for cell in row for word in str(cell).split()
    }
    assert {word for line in lines for word in line.split()} - words == {"─" * 80}
    assert all(len(line) <= 80 for line in lines)


def test_the_widest_columns_are_narrowed_first() -> None:
    table = Table(("a", "why not"), [("x" * 10, "one two three " * 9)])
    assert column_widths(table, 40) == [10, 29]
    assert column_widths(table, 3) == [10, 5]  # nothing else is left to take away


def test_long_names_stay_whole_where_others_can_give_way() -> None:
    name = "fieldc_p127_9256e1a0_sum_of_products_mulx"
    table = Table(("kernel", "what is proved"), [(name, "x < p, y < p, z < p; " * 4)])
    assert column_widths(table, 80) == [len(name), 38]
    assert sum(column_widths(table, 40)) == 39


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("x86_64-linux/sum_of_products_adx.o", 33, ["x86_64-linux/sum_of_products_", "  adx.o"]),
        ("a fieldc_p127_mul_mulx+0x7", 20, ["a", "  fieldc_p127_mul_", "  mulx+0x7"]),
        ("file: /a/long/path", 18, ["file: /a/long/path"]),
        ("0x7fffffffffffffffffff", 12, ["0x7fffffffff", "  ffffffffff"]),
        ("0x7ffffffff...fffffffff", 16, ["0x7ffffffff...", "  fffffffff"]),
        ("", 10, [""]),
    ],
)
def test_words_that_are_too_long_break_after_signs(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width).split("\n") == lines


@pytest.mark.skipif(not is_x86_64(), reason="a kernel for x86-64 is counted")
def test_names_of_functions_are_whole_at_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a prime without a name, which are long."""
    shown: list[Answer] = []
    monkeypatch.setattr(cli, "emit", lambda answer, _: shown.append(answer))
    assert cli.main(["build", "2^127-1", "--op", "mul", "-o", str(tmp_path / "out")]) == 0
    path = f"{tmp_path}/out/x86_64-linux/mul_mulx.o"
    for words in (["prove", f"{tmp_path}/out"], ["count", path], ["trace", f"{path}:mul_mulx"]):
        assert cli.main(words) == 0
        names = {
            word
            for table in shown[-1].tables
            for row in table.rows
            for word in " ".join(map(str, row)).split()
            if "fieldc_" in word
        }
        console = at(80)
        for table in shown[-1].tables:
            console.print(rich_table(fitted(table, console)[0], console.width))
        assert isinstance(console.file, io.StringIO)
        printed = console.file.getvalue()
        assert {word for word in printed.split() if "_" in word} <= names
        assert all(len(line) <= 80 for line in printed.splitlines())


def test_what_came_out_is_said_in_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    emit(Answer((TABLE,), [], conclusion=("One.", "Two.")), None)
    assert capsys.readouterr().out.endswith("81%\n\nOne.\nTwo.\n")
    emit(Answer((TABLE,), [], conclusion=("One.",)), "-")
    assert capsys.readouterr().out == "[]\n"


def test_the_sentence_of_an_operation() -> None:
    limits = SimpleNamespace(binding=("multipliers", 73.0))
    fast = SimpleNamespace(
        op="mul",
        backend="x86-mulx",
        count=object(),
        throughput=SimpleNamespace(median=79.0),
        limits=limits,
        ratios={"llvm-wide": Ratio(1.9, 1.7)},
    )
    slow = SimpleNamespace(op="mul", count=None)
    report = SimpleNamespace(rows=[slow, fast], race=SimpleNamespace(disturbed=True))
    said, warning = conclusion(report)  # type: ignore[arg-type]
    assert said == (
        "mul runs in 79.0 cycles by x86-mulx, 1.9 times as fast as what LLVM makes of wide "
        "integers, 8% above the lower bound of its code (multipliers)."
    )
    assert "disturbed" in warning
    fast.ratios = {"llvm-wide": Ratio(0.95, 1.02)}  # by noise: its median is the lowest
    said, _ = conclusion(report)  # type: ignore[arg-type]
    assert "by x86-mulx, as fast as what LLVM makes of wide integers, 8%" in said


def test_the_sentence_where_llvm_is_first() -> None:
    def row(backend: str, cycles: float, wide: float) -> SimpleNamespace:
        limits = SimpleNamespace(binding=("issue slots", 92.0))
        throughput = SimpleNamespace(median=cycles)
        ratios = {"llvm-wide": Ratio(wide, wide)}
        names = {"op": "mul", "backend": backend, "count": object(), "ratios": ratios}
        return SimpleNamespace(**names, throughput=throughput, limits=limits)

    rows = [row("x86-adx", 138.0, 0.83), row("llvm-wide", 115.0, 1.0), row("x86-mulx", 126.5, 0.91)]
    report = SimpleNamespace(rows=rows, race=SimpleNamespace(disturbed=False))
    assert conclusion(report) == (  # type: ignore[arg-type]
        "mul runs in 115.0 cycles by llvm-wide (126.5 by x86-mulx), 25% above the "
        "lower bound of its code (issue slots).",
    )
    rows = [*rows, row("llvm-wide", 116.0, 1.0)]  # of another algorithm
    again = SimpleNamespace(rows=rows, race=SimpleNamespace(disturbed=False))
    assert conclusion(again) == conclusion(report)  # type: ignore[arg-type]
    alone = SimpleNamespace(rows=rows[1:2], race=SimpleNamespace(disturbed=False))
    (said,) = conclusion(alone)  # type: ignore[arg-type]
    assert said.startswith("mul runs in 115.0 cycles by llvm-wide, 25% above")


def test_the_sentence_of_a_study() -> None:
    def row(field: str, algorithm: str, cycles: float) -> dict[str, object]:
        spread = {"low": cycles - 0.1, "high": cycles + 0.1}
        names = {"field": field, "op": "mul", "backend": "x86-mulx", "algorithm": algorithm}
        return {**names, "limbs": 4, "throughput_cycles": cycles, "throughput_spread": spread}

    rows = [row("f", "cios", 40), row("f", "sos", 50), row("g", "cios", 44), row("g", "sos", 43)]
    rows += [row("h", "cios", 60), row("h", "sos", 70)]
    assert of_study(rows) == ("mul: cios is the fastest algorithm of x86-mulx in 2 of 3 fields.",)


def test_a_table_without_room_is_printed_as_records() -> None:
    table = Table(
        ("target", "proved", "tested", "why"),
        [("x86_64-windows-llvm-bmi2", "tried", "", "no objects of this system run here")] * 2,
        title="targets",
    )
    assert has_room(table, 60) and not has_room(table, 40)
    console = at(40)
    print_records(table, console)
    assert isinstance(console.file, io.StringIO)
    record = [
        "target: x86_64-windows-llvm-bmi2",
        "proved: tried",
        "why: no objects of this system run here",
    ]
    assert console.file.getvalue().split("\n\n") == [
        "targets",
        "\n".join(record),
        "\n".join(record) + "\n",
    ]
    console = at(24)
    print_records(table, console)
    lines = console.file.getvalue().splitlines()
    assert all(len(line) <= 24 for line in lines)
    assert "  system run here" in lines  # what goes on in the next line is set in


def test_a_closing_sentence_breaks_no_word_of_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "mul runs in 79.0 cycles by x86-mulx, 8% above the lower bound of its code."
    emit(Answer((), [], conclusion=(sentence,)), None)
    assert capsys.readouterr().out == f"{sentence}\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    emit(Answer((), [], conclusion=(sentence,)), None)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1 and all(len(line) <= 40 for line in lines)
    assert " ".join(line.strip() for line in lines) == sentence


@pytest.mark.parametrize("kind", ["dumb", "xterm"])
def test_rows_fit_a_terminal_of_any_kind(
    kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", kind)
    print_answer(Answer((TABLE,), []))
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 30


def test_what_could_not_be_written_is_said_after_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = OutputError("cannot write it")
    answer = Answer((TABLE,), ["rows"], unwritten=lost, content="{}\n")
    with pytest.raises(OutputError, match="cannot write it"):
        emit(answer, None)
    assert capsys.readouterr().out.endswith("81%\n\n{}\n")
    with pytest.raises(OutputError, match="cannot write it"):
        emit(answer, "-")
    assert capsys.readouterr().out == '[\n  "rows"\n]\n'
    with pytest.raises(OutputError, match=r"no.rows\.json"):
        emit(Answer((TABLE,), []), str(tmp_path / "no/rows.json"))
    assert capsys.readouterr().out.endswith("81%\n")


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_overview_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = cli.overview().splitlines()
    assert max(map(len, lines)) <= columns
    assert [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "] == [
        *cli.VERBS
    ]


@pytest.mark.parametrize("columns", [40, 59, 80, 200])
def test_the_help_of_each_verb_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for name in cli.VERBS:
        text = cli.find_verb(name).parser().format_help()
        assert max(map(len, text.splitlines())) <= columns, name


def test_help_breaks_no_word_however_narrow_the_terminal_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def shown(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        parsers = (cli.find_verb(name).parser() for name in cli.VERBS)
        return [cli.overview(), *(parser.format_help() for parser in parsers)]

    for wide, narrow in zip(shown(59), shown(20), strict=True):
        assert narrow.split() == wide.split()
        longest = [line for line in narrow.splitlines() if len(line) > 20]
        assert all(len(line.split()) == 1 for line in longest), longest


@pytest.mark.parametrize(
    "name", ["[bold]", "[/]", ":bug:", "a\nb", "\x1b[31m", "\udce9"], ids=ascii
)
@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_name_is_shown_as_it_is_and_on_one_line(
    name: str, is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.setattr("sys.stdout", shown)
    monkeypatch.setenv("COLUMNS", "80")
    table = Table(("file", "of"), [(name, "x"), ("y", "z")], f"2 kernels in {name}")
    print_answer(Answer((table,), [], conclusion=(f"written to {name}",)))
    assert shown.getvalue().count(printable(name)) == 3
    assert "\x1b[31m" not in shown.getvalue()


def test_the_choice_of_kernels_says_how_far_it_is() -> None:
    said: list[tuple[str, int, int]] = []
    operations: dict[str, str | None] = {"add": None, "neg": None}
    decided(find_field("17"), operations, "c", show=lambda *step: said.append(step))
    assert said == [("choose", done, 2) for done in range(3)]
