"""One line of keys at the bottom. Textual's own Footer leaks a widget per key at every change; this rebuilds one text."""

from __future__ import annotations

from collections.abc import Collection

from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from adjudicate.tui.keys import COMMANDS

ORDER = {command.id: place for place, command in enumerate(COMMANDS)}
LAST = ("help", "back")
"""Always shown, whatever else has room."""


class KeyBar(Static):
    """The keys that act now, from the screen's bindings (so a remapped key is shown as it is)."""

    DEFAULT_CSS = "KeyBar { height: 1; padding: 0 1; color: $quiet; }"
    ALLOW_SELECT = False
    # What can be clicked looks as what cannot: it is the keys that are shown here.
    auto_links = False

    def __init__(self) -> None:
        super().__init__("", id="keys", markup=False)
        self._grey: frozenset[str] = frozenset()
        self._words = ""

    def on_mount(self) -> None:
        """Follow the screen's bindings."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self._rebuild())

    def on_resize(self) -> None:
        """Show as many as fit."""
        self._rebuild()

    def grey(self, ids: Collection[str]) -> None:
        """Show these commands as inactive; pressing one says why."""
        if self._grey != frozenset(ids):
            self._grey = frozenset(ids)
            self._rebuild()

    def tell(self, words: str) -> None:
        """Show these words in place of the keys, while they go to a text field; empty for the keys again."""
        self._words = words
        self._rebuild()

    def _rebuild(self) -> None:
        if self._words:
            self.update(Content.styled(self._words, "$quiet").truncate(self.size.width, ellipsis=True), layout=False)
            return
        shown = {
            active.binding.id: active.binding
            for active in reversed(self.screen.active_bindings.values())
            if active.binding.id and active.binding.show and active.binding.description
        }
        entries: dict[str, Content] = {}
        # What does nothing now gives way to what does.
        for name in sorted(shown, key=lambda name: (name in self._grey, ORDER.get(name, len(ORDER)))):
            binding = shown[name]
            key = binding.key_display or self.app.get_key_display(binding)
            words = "quit" if name == "back" and len(self.app.screen_stack) == 1 else binding.description
            if name in self._grey:
                entries[name] = Content.styled(f"({key} {words})", "$quiet")
            else:
                entry = Content.assemble((key, "$foreground bold"), (f" {words}", "$quiet"))
                entries[name] = entry.stylize(Style.from_meta({"@click": _of_screen(binding.action)}))
        self.update(self._fitted(entries), layout=False)

    def _fitted(self, entries: dict[str, Content]) -> Content:
        tail = [entries.pop(name) for name in LAST if name in entries]
        room = self.size.width - sum(entry.cell_length + 2 for entry in tail)
        chosen: list[Content] = []
        for entry in entries.values():
            if entry.cell_length + 2 > room:
                break
            room -= entry.cell_length + 2
            chosen.append(entry)
        return Content("  ").join([*chosen, *tail])


def _of_screen(action: str) -> str:
    """The same action, when it is not a key of the screen that asks for it."""
    return action if "." in action.partition("(")[0] else f"screen.{action}"
