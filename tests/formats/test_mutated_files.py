"""Good files of every format, changed at random: whatever comes in, an import ends in a report or a refusal in words.

Nothing of a refused file is stored, nothing of an accepted one is stored twice, and no message carries a control character.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudicate.errors import InputError
from adjudicate.formats import joined_rows
from adjudicate.formats.labels_only import LABELS_ONLY
from adjudicate.formats.packed_file import open_any
from adjudicate.formats.readers import READERS, recognised
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportReport
from tests.formats.good_files import AT, BENIGN, GOOD_FILES, ITEMS, GoodFile, every_outcome
from tests.formats.test_hostile_files import ACTING, dump

SECONDS = 10
"""Of processor time: a file of a few kilobytes that takes longer hangs."""
MOST_BYTES = 100_000

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?|true|false|null|\[\]|\{\}')
"""What looks like a value of JSON; in a table, like a number."""
ODD = (
    b"null", b"true", b"0", b"-1", b"1e999", b"-0.0", b"NaN", b"9" * 400, b"1.5", b'""', b'"a"', b"[]", b"{}", b"[[]]", b'[""]',
    b"[null]", b'{"a":{}}', b'{"":[]}', b'"\\ud800"', b'"\\u0000"', b'"\\u001b[31m"', b'"\\u202eabc"', b"\x00", b"\x1b[2J",
    b"\xff\xfe", b"\xe2\x80\xae", b"\xe2\x80\xa8", b'"', b",", b"\n", b"\r", b"{", b"}", b"[", b"]", b"[" * 3000, b'{"a":' * 3000,
    b'"attachment://00000000000000000000000000000000"', b'"' + b"x" * 5000 + b'"', b"=1+1", b"\xef\xbb\xbf",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One change: what is done, where, up to where, and with what."""

    kind: str
    start: float
    """Place in the file, from 0 to 1."""
    length: int
    """Of the span concerned."""
    number: int
    """Which byte, bit or odd value."""


def _cut(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    return data[:start]


def _flip(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    return data[:start] + bytes([data[start] ^ (1 << number % 8)]) + data[start + 1 :]


def _remove(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    return data[:start] + data[end:]


def _double(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    return data[:end] + data[start:]


def _move(data: bytes, start: int, end: int, number: int) -> bytes:
    rest = data[:start] + data[end:]
    place = number * 7919 % (len(rest) + 1)
    return rest[:place] + data[start:end] + rest[place:]


def _insert(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    return data[:start] + ODD[number % len(ODD)] + data[start:]


def _splice(data: bytes, start: int, end: int, number: int) -> bytes:
    other = GOOD_FILES[number % len(GOOD_FILES)].content
    begin = number * 7919 % len(other)
    return data[:start] + other[begin : begin + end - start] + data[end:]


def _value(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    """Another value where one stands: the file stays readable, and says something odd."""
    found = TOKEN.search(data, start) or TOKEN.search(data)
    return data if found is None else data[: found.start()] + ODD[number % len(ODD)] + data[found.end() :]


def _swap(data: bytes, start: int, end: int, number: int) -> bytes:  # noqa: ARG001
    lines = data.splitlines(keepends=True)
    one, two = data.count(b"\n", 0, start) % len(lines), number % len(lines)
    lines[one], lines[two] = lines[two], lines[one]
    return b"".join(lines)


CHANGES: dict[str, Callable[[bytes, int, int, int], bytes]] = {
    "cut": _cut,
    "flip": _flip,
    "remove": _remove,
    "double": _double,
    "move": _move,
    "insert": _insert,
    "splice": _splice,
    "value": _value,
    "swap": _swap,
}


def changed(data: bytes, changes: Sequence[Change]) -> bytes:
    """The data after all changes, one upon the other."""
    for each in changes:
        if data:
            start = int(each.start * (len(data) - 1))
            data = CHANGES[each.kind](data, start, min(start + each.length, len(data)), each.number)[:MOST_BYTES]
    return data


change = st.builds(
    Change,
    st.sampled_from(sorted([*CHANGES, "value", "value"])),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 200),
    st.integers(0, 10_000),
)
mutations = (st.sampled_from(GOOD_FILES), st.lists(change, min_size=1, max_size=4))


class Bench:
    """A new store for every file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.policy = every_outcome()
        self._templates: dict[bool, Path] = {}
        for joined in (False, True):
            store = SqliteStore.open(folder / f"template-{joined}.db", create=True)
            store.put_policy(self.policy, AT)
            if joined:
                rows = folder / "items.jsonl"
                rows.write_text(ITEMS, encoding="utf-8")
                import_files(store, self.policy, [rows], options_for(BENIGN, {}), AT)
            self._templates[joined] = folder / f"copy-{joined}.db"
            store.backup(self._templates[joined])
            store.close()

    def check(self, file: GoodFile, content: bytes) -> ImportReport | None:
        """Import content in the place of a file's own, and hold the import to its promises; None where it was refused."""
        with tempfile.TemporaryDirectory(dir=self._folder) as name:
            folder = Path(name)
            shutil.copyfile(self._templates[file.join is not None], folder / "test.db")
            store = SqliteStore.open(folder / "test.db")
            try:
                return self._check(store, file, file.write(folder, content))
            finally:
                store.close()

    def _check(self, store: SqliteStore, file: GoodFile, paths: list[Path]) -> ImportReport | None:
        before, started = dump(store), time.process_time()
        options = options_for(file.given, {})
        read = partial(import_files, store, self.policy, paths, options, AT, join=file.join)
        refused: str | None = None
        report: ImportReport | None = None
        try:
            dry = read(dry_run=True)
            assert dump(store) == before
            report = read()
        except InputError as error:
            refused = str(error)
        assert time.process_time() - started < SECONDS
        if report is None:
            assert refused is not None and not ACTING.search(refused), ascii(refused)
            assert dump(store) == before
            return None
        told = [*dry.as_text(), *report.as_text(), *(str(problem) for each in report.files for problem in each.problems)]
        assert not ACTING.search("\n".join(told)), ascii(told)
        after = dump(store)
        assert not read().changed
        assert dump(store) == after
        assert [each.as_json() for each in dry.files] == [each.as_json() for each in report.files]
        return report


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("mutated"))


def identity(file: GoodFile) -> str:
    return f"{file.format}-{GOOD_FILES.index(file)}"


@pytest.mark.parametrize("file", GOOD_FILES, ids=identity)
def test_the_file_as_it_is_can_be_imported(file: GoodFile, bench: Bench, tmp_path: Path) -> None:
    """Otherwise changing it would show nothing. Tables of labels alone are sent to --join."""
    report = bench.check(file, file.content)
    if file.format in {each.name for each in LABELS_ONLY}:
        assert report is None
        assert recognised(open_any(file.write(tmp_path, file.content)[0], None, tmp_path)).name == file.format
    else:
        assert report is not None
        assert report.changed
        assert file.format in {each.format for each in report.files}


def test_every_reader_has_a_file_here() -> None:
    assert {reader.name for reader in READERS} == {file.format for file in GOOD_FILES} - {joined_rows.NAME}


USUAL = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@settings(USUAL, max_examples=100)
@given(*mutations)
def test_a_changed_file_is_read_or_refused_in_words(bench: Bench, file: GoodFile, changes: list[Change]) -> None:
    bench.check(file, changed(file.content, changes))


@pytest.mark.slow
@settings(USUAL, max_examples=2000)
@given(*mutations)
def test_many_changed_files_are_read_or_refused_in_words(bench: Bench, file: GoodFile, changes: list[Change]) -> None:
    bench.check(file, changed(file.content, changes))
