"""A printed page in blocks, and its two forms: one self-contained HTML file, and Markdown. What it says is decided elsewhere.

The HTML runs nothing and loads nothing: no script, styles allowed by their hash only, plots inline. Every text is escaped here.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from adjudicate.core.text import visible, visible_line
from adjudicate.formats.writers import markdown_cell


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 2 or 3, since the page's title is the first."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text; foreign parts need no care."""

    text: str


@dataclass(frozen=True, slots=True)
class Notes:
    """A list of short texts."""

    texts: tuple[str, ...]
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    """Columns that hold numbers."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot. Its SVG is trusted: it comes from `formats.plots`, which escapes what is foreign in it."""

    svg: str
    caption: str


Block = Heading | Paragraph | Notes | Grid | Figure


@dataclass(frozen=True, slots=True)
class Page:
    """A page."""

    title: str
    blocks: tuple[Block, ...]


STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #ffffff; margin: 0 auto;
  padding: 1rem; max-width: 72rem; }
p, h1, h2, figcaption { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid #c8c8c8; }
h3 { font-size: 1rem; margin-top: 1.6rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; margin: 0.8rem 0 0.3rem; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid #e2e2e2; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #8a8a8a; } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
ul { padding-left: 1.2rem; } .notes { color: #555555; font-size: 0.85rem; margin: 0.2rem 0 0.8rem; }
.warning { border-left: 4px solid #b25d00; background: #fff6ea; padding: 0.5rem 0.5rem 0.5rem 1.8rem; }
figure { margin: 1rem 0; } figure svg { width: 100%; min-width: 34rem; max-width: 46rem; height: auto; }
figcaption { color: #555555; font-size: 0.85rem; }
@media print { body { font-size: 10pt; max-width: none; padding: 0; } .wide { overflow: visible; }
  table { font-size: 8pt; } tr, figure { break-inside: avoid; } h2, h3, caption { break-after: avoid; } }
"""


def html_text(page: Page) -> Iterator[str]:
    """The page as one HTML file."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = _html(page.title)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    for block in page.blocks:
        yield _html_block(block)
    yield "</main>\n</body>\n</html>\n"


def markdown_page(page: Page) -> Iterator[str]:
    """The page as Markdown, without its plots."""
    yield f"# {markdown_cell(page.title)}\n"
    for block in page.blocks:
        yield _markdown_block(block)


def _html(text: str) -> str:
    return escape(visible(text), quote=True)


def _html_block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_html(text)}</h{level}>\n"
        case Paragraph(text):
            return f"<p>{_html(text)}</p>\n"
        case Notes(texts, warning):
            items = "".join(f"<li>{_html(text)}</li>" for text in texts)
            return f'<ul class="{"warning" if warning else "notes"}">{items}</ul>\n'
        case Figure(svg, caption):
            return f'<figure><div class="wide" tabindex="0">{svg}</div><figcaption>{_html(caption)}</figcaption></figure>\n'
        case Grid():
            return _html_grid(block)


def _html_grid(grid: Grid) -> str:
    numbers = frozenset(grid.right)
    head = "".join(_html_cell("th", text, ' scope="col"', number=number in numbers) for number, text in enumerate(grid.headers))
    body = "".join(
        "<tr>" + "".join(_html_cell("td", text, number=number in numbers) for number, text in enumerate(row)) + "</tr>\n"
        for row in grid.rows
    )
    notes = _html_block(Notes(grid.notes)) if grid.notes else ""
    table = (
        f"<table>\n<caption>{_html(grid.caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"
    )
    return f'<div class="wide" tabindex="0">{table}</div>\n{notes}'


def _html_cell(tag: str, text: str, scope: str = "", *, number: bool) -> str:
    number_class = ' class="n"' if number else ""
    return f"<{tag}{scope}{number_class}>{_html(text)}</{tag}>"


def _markdown_block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"\n{'#' * level} {markdown_cell(text)}\n"
        case Paragraph(text):
            return f"\n{markdown_cell(text)}\n"
        case Notes(texts, warning):
            return "\n" + "".join(f"- {'**!** ' if warning else ''}{markdown_cell(text)}\n" for text in texts)
        case Figure():
            return ""
        case Grid():
            return _markdown_grid(block)


def _markdown_grid(grid: Grid) -> str:
    numbers: Sequence[int] = grid.right
    rule = "".join(" ---: |" if number in numbers else " --- |" for number in range(len(grid.headers)))
    lines = [f"\n**{markdown_cell(grid.caption)}**\n", _markdown_row(grid.headers), f"|{rule}", *map(_markdown_row, grid.rows)]
    notes = "\n" + "".join(f"- {markdown_cell(text)}\n" for text in grid.notes) if grid.notes else ""
    return "\n".join(lines) + "\n" + notes


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(markdown_cell(visible_line(cell)) or " " for cell in cells) + " |"
