"""From one sample of an Inspect log to a row of import fields.

The prompt is all that the model had seen before its last answer, system and tool turns included; the response is that answer.
A sample that ended before the model answered is no item; one whose answer is empty is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from adjudicate.core.text import shortened, visible_line
from adjudicate.formats import inspect_scores
from adjudicate.formats.content import text_of
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.inspect_texts import plain_message, plain_messages, whole_text
from adjudicate.formats.problem import RowProblem, kind_of
from adjudicate.formats.strict_json import read_strictly

SHOWN_ERROR = 200


class _Event(msgspec.Struct):
    """An event of the transcript: nothing is taken from it, but a log whose events have no kind is not Inspect's."""

    event: str


class Sample(msgspec.Struct):
    """What is read of a sample. The rest (the transcript above all) is passed over without being decoded."""

    id: int | str
    epoch: int
    input: str | list[Any]
    target: Any = None
    choices: Any = None
    messages: list[Any] = []
    output: Any = None
    scores: Any = None
    score: Any = None
    """The only score, in the first version of the log."""
    metadata: Any = None
    error: Any = None
    invalidation: Any = None
    uuid: Any = None
    attachments: dict[str, str] = {}
    events: list[_Event] = []


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Sample).decode
_CONSTANTS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b', re.DOTALL)
_NOT_A_NUMBER = re.compile(rb"\b(?:NaN|Infinity)\b")


def decoded(data: bytes) -> Sample:
    """A sample from its JSON.

    Raises:
        RowProblem: It is no JSON, or lacks what a sample has.
    """
    try:
        return _decode(data)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        pass
    try:
        return _decode(without_constants(data))
    except msgspec.ValidationError as error:
        raise RowProblem("", f"not a sample of Inspect: {visible_line(str(error))}") from None
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        read_strictly(data)
        raise RowProblem("", f"not JSON that can be read: {visible_line(str(error))}") from None


def without_constants(data: bytes) -> bytes:
    """The JSON with null in place of NaN and the infinities, which Inspect writes bare and JSON does not know."""
    if _NOT_A_NUMBER.search(data) is None:
        return data
    return _CONSTANTS.sub(lambda match: match[0] if match[0][:1] == b'"' else b"null", data)


@dataclass(slots=True)
class SampleReader:
    """Lays samples of one log out as rows, and counts what a person has to be told of them."""

    options: ImportOptions
    spec: Mapping[str, Any]
    """What the log says of its run, under ``eval``."""
    several_epochs: bool
    judges: dict[str, None] = field(default_factory=dict)
    """Paths of the values that were taken as verdicts, in their order."""
    unscored: Counter[str] = field(default_factory=Counter)
    """Samples that a scorer left unscored, by path of the value."""
    edited: bool = False
    """Whether people changed scores."""
    ended_after_answer: int = 0
    """Samples with an error after the model had answered."""
    without_output: int = 0
    _chosen: frozenset[str] = field(init=False)
    """Paths that ``--map`` names for judges."""
    _of_all: bool = field(init=False)
    """Whether every scorer is a judge, since none was named."""

    def __post_init__(self) -> None:
        columns = self.options.columns
        self._chosen = frozenset(column for name, column in columns.items() if name.startswith("verdict."))
        self._of_all = not self._chosen and "verdict" not in columns

    def row(self, sample: Sample) -> dict[str, Any]:
        """The sample by import fields, with its own keys besides.

        Raises:
            RowProblem: There is nothing to label in it, and why.
        """
        if sample.invalidation is not None:
            raise RowProblem("invalidation", _invalidated(sample.invalidation))
        response = self._response(sample)
        scores = inspect_scores.checked(sample.scores if sample.score is None else {"score": sample.score})
        return {
            "id": sample_name(sample.id, sample.epoch, several=self.several_epochs),
            **self._prompt(sample, response),
            "response": response or "",
            "model": self.spec.get("model") or _output_model(sample),
            **self._judged(sample, scores),
            **(self._own_keys(sample, scores) if self.options.columns else {}),
        }

    def _own_keys(self, sample: Sample, scores: inspect_scores.Scores) -> dict[str, Any]:
        """What `--map` may name besides the fields: the sample as the log has it, with the scorers' own values."""
        return {
            "epoch": sample.epoch,
            "input": sample.input,
            "target": sample.target,
            "choices": sample.choices,
            "metadata": sample.metadata,
            "uuid": sample.uuid,
            "output": sample.output,
            "scores": inspect_scores.as_said(scores),
            "eval": self.spec,
        }

    def _response(self, sample: Sample) -> str | None:
        """What the model answered last; None where there is no output at all."""
        found = _answer(sample)
        if sample.error is not None:
            if not found:
                raise RowProblem("error", f"the sample ended with an error: {_error(sample.error)}")
            self.ended_after_answer += 1
        self.without_output += found is None
        return found

    def _prompt(self, sample: Sample, response: str | None) -> dict[str, Any]:
        columns = self.options.columns
        if "prompt" in columns or "messages" in columns:
            return {}
        messages = _seen_before(sample, response)
        if messages:
            return {"messages": plain_messages(messages, sample.attachments, "messages")}
        if isinstance(sample.input, str):
            return {"prompt": whole_text(sample.input, sample.attachments, "input")}
        return {"messages": plain_messages(sample.input, sample.attachments, "input")}

    def _judged(self, sample: Sample, scores: inspect_scores.Scores) -> dict[str, Any]:
        """Verdicts and labels: of all scorers, or of those that `--map` names."""
        found: dict[str, Any] = {}
        for question, said in inspect_scores.answers(scores, sample.attachments):
            path = question.path
            if not self._of_all and path not in self._chosen:
                continue
            if said is None:
                self.unscored[path] += 1
                continue
            self.judges[path] = None
            found[f"verdict.{question.judge}" if self._of_all else path] = said
        edits = [each for each in inspect_scores.human_values(scores) if self._of_all or each.question.path in self._chosen]
        if edits:
            self.edited = True
            found |= {f"label.{name}": label for name, label in inspect_scores.people(edits).items()}
            if settled := [each.label for each in edits if each.settles]:
                found["gold"] = settled[-1]
        return found


