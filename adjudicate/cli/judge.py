"""`adjudicate judge`: asks a model for verdicts. What is asked and how replies are read is decided in `workflow.run_judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.interrupt import one_interrupt
from adjudicate.cli.output import counted, echo_json, json_option, say, talk
from adjudicate.cli.server_options import AskingLine, named, server_of, server_options
from adjudicate.cli.tune_report import say_regression

if TYPE_CHECKING:
    from adjudicate.workflow.run_judge import JudgeAccount


@click.command()
@server_options
@click.option("--name", help="What this judge is called here; the model by default.")
@click.option("--prompt", "prompt_file", type=click.Path(path_type=Path), help="A file with instructions in place of ours.")
@click.option("--repeat", "repeats", type=click.IntRange(0, 20), default=0, help="Ask so often again, to see how steady it is.")
@click.option("--temperature", type=click.FloatRange(0, 2), default=0.0, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--max-tokens", type=click.IntRange(1), default=400, show_default=True, help="Tokens of one reply.")
@click.option("--schema/--no-schema", default=True, help="Hold replies to a JSON schema where the server can.  [default: schema]")
@click.option("--against", type=click.Choice(["gold"]), help="Only items that people settled; compare with the judge before.")
@json_option
@pass_workspace
def judge(
    workspace: Workspace,
    /,
    *,
    name: str | None,
    prompt_file: Path | None,
    repeats: int,
    temperature: float,
    seed: int,
    max_tokens: int,
    schema: bool,
    against: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask a model for its verdict on every item that lacks one from this judge.

    A judge is its model, its prompt, the policy and its settings: change one, and it is another judge. Stop it by Ctrl-C and
    run it again: what was answered is kept, nothing is asked twice. A reply that is no verdict is a failed verdict, kept
    with its words.

    \b
    Example:
      adjudicate judge --base-url http://127.0.0.1:8080/v1 --model my-judge
    """
    from adjudicate.judge.prompt import INSTRUCTIONS
    from adjudicate.judge.prompt_file import read_instructions
    from adjudicate.workflow.judge_regression import compare_on_gold, gold_outcomes
    from adjudicate.workflow.run_judge import JudgeOrder, run_judge

    server = server_of(options)
    order = JudgeOrder(
        name=None if name is None else named("--name", name),
        instructions=INSTRUCTIONS if prompt_file is None else read_instructions(prompt_file),
        parameters={"temperature": temperature, "seed": seed, "max_tokens": max_tokens},
        schema=schema,
        repeats=repeats,
    )
    store = workspace.store()
    only = sorted(gold_outcomes(store, store.policy())) if against else None
    line = AskingLine()
    try:
        with one_interrupt():
            told = run_judge(store, store.policy(), server, order, workspace.now, only=only, tell=line.tell)
    except KeyboardInterrupt:
        line.clear()
        talk("Parked: every verdict so far is stored. Run the same command again to go on.")
        raise
    line.clear()
    judged_by = told.judge.name if told.judge else ""
    compared = compare_on_gold(store, store.policy(), judged_by) if against and store.judge_names()[0] != judged_by else None
    if as_json:
        echo_json(judged_as_json(told) | {"against_gold": None if compared is None else compared.as_json()})
    else:
        say_judged(told)
        if compared is not None:
            say_regression(compared)
    if told.stopped:
        raise click.exceptions.Exit(1)


def judged_as_json(told: JudgeAccount) -> dict[str, object]:
    """What a judge said and how far it got, for ``--json``."""
    judge = told.judge
    return {
        "judge": None if judge is None else judge.name,
        "id": None if judge is None else judge.id,
        "served_by": None if judge is None else judge.served,
        "asked": told.total,
        "verdicts": dict(told.judged),
        "failed": dict(told.failed),
        "parked": dict(told.parked),
        "remarks": dict(told.remarks),
        "steering": told.steering,
        "requests": told.requests,
        "tokens": told.tokens,
        "seconds": round(told.seconds, 3),
        "stopped": told.stopped or None,
    }


def say_judged(told: JudgeAccount) -> None:
    """The same for people."""
    judge = told.judge
    if judge is not None:
        served = f", answered by {judge.served}" if judge.served and judge.served != judge.model else ""
        say(f"Judge {judge.name}{served} ({judge.id[:12]})")
    if told.total == 0:
        say("Every item has its verdict already; nothing was asked.")
        return
    outcomes = ", ".join(f"{outcome} {number:,}" for outcome, number in told.judged.most_common())
    say(f"{counted(told.judged.total(), 'verdict')}{': ' + outcomes if outcomes else ''}")
    for title, counts in (("failed", told.failed), ("parked, asked again next time", told.parked), ("odd", told.remarks)):
        for reason, number in counts.most_common():
            say(f"{title}: {number:,} x {reason}")
    if told.steering:
        say(f"responses that speak to the judge: {told.steering:,}; they go to people whatever their verdict")
    say(f"{counted(told.requests, 'request')}, {counted(told.tokens, 'token')}, {told.seconds:.1f} s")
    if told.stopped:
        talk(f"Ended early: {told.stopped}.")
