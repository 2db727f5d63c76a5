r"""Opens a log as bytes and gives its physical lines. Refuses what is no text file, by what it is and not by its name.

Lines end at the byte ``\n`` only: `str.splitlines` would tear a row apart at U+2028. What a line means is for the readers.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError

HEAD_BYTES = 65536
READ_BYTES = 65536
"""Read at once while lines are cut: the usual 8 kB would be a system call for every fourth row of a log."""
MEGABYTE = 1_000_000
BOM = b"\xef\xbb\xbf"

ROW_LIMIT = "ADJUDICATE_MAX_ROW_MB"
FILE_LIMIT = "ADJUDICATE_MAX_FILE_MB"
ROWS_LIMIT = "ADJUDICATE_MAX_ROWS"
DOCUMENT_LIMIT = "ADJUDICATE_MAX_DOCUMENT_MB"
"""A JSON document stands in memory as a whole, at several times its size; lines and members of archives do not."""
DEFAULT_LIMITS = {ROW_LIMIT: 20, FILE_LIMIT: 2000, ROWS_LIMIT: 1_000_000, DOCUMENT_LIMIT: 100}

MAGIC = (
    (b"BZh", "looks like bzip2: unpack it first (bunzip2)"),
    (b"PAR1", "looks like Parquet: leave out --format, or convert it to JSON lines"),
    (b"PK\x03\x04", "looks like a zip archive: unpack it and give the log inside"),
    (b"PK\x05\x06", "looks like an empty zip archive"),
    (b"SQLite format 3\x00", "looks like a SQLite database: export the table as JSON lines or CSV first"),
    (b"%PDF", "looks like PDF"),
    (b"\xff\xfe\x00\x00", "looks like UTF-32: add '--encoding utf-32'"),
    (b"\xff\xfe", "looks like UTF-16: add '--encoding utf-16'"),
    (b"\xfe\xff", "looks like UTF-16: add '--encoding utf-16'"),
)


class NothingToLabel(InputError):
    """A sound file without a single item, such as a run that was cancelled at once: no reason to refuse the files beside it."""

    def __init__(self, message: str, source: SourceFile) -> None:
        super().__init__(message)
        self.source = source


class Line(NamedTuple):
    """One physical line."""

    number: int
    """From 1."""
    data: bytes
    """UTF-8 (or what pretends to be), without its ``\n``; None stands for a line above the limit."""
    size: int
    """Bytes, where the line is above the limit and `data` is empty; else 0."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that can be read: what it is called, what it holds, how it begins."""

    path: Path
    name: str
    """Its last part, as given; show it through `visible_line`."""
    sha256: str
    size: int
    head: bytes
    """First bytes, in UTF-8 without a byte order mark where an encoding was given."""
    encoding: str | None = None
    """As the user said; None means UTF-8."""
    unpacked: Path | None = None
    """Where its content stands, if that is not `path`: a compressed file, or standard input."""

    @property
    def content(self) -> Path:
        """The file to read, whose size is `size`."""
        return self.unpacked or self.path

    @property
    def stem(self) -> str:
        """Its name without suffixes of format and compression."""
        return "standard input" if self.name == "-" else self.name.split(".")[0] or self.name

    @property
    def shown(self) -> str:
        """Its path, safe to print."""
        return visible_line(str(self.path))

    def refused(self, message: str) -> InputError:
        """An error about this file."""
        return InputError(f"{self.shown}: {message}")

    def without_items(self, message: str) -> NothingToLabel:
        """An error about this file, which is sound and holds no item."""
        return NothingToLabel(f"{self.shown}: {message}", self)


def limit(name: str) -> int:
    """A limit from the environment, or its default.

    Raises:
        UsageError: It is set to something that is no whole number above zero.
    """
    value = os.environ.get(name, "")
    if not value:
        return DEFAULT_LIMITS[name]
    if not value.isdecimal() or int(value) == 0:
        raise UsageError(f"{name}={visible_line(value)}: expected a whole number above zero")
    return int(value)


def known_encoding(name: str | None) -> str | None:
    """The codec's own name for an encoding; None for UTF-8.

    Raises:
        UsageError: There is no such text encoding.
    """
    if name is None:
        return None
    try:
        found = codecs.lookup(name)
        "".encode(found.name)
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding {visible_line(name)}: there is no such encoding; try utf-8, utf-16, latin-1, cp1252 or mac_roman"
        ) from None
    return None if found.name in ("utf-8", "utf-8-sig") else found.name


