"""The command line: what it prints, and one line and exit status 2 for what it cannot use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from sampling import sampled_rows

from fieldc import cli
from fieldc.algorithms import OPERATIONS
from fieldc.catalogue import every_prime, find_field, named_primes
from fieldc.cli import main
from fieldc.commands.options import operation_list, with_all
from fieldc.commands.verb import Answer, Table, verb
from fieldc.errors import Terminated

ROOT = Path(__file__).parent.parent


def fieldc(*words: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    command = [sys.executable, *options, "-m", "fieldc.cli", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a good command line prints."""
    assert cli.main(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *words: str, status: int = 2) -> str:
    """The one line that a bad command line prints."""
    assert cli.main(words) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    line = captured.err.removesuffix("\n")
    assert line.startswith("fieldc: ") and line.isprintable() and len(line) <= 210
    return line


BAD = [
    ([], "no verb; use list, show"),
    (["shw", "17"], "unknown verb 'shw'; the nearest: show"),
    ([""], "unknown verb ''"),
    (["xyzzy"], "use list, show"),
    (["--json"], "no verb before the option '--json'"),
    (["list"], "required: WHAT"),
    (["list", "feilds"], "unknown listing 'feilds'; the nearest: fields"),
    (["bench", "bn254-p", "--algorithm", "scios"], "unknown algorithm 'scios'; the nearest: cios"),
    (["bench", "bn254-p", "--op", "reduce", "--algorithm", "solinas"], "solinas needs p = 2^a"),
    (["list", "fields", "--op", "mul"], "--op is for list algorithms, not for list fields"),
    (["list", "algorithms", "--op", "mull"], "unknown operation 'mull'; the nearest: mul"),
    (["show", hex(2**255 - 21)], f"the nearest prime is p + 2 = {2**255 - 19:#x}"),
    (["list", "fields", "x"], "unexpected argument 'x' after list"),
    (["show"], "required: FIELD"),
    (["show", "17", "19"], "unexpected argument '19'"),
    (["show", "17", "--jsn"], "unknown option '--jsn'; the nearest: --json"),
    (["show", "17", "--js"], "unknown option '--js'"),
    (["build", "17", "--output", "x"], "unknown option '--output'; use -o"),
    (
        ["build", "17", "-o", "x", "--op", "divstep_de_lazy", "--word", "32", "--target", "c"],
        "divides by 2^64, which is no limb of 32 bits; use --word 64",
    ),
    (
        ["trace", "x.o:f", "--opinions"],
        "trace has no option '--opinions'; verbs that have it: count",
    ),
    (["show", "17", "--op", "mul"], "show has no option '--op'; verbs that have it: list, build, "),
    (["page", "17", "-o", "-x"], "a file of that name is ./-x"),
    (["show", "--qqq"], "unknown option '--qqq'; use"),
    (["show", "17", "-x\n"], "unknown option '-x\\n'"),
    (["show", "17", "--word"], "--word needs a value; see fieldc show --help"),
    (["page", "17", "--no-race=1", "-o", "x.html"], "--no-race takes no value; see fieldc"),
    (["show", "17", "--word", "16"], "unknown word width '16'"),
    (["show", "17", "--word=six\tty"], "unknown word width 'six\\tty'"),
    (["show", "17", "--json=/no/such/place"], "the folder '/no/such' is not there"),
    (["build", "17", "-o", ""], "'' is not the name of a folder"),
    (["demo", "17", "-o", " "], "' ' is not the name of a folder"),
    (["tune", "17", "-o", ""], "'' is not the name of a file"),
    (["build", "17", "-o", "x", "--op", "inverse"], "unknown operation 'inverse'; use add, "),
    (["build", "17", "-o", "x", "--algorithm", "cois"], "unknown algorithm 'cois'; the nearest"),
    (["bench", "17", "--plot", "/no/such/race.svg"], "the folder '/no/such' is not there"),
    (
        ["build", "17", "-o", "x", "--schedule", "/dev/null"],
        "no schedule of fieldc tune: it is not JSON: it is empty",
    ),
    (
        ["tune", "17", "-o", "pyproject.toml"],
        "no schedule of fieldc tune: it is not JSON: line 1, column 2",
    ),
    (["plot", "rows.json", "-o", "/no/such/race.svg"], "the folder '/no/such' is not there"),
    (["show", "17", "--json="], "--json has an empty FILE"),
    (["show", "17", "--json", "/"], "cannot write '/'"),
    (["show", "--json", "17"], "--json takes the next word as its FILE"),
    (["show", ""], "the field is empty"),
    (["show", "-7"], "modulus -7 is too small"),
    (["show", "15"], "modulus 15 is composite; the nearest prime is p - 2 = 13"),
    (["show", "bls12-381"], "unknown field 'bls12-381'; the nearest: bls12-381-"),
    (["show", "2^9^9^9"], "too large"),
    (["show", "9" * 100_000], "too long"),
    (["show", "/"], "Is a directory"),
    (["show", "17\n\n19"], "unexpected '19'"),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=lambda v: ascii(v)[:24])
