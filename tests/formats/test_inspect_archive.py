"""Archives that must do no harm, through the real import: those of ../shared/hostile, and broken ones made here."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Policy
from adjudicate.formats import inspect_archive
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import FileReport, ImportRejected
from tests.conftest import SHARED
from tests.formats.inspect_files import AT, archive, header, new_store, sample, two_outcomes
from tests.formats.test_hostile_files import ACTING, dump
from tests.measured import measured

MANIFEST = SHARED / "hostile" / "manifest.json"
CASES: list[dict[str, Any]] = (
    [case for case in json.loads(MANIFEST.read_text(encoding="utf-8"))["files"] if case["kind"] == "eval_archive"]
    if MANIFEST.is_file()
    else []
)
HINTS = {
    "eval-slip.eval": r"\.\./\.\./outside\.json",
    "eval-bomb.eval": r"samples/s-2_epoch_1\.json.*size limit.*ADJUDICATE_MAX_ROW_MB",
    "eval-truncated.eval": "truncated or still being written",
    "eval-no-header.eval": r"header\.json",
    "eval-sample-not-json.eval": r"samples/s-2_epoch_1\.json",
    "eval-still-running.eval": "run did not finish",
    "eval-method-93-damaged.eval": "compression method",
    "eval-bad-checksum.eval": "checksum",
}
SKIPPED = {"eval-many-members.eval": 19_998, "eval-sample-not-json.eval": 1}
"""Samples that are left out."""


@pytest.fixture
def policy() -> Policy:
    return two_outcomes()


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return new_store(tmp_path)


def read(store: SqliteStore, policy: Policy, path: Path) -> FileReport:
    options = options_for({"set": {"intent": "benign"}, "outcome": {"C": "complies", "I": "refuses"}}, {})
    return import_files(store, policy, [path], options, AT).files[0]


def refusal(store: SqliteStore, policy: Policy, path: Path) -> str:
    """Why a file is rejected; nothing of it may be stored."""
    before = dump(store)
    with pytest.raises(ImportRejected) as refused:
        read(store, policy, path)
    assert dump(store) == before
    assert not ACTING.search(str(refused.value))
    return str(refused.value)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    folder = tmp_path_factory.mktemp("made")
    subprocess.run([sys.executable, str(shared / "hostile" / "make_archives.py"), str(folder)], check=True)
    return folder


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["file"]))
def test_hostile_archive(case: dict[str, Any], made: Path, store: SqliteStore, policy: Policy) -> None:
    """Each ends as the manifest says, names what it has to name, and is the same the second time."""
    name = str(case["file"])
    path = (made if case.get("made_by") else SHARED / "hostile") / name
    if case["expect"] == "reject_file":
        told = refusal(store, policy, path)
    else:
        report = read(store, policy, path)
        told = "\n".join([report.remark, *map(str, report.problems)])
        assert (report.accepted, report.skipped) == (1, SKIPPED.get(name, 0))
        # The end of a run that did not come is a problem of the file, and no row of it.
        assert bool(report.problem_count) == (case["expect"] == "skip_rows")
        assert report.rows == report.accepted + report.skipped
        after = dump(store)
        again = read(store, policy, path)
        assert (again.items, again.verdicts, dump(store)) == (0, 0, after)
    assert re.search(HINTS.get(name, ""), told)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["eval-bomb.eval", "eval-many-members.eval"])
def test_a_hostile_archive_costs_little_memory(name: str, made: Path) -> None:
    code = f"""
from pathlib import Path
from adjudicate.formats import inspect_
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.text_file import open_source
from adjudicate.errors import InputError
from tests.formats.inspect_files import two_outcomes
try:
    (run,) = inspect_.plan([open_source(Path({str(made / name)!r}))], ImportOptions.of({{}}), two_outcomes())
    for row in run.parts[0].rows():
        pass
except InputError:
    pass
