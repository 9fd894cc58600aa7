"""Models that are older than their tables, because another process has changed these.

The other process is played by a thread with a connection of its own; what comes in between is done by the method itself.
"""

import threading

import peewee
import pytest

from core.schema.known_tables import known_tables
from core.schema.steps import Change, Rename, apply
from core.storage.cache_version import loaded_generation, raise_generation, read_generation
from core.storage.database import (
    close,
    database,
    ensure_connected,
    query,
    schema_lock,
)
from core.storage.error_kinds import CHANGED_SINCE, CHANGING
from tests.core.schema.authors import API, NAME, PRICE
from tests.serving.running import wait_until

pytestmark = pytest.mark.every_database

BETWEEN = (
    API.replace("from ..models", "from tests.core.schema import between\nfrom ..models")
    + '''
    def between(self, first: int = 0, last: int = 0, id: int = 1) -> dict:
        """A card, read or written, with something in between."""
        number = cards.create({"price": "2.50"}) if first else id
        if not first:
            cards.load(number)
        between.happens()
        return {"id": cards.create({"price": "2.50"})} if last else cards.load(number)
'''
)


def elsewhere(*steps, safe=False):
    """Another process changes the table.

    :param safe: whoever has the model of before may go on
    """

    def work():
        ensure_connected()
        with schema_lock():
            tables = {"loyalty_card": known_tables()["loyalty_card"][0]}
            for step in steps:
                apply(step, tables["loyalty_card"])
                step.plan(tables)
            database.execute_sql(
                f"UPDATE comptoir_table SET digest = 'another', form = {database.param} WHERE name = 'loyalty_card'",
                (tables["loyalty_card"].as_text(),),
            )
            if not safe:
                raise_generation()
        close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def renamed():
    """Another name."""
    elsewhere(Rename("loyalty_card", "name", "label"))


def ensure_loaded(reloader):
    """Wait until the thread that follows the files has loaded the models again, which a request has asked for."""
    reloader.start()
    try:
        wait_until(lambda: loaded_generation.value == read_generation())
    finally:
        reloader.stop()


@pytest.fixture
def happens(monkeypatch):
    """What happens in between: ``happens(finer)``."""
    from tests.core.schema import between

    return lambda work: monkeypatch.setattr(between, "happens", work)


def look_between(author):
    """A service in the midst of which something can happen."""
    author.write("loyalty/class/api_cards.py", BETWEEN)
    author.says(PRICE.format(2), NAME)


@pytest.mark.parametrize("keyed", [False, True])
def test_a_worker_that_has_not_seen_the_new_models_asks_to_try_again(author, keyed):
    author.says(PRICE.format(2), NAME)
    author.add(price="12.34", name="Ada")
    client = author.served.client() if keyed else author.client
    client.ask("GET", "/cards/1")
    renamed()
    # Its own files are the old ones: it finds out, and can't serve them
    answer = client.simulate_get("/cards/1")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"
    assert answer.json["error"]["message"] == f"Service Unavailable: {CHANGING}"
    ensure_loaded(author.served.server.reloader)
    client.ask("GET", "/cards/1", status=501)
    assert author.says(PRICE.format(2), "    label = CharField(max_length=30, default='')") == ""
    assert client.ask("GET", "/cards/1")["label"] == "Ada"


def test_other_services_go_on(author):
    author.says(PRICE.format(2), NAME)
    admin = author.served.client()
    renamed()
    assert admin.ask("GET", "/users/info")["login"] == "administrator"


def test_a_column_that_nobody_has_changed_is_a_fault(author, happens):
    """`happens` runs SQL of a column that the author has misspelt."""
    look_between(author)
    author.add(price="12.34")
    happens(lambda: query("SELECT prize FROM loyalty_card"))
    assert author.client.simulate_get("/cards/between").status_code == 500


def test_what_was_written_before_the_change_says_so(author, happens):
    look_between(author)
    happens(renamed)
    answer = author.client.simulate_get("/cards/between", params={"first": 1})
    assert answer.status_code == 503
    assert answer.json["error"]["message"] == f"Service Unavailable: {CHANGED_SINCE}"
    assert "Retry-After" not in answer.headers
    assert query("SELECT COUNT(*) FROM loyalty_card") == [(1,)]


def test_a_column_that_is_gone_meanwhile_is_no_fault(author, happens):
    look_between(author)
    author.add(price="12.34", name="Ada")
    happens(renamed)
    answer = author.client.simulate_get("/cards/between")
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "1")
    assert author.says(PRICE.format(2), "    label = CharField(max_length=30, default='')") == ""
    assert author.card()["label"] == "Ada"


def test_a_longer_text_is_read_by_connections_that_knew_the_shorter_one(author):
    """PostgreSQL refuses what it has prepared for a column of another type."""
    author.says(PRICE.format(2), NAME)
    author.add(name="Ada")
    for _ in range(12):
        author.card()
    elsewhere(Change("loyalty_card", "name", peewee.CharField(max_length=50, default="")), safe=True)
    assert author.card()["name"] == "Ada"
