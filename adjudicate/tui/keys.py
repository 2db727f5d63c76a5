"""Every key once: the bindings of the screens, the key bar and the help all come from this table.

`id` is what a keymap names; `where` lists the places a command acts in.
"""
# ruff: noqa: E501 - one command a line reads as the table it is

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.keys import _character_to_key

Place = Literal[
    "home",
    "label",
    "resolve",
    "report",
    "browse",
    "item",
    "policy",
    "note",
    "intent",
    "help",
    "hidden",
    "twin",
    "policies",
    "adopt",
    "first",
    "open",
    "case",
]

READING: tuple[Place, ...] = (
    "label",
    "resolve",
    "report",
    "home",
    "item",
    "policy",
    "help",
    "hidden",
    "twin",
    "policies",
    "adopt",
    "case",
)
DIALOGS: tuple[Place, ...] = ("policy", "intent", "help", "hidden", "twin", "adopt", "case")
"""On top of a place, without a text field that has the keys."""
TYPING: tuple[Place, ...] = ("note", "open")
"""Where printing keys are text: no command may have one."""
PLACES: tuple[Place, ...] = ("home", "label", "resolve", "report", "browse", "item", "policies", "first")
HELPED: tuple[Place, ...] = (*PLACES, *(place for place in DIALOGS if place != "help"))
"""Where a question mark tells all keys."""


class Command(NamedTuple):
    """One thing a key does."""

    id: str
    keys: str
    """Textual's names, comma-separated; the first is the one shown."""
    action: str
    words: str
    """For the key bar: one or two words."""
    help: str
    """One sentence; other keys in it as `with_keys` reads them."""
    where: tuple[Place, ...]
    shown: bool = True
    """Whether the key bar has it."""
    display: str = ""
    """The key as people write it, where that differs from its name."""


