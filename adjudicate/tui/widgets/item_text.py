"""A prompt and a response as paragraphs with their titles."""

from __future__ import annotations

from adjudicate.core.items import Item, Prompt
from adjudicate.core.text import hidden_characters, shortened
from adjudicate.tui.widgets.line_view import STAND_INS, Paragraph

EMPTY = "(the response is empty)"


def turns(prompt: Prompt) -> list[Paragraph]:
    """Two paragraphs a turn, its heading and its text; a single-turn prompt has no heading."""
    if len(prompt.messages) == 1 and prompt.messages[0].role == "user":
        return [Paragraph(prompt.messages[0].content)]
    paragraphs: list[Paragraph] = []
    for place, message in enumerate(prompt.messages, start=1):
        role = shortened(message.role, 20)
        paragraphs += [Paragraph(f"[{place}] {role}", "heading"), Paragraph(message.content)]
    return paragraphs


def last_turn(prompt: Prompt) -> int:
    """Index of the paragraph to start reading at: the heading of the last turn."""
    return max(len(turns(prompt)) - 2, 0)


def prompt_title(prompt: Prompt) -> str:
    """How many turns, and what the data set declares."""
    text = "\n".join(message.content for message in prompt.messages)
    # What was hidden comes first: the end of a title is what a narrow pane cuts off.
    parts = ["Prompt", *_hidden_words(hidden_characters(text), text)]
    parts += [f"{len(prompt.messages)} turns"] if len(prompt.messages) > 1 else []
    parts.append(f"{prompt.intent} (declared)")
    return " · ".join([*parts, *(shortened(tag, 24) for tag in (prompt.category, prompt.language) if tag)])


def response(item: Item) -> list[Paragraph]:
    """The response, or that there is none."""
    if not item.response.strip():
        return [Paragraph(EMPTY, "dim")]
    return [Paragraph(item.response)]


def response_title(item: Item) -> str:
    """How long it is, and how much in it would have been hidden."""
    words = f"{len(item.response.split()):,} words" if item.response.strip() else "empty"
    return " · ".join(["Response", words, *_hidden_words(hidden_characters(item.response), item.response)])


def _hidden_words(hidden: int, text: str) -> list[str]:
    """Stand-ins are told from text that only looks like one by counting both."""
    parts = [f"! {hidden} hidden character{'s' if hidden > 1 else ''} shown"] if hidden else []
    if not text.isascii() or "<" in text:
        written = len(STAND_INS.findall(text))
        if written:
            parts.append(f"{written} written out in the text itself")
    return parts
