"""The same cycle elsewhere: submit a label and fetch the next task, over HTTP, from Label Studio, Potato and doccano.

    python tests/performance/bench_peers.py --venvs FOLDER [--tasks 1000] [--cycles 200]

FOLDER holds one virtual environment for each peer, by the name of its package: `label-studio`, `potato-annotation`, `doccano`
(which today needs `marshmallow<4` and `numpy<2` beside it). One that is not there is said to be missing. Each server is real,
listens on loopback, uses SQLite or its own files in a new folder, and holds the same tasks. Only the answer to the requests is
timed: what a browser then takes to paint comes on top, while in our figure (`bench_screen`) the paint is included.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import re
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.cookies import SimpleCookie
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from bench_browse import texts

WORDS = 240
START_SECONDS = 240
PERSON = "ann@example.org"


class Task(NamedTuple):
    """What a person is to label."""

    id: str
    text: str


class Failed(Exception):
    """A peer did not do what its documentation says."""


class Client:
    """One kept connection with cookies, as a browser has it."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies: dict[str, str] = {}
        self.headers: dict[str, str] = {}

    def ask(self, method: str, path: str, *, form: Mapping[str, str] | None = None, data: object = None) -> tuple[int, str]:
        """Status and body."""
        body, kind = (urlencode(form), "application/x-www-form-urlencoded") if form is not None else (None, "application/json")
        if data is not None:
            body = json.dumps(data)
        headers = {**self.headers, "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            headers["Content-Type"] = kind
        if "csrftoken" in self.cookies:
            headers |= {"X-CSRFToken": self.cookies["csrftoken"], "Referer": "http://127.0.0.1/"}
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
        except (http.client.HTTPException, OSError):
            self._connection.close()
            raise
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                self.cookies |= {key: each.value for key, each in SimpleCookie(value).items()}
        return answer.status, answer.read().decode("utf-8", "replace")

    def json(self, method: str, path: str, *, data: object = None) -> Any:
        """The body of an answer that must be good."""
        status, body = self.ask(method, path, data=data)
        if status >= 300:
            raise Failed(f"{method} {path.partition('?')[0]}: {status} {body[:200]}")
        return json.loads(body) if body else None


@contextlib.contextmanager
def running(command: Sequence[str | Path], folder: Path, **settings: str) -> Iterator[None]:
    """A server, ended with all that it started."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | settings
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(client: Client, path: str) -> None:
    """Until the server answers."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if client.ask("GET", path)[0] < 500:
                return
        time.sleep(0.2)
    raise Failed(f"no answer within {START_SECONDS} s")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def run(command: Sequence[str | Path], folder: Path, **settings: str) -> None:
    """A preparing step of a peer."""
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=os.environ | settings, capture_output=True, check=False
    )
    if done.returncode:
        raise Failed(f"{Path(command[0]).name} {command[1]}: {done.stderr.decode('utf-8', 'replace')[-300:]}")


Cycle = Callable[[int], None]
"""Submits a label for the task on screen and fetches the next one; given how many went before."""


@contextlib.contextmanager
def label_studio(venv: Path, folder: Path, tasks: Sequence[Task]) -> Iterator[Cycle]:
    """Its API, as its own page uses it: annotation, then the project's next task."""
    port, token = free_port(), secrets.token_hex(20)
    command = [
        venv / "bin" / "label-studio", "start", "--no-browser", "--data-dir", folder, "--port", str(port),
        "--internal-host", "127.0.0.1",
        "--username", PERSON, "--password", secrets.token_hex(8), "--user-token", token, "--enable-legacy-api-token",
    ]  # fmt: skip
    with running(command, folder, LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK="true", LATEST_VERSION_CHECK="false", SENTRY_DSN=""):
        client = Client(port)
        wait_for(client, "/health")
        client.headers["Authorization"] = f"Token {token}"
        choices = '<Choice value="ok"/><Choice value="no"/>'
        config = f'<View><Text name="text" value="$text"/><Choices name="c" toName="text">{choices}</Choices></View>'
        project = client.json("POST", "/api/projects/", data={"title": "bench", "label_config": config})["id"]
        client.json("POST", f"/api/projects/{project}/import", data=[{"text": task.text} for task in tasks])
        upcoming = [client.json("GET", f"/api/projects/{project}/next/")]

        def cycle(place: int) -> None:
            result = [{"from_name": "c", "to_name": "text", "type": "choices", "value": {"choices": [("ok", "no")[place % 2]]}}]
            task = upcoming[0]["id"]
            client.json("POST", f"/api/tasks/{task}/annotations/", data={"result": result, "project": project})
            upcoming[0] = client.json("GET", f"/api/projects/{project}/next/")
            if upcoming[0]["id"] == task:
                raise Failed("the same task came again")

        yield cycle


