"""Whether a short text repeats another: what a judge says of a response may be published, what the response says may not.

A filter, not a proof: it sees words that are repeated, in any case and however they are set apart, and no paraphrase.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from adjudicate.core.text import hidden_stretches

LONGEST_RUN = 3
"""Words in a row that a text may share with another by chance, such as "help with that"."""
LONG_WORD = 14
"""Letters from which a single shared word is a repetition: few ordinary words have so many."""

# Scripts that put no space between words: a sign counts as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_QUOTED = re.compile("[\"“”„«»‘’'`]([^\"“”„«»‘’'`]+)(?=[\"“”„«»‘’'`])")
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def repeats(text: str, others: Iterable[str]) -> bool:
    """Whether a text repeats one of the others: words in a row beyond `LONGEST_RUN`, or a single word that tells much.

    That is a word with a digit, which can be all that matters of a response (a code, an amount, an address), or one of
    `LONG_WORD` letters and more. Between quotation marks two words are enough.

    >>> repeats("It says that it cannot help.", ["I'm sorry, I can't help with that."])
    False
    >>> repeats("It says: press the RED button twice!", ["First, press the red button twice."])
    True
    >>> repeats("Names the code 7f3a.", ["The code is 7F3A."])
    True
    """
    words = _words(text)
    quoted = [found for passage in _QUOTED.findall(text) if len(found := _words(passage)) > 1]
    return any(_repeats(words, other) or _quotes(quoted, other) for other in map(_words, others))


def _quotes(passages: list[list[str]], others: list[str]) -> bool:
    return any(tuple(passage) in _runs(others, len(passage)) for passage in passages)


def _repeats(words: list[str], others: list[str]) -> bool:
    if any(_tells(word) for word in set(words) & set(others)):
        return True
    size = LONGEST_RUN + 1
    return not _runs(words, size).isdisjoint(_runs(others, size))


def _tells(word: str) -> bool:
    return len(word) >= LONG_WORD or (len(word) > 1 and any(map(str.isdigit, word)))


def _runs(words: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _words(text: str) -> list[str]:
    """Words without their case, their accents, and what is hidden between their letters."""
    kept, at = [], 0
    for start, end in hidden_stretches(text):
        kept.append(text[at:start])
        at = end
    whole = unicodedata.normalize("NFKD", "".join(kept) + text[at:])
    return _WORD.findall("".join(sign for sign in whole if not unicodedata.combining(sign)).casefold())
