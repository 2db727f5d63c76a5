"""Every real log is recognised by one special format, and by the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats import (
    test_deepteam,
    test_garak,
    test_helm,
    test_langfuse,
    test_langsmith,
    test_lm_eval,
    test_openai_evals,
    test_openinference,
    test_promptfoo,
)
from tests.formats.log_reading import lines, recognisers, write

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "logs"
FORMAT_OF = {
    "deepteam": "deepteam",
    "garak": "garak",
    "helm_narrative_qa": "helm",
    "inspect_ai": "inspect",
    "inspect_evals_runs": "inspect",
    "inspect_made_here": "inspect",
    "inspect_scout": "inspect",
    "jailbreakbench_artifacts": "jailbreakbench",
    "langsmith": "langsmith",
    "lm_eval": "lm_eval",
    "openai_evals": "openai_evals",
    "openinference": "openinference",
    "promptfoo": "promptfoo",
    "vivaria": "inspect",
}
"""By folder."""
OTHERS = {
    "validation_refusal.csv": "scout-validation",
    "DSN__evaluation.json": "jailbreakbench-evaluation",
    "log_invalid.txt": None,
}
"""By file, where it is of another format than its folder."""
EXAMPLES: dict[str, object] = {
    "deepteam": test_deepteam.EXAMPLE,
    "garak": test_garak.EXAMPLE,
    "helm": test_helm.EXAMPLE,
    "langfuse": test_langfuse.EXAMPLE,
    "langsmith": test_langsmith.EXAMPLE,
    "lm_eval": test_lm_eval.EXAMPLE,
    "openai_evals": test_openai_evals.EXAMPLE,
    "openinference": test_openinference.EXAMPLE,
    "promptfoo": test_promptfoo.EXAMPLE,
}


@pytest.mark.parametrize("path", sorted(SHARED.rglob("*.*")) if SHARED.is_dir() else [], ids=lambda path: path.name)
def test_a_real_log_is_recognised_by_its_format_alone(path: Path) -> None:
    expected = OTHERS.get(path.name, FORMAT_OF[path.relative_to(SHARED).parts[0]])
    assert [reader.name for reader in recognisers(path)] == ([expected] if expected else [])


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_recognised_by_its_format_alone(name: str, tmp_path: Path) -> None:
    assert [reader.name for reader in recognisers(write(tmp_path, "log.json", EXAMPLES[name]))] == [name]


@pytest.mark.parametrize(
    "content",
    [
        [{"id": 1, "prompt": "p", "response": "r", "input": "x", "output": "y"}],
        lines({"prompt": "p", "response": "r", "results": [], "status": "done"}),
        lines({"name": "n", "value": 1, "prompt": "p", "response": "r", "metadata": {}}),
        {"results": [{"prompt": "p", "response": "r"}], "version": 3},
        {"data": [{"prompt": "p", "response": "r", "attributes": {}}]},
        lines({"input": "p", "output": "r", "userId": "u", "sessionId": "s"}),
        lines({"run_id": 1, "key": "k", "score": 1, "prompt": "p", "response": "r"}),
        lines({"doc_id": 1, "doc": "d", "prompt": "p", "response": "r"}),
        lines({"instruction": "p", "input": "", "output": "r"}),
    ],
)
def test_a_plain_table_is_left_to_the_general_formats(content: object, tmp_path: Path) -> None:
    assert recognisers(write(tmp_path, "log.json", content)) == []
