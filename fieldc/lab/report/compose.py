"""The study's page: which figures and tables stand in it, and what each says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from fieldc.algorithms import choose
from fieldc.algorithms.counts import PREDICTIONS
from fieldc.artifacts.host import SYMBOL, find_backend
from fieldc.catalogue import find_field
from fieldc.counting.functions import count_in
from fieldc.errors import counted
from fieldc.lab.findings import (
    MODES,
    StudyRow,
    chosen,
    figure,
    is_compiled,
    is_counted,
    places,
    predictions,
)
from fieldc.lab.report.bars import bound_bars, opcode_bars
from fieldc.lab.report.boxes import box_plot, read_trials
from fieldc.lab.report.chains import timeline
from fieldc.lab.report.heat import heat_map
from fieldc.lab.report.lines import lines_over_limbs
from fieldc.lab.report.page import Grid, Picture, Section, page
from fieldc.lab.report.scatter import scatter
from fieldc.lab.report.seeds import comparisons
from fieldc.lab.report.style import styled

FLAVOURS = (
    *("x86-mulx", "x86-adx", "x86-base", "llvm-bmi2", "llvm", "llvm-wide"),
    *("c-gcc", "c-clang", "rust-intrinsics", "rust-flat", "rust-looped"),
)
"""In the order of the figures."""
COMMAND = "made by fieldc lab"


def compose(rows: Sequence[StudyRow], left_out: Sequence[str], folder: Path) -> str:
    """The page of a study's rows and of what it had to leave out; trials are in the folder."""
    calibrations = [row["calibration"] for row in rows]
    disturbed = sorted({row["field"] for row in rows if row["calibration"]["disturbed"]})
    lead = (
        f"{calibrations[0]['processor']}, {calibrations[0]['core_ghz']:.2f} GHz, "
        f"{counted(calibrations[0]['rounds'], 'interleaved round')} a field, "
        f"seed {calibrations[0]['seed']}; "
        f"medians, in core cycles of a call by calibration in every slice; {COMMAND}."
    )
    warning = ""
    if disturbed:
        names = ", ".join(disturbed)
        warning = f"Disturbed by other load, so without a verdict: the races of {names}."
    with styled():
        return page(
            "Theory and practice of modular multiplication",
            lead,
            warning,
            [
                _published(rows),
                *_spreads(rows, folder),
                _theory(rows),
                _winners(rows),
                _lines(rows),
                _opcodes(rows),
                _predicted(rows),
                _bounds(rows),
                _chains(),
                _everything(rows),
                _left_out(left_out),
            ],
        )


def measured(rows: Sequence[StudyRow], text: str) -> str:
    """A caption that says where its figures come from, and how sure they are."""
    run = rows[0]["calibration"]
    spreads = [row[f"{mode}_spread"] for row in rows for mode in MODES if is_compiled(row)]
    half = median((s["high"] - s["low"]) / 2 / s["median"] for s in spreads) if spreads else 0.0
    return (
        f"{text} {run['processor']}, {run['core_ghz']:.2f} GHz, {run['ticks_per_cycle']:.3f} ticks "
        f"a cycle, {counted(run['rounds'], 'round')}; half of p10 to p90: {half:.1%} in the "
        f"median; {COMMAND}."
    )


def _published(rows: Sequence[StudyRow]) -> Section:
    text = (
        "The tables of the texts that this study repeats, with our rows beside them. Theirs are "
        "other machines: compare the order of the rows, not the figures. Ours: throughput of "
        "independent calls | latency of calls that wait for each other."
    )
    grids = [Grid(c.title, c.columns, c.lines, c.source) for c in comparisons(rows)]
    return Section("What was published, and the same here", text, grids)


def _spreads(rows: Sequence[StudyRow], folder: Path) -> Iterator[Section]:
    pictures = []
    for field in ("bn254-p", "bls12-381-p"):
        path = folder / f"{field}.csv"
        if chosen(rows, field=field) and path.exists():
            trials = read_trials(path)
            text = f"Trials of {path.name}; box: quartiles, whiskers: 10th to 90th percentile."
            caption = measured(chosen(rows, field=field), text)
            drawn = box_plot(trials, "mul", FLAVOURS, f"Multiplication, {field}")
            if drawn is not None:
                pictures.append(Picture(drawn, caption))
    text = "Each algorithm through each flavour; a trial is one accepted slice of the race."
    if pictures:
        yield Section("Algorithm against compiler", text, pictures)


def _theory(rows: Sequence[StudyRow]) -> Section:
    lines = []
    for (op, algorithm), predicted in PREDICTIONS.items():
        found = chosen(rows, field="random-6", op=op, algorithm=algorithm, backend="x86-mulx")
        if found and op != "add" and op != "sub":
            counts = found[0]["counts"]
            additions = predicted.additions_of(6)
            lines.append(
                (
                    *(
                        f"{op} {algorithm}",
                        predicted.products,
                        predicted.additions or "by the prime",
                    ),
                    *(predicted.products(6), counts["multiplications"]),
                    *("-" if additions is None else additions, counts["additions"]),
                )
            )
    columns = (
        *("algorithm", "products of n limbs", "additions"),
        *("n = 6: products", "in the code", "additions", "in the code"),
    )
    text = (
        "Products and additions of words, predicted from n, and counted in the machine code of "
        "x86-mulx for six limbs. Code adds more where a chain of carries begins or ends."
    )
    return Section("What theory counts", text, [Grid("", columns, lines)])


