"""`adjudicate draw`: record the sampling design."""

from __future__ import annotations

from typing import Any

import click

from adjudicate.cli.context import Workspace, now, pass_workspace
from adjudicate.cli.output import counted, echo_json, echo_table, json_option, talk
from adjudicate.core.person_names import annotator_name
from adjudicate.core.sampling import ALLOCATIONS

MANY = 20_000
"""Responses whose search takes seconds, so that it is told."""


def _names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(name.strip() for name in value.split(",") if name.strip())


def _annotators(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(annotator_name(name) for name in value.split(",")) if value else ()


@click.command()
@click.option("--n", "n", type=int, required=True, help="Items to label in all; a larger number later extends the sample.")
@click.option("--by", callback=_names, default=None, help="Fields that make the strata; population,verdict by default.")
@click.option(
    "--allocation",
    type=click.Choice(list(ALLOCATIONS)),
    default=None,
    help="How labels are shared between strata; mix by default.",
)
@click.option("--overlap", type=int, default=None, help="People per item; 2 by default, 1 with a single annotator.")
@click.option("--annotators", callback=_annotators, default=None, help="Names, comma-separated; nobody named: whoever comes.")
@click.option("--blind-share", type=float, default=None, help="Share of items labelled without the verdict; all by default.")
@click.option("--repeats", type=float, default=None, help="Share of a person's items shown again, unannounced.")
@click.option("--seed", type=int, default=None, help="Of the queues; random and recorded by default.")
@click.option("--judge", default=None, help="Whose verdicts make the strata; the one with the most by default.")
@click.option("--pair", callback=_names, default="", help="BASELINE,CANDIDATE: draw prompts, label both responses.")
@click.option("--new", is_flag=True, help="Draw from items imported since, as a frame of their own.")
@json_option
@pass_workspace
def draw(workspace: Workspace, /, *, as_json: bool, **options: Any) -> None:
    """Draw the sample that people label: strata, queues and lists are fixed before any label.

    Half of the labels go to strata in proportion to their size and half where the judge is expected to err (mix). A larger
    --n extends the last draw; what is not said stays as it was.

    \b
    Example:
      adjudicate draw --n 200 --annotators ann,bo --overlap 2 --repeats 0.05
    """
    from adjudicate.workflow.draw_pairs import draw_pairs
    from adjudicate.workflow.draw_settings import DrawSettings

    settings = DrawSettings(**{**options, "pair": options["pair"] or ()})
    store = workspace.store()
    if (settings.new or not store.draws()) and (free := store.free_count()) >= MANY:
        talk(f"Searching {free:,} responses for such that speak to the judge.")
    report = draw_pairs(store, settings, at=now())
    if as_json:
        echo_json(report.as_json())
        return
    echo_table(
        f"Draw {report.draw.id}, seed {report.draw.seed}",
        ["stratum", "items", "drawn", "inclusion probability"],
        [
            [stratum.name, str(stratum.size), str(stratum.drawn), f"{stratum.inclusion_probability:.4f}"]
            for stratum in report.draw.strata
        ],
        right=[1, 2, 3],
    )
    talk(f"Drew {counted(report.added, 'item')} ({sum(stratum.drawn for stratum in report.draw.strata)} in all).")
    if report.draw.judge is not None:
        talk(f"Strata come from the verdicts of {report.draw.judge}.")
    talk("Next: adjudicate label")
