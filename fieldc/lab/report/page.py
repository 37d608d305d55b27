"""One self-contained page: figures and tables, and how each was made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

STYLE = """
/* A table that is wider than the page scrolls; a shadow at its right says that there is more. */
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem;
  overflow-wrap: break-word; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { width: 100%; height: auto; }
figcaption, .note { color: #444; font-size: .875rem; }
.table { overflow-x: auto; background: no-repeat 100% 0 / 2rem 100%;
  background-image: linear-gradient(270deg, #fff 40%, #fff0),
    linear-gradient(270deg, #0004, #0000 30%);
  background-attachment: local, scroll; }
table { border-collapse: collapse; font-size: .875rem; font-variant-ligatures: none; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ccc; text-align: left; }
.number { text-align: right; } td.number { white-space: nowrap; } .text { min-width: 14rem; }
tbody tr:hover { background: #f3f3f3; }
code { font-size: .875em; } .disturbed { background: #fff3cd; padding: .5rem; }
.long { overflow-wrap: anywhere; } .product { background: #e3f0f8; }
.listing td { text-align: left; padding: 0 .6rem; border: 0; white-space: nowrap; }
.listing code { white-space: pre; }
.reduction { background: #fdf1dc; } .listing tr td:first-child { border-left: 4px solid #0000; }
.listing .carry td:first-child { border-left-color: #0072b2; }
.listing .overflow td:first-child { border-left: 4px dotted #d55e00; }
@media screen and (max-width: 40rem) {
  figure svg { width: 62rem; } .fits svg { width: 100%; }
  figure:not(.fits) figcaption::before { content: "Wider than this screen: scroll to its right. "; }
  table { font-size: .75rem; } th, td { padding: .15rem .3rem; }
  .text { min-width: 8rem; }
}
/* Paper does not scroll. */
@media print {
  body { font-size: 12px; max-width: none; padding: 0; } figcaption, .note { font-size: 10px; }
  .table { overflow: visible; background: none; } figure { overflow: visible; }
  table { font-size: 9px; } th, td { padding: .1rem .3rem; } .text { min-width: 0; }
  .listing td { white-space: normal; } .listing code { white-space: pre-wrap; }
  tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; } thead { break-after: avoid; }
}
"""


@dataclass(frozen=True)
class Picture:
    """An SVG and the line below it. On a phone one that `fits` is shown whole, another scrolls."""

    svg: str
    caption: str
    fits: bool = False


@dataclass(frozen=True)
class Grid:
    """A table with a line above it."""

    title: str
    columns: Sequence[str]
    lines: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Listing:
    """Lines of code: the classes of each, its text, a comment, and what it is for."""

    lines: Sequence[tuple[str, str, str, str]]


PagePart = Picture | Grid | Listing


@dataclass(frozen=True)
class Section:
    """A heading, a few sentences, and what belongs to them."""

    title: str
    text: str
    parts: Sequence[PagePart]


def page(title: str, lead: str, warning: str, sections: Iterable[Section]) -> str:
    """The page's text."""
    alarm = f'<p class="disturbed">{escape(warning)}</p>\n' if warning else ""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        f"<h1>{escape(title)}</h1>\n<p>{escape(lead)}</p>\n{alarm}"
        + "".join(map(_section, sections))
        + "</html>\n"
    )


def _section(section: Section) -> str:
    parts = "".join(map(_part, section.parts))
    title = escape(section.title).replace("_", "_<wbr>")  # a long name breaks between its words
    return f"<h2>{title}</h2>\n<p>{escape(section.text)}</p>\n{parts}"


def _listing(part: Listing) -> str:
    lines = "".join(
        f'<tr class="{escape(classes)}"><td><code>{escape(text)}</code></td>'
        f"<td>{escape(comment)}</td><td>{escape(says)}</td></tr>\n"
        for classes, text, comment, says in part.lines
    )
    return f'<div class="table"><table class="listing"><tbody>{lines}</tbody></table></div>\n'


LONG, SENTENCE = 32, 48
"""A longer word, such as a modulus, may be broken anywhere; a longer text gets room on a phone."""


def _is_number(cell: object) -> bool:
    text = str(cell)
    return text == "-" or (text[:1].isdigit() and "^" not in text and not text.startswith("0x"))


def _cell(text: str, is_number: bool) -> str:
    """A cell of a table; figures are never broken."""
    if any(len(word) > LONG for word in text.split()):
        return f'<td class="long">{escape(text)}</td>'
    if is_number:
        return f'<td class="number">{escape(text)}</td>'
    kind = ' class="text"' if len(text) > SENTENCE else ""
    return f"<td{kind}>{escape(text)}</td>"


def _part(part: PagePart) -> str:
    if isinstance(part, Listing):
        return _listing(part)
    if isinstance(part, Picture):
        caption = escape(part.caption)
        kind = ' class="fits"' if part.fits else ""
        return f"<figure{kind}>{part.svg}<figcaption>{caption}</figcaption></figure>\n"
    numbers = [all(map(_is_number, cells)) for cells in zip(*part.lines, strict=True)]
    numbers += [False] * (len(part.columns) - len(numbers))
    head = "".join(
        f'<th class="number">{escape(name)}</th>' if number else f"<th>{escape(name)}</th>"
        for name, number in zip(part.columns, numbers, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(map(_cell, map(str, line), numbers))}</tr>\n" for line in part.lines
    )
    note = f'<p class="note">{escape(part.note)}</p>\n' if part.note else ""
    title = f"<h3>{escape(part.title)}</h3>\n" if part.title else ""
    return (
        f'{title}<div class="table"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>\n{note}"
    )
