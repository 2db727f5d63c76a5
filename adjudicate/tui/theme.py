"""Colours, symbols and the choice between dark, light and no colour. Meaning is always a word and a symbol first."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

SAME, DIFFERS, HARM, DONE, QUIET, CHOSEN = "=", "≠", "!", "✓", "·", "▸"
OWN = "←"
"""Marks a person's own saved choice, never the verdict."""
SHAPES = "●▲■◆"
"""One shape for each position in a disagreement: told apart without colour."""

DARK = Theme(
    name="adjudicate-dark",
    primary="#56B4E9",
    secondary="#4FC3A1",
    accent="#CC79A7",
    warning="#E69F00",
    error="#FF8A5C",
    success="#4FC3A1",
    foreground="#E4E4E4",
    background="#121212",
    surface="#121212",
    panel="#1E1E1E",
    dark=True,
    variables={
        "same": "#56B4E9",
        "differs": "#E69F00",
        "harm": "#FF8A5C",
        "done": "#4FC3A1",
        "quiet": "#A8A8A8",
        "focus": "#CC79A7",
        "frame": "#4A4A4A",
    },
)
LIGHT = Theme(
    name="adjudicate-light",
    primary="#005A8C",
    secondary="#00664B",
    accent="#7A2E5D",
    warning="#8A4B00",
    error="#A33B00",
    success="#00664B",
    foreground="#1A1A1A",
    background="#FAFAFA",
    surface="#FAFAFA",
    panel="#EEEEEE",
    dark=False,
    variables={
        "same": "#005A8C",
        "differs": "#8A4B00",
        "harm": "#A33B00",
        "done": "#00664B",
        "quiet": "#595959",
        "focus": "#7A2E5D",
        "frame": "#B4B4B4",
    },
)
WITHOUT_COLOUR = "ansi-dark"
"""Textual's theme that sends no colour code at all once its colours are filtered out."""

DEFAULTS: Mapping[str, str] = dict.fromkeys(DARK.variables, "ansi_default")
"""Our variables under a theme that does not know them."""


def theme_for(environment: Mapping[str, str]) -> str:
    """Name of the theme for a terminal: none where `NO_COLOR` is set, light where the terminal says so."""
    if environment.get("NO_COLOR"):
        return WITHOUT_COLOUR
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in ("7", "15") else DARK.name
