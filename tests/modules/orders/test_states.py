"""The moves of an order from state to state, and its reference."""

import pytest

from core.common.clock import as_if
from tests.modules.orders.orders import LINE, MOVES, REFUSED, picked, totals
from tests.moments import LEAP_DAY_END

# States ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [-1, 0, 1, 2, 3])
@pytest.mark.parametrize("move", MOVES)
def test_moves(admin, make, move, state):
    identifier = make(LINE, state=state)
    before = admin.get(f"/orders/{identifier}")
    assert before["statut"] == state
    end = MOVES[move][state]
    if end is REFUSED:
        verb = {"settodraft": "set to draft", "setinvoiced": "set to billed"}.get(move, move)
        assert f"can't {verb}: the order {before['ref']} is " in admin.refused(
            "POST", f"/orders/{identifier}/{move}", status=405
        )
        assert admin.get(f"/orders/{identifier}") == before
        return
    answer = admin.ask("POST", f"/orders/{identifier}/{move}", {})
    after = admin.get(f"/orders/{identifier}")
    assert answer == after
    assert (after["statut"], after["status"], after["brouillon"]) == (end, end, 1 if end == 0 else None)
    assert after["billed"] == (1 if move == "setinvoiced" else 0)
    assert after["user_modification"] == after["user_author_id"]
    assert totals(after) == totals(before)
    if state != 0:
        # Back to draft, too, it keeps its reference and the day it was validated
        assert picked(after, ("ref", "date_validation", "user_valid")) == picked(
            before, ("ref", "date_validation", "user_valid")
        )


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
