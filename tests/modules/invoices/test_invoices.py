"""Invoices: differences.md 2 and 3, fields.md, rules.md 7 to 9, observed/04. What all documents share: test_documents.py."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from core.testing import Client, Served, cost

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
#: when a payment comes in: 2026-11-21 01:53:20
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}

#: fields.md: every field that a client can write, a value to send and what is read back
KEPT: dict[str, tuple[Any, Any]] = {
    "ref_ext": ("EXT-1", "EXT-1"),
    "ref_client": ("CUST-REF", "CUST-REF"),
    "type": ("3", 3),
    "date": ("2025-01-15", 1736899200),
    "date_lim_reglement": (DAY + 3600, DAY),
    "date_pointoftax": ("2026-10-31", DAY - 21 * DAYS),
    "remise_percent": ("2.5", "2.5000"),
    "remise_absolue": ("1.25", "1.25000000"),
    "cond_reglement_id": (2, 2),
    "mode_reglement_id": ("2", 2),
    "fk_account": (3, 3),
    "fk_project": ("7", 7),
    "note_public": ("<b>public</b>", "<b>public</b>"),
    "note_private": ("private\nnote", "private\nnote"),
    "model_pdf": ("sponge", "sponge"),
    "fk_incoterms": (1, 1),
    "location_incoterms": ("Lyon", "Lyon"),
    "situation_cycle_ref": (4, 4),
    "situation_counter": ("2", 2),
    "situation_final": (1, 1),
    "retained_warranty": ("5", "5.00000000"),
    "retained_warranty_date_limit": ("2027-11-21", DAY + 365 * DAYS),
    "retained_warranty_fk_cond_reglement": (2, 2),
    "revenuestamp": ("1.6", "1.60000000"),
}
#: what can be said at the creation alone
ONCE: dict[str, Any] = {"fk_fac_rec_source": 12, "module_source": "takepos", "pos_source": "2"}
#: what they are when nothing is said
DEFAULTS = dict.fromkeys([*KEPT, *ONCE]) | {
    "type": 0, "cond_reglement_id": 0, "mode_reglement_id": 0, "fk_incoterms": 0, "situation_final": 0,
    "retained_warranty": "0.00000000", "retained_warranty_fk_cond_reglement": 0, "revenuestamp": "0.00000000",
}  # fmt: skip
#: what the server alone writes, and a value that would change it
DROPPED: dict[str, Any] = {
    "id": 77, "ref": "FA9999-0001", "statut": 2, "status": 2, "paye": 1, "close_code": "other", "close_note": "x",
    "total_ht": 5, "total_tva": 5, "total_ttc": 5, "total_localtax1": 5, "date_creation": 1, "date_validation": 1,
    "user_author": 99, "user_valid": 99, "user_modification": 99, "fk_user_author": 99, "fk_user_valid": 99,
    "last_main_doc": "x", "import_key": "x", "extraparams": "x", "multicurrency_code": "USD", "multicurrency_tx": 2,
    "multicurrency_total_ht": 5, "fk_multicurrency": 5, "brouillon": 0, "totalpaid": 9, "totalcreditnotes": 9,
    "totaldeposits": 9, "remaintopay": 9, "date_closing": 1, "fk_user_closing": 99, "cond_reglement_code": "x",
}  # fmt: skip
#: fields.md: column of `t.` in a filter, by field
COLUMNS = {
    "id": "rowid", "socid": "fk_soc", "date": "datef", "date_creation": "datec", "date_validation": "date_valid",
    "date_modification": "tms", "statut": "fk_statut", "user_author": "fk_user_author", "user_valid": "fk_user_valid",
    "user_modification": "fk_user_modif", "total_localtax1": "localtax1", "total_localtax2": "localtax2",
    "cond_reglement_id": "fk_cond_reglement", "mode_reglement_id": "fk_mode_reglement", "fk_project": "fk_projet",
    **{name: name for name in (
        "ref_int", "remise", "close_missing_amount", "increment", "fk_currency", "fk_transport_mode", "paye",
        "close_code", "close_note", "fk_facture_source", "date_closing", "fk_user_closing", "revenuestamp",
    )},
}  # fmt: skip

Make = Callable[..., int]


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Make:
    def make(*lines: dict[str, Any], **fields: Any) -> int:
        body = {"socid": customer, "date": DAY, "lines": list(lines), **fields}
        return admin.ask("POST", "/invoices", body)  # type: ignore[no-any-return]

    return make


@pytest.fixture
def validated(admin: Client, make: Make) -> Make:
    def validated(*lines: dict[str, Any], **fields: Any) -> int:
        identifier = make(*(lines or (LINE,)), **fields)
        act(admin, identifier, "validate")
        return identifier

    return validated


def read(admin: Client, identifier: int) -> dict[str, Any]:
    return admin.get(f"/invoices/{identifier}")  # type: ignore[no-any-return]


def act(admin: Client, identifier: int, action: str, body: Any = None) -> Any:
    return admin.ask("POST", f"/invoices/{identifier}/{action}", body)


def pay(admin: Client, identifier: int, amount: str) -> int:
    body = {"arrayofamounts": {str(identifier): amount}, **PAID}
    return admin.ask("POST", "/invoices/paymentsdistributed", body)  # type: ignore[no-any-return]


def number(reference: str) -> int:
    return int(reference.rpartition("-")[2])


# Fields --------------------------------------------------------------------------------------------------------------


def test_a_new_invoice_has_the_documented_defaults(admin: Client, server: Served, customer: int) -> None:
    record = read(admin, admin.ask("POST", "/invoices", {"socid": customer}))
    today = int(datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp())
    # Without terms it is due on its own day
    expected = DEFAULTS | {"date": today, "date_lim_reglement": today}
    assert {name: record[name] for name in expected} == expected
    assert (record["statut"], record["status"], record["paye"], record["brouillon"]) == (0, 0, 0, 1)
    assert record["ref"] == f"(PROV{record['id']})"
    assert record["user_author"] == record["fk_user_author"] == server.administrator.id
    assert record["user_valid"] is record["fk_facture_source"] is record["close_code"] is None
    assert (record["totalpaid"], record["remaintopay"]) == ("0.00000000", "0")
    assert (record["multicurrency_code"], record["multicurrency_tx"]) == ("EUR", "1.00000000")


@pytest.mark.parametrize("sent", ["", None])
def test_an_empty_date_is_today(admin: Client, customer: int, sent: Any) -> None:
    record = read(admin, admin.ask("POST", "/invoices", {"socid": customer, "date": sent}))
    assert record["date"] == int(datetime.now(UTC).timestamp()) // DAYS * DAYS


def test_every_field_is_kept_by_creation_and_change(admin: Client, make: Make) -> None:
    sent, kept = ({name: pair[place] for name, pair in KEPT.items()} for place in (0, 1))
    record = read(admin, make(**sent, **ONCE))
    assert {name: record[name] for name in (*kept, *ONCE)} == kept | ONCE
    for verb in ("PUT", "PATCH"):
        identifier = make()
        for name, value in sent.items():
            record = admin.ask(verb, f"/invoices/{identifier}", {name: value})
            assert record[name] == kept[name]
        # Both merge: what is not sent stays
        assert {name: record[name] for name in kept} == kept
        again = admin.ask(verb, f"/invoices/{identifier}", ONCE)
        assert {name: again[name] for name in ONCE} == dict.fromkeys(ONCE)


def test_second_names(admin: Client, make: Make) -> None:
    record = read(admin, make(ref_customer="C1", fk_projet=7))
    assert (record["ref_client"], record["ref_customer"], record["fk_project"], record["fk_projet"]) == (
        "C1", "C1", 7, 7,
    )  # fmt: skip
    assert record["datem"] == record["date_modification"]


def test_what_the_server_writes_is_ignored(admin: Client, make: Make) -> None:
    identifier = make(LINE)
    before = read(admin, identifier)
    for verb, path, body in (
        ("PUT", f"/invoices/{identifier}", DROPPED), ("PATCH", f"/invoices/{identifier}", DROPPED),
        ("POST", "/invoices", DROPPED | {"socid": before["socid"], "date": DAY, "lines": [LINE]}),
    ):  # fmt: skip
        answer = admin.simulate_request(verb, path, json=body)
        assert answer.status_code == 200
        assert "remaintopay" in answer.headers["warning"]
        record = read(admin, identifier if verb != "POST" else answer.json)
        for name in DROPPED.keys() - {"id", "ref", "user_modification", "date_creation"}:
            assert record[name] == before[name], name
        assert record["ref"] == f"(PROV{record['id']})"


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_and_fields_are_filtered_by(admin: Client, make: Make, name: str) -> None:
    identifier = make()
    value = read(admin, identifier)[name]
    test = "is:NULL" if value is None else f"=:'{value}'"
    for column in (name, COLUMNS[name]):
        found = admin.get("/invoices", sqlfilters=f"(t.{column}:{test}) and (t.rowid:=:{identifier})")
        assert [record["id"] for record in found] == [identifier]


def test_what_does_not_fit_is_named(admin: Client, customer: int) -> None:
    body = {
        "socid": customer,
        "type": 6,
        "date": "soon",
        "fk_facture_source": "x",
        "lines": [{"situation_percent": "x"}],
    }
    error = admin.ask("POST", "/invoices", body, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {
        "type", "date", "fk_facture_source", "lines[0].situation_percent",
    }  # fmt: skip
    assert admin.refused("POST", "/invoices", {}, status=400).endswith("socid field missing")
    for progress in (-1, 101):
        line = {"qty": 1, "situation_percent": progress}
        admin.refused("POST", "/invoices", {"socid": customer, "lines": [line]}, status=400)


def test_the_source_is_an_invoice_that_may_be_seen(admin: Client, server: Served, make: Make, customer: int) -> None:
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    foreign = make(socid=other)
    assert "999999" in admin.refused("POST", "/invoices", {"socid": customer, "fk_facture_source": 999999}, status=404)
    external = server.user("invoices.read", "invoices.write", socid=customer)
    external.refused("POST", "/invoices", {"socid": customer, "fk_facture_source": foreign}, status=404)
    own = make()
    created = external.ask("POST", "/invoices", {"socid": customer, "fk_facture_source": own})
    assert read(admin, created)["fk_facture_source"] == own
    external.refused("PATCH", f"/invoices/{created}", {"fk_facture_source": foreign}, status=404)
    admin.refused("PATCH", f"/invoices/{own}", {"fk_facture_source": own}, status=400)
    # An invoice that another one names stays
    admin.refused("DELETE", f"/invoices/{own}", status=405)


# The day it is due ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "due"),
    # rules.md 8, observed for 2026-11-21: 11-22, 12-21, 12-31, 2027-01-20, 2027-01-31
    [(0, 0), (1, 1), (2, 30), (3, 40), (4, 60), (5, 71)],
)
def test_the_terms_say_when_it_is_due(admin: Client, make: Make, term: int, due: int) -> None:
    record = read(admin, make(cond_reglement_id=term))
    assert record["date_lim_reglement"] == DAY + due * DAYS
    if term == 2:
        assert (record["cond_reglement_code"], record["cond_reglement_doc"]) == ("30D", "Due in 30 days")


def test_the_due_day_follows_date_and_terms_until_it_is_set(admin: Client, make: Make) -> None:
    path = f"/invoices/{make()}"

    def change(**body: Any) -> int:
        return admin.ask("PATCH", path, body)["date_lim_reglement"]  # type: ignore[no-any-return]

    assert change(cond_reglement_id=2) == DAY + 30 * DAYS
    assert change(date=DAY + DAYS) == DAY + 31 * DAYS
    assert change(note_public="x") == DAY + 31 * DAYS
    assert change(date_lim_reglement=DAY + 5 * DAYS) == DAY + 5 * DAYS
    assert change(date=DAY) == DAY + 5 * DAYS
    assert change(date_lim_reglement=None) == DAY + 30 * DAYS
    assert change(cond_reglement_id=4, date_lim_reglement=DAY) == DAY
    admin.refused("PATCH", path, {"cond_reglement_id": 12345}, status=400)
    admin.refused("PATCH", path, {"date": "9999-12-31", "date_lim_reglement": ""}, status=400)


# Amounts -------------------------------------------------------------------------------------------------------------


def test_the_stamp_is_part_of_the_total(admin: Client, make: Make) -> None:
    # 60.00 + 12.00 VAT + 1.60 stamp
    identifier = make(LINE, revenuestamp="1.6")
    record = read(admin, identifier)
    assert (record["total_ht"], record["total_ttc"], record["remaintopay"]) == ("60.00000000", "73.60000000", "73.6")
    assert record["multicurrency_total_ttc"] == "73.60000000"
    assert admin.ask("PATCH", f"/invoices/{identifier}", {"revenuestamp": 2})["total_ttc"] == "74.00000000"
    admin.ask("POST", f"/invoices/{identifier}/lines", {"qty": 1, "subprice": 1})
    assert read(admin, identifier)["total_ttc"] == "75.00000000"


def test_progress_of_the_work(admin: Client, make: Make) -> None:
    # 2 × 100 × 25 % = 50.00, VAT 10.00
    identifier = make({"qty": 2, "subprice": 100, "tva_tx": 20, "situation_percent": 25}, type=5)
    record = read(admin, identifier)
    line = record["lines"][0]
    assert (line["situation_percent"], line["total_ht"], record["total_ttc"]) == (
        "25.00000000", "50.00000000", "60.00000000",
    )  # fmt: skip
    path = f"/invoices/{identifier}/lines/{line['id']}"
    assert admin.ask("PATCH", path, {"situation_percent": 50})["total_ht"] == "100.00000000"
    assert admin.ask("PATCH", path, {"situation_percent": 0})["total_ht"] == "0.00000000"
    # PUT of a line resets what is not sent
    assert admin.ask("PUT", path, {"qty": 1, "subprice": 10})["total_ht"] == "10.00000000"


def test_the_recorded_line_operations(admin: Client, make: Make) -> None:
    """observed/04: 3 × 19.99 − 10 %, 2 × 100, 2 × 12.50, then one more, one replaced, one deleted."""
    identifier = make(
        {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10},
        {"desc": "product line", "qty": 2, "subprice": 100, "tva_tx": "5.5"},
        {"desc": "order line", "qty": 2, "subprice": "12.5", "tva_tx": 20},
    )
    assert read(admin, identifier)["total_ttc"] == "305.77000000"
    more = {"desc": "extra", "qty": 1, "subprice": "9.99", "tva_tx": "5.5", "product_type": 0}
    line = admin.ask("POST", f"/invoices/{identifier}/lines", more)
    first = read(admin, identifier)["lines"][0]["id"]
    body = {"desc": "changed", "qty": 3, "subprice": "20", "tva_tx": "20", "remise_percent": 0, "product_type": 0}
    record = admin.ask("PUT", f"/invoices/{identifier}/lines/{first}", body)
    assert (record["total_ht"], record["total_tva"], record["total_ttc"]) == (
        "294.99000000", "28.55000000", "323.54000000",
    )  # fmt: skip
    record = admin.ask("DELETE", f"/invoices/{identifier}/lines/{line}")
    assert (record["total_ht"], record["total_tva"], record["total_ttc"]) == (
        "285.00000000", "28.00000000", "313.00000000",
    )  # fmt: skip


def test_fields_of_a_line(admin: Client, make: Make) -> None:
    sent = {"ref_ext": "L1", "fk_prev_id": 4, "fk_code_ventilation": 6, "situation_percent": "100"}
    identifier = make({"qty": 1, "subprice": 1, **sent}, {})
    first, second = read(admin, identifier)["lines"]
    assert [first[name] for name in ("ref_ext", "fk_prev_id", "fk_code_ventilation", "code_ventilation")] == [
        "L1", 4, 6, 6,
    ]  # fmt: skip
    assert [second[name] for name in ("ref_ext", "fk_prev_id", "fk_code_ventilation", "situation_percent")] == [
        "", None, 0, "100.00000000",
    ]  # fmt: skip
    path = f"/invoices/{identifier}/lines/{first['id']}"
    line = admin.ask("PUT", path, {"qty": 2, "fk_facture": make()})["lines"][0]
    # Surprise 39: what is not sent is reset
    assert (line["subprice"], line["ref_ext"], line["fk_facture"]) == ("0.00000000", "", identifier)
    line = admin.ask("PATCH", path, {"ref_ext": "L2", "fk_remise_except": 3})["lines"][0]
    assert (line["ref_ext"], line["qty"], line["fk_remise_except"]) == ("L2", "2.00000000", None)


# A validated invoice -------------------------------------------------------------------------------------------------

#: what of an invoice that is no draft may change
OPEN: dict[str, Any] = {
    "note_public": "new public", "note_private": "new private", "cond_reglement_id": 2, "mode_reglement_id": 4,
    "date_lim_reglement": DAY + 9 * DAYS, "fk_account": 7,
}  # fmt: skip


def test_of_a_validated_invoice_notes_and_payment_fields_change(admin: Client, validated: Make, customer: int) -> None:
    identifier = validated()
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    closed = {name: sent for name, (sent, _) in KEPT.items() if name not in OPEN} | {"socid": other}
    for state in ("validated", "paid"):
        for verb in ("PUT", "PATCH"):
            before = read(admin, identifier)
            for name, value in closed.items():
                error = admin.ask(verb, f"/invoices/{identifier}", {name: value, "note_public": "no"}, status=405)
                assert [each["field"] for each in error["error"]["errors"]] == [name]
                assert state in error["error"]["message"]
            both = admin.ask(verb, f"/invoices/{identifier}", {"ref_client": "x", "date": DAY + DAYS}, status=405)
            assert {each["field"] for each in both["error"]["errors"]} == {"ref_client", "date"}
            assert read(admin, identifier) == before
            # What was read can be sent back
            assert admin.ask(verb, f"/invoices/{identifier}", before)["total_ttc"] == before["total_ttc"]
            after = admin.ask(verb, f"/invoices/{identifier}", OPEN)
            assert {name: after[name] for name in OPEN} == OPEN
            admin.ask(verb, f"/invoices/{identifier}", {"note_public": None})
        if state == "validated":
            act(admin, identifier, "settopaid")


def test_the_due_day_of_a_validated_invoice_stays_unless_it_is_sent(admin: Client, validated: Make) -> None:
    identifier = validated()
    assert admin.ask("PATCH", f"/invoices/{identifier}", {"cond_reglement_id": 2})["date_lim_reglement"] == DAY


def test_extra_fields_of_a_validated_invoice_stay(admin: Client, validated: Make, extrafield: Any) -> None:
    extrafield("facture", "site")
    identifier = validated(array_options={"options_site": "Lyon"})
    path = f"/invoices/{identifier}"
    for verb in ("PUT", "PATCH"):
        body = {"array_options": {"options_site": "Nice"}, "note_public": "x"}
        error = admin.ask(verb, path, body, status=405)["error"]
        assert [each["field"] for each in error["errors"]] == ["array_options"]
        record = admin.ask(verb, path, {"array_options": {"options_site": "Lyon"}})
        assert (record["array_options"], record["note_public"]) == ({"options_site": "Lyon"}, None)


def test_the_type_does_not_turn_the_lines_round(admin: Client, make: Make, validated: Make) -> None:
    assert "type" in admin.refused("PATCH", f"/invoices/{make(LINE)}", {"type": 2}, status=405)
    assert admin.ask("PATCH", f"/invoices/{make()}", {"type": 2})["type"] == 2
    assert admin.ask("PATCH", f"/invoices/{make(LINE)}", {"type": 3})["type"] == 3
    identifier = validated()
    act(admin, identifier, "settodraft")
    assert "FA" in admin.refused("PATCH", f"/invoices/{identifier}", {"type": 3}, status=405)


# Moves ---------------------------------------------------------------------------------------------------------------

CODE = {"close_code": "badcustomer", "close_note": "n"}


def in_state(admin: Client, validated: Make, make: Make, state: int, *, part: bool = False) -> int:
    identifier = validated() if state or part else make(LINE)
    if part:
        pay(admin, identifier, "10")
    if state == 2:
        act(admin, identifier, "settopaid")
    elif state == 3:
        act(admin, identifier, "settopaid", CODE)
    assert read(admin, identifier)["statut"] == state
    return identifier


@pytest.mark.parametrize("state", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("move", "body", "ends"),
    [
        ("validate", {}, {0: 1}), ("settodraft", {}, {1: 0}), ("settopaid", None, {1: 2}), ("settopaid", CODE, {1: 3}),
        ("settounpaid", None, {2: 1, 3: 1}),
    ],
    ids=["validate", "settodraft", "settopaid", "abandon", "settounpaid"],
)  # fmt: skip
def test_moves(
    admin: Client, make: Make, validated: Make, move: str, body: Any, ends: dict[int, int], state: int
) -> None:
    identifier = in_state(admin, validated, make, state)
    before = read(admin, identifier)
    if state in ends:
        assert act(admin, identifier, move, body)["statut"] == ends[state]
    else:
        assert admin.refused("POST", f"/invoices/{identifier}/{move}", body, status=405)
        assert read(admin, identifier) == before


def test_what_the_moves_set(admin: Client, server: Served, make: Make) -> None:
    identifier = make(LINE)
    record = act(admin, identifier, "validate", {"idwarehouse": 0, "notrigger": 0})
    me = server.administrator.id
    today = int(datetime.now(UTC).timestamp()) // DAYS * DAYS
    assert (record["date_validation"], record["user_valid"], record["brouillon"]) == (today, me, None)
    record = act(admin, identifier, "settopaid", {})
    assert (record["statut"], record["paye"], record["close_code"], record["fk_user_closing"]) == (2, 1, None, me)
    assert record["date_closing"] >= today
    opened = {"statut": 1, "paye": 0, "close_code": None, "close_note": None, "date_closing": None}
    record = act(admin, identifier, "settounpaid", {})
    assert {name: record[name] for name in opened} == opened
    assert record["fk_user_closing"] is None
    # With a code, nothing paid: abandoned
    record = act(admin, identifier, "settopaid", {"close_code": "abandon", "close_note": "gone"})
    assert (record["statut"], record["paye"], record["close_code"], record["close_note"]) == (3, 0, "abandon", "gone")
    record = act(admin, identifier, "settounpaid")
    assert {name: record[name] for name in opened} == opened
    # With a code, something paid: paid, and yet not completely
    pay(admin, identifier, "10")
    record = act(admin, identifier, "settopaid", {"close_code": "discount_vat", "close_note": "small discount"})
    assert (record["statut"], record["paye"], record["close_code"], record["close_note"]) == (
        2, 0, "discount_vat", "small discount",
    )  # fmt: skip
    assert record["remaintopay"] == "62"


@pytest.mark.parametrize("code", ["replaced", "nonsense", "DISCOUNT_VAT"])
def test_unknown_close_codes(admin: Client, validated: Make, code: str) -> None:
    identifier = validated()
    assert "close_code" in admin.refused("POST", f"/invoices/{identifier}/settopaid", {"close_code": code}, status=400)
    assert read(admin, identifier)["statut"] == 1


@pytest.mark.parametrize("code", ["discount_vat", "badcustomer", "bankcharge", "other", "abandon"])
def test_close_codes(admin: Client, validated: Make, code: str) -> None:
    record = act(admin, validated(), "settopaid", {"close_code": code})
    assert (record["statut"], record["close_code"], record["close_note"]) == (3, code, None)


def test_a_draft_again_while_nothing_is_paid(admin: Client, validated: Make) -> None:
    identifier = validated()
    reference = read(admin, identifier)["ref"]
    record = act(admin, identifier, "settodraft", {"idwarehouse": -1})
    assert (record["statut"], record["ref"], record["brouillon"]) == (0, reference, 1)
    admin.ask("POST", f"/invoices/{identifier}/lines", {"qty": 1, "subprice": 1})
    assert act(admin, identifier, "validate")["ref"] == reference
    pay(admin, identifier, "1")
    assert "paid" in admin.refused("POST", f"/invoices/{identifier}/settodraft", status=405)


def test_validation_needs_lines_and_makes_a_customer(admin: Client, make: Make) -> None:
    prospect = admin.ask("POST", "/thirdparties", {"name": "Prospect Ltd", "client": 2})
    identifier = make(socid=prospect)
    assert "must have lines" in admin.refused("POST", f"/invoices/{identifier}/validate", {}, status=405)
    assert admin.get(f"/thirdparties/{prospect}")["client"] == 2
    admin.ask("POST", f"/invoices/{identifier}/lines", LINE)
    act(admin, identifier, "validate")
    assert admin.get(f"/thirdparties/{prospect}")["client"] == 3


# References ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def numbered(admin: Client, validated: Make) -> Callable[..., str]:
    def numbered(kind: int = 0, day: str = "2026-11-21", **fields: Any) -> str:
        return read(admin, validated(type=kind, date=day, **fields))["ref"]  # type: ignore[no-any-return]

    return numbered


def test_terre_has_a_series_for_each_prefix(numbered: Any) -> None:
    """rules.md 7: FA2611-0002 FA2501-0003 FA2611-0004; deposits and credit notes apart."""
    first = numbered()
    assert first.startswith("FA2611-")
    assert numbered(day="2025-01-15") == f"FA2501-{number(first) + 1:04d}"
    assert numbered() == f"FA2611-{number(first) + 2:04d}"
    assert (numbered(2)[:7], numbered(3)[:7], numbered(5)[:7], numbered(4)[:7]) == (
        "AV2611-", "AC2611-", "FA2611-", "FA2611-",
    )  # fmt: skip


def test_prefixes_abroad_and_forced(numbered: Any, constant: Any) -> None:
    constant("MAIN_INFO_SOCIETE_COUNTRY", "5:DE:Germany")
    assert (numbered()[:7], numbered(2)[:7], numbered(3)[:7]) == ("IN2611-", "IC2611-", "ID2611-")
    constant("INVOICE_NUMBERING_TERRE_FORCE_PREFIX", "RE")
    assert (numbered(), numbered(2)[:7]) == ("RE2611-0001", "IC2611-")
    constant("FACTURE_ADDON", "mod_facture_mars")
    assert (numbered()[:7], numbered(2)[:7], numbered(3)[:7]) == ("IN2611-", "IC2611-", "ID2611-")


def test_mars_has_a_prefix_for_replacements(admin: Client, make: Make, numbered: Any, constant: Any) -> None:
    constant("FACTURE_ADDON", "mod_facture_mars")
    assert (numbered()[:7], numbered(2)[:7], numbered(3)[:7]) == ("FA2611-", "AV2611-", "AC2611-")
    source = make(LINE)
    act(admin, source, "validate")
    assert numbered(1, fk_facture_source=source) == "FR2611-0001"
    constant("FACTURE_ADDON", "")
    source = make(LINE)
    act(admin, source, "validate")
    assert numbered(1, fk_facture_source=source)[:7] == "FA2611-"


def test_mercure_has_masks(admin: Client, make: Make, validated: Make, numbered: Any, constant: Any) -> None:
    constant("FACTURE_ADDON", "mod_facture_mercure")
    identifier = make(LINE)
    assert "NotConfigured" in admin.refused("POST", f"/invoices/{identifier}/validate", {}, status=405)
    # rules.md 7: INV2611-0001 INV2611-0002 INV2501-0001
    constant("FACTURE_MERCURE_MASK_INVOICE", "INV{yy}{mm}-{0000@1}")
    assert [numbered(), numbered(day="2026-11-22"), numbered(day="2025-01-15")] == [
        "INV2611-0001", "INV2611-0002", "INV2501-0001",
    ]  # fmt: skip
    source = validated()
    assert numbered(1, fk_facture_source=source) == "INV2611-0004"
    constant("FACTURE_MERCURE_MASK_REPLACEMENT", "REP{yy}-{000}")
    assert numbered(1, fk_facture_source=validated()) == "REP26-001"
    credit = make(LINE, type=2)
    assert "FACTURE_MERCURE_MASK_CREDIT" in admin.refused("POST", f"/invoices/{credit}/validate", {}, status=405)
    constant("FACTURE_MERCURE_MASK_CREDIT", "CRE{yy}-{000}")
    constant("FACTURE_MERCURE_MASK_DEPOSIT", "DEP{yy}-{000}")
    assert (numbered(2), numbered(3)) == ("CRE26-001", "DEP26-001")
    # One mask for two types: one series, as the references share a column
    constant("FACTURE_MERCURE_MASK_DEPOSIT", "CRE{yy}-{000}")
    assert (numbered(3), numbered(2)) == ("CRE26-002", "CRE26-003")


def test_a_final_reference_goes_only_from_the_end_of_its_series(admin: Client, validated: Make) -> None:
    ids = [validated() for _ in range(4)]
    references = [read(admin, each)["ref"] for each in ids]
    for identifier in ids[:3]:
        reason = admin.refused("DELETE", f"/invoices/{identifier}", status=405)
        assert "last of its series" in reason
        assert read(admin, identifier)["ref"] in references
    act(admin, ids[3], "settopaid")
    assert admin.ask("DELETE", f"/invoices/{ids[3]}")["success"]["message"] == "Invoice deleted"
    # The counter has stepped back, again and again
    assert admin.ask("DELETE", f"/invoices/{ids[2]}")["success"]["code"] == 200
    admin.refused("GET", f"/invoices/{ids[2]}", status=404)
    assert [read(admin, validated())["ref"] for _ in range(2)] == references[2:]
    # Another series does not matter, nor does an invoice of an earlier day
    validated(type=3)
    last = validated(date="2025-01-15")
    admin.refused("DELETE", f"/invoices/{ids[1]}", status=405)
    admin.ask("DELETE", f"/invoices/{last}")


def test_a_draft_with_a_final_reference(admin: Client, validated: Make) -> None:
    first, second = validated(), validated()
    for identifier in (first, second):
        act(admin, identifier, "settodraft")
    admin.refused("DELETE", f"/invoices/{first}", status=405)
    for identifier in (second, first):
        admin.ask("DELETE", f"/invoices/{identifier}")


def test_a_series_that_is_no_longer_in_force_keeps_its_invoices(admin: Client, validated: Make, constant: Any) -> None:
    identifier = validated()
    constant("INVOICE_NUMBERING_TERRE_FORCE_PREFIX", "XX")
    admin.refused("DELETE", f"/invoices/{identifier}", status=405)


def test_a_paid_invoice_stays(admin: Client, validated: Make) -> None:
    identifier = validated()
    pay(admin, identifier, "10")
    assert "paid" in admin.refused("DELETE", f"/invoices/{identifier}", status=405)


def test_a_draft_is_deleted(admin: Client, make: Make) -> None:
    identifier = make(LINE)
    answer = admin.ask("DELETE", f"/invoices/{identifier}")
    assert answer == {"success": {"code": 200, "message": "Invoice deleted"}}
    admin.refused("GET", f"/invoices/{identifier}", status=404)


# Replacement ---------------------------------------------------------------------------------------------------------


def test_a_replacement_abandons_what_it_replaces(admin: Client, make: Make, validated: Make) -> None:
    source = validated()
    identifier = make(LINE, type=1, fk_facture_source=source)
    assert read(admin, source)["statut"] == 1
    assert act(admin, identifier, "validate")["statut"] == 1
    record = read(admin, source)
    assert (record["statut"], record["close_code"], record["paye"]) == (3, "replaced", 0)
    assert record["date_closing"]
    # Two invoices for one thing are one too many
    assert "replaced" in admin.refused("POST", f"/invoices/{source}/settounpaid", status=405)
    act(admin, identifier, "settodraft")
    assert act(admin, identifier, "validate")["statut"] == 1
    act(admin, identifier, "settodraft")
    assert act(admin, source, "settounpaid")["statut"] == 1


def test_what_cannot_be_replaced(admin: Client, make: Make, validated: Make) -> None:
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    part, paid, gone = validated(), validated(), validated()
    pay(admin, part, "1")
    act(admin, paid, "settopaid")
    act(admin, gone, "settopaid", CODE)
    sources = {
        None: "fk_facture_source", make(LINE): "not validated", part: "paid", paid: "unpaid", gone: "unpaid",
        validated(socid=other): "third party", validated(type=3): "standard", validated(type=2): "standard",
    }  # fmt: skip
    for source, reason in sources.items():
        identifier = make(LINE, type=1, fk_facture_source=source)
        before = read(admin, source) if source else None
        assert reason in admin.refused("POST", f"/invoices/{identifier}/validate", status=405)
        assert read(admin, identifier)["statut"] == 0
        assert (read(admin, source) if source else None) == before


# From an order -------------------------------------------------------------------------------------------------------


def test_an_invoice_of_an_order(admin: Client, customer: int, extrafield: Any) -> None:
    for element in ("commande", "facture", "commandedet", "facturedet"):
        extrafield(element, "site")
    extrafield("commande", "inside")
    carrier = admin.ask("POST", "/contacts", {"lastname": "Carrier", "socid": customer})
    body = {
        "socid": customer, "date": "2026-01-05", "ref_client": "CUST-REF", "fk_project": 7, "fk_account": 3,
        "cond_reglement_id": 2, "mode_reglement_id": 2, "note_public": "new public", "note_private": "private note",
        "module_source": "takepos", "pos_source": "1", "array_options": {"options_site": "Lyon", "options_inside": "x"},
        "lines": [
            {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10,
             "array_options": {"options_site": "hall"}},
            {"desc": "product line", "qty": 2, "subprice": 100, "tva_tx": "5.5"},
            {"desc": "order line", "qty": 2, "subprice": "12.5", "tva_tx": 20},
        ],
    }  # fmt: skip
    order = admin.ask("POST", "/orders", body)
    for role in ("BILLING", "CUSTOMER", "SHIPPING"):
        admin.ask("POST", f"/orders/{order}/contact/{carrier}/{role}")
    record = admin.ask("POST", f"/invoices/createfromorder/{order}", {})
    assert (record["origin"], record["origin_id"], record["type"], record["statut"]) == ("commande", order, 0, 0)
    assert record["ref"] == f"(PROV{record['id']})"
    copied = [name for name in body if name not in ("date", "lines", "array_options")]
    assert {name: record[name] for name in copied} == {name: body[name] for name in copied}
    assert record["array_options"] == {"options_site": "Lyon"}
    assert [line["array_options"].get("options_site") for line in record["lines"]] == ["hall", None, None]
    # observed/04
    assert (record["total_ht"], record["total_tva"], record["total_ttc"]) == (
        "278.97000000", "26.80000000", "305.77000000",
    )  # fmt: skip
    assert [(line["desc"], line["total_ttc"], line["situation_percent"]) for line in record["lines"]] == [
        ("free line", "64.77000000", "100.00000000"), ("product line", "211.00000000", "100.00000000"),
        ("order line", "30.00000000", "100.00000000"),
    ]  # fmt: skip
    today = int(datetime.now(UTC).timestamp()) // DAYS * DAYS
    assert (record["date"], record["date_lim_reglement"]) == (today, today + 30 * DAYS)
    assert list(record["linkedObjectsIds"]["commande"].values()) == [order]
    roles = {row["code"] for row in admin.get(f"/invoices/{record['id']}/contacts")}
    assert roles == {"BILLING", "SHIPPING"}
    after = admin.get(f"/orders/{order}")
    assert (after["billed"], after["statut"]) == (0, 0)


def test_no_invoice_of_an_order(admin: Client, server: Served, customer: int) -> None:
    order = admin.ask("POST", "/orders", {"socid": customer, "date": DAY, "lines": [LINE]})
    assert "mandatory" in admin.refused("POST", "/invoices/createfromorder/0", status=400)
    admin.refused("POST", "/invoices/createfromorder/999999", status=404)
    for rights in (["invoices.write"], ["orders.read"]):
        client = server.user(*rights, "thirdparties.all")
        client.refused("POST", f"/invoices/createfromorder/{order}", status=401)
    stranger = server.user("orders.read", "invoices.write", "invoices.read", socid=admin.ask(
        "POST", "/thirdparties", {"name": "Stranger Ltd"}
    ))  # fmt: skip
    stranger.refused("POST", f"/invoices/createfromorder/{order}", status=404)
    assert server.user("orders.read", "invoices.write", "thirdparties.all").ask(
        "POST", f"/invoices/createfromorder/{order}"
    )["id"]
    admin.ask("POST", f"/orders/{order}/validate")
    admin.ask("POST", f"/orders/{order}/cancel")
    count = len(admin.get("/invoices", limit=1000))
    assert "cancelled" in admin.refused("POST", f"/invoices/createfromorder/{order}", status=405)
    assert len(admin.get("/invoices", limit=1000)) == count


# Lists, contacts, callers --------------------------------------------------------------------------------------------


def test_lists_by_state(admin: Client, make: Make, validated: Make) -> None:
    owner = admin.ask("POST", "/thirdparties", {"name": "Listed Ltd"})
    found = {}
    for status, state in (("draft", 0), ("unpaid", 1), ("paid", 2), ("cancelled", 3)):
        identifier = make(LINE, socid=owner)
        if state:
            act(admin, identifier, "validate")
        if state > 1:
            act(admin, identifier, "settopaid", CODE if state == 3 else {})
        found[status] = identifier

    def listed(status: str) -> list[int]:
        params = {"thirdparty_ids": str(owner), "status": status}
        return [row["id"] for row in admin.ask("GET", "/invoices", params=params)]

    for status, identifier in found.items():
        assert listed(status) == [identifier]
    for status in ("", "nonsense"):
        assert listed(status) == list(found.values())
    assert admin.get("/invoices", thirdparty_ids="999999") == []


def test_contacts_and_users(admin: Client, server: Served, make: Make, customer: int) -> None:
    identifier = make()
    contact = admin.ask("POST", "/contacts", {"lastname": "Jane", "socid": customer})
    seller = server.user().user_id  # type: ignore[attr-defined]
    path = f"/invoices/{identifier}/contacts"
    record = admin.ask("POST", path, {"fk_socpeople": contact, "type_contact": "SERVICE", "source": "external"})
    assert record["contacts_ids"] == [contact]
    admin.ask("POST", path, {"fk_socpeople": seller, "type_contact": "SALESREPFOLL", "source": "internal"})
    assert [(row["source"], row["code"], row["id"]) for row in admin.get(path)] == [
        ("external", "SERVICE", contact), ("internal", "SALESREPFOLL", seller),
    ]  # fmt: skip
    again = {"fk_socpeople": contact, "type_contact": "SERVICE", "source": "external"}
    admin.refused("POST", path, again, status=405)
    admin.refused("POST", path, again | {"type_contact": "CUSTOMER"}, status=404)
    admin.refused("POST", path, again | {"fk_socpeople": 999999}, status=404)
    admin.refused("POST", path, again | {"source": "outside"}, status=400)
    admin.refused("POST", path, {}, status=400)


RIGHTS = [
    ("read", "GET", "{id}/payments"), ("read", "GET", "{id}/discount"), ("write", "POST", "{id}/contacts"),
    ("pay", "POST", "{id}/payments"), ("pay", "POST", "paymentsdistributed"), ("pay", "PUT", "payments/1"),
    ("pay", "POST", "{id}/settopaid"), ("pay", "POST", "{id}/settounpaid"), ("pay", "POST", "{id}/usecreditnote/1"),
    ("pay", "POST", "{id}/usediscount/1"), ("validate", "POST", "{id}/validate"), ("write", "POST", "{id}/settodraft"),
    ("write", "POST", "{id}/markAsCreditAvailable"), ("delete", "DELETE", "{id}"), ("write", "PUT", "{id}"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "verb", "path"), RIGHTS)
def test_each_call_needs_its_right(server: Served, make: Make, right: str, verb: str, path: str) -> None:
    where = "/invoices/" + path.replace("{id}", str(make()))
    others = [f"invoices.{each}" for each in ("read", "write", "delete", "validate", "pay", "close") if each != right]
    server.user(*others, "thirdparties.all").refused(verb, where, {}, status=401)
    answer = server.user(f"invoices.{right}", "thirdparties.all").simulate_request(verb, where, json={})
    assert answer.status_code != 401


def test_invoices_of_others_do_not_exist(admin: Client, server: Served, make: Make, validated: Make) -> None:
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    rights = [f"invoices.{each}" for each in ("read", "write", "delete", "validate", "pay")]
    external = server.user(*rights, "orders.read", socid=own)
    seller = server.user(*rights, "orders.read", represents=[own])
    foreign, mine = validated(socid=other), validated(socid=own)
    before = read(admin, foreign)
    for client in (external, seller):
        assert [row["id"] for row in client.get("/invoices", limit=1000)] == [mine]
        for verb, path, body in (
            ("GET", "", None), ("PUT", "", {"note_public": "x"}), ("PATCH", "", {"note_public": "x"}),
            ("DELETE", "", None), ("GET", "/lines", None), ("POST", "/lines", LINE), ("GET", "/payments", None),
            ("POST", "/payments", PAID), ("GET", "/discount", None), ("POST", "/settopaid", {}),
            ("POST", "/settounpaid", {}), ("POST", "/settodraft", {}), ("POST", "/validate", {}),
            ("POST", "/markAsCreditAvailable", {}), ("POST", "/usecreditnote/1", {}), ("POST", "/usediscount/1", {}),
            ("POST", "/contacts", {"fk_socpeople": 1, "type_contact": "BILLING", "source": "external"}),
        ):  # fmt: skip
            client.refused(verb, f"/invoices/{foreign}{path}", body, status=404)
        body = {"arrayofamounts": {str(mine): "1", str(foreign): "1"}, **PAID}
        assert str(foreign) in client.refused("POST", "/invoices/paymentsdistributed", body, status=404)
        client.refused("POST", "/invoices", {"socid": other}, status=404)
    assert read(admin, foreign) == before
    assert read(admin, mine)["totalpaid"] == "0.00000000"
    assert read(admin, external.ask("POST", "/invoices", {"socid": own}))["socid"] == own


def test_if_match(admin: Client, validated: Make) -> None:
    identifier = validated()
    tag = admin.simulate_get(f"/invoices/{identifier}").headers["etag"]
    pay(admin, identifier, "1")
    for path, body in (("settopaid", {}), ("payments", PAID)):
        admin.refused("POST", f"/invoices/{identifier}/{path}", body, status=412, headers={"If-Match": tag})
    tag = admin.simulate_get(f"/invoices/{identifier}").headers["etag"]
    admin.ask("POST", f"/invoices/{identifier}/payments", PAID, headers={"If-Match": tag})


def test_users_of_others_are_not_there(admin: Client, server: Served, make: Make, customer: int) -> None:
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    path = f"/invoices/{make(LINE, socid=own)}/contacts"
    rights = ("invoices.read", "invoices.write")
    outsider, seller = server.user(*rights, socid=own), server.user(*rights, represents=[own])
    stranger = server.user(socid=customer)

    def name(client: Client, person: Client, status: int) -> None:
        number = person.user_id  # type: ignore[attr-defined]
        body = {"fk_socpeople": number, "type_contact": "SALESREPFOLL", "source": "internal"}
        client.ask("POST", path, body, status=status)

    for client, person in ((outsider, stranger), (outsider, seller), (seller, stranger)):
        name(client, person, 404)
    assert admin.get(path) == []
    for client, person in ((outsider, outsider), (seller, seller), (admin, stranger)):
        name(client, person, 200)


def test_a_user_that_goes_leaves_its_invoices(admin: Client, server: Served, make: Make) -> None:
    identifier = make(LINE)
    seller = server.user().user_id  # type: ignore[attr-defined]
    path = f"/invoices/{identifier}/contacts"
    admin.ask("POST", path, {"fk_socpeople": seller, "type_contact": "SALESREPFOLL", "source": "internal"})
    person = admin.ask("POST", "/contacts", {"lastname": "Short"})
    admin.ask("POST", path, {"fk_socpeople": person, "type_contact": "SERVICE", "source": "external"})
    admin.ask("DELETE", f"/users/{seller}")
    assert [(role["source"], role["id"]) for role in admin.get(path)] == [("external", person)]


@pytest.mark.parametrize("path", ["settopaid", "settounpaid", "markAsCreditAvailable", "usecreditnote/1", "payments"])
def test_an_invoice_that_is_not_there(admin: Client, path: str) -> None:
    admin.refused("POST", f"/invoices/999999/{path}", PAID, status=404)
    admin.refused("POST", f"/invoices/0/{path}", PAID, status=400)


def test_the_number_of_statements_does_not_depend_on_the_number_of_rows(
    admin: Client, make: Make, validated: Make
) -> None:
    owner = admin.ask("POST", "/thirdparties", {"name": "Many Ltd"})
    first = validated(LINE, LINE, socid=owner)
    for _ in range(49):
        make(LINE, LINE, socid=owner)
    amounts = {str(validated(LINE, socid=owner)): "1" for _ in range(50)}
    admin.ask("POST", "/invoices/paymentsdistributed", {"arrayofamounts": amounts, **PAID})
    for _ in range(5):
        pay(admin, first, "1")

    lists = [cost(lambda size=size: admin.get("/invoices", thirdparty_ids=str(owner), limit=size)) for size in (2, 100)]
    assert len(admin.get("/invoices", thirdparty_ids=str(owner))) == 100
    assert lists[0] == lists[1] <= 8
    reads = [cost(lambda each=each: read(admin, each)) for each in (first, make(socid=owner))]
    assert reads[0] == reads[1] <= 8
    paid = [cost(lambda each=each: admin.get(f"/invoices/{each}/payments")) for each in (first, next(iter(amounts)))]
    assert paid[0] == paid[1] <= 6
