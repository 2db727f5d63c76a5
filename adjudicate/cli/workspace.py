"""Commands about the workspace itself: make it, look at it, keep it safe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import counted, echo_json, echo_table, json_option, say, talk
from adjudicate.cli.policy_source import load_policy
from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.settings import WorkspacePaths, make_workspace, whole_or_nothing, write_private
from adjudicate.workflow.overview import Overview


@click.command()
@click.argument("folder", type=click.Path(file_okay=False))
@click.option("--policy", "policy", default="refusal-boundary", show_default=True, help="A shipped policy, or a policy file.")
@click.option("--name", default=None, help="What to call the workspace; the folder's name by default.")
def init(folder: str, policy: str, name: str | None) -> None:
    """Make a workspace in FOLDER with a written policy in force.

    \b
    Example:
      adjudicate init audit --policy xstest
      cd audit
      adjudicate import results.jsonl
    """
    if not folder.strip():
        raise UsageError("FOLDER is empty; say where, or '.' for the folder you are in")
    made = create(Path(folder), policy=policy, name=name or Path(folder).resolve().name)
    talk(f"Made {visible_line(folder)} with the policy {made.id} {made.version} ({made.fingerprint[:12]}).")
    talk(f"Next: adjudicate -w {visible_line(folder)} import FILE...")


@click.command()
@json_option
@pass_workspace
def status(workspace: Workspace, *, as_json: bool) -> None:
    """Say how far the work is, per stratum and person, and what to do next.

    \b
    Example:
      adjudicate status
    """
    from adjudicate.workflow.overview import look_at

    store = workspace.store()
    overview, models, populations = look_at(store), store.models(), store.populations()
    if as_json:
        echo_json(_as_json(overview) | {"models": models, "populations": populations})
        return
    policy = overview.policy
    say(f"{workspace.settings.name}: policy {policy.id} {policy.version}, {counted(overview.items, 'item')}")
    _tables(overview, models, populations)
    _waiting(overview)
    say(f"Next: {overview.next_step.words}  ({overview.next_step.command})")


def _tables(overview: Overview, models: dict[str, int], populations: dict[str, int]) -> None:
    """What there is, table by table; nothing of what there is not."""
    _table(
        "Runs",
        ["run", "data set", "format", "items", "source"],
        [[run.id[:10], run.dataset, run.format, str(run.items), run.source_name] for run in overview.runs],
        right=[3],
    )
    for title, sizes in (("Models", models), ("Populations", populations)):
        rows = [[name or "none", str(size)] for name, size in sizes.items()]
        _table(title, [title[:-1].lower(), "items"], rows, right=[1])
    _table(
        "Judges",
        ["judge", "verdicts", "failed"],
        [[judge.name, str(judge.verdicts), str(judge.failed)] for judge in overview.judges],
        right=[1, 2],
    )
    _table(
        "Sample",
        ["stratum", "items", "drawn", "labelled", "inclusion probability"],
        [
            [stratum.name, str(stratum.size), str(stratum.drawn), str(done), f"{stratum.inclusion_probability:.4f}"]
            for stratum, done in overview.strata
        ],
        right=[1, 2, 3, 4],
    )
    _table(
        "People",
        ["annotator", "done", "on the list"],
        [[person.annotator.name, str(person.done), str(person.total)] for person in overview.people],
        right=[1, 2],
    )


def _waiting(overview: Overview) -> None:
    """Disagreements always; what most workspaces have none of where there is any."""
    if overview.steering:
        undrawn = f", {overview.steering_undrawn:,} when more is drawn" if overview.steering_undrawn else ""
        say(f"Responses that speak to the judge: {overview.steering:,}; all of them go to people{undrawn}")
    say(f"Disagreements waiting: {overview.open_items}")
    if overview.contested:
        say(f"Waiting with nothing but the intent contested: {overview.contested}")
    triage = overview.triage
    if triage.queued or triage.labels:
        say(f"In triage: {counted(triage.queued, 'item')}, {counted(triage.labels, 'label')} in no rate")


def _table(title: str, headers: list[str], rows: list[list[str]], *, right: list[int]) -> None:
    if rows:
        echo_table(title, headers, rows, right=right)


@click.command()
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@pass_workspace
def backup(workspace: Workspace, target: Path) -> None:
    """Copy the database to TARGET, complete and consistent, also while people label. Never overwrites.

    \b
    Example:
      adjudicate backup ~/backups/audit.db
    """
    workspace.store().backup(target)
    talk(f"Backed up to {visible_line(str(target))}.")


@click.command()
@click.option(
    "--receipt", type=click.Path(path_type=Path, dir_okay=False), default=None, help="Is all that this receipt names still here?"
)
@json_option
@pass_workspace
def check(workspace: Workspace, *, receipt: Path | None, as_json: bool) -> int:
    """Verify the database, texts against their hashes, draws against their seeds, and every person's chain of events.

    Exit code 1 where something is broken. That the end of a chain was cut off shows only against a receipt kept elsewhere.

    \b
    Example:
      adjudicate check --receipt receipt.json
    """
    from adjudicate.workflow.compare_receipt import compare_receipt, read_receipt
    from adjudicate.workflow.verify_workspace import verify

    said = read_receipt(receipt) if receipt is not None else None
    problems = verify(workspace.store())
    if said is not None:
        problems += compare_receipt(workspace.store(), said)
    if as_json:
        echo_json({"problems": problems})
    else:
        say("\n".join(problems) if problems else "All is well: database intact, every chain of events complete.")
        if said is not None and not problems:
            click.echo(f"Everything that the receipt of {visible_line(str(said.get('made_at', '?')))} names is here, unchanged.")
    return 1 if problems else 0


def create(folder: Path, *, policy: str, name: str) -> Policy:
    """Make a workspace: folders, settings, a copy of the policy, and that policy in force. All of it, or nothing.

    Raises:
        InputError: There is a workspace already, or it cannot be made.
        PolicyError: The policy breaks the rules of a policy.
    """
    from adjudicate.storage.sqlite_store import SqliteStore

    loaded = load_policy(policy)
    if WorkspacePaths(folder).settings.exists():
        raise InputError(f"{visible_line(str(folder))} is a workspace already")
    with whole_or_nothing(folder):
        paths = make_workspace(folder, name)
        write_private(paths.policies / f"{loaded.id}.md", loaded.text)
        store = SqliteStore.open(paths.database, create=True)
        try:
            store.put_policy(loaded, now())
        finally:
            store.close()
    return loaded


def _as_json(overview: Overview) -> dict[str, Any]:
    policy = overview.policy
    return {
        "policy": {"id": policy.id, "version": policy.version, "fingerprint": policy.fingerprint},
        "items": overview.items,
        "drawn": overview.drawn,
        "labelled": overview.labelled,
        "open_disagreements": overview.open_items,
        "only_intent_contested": overview.contested,
        "triage": {"queued": overview.triage.queued, "labels": overview.triage.labels},
        "steering": overview.steering,
        "steering_undrawn": overview.steering_undrawn,
        "runs": [{"run": run.id, "dataset": run.dataset, "format": run.format, "items": run.items} for run in overview.runs],
        "judges": [{"judge": judge.name, "verdicts": judge.verdicts, "judge_failed": judge.failed} for judge in overview.judges],
        "strata": [
            {
                "stratum": stratum.name,
                "size": stratum.size,
                "drawn": stratum.drawn,
                "labelled": done,
                "inclusion_probability": stratum.inclusion_probability,
            }
            for stratum, done in overview.strata
        ],
        "annotators": [
            {"annotator": person.annotator.id, "done": person.done, "total": person.total} for person in overview.people
        ],
        "next": {"words": overview.next_step.words, "command": overview.next_step.command},
    }
