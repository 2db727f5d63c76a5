"""`adjudicate policy`: written policies."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import counted, echo_json, echo_table, has_terminal, json_option, say, talk
from adjudicate.cli.policy_unclear import unclear
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, PolicyError, UsageError

if TYPE_CHECKING:
    from adjudicate.core.policy import Policy
    from adjudicate.core.policy_changes import Change, PolicyChanges
    from adjudicate.workflow.adopt_policy import Adoption


@click.group()
def policy() -> None:
    """Check, show, compare or adopt a written policy."""


policy.add_command(unclear)


@policy.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def check(files: tuple[Path, ...], *, as_json: bool) -> None:
    """Read policy FILES strictly and say all that is wrong, with line and key. Needs no workspace.

    \b
    Example:
      adjudicate policy check policies/refusal-boundary.md
    """
    from adjudicate.cli.policy_source import load_policy

    checked = [load_policy(str(file)) for file in files]
    if as_json:
        echo_json(
            [
                {"id": one.id, "version": one.version, "fingerprint": one.fingerprint, "outcomes": len(one.outcomes)}
                for one in checked
            ]
        )
        return
    for one in checked:
        say(
            f"{one.id} {one.version}: {len(one.outcomes)} outcomes, {len(one.clauses)} clauses, {len(one.rates)} rates,"
            f" fingerprint {one.fingerprint[:12]}"
        )


@policy.command()
@json_option
@pass_workspace
def show(workspace: Workspace, *, as_json: bool) -> None:
    """Print the outcomes and clauses of the policy in force.

    \b
    Example:
      adjudicate policy show
    """
    in_force = workspace.policy()
    if as_json:
        echo_json(
            {
                "id": in_force.id,
                "version": in_force.version,
                "title": in_force.title,
                "fingerprint": in_force.fingerprint,
                "outcomes": [
                    {"id": outcome.id, "key": outcome.key, "title": outcome.title, "meaning": outcome.meaning}
                    for outcome in in_force.outcomes
                ],
                "clauses": [{"id": clause.id, "title": clause.title} for clause in in_force.clauses],
            }
        )
        return
    say(f"{in_force.title} (version {in_force.version}, fingerprint {in_force.fingerprint[:12]})")
    echo_table(
        "Outcomes",
        ["key", "outcome", "means"],
        [[outcome.key, outcome.title, outcome.meaning] for outcome in in_force.outcomes],
    )
    echo_table("Clauses", ["clause", "title"], [[clause.id, clause.title] for clause in in_force.clauses])


@policy.command("list")
@json_option
@pass_workspace
def list_(workspace: Workspace, *, as_json: bool) -> None:
    """List the versions that were ever adopted here, the one in force first; --json tells every time that it was.

    \b
    Example:
      adjudicate policy list
    """
    versions = workspace.store().policy_versions()
    if as_json:
        echo_json([asdict(version) | {"in_force": place == 0} for place, version in enumerate(versions)])
        return
    echo_table(
        "Versions",
        ["policy", "version", "fingerprint", "adopted", "labels", "samples", ""],
        [
            [each.id, each.version, each.fingerprint[:12], each.adopted_at[:16], str(each.labels), str(each.draws), _mark(place)]
            for place, each in enumerate(versions)
        ],
        right=[4, 5],
    )


def _mark(place: int) -> str:
    return "in force" if place == 0 else ""


@policy.command()
@click.argument("versions", nargs=-1, type=str)
@click.option("--words", is_flag=True, help="Show the changed texts too: [-gone-] and {+new+}.")
@json_option
@pass_workspace
def diff(workspace: Workspace, /, *, versions: tuple[str, ...], words: bool, as_json: bool) -> None:
    """Say what differs between two VERSIONS, and which differences make labels come back.

    A version is a file, a shipped policy's name, or what 'policy list' has: a fingerprint (its beginning is enough) or a
    version. Two: from the first to the second. One that is stored: from it to the one in force. A file: from the one in force
    to the file, as adopting it would be. None: from the version before to the one in force.

    \b
    Example:
      adjudicate policy diff my-policy.md --words
    """
    from adjudicate.core.policy_changes import policy_changes
    from adjudicate.workflow.adopt_policy import change_as_json

    old, new = _two(workspace, versions)
    changes = policy_changes(old, new)
    if as_json:
        echo_json(
            {
                "from": {"id": old.id, "version": old.version, "fingerprint": old.fingerprint},
                "to": {"id": new.id, "version": new.version, "fingerprint": new.fingerprint},
                "changes": [change_as_json(change) for change in changes.changes],
            }
        )
        return
    say(f"From {_named(old)} to {_named(new)}")
    _tell_changes(changes, words=words)


@policy.command()
@click.argument("file", type=str)
@click.option("--yes", is_flag=True, help="Adopt without asking.")
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
@json_option
@pass_workspace
def adopt(workspace: Workspace, /, *, file: str, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Put a policy FILE (or a shipped or stored version) in force, after saying which labels have to be made again.

    Labels that cite a changed clause, or whose outcome has another meaning, come back to the people who made them. All others
    stay, marked with the version they were made under. Without a terminal, --yes is needed where any label comes back.

    \b
    Example:
      adjudicate policy adopt my-policy.md --dry-run
    """
    from adjudicate.workflow.adopt_policy import adopt as take_into_use
    from adjudicate.workflow.adopt_policy import look_ahead

    store = workspace.store()
    new = _policy(workspace, file)
    ahead = look_ahead(store, new)
    if not as_json:
        _tell_adoption(ahead)
    adopted = not dry_run and _agreed(ahead, yes=yes)
    if adopted:
        take_into_use(store, new, at=now())
    if as_json:
        echo_json({**ahead.as_json(), "adopted": adopted})
    elif adopted:
        talk(f"In force: {new.id} {new.version} ({new.fingerprint[:12]}).")
        if ahead.coming_back:
            talk("Next: adjudicate label")
    else:
        talk("Nothing was changed.")


