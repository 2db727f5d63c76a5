"""`adjudicate policy`: written policies."""

from __future__ import annotations

from pathlib import Path

import click

from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, say, talk


@click.group()
def policy() -> None:
    """Check, show or adopt a written policy."""


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


@policy.command()
@click.argument("file", type=str)
@pass_workspace
def adopt(workspace: Workspace, file: str) -> None:
    """Put a policy FILE (or a shipped policy's name) in force. Labels made under the old one stay, marked with it.

    \b
    Example:
      adjudicate policy adopt policies/refusal-boundary.md
    """
    from adjudicate.cli.policy_source import load_policy

    loaded = load_policy(file)
    workspace.store().put_policy(loaded, now())
    talk(f"In force: {loaded.id} {loaded.version} ({loaded.fingerprint[:12]}).")
