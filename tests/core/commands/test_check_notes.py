"""The notes of `check`: columns that no field has any more, imports from inside `core`."""

import json

import pytest

from core.testing import make_settings
from core.wsgi import build

pytestmark = pytest.mark.usefixtures("without_natives")

MODELS = (
    "from peewee import *\nfrom core import Model\nclass Box(Model):\n    id = AutoField()\n"
    "    name = CharField(default='')\n{more}"
)
API = "from ..models import Box\nclass Boxes:\n    '''Boxes.\n\n    :access: protected\n    '''\n    def index(self) -> list:\n        '''None.'''\n        return []\n"
SAID = "box.note: no model of store has a field for this column; a migration can drop it (tables.drop('box', 'note'))"


@pytest.fixture
def variables():
    return {}


def test_a_column_that_stays_is_told_where_there_is_a_database(run, tmp_path):
    folder = tmp_path / "outside"
    (folder / "store/class").mkdir(parents=True)
    (folder / "store/class/api_boxes.py").write_text(API)
    models = folder / "store/models.py"
    models.write_text(MODELS.format(more="    note = CharField(null=True)\n"))
    settings = make_settings(tmp_path, modules=str(folder))
    server = build(settings)
    models.write_text(MODELS.format(more=""))
    server.reloader.check()
    environment = {"COMPTOIR_DATABASE": settings.database, "COMPTOIR_MODULES": str(folder)}
    assert f"note     {SAID}" in run("check", str(folder / "store"), **environment).output
    assert json.loads(run("check", str(folder / "store"), "--json", **environment).output)["notes"] == [SAID]
    # Without a database nothing is said of it, and none is made
    environment["COMPTOIR_DATABASE"] = f"sqlite:///{tmp_path}/none.db"
    assert json.loads(run("check", str(folder / "store"), "--json", **environment).output)["notes"] == []
    assert not (tmp_path / "none.db").exists()
    environment["COMPTOIR_DATABASE"] = "postgresql://nobody@127.0.0.1:1/none"
    assert "note " not in run("check", str(folder / "store"), **environment).output


def test_imports_from_inside_core_are_listed(run, tmp_path):
    store = tmp_path / "outside/store"
    (store / "class").mkdir(parents=True)
    (store / "models.py").write_text("from core.storage import model\n" + MODELS.format(more=""))
    api = API.replace(
        "class Boxes", "from core.for_natives import settings\nfrom core.testing import serving\n\nclass Boxes"
    )
    (store / "class/api_boxes.py").write_text(api)
    command = "check", str(store), "--json"
    notes = json.loads(run(*command, COMPTOIR_MODULES=str(tmp_path / "outside")).output)["notes"]
    rest = "which may change; modules/NAMES.md lists the names that stay"
    assert notes == [
        f"store/class/api_boxes.py: imports from core.for_natives, {rest}",
        f"store/models.py: imports from core.storage, {rest}",
    ]
