"""Examples of what `field!` makes are tests of the crate, and none of a program that calls it."""

from __future__ import annotations

import re

from fieldc.packages.checked_in import ROOT

SOURCES = ROOT / "crates" / "fieldc" / "src"
MACRO = re.compile(r"#\[macro_export\]\nmacro_rules! (\w+) \{\n(.*?)^\}\n", re.M | re.S)


def macros() -> dict[str, str]:
    """The bodies of the macros that other crates expand, by their names."""
    texts = (path.read_text() for path in sorted(SOURCES.rglob("*.rs")))
    return {name: body for text in texts for name, body in MACRO.findall(text)}


def test_each_example_begins_as_its_type_says() -> None:
    fences = {name: body.count("#[doc = $fence]") for name, body in macros().items()}
    assert sum(fences.values()) > 40
    for name, body in macros().items():
        assert len(re.findall(r"^ *///? ?```", body, re.M)) == fences[name], name


def test_only_the_types_of_the_crate_have_tests() -> None:
    assert '$crate::__field! {\n            "```text"\n' in macros()["field"]
    for path in ("generated/fields.rs", "curves/p256.rs"):
        text = (SOURCES / path).read_text()
        assert text.count("struct Fp(") + text.count("struct Fr(") == text.count('"```"\n')
