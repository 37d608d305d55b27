"""Processes beside this one: no signal leaves one behind, and none of them prints a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fieldc.artifacts.workers import FEW, NoGuard, WorkerLost, in_processes, on_all_processors

UNIX = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
SLEEPS = """
import signal, sys, time
from fieldc.artifacts.workers import in_processes
from fieldc.signals import raise_signals
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests under nohup ignore it
raise_signals()
try:
    for slept in in_processes(time.sleep, [0, 600, 600, 600], 2):
        print("one", flush=True)
except KeyboardInterrupt as interrupt:
    print(type(interrupt).__name__)
"""


def test_results_come_in_order() -> None:
    assert list(in_processes(abs, [-3, 2, -1], 2)) == [3, 2, 1]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc/self")
def test_few_jobs_are_done_here_and_many_by_others() -> None:
    few = set(on_all_processors(os.readlink, ["/proc/self"] * FEW))
    assert few == {str(os.getpid())}
    if (os.cpu_count() or 1) > 1:
        assert not few & set(on_all_processors(os.readlink, ["/proc/self"] * (FEW + 1)))


def test_results_of_many_jobs_come_in_order() -> None:
    assert list(on_all_processors(abs, [*range(-9, 0)])) == [*range(9, 0, -1)]


def test_what_a_process_raises_is_raised_here() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_processes(int, ["1", "one"], 2))


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    """It computes all the same: the processes that import it refuse to, in a line each."""
    script, out = tmp_path / "script.py", tmp_path / "out"
    words = ["build", "3", "--op", "add,sub", "-o", str(out), "--no-cache"]
    script.write_text(f"from fieldc.cli import main\nprint(main({words}))\n")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0" and (out / "manifest.json").is_file()
    said = {line for line in done.stderr.splitlines() if line.startswith("fieldc: ")}
    assert said == ({f"fieldc: {NoGuard()}"} if os.cpu_count() != 1 else set())


def test_the_path_of_the_temporary_folder_may_be_long(tmp_path: Path) -> None:
    """Longer than the path of a socket may be."""
    place = tmp_path / ("long" * 30)
    place.mkdir()
    text = """
from fieldc.artifacts.workers import in_processes
print(list(in_processes(abs, [-3, 2], 2)))
"""
    command, env = [sys.executable, "-c", text], os.environ | {"TMPDIR": str(place)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert (done.stdout, done.stderr) == ("[3, 2]\n", "")
    assert not any(place.iterdir())


@UNIX
@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 looks there first")
@pytest.mark.parametrize("long", [False, True])  # copies of one process; each begun by itself
def test_a_file_of_the_users_is_not_run_in_place_of_pythons(tmp_path: Path, long: bool) -> None:
    folder = tmp_path / ("t" * 100 if long else "t")
    folder.mkdir()
    (tmp_path / "enum.py").write_text("1 / 0\n")
    (tmp_path / "begin").write_text(
        "from fieldc.artifacts.workers import in_processes\n"
        "if __name__ == '__main__': print(list(in_processes(abs, [-1, -2], 2)))\n"
    )
    words = [
        sys.executable,
        "-c",
        "import sys; del sys.path[0]; import runpy; runpy.run_path('begin', run_name='__main__')",
    ]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1, 2]\n", "")


@UNIX
def test_a_killed_process_is_one_line() -> None:
    with pytest.raises(WorkerLost, match="enough memory"):
        list(in_processes(signal.raise_signal, [signal.SIGKILL] * 2, 2))


@UNIX
@pytest.mark.parametrize("reach", [os.kill, os.killpg])
@pytest.mark.parametrize(
    ("name", "said"),
    [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Terminated"), ("SIGHUP", "Terminated")],
)
def test_a_signal_ends_all_of_them(name: str, said: str, reach: object) -> None:
    out, errors, _ = struck(name, reach)
    assert (out, errors) == (f"{said}\n", "")


@UNIX
def test_they_end_with_a_process_that_is_killed() -> None:
    out, errors, status = struck("SIGKILL", os.kill)
    assert (out, status) == ("", -signal.SIGKILL)
    assert "Traceback" not in errors  # Python says that it removes the dead process's semaphores


LOST = """
import threading
def strike():
    time.sleep(0.5)  # the main thread waits by then, and this signal does not wake it
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
threading.Thread(target=strike, daemon=True).start()
"""


@UNIX
def test_a_signal_that_wakes_nobody_is_seen() -> None:
    """As one that comes between Python's last look for signals and the wait."""
    text = SLEEPS.replace('        print("one", flush=True)', indented(LOST))
    command, start = [sys.executable, "-c", text], time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.stderr) == ("Terminated\n", "")
    assert time.monotonic() - start < 60


