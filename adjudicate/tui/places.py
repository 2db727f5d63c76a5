"""The screens of an open workspace by name: how each is made, and what the command palette says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from textual.screen import Screen

from adjudicate.tui.bench import Bench

PlaceName = Literal["home", "label", "resolve", "report", "browse", "policies", "triage"]


def _home(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.home import HomeScreen

    return HomeScreen(bench)


def _label(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.labelling import LabellingScreen

    return LabellingScreen(bench)


def _resolve(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.disagreements import DisagreementsScreen

    return DisagreementsScreen(bench)


def _report(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.report import ReportScreen

    return ReportScreen(bench)


def _browse(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.browse import BrowseScreen

    return BrowseScreen(bench)


def _policies(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.policy import PolicyScreen

    return PolicyScreen(bench)


def _triage(bench: Bench) -> Screen[None]:
    from adjudicate.tui.screens.triage import TriageScreen

    return TriageScreen(bench)


SCREENS_BY_NAME: Mapping[PlaceName, Callable[[Bench], Screen[None]]] = {
    "home": _home,
    "label": _label,
    "resolve": _resolve,
    "report": _report,
    "policies": _policies,
    "browse": _browse,
    "triage": _triage,
}
TITLES: Mapping[PlaceName, tuple[str, str]] = {
    "home": ("Home", "What is in the workspace and what to do next"),
    "label": ("Label", "The items on your list"),
    "resolve": ("Disagreements", "Settle items that people labelled differently"),
    "report": ("Report", "Rates, judge accuracy, agreement"),
    "policies": ("Policy", "Read it, compare its versions, adopt another"),
    "browse": ("Items", "Everything imported: filter, search, open"),
    "triage": ("Triage", "Items that somebody picked: labelled, and in no rate"),
}
