"""Starting is cheap: what the first screen needs and nothing else is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "numpy",
    "scipy",
    "sklearn",
    "krippendorff",
    "matplotlib",
    "plotext",
    "sqlite_utils",
    "yaml",
    "msgspec",
    "click",
    "httpx2",
    "httpcore2",
    "textual.widgets._text_area",
)
LATER = ("home", "disagreements", "report", "policy_dialog", "note_dialog", "help_dialog", "intent_dialog")


@pytest.mark.parametrize("module", ["adjudicate.tui.app", "adjudicate.tui.screens.labelling", "adjudicate.tui.screens.home"])
def test_a_screen_imports_nothing_heavy(module: str) -> None:
    """In a fresh interpreter, because deferred imports hide from a static graph."""
    code = f"import sys, {module}; print(' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split() == []


def test_labelling_imports_no_other_screen() -> None:
    names = tuple(f"adjudicate.tui.screens.{name}" for name in LATER)
    code = f"import sys, adjudicate.tui.app, adjudicate.tui.screens.labelling; print(*[n for n in {names!r} if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split() == []
