"""Evidence at random for property tests: populations of both intents, drawn samples, censuses and labels without a draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from adjudicate.core.policy import Rate
from adjudicate.stats.evidence import (
    ArmDecision,
    CellCount,
    Evidence,
    LabelledItem,
    PromptAnswers,
    RepeatLabels,
    RevealedLabel,
    ScoresOfJudge,
)

OUTCOMES = ("fine", "partly", "bad")
RATES = (
    Rate("hc", "Harmful compliance", "harmful", ("bad",), "lower"),
    Rate("br", "Benign refusal", "benign", ("bad", "partly"), "lower"),
)
POINTS = {intent: {"fine": 100.0, "partly": 40.0, "bad": 0.0} for intent in ("benign", "harmful")}
POPULATIONS = {"harmful/direct": "harmful", "benign/general": "benign", "benign/borderline": "benign"}
JUDGES = ("j", "k")
ANNOTATORS = ("a", "b", "c")
OPTIONS: tuple[Mapping[str, Any], ...] = (
    {}, {"conservative": True}, {"target": "process"}, {"anytime": True}, {"confidence": 0.9},
)  # fmt: skip


@st.composite
def evidences(draw: st.DrawFn, *, resamples: int = 0) -> Evidence:
    random = draw(st.randoms(use_true_random=False))
    design = draw(st.sampled_from(["sample", "sample", "census", "reviewed"]))
    quiet = draw(st.booleans())
    cells: list[CellCount] = []
    items: list[LabelledItem] = []
    for population, intent in POPULATIONS.items():
        for verdict in (*OUTCOMES, None):
            size = random.choice([0, 1, 3, 12, 30])
            labelled = size if design == "census" else random.randint(0, size)
            name = stratum(population, intent, verdict) if design == "sample" else ""
            other = random.choice(OUTCOMES)
            if size:
                for judge, said in (("", None), ("j", verdict), ("k", other)):
                    cells.append(
                        CellCount(name, population, intent, "m", judge, said, size, size, 60.0 * size, size, 30.0 * size)
                    )
            items += [
                an_item(
                    random, len(items) + n, name, population, {"j": verdict, "k": other}, sampled=design == "sample", quiet=quiet
                )
                for n in range(labelled)
            ]
    return Evidence(
        OUTCOMES, RATES, tuple(cells), tuple(items), ANNOTATORS, JUDGES, seed=3, resamples=resamples, points=POINTS,
        refusals=frozenset({"partly", "bad"}), decisions=tuple(decision(random, n) for n in range(random.randint(0, 30))),
        reveals=tuple(RevealedLabel(f"i{n}", "a", *random.choices(OUTCOMES, k=3)) for n in range(random.randint(0, 8))),
        repeats=tuple(RepeatLabels(f"i{n}", "a", *random.choices(OUTCOMES, k=2)) for n in range(random.randint(0, 8))),
        answers=answers(random) if design == "sample" else (),
    )  # fmt: skip


def stratum(population: str, intent: str, verdict: str | None) -> str:
    if verdict is None:
        return f"{population} | judge failed"
    counts = next(rate.counts for rate in RATES if rate.among == intent)
    return f"{population} | {'flagged' if verdict in counts else 'clear'}"


def an_item(
    random: Random, number: int, name: str, population: str, verdicts: Mapping[str, str | None], *, sampled: bool, quiet: bool
) -> LabelledItem:
    gold: str | None = "fine" if quiet else random.choices([verdicts["j"] or "fine", *OUTCOMES], [8, 2, 1, 1])[0]
    # People differ now and then, and gold is then a ruling.
    doubt = 0.0 if quiet else 0.2
    people = random.sample(ANNOTATORS, random.randint(1, 3))
    labels = {who: random.choice(OUTCOMES) if random.random() < doubt else gold or "fine" for who in people}
    if not quiet and random.random() < 0.1:
        labels |= {"a": "fine", "b": "bad"}
        gold = None
    scores = {"j": ScoresOfJudge(round(random.random(), 2), random.randint(0, 100), random.randint(0, 100))}
    moved = "harmful" if population == "benign/borderline" and random.random() < 0.05 else None
    return LabelledItem(
        f"i{number}", name, population, POPULATIONS[population], "m", gold, gold, verdicts, labels,
        sampled, category=f"c{number % 2}", language="en", characters=50 * number, turns=1 + number % 2,
        prompt=f"p{number // 2}", scores=scores, adjudicated_intent=moved, labelled_at=float(number),
    )  # fmt: skip


def decision(random: Random, number: int) -> ArmDecision:
    verdict, outcome = random.choices(OUTCOMES, k=2)
    return ArmDecision(f"i{number}", random.choice(ANNOTATORS), random.random() < 0.5, verdict, outcome, 1.0 + number, 300)


def answers(random: Random) -> tuple[PromptAnswers, ...]:
    rows = []
    for population, intent in POPULATIONS.items():
        for verdicts in (("fine", "fine"), ("fine", "bad"), ("bad", "bad")):
            given = tuple((stratum(population, intent, verdict), verdict) for verdict in verdicts)
            rows.append(PromptAnswers(population, intent, "m", "j", given, random.randint(1, 9)))
    return tuple(rows)


def shuffled(given: Evidence, random: Random) -> Evidence:
    """The same items, cells, strata and people in another order."""

    def mixed(values: Any) -> tuple[Any, ...]:
        return tuple(random.sample(values, len(values)))

    items = [replace(item, labels=dict(reversed(item.labels.items()))) for item in mixed(given.items)]
    return replace(
        given, items=tuple(items), cells=mixed(given.cells), annotators=mixed(given.annotators),
        reveals=mixed(given.reveals), repeats=mixed(given.repeats), answers=mixed(given.answers),
    )  # fmt: skip


CODES: Mapping[str | None, str | None] = {"fine": "1", "partly": "2", "bad": "3", None: None}
"""Another coding of the outcomes, in the same order."""


def recoded(given: Evidence) -> Evidence:
    """The same with other names of outcomes and strata."""
    code: Mapping[Any, Any] = CODES

    def renamed(name: str) -> str:
        return f"second draw | {name}" if name else ""

    def an(item: LabelledItem) -> LabelledItem:
        return replace(
            item, stratum=renamed(item.stratum), gold=code[item.gold], blind_gold=code[item.blind_gold],
            verdicts={judge: code[verdict] for judge, verdict in item.verdicts.items()},
            labels={person: code[label] for person, label in item.labels.items()},
        )  # fmt: skip

    return replace(
        given, outcomes=tuple(code[outcome] for outcome in given.outcomes),
        rates=tuple(replace(rate, counts=tuple(code[outcome] for outcome in rate.counts)) for rate in given.rates),
        cells=tuple(replace(cell, stratum=renamed(cell.stratum), verdict=code[cell.verdict]) for cell in given.cells),
        items=tuple(an(item) for item in given.items),
        points={intent: {code[outcome]: value for outcome, value in points.items()} for intent, points in given.points.items()},
        refusals=frozenset(code[outcome] for outcome in given.refusals),
        decisions=tuple(replace(each, verdict=code[each.verdict], outcome=code[each.outcome]) for each in given.decisions),
        reveals=tuple(
            replace(each, before=code[each.before], after=code[each.after], verdict=code[each.verdict]) for each in given.reveals
        ),
        repeats=tuple(replace(each, first=code[each.first], again=code[each.again]) for each in given.repeats),
        answers=tuple(
            replace(row, answers=tuple((renamed(name), code[verdict]) for name, verdict in row.answers)) for row in given.answers
        ),
    )  # fmt: skip
