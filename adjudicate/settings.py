"""Where things are and what a workspace is set to: `adjudicate.toml`, its folders, and the files shipped with the program."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from adjudicate.core.text import visible, visible_line
from adjudicate.errors import InputError, UsageError

SETTINGS_FILE = "adjudicate.toml"
FOLDERS = ("policies", "db", "exports")
KNOWN_KEYS = frozenset({"name", "import", "keys", "theme", "label"})
LONGEST_SPELL = 24 * 60
"""Minutes of work after which a break can be due, at most."""

TEMPLATE = """\
# Settings of this adjudicate workspace.
name = "{name}"

# A mapping used often can be saved under a name and chosen with `adjudicate import --format NAME`:
# [import.my-log]
# map = {{ prompt = "input.text", response = "output" }}
# set = {{ intent = "harmful" }}
# outcome = {{ yes = "harmful_compliance", no = "flat_refusal" }}

# Colours: dark, light, safe-dark, safe-light (for every kind of colour blindness), terminal (its own sixteen).
# theme = "safe-dark"

# Keys of your own (docs/label.md names the commands), or those of another tool:
# [keys]
# preset = "prodigy"
# "label.skip" = "z"

# Labelling: minutes of work until a break is suggested, 0 for never; plain lines for a screen reader; and categories,
# intents or populations whose responses stay behind a veil until a key lifts it.
# [label]
# break_minutes = 50
# veil = ["violence", "self_harm"]
# linear = true
"""


@dataclass(frozen=True, slots=True)
class WorkspacePaths:
    """A workspace on disk: a folder with settings, policies, database and exports."""

    root: Path

    @property
    def settings(self) -> Path:
        """`adjudicate.toml`."""
        return self.root / SETTINGS_FILE

    @property
    def database(self) -> Path:
        """The label store."""
        return self.root / "db" / "adjudicate.db"

    @property
    def policies(self) -> Path:
        """Written policies of this workspace."""
        return self.root / "policies"

    @property
    def exports(self) -> Path:
        """Where exports go by default."""
        return self.root / "exports"


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """What ``[label]`` says."""

    break_minutes: float = 50
    """Minutes of work without a pause until a break is suggested; 0 for never."""
    linear: bool = False
    """Label in plain lines, without a screen."""
    copy_out: bool = False
    """Whether a response may be handed to the terminal's clipboard, when somebody asks for it."""
    veil: tuple[str, ...] = ()
    """Categories, intents or populations whose responses stay behind a veil until a key lifts it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What `adjudicate.toml` says."""

    name: str
    imports: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Saved import mappings by name."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Remapped keys: action id to keys, comma-separated."""
    theme: str | None = None
    """Name of the colours, unchecked: the terminal interface knows which there are."""
    label: LabelSettings = LabelSettings()


def read_settings(paths: WorkspacePaths) -> Settings:
    """The settings of a workspace; defaults where the file says nothing.

    Raises:
        InputError: The folder is not a workspace, or the file cannot be read or has a key that means nothing.
    """
    shown = visible_line(str(paths.settings))
    if not paths.settings.is_file():
        raise InputError(
            f"{visible_line(str(paths.root))} is not a workspace (it has no {SETTINGS_FILE}):"
            " make one with 'adjudicate init DIR', or name one with -w"
        )
    try:
        stored = tomllib.loads(paths.settings.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"{shown}: {visible_line(str(error))}") from error
    unknown = sorted(set(stored) - KNOWN_KEYS)
    if unknown:
        raise InputError(f"{shown}: unknown key {visible(unknown[0])!r}; known are {', '.join(sorted(KNOWN_KEYS))}")
    for name in ("import", "keys", "label"):
        if not isinstance(stored.get(name, {}), dict):
            raise InputError(f"{shown}: {name} is a table: [{name}]")
    imports, keys = stored.get("import", {}), stored.get("keys", {})
    for name, table in imports.items():
        if not isinstance(table, dict):
            raise InputError(f"{shown}: import.{visible_line(name)} is a table: [import.{visible_line(name)}]")
    for name, value in keys.items():
        if not isinstance(value, str):
            raise InputError(f'{shown}: [keys] {visible_line(name)}: expected keys in quotation marks, such as "z" or "ctrl+n"')
    theme, label = _theme(stored.get("theme"), shown), _label_settings(stored.get("label", {}), shown)
    return Settings(visible_line(str(stored.get("name", paths.root.resolve().name))), imports, keys, theme, label)