def test_bad_input(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in refused(capsys, *words)


@pytest.mark.parametrize("options", [(), ("-O",)])
def test_a_process_refuses_in_one_line(options: tuple[str, ...]) -> None:
    for words in (["show", "15"], ["show", "bls"], ["shw"]):
        done = fieldc(*words, options=options)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("fieldc: ") and done.stderr.count("\n") == 1
    done = fieldc("show", "17", options=options)
    assert (done.returncode, done.stderr) == (0, "")


def test_list_fields(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "list", "fields").splitlines()
    assert lines[0].split() == ["name", "bits", "limbs", "spare", "about"]
    assert [line.split()[0] for line in lines[1:]] == list(every_prime())
    assert {*every_prime()} - {*named_primes()} == {"babybear", "koalabear", "mersenne31"}
    assert all(line[13:17].strip().isdigit() for line in lines[1:])


def test_list_algorithms(capsys: pytest.CaptureFixture[str]) -> None:
    cios = {"op": "mul", "algorithm": "cios"}
    rows = json.loads(output(capsys, "list", "algorithms", "--json"))
    row = next(row for row in rows if row.items() >= cios.items())
    assert row["built"] and row["predicted"]["by_limbs"]["4"] == {"products": 36, "additions": 67}
    some = json.loads(output(capsys, "list", "algorithms", "--op", "neg,double", "--json"))
    assert {row["op"] for row in some} == {"neg", "double"}
    shown = output(capsys, "list", "algorithms")
    assert "2n^2 + n" in shown and "36 | 67" in shown


def test_list_fields_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(output(capsys, "list", "fields", "--json"))
    assert {row["name"]: int(row["p"], 16) for row in rows} == {
        name: prime.p for name, prime in every_prime().items()
    }


SHOWN = [*product(("bn254-p", "secp256k1-n", "2^255-19", "3"), (64, 32)), ("2^1024-105", 64)]


@pytest.mark.parametrize(("text", "word"), sampled_rows(SHOWN, [("2^1024-105", 32)]))
def test_show(capsys: pytest.CaptureFixture[str], text: str, word: int) -> None:
    f = find_field(text, word)
    shown = output(capsys, "show", text, "--word", str(word))
    for value in (f.p, f.one, f.R2, f.R_inverse, f.n0, f.mu):
        assert f" {value:#x}\n" in shown
    full = "full-bit" if f.spare_bits == 0 else "not full-bit"
    assert f"{f.spare_bits} ({full})" in shown and f"2^{f.n * word}\n" in shown
    data = json.loads(output(capsys, "show", text, "--word", str(word), "--json", "-"))
    assert int(data["R2"], 16) == f.R2 and data["limbs"] == f.n and data["word"] == word
    assert data["full_bit"] is (f.spare_bits == 0) and 0 < data["mu_over_p"] < 1


def test_a_small_ratio_is_not_shown_as_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "p521"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("mu/p"))
    assert line.endswith("5.42101086243e-20")


