"""The moves of an order from state to state, and its reference."""

from core.common.clock import as_if
from tests.modules.orders.orders import LINE
from tests.moments import LEAP_DAY_END


def test_who_moved_it_and_when(admin, server, make):
    me, identifier = server.administrator.id, make(LINE)
    with as_if(LEAP_DAY_END):
        validated = admin.ask("POST", f"/orders/{identifier}/validate", {"idwarehouse": 0, "notrigger": 0})
    assert (validated["user_valid"], validated["user_validation_id"], validated["date_cloture"]) == (me, me, None)
    assert validated["date_validation"] == LEAP_DAY_END
    with as_if(LEAP_DAY_END + 1):
        closed = admin.ask("POST", f"/orders/{identifier}/close", {"notrigger": 0})
    assert (closed["fk_user_cloture"], closed["date_cloture"]) == (me, LEAP_DAY_END + 1)
    assert admin.ask("POST", f"/orders/{identifier}/setinvoiced")["billed"] == 1
    assert "is already billed" in admin.refused("POST", f"/orders/{identifier}/setinvoiced", status=405)
    reopened = admin.ask("POST", f"/orders/{identifier}/reopen")
    assert (reopened["billed"], reopened["statut"], reopened["fk_user_cloture"]) == (0, 1, me)
    assert reopened["date_cloture"] == closed["date_cloture"]
    assert admin.ask("POST", f"/orders/{identifier}/settodraft", {"idwarehouse": -1})["ref"] == validated["ref"]
    assert admin.ask("POST", f"/orders/{identifier}/validate")["ref"] == validated["ref"]


def test_who_orders_is_a_customer(admin, make):
    for before, after in ((0, 1), (2, 3)):
        other = admin.ask("POST", "/thirdparties", {"name": "New", "client": before})
        identifier = make(socid=other)
        assert admin.get(f"/thirdparties/{other}")["client"] == before
        admin.ask("POST", f"/orders/{identifier}/validate")
        assert admin.get(f"/thirdparties/{other}")["client"] == after


# References -----------------------------------------------------------------------------------------------------------


def test_references(admin, make, constant):
    def number(identifier):
        return str(admin.get(f"/orders/{identifier}")["ref"])

    # mod_commande_marbre: the day of the order, one counter over all months
    first = number(make(state=1, date="2026-11-21"))
    prefix, counter = first.split("-")
    assert (prefix, len(counter)) == ("CO2611", 4)
    second = make(state=1, date="2025-01-15")
    assert number(second) == f"CO2501-{int(counter) + 1:04}"
    # When its order is deleted, the last number is free again; one in between is not, for later ones have counted on
    admin.ask("DELETE", f"/orders/{second}")
    third, fourth = make(state=1, date="2026-03-01"), make(state=1, date="2026-03-01")
    assert [number(each) for each in (third, fourth)] == [f"CO2603-{int(counter) + more:04}" for more in (1, 2)]
    admin.ask("DELETE", f"/orders/{third}")
    assert number(make(state=1)) == f"CO2611-{int(counter) + 3:04}"

    constant("COMMANDE_ADDON", "mod_commande_saphir")
    draft = make()
    assert "COMMANDE_SAPHIR_MASK" in admin.refused("POST", f"/orders/{draft}/validate", status=405)
    assert admin.get(f"/orders/{draft}")["statut"] == 0
    constant("COMMANDE_SAPHIR_MASK", "ORD{yyyy}-{0000+100}")
    assert number(make(state=1, date="2026-11-21")) == "ORD2026-0101"
    assert number(make(state=1, date="2025-01-15")) == "ORD2025-0102"
