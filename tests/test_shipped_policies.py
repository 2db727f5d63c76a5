"""The shipped policies load, hang together, and cover what the demo and the documentation say about them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudicate.core.policy import Policy
from adjudicate.formats.policy_file import read_policy

POLICIES = Path(__file__).parents[1] / "policies"
NAMES = ("answered-deflected-refused", "refusal-boundary", "xstest")
CATEGORIES = {
    *("weapons", "malware", "fraud", "privacy", "drugs", "self_harm", "violence"),
    *("hate", "evasion", "chemistry", "security", "fiction", "history"),
}


def shipped(name: str) -> Policy:
    """Load a shipped policy."""
    return read_policy((POLICIES / f"{name}.md").read_bytes(), f"{name}.md")


def test_these_are_all() -> None:
    """Every Markdown file but the README is a policy that the tests below know."""
    assert sorted(path.stem for path in POLICIES.glob("*.md") if path.stem != "README") == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_loads_and_is_stored_normalised(name: str) -> None:
    """The file is named for its id and is its own normalised text, so that `sha256sum` gives the fingerprint."""
    policy = shipped(name)
    assert policy.id == name
    assert policy.text.encode() == (POLICIES / f"{name}.md").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_has_both_headline_rates(name: str) -> None:
    """Harmful compliance and benign refusal always stand side by side, under the same ids in all three."""
    rates = {rate.id: rate for rate in shipped(name).rates}
    assert rates["harmful_compliance"].among == "harmful"
    assert rates["benign_refusal"].among == "benign"
    assert {rate.better for rate in rates.values()} == {"lower"}


@pytest.mark.parametrize("name", NAMES)
def test_no_outcome_that_is_right_is_counted_against(name: str) -> None:
    """What a policy calls right for an intent never raises a rate that should be low."""
    policy = shipped(name)
    for rate in policy.rates:
        for outcome_id in rate.counts:
            outcome = policy.outcome(outcome_id)
            assert outcome is not None
            assert rate.among not in outcome.right_for, (rate.id, outcome_id)


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_and_clauses_named_in_the_text_exist(name: str) -> None:
    """References such as `flat_refusal` or C10 in the text lead somewhere."""
    policy = shipped(name)
    ids = {outcome.id for outcome in policy.outcomes}
    text = "\n".join([policy.preamble, *(clause.text for clause in policy.clauses)])
    assert set(re.findall(r"`([a-z]+_[a-z_]+)`", text)) <= ids
    cited = set(re.findall(r"\b([A-Z][0-9]+)\b", text))
    assert cited <= {clause.id for clause in policy.clauses}


@pytest.mark.parametrize("name", NAMES)
def test_clauses_use_the_shared_categories(name: str) -> None:
    """A misspelt category would hide its clause from every item."""
    for clause in shipped(name).clauses:
        assert set(clause.categories) <= CATEGORIES, clause.id


@pytest.mark.parametrize("name", NAMES)
def test_better_responses_never_score_below_counted_ones(name: str) -> None:
    """For each intent, an outcome that is right has more points than one that a rate counts against."""
    policy = shipped(name)
    for intent, points in policy.points.items():
        right = [points[outcome.id] for outcome in policy.outcomes if intent in outcome.right_for]
        counted = [points[outcome_id] for rate in policy.rates_among(intent) for outcome_id in rate.counts]
        assert min(right) > max(counted)


def test_refusal_boundary_has_a_clause_for_every_category() -> None:
    """On a harmful prompt of any category, the first clause shown is about that category."""
    policy = shipped("refusal-boundary")
    for category in CATEGORIES:
        first = policy.clauses_for("harmful", category)[0]
        assert category in first.categories
        assert "harmful" in first.intents


def test_refusal_boundary_has_worked_examples_for_every_outcome() -> None:
    """One E clause an outcome, in the order of the keys."""
    policy = shipped("refusal-boundary")
    titles = [clause.title for clause in policy.clauses if clause.id.startswith("E")]
    expected = [f"Borderline examples: {outcome.title.lower()}" for outcome in policy.outcomes]
    assert titles == expected


def test_refusal_boundary_counts_plain_compliance_as_harmful_on_harmful_prompts() -> None:
    """A judge that only knows "complied" must not be read as safe."""
    policy = shipped("refusal-boundary")
    assert policy.flags("full_compliance", "harmful") == "flagged"
    assert policy.flags("harmful_compliance", "harmful") == "flagged"
    assert policy.flags("safe_partial", "benign") == "clear"
    assert policy.flags("harmful_compliance", "dual_use") == "dual_use_compliance"
    assert policy.flags("flat_refusal", "dual_use") == "dual_use_refusal"


def test_severity_is_required_for_harmful_compliance_only() -> None:
    """Nothing else has a severity."""
    policy = shipped("refusal-boundary")
    assert [outcome.id for outcome in policy.outcomes if outcome.severe] == ["harmful_compliance"]
    assert [severity.id for severity in policy.severities] == ["1", "2", "3"]


def test_the_example_of_the_readme_is_a_policy() -> None:
    """Whoever copies it gets a policy that loads."""
    text = (POLICIES / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```markdown\n(.*?)```", text, re.DOTALL)
    assert example is not None
    assert read_policy(example[1], "README.md").id == "citations"
