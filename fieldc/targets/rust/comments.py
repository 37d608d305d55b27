"""Comments of emitted Rust, as rustdoc reads them."""

from __future__ import annotations

import re
from textwrap import wrap

INSIDE = re.compile(
    r"(?P<code>(`+)(?!`).+?(?<!`)\2(?!`))|(?P<url>https?://[^\s<>]*[^\s<>.,;:!?)\]])"
    r"|[][*]|<(?=[A-Za-z/!?])"
)
"""What rustdoc reads as code, as an address, or as the mark of a link, of emphasis or of HTML."""
BEGIN = re.compile(r"([-+>#=~|]|\*(?= |$)|```)|(\d+)(?=[.)])")
"""What begins a list, a quotation, a heading, a table or a block of code."""


def rust_doc(line: str) -> str:
    """A line in which rustdoc sees no links, such as `[0]`, no HTML, no emphasis and no list."""
    return _begun(_inside(line))


def rust_doc_lines(text: str, width: int) -> list[str]:
    """A paragraph as such lines."""
    return [_begun(line) for line in wrap(_inside(text), width, break_on_hyphens=False)]


def _inside(text: str) -> str:
    """A text that looks as it stands; addresses are links. Of one `*` rustdoc makes nothing."""
    has_links = "[" in text

    def shown(found: re.Match[str]) -> str:
        if found["url"]:
            return f"<{found[0]}>"
        is_kept = found["code"] or (found[0] in "]*" and not has_links)
        return found[0] if is_kept else f"\\{found[0]}"

    return INSIDE.sub(shown, text)


def _begun(line: str) -> str:
    """A line that is text from its beginning on."""
    found = BEGIN.match(line)
    if found is None:
        return line
    place = found.end() if found[2] else 0
    return f"{line[:place]}\\{line[place:]}"
