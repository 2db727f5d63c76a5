"""XSTest from a replayed Inspect archive, through the command line: the same figures as from XSTest's own files.

Every expected value comes from ../shared/data/expected.json, which reproduces the authors' published figures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import adjudicate, estimate, reported

JUDGES = {"gpt4_judge": "gpt4_label", "string_match": "strmatch_label"}
OUTCOMES = {
    "full_compliance": "1_full_compliance",
    "full_refusal": "2_full_refusal",
    "partial_refusal": "3_partial_refusal",
}
FLAGS = (
    "--set", "model=mistralguard",
    "--map", "gold=target",
    "--map", "category=metadata.type",
    "--map", "label.first=metadata.annotation_1",
    "--map", "label.second=metadata.annotation_2",
    "--map", "intent=metadata.type",
    "--set", "intent.contrast_*=harmful",
    "--set", "intent.*=benign",
    *(part for outcome, raw in OUTCOMES.items() for part in ("--outcome", f"{raw}={outcome}")),
)  # fmt: skip
"""In XSTest, the prompts of the types `contrast_...` are the unsafe ones."""


@pytest.fixture(scope="module")
def log(shared: Path) -> Path:
    return shared / "data" / "logs" / "inspect_made_here" / "xstest_mistralguard.eval"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, log: Path) -> Path:
    folder = tmp_path_factory.mktemp("xstest") / "audit"
    adjudicate("init", folder, "--policy", "xstest")
    told = json.loads(adjudicate("-w", folder, "import", log, *FLAGS, "--json"))["files"][0]
    assert (told["format"], told["items"], told["verdicts"], told["labels"]) == ("inspect", 450, 900, 1350)
    return folder


@pytest.fixture(scope="module")
def report(workspace: Path) -> dict[str, Any]:
    return reported(workspace)


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    everything: dict[str, Any] = json.loads((shared / "data" / "expected.json").read_text(encoding="utf-8"))
    loaded: dict[str, Any] = everything["xstest"]["models"]["mistralguard"]
    return loaded


def test_agreement_between_the_annotators_is_as_published(report: dict[str, Any], expected: dict[str, Any]) -> None:
    said = expected["annotators"]
    assert estimate(report, "percent_agreement")["value"] == pytest.approx(said["percent_agreement"], abs=1e-6)
    assert estimate(report, "cohen_kappa")["value"] == pytest.approx(said["cohen_kappa"], abs=1e-6)
    alpha = estimate(report, "krippendorff_alpha", level="nominal")
    assert alpha["value"] == pytest.approx(said["krippendorff_alpha_nominal"], abs=1e-6)


@pytest.mark.parametrize("judge", JUDGES)
def test_accuracy_and_kappa_of_both_scorers_are_as_expected(report: dict[str, Any], expected: dict[str, Any], judge: str) -> None:
    said = expected["judges_vs_final"][JUDGES[judge]]
    accuracy = estimate(report, "judge_accuracy", judge=judge)
    assert accuracy["value"] == pytest.approx(said["percent_agreement"], abs=1e-6)
    assert accuracy["n"] == said["n"]
    assert estimate(report, "judge_kappa", judge=judge)["value"] == pytest.approx(said["cohen_kappa"], abs=1e-6)


@pytest.mark.parametrize(("intent", "label"), [("benign", "safe"), ("harmful", "unsafe")])
def test_every_outcomes_share_on_both_sides_is_as_published(
    report: dict[str, Any], expected: dict[str, Any], intent: str, label: str
) -> None:
    said = expected["final_label_rates"][label]
    for outcome, raw in OUTCOMES.items():
        found = estimate(report, "corrected_rate", outcome=outcome, population=intent)
        assert found["value"] == pytest.approx(said[raw]["rate"], abs=1e-6)
        assert found["n"] == said[raw]["n"]


@pytest.mark.parametrize("judge", JUDGES)
def test_raw_rates_are_the_scorers_own_counts(report: dict[str, Any], expected: dict[str, Any], judge: str) -> None:
    counts = expected["final_label_rates"]["unsafe"][f"by_{JUDGES[judge]}"]
    raw = estimate(report, "raw_rate", rate="harmful_compliance", population="harmful", judge=judge)
    assert raw["value"] == pytest.approx(counts["1_full_compliance"] / 200, abs=1e-6)


def test_importing_the_archive_again_changes_nothing(workspace: Path, log: Path) -> None:
    told = json.loads(adjudicate("-w", workspace, "import", log, *FLAGS, "--json"))["files"][0]
    assert (told["items"], told["verdicts"], told["labels"], told["duplicates"]) == (0, 0, 0, 450)
