"""Bank accounts of the company: what is written of them, what they hold, who sees them."""

import pytest

from core import transaction
from core.storage.database import execute
from tests.modules.banks.banks import line, opened


def test_all_that_does_not_fit_is_named(admin):
    body = {"label": "x" * 31, "bic": "AGRI", "solde": "much"}
    error = admin.ask("POST", "/bankaccounts", body, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {*body, "ref"}
    wrong = {"ref": "WRONG", "label": "Wrong", "solde": 1, "date_solde": "someday"}
    error = admin.ask("POST", "/bankaccounts", wrong, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == ["date_solde"]


def test_no_two_have_one_name(admin):
    first = opened(admin, ref="ONE", label="The one")
    assert "ref ONE" in admin.refused("POST", "/bankaccounts", {"ref": "ONE", "label": "Other"}, status=405)
    assert "label" in admin.refused("POST", "/bankaccounts", {"ref": "TWO", "label": "The one"}, status=405)
    admin.refused("PUT", f"/bankaccounts/{opened(admin)}", {"ref": "ONE"}, status=405)
    admin.ask("DELETE", f"/bankaccounts/{first}")


def test_the_balance_is_the_sum_of_the_lines(admin):
    account, other = opened(admin, solde="-100.5", date_solde="2026-01-31"), opened(admin)
    (first,) = admin.get(f"/bankaccounts/{account}/lines")
    assert (first["amount"], first["fk_type"], first["dateo"]) == ("-100.50000000", "SOLD", 1769817600)
    for amount in ("0.1", "0.2", "1000"):
        line(admin, account, amount)
    line(admin, other, "7")
    # -100.50 + 0.10 + 0.20 + 1000
    assert admin.get(f"/bankaccounts/{account}/balance") == {"balance": "899.80000000", "currency_code": "EUR"}
    listed = {each["id"]: each["balance"] for each in admin.get("/bankaccounts", limit=500)}
    assert (listed[account], listed[other]) == ("899.80000000", "7.00000000")


def test_an_account_that_is_used_stays(admin):
    account = opened(admin)
    entry = line(admin, account)
    assert "used by" in admin.refused("DELETE", f"/bankaccounts/{account}", status=405)
    assert "can't change the currency of bank account" in admin.refused(
        "PUT", f"/bankaccounts/{account}", {"currency_code": "USD"}, status=405
    )
    admin.ask("DELETE", f"/bankaccounts/{account}/lines/{entry}")
    admin.ask("PUT", f"/bankaccounts/{account}", {"currency_code": "USD"})
    admin.ask("DELETE", f"/bankaccounts/{account}")


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_document_names_an_account_that_is_there(admin, service):
    account = opened(admin)
    socid = admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
    body = {"socid": socid, "date": "2026-11-21"}
    error = admin.ask("POST", f"/{service}", body | {"fk_account": 999999}, status=404)["error"]
    assert error["errors"][0]["field"] == "fk_account"
    made = admin.ask("POST", f"/{service}", body | {"fk_account": account})
    assert admin.get(f"/{service}/{made}")["fk_account"] == account
    admin.refused("PATCH", f"/{service}/{made}", {"fk_account": 999999}, status=404)
    assert "a document uses it" in admin.refused("DELETE", f"/bankaccounts/{account}", status=405)
    admin.ask("PATCH", f"/{service}/{made}", {"fk_account": None})
    admin.ask("DELETE", f"/bankaccounts/{account}")


def test_a_stored_account_that_is_not_there_stays(admin, server):
    opened(admin)
    socid = admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
    made = admin.ask("POST", "/proposals", {"socid": socid, "date": "2026-11-21", "lines": [{"desc": "x", "qty": 1}]})
    with transaction():
        execute("UPDATE llx_propal SET fk_account = 777777 WHERE rowid = ?", (made,))
    record = admin.get(f"/proposals/{made}")
    assert admin.ask("PUT", f"/proposals/{made}", record)["fk_account"] == 777777
    admin.ask("POST", f"/proposals/{made}/validate")
    admin.ask("POST", f"/proposals/{made}/close", {"status": 2})
    assert admin.ask("POST", f"/orders/createfromproposal/{made}")["fk_account"] == 777777
