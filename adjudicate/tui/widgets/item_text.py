"""A prompt and a response as paragraphs with their titles."""

from __future__ import annotations

from adjudicate.core.hidden_text import lookalike_words
from adjudicate.core.items import Item, Message, Prompt
from adjudicate.core.text import hidden_characters, shortened
from adjudicate.tui.theme import CHOSEN, HARM
from adjudicate.tui.widgets.line_view import STAND_INS, Paragraph

EMPTY = "(the response is empty)"
FOLDED_ROLES = frozenset({"system", "developer", "tool", "function"})
"""Turns that are seldom what is judged: one line until they are unfolded."""
FOLDED_WIDTH = 48


def turns(prompt: Prompt, *, folded: bool = False) -> list[Paragraph]:
    """Two paragraphs a turn, its heading and its text; a single-turn prompt has no heading.

    Args:
        prompt: The prompt.
        folded: Give system and tool turns one line, but for the last turn, which the response answers.
    """
    messages = prompt.messages
    if len(messages) == 1 and messages[0].role == "user":
        return [Paragraph(messages[0].content, markdown=True)]
    paragraphs: list[Paragraph] = []
    for place, message in enumerate(messages, start=1):
        heading = f"[{place}] {shortened(message.role, 20)}"
        if folded and folds(message) and place < len(messages):
            paragraphs.append(Paragraph(f"{heading} {CHOSEN} {_folded(message.content)}", "heading"))
        else:
            paragraphs += [Paragraph(heading, "heading"), Paragraph(message.content, markdown=True)]
    return paragraphs


def folds(message: Message) -> bool:
    """Whether a turn can be folded."""
    return message.role.casefold() in FOLDED_ROLES


def can_fold(prompt: Prompt) -> bool:
    """Whether there is a turn to fold."""
    return any(folds(message) for message in prompt.messages[:-1])


def _folded(content: str) -> str:
    text = content.strip()
    lines = text.count("\n") + 1
    words = shortened(text.partition("\n")[0], FOLDED_WIDTH)
    if lines > 1:
        return f"{words} (folded: {lines} lines)"
    return words if len(text) <= FOLDED_WIDTH else f"{words} (folded: {len(text.split())} words)"


def last_turn(prompt: Prompt, *, folded: bool = False) -> int:
    """Index of the paragraph to start reading at: the heading of the last turn."""
    return max(len(turns(prompt, folded=folded)) - 2, 0)


def prompt_title(prompt: Prompt) -> str:
    """How many turns, and what the data set declares."""
    return " · ".join(["Prompt", *prompt_facts(prompt)])


def prompt_facts(prompt: Prompt) -> list[str]:
    """What there is to say of a prompt: what it hides, what the data set declares, how many turns."""
    text = "\n".join(message.content for message in prompt.messages)
    # What was hidden comes first: the end of a title is what a narrow pane cuts off.
    parts = _hidden_words(hidden_characters(text), text)
    parts.append(f"{prompt.intent} (declared)")
    parts += [f"{len(prompt.messages)} turns"] if len(prompt.messages) > 1 else []
    return [*parts, *(shortened(tag, 24) for tag in (prompt.category, prompt.language) if tag)]


def prompt_keys(prompt: Prompt, *, folded: bool) -> str:
    """The keys that do something for this prompt, as the hint of a pane."""
    keys = [
        (len(prompt.messages) > 1, "{read.turn_back} {read.turn_on} turn"),
        (can_fold(prompt), "{read.fold} unfold" if folded else "{read.fold} fold"),
        (bool(prompt.pair), "{label.twin} twin"),
    ]
    return " · ".join(words for holds, words in keys if holds)


def response(item: Item) -> list[Paragraph]:
    """The response, or that there is none."""
    if not item.response.strip():
        return [Paragraph(EMPTY, "dim")]
    return [Paragraph(item.response, markdown=True)]


def under_headings(prompt: Prompt, turns: list[Paragraph], response: list[Paragraph]) -> list[Paragraph]:
    """Prompt and response in one text; several turns have their own headings."""
    heading = [] if len(prompt.messages) > 1 else [Paragraph("prompt", "heading")]
    return [*heading, *turns, Paragraph("response", "heading"), *response]


def veiled(prompt: Prompt) -> list[Paragraph]:
    """What stands in the place of a response behind the veil."""
    tags = " · ".join(shortened(tag, 24) for tag in (prompt.intent, prompt.category) if tag)
    return [
        Paragraph("Behind the veil", "strong"),
        Paragraph(f"{tags}: this workspace shows such a response only when you ask for it."),
        Paragraph(""),
        Paragraph("{label.unveil}  lift the veil", told=True),
    ]


def response_title(item: Item) -> str:
    """How long it is, and how much in it would have been hidden."""
    words = f"{len(item.response.split()):,} words" if item.response.strip() else "empty"
    return " · ".join(["Response", words, *_hidden_words(hidden_characters(item.response), item.response)])


def _hidden_words(hidden: int, text: str) -> list[str]:
    """Stand-ins are told from text that only looks like one by counting both."""
    parts = [f"{HARM} {hidden} hidden character{'s' if hidden > 1 else ''} shown"] if hidden else []
    if not text.isascii() or "<" in text:
        written = len(STAND_INS.findall(text))
        if written:
            parts.append(f"{written} written out in the text itself")
        alike = len(lookalike_words(text))
        if alike:
            parts.append(f"{HARM} {alike} look-alike word{'s' if alike > 1 else ''}")
    return parts
