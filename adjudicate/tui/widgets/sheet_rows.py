"""What a section of the report found, as rows of its pane."""

from __future__ import annotations

from adjudicate.core.policy import Policy
from adjudicate.core.present import FEW_NOTE
from adjudicate.tui.report_sections import Section, Sheet
from adjudicate.tui.theme import DONE, HARM
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.rate_rows import rate_paragraphs
from adjudicate.tui.widgets.table_rows import table_rows


def sheet_rows(section: Section, sheet: Sheet, policy: Policy, *, width: int) -> list[Paragraph]:
    """Bars, tables and notes, a blank row between them; the reason where there is nothing."""
    if section.name == "warnings":
        return [Paragraph(f"{HARM} {warning}") for warning in sheet.warnings] or [Paragraph(f"{DONE} none", "done")]
    blocks = [rate_paragraphs(sheet.bars, policy, width=width)]
    blocks += [table_rows(table, width=width) for table in sheet.tables]
    filled = [block for block in blocks if block]
    if not filled:
        return [Paragraph(section.empty, "dim")]
    few = [FEW_NOTE] if any(FEW_NOTE in each.table.notes for each in sheet.tables) else []
    notes = [Paragraph(note, "dim") for note in (*sheet.notes, *few)]
    rows: list[Paragraph] = []
    for block in (*filled, *([notes] if notes else [])):
        rows += [*block, Paragraph("")]
    return rows[:-1]
