"""Several who change the tree or its links at the same time, on each kind of database."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.storage.database import close
from tests.modules.categories.categories import CUSTOMER, ids, make

pytestmark = pytest.mark.every_database


def at_once(client, *calls):
    """Make calls (verb, path, body) in threads of their own; answer their statuses."""

    def run(call):
        verb, path, body = call
        options = {"json": body} if body is not None else {}
        try:
            return int(client.simulate_request(verb, path, **options).status_code)
        finally:
            close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_two_moves_close_no_cycle_together(admin):
    for _ in range(6):
        ring = [make(admin) for _ in range(4)]
        pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
        moves = [("PUT", f"/categories/{each}", {"fk_parent": above}) for each, above in pairs]
        # Each alone is fine, all together are a ring: the last one is refused
        assert sorted(at_once(admin, *moves)) == [200, 200, 200, 405]
        parents = [admin.get(f"/categories/{each}")["fk_parent"] for each in ring]
        assert parents.count(0) == 1


def test_nothing_is_put_below_what_is_deleted(admin):
    for number in range(6):
        top = make(admin)
        body = {"label": f"Orphan {number}", "type": 2, "fk_parent": top}
        made, deleted = at_once(admin, ("POST", "/categories", body), ("DELETE", f"/categories/{top}", None))
        assert (made, deleted) in ((200, 405), (404, 200))
        assert len(admin.get("/categories", sqlfilters=f"(t.fk_parent:=:{top})")) == (made == 200)


def test_a_label_is_taken_once(admin):
    call = ("POST", "/categories", {"label": "Wanted by all", "type": 2})
    assert sorted(at_once(admin, *[call] * 4)) == [200, 405, 405, 405]


def test_a_link_is_made_once(admin):
    company, category = CUSTOMER.make(admin), make(admin)
    assert sorted(at_once(admin, *[("POST", CUSTOMER.below(company, category), None)] * 4)) == [200, 405, 405, 405]
    assert ids(admin.get(CUSTOMER.below(company))) == [category]


def test_a_link_to_what_is_deleted_meanwhile(admin):
    for _ in range(4):
        company, category = CUSTOMER.make(admin), make(admin)
        path = CUSTOMER.below(company, category)
        linked, gone = at_once(admin, ("POST", path, None), ("DELETE", f"/categories/{category}", None))
        assert (linked in (200, 404), gone) == (True, 200)
        assert admin.get(CUSTOMER.below(company)) == []


def test_a_link_of_what_is_deleted_meanwhile(admin):
    for _ in range(4):
        company, category = CUSTOMER.make(admin), make(admin)
        path = CUSTOMER.below(company, category)
        linked, gone = at_once(admin, ("POST", path, None), ("DELETE", f"/thirdparties/{company}", None))
        assert (linked in (200, 404), gone) == (True, 200)
        assert admin.get(f"/categories/{category}/objects") == []
