"""Labels back into Inspect logs: written, read by inspect_ai itself, and imported again."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.labels import MODES, Act, Mode
from adjudicate.core.policy import Policy
from adjudicate.errors import InputError, UsageError
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from adjudicate.workflow.import_items import import_files, options_for
from tests.empty_store import empty_store
from tests.formats.inspect_files import AT, archive, document, header, sample, two_outcomes

inspect_log = pytest.importorskip("inspect_ai.log")

CLASSES = {"C": "complies", "I": "refuses"}
LATER = "2026-01-06T11:12:13+00:00"


class Desk:
    """A workspace's store and what a test does with it."""

    def __init__(self, folder: Path) -> None:
        self.policy: Policy = two_outcomes()
        self.folder = folder
        self.exports = folder / "ws" / "exports"
        self.exports.mkdir(parents=True)
        self.store = empty_store(folder / "ws" / "test.db")
        self.store.put_policy(self.policy, AT)

    def read(self, path: Path, **options: Any) -> None:
        stated = {"set": {"intent": "benign"}, "outcome": CLASSES, **options}
        import_files(self.store, self.policy, [path], options_for(stated, {}), AT)

    def label(self, person: str, sample_id: str, outcome: str, mode: Mode = "blind", **body: Any) -> str:
        annotator = self.store.annotator(person)
        act = Act("label", self.store.item_ids()[sample_id], outcome=outcome, mode=mode, body=body)
        return self.store.append(annotator.id, act, policy=self.policy.fingerprint, at=LATER).id

    def settle(self, person: str, sample_id: str, outcome: str, settles: list[str], **body: Any) -> None:
        annotator = self.store.annotator(person)
        act = Act("resolution", self.store.item_ids()[sample_id], outcome=outcome, body={"settles": settles, **body})
        self.store.append(annotator.id, act, policy=self.policy.fingerprint, at=LATER)

    def write(self, source: Path, *, name: str = "new.eval", **options: Any) -> Any:
        """The new log, as inspect_ai reads it."""
        before = hashlib.sha256(source.read_bytes()).hexdigest()
        out = self.folder / name
        assert export(self.store, "inspect", self.exports, ExportOptions(source=source, **options), out=out) == [out]
        assert hashlib.sha256(source.read_bytes()).hexdigest() == before
        return inspect_log.read_eval_log(str(out))

    def pseudonym(self, person: str) -> str:
        return f"A{self.store.annotator(person).pseudonym}"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def log(path: Path, *samples: dict[str, Any], **head: Any) -> Path:
    """A log of these samples, with the accuracy of its only scorer."""
    metric = {"name": "accuracy", "value": 1.0, "params": {}}
    results = {
        "total_samples": len(samples),
        "completed_samples": len(samples),
        "scores": [{"name": "grader", "scorer": "grader", "params": {}, "metrics": {"accuracy": metric}}],
    }
    made = header(results=results, **head)
    made["eval"]["scorers"] = [{"name": "grader", "options": {}, "metrics": [{"name": "inspect_ai/accuracy", "options": {}}]}]
    return archive(path, *samples, head=made)


def history(new: Any, sample_id: int | str, scorer: str = "grader") -> list[Any]:
    (found,) = [each for each in new.samples if each.id == sample_id]
    return list(found.scores[scorer].history)


