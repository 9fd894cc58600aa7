"""A request that writes a document while another one changes what it is based on, on each kind.

The first one stops at a point of its own until the other one is through, so that each run has the same order.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal

import pytest

from core import Records
from core.storage.database import close
from tests.modules.commercial.documents.desk import nothing_written

#: seconds after which a test fails that would wait for ever
PATIENCE = 60


def in_thread(call):
    """Return a call for a thread of its own."""

    def run():
        try:
            return call()
        finally:
            close()

    return run


@pytest.fixture
def started(monkeypatch):
    """``with started(call, "insert") as answer: …`` runs the block while a call waits before a method of `Records`.

    With ``after=True`` it waits after that method.
    """
    with ThreadPoolExecutor(1) as pool:

        @contextmanager
        def start(call, name, *, after=False):
            reached, ready = threading.Event(), threading.Event()
            original = getattr(Records, name)
            waiting = []

            def wait(self, *arguments, **more):
                is_meant = threading.current_thread() in waiting and not reached.is_set()
                done = original(self, *arguments, **more) if after else None
                if is_meant:
                    reached.set()
                    assert ready.wait(PATIENCE)
                return done if after else original(self, *arguments, **more)

            def run():
                waiting.append(threading.current_thread())
                try:
                    return call()
                finally:
                    reached.set()

            monkeypatch.setattr(Records, name, wait)
            answer = pool.submit(in_thread(run))
            try:
                assert reached.wait(PATIENCE)
                yield answer
            finally:
                ready.set()
                answer.result(PATIENCE)

        yield start


def made(admin, path, **body):
    return admin.ask("POST", path, body)


def test_a_product_gets_another_price(desk, admin, started):
    chair = made(admin, "/products", ref=f"RACE-{desk.kind.path}", label="Race", price=20, tva_tx=20)
    create = lambda: desk.make({"fk_product": chair, "qty": 2}, {"qty": 1, "subprice": 1})  # noqa: E731
    admin.ask("PUT", f"/products/{chair}", {"price": 10})
    with started(create, "check_all", after=True) as answer:
        # Nobody waits for a request that has only read
        admin.ask("PUT", f"/products/{chair}", {"price": 30})
    record = desk.read(answer.result())
    # The document was computed before the change, and its amounts agree with each other
    assert [Decimal(line["subprice"]) for line in record["lines"]] == [10, 1]
    assert (Decimal(record["total_ht"]), record["ref"]) == (21, f"(PROV{record['id']})")


def test_a_product_is_deleted(desk, admin, started):
    chair = made(admin, "/products", ref=f"GONE-{desk.kind.path}", label="Gone", price=10)
    body = desk.body({"fk_product": chair, "qty": 1})
    with started(lambda: admin.refused("POST", desk.path(), body, status=404), "check_all", after=True) as answer:
        admin.ask("DELETE", f"/products/{chair}")
    assert answer.result() == f"Not Found: Product {chair} not found"
    with nothing_written():
        admin.refused("POST", desk.path(), body, status=404)


def test_a_customer_is_deleted(desk, admin, started):
    customer = made(admin, "/thirdparties", name="Gone Ltd", client=1)
    body = desk.body({"qty": 1, "subprice": 1}, socid=customer)
    with started(lambda: admin.refused("POST", desk.path(), body, status=404), "check_all", after=True) as answer:
        admin.ask("DELETE", f"/thirdparties/{customer}")
    assert answer.result() == f"Not Found: Thirdparty {customer} not found"


def test_a_customer_is_merged(desk, admin, started):
    kept, gone = (made(admin, "/thirdparties", name=name, client=1) for name in ("Kept Ltd", "Merged Ltd"))
    first = desk.make({"qty": 1, "subprice": 1}, socid=gone)
    body = desk.body({"qty": 1, "subprice": 1}, socid=gone)
    with started(lambda: admin.refused("POST", desk.path(), body, status=404), "check_all", after=True) as answer:
        admin.ask("PUT", f"/thirdparties/{kept}/merge/{gone}")
    assert answer.result() == f"Not Found: Thirdparty {gone} not found"
    assert [int(each["id"]) for each in admin.get(desk.path(), thirdparty_ids=str(kept))] == [first]


def test_a_draft_is_validated_while_a_line_is_added(desk, admin, started):
    draft = desk.make({"qty": 1, "subprice": 1})
    line = {"qty": 1, "subprice": 2}
    with ThreadPoolExecutor(1) as pool:
        with started(lambda: admin.ask("POST", desk.path(draft, "lines"), line), "write_unchecked"):
            # It waits for the line, whenever it arrives
            validated = pool.submit(in_thread(lambda: desk.act(draft, "validate")))
        assert validated.result(PATIENCE)["total_ht"] == desk.read(draft)["total_ht"]
    record = desk.read(draft)
    assert (len(record["lines"]), Decimal(record["total_ht"]), int(record["statut"])) == (2, 3, 1)


def test_a_line_is_added_while_a_draft_is_validated(desk, admin, started):
    draft = desk.make({"qty": 1, "subprice": 1})
    add = lambda: admin.refused("POST", desk.path(draft, "lines"), {"qty": 1, "subprice": 0}, status=405)  # noqa: E731
    with ThreadPoolExecutor(1) as pool:
        with started(lambda: desk.act(draft, "validate"), "write_unchecked"):
            added = pool.submit(in_thread(add))
        assert "it is not a draft" in added.result(PATIENCE)
    assert len(desk.read(draft)["lines"]) == 1
