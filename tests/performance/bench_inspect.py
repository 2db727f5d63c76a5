"""Reading Inspect archives beside inspect_ai's own `read_eval_log`, in turns in one run; peak memory of an import.

    python tests/performance/bench_inspect.py [SAMPLES ...]

The logs are made here with inspect_ai itself: about 12 kB a sample, transcript and scores included, Zstandard members. Ours is
everything from opening the file to drafts with every field checked. Each reading is in a process of its own, imports left out.
The ratio is theirs to ours: 10 is ten times as fast.
"""

from __future__ import annotations

import importlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "policies" / "xstest.md"
ROUNDS = 7
OPTIONS: dict[str, Any] = {
    "set": {"intent": "benign"},
    "outcome": {"C": "full_compliance", "I": "full_refusal"},
}
SENTENCE = "The library opens at nine in the morning, and the reading room on the upper floor closes an hour earlier. "


def write_log(path: Path, samples: int) -> None:
    """A log as a run of `samples` prompts leaves it, with a model-graded score and a string match."""
    from inspect_ai.log import write_eval_log

    write_eval_log(_log(samples), str(path))


def _log(samples: int) -> Any:
    from inspect_ai.dataset import Sample
    from inspect_ai.event import InfoEvent, ModelEvent, SampleInitEvent, ScoreEvent
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ModelOutput,
    )
    from inspect_ai.scorer import Score

    def one(number: int) -> EvalSample:
        asked = f"Question {number}: {SENTENCE}When does it close?"
        answer = f"Answer {number}: {SENTENCE * 8}"
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=SENTENCE),
            ChatMessageUser(content=asked),
            ChatMessageAssistant(content=answer),
        ]
        output = ModelOutput.from_content("a/model", answer)
        graded = Score(value="C", answer=answer, explanation=SENTENCE * 6, metadata={"grading": [{"prompt": SENTENCE * 10}]})
        call = ModelEvent(
            model="a/model", input=messages[:2], tools=[], tool_choice="none", config=GenerateConfig(), output=output
        )
        return EvalSample(
            id=number,
            epoch=1,
            input=asked,
            target="C",
            messages=messages,
            output=output,
            scores={"grader": graded, "match": Score(value="I")},
            metadata={"kind": "opening hours", "number": number},
            events=[
                SampleInitEvent(sample=Sample(input=asked), state={"messages": [], "store": {}}),
                call,
                *(InfoEvent(data={"step": step, "text": SENTENCE * 3}) for step in range(8)),
                ScoreEvent(score=graded, target="C"),
            ],
        )

    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="opening_hours",
        model="a/model",
        dataset=EvalDataset(name="hours", samples=samples),
        config=EvalConfig(epochs=1),
    )
    return EvalLog(status="success", eval=spec, samples=[one(number) for number in range(1, samples + 1)])


def ours(path: Path) -> int:
    """Samples that our reader turns into drafts."""
    from adjudicate.errors import Finding
    from adjudicate.formats import inspect_
    from adjudicate.formats.import_options import ImportOptions
    from adjudicate.formats.policy_file import read_policy
    from adjudicate.formats.text_file import open_source

    policy = read_policy(POLICY.read_bytes(), POLICY.name)
    (run,) = inspect_.plan([open_source(path)], ImportOptions.of(OPTIONS), policy)
    return sum(not isinstance(row, Finding) for row in run.parts[0].rows())


def theirs(path: Path) -> int:
    """Samples that inspect_ai reads."""
    from inspect_ai.log import read_eval_log

    return len(read_eval_log(str(path)).samples or [])


READERS: dict[str, Callable[[Path], int]] = {"ours": ours, "theirs": theirs}


def read_twice(name: str, path: Path) -> None:
    """Print the time of a process's second reading, when all is imported and built, and how many samples it gave."""
    READERS[name](path)
    started = time.perf_counter()
    samples = READERS[name](path)
    print(time.perf_counter() - started, samples)


def seconds(name: str, path: Path, expected: int) -> float:
    """How long one reading takes, in a process of its own: neither pays for what the other left in memory."""
    done = subprocess.run([sys.executable, __file__, name, str(path)], check=True, capture_output=True, text=True, cwd=ROOT)
    taken, samples = done.stdout.split()
    if int(samples) != expected:
        raise SystemExit("not every sample was read")
    return float(taken)


# The peak that a process reports begins with that of its parent, so a small one stands in between.
MEASURED = """
import resource, subprocess, sys, time
started = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def whole_import(path: Path, folder: Path) -> tuple[float, float]:
    """Seconds and megabytes of an import by the command line."""
    workspace = folder / f"ws-{path.stem}"
    program = [sys.executable, "-m", "adjudicate"]
    subprocess.run([*program, "init", str(workspace), "--policy", "xstest"], check=True, capture_output=True, cwd=ROOT)
    flags = ["--set", "intent=benign", "--outcome", "C=full_compliance", "--outcome", "I=full_refusal"]
    command = [sys.executable, "-c", MEASURED, *program, "-w", str(workspace), "import", str(path), *flags]
    taken, megabytes = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    return float(taken), float(megabytes)


def measure(path: Path, samples: int) -> None:
    """Both readers in turns, then a whole import."""
    rounds = [(seconds("ours", path, samples), seconds("theirs", path, samples)) for _ in range(ROUNDS)]
    mine, other = (statistics.median(each) for each in zip(*rounds, strict=True))
    ratios = [inspect_ai / own for own, inspect_ai in rounds]
    whole, megabytes = whole_import(path, path.parent)
    print(
        f"{samples:6,} samples: ours {mine / samples * 1000:.3f} ms a sample, read_eval_log {other / samples * 1000:.3f} ms;"
        f" {statistics.median(ratios):.1f} times as fast (by round {', '.join(f'{each:.1f}' for each in ratios)});"
        f" adjudicate import {whole:.2f} s, peak {megabytes:.0f} MB"
    )


def main(*sizes: int) -> None:
    """Measure and print."""
    started = time.perf_counter()
    importlib.import_module("inspect_ai.log")
    print(f"import of inspect_ai: {time.perf_counter() - started:.2f} s, once a program; ours needs none")
    with tempfile.TemporaryDirectory() as name:
        for samples in sizes or (500, 2000, 8000):
            path = Path(name) / f"log-{samples}.eval"
            write_log(path, samples)
            measure(path, samples)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in READERS:
        read_twice(sys.argv[1], Path(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:]))
