"""Commands that read refuse a database that does not exist or has no tables of ours, and create nothing."""

import sqlite3

import pytest

from core.storage.database import close, database, ensure_connected, open_database
from tests.core.transfer.zoo import empty

#: a command of each group that reads, of the core and of native modules
READING = (
    ("user", "list"), ("key", "add", "ada"), ("grant", "ada", "--list"), ("jobs", "--list"), ("tables",),
    ("migrate", "--status"), ("backup", "backup"), ("copy", "--to", "sqlite:///copy.db"), ("files", "check"),
    ("stock",), ("audit", "prune", "--before", "2025-01-01"),
)  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, in which the commands run."""
    made = tmp_path / "here"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def variables():
    """Nothing: as a cron job that has forgotten the file of variables."""
    return {}


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_database_that_does_not_exist_is_refused(run, here, command):
    output = run(*command, code=1).output
    assert f"the database sqlite:///{here}/data/comptoir.db does not exist; nothing was created" in output
    assert "COMPTOIR_DATABASE" in output
    assert list(here.iterdir()) == []


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def url(request, tmp_path):
    """A database without tables of ours, but with one of somebody else."""
    with empty(request.param, tmp_path) as made:
        open_database(made)
        ensure_connected()
        database.execute_sql("CREATE TABLE others (id INTEGER)")
        close()
        yield made


def tables(url):
    """The tables of a database."""
    open_database(url)
    ensure_connected()
    try:
        return sorted(database.get_tables())
    finally:
        close()


def test_a_database_without_our_tables_is_refused(run, here, url):
    for command in (("backup", "backup"), ("user", "list"), ("stock", "--check"), ("migrate", "--status"), ("tables",)):
        output = run(*command, code=1, COMPTOIR_DATABASE=url).output
        assert "has no Comptoir tables; nothing was created" in output
    assert tables(url) == ["others"]
    assert list(here.iterdir()) == []


def test_an_empty_file_stays_empty(run, here):
    (here / "empty.db").touch()
    assert "does not exist" in run("backup", "backup", code=1, COMPTOIR_DATABASE="sqlite:///empty.db").output
    assert [(each.name, each.stat().st_size) for each in here.iterdir()] == [("empty.db", 0)]


def test_a_database_that_is_half_filled_is_not_backed_up(run, here, without_natives):
    run("user", "add", "ada")
    with sqlite3.connect("data/comptoir.db") as opened:
        opened.execute("CREATE TABLE comptoir_unfinished_copy (rowid INTEGER PRIMARY KEY, started TEXT)")
    opened.close()
    assert "was interrupted" in run("backup", "backup", code=2).output
    assert not (here / "backup").exists()


def test_commands_that_write_create_a_database(run, here, without_natives):
    run("user", "add", "ada")
    assert "ada" in run("user", "list").output
    run("migrate", COMPTOIR_DATABASE="sqlite:///second.db")
    assert "comptoir_key" in run("tables", COMPTOIR_DATABASE="sqlite:///second.db").output
