"""Options of every command that asks a server, and the line that says how far it is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError

if TYPE_CHECKING:
    from adjudicate.workflow.asking import Account, Server

TELL_EVERY = 0.5
Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS = (
    click.option("--base-url", required=True, metavar="URL", help="An OpenAI-compatible server, e.g. http://127.0.0.1:8080/v1."),
    click.option("--model", required=True, help="The model to ask for, as the server names it."),
    click.option("--width", type=click.IntRange(1, 256), default=8, show_default=True, help="Requests at a time."),
    click.option("--deadline", type=click.FloatRange(0.1), default=120.0, show_default=True, help="Seconds for one reply."),
    click.option("--most-requests", type=click.IntRange(1), help="End after so many requests, failed tries among them."),
    click.option("--most-tokens", type=click.IntRange(1), help="End when the server has counted so many tokens."),
    click.option("--key-env", metavar="NAME", help="The variable that holds the key; ADJUDICATE_API_KEY by default."),
    click.option("--key-file", type=click.Path(path_type=Path), help="A file with the key, readable by you alone."),
)
NAMES = ("base_url", "model", "width", "deadline", "most_requests", "most_tokens", "key_env", "key_file")


def server_options(function: Function) -> Function:
    """Give a command the options; it takes them as keyword arguments and hands them to `server_of`."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def server_of(options: dict[str, Any]) -> Server:
    """The server that the options of a command name; takes them out of `options`.

    Raises:
        UsageError: One of them cannot be used.
    """
    from adjudicate.judge.endpoint import endpoint
    from adjudicate.judge.secret import find_key
    from adjudicate.workflow.asking import Server

    given = {name: options.pop(name) for name in NAMES}
    key = find_key(os.environ, variable=given.pop("key_env"), file=given.pop("key_file"))
    return Server(endpoint(given.pop("base_url")), key, named("--model", given.pop("model")), **given)


def named(option: str, value: str) -> str:
    """The value of an option that is a name.

    Raises:
        UsageError: It is empty, long, or holds what cannot be shown.
    """
    if not value.strip() or len(value) > 200 or visible_line(value) != value:
        raise UsageError(f"{option} is no name: {shortened(value, 60)}")
    return value


class AskingLine:
    """One line on a terminal's stderr: how far, how fast, how much longer."""

    def __init__(self) -> None:
        self._started = self._told = time.monotonic()
        self._shown = False

    def tell(self, at: Account) -> None:
        """Say it, but not too often."""
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self._told < TELL_EVERY:
            return
        self._told, self._shown = now, True
        rate = at.done / (now - self._started)
        left = (at.total - at.done) / rate if rate else 0.0
        line = f"{at.done:,} of {at.total:,}, {rate:.1f}/s, about {left:,.0f} s left, {at.parked.total():,} without a reply"
        click.echo(f"\r{line}\x1b[K", nl=False, err=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._shown = False
