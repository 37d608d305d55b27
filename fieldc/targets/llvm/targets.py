"""LLVM's instruction sets: rows of one table, made by one printer."""

from __future__ import annotations

import re

from fieldc.language import Expression
from fieldc.machine.assemble import Compiled, compile_ir
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.header import header, symbol_of
from fieldc.targets.llvm.emulators import EMULATORS
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import LLVM_TARGETS, LlvmTarget
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.target import Artifact, Target
from fieldc.targets.x86_64.targets import WINE
from fieldc.words.lower import lower

EXTENSIONS = ("bmi2", "zicond")
"""Features that an object may need beyond those of its architecture."""
CONVENTIONS = {
    ("x86_64", "linux"): "sysv",
    ("x86_64", "macos"): "sysv",
    ("x86_64", "windows"): "win64",
    ("aarch64", "linux"): "aapcs64",
    ("aarch64", "macos"): "apple",
    ("aarch64", "windows"): "windows",
}
"""Those that the prover knows."""
MOST_OPERANDS = {("x86_64", "windows"): 3, ("armv7", "linux"): 3, ("mipsel", "linux"): 3}
"""Operands of systems that pass four pointers in registers, the result's among them."""


def compiled(target: LlvmTarget, expression: Expression, symbol: str) -> tuple[str, Compiled]:
    """A module and its code: by the first way that copies no flags and has no branch, or the first.

    A branch that is left is for the scan to refuse.
    """
    processor, made = target.processor, []
    for rows, form in processor.ways:
        ir = print_llvm(lower(expression, rows), symbol, form)
        made.append((ir, compile_ir(ir, target.triple, processor.cpu, processor.features)))
        if not _UNWANTED.search(made[-1][1].assembly):
            return made[-1]
    return made[0]


_UNWANTED = re.compile(r"\tm(rs|sr)\t|\tb(eq|ne|lt|ge|gt|le)\w*\t")
"""How AArch64 keeps flags in a register; conditional branches of RISC-V."""


def _target(of: LlvmTarget) -> Target:
    def make(target: Target, choice: Choice) -> Artifact:
        symbol = symbol_of(choice.expression, choice.variant.name)
        ir, code = compiled(of, choice.expression, symbol)
        text = "".join(f"; {line}\n" for line in header(target.name, choice, "c")) + ir
        return Artifact(symbol, target, choice, "c", ".ll", text, code.object)

    architecture, system, *more = of.name.split("-")
    more = [part for part in more if part != "llvm"]  # such as bmi2: symbols that link together
    needs = tuple(name for name in EXTENSIONS if f"+{name}" in of.processor.features)
    is_wasm = of.object_format is ObjectFormat.WASM
    return Target(
        name=of.name,
        backend="llvm",
        about=f"LLVM for {of.triple}" + "".join(f" with {name}" for name in needs),
        words=(32,) if of.processor.word == 32 else (64, 32),
        variants=(Variant("_".join(("llvm", *more)), needs),),
        make=make,
        architecture=architecture,
        system=system,
        triple=of.triple,
        object_format=of.object_format,
        proved_as=CONVENTIONS.get((architecture, system), ""),
        runner=WINE if (architecture, system) == ("x86_64", "windows") else EMULATORS.get(of.name),
        not_scanned="an engine compiles it further" if is_wasm else "",
        algorithms=(of.processor.algorithm,),
        most_operands=MOST_OPERANDS.get((architecture, system), Target.most_operands),
    )


LLVM = tuple(map(_target, LLVM_TARGETS.values()))
