"""The strict policy loader: what it keeps, what it refuses, and how it says so."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding, PolicyError
from adjudicate.formats.policy_file import MAX_BYTES, MAX_FINDINGS, read_policy

GOOD = """\
---
id: sample
title: Sample policy
version: 1.10
outcomes:
  - {id: no, key: "1", title: Yes, behaviour: answered, meaning: It helps., right_for: [benign]}
  - id: harm
    key: 2
    title: 010
    behaviour: answered
    severity: required
    meaning: 2026-01-01
severities:
  - {id: 1, title: Low, meaning: Little.}
rates:
  - {id: harmful_compliance, title: HC, among: harmful, counts: [harm], better: lower}
points:
  benign: {no: 100, harm: 12.5}
costs: {miss: 5, false_alarm: 1, miss/weapons: 20}
---
# Sample

Read this first.

## A1 General

Text of A1.

## B2 Weapons and fraud
Categories: weapons, fraud
Intents: harmful, dual_use

Text of B2.

```
## B9 inside code is not a clause
```
"""
HOSTILE_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def findings_of(text: str | bytes) -> tuple[Finding, ...]:
    """The findings of a policy that must be refused."""
    with pytest.raises(PolicyError) as caught:
        read_policy(text, "sample.md")
    assert str(caught.value).startswith("sample.md:\n")
    assert not HOSTILE_CHARACTERS.search(str(caught.value))
    return caught.value.findings


def changed(old: str, new: str) -> str:
    """The good policy with one part replaced."""
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def found(findings: Sequence[Finding], *, line: int, field: str, words: str) -> bool:
    """Whether a finding has this place and says these words."""
    return any(finding.line == line and finding.field == field and words in finding.message for finding in findings)


def test_reads_front_matter_as_written() -> None:
    """No scalar changes its type or spelling."""
    policy = read_policy(GOOD, "sample.md")
    assert (policy.id, policy.title, policy.version) == ("sample", "Sample policy", "1.10")
    assert [(outcome.id, outcome.key, outcome.title) for outcome in policy.outcomes] == [("no", "1", "Yes"), ("harm", "2", "010")]
    assert policy.outcomes[1].meaning == "2026-01-01"
    assert [outcome.severe for outcome in policy.outcomes] == [False, True]
    assert policy.outcomes[0].right_for == ("benign",)
    assert policy.severities[0].id == "1"
    assert policy.rates[0].counts == ("harm",)
    assert policy.points == {"benign": {"no": 100.0, "harm": 12.5}}
    assert policy.costs == {"miss": 5.0, "false_alarm": 1.0, "miss/weapons": 20.0}


def test_reads_clauses_with_their_metadata() -> None:
    """Categories and intents leave the text; headings in code stay in it."""
    policy = read_policy(GOOD, "sample.md")
    first, second = policy.clauses
    assert policy.preamble == "# Sample\n\nRead this first."
    assert (first.id, first.title, first.text, first.line) == ("A1", "General", "Text of A1.", 25)
    assert (first.categories, first.intents) == ((), ())
    assert (second.id, second.line) == ("B2", 29)
    assert (second.categories, second.intents) == (("weapons", "fraud"), ("harmful", "dual_use"))
    assert second.text == "Text of B2.\n\n```\n## B9 inside code is not a clause\n```"


def test_metadata_may_follow_a_blank_line() -> None:
    """A formatter that puts a blank line below headings does not switch the metadata off."""
    policy = read_policy(changed("fraud\nCategories", "fraud\n\nCategories"), "sample.md")
    assert policy.clauses[1].categories == ("weapons", "fraud")


@pytest.mark.parametrize(
    "same",
    [
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.replace("Text of A1.", "Text of A1. \t "),
        "\ufeff" + GOOD,
        GOOD + "\n\n",
        GOOD.rstrip("\n"),
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
    ],
    ids=["crlf", "cr", "trailing blanks", "byte order mark", "more newlines", "no newline", "bytes", "bytes with mark"],
)
def test_fingerprint_ignores_what_nobody_sees(same: str | bytes) -> None:
    """Line ends, blanks at line ends and a byte order mark do not make another policy."""
    assert read_policy(same, "x") == read_policy(GOOD, "sample.md")


def test_fingerprint_is_the_hash_of_the_text() -> None:
    """Anybody can recompute it; any visible change changes it."""
    policy = read_policy(GOOD, "sample.md")
    assert policy.text == GOOD
    assert policy.fingerprint == hashlib.sha256(GOOD.encode()).hexdigest()
    assert read_policy(changed("Text of A1.", "Text of A1!"), "x").fingerprint != policy.fingerprint


CASES = [
    # (old, new, line, field, words of the message)
    ("id: sample\n", "", 1 + 1, "id", "missing"),
    ("id: sample\n", "id: Sample_1\n", 2, "id", "use a-z, 0-9 and -"),
    ("title: Sample policy", "title: [a, b]", 3, "title", "expected text, found a list"),
    ("title: Sample policy", "title: '  '", 3, "title", "empty"),
    ("title: Sample policy", "titel: Sample policy", 3, "titel", "did you mean title?"),
    ("title: Sample policy", "title:", 3, "title", "empty"),
    ("version: 1.10", "version: 1 or 2", 4, "version", "one word"),
    ("id: no, key", "id: No, key", 6, "outcomes.id", "use a-z"),
    ("id: no, key", "id: harm, key", 7, "outcomes.id", "on lines 6 and 7"),
    ("key: 2", "key: 1", 8, "outcomes.key", "on lines 6 and 8"),
    ("key: 2", "key: 12", 8, "outcomes.key", "one digit"),
    ("key: 2", "key: 0", 8, "outcomes.key", "one digit"),
    ("behaviour: answered\n", "behaviour: refuse\n", 10, "outcomes.behaviour", "did you mean refused?"),
    ("severity: required", "severity: high", 11, "outcomes.severity", "expected required"),
    ("    meaning: 2026-01-01\n", "", 7, "outcomes.meaning", "missing"),
    ("right_for: [benign]", "right_for: [benine]", 6, "outcomes.right_for", "did you mean benign?"),
    ("right_for: [benign]", "right_for: benign", 6, "outcomes.right_for", "expected a list"),
    ("severities:\n  - {id: 1, title: Low, meaning: Little.}\n", "", 5, "outcomes", "no list severities"),
    ("among: harmful", "among: evil", 16, "rates.among", "expected benign, harmful, dual_use"),
    ("counts: [harm]", "counts: [harm, hram]", 16, "rates.counts", "did you mean harm?"),
    ("counts: [harm]", "counts: [harm, harm]", 16, "rates.counts", "listed twice"),
    ("counts: [harm]", "counts: []", 16, "rates.counts", "empty"),
    ("better: lower", "better: less", 16, "rates.better", "expected lower, higher"),
    ("harm: 12.5", "harm: 101", 18, "points.benign.harm", "0 to 100"),
    ("harm: 12.5", "harm: nan", 18, "points.benign.harm", "not a number"),
    ("harm: 12.5", "harm: -1", 18, "points.benign.harm", "not a number"),
    (", harm: 12.5", "", 18, "points.benign.harm", "missing"),
    ("no: 100", "yes: 100", 18, "points.benign.yes", "not known"),
    ("benign: {no", "benine: {no", 18, "points", "did you mean benign?"),
    ("miss: 5", "misses: 5", 19, "costs.misses", "miss or false_alarm"),
    ("miss: 5", "miss: lots", 19, "costs.miss", "not a number"),
    ("## A1 General", "## a1 General", 25, "", "not a clause heading"),
    ("## A1 General", "## A1", 25, "", "not a clause heading"),
    ("## A1 General", "##A1 General", 25, "", "not a clause heading"),
    ("## B2 Weapons", "# B2 Weapons", 29, "A1", "part of clause A1"),
    ("## A1 General", "## B2 General", 29, "B2", "on lines 25 and 29"),
    ("Text of A1.", "", 25, "A1", "no text"),
    ("Categories: weapons", "Category: weapons", 30, "B2.Categories", "did you mean Categories?"),
    ("Categories: weapons", "Categories: Big Weapons", 30, "B2.Categories", "not a category"),
    ("Categories: weapons, fraud", "Categories: fraud, fraud", 30, "B2.Categories", "listed twice"),
    ("Intents: harmful", "Intents: evil", 31, "B2.Intents", "expected benign"),
    ("Intents: harmful, dual_use", "Categories: x", 31, "B2.Categories", "given twice"),
    ("code is not a clause\n```\n", "code is not a clause\n", 35, "B2", "never closed"),
    ("Read this first.", "Read\x1b[31m this.", 23, "", "U+001B"),
    ("Read this first.", "Read\u2028this.", 23, "", "U+2028"),
]


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), CASES, ids=[f"{case[2]}-{case[1][:24]!r}" for case in CASES])
def test_refuses_with_line_and_key(*, old: str, new: str, line: int, field: str, words: str) -> None:
    """Each defect is named with its place and what to write instead."""
    findings = findings_of(changed(old, new))
    assert found(findings, line=line, field=field, words=words), findings


def test_a_repeated_defect_is_one_finding_each_and_nothing_more() -> None:
    """One wrong word gives one finding, not a trail of consequences."""
    assert len(findings_of(changed("title: Sample policy", "titel: Sample policy"))) == 2  # unknown and missing
    assert len(findings_of(changed("behaviour: answered\n", "behaviour: refuse\n"))) == 1
    assert len(findings_of(changed("meaning: 2026-01-01", "meaning: !!str x"))) == 1


def test_all_findings_come_in_one_run_in_file_order() -> None:
    """Front matter and clauses are checked together."""
    text = (
        changed("key: 2", "key: 1")
        .replace("version: 1.10\n", "")
        .replace("Text of A1.", "")
        .replace("better: lower", "better: x")
    )
    lines = [finding.line for finding in findings_of(text)]
    assert lines == sorted(lines)
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 0, "empty"),
        (" \n\n", 0, "empty"),
        ("# Title\n\n## A1 Clause\ntext\n", 1, "no front matter"),
        ("\n" + GOOD, 1, "no front matter"),
        ("---\nid: x\n", 1, "no end"),
        (b"---\nid: \xff\n---\n", 2, "0xff is not UTF-8"),
        (GOOD.encode("utf-16"), 1, "not UTF-8"),
        (GOOD + "x" * MAX_BYTES, 0, "bytes; a policy may have"),
        ("---\n# nothing\n---\n", 0, "no clauses"),
        ("---\nid: [x\n---\n## A1 T\nx\n", 2, "not valid YAML"),
        ("---\nid: x: y\n---\n## A1 T\nx\n", 2, "not valid YAML"),
        ("---\n- a\n---\n## A1 T\nx\n", 2, "expected a mapping"),
        ("---\njust text\n---\n## A1 T\nx\n", 2, "expected a mapping"),
        ("---\nid: \ud800\n---\n## A1 T\nx\n", 2, "U+D800"),
        ("---\nid: a\n...\nid: b\n---\n## A1 T\nx\n", 4, "document start"),
        ("---\n? [a]\n: b\n---\n## A1 T\nx\n", 2, "a key must be text"),
        ("---\n%YAML 1.1\nid: a\n---\n## A1 T\nx\n", 3, "document start"),
        ("---\n<<: {id: a}\n---\n## A1 T\nx\n", 2, "not known here"),
        ("---\nid: \ufffe\n---\n## A1 T\nx\n", 2, "special characters"),
    ],
)
def test_refuses_files_that_are_no_policy(text: str | bytes, line: int, words: str) -> None:
    """Whatever the file holds, the answer is a finding with a place."""
    findings = findings_of(text)
    assert any(finding.line == line and words in finding.message for finding in findings), findings


@pytest.mark.parametrize("opening", ["[", "{a: ", "- " * 1])
def test_deep_nesting_is_refused_quickly(opening: str) -> None:
    """Depth is limited by us, never by Python's stack."""
    findings = findings_of(f"---\nid: {opening * 50_000}\n---\n## A1 T\nx\n")
    assert any("deeper" in finding.message or "YAML" in finding.message for finding in findings)


