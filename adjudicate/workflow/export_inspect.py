"""A copy of an imported Inspect log with what people said of its samples: each label an edit of the score, gold as its value.

An item that people disagree on keeps the scorer's value, with everyone's label in the history. Nothing else changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.gold import Gold, settle
from adjudicate.core.labels import Event, origin
from adjudicate.core.policy import INTENTS, Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats import inspect_
from adjudicate.formats.inspect_edit import Format, HumanEdit, InspectEditor, SampleKey
from adjudicate.formats.inspect_log import is_archive
from adjudicate.formats.inspect_scores import LABEL, OPEN, SETTLEMENT, Question, question
from adjudicate.formats.text_file import SourceFile, open_source
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import FrameItem
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.imported_log import HOW, imported_log
from adjudicate.workflow.pseudonyms import pseudonyms

VERDICT = "verdict."
"""Before a judge's name in a mapping."""
NEW_SCORE = "human"
"""Name of the score where the log has none."""
OURSELVES = "adjudicate"
"""Author of the edit that puts a scorer's value back."""
FORMATS: Mapping[str, Format] = {".eval": "eval", ".json": "json"}
TOLD = (
    "{samples:,} samples got edits of the score {judge}, {unsettled:,} of them without a new value because people disagree."
    " The copy holds the prompts and responses of the log: handle it with the same care"
)
LEFT = (
    "{samples:,} labelled samples hold no value of {judge} and are left as they are: an object would stand where the scorer"
    " gave none"
)


def inspect_files(store: SqliteStore, options: ExportOptions) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """The one file: the log with its scores edited.

    Args:
        store: An open store.
        options: ``source`` names the log; ``judge`` the scorer, ``run`` the import, where several could be meant.

    Raises:
        UsageError: The log is not what was imported, nothing in it is labelled, or the scorer is not clear.
        InputError: inspect_ai cannot read it.
    """
    source = open_source(options.source or Path())
    run = imported_log(store, source, of=inspect_.NAME, title="Inspect", run_id=options.run)
    places = [place for place in store.frame_items() if place.run_id == run.id and options.model in (None, place.model)]
    form: Format = "eval" if is_archive(source) else "json"
    editor = InspectEditor(source, form)
    said: dict[str, dict[str, str]] = json.loads(store.run_options(run.id))
    judge = _judge(places, _judges(places, _named(said), editor.scorers), options.judge)
    asked = _asked(said, judge, editor.scorers)
    edits = _edits(store, run, places, asked, options)
    if not edits:
        raise UsageError(f"{source.shown}: no item of this log is labelled here, so there is nothing to write back")
    lacking = [key for key in edits if not editor.holds(key, asked.question)]
    edits = {key: of_sample for key, of_sample in edits.items() if key not in lacking}
    left = LEFT.format(samples=len(lacking), judge=visible_line(asked.question.judge)) if lacking else ""
    if not edits:
        raise UsageError(f"{source.shown}: {left}; there is nothing to write back")
    editor.edit(edits, asked.question)
    suffix = source.path.suffix if source.path.suffix in FORMATS else f".{form}"
    unsettled = sum(of_sample[-1].outcome is None for of_sample in edits.values())
    told = TOLD.format(samples=len(edits), judge=visible_line(asked.question.judge), unsettled=unsettled)

    def write(path: Path) -> None:
        _write(editor, source, path, form)
        options.tell(f"{told}. {left}" if left else told)

    yield f"{source.stem}-adjudicated{suffix}", write


@dataclass(frozen=True, slots=True)
class _Asked:
    """The score that labels go into."""

    judge: str
    """Its name in the workspace."""
    question: Question
    classes: Mapping[str, str]
    """Raw class to outcome, as the import was told."""

    def said_of(self, intent: str) -> dict[str, str]:
        """Raw class to outcome for prompts of an intent: what was said of it alone (``harmful:C``) goes before the rest."""
        start = f"{intent}:"
        general = {raw: means for raw, means in self.classes.items() if raw.partition(":")[0] not in INTENTS}
        return general | {raw.removeprefix(start): means for raw, means in self.classes.items() if raw.startswith(start)}


def _write(editor: InspectEditor, source: SourceFile, path: Path, form: Format) -> None:
    editor.write(path, FORMATS.get(path.suffix.lower(), form))
    if open_source(source.path).sha256 != source.sha256:
        raise source.refused("the log changed while it was written back; export again")


