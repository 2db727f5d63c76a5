"""`adjudicate benchmark`: prompt sets, asked of a model and judged. The work is done in `workflow.run_benchmark`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudicate.cli.benchmark_scores import scores
from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.interrupt import one_interrupt
from adjudicate.cli.judge import judged_as_json, say_judged
from adjudicate.cli.judge_answers import judge_answers, judge_options, judging_server
from adjudicate.cli.output import counted, echo_json, echo_table, json_option, say, talk
from adjudicate.cli.server_options import AskingLine, named, server_of, server_options
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError, UsageError

if TYPE_CHECKING:
    from adjudicate.benchmarks.prompt_rows import PromptRow
    from adjudicate.workflow.asking import Account, Server
    from adjudicate.workflow.grade_tasks import Graded
    from adjudicate.workflow.run_benchmark import SubjectOrder


@click.group()
def benchmark() -> None:
    """Prompt sets on the refusal boundary: list them, read their cards, ask a model, read its scores."""


benchmark.add_command(scores)


@benchmark.command("list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the prompt sets that come along.

    \b
    Example:
      adjudicate benchmark list
    """
    from adjudicate.benchmarks.prompt_sets import PROMPT_SETS

    sets = PROMPT_SETS.values()
    if as_json:
        echo_json(
            [{"name": s.name, "version": s.version, "rows": len(s.rows()), "sha256": s.sha256, "judged": s.judged} for s in sets]
        )
        return
    rows = [[s.name, s.version, str(len(s.rows())), s.judged, s.sha256[:12]] for s in sets]
    notes = ["'adjudicate benchmark show NAME' says what a set measures, and what it does not."]
    echo_table("Prompt sets", ["set", "version", "prompts", "graded by", "sha256"], rows, right=[2], notes=notes)


@benchmark.command()
@click.argument("name")
@click.option("--prompts", is_flag=True, help="Its rows as JSON lines, for a tool of your own, instead of its card.")
def show(name: str, *, prompts: bool) -> None:
    """Print the data card of a set: what it measures and what it does not.

    \b
    Example:
      adjudicate benchmark show refusal-boundary
    """
    from adjudicate.benchmarks.prompt_sets import prompt_set

    chosen = prompt_set(name)
    say((chosen.data().decode() if prompts else chosen.card()).rstrip("\n"))


