"""A long import on a terminal: it says that it goes on, and Ctrl-C or another request to stop leaves nothing half done."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from adjudicate.cli.interrupt import STOPS, one_interrupt
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from tests.factory import AT, make_store, xstest_policy
from tests.formats.test_hostile_files import dump

FLAGS = {"set": {"intent": "benign"}}
WAITING = b"-: reading, "


def row(number: int) -> bytes:
    return json.dumps({"id": f"s-{number}", "prompt": f"Question {number}?", "response": "An answer."}).encode() + b"\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    make_store(tmp_path, []).close()
    return tmp_path / "workspace"


def stored(workspace: Path) -> dict[str, list[object]]:
    store = SqliteStore.open(workspace / "db" / "adjudicate.db")
    try:
        return dump(store)
    finally:
        store.close()


@contextmanager
def importing(workspace: Path, scratch: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """An import of standard input, whose writer takes its time, with a terminal for what it says."""
    ours, theirs = pty.openpty()
    scratch.mkdir()
    command = [sys.executable, "-m", "adjudicate", "-w", str(workspace), "import", "-", "--set", "intent=benign"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env={**os.environ, "TMPDIR": str(scratch)}
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def said(terminal: int, until: bytes | None = None) -> bytes:
    """What is printed, up to some words or to the end."""
    found = b""
    with suppress(OSError):  # the last writer of a terminal has gone
        while (until is None or until not in found) and (piece := os.read(terminal, 4096)):
            found += piece
    return found


def test_a_terminal_is_told_that_the_import_goes_on(workspace: Path, tmp_path: Path) -> None:
    """Also while no row is there yet; the line is given back before the result."""
    with importing(workspace, tmp_path / "scratch") as (process, terminal):
        assert process.stdin is not None
        process.stdin.write(row(1))
        process.stdin.flush()
        assert WAITING in said(terminal, until=WAITING)
        process.stdin.close()
        rest = said(terminal)
        assert process.wait() == 0
    assert b"\r\x1b[K-" in rest.replace(b"\r\n", b"\n")
    assert b"1 rows, 1 accepted" in rest
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("stop", STOPS, ids=lambda each: each.name)
def test_a_request_to_stop_while_the_input_is_copied_leaves_nothing(
    stop: signal.Signals, workspace: Path, tmp_path: Path
) -> None:
    before = stored(workspace)
    with importing(workspace, tmp_path / "scratch") as (process, terminal):
        assert process.stdin is not None
        process.stdin.write(row(1))
        process.stdin.flush()
        said(terminal, until=WAITING)
        for _ in range(20):  # who holds the key down sends many
            process.send_signal(stop)
            time.sleep(0.005)
        rest = said(terminal)
        assert process.wait() == 130
    assert rest.rstrip().endswith(b"Stopped; nothing is half done.")
    assert b"File " not in rest
    assert list((tmp_path / "scratch").iterdir()) == []
    assert stored(workspace) == before


@pytest.mark.parametrize("stop", STOPS, ids=lambda each: each.name)
def test_a_request_to_stop_between_rows_leaves_nothing_half_done(
    stop: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal comes while rows go into the open transaction; the same import brings all of them afterwards."""
    store = make_store(tmp_path, [])
    file, scratch = tmp_path / "log.jsonl.gz", tmp_path / "scratch"
    file.write_bytes(gzip.compress(b"".join(map(row, range(20_000))), 1))
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    before = dump(store)

    def interrupt(_file: str, rows: int) -> None:
        if rows == 10_000:
            signal.pthread_kill(threading.main_thread().ident or 0, stop)

    with pytest.raises(KeyboardInterrupt), one_interrupt():
        import_files(store, xstest_policy(), [file], options_for(FLAGS, {}), AT, progress=interrupt)
    assert dump(store) == before
    assert list(scratch.iterdir()) == []
    assert import_files(store, xstest_policy(), [file], options_for(FLAGS, {}), AT).files[0].items == 20_000


def test_a_request_to_stop_that_is_ignored_stays_ignored() -> None:
    """As under `nohup`; afterwards all is as it was."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        usual = signal.getsignal(signal.SIGTERM)
        with one_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGTERM) is not usual
        assert signal.getsignal(signal.SIGTERM) is usual
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
