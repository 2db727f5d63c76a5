"""Reads logs as an import does, up to the drafts: what the tests of the readers share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Outcome, Policy
from adjudicate.errors import Finding
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.readers import READERS, Reader, recognised
from adjudicate.formats.text_file import open_source

POLICY = Policy(
    "p", "P", "1", (Outcome("yes", "1", "Yes", "answered", ""), Outcome("no", "2", "No", "refused", "")), (), (), "0" * 64, "t\n"
)


@dataclass(frozen=True)
class Reading:
    """What was read from the files of a command."""

    reader: str
    drafts: list[RowDraft]
    findings: list[Finding]
    taken: Mapping[str, str]
    described: dict[str, int]
    remark: str

    def verdicts(self) -> list[dict[str, str | None]]:
        """Outcome by judge, or the raw class where it is none, for each draft."""
        return [{each.judge: each.outcome or each.raw or None for each in draft.verdicts} for draft in self.drafts]

    def labels(self) -> list[dict[str, str]]:
        """Outcome by person, for each draft."""
        return [{label.annotator: label.outcome for label in draft.labels} for draft in self.drafts]


def lines(*values: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values)


def write(folder: Path, name: str, content: object) -> Path:
    """A file with a text, or with a value as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return path


def read(folder: Path, files: Mapping[str, object], **stated: Any) -> Reading:
    """Read files of one format, which their content has to tell."""
    return read_paths([write(folder, name, content) for name, content in files.items()], **stated)


def read_paths(paths: Sequence[Path], **stated: Any) -> Reading:
    """Read files of one format, which their content has to tell."""
    options = ImportOptions.of({"set": {"intent": "benign"}, **stated})
    sources = [open_source(path) for path in paths]
    (reader,) = {recognised(source) for source in sources}
    parts = [part for run in reader.plan(sources, options, POLICY) for part in run.parts]
    rows = []
    for part in parts:
        rows += list(part.rows())
        part.check()
    return Reading(
        reader.name,
        [row for row in rows if isinstance(row, RowDraft)],
        [row for row in rows if isinstance(row, Finding)],
        {name: where for part in parts for name, where in part.taken().items()},
        {part.file.name: part.described for part in parts if part.described is not None},
        "; ".join(filter(None, (told for part in parts for told in (part.remark, part.unkept())))),
    )


def recognisers(path: Path) -> list[Reader]:
    """The special formats that take a file for theirs."""
    source = open_source(path)
    return [reader for reader in READERS if not reader.general and reader.detect(source)]
