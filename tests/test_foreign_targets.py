"""On each target that make foreign-check leaves out the crate is the same as on one it checks."""

from __future__ import annotations

import re
from functools import cache

import pytest
from cargo_words import variable
from crate_object import CRATE, rustc
from test_constant_time_crate import RUST_TARGETS
from test_crate_aarch64 import IN_EVERY_RUN

NAMED = re.compile(r'target_\w+ ?= ?"\w+"|\b(?:windows|unix)\b(?=\s*[,)])')
FOREIGN, SAME, COMPILED = (variable(n).split() for n in ("FOREIGN", "SAME", "COMPILED"))


@cache
def questions() -> frozenset[str]:
    """What the crate's text asks of a target; kernels ask nothing."""
    paths = [path for path in (CRATE / "src").rglob("*.rs") if "generated" not in path.parts]
    texts = [path.read_text("utf-8") for path in (*paths, CRATE / "src" / "generated" / "mod.rs")]
    found = {word.replace(" ", "") for text in texts for word in NAMED.findall(text)}
    assert {'target_arch="x86_64"', 'target_endian="little"', "windows"} <= found
    return frozenset(found)


@cache
def answers(target: str) -> frozenset[str]:
    """Which of them are so on a target."""
    return questions() & set(rustc("--print", "cfg", "--target", target).split())


@pytest.mark.parametrize("target", SAME)
def test_another_target_with_the_same_text_is_checked(target: str) -> None:
    assert target in FOREIGN
    assert answers(target) in [answers(other) for other in FOREIGN if other not in SAME]


def test_tests_compile_for_those_that_are_not_checked() -> None:
    """Without the feature that is on by default, which is code for x86-64 alone."""
    assert {*COMPILED} < {*RUST_TARGETS, *IN_EVERY_RUN}
    assert 'default = ["vectors"]\n' in (CRATE / "Cargo.toml").read_text()
    for path in (CRATE / "src").rglob("*.rs"):
        for gate in re.findall(r'feature = "vectors",\n\s*(.*)', path.read_text("utf-8")):
            assert gate == 'target_arch = "x86_64",', path


def test_a_processor_of_its_own_is_not_left_out() -> None:
    others = [answers(target) for target in FOREIGN if "s390x" not in target]
    assert answers("s390x-unknown-linux-gnu") not in others
