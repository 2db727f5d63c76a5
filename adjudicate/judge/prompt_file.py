"""The file of a judge prompt: read in one way by whoever asks the judge and by whoever publishes how it was asked."""

from __future__ import annotations

from pathlib import Path

from adjudicate.core.text import shortened
from adjudicate.errors import InputError

LARGEST_PROMPT = 100_000
"""Bytes."""


def read_instructions(file: Path) -> str:
    """Instructions of somebody's own, from their file.

    Raises:
        InputError: It cannot be read, is too large, empty, or no UTF-8.
    """
    shown = shortened(str(file), 80)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"the judge prompt {shown} cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_PROMPT:
        raise InputError(f"the judge prompt {shown} is larger than {LARGEST_PROMPT:,} bytes")
    try:
        text = data.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError(f"the judge prompt {shown} is no UTF-8: byte {error.start + 1:,}") from None
    if not text:
        raise InputError(f"the judge prompt {shown} is empty")
    return text