def _agreed(ahead: Adoption, *, yes: bool) -> bool:
    """Whether to go on: said already, nothing to ask, or asked."""
    harmless = not ahead.coming_back and not ahead.rulings
    if yes or harmless:
        return True
    if not has_terminal():
        raise UsageError(
            f"{counted(len(ahead.coming_back), 'label')} and {counted(len(ahead.rulings), 'ruling')} would have to be made again;"
            " add --yes to adopt it, --dry-run to see what would happen"
        )
    return click.confirm(f"Adopt {visible_line(ahead.changes.new.id)} {visible_line(ahead.changes.new.version)}?", err=True)


def _tell_adoption(ahead: Adoption) -> None:
    say(f"From {_named(ahead.changes.old)} to {_named(ahead.changes.new)}")
    _tell_changes(ahead.changes, words=False)
    for title, header, counts in (
        ("Labels to make again, by annotator", "annotator", ahead.by_person),
        ("Labels to make again, by stratum", "stratum", ahead.by_stratum),
        ("Why", "reason", ahead.by_reason),
    ):
        if counts:
            echo_table(title, [header, "labels"], [[name, f"{count:,}"] for name, count in counts.items()], right=[1])
    for sentence in ahead.consequences():
        say(f"- {visible_line(sentence)}")


def _tell_changes(changes: PolicyChanges, *, words: bool) -> None:
    from adjudicate.core.word_changes import marked

    if not changes.changes:
        say(
            "Nothing differs but blanks and line breaks."
            if changes.old.fingerprint != changes.new.fingerprint
            else "The same text."
        )
        return
    echo_table(
        "Changes",
        ["", "what", "title", "labels come back", "means"],
        [
            [SIGNS[change.how], _part(change), change.title, "yes" if change.calls_back else "no", change.words]
            for change in changes.changes
        ],
    )
    if words:
        for change in changes.changes:
            if change.before or change.after:
                say(f"{SIGNS[change.how]} {_part(change)}\n\n{marked(change.before, change.after)}\n")


SIGNS = {"changed": "≠", "added": "+", "removed": "-"}


def _part(change: Change) -> str:
    return f"{change.part} {change.id}"


def _named(policy: Policy) -> str:
    return f"{policy.id} {policy.version} ({policy.fingerprint[:12]})"


def _two(workspace: Workspace, names: tuple[str, ...]) -> tuple[Policy, Policy]:
    """The older and the newer policy that are meant."""
    if len(names) > 2:
        raise UsageError("policy diff compares two versions; name two at most")
    if len(names) == 2:
        return _policy(workspace, names[0]), _policy(workspace, names[1])
    store = workspace.store()
    from adjudicate.workflow.find_policy import before_the_one_in_force, find_policy

    if names:
        stored = find_policy(store, names[0])
        return (stored, store.policy()) if stored is not None else (store.policy(), _policy(workspace, names[0]))
    before = before_the_one_in_force(store)
    if before is None:
        raise UsageError("only one version was ever adopted here; name a FILE to compare it with")
    return store.policy(before.fingerprint), store.policy()


def _policy(workspace: Workspace, name: str) -> Policy:
    """A file or a shipped policy; else a version of the workspace, where there is one."""
    from adjudicate.cli.policy_source import load_policy
    from adjudicate.workflow.find_policy import find_policy

    try:
        return load_policy(name)
    except PolicyError:
        raise
    except InputError:
        stored = find_policy(workspace.store(), name) if workspace.paths.settings.exists() else None
        if stored is None:
            raise
        return stored
