"""A printed page: whatever is in its texts, nothing acts, and nothing is loaded."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from adjudicate.formats.page import Figure, Grid, Heading, Notes, Page, Paragraph, html_text, markdown_page
from adjudicate.formats.plots import Bar, Mark, interval_plot

NASTY = '<script>alert(1)</script> "><img src=x onerror=y> \x1b[31m \u202e & $x^2$ [a](javascript:b) | `c`'


class Reader(HTMLParser):
    """Tags with their attributes, and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page() -> Page:
    svg = interval_plot("p", NASTY, [NASTY, "corrected"], [Bar(NASTY, (Mark(0.1), Mark(0.2, 0.1, 0.4))), Bar("b", (None, None))])
    blocks = (
        Heading(NASTY), Paragraph(NASTY), Notes((NASTY,), warning=True), Figure(svg, NASTY),
        Grid(NASTY, (NASTY, "n"), ((NASTY, "1"),), (1,), (NASTY,)),
    )  # fmt: skip
    return Page(NASTY, blocks)


def read() -> tuple[str, Reader]:
    text = "".join(html_text(page()))
    reader = Reader()
    reader.feed(text)
    return text, reader


def test_foreign_text_stays_text() -> None:
    text, reader = read()
    names = {tag for tag, _ in reader.tags}
    assert not names & {"script", "img", "a", "iframe", "object", "link"}
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert any("<script>alert(1)</script>" in each for each in reader.texts)


def test_nothing_is_styled_or_run_or_loaded_but_the_one_sheet_that_the_policy_names() -> None:
    text, reader = read()
    sheets = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    policy = next(attrs["content"] or "" for tag, attrs in reader.tags if tag == "meta" and "http-equiv" in attrs)
    assert len(sheets) == 1
    assert f"'sha256-{base64.b64encode(hashlib.sha256(sheets[0].encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")
    for _, attrs in reader.tags:
        assert "style" not in attrs
        assert not any(name.startswith("on") or name == "src" for name in attrs)
        assert all((value or "").startswith("#") for name, value in attrs.items() if name.endswith("href"))
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)


def test_ids_of_plots_do_not_meet() -> None:
    first, second = (interval_plot(name, "t", ["s"], [Bar("b", (Mark(0.5, 0.4, 0.6),))]) for name in ("one", "two"))
    found = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]
    assert found[0]
    assert not found[0] & found[1]


def test_the_same_plot_is_the_same_text() -> None:
    one, two = (interval_plot("p", "t", ["s"], [Bar("b", (Mark(0.5, 0.4, 0.6),))]) for _ in range(2))
    assert one == two


def test_markdown_escapes_and_leaves_plots_out() -> None:
    text = "".join(markdown_page(page()))
    assert "<" not in text
    assert "svg" not in text
    assert "\\[a\\]\\(javascript:b\\)" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)