def test_json_into_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "17.json"
    assert "0x11" in output(capsys, "show", "17", "--json", str(path))
    assert json.loads(path.read_text())["p"] == "0x11"


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["show", "-h"], ["list", "-h"]])
def test_help(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert output(capsys, *words).startswith("usage: fieldc")


def with_verb(monkeypatch: pytest.MonkeyPatch, error: BaseException | None) -> None:
    """Add a verb `fail` that raises, or answers with status 1."""

    @verb()
    def fail(_: object) -> Answer:
        """fails"""
        if error:
            raise error
        return Answer((Table(("check", "status"), [("x", "failed")]),), [], status=1)

    monkeypatch.setattr(cli, "VERBS", ("fail",))
    monkeypatch.setattr(cli, "find_verb", lambda _: fail)


def test_an_internal_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_verb(monkeypatch, ZeroDivisionError("two\nlines"))
    line = refused(capsys, "fail", status=1)
    assert "internal error: ZeroDivisionError: two\\nlines" in line
    assert cli.main(["fail", "--traceback"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with_verb(monkeypatch, KeyboardInterrupt())
    assert refused(capsys, "fail", status=130) == "fieldc: interrupted"


@pytest.mark.parametrize(
    ("interrupt", "status"), [(KeyboardInterrupt(), 130), (Terminated(15), 143)]
)
def test_an_interrupt_that_python_wrapped(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    interrupt: KeyboardInterrupt,
    status: int,
) -> None:
    wrapped = RuntimeError("Error calling __set_name__")
    wrapped.__cause__ = interrupt
    with_verb(monkeypatch, wrapped)
    assert refused(capsys, "fail", status=status) in ("fieldc: interrupted", "fieldc: terminated")


def test_a_failed_check(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_verb(monkeypatch, None)
    assert cli.main(["fail"]) == 1
    assert capsys.readouterr() == ("check  status\nx      failed\n", "")


def test_nobody_reads() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "fieldc.cli", "list", "fields"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell and /dev")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("show 17 >/dev/full", (2, "cannot write standard output: No space left")),
        ("--help >/dev/full", (2, "cannot write standard output: No space left")),
        ("--version >/dev/full", (2, "cannot write standard output: No space left")),
        ("show --help >/dev/full", (2, "cannot write standard output: No space left")),
        ("show 15 2>/dev/full", (2, "")),
        ("show 17 >&-", (0, "")),
        ("show 15 >&- 2>&-", (2, "")),
        ("show 17 --why mul --target x86_64-linux <&- >&- 2>&-", (0, "")),
    ],
)
@pytest.mark.parametrize("buffered", ["", "1"])
def test_odd_streams(line: str, expected: tuple[int, str], buffered: str) -> None:
    command = f'"{sys.executable}" -m fieldc.cli {line}'
    environment = os.environ | {"PYTHONUNBUFFERED": buffered}
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == expected[0] and done.stdout == ""
    assert expected[1] in done.stderr and done.stderr.count("\n") == bool(expected[1])


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted there")
@pytest.mark.parametrize(
    "words", ["list fields", "build 17 -o out", "tune 17", "page 17 -o p.html"]
)
def test_a_deleted_current_folder(words: str, tmp_path: Path) -> None:
    command = f'rmdir "{tmp_path}" && "{sys.executable}" -m fieldc {words}'
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    said = "fieldc: the current folder is gone; change to one that is there\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_what_the_system_refuses_is_no_internal_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_verb(monkeypatch, OSError(28, "No space left on device", "/tmp/x"))
    said = "fieldc: system error: No space left on device: /tmp/x; --traceback shows where"
    assert refused(capsys, "fail", status=2) == said
    with_verb(monkeypatch, MemoryError("interning a name"))
    said = "fieldc: system error: not enough memory; --traceback shows where"
    assert refused(capsys, "fail", status=2) == said


def read_all(terminal: int) -> str:
    """What was written to a terminal, until nobody has it open."""
    found = b""
    with suppress(OSError):
        while some := os.read(terminal, 1 << 16):
            found += some
    os.close(terminal)
    return found.decode()


@pytest.mark.parametrize("columns", ["", "0", "1", "80", "abc"])
def test_a_terminal_gets_a_table(columns: str) -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "fieldc.cli", "show", "17"]
    environment = os.environ | {"COLUMNS": columns}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=slave, stderr=subprocess.PIPE
    )
    os.close(slave)
    shown = read_all(master)  # a terminal holds few bytes that nobody reads
    _, said = process.communicate()
    assert (process.returncode, said) == (0, b"")
    assert "0x11" in shown and "R^2 mod p" in shown


def test_the_crates_kernels_are_proved_for_any_prime(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(Path(__file__).parents[1] / "crates/fieldc/src/generated")
    assert main(["prove", folder, "--field", "2^127-1"]) == 0
    shown = capsys.readouterr().out
    assert "mul_full_mulx" in shown and "divstep_matrix" in shown
    assert main(["prove", str(Path(folder).parent), "--field", "7"]) == 2
    assert "generated" in capsys.readouterr().err


def test_the_help_of_a_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["help"]) == 0 and "fieldc VERB --help" in capsys.readouterr().out
    for words in (["help", "show"], ["show", "--help"]):
        assert cli.main(words) == 0
        assert capsys.readouterr().out.startswith("usage: fieldc show")


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "terminated")],
)
def test_a_signal_while_the_command_line_is_loaded(name: str, status: int, said: str) -> None:
    text = f"""
import runpy, signal, sys
class Interrupt:
    def find_spec(self, name, *rest):
        if name == "fieldc.field":
            signal.raise_signal(signal.{name})
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
sys.meta_path.insert(0, Interrupt())
sys.argv = ["fieldc", "list", "fields"]
runpy.run_module("fieldc", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"fieldc: {said}\n")


def test_nothing_is_loaded_before_an_interrupt_is_expected() -> None:
    text = "import sys; old = {*sys.modules}; import fieldc.__main__; print({*sys.modules} - old)"
    done = subprocess.run([sys.executable, "-S", "-c", text], cwd=ROOT, capture_output=True)
    assert eval(done.stdout) == {"fieldc", "fieldc.__main__"}


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_after_the_answer_changes_nothing(name: str) -> None:
    """Nor while Python ends, when it gives signals that are not ignored to the system again."""
    text = f"""
import signal, sys
from fieldc.__main__ import main
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
sys.argv = ["fieldc", "--version"]
status = main()
signal.raise_signal(signal.{name})
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_installed_command_is_the_module() -> None:
    done = subprocess.run([sys.executable, "-m", "fieldc", "show", "15"], capture_output=True)
    assert done.returncode == 2 and done.stderr.startswith(b"fieldc: modulus 15 is composite")


def test_a_name_said_twice_counts_once() -> None:
    assert operation_list("mul,mul,add") == ["mul", "add"]
    assert with_all(operation_list("add,all"), OPERATIONS) == list(OPERATIONS)
