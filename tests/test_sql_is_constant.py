"""SQL stays in storage, is built from module constants only, writes inside `writing` blocks, and never rewrites an event."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "adjudicate"
STORAGE = sorted((PACKAGE / "storage").glob("*.py"))
COPIED = "published_copy.py"
"""Strips a copy that is no workspace and that nobody else has open: names and texts have to go from what is left."""
LIVING = [path for path in STORAGE if path.name != COPIED]
OTHERS = sorted(set(PACKAGE.rglob("*.py")) - set(STORAGE))
RUNNERS = frozenset({"execute", "executemany", "executescript"})
ALLOWED = {"int(wait * 1000)": "PRAGMA takes no bound parameter; an integer cannot carry SQL"}
"""Expressions inside an f-string of SQL that are no constants, with the reason why they are harmless."""
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER)\b", re.IGNORECASE)
REWRITES = re.compile(
    r"\b(UPDATE|DELETE\s+FROM|REPLACE\s+INTO|DROP\s+TABLE)\s+(events|notes|draws|draw_units|picks)\b", re.IGNORECASE
)


class Module:
    """A parsed file, with the parent of each node."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.constants = {
            target.id: node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id.isupper()
        }

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Everything that encloses a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        """The innermost function around a node."""
        return next((each for each in self.around(node) if isinstance(each, ast.FunctionDef)), None)

    def statements(self) -> Iterator[tuple[ast.Call, ast.expr]]:
        """Calls that run SQL, with the SQL."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute) and node.func.attr in RUNNERS:
                yield node, node.args[0]

    def is_constant(self, node: ast.expr, at: ast.AST) -> bool:
        """Whether an expression can only be text that stands in the source."""
        match node:
            case ast.Constant():
                return True
            case ast.JoinedStr():
                return all(self.is_constant(part.value, at) for part in node.values if isinstance(part, ast.FormattedValue))
            case ast.BinOp():
                return self.is_constant(node.left, at) and self.is_constant(node.right, at)
            case ast.IfExp():
                return self.is_constant(node.body, at) and self.is_constant(node.orelse, at)
            case ast.Tuple():
                return all(self.is_constant(each, at) for each in node.elts)
            case ast.Name(id=name):
                return name.isupper() or self._holds_constants(name, at)
            case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join")):
                return all(self.is_constant(each, at) for each in node.args)
            case ast.Call(func=ast.Attribute(value=whole, attr="split")):
                return self.is_constant(whole, at)
        return ast.unparse(node) in ALLOWED

    def _holds_constants(self, name: str, at: ast.AST) -> bool:
        """Whether all that a local name is bound to is constant."""
        function = self.function(at)
        if function is None:
            return False
        names = [argument.arg for argument in function.args.args]
        if name in names:
            return self._is_given_constants(function, names.index(name) - (names[0] == "self"))
        values = [
            *(node.value for node in ast.walk(function) if isinstance(node, ast.Assign) and _is_name(node.targets[0], name)),
            *(
                node.iter
                for node in ast.walk(function)
                if isinstance(node, ast.For | ast.comprehension) and _is_name(node.target, name)
            ),
        ]
        return bool(values) and all(self.is_constant(value, at) for value in values)

    def _is_given_constants(self, function: ast.FunctionDef, place: int) -> bool:
        """Whether a private function gets a constant there from all who call it in this file."""
        calls = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call) and function.name in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
        ]
        given = [call.args[place] if place < len(call.args) else None for call in calls]
        private = function.name.startswith("_") and bool(calls)
        return private and all(each is not None and self.is_constant(each, call) for each, call in zip(given, calls, strict=True))

    def text(self, node: ast.expr) -> str:
        """The beginning of the SQL as far as it stands in this file."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            node = self.constants[node.id]
        if isinstance(node, ast.JoinedStr):
            node = node.values[0]
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""

    def is_inside_a_write(self, node: ast.AST) -> bool:
        """Whether the statement runs in a transaction: in a `writing` block, or on the connection that a caller's block gave."""
        for each in self.around(node):
            if isinstance(each, ast.With):
                calls = [item.context_expr for item in each.items if isinstance(item.context_expr, ast.Call)]
                if any(_is_name(call.func, "writing") for call in calls):
                    return True
            if isinstance(each, ast.FunctionDef):
                return any(
                    argument.annotation is not None and "Connection" in ast.unparse(argument.annotation)
                    for argument in each.args.args
                )
        return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def parsed(path: Path) -> Module:
    """A file of the package."""
    return Module(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_outside_storage_runs_sql(path: Path) -> None:
    assert not [ast.unparse(call) for call, _ in parsed(path).statements()]


@pytest.mark.parametrize("path", STORAGE, ids=lambda path: path.name)
def test_sql_is_made_of_constants(path: Path) -> None:
    module = parsed(path)
    variable = [
        f"line {call.lineno}: {ast.unparse(sql)}" for call, sql in module.statements() if not module.is_constant(sql, call)
    ]
    assert not variable


@pytest.mark.parametrize("path", STORAGE, ids=lambda path: path.name)
def test_constants_of_sql_are_made_of_constants(path: Path) -> None:
    module = parsed(path)
    assert not [
        name
        for name, value in module.constants.items()
        if isinstance(value, ast.JoinedStr) and not module.is_constant(value, value)
    ]


@pytest.mark.parametrize("path", [path for path in LIVING if path.name != "migrations.py"], ids=lambda path: path.name)
def test_writes_run_in_a_write_transaction(path: Path) -> None:
    """sqlite3 would take any other for a transaction of its own, outside the file lock. Migrations bring their own."""
    module = parsed(path)
    loose = [call for call, sql in module.statements() if WRITES.match(module.text(sql)) and not module.is_inside_a_write(call)]
    assert not [f"line {call.lineno}: {ast.unparse(call)}" for call in loose]


@pytest.mark.parametrize("path", LIVING, ids=lambda path: path.name)
def test_what_was_said_and_drawn_is_only_ever_added_to(path: Path) -> None:
    assert not REWRITES.findall(path.read_text(encoding="utf-8"))


def test_databases_are_opened_in_one_place() -> None:
    """Every entry point gets the same pragmas."""
    opening = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(parsed(path).tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "sqlite3.connect"
    }
    assert opening == {"storage/connection.py", f"storage/{COPIED}"}


BAD = (
    'def f(c, name):\n    c.execute(f"SELECT {name}")',
    'def f(c, name):\n    c.execute("SELECT " + name)',
    'def f(c, name):\n    c.execute("SELECT {}".format(name))',
    'def f(c, name):\n    query = "SELECT 1"\n    query = f"SELECT {name}"\n    c.execute(query)',
    "def f(c, query):\n    c.execute(query)",
    "def _f(c, query):\n    c.execute(query)\ndef g(c, name):\n    _f(c, '1')\n    _f(c, name)",
    "def _f(c, query):\n    c.execute(query)",
    'def f(c, names):\n    for name in names:\n        c.execute(f"SELECT {name}")',
)
GOOD = (
    'TABLE = "items"\ndef f(c, name):\n    c.execute(f"SELECT ? FROM {TABLE}", (name,))',
    'A = "1"\ndef f(c, up):\n    query = A if up else "2"\n    c.execute(query)',
    'A = "1"\ndef f(c):\n    for query in (A, "2"):\n        c.execute(query)',
    "A = '1'\ndef _f(c, query):\n    c.execute(query)\ndef _g(c, text):\n    _f(c, text)\ndef h(c):\n    _g(c, A)",
    "C = 1\ndef f(c):\n    c.execute(f\"INSERT INTO items VALUES ({', '.join('?' * 13)})\")",
)


@pytest.mark.parametrize(("source", "expected"), [*((source, False) for source in BAD), *((source, True) for source in GOOD)])
def test_the_check_tells_constant_from_variable(source: str, *, expected: bool) -> None:
    """A check that never fails checks nothing."""
    module = Module(source)
    assert [module.is_constant(sql, call) for call, sql in module.statements()] == [expected]


def test_the_check_finds_a_write_outside_a_transaction() -> None:
    loose = Module('def f(database):\n    database.connection.execute("DELETE FROM drafts")')
    held = Module('def f(database):\n    with writing(database) as c:\n        c.execute("DELETE FROM drafts")')
    assert [loose.is_inside_a_write(call) for call, _ in loose.statements()] == [False]
    assert [held.is_inside_a_write(call) for call, _ in held.statements()] == [True]
