"""Orders over HTTP, on each kind of database; expected values: specification.md, differences.md, fields.md, rules.md.

What orders share with other documents is in `test_documents.py`.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from core.storage.database import ensure_connected
from core.testing import Client, Served, statements

#: midnight UTC of 2026-11-21 and of 2025-01-15
DAY, EARLIER = 1795219200, 1736899200
LINE = {"desc": "Desk", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10}
MORE = {"desc": "Chair", "qty": 2, "subprice": 100, "tva_tx": "5.5"}
#: rules.md 8: 53.97 + 200.00, 10.80 + 11.00, 64.77 + 211.00
TOTALS = ("253.97000000", "21.80000000", "275.77000000")

#: fields.md: every field that a client can write, a value to send and what is read back
KEPT: dict[str, tuple[Any, Any]] = {
    "ref_ext": ("EXT-1", "EXT-1"),
    "ref_client": ("CUST-REF", "CUST-REF"),
    "fk_project": ("7", 7),
    "date": ("2025-01-15", EARLIER),
    "delivery_date": (1796000000, 1796000000),
    "source": (2, 2),
    "remise_percent": ("2.5", "2.5000"),
    "remise_absolue": ("1.25", "1.25000000"),
    "cond_reglement_id": (2, 2),
    "mode_reglement_id": ("2", 2),
    "deposit_percent": ("30", "30"),
    "fk_account": (3, 3),
    "availability_id": (1, 1),
    "demand_reason_id": (4, 4),
    "shipping_method_id": (2, 2),
    "warehouse_id": (5, 5),
    "note_public": ("<b>public</b>", "<b>public</b>"),
    "note_private": ("private\nnote", "private\nnote"),
    "model_pdf": ("einstein", "einstein"),
    "module_source": ("takepos", "takepos"),
    "pos_source": ("2", "2"),
    "fk_incoterms": (1, 1),
    "location_incoterms": ("Lyon", "Lyon"),
}
#: second names that may be sent
ALIASES = {"ref_customer": "ref_client", "date_commande": "date", "date_livraison": "delivery_date"}
#: what they are when nothing is said
DEFAULTS = dict.fromkeys(KEPT) | {
    "date": DAY, "remise_percent": "0.0000", "remise_absolue": "0.00000000", "fk_incoterms": 0,
}  # fmt: skip
#: what the server alone writes, and a value that would change it
DROPPED: dict[str, Any] = {
    "id": 77, "ref": "CO9999-0001", "statut": 3, "status": 3, "billed": 1, "total_ht": 5, "total_tva": 5,
    "total_ttc": 5, "date_creation": 1, "date_validation": 1, "date_cloture": 1, "user_author_id": 99,
    "user_creation_id": 99, "user_valid": 99, "user_modification": 99, "fk_user_cloture": 99, "remise": 5,
    "amount_ht": 5, "fk_delivery_address": 9, "last_main_doc": "x", "multicurrency_code": "USD", "import_key": "x",
}  # fmt: skip
#: fields.md: the column of each field that is called otherwise
COLUMNS = {
    "id": "rowid", "socid": "fk_soc", "fk_project": "fk_projet", "date": "date_commande",
    "delivery_date": "date_livraison", "date_creation": "date_creation", "date_validation": "date_valid",
    "date_modification": "tms", "statut": "fk_statut", "billed": "facture", "user_author_id": "fk_user_author",
    "user_valid": "fk_user_valid", "user_modification": "fk_user_modif", "total_localtax1": "localtax1",
    "cond_reglement_id": "fk_cond_reglement", "mode_reglement_id": "fk_mode_reglement",
    "availability_id": "fk_availability", "demand_reason_id": "fk_input_reason",
    "shipping_method_id": "fk_shipping_method", "warehouse_id": "fk_warehouse",
}  # fmt: skip
#: columns with no field of their own
BARE = ("ref_int", "fk_user_cloture", "amount_ht", "fk_currency", "fk_delivery_address", "date_cloture")

#: fields.md: fields of a line, what is sent, what is read back, and what a line has that does not say it
LINE_FIELDS: dict[str, tuple[Any, Any, Any]] = {
    "desc": ("a <i>text</i>", "a <i>text</i>", ""),
    "label": ("a label", "a label", None),
    "product_type": (1, 1, 0),
    "qty": ("2.5", "2.50000000", "0.00000000"),
    "subprice": ("9.87654321", "9.87654000", "0.00000000"),
    "tva_tx": ("19.6", "19.6000", "0.0000"),
    "vat_src_code": ("ABC", "ABC", ""),
    "remise_percent": ("12.3456", "12.3460", "0.0000"),
    "date_start": (EARLIER, EARLIER, None),
    "date_end": (DAY, DAY, None),
    "info_bits": (2, 2, 0),
    "special_code": (4, 4, 0),
    "fk_unit": (2, 2, None),
    "pa_ht": ("5.5", "5.50000000", "0.00000000"),
    "fk_fournprice": (8, 8, None),
    "ref_ext": ("L-1", "L-1", ""),
}

REFUSED = None
#: differences.md 3: move → state before → state after
MOVES: dict[str, dict[int, int | None]] = {
    "validate": {-1: REFUSED, 0: 1, 1: REFUSED, 2: REFUSED, 3: REFUSED},
    "close": {-1: REFUSED, 0: REFUSED, 1: 3, 2: 3, 3: REFUSED},
    "reopen": {-1: 1, 0: REFUSED, 1: REFUSED, 2: REFUSED, 3: 1},
    "settodraft": {-1: REFUSED, 0: REFUSED, 1: 0, 2: REFUSED, 3: REFUSED},
    "cancel": {-1: REFUSED, 0: REFUSED, 1: -1, 2: REFUSED, 3: REFUSED},
    "setinvoiced": {-1: REFUSED, 0: REFUSED, 1: 1, 2: REFUSED, 3: 3},
}


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Callable[..., int]:
    """Create an order; `state` brings it there."""

    def make(*lines: dict[str, Any], state: int = 0, **fields: Any) -> int:
        date = {} if "date" in fields or "date_commande" in fields else {"date": DAY}
        body = {"socid": customer, "lines": list(lines), **date, **fields}
        identifier = admin.ask("POST", "/orders", body)
        assert isinstance(identifier, int)
        bring(admin, identifier, state)
        return identifier

    return make


def bring(client: Client, identifier: int, state: int) -> None:
    """Bring a draft to a state."""
    for move in {0: (), 1: ("validate",), 2: ("validate",), 3: ("validate", "close"), -1: ("validate", "cancel")}[
        state
    ]:
        client.ask("POST", f"/orders/{identifier}/{move}")
    if state == 2:
        # Shipments lead there, and there are none yet
        ensure_connected()
        order = importlib.import_module("modules.orders.models").Order
        order.update(statut=2).where(order.id == identifier).execute()


def totals(record: dict[str, Any]) -> tuple[str, ...]:
    return tuple(record[name] for name in ("total_ht", "total_tva", "total_ttc"))


def picked(record: dict[str, Any], names: Any) -> dict[str, Any]:
    return {name: record[name] for name in names}


# Fields --------------------------------------------------------------------------------------------------------------


def test_a_new_order_has_the_documented_defaults(admin: Client, server: Served, make: Any) -> None:
    before = int(time.time())
    record = admin.get(f"/orders/{make(LINE, MORE)}")
    author = server.administrator.id
    expected = DEFAULTS | {
        "ref": f"(PROV{record['id']})", "statut": 0, "status": 0, "billed": 0, "brouillon": 1, "entity": 1,
        "date_commande": DAY, "date_livraison": None, "date_validation": None, "date_cloture": None,
        "user_author_id": author, "user_creation_id": author, "user_valid": None, "user_validation_id": None,
        "user_modification": None, "user_modification_id": None, "availability_code": None, "availability": None,
        "cond_reglement_code": None, "mode_reglement_code": None, "online_payment_url": None, "contacts_ids": [],
        "linkedObjectsIds": {}, "multicurrency_code": "EUR", "multicurrency_tx": "1.00000000", "array_options": {},
    }  # fmt: skip
    assert picked(record, expected) == expected
    assert before <= record["date_creation"] <= time.time() + 1
    assert totals(record) == TOTALS
    assert record["lines"][0]["fk_commande"] == record["id"]


def test_every_field_is_kept_by_creation_and_change(admin: Client, make: Any) -> None:
    sent = {name: value for name, (value, _) in KEPT.items()}
    expected = {name: value for name, (_, value) in KEPT.items()}
    created = admin.get(f"/orders/{make(**sent)}")
    assert picked(created, KEPT) == expected
    codes = ("availability_code", "demand_reason_code", "cond_reglement_code", "mode_reglement_code")
    assert [created[name] for name in codes] == ["AV_NOW", "SRC_CAMP_FAX", "30D", "VIR"]
    named = admin.get("/setup/dictionary/availability", sqlfilters="(t.rowid:=:1)")[0]["label"]
    assert created["availability"] == named
    for verb in ("PUT", "PATCH"):
        changed = admin.ask(verb, f"/orders/{make()}", sent)
        assert picked(changed, KEPT) == expected
        assert changed["user_modification"] == created["user_author_id"]


@pytest.mark.parametrize("name", ALIASES)
def test_second_names_are_written_and_read(admin: Client, make: Any, name: str) -> None:
    value, expected = KEPT[ALIASES[name]]
    for identifier in (make(**{name: value}), make()):
        record = admin.ask("PUT", f"/orders/{identifier}", {name: value})
        assert (record[name], record[ALIASES[name]]) == (expected, expected)


def test_the_day_can_be_named_twice(admin: Client, make: Any) -> None:
    # fields.md: the value used is date_commande if given, else date
    identifier = make(date="2026-11-21", date_commande="2025-01-15")
    assert admin.get(f"/orders/{identifier}")["date"] == EARLIER
    # A client that sends back what it has read, and has changed one of them, is understood whichever it is
    for name in ("date", "date_commande"):
        record = admin.get(f"/orders/{make()}")
        changed = admin.ask("PUT", f"/orders/{record['id']}", record | {name: "2025-01-15"})
        assert (changed["date"], changed["date_commande"]) == (EARLIER, EARLIER)
    changed = admin.ask("PUT", f"/orders/{make()}", {"date": "", "date_commande": "2025-01-15"})
    assert changed["date"] == EARLIER
    assert "`date_commande`" in admin.refused(
        "PUT", f"/orders/{make()}", {"date": DAY, "date_commande": "soon"}, status=400
    )


def test_nothing_chosen_is_no_identifier(admin: Client, make: Any) -> None:
    record = admin.get(f"/orders/{make(availability_id=0, demand_reason_id='0')}")
    assert (record["availability_id"], record["demand_reason_id"]) == (None, None)


def test_what_the_server_writes_is_ignored(admin: Client, make: Any) -> None:
    for identifier in (make(LINE, MORE, **DROPPED), make(LINE, MORE)):
        before = admin.get(f"/orders/{identifier}")
        assert (before["ref"], before["statut"], totals(before)) == (f"(PROV{identifier})", 0, TOTALS)
        answer = admin.simulate_put(f"/orders/{identifier}", json=DROPPED)
        names = ("date_modification", "fk_user_modif", "user_modification", "user_modification_id")
        assert {**answer.json, **picked(before, names)} == before
        assert all(name in answer.headers["warning"] for name in DROPPED)


def test_columns_and_fields_are_filtered_by(admin: Client, make: Any) -> None:
    identifier = make(**{name: value for name, (value, _) in KEPT.items()}, state=1)
    for name, column in COLUMNS.items():
        for each in (name, column):
            assert admin.get("/orders", sqlfilters=f"(t.{each}:isnot:NULL) and (t.rowid:=:{identifier})"), each
    for column in BARE:
        admin.get("/orders", sqlfilters=f"(t.{column}:is:NULL) or (t.rowid:=:{identifier})")
    found = admin.get("/orders", sqlfilters="(t.facture:=:0) and (t.date_commande:=:'2025-01-15')")
    assert identifier in [row["id"] for row in found]


# PUT and PATCH -------------------------------------------------------------------------------------------------------


def test_put_replaces_and_patch_merges(admin: Client, make: Any, customer: int, extrafield: Any) -> None:
    for name in ("site", "floor"):
        extrafield("commande", name)
    sent = {name: value for name, (value, _) in KEPT.items()}
    extras = {"options_site": "Lyon", "options_floor": "3"}
    first, second = (make(LINE, MORE, **sent, array_options=extras) for _ in range(2))

    patched = admin.ask("PATCH", f"/orders/{first}", {"note_public": "n", "array_options": {"options_floor": "4"}})
    assert picked(patched, KEPT) == {name: value for name, (_, value) in KEPT.items()} | {"note_public": "n"}
    assert patched["array_options"] == {"options_site": "Lyon", "options_floor": "4"}

    put = admin.ask("PUT", f"/orders/{first}", {"note_public": "n", "array_options": {"options_floor": "4"}})
    assert picked(put, KEPT) == DEFAULTS | {"date": EARLIER, "note_public": "n"}
    assert put["array_options"] == {"options_site": None, "options_floor": "4"}
    stays = ("id", "ref", "socid", "date", "statut", "user_author_id", "date_creation", "lines")
    assert picked(put, stays) == picked(patched, stays)
    assert totals(put) == TOTALS
    empty = admin.ask("PUT", f"/orders/{second}", {})
    assert list(empty["array_options"].values()) == [None, None]
    assert (empty["socid"], empty["date"], empty["ref_client"]) == (customer, EARLIER, None)


def test_own_fields_change_in_every_state_and_lines_do_not(admin: Client, make: Any) -> None:
    for state in (-1, 1, 2, 3):
        identifier = make(LINE, state=state)
        before = admin.get(f"/orders/{identifier}")
        changed = admin.ask("PUT", f"/orders/{identifier}", {"note_public": "later"})
        assert changed["note_public"] == "later"
        assert picked(changed, ("ref", "statut", "user_valid")) == picked(before, ("ref", "statut", "user_valid"))
        line = f"/orders/{identifier}/lines/{before['lines'][0]['id']}"
        for verb, path, body in (
            ("POST", f"/orders/{identifier}/lines", MORE), ("PUT", line, {"qty": 9}), ("PATCH", line, {"qty": 9}),
            ("DELETE", line, None),
        ):  # fmt: skip
            assert "no draft" in admin.refused(verb, path, body, status=405)
        assert admin.get(f"/orders/{identifier}")["lines"] == before["lines"]


# Lines ---------------------------------------------------------------------------------------------------------------


def test_every_field_of_a_line_is_kept(admin: Client, make: Any) -> None:
    sent = {name: value for name, (value, _, _) in LINE_FIELDS.items()}
    expected = {name: value for name, (_, value, _) in LINE_FIELDS.items()}
    identifier = make(sent)
    admin.ask("POST", f"/orders/{identifier}/lines", sent)
    third = admin.ask("POST", f"/orders/{identifier}/lines", {"qty": 1})
    lines = admin.ask("PUT", f"/orders/{identifier}/lines/{third}", sent)["lines"]
    assert [picked(line, LINE_FIELDS) for line in lines] == [expected] * 3
    assert [line["rang"] for line in lines] == [1, 2, 3]


def test_put_of_a_line_resets_and_patch_keeps(admin: Client, make: Any, extrafield: Any) -> None:
    extrafield("commandedet", "colour")
    sent = {name: value for name, (value, _, _) in LINE_FIELDS.items()} | {"array_options": {"options_colour": "red"}}
    identifier = make(sent)
    line = admin.get(f"/orders/{identifier}")["lines"][0]
    path = f"/orders/{identifier}/lines/{line['id']}"

    patched = admin.ask("PATCH", path, {"qty": 5})
    assert patched["lines"][0]["qty"] == "5.00000000"
    expected = {name: value for name, (_, value, _) in LINE_FIELDS.items()} | {"qty": "5.00000000"}
    assert picked(patched["lines"][0], LINE_FIELDS) == expected

    # surprise 39; an extra field stays (rules.md 10)
    put = admin.ask("PUT", path, {"qty": 5})
    expected = {name: value for name, (_, _, value) in LINE_FIELDS.items()} | {"qty": "5.00000000"}
    assert picked(put["lines"][0], LINE_FIELDS) == expected
    assert put["lines"][0]["array_options"] == {"options_colour": "red"}
    assert totals(put["lines"][0]) == totals(put) == ("0.00000000",) * 3


def test_a_line_stays_with_its_order(admin: Client, make: Any) -> None:
    mine, other = make(LINE), make()
    line = admin.get(f"/orders/{mine}")["lines"][0]["id"]
    for verb in ("PUT", "PATCH"):
        record = admin.ask(verb, f"/orders/{mine}/lines/{line}", {"qty": 1, "fk_commande": other, "commande_id": other})
        assert [each["fk_commande"] for each in record["lines"]] == [mine]
        admin.refused(verb, f"/orders/{other}/lines/{line}", {"qty": 1}, status=404)
    admin.ask("POST", f"/orders/{mine}/lines", {"qty": 1, "fk_commande": other})
    assert len(admin.get(f"/orders/{mine}/lines")) == 2 and admin.get(f"/orders/{other}/lines") == []


def test_a_reset_line_takes_from_its_product_again(admin: Client, make: Any) -> None:
    chair = admin.ask("POST", "/products", {"ref": "CHAIR", "label": "Chair", "price": 80, "tva_tx": "5.5"})
    identifier = make({"fk_product": chair, "qty": 2, "subprice": 10, "tva_tx": 20})
    line = admin.get(f"/orders/{identifier}")["lines"][0]["id"]
    # 3 × 80 = 240, VAT 13.20
    record = admin.ask("PUT", f"/orders/{identifier}/lines/{line}", {"qty": 3})
    assert totals(record) == ("240.00000000", "13.20000000", "253.20000000")
    assert (record["lines"][0]["fk_product"], record["lines"][0]["product_ref"]) == (chair, "CHAIR")


# States --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [-1, 0, 1, 2, 3])
@pytest.mark.parametrize("move", MOVES)
def test_moves(admin: Client, make: Any, move: str, state: int) -> None:
    identifier = make(LINE, state=state)
    before = admin.get(f"/orders/{identifier}")
    assert before["statut"] == state
    end = MOVES[move][state]
    if end is REFUSED:
        assert f"{move}: it is " in admin.refused("POST", f"/orders/{identifier}/{move}", status=405)
        assert admin.get(f"/orders/{identifier}") == before
        return
    answer = admin.ask("POST", f"/orders/{identifier}/{move}", {})
    after = admin.get(f"/orders/{identifier}")
    assert answer == (1 if move == "reopen" else after)
    assert (after["statut"], after["status"], after["brouillon"]) == (end, end, 1 if end == 0 else None)
    assert after["billed"] == (1 if move == "setinvoiced" else 0)
    assert after["user_modification"] == after["user_author_id"]
    assert totals(after) == totals(before)
    if state != 0:
        # Back to draft, too, it keeps its reference and the day it was validated
        assert picked(after, ("ref", "date_validation", "user_valid")) == picked(
            before, ("ref", "date_validation", "user_valid")
        )


def test_who_moved_it_and_when(admin: Client, server: Served, make: Any) -> None:
    started, me = int(time.time()), server.administrator.id
    identifier = make(LINE)
    validated = admin.ask("POST", f"/orders/{identifier}/validate", {"idwarehouse": 0, "notrigger": 0})
    assert (validated["user_valid"], validated["user_validation_id"], validated["date_cloture"]) == (me, me, None)
    assert started <= validated["date_validation"] <= time.time() + 1
    closed = admin.ask("POST", f"/orders/{identifier}/close", {"notrigger": 0})
    assert closed["fk_user_cloture"] == me and started <= closed["date_cloture"] <= time.time() + 1
    assert admin.ask("POST", f"/orders/{identifier}/setinvoiced")["billed"] == 1
    assert "billed already" in admin.refused("POST", f"/orders/{identifier}/setinvoiced", status=405)
    assert admin.ask("POST", f"/orders/{identifier}/reopen") == 1
    reopened = admin.get(f"/orders/{identifier}")
    assert (reopened["billed"], reopened["statut"], reopened["fk_user_cloture"]) == (0, 1, me)
    assert reopened["date_cloture"] == closed["date_cloture"]
    assert admin.ask("POST", f"/orders/{identifier}/settodraft", {"idwarehouse": -1})["ref"] == validated["ref"]
    assert admin.ask("POST", f"/orders/{identifier}/validate")["ref"] == validated["ref"]


def test_who_orders_is_a_customer(admin: Client, make: Any) -> None:
    for before, after in ((0, 1), (2, 3)):
        other = admin.ask("POST", "/thirdparties", {"name": "New", "client": before})
        identifier = make(socid=other)
        assert admin.get(f"/thirdparties/{other}")["client"] == before
        admin.ask("POST", f"/orders/{identifier}/validate")
        assert admin.get(f"/thirdparties/{other}")["client"] == after


@pytest.mark.parametrize("verb, path", [("POST", f"/{move}") for move in MOVES] + [("DELETE", ""), ("PUT", "")])
def test_an_order_that_is_not_there(admin: Client, verb: str, path: str) -> None:
    assert "Order not found" in admin.refused(verb, f"/orders/999999{path}", status=404)
    admin.refused(verb, f"/orders/0{path}", status=400)


# References ----------------------------------------------------------------------------------------------------------


def test_references(admin: Client, make: Any, constant: Any) -> None:
    def number(identifier: int) -> str:
        return str(admin.get(f"/orders/{identifier}")["ref"])

    # mod_commande_marbre: the day of the order, one counter over all months
    first = number(make(state=1, date="2026-11-21"))
    prefix, counter = first.split("-")
    assert (prefix, len(counter)) == ("CO2611", 4)
    second = make(state=1, date="2025-01-15")
    assert number(second) == f"CO2501-{int(counter) + 1:04}"
    # The last number is free again, one in between is not (rules.md 7)
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


def test_delete(admin: Client, make: Any) -> None:
    for state in (0, 1):
        identifier = make(LINE, state=state)
        message = {"success": {"code": 200, "message": "Order deleted"}}
        assert admin.ask("DELETE", f"/orders/{identifier}") == message
        assert admin.refused("GET", f"/orders/{identifier}", status=404) == "Not Found: Order not found"
        admin.refused("DELETE", f"/orders/{identifier}", status=404)


# From a proposal -----------------------------------------------------------------------------------------------------

#: fields.md: what the order takes over
COPIED: dict[str, Any] = {
    "ref_client": "CREF1", "fk_project": 7, "cond_reglement_id": 2, "mode_reglement_id": 2, "deposit_percent": "30",
    "fk_account": 3, "availability_id": 1, "demand_reason_id": 4, "shipping_method_id": 2, "warehouse_id": 5,
    "note_public": "public", "note_private": "private",
}  # fmt: skip


@pytest.fixture
def offer(admin: Client, customer: int) -> Callable[..., int]:
    """Create a proposal with two lines."""

    def make(**fields: Any) -> int:
        body = {"socid": customer, "date": "2025-01-15", "lines": [LINE, MORE], **fields}
        return admin.ask("POST", "/proposals", body)  # type: ignore[no-any-return]

    return make


def test_an_order_of_a_proposal(admin: Client, customer: int, offer: Any, extrafield: Any) -> None:
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

    today = int(time.time()) // 86400 * 86400
    made = admin.ask("POST", f"/orders/createfromproposal/{source}", {})
    assert picked(made, COPIED) == COPIED
    expected = {
        "ref": f"(PROV{made['id']})", "statut": 0, "billed": 0, "source": 0, "socid": customer, "date_validation": None,
        # 2026-12-24, midnight UTC
        "delivery_date": 1798070400, "ref_ext": None, "origin": "propal", "origin_id": source,
        "contacts_ids": [person], "array_options": {"options_site": "Lyon", "options_only_here": None},
    }  # fmt: skip
    assert picked(made, expected) == expected
    assert made["date"] in (today, today + 86400)
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


@pytest.mark.parametrize("way", [(), ("validate",), ("validate", "close"), ("validate", "close", "setinvoiced")])
def test_the_state_of_the_proposal_stays(admin: Client, offer: Any, way: tuple[str, ...]) -> None:
    source = offer()
    for move in way:
        admin.ask("POST", f"/proposals/{source}/{move}", {"status": 2} if move == "close" else None)
    before = admin.get(f"/proposals/{source}")
    admin.ask("POST", f"/orders/createfromproposal/{source}")
    assert admin.get(f"/proposals/{source}") | {"linkedObjectsIds": {}} == before | {"linkedObjectsIds": {}}


def test_no_order_is_made_of_it(admin: Client, offer: Any) -> None:
    count = len(admin.get("/orders", limit=1000))
    admin.refused("POST", "/orders/createfromproposal/0", status=400)
    assert "not found" in admin.refused("POST", "/orders/createfromproposal/999999", status=404)
    admin.refused("POST", "/orders/createfromproposal/x", status=400)
    refused = offer()
    admin.ask("POST", f"/proposals/{refused}/validate")
    admin.ask("POST", f"/proposals/{refused}/close", {"status": 3})
    assert "not signed" in admin.refused("POST", f"/orders/createfromproposal/{refused}", status=405)
    assert "no lines" in admin.refused("POST", f"/orders/createfromproposal/{offer(lines=[])}", status=405)
    assert len(admin.get("/orders", limit=1000)) == count


# Contacts ------------------------------------------------------------------------------------------------------------


def test_contacts(admin: Client, customer: int, make: Any) -> None:
    person = admin.ask("POST", "/contacts", {"lastname": "Doe", "firstname": "Jane", "socid": customer})
    path = f"/orders/{make()}"
    linked = {"success": {"code": 200, "message": "Contact linked to the order"}}
    assert admin.ask("POST", f"{path}/contact/{person}/CUSTOMER") == linked
    assert admin.ask("POST", f"{path}/contact/{person}/SHIPPING") == linked
    assert "already" in admin.refused("POST", f"{path}/contact/{person}/CUSTOMER", status=405)
    assert "BILLING" in admin.refused("POST", f"{path}/contact/{person}/NOSUCH", status=404)
    admin.refused("POST", f"{path}/contact/999999/CUSTOMER", status=404)
    assert [row["code"] for row in admin.get(f"{path}/contacts")] == ["CUSTOMER", "SHIPPING"]
    rows = admin.get(f"{path}/contacts", type="CUSTOMER")
    assert [(row["id"], row["lastname"], row["source"]) for row in rows] == [(person, "Doe", "external")]
    unlinked = {"success": {"code": 200, "message": "Contact unlinked from order"}}
    assert admin.ask("DELETE", f"{path}/contact/{person}/CUSTOMER") == unlinked
    admin.refused("DELETE", f"{path}/contact/{person}/CUSTOMER", status=404)
    assert admin.get(path)["contacts_ids"] == [person]


# Rights --------------------------------------------------------------------------------------------------------------

CALLS: dict[str, list[tuple[str, str]]] = {
    "orders.read": [
        ("GET", ""), ("GET", "/1"), ("GET", "/ref/x"), ("GET", "/ref_ext/x"), ("GET", "/1/lines"),
        ("GET", "/1/contacts"),
    ],
    "orders.write": [
        ("POST", ""), ("PUT", "/1"), ("PATCH", "/1"), ("POST", "/1/lines"), ("PUT", "/1/lines/1"),
        ("PATCH", "/1/lines/1"), ("DELETE", "/1/lines/1"), ("POST", "/1/settodraft"), ("POST", "/1/contact/1/BILLING"),
        ("DELETE", "/1/contact/1/BILLING"), ("POST", "/createfromproposal/1"),
    ],
    "orders.delete": [("DELETE", "/1")],
    "orders.validate": [("POST", "/1/validate")],
    "orders.close": [("POST", "/1/close"), ("POST", "/1/reopen"), ("POST", "/1/cancel"), ("POST", "/1/setinvoiced")],
    "proposals.read": [("POST", "/createfromproposal/1")],
}  # fmt: skip


@pytest.mark.parametrize("right", CALLS)
def test_each_call_needs_its_right(server: Served, right: str) -> None:
    others = server.user("thirdparties.all", *(each for each in CALLS if each != right))
    for verb, path in CALLS[right]:
        others.refused(verb, f"/orders{path}", {} if verb in ("POST", "PUT", "PATCH") else None, status=401)


def test_an_external_user_sees_own_orders_alone(
    admin: Client, server: Served, customer: int, make: Any, offer: Any
) -> None:
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    outsider = server.user(*CALLS, socid=own)
    theirs = make(LINE, state=1, ref_ext="secret-1")
    record = admin.get(f"/orders/{theirs}")
    line = record["lines"][0]["id"]
    # Bodies that are right, so that nothing but the caller is in the way
    for verb, path, body in (
        ("GET", f"/{theirs}", None), ("GET", f"/ref/{record['ref']}", None), ("GET", "/ref_ext/secret-1", None),
        ("GET", f"/{theirs}/lines", None), ("GET", f"/{theirs}/contacts", None), ("PUT", f"/{theirs}", {}),
        ("PATCH", f"/{theirs}", {"note_public": "x"}), ("DELETE", f"/{theirs}", None),
        ("POST", f"/{theirs}/lines", LINE), ("PUT", f"/{theirs}/lines/{line}", LINE),
        ("PATCH", f"/{theirs}/lines/{line}", {"qty": 1}), ("DELETE", f"/{theirs}/lines/{line}", None),
        ("POST", f"/{theirs}/contact/1/BILLING", None), ("DELETE", f"/{theirs}/contact/1/BILLING", None),
        *(("POST", f"/{theirs}/{move}", None) for move in MOVES),
        ("POST", f"/createfromproposal/{offer()}", None),
        ("POST", "", {"socid": customer, "date": DAY}),
    ):  # fmt: skip
        outsider.refused(verb, f"/orders{path}", body, status=404)
    assert admin.get(f"/orders/{theirs}") == record
    assert outsider.get("/orders") == []
    assert outsider.get("/orders", sqlfilters="(t.ref_ext:=:'secret-1')", thirdparty_ids=str(customer)) == []

    mine = outsider.ask("POST", "/orders", {"socid": own, "date": DAY, "lines": [LINE]})
    assert outsider.ask("POST", f"/orders/{mine}/validate")["socid"] == own
    assert [row["id"] for row in outsider.get("/orders")] == [mine]
    outsider.refused("PUT", f"/orders/{mine}", {"socid": customer}, status=404)
    made = outsider.ask("POST", f"/orders/createfromproposal/{offer(socid=own)}")
    assert (made["socid"], len(made["lines"])) == (own, 2)


def test_a_seller_sees_the_orders_of_those_represented(admin: Client, server: Served, make: Any) -> None:
    represented = admin.ask("POST", "/thirdparties", {"name": "Represented"})
    seller = server.user(*CALLS, represents=[represented])
    own, other = make(socid=represented), make()
    assert [row["id"] for row in seller.get("/orders")] == [own]
    assert seller.get(f"/orders/{own}")["id"] == own
    seller.refused("GET", f"/orders/{other}", status=404)


# Errors and statements -----------------------------------------------------------------------------------------------


def test_all_wrong_fields_are_named(admin: Client) -> None:
    body = {"delivery_date": "soon", "source": "x", "billed": 2, "lines": [LINE, {"qty": "2,5", "tva_tx": "-1"}]}
    error = admin.ask("POST", "/orders", body, status=400)["error"]
    names = {each["field"] for each in error["errors"]}
    assert names == {"socid", "date", "delivery_date", "source", "lines[1].qty", "lines[1].tva_tx"}
    assert admin.refused("POST", "/orders", {"socid": 1}, status=400) == "Bad Request: date field missing"
    assert "999999" in admin.refused("POST", "/orders", {"socid": 999999, "date": DAY}, status=404)
    wrong = {"socid": 1, "date": DAY, "availability_id": 999}
    assert "`availability_id`" in admin.refused("POST", "/orders", wrong, status=400)


def test_the_number_of_statements_does_not_depend_on_the_number_of_rows(admin: Client, make: Any) -> None:
    for _ in range(100):
        identifier = make(LINE, MORE, ref_ext="few", availability_id=1)
    for path, least in ((f"/orders/{identifier}", {}), ("/orders", {"sqlfilters": "(t.ref_ext:=:'few')"})):
        admin.get(path, **least)
        counts = set()
        for limit in (2, 100) if least else (0,):
            with statements() as seen:
                found = admin.get(path, **least, **({"limit": limit} if limit else {}))
            counts.add(len(seen))
            assert not limit or len(found) == limit
        # The caller, the orders, their lines, their contacts; of one its links, too
        assert counts == ({4} if least else {5})
