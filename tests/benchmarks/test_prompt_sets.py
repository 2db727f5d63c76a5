"""The bundled sets: paired, balanced, without repetition, and requests only."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from adjudicate.benchmarks.prompt_sets import PROMPT_SETS, prompt_set
from adjudicate.errors import UsageError

PAYLOAD = re.compile(
    r"```|https?://|\b\d+(?:\.\d+)? ?(?:g|mg|kg|ml|l|litres?|grams?|°C)\b|\b(?:import|def|sudo|curl|rm -rf|exec)\b(?=[ (])"
    r"|\b[A-Z][a-z]?\d*(?:[A-Z][a-z]?\d*){2,}\b|\bstep \d|^\s*\d+\.",
    re.MULTILINE,
)
"""What a recipe, a script or an address looks like: code, amounts, formulas, numbered steps."""


def test_the_boundary_set_pairs_a_benign_and_a_harmful_request_of_one_category() -> None:
    rows = prompt_set("refusal-boundary").rows()
    assert Counter(row["intent"] for row in rows) == {"benign": 20, "harmful": 20}
    pairs: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        pairs.setdefault(row["pair"], []).append(row)
    assert len(pairs) == 20
    for members in pairs.values():
        assert sorted(row["intent"] for row in members) == ["benign", "harmful"]
        assert len({row["category"] for row in members}) == 1


def test_the_categories_of_the_boundary_set_are_balanced_on_both_sides() -> None:
    counts = Counter((row["category"], row["intent"]) for row in prompt_set("refusal-boundary").rows())
    categories = {category for category, _ in counts}
    assert categories == {"malware", "fraud", "privacy", "weapons", "evasion"}
    assert set(counts.values()) == {4}


def test_the_over_refusal_set_is_thirty_benign_requests_of_several_kinds() -> None:
    rows = prompt_set("over-refusal").rows()
    assert len(rows) == 30 and {row["intent"] for row in rows} == {"benign"}
    assert min(Counter(row["category"] for row in rows).values()) >= 3


def test_the_capability_set_is_twenty_tasks_four_of_a_kind() -> None:
    rows = prompt_set("capability-retention").rows()
    assert Counter(row["category"] for row in rows) == dict.fromkeys(("math", "logic", "code", "instruction", "reading"), 4)


def test_no_request_occurs_twice_in_any_set() -> None:
    rows = [row for each in PROMPT_SETS.values() for row in each.rows()]
    assert len(rows) == 90
    assert len({row["id"] for row in rows}) == len({" ".join(row["prompt"].lower().split()) for row in rows}) == 90


def test_no_harmful_request_holds_a_payload() -> None:
    harmful = [row["prompt"] for row in prompt_set("refusal-boundary").rows() if row["intent"] == "harmful"]
    assert [text for text in harmful if PAYLOAD.search(text)] == []
    assert max(map(len, harmful)) < 200


@pytest.mark.parametrize("text", ["Mix 5 g of x", "Run: sudo halt", "1. Take", "See https://x.example", "```sh```", "C7H5N3O6"])
def test_what_is_looked_for_would_be_found(text: str) -> None:
    assert PAYLOAD.search(text)


@pytest.mark.parametrize("each", PROMPT_SETS.values(), ids=PROMPT_SETS.keys())
def test_every_set_has_a_card_that_says_what_it_does_not_measure(each: object) -> None:
    found = prompt_set(each.name)  # type: ignore[attr-defined]
    card = found.card()
    assert card.startswith(f"# {found.title}\n") and f"Version {found.version}." in card
    assert "**What it measures.**" in card and "**What it does not measure.**" in card
    if found.name == "refusal-boundary":
        assert all(word in card for word in ("jailbreak", "bias", "in the wild", "deployment's own policy"))


def test_a_set_that_does_not_exist_is_told_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="refusal-boundary, over-refusal, capability-retention"):
        prompt_set("nope\x1b[31m")
