"""The stored version of a policy that somebody names by its fingerprint, the beginning of it, or its version."""

from __future__ import annotations

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.policy_versions import PolicyVersion
from adjudicate.storage.store import Store

FEWEST_DIGITS = 4
"""Of a fingerprint, to be read as the beginning of one."""


def find_policy(store: Store, name: str) -> Policy | None:
    """The version that a name stands for; None where it stands for none.

    Raises:
        UsageError: It stands for several.
    """
    versions = store.policy_versions()
    found = [each for each in versions if name in (each.version, f"{each.id} {each.version}")]
    if not found and len(name) >= FEWEST_DIGITS:
        found = [each for each in versions if each.fingerprint.startswith(name.lower())]
    if len(found) > 1:
        listed = ", ".join(f"{each.id} {each.version} ({each.fingerprint[:12]})" for each in found)
        raise UsageError(f"{shortened(name, 60)}: several versions are called so: {visible_line(listed)}; name a fingerprint")
    return store.policy(found[0].fingerprint) if found else None


def before_the_one_in_force(store: Store) -> PolicyVersion | None:
    """The version that was in use before; None where there is only one."""
    return next(iter(store.policy_versions()[1:]), None)
