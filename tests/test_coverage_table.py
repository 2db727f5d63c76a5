"""The committed coverage table is the one that its script makes: the same studies, headers and rows; only numbers may differ."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def shape(page: str) -> list[str]:
    """Headings, headers and first cells."""
    lines = [line for line in page.splitlines() if line.startswith(("#", "| "))]
    return [line if line.startswith("#") else line.split(" | ")[0] for line in lines]


def test_the_page_has_every_study_of_the_script() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "make_coverage_table.py"), run_name="script")
    made: str = script["page"](10)
    kept = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert shape(made) == shape(kept)


def test_the_page_says_how_often_and_with_which_seeds() -> None:
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    replicates = [int(found.replace(",", "")) for found in re.findall(r"([\d,]+) replicates", page)]
    assert len(replicates) == page.count("\n## ") and min(replicates) >= 1000
    assert re.search(r"Seeds \d+ to \d+; Python", page)


def test_what_the_page_claims_holds() -> None:
    """Conservative limits never below 95 %, anytime never past 2.5 % false passes, paired Clopper-Pearson at least 95 %.

    Wilson limits of a paired difference at least 94 %, and rates of clusters and within attempts near 95 % or above.
    """
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    values = {row[0]: float(row[1].rstrip(" %")) for row in rows if row[1].endswith("%")}
    assert all(value >= 95 for name, value in values.items() if name.startswith("Clopper-Pearson limits, `--cons"))
    assert all(value <= 2.5 for name, value in values.items() if name.startswith("anytime set, `gate"))
    assert min(value for name, value in values.items() if name.startswith("clopper-pearson, ")) >= 95
    assert min(value for name, value in values.items() if name.startswith("wilson, ")) >= 94
    assert min(value for name, value in values.items() if " answers, " in name or " pairs, " in name) >= 94
    attempts = [float(row[3].rstrip(" %")) for row in rows if row[0].endswith((" attempt", " attempts"))]
    assert len(attempts) == 12 and min(attempts) >= 94
