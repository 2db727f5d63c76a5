"""Reads a policy file: YAML front matter for the machine, numbered Markdown clauses for people.

All that is wrong is reported in one go, with line and key. Writing and storing policies happens elsewhere.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from adjudicate.core.policy import Policy
from adjudicate.errors import Finding, PolicyError
from adjudicate.formats.policy_clauses import read_clauses
from adjudicate.formats.policy_front_matter import FIELDS, read_front_matter

MAX_BYTES = 1_000_000
MAX_FINDINGS = 100
"""A hostile file may hold a finding a line; beyond this many they are counted, not listed."""

# C0 but tab and LF, DEL, C1, and the separators that some programs (PyYAML too) take for line ends
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
SECOND_DOCUMENT = re.compile(rf"(?:{'|'.join(FIELDS)}) *:(?: |$)")


@dataclass(frozen=True, slots=True)
class _Parts:
    front_matter: str
    front_line: int
    body: str
    body_line: int
    findings: tuple[Finding, ...] = ()


def read_policy(text: str | bytes, source: str) -> Policy:
    """Read and check a whole policy.

    Args:
        text: The file, as text or as UTF-8 bytes.
        source: What to call the file in messages; already `visible()`.

    Raises:
        PolicyError: Something is wrong; it holds every finding, in the order of the file.
    """
    normal = normalise_policy(_decode(text, source))
    parts = _split(normal)
    front = read_front_matter(parts.front_matter, first_line=parts.front_line) if parts.front_line else None
    body = read_clauses(parts.body, first_line=parts.body_line)
    findings = [*_forbidden(normal), *parts.findings, *(front.findings if front else ()), *body.findings]
    if findings or front is None:
        raise PolicyError(source, _in_order(findings))
    return Policy(
        id=front.id,
        title=front.title,
        version=front.version,
        outcomes=front.outcomes,
        rates=front.rates,
        clauses=body.clauses,
        fingerprint=fingerprint_of(normal),
        text=normal,
        severities=front.severities,
        preamble=body.preamble,
        points=front.points,
        costs=front.costs,
    )


def normalise_policy(text: str) -> str:
    """The text that is hashed and stored: no byte order mark, LF, no blanks at line ends, one final newline."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).rstrip("\n") + "\n"


def fingerprint_of(normal: str) -> str:
    """SHA-256 (hex) of a normalised policy text."""
    return hashlib.sha256(normal.encode("utf-8")).hexdigest()


def _decode(text: str | bytes, source: str) -> str:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(data) > MAX_BYTES:
        raise PolicyError(source, [Finding(0, "", f"{len(data):,} bytes; a policy may have {MAX_BYTES:,}")])
    if isinstance(text, str):
        return text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise PolicyError(source, [Finding(line, "", message)]) from None


def _split(normal: str) -> _Parts:
    """Cut the text at its two ``---`` lines; without them everything is body, so that clause errors are still found."""
    lines = normal.split("\n")
    if not normal.strip():
        return _Parts("", 0, "", 1, (Finding(0, "", "the file is empty"),))
    if lines[0] != "---":
        message = "no front matter; a policy begins with a line ---, its keys (id, title, ...), and another line ---"
        return _Parts("", 0, normal, 1, (Finding(1, "", message),))
    if "---" not in lines[1:]:
        return _Parts("", 0, normal, 1, (Finding(1, "", "the front matter has no end; close it with a line ---"),))
    end = lines.index("---", 1)
    body = lines[end + 1 :]
    return _Parts("\n".join(lines[1:end]), 2, "\n".join(body), end + 2, _second_document(body, end + 1))


def _second_document(body: Sequence[str], fence_line: int) -> tuple[Finding, ...]:
    first = next((line for line in body if line), "")
    if not SECOND_DOCUMENT.match(first):
        return ()
    return (Finding(fence_line, "", "a second YAML document begins here; a file holds one policy, with one front matter"),)


def _forbidden(normal: str) -> list[Finding]:
    findings = []
    for number, line in enumerate(normal.split("\n"), start=1):
        if match := FORBIDDEN.search(line):
            name = unicodedata.name(match[0], "a control character")
            findings.append(Finding(number, "", f"U+{ord(match[0]):04X}, {name.lower()}, does not belong in a policy; remove it"))
    return findings


def _in_order(findings: Sequence[Finding]) -> list[Finding]:
    ordered = sorted(dict.fromkeys(findings), key=lambda finding: finding.line)
    rest = len(ordered) - MAX_FINDINGS
    if rest <= 0:
        return ordered
    return [*ordered[:MAX_FINDINGS], Finding(0, "", f"{rest:,} more findings are not listed")]
