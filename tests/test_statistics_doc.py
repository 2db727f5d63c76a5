"""docs/statistics.md describes every number that leaves the statistics, each with all six of its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core import present
from adjudicate.core.policy import Rate
from adjudicate.stats import STATISTICS, CellCount, Evidence, LabelledItem
from adjudicate.stats.evidence import (
    ArmDecision,
    Elsewhere,
    JudgePairCell,
    JudgeReadings,
    PromptAnswers,
    RepeatLabels,
    RevealedLabel,
    ScoresOfJudge,
)

PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"
PARTS = ("Estimand", "Formula", "Assumes", "Interval", "Source", "Not for")
OUTCOMES = ("fine", "bad")
RATES = (Rate("hc", "HC", "harmful", ("bad",), "lower"), Rate("br", "BR", "benign", ("bad",), "lower"))


def entries() -> dict[str, str]:
    """The bold heading of each entry with its text."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Sources")[0]
    parts = re.split(r"^(\*\*.+?\*\*)$", text, flags=re.MULTILINE)
    return {
        heading: re.split(r"^## |\n\n", body.strip(), flags=re.MULTILINE)[0]
        for heading, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def item(number: int, annotators: Sequence[str]) -> LabelledItem:
    """Two populations, events of both kinds, errors of two judges, all that a statistic could look at."""
    intent = "harmful" if number % 2 else "benign"
    gold = "bad" if number % 5 == 0 else "fine"
    population = f"{intent}/borderline" if number % 4 == 0 else f"{intent}/plain"
    labels = {name: gold if (number + place) % 7 else "bad" for place, name in enumerate(annotators)}
    verdicts = {"j": "bad" if number % 6 == 0 else gold, "k": "fine"}
    return LabelledItem(
        f"i{number}", "clear", population, intent, "m", gold, gold, verdicts, labels, sampled=True, category=f"c{number % 2}",
        prompt=f"p{number // 4}", characters=100 * number, turns=1,
        adjudicated_intent="harmful" if number == 2 else None, scores={"j": ScoresOfJudge(0.1 + 0.05 * (number % 10), 50, 60)},
        labelled_at=float(number),
    )  # fmt: skip


def rich(annotators: Sequence[str]) -> Evidence:
    items = tuple(item(number, annotators) for number in range(120))
    sizes: dict[tuple[str, str], int] = {}
    for each in items:
        sizes[each.population, each.intent] = sizes.get((each.population, each.intent), 0) + 1
    cells = [
        CellCount("clear", population, intent, "m", judge, verdict, size + 5, 5, 250.0, 5, 300.0)
        for (population, intent), size in sizes.items()
        for judge, verdict in (("", None), ("j", "bad"), ("k", "fine"))
    ]
    first = annotators[0]
    decisions = tuple(
        ArmDecision(f"i{number}", first, bool(number % 2), "fine", "bad" if number % 3 else "fine", 1.0 + number, 400)
        for number in range(40)
    )
    return Evidence(
        OUTCOMES, RATES, tuple(cells), items, tuple(annotators), ("j", "k"), resamples=50, conservative=True,
        points={"benign": {"fine": 100.0, "bad": 0.0}, "harmful": {"fine": 100.0, "bad": 0.0}}, decisions=decisions,
        reveals=(RevealedLabel("i0", first, "bad", "fine", "fine"),), repeats=(RepeatLabels("i0", first, "bad", "bad"),),
        answers=(PromptAnswers("harmful/plain", "harmful", "m", "j", (("clear", "bad"), ("clear", "fine")), 30),),
        readings=tuple(JudgeReadings(f"i{n}", "j", "harmful/plain", "harmful", "m", ("bad", "fine")[n % 2 :]) for n in range(9)),
        judge_pairs=(JudgePairCell("harmful/plain", "harmful", "m", "j", "k", ("bad", "fine"), 7),),
    )  # fmt: skip


def calm(given: Evidence) -> Evidence:
    """The same with one event in a nearly complete stratum."""
    plain = [each for each in given.items if each.population == "harmful/plain"]
    items = [replace(each, gold="bad" if place == 0 else "fine") for place, each in enumerate(plain)]
    return replace(given, items=tuple(items))


@pytest.fixture(scope="module")
def emitted() -> dict[str, set[str]]:
    """Names of the statistics of each row on rich evidence, with two and with three annotators."""
    plain = rich("ab")
    given = [
        replace(plain, elsewhere=Elsewhere("other", "f" * 64, plain)), rich("abc"),
        replace(plain, conservative=False, anytime=True), calm(plain),
    ]  # fmt: skip
    return {row.name: {each.statistic for one in given for each in row.compute(one)} for row in STATISTICS}


def test_rich_evidence_makes_every_row_speak(emitted: dict[str, set[str]]) -> None:
    assert not [name for name, found in emitted.items() if not found]


def test_every_statistic_of_a_report_is_described(emitted: dict[str, set[str]]) -> None:
    described = set(re.findall(r"`(\w+)`", " ".join(entries())))
    assert not set().union(*emitted.values()) - described


def test_every_statistic_of_a_report_has_a_title(emitted: dict[str, set[str]]) -> None:
    assert not set().union(*emitted.values()) - present.TITLES.keys()


@pytest.mark.parametrize("heading", entries())
def test_every_entry_has_all_its_parts(heading: str) -> None:
    text = entries()[heading]
    assert re.findall(r"^\*(.+?)\.\*", text, flags=re.MULTILINE) == list(PARTS)


def test_every_source_named_is_listed_and_every_one_listed_is_named() -> None:
    text, _, listed = PAGE.read_text(encoding="utf-8").partition("\n## Sources")
    assert set(re.findall(r"\[([A-Z]+\d\d)\]", text)) == set(re.findall(r"\[([A-Z]+\d\d)\]", listed))
