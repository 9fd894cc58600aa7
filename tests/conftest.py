"""Fixtures: servers over SQLite, PostgreSQL and MariaDB.

`server` is the one most tests want: it runs them once on each kind of database that this machine has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.testing import KINDS, Client, Served, drop_database, make_settings, why_not

SAMPLES = Path(__file__).parent / "samples"

_why_not = cache(why_not)


@pytest.fixture(scope="session", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of database that this machine has."""
    kind: str = request.param
    reason = _why_not(kind)
    if reason:
        pytest.skip(reason)
    return kind


def _serve(kind: str, folder: Path, **options: Any) -> Iterator[Served]:
    served = Served(make_settings(folder, kind, **options))
    try:
        yield served
    finally:
        served.close()
        drop_database(served.settings.database)


@pytest.fixture(scope="module")
def server(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The native modules in the profile `specification`, on each kind of database; one database a test file."""
    yield from _serve(kind, tmp_path_factory.mktemp(kind))


@pytest.fixture(scope="module")
def old_server(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The same in the profile `dolibarr16`. Not to be mixed with `server` in one file."""
    yield from _serve(kind, tmp_path_factory.mktemp(kind), profile_name="dolibarr16")


@pytest.fixture(scope="module")
def sample_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The native modules and those of `tests/samples/modules`, on SQLite."""
    yield from _serve("sqlite", tmp_path_factory.mktemp("sample"), modules=str(SAMPLES / "modules"))


@pytest.fixture(scope="module")
def admin(server: Served) -> Client:
    """An administrator's client of `server`."""
    return server.client()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Any]:
    """Start a server with settings of one's own: ``serve(modules=..., profile_name=...)``; SQLite unless `kind` says."""
    started: list[Served] = []

    def start(kind: str = "sqlite", **options: Any) -> Served:
        served = Served(make_settings(tmp_path, kind, **options))
        started.append(served)
        return served

    yield start
    for served in started:
        served.close()
        drop_database(served.settings.database)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A module folder outside of the tree, empty."""
    made = tmp_path / "outside"
    made.mkdir()
    return made


@pytest.fixture
def write(folder: Path) -> Callable[[str, str], Path]:
    """Write a file below `folder`: ``write("talk/class/api_words.py", text)``."""

    def put(path: str, text: str) -> Path:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    return put


@pytest.fixture
def constant(admin: Client) -> Iterator[Callable[[str, str], None]]:
    """``constant(name, value)`` sets a constant until the end of the test."""
    changed = set()

    def put(name: str, value: str) -> None:
        admin.ask("PUT", f"/setup/conf/{name}", {"value": value})
        changed.add(name)

    yield put
    for name in changed:
        admin.ask("DELETE", f"/setup/conf/{name}")


@pytest.fixture
def extrafield(admin: Client) -> Iterator[Callable[..., None]]:
    """``extrafield(element, name, type="int")`` defines an extra field until the end of the test."""
    defined = []

    def define(element: str, name: str, **body: Any) -> None:
        admin.ask("POST", f"/setup/extrafields/{element}/{name}", {"label": name, "type": "varchar"} | body)
        defined.append((element, name))

    yield define
    for element, name in defined:
        admin.ask("DELETE", f"/setup/extrafields/{element}/{name}")
