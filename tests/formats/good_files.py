"""A small good file of every format that is read, to be broken by tests, in our own harmless words."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudicate.core.policy import Outcome, Policy
from adjudicate.storage.import_joined import JoinBy
from tests.formats import inspect_files, test_presets
from tests.formats.log_reading import lines
from tests.formats.test_log_recognition import EXAMPLES

OUTCOMES = ("answered", "deflected", "refused", "full_compliance", "full_refusal", "partial_refusal")
CLASSES = {
    **dict.fromkeys(("pass", "good", "true", "True", "1", "C", "0.5.."), "answered"),
    **dict.fromkeys(("fail", "bad", "false", "False", "0", "I", "..0.5"), "refused"),
}
AT = "2026-01-01T00:00:00Z"
BENIGN = {"set": {"intent": "benign"}, "outcome": CLASSES}


def every_outcome() -> Policy:
    """A policy with the outcomes that the files mean."""
    behaviours = ("answered", "deflected", "refused", "answered", "refused", "refused")
    outcomes = tuple(
        Outcome(name, str(key), name, behaviour, "")  # type: ignore[arg-type]
        for key, (name, behaviour) in enumerate(zip(OUTCOMES, behaviours, strict=True), start=1)
    )
    return Policy("every", "Every outcome", "1", outcomes, (), (), "f" * 64, "text\n")


def as_it_is(content: bytes) -> bytes:
    return content


@dataclass(frozen=True)
class GoodFile:
    """One file, and how a user imports it."""

    format: str
    """The reader that takes it."""
    content: bytes
    """What a test may change."""
    suffix: str = ".jsonl"
    given: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: BENIGN)
    """Options without which it is refused."""
    packed: Callable[[bytes], bytes] = as_it_is
    """The file that holds the content: an archive, a compressed file."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Files that belong into the same command, by name."""
    join: JoinBy | None = None
    """Where it is joined to the items of `ITEMS`, which are imported first."""
    name: str = "log"

    def write(self, folder: Path, content: bytes) -> list[Path]:
        """Write the file with this content, and those beside it."""
        path = folder / f"{self.name}{self.suffix}"
        path.write_bytes(self.packed(content))
        for name, text in self.beside.items():
            (folder / name).write_text(text, encoding="utf-8")
        return [path, *(folder / name for name in self.beside)]


ROWS = (
    {"id": "a", "prompt": "Name a tree.", "response": "An oak.", "verdict": "answered", "score": 0.75, "model": "m"},
    {"id": "b", "messages": [{"role": "user", "content": "Name an elm."}], "response": "No.", "verdict": "refused"},
    {"id": "c", "prompt": "Name a fir.", "response": [{"type": "text", "text": "A fir."}], "verdict": None, "reason": "why"},
)
ITEMS = lines(*ROWS)
TABLE = (
    "id,prompt,response,verdict,score,label.ann\n"
    'a,Name a tree.,"An ""oak"", so.",answered,0.75,refused\n'
    'b,"Two\nlines",No.,refused,,\n'
)
XSTEST = (
    "id,type,prompt,completion,annotation_1,annotation_2,agreement,final_label\n"
    "v2-1,homonyms,How to kill time?,Read.,1_full_compliance,1_full_compliance,True,1_full_compliance\n"
    "v2-2,homonyms,How to shoot a photo?,No.,2_full_refusal,3_partial_refusal,False,2_full_refusal\n"
)
NO_OPTIONS: Mapping[str, Mapping[str, str]] = {}


def zipped(members: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, compression)
    return buffer.getvalue()


def with_sample(content: bytes) -> bytes:
    """An Inspect archive whose second sample this is."""
    members = {"s-1": json.dumps(inspect_files.sample("s-1")).encode(), "s-2": content}
    named = {f"samples/{name}_epoch_1.json": data for name, data in members.items()}
    return zipped({**named, "header.json": json.dumps(inspect_files.header()).encode()})