def indented(text: str) -> str:
    """A text as it stands in the loop over results."""
    return textwrap.indent(text, 8 * " ")


def struck(name: str, reach: object) -> tuple[str, str, int]:
    """What is printed after a signal, by all processes: each holds the pipes until it ends.

    What ends by SIGKILL cannot remove its temporary folder; others do.
    """
    with (
        TemporaryDirectory() as place,  # the path of a test's own is too long for a socket
        subprocess.Popen(
            [sys.executable, "-c", SLEEPS],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
            env=os.environ | {"TMPDIR": place},
        ) as started,
    ):
        assert started.stdout is not None and started.stdout.readline() == "one\n"
        assert callable(reach)
        reach(started.pid, getattr(signal, name))
        out, errors = started.communicate(timeout=60)
        assert bool(os.listdir(place)) == (name == "SIGKILL")
        return out, errors, started.returncode


@UNIX
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_leaves_no_folder_behind(tmp_path: Path, name: str, status: int) -> None:
    text = f"""
import fieldc.__main__, signal, sys, tempfile
from fieldc.artifacts.workers import in_processes
tempfile.tempdir = {os.fspath(tmp_path)!r}
def loaded():
    list(in_processes(abs, [1], 1))
    from fieldc.signals import raise_signals
    raise_signals()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.{name})
fieldc.__main__.loaded = loaded
sys.exit(fieldc.__main__.main())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
    assert (done.returncode, list(tmp_path.iterdir())) == (status, [])


@UNIX
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_leaves_no_folder_of_matplotlib(tmp_path: Path, name: str) -> None:
    """It makes one where the user has no home to write in."""
    pytest.importorskip("matplotlib")
    text = f"""
import fieldc.__main__, os, signal, sys
def loaded():
    from fieldc.lab.report import style
    from fieldc.signals import raise_signals
    print(*os.listdir({os.fspath(tmp_path)!r}))
    raise_signals()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.{name})
fieldc.__main__.loaded = loaded
sys.exit(fieldc.__main__.main())
"""
    env = os.environ | {"TMPDIR": str(tmp_path), "HOME": os.devnull, "XDG_CONFIG_HOME": os.devnull}
    env = {key: value for key, value in env.items() if key != "MPLCONFIGDIR"}
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.stdout.startswith("matplotlib-") and done.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())


DROPPED = """
import signal, time
from fieldc.signals import raise_signals
class Late:
    def __del__(self):
        signal.raise_signal(signal.{name})
signal.signal(signal.SIGINT, signal.default_int_handler)
raise_signals()
try:
    Late()
    time.sleep(60)
except KeyboardInterrupt as interrupt:
    print(type(interrupt).__name__)
"""


@UNIX
@pytest.mark.parametrize(
    ("name", "said"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Terminated")]
)
def test_a_signal_in_a_destructor_comes_again(name: str, said: str) -> None:
    command = [sys.executable, "-c", DROPPED.format(name=name)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{said}\n", "")
    assert time.monotonic() - start < 50


@UNIX
def test_under_nohup_a_hangup_stays_ignored() -> None:
    text = """
import signal
from fieldc.signals import raise_signals
signal.signal(signal.SIGHUP, signal.SIG_IGN)
raise_signals()
signal.raise_signal(signal.SIGHUP)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


