"""Running a function that a model wrote: in a process of its own, without network, files or time to spare.

This keeps accidents in, not a determined attacker: limits of the operating system on processor time, memory, files and
processes, an empty environment and folder, and a hook that refuses what touches network, files and other programs.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

CPU_SECONDS = 2
WALL_SECONDS = 5.0
MEMORY = 256 * 1024 * 1024
MOST_OUTPUT = 100_000
"""Bytes that a process may write before it is ended."""

HARNESS = """
import json, sys
task = json.loads(sys.stdin.buffer.read())
out, write = sys.stdout.buffer.write, json.dumps
refused = ("socket.", "subprocess.", "os.", "shutil.", "ctypes.", "open", "import", "urllib.", "signal.", "mmap.")
for name in "bisect collections fractions functools heapq itertools math operator re string typing".split():
    __import__(name)
def hook(event, arguments):
    if event.startswith(refused) and not (event == "import" and str(arguments[0]).split(".")[0] in sys.modules):
        raise PermissionError(event)
code = compile(task["code"], "answer", "exec")
sys.addaudithook(hook)
space = {"__name__": "answer"}
exec(code, space)
out(write([space[task["name"]](*given) for given in task["given"]]).encode())
sys.stdout.flush()
"""
"""The process is told no result that is wanted, so that printing one is of no use."""


def run_function(code: str, name: str, cases: Sequence[Sequence[Any]]) -> bool:
    """Whether a function gives the wanted result in every case.

    Args:
        code: Python that defines it.
        name: Of the function.
        cases: Pairs of a list of arguments and the result; both plain JSON.
    """
    task = json.dumps({"code": code, "name": name, "given": [given for given, _ in cases]}).encode()
    # A file and not a pipe: its size can be limited, so that a function that prints without end fills no memory.
    with tempfile.TemporaryDirectory(prefix="adjudicate-") as empty, tempfile.TemporaryFile() as output:
        try:
            ended = subprocess.run(  # noqa: S603 - our own interpreter and harness; the code comes in by standard input
                [sys.executable, "-I", "-S", "-B", "-c", HARNESS],
                input=task,
                stdout=output,
                stderr=subprocess.DEVNULL,
                cwd=empty,
                env={},
                timeout=WALL_SECONDS,
                check=False,
                preexec_fn=_limit,
            )
        except subprocess.TimeoutExpired:
            return False
        output.seek(0)
        printed = output.read(MOST_OUTPUT)
    wanted = json.dumps([result for _, result in cases]).encode()
    return ended.returncode == 0 and printed == wanted


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