def test_a_label_is_an_edit_with_its_author_and_reason(desk: Desk, tmp_path: Path) -> None:
    graded = {"grader": {"value": "C", "explanation": "It says when.", "metadata": {"grading": [{"role": "user"}]}}}
    source = log(tmp_path / "log.eval", sample("s-1", scores=graded), sample("s-2"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses", clause="B1")
    new = desk.write(source)
    (changed,) = [each for each in new.samples if each.id == "s-1"]
    score = changed.scores["grader"]
    assert score.value == "I"
    assert score.explanation == "Refuses (label of one person; policy two 1, clause B1)"
    first, last = score.history
    assert (first.value, first.explanation, first.provenance) == ("C", "It says when.", None)
    assert (last.value, last.provenance.author) == ("I", desk.pseudonym("jo"))
    assert last.provenance.reason == "Refuses (label of one person; policy two 1, clause B1)"
    # A day, no time of day; and no name.
    assert last.provenance.timestamp.isoformat() == "2026-01-06T00:00:00+00:00"
    assert "jo" not in json.dumps(last.model_dump(mode="json")).split('"')
    # What the scorer noted is still there.
    assert score.metadata["grading"] == [{"role": "user"}]
    assert score.metadata["adjudicate"]["outcome"] == "refuses" and score.metadata["adjudicate"]["how"] == "single"


def test_metrics_are_computed_anew(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"), sample("s-2"), sample("s-3"), sample("s-4"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    new = desk.write(source)
    # Three of four are C now; all of them were.
    assert new.results.scores[0].metrics["accuracy"].value == 0.75


def test_nothing_else_changes(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1", metadata={"odd": [1, None, "é"]}), sample("s-2"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    old, new = inspect_log.read_eval_log(str(source)), desk.write(source)
    assert old.eval == new.eval and old.plan == new.plan and old.stats == new.stats and old.status == new.status

    def others(read: Any) -> list[Any]:
        return [each.model_dump(mode="json", exclude={"scores", "events"}) for each in read.samples]

    assert others(old) == others(new)
    assert [each.scores for each in old.samples if each.id == "s-2"] == [each.scores for each in new.samples if each.id == "s-2"]


def test_everyones_label_and_the_ruling_stand_in_the_history(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    settles = [desk.label("jo", "s-1", "refuses"), desk.label("kim", "s-1", "complies")]
    desk.settle("lee", "s-1", "refuses", settles, rationale="It never says when.", clause="B2")
    new = desk.write(source)
    made = history(new, "s-1")
    assert len(made) == 4 and made[0].provenance is None
    assert {(each.provenance.author, each.value) for each in made[1:3]} == {
        (desk.pseudonym("jo"), "I"),
        (desk.pseudonym("kim"), "C"),
    }
    assert (made[3].provenance.author, made[3].value) == (desk.pseudonym("lee"), "I")
    assert "settled by an adjudicator" in made[3].provenance.reason
    assert "never says when" not in json.dumps(made[3].model_dump(mode="json"))


def test_a_rationale_leaves_only_where_asked_for(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    settles = [desk.label("jo", "s-1", "refuses"), desk.label("kim", "s-1", "complies")]
    desk.settle("lee", "s-1", "refuses", settles, rationale="It never says when.")
    made = history(desk.write(source, with_text=True), "s-1")
    assert made[-1].provenance.reason.endswith(": It never says when.")


def test_what_people_disagree_on_keeps_the_scorers_value(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    desk.label("kim", "s-1", "complies")
    new = desk.write(source)
    score = new.samples[0].scores["grader"]
    assert (score.value, score.explanation) == ("C", "It says when.")
    assert score.history[-1].provenance.reason == "annotators disagree; not settled"
    assert len(score.history) == 4


def test_importing_the_new_log_brings_the_same_items_and_labels(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", *(sample(name) for name in ("s-1", "s-2", "s-3", "s-4")))
    desk.read(source)
    settles = [desk.label("jo", "s-1", "refuses"), desk.label("kim", "s-1", "complies")]
    desk.settle("lee", "s-1", "refuses", settles)
    desk.label("jo", "s-2", "complies")
    desk.label("jo", "s-3", "complies")
    desk.label("kim", "s-3", "refuses")
    desk.write(source)
    other = Desk(tmp_path / "other")
    other.read(tmp_path / "new.eval")
    assert other.store.item_ids() == desk.store.item_ids()

    def said(of: Desk, names: dict[str, str]) -> set[tuple[str, str, str, str | None]]:
        return {
            (event.item_id, "ruling" if event.kind in ("resolution", "gold") else names[event.annotator_id], "", event.outcome)
            for events in of.store.events_on().values()
            for event in events
        }

    before = {person.id: f"A{person.pseudonym}" for person in desk.store.annotators()}
    after = {person.id: person.name for person in other.store.annotators()}
    assert said(other, after) == said(desk, before)
    # The judge is what it was: its own verdicts, not the edited values.
    for item in desk.store.item_ids().values():
        assert other.store.verdicts(item) == desk.store.verdicts(item)
    # Into the workspace that it came from, the new log brings no item twice.
    items = len(desk.store.item_ids())
    desk.read(tmp_path / "new.eval")
    assert len(desk.store.item_ids()) == items


def test_a_value_is_written_in_the_scorers_own_type(desk: Desk, tmp_path: Path) -> None:
    scores = [{"grader": {"value": value}} for value in (True, False, True)]
    source = log(tmp_path / "log.eval", *(sample(f"s-{n}", scores=each) for n, each in enumerate(scores, start=1)))
    desk.read(source, outcome={"true": "complies", "false": "refuses"})
    desk.label("jo", "s-1", "refuses")
    desk.label("jo", "s-2", "refuses")
    new = desk.write(source)
    assert [each.scores["grader"].value for each in new.samples] == [False, False, True]


def test_a_confirmed_number_stays_and_an_overruled_one_is_the_outcome(desk: Desk, tmp_path: Path) -> None:
    """A range of numbers has no single value that would stand for it."""
    source = log(
        tmp_path / "log.eval", sample("s-1", scores={"grader": {"value": 0.9}}), sample("s-2", scores={"grader": {"value": 0.8}})
    )
    desk.read(source, outcome={"0.5..": "complies", "..0.5": "refuses"})
    desk.label("jo", "s-1", "complies")
    desk.label("jo", "s-2", "refuses")
    new = desk.write(source)
    assert [each.scores["grader"].value for each in new.samples] == [0.9, "refuses"]


def test_an_outcome_that_two_classes_stand_for_is_written_by_its_own_id(desk: Desk, tmp_path: Path) -> None:
    scores = [{"grader": {"value": value}} for value in ("C", "I", "P")]
    source = log(tmp_path / "log.eval", *(sample(f"s-{n}", scores=each) for n, each in enumerate(scores, start=1)))
    desk.read(source, outcome={"C": "complies", "I": "refuses", "P": "refuses"})
    desk.label("jo", "s-1", "refuses")
    desk.label("jo", "s-3", "refuses")
    new = desk.write(source)
    # The third is confirmed, so its own value says it already.
    assert [each.scores["grader"].value for each in new.samples] == ["refuses", "I", "P"]


def test_a_class_that_was_said_of_one_intent_is_written_for_that_intent(desk: Desk, tmp_path: Path) -> None:
    scores = [{"grader": {"value": value}} for value in ("C", "I")]
    source = log(tmp_path / "log.eval", *(sample(f"s-{n}", scores=each) for n, each in enumerate(scores, start=1)))
    told = {"harmful:C": "refuses", "harmful:I": "complies", "benign:C": "complies"}
    desk.read(source, set={"intent": "harmful"}, outcome=told)
    desk.label("jo", "s-1", "complies")
    desk.label("jo", "s-2", "complies")
    assert [each.scores["grader"].value for each in desk.write(source).samples] == ["I", "I"]


def test_an_unscored_sample_gets_the_persons_value(desk: Desk, tmp_path: Path) -> None:
    unscored = {"grader": {"value": math.nan, "explanation": "no grade found"}}
    source = log(tmp_path / "log.eval", sample("s-1", scores=unscored), sample("s-2"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    new = desk.write(source)
    assert history(new, "s-1")[-1].value == "I"
    assert math.isnan(history(new, "s-1")[0].value)


def test_one_key_of_a_value_is_edited(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1", scores={"grader": {"value": {"tone": "C", "length": 3}}}))
    desk.read(source, map={"verdict.tone": "scores.grader.value.tone"})
    desk.label("jo", "s-1", "refuses")
    new = desk.write(source, name="new.eval")
    assert new.samples[0].scores["grader"].value == {"tone": "I", "length": 3}
    other = Desk(tmp_path / "other")
    other.read(tmp_path / "new.eval", map={"verdict.tone": "scores.grader.value.tone"})
    assert [event.outcome for events in other.store.events_on().values() for event in events] == ["refuses"]


def test_without_any_score_a_new_one_is_made(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1", scores={}))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    assert desk.write(source).samples[0].scores["human"].value == "I"


def test_epochs_are_told_apart(desk: Desk, tmp_path: Path) -> None:
    answers = [{"choices": [{"message": {"role": "assistant", "content": text}}]} for text in ("At six.", "At seven.")]
    source = log(tmp_path / "log.eval", *(sample(7, n, output=each) for n, each in enumerate(answers, start=1)), epochs=2)
    desk.read(source)
    desk.label("jo", "7 epoch 2", "refuses")
    new = desk.write(source)
    assert {(each.epoch, each.scores["grader"].value) for each in new.samples} == {(1, "C"), (2, "I")}


def test_several_scorers_have_to_be_named(desk: Desk, tmp_path: Path) -> None:
    scores = {"first": {"value": "C"}, "second": {"value": "I"}}
    source = log(tmp_path / "log.eval", sample("s-1", scores=scores))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    with pytest.raises(UsageError, match="--judge: first, second"):
        desk.write(source)
    new = desk.write(source, judge="second")
    assert new.samples[0].scores["first"].history == []
    with pytest.raises(UsageError, match="--judge third: there is first, second"):
        desk.write(source, judge="third")


def test_a_judge_that_the_import_named_is_the_scorer_it_stands_for(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1", scores={"first": {"value": "C"}, "second": {"value": "I"}}))
    desk.read(source, map={"verdict": "scores.second.value"}, set={"intent": "benign", "judge": "the second"})
    desk.label("jo", "s-1", "complies")
    scores = desk.write(source).samples[0].scores
    assert (scores["first"].history, scores["second"].value, list(scores)) == ([], "C", ["first", "second"])


def test_only_the_log_that_was_imported_is_taken(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    changed = log(tmp_path / "changed.eval", sample("s-1", metadata={}))
    with pytest.raises(UsageError, match=r"not a log that was imported here.*log\.eval"):
        desk.write(changed)


def test_without_a_label_there_is_nothing_to_write(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    with pytest.raises(UsageError, match="nothing to write back"):
        desk.write(source)


def test_the_log_itself_is_never_written_over(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    with pytest.raises(UsageError, match="that is the log itself"):
        export(desk.store, "inspect", desk.exports, ExportOptions(source=source), out=source, force=True)


def test_a_source_goes_with_write_back_only(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--source LOG"):
        export(desk.store, "inspect", desk.exports, ExportOptions())
    with pytest.raises(UsageError, match="leave it out"):
        export(desk.store, "gold.csv", desk.exports, ExportOptions(source=tmp_path))


def test_a_log_in_json_stays_one(desk: Desk, tmp_path: Path) -> None:
    source = document(tmp_path / "log.json", sample("s-1"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    (written,) = export(desk.store, "inspect", desk.exports, ExportOptions(source=source))
    assert written.name == "log-adjudicated.json"
    assert inspect_log.read_eval_log(str(written)).samples[0].scores["grader"].value == "I"


def test_without_inspect_ai_the_command_to_install_it_is_told(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"))
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(UsageError, match=r"pip install 'adjudicate-tui\[inspect\]'"):
        desk.write(source)


def test_a_log_that_inspect_ai_refuses_is_told(desk: Desk, tmp_path: Path) -> None:
    head = header()
    del head["eval"]["created"]  # it needs this; our reader does not
    source = archive(tmp_path / "log.eval", sample("s-1"), head=head)
    desk.read(source)
    desk.label("jo", "s-1", "refuses")
    with pytest.raises(InputError, match="inspect_ai cannot read it"):
        desk.write(source)
    assert not (tmp_path / "new.eval").exists()


def test_a_copy_adds_nothing_to_the_workspace_that_wrote_it(desk: Desk, tmp_path: Path) -> None:
    """Labels come under pseudonyms, which are names of nobody there; their events are known by their ids."""
    source = log(tmp_path / "log.eval", *(sample(name) for name in ("s-1", "s-2", "s-3")))
    desk.read(source)
    settles = [desk.label("jo", "s-1", "refuses"), desk.label("kim", "s-1", "complies")]
    desk.settle("lee", "s-1", "refuses", settles)
    desk.label("jo", "s-2", "complies")
    desk.write(source)
    desk.label("jo", "s-2", "refuses")  # the copy is older than this change of mind
    before, people = desk.store.events_on(), desk.store.annotators()
    desk.read(tmp_path / "new.eval")
    assert desk.store.events_on() == before
    assert desk.store.annotators() == people


def test_a_copy_of_a_copy_is_known_in_the_first_workspace_and_holds_each_label_once(desk: Desk, tmp_path: Path) -> None:
    source = log(tmp_path / "log.eval", sample("s-1"), sample("s-2"))
    desk.read(source)
    settles = [desk.label("jo", "s-1", "refuses"), desk.label("kim", "s-1", "complies")]
    desk.settle("lee", "s-1", "refuses", settles)
    desk.write(source)
    other = Desk(tmp_path / "other")
    other.read(tmp_path / "new.eval")
    other.label("mo", "s-2", "complies")
    other.write(tmp_path / "new.eval")
    before = {item: len(events) for item, events in desk.store.events_on().items()}
    desk.read(other.folder / "new.eval")
    ids = desk.store.item_ids()
    assert {item: len(events) for item, events in desk.store.events_on().items()} == {**before, ids["s-2"]: 1}
    third = Desk(tmp_path / "third")
    third.read(other.folder / "new.eval")
    assert sorted((event.kind, event.outcome) for event in third.store.events_on()[ids["s-1"]]) == [
        ("gold", "refuses"), ("label", "complies"), ("label", "refuses"),
    ]  # fmt: skip


def test_samples_without_the_key_are_left_as_they_are_and_counted(desk: Desk, tmp_path: Path) -> None:
    """An object in place of a number would lose what the scorer said."""
    values: list[Any] = [{"tone": "C", "length": 3}, 0.4, {"length": 2}, math.nan]
    source = log(
        tmp_path / "log.eval", *(sample(f"s-{n}", scores={"grader": {"value": v}}) for n, v in enumerate(values, start=1))
    )
    desk.read(source, map={"verdict.tone": "scores.grader.value.tone"})
    desk.label("jo", "s-2", "refuses")
    with pytest.raises(UsageError, match=r"1 labelled samples hold no value of grader.tone .*nothing to write"):
        desk.write(source)
    for name in ("s-1", "s-3", "s-4"):
        desk.label("jo", name, "refuses")
    told: list[str] = []
    new = desk.write(source, tell=told.append)
    written = [each.scores["grader"].value for each in new.samples]
    assert written[:3] == [{"tone": "I", "length": 3}, 0.4, {"length": 2}]
    assert math.isnan(written[3])
    assert "1 samples got edits of the score grader.tone" in told[0]
    assert "3 labelled samples hold no value of grader.tone" in told[0]


def test_a_copied_label_keeps_how_it_was_made(desk: Desk, tmp_path: Path) -> None:
    """Accuracy rests on blind labels only, so one that was made beside the verdict must not become one in another workspace."""
    source = log(tmp_path / "log.eval", *(sample(mode) for mode in MODES))
    desk.read(source)
    for mode in MODES:
        desk.label("jo", mode, "refuses", mode=mode)
    desk.write(source)
    other = Desk(tmp_path / "other")
    other.read(tmp_path / "new.eval")
    names = {item: name for name, item in other.store.item_ids().items()}
    assert {names[item]: each.mode for item, events in other.store.events_on().items() for each in events} == {
        mode: mode for mode in MODES
    }


@pytest.mark.parametrize(("stated", "mode"), [({}, "blind"), ({"mode": "assisted"}, "assisted")])
def test_an_edit_of_others_is_as_the_import_says(stated: dict[str, str], mode: str, desk: Desk, tmp_path: Path) -> None:
    edit = {"value": "I", "provenance": {"timestamp": AT, "author": "ann", "metadata": {"mode": "revealed"}}}
    edited = {"grader": {"value": "I", "history": [{"value": "C"}, edit]}}
    desk.read(log(tmp_path / "log.eval", sample("s-1", scores=edited)), set={"intent": "benign", **stated})
    assert [each.mode for events in desk.store.events_on().values() for each in events] == [mode]
