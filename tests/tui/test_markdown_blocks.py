"""Markdown as rows: marks go where they are marks, everything else stays, and no text makes it slow."""

from __future__ import annotations

import time

import pytest

from adjudicate.tui.widgets.markdown_blocks import Block, Span, blocks, emphasis, has_markdown


@pytest.mark.parametrize(
    "text",
    ["", "Plain words.\nOn two lines.", "2*3*4 = 24", "snake_case_name", "a * b * c", "- ", "#hashtag", "5 > 3", "x\n\n\ny", "`"],
)
def test_text_without_markdown_is_one_block_as_it_is(text: str) -> None:
    assert "\n".join(block.text for block in blocks(text)) == text
    assert all(not block.spans and not block.first for block in blocks(text))


def test_headings_lose_their_signs_and_keep_their_words() -> None:
    assert blocks("# One #\n### Two\n####### seven") == [Block("One", "title"), Block("Two", "strong"), Block("####### seven")]
    assert blocks("# C# #")[0].text == "C#"
    assert blocks("# C#")[0].text == "C#"


def test_lists_hang_under_their_words() -> None:
    assert blocks("- one\n  * two\n10. ten") == [
        Block("one", first="• ", hang="  "),
        Block("two", first="  • ", hang="    "),
        Block("ten", first="10. ", hang="    "),
    ]


def test_code_is_framed_and_nothing_in_it_is_a_mark() -> None:
    """The words after the fence are shown: they are part of the response."""
    head, code, foot = blocks("```python x=1\n# not a *heading*\n```")
    assert (head.text, head.first) == ("python x=1", "╭─ ")
    assert code == Block("# not a *heading*", "code", "│ ", "┆ ")
    assert (foot.text, foot.first) == ("", "╰─ ")


def test_code_without_an_end_says_so_and_goes_on_to_the_last_line() -> None:
    found = blocks("~~~\n```\nrest")
    assert found[1].text == "```\nrest" and found[2].text == "(no end of the code)"


def test_quotes_and_rules() -> None:
    assert blocks("> > deep\n---\n| a | b |") == [
        Block("deep", first="┃ ┃ ", hang="┃ ┃ "),
        Block("─" * 24, "frame"),
        Block("| a | b |"),
    ]


@pytest.mark.parametrize(
    ("line", "text", "spans"),
    [
        ("**a** b", "a b", [Span(0, 1, "bold")]),
        ("_a_ and *b*", "a and b", [Span(0, 1, "italic"), Span(6, 7, "italic")]),
        ("***a***", "a", [Span(0, 1, "bold italic")]),
        ("**a *b* c**", "a b c", [Span(0, 2, "bold"), Span(2, 3, "bold italic"), Span(3, 5, "bold")]),
        ("**a `b*c` d**", "a b*c d", [Span(0, 2, "bold"), Span(2, 5, "snippet"), Span(5, 7, "bold")]),
        ("``a`b``", "a`b", [Span(0, 3, "snippet")]),
        (r"\*a\* and \`b\`", r"\*a\* and \`b\`", []),
        ("**open", "**open", []),
        ("a* b *c", "a* b *c", []),
        ("**** and __", "**** and __", []),
        ("x**2**3 and f(*args, **kwargs)", "x**2**3 and f(*args, **kwargs)", []),
        ("[the page](https://example.org/a_b_c)", "[the page](https://example.org/a_b_c)", []),
    ],
)
def test_words_lose_their_marks_only_where_they_are_marks(line: str, text: str, spans: list[Span]) -> None:
    assert emphasis(line) == (text, spans)


@pytest.mark.parametrize(
    "text",
    [
        "**a **b " * 125_000, "`a ``b ```c " * 90_000, "~" * 1_000_000 + "`", "# a" + " " * 1_000_000 + "b", "*" * 1_000_000,
        "**ab** " * 140_000, "- x\n" * 250_000, "- " * 500_000 + "x", "*a **b _c `d` _ ** * " * 45_000, "\n" * 1_000_000,
    ],
    ids=["opened", "ticks", "fence", "spaces", "stars", "pairs", "items", "rule", "nested", "empty"],
)  # fmt: skip
def test_a_megabyte_written_to_be_slow_is_not(text: str) -> None:
    began = time.process_time()
    assert blocks(text)
    assert time.process_time() - began < 4


def test_marks_at_the_end_of_a_text_are_seen() -> None:
    assert has_markdown("x\n```") and has_markdown("a **b**") and not has_markdown("a b")
