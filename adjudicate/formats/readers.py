"""The formats that `import` reads: one row each, recognised by content. Adding one is a file and a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.formats import (
    csv_,
    deepteam,
    garak,
    helm,
    inspect_,
    json_,
    jsonl,
    langfuse,
    langsmith,
    lm_eval,
    openai_evals,
    openinference,
    parquet_,
    preset_detect,
    preset_plan,
    promptfoo,
    sorry_bench,
    xstest,
)
from adjudicate.formats.labels_only import LABELS_ONLY
from adjudicate.formats.presets import PRESETS
from adjudicate.formats.source_run import Plan
from adjudicate.formats.text_file import SourceFile, refuse_binary


@dataclass(frozen=True, slots=True)
class Reader:
    """One format."""

    name: str
    """As `--format` takes it."""
    title: str
    detect: Callable[[SourceFile], bool]
    """Whether a file is of this format, judged by its first bytes."""
    plan: Plan
    binary: bool = False
    """Whether its files may be no text."""
    general: bool = False
    """Whether it reads any table, so that recognising a file says little of what it is."""


class NotRecognised(InputError):
    """A sound file of no format that is known here."""


READERS: tuple[Reader, ...] = (
    Reader("inspect", "Inspect logs: .eval archives and .json", inspect_.detect, inspect_.plan, binary=True),
    Reader("xstest", "XSTest: prompts, completions and automatic labels", xstest.detect, xstest.plan, binary=True),
    Reader("promptfoo", "promptfoo results", promptfoo.detect, promptfoo.plan),
    Reader("lm_eval", "lm-evaluation-harness samples", lm_eval.detect, lm_eval.plan),
    Reader("openai_evals", "OpenAI evals event log", openai_evals.detect, openai_evals.plan),
    Reader("garak", "garak report", garak.detect, garak.plan),
    Reader("helm", "HELM scenario state", helm.detect, helm.plan),
    Reader("deepteam", "deepteam risk assessment or trace", deepteam.detect, deepteam.plan),
    Reader("langsmith", "LangSmith runs and feedback", langsmith.detect, langsmith.plan),
    Reader("openinference", "OpenInference spans and Phoenix annotations", openinference.detect, openinference.plan),
    Reader("langfuse", "Langfuse traces and scores", langfuse.detect, langfuse.plan),
    # Known tables come as text or as Parquet.
    *(
        Reader(each.name, each.title, partial(preset_detect.is_of, each), partial(preset_plan.plan, each), binary=True)
        for each in PRESETS
    ),
    Reader(sorry_bench.NAME, sorry_bench.TITLE, sorry_bench.detect, sorry_bench.plan, binary=True),
    *(Reader(each.name, each.title, each.detect, each.plan, binary=True) for each in LABELS_ONLY),
    Reader("parquet", "Parquet table", parquet_.detect, parquet_.plan, binary=True, general=True),
    Reader("json", "JSON list of rows, alone or under a key", json_.detect, json_.plan, general=True),
    Reader("jsonl", "JSON lines", jsonl.detect, jsonl.plan, general=True),
    Reader("csv", "CSV or tab-separated table", csv_.detect, csv_.plan, general=True),
)
"""The first that recognises a file reads it, so special formats stand before general ones."""


def reader_named(name: str) -> Reader:
    """The format of this name.

    Raises:
        UsageError: There is none.
    """
    found = next((reader for reader in READERS if reader.name == name), None)
    if found is None:
        known = ", ".join(reader.name for reader in READERS)
        raise UsageError(f"--format {visible_line(name)}: not known; known are {known}, and names of saved mappings")
    return found


def recognised(source: SourceFile, readers: Sequence[Reader] = READERS) -> Reader:
    """The format of a file, by its content.

    Raises:
        NotRecognised: It is of none of them.
        InputError: It cannot be read; says what it looks like.
    """
    found = next((reader for reader in readers if reader.binary and reader.detect(source)), None)
    if found is None:
        refuse_binary(source)
        found = next((reader for reader in readers if not reader.binary and reader.detect(source)), None)
    if found is not None:
        return found
    if not source.head.strip():
        raise source.refused("0 rows: there is nothing but blanks in it")
    known = ", ".join(reader.name for reader in readers)
    raise NotRecognised(
        f"{source.shown}: not recognised by its first line: a table needs a header line that names its columns, one of them the"
        " responses"
        f" (a list of prompts alone holds nothing to label); if it is one of these, name its format with --format: {known}"
    )
