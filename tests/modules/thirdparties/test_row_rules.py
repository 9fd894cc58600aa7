"""Who sees which third parties and contacts, in every way in (what one may not see does not exist)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

RIGHTS = (
    "thirdparties.read", "thirdparties.write", "thirdparties.delete", "contacts.read", "contacts.write",
    "contacts.delete",
)  # fmt: skip


@dataclass
class World:
    """Third parties A and B, a contact of each, and one of nobody."""

    a: int
    b: int
    of_a: int
    of_b: int
    free: int


@pytest.fixture
def world(admin):
    b = admin.ask("POST", "/thirdparties", {"name": "B", "email": "same@example.com"})
    admin.ask("PUT", f"/thirdparties/{b}", {"barcode": f"B{b}"})
    a = admin.ask("POST", "/thirdparties", {"name": "A", "email": "same@example.com"})
    admin.ask("PUT", f"/thirdparties/{a}", {"barcode": f"B{a}"})
    of_b, of_a, free = (
        admin.ask("POST", "/contacts", {"lastname": name, "socid": owner, "email": f"c{a}@example.com"})
        for name, owner in (("Of B", b), ("Of A", a), ("Free", None))
    )
    return World(a, b, of_a, of_b, free)


@pytest.fixture
def external(server, world):
    """An external user of A who holds every right, `thirdparties.all` included."""
    return server.user(*RIGHTS, "thirdparties.all", socid=world.a)


@pytest.fixture
def seller(server, world):
    """An internal user who represents A."""
    return server.user(*RIGHTS, represents=[world.a])


def ids(rows):
    return [row["id"] for row in rows]


@pytest.fixture(params=["external", "seller"])
def limited(request):
    return request.getfixturevalue(request.param)


def test_one_s_own_is_there_in_every_way(limited, world):
    assert limited.get(f"/thirdparties/{world.a}")["name"] == "A"
    # B has the same address and came first
    assert limited.get("/thirdparties/email/same@example.com")["id"] == world.a
    assert limited.get(f"/thirdparties/barcode/B{world.a}")["id"] == world.a
    limited.get(f"/thirdparties/{world.a}/representatives")
    assert limited.ask("PUT", f"/thirdparties/{world.a}", {"town": "Nice"})["town"] == "Nice"
    assert limited.get(f"/contacts/{world.of_a}")["socname"] == "A"
    assert limited.ask("PATCH", f"/contacts/{world.of_a}", {"poste": "x"})["poste"] == "x"


# External users ------------------------------------------------------------------------------------------------------


def test_an_external_user_sees_the_contacts_of_its_own(external, world):
    assert ids(external.get("/contacts")) == [world.of_a]
    assert ids(external.get("/contacts", sqlfilters=f"(t.fk_soc:=:{world.b}) or (t.rowid:>:0)")) == [world.of_a]
    assert ids(external.get("/contacts", sqlfilters=f"(s.rowid:=:{world.b}) or (s.nom:like:'%')")) == [world.of_a]
    assert external.get("/contacts", thirdparty_ids=f"{world.b}") == []
    assert ids(external.get("/contacts", thirdparty_ids=f"{world.a},{world.b}")) == [world.of_a]
    assert external.get(f"/contacts/email/c{world.a}@example.com")["id"] == world.of_a
    for verb in ("GET", "PUT", "DELETE"):
        external.refused(verb, f"/contacts/{world.free}", {"poste": "x"} if verb == "PUT" else None, status=404)


def test_an_external_user_s_contacts_belong_to_its_own(external, world):
    identifier = external.ask("POST", "/contacts", {"lastname": "New"})
    assert external.get(f"/contacts/{identifier}")["socid"] == world.a
    external.refused("PUT", f"/contacts/{identifier}", {"socid": -1}, status=405)
    assert external.get(f"/contacts/{identifier}")["socid"] == world.a
    assert external.ask("DELETE", f"/contacts/{identifier}")["success"]["code"] == 200


def test_an_external_user_creates_no_third_party(admin, external):
    message = external.refused("POST", "/thirdparties", {"name": "Mine, too"}, status=405)
    assert "external user" in message
    assert admin.get("/thirdparties", sqlfilters="(t.nom:=:'Mine, too')") == []


def test_an_external_user_says_not_who_represents(server, external, world):
    user = server.user().user_id
    external.refused("POST", f"/thirdparties/{world.a}/representatives/{user}", status=405)
    external.refused("DELETE", f"/thirdparties/{world.a}/representatives/{user}", status=405)


def test_an_external_user_cannot_delete_its_own(external, world):
    external.refused("DELETE", f"/thirdparties/{world.a}", status=405)


def test_an_external_administrator_is_external(server, world):
    client = server.user(admin=True, socid=world.a)
    assert ids(client.get("/thirdparties")) == [world.a]
    client.refused("GET", f"/thirdparties/{world.b}", status=404)


# Internal users without thirdparties.all -----------------------------------------------------------------------------


def test_a_seller_sees_the_contacts_of_nobody_too(seller, world):
    seen = set(ids(seller.get("/contacts", limit=1000)))
    assert {world.of_a, world.free} <= seen
    assert world.of_b not in seen
    assert ids(seller.get("/contacts", thirdparty_ids=f"{world.a},{world.b}")) == [world.of_a]
    assert seller.get(f"/contacts/{world.free}")["socid"] is None
    filters = f"(t.rowid:>=:{world.of_b}) or (s.rowid:=:{world.b})"
    assert ids(seller.get("/contacts", sqlfilters=filters)) == [world.of_a, world.free]


def test_a_seller_represents_what_it_creates(admin, seller):
    identifier = seller.ask("POST", "/thirdparties", {"name": "Won"})
    assert seller.get(f"/thirdparties/{identifier}")["name"] == "Won"
    user = seller.user_id
    assert admin.get(f"/thirdparties/{identifier}/representatives", mode=1) == [user]
    created = admin.ask("POST", "/thirdparties", {"name": "Other"})
    assert admin.get(f"/thirdparties/{created}/representatives") == []


def test_a_seller_creates_for_another_seller(server, admin, seller):
    other = server.user().user_id
    identifier = seller.ask("POST", "/thirdparties", {"name": "Shared", "commercial_id": other})
    told = admin.get(f"/thirdparties/{identifier}/representatives", mode=1)
    assert sorted(told) == sorted([other, seller.user_id])


def test_representation_counts_at_the_next_request(server, admin, world):
    newcomer = server.user(*RIGHTS)
    user = newcomer.user_id
    assert newcomer.get("/thirdparties") == []
    newcomer.refused("GET", f"/contacts/{world.of_a}", status=404)
    admin.ask("POST", f"/thirdparties/{world.a}/representatives/{user}")
    assert ids(newcomer.get("/thirdparties")) == [world.a]
    assert newcomer.get(f"/contacts/{world.of_a}")["id"] == world.of_a
    admin.ask("DELETE", f"/thirdparties/{world.a}/representatives/{user}")
    newcomer.refused("GET", f"/thirdparties/{world.a}", status=404)


def test_the_right_opens_all(server, world):
    client = server.user(*RIGHTS, "thirdparties.all")
    assert {world.a, world.b} <= set(ids(client.get("/thirdparties", limit=1000)))
    assert client.get(f"/contacts/{world.of_b}")["socname"] == "B"


def test_a_key_without_the_right_is_limited_whoever_holds_it(server, world):
    client = server.user(admin=True, only=["thirdparties.read"], represents=[world.a])
    assert ids(client.get("/thirdparties")) == [world.a]
    client.refused("GET", f"/thirdparties/{world.b}", status=404)
