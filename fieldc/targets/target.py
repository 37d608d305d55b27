"""A target: one object that answers every question about a thing `fieldc build` can make.

A folder of `fieldc/targets` makes its targets and lists them; the registry has one line for each
folder. Nothing else in the compiler asks for a target's name to decide something.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from fieldc.algorithms import kernels_for
from fieldc.language import BoundError, Expression
from fieldc.machine.instruments import Instruments
from fieldc.machine.processor import host_architecture, missing
from fieldc.targets.object_format import ObjectFormat

if TYPE_CHECKING:
    from fieldc.targets.artifact import Artifact


class Runner(Protocol):
    """Runs a target's kernels in a program other than this process: an emulator, or an engine."""

    @property
    def name(self) -> str:
        """What runs them."""
        ...

    @property
    def on_this_processor(self) -> bool:
        """Whether this processor executes the kernels, so that it must have what they need."""
        ...

    def why_not(self) -> str:
        """Why this host cannot run them; empty where it can."""
        ...

    def run(self, kernels: Sequence[Artifact]) -> None:
        """Call kernels on their vectors.

        Raises CheckError or FrameError for a wrong one, a UserError where the runner gives up.
        """
        ...


@dataclass(frozen=True)
class Place:
    """Where kernels run: `runner` is empty for this process. With a `reason` they do not."""

    runner: str = ""
    reason: str = ""

    @property
    def is_here(self) -> bool:
        """Whether this process runs them."""
        return not self.runner and not self.reason


@dataclass(frozen=True)
class Variant:
    """One of several kernels that a target makes of an expression, and what it asks for."""

    name: str
    needs: tuple[str, ...] = ()
    """Features of the processor, by LLVM's names, or of the engine."""


@dataclass(frozen=True)
class Choice:
    """A kernel to be made: an algorithm by its expression, a variant, and a plan.

    The `plan` is the target's own: what its variant leaves open, such as an order of instructions
    that a search found. None stands for the variant's defaults. `chosen_by` says in words what
    chose it, `options` what the command line needs to choose it again.
    """

    expression: Expression
    variant: Variant
    plan: Any = None
    chosen_by: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """Something `fieldc build` can make, and everything the compiler asks about it."""

    name: str
    backend: str
    about: str
    words: tuple[int, ...]
    """Widths of limbs in bits, the preferred one first."""
    variants: tuple[Variant, ...]
    make: Callable[[Target, Choice], Artifact]
    """The artifact of a choice, neither proved nor checked yet."""
    architecture: str = ""
    system: str = ""
    triple: str = ""
    """LLVM's name of architecture and system, for its assembler."""
    object_format: ObjectFormat | None = None
    """None where there is only text, which the user compiles."""
    is_own: bool = False
    """Whether our own backend makes its machine code: then it is proved or not written."""
    proved_as: str = ""
    """The calling convention by which the prover knows it; empty where it does not."""
    runner: Runner | None = None
    not_scanned: str = ""
    """Why no scan of its objects shows constant time; empty where one does."""
    algorithms: tuple[str, ...] = ()
    """What suits it better than the first algorithm whose bounds hold, the best first."""
    can: Callable[[Expression], bool] = lambda _: True
    """Whether it makes a kernel at all."""
    instruments: Instruments | None = None
    """What times kernels on a host that runs its objects."""

    def __str__(self) -> str:
        return self.name

    def is_proved(self, word: int) -> bool:
        """Whether the prover knows its instructions, with words of this width."""
        return bool(self.proved_as) and word == 64

    @property
    def is_native(self) -> bool:
        """Whether this process can call its objects, if the processor has what they need."""
        return (
            self.object_format is not None
            and self.architecture != ""
            and (self.architecture, self.system) == (host_architecture(), host_system())
        )

    def place(self, needs: Sequence[str] = ()) -> Place:
        """Where this host runs kernels that need features of the processor."""
        if self.object_format is None:
            return Place(reason=f"{self.name} source is compiled by its user")
        here = self.is_native or (self.runner is not None and self.runner.on_this_processor)
        lacking = missing(needs) if here else []
        if lacking:
            return Place(reason=f"this processor lacks {' and '.join(lacking)}")
        if self.is_native:
            return Place()
        if self.runner is None:
            return Place(reason=f"this host runs no {self.architecture}-{self.system} objects")
        reason = self.runner.why_not()
        return Place(reason=reason) if reason else Place(self.runner.name)

    def suited(self, expression: Expression) -> Expression:
        """The same operation by the algorithm that suits it best of those whose bounds hold."""
        return by_algorithm(self.algorithms, expression)

    def produce(self, expression: Expression) -> Iterator[Artifact]:
        """The kernels of one expression, a variant after the other, by their defaults."""
        return (self.make(self, Choice(expression, variant)) for variant in self.variants)

    def named(self, name: str, **changes: Any) -> Target:
        """This target under another name, with changes."""
        return replace(self, name=name, **changes)


def host_system() -> str:
    """This host's system, as targets name it."""
    return platform.system().lower().replace("darwin", "macos")


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
