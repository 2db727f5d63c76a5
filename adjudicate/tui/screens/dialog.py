"""What all dialogs share: they lie over a screen, have their keys below them, tell all of these, and can be closed."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.screen import ModalScreen

from adjudicate.tui.keys import Place
from adjudicate.tui.widgets.framed_pane import FramedPane

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None]):
    """Returns its result, or None where it was closed. Saves nothing itself."""

    PLACE: ClassVar[Place]
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        KeyBar { dock: bottom; background: $surface; }
    }
    """

    async def on_framed_pane_clicked(self, message: FramedPane.Clicked) -> None:
        """A row may do something, as a key would."""
        message.stop()
        if message.action:
            await self.run_action(message.action)

    def action_help(self) -> None:
        """All keys of this dialog."""
        from adjudicate.tui.screens.help_dialog import HelpDialog

        self.app.push_screen(HelpDialog(self.PLACE))

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
