"""Colours, symbols and the choice between them. Meaning is always a word and a symbol first, colour last.

Dark and light follow screens that people are used to. The two safe ones keep every two meanings apart under each kind of
colour blindness: simulated with Machado, Oliveira and Fernandes (2009, severity 1.0), no pair comes closer than 24 in
CIELAB, where dark and light have pairs at 4 and 2. A test computes this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textual.theme import BUILTIN_THEMES, Theme

from adjudicate.core.text import shortened
from adjudicate.errors import UsageError

SAME, DIFFERS, HARM, DONE, QUIET, CHOSEN = "=", "≠", "!", "✓", "·", "▸"
OWN = "←"
"""Marks a person's own saved choice, never the verdict."""
SHAPES = "●▲■◆"
"""One shape for each position in a disagreement: told apart without colour."""


MEANINGS = ("same", "differs", "harm", "done", "quiet", "focus")
"""Theme variables that carry a meaning."""


def _theme(name: str, *, dark: bool, grounds: tuple[str, str, str], text: str, meanings: tuple[str, ...]) -> Theme:
    """A theme.

    Args:
        name: As people write it.
        dark: Whether text is lighter than its ground.
        grounds: Background, panels, frames.
        text: Foreground.
        meanings: Colours of `MEANINGS`, in that order.
    """
    same, differs, harm, done, _, focus = meanings
    background, panel, frame = grounds
    return Theme(
        name=f"adjudicate-{name}",
        primary=same,
        secondary=done,
        accent=focus,
        warning=differs,
        error=harm,
        success=done,
        foreground=text,
        background=background,
        surface=background,
        panel=panel,
        dark=dark,
        variables={**dict(zip(MEANINGS, meanings, strict=True)), "frame": frame},
    )


DARK = _theme(
    "dark",
    dark=True,
    grounds=("#121212", "#1E1E1E", "#4A4A4A"),
    text="#E4E4E4",
    meanings=("#56B4E9", "#E69F00", "#FF8A5C", "#4FC3A1", "#A8A8A8", "#CC79A7"),
)
LIGHT = _theme(
    "light",
    dark=False,
    grounds=("#FAFAFA", "#EEEEEE", "#B4B4B4"),
    text="#1A1A1A",
    meanings=("#005A8C", "#8A4B00", "#A33B00", "#00664B", "#595959", "#7A2E5D"),
)
SAFE_DARK = _theme(
    "safe-dark",
    dark=True,
    grounds=("#0E0E12", "#1E1E24", "#505058"),
    text="#F4F4F4",
    meanings=("#3F81F6", "#E99811", "#DD4E42", "#A4FE99", "#9B9B9B", "#F4A9FF"),
)
SAFE_LIGHT = _theme(
    "safe-light",
    dark=False,
    grounds=("#FCFCFC", "#EEEEF0", "#B0B0B4"),
    text="#101010",
    meanings=("#023EAE", "#5B3305", "#A85D0E", "#227F4B", "#454545", "#9C53A4"),
)
TERMINAL = Theme(
    name="adjudicate-terminal",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_green",
    accent="ansi_magenta",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    variables={
        **BUILTIN_THEMES["ansi-dark"].variables,
        "same": "ansi_cyan",
        "differs": "ansi_yellow",
        "harm": "ansi_red",
        "done": "ansi_green",
        "quiet": "ansi_default",
        "focus": "ansi_magenta",
        "frame": "ansi_default",
    },
)
"""The sixteen colours that the terminal itself defines: nothing is rounded to them, so nothing falls together."""


class Look(NamedTuple):
    """A theme that can be chosen."""

    theme: Theme
    words: str


THEMES: Mapping[str, Look] = {
    "dark": Look(DARK, "Light text on a dark ground"),
    "light": Look(LIGHT, "Dark text on a light ground"),
    "safe-dark": Look(SAFE_DARK, "Dark, for every kind of colour blindness"),
    "safe-light": Look(SAFE_LIGHT, "Light, for every kind of colour blindness"),
    "terminal": Look(TERMINAL, "The sixteen colours of the terminal itself"),
}
"""By the name that `theme` in adjudicate.toml and the palette use."""

WITHOUT_COLOUR = "ansi-dark"
"""Textual's theme that sends no colour code at all once its colours are filtered out."""

DEFAULTS: Mapping[str, str] = dict.fromkeys(DARK.variables, "ansi_default")
"""Our variables under a theme that does not know them."""


def theme_for(environment: Mapping[str, str], chosen: str | None = None) -> str:
    """Textual's name of the theme: none where `NO_COLOR` is set, else the chosen one, else what the terminal can show.

    Raises:
        UsageError: There is no theme of the chosen name.
    """
    if chosen is not None and chosen not in THEMES:
        raise UsageError(f"theme = {shortened(chosen, 40)!r}: there is {', '.join(THEMES)}")
    if environment.get("NO_COLOR"):
        return WITHOUT_COLOUR
    if chosen is not None:
        return THEMES[chosen].theme.name
    if has_few_colours(environment):
        return TERMINAL.name
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in ("7", "15") else DARK.name


def has_few_colours(environment: Mapping[str, str]) -> bool:
    """Whether Rich would round colours to sixteen for this terminal, by the same variables that it reads."""
    if environment.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return False
    name = environment.get("TERM", "").strip().lower()
    return name not in ("", "dumb", "unknown") and name.rpartition("-")[2] not in ("256color", "kitty")
