"""The matrix of a batch of divsteps as an AArch64 kernel."""

from __future__ import annotations

from fieldc.algorithms.divstep_matrix import StepOrder, divstep_matrix
from fieldc.targets.aarch64.allocate import allocated
from fieldc.targets.aarch64.kernel import ArmKernel
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.signed import ArmSignedCode
from fieldc.targets.aarch64.systems import SYSTEMS
from fieldc.targets.target import Target


def compile_divsteps_for_arm(order: StepOrder = StepOrder.COUNT_FIRST) -> ArmKernel:
    """`void symbol(z, zeta, f, g)`: z[0] is zeta after all steps, z[1] to z[4] are the matrix."""
    code = ArmSignedCode()
    z, *operands = (code.pointer() for _ in range(4))
    zeta, f, g = (code.load(pointer) for pointer in operands)
    words = divstep_matrix(code, zeta, f, g, order)
    for index, word in enumerate(words):
        code.store(z, index, word)
    selected = code.selected()
    return ArmKernel(tuple(allocated(selected, selected.code)), ())


def arm_divsteps_for(
    target: Target, symbol: str, header: tuple[str, ...], order: StepOrder
) -> tuple[str, bytes]:
    """The kernel's text and its object, for one of our own targets for AArch64."""
    system = next(s for s in SYSTEMS if s.name == target.system)
    kernel = compile_divsteps_for_arm(order)
    text = system.text(symbol, header, kernel.text(), False)
    return text, object_of({symbol: kernel.code}, system.triple)