@benchmark.command()
@click.argument("name")
@server_options
@click.option("--name", "called", help="What the model is called here; as the server is asked for it by default.")
@click.option("--epochs", type=click.IntRange(1, 100), default=1, show_default=True, help="Ask each prompt so often.")
@click.option("--system", help="System prompt; a neutral one by default.")
@click.option("--temperature", type=click.FloatRange(0, 2), default=0.0, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the first epoch; one more for each further one.")
@click.option("--max-tokens", type=click.IntRange(1), default=800, show_default=True, help="Tokens of one answer.")
@judge_options
@json_option
@pass_workspace
def run(
    workspace: Workspace,
    /,
    *,
    name: str,
    called: str | None,
    epochs: int,
    system: str | None,
    temperature: float,
    seed: int,
    max_tokens: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask a model every prompt of the set NAME, or of a FILE of the same shape, and take in its answers.

    Answers become items to be judged and labelled; tasks that are graded by a rule are graded at once. Stop it by Ctrl-C and
    run it again: no prompt is asked twice. Then 'adjudicate judge' gives verdicts, or --judge-model does at once.

    \b
    Example:
      adjudicate benchmark run refusal-boundary --base-url http://127.0.0.1:8080/v1 --model my-model
      adjudicate benchmark run over-refusal --base-url http://127.0.0.1:8080/v1 --model my-model --judge-model my-judge
    """
    from adjudicate.workflow.run_benchmark import SYSTEM, SubjectOrder

    server = server_of(options)
    judge = judging_server(options, server)
    set_name, sha256, rows = _set(name)
    order = SubjectOrder(
        set_name=set_name,
        set_sha256=sha256,
        rows=rows,
        name=server.model if called is None else named("--name", called),
        model=server.model,
        system=SYSTEM if system is None else system,
        parameters={"temperature": temperature, "seed": seed, "max_tokens": max_tokens},
        epochs=epochs,
    )
    if judge is not None and len(order.tasks) == len(rows):
        raise UsageError(f"--judge-model: the tasks of {set_name} are graded by rule, without a judge")
    _ask(workspace, server, judge, order, as_json=as_json)


def _ask(workspace: Workspace, server: Server, judge: Server | None, order: SubjectOrder, *, as_json: bool) -> None:
    """Ask the model and then the judge, if there is one, and say what came of it."""
    from adjudicate.workflow.grade_tasks import grade_answers
    from adjudicate.workflow.run_benchmark import ask_subject, name_here, take_in

    store = workspace.store()
    line = AskingLine()
    with _parking(line):
        account = ask_subject(store, server, order, workspace.now, line.tell)
    graded = grade_answers(store, order)
    items = take_in(store, order, workspace.now()).items
    known_as = name_here(store, order)
    if not as_json:
        _say(account, order, known_as, items, graded, judged=judge is not None)
    told = None
    if judge is not None and not account.stopped:
        line = AskingLine()
        with _parking(line):
            told = judge_answers(workspace, judge, order, account, line)
    if as_json:
        verdicts = {} if judge is None else {"judge": None if told is None else judged_as_json(told)}
        echo_json(_as_json(account, order, known_as, items, graded) | verdicts)
    elif told is not None:
        say_judged(told)
    if account.stopped or (told is not None and told.stopped):
        raise click.exceptions.Exit(1)


@contextmanager
def _parking(line: AskingLine) -> Iterator[None]:
    """Ctrl-C parks what is asked within; the line is gone afterwards."""
    try:
        with one_interrupt():
            yield
    except KeyboardInterrupt:
        line.clear()
        talk("Parked: every answer so far is stored. Run the same command again to go on.")
        raise
    line.clear()


def _set(name: str) -> tuple[str, str, tuple[PromptRow, ...]]:
    """Name, hash and rows of a bundled set, or of a file."""
    from hashlib import sha256

    from adjudicate.benchmarks.prompt_rows import read_prompt_rows
    from adjudicate.benchmarks.prompt_sets import PROMPT_SETS, prompt_set

    if name in PROMPT_SETS or not Path(name).exists():
        chosen = prompt_set(name)
        return f"{chosen.name} {chosen.version}", chosen.sha256, read_prompt_rows(chosen.data(), chosen.name)
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{shortened(name, 80)} cannot be read: {error.strerror}") from None
    return visible_line(Path(name).stem), sha256(data).hexdigest(), read_prompt_rows(data, name)


def _as_json(account: Account, order: SubjectOrder, called: str, items: int, graded: Graded | None) -> dict[str, object]:
    return {
        "set": order.set_name,
        "sha256": order.set_sha256,
        "model": called,
        "served_by": account.served,
        "run": order.run,
        "asked": account.total,
        "answered": account.answered,
        "parked": dict(account.parked),
        "requests": account.requests,
        "tokens": account.tokens,
        "seconds": round(account.seconds, 3),
        "new_items": items,
        "graded": None if graded is None else graded.as_json(),
        "stopped": account.stopped or None,
    }


def _say(account: Account, order: SubjectOrder, called: str, items: int, graded: Graded | None, *, judged: bool) -> None:
    served = f", answered by {account.served}" if account.served not in ("", order.model) else ""
    say(f"{order.set_name}, asked of {called}{served}")
    if called != order.name:
        say(f"{order.name} was asked with other settings before: these are the answers of '{called}'")
    say(f"{counted(account.answered, 'answer')} of {account.total:,}; {counted(account.requests, 'request')},"
        f" {counted(account.tokens, 'token')}, {account.seconds:.1f} s")  # fmt: skip
    for reason, number in account.parked.most_common():
        say(f"parked, asked again next time: {number:,} x {reason}")
    for text in graded.lines() if graded is not None else ():
        say(text)
    if len(order.tasks) < len(order.rows):
        say(f"{counted(items, 'new item')}")
        if account.answered and not judged:
            talk("Next: adjudicate judge --base-url URL --model JUDGE")
    if account.stopped:
        talk(f"Ended early: {account.stopped}.")