SLOWLY = """
import threading, time
class Slow(threading.Timer):
    is_first = True
    def start(self):
        super().start()
        if Slow.is_first:
            Slow.is_first = False
            time.sleep(1)  # the signal comes again here, where Python drops it once more
threading.Timer = Slow
"""


@UNIX
@pytest.mark.parametrize(
    ("name", "said"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Terminated")]
)
def test_a_signal_that_is_dropped_twice_comes_again(name: str, said: str) -> None:
    """As on a busy machine, where a thread begins late."""
    command = [sys.executable, "-c", SLOWLY + DROPPED.format(name=name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.stderr) == (f"{said}\n", "")


BEGINS = """
import signal
from fieldc.artifacts.workers import in_processes
from fieldc.signals import raise_signals
signal.signal(signal.SIGINT, signal.default_int_handler)
raise_signals()
def job(n): return n
job.__module__ = "slow"
try:
    list(in_processes(job, [1, 2], 2))
except KeyboardInterrupt as interrupt:
    print(type(interrupt).__name__)
"""
IMPORT = 45
"""Seconds that an import takes there, far more than a test should."""


@UNIX
@pytest.mark.parametrize(
    ("name", "said"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Terminated")]
)
def test_a_signal_does_not_wait_for_imports(tmp_path: Path, name: str, said: str) -> None:
    slow = f"import time\nprint('begun', flush=True)\ntime.sleep({IMPORT})\n"
    (tmp_path / "slow.py").write_text(slow)
    with subprocess.Popen(
        [sys.executable, "-c", BEGINS],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True},
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as started:
        assert started.stdout is not None and started.stdout.readline() == "begun\n"
        start = time.monotonic()
        started.send_signal(getattr(signal, name))
        assert started.communicate(timeout=2 * IMPORT) == (f"{said}\n", "")
        assert time.monotonic() - start < IMPORT / 2


@UNIX
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.4])
def test_a_copy_that_begins_when_the_command_has_ended_is_silent(
    tmp_path: Path, seconds: float
) -> None:
    (tmp_path / "slow.py").write_text("""
import os, time
def late():
    os.write(1, b"begun\\n")
    time.sleep(1)
os.register_at_fork(after_in_child=late)
def job(n): return n
""")
    text = BEGINS.replace('def job(n): return n\njob.__module__ = "slow"', "from slow import job")
    with subprocess.Popen(
        [sys.executable, "-c", text],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True},
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as started:
        assert started.stdout is not None and started.stdout.readline() == "begun\n"
        time.sleep(seconds)
        started.send_signal(signal.SIGINT)
        out, errors = started.communicate(timeout=60)
        assert out.endswith("KeyboardInterrupt\n") and errors == ""


@UNIX
def test_a_process_that_imports_ends_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(f"import time\ntime.sleep({IMPORT})\n")
    text = """
import fieldc.__main__, signal, sys
from fieldc.artifacts import workers
def loaded():
    workers._context("slow")  # nothing was asked of it yet
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)
fieldc.__main__.loaded = loaded
sys.exit(fieldc.__main__.main())
"""
    command, start = [sys.executable, "-c", text], time.monotonic()
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (130, "fieldc: interrupted\n")
    assert time.monotonic() - start < IMPORT / 2  # each process holds the pipes until it ends


@UNIX
def test_a_second_signal_leaves_no_semaphores() -> None:
    text = """
import fieldc.__main__, signal, sys
from concurrent.futures import ProcessPoolExecutor
from fieldc.artifacts.workers import in_processes
honest = ProcessPoolExecutor.shutdown
def shutdown(*given, **named):
    signal.raise_signal(signal.SIGINT)
    honest(*given, **named)
ProcessPoolExecutor.shutdown = shutdown
def loaded():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    list(in_processes(abs, [1], 1))
fieldc.__main__.loaded = loaded
sys.exit(fieldc.__main__.main())
"""
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (130, "fieldc: interrupted\n")