COMMANDS: tuple[Command, ...] = (
    Command("outcome.1", "1", "digit('1')", "outcome", "Choose the outcome with that digit; in labelling it is saved at once.", ("label", "resolve"), display="1-9"),
    *(Command(f"outcome.{digit}", str(digit), f"digit('{digit}')", "", "", ("label", "resolve"), shown=False) for digit in range(2, 10)),
    Command("label.keep", "enter", "keep", "keep", "After the reveal: let your label stand and go on. Never labels anything.", ("label",)),
    Command("label.confirm", "a", "confirm", "confirm", "Label as the verdict says (only where the verdict is shown).", ("label",)),
    Command("label.overrule", "x", "overrule", "overrule", "Overrule the verdict, then pick the outcome (where it is shown).", ("label",)),
    Command("undo", "u,backspace", "undo", "undo", "Take back your last act, however old, also after a restart.", ("label", "resolve")),
    Command("label.skip", "s", "skip", "skip", "Leave the item for now; recorded as no answer unless you label it later.", ("label",)),
    Command("label.undecided", "S,shift+s", "undecided", "undecided", "The policy does not settle this item; an adjudicator will.", ("label",), display="S"),
    Command("label.flag", "f", "flag", "flag", "Flag the item for a second look, or take the flag away.", ("label",)),
    Command("label.note", "c", "note", "note", "Write a note; what you typed is kept even if the terminal closes.", ("label",)),
    Command("go.label", "enter", "app.go('label')", "label", "Label the items on your list.", ("home",)),
    Command("go.resolve", "r", "app.go('resolve')", "resolve", "Settle disagreements.", ("home",)),
    Command("go.report", "t", "app.go('report')", "report", "Read the rates and the agreement.", ("home",)),
    Command("go.browse", "i", "app.go('browse')", "items", "Look through all items: filter, search, open.", ("home",)),
    Command("go.import", "a", "import_log", "add a log", "Read a log into this workspace: pick it, see what was recognised, say what it does not.", ("home",)),
    Command("go.draw", "d", "draw", "draw", "Draw the sample that people label, from items that no sample could take yet.", ("home",)),
    Command("first.go_on", "enter", "go_on", "go on", "To the next step with what is chosen; the last one draws the sample and shows the first item.", ("first",)),
    Command("first.back", "escape", "cancel", "step back", "One step back, or stop what is under way; nothing is stored before the last step.", ("first",), display="esc"),
    Command("first.choose", "1", "choose(1)", "choose", "Choose what stands beside that digit for the row.", ("first",), display="1-9"),
    *(Command(f"first.choose.{digit}", str(digit), f"choose({digit})", "", "", ("first",), shown=False) for digit in range(2, 10)),
    Command("first.failed", "0", "choose(0)", "", "Say of a class that the judge gave no verdict there.", ("first",), shown=False),
    Command("first.take_back", "x", "take_back", "take back", "Forget what was said in the row.", ("first",)),
    Command("first.mark", "space", "mark", "mark", "Several files are one log: mark each of them, or not.", ("first",)),
    Command("first.type", "e", "type", "type", "Type what is to stand in the row: a path, a column, a number, names.", ("first",)),
    Command("first.flags", "f", "flags", "flags", "Type flags of adjudicate import, all that can be said of a log.", ("first",)),
    Command("go.open", "o", "app.open_another", "open", "Open another workspace; this one is closed.", ("home", "first")),
    Command("open.take", "enter", "take", "open", "Open the workspace.", ("open",)),
    Command("open.complete", "tab", "complete", "complete", "Complete the path, as in a shell.", ("open",)),
    Command("open.next", "down", "choose(1)", "next", "The next workspace of the list, {open.previous} the one before.", ("open",), display="down up"),
    Command("open.previous", "up", "choose(-1)", "", "", ("open",), shown=False),
    Command("open.close", "escape", "close", "back", "Back to the workspace that is open.", ("open",), display="esc"),
    Command("browse.open", "enter", "open", "open", "Read the item whole, with what came with it and its history.", ("browse",)),
    Command("browse.filter", "slash", "filter", "filter", "Type what is looked for: words, population:…, verdict:…, open:yes and so on.", ("browse",), display="/"),
    Command("browse.order", "o", "order(1)", "order", "The next order of the list, {browse.order_back} the one before.", ("browse",), display="o O"),
    Command("browse.order_back", "O,shift+o", "order(-1)", "", "", ("browse",), shown=False, display="O"),
    Command("browse.select", "space", "select", "select", "Select the item, or not, and go on to the next.", ("browse",)),
    Command("browse.clear", "x", "clear", "select none", "Take the whole selection back.", ("browse",), shown=False),
    Command("browse.export", "e", "export(False)", "export", "Write the ids of what is selected (else of all that was found) into the folder exports.", ("browse",)),
    Command("browse.export_texts", "E,shift+e", "export(True)", "", "The same with prompts and responses.", ("browse",), shown=False, display="E"),
    Command("triage.send", "t", "triage", "to triage", "Send what is selected, else the item, to triage; where it is there already, take it out.", ("browse",)),
    Command("browse.page", "pagedown,ctrl+f", "page(1)", "page", "One page on.", ("browse", "first"), shown=False, display="pgdn"),
    Command("browse.page_back", "pageup,ctrl+b", "page(-1)", "", "One page back.", ("browse", "first"), shown=False, display="pgup"),
    Command("item.next", "n", "next", "next", "To the next item of the list, {item.previous} to the one before.", ("item",), display="n N"),
    Command("item.previous", "N,shift+n", "previous", "", "", ("item",), shown=False, display="N"),
    Command("item.relabel", "r", "relabel", "label again", "Show an item that you have labelled in your own list, where you can label it again.", ("item",)),
    Command("triage.send_item", "t", "triage", "to triage", "Send the item to triage, or take it out.", ("item",)),
    Command("go.policies", "p", "app.go('policies')", "policy", "Read the policy, compare its versions, adopt another.", ("home",)),
    Command("go.triage", "T,shift+t", "app.go('triage')", "triage", "Label what somebody sent to triage; such labels are in no rate.", ("home", "browse", "item"), display="T"),
    Command("policies.compare", "v", "compare", "versions", "Compare with the version before, then the one before that, then none: changed words are marked.", ("policies",)),
    Command("policies.change", "n", "change(1)", "next change", "To the next clause that changed (without a comparison: that was unclear to somebody), {policies.change_back} to the one before.", ("policies",), display="n N"),
    Command("policies.change_back", "N,shift+n", "change(-1)", "", "", ("policies",), shown=False, display="N"),
    Command("policies.adopt", "a", "adopt", "adopt", "Adopt a policy from a file; first shows which labels would have to be made again.", ("policies",)),
    Command("policies.refresh", "r", "refresh", "refresh", "Read the versions and count again.", ("policies",)),
    Command("adopt.yes", "y", "yes", "adopt it", "Adopt it: labels that rest on what it changes come back, all others stay.", ("adopt",)),
    Command("adopt.close", "escape,q,n", "close", "back", "Back; nothing is changed.", ("adopt",), display="esc"),
    Command("report.open", "enter", "open", "items", "List the items behind the number that the cursor is on; in Compare choose what is compared.", ("report",)),
    Command("report.cell", "l,right", "cell(1)", "other items", "To what else can be opened in the row, {report.cell_back} to the one before.", ("report",), shown=False, display="h l left"),
    Command("report.cell_back", "h,left", "cell(-1)", "", "", ("report",), shown=False, display="h"),
    Command("report.refresh", "r", "refresh", "refresh", "Compute all numbers again.", ("report",)),
    Command("report.stop", "escape", "cancel", "", "End the computing; what is on screen stays.", ("report",), shown=False, display="esc"),
    Command("report.time", "t", "to_pane(10)", "time", "To agreement over time and labels by day.", ("report",)),
    Command("report.compare", "c", "to_pane(11)", "compare", "To the list of runs, models and judges that can be compared.", ("report",)),
    Command("policy.show", "p", "policy", "policy", "All clauses of the policy; enter cites one.", ("label", "resolve", "report", "item")),
    Command("move.next", "n", "move(1)", "next", "To the next open item, {move.previous} to the one before; decides nothing.", ("label", "resolve"), display="n N"),
    Command("move.previous", "N,shift+n", "move(-1)", "", "", ("label", "resolve"), shown=False, display="N"),
    Command("label.low", "l", "low_confidence", "low", "Mark your label as of low confidence, or not.", ("label",)),
    Command("label.contest", "i", "contest", "intent", "Contest the intent that the data set declares.", ("label",)),
    Command("resolve.intent", "i", "intent", "intent", "Rule on the intent of the prompt too: as declared, benign, harmful, dual use. It moves the prompt's rates.", ("resolve",)),
    Command("resolve.unclear", "S,shift+s", "unclear", "unclear", "The policy does not settle it: put it on the list for the next version, with a note.", ("resolve",), display="S"),
    Command("resolve.defer", "d", "move(1)", "defer", "Leave this disagreement for later.", ("resolve",)),
    Command("resolve.rulings", "r", "rulings", "rulings", "Earlier rulings under the same clause, in full; all of them where nothing is open.", ("resolve",)),
    Command("resolve.history", "t", "history", "history", "All that happened to this item: labels, changes, skips, flags, rulings, by time.", ("resolve",)),
    Command("resolve.reason", "c", "reason", "reason", "Write the reason of the ruling.", ("resolve",)),
    Command("pane.next", "tab", "pane(1)", "pane", "To the next pane or section: keys that scroll act on it.", PLACES),
    Command("pane.previous", "shift+tab", "pane(-1)", "", "To the pane before.", PLACES, shown=False),
    Command("pane.1", "1", "to_pane(0)", "section", "To the section with that digit, as the line above them says; 0 is the tenth.", ("report",), display="1-9"),
    *(Command(f"pane.{digit}", str(digit), f"to_pane({(digit - 1) % 10})", "", "", ("report",), shown=False) for digit in (2, 3, 4, 5, 6, 7, 8, 9, 0)),
    Command("pane.zoom", "z", "zoom", "zoom", "In a wide window: this section alone, or the first four together again.", ("report",)),
    Command("read.page", "space,pagedown", "page(1)", "page", "One page on.", READING, shown=False, display="space"),
    Command("read.page_back", "b,pageup", "page(-1)", "", "One page back.", READING, shown=False, display="b"),
    Command("read.down", "j,down", "line(1)", "", "One line on; in a list the next row.", (*READING, "browse", "first"), shown=False, display="j"),
    Command("read.up", "k,up", "line(-1)", "", "One line back; in a list the row before.", (*READING, "browse", "first"), shown=False, display="k"),
    Command("read.top", "g,home", "end(-1)", "", "To the beginning.", (*READING, "browse", "first"), shown=False, display="g"),
    Command("read.bottom", "G,shift+g,end", "end(1)", "", "To the end.", (*READING, "browse", "first"), shown=False, display="G"),
    Command("read.turn_back", "left_square_bracket", "turn(-1)", "turn", "To the turn of the conversation before.", ("label", "resolve"), shown=False, display="["),
    Command("read.turn_on", "right_square_bracket", "turn(1)", "", "To the next turn of the conversation.", ("label", "resolve"), shown=False, display="]"),
    Command("read.find", "slash", "find", "find", "Find words in the pane that scrolls; they are marked while you type. For the policy: {policy.show}, then {policy.search}.", ("label", "resolve"), shown=False, display="/"),
    Command("read.match", "m", "match(1)", "match", "To the next place with these words, {read.match_back} to the one before; {cancel} takes the marks away.", ("label", "resolve"), shown=False, display="m M"),
    Command("read.match_back", "M,shift+m", "match(-1)", "", "", ("label", "resolve"), shown=False, display="M"),
    Command("read.raw", "v", "raw", "raw", "Markdown as it is written, every character; once more to render it again.", ("label", "resolve"), shown=False),
    Command("read.fold", "o", "fold", "unfold", "Unfold the system and tool turns of the conversation, or fold them again.", ("label",), shown=False),
    Command("read.hidden", "H,shift+h", "hidden", "hidden", "List the hidden characters and look-alike words, with code points and places.", ("label",), shown=False, display="H"),
    Command("label.unveil", "e", "unveil", "lift the veil", "Lift the veil from a response that this workspace shows only on demand.", ("label", "resolve", "item", "twin"), shown=False),
    Command("label.twin", "w", "twin", "twin", "The pair twin, read-only: the same model's response to the other prompt of the pair.", ("label",), shown=False),
    Command("policy.cite", "enter", "cite", "cite", "Cite the clause for your label; once more takes it away.", ("policy",)),
    Command("policy.search", "slash", "search", "search", "Search the clauses of the policy.", ("policy", "policies"), display="/"),
    Command("policy.close", "escape,q,p", "close", "back", "Back without citing.", ("policy",), display="esc"),
    Command("note.save", "ctrl+s,f2", "save", "save", "Save the note.", ("note",), display="ctrl+s"),
    Command("note.close", "escape", "close", "back, keeps the draft", "Back; what you typed stays as a draft.", ("note",), display="esc"),
    Command("intent.benign", "b", "choose('benign')", "benign", "Holds that the prompt is benign.", ("intent",)),
    Command("intent.harmful", "h", "choose('harmful')", "harmful", "Holds that the prompt is harmful.", ("intent",)),
    Command("intent.dual_use", "d", "choose('dual_use')", "dual use", "Holds that the prompt can be either.", ("intent",)),
    Command("intent.close", "escape,q,i", "close", "back", "Back without contesting.", ("intent",), display="esc"),
    Command("help.close", "escape,q,question_mark,enter", "close", "back", "Back to the screen before.", ("help",), display="esc"),
    Command("hidden.close", "escape,q,H,shift+h,enter", "close", "back", "Back to the item.", ("hidden",), display="esc"),
    Command("twin.close", "escape,q,w,enter", "close", "back", "Back to the item.", ("twin",), display="esc"),
    Command("case.close", "escape,q,r,t,enter", "close", "back", "Back to the disagreement.", ("case",), display="esc"),
    Command("cancel", "escape", "cancel", "", "Step back from a question; loses nothing.", ("label", "resolve", "policies", "browse"), shown=False, display="esc"),
    Command("copy.out", "Y,shift+y", "copy_out", "copy out", "Hand the response to the terminal's clipboard; only where adjudicate.toml allows it.", ("label",), shown=False, display="Y"),
    Command("copy.keep", "ctrl+c", "screen.copy_text", "", "Keep what the mouse selected for pasting into a note; other programs do not get it.", PLACES, shown=False),
    Command("palette", "colon,ctrl+p", "app.command_palette", "commands", "All commands by name.", PLACES, display=":"),
    Command("help", "question_mark", "help", "help", "All keys of this screen.", HELPED, display="?"),
    Command("help.typing", "f1", "help", "help", "All keys of this dialog.", TYPING),
    Command("back", "q", "app.leave", "back", "Back, or quit from the first screen; everything is saved already.", PLACES),
    Command("suspend", "ctrl+z", "app.suspend_process", "", "To the shell; fg comes back to where you were.", (*PLACES, *DIALOGS), shown=False),
    Command("quit", "ctrl+q", "app.quit", "", "Leave the program from anywhere; everything is saved already.", (*PLACES, *DIALOGS, "note", "open"), shown=False),
)  # fmt: skip

