"""`adjudicate benchmark scores`: what was made of the sets. The numbers come from `workflow.score_sheets`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, cast

import click

from adjudicate.cli.context import Workspace, pass_workspace
from adjudicate.cli.output import echo_json, echo_table, json_option, say, talk
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError

if TYPE_CHECKING:
    from adjudicate.workflow.present_scores import Block


@click.command()
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option("--against", metavar="RUN", help="A run or model to set beside it: what changes from that one to RUN.")
@click.option("--judge", help="Whose verdicts count; by default the judge with the most on each run.")
@click.option(
    "--target", type=click.Choice(["process", "finite"]), default="process", show_default=True,
    help="Speak for prompts like these, or for these answers only.",
)  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True)
@json_option
@pass_workspace
def scores(
    workspace: Workspace,
    /,
    *,
    wanted: str | None,
    against: str | None,
    judge: str | None,
    target: Literal["process", "finite"],
    confidence: float,
    as_json: bool,
) -> None:
    """Print the scores of RUN, a run or a model; of everything that 'benchmark run' asked where none is named.

    Helpful, over-refusal, under-refusal, safe; the harmonic mean of both sides; categories; pairs side by side. By the judge, and
    corrected where people labelled. Task scores stand apart. 'adjudicate export classifications' publishes what they rest on.

    \b
    Example:
      adjudicate benchmark scores
      adjudicate benchmark scores tuned --against base
    """
    from adjudicate.workflow.compare_scores import Comparison, compare_scores
    from adjudicate.workflow.present_score_changes import comparison_blocks
    from adjudicate.workflow.present_scores import blocks
    from adjudicate.workflow.read_scores import read_scores
    from adjudicate.workflow.score_sheets import ScoreOptions

    if against is not None and wanted is None:
        raise UsageError("--against: name what is compared with it, as in 'benchmark scores tuned --against base'")
    store = workspace.store()
    options = ScoreOptions(judge=judge, target=target, confidence=confidence)
    found = compare_scores(store, wanted, against, options) if wanted and against else read_scores(store, wanted, options)
    if as_json:
        echo_json(found.as_json())
        return
    _show(comparison_blocks(found) if isinstance(found, Comparison) else blocks(found))
    talk("More: --json has every number; 'adjudicate export classifications' publishes the verdicts, without responses.")


def _show(blocks: Iterable[Block]) -> None:
    for place, block in enumerate(blocks):
        if place:
            say("")
        say(visible_line(block.title))
        for table in block.tables:
            echo_table(table.title, table.headers, cast("list[list[str]]", table.rows), right=table.right, notes=table.notes)
        for line in block.lines:
            say(visible_line(line))
