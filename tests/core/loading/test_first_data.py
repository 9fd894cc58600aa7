"""The first data that a module declares in module.toml."""

import threading

import pytest

from core.contract.catalogue import catalogue
from core.schema.first_data import make_first_data
from core.schema.migrations import Migration
from core.storage.database import close, execute, query
from core.testing import serving

pytestmark = pytest.mark.usefixtures("without_natives")

API = """
from peewee import CharField
from core import Crud, Model, Records

class Card(Model):
    number = CharField(unique=True)

    class Meta:
        table_name = "cards_card"

class Cards(Crud):
    records = Records(Card)
"""
CREATE = """
from core.for_natives import execute

def create():
    execute("INSERT INTO cards_card (number) VALUES ('FIRST')")
"""


@pytest.fixture
def cards(write):
    write("cards/class/api_cards.py", API)
    write("cards/module.toml", 'first_data = "first:create"')

    def put(text=CREATE):
        write("cards/first.py", text)

    put()
    return put


def numbers():
    return [number for (number,) in query("SELECT number FROM cards_card ORDER BY number")]


@pytest.mark.every_database
def test_first_data_are_made_once_in_a_database(kind, tmp_path, folder, cards, write):
    with serving(tmp_path, kind, modules=str(folder)) as served:
        assert [each.reason for each in catalogue().failures] == []
        assert numbers() == ["FIRST"]
        execute("DELETE FROM cards_card")
        cards(CREATE.replace("FIRST", "SECOND"))
        served.server.reloader.check()
        assert numbers() == []
        # Its record is that of the tables
        execute("DROP TABLE cards_card")
        write("cards/class/api_cards.py", API + "\n")
        served.server.reloader.check()
        assert numbers() == ["SECOND"]


def test_what_fails_writes_nothing_and_is_tried_again(tmp_path, folder, cards):
    cards(CREATE + "    1 / 0\n")
    with serving(tmp_path, modules=str(folder)) as served:
        reason = "module.toml: first_data: ZeroDivisionError: division by zero"
        assert [(each.module, each.reason) for each in catalogue().failures] == [("cards", reason)]
        assert numbers() == []
        assert served.client().get("/cards") == []
        cards()
        served.server.reloader.check()
        assert list(catalogue().failures) == []
        assert numbers() == ["FIRST"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "first.py has no function create"),
        ("def create", "SyntaxError: "),
        ("async def create(): ...", "create is async"),
    ],
)
def test_a_function_that_cannot_be_loaded_disables_nothing_else(tmp_path, folder, cards, text, reason):
    cards(text)
    with serving(tmp_path, modules=str(folder)) as served:
        (failure,) = catalogue().failures
        assert failure.reason.startswith(f"module.toml: first_data: {reason}")
        assert served.client().get("/cards") == []


def test_a_disabled_module_makes_none(tmp_path, folder, cards):
    (folder / "cards/DISABLED").touch()
    with serving(tmp_path, modules=str(folder)) as served:
        assert not Migration.select().exists()
        (folder / "cards/DISABLED").unlink()
        served.server.reloader.check()
        assert numbers() == ["FIRST"]


@pytest.mark.every_database
def test_of_several_processes_one_makes_the_data(kind, tmp_path, folder, write):
    errors, ready = [], threading.Barrier(4)

    def create():
        Migration.create(module="made", name=threading.current_thread().name)

    def run():
        ready.wait()
        errors.append(make_first_data({"cards": create}))
        close()

    with serving(tmp_path, kind, modules=str(folder)):
        threads = [threading.Thread(target=run) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert errors == [{}] * 4
        assert Migration.select().where(Migration.module == "made").count() == 1
