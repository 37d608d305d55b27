"""Makes the artifacts of one kernel for one target: text by a backend, object by the machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from fieldc.algorithms import kernels_for
from fieldc.algorithms.unsaturated import NotInDigits, readings
from fieldc.artifacts.artifact import Artifact, field_symbol, header
from fieldc.language import BoundError, Expression
from fieldc.machine.assemble import Compiled, assemble, compile_ir
from fieldc.targets.c.print import ROWS as C_ROWS
from fieldc.targets.c.print import print_c
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import TARGETS, ObjectFormat, Target
from fieldc.targets.rust.flat import ROWS as RUST_ROWS
from fieldc.targets.rust.flat import print_rust
from fieldc.targets.rust.intrinsics import INTRINSICS, features_of
from fieldc.targets.rust.looped import print_rust_looped
from fieldc.targets.wasm.encode import Function, Module
from fieldc.targets.wasm.kernel import print_wasm
from fieldc.targets.wasm.wide import ALGORITHMS as WIDE_ALGORITHMS
from fieldc.targets.wasm.wide import ROWS as WIDE_ROWS
from fieldc.targets.wasm.wide import WIDE_ARITHMETIC, print_wide
from fieldc.targets.x86_64.choices import FEATURES, VARIANTS
from fieldc.targets.x86_64.conventions import SYSV, WIN64, Convention
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression
from fieldc.targets.x86_64.print import GNU, INTEL, MASM
from fieldc.words.digits import cheapest_in_digits
from fieldc.words.loops import has_loops
from fieldc.words.lower import lower

NO_EXECUTABLE_STACK = '.section .note.GNU-stack, "", @progbits\n'
Producer = Callable[[Expression], Iterator[Artifact]]


@dataclass(frozen=True)
class BuildTarget:
    """Something `fieldc build` can make: what makes it, and in which word widths."""

    name: str
    backend: str
    words: tuple[int, ...]
    about: str
    produce: Producer
    object_format: ObjectFormat | None = None
    """Of its objects; None where it has only text."""
    algorithms: tuple[str, ...] = ()
    """What suits it better than the first algorithm whose bounds hold, the best first."""
    can: Callable[[Expression], bool] = lambda _: True
    """Whether it makes a kernel at all; where it cannot, `produce` says why."""


def suited(target: BuildTarget, expression: Expression) -> Expression:
    """The same operation by the algorithm that suits a target best of those whose bounds hold."""
    return by_algorithm(target.algorithms, expression)


def by_algorithm(names: Sequence[str], expression: Expression) -> Expression:
    """The same operation by the first of some algorithms whose bounds hold, if there is one."""
    kernels = {kernel.algorithm: kernel for kernel in kernels_for(expression.kernel.operation)}
    for name in names:
        if name in kernels:
            try:
                return kernels[name].expression(expression.field)
            except BoundError:
                continue
    return expression


def _symbol(expression: Expression, variant: str) -> str:
    return f"fieldc_{field_symbol(expression.field)}_{expression.kernel.operation}_{variant}"


Tuned = Callable[[Expression, str, Convention], X86Kernel]
"""A tuned kernel of an expression, by a symbol and a convention."""
Functions = Callable[[Expression, str], tuple[Expression, Function]]
"""The function of an expression by a symbol, and the expression as it was read."""
Plans = Mapping[tuple[str, str], Tuned]
"""By operation and variant, what takes the place of the choices of VARIANTS."""


def _own(target: Target, plans: Plans) -> Producer:
    windows = target.object_format is ObjectFormat.COFF
    convention = WIN64 if windows else SYSV
    prefix, local = ("_", "L") if target.object_format is ObjectFormat.MACH_O else ("", ".L")

    def produce(expression: Expression) -> Iterator[Artifact]:
        for variant, choices in VARIANTS.items():
            symbol, needs = _symbol(expression, variant), FEATURES[variant]
            tuned = plans.get((expression.kernel.operation, variant))
            if tuned is not None:
                kernel = tuned(expression, prefix + symbol, convention)
            else:
                kernel = compile_expression(expression, prefix + symbol, choices, convention)
            head = header(
                expression, target.name, variant, convention.name, needs, tuned is not None
            )
            code = assemble(kernel.text(GNU, local=local), target.triple)
            text = kernel.text(INTEL, head, local)
            if target.object_format is ObjectFormat.ELF:
                text += NO_EXECUTABLE_STACK
            texts = [(".s", text)]
            if windows:
                texts.insert(0, (".asm", kernel.text(MASM, head, local)))
            (suffix, text), *others = texts
            made = Artifact(
                symbol, expression, target.name, variant, convention.name, needs, suffix, text, code
            )
            yield replace(made, other_texts=tuple(others))

    return produce


def _llvm(target: Target) -> Producer:
    def produce(expression: Expression) -> Iterator[Artifact]:
        symbol = _symbol(expression, "llvm")
        head = header(expression, target.name, "llvm", "c", features_needed(target))
        ir, compiled = _compiled(target, expression, symbol)
        text = "".join(f"; {line}\n" for line in head) + ir
        needs = features_needed(target)
        yield Artifact(
            symbol, expression, target.name, "llvm", "c", needs, ".ll", text, compiled.object
        )

    return produce


def _compiled(target: Target, expression: Expression, symbol: str) -> tuple[str, Compiled]:
    """A module and its code: in the first row style in which no flags are copied, or the first."""
    processor, made = target.processor, []
    for rows in processor.rows_to_try:
        ir = print_llvm(lower(expression, rows), symbol, processor.form)
        made.append((ir, compile_ir(ir, target.triple, processor.cpu, processor.features)))
        if not _FLAGS_COPIED.search(made[-1][1].assembly):
            return made[-1]
    return made[0]


_FLAGS_COPIED = re.compile(r"\tm(rs|sr)\t")
"""How AArch64 keeps flags in a register."""


def features_needed(target: Target) -> tuple[str, ...]:
    """What an object of LLVM asks of the processor beyond what its architecture has."""
    return tuple(n for n in ("bmi2", "zicond") if f"+{n}" in target.processor.features)


def _c(expression: Expression) -> Iterator[Artifact]:
    symbol = _symbol(expression, "c")
    head = "\n * ".join(header(expression, "c", "portable", "c", ()))
    text = f"/* {head} */\n" + print_c(lower(expression, C_ROWS), symbol, expression)
    yield Artifact(symbol, expression, "c", "portable", "c", (), ".c", text, None)


def _wasm(target: str, variant: str, needs: tuple[str, ...], print_text: Functions) -> Producer:
    def produce(expression: Expression) -> Iterator[Artifact]:
        symbol = _symbol(expression, variant)
        read, function = print_text(expression, symbol)
        module = Module((function,))
        head = "".join(f";; {line}\n" for line in header(read, target, variant, "c", needs))
        text = head + module.text()
        yield Artifact(
            *(symbol, read, target, variant, "c", needs, ".wat", text, module.encode()),
            object_suffix=".wasm",
        )

    return produce


def _in_digits(expression: Expression, symbol: str) -> tuple[Expression, Function]:
    read, program = cheapest_in_digits(expression)
    return read, print_wasm(program, symbol)


def _wide(expression: Expression, symbol: str) -> tuple[Expression, Function]:
    return expression, print_wide(lower(expression, WIDE_ROWS), symbol)


def _can_wasm(expression: Expression) -> bool:
    try:
        readings(expression)
    except NotInDigits:
        return False
    return True


Printed = tuple[str, tuple[str, ...]]
"""A text, and what it asks of the processor."""


def _rust(target: str, variant: str, print_text: Callable[[Expression, str], Printed]) -> Producer:
    def produce(expression: Expression) -> Iterator[Artifact]:
        symbol = _symbol(expression, target.replace("-", "_"))
        text, needs = print_text(expression, symbol)
        head = "".join(
            f"// {line}\n" for line in header(expression, target, variant, "rust", needs)
        )
        yield Artifact(symbol, expression, target, variant, "rust", needs, ".rs", head + text, None)

    return produce


def _flat(expression: Expression, symbol: str) -> Printed:
    return print_rust(lower(expression, RUST_ROWS), symbol, expression), ()


def _looped(expression: Expression, symbol: str) -> Printed:
    return print_rust_looped(expression, symbol), ()


def _intrinsics(expression: Expression, symbol: str) -> Printed:
    program = lower(expression, RUST_ROWS)
    return print_rust(program, symbol, expression, INTRINSICS), features_of(program)


def _own_target(target: Target, plans: Plans) -> BuildTarget:
    about, made = "x86-64 of our own: adx, mulx and base", _own(target, plans)
    return BuildTarget(target.name, "x86-64", (64,), about, made, target.object_format)


def _llvm_target(target: Target) -> BuildTarget:
    words = (target.processor.word,) if target.processor.word == 32 else (64, 32)
    about = f"LLVM for {target.triple}"
    extension = next((name for name in ("bmi2", "zicond") if name in target.name), "")
    about += f" with {extension}" if extension else ""
    made, suits = _llvm(target), (target.processor.algorithm,)
    return BuildTarget(target.name, "llvm", words, about, made, target.object_format, suits)


def _wasm_targets() -> list[BuildTarget]:
    about, wasm = "WebAssembly of our own: modules that import env.memory", ObjectFormat.WASM
    digits, wide = (
        _wasm("wasm32", "wasm", (), _in_digits),
        _wasm("wasm32-wide", "wide", (WIDE_ARITHMETIC,), _wide),
    )
    return [
        BuildTarget("wasm32", "wasm", (64,), about, digits, wasm, can=_can_wasm),
        BuildTarget(
            *("wasm32-wide", "wasm", (64,), f"{about}, with wide arithmetic", wide, wasm),
            algorithms=WIDE_ALGORITHMS,
        ),
    ]


def build_targets(plans: Plans = MappingProxyType({})) -> dict[str, BuildTarget]:
    """Every target by name: our own x86-64, LLVM's processors, and source texts."""
    found = []
    for system in ("linux", "macos", "windows"):
        target = replace(TARGETS[f"x86_64-{system}-llvm"], name=f"x86_64-{system}")
        found.append(_own_target(target, plans))
    found += [_llvm_target(target) for target in TARGETS.values()]
    found += _wasm_targets()
    found.append(BuildTarget("c", "c", (64, 32), "C with a double word", _c))
    flat, looped = _rust("rust", "portable", _flat), _rust("rust-looped", "looped", _looped)
    intrinsics = _rust("rust-intrinsics", "intrinsics", _intrinsics)
    about = "Rust that calls mulx, adc and sbb by name"
    found.append(BuildTarget("rust", "rust", (64, 32), "Rust without unsafe", flat))
    loops = BuildTarget("rust-looped", "rust", (64, 32), "Rust in loops", looped, can=has_loops)
    found.append(loops)
    found.append(BuildTarget("rust-intrinsics", "rust", (64, 32), about, intrinsics))
    return {target.name: target for target in found}
