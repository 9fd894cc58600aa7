"""Copying a database into another one of any kind: every value, the counters, and what is refused."""

import itertools
from dataclasses import replace

import peewee
import pytest

import core.transfer.copying as copying
from core.storage.cache_version import cache_version
from core.storage.database import DatabaseUrlError, close, database, ensure_connected, open_database
from core.storage.sqlite import Sqlite
from core.testing import DATABASE_KINDS, DATABASE_SERVERS
from core.testing.databases import why_unavailable
from core.transfer.copying import copy_database
from core.transfer.endpoint import TransferError
from core.wsgi import build
from tests.core.transfer.zoo import ANIMALS, EXTRA, contents, empty, fill, found_in, model, serve, settings_of

pytestmark = pytest.mark.usefixtures("without_natives")


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DATABASE_SERVERS, DATABASE_SERVERS)))
def test_every_value_arrives_whatever_the_databases_are(source, target, tmp_path):
    with empty(source, tmp_path) as url, empty(target, tmp_path) as other:
        settings = settings_of(tmp_path, url)
        fill(settings)
        before = cache_version()
        copied, warnings = copy_database(url, other, settings)
        assert copied["zoo_animal"].rows == 2
        assert copied["zoo_animal"].sums["weight"] == ANIMALS[0]["weight"] + ANIMALS[1]["weight"]
        assert warnings == []
        serve(settings, other)
        animals, extra, keepers = contents()
        assert animals == ANIMALS
        assert extra == [("7", EXTRA["note"], str(EXTRA["worth"]), str(EXTRA["day"]))]
        assert keepers == [{"code": "a key", "animal": 9}]
        assert cache_version() > before
        # What it is searched by has come along, or was made there
        assert found_in("lines") == [7] and found_in("oce") == [7] and found_in("nothing") == []
        # The next identifier is a new one, and what names nothing is refused as before
        assert model("Animal").insert(name="new", weight=1).execute() == 10
        assert found_in("new") == [10]
        with pytest.raises(peewee.IntegrityError):
            model("Keeper").insert(code="no", animal=99).execute()


@pytest.mark.parametrize(("source", "target"), [("postgresql", "mysql"), ("mysql", "postgresql")])
def test_identifiers_that_were_given_are_not_given_again(source, target, tmp_path):
    with empty(source, tmp_path) as url, empty(target, tmp_path) as other:
        settings = settings_of(tmp_path, url)
        build(settings)
        ensure_connected()
        made = [model("Animal").insert(name="x", weight=1).execute() for _ in range(4)]
        model("Animal").delete().where(model("Animal").id == made[-1]).execute()
        copy_database(url, other, settings)
        serve(settings, other)
        assert model("Animal").insert(name="new", weight=1).execute() == made[-1] + 1


@pytest.fixture
def settings(tmp_path):
    """A filled SQLite database."""
    made = settings_of(tmp_path, f"sqlite:///{tmp_path}/source.db")
    fill(made)
    return made


def test_nothing_is_written_where_there_is_something(settings, tmp_path):
    other = f"sqlite:///{tmp_path}/other.db"
    open_database(other)
    ensure_connected()
    database.execute_sql("CREATE TABLE of_another_program (x)")
    with pytest.raises(TransferError, match=r"of_another_program.*Use an empty database"):
        copy_database(settings.database, other, settings, again=True)
    open_database(other)
    ensure_connected()
    assert database.get_tables() == ["of_another_program"]


def test_a_copy_that_was_broken_off_is_known_and_begun_again(settings, tmp_path, monkeypatch):
    other = f"sqlite:///{tmp_path}/other.db"
    with monkeypatch.context() as broken:
        broken.setattr(Sqlite, "copy_pages", lambda *all: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            copy_database(settings.database, other, settings)
    with pytest.raises(DatabaseUrlError, match="--again"):
        build(replace(settings, database=other))
    with pytest.raises(TransferError, match="--again"):
        copy_database(settings.database, other, settings)
    copy_database(settings.database, other, settings, again=True)
    serve(settings, other)
    assert contents()[0] == ANIMALS


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_rows_that_were_copied_before_it_broke_off_go(kind, settings, tmp_path, monkeypatch):
    with empty(kind, tmp_path) as other:
        with monkeypatch.context() as broken:
            broken.setattr(copying, "protect_trail", lambda *all: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                copy_database(settings.database, other, settings)
        copy_database(settings.database, other, settings, again=True)
        serve(settings, other)
        assert contents()[0] == ANIMALS


def test_a_difference_is_found(settings, tmp_path, monkeypatch):
    def spoil(source, target, progress, copy=Sqlite.copy_pages):
        copy(source, target, progress)
        target.run("UPDATE zoo_animal SET weight = weight + 1 WHERE id = 7")
        target.run("UPDATE zoo_animal SET story = NULL WHERE id = 7")
        target.run("DELETE FROM zoo_keeper")

    monkeypatch.setattr(Sqlite, "copy_pages", spoil)
    with pytest.raises(TransferError) as failure:
        copy_database(settings.database, f"sqlite:///{tmp_path}/other.db", settings)
    assert "zoo_keeper: expected 1 rows, got 0" in str(failure.value)
    assert "zoo_animal.story: expected 2 values, got 1" in str(failure.value)
    assert "zoo_animal.weight: expected the sum 9999999999.12345677, got 9999999999.12345678" in str(failure.value)


def test_a_database_of_another_form_is_not_copied(settings, tmp_path):
    file = tmp_path / "modules/zoo/models.py"
    file.write_text(
        file.read_text().replace("class Meta:", "age = peewee.IntegerField(null=True)\n\n    class Meta:", 1)
    )
    with pytest.raises(TransferError, match=r"(?s)zoo_animal.*start the server once"):
        copy_database(settings.database, f"sqlite:///{tmp_path}/other.db", settings)


@pytest.mark.parametrize("target", DATABASE_KINDS)
def test_what_a_module_left_behind_goes_along(target, settings, tmp_path):
    if reason := why_unavailable(target):
        pytest.skip(reason)
    ensure_connected()
    database.execute_sql("CREATE TABLE old_thing (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, at DATETIME)")
    database.execute_sql("CREATE UNIQUE INDEX old_name ON old_thing (name)")
    database.execute_sql("INSERT INTO old_thing VALUES (3, 'x😀', '2026-01-02 03:04:05')")
    database.execute_sql("ALTER TABLE zoo_animal ADD COLUMN legs INTEGER")
    database.execute_sql("UPDATE zoo_animal SET legs = 4 WHERE id = 9")
    with empty(target, tmp_path) as other:
        _, warnings = copy_database(settings.database, other, settings)
        assert [each.partition(":")[0] for each in warnings] == ["old_thing", "zoo_animal"]
        open_database(other)
        ensure_connected()
        rows = database.execute_sql("SELECT id, name, at FROM old_thing").fetchall()
        assert [tuple(map(str, row)) for row in rows] == [("3", "x😀", "2026-01-02 03:04:05")]
        assert database.execute_sql("SELECT legs FROM zoo_animal ORDER BY id").fetchall()[1][0] == 4
        with pytest.raises(peewee.IntegrityError):
            database.execute_sql("INSERT INTO old_thing (name) VALUES ('x😀')")
        close()
