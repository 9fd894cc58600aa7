"""Hosts of one database: each says what another one serves and it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import query
from core.loading import hosts
from core.storage import host_notes
from core.storage.database import close, dialect_name, ensure_connected
from core.storage.host_notes import Host, forget_notes, host_name
from core.testing import Served
from core.version import VERSION

Noted = dict[str, str]


@pytest.fixture(autouse=True)
def alone(server: Served) -> Iterator[None]:
    ensure_connected()
    Host.delete().execute()
    forget_notes()
    yield
    Host.delete().execute()
    forget_notes()
    close()


@pytest.fixture(autouse=True)
def on_a_server(alone: None, kind: str, request: pytest.FixtureRequest) -> None:
    if kind == "sqlite" and "sqlite" not in request.node.originalname:
        pytest.skip("a file has one host")


def now() -> int:
    return int(query(f"SELECT {host_notes._NOW[dialect_name()]}")[0][0])


def another(name: str, modules: Noted, *, version: str = VERSION, ago: int = 0) -> None:
    sql = "INSERT INTO comptoir_host (name, version, modules, seen) VALUES (?, ?, ?, ?)"
    query(sql, (name, version, json.dumps(modules), now() - ago))


def notes(server: Served) -> list[str]:
    forget_notes()
    said: list[str] = server.client(None).ask("GET", "/health/ready")["notes"]
    return said


def test_a_host_alone_says_nothing(server: Served) -> None:
    hosts.note_host()
    assert notes(server) == []
    assert [row[0] for row in query("SELECT name FROM comptoir_host")] == [host_name()]


def test_what_another_host_has_is_named(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "served_modules", lambda: {"loyalty": "aa", "mine": "cc"})
    hosts.note_host()
    another("web2", {"loyalty": "bb", "parcels": "dd"})
    assert notes(server) == [
        "module loyalty: its files differ on another host",
        "module parcels: another host serves this module, but this host doesn't",
    ]
    query("DELETE FROM comptoir_host WHERE name = 'web2'")
    another("web3", {"loyalty": "aa"}, version="9.9.9")
    assert notes(server) == [f"another host runs version 9.9.9, this host runs {VERSION}"]


def test_a_host_that_is_gone_is_passed_over_and_forgotten(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "served_modules", dict)
    hosts.note_host()
    another("web2", {"parcels": "dd"}, ago=121)
    another("web3", {"parcels": "dd"}, ago=86_500)
    assert notes(server) == []
    # What changes is noted at once
    monkeypatch.setattr(hosts, "served_modules", lambda: {"mine": "cc"})
    hosts.note_host()
    assert {row[0] for row in query("SELECT name FROM comptoir_host")} == {host_name(), "web2"}
    modules = query("SELECT modules FROM comptoir_host WHERE name = ?", (host_name(),))
    assert json.loads(modules[0][0]) == {"mine": "cc"}


def test_nothing_is_written_while_nothing_changes(server: Served) -> None:
    hosts.note_host()
    query("UPDATE comptoir_host SET seen = seen - 20")
    before = query("SELECT seen FROM comptoir_host")
    hosts.note_host()
    assert query("SELECT seen FROM comptoir_host") == before
    query("UPDATE comptoir_host SET seen = seen - 20")
    hosts.note_host()
    assert query("SELECT seen FROM comptoir_host")[0][0] >= before[0][0]


def test_two_workers_may_note_a_host_at_once(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(*arguments: Any) -> list[Any]:
        monkeypatch.undo()
        found = query(*arguments)
        hosts.note_host()
        return found

    monkeypatch.setattr(host_notes, "query", meanwhile)
    hosts.note_host()
    assert query("SELECT name FROM comptoir_host") == [(host_name(),)]


def test_sqlite_notes_nothing(server: Served, kind: str) -> None:
    if kind != "sqlite":
        pytest.skip("the others have several hosts")
    hosts.note_host()
    assert query("SELECT COUNT(*) FROM comptoir_host") == [(0,)]
    assert notes(server) == []


def test_a_module_s_digest_is_of_the_content_of_its_files_in_sqlite_too(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    found = []
    for folder, text in (("a", "x = 1"), ("b", "x = 1"), ("b", "x = 2")):
        module = tmp_path / folder / "parcels" / "class"
        module.mkdir(parents=True, exist_ok=True)
        (module / "api_parcels.py").write_text(text)
        (each,) = hosts.look([tmp_path / folder])[0]
        found.append(hosts._digest(each))
    assert found[0] == found[1] != found[2]