@contextlib.contextmanager
def potato(venv: Path, folder: Path, tasks: Sequence[Task]) -> Iterator[Cycle]:
    """Its page: the label by `/updateinstance`, then the form that asks for the next instance."""
    port = free_port()
    (folder / "data").mkdir()
    (folder / "data" / "tasks.jsonl").write_text("".join(json.dumps(task._asdict()) + "\n" for task in tasks))
    settings = {
        "annotation_task_name": "bench", "task_dir": ".", "output_annotation_dir": "out", "data_files": ["data/tasks.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text"}, "require_password": False,
        "user_config": {"allow_all_users": True, "users": []},
        "annotation_schemes": [{"annotation_type": "radio", "name": "verdict", "description": "?", "labels": ["ok", "no"]}],
        "task_description": "bench", "site_dir": "default",
    }  # fmt: skip
    (folder / "config.yaml").write_text(json.dumps(settings))
    with running([venv / "bin" / "potato", "start", "config.yaml", "-p", str(port)], folder):
        client = Client(port)
        wait_for(client, "/")
        client.ask("POST", "/auth", form={"email": "ann", "pass": "", "action": "login"})
        shown = [instance(client.ask("GET", "/annotate")[1])]

        def cycle(place: int) -> None:
            value = ("ok", "no")[place % 2]
            client.json("POST", "/updateinstance", data={"instance_id": shown[0], "annotations": {f"verdict:{value}": value}})
            status, body = client.ask("POST", "/annotate", data={"action": "next_instance", "instance_id": shown[0]})
            following = instance(body if status == 200 else client.ask("GET", "/annotate")[1])
            if following == shown[0]:
                raise Failed("the same task came again")
            shown[0] = following

        yield cycle


def instance(page: str) -> str:
    """The task that a page of Potato shows."""
    found = re.search(r'(?:id|name)="instance_id"[^>]*value="([^"]+)"', page)
    if found is None:
        raise Failed(f"no task on the page: {page[:200]!r}")
    return found[1]


@contextlib.contextmanager
def doccano(venv: Path, folder: Path, tasks: Sequence[Task]) -> Iterator[Cycle]:
    """Its API, as its own page uses it: category, confirmation, then the next unconfirmed example."""
    port, password, program = free_port(), secrets.token_hex(8), venv / "bin" / "doccano"
    settings = {"DOCCANO_HOME": str(folder / "home")}
    run([program, "init"], folder, **settings)
    run([program, "createuser", "--username", "admin", "--password", password], folder, **settings)
    with running([program, "webserver", "--port", str(port)], folder, **settings):
        client = Client(port)
        wait_for(client, "/v1/health")
        client.json("POST", "/v1/auth/login/", data={"username": "admin", "password": password})
        kind = {
            "name": "bench",
            "description": "bench",
            "project_type": "DocumentClassification",
            "resourcetype": "TextClassificationProject",
        }
        base = f"/v1/projects/{client.json('POST', '/v1/projects', data=kind)['id']}"
        labels = [
            client.json("POST", f"{base}/category-types", data={"text": name, "background_color": "#209cee"})["id"]
            for name in ("ok", "no")
        ]
        for task in tasks:
            client.json("POST", f"{base}/examples", data={"text": task.text})
        following = f"{base}/examples?limit=1&offset=0&confirmed=false"
        shown = [client.json("GET", following)["results"][0]["id"]]

        def cycle(place: int) -> None:
            client.json("POST", f"{base}/examples/{shown[0]}/categories", data={"label": labels[place % 2]})
            client.json("POST", f"{base}/examples/{shown[0]}/states", data={})
            upcoming = client.json("GET", following)["results"][0]["id"]
            if upcoming == shown[0]:
                raise Failed("the same task came again")
            shown[0] = upcoming

        yield cycle


PEERS: Mapping[str, Callable[[Path, Path, Sequence[Task]], contextlib.AbstractContextManager[Cycle]]] = {
    "label-studio": label_studio,
    "potato-annotation": potato,
    "doccano": doccano,
}


def version(venv: Path, package: str) -> str:
    """As installed."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([venv / "bin" / "python", "-c", code], capture_output=True, text=True, check=False).stdout.strip()


def measure(name: str, venv: Path, tasks: Sequence[Task], cycles: int) -> str:
    """One line of the result."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            with PEERS[name](venv, Path(folder), tasks) as cycle:
                times = []
                for place in range(cycles):
                    began = time.perf_counter()
                    cycle(place)
                    times.append((time.perf_counter() - began) * 1000)
        except (Failed, OSError, http.client.HTTPException, KeyError, TypeError) as error:
            log = Path(folder) / "log"
            tail = log.read_text(errors="replace")[-600:] if log.exists() else ""
            return f"failed: {type(error).__name__} {error}\n{tail}"
    return f"p50 {statistics.median(times):6.1f} ms  p99 {sorted(times)[-(-99 * cycles // 100) - 1]:6.1f} ms"


def main() -> int:
    """Measure each peer that is there; 1 where none is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venvs", type=Path, default=None, help="folder of virtual environments, each named for its package")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--only", choices=sorted(PEERS), default=None)
    chosen = parser.parse_args()
    if chosen.venvs is None:
        print("no virtual environments of peers: name their folder with --venvs")
        return 0
    tasks = [Task(f"t{number}", text) for number, text in enumerate(islice(texts(chosen.tasks, WORDS), chosen.tasks))]
    print(f"submit and fetch the next, {chosen.cycles} cycles over {chosen.tasks:,} tasks; load {os.getloadavg()[0]:.2f}")
    for name in [chosen.only] if chosen.only else PEERS:
        venv = (chosen.venvs / name).resolve()
        if (venv / "bin").is_dir():
            print(f"{name:<18} {version(venv, name):<10} {measure(name, venv, tasks, chosen.cycles)}", flush=True)
        else:
            print(f"{name:<18} missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