"""
    ran = measured(["-c", code], timeout=60)
    assert (ran.code, ran.err) == (0, "")
    assert ran.seconds < 10
    assert ran.megabytes < 200  # the limit is 400


def test_a_size_that_the_directory_understates_is_found_out(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample("s-1"), sample("s-2"))
    data = bytearray(path.read_bytes())
    entry = data.rfind(b"PK\x01\x02", 0, data.rfind(b"samples/s-2_epoch_1.json"))
    struct.pack_into("<L", data, entry + 24, 10)  # its unpacked size, in the central directory
    path.write_bytes(data)
    assert "samples/s-2_epoch_1.json: damaged data" in refusal(store, policy, path)


def test_one_changed_byte_in_a_sample_rejects_the_archive(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample("s-1"), sample("s-2"), compression=zipfile.ZIP_STORED)
    data = path.read_bytes().replace(b"At six.", b"At ten.", 3)
    path.write_bytes(data)
    assert "samples/s-1_epoch_1.json: damaged data" in refusal(store, policy, path)


def test_all_members_together_have_a_limit(
    store: SqliteStore, policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archive(tmp_path / "log.eval", *(sample(number, metadata={"filler": "a" * 600_000}) for number in range(3)))
    monkeypatch.setenv("ADJUDICATE_MAX_FILE_MB", "1")
    assert "unpacks to more than 1 MB" in refusal(store, policy, path)


@pytest.mark.parametrize("name", ["/etc/passwd", "C:\\windows", "samples\\..\\..\\up.json", "a/../../b"])
def test_a_name_that_leads_out_rejects_the_archive(name: str, store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample())
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(name, "{}")
    assert "leads out of the archive" in refusal(store, policy, path)


@pytest.mark.parametrize("sample_id", ["a/b", "a\\b", "a b", "..a..", "ätsch", "a\x1b[31m"])
def test_an_id_may_hold_anything_else(sample_id: str, store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    assert read(store, policy, archive(tmp_path / "log.eval", sample(sample_id))).items == 1


def test_an_encrypted_member_is_told(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample())
    data = bytearray(path.read_bytes())
    entry = data.rfind(b"PK\x01\x02", 0, data.rfind(b"samples/s-1_epoch_1.json"))
    struct.pack_into("<H", data, entry + 8, 1)
    path.write_bytes(data)
    assert "encrypted" in refusal(store, policy, path)


def test_a_sample_that_was_logged_again_counts_once(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    """As for Inspect itself: of two members with one name the later one holds."""
    path = archive(tmp_path / "log.eval", sample(metadata={"try": 1}))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as file:
        file.writestr("samples/s-1_epoch_1.json", json.dumps(sample(scores={"grader": {"value": "I"}})))
    report = read(store, policy, path)
    assert report.rows == 1
    assert "logged again" in report.remark
    assert store.verdicts(next(iter(store.item_ids().values())))[0].outcome == "refuses"


def test_samples_in_chunks_are_refused_with_what_to_do(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample())
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("samples/s-2_epoch_1/sample.json", "{}")
    assert "write_eval_log" in refusal(store, policy, path)


def test_zstandard_members_may_come_in_several_frames() -> None:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    packed = zstd.compress(b"one ") + zstd.compress(b"two ") + zstd.compress(b"three")
    unpack = inspect_archive.METHODS[93]
    assert unpack(packed, 1000) == b"one two three"
    assert unpack(packed, 6) == b"one tw"


def test_another_zip_file_is_not_taken_for_a_log(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("word/document.xml", "<x/>")
    assert "looks like a zip archive" in refusal(store, policy, path)


def test_a_log_without_its_suffix_is_recognised(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    assert read(store, policy, archive(tmp_path / "log.zip", sample())).items == 1


def test_a_header_that_is_no_header_is_told(store: SqliteStore, policy: Policy, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample(), head={**header(), "eval": "nothing"})
    assert "header.json: not a log of Inspect" in refusal(store, policy, path)


def test_a_member_compressed_by_a_method_that_inspect_does_not_write_is_named(
    store: SqliteStore, policy: Policy, tmp_path: Path
) -> None:
    path = archive(tmp_path / "log.eval", sample("s-1"), compression=zipfile.ZIP_LZMA)
    with pytest.raises(ImportRejected, match=r"header\.json: compressed by method 14, which Inspect does not write"):
        read(store, policy, path)
