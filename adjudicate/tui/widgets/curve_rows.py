"""A curve of the report as rows: axes in percent, lines of dots, marks with their intervals, and what each of them is."""

from __future__ import annotations

from adjudicate.core.text import shortened
from adjudicate.tui.widgets.braille_canvas import Canvas, Stroke
from adjudicate.tui.widgets.sheet_row import SheetRow, Span
from adjudicate.workflow.plot_records import Curve, Series

WIDEST, HIGHEST = 64, 18
NARROWEST, LOWEST = 24, 6
MARGIN = 7
"""Cells before the field: a value and the axis."""
STROKES = (Stroke(1, 0, "same"), Stroke(4, 3, "differs"), Stroke(1, 2, "done"), Stroke(7, 2, "harm"))
"""Lines in their order; dots tell them apart without colour."""
LEGENDS = ("⠤⠤⠤⠤", "⠤⠄⠤⠄", "⠄⠄⠄⠄", "⠤⠤⠤⠄")
DIAGONAL = Stroke(1, 3, "frame")
MARK = "●"
LONGEST_NAME = 44


def curve_rows(curve: Curve, *, width: int, height: int) -> list[SheetRow]:
    """The plot; nothing where there is no room for it.

    Args:
        curve: What is drawn.
        width: Cells at most.
        height: Rows at most, axes and legend included.
    """
    lines = [each for each in curve.series if each.is_line]
    below = 5 + len(lines) + sum(not each.is_line for each in curve.series) + curve.is_diagonal
    field = (min(width - MARGIN, WIDEST), min(height - below, HIGHEST))
    if field[0] < NARROWEST or field[1] < LOWEST:
        return []
    # An odd number of cells has one in the middle.
    field = field[0] - 1 + field[0] % 2, field[1] - 1 + field[1] % 2
    scales = (
        _scale([point.x for each in curve.series for point in each.points], curve),
        _scale(
            [value for each in curve.series for point in each.points for value in (point.y, point.high) if value is not None],
            curve,
        ),
    )
    canvas = Canvas(*field)
    _draw(canvas, curve, scales)
    rows = [SheetRow(shortened(curve.title, width), "strong"), SheetRow(" " * 2 + curve.y, "dim")]
    for place, (text, spans) in enumerate(canvas.rows()):
        shifted = tuple(Span(span.start + MARGIN, span.end + MARGIN, span.look) for span in spans)
        head = _label(place, canvas.height, scales[1])
        rows.append(SheetRow(head + text, spans=(Span(0, MARGIN, "frame"), *shifted)))
    rows += _horizontal(canvas.width, scales[0], curve.x)
    return rows + _legend(curve, lines)


def _scale(values: list[float], curve: Curve) -> float:
    """Upper end of an axis: all of it where a diagonal has to be straight, else as much as is needed."""
    highest = max(values, default=1.0)
    return 1.0 if curve.is_diagonal else next((step for step in (0.05, 0.1, 0.2, 0.5) if highest <= step), 1.0)


def _draw(canvas: Canvas, curve: Curve, scales: tuple[float, float]) -> None:
    across, up = scales
    if curve.is_diagonal:
        canvas.line([(0.0, 0.0), (1.0, 1.0)], DIAGONAL)
    lines = [each for each in curve.series if each.is_line]
    for series, stroke in zip(lines, _strokes(lines), strict=True):
        canvas.line([(point.x / across, point.y / up) for point in series.points], stroke)
    marked = [point for each in curve.series if not each.is_line for point in each.points]
    for point in marked:
        if point.low is not None and point.high is not None:
            canvas.upright(point.x / across, point.low / up, point.high / up, "frame")
    for point in marked:
        canvas.mark(point.x / across, point.y / up, MARK, "strong")


def _strokes(lines: list[Series]) -> list[Stroke]:
    return [STROKES[place % len(STROKES)] for place in range(len(lines))]


def _label(place: int, height: int, top: float) -> str:
    """Value and axis before a row: at both ends and in the middle, of which there is one."""
    shares = {0: 1.0, (height - 1) // 2: 0.5, height - 1: 0.0}
    told = f"{100 * top * shares[place]:.3g} %" if place in shares else ""
    return f"{told:>{MARGIN - 2}} ┤" if told else f"{'':>{MARGIN - 1}}│"


def _horizontal(width: int, right: float, name: str) -> list[SheetRow]:
    axis = ["─"] * width
    ticks = [0, (width - 1) // 2, width - 1]
    told = [" "] * (MARGIN + width + 4)
    for place in ticks:
        axis[place] = "┬"
        words = f"{100 * right * place / (width - 1):.3g} %"
        start = MARGIN + place - (len(words) // 2 if place else 0)
        told[start : start + len(words)] = words
    line, numbers = f"{'└':>{MARGIN}}" + "".join(axis), "".join(told).rstrip()
    name_row = f"{name:>{MARGIN + width}}"
    return [SheetRow(line, spans=(Span(0, len(line), "frame"),)), SheetRow(numbers, "dim"), SheetRow(name_row, "dim")]


def _legend(curve: Curve, lines: list[Series]) -> list[SheetRow]:
    rows = []
    for place, (series, stroke) in enumerate(zip(lines, _strokes(lines), strict=True)):
        sign = LEGENDS[place % len(LEGENDS)]
        text = f"{'':>{MARGIN}}{sign} {shortened(series.name, LONGEST_NAME)}"
        rows.append(SheetRow(text, spans=(Span(MARGIN, MARGIN + len(sign), stroke.look),)))
    marked = (shortened(series.name, LONGEST_NAME) for series in curve.series if not series.is_line)
    rows += [SheetRow(f"{'':>{MARGIN}}{MARK}    {name}", "dim") for name in marked]
    if curve.is_diagonal:
        rows.append(SheetRow(f"{'':>{MARGIN}}⠄⠄⠄⠄ {curve.diagonal}", "dim"))
    return rows
