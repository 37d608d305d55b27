"""Our own x86-64 for Linux, macOS and Windows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.machine.emulated import Emulator
from fieldc.machine.instruments import Instruments
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.extras import PLAIN, Extras
from fieldc.targets.header import header, symbol_of
from fieldc.targets.judge import Judge
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.running import EmulatedProgram
from fieldc.targets.target import Artifact, Runner, Target
from fieldc.targets.x86_64.calls import CALLER, CallingKernel, Calls
from fieldc.targets.x86_64.choices import FEATURES
from fieldc.targets.x86_64.conventions import CONVENTIONS, SYSV, WIN64, Convention
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.plan import DEFAULTS, Plan, defaults_on
from fieldc.targets.x86_64.print import GNU, INTEL, MASM
from fieldc.targets.x86_64.timing.clock import TickClock
from fieldc.targets.x86_64.timing.loops import loops

BRANCHES_ARE_CHECKED = """.section .note.gnu.property, "a", @note
    .p2align 3
    .long 4, 16, 5
    .asciz "GNU"
    .long 0xc0000002, 4, 3, 0  # landing pads and a shadow stack
"""
"""Without it in every object a linker leaves the checks off. System V's psABI for x86-64."""
NO_EXECUTABLE_STACK = '.section .note.GNU-stack, "", @progbits\n'
_JUDGED = "kernel"
VARIANTS = tuple(Variant(name, FEATURES[name]) for name in DEFAULTS)
WINE = EmulatedProgram(
    Emulator(
        "wine",
        ("x86_64-w64-mingw32-gcc", "-std=c99", "-O1"),
        (Path(__file__).with_name("runner") / "win64.S",),
    ),
    on_this_processor=True,
)


def plan_of(choice: Choice) -> Plan:
    """The plan of a choice of one straight line, or the default one of its variant."""
    plan: Plan = choice.plan or DEFAULTS[choice.variant.name]
    return plan


def compiled(choice: Choice, symbol: str, convention: Convention) -> X86Kernel | CallingKernel:
    """The code of a choice: one straight line, or a caller and its routines."""
    if isinstance(choice.plan, Calls):
        return choice.plan.compile(choice.expression, symbol, convention)
    return plan_of(choice).compile(choice.expression, symbol, convention)


def _judged(choice: Choice) -> bytes:
    """The bytes by which a model judges a choice: by System V's convention, for every system."""
    kernel = compiled(choice, _JUDGED, SYSV)
    if isinstance(kernel, X86Kernel):
        return kernel.machine_code()
    return function_of(assemble(kernel.text(GNU)), _JUDGED).code


JUDGE = Judge(
    *(_judged, "x86_64", "cascade-lake"),
    plans=lambda variant, processor: defaults_on(variant.name, processor),
    takes_schedules=True,
)
"""A processor that is not in processors.toml is taken for a narrow one: so nothing is wasted."""


def _make(target: Target, choice: Choice) -> Artifact:
    """The kernel's text, MASM's too for Windows, and its object."""
    symbol, convention = symbol_of(choice.expression, choice.variant.name), target.proved_as
    is_mach_o = target.object_format is ObjectFormat.MACH_O
    prefix, local = ("_", "L") if is_mach_o else ("", ".L")
    kernel = compiled(choice, prefix + symbol, CONVENTIONS[convention])
    head = header(target.name, choice, convention, target.extras)
    is_coff = target.object_format is ObjectFormat.COFF
    extras = replace(target.extras, is_windows=is_coff)
    last = BRANCHES_ARE_CHECKED if extras.landing_pads else ""
    code = assemble(kernel.text(GNU, local=local, extras=extras) + last, target.triple)
    intel = kernel.text(INTEL, head, local, extras) + last
    if target.object_format is ObjectFormat.ELF:
        intel += NO_EXECUTABLE_STACK
    texts = [(".s", intel)]
    if is_coff:
        texts.insert(0, (".asm", kernel.text(MASM, head, local, extras)))
    (suffix, text), *others = texts
    return Artifact(
        symbol, target, choice, convention, suffix, text, code, other_texts=tuple(others)
    )


def _target(
    system: str,
    triple: str,
    form: ObjectFormat,
    convention: str,
    runner: Runner | None = None,
    can_add: Extras = PLAIN,
) -> Target:
    return Target(
        name=f"x86_64-{system}",
        backend="x86-64",
        about="x86-64 of our own: adx, mulx and base",
        words=(64,),
        variants=VARIANTS,
        make=_make,
        architecture="x86_64",
        system=system,
        triple=triple,
        object_format=form,
        is_own=True,
        judge=JUDGE,
        caller=CALLER,
        proved_as=convention,
        most_operands=len(CONVENTIONS[convention].arguments) - 1,
        runner=runner,
        can_add=can_add,
        instruments=Instruments(TickClock, loops) if convention == SYSV.name else None,
    )


X86_64 = (
    _target(
        "linux",
        "x86_64-unknown-linux-gnu",
        ObjectFormat.ELF,
        SYSV.name,
        can_add=Extras(landing_pads=True, unwind=True),
    ),
    _target("macos", "x86_64-apple-macosx10.15.0", ObjectFormat.MACH_O, SYSV.name),
    _target(
        "windows",
        "x86_64-pc-windows-msvc",
        ObjectFormat.COFF,
        WIN64.name,
        WINE,
        can_add=Extras(unwind=True),
    ),
)