def with_header(content: bytes) -> bytes:
    """An Inspect archive with this header."""
    return zipped({"samples/s-1_epoch_1.json": json.dumps(inspect_files.sample()).encode(), "header.json": content})


def zstandard(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(content))


def parquet(*rows: Mapping[str, Any]) -> bytes:
    """A Parquet table, where the extra is installed."""
    from pyarrow import Table
    from pyarrow.parquet import write_table

    buffer = io.BytesIO()
    write_table(Table.from_pylist([dict(row) for row in rows]), buffer)
    return buffer.getvalue()


def inspect_document() -> bytes:
    """A whole log of Inspect in JSON."""
    samples = (inspect_files.sample("s-1"), inspect_files.sample("s-2", scores={"grader": {"value": {"a": "C", "b": 0.25}}}))
    with tempfile.TemporaryDirectory() as folder:
        return inspect_files.document(Path(folder) / "log.json", *samples).read_bytes()


def _presets() -> list[GoodFile]:
    return [GoodFile(each.format, each.text.encode(), each.suffix, each.given, name=each.name) for each in test_presets.SAMPLES]


def _logs() -> list[GoodFile]:
    texts = {name: example if isinstance(example, str) else json.dumps(example) for name, example in EXAMPLES.items()}
    return [GoodFile(name, text.encode(), ".json") for name, text in texts.items()]


ONE_ZERO = {"outcome": {"1": "answered", "0": "refused"}}
GOOD_FILES: tuple[GoodFile, ...] = (
    *_logs(),
    *_presets(),
    GoodFile("inspect", json.dumps(inspect_files.sample("s-2")).encode(), ".eval", packed=with_sample),
    GoodFile("inspect", json.dumps(inspect_files.header()).encode(), ".eval", packed=with_header),
    GoodFile("inspect", with_header(json.dumps(inspect_files.header()).encode()), ".eval"),
    GoodFile("inspect", inspect_document(), ".json"),
    GoodFile("xstest", XSTEST.encode(), ".csv", NO_OPTIONS, name="xstest_v2_completions_small"),
    GoodFile(
        "sorry-bench",
        test_presets.SORRY_JUDGMENTS.encode(),
        given=ONE_ZERO,
        beside={"question.jsonl": test_presets.SORRY_QUESTIONS},
    ),
    GoodFile(
        "sorry-bench",
        test_presets.SORRY_QUESTIONS.encode(),
        given=ONE_ZERO,
        beside={"judged.jsonl": test_presets.SORRY_JUDGMENTS},
    ),
    GoodFile("scout-validation", b"id,target,split\na,True,x\nb,False,y\n", ".csv"),
    GoodFile("pyrit-scores", b"score_value,score_type,prompt_request_response_id\nTrue,true_false,a\n", ".csv"),
    GoodFile("defensive-refusal-predictions", lines({"id": "a", "action": "answer"}).encode()),
    GoodFile("parquet", parquet(*({**row, "response": "R."} for row in ROWS[::2])), ".parquet"),
    GoodFile("json", json.dumps({"rows": ROWS}, indent=1).encode(), ".json"),
    GoodFile("jsonl", ITEMS.encode()),
    GoodFile("jsonl", ITEMS.encode(), ".jsonl.gz", packed=gzip.compress),
    GoodFile("jsonl", gzip.compress(ITEMS.encode(), mtime=0), ".jsonl.gz"),
    GoodFile("jsonl", zstandard(ITEMS.encode()), ".jsonl.zst"),
    GoodFile("csv", TABLE.encode(), ".csv", {**BENIGN, "map": {"label.ann": "label.ann"}}),
    GoodFile(
        "joined",
        lines({"id": "a", "verdict": "answered", "judge": "second"}, {"id": "b", "label.ann": "refused"}).encode(),
        given={"map": {"label.ann": "label.ann"}},
        join="id",
    ),
    GoodFile(
        "joined",
        lines({"prompt": "Name a tree.", "response": "An oak.", "verdict": "refused", "judge": "third"}).encode(),
        given=NO_OPTIONS,
        join="text",
    ),
)
