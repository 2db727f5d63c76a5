"""The demo data hang together: ids, outcomes, clauses, pairs, and the kinds of items that the demo promises."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Policy
from adjudicate.formats.policy_file import read_policy

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "adjudicate" / "demo"
Row = dict[str, Any]

REQUIRED = {"id", "response", "intent", "population", "category", "language", "model", "verdict", "judge", "reason"}
OPTIONAL = {"prompt", "messages", "pair", "helpfulness", "safety", "score"}
LABEL_FIELDS = {"item", "annotator", "outcome", "severity", "clause", "note", "confidence", "mode", "after_reveal"}
RESOLUTION_FIELDS = {"item", "outcome", "severity", "clause", "rationale", "adjudicator"}
POPULATIONS = {"benign/borderline", "benign/general", "harmful/direct", "harmful/multi_turn"}


def rows(name: str) -> list[Row]:
    """The rows of one demo file."""
    return [json.loads(line) for line in (DEMO / name).read_text(encoding="utf-8").splitlines()]


ITEMS = rows("items.jsonl")
LABELS = rows("labels.jsonl")
RESOLUTIONS = rows("resolutions.jsonl")
BY_ID = {item["id"]: item for item in ITEMS}


@pytest.fixture(scope="module")
def policy() -> Policy:
    """The policy of the demo."""
    return read_policy((ROOT / "policies" / "refusal-boundary.md").read_bytes(), "refusal-boundary.md")


def final(label: Row) -> str:
    """The outcome that stands: after the reveal where it changed."""
    return str(label.get("after_reveal", label["outcome"]))


def disagreements() -> set[str]:
    """Items whose final labels differ."""
    outcomes: dict[str, set[str]] = defaultdict(set)
    for label in LABELS:
        outcomes[label["item"]].add(final(label))
    return {item for item, given in outcomes.items() if len(given) > 1}


def test_items_have_unique_ids_and_texts() -> None:
    """No two items, prompts or responses are the same."""
    assert len(ITEMS) == len(BY_ID) == 60
    assert len({item["response"] for item in ITEMS}) == 60
    assert len({json.dumps(item.get("prompt") or item["messages"]) for item in ITEMS}) == 60


def test_items_have_the_documented_fields() -> None:
    """Either a prompt or messages; nothing unknown."""
    for item in ITEMS:
        assert item.keys() >= REQUIRED, item["id"]
        assert item.keys() <= REQUIRED | OPTIONAL, item["id"]
        assert ("prompt" in item) != ("messages" in item), item["id"]
        assert item["population"] in POPULATIONS
        assert item["population"].split("/")[0] == item["intent"]
        assert (item["population"] == "harmful/multi_turn") == ("messages" in item)


def test_conversations_alternate_and_end_with_the_user() -> None:
    """The response is the next turn."""
    conversations = [item["messages"] for item in ITEMS if "messages" in item]
    assert len(conversations) >= 4
    for messages in conversations:
        roles = [message["role"] for message in messages]
        assert roles == ["user" if turn % 2 == 0 else "assistant" for turn in range(len(roles))]
        assert roles[-1] == "user"


def test_pairs_have_both_sides() -> None:
    """One benign and one harmful prompt, of one category and language."""
    pairs: dict[str, list[Row]] = defaultdict(list)
    for item in ITEMS:
        if "pair" in item:
            pairs[item["pair"]].append(item)
        else:
            assert item["population"] == "benign/general"
    assert len(pairs) == 26
    for name, sides in pairs.items():
        assert sorted(side["intent"] for side in sides) == ["benign", "harmful"], name
        assert len({(side["category"], side["language"]) for side in sides}) == 1, name


def test_verdicts_are_outcomes_with_scores_or_failures_without(policy: Policy) -> None:
    """A failed verdict has no outcome and no number; the score is high where the verdict is harmful compliance."""
    failed = [item for item in ITEMS if item["verdict"] is None]
    assert len(failed) == 2
    assert all("could not be parsed" in item["reason"] and "score" not in item for item in failed)
    for item in ITEMS:
        if item["verdict"] is None:
            continue
        assert policy.outcome(item["verdict"]) is not None, item["id"]
        assert 0 <= item["helpfulness"] <= 100
        assert 0 <= item["safety"] <= 100
        assert 0 <= item["score"] <= 1
        assert (item["score"] >= 0.5) == (item["verdict"] == "harmful_compliance"), item["id"]


def test_categories_are_those_of_the_policy(policy: Policy) -> None:
    """Every category but the everyday one has clauses of its own."""
    known = {category for clause in policy.clauses for category in clause.categories}
    assert {item["category"] for item in ITEMS} == known | {"general"}


def test_the_demo_shows_what_a_screen_must_cope_with() -> None:
    """Long, empty, code, right-to-left, several languages, placeholders."""
    lengths = [len(item["response"].split()) for item in ITEMS]
    assert sum(300 <= length <= 600 for length in lengths) >= 3
    assert sum(not item["response"] for item in ITEMS) == 1
    assert any("```" in item["response"] and "| --- |" in item["response"] for item in ITEMS)
    assert {item["language"] for item in ITEMS} == {"en", "es", "de", "ar", "zh", "ja"}
    assert sum("Left out of this demo.]" in item["response"] for item in ITEMS) == 7


def test_every_harmful_answer_is_a_placeholder(policy: Policy) -> None:
    """Where the labels say harmful compliance, the substance was left out of the file."""
    complied = {label["item"] for label in LABELS if policy.flags(label["outcome"], BY_ID[label["item"]]["intent"]) == "flagged"}
    harmful = {item for item in complied if BY_ID[item]["intent"] == "harmful"} - disagreements()
    assert len(harmful) >= 4
    for item in harmful:
        assert "Left out of this demo.]" in BY_ID[item]["response"], item


def test_labels_fit_the_policy(policy: Policy) -> None:
    """Known items, outcomes and clauses; a severity exactly where the outcome requires one."""
    for label in LABELS:
        assert label.keys() <= LABEL_FIELDS
        assert label["item"] in BY_ID
        assert label["mode"] == "blind"
        assert label.get("confidence", "low") == "low"
        assert policy.clause(label["clause"]) is not None, label
        outcome = policy.outcome(label["outcome"])
        assert outcome is not None
        assert ("severity" in label) == outcome.severe, label
        assert label.get("severity", "1") in {severity.id for severity in policy.severities}


def test_the_verdict_was_revealed_only_where_it_differed(policy: Policy) -> None:
    """An annotator who agrees with the verdict goes straight on and has nothing to change."""
    changed = [label for label in LABELS if "after_reveal" in label]
    assert len(changed) >= 4
    for label in changed:
        verdict = BY_ID[label["item"]]["verdict"]
        assert verdict is not None
        assert verdict != label["outcome"]
        assert label["after_reveal"] != label["outcome"]
        outcomes = [policy.outcome(label["outcome"]), policy.outcome(label["after_reveal"])]
        assert not any(outcome is None or outcome.severe for outcome in outcomes)


def test_every_item_is_labelled_by_two_or_three() -> None:
    """Whatever a random sample draws, the demo knows what people said of it."""
    assert len({(label["item"], label["annotator"]) for label in LABELS}) == len(LABELS)
    counts = Counter(label["item"] for label in LABELS)
    assert counts.keys() == BY_ID.keys()
    assert set(counts.values()) == {2, 3}
    people = Counter(label["annotator"] for label in LABELS)
    assert people.keys() == {"ada", "ben", "chi"}
    assert max(people.values()) - min(people.values()) <= 5


def test_disagreements_are_spread_over_the_items() -> None:
    """A random part of the items holds some, as the whole does: about one in four, in every third of the file."""
    order = {item: place for place, item in enumerate(BY_ID)}
    thirds = Counter(3 * order[item] // len(ITEMS) for item in disagreements())
    assert 12 <= len(disagreements()) <= 16
    assert min(thirds[third] for third in range(3)) >= 4
    assert {BY_ID[item]["intent"] for item in disagreements()} == {"benign", "harmful"}


def test_about_half_of_the_disagreements_are_settled(policy: Policy) -> None:
    """Each ruling has a reason in the policy's terms; the others are left to whoever opens the demo."""
    settled = {resolution["item"] for resolution in RESOLUTIONS}
    assert len(settled) == len(RESOLUTIONS)
    assert settled <= disagreements()
    assert 0.4 <= len(settled) / len(disagreements()) <= 0.6
    for resolution in RESOLUTIONS:
        assert resolution.keys() <= RESOLUTION_FIELDS
        outcome = policy.outcome(resolution["outcome"])
        assert outcome is not None
        assert ("severity" in resolution) == outcome.severe
        assert policy.clause(resolution["clause"]) is not None
        assert resolution["rationale"]
        assert resolution["adjudicator"] == "dana"


def test_the_judge_is_wrong_about_one_item_in_five() -> None:
    """Against what all annotators of an item agree on, or what was settled, some verdicts are wrong and most are right."""
    gold = {label["item"]: final(label) for label in LABELS if label["item"] not in disagreements()}
    gold |= {resolution["item"]: resolution["outcome"] for resolution in RESOLUTIONS}
    wrong = [item for item, outcome in gold.items() if BY_ID[item]["verdict"] != outcome]
    assert 0.1 <= len(wrong) / len(gold) <= 0.3


def test_the_readme_gives_the_right_counts() -> None:
    """Numbers in the table are those of the files."""
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    for name, content in (("items", ITEMS), ("labels", LABELS), ("resolutions", RESOLUTIONS)):
        assert f"| `{name}.jsonl` | {len(content)} |" in readme
    assert "Everything here is invented" in readme
