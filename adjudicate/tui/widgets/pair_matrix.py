"""Every pair of annotators as a table: who agrees with whom, each value with the number of items it rests on."""

from __future__ import annotations

from collections.abc import Iterable

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.workflow.text_table import TextTable

MOST = 8
"""Annotators beyond whom a matrix does not fit a screen; then every pair is a row."""
TITLE = "Cohen's kappa by pair, items in common in brackets"


def pair_table(estimates: Iterable[Estimate]) -> TextTable:
    """The pairs that the agreement of the whole carries; no rows where there are none."""
    whole = (each for each in estimates if each.statistic == "cohen_kappa" and not each.group)
    pairs = next((each.details.get("pairwise", ()) for each in whole), ())
    cells = {frozenset((pair["first"], pair["second"])): _cell(pair["kappa"], pair["n_common"]) for pair in pairs}
    names = sorted({name for pair in cells for name in pair}, key=lambda name: (len(name), name))
    if len(names) > MOST:
        rows = tuple((*sorted(pair), cell) for pair, cell in cells.items())
        return TextTable(TITLE, ("one", "other", "kappa"), rows, right=(2,))
    rows = tuple(
        (name, *(cells.get(frozenset((name, other)), "") if other != name else "·" for other in names[:-1])) for name in names[1:]
    )
    return TextTable(TITLE, ("annotator", *names[:-1]), rows, right=tuple(range(1, len(names))))


def _cell(kappa: float | None, common: int) -> str:
    value = "undefined" if kappa is None else present.number(kappa, "coefficient")
    return f"{value} ({common})"