def sample_name(sample_id: int | str, epoch: int, *, several: bool) -> str:
    """The id of an item: that of its sample, with the epoch where the run has several."""
    return f"{sample_id} epoch {epoch}" if several or epoch > 1 else str(sample_id)


def kept(sample: Sample) -> str:
    """What an item keeps for the way back into its log."""
    # What Inspect Scout calls it, where the log has such ids.
    named = {"uuid": sample.uuid} if sample.uuid is not None else {}
    return _encode({"sample": sample.id, "epoch": sample.epoch, **named}).decode()


def _answer(sample: Sample) -> str | None:
    output = sample.output
    if output is None:
        return None
    if not isinstance(output, dict):
        raise RowProblem("output", f"expected an object, found {kind_of(output)}")
    choices = output.get("choices")
    if not isinstance(choices, list) or not choices:
        completion = output.get("completion")
        return whole_text(completion, sample.attachments, "output") if isinstance(completion, str) and completion else None
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        raise RowProblem("output", "the first choice holds no message")
    content = message.get("content")
    if type(content) is str and not (message.get("tool_calls") or message.get("reasoning")):
        return whole_text(content, sample.attachments, "output")
    return text_of({**plain_message(message, sample.attachments, "output"), "role": "assistant"}, "output")


def _output_model(sample: Sample) -> object:
    return sample.output.get("model") if isinstance(sample.output, dict) else None


def _seen_before(sample: Sample, response: str | None) -> list[Any]:
    """The messages before the answer; all of them where the answer was not added to them."""
    messages = sample.messages
    if response is None or not messages:
        return messages
    if _role(messages[-1]) == "assistant":
        return messages[:-1]
    last = next((place for place in range(len(messages) - 1, -1, -1) if _role(messages[place]) == "assistant"), None)
    return messages[:last] if last is not None and _says(messages[last], response, sample) else messages


def _says(message: Mapping[str, Any], response: str, sample: Sample) -> bool:
    return text_of(plain_message(message, sample.attachments, "messages"), "messages") == response


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _error(error: object) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return shortened(message, SHOWN_ERROR) if isinstance(message, str) and message else "without a message"


def _invalidated(provenance: object) -> str:
    """Why a sample does not count any more."""
    found = provenance if isinstance(provenance, dict) else {}
    by, why = (shortened(str(found.get(key) or ""), SHOWN_ERROR) for key in ("author", "reason"))
    return f"the sample was marked as invalid{f' by {by}' if by else ''}{f': {why}' if why else ''}"
