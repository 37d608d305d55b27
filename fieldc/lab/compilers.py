"""Kernels through compilers outside this process: C by gcc and clang, Rust by rustc.

The same algorithm as in `host`, in the words of another language, so that what a compiler does can
be told from what the algorithm does. A compiler that is absent, or that compiles not even an empty
text, is no error: it is named.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from subprocess import TimeoutExpired

from fieldc.artifacts.host import SYMBOL, HostBackend
from fieldc.errors import Refusal, UserError
from fieldc.files import temporary_folder
from fieldc.language import Expression
from fieldc.machine.processor import is_x86_64
from fieldc.processes import run_group
from fieldc.targets.c.print import ROWS as C_ROWS
from fieldc.targets.c.print import print_c
from fieldc.targets.rust.flat import ROWS as RUST_ROWS
from fieldc.targets.rust.flat import print_rust
from fieldc.targets.rust.intrinsics import INTRINSICS
from fieldc.targets.rust.looped import print_rust_looped
from fieldc.words.loops import has_loops
from fieldc.words.lower import lower

SECONDS = 120
"""A compiler that takes longer is stopped."""


class CompilerError(Refusal):
    """A compiler refused our text, which is our own defect; the message is one line."""


class CompilerSlow(UserError):
    """A compiler took too long; the message is one line."""


@dataclass(frozen=True)
class Reading:
    """A text in another language, the compiler that reads it, and whether there is a text."""

    name: str
    compiler: str
    arguments: tuple[str, ...]
    suffix: str
    text: Callable[[Expression], str]
    can: Callable[[Expression], bool] = lambda _: True

    def compile(self, expression: Expression) -> bytes:
        """An object file that defines SYMBOL. Raises CompilerError, CompilerSlow."""
        what = f"{expression.kernel.operation} {expression.kernel.algorithm}"
        return self.made(self.text(expression), f"{what} for {expression.field.short}")

    def made(self, text: str, what: str) -> bytes:
        """An object file of a text. Raises CompilerError, which says what it is; CompilerSlow."""
        with temporary_folder() as folder:
            source, made = folder / f"kernel{self.suffix}", folder / "kernel.o"
            source.write_text(text)
            command = [self.compiler, *self.arguments, str(source), "-o", str(made)]
            try:
                done = run_group(command, timeout=SECONDS)
            except TimeoutExpired:
                raise CompilerSlow(f"{self.name}: stopped after {SECONDS} s") from None
            if done.returncode:
                first = first_error(done.stderr) or f"exit {done.returncode}"
                raise CompilerError(f"{self.name}: {first} (in {what})")
            return made.read_bytes()


def first_error(said: str) -> str:
    """The first line of a compiler's that names an error; gcc says before where it is."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "")


def _c(expression: Expression) -> str:
    return print_c(lower(expression, C_ROWS), SYMBOL, expression)


def _wrapped(expression: Expression, text: str) -> str:
    """A function of Rust, and one with the convention of C that takes it in.

    In a module of its own nobody else can call it, so that it has one caller and no call.
    """
    program = lower(expression, RUST_ROWS)
    operands = "".join(f", {name}: &[u64; {count}]" for name, count in program.operands)
    names = ", ".join(name for name, _ in program.operands)
    features = "".join(f'#[target_feature(enable = "{name}")]\n' for name in RUST_FEATURES)
    return (
        f"mod text {{\n{text}}}\n#[unsafe(no_mangle)]\n{features}"
        f'pub extern "C" fn {SYMBOL}(z: &mut [u64; {len(program.results)}]{operands}) {{\n'
        f"    *z = text::kernel({names});\n}}\n"
    )


def _flat(expression: Expression) -> str:
    return _wrapped(expression, print_rust(lower(expression, RUST_ROWS), "kernel", expression))


def _looped(expression: Expression) -> str:
    return _wrapped(expression, print_rust_looped(expression, "kernel"))


def _intrinsics(expression: Expression) -> str:
    return _wrapped(
        expression, print_rust(lower(expression, RUST_ROWS), "kernel", expression, INTRINSICS)
    )


C_FLAGS = ("-std=c99", "-O3", "-c", "-fPIC", "-fno-stack-protector", "-mbmi2", "-madx")
RUST_FLAGS = (
    *("--edition=2024", "-Copt-level=3", "-Cpanic=abort", "--crate-type=lib", "--emit=obj"),
    "-Ctarget-feature=+bmi2,+adx",
)
RUST_FEATURES = ("bmi2",)
FEATURES = ("bmi2", "adx")
"""What every outside compiler may use, as the own backends may."""
READINGS = (
    Reading("c-gcc", "gcc", C_FLAGS, ".c", _c),
    Reading("c-clang", "clang", C_FLAGS, ".c", _c),
    Reading("rust-looped", "rustc", RUST_FLAGS, ".rs", _looped, has_loops),
    Reading("rust-flat", "rustc", RUST_FLAGS, ".rs", _flat),
    Reading("rust-intrinsics", "rustc", RUST_FLAGS, ".rs", _intrinsics),
)


def outside_backends() -> list[HostBackend]:
    """The readings whose compilers work here, as backends with 64-bit words."""
    if not is_x86_64():
        return []
    return [
        HostBackend(r.name, FEATURES, r.compile, r.can) for r in READINGS if not why_not(r.compiler)
    ]


def absent() -> Iterator[str]:
    """For each compiler that is not here or does not work, one line that says so."""
    for compiler in dict.fromkeys(r.compiler for r in READINGS):
        if why := why_not(compiler):
            names = ", ".join(r.name for r in READINGS if r.compiler == compiler)
            yield f"{names}: {why}"


def why_not(compiler: str) -> str:
    """Why a compiler of READINGS compiles nothing here; empty where it does."""
    program = shutil.which(compiler)
    return _fault(compiler, program) if program else f"{compiler} is not installed"


@cache
def _fault(compiler: str, program: str) -> str:
    """What a compiler says of an empty text: it may be too old, or rustup without a toolchain."""
    reading = next(r for r in READINGS if r.compiler == compiler)
    try:
        reading.made("", "an empty text")
    except (CompilerError, CompilerSlow) as error:
        return f"{compiler} does not work here: {str(error).removeprefix(f'{reading.name}: ')}"
    except OSError as error:
        return f"{compiler} does not work here: {error.strerror}: {program}"
    return ""
