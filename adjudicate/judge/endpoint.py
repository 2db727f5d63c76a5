"""The address of a server, as its operator gave it: checked before anything is sent there."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from adjudicate.core.text import shortened
from adjudicate.errors import UsageError

PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server."""

    base: str
    """Without a slash at its end, e.g. ``http://127.0.0.1:8080/v1``. Holds no key."""
    host: str

    @property
    def chat(self) -> str:
        """Where questions are sent."""
        return self.base + PATH


def endpoint(base_url: str) -> Endpoint:
    """Check a base URL.

    Raises:
        UsageError: It is none; it holds a name, key or query; or it would carry the key and the texts in the clear.
    """
    shown = shortened(base_url, 100)
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"--base-url is no address: {shown}") from None
    if "@" in parts.netloc:
        # Not shown: it holds a password.
        raise UsageError("--base-url holds a user name or password; give a key by --key-env or --key-file")
    if (
        parts.scheme not in ("http", "https")
        or not host
        or not base_url.isascii()
        or not base_url.isprintable()
        or " " in base_url
    ):
        raise UsageError(f"--base-url is no address such as http://127.0.0.1:8080/v1 or https://host/v1: {shown}")
    if parts.query or parts.fragment:
        raise UsageError("--base-url holds a query or a fragment; give the address up to the version, e.g. https://host/v1")
    if parts.scheme == "http" and not _is_loopback(host):
        raise UsageError(f"--base-url would send texts and key in the clear to {shortened(host, 60)}: use https")
    return Endpoint(_base(parts), host)


def _base(parts: SplitResult) -> str:
    path = parts.path.rstrip("/").removesuffix(PATH)
    return f"{parts.scheme}://{parts.netloc}{path}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
