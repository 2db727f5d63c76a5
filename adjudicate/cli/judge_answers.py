"""`--judge-model` of `adjudicate benchmark run`: the answers are judged in the same command, as `adjudicate judge` would."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudicate.cli.server_options import AskingLine, Function, named
from adjudicate.errors import UsageError

if TYPE_CHECKING:
    from adjudicate.cli.context import Workspace
    from adjudicate.workflow.asking import Account, Server
    from adjudicate.workflow.run_benchmark import SubjectOrder
    from adjudicate.workflow.run_judge import JudgeAccount

OPTIONS = (
    click.option("--judge-model", metavar="MODEL", help="Then ask this model for verdicts, as 'adjudicate judge' does."),
    click.option("--judge-base-url", metavar="URL", help="Its server; by default the same one, with the same key."),
    click.option("--judge-key-env", metavar="NAME", help="The variable with the key of that other server."),
    click.option("--judge-key-file", type=click.Path(path_type=Path), help="A file with it, readable by you alone."),
)
NAMES = ("judge_model", "judge_base_url", "judge_key_env", "judge_key_file")


def judge_options(function: Function) -> Function:
    """Give a command the options; it takes them as keyword arguments and hands them to `judging_server`."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def judging_server(options: dict[str, Any], subject: Server) -> Server | None:
    """The server that judges, or None where no judge is named; takes its options out of `options`.

    A key is never sent to another address than the one that it was given for.

    Raises:
        UsageError: One of them cannot be used.
    """
    from adjudicate.judge.endpoint import endpoint
    from adjudicate.judge.secret import find_key

    model, url, variable, file = (options.pop(name) for name in NAMES)
    if model is None:
        if url or variable or file:
            raise UsageError("--judge-base-url and the judge's key need --judge-model: which model judges?")
        return None
    judge = replace(subject, model=named("--judge-model", model))
    if variable or file:
        judge = replace(judge, key=find_key(os.environ, variable=variable, file=file))
    elif url is not None:
        judge = replace(judge, key=None)
    return judge if url is None else replace(judge, endpoint=endpoint(url))


def judge_answers(workspace: Workspace, server: Server, order: SubjectOrder, spent: Account, line: AskingLine) -> JudgeAccount:
    """Ask for a verdict on every answer of the run that lacks one, within what the run left of its budget."""
    from adjudicate.workflow.run_benchmark import items_of
    from adjudicate.workflow.run_judge import JudgeOrder, run_judge

    store = workspace.store()
    # Both bounds are those of the whole command.
    left = replace(
        server,
        most_requests=None if server.most_requests is None else max(server.most_requests - spent.requests, 0),
        most_tokens=None if server.most_tokens is None else max(server.most_tokens - spent.tokens, 0),
    )
    # The settings of 'adjudicate judge', so that it is the same judge.
    judge = JudgeOrder(parameters={"temperature": 0.0, "seed": 0, "max_tokens": 400})
    return run_judge(store, store.policy(), left, judge, workspace.now, only=items_of(store, order), tell=line.tell)