KEYS_OF = {command.id: command.keys for command in COMMANDS}
NAMED = re.compile(r"\{([a-z0-9_.]+)\}")
"""A command in a text."""

KEY_NAMES = {
    **{_character_to_key(sign): sign for sign in string.punctuation},
    "space": "space",
    "escape": "esc",
    "enter": "enter",
    "pagedown": "pgdn",
    "pageup": "pgup",
}


def commands_of(place: Place) -> list[Command]:
    """The commands that act in a place, in the order of the table."""
    return [command for command in COMMANDS if place in command.where]


def read_actions() -> None:
    """Have Textual read every action now and keep it, while no other thread runs.

    Before Python 3.11.8 and 3.12.2 two threads that read Python syntax at once can fail (python/cpython issue 106905): keys that
    are told for the first time while a worker imports numpy would end the program.
    """
    for command in COMMANDS:
        parse(command.action)


def bindings_for(place: Place) -> list[BindingType]:
    """Textual's bindings of a place; each carries its id so that a keymap can move it."""
    return [
        Binding(
            command.keys,
            command.action,
            command.words,
            show=command.shown,
            key_display=shown_key(command),
            tooltip=with_keys(command.help, {}),
            id=command.id,
        )
        for command in commands_of(place)
    ]


def shown_key(command: Command) -> str:
    """The key as people write it."""
    first = command.keys.split(",")[0]
    return command.display or KEY_NAMES.get(first, first)


