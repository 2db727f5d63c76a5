"""An Inspect log, whichever of its two forms it has: what it says of its run, and its samples one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from adjudicate.core.text import shortened, visible_line
from adjudicate.formats.inspect_archive import HEADER, START, Archive, RawSample, begins_like_inspect, open_archive
from adjudicate.formats.inspect_sample import without_constants
from adjudicate.formats.json_document import whole_text
from adjudicate.formats.text_file import SourceFile

ARCHIVE_SUFFIX = ".eval"
SHOWN = 200


class _Header(msgspec.Struct):
    """The part of a log that stands beside its samples."""

    eval: dict[str, Any]
    version: int = 0
    status: str = "started"
    error: Any = None
    invalidated: Any = None
    samples: list[msgspec.Raw] | None = None


@dataclass(frozen=True, slots=True)
class InspectLog:
    """One log."""

    spec: Mapping[str, Any]
    """Task, model, data set, configuration: the log's ``eval``."""
    status: str
    """started, success, cancelled or error; a run that did not finish is *started*."""
    count: int
    """Samples in it."""
    header: str
    """Where the status stands: a member of the archive or a key."""
    samples: Callable[[], Iterator[RawSample]]
    remarks: tuple[str, ...] = ()
    """What a person has to know of the run, safe to print."""

    @property
    def finished(self) -> bool:
        """Whether the run came to an end, good or bad."""
        return self.status != "started"

    @property
    def several_epochs(self) -> bool:
        """Whether each sample was asked more than once."""
        epochs = _under(self.spec, "config").get("epochs")
        return isinstance(epochs, int) and epochs > 1

    @property
    def dataset(self) -> str:
        """The name of the data set, or else of the task."""
        return _text(_under(self.spec, "dataset").get("name")) or self.task

    @property
    def task(self) -> str:
        """The name of the task."""
        return _text(self.spec.get("task"))

    @property
    def model(self) -> str:
        """The model that was evaluated."""
        return _text(self.spec.get("model"))


def is_archive(source: SourceFile) -> bool:
    """Whether the file is a `.eval` archive, by its first member or at least by its name."""
    named = source.path.suffix.lower() == ARCHIVE_SUFFIX
    return begins_like_inspect(source.head) or (named and source.head.startswith(b"PK\x03\x04"))


def open_log(source: SourceFile) -> InspectLog:
    """Read what a log says of its run.

    Raises:
        InputError: It is damaged, or no log of Inspect.
    """
    return _of_archive(open_archive(source)) if is_archive(source) else _of_document(source)


def _of_archive(archive: Archive) -> InspectLog:
    source = archive.source
    name = next((each for each in (HEADER, START) if each in archive.entries), None)
    if name is None:
        raise source.refused(f"there is no member {HEADER} (nor {START}): it says of which run the samples are")
    header = _header(source, archive.read(name), name)
    again = (f"{archive.repeated:,} samples were logged again; the last one counts",) if archive.repeated else ()
    status = header.status if name == HEADER else "started"
    log = InspectLog(header.eval, status, len(archive.samples), HEADER, archive.read_samples)
    return replace(log, remarks=(*_told(log, header), *again))


def _of_document(source: SourceFile) -> InspectLog:
    header = _document(source)
    # Read again when its turn comes: of many logs in one command, only one stands in memory.
    log = InspectLog(header.eval, header.status, len(header.samples or ()), "status", lambda: _raw(_document(source)))
    return replace(log, remarks=tuple(_told(log, header)))


def _document(source: SourceFile) -> _Header:
    return _header(source, whole_text(source).encode(), "")


def _told(log: InspectLog, header: _Header) -> Iterator[str]:
    so_far = f"{log.count:,} samples{_of_planned(log)}"
    if not log.finished:
        yield f"the run did not finish: {so_far} so far"
    elif log.status == "cancelled":
        yield f"the run was cancelled: {so_far}"
    elif log.status == "error":
        message = header.error.get("message") if isinstance(header.error, Mapping) else None
        yield f"the run ended with an error: {shortened(_text(message), SHOWN) or 'without a message'} ({so_far})"
    if header.invalidated is True:
        yield "samples of the run were marked as invalid"


def _of_planned(log: InspectLog) -> str:
    samples, epochs = _under(log.spec, "dataset").get("samples"), _under(log.spec, "config").get("epochs")
    limit = _under(log.spec, "config").get("limit")
    if not isinstance(samples, int) or limit is not None:
        return ""
    return f" of {samples * (epochs if isinstance(epochs, int) else 1):,}"


def _header(source: SourceFile, data: bytes, member: str) -> _Header:
    where = f"{shortened(member, SHOWN)}: " if member else ""
    try:
        return _decoded(data)
    except msgspec.ValidationError as error:
        raise source.refused(f"{where}not a log of Inspect: {visible_line(str(error))}") from None
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise source.refused(
            f"{where}not JSON that can be read ({visible_line(str(error))}): the log may be cut off; copy it again"
        ) from None


def _decoded(data: bytes) -> _Header:
    try:
        return msgspec.json.decode(data, type=_Header)
    except msgspec.ValidationError:
        raise
    except (msgspec.MsgspecError, ValueError):
        return msgspec.json.decode(without_constants(data), type=_Header)


def _raw(header: _Header) -> Iterator[RawSample]:
    for data in header.samples or ():
        yield RawSample("", bytes(data))


def _under(spec: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = spec.get(key)
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
