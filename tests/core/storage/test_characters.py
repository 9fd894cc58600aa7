"""Characters on MariaDB, in a database that was made for the letters of Western Europe."""

import os

import peewee
import pytest

from core import Model
from core.schema.tables import ensure_tables
from core.storage.database import close, database, ensure_connected, open_database, query
from core.testing import DATABASE_SERVERS
from core.testing.databases import RUN
from core.testing.databases import server_connection as on_server

#: the others have one set of characters
pytestmark = pytest.mark.every_database("mysql")

EVERYTHING = "Łódź 東京 😀"


class Named(Model):
    """Rows with texts."""

    id = peewee.AutoField(column_name="rowid")
    name = peewee.CharField(index=True)

    class Meta:
        table_name = "characters_named"


@pytest.fixture
def western(server):
    before, name = database.obj, f"comptoir_test_{RUN}_{os.getpid()}_0"
    close()
    with on_server("mysql") as run:
        run(f"CREATE DATABASE {name} CHARACTER SET latin1")
        open_database(f"{DATABASE_SERVERS['mysql'].rpartition('/')[0]}/{name}")
        ensure_connected()
        yield lambda characters: run(f"ALTER DATABASE {name} {characters}")
        close()
        database.initialize(before)
        run(f"DROP DATABASE {name}")


def collation(table):
    sql = "SELECT table_collation FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?"
    return str(query(sql, (table,))[0][0])


class Extended(Model):
    """Rows with extra fields."""

    id = peewee.AutoField(column_name="rowid")

    class Meta:
        table_name = "characters_extended"
        extrafields = "characters_extended"


def test_tables_hold_every_character_whatever_the_server_was_told(western):
    ensure_tables([Named, Extended])
    ensure_connected()
    tables = database.get_tables()
    assert {"characters_named", "characters_extended_extrafields", "comptoir_table"} <= {*tables}
    assert {collation(table) for table in tables} == {"utf8mb4_nopad_bin"}
    made = Named.create(name=EVERYTHING)
    assert Named.get_by_id(made.id).name == EVERYTHING
    Named.create(name="Été")
    assert [Named.select().where(Named.name == name).count() for name in ("Été", "ete", "Été ")] == [1, 0, 0]


def test_a_collation_that_the_database_was_given_is_not_that_of_its_tables(western):
    western("CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    close()
    ensure_connected()
    ensure_tables([Named])
    ensure_connected()
    assert collation("characters_named") == "utf8mb4_nopad_bin"
