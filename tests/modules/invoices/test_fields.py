"""Fields of an invoice, and the day it is due; what all documents share: test_documents.py."""

import pytest

from core.common.clock import as_if
from tests.modules.invoices.invoices import DAY, DAYS, KEPT, LINE, read

#: what can be said at the creation alone
ONCE = {"fk_fac_rec_source": 12, "module_source": "takepos", "pos_source": "2"}
#: what they are when nothing is said
DEFAULTS = dict.fromkeys([*KEPT, *ONCE]) | {
    "type": 0, "cond_reglement_id": 0, "mode_reglement_id": 0, "fk_incoterms": 0, "situation_final": 0,
    "retained_warranty": "0.00000000", "retained_warranty_fk_cond_reglement": 0, "revenuestamp": "0.00000000",
}  # fmt: skip
#: what the server alone writes, and a value that would change it
DROPPED = {
    "id": 77, "ref": "FA9999-0001", "statut": 2, "status": 2, "paye": 1, "close_code": "other", "close_note": "x",
    "total_ht": 5, "total_tva": 5, "total_ttc": 5, "total_localtax1": 5, "date_creation": 1, "date_validation": 1,
    "user_author": 99, "user_valid": 99, "user_modification": 99, "fk_user_author": 99, "fk_user_valid": 99,
    "last_main_doc": "x", "import_key": "x", "extraparams": "x", "multicurrency_code": "USD", "multicurrency_tx": 2,
    "multicurrency_total_ht": 5, "fk_multicurrency": 5, "brouillon": 0, "totalpaid": 9, "totalcreditnotes": 9,
    "totaldeposits": 9, "remaintopay": 9, "date_closing": 1, "fk_user_closing": 99, "cond_reglement_code": "x",
}  # fmt: skip
# Fields ---------------------------------------------------------------------------------------------------------------


def test_a_new_invoice_has_the_documented_defaults(admin, server, customer):
    with as_if(DAY + 3600):
        record = read(admin, admin.ask("POST", "/invoices", {"socid": customer}))
    # Without terms it is due on its own day
    expected = DEFAULTS | {"date": DAY, "date_lim_reglement": DAY}
    assert {name: record[name] for name in expected} == expected
    assert (record["statut"], record["status"], record["paye"], record["brouillon"]) == (0, 0, 0, 1)
    assert record["ref"] == f"(PROV{record['id']})"
    assert record["user_author"] == record["fk_user_author"] == server.administrator.id
    assert record["user_valid"] is record["fk_facture_source"] is record["close_code"] is None
    assert (record["totalpaid"], record["remaintopay"]) == ("0.00000000", "0.00000000")
    assert (record["multicurrency_code"], record["multicurrency_tx"]) == ("EUR", "1.00000000")


@pytest.mark.parametrize("sent", ["", None])
def test_an_empty_date_is_today(admin, customer, sent):
    with as_if(DAY + 3600):
        record = read(admin, admin.ask("POST", "/invoices", {"socid": customer, "date": sent}))
    assert record["date"] == DAY


def test_every_field_is_kept_by_creation_and_change(admin, make):
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


def test_second_names(admin, make):
    record = read(admin, make(ref_customer="C1", fk_projet=7))
    assert (record["ref_client"], record["ref_customer"], record["fk_project"], record["fk_projet"]) == (
        "C1", "C1", 7, 7,
    )  # fmt: skip
    assert record["datem"] == record["date_modification"]


def test_what_the_server_writes_is_ignored(admin, make):
    identifier = make(LINE)
    before = read(admin, identifier)
    for verb, path, body in (
        ("PUT", f"/invoices/{identifier}", DROPPED), ("PATCH", f"/invoices/{identifier}", DROPPED),
        ("POST", "/invoices", DROPPED | {"socid": before["socid"], "date": DAY, "lines": [LINE]}),
    ):  # fmt: skip
        answer = admin.simulate_request(verb, path, json=body)
        assert answer.status_code == 200
        assert f" and {len(DROPPED) - 20} more" in answer.headers["warning"]
        record = read(admin, identifier if verb != "POST" else answer.json)
        for name in DROPPED.keys() - {"id", "ref", "user_modification", "date_creation"}:
            assert record[name] == before[name], name
        assert record["ref"] == f"(PROV{record['id']})"


def test_what_does_not_fit_is_named(admin, customer):
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
    assert admin.refused("POST", "/invoices", {}, status=400).endswith("`socid` is required")
    for progress in (-1, 101):
        line = {"qty": 1, "situation_percent": progress}
        admin.refused("POST", "/invoices", {"socid": customer, "lines": [line]}, status=400)


def test_the_source_is_an_invoice_that_may_be_seen(admin, server, make, customer):
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


# The day it is due ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "due"),
    # As release 16 answered for 2026-11-21: 11-22, 12-21, 12-31, 2027-01-20, 2027-01-31
    [(0, 0), (1, 1), (2, 30), (3, 40), (4, 60), (5, 71)],
)
def test_the_terms_say_when_it_is_due(admin, make, term, due):
    record = read(admin, make(cond_reglement_id=term))
    assert record["date_lim_reglement"] == DAY + due * DAYS
    if term == 2:
        assert (record["cond_reglement_code"], record["cond_reglement_doc"]) == ("30D", "Due in 30 days")


def test_the_due_day_follows_date_and_terms_until_it_is_set(admin, make):
    path = f"/invoices/{make()}"

    def change(**body):
        return admin.ask("PATCH", path, body)["date_lim_reglement"]

    assert change(cond_reglement_id=2) == DAY + 30 * DAYS
    assert change(date=DAY + DAYS) == DAY + 31 * DAYS
    assert change(note_public="x") == DAY + 31 * DAYS
    assert change(date_lim_reglement=DAY + 5 * DAYS) == DAY + 5 * DAYS
    assert change(date=DAY) == DAY + 5 * DAYS
    assert change(date_lim_reglement=None) == DAY + 30 * DAYS
    assert change(cond_reglement_id=4, date_lim_reglement=DAY) == DAY
    admin.refused("PATCH", path, {"cond_reglement_id": 12345}, status=400)
    admin.refused("PATCH", path, {"date": "9999-12-31", "date_lim_reglement": ""}, status=400)