def _theme(value: object, shown: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InputError(f'{shown}: theme: expected a name in quotation marks, such as "dark"')


def _label_settings(table: Mapping[str, Any], shown: str) -> LabelSettings:
    """What ``[label]`` says.

    Raises:
        InputError: A key is unknown, or its value is not what it takes.
    """
    known = [each.name for each in fields(LabelSettings)]
    for name, value in table.items():
        if name not in known:
            raise InputError(f"{shown}: [label] unknown key {visible(name)!r}; known are {', '.join(known)}")
        if name == "break_minutes":
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_SPELL:
                raise InputError(f"{shown}: [label] {name}: expected minutes from 0 (never) to {LONGEST_SPELL}")
        elif name == "veil":
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise InputError(f'{shown}: [label] {name}: expected a list of names, such as ["violence", "harmful"]')
        elif not isinstance(value, bool):
            raise InputError(f"{shown}: [label] {name}: expected true or false")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    return LabelSettings(**values)


def make_workspace(root: Path, name: str) -> WorkspacePaths:
    """The folders and settings file of a new workspace, private to its owner.

    Raises:
        InputError: There is a workspace already, or the folder cannot be made.
    """
    paths = WorkspacePaths(root)
    if paths.settings.exists():
        raise InputError(f"{visible_line(str(root))} is a workspace already")
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in FOLDERS:
            (root / folder).mkdir(exist_ok=True, mode=0o700)
        plain = re.sub(r'["\\\x00-\x1f\x7f]', "", visible_line(name))
        write_private(paths.settings, TEMPLATE.format(name=plain))
    except OSError as error:
        raise InputError(f"{visible_line(str(root))}: cannot be made ({error.strerror})") from error
    return paths


@contextlib.contextmanager
def whole_or_nothing(folder: Path) -> Iterator[None]:
    """Remove what the block made of a workspace where it fails; what was there before stays.

    Raises:
        InputError: A file of it cannot be made.
    """
    made_parents = [each for each in (folder, *folder.parents) if not each.exists()]
    before = _inside(folder)
    try:
        yield
    except BaseException as error:
        # Whatever ended it, an interrupt too: half a workspace would be taken for a whole one.
        with contextlib.suppress(OSError):
            for path in _inside(folder) - before:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
            for path in made_parents:
                path.rmdir()
        if isinstance(error, OSError):
            reason = visible_line(error.strerror or str(error))
            raise InputError(f"{visible_line(str(folder))}: cannot be made ({reason})") from error
        raise


def _inside(folder: Path) -> set[Path]:
    """What is where a workspace puts its things."""
    places = (folder, *(folder / name for name in FOLDERS))
    expected = {*places[1:], WorkspacePaths(folder).settings}
    found = {path for place in places[1:] if place.is_dir() for path in place.iterdir()}
    return found | {path for path in expected if path.exists()}


def put_in_place(made: WorkspacePaths, folder: Path) -> WorkspacePaths:
    """Move a workspace that was made apart, in a folder inside `folder`, to where it belongs. All of it, or nothing.

    Raises:
        InputError: Something of a workspace is there already, or the folder cannot be written.
    """
    paths = WorkspacePaths(folder)
    with whole_or_nothing(folder):
        for name in FOLDERS:
            (folder / name).mkdir(exist_ok=True, mode=0o700)
            for path in (made.root / name).iterdir():
                _move(path, folder / name / path.name)
        # Last: this file is what makes a folder a workspace.
        _move(made.settings, paths.settings)
    return paths


def _move(path: Path, target: Path) -> None:
    if target.exists():
        raise InputError(f"{visible_line(str(target))} is there already: move it away, or choose another folder")
    path.rename(target)


def state_folder(environment: Mapping[str, str]) -> Path | None:
    """Where this person's programs keep what they remember between runs; None where there is no such place."""
    stated = environment.get("XDG_STATE_HOME", "")
    home = environment.get("HOME", "")
    if Path(stated).is_absolute():
        return Path(stated) / "adjudicate"
    return Path(home) / ".local" / "state" / "adjudicate" if Path(home).is_absolute() else None


def check_new_mapping(settings: Settings, name: str) -> None:
    """Refuse a name for a mapping that is taken.

    Raises:
        UsageError: Says where to change the one that there is.
    """
    if name in settings.imports:
        raise UsageError(
            f"--save {visible_line(name)}: {SETTINGS_FILE} has a mapping of this name; change it there, or name another"
        )


def save_mapping(paths: WorkspacePaths, name: str, tables: Mapping[str, Mapping[str, str] | str | None]) -> None:
    """Add an ``[import.NAME]`` table to the settings file; what stands there stays as it is.

    Args:
        paths: The workspace's.
        name: Name of the mapping, for ``--format``.
        tables: ``format``, ``map``, ``set``, ``outcome``, ``encoding``; empty ones are left out.

    Raises:
        InputError: The file cannot be written.
    """
    lines = ["", f"[import.{_toml(name)}]"]
    for key, value in tables.items():
        if isinstance(value, str):
            lines.append(f"{key} = {_toml(value)}")
        elif value:
            inside = ", ".join(f"{_toml(inner)} = {_toml(text)}" for inner, text in value.items())
            lines.append(f"{key} = {{ {inside} }}")
    try:
        text = paths.settings.read_text(encoding="utf-8")
        part = paths.settings.with_suffix(".toml.part")
        write_private(part, text.rstrip("\n") + "\n" + "\n".join(lines) + "\n")
        part.replace(paths.settings)
    except OSError as error:
        raise InputError(f"{visible_line(str(paths.settings))}: cannot be written ({error.strerror})") from error


def _toml(text: str) -> str:
    """A text as TOML writes it: as JSON does, but for one character that only JSON leaves alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def resource(*parts: str) -> Path:
    """A file or folder shipped with the program: from the wheel, or from the checkout that this runs in.

    Raises:
        FileNotFoundError: It is in neither.
    """
    package = Path(__file__).resolve().parent
    for base in (package / "_resources", package.parent, package):
        found = base.joinpath(*parts)
        if found.exists():
            return found
    raise FileNotFoundError(f"not shipped with this program: {'/'.join(parts)}")


def shipped_policies() -> dict[str, Path]:
    """The policies shipped with the program, by name."""
    return {path.stem: path for path in sorted(resource("policies").glob("*.md")) if path.stem != "README"}


def current_user() -> str:
    """The operating system's name for who runs this: who an annotator is, unless they say otherwise."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"user-{os.getuid()}"