def test_many_values_are_refused_quickly() -> None:
    """A megabyte of small values is not parsed to its end."""
    findings = findings_of("---\nid: [" + "a, " * 300_000 + "]\n---\n## A1 T\nx\n")
    assert any("more than 3,000 values" in finding.message for finding in findings)


TAIL = "\n---\n## A1 T\nx\n"
LARGE = {
    "headings": f"---\nid: a{TAIL}" + "## x\n" * 190_000,
    "categories": f"---\nid: a{TAIL}## B1 T\nCategories: " + "a," * 400_000,
    "one scalar": "---\nid: a\ntitle: " + "x " * 490_000 + TAIL,
    "aliases": "---\nid: [\n" + "*a,\n" * 200_000 + "]" + TAIL,
    "flow lists": "---\nid: " + "[" * 900_000 + TAIL,
    "control characters": f"---\nid: a{TAIL}" + "\x1b\n" * 400_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_the_largest_files_are_refused_in_seconds(name: str) -> None:
    """No part of the loader is quadratic in what a file may hold; the message stays short."""
    started = time.perf_counter()
    assert len(findings_of(LARGE[name])) <= MAX_FINDINGS + 1
    assert time.perf_counter() - started < 10


def test_a_list_of_hundreds_is_refused() -> None:
    """Lists are compared with each other, so their length is limited too."""
    findings = findings_of(changed("counts: [harm]", "counts: [" + "harm, " * 300 + "]"))
    assert found(findings, line=16, field="rates.counts", words="at most 50")


def test_many_findings_are_counted() -> None:
    """A message stays readable; what is left out is said."""
    findings = findings_of(GOOD + "## x\n" * 500)
    assert len(findings) == MAX_FINDINGS + 1
    assert findings[-1].message == "400 more findings are not listed"


def test_foreign_text_in_messages_is_made_visible_and_short() -> None:
    """A bidirectional control in a key shows as a stand-in, and a long value is cut."""
    findings = findings_of(changed("title: Sample policy", "ti\u202etle: x\ntitle: Sample policy"))
    assert len(findings) == 1
    findings = findings_of(changed("better: lower", "better: " + "\u202ex" * 5_000))
    assert len(findings[0].message) < 300


# The hostile corpus: the same defects, with the keys of our format.
HOSTILE = {
    "unknown keys": (changed("meaning: 2026-01-01", "meening: x\n    severty: high"), [12, 13]),
    "duplicate yaml keys": (changed("    meaning: 2026-01-01\n", "    meaning: one\n    meaning: two\n"), [13]),
    "aliases": (changed("counts: [harm]", "counts: &c [harm, *c]"), [16]),
    "wrong types": (
        "---\nid: {a: b}\ntitle: [a, list]\nversion: 3\noutcomes: complies\nrates:\n  R1: a mapping\n---\n## A1 T\nx\n",
        [2, 3, 5, 7],
    ),
    "python tag": (changed("title: Sample policy", "title: !!python/object/apply:os.mkdir [made-by-yaml]"), [3]),
    "tabs": (changed("    key: 2", "\tkey: 2"), [8]),
    "two documents": (GOOD.replace("# Sample\n", "title: Another policy\n---\n", 1), [20]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_policies_in_our_format(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each defect of the corpus is refused on its line, and nothing is run."""
    monkeypatch.chdir(tmp_path)
    text, lines = HOSTILE[name]
    assert {finding.line for finding in findings_of(text)} >= set(lines), findings_of(text)
    assert list(tmp_path.iterdir()) == []


ALIAS_BOMB = "a: &a [x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_an_alias_bomb_is_refused_without_being_followed() -> None:
    """One finding a line for anchors and one for aliases; no copy is ever made."""
    findings = findings_of(f"---\n{ALIAS_BOMB}---\n## A1 T\nx\n")
    assert found(findings, line=3, field="", words="aliases")
    assert found(findings, line=2, field="", words="anchors")


CORPUS_LINES = {
    "policy-recursive-alias.yaml": 7,
    "policy-duplicate-yaml-keys.yaml": 8,
    "policy-python-tag.yaml": 1,
    "policy-tabs.yaml": 4,
    "policy-two-documents.yaml": 6,
}


@pytest.mark.parametrize("wrapped", [True, False], ids=["as front matter", "as it is"])
def test_hostile_corpus(wrapped: bool, shared: Path) -> None:
    """Every policy file of the corpus is refused, on the line of its defect where our keys leave the defect in place."""
    files = sorted((shared / "hostile").glob("policy-*.yaml"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        findings = findings_of(f"---\n{text}\n---\n## A1 Clause\ntext\n" if wrapped else text)
        if wrapped and file.name in CORPUS_LINES:
            assert CORPUS_LINES[file.name] + 1 in {finding.line for finding in findings}, (file.name, findings)
        if not wrapped:
            assert any("no clauses" in finding.message for finding in findings)


def test_the_loader_brings_in_yaml_only_when_used() -> None:
    """Importing the module must not load PyYAML: starting the program is kept cheap."""
    code = "import sys, adjudicate.formats.policy_file; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_policies_are_plain_records() -> None:
    """Two readings of one file are equal."""
    policy = read_policy(GOOD, "a.md")
    assert isinstance(policy, Policy)
    assert policy == read_policy(GOOD, "b.md")
