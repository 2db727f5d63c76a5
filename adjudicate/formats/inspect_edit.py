"""Human labels into a copy of an Inspect log, through inspect_ai's own score editing: history, provenance, metrics."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.formats.import_options import raw_text
from adjudicate.formats.inspect_scores import NOTE, Question
from adjudicate.formats.text_file import SourceFile

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score

NOT_INSTALLED = "writing back into Inspect logs goes through inspect_ai: pip install 'adjudicate-tui[inspect]'"
SHOWN = 200
Format = Literal["eval", "json"]

SampleKey = tuple[int | str, int]
"""Id and epoch of a sample."""


@dataclass(frozen=True, slots=True)
class HumanEdit:
    """One act of a person as one edit of a score."""

    author: str
    """A pseudonym."""
    day: str
    """ISO date. Times of day stay in the workspace."""
    reason: str
    """What was decided and how, for the provenance."""
    noted: Mapping[str, Any]
    """The same for programs: ``kind``, ``outcome``, ``clause`` ..."""
    outcome: str | None = None
    """None puts the scorer's own value back."""
    classes: tuple[str, ...] = ()
    """What the outcome is called in logs, as the import was told."""
    keeps_value: bool = False
    """Whether the scorer's own value says the same already."""
    explanation: str | None = None
    """In place of the scorer's, which the history keeps."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What the score's metadata holds besides from now on."""


class InspectEditor:
    """One log, read by inspect_ai, on its way to a copy with edited scores."""

    def __init__(self, source: SourceFile, form: Format) -> None:
        """Read the log.

        Raises:
            UsageError: inspect_ai is not installed.
            InputError: It cannot read the log.
        """
        try:
            from inspect_ai.log import read_eval_log
        except ImportError:
            raise UsageError(NOT_INSTALLED) from None
        try:
            self._log: EvalLog = read_eval_log(str(source.content), format=form)
        except Exception as error:  # whatever its models and storage raise
            raise source.refused(f"inspect_ai cannot read it: {_first_line(error)}") from error
        self._source = source
        self._samples: dict[SampleKey, EvalSample] = {(each.id, each.epoch): each for each in self._log.samples or ()}

    @property
    def scorers(self) -> list[str]:
        """Scorers whose scores stand in the samples, in order of appearance."""
        return list(dict.fromkeys(name for sample in self._samples.values() for name in sample.scores or ()))

    def holds(self, sample: SampleKey, question: Question) -> bool:
        """Whether a sample can be edited there: a key of a value must be there, or the edit would put an object over a number."""
        if question.key is None or sample not in self._samples:
            return True
        return question.key in _whole_value((self._samples[sample].scores or {}).get(question.scorer))

    def edit(self, edits: Mapping[SampleKey, Sequence[HumanEdit]], question: Question) -> None:
        """Edit the scores of samples, each by its edits in turn, and compute the metrics anew.

        Raises:
            InputError: A sample is not in the log, or the metrics cannot be computed.
        """
        classes = _Classes(_own_value(sample, question) for sample in self._samples.values())
        for key, of_sample in edits.items():
            if key not in self._samples:
                raise self._source.refused(f"sample {visible_line(str(key[0]))}, epoch {key[1]}: not in the log")
            for each in of_sample:
                self._edit_one(self._samples[key], question, each, classes)
        self._recompute()

    def write(self, path: Path, form: Format) -> None:
        """Write the log to a new file.

        Raises:
            InputError: inspect_ai cannot write it.
        """
        from inspect_ai.log import write_eval_log

        try:
            write_eval_log(self._log, str(path), format=form)
        except OSError:
            raise
        except Exception as error:  # whatever its models and storage raise
            raise InputError(f"inspect_ai cannot write the log: {_first_line(error)}") from error

    def _edit_one(self, sample: EvalSample, question: Question, edit: HumanEdit, classes: _Classes) -> None:
        from inspect_ai.log import ProvenanceData, edit_score
        from inspect_ai.scorer import ScoreEdit

        score = (sample.scores or {}).get(question.scorer)
        answer = _answer(sample, question, edit, classes)
        noted = {**edit.noted, **({"key": question.key} if question.key is not None else {})}
        changes: dict[str, Any] = {
            "value": answer if question.key is None else {**_whole_value(score), question.key: answer},
            # An edit replaces the metadata, so what the scorer noted there (its grading above all) is carried along.
            "metadata": {**((score.metadata if score else None) or {}), NOTE: dict(edit.metadata)},
            "provenance": ProvenanceData(
                timestamp=datetime.fromisoformat(f"{edit.day}T00:00:00+00:00"),
                author=edit.author,
                reason=edit.reason,
                metadata={NOTE: noted},
            ),
            **_words(score, edit),
        }
        edit_score(self._log, sample.id, question.scorer, ScoreEdit(**changes), recompute_metrics=False, epoch=sample.epoch)

    def _recompute(self) -> None:
        from inspect_ai.log import recompute_metrics

        if self._log.results is None:
            return  # an unfinished run has no metrics
        try:
            recompute_metrics(self._log)
        except Exception as error:  # scorers and metrics are anyone's code
            raise InputError(
                f"inspect_ai cannot compute the metrics of this log anew ({_first_line(error)}): install the package that its"
                " scorers and metrics come from, and export again"
            ) from error


class _Classes:
    """Values of a scorer as the log holds them, by how they are spelled."""

    def __init__(self, values: Iterable[object]) -> None:
        found = [value for value in values if value is not None]
        self._seen = {raw_text(value): value for value in found}
        self._numbers = bool(found) and all(isinstance(value, int | float) for value in found)

    def spelled(self, outcome: str, classes: Sequence[str]) -> object:
        """What the scorer itself calls an outcome, in its own type; the outcome's id where not exactly one class is known."""
        seen = [each for each in classes if each in self._seen]
        if len(seen) == 1:
            return self._seen[seen[0]]
        if seen or len(classes) != 1:
            return outcome
        return _number(classes[0]) if self._numbers else classes[0]


def _answer(sample: EvalSample, question: Question, edit: HumanEdit, classes: _Classes) -> object:
    own = _own_value(sample, question)
    if edit.outcome is None:
        return math.nan if own is None else own
    return own if edit.keeps_value and own is not None else classes.spelled(edit.outcome, edit.classes)


def _words(score: Score | None, edit: HumanEdit) -> dict[str, Any]:
    """What the edit says of explanation and reason; the scorer's own again where its value is put back."""
    if edit.outcome is not None:
        # Why a scorer had failed is not true of a person's value.
        return {"explanation": edit.explanation, **({"reason": None} if getattr(score, "reason", None) is not None else {})}
    if score is None or not score.history or score.history[0].provenance is not None:
        return {"explanation": None}
    first = score.history[0]
    return {"explanation": first.explanation, **({"reason": first.reason} if getattr(first, "reason", None) is not None else {})}


def _own_value(sample: EvalSample, question: Question) -> object:
    """What the scorer itself said; None where it said nothing."""
    score = (sample.scores or {}).get(question.scorer)
    if score is None:
        return None
    first = score.history[0] if score.history else None
    if first is not None and first.provenance is not None:
        return None
    value: Any = score.value if first is None else first.value
    if question.key is not None:
        value = value.get(question.key) if isinstance(value, Mapping) else None
    return None if isinstance(value, float) and math.isnan(value) else value


def _whole_value(score: Score | None) -> Mapping[str, Any]:
    return score.value if score is not None and isinstance(score.value, Mapping) else {}


def _number(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) else text


def _first_line(error: Exception) -> str:
    return shortened(f"{type(error).__name__}: {error}".splitlines()[0], SHOWN)
