"""Words that somebody looks for, as an expression of SQLite's full-text index, and what the index cannot answer.

What is typed is never an operator: every word goes in as a quoted string. An index of words knows no words in scripts that are
written without spaces, and no signs; these are looked for in the texts themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Thai, Lao, Burmese, Khmer, kana and Han: written without spaces between words.
_NO_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
SHORTEST_BEGINNING = 2
"""Letters from which on a word that is still being typed stands for all that begin with it; one letter begins everything."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or a phrase that stood in quotes."""

    text: str
    is_begun: bool = False
    """Whether it is the last of the line and may go on."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How words are looked for; an item has to hold all of them, in its prompt or its response."""

    expression: str
    """For FTS5; empty for none."""
    parts: tuple[str, ...]
    """To be looked for in the texts, casefolded."""

    @property
    def holds(self) -> Callable[[str | None, str | None], bool] | None:
        """Whether a response and its prompt hold all parts; None where there is no part."""
        if not self.parts:
            return None

        def hold(response: str | None, prompt: str | None) -> bool:
            said, asked = (response or "").casefold(), (prompt or "").casefold()
            return all(part in said or part in asked for part in self.parts)

        return hold


def plan(words: Sequence[Word], *, has_index: bool = True) -> Plan:
    """Divide words between the index and the texts.

    Args:
        words: What to look for.
        has_index: Whether there is an index of words at all.

    >>> plan([Word("heat"), Word('a"b OR c'), Word("sha", is_begun=True)]).expression
    '"heat" AND "a""b OR c" AND "sha" *'
    >>> plan([Word("日光"), Word("?!")]).parts
    ('日光', '?!')
    """
    indexed = [word for word in words if has_index and _is_indexed(word.text)]
    read = tuple(word.text.casefold() for word in words if word not in indexed)
    return Plan(" AND ".join(map(_quoted, indexed)), read)


def _is_indexed(text: str) -> bool:
    return any(map(str.isalnum, text)) and not _NO_SPACES.search(text)


def _quoted(word: Word) -> str:
    text = word.text.replace("\x00", " ").replace('"', '""')
    is_beginning = word.is_begun and sum(map(str.isalnum, text)) >= SHORTEST_BEGINNING
    return f'"{text}" *' if is_beginning else f'"{text}"'
