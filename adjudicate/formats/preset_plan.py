"""How the files of a known table become runs: checked for being that table, surveyed, asked about, then read as any other."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened
from adjudicate.errors import UsageError
from adjudicate.formats import parquet_
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.open_questions import AskedFor
from adjudicate.formats.preset import Preset
from adjudicate.formats.preset_asks import known_outcomes, questions, survey, to_answer, told_classes
from adjudicate.formats.preset_detect import head_columns, is_of
from adjudicate.formats.preset_rows import PresetRows
from adjudicate.formats.source_run import Part, SourceRun
from adjudicate.formats.table_rows import table_layout
from adjudicate.formats.text_file import SourceFile, physical_lines, refuse_binary

SHOWN_COLUMNS = 30


def plan(preset: Preset, files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file.

    Raises:
        InputError: A file is not that table, is in another encoding, or leaves open what only the user can say.
        UsageError: An option does not fit.
    """
    if "judge" in options.constants and len(preset.judges) != 1:
        raise UsageError(f"--set judge: {preset.title}: the table says itself who judged; --map verdict.NAME=COLUMN adds a judge")
    runs, asks = [], []
    for source in files:
        try:
            runs.append(_run(preset, source, options, policy))
        except AskedFor as error:
            asks.append(error)
    if asks:
        raise AskedFor("\n".join(map(str, asks)), (question for each in asks for question in each.questions))
    return runs


def _run(preset: Preset, source: SourceFile, options: ImportOptions, policy: Policy) -> SourceRun:
    if not parquet_.detect(source):
        refuse_binary(source)
    if not is_of(preset, source):
        raise source.refused(_other_table(preset, source))
    _refuse_encoding(preset, source)
    meant = {**known_outcomes(preset, options, policy), **options.outcomes}
    outcomes = Outcomes(policy, meant)
    found = survey(PresetRows(preset, source, options, outcomes).laid_out())
    if asked := questions(preset, found, options, outcomes, policy):
        told = f"{source.shown}: {preset.title}: the file does not say {'; nor '.join(asked)}"
        raise AskedFor(told, to_answer(preset, found, options, outcomes))
    rows = PresetRows(preset, source, options, outcomes)
    remark = "; ".join(filter(None, (told_classes(meant, found), preset.remark)))
    layout = table_layout(source) if preset.shape is None or preset.shape.table else {}
    part = Part(source, rows.drafts, rows.fields.check_seen, layout=layout, taken=rows.taken, remark=remark,
                unread=rows.unread, unsaid=rows.fields.unsaid, classes_are_known=bool(meant))  # fmt: skip
    return SourceRun(source.stem, preset.name, (part,), preset.gold_by, preset.name)


def _other_table(preset: Preset, source: SourceFile) -> str:
    columns = head_columns(source)
    found = ", ".join(shortened(name, 40) for name in columns[:SHOWN_COLUMNS]) or "none"
    needed = ", ".join(sorted(preset.signature))
    return f"not {preset.title}: that needs {needed}; the columns found are: {found}. For other tables leave --format out"


def _refuse_encoding(preset: Preset, source: SourceFile) -> None:
    """Rows whose bytes are no UTF-8 would be left out one by one; the encoding of the published file is known."""
    if not preset.published_in or source.encoding is not None or parquet_.detect(source):
        return
    for line in physical_lines(source):
        try:
            line.data.decode()
        except UnicodeDecodeError as error:
            raise source.refused(
                f"line {line.number}: not valid UTF-8 (byte 0x{line.data[error.start]:02X} at column {error.start + 1});"
                f" {preset.title} is published in {preset.published_in}: add --encoding {preset.published_in},"
                " or the encoding your copy was written in"
            ) from None
