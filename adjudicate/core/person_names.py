"""Names of people as they come in: one check for every place where somebody says who they are."""

from __future__ import annotations

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError

LONGEST = 100


def annotator_name(name: str) -> str:
    """The name without blanks around it.

    Raises:
        InputError: It is blank, too long, or holds characters that act on a terminal or cannot be seen.
    """
    plain = name.strip(" ")
    if not plain.strip():
        raise InputError("the name of an annotator is blank; say who it is")
    if len(plain) > LONGEST:
        raise InputError(f"the name of an annotator has {len(plain)} characters ({shortened(plain, 40)}); at most {LONGEST}")
    if visible_line(plain) != plain:
        raise InputError(
            f"the name of an annotator holds control or invisible characters ({visible_line(plain)}); leave them out"
        )
    return plain