def _named(said: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The judges that the import was told of, each with the path of its verdict."""
    columns = said["map"]
    found = {name.removeprefix(VERDICT): path for name, path in columns.items() if name.startswith(VERDICT)}
    return found | ({said["set"].get("judge", "judge"): columns["verdict"]} if "verdict" in columns else {})


def _judges(places: Sequence[FrameItem], named: Mapping[str, str], scorers: Sequence[str]) -> list[str]:
    """Every judge that could be meant: those that the import was told of, or all scorers of the log."""
    if named:
        return list(named)
    seen = dict.fromkeys(judge for place in places for judge in place.verdicts)
    unseen = [each for each in scorers if not any(judge == each or judge.startswith(f"{each}.") for judge in seen)]
    return [*seen, *unseen]


def _judge(places: Sequence[FrameItem], judges: Sequence[str], wanted: str | None) -> str | None:
    """The judge that is meant; None where the log has no scores."""
    if wanted is not None:
        if judges and wanted not in judges:
            raise UsageError(f"--judge {visible_line(wanted)}: there is {visible_line(', '.join(judges))}")
        return wanted
    drawn_by = list(dict.fromkeys(place.drawn_by for place in places if place.drawn_by is not None))
    for only in (judges, drawn_by):
        if len(only) == 1:
            return only[0]
    if judges:
        raise UsageError(f"the log has several scores: say which with --judge: {visible_line(', '.join(judges))}")
    return None


def _asked(said: Mapping[str, Mapping[str, str]], judge: str | None, scorers: Sequence[str]) -> _Asked:
    if judge is None:
        return _Asked("", question(NEW_SCORE), said["outcome"])
    name = _named(said).get(judge, "").removeprefix("scores.").replace(".value", "", 1) or judge
    # The name of a scorer may hold dots itself, so the longest that fits is meant.
    scorer = max((each for each in scorers if name == each or name.startswith(f"{each}.")), key=len, default=name)
    return _Asked(judge, question(scorer, name.removeprefix(f"{scorer}.") if name != scorer else None), said["outcome"])


def _edits(
    store: SqliteStore, run: Run, places: Sequence[FrameItem], asked: _Asked, options: ExportOptions
) -> dict[SampleKey, list[HumanEdit]]:
    """Edits by sample, for every item that anyone has labelled."""
    events, kept, policy = store.events_on([place.item_id for place in places]), store.item_sources(run.id), store.policy()
    maker = _EditMaker(policy, pseudonyms(store), with_text=options.with_text)
    found: dict[SampleKey, list[HumanEdit]] = {}
    for place in places:
        gold = settle(events.get(place.item_id, ()))
        if gold is None or not (gold.labels or gold.settlement):
            continue
        where = json.loads(kept[place.item_id])
        found[where["sample"], where["epoch"]] = maker.edits(gold, place.verdicts.get(asked.judge), asked.said_of(place.intent))
    return found


@dataclass(frozen=True, slots=True)
class _EditMaker:
    """Turns what holds for an item into edits."""

    policy: Policy
    names: Mapping[str, str]
    with_text: bool

    def edits(self, gold: Gold, verdict: str | None, classes: Mapping[str, str]) -> list[HumanEdit]:
        """Everyone's label, then what settled them, or the scorer's value again while nothing does."""
        labels = sorted(gold.labels, key=lambda event: (event.at, event.id))
        made = [self._edit(event, LABEL, gold, verdict, classes) for event in labels]
        if gold.is_open:
            return [*made, self._put_back(gold, made[-1].day)] if made else []
        return [*made, self._edit(gold.settlement, SETTLEMENT, gold, verdict, classes)] if gold.settlement else made

    def _edit(self, event: Event, kind: str, gold: Gold, verdict: str | None, classes: Mapping[str, str]) -> HumanEdit:
        outcome = event.outcome or ""
        told = self._told(event, HOW[gold.how] if kind == SETTLEMENT else "label of one person")
        rationale = str(event.body.get("rationale") or "") if self.with_text else ""
        said = {key: value for key in ("clause", "severity") if (value := event.body.get(key)) is not None}
        mode = {"mode": event.mode} if event.mode else {}
        noted = {"kind": kind, "outcome": outcome, **said, **mode, "policy": event.policy, "event": origin(event)}
        return HumanEdit(
            author=self.names[event.annotator_id],
            day=event.at[:10],
            reason=f"{told}: {rationale}" if rationale else told,
            noted=noted,
            outcome=outcome,
            classes=tuple(raw for raw, means in classes.items() if means == outcome and ".." not in raw),
            keeps_value=verdict is not None and verdict == outcome,
            explanation=f"{told}\n\n{rationale}" if rationale else told,
            metadata={"outcome": outcome, "how": gold.how, **said, "policy": event.policy},
        )

    def _put_back(self, gold: Gold, day: str) -> HumanEdit:
        noted = {"kind": OPEN, "labels": len(gold.labels)}
        metadata = {"outcome": None, "how": gold.how, "labels": len(gold.labels)}
        return HumanEdit(OURSELVES, day, HOW[gold.how], noted, metadata=metadata)

    def _told(self, event: Event, how: str) -> str:
        outcome = self.policy.outcome(event.outcome or "")
        title = outcome.title if outcome else event.outcome
        clause = event.body.get("clause")
        return f"{title} ({how}; policy {self.policy.id} {self.policy.version}{f', clause {clause}' if clause else ''})"
