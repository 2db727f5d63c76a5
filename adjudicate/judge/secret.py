"""A key that is never written anywhere: it comes from the environment or from a file of its owner alone."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from adjudicate.core.text import shortened
from adjudicate.errors import UsageError

KEY_VARIABLE = "ADJUDICATE_API_KEY"
"""Where a key is looked for unless another variable is named. No other tool's variable is read unasked: its key belongs to
another server than the one that is called here."""
SMALLEST, LARGEST = 1, 4096
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Secret:
    """A key. Showing it shows three stars; only `reveal` gives it, to the header that needs it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __reduce__(self) -> str:
        """A pickle would be a copy of it.

        Raises:
            TypeError: Always.
        """
        raise TypeError("a key is not pickled")

    def reveal(self) -> str:
        """The key itself."""
        return self._value


def find_key(environment: Mapping[str, str], *, variable: str | None = None, file: Path | None = None) -> Secret | None:
    """The key to send, or None where the server needs none.

    Args:
        environment: Usually `os.environ`.
        variable: The variable that holds it; `KEY_VARIABLE`, where it is set, unless one is named.
        file: A file that holds nothing else, readable by its owner alone.

    Raises:
        UsageError: What was named holds no key, or others may read it.
    """
    if file is not None:
        return _checked(_from_file(file), f"the key file {shortened(str(file), 80)}")
    name = variable or KEY_VARIABLE
    value = environment.get(name)
    if value is None:
        if variable is not None:
            if not _VARIABLE.fullmatch(variable):
                # It may be a key, given in place of a name.
                raise UsageError("--key-env takes the name of a variable, not what it holds: letters, digits and _")
            raise UsageError(
                f"the environment has no {shortened(variable, 60)}: set it to the key, or name another with --key-env"
            )
        return None
    return _checked(value, f"the variable {shortened(name, 60)}")


def _from_file(file: Path) -> str:
    shown = shortened(str(file), 80)
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):
            raise UsageError(f"the key file {shown} is no ordinary file")
        if mode & 0o077:
            raise UsageError(f"others may read the key file {shown}: chmod 600 it, and change the key if it was ever shared")
        return file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise UsageError(f"the key file {shown} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the key file {shown} holds more than a key") from None


def _checked(value: str, place: str) -> Secret:
    key = value.strip()
    # What is wrong with a key is told without showing it.
    if not SMALLEST <= len(key) <= LARGEST:
        raise UsageError(f"{place} is empty or too long to be a key")
    if not all("!" <= character <= "~" for character in key):
        raise UsageError(f"{place} holds more than one word, or characters that no key has")
    return Secret(key)