def with_keys(words: str, keymap: Mapping[str, str]) -> str:
    """The words with each command that is named in them in braces as the first of its keys, moved keys as they are now.

    What stands in braces and is no command stays: the words may quote something.

    >>> with_keys("{read.page} page · {undo} undo", {"read.page": "pagedown"})
    'pgdn page · u undo'
    """

    def key(match: re.Match[str]) -> str:
        keys = keymap.get(match[1]) or KEYS_OF.get(match[1])
        return written(keys)[0] if keys else match[0]

    return NAMED.sub(key, words)


def help_rows(place: Place, keymap: Mapping[str, str] | None = None) -> Iterable[tuple[str, str]]:
    """Keys and sentence of every command of a place, moved keys as they are now."""
    moved = keymap or {}
    for family in families(place):
        first = family[0]
        if moved.keys().isdisjoint(command.id for command in family):
            yield " ".join([shown_key(first), *written(first.keys)[1:]]), with_keys(first.help, moved)
        else:
            keys = (key for command in family for key in written(moved.get(command.id, command.keys)))
            yield " ".join(keys), with_keys(first.help, moved)


def id_rows(place: Place, keymap: Mapping[str, str] | None = None) -> Iterable[tuple[str, str]]:
    """Keys and id of every command of a place."""
    for command in commands_of(place):
        yield " ".join(written((keymap or {}).get(command.id, command.keys))), command.id


def families(place: Place) -> list[list[Command]]:
    """The commands of a place, each with those after it that have no sentence of their own: its `display` covers their keys."""
    found: list[list[Command]] = []
    for command in commands_of(place):
        if command.help or not found:
            found.append([command])
        else:
            found[-1].append(command)
    return found


def written(keys: str) -> list[str]:
    """Textual's key names, comma-separated, as people write them; a capital once."""
    names = [key for key in keys.split(",") if key]
    return [KEY_NAMES.get(key, key) for key in names if not (key.startswith("shift+") and key[6:].upper() in names)]
