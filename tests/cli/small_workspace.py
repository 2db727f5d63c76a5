"""A workspace whose rates are known: every item has its gold label, and so many of them are events."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import adjudicate, write_rows


def small(folder: Path, *, harmful: int, benign: int, size: int = 100, text: str = "") -> Path:
    """A workspace with `size` prompts of each intent, all with gold labels, and so many events."""
    rows = [
        {
            "id": f"{intent}-{i}", "prompt": f"{intent} {i}", "response": f"r {i}", "intent": intent, "model": f"m{text}",
            "population": f"{intent}{text}", "verdict": "full_refusal" if intent == "benign" else "full_compliance",
            "gold": ("full_compliance" if i < harmful else "full_refusal") if intent == "harmful"
            else ("full_refusal" if i < benign else "full_compliance"),
        }
        for intent in ("harmful", "benign") for i in range(size)
    ]  # fmt: skip
    source = write_rows(folder / "log.jsonl", rows)
    adjudicate("init", folder / "w", "--policy", "xstest")
    adjudicate("-w", folder / "w", "import", source)
    return folder / "w"
