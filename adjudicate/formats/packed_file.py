"""Compressed files and standard input: their content goes into a private scratch file, from where readers take it.

A reader may look at a file twice and must know its size, which no stream allows.
"""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.formats.text_file import FILE_LIMIT, MEGABYTE, SourceFile, first_bytes, limit, open_source

STANDARD_INPUT = Path("-")
"""How standard input is named on the command line."""


class Packing(NamedTuple):
    """One kind of compressed file."""

    magic: bytes
    title: str
    suffixes: tuple[str, ...]
    open: Callable[[Path], Any]
    """A stream of its content, as a context manager."""
    error: Callable[[], type[Exception]]
    """What it raises over damaged data."""


def _gzip(path: Path) -> Any:
    return gzip.open(path, "rb")  # the caller enters it


def _zstandard(path: Path) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.open(path, "rb")


def _zstandard_error() -> type[Exception]:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError
    return ZstdError


PACKINGS: tuple[Packing, ...] = (
    Packing(b"\x1f\x8b", "gzip", (".gz",), _gzip, lambda: gzip.BadGzipFile),
    Packing(b"\x28\xb5\x2f\xfd", "Zstandard", (".zst", ".zstd"), _zstandard, _zstandard_error),
)


def open_any(path: Path, encoding: str | None, scratch: Path) -> SourceFile:
    """A file as `text_file.open_source` gives it, unpacked where it is compressed; ``-`` is standard input.

    Args:
        path: As named.
        encoding: As the user said; None for UTF-8.
        scratch: A folder of one's own, which lives as long as the file is read.

    Raises:
        InputError: It cannot be read, is damaged, or is larger than allowed once unpacked.
    """
    if path == STANDARD_INPUT:
        return _opened(path, encoding, _spooled(scratch), scratch)
    return _opened(path, encoding, None, scratch)


def plain_suffix(path: Path) -> str:
    """The suffix of a file's name below that of its compression, in lower case: ``.jsonl`` of ``a.jsonl.gz``."""
    packed = {suffix for packing in PACKINGS for suffix in packing.suffixes}
    return (Path(path.stem) if path.suffix.lower() in packed else path).suffix.lower()


def _opened(path: Path, encoding: str | None, content: Path | None, scratch: Path) -> SourceFile:
    head = first_bytes(content or path, 4)
    packing = next((each for each in PACKINGS if head.startswith(each.magic)), None)
    if packing is not None:
        content = _unpacked(path, content or path, packing, scratch)
    return open_source(path, encoding, unpacked=content)


def _unpacked(path: Path, content: Path, packing: Packing, scratch: Path) -> Path:
    shown = visible_line(str(path))
    try:
        with packing.open(content) as stream:
            return _copied(stream, shown, scratch)
    except (EOFError, OSError, zlib.error, packing.error()):
        raise InputError(f"{shown}: looks like {packing.title}, but is cut off or damaged: copy it again") from None


def _spooled(scratch: Path) -> Path:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("- reads standard input, which is a terminal here: pipe a file into the command, or name one")
    return _copied(sys.stdin.buffer, "-", scratch)


def _copied(stream: Any, shown: str, scratch: Path) -> Path:
    """A copy of a stream, of no more bytes than a file may have."""
    most = limit(FILE_LIMIT) * MEGABYTE
    target = scratch / f"content-{sum(1 for _ in scratch.iterdir())}"
    size = 0
    with target.open("xb") as file:
        while piece := stream.read(MEGABYTE):
            size += len(piece)
            if size > most:
                raise InputError(f"{shown}: unpacks to more than {limit(FILE_LIMIT):,} MB: split it, or set {FILE_LIMIT}")
            file.write(piece)
    return target
