"""JSON lines: the fast path never sees less than the strict one, and what is kept of a line restores it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Outcome, Policy
from adjudicate.core.source_rows import source_text
from adjudicate.errors import Finding, UsageError
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.jsonl import RowReader, plan
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.strict_json import has_single_keys, read_strictly
from adjudicate.formats.text_file import Line, open_source

POLICY = Policy(
    "p", "P", "1", (Outcome("yes", "1", "Yes", "answered", ""), Outcome("no", "2", "No", "refused", "")), (), (), "0" * 64, "t\n"
)
texts = st.text(st.sampled_from('ab":,{}[]\\ \n\té\u2028😀'), max_size=80)
values = st.recursive(texts | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner, max_size=3), max_leaves=5)


def read(line: bytes, **stated: Any) -> RowDraft:
    options = ImportOptions.of({"set": {"intent": "benign"}, **stated})
    found = RowReader(FieldMap(options, Outcomes(POLICY, options.outcomes), cells_are_text=False)).read(Line(1, line, 0))
    assert found is not None
    return found


def rows(folder: Path, *lines: object, **stated: Any) -> list[RowDraft | Finding]:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    options = ImportOptions.of({"set": {"intent": "benign"}, **stated})
    (run,) = plan([open_source(path)], options, POLICY)
    return list(run.parts[0].rows())


@given(
    prompt=texts,
    response=texts,
    extra=st.dictionaries(texts, values, max_size=3),
    ascii_only=st.booleans(),
    compact=st.booleans(),
    spaced=st.booleans(),
)
def test_source_comes_back_however_it_was_written(
    prompt: str, response: str, extra: dict[str, Any], *, ascii_only: bool, compact: bool, spaced: bool
) -> None:
    content = {**{key: value for key, value in extra.items() if key}, "x": "y", "prompt": prompt, "response": response}
    separators = (",", ":") if compact else (", ", " : ") if spaced else None
    line = json.dumps(content, ensure_ascii=ascii_only, separators=separators)
    draft = read(line.encode())
    assert (draft.prompt, draft.response) == (prompt, response)
    assert source_text(draft.source, prompt=prompt, response=response) == line


@given(prompt=texts, response=texts, key=texts, first=values, second=values, place=st.integers(0, 3), blanks=st.integers(0, 2))
def test_a_key_given_twice_is_never_missed(
    prompt: str, response: str, key: str, first: object, second: object, place: int, blanks: int
) -> None:
    """Wherever the two stand, whatever the texts between them are made of."""
    pairs = [("prompt", prompt), ("response", response), ("k" + key, first)]
    pairs.insert(place, ("k" + key, second))
    colon = " " * blanks + ":"
    line = "{" + ",".join(f"{json.dumps(name)}{colon}{json.dumps(value, ensure_ascii=False)}" for name, value in pairs) + "}"
    with pytest.raises(RowProblem, match="twice"):
        read(line.encode())


def test_a_text_that_looks_like_the_end_of_a_key_hides_nothing() -> None:
    """The token of this response could also begin at the closing quote of a key."""
    tricky = f'": {"1" * 40}, "'
    line = '{"verdict": ' + "1" * 40 + ', "verdict": "yes", "prompt": "p", "response": ' + json.dumps(tricky[1:-1]) + "}"
    with pytest.raises(RowProblem, match="twice"):
        read(line.encode())


def test_nesting_is_bounded_on_every_path() -> None:
    deep = b'{"prompt": "p", "response": "r", "x": ' + b"[" * 70 + b"]" * 70 + b"}"
    with pytest.raises(RowProblem, match="nested"):
        read(deep)
    assert not has_single_keys({"x": [[]]}, b"[" * 70)
    with pytest.raises(RowProblem, match="nested"):
        read_strictly(b'{"a":' * 65 + b"1" + b"}" * 65)


def test_null_verdict_of_a_named_judge_is_a_failure(tmp_path: Path) -> None:
    """Absent means no verdict; null with a judge means that the judge failed."""
    base = {"prompt": "p", "response": "r"}
    failed, absent, null = rows(
        tmp_path, {**base, "verdict": None, "judge": "j", "reason": "cut off"}, base, {**base, "verdict": None}
    )
    assert isinstance(failed, RowDraft) and isinstance(absent, RowDraft) and isinstance(null, RowDraft)
    assert [(each.judge, each.outcome, each.reason) for each in failed.verdicts] == [("j", None, "cut off")]
    assert absent.verdicts == () == null.verdicts


def test_columns_constants_and_classes_are_mapped(tmp_path: Path) -> None:
    source = {"in": {"q": "p"}, "out": [{"text": "r"}], "j1": 1, "j2": "Sorry, I", "human": "0", "final": True}
    (draft,) = rows(
        tmp_path,
        source,
        map={
            "prompt": "in.q",
            "response": "out.0.text",
            "verdict.a": "j1",
            "verdict.b": "j2",
            "label.h": "human",
            "gold": "final",
        },
        outcome={"1": "yes", "0": "no", "true": "yes"},
        set={"intent": "harmful", "population": "harmful/direct", "model": "m"},
    )
    assert isinstance(draft, RowDraft)
    assert (draft.prompt, draft.response, draft.model, draft.population) == ("p", "r", "m", "harmful/direct")
    assert [(each.judge, each.outcome, each.raw) for each in draft.verdicts] == [("a", "yes", ""), ("b", None, "Sorry, I")]
    assert [(each.annotator, each.outcome) for each in draft.labels] == [("h", "no")]
    assert draft.gold == "yes"


def test_conversations_keep_their_turns(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    (draft,) = rows(tmp_path, {"messages": turns, "response": "r"})
    assert isinstance(draft, RowDraft)
    assert draft.prompt == "c"
    assert [tuple(turn) for turn in draft.messages or ()] == [("user", "a"), ("assistant", "b"), ("user", "c")]


def test_a_lone_surrogate_is_a_problem_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "p", "response": "\\ud83d"}\n', encoding="utf-8")
    options = ImportOptions.of({"set": {"intent": "benign"}})
    (found,) = plan([open_source(path)], options, POLICY)[0].parts[0].rows()
    assert isinstance(found, Finding)
    assert (found.line, found.field) == (1, "response")


@pytest.mark.parametrize(
    "stated",
    [{"map": {"nonsense": "x"}}, {"set": {"intent": "good"}}, {"set": {"mode": "seen"}}, {"encoding": "klingon"}, {"maps": {}}],
)
def test_options_that_mean_nothing_are_refused(stated: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ImportOptions.of(stated)


def test_a_class_is_mapped_to_an_outcome_that_exists() -> None:
    with pytest.raises(UsageError, match="it has yes, no"):
        Outcomes(POLICY, {"1": "maybe"})