def open_source(path: Path, encoding: str | None = None, *, unpacked: Path | None = None) -> SourceFile:
    """Look at a file: its kind, its size, its hash, its first bytes.

    Args:
        path: The file as it was named.
        encoding: As the user said; None for UTF-8.
        unpacked: A copy of what it holds, to be read in its place. The hash stays that of the file itself, where it is one.

    Raises:
        InputError: It is no regular file, cannot be read, is too large or is empty.
    """
    content = unpacked or path
    try:
        _refuse_odd(content, content.stat())
        with content.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            head = file.read(HEAD_BYTES)
        if unpacked is not None and path.is_file():
            with path.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{visible_line(str(path))}: {_reason(path, error)}") from error
    source = SourceFile(path, path.name, sha256, size, head, known_encoding(encoding), unpacked)
    if size == 0:
        raise source.refused("empty file: there is nothing to import")
    if size > limit(FILE_LIMIT) * MEGABYTE:
        raise source.refused(f"larger than {limit(FILE_LIMIT):,} MB: split it, or set {FILE_LIMIT}")
    return _decoded_head(source)


def first_bytes(path: Path, count: int) -> bytes:
    """How a file begins.

    Raises:
        InputError: It is no regular file or cannot be read.
    """
    try:
        _refuse_odd(path, path.stat())
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise InputError(f"{visible_line(str(path))}: {_reason(path, error)}") from error


def refuse_binary(source: SourceFile) -> None:
    """Say what a file looks like that is no text.

    Raises:
        InputError: It begins like Parquet, zip, SQLite, UTF-16 ...
    """
    if source.encoding is not None:
        return
    for magic, message in MAGIC:
        if source.head.startswith(magic):
            raise source.refused(message)


def physical_lines(source: SourceFile) -> Iterator[Line]:
    """All lines of a file, the byte order mark removed.

    Raises:
        InputError: It is not in the encoding that was given, or it changed since it was opened.
    """
    most = limit(ROW_LIMIT) * MEGABYTE
    number = 0
    with source.content.open("rb", buffering=READ_BYTES) as file:
        stream = _Recoded(file, source) if source.encoding else file
        if source.encoding is None and file.read(len(BOM)) != BOM:
            file.seek(0)
        readline = stream.readline
        while data := readline(most + 1):
            number += 1
            if data[-1] == 10:
                yield Line(number, data[:-1], 0)
            elif len(data) > most:
                yield Line(number, b"", _skip_rest(stream, len(data)))
            else:
                yield Line(number, data, 0)
        if os.fstat(file.fileno()).st_size != source.size:
            raise source.refused("the file changed while it was read; wait until its writer is done and import it again")


def too_long(line: Line) -> str:
    """What to say of a line above the limit."""
    return (
        f"the row has {line.size / MEGABYTE:,.0f} MB, more than the limit of {limit(ROW_LIMIT)} MB a row;"
        f" set {ROW_LIMIT} to raise it"
    )


class _Recoded:
    """Lines of a file in another encoding, as UTF-8 bytes."""

    def __init__(self, file: BinaryIO, source: SourceFile) -> None:
        self._text = io.TextIOWrapper(file, encoding=source.encoding, newline="\n")
        self._source = source
        self._number = 0

    def readline(self, size: int, /) -> bytes:
        """The next line, or the next `size` characters of it."""
        self._number += 1
        try:
            text = self._text.readline(size)
        except UnicodeError:
            raise self._source.refused(
                f"line {self._number} or after: the bytes are not {self._source.encoding}; give the encoding it was written in"
            ) from None
        return (text.removeprefix("\ufeff") if self._number == 1 else text).encode()


def _skip_rest(stream: _Recoded | BinaryIO, size: int) -> int:
    while data := stream.readline(MEGABYTE):
        size += len(data)
        if data[-1] == 10:
            break
    return size


def _decoded_head(source: SourceFile) -> SourceFile:
    head = source.head
    if source.encoding is not None:
        try:
            # Even "replace" does not help UTF-16 over a missing byte order mark.
            text = codecs.getincrementaldecoder(source.encoding)("replace").decode(head)
        except UnicodeError:
            raise source.refused(f"the bytes are not {source.encoding}; give the encoding it was written in") from None
        head = text.lstrip("\ufeff").encode("utf-8", "replace")
    return replace(source, head=head.removeprefix(BOM))


def _refuse_odd(path: Path, found: os.stat_result) -> None:
    """Look before opening: a named pipe would make `open` wait for ever."""
    shown = visible_line(str(path))
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{shown}: a folder; name the files in it")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{shown}: not a regular file (a pipe or a device); save it to a file first")


def _reason(path: Path, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "a link to a file that is not there" if path.is_symlink() else "there is no such file"
    if error.errno == errno.ELOOP:
        return "a link that leads back to itself"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "you may not read it; change its permissions (chmod u+r)"
    return f"cannot be read ({visible_line(error.strerror or 'unknown reason')})"


def ends_with(path: Path, magic: bytes) -> bool:
    """Whether a file ends with these bytes, and does not consist of them alone."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < 2 * len(magic):
            return False
        file.seek(-len(magic), os.SEEK_END)
        return file.read() == magic
