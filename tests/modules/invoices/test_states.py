"""What can be done to an invoice: changes of a validated one, and the moves from state to state."""

import pytest

from core.common.clock import as_if
from tests.modules.invoices.invoices import DAY, DAYS, LINE, act, pay, read
from tests.modules.services import INVOICES

# A validated invoice --------------------------------------------------------------------------------------------------
#: what of an invoice that is no draft may change
OPEN = {
    "note_public": "new public", "note_private": "new private", "cond_reglement_id": 2, "mode_reglement_id": 4,
    "date_lim_reglement": DAY + 9 * DAYS, "fk_account": 7,
}  # fmt: skip


def test_of_a_validated_invoice_notes_and_payment_fields_change(admin, validated, customer):
    identifier = validated()
    other = admin.ask("POST", "/thirdparties", {"name": "Other Ltd"})
    closed = {name: sent for name, sent in INVOICES.sent.items() if name not in OPEN} | {"socid": other}
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


def test_the_due_day_of_a_validated_invoice_stays_unless_it_is_sent(admin, validated):
    identifier = validated()
    assert admin.ask("PATCH", f"/invoices/{identifier}", {"cond_reglement_id": 2})["date_lim_reglement"] == DAY


def test_extra_fields_of_a_validated_invoice_stay(admin, validated, extrafield):
    extrafield("facture", "site")
    identifier = validated(array_options={"options_site": "Lyon"})
    path = f"/invoices/{identifier}"
    for verb in ("PUT", "PATCH"):
        body = {"array_options": {"options_site": "Nice"}, "note_public": "x"}
        error = admin.ask(verb, path, body, status=405)["error"]
        assert [each["field"] for each in error["errors"]] == ["array_options"]
        record = admin.ask(verb, path, {"array_options": {"options_site": "Lyon"}})
        assert (record["array_options"], record["note_public"]) == ({"options_site": "Lyon"}, None)


def test_the_type_does_not_turn_the_lines_round(admin, make, validated):
    assert "type" in admin.refused("PATCH", f"/invoices/{make(LINE)}", {"type": 2}, status=405)
    assert admin.ask("PATCH", f"/invoices/{make()}", {"type": 2})["type"] == 2
    assert admin.ask("PATCH", f"/invoices/{make(LINE)}", {"type": 3})["type"] == 3
    identifier = validated()
    act(admin, identifier, "settodraft")
    assert "FA" in admin.refused("PATCH", f"/invoices/{identifier}", {"type": 3}, status=405)


# Moves ----------------------------------------------------------------------------------------------------------------


def test_what_the_moves_set(admin, server, make):
    identifier = make(LINE)
    me = server.administrator.id
    with as_if(DAY + 2 * DAYS + 3600):
        record = act(admin, identifier, "validate", {"idwarehouse": 0, "notrigger": 0})
        assert (record["date_validation"], record["user_valid"], record["brouillon"]) == (DAY + 2 * DAYS, me, None)
        record = act(admin, identifier, "settopaid", {})
    assert (record["statut"], record["paye"], record["close_code"], record["fk_user_closing"]) == (2, 1, None, me)
    assert record["date_closing"] == DAY + 2 * DAYS + 3600
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
    assert record["remaintopay"] == "62.00000000"


@pytest.mark.parametrize("code", ["replaced", "nonsense", "DISCOUNT_VAT"])
def test_unknown_close_codes(admin, validated, code):
    identifier = validated()
    assert "close_code" in admin.refused("POST", f"/invoices/{identifier}/settopaid", {"close_code": code}, status=400)
    assert read(admin, identifier)["statut"] == 1


@pytest.mark.parametrize("code", ["discount_vat", "badcustomer", "bankcharge", "other", "abandon"])
def test_close_codes(admin, validated, code):
    record = act(admin, validated(), "settopaid", {"close_code": code})
    assert (record["statut"], record["close_code"], record["close_note"]) == (3, code, None)


def test_validation_needs_lines_and_makes_a_customer(admin, make):
    prospect = admin.ask("POST", "/thirdparties", {"name": "Prospect Ltd", "client": 2})
    identifier = make(socid=prospect)
    assert "must have lines" in admin.refused("POST", f"/invoices/{identifier}/validate", {}, status=405)
    assert admin.get(f"/thirdparties/{prospect}")["client"] == 2
    admin.ask("POST", f"/invoices/{identifier}/lines", LINE)
    act(admin, identifier, "validate")
    assert admin.get(f"/thirdparties/{prospect}")["client"] == 3
