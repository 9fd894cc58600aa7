"""Commands that read refuse a database that does not exist or has no tables of ours, and create nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.storage.database import close, database, ensure_connected
from core.storage.opening import open_database
from tests.core.commands.running import Run
from tests.core.transfer.zoo import empty

#: a command of each group that reads, of the core and of native modules
READING = (
    ("user", "list"), ("key", "add", "ada"), ("grant", "ada", "--list"), ("jobs", "--list"), ("tables",),
    ("migrate", "--status"), ("backup", "backup"), ("copy", "--to", "sqlite:///copy.db"), ("files", "check"),
    ("stock",), ("audit", "prune", "--before", "2025-01-01"),
)  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the commands run."""
    made = tmp_path / "here"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def variables() -> dict[str, str]:
    """Nothing: as a cron job that has forgotten the file of variables."""
    return {}


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_database_that_does_not_exist_is_refused(run: Run, here: Path, command: tuple[str, ...]) -> None:
    output = run(*command, code=1).output
    assert f"the database sqlite:///{here}/data/comptoir.db does not exist; nothing was created" in output
    assert "COMPTOIR_DATABASE" in output
    assert list(here.iterdir()) == []


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without tables of ours, but with one of somebody else."""
    with empty(request.param, tmp_path) as made:
        open_database(made)
        ensure_connected()
        database.execute_sql("CREATE TABLE others (id INTEGER)")
        close()
        yield made


def tables(url: str) -> list[str]:
    """The tables of a database."""
    open_database(url)
    ensure_connected()
    try:
        return sorted(database.get_tables())
    finally:
        close()


def test_a_database_without_our_tables_is_refused(run: Run, here: Path, url: str) -> None:
    for command in (("backup", "backup"), ("user", "list"), ("stock", "--check"), ("migrate", "--status"), ("tables",)):
        output = run(*command, code=1, COMPTOIR_DATABASE=url).output
        assert "has no Comptoir tables; nothing was created" in output
    assert tables(url) == ["others"]
    assert list(here.iterdir()) == []


def test_an_empty_file_stays_empty(run: Run, here: Path) -> None:
    (here / "empty.db").touch()
    assert "does not exist" in run("backup", "backup", code=1, COMPTOIR_DATABASE="sqlite:///empty.db").output
    assert [(each.name, each.stat().st_size) for each in here.iterdir()] == [("empty.db", 0)]


def test_a_database_that_is_half_filled_is_not_backed_up(run: Run, here: Path, without_natives: None) -> None:
    run("user", "add", "ada")
    with sqlite3.connect("data/comptoir.db") as opened:
        opened.execute("CREATE TABLE comptoir_unfinished_copy (rowid INTEGER PRIMARY KEY, started TEXT)")
    opened.close()
    assert "was interrupted" in run("backup", "backup", code=2).output
    assert not (here / "backup").exists()


def test_commands_that_write_create_a_database(run: Run, here: Path, without_natives: None) -> None:
    run("user", "add", "ada")
    assert "ada" in run("user", "list").output
    run("migrate", COMPTOIR_DATABASE="sqlite:///second.db")
    assert "comptoir_key" in run("tables", COMPTOIR_DATABASE="sqlite:///second.db").output
