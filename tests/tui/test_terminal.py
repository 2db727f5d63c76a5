"""The real program in a real terminal: what bytes leave it, and how it ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from adjudicate.settings import make_workspace as make_folder
from tests.tui.factory import Row, Workspace, make_workspace
from tests.tui.test_hostile_screens import PAYLOADS, hostile_workspace

SAVED = "→ 1 saved".encode()
CANARIES = (
    b"\x1b]0;OWNED",
    b"\x1b[?1049l\xc2\x9b",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"\xe2\x80\x8b",
    b"\xe2\x81\xa6",
    b"\x00",
    b"\x7f",
)


def folder_for(tmp_path: Path) -> Path:
    """A workspace folder as the command line wants it; its database is the factory's."""
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    return paths.database.parent


def start(tmp_path: Path, *arguments: str, size: tuple[int, int] = (36, 120)) -> pexpect.spawn:
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLORTERM")}
    environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor"}
    command = ["-m", "adjudicate", "-w", str(tmp_path / "ws"), *arguments]
    return pexpect.spawn(sys.executable, command, dimensions=size, timeout=20, env=environment)


@pytest.fixture
def running() -> Iterator[list[pexpect.spawn]]:
    children: list[pexpect.spawn] = []
    yield children
    for child in children:
        child.close(force=True)


def small(tmp_path: Path) -> Workspace:
    return make_workspace(folder_for(tmp_path), [Row(verdict=None) for _ in range(20)])


def drained(child: pexpect.spawn, seconds: float = 0.4) -> bytes:
    """What comes until it is quiet."""
    got = b""
    while True:
        try:
            got += child.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return got


@pytest.mark.parametrize("name", ["title", "screen", "bidi", "nul"])
def test_no_byte_of_a_payload_reaches_the_terminal(tmp_path: Path, running: list[pexpect.spawn], name: str) -> None:
    payload = PAYLOADS[name]
    hostile_workspace(folder_for(tmp_path), payload)
    person = f"bob {payload}".replace("\0", "")
    walks: tuple[tuple[list[str], list[str]], ...] = (
        (["label", "--annotator", person], ["3", "\r", "p", "\x1b", "4", "1", "c", "x", "\x1b", "q"]),
        (["resolve", "--annotator", person], ["\t", "p", "\x1b", "q"]),
        ([], ["\t", "t", "q", "q"]),
    )
    for arguments, keys in walks:
        child = start(tmp_path, *arguments)
        running.append(child)
        seen = drained(child, 1.5)
        for key in keys:
            child.send(key)
            seen += drained(child)
        # The program itself leaves the alternate screen once, at its end.
        seen = seen.replace(b"\x1b[?1049l", b"", 1)
        assert b"boundary" in seen or b"bob" in seen
        for canary in CANARIES:
            assert canary not in seen, (arguments, canary)


def test_sigterm_restores_the_screen_and_keeps_the_draft(tmp_path: Path, running: list[pexpect.spawn]) -> None:
    made = small(tmp_path)
    child = start(tmp_path, "label", "--annotator", "ann")
    running.append(child)
    child.expect("item 1 of 20")
    child.send("1")
    child.expect(SAVED)
    child.send("c")
    child.expect("Note")
    child.send("typed but not saved")
    time.sleep(0.15)
    began = time.monotonic()
    os.kill(child.pid, signal.SIGTERM)
    child.expect(pexpect.EOF, timeout=5)
    assert time.monotonic() - began < 2
    assert b"\x1b[?1049l" in child.before
    store = made.store()
    person = store.annotator("ann").id
    drafts = [store.draft(person, item.item_id) for item in store.pending(person, after=-1, limit=20)]
    assert made.events() == [("label", "complied", "blind")]
    assert [draft for draft in drafts if draft] == ["typed but not saved"]
    store.close()


def test_a_closed_terminal_ends_the_program_and_loses_nothing(tmp_path: Path, running: list[pexpect.spawn]) -> None:
    made = small(tmp_path)
    child = start(tmp_path, "label", "--annotator", "ann")
    running.append(child)
    child.expect("item 1 of 20")
    child.send("1")
    child.expect(SAVED)
    pid = child.pid
    os.close(child.child_fd)
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        done, _ = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.02)
    else:
        os.kill(pid, signal.SIGKILL)
        pytest.fail("still running two seconds after its terminal was gone")
    running.remove(child)
    assert made.events() == [("label", "complied", "blind")]


def test_resizing_to_nothing_and_back_is_survived(tmp_path: Path, running: list[pexpect.spawn]) -> None:
    made = small(tmp_path)
    child = start(tmp_path, "label", "--annotator", "ann")
    running.append(child)
    child.expect("item 1 of 20")
    for rows, columns in [(1, 1), (500, 1000), (16, 59), (36, 120)] * 6:
        child.setwinsize(rows, columns)
        time.sleep(0.02)
    # Let it catch up with 24 sizes, half a million cells each, before the one that counts.
    while drained(child, 2.0):
        pass
    child.setwinsize(2, 200)
    child.expect("too small")
    drained(child, 1.0)
    child.send("1")
    drained(child, 1.0)
    assert made.events() == []
    child.setwinsize(36, 120)
    drained(child, 1.0)
    child.send("1")
    child.expect(SAVED)
    assert made.events() == [("label", "complied", "blind")]


def test_no_colour_code_is_sent_without_colour(tmp_path: Path, running: list[pexpect.spawn]) -> None:
    small(tmp_path)
    environment = os.environ | {"TERM": "xterm-256color", "NO_COLOR": "1", "LANG": "C.UTF-8"}
    command = ["-m", "adjudicate", "-w", str(tmp_path / "ws"), "label", "--annotator", "ann"]
    child = pexpect.spawn(sys.executable, command, dimensions=(36, 120), timeout=20, env=environment)
    running.append(child)
    seen = drained(child, 1.5)
    assert b"item 1 of 20" in seen
    assert b"38;2;" not in seen and b"48;2;" not in seen and b"38;5;" not in seen