def _winners(rows: Sequence[StudyRow]) -> Section:
    parts = []
    for op in ("mul", "square"):
        for backend in ("x86-mulx", "llvm-bmi2", "rust-flat"):
            mine = [r for r in rows if r["field"].startswith("random-") and r["op"] == op]
            found = [p for m in MODES for p in places(mine, m) if p.backend == backend]
            if found:
                title = f"{op}, {backend}, primes of no special form"
                text = "★ fastest; ○ its spread meets that of the fastest."
                caption = measured(chosen(mine, backend=backend), text)
                parts.append(Picture(heat_map(found, title), caption))
    text = "For every limb count the algorithms of one flavour by the fastest of them."
    return Section("Which algorithm wins", text, parts)


def _lines(rows: Sequence[StudyRow]) -> Section:
    parts = []
    for op in ("mul", "square"):
        mine = [r for r in rows if r["field"].startswith("random-") and r["op"] == op]
        for backend in FLAVOURS:
            if here := chosen(mine, backend=backend):
                title = f"{op}, {backend}, primes of no special form"
                caption = measured(here, "A line for each algorithm; lower is faster.")
                parts.append(Picture(lines_over_limbs(here, title), caption))
    text = (
        "Cycles of a call by n^2 for every flavour: a flat line is a cost that grows as the square "
        "of the number of limbs."
    )
    return Section("How time grows with the limbs", text, parts)


def _opcodes(rows: Sequence[StudyRow]) -> Section:
    parts = []
    for field in ("bn254-p", "bls12-381-p"):
        mine = chosen(rows, field=field, op="mul", algorithm=("cios", "log-jump"))
        mine = sorted(filter(is_counted, mine), key=lambda row: FLAVOURS.index(row["backend"]))
        if mine:
            caption = f"What a call executes, as fieldc count and trace have it; {COMMAND}."
            parts.append(Picture(opcode_bars(mine, f"Multiplication, {field}"), caption))
    return Section("What the code consists of", "Instructions of one call, by kind.", parts)


def _predicted(rows: Sequence[StudyRow]) -> Section:
    mine = [row for row in rows if is_counted(row) and row["op"] == "mul"]
    lines = [
        (p.predictor, p.mode, p.rows, f"{p.correlation:.3f}", f"{p.error:.1%}")
        for mode in MODES
        for p in predictions(mine, mode)
    ]
    columns = (
        "read off the code",
        "mode",
        "rows",
        "correlation with time",
        "mean error of the line",
    )
    parts: list[Picture | Grid] = [Grid("How well each figure predicts time", columns, lines)]
    if lines:
        drawn = scatter(mine, "Multiplication, all fields, algorithms and flavours")
        parts.append(
            Picture(
                drawn,
                measured(mine, "r: Pearson's correlation; off by: mean error of the fitted line."),
            )
        )
    text = "What can be counted before the code runs, against the time that it then takes."
    return Section("What predicts time", text, parts)


def _bounds(rows: Sequence[StudyRow]) -> Section:
    mine = list(filter(is_counted, chosen(rows, field="bls12-381-p", op="mul")))
    mine = [r for r in mine if r["algorithm"] in ("cios", "log-jump")]
    mine.sort(key=lambda row: FLAVOURS.index(row["backend"]))
    if not mine:
        return Section("How far from the bounds", "No row of BLS12-381 was run.", [])
    name = mine[0]["bounds"]["name"]
    drawn = bound_bars(mine, f"Multiplication, bls12-381-p, bounds of {name}")
    text = "A bound of processors.toml is from published tables and errs to the low side."
    caption = measured(mine, text)
    text = "Measured time beside what the processor's parts allow at best."
    return Section("How far from the bounds", text, [Picture(drawn, caption)])


def _chains() -> Section:
    text = "Where a kernel's instructions add into which chain of carries."
    parts = []
    expression = choose(find_field("bls12-381-p"), "mul", "cios")
    for backend in ("x86-adx", "x86-mulx"):
        code = count_in(find_backend(backend).compile(expression), SYMBOL).code
        drawn = timeline([i.mnemonic for i in code], f"{backend}, cios, bls12-381-p")
        parts.append(Picture(drawn, f"Program order; each mark is an instruction; {COMMAND}."))
    return Section("The two carry chains", text, parts)


def _everything(rows: Sequence[StudyRow]) -> Section:
    columns = (
        *("field", "op", "algorithm", "flavour", "throughput", "latency", "spread"),
        *("instructions", "multiplications", "memory", "least cycles", "binds"),
    )
    lines = [_line(row) for row in rows]
    text = "Medians in cycles; spread: from the 10th to the 90th percentile of throughput."
    return Section("Every row", text, [Grid("", columns, lines)])


def _left_out(reasons: Sequence[str]) -> Section:
    lines = [(reason,) for reason in reasons]
    parts = [Grid("", ("SKIPPED",), lines)] if lines else []
    return Section("What was left out", "" if lines else "Nothing.", parts)


def _line(row: StudyRow) -> Sequence[object]:
    spread = row["throughput_spread"]
    counts, bounds = row["counts"], row["bounds"]
    return (
        *(row["field"], row["op"], row["algorithm"], row["backend"]),
        *(figure(row["throughput_cycles"]), figure(row["latency_cycles"])),
        f"{figure(spread['low'])} to {figure(spread['high'])}",
        counts["instructions"] if counts else "-",
        counts["multiplications"] if counts else "-",
        sum(counts["memory"].values()) if counts else "-",
        f"{bounds['cycles']:.1f}" if bounds else "-",
        bounds["binds"] if bounds else "-",
    )
