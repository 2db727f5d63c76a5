"""Where a policy named on the command line comes from: a shipped name or a file."""

from __future__ import annotations

from pathlib import Path

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.settings import shipped_policies


def load_policy(source: str) -> Policy:
    """The policy of a shipped name or of a file.

    Raises:
        InputError: There is neither, or the file cannot be read.
        PolicyError: The file breaks the rules of a policy.
    """
    from adjudicate.workflow.policy_book import policy_from_file

    return policy_from_file(policy_path(source))


def policy_path(source: str) -> Path:
    """The file that a name or path stands for."""
    shipped = shipped_policies()
    if source in shipped:
        return shipped[source]
    path = Path(source)
    if not path.is_file():
        raise InputError(f"{visible_line(source)}: no such file, and no shipped policy; shipped are {', '.join(shipped)}")
    return path
