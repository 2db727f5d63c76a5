"""The title of the terminal's window: the workspace's name and nothing else, given back at the end."""

from __future__ import annotations

from collections.abc import Mapping

from adjudicate.core.text import shortened

LONGEST = 60
WITHOUT_TITLE = frozenset({"", "dumb", "linux"})
"""Terminals that have no title, or print one."""


def opening(workspace: str, environment: Mapping[str, str]) -> str:
    """What to send at the start: keep the old title, set ours; nothing to a terminal without one."""
    title = changed(workspace, environment)
    return f"\x1b[22;2t{title}" if title else ""


def changed(workspace: str, environment: Mapping[str, str]) -> str:
    """What to send when another workspace is opened."""
    if environment.get("TERM", "") in WITHOUT_TITLE:
        return ""
    return f"\x1b]2;{shortened(workspace, LONGEST)} – adjudicate\x07"


def closing(environment: Mapping[str, str]) -> str:
    """What to send at the end: the old title, where the terminal kept it."""
    return "" if environment.get("TERM", "") in WITHOUT_TITLE else "\x1b[23;2t"
