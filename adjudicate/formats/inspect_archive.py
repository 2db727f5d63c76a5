"""Inspect's `.eval` archives: their members, read one at a time into memory and never to disk, within limits of our own.

What an archive says of itself is not believed: sizes are measured while unpacking, checksums are computed, and a name that
would lead out of a folder refuses the file although nothing is written anywhere.
"""

from __future__ import annotations

import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from adjudicate.core.text import shortened
from adjudicate.errors import InputError
from adjudicate.formats.problem import quoted
from adjudicate.formats.text_file import FILE_LIMIT, MEGABYTE, ROW_LIMIT, SourceFile, limit

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HEADER = "header.json"
"""Written when a run ends."""
START = "_journal/start.json"
"""Written when it begins; the only header of a run that did not finish."""
SAMPLES = "samples/"
FIRST_MEMBERS = (HEADER, START, SAMPLES, "_journal/", "summaries.json", "reductions.json")
CHUNKED = re.compile(r"samples/.*_epoch_[0-9]+/sample\.json", re.DOTALL)
"""A sample cut into many members, which Inspect can write on request."""

_LOCAL_HEADER = struct.Struct("<4s22xHH")
_MAGIC = b"PK\x03\x04"
_ENCRYPTED = 0x1
_EXTRA = 64
"""Bytes of extra fields that are read along with a member; more of them cost a second look."""
SHOWN_NAME = 120
MOST_FRAMES = 1000

_UNREADABLE = (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError, RuntimeError, OverflowError, struct.error)


class RawSample(NamedTuple):
    """One sample, not yet decoded."""

    member: str
    """Its member of the archive; empty in a log that is no archive."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Archive:
    """The directory of an archive."""

    source: SourceFile
    entries: dict[str, zipfile.ZipInfo]
    """By name. Where a name stands twice the later one holds, as for Inspect: a sample that ran again is added at the end."""
    repeated: int
    """How many samples stand there more than once."""

    @property
    def samples(self) -> list[str]:
        """Names of the members that hold a sample, in the order of the archive."""
        return [name for name in self.entries if name.startswith(SAMPLES) and name.endswith(".json")]

    def read(self, name: str) -> bytes:
        """The content of one member.

        Raises:
            InputError: It is damaged, or larger than a row may be.
        """
        with self.source.content.open("rb") as file:
            return _content(file, self.source, self.entries[name], limit(ROW_LIMIT) * MEGABYTE)

    def read_samples(self) -> Iterator[RawSample]:
        """Every sample, one after the other.

        Raises:
            InputError: One is damaged or too large, or all of them together are.
        """
        most, most_a_member, total = limit(FILE_LIMIT) * MEGABYTE, limit(ROW_LIMIT) * MEGABYTE, 0
        with self.source.content.open("rb") as file:
            for name in self.samples:
                data = _content(file, self.source, self.entries[name], most_a_member)
                total += len(data)
                if total > most:
                    raise self.source.refused(f"unpacks to more than {limit(FILE_LIMIT):,} MB: split it, or set {FILE_LIMIT}")
                yield RawSample(name, data)


def begins_like_inspect(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a zip archive whose first member is called as one of Inspect's."""
    if not head.startswith(_MAGIC) or len(head) < _LOCAL_HEADER.size:
        return False
    _, length, _ = _LOCAL_HEADER.unpack_from(head)
    return head[_LOCAL_HEADER.size : _LOCAL_HEADER.size + length].decode("utf-8", "replace").startswith(FIRST_MEMBERS)


def open_archive(source: SourceFile) -> Archive:
    """Read the directory of an archive.

    Raises:
        InputError: It is no complete zip archive, or a member's name leads out of it.
    """
    if not source.head.startswith(_MAGIC):
        raise source.refused("not a zip archive, and not an Inspect log in JSON either")
    try:
        with zipfile.ZipFile(source.content) as archive:
            found = archive.infolist()
    except _UNREADABLE:
        raise source.refused(
            "the archive has no readable directory: it is truncated or still being written; wait until the run is done, or"
            " copy it again"
        ) from None
    entries: dict[str, zipfile.ZipInfo] = {}
    repeated = 0
    for entry in found:
        if _climbs(entry.filename):
            raise source.refused(
                f"the name of the member {quoted(entry.filename)} leads out of the archive: this is no log of Inspect"
            )
        repeated += entry.filename in entries and entry.filename.startswith(SAMPLES)
        entries[entry.filename] = entry
    if chunked := next(filter(CHUNKED.fullmatch, entries), None):
        raise source.refused(
            f"{shortened(chunked, SHOWN_NAME)}: samples cut into chunks are not read: write the log again with"
            " inspect_ai.log.read_eval_log and write_eval_log"
        )
    return Archive(source, entries, repeated)


