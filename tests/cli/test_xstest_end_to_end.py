"""XSTest for real, through the command line: five models, two annotators, two judges, the recorded final label.

Every expected value comes from ../shared/data/expected.json, which reproduces the authors' published figures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import adjudicate, estimate, reported

MODELS = ("gpt4", "llama2new", "llama2orig", "mistralguard", "mistralinstruct")
JUDGES = {"gpt4": "gpt4_label", "strmatch": "strmatch_label"}
OUTCOMES = {
    "full_compliance": "1_full_compliance",
    "full_refusal": "2_full_refusal",
    "partial_refusal": "3_partial_refusal",
}


@pytest.fixture(scope="module")
def files(shared: Path) -> list[Path]:
    xstest = shared / "data" / "xstest"
    return [xstest / "xstest_prompts.csv", *sorted(xstest.glob("*/*.csv"))]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, files: list[Path]) -> Path:
    folder = tmp_path_factory.mktemp("xstest") / "audit"
    adjudicate("init", folder, "--policy", "xstest")
    adjudicate("-w", folder, "import", *files)
    return folder


@pytest.fixture(scope="module")
def report(workspace: Path) -> dict[str, Any]:
    return reported(workspace)


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared / "data" / "expected.json").read_text(encoding="utf-8"))["xstest"]
    return loaded


@pytest.mark.parametrize("model", MODELS)
def test_agreement_between_the_two_annotators_is_as_published(
    report: dict[str, Any], expected: dict[str, Any], model: str
) -> None:
    said = expected["models"][model]["annotators"]
    assert estimate(report, "percent_agreement", model=model)["value"] == pytest.approx(said["percent_agreement"], abs=1e-6)
    assert estimate(report, "cohen_kappa", model=model)["value"] == pytest.approx(said["cohen_kappa"], abs=1e-6)
    alpha = estimate(report, "krippendorff_alpha", model=model, level="nominal")
    assert alpha["value"] == pytest.approx(said["krippendorff_alpha_nominal"], abs=1e-6)
    assert alpha["n"] == 450
    assert alpha["low"] < alpha["value"] < alpha["high"]
    fleiss = estimate(report, "fleiss_kappa", model=model)
    assert fleiss["value"] == pytest.approx(said["fleiss_kappa"], abs=1e-6)


def test_agreement_over_all_five_models_is_as_expected(report: dict[str, Any], expected: dict[str, Any]) -> None:
    said = expected["pooled_five_models"]["annotators"]
    assert estimate(report, "percent_agreement")["value"] == pytest.approx(said["percent_agreement"], abs=1e-6)
    assert estimate(report, "cohen_kappa")["value"] == pytest.approx(said["cohen_kappa"], abs=1e-6)
    assert estimate(report, "krippendorff_alpha", level="nominal")["value"] == pytest.approx(
        said["krippendorff_alpha_nominal"], abs=1e-6
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("judge", JUDGES)
def test_accuracy_and_kappa_of_both_judges_are_as_expected(
    report: dict[str, Any], expected: dict[str, Any], model: str, judge: str
) -> None:
    said = expected["models"][model]["judges_vs_final"][JUDGES[judge]]
    accuracy = estimate(report, "judge_accuracy", judge=judge, model=model)
    assert accuracy["value"] == pytest.approx(said["percent_agreement"], abs=1e-6)
    assert accuracy["n"] == said["n"]
    assert estimate(report, "judge_kappa", judge=judge, model=model)["value"] == pytest.approx(said["cohen_kappa"], abs=1e-6)


@pytest.mark.parametrize("judge", JUDGES)
def test_accuracy_of_both_judges_over_all_models_is_as_expected(
    report: dict[str, Any], expected: dict[str, Any], judge: str
) -> None:
    said = expected["pooled_five_models"][f"{JUDGES[judge]}_vs_final"]
    assert estimate(report, "judge_accuracy", judge=judge)["value"] == pytest.approx(said["percent_agreement"], abs=1e-6)
    assert estimate(report, "judge_kappa", judge=judge)["value"] == pytest.approx(said["cohen_kappa"], abs=1e-6)


def test_the_eleven_cells_that_are_no_class_are_counted_apart(report: dict[str, Any], workspace: Path) -> None:
    status = json.loads(adjudicate("-w", workspace, "status", "--json"))
    assert {judge["judge"]: judge["judge_failed"] for judge in status["judges"]} == {"gpt4": 11, "strmatch": 0}
    accuracy = estimate(report, "judge_accuracy", judge="gpt4", model="mistralinstruct")
    assert accuracy["details"]["judge_failed"] == 11
    # 333 of the 439 cells that are a class agree with the final label (expected.json: 333 of 450, none of the 11 can).
    parsed = estimate(report, "judge_accuracy", judge="gpt4", model="mistralinstruct", judge_failed="excluded")
    assert parsed["value"] == pytest.approx(333 / 439, abs=1e-6)
    assert any("failed on 11" in warning for warning in report["warnings"])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("intent", "label"), [("benign", "safe"), ("harmful", "unsafe")])
def test_every_outcomes_share_on_both_sides_is_as_published(
    report: dict[str, Any], expected: dict[str, Any], model: str, intent: str, label: str
) -> None:
    said = expected["models"][model]["final_label_rates"][label]
    for outcome, raw in OUTCOMES.items():
        for statistic in ("corrected_rate", "human_rate"):
            found = estimate(report, statistic, outcome=outcome, population=intent, model=model)
            assert found["value"] == pytest.approx(said[raw]["rate"], abs=1e-6)
            assert found["n"] == said[raw]["n"]


@pytest.mark.parametrize("model", MODELS)
def test_compliance_and_refusal_rates_are_as_published(report: dict[str, Any], expected: dict[str, Any], model: str) -> None:
    rates = expected["models"][model]["final_label_rates"]
    harmful = estimate(report, "corrected_rate", rate="harmful_compliance", population="harmful", model=model)
    benign = estimate(report, "corrected_rate", rate="benign_refusal", population="benign", model=model)
    assert harmful["value"] == pytest.approx(rates["unsafe"]["1_full_compliance"]["rate"], abs=1e-6)
    assert benign["value"] == pytest.approx(rates["safe"]["any_refusal"]["rate"], abs=1e-6)
    # Every item has its final label: a census, whose design interval has no width.
    assert (harmful["low"], harmful["high"]) == (harmful["value"], harmful["value"])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("judge", JUDGES)
def test_raw_rates_are_the_judges_own_counts(report: dict[str, Any], expected: dict[str, Any], model: str, judge: str) -> None:
    counts = expected["models"][model]["final_label_rates"]["unsafe"][f"by_{JUDGES[judge]}"]
    parsed = sum(counts.get(raw, 0) for raw in OUTCOMES.values())
    raw = estimate(report, "raw_rate", rate="harmful_compliance", population="harmful", model=model, judge=judge)
    assert raw["value"] == pytest.approx(counts["1_full_compliance"] / parsed, abs=1e-6)


def test_where_gpt4_is_wrong_on_which_side_and_how_surely(report: dict[str, Any], expected: dict[str, Any]) -> None:
    """Issue 3, what must be seen to hold, 4: answered by JSON alone."""
    errors = {
        side: estimate(report, "judge_errors", judge="gpt4", direction=side)["value"]
        for side in ("false_safe", "missed", "false_alarm", "other_outcome", "judge_failed")
    }
    said = expected["pooled_five_models"]["gpt4_label_vs_final"]
    assert sum(errors.values()) == said["n"] - said["agree"]
    assert errors == {"false_safe": 41, "missed": 127, "false_alarm": 223, "other_outcome": 50, "judge_failed": 11}
    # It sees compliance where people see refusal: too much of it on harmful prompts, too few refusals on benign ones.
    harmful = estimate(report, "judge_bias", judge="gpt4", rate="harmful_compliance", items="all")
    benign = estimate(report, "judge_bias", judge="gpt4", rate="benign_refusal", items="all")
    assert harmful["value"] == pytest.approx((221 - 41) / 989) and harmful["low"] > 0.15
    assert benign["value"] == pytest.approx((2 - 127) / 1250) and benign["high"] < -0.08
    assert harmful["details"]["holm"] < 1e-20 and benign["details"]["holm"] < 1e-20
    slices = [each for each in report["estimates"] if each["statistic"] == "judge_bias" and "category" in each["group"]]
    sure = {
        each["group"]["category"]: each["value"]
        for each in slices
        if each["group"]["judge"] == "gpt4" and each["details"]["holm"] < 0.05
    }
    # On every category where it is surely wrong, it is wrong on that same side; worst on questions about discrimination.
    assert all((value > 0) == category.startswith("contrast_") for category, value in sure.items())
    assert max(sure, key=lambda category: abs(sure[category])) == "contrast_discr"
    sensitivity = estimate(report, "judge_sensitivity", judge="gpt4", rate="harmful_compliance")
    # 84 of 125 compliances: 41 passed. Every item is reviewed, so no sampling error is left.
    assert sensitivity["low"] == sensitivity["value"] == sensitivity["high"] == pytest.approx(0.672)


def test_the_errors_of_gpt4_are_listed_false_safe_first(workspace: Path) -> None:
    listed = json.loads(adjudicate("-w", workspace, "report", "errors", "--judge", "gpt4", "--json"))
    directions = [each["direction"] for each in listed["errors"]]
    order = ["false_safe", "missed", "false_alarm", "other_outcome", "judge_failed"]
    assert directions == sorted(directions, key=order.index)
    assert [directions.count(each) for each in order] == [41, 127, 223, 50, 11]
    assert set(listed["errors"][0]) == {
        "item", "source_id", "judge", "model", "population", "intent", "direction", "rate", "verdict", "gold", "severity",
        "clause", "blind",
    }  # fmt: skip
    assert {each["source_id"] for each in listed["errors"]} <= {f"v2-{number}" for number in range(1, 451)}


def test_gpt4_and_string_matching_are_compared_on_the_same_answers(report: dict[str, Any], expected: dict[str, Any]) -> None:
    pooled = expected["pooled_five_models"]
    found = estimate(report, "judge_accuracy_difference", judge="gpt4", against="strmatch", speaks_for="labelled items")
    assert found["value"] == pytest.approx(
        (pooled["gpt4_label_vs_final"]["agree"] - pooled["strmatch_label_vs_final"]["agree"]) / 2250
    )
    # String matching is right more often, and surely so.
    assert found["high"] < 0 and found["details"]["mcnemar_exact_p"] < 1e-6
    census = estimate(report, "judge_accuracy_difference", judge="gpt4", against="strmatch", speaks_for="population")
    assert census["low"] == census["high"] == pytest.approx(found["value"])


@pytest.mark.parametrize("model", MODELS)
def test_the_boundary_score_joins_both_published_sides(report: dict[str, Any], expected: dict[str, Any], model: str) -> None:
    rates = expected["models"][model]["final_label_rates"]
    harmless, safe = 1 - rates["safe"]["any_refusal"]["rate"], 1 - rates["unsafe"]["1_full_compliance"]["rate"]
    found = estimate(report, "boundary_score", of="rates", by="gold", model=model)
    assert found["value"] == pytest.approx(2 * harmless * safe / (harmless + safe), abs=1e-6)


def test_anytime_and_the_process_target_exclude_each_other(workspace: Path) -> None:
    adjudicate("-w", workspace, "report", "rates", "--anytime", "--target", "process", code=2)


def test_importing_the_same_files_again_changes_nothing(workspace: Path, files: list[Path], report: dict[str, Any]) -> None:
    again = json.loads(adjudicate("-w", workspace, "import", "--json", *files))
    assert all(file["items"] == file["verdicts"] == file["labels"] == 0 for file in again["files"])
    assert json.loads(adjudicate("-w", workspace, "report", "--json")) == report


def test_the_export_gives_back_the_authors_columns(workspace: Path, tmp_path: Path, shared: Path) -> None:
    import csv

    adjudicate("-w", workspace, "export", "xstest", "--out", tmp_path, "--with-text")
    for model in MODELS:
        name = f"xstest_v2_completions_{model}.csv"
        with (
            (tmp_path / name).open(encoding="utf-8", newline="") as ours,
            (shared / "data" / "xstest" / "model_completions" / name).open(encoding="utf-8", newline="") as theirs,
        ):
            written, original = list(csv.DictReader(ours)), list(csv.DictReader(theirs))
        assert list(written[0]) == list(original[0])
        by_id = {row["id"]: row for row in written}
        for row in original:
            for column in ("type", "annotation_1", "annotation_2", "agreement", "final_label"):
                assert by_id[row["id"]][column] == row[column]


def test_an_export_holds_no_response_unless_asked_for(workspace: Path, tmp_path: Path) -> None:
    adjudicate("-w", workspace, "export", "xstest", "--out", tmp_path, "--model", "gpt4")
    import csv

    with (tmp_path / "xstest_v2_completions_gpt4.csv").open(encoding="utf-8", newline="") as file:
        assert {row["completion"] for row in csv.DictReader(file)} == {""}
