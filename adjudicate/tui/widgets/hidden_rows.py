"""What a text hides, as rows: which characters how often, then each place with what stands around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from adjudicate.core.hidden_text import Oddity, character_name, hidden_places, lookalike_words
from adjudicate.core.text import code_points, visible_line
from adjudicate.tui.widgets.line_view import Paragraph

LISTED = 200
"""Places that are listed one by one."""
AROUND = 18
"""Characters shown on either side of a place."""
NAMED = 4
"""Characters of one place whose names are told."""
NOTHING = "No character in this item acts or hides, and no word mixes letters that look alike."


def hidden_rows(texts: Sequence[tuple[str, str]]) -> list[Paragraph]:
    """What each text hides.

    Args:
        texts: Name and content of each, e.g. the response and the turns of the prompt.
    """
    rows = [row for name, text in texts for row in _of_text(name, text)]
    return rows[:-1] or [Paragraph(NOTHING)]


def _of_text(name: str, text: str) -> Iterator[Paragraph]:
    hidden, alike = list(hidden_places(text)), lookalike_words(text)
    if not hidden and not alike:
        return
    yield Paragraph(name, "heading")
    counts = Counter(character for place in hidden for character in text[place.start : place.end])
    for character, times in counts.most_common():
        yield Paragraph(f"{times:>6,} × {character_name(character)}", "strong")
    for place in hidden[:LISTED]:
        yield Paragraph(f"{_where(place)}  {_names(text[place.start : place.end])}")
        yield Paragraph(_around(text, place), "", "    ")
    yield from _left_out(len(hidden))
    if alike:
        yield Paragraph(f"{len(alike):>6,} × word of look-alike letters", "strong")
    for word in alike[:LISTED]:
        letters = text[word.start : word.end]
        yield Paragraph(f"{_where(word)}  {visible_line(letters)}: {code_points(letters)}")
        yield Paragraph(_around(text, word), "", "    ")
    yield from _left_out(len(alike))
    yield Paragraph("")


def _left_out(places: int) -> Iterator[Paragraph]:
    if places > LISTED:
        yield Paragraph(f"and {places - LISTED:,} more places, counted above", "dim")


def _where(place: Oddity) -> str:
    return f"line {place.line:,}, character {place.column:,}"


def _names(characters: str) -> str:
    names = ", ".join(character_name(character) for character in characters[:NAMED])
    return names if len(characters) <= NAMED else f"{names} and {len(characters) - NAMED:,} more"


def _around(text: str, place: Oddity) -> str:
    start, end = max(place.start - AROUND, 0), min(place.end, place.start + AROUND) + AROUND
    return f"{'…' if start else ''}{visible_line(text[start:end])}{'…' if end < len(text) else ''}"
