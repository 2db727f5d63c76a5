"""Themes: readable, and the safe ones told apart by every kind of eye."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from textual.color import Color

from adjudicate.errors import UsageError
from adjudicate.tui import window_title
from adjudicate.tui.own_theme import FILE, remember, remembered
from adjudicate.tui.theme import MEANINGS, THEMES, WITHOUT_COLOUR, theme_for
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 2009,
# matrices for severity 1.0, for linear RGB.
EYES = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
SRGB = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)
Three = tuple[float, float, float]


def linear(colour: str) -> Three:
    """From sRGB to linear light (IEC 61966-2-1)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in Color.parse(colour).normalized
    )
    return red, green, blue


def times(matrix: tuple[Three, ...], vector: Three) -> Three:
    first, second, third = (sum(weight * part for weight, part in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def lab(light: Three) -> Three:
    """CIELAB under D65."""
    clipped = tuple(min(max(part, 0.0), 1.0) for part in light)
    x, y, z = (part / white for part, white in zip(times(SRGB, (clipped[0], clipped[1], clipped[2])), WHITE, strict=True))
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(first: str, second: str, eye: str) -> float:
    """CIE76 difference as that eye sees it."""
    seen = [lab(times(EYES[eye], linear(colour))) for colour in (first, second)]
    return float(sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5)


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio."""
    one, other = sorted((times(SRGB, linear(colour))[1] for colour in (first, second)), reverse=True)
    return (one + 0.05) / (other + 0.05)


def colours(name: str) -> dict[str, str]:
    theme = THEMES[name].theme
    return {meaning: theme.variables[meaning] for meaning in MEANINGS} | {"text": str(theme.foreground)}


@pytest.mark.parametrize("name", sorted(THEMES.keys() - {"terminal"}))
def test_every_meaning_stands_out_from_the_ground(name: str) -> None:
    """4.5 is the least for text in WCAG 2 (AA)."""
    ground = str(THEMES[name].theme.background)
    assert {
        meaning: contrast(colour, ground) for meaning, colour in colours(name).items() if contrast(colour, ground) < 4.5
    } == {}


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", ["safe-dark", "safe-light"])
def test_no_two_meanings_of_a_safe_theme_look_alike_to_any_eye(name: str, eye: str) -> None:
    pairs = combinations(colours(name).items(), 2)
    close = {(a, b): distance(x, y, eye) for (a, x), (b, y) in pairs if distance(x, y, eye) < 24}
    assert close == {}


def test_a_theme_is_chosen_by_name_and_no_colour_goes_before() -> None:
    assert theme_for({}, "safe-light") == THEMES["safe-light"].theme.name
    assert theme_for({"NO_COLOR": "1"}, "safe-light") == WITHOUT_COLOUR
    with pytest.raises(UsageError, match="there is dark, light, safe-dark, safe-light, terminal"):
        theme_for({}, "pink\x1b[0m")


@pytest.mark.parametrize(
    ("environment", "theme"),
    [
        ({"TERM": "xterm-256color"}, "dark"),
        ({"TERM": "screen-256color"}, "dark"),
        ({"TERM": "tmux-256color"}, "dark"),
        ({"TERM": "xterm-kitty"}, "dark"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "dark"),
        ({"TERM": "xterm"}, "terminal"),
        ({"TERM": "screen"}, "terminal"),
        ({"TERM": "tmux"}, "terminal"),
        ({"TERM": "linux", "COLORFGBG": "0;15"}, "terminal"),
    ],
    ids=str,
)
def test_a_terminal_of_sixteen_colours_gets_its_own(environment: dict[str, str], theme: str) -> None:
    assert theme_for(environment) == THEMES[theme].theme.name
    assert theme_for(environment, "safe-dark") == THEMES["safe-dark"].theme.name


def test_a_choice_is_remembered_for_one_person_and_can_be_forgotten(tmp_path: Path) -> None:
    database = tmp_path / "adjudicate.db"
    remember(database, "a1", "safe-dark")
    remember(database, "a2", "light")
    assert (remembered(database, "a1"), remembered(database, "a2"), remembered(database, "a3")) == ("safe-dark", "light", None)
    remember(database, "a1", None)
    assert (remembered(database, "a1"), remembered(database, "a2")) == (None, "light")
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "[1]", '{"a1": 3}', '{"a1": "plaid"}', "[" * 20_000])
def test_what_cannot_be_understood_is_no_choice(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    assert remembered(tmp_path / "adjudicate.db", "a1") is None


async def test_the_palette_changes_the_theme_and_the_next_start_has_it(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "colon")
        await press(pilot, *(name for name in ("t", "h", "e", "m", "e", "space", "s", "a", "f", "e", "minus", "d")))
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await pilot.pause(0.2)
        assert app.theme == THEMES["safe-dark"].theme.name
    again = made.app()
    assert again.theme == THEMES["safe-dark"].theme.name
    other = made.app("bob")
    assert other.theme == THEMES["dark"].theme.name
    again.bench.store.close()
    other.bench.store.close()


def test_the_window_title_is_the_workspace_and_can_carry_nothing_else() -> None:
    codes = window_title.opening("audit\x07\x1b]52;c;eA==\x07" + "x" * 200, {"TERM": "xterm"})
    body = codes.removeprefix("\x1b[22;2t\x1b]2;").removesuffix("\x07")
    assert body.isprintable()
    assert body.startswith("audit␇␛]52;c;") and body.endswith("– adjudicate") and len(body) < 80
    assert window_title.opening("audit", {"TERM": "linux"}) == window_title.closing({"TERM": "dumb"}) == ""
