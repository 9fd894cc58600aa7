"""Tables of modules: made, widened, migrated, and the reason why they cannot be."""

from __future__ import annotations

import pytest

from core.contract.catalogue import catalogue
from core.storage.database import database, ensure_connected
from core.testing import Served
from tests.core.loading.services import BOXES, STORE, Write, reason_of

pytestmark = pytest.mark.usefixtures("without_natives")


def test_tables_are_made_and_columns_added(served: Served, write: Write) -> None:
    head = "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    write("store/models.py", head)
    write("store/class/api_boxes.py", "from ..models import Box\nclass Boxes:\n    def get(self): return 1\n")
    served.server.reloader.check()
    ensure_connected()
    assert [column.name for column in database.get_columns("box")] == ["id"]
    database.execute_sql("INSERT INTO box DEFAULT VALUES")
    write("store/models.py", head + "    size = IntegerField(default=7)\n    note = CharField(null=True)\n")
    served.server.reloader.check()
    ensure_connected()
    assert database.execute_sql("SELECT id, size, note FROM box").fetchall() == [(1, 7, None)]


def test_a_migration_runs_once_and_not_on_a_first_load(served: Served, write: Write) -> None:
    head = "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    api = "from ..models import Box\nclass Boxes:\n    def get(self): return 1\n"
    migration = "def migrate(tables):\n    tables.execute('UPDATE box SET {column} = 5')\n"
    write("store/migrations/0001_first.py", migration.format(column="nothing"))
    write("store/models.py", head + "    size = IntegerField(default=1)\n")
    write("store/class/api_boxes.py", api)
    served.server.reloader.check()
    ensure_connected()
    database.execute_sql("INSERT INTO box (size) VALUES (1)")
    write("store/migrations/0002_second.py", migration.format(column="size"))
    served.server.reloader.check()
    ensure_connected()
    assert database.execute_sql("SELECT size FROM box").fetchall() == [(5,)]
    assert "boxes" in catalogue().services
    database.execute_sql("UPDATE box SET size = 2")
    write("store/class/api_boxes.py", api + "#")
    served.server.reloader.check()
    ensure_connected()
    assert database.execute_sql("SELECT size FROM box").fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("mangaed = ('id',)", "unknown option 'mangaed'; did you mean managed?"),
        ("required = ('nmae',)", "required has 'nmae', but the model has no such field; did you mean name?"),
        ("required = ('-nmae',)", "required removes 'nmae', but the model has no such field"),
        ("secret = ('pass',)", "secret has 'pass'"),
        ("aliases = {'ref': 'idd'}", "aliases has 'idd'"),
        ("thirdparty = 'soc'", "thirdparty has 'soc'"),
        ("thirdparty = 'name.socid'", "doesn't lead to a field"),
    ],
)
def test_a_typing_error_in_meta_is_a_failure(served: Served, write: Write, option: str, reason: str) -> None:
    write("store/models.py", STORE.format(more=f"    class Meta:\n        {option}\n"))
    write("store/class/api_boxes.py", BOXES)
    assert reason in reason_of(served, "boxes")


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("RecordField('self', on_delete='clear')", "on_delete='clear' needs null=True"),
        ("RecordField('self', on_delete='drop')", "on_delete: expected one of refuse, cascade, clear, got 'drop'"),
    ],
)
def test_a_rule_of_deletion_that_cannot_be_is_a_failure(served: Served, write: Write, field: str, reason: str) -> None:
    write("store/models.py", "from core import RecordField\n" + STORE.format(more=f"    other = {field}\n"))
    write("store/class/api_boxes.py", BOXES)
    assert reason in reason_of(served, "boxes")


def test_a_column_that_cannot_be_added_is_named(served: Served, write: Write) -> None:
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", BOXES)
    client = served.client(None)
    client.ask("POST", "/boxes", {"name": "x"})
    write("store/models.py", STORE.format(more="    size = IntegerField()\n"))
    assert reason_of(served, "boxes") == (
        "box.size: the new field needs null=True or a default, because the table has rows; or add and fill it in a "
        "migration; run `comptoir migrate --write` to create the migration"
    )


def test_a_column_that_wants_a_value_and_has_no_field_any_more_is_refused(served: Served, write: Write) -> None:
    write("store/models.py", STORE.format(more="    label = CharField()\n"))
    write("store/class/api_boxes.py", BOXES)
    client = served.client(None)
    assert client.ask("POST", "/boxes", {"label": "x"})
    write("store/models.py", STORE.format(more=""))
    assert reason_of(served, "boxes") == (
        "box.label: models.py has no such field, but the column requires a value, so no row could be added; "
        "drop the column in a migration (tables.drop('box', 'label')), or restore the field; "
        "run `comptoir migrate --write` to create the migration"
    )
    client.ask("POST", "/boxes", {"name": "x"}, status=501)


def test_a_table_whose_making_was_interrupted_gets_its_indexes(served: Served, write: Write) -> None:
    """On MariaDB each statement commits by itself: the table may be there, and its indexes not."""
    ensure_connected()
    database.execute_sql("CREATE TABLE box (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(9) NOT NULL)")
    head = "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    write("store/models.py", head + "    name = CharField(max_length=9, unique=True)\n")
    write("store/class/api_boxes.py", "from ..models import Box\nclass Boxes:\n    def get(self): return 1\n")
    served.server.reloader.check()
    ensure_connected()
    assert [(index.columns, index.unique) for index in database.get_indexes("box")] == [(["name"], True)]
