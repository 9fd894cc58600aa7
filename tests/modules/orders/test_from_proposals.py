"""Orders that are made of a proposal."""

import pytest

from core.common.clock import as_if
from tests.modules.orders.orders import LINE, MORE, TOTALS, picked, totals
from tests.modules.stock.goods import warehouses
from tests.moments import LEAP_DAY, LEAP_DAY_END

#: what the order takes over
COPIED = {
    "ref_client": "CREF1", "fk_project": 7, "cond_reglement_id": 2, "mode_reglement_id": 2, "deposit_percent": "30",
    "fk_account": 3, "availability_id": 1, "demand_reason_id": 4, "shipping_method_id": 2, "warehouse_id": 5,
    "note_public": "public", "note_private": "private",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _warehouses(admin):
    """Those that records name here."""
    warehouses(admin, 6)


def test_an_order_of_a_proposal(admin, customer, offer, extrafield):
    for element in ("propal", "commande"):
        extrafield(element, "site")
        extrafield(element + "det", "colour")
    extrafield("propal", "only_there")
    extrafield("commande", "only_here")
    person = admin.ask("POST", "/contacts", {"lastname": "Doe", "socid": customer})
    lines = [LINE | {"array_options": {"options_colour": "red"}}, MORE]
    extras = {"options_site": "Lyon", "options_only_there": "x"}
    source = offer(**COPIED, delivery_date="2026-12-24", ref_ext="P", array_options=extras, lines=lines)
    admin.ask("POST", f"/proposals/{source}/contact/{person}/BILLING")
    before = admin.get(f"/proposals/{source}")

    with as_if(LEAP_DAY_END):
        made = admin.ask("POST", f"/orders/createfromproposal/{source}", {})
    assert picked(made, COPIED) == COPIED
    expected = {
        "ref": f"(PROV{made['id']})", "statut": 0, "billed": 0, "source": 0, "socid": customer, "date_validation": None,
        # 2026-12-24, midnight UTC
        "delivery_date": 1798070400, "ref_ext": None, "origin": "propal", "origin_id": source,
        "contacts_ids": [person], "array_options": {"options_site": "Lyon", "options_only_here": None},
    }  # fmt: skip
    assert picked(made, expected) == expected
    assert made["date"] == LEAP_DAY
    assert list(made["linkedObjectsIds"]["propal"].values()) == [source]
    assert totals(made) == TOTALS
    shown = ("desc", "qty", "subprice", "tva_tx", "remise_percent", "rang", "total_ht", "total_tva", "total_ttc")
    assert [picked(line, shown) for line in made["lines"]] == [picked(line, shown) for line in before["lines"]]
    assert made["lines"][0]["array_options"] == {"options_colour": "red"}
    roles = [(row["id"], row["code"]) for row in admin.get(f"/orders/{made['id']}/contacts")]
    assert roles == [(person, "BILLING")]

    read = admin.get(f"/orders/{made['id']}")
    assert made == read | {"origin": "propal", "origin_id": source}
    after = admin.get(f"/proposals/{source}")
    assert list(after["linkedObjectsIds"]["commande"].values()) == [made["id"]]
    assert after | {"linkedObjectsIds": {}} == before
    # Another one can be made
    assert admin.ask("POST", f"/orders/createfromproposal/{source}")["id"] != made["id"]


def test_no_order_is_made_of_a_proposal_without_lines(admin, offer):
    count = len(admin.get("/orders", limit=1000))
    assert "no lines" in admin.refused("POST", f"/orders/createfromproposal/{offer(lines=[])}", status=405)
    assert len(admin.get("/orders", limit=1000)) == count
