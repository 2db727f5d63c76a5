"""Texts that try to act on a terminal: those of the shared corpus, and invented ones from a seed."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from pathlib import Path

from tests.tui.test_hostile_screens import hostile_texts

# One kind of trouble each; a fuzzed text is a few of them with harmless words between.
SEQUENCES = (
    "\x1b]0;OWNED\x07", "\x1b]2;OWNED\x1b\\", "\x1b]52;c;T1dORUQ=\x07", "\x1b]8;;https://owned.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[?1049l", "\x1b[2J\x1b[H", "\x1b[31;5mred", "\x1b[999;999H", "\x1b[6n", "\x1bc", '\x1bP$q"p\x1b\\',
    "\x1b_Gi=1;AAAA\x1b\\",
    "\x1b[?25l", "\x1b[21t", "\x9b31m", "\x9d0;OWNED\x9c", "\x90q\x9c", "\x1b", "\x1b[", "\x1b]", "\x1b#8", "\x1b(0lqk\x1b(B",
    "\x0e\x0f",
)  # fmt: skip
CONTROLS = tuple(chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)))
BIDI = ("\u202e", "\u202d", "\u2066", "\u2067", "\u2068", "\u2069", "\u061c", "\u200e", "\u200f", "שלום", "مرحبا")
HIDDEN = (
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u200d",
    "\u200c",
    "\ufe0f",
    "\U000e0041",
    "\u115f",
    "\u3164",
    "\u2028",
    "\u2029",
    "\ufff9",
)
MARKUP = (
    "[red]", "[/nope]", "[b]bold[/b]", "[@click=app.quit]leave[/]", "[link=https://owned.example]here[/link]", "[", "]", "\\[x]",
    "$name",
    "`code`", "**strong**", "# heading", "| a | b |\n| - | - |\n| 1 | 2 |", "> quoted", "- item", "```\nfence", "<b>html</b>",
    "![i](x)",
)  # fmt: skip
WIDE = (
    "漢字",
    "한국어",
    "（全角）",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈",
    "👍🏽",
    "🇩🇪",
    "⚠️",
    "■●▲α",
    "ﷺ",
    "𒐫",
    "ก็",
    "नमस्ते",
    "①②",
    "½",
    "\u0301",
    "é",
    "ﾊﾟ",
)
ENDS = ("\n", "\r", "\r\n", "\t", "\v", "\f", "\x85", "\n\n\n")
FUZZED = 50
SEED = 20261129


def fuzzed(count: int = FUZZED, seed: int = SEED) -> list[str]:
    """Invented texts, the same for the same seed. Each begins with a harmless word of its own, by which it is found on screen."""
    chance = random.Random(seed)
    kinds = (SEQUENCES, CONTROLS, BIDI, HIDDEN, MARKUP, WIDE, ENDS)
    texts = []
    for number in range(count):
        parts = [f"fuzz{number:03d}"]
        for kind in chance.sample(kinds, chance.randint(2, len(kinds))):
            parts += [chance.choice(kind) + chance.choice(("", " ", "word", "two words ")) for _ in range(chance.randint(1, 4))]
        # Every tenth is a flood: combining marks on one letter, or a line without an end.
        if number % 10 == 3:
            parts.append("z" + "".join(chance.choices("\u0300\u0301\u0323\u0489\u20dd", k=400)))
        if number % 10 == 7:
            parts.append(chance.choice(("x", "漢", "é", "]", "👍🏽", "\u202e")) * 20_000)
        texts.append("".join(parts))
    return texts


def shared_texts(shared: Path) -> list[str]:
    """Every text of the shared corpus once: JSON values, cells, policies and replies, whole and line by line."""
    texts = dict.fromkeys(hostile_texts(shared))
    for path in sorted((shared / "hostile").iterdir()):
        if path.suffix in (".csv", ".yaml", ".txt", ".md"):
            texts |= dict.fromkeys(_parts(path))
    return [text for text in map(storable, texts) if text.strip()]


def _parts(path: Path) -> Iterator[str]:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    yield text
    yield from text.split("\n")
    if path.suffix == ".csv":
        csv.field_size_limit(1 << 24)
        for row in csv.reader(io.StringIO(text)):
            yield from row


def storable(text: str) -> str:
    """As text that a database takes: half of a surrogate pair is none, and the import refuses it."""
    return text.encode("utf-8", "replace").decode("utf-8")
