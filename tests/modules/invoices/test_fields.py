"""The day an invoice is due, and fields of which `services` has only a part."""

import pytest

from tests.modules.invoices.invoices import DAY, DAYS, read

# Fields ---------------------------------------------------------------------------------------------------------------


def test_the_progress_of_a_line_is_a_percentage(admin, customer):
    for progress in ("x", -1, 101):
        line = {"qty": 1, "situation_percent": progress}
        error = admin.ask("POST", "/invoices", {"socid": customer, "lines": [line]}, status=400)["error"]
        assert [each["field"] for each in error["errors"]] == ["lines[0].situation_percent"]


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
