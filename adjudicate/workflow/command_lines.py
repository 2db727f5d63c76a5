"""What somebody does on a screen as the commands that do the same, and flags of `import` that somebody types there."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.workflow.draw_settings import DEFAULT_BY, DrawSettings

PAIRS = ("map", "set", "outcome")
SINGLE = ("format", "encoding")
Stated = Mapping[str, Any]


def init_command(policy: str) -> str:
    """How a workspace is made where one is."""
    return _command(["init", ".", "--policy", policy])


def import_command(paths: Iterable[Path], stated: Stated) -> str:
    """How logs are imported with what was said of them; safe to print."""
    return _command(["import", *map(str, paths), *_flags(stated)])


def draw_command(settings: DrawSettings) -> str:
    """How the sample is drawn; safe to print."""
    by = ["--by", ",".join(settings.by)] if settings.by and settings.by != DEFAULT_BY else []
    people = ["--annotators", ",".join(settings.annotators)] if settings.annotators else []
    overlap = ["--overlap", str(settings.overlap)] if settings.overlap is not None else []
    return _command(["draw", "--n", str(settings.n), *by, *people, *overlap])


def written_flags(stated: Stated) -> str:
    """What was said as flags to be changed by hand, exactly as `stated_from` reads it."""
    return shlex.join(_flags(stated))


def stated_from(text: str) -> dict[str, Any]:
    """What flags of `import` say: ``--map F=C --set F=V --outcome RAW=O --format N --encoding E``.

    Raises:
        UsageError: Something in them is no such flag.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"a quotation mark is missing ({error})") from None
    stated: dict[str, Any] = {name: {} for name in PAIRS}
    left = list(words)
    while left:
        option = left.pop(0)
        name, joined, value = option.removeprefix("--").partition("=")
        if not option.startswith("--") or name not in (*PAIRS, *SINGLE):
            known = ", ".join(f"--{each}" for each in (*PAIRS, *SINGLE))
            raise UsageError(f"{visible_line(option)}: expected one of {known}")
        if not joined:
            if not left:
                raise UsageError(f"--{name}: what it says is missing")
            value = left.pop(0)
        if name in SINGLE:
            stated[name] = value
            continue
        key, equals, said = value.partition("=")
        if not equals or not key:
            raise UsageError(f"--{name} {visible_line(value)}: expected NAME=VALUE")
        stated[name][key] = said
    return {name: value for name, value in stated.items() if value}


def _flags(stated: Stated) -> list[str]:
    single = [word for name in SINGLE if stated.get(name) for word in (f"--{name}", str(stated[name]))]
    pairs = [word for name in PAIRS for key, value in stated.get(name, {}).items() for word in (f"--{name}", f"{key}={value}")]
    return [*single, *pairs]


def _command(words: Sequence[str]) -> str:
    return visible_line(shlex.join(["adjudicate", *words]))
