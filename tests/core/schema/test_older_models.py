"""Models that are older than their tables, because another process has changed these: no wrong answer, nothing written.

The other process is played by a thread with a connection of its own; what comes in between is done by the method itself.
"""

import threading

import peewee
import pytest

from core import ExactField
from core.common.runtime import active
from core.contract.catalogue import catalogue
from core.schema.known_tables import known_tables
from core.schema.steps import Change, Rename, apply
from core.storage.cache_version import raise_generation, read_generation
from core.storage.database import (
    backend,
    begin_work,
    close,
    database,
    end_of_request,
    ensure_connected,
    query,
    schema_lock,
)
from core.storage.error_kinds import CHANGED_SINCE, CHANGING, TablesChanged
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


def finer():
    """Two more digits behind the point."""
    elsewhere(Change("loyalty_card", "price", ExactField(12, 4, default=0)))


def renamed():
    """Another name."""
    elsewhere(Rename("loyalty_card", "name", "label"))


def ensure_loaded():
    """Wait until the models have been loaded again, which a request has asked for."""
    wait_until(lambda: active.runtime.generation == read_generation())


@pytest.fixture
def happens(monkeypatch):
    """What happens in between: ``happens(finer)``."""
    from tests.core.schema import between

    return lambda work: monkeypatch.setattr(between, "happens", work)


def look_between(author):
    """A service in the midst of which something can happen, on a database that reads each request at one instant."""
    author.write("loyalty/class/api_cards.py", BETWEEN)
    author.says(PRICE.format(2), NAME)


@pytest.mark.parametrize("keyed", [False, True])
def test_a_worker_that_has_not_seen_the_new_models_does_not_answer_with_the_old(author, keyed):
    author.says(PRICE.format(2), NAME)
    author.add(price="12.34")
    client = author.served.client() if keyed else author.client
    client.ask("GET", "/cards/1")
    finer()
    # Its own files are those of before: it finds out, and cannot serve them
    answer = client.simulate_get("/cards/1")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"
    assert answer.json["error"]["message"] == f"Service Unavailable: {CHANGING}"
    ensure_loaded()
    client.ask("GET", "/cards/1", status=501)
    assert "the column has 4 decimal places, but models.py declares 2" in author.loaded()
    # Others are not concerned
    author.served.client().ask("GET", "/status")
    assert author.says(PRICE.format(4), NAME) == ""
    assert client.ask("GET", "/cards/1")["price"] == "12.3400"


def test_other_services_go_on_once_the_models_are_loaded(author):
    author.says(PRICE.format(2), NAME)
    admin = author.served.client()
    finer()
    answer = admin.simulate_get("/users/info")
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "1")
    ensure_loaded()
    assert admin.ask("GET", "/users/info")["login"] == "administrator"


@pytest.mark.every_database("sqlite")
def test_a_request_goes_on_with_what_it_began_to_read(author, happens):
    look_between(author)
    author.add(price="12.34")
    happens(lambda: None)
    assert author.client.ask("GET", "/cards/between")["price"] == "12.34"
    happens(finer)
    assert author.client.ask("GET", "/cards/between")["price"] == "12.34"
    assert author.client.simulate_get("/cards/between").status_code == 503


@pytest.mark.every_database("sqlite")
def test_nothing_is_written_with_older_models(author, happens):
    look_between(author)
    author.add(price="12.34")
    happens(finer)
    assert author.client.simulate_get("/cards/between", params={"last": 1}).status_code == 503
    assert query("SELECT rowid, price FROM loyalty_card") == [(1, 1234000000)]


@pytest.mark.every_database("sqlite")
def test_what_was_written_before_the_change_says_so(author, happens):
    look_between(author)
    happens(finer)
    answer = author.client.simulate_get("/cards/between", params={"first": 1})
    assert answer.status_code == 503
    assert answer.json["error"]["message"] == f"Service Unavailable: {CHANGED_SINCE}"
    assert "Retry-After" not in answer.headers
    assert query("SELECT price FROM loyalty_card") == [(250000000,)]


def test_a_column_that_is_gone_meanwhile_is_no_fault(author, happens):
    author.write("loyalty/class/api_cards.py", BETWEEN)
    author.says(PRICE.format(2), NAME)
    author.add(price="12.34", name="Ada")
    happens(renamed)
    answer = author.client.simulate_get("/cards/between")
    if backend().name == "sqlite":
        assert answer.json["name"] == "Ada"
    else:
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


def test_a_job_neither_reads_nor_writes_with_older_models(author, monkeypatch):
    monkeypatch.setattr("core.storage.retrying_database.RECHECK_SECONDS", 0)
    author.says(PRICE.format(2), NAME)
    cards = catalogue().services["cards"].records
    begin_work(active.runtime.generation, keeps_snapshot=False)
    try:
        number = cards.create({"price": "1.25"})
        assert str(cards.load(number).price) == "1.25"
        finer()
        with pytest.raises(TablesChanged, match=CHANGED_SINCE):
            cards.create({"price": "2.50"})
        if backend().name == "sqlite":
            with pytest.raises(TablesChanged, match=CHANGED_SINCE):
                cards.load(number)
    finally:
        end_of_request()
    assert query("SELECT COUNT(*) FROM loyalty_card") == [(1,)]
