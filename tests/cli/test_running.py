"""A command ends as a program of its own just as it does within the process of the tests, where most of them run it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, finished, write_rows

ROW = {"id": "1", "prompt": "p", "response": "r", "intent": "harmful", "verdict": "full_refusal", "gold": "full_refusal"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ways")
    assert finished("init", folder / "w", "--policy", "xstest").code == 0
    assert finished("-w", folder / "w", "import", write_rows(folder / "log.jsonl", [ROW])).code == 0
    return folder / "w"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("status", "--json"), 0),
        (("report", "rates"), 0),
        (("gate", "--max", "harmful_compliance=0.5"), 0),
        (("gate", "--min", "harmful_compliance=0.5"), 2),
        (("gate", "--max", "harmful_compliance=0", "--target", "process"), 3),
        (("import", "nowhere.jsonl"), 2),
        (("judge", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", "NOT_SET_HERE"), 2),
        (("export", "gold.csv", "--out", "/proc/gold.csv"), 2),
        (("no such command",), 2),
    ],
    ids=str,
)
def test_both_ways_end_alike(workspace: Path, arguments: tuple[str, ...], code: int) -> None:
    within = finished("-w", workspace, *arguments)
    own = subprocess.run(
        [*COMMAND, "-w", str(workspace), *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120
    )
    assert (own.returncode, own.stdout.decode(), own.stderr.decode()) == within
    assert within.code == code


def test_a_key_and_a_folder_are_those_of_the_command_alone(tmp_path: Path) -> None:
    before = Path.cwd(), "ADJUDICATE_API_KEY" in os.environ
    made = finished("init", "here", "--policy", "xstest", cwd=tmp_path, key="secret")
    assert made.code == 0 and (tmp_path / "here").is_dir()
    assert (Path.cwd(), "ADJUDICATE_API_KEY" in os.environ) == before
    assert json.loads(finished("-w", tmp_path / "here", "status", "--json").out)["items"] == 0