def _climbs(name: str) -> bool:
    """Whether a name is absolute or steps upwards, by the rules of any system. Ids may hold slashes: those say nothing."""
    steps = re.split(r"[/\\]", name)
    return steps[0] == "" or ".." in steps or re.fullmatch(r"[A-Za-z]:", steps[0]) is not None


def _content(file: BinaryIO, source: SourceFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The content of a member of no more than `most` bytes."""
    if entry.flag_bits & _ENCRYPTED:
        raise source.refused(f"{_shown(entry)}: encrypted; write the log again without a password")
    unpack = METHODS.get(entry.compress_type)
    if unpack is None:
        raise source.refused(
            f"{_shown(entry)}: compressed by method {entry.compress_type}, which Inspect does not write; write the log again"
        )
    try:
        # One byte more than there may be tells that it is too much, whatever the directory says.
        data = unpack(_packed(file, entry, most), min(most, entry.file_size) + 1)
    except (zlib.error, zstd.ZstdError, *_UNREADABLE):
        raise _damaged(source, entry) from None
    if len(data) > most:
        raise source.refused(
            f"{_shown(entry)}: unpacks to more than the size limit of {limit(ROW_LIMIT)} MB a member; set {ROW_LIMIT} to raise it"
        )
    if len(data) != entry.file_size or zlib.crc32(data) != entry.CRC:
        raise _damaged(source, entry)
    return data


def _packed(file: BinaryIO, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The compressed bytes, no more of them than a member within its limit can need."""
    # Data that does not compress grows a little; where more is said to follow, the checksum will not fit.
    size = min(entry.compress_size, most + most // 100 + MEGABYTE)
    read = os.pread(file.fileno(), _LOCAL_HEADER.size + len(entry.orig_filename) + size + _EXTRA, entry.header_offset)
    magic, name_length, extra_length = _LOCAL_HEADER.unpack_from(read)
    if magic != _MAGIC:
        raise zipfile.BadZipFile
    start = _LOCAL_HEADER.size + name_length + extra_length
    if len(read) >= start + size:
        return read[start : start + size]
    return os.pread(file.fileno(), size, entry.header_offset + start)


def _stored(packed: bytes, _most: int) -> bytes:
    return packed


def _inflated(packed: bytes, most: int) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)


def _from_zstandard(packed: bytes, most: int) -> bytes:
    unpacker = zstd.ZstdDecompressor()
    data = unpacker.decompress(packed, most)
    return data + b"".join(_further_frames(unpacker.unused_data, most - len(data))) if unpacker.unused_data else data


def _further_frames(packed: bytes, most: int) -> Iterator[bytes]:
    """Zstandard data may come in several frames. What is missing or too much is found by size and checksum."""
    for _ in range(MOST_FRAMES):
        if not packed or most <= 0:
            return
        unpacker = zstd.ZstdDecompressor()
        piece = unpacker.decompress(packed, most)
        yield piece
        most -= len(piece)
        packed = unpacker.unused_data


METHODS: Mapping[int, Callable[[bytes, int], bytes]] = {0: _stored, 8: _inflated, 93: _from_zstandard}
"""How members may be compressed, by the number of the method in a zip archive: what unpacks them, to so many bytes at most."""


def _damaged(source: SourceFile, entry: zipfile.ZipInfo) -> InputError:
    return source.refused(
        f"{_shown(entry)}: damaged data: the checksum does not fit, or the compression method is not the one that the archive"
        " names; copy the file again"
    )


def _shown(entry: zipfile.ZipInfo) -> str:
    return shortened(entry.filename, SHOWN_NAME)
