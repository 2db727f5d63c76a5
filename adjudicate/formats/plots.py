"""Plots as inline SVG: intervals of rates, and a reliability curve. matplotlib draws; nothing else of the program loads it.

The SVG carries no style, script, metadata or link, so that a strict content security policy leaves it alone.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from adjudicate.core.text import shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
LABEL_LENGTH = 40
SERIES_LENGTH = 30
COLOURS = ("#0072b2", "#d55e00", "#555555")
"""Blue, vermilion and grey, which people with any colour vision tell apart; shapes differ as well."""
LETTER_WIDTH = 0.085
LINE_HEIGHT = 0.27
"""Of text in a plot, in inches."""
MOST_BESIDE = 2
"""Series beside each other in the legend: names of judges may be long."""
SHAPES = ("o", "D", "x")
_FONT = re.compile(r"(?:(?P<weight>bold|\d+) )?(?P<size>[\d.]+px) (?P<family>.+)")


@dataclass(frozen=True, slots=True)
class Mark:
    """One estimate in a plot; fractions."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of an interval plot: its name, and a mark (or none) of each series."""

    name: str
    marks: tuple[Mark | None, ...]


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a reliability curve; fractions."""

    score: float
    """Mean score."""
    share: float
    """Share of events."""
    low: float | None
    high: float | None
    n: int


def interval_plot(name: str, title: str, series: Sequence[str], bars: Sequence[Bar]) -> str:
    """Rates with their intervals, one line a population.

    Args:
        name: A word that is unique on the page, for ids.
        title: What the plot shows, read out by screen readers.
        series: Names of the marks of each bar.
        bars: From top to bottom.
    """
    legend = LINE_HEIGHT * -(-len(series) // MOST_BESIDE)
    names = max(len(_plain(bar.name)) for bar in bars) * LETTER_WIDTH
    figure, axes = _blank(8.0, 0.7 + 0.42 * len(bars) + legend, left=names + 0.25, top=legend + 0.15)
    offsets = [0.24 * (place - (len(series) - 1) / 2) for place in range(len(series))]
    for at, bar in enumerate(bars):
        for place, mark in enumerate(bar.marks):
            if mark is not None:
                _draw(axes, mark, at + offsets[place], place)
    for place, each in enumerate(series):
        axes.plot([], [], SHAPES[place % 3], color=COLOURS[place % 3], label=_plain(each, SERIES_LENGTH), markersize=6)
    axes.set_yticks(range(len(bars)), [_plain(bar.name) for bar in bars], parse_math=False)
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(len(series), MOST_BESIDE), frameon=False)
    return _svg(figure, name, title)


def reliability_plot(name: str, title: str, bins: Sequence[Bin]) -> str:
    """How often the event holds at each score, beside the diagonal that a calibrated judge follows. Arguments as above."""
    figure, axes = _blank(4.6, 4.2, left=0.6, top=0.1)
    axes.plot([0, 1], [0, 1], "--", color="#888888", linewidth=1)
    for each in bins:
        _draw_upright(axes, each)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("mean score of the judge")
    axes.set_ylabel("share of events by gold")
    axes.grid(color="#dddddd", linewidth=0.8)
    return _svg(figure, name, title)


def _blank(width: float, height: float, *, left: float, top: float) -> tuple[Figure, Any]:
    """A figure of this size with margins for what stands there, all in inches.

    A layout that matplotlib finds by itself takes a second drawing.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(left=left / width, right=1 - 0.15 / width, bottom=0.55 / height, top=1 - top / height)
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _draw(axes: Any, mark: Mark, at: float, place: int) -> None:
    colour = COLOURS[place % len(COLOURS)]
    if mark.low is not None and mark.high is not None:
        axes.plot([mark.low, mark.high], [at, at], "-", color=colour, linewidth=2, solid_capstyle="butt")
    axes.plot([mark.value], [at], SHAPES[place % len(SHAPES)], color=colour, markersize=6)


def _draw_upright(axes: Any, each: Bin) -> None:
    if each.low is not None and each.high is not None:
        axes.plot([each.score, each.score], [each.low, each.high], "-", color=COLOURS[0], linewidth=2)
    axes.plot([each.score], [each.share], SHAPES[0], color=COLOURS[0], markersize=6)
    axes.annotate(f"{each.n}", (each.score, each.share), xytext=(5, 5), textcoords="offset points", fontsize=8)


def _plain(text: str, length: int = LABEL_LENGTH) -> str:
    """Foreign text as a label: short, safe, and no formula."""
    return shortened(text, length).replace("$", r"\$")


def _svg(figure: Figure, name: str, title: str) -> str:
    from matplotlib import rc_context

    written = io.StringIO()
    settings = rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"})
    with settings, warnings.catch_warnings():
        # Letters that matplotlib's own font lacks are only measured with it; the reader's browser draws them.
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return _bare(written.getvalue(), name, title)


def _bare(svg: str, name: str, title: str) -> str:
    """The SVG with attributes in place of styles, ids of its own, and nothing that is not drawn."""
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(svg)  # noqa: S314  # written by matplotlib a moment ago
    for parent in root.iter():
        for child in [child for child in parent if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style")]:
            parent.remove(child)
    for element in root.iter():
        for key, value in _attributes(element.attrib.pop("style", "")):
            element.set(key, value)
        for key, value in list(element.attrib.items()):
            if key == "id":
                element.set(key, f"{name}-{value}")
            elif "#" in value and key.endswith(("href", "clip-path")):
                element.set(key, value.replace("#", f"#{name}-"))
    root.set("role", "img")
    root.set("aria-label", shortened(title, 300))
    root.set("stroke-linejoin", "round")
    return ET.tostring(root, encoding="unicode")


def _attributes(style: str) -> list[tuple[str, str]]:
    found = []
    for each in style.split(";"):
        key, _, value = (part.strip() for part in each.partition(":"))
        font = _FONT.fullmatch(value) if key == "font" else None
        if font is not None:
            found += [("font-size", font["size"]), ("font-family", "sans-serif")]
            found += [("font-weight", font["weight"])] if font["weight"] else []
        elif key:
            found.append((key, value))
    return found
