"""Options of models that are refused, and tables that were made in part."""

import pytest

from core.contract.catalogue import catalogue
from core.storage.database import database, ensure_connected
from tests.core.loading.services import BOXES, STORE, reason_of

pytestmark = pytest.mark.usefixtures("without_natives")


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
def test_a_typing_error_in_meta_is_a_failure(served, write, option, reason):
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
def test_a_rule_of_deletion_that_cannot_be_is_a_failure(served, write, field, reason):
    write("store/models.py", "from core import RecordField\n" + STORE.format(more=f"    other = {field}\n"))
    write("store/class/api_boxes.py", BOXES)
    assert reason in reason_of(served, "boxes")


def test_a_table_whose_making_was_interrupted_gets_its_indexes(served, write):
    """On MariaDB each statement commits by itself: the table may be there, and its indexes not."""
    ensure_connected()
    database.execute_sql("CREATE TABLE box (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(9) NOT NULL)")
    head = "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    write("store/models.py", head + "    name = CharField(max_length=9, unique=True)\n")
    write("store/class/api_boxes.py", "from ..models import Box\nclass Boxes:\n    def get(self): return 1\n")
    served.server.reloader.check()
    ensure_connected()
    assert [(index.columns, index.unique) for index in database.get_indexes("box")] == [(["name"], True)]


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (
            'indexes = (("name",), True)',
            "models.py:3: Box.Meta: indexes: expected field names and whether their values are unique, "
            """such as ((("name",), True),), got (('name',), True)""",
        ),
        (
            'indexes = ((("nmae",), True),)',
            "Box.Meta: indexes has 'nmae', but the model has no such field; did you mean name?",
        ),
        ('required = ("name")', """Box.Meta: required: expected a tuple of field names, got 'name'; write ("name",)"""),
        ("part_of = None", "models.py:3: TypeError: Box.Meta: part_of: expected a tuple of field names, got None"),
        ('aliases = ("ref", "id")', "Box.Meta: aliases: expected a dict, got ('ref', 'id')"),
        ("belongs_to = 5", "models.py:3: Box.Meta: belongs_to: expected a function, got 5"),
        ('table_settings = ("nonsense",)', "OperationalError"),
    ],
)
def test_a_wrong_value_in_meta_disables_only_its_module(served, write, option, reason):
    file = write("store/models.py", STORE.format(more=f"    class Meta:\n        {option}\n"))
    api = write("store/class/api_boxes.py", BOXES)
    assert reason in reason_of(served, "boxes")
    write("tea/class/api_teas.py", "class Teas:\n    ''':access: public'''\n    def index(self): return 1\n")
    file.unlink()
    api.unlink()
    served.server.reloader.check()
    assert served.client(None).get("/teas") == 1
    assert catalogue().failed("boxes") is None
