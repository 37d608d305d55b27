"""The options of `fieldc build` that add to kernels: landing pads and unwind data."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from fieldc.commands.verb import UsageError, option
from fieldc.targets.extras import ADDS, Extras
from fieldc.targets.target import Target

if TYPE_CHECKING:
    from fieldc.decisions.decision import Decision

OPTIONS = (
    option(
        "--landing-pads",
        action="store_true",
        help="begin kernels with endbr64 or bti, for systems that check indirect branches",
    ),
    option(
        "--unwind",
        action="store_true",
        help="add unwind data, for debuggers and profilers"
        " (x86_64-linux, aarch64-linux and x86_64-windows)",
    ),
)


def extras_of(arguments: argparse.Namespace) -> Extras:
    """What was asked for. Raises UsageError where no target is chosen that could add it."""
    extras = Extras(arguments.landing_pads, arguments.unwind)
    for name in ("package", "batch"):
        if extras.options and getattr(arguments, name):
            raise UsageError(f"{extras.options[0]} is for single kernels; leave out --{name}")
    return extras


def with_extras(decisions: Iterable[Decision], extras: Extras) -> list[Decision]:
    """Decisions for targets that add what was asked for. Raises UsageError."""
    return [replace(d, target=_adding(d.target, extras)) for d in decisions]


def _adding(target: Target, extras: Extras) -> Target:
    if lacking := target.lacking(extras):
        what = f"{target} kernels cannot have {ADDS[lacking[0]]}"
        raise UsageError(f"{what}; leave out {lacking[0]} or choose another target")
    return replace(target, extras=extras)
