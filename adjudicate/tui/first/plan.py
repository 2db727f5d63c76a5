"""What was chosen so far on the way to the first label."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.formats.import_options import JUDGE_FAILED
from adjudicate.tui.first.workspace import Target
from adjudicate.workflow.command_lines import draw_command, import_command, init_command
from adjudicate.workflow.draw_sample import FreeCell
from adjudicate.workflow.draw_settings import DEFAULT_BY, DrawSettings
from adjudicate.workflow.first_look import Look


@dataclass
class Plan:
    """Filled step by step; nothing in it is stored."""

    folder: Path
    """Where it began."""
    me: str
    """Who sits here."""
    target: Target
    now: Callable[[], str]
    """The wall clock."""
    paths: list[Path] = field(default_factory=list)
    """The logs."""
    stated: dict[str, Any] = field(default_factory=dict)
    """What was said of them: ``map``, ``set``, ``outcome``, ``format``, ``encoding``."""
    look: Look | None = None
    policy_name: str = ""
    """As `init --policy` takes it."""
    policy: Policy | None = None
    cells: Mapping[FreeCell, int] = field(default_factory=dict)
    """What the sample is drawn from."""
    n: int = 0
    by: tuple[str, ...] = DEFAULT_BY
    people: tuple[str, ...] = ()
    overlap: int = 1

    @property
    def items(self) -> int:
        """What can be drawn at most."""
        return sum(self.cells.values())

    @property
    def settings(self) -> DrawSettings:
        """The sample as it would be drawn."""
        return DrawSettings(n=max(self.n, 1), by=self.by, annotators=self.people, overlap=self.overlap)

    def say(self, option: str, key: str, value: str) -> None:
        """Answer a question about the logs."""
        self.stated[option] = {**self.stated.get(option, {}), key: value}

    def unsay(self, option: str, key: str) -> None:
        """Take an answer back."""
        self.stated[option] = {name: value for name, value in self.stated.get(option, {}).items() if name != key}

    def under(self, policy: Policy, name: str) -> None:
        """Another policy: answers that name no outcome of it mean nothing any more."""
        self.policy, self.policy_name = policy, name
        known = {outcome.id for outcome in policy.outcomes} | {JUDGE_FAILED}
        self.stated["outcome"] = {raw: each for raw, each in self.stated.get("outcome", {}).items() if each in known}

    def commands(self, upto: int) -> list[str]:
        """The command lines that do the same, up to a step (1 to 4)."""
        paths = [path.relative_to(self.folder) if path.is_relative_to(self.folder) else path for path in self.paths]
        lines = [init_command(self.policy_name)] if self.target.policy is None and self.policy_name else []
        lines += [import_command(paths, self.stated)] if paths else []
        if upto >= 4 and self.n:
            lines += [draw_command(self.settings), "adjudicate label"]
        return lines
