"""Which way a line reads. Letters stay in the order they are stored in: terminals that know better reorder them themselves."""

from __future__ import annotations

import re
import unicodedata

# Hebrew, Arabic, Syriac, Thaana, N'Ko and their neighbours, the presentation forms, and the old scripts beyond the first plane.
_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_STAND_IN = re.compile("<U\\+[0-9A-F]{4,6}>")
_LOOK_AT = 400
"""Characters in which the first letter is looked for; a line that starts with more signs than this reads from the left."""


def holds_right_to_left(text: str) -> bool:
    """Whether any letter of a text belongs to a script that is written from the right."""
    return not text.isascii() and _RIGHT.search(text) is not None


def reads_right_to_left(text: str) -> bool:
    r"""Whether the first letter of a text belongs to a script that is written from the right.

    >>> reads_right_to_left("1. \u05e9\u05dc\u05d5\u05dd"), reads_right_to_left("to say \u05e9\u05dc\u05d5\u05dd")
    (True, False)
    """
    if not holds_right_to_left(text):
        return False
    for character in _STAND_IN.sub("", text[:_LOOK_AT]):
        way = unicodedata.bidirectional(character)
        if way in ("R", "AL"):
            return True
        if way == "L":
            return False
    return False
