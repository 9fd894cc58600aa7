"""Templates of invoices: written, changed, made of invoices and made into some."""

import pytest

from core.testing import extra_field
from tests.modules.recurring.conftest import LINE

#: 2026-11-21 and 2027-01-31, midnight UTC
DAY, JANUARY = 1795219200, 1801353600


def read(admin, identifier):
    return admin.get(f"/invoices/templates/{identifier}")


def test_a_template_has_what_was_sent(admin, make):
    customer = admin.ask("POST", "/thirdparties", {"name": "Other Ltd", "client": 1})
    plan = {"frequency": 2, "unit_frequency": "m", "date_when": "2027-01-31", "nb_gen_max": 6, "auto_validate": 1}
    identifier = make(
        title="Care of desks", socid=customer, note_public="Thanks", cond_reglement_id=2, fk_account=3, **plan
    )
    record = read(admin, identifier)
    expected = {
        "title": "Care of desks", "titre": "Care of desks", "ref": "Care of desks", "socid": customer, "frequency": 2,
        "unit_frequency": "m", "date_when": JANUARY, "day_of_month": 31, "nb_gen_done": 0, "nb_gen_max": 6,
        "auto_validate": 1, "generate_pdf": 1, "suspended": 0, "date_last_gen": None, "note_public": "Thanks",
        "cond_reglement_id": 2, "fk_account": 3, "total_ht": "49.90000000", "total_tva": "9.98000000",
        "total_ttc": "59.88000000", "date": None, "problem": None,
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    assert [line["desc"] for line in record["lines"]] == ["Care"]
    assert [each["id"] for each in admin.get("/invoices/templates", thirdparty_ids=str(customer))] == [identifier]
    assert admin.get("/invoices/templates", sqlfilters="(t.title:=:'nothing')") == []


def test_what_is_wrong_is_named(admin, make, customer):
    make(title="Only once")
    path = "/invoices/templates"
    assert "title" in admin.refused("POST", path, {"socid": customer}, status=400)
    assert "Only once" in admin.refused("POST", path, {"socid": customer, "title": "Only once"}, status=405)
    admin.refused("POST", path, {"socid": 9999, "title": "x"}, status=404)
    for wrong in ({"frequency": -1}, {"unit_frequency": "w"}, {"nb_gen_max": -1}, {"auto_validate": 2}):
        admin.refused("POST", path, {"socid": customer, "title": "x", **wrong}, status=400)
    admin.refused("POST", path, {"socid": customer, "title": "x", "lines": [{"qty": "many"}]}, status=400)


def test_a_template_is_changed_suspended_and_deleted(admin, make):
    identifier = make(date_when="2027-01-31", frequency=1)
    path = f"/invoices/templates/{identifier}"
    assert admin.ask("PUT", path, {"suspended": 1, "note_public": "n"})["suspended"] == 1
    for state in ("suspended", "active"):
        listed = {each["id"] for each in admin.get(f"/invoices/templates?status={state}")}
        assert (identifier in listed) == (state == "suspended")
    record = admin.ask("PATCH", path, {"suspended": 0, "nb_gen_done": 5, "day_of_month": 3})
    assert (record["suspended"], record["note_public"], record["nb_gen_done"], record["day_of_month"]) == (
        0,
        "n",
        0,
        31,
    )
    assert admin.ask("PUT", path, {"date_when": "2027-02-15"})["day_of_month"] == 15
    assert admin.ask("PUT", path, {"date_when": None})["day_of_month"] is None
    for verb in ("PUT", "PATCH"):
        admin.refused(verb, path, {"frequency": 1001}, status=400)
        admin.refused(verb, "/invoices/templates/9999", {"frequency": 1}, status=404)
    assert admin.ask("DELETE", path)["success"]["message"] == "Template invoice deleted"
    admin.refused("DELETE", path, status=404)


def test_lines_are_added_changed_and_removed(admin, make):
    path = f"/invoices/templates/{make()}/lines"
    line = admin.ask("POST", path, {"desc": "Travel", "qty": 2, "subprice": 10, "tva_tx": 20})
    assert len(admin.ask("POST", path, [LINE, LINE])) == 2
    assert [each["desc"] for each in admin.get(path)] == ["Care", "Travel", "Care", "Care"]
    # 3 times 49.90, and 3 times 10
    assert admin.ask("PATCH", f"{path}/{line}", {"qty": 3})["total_ht"] == "179.70000000"
    assert admin.ask("PUT", f"{path}/{line}", {"desc": "Gift"})["total_ht"] == "149.70000000"
    admin.ask("DELETE", f"{path}/{line}")
    assert len(admin.get(path)) == 3
    for verb in ("PUT", "PATCH", "DELETE"):
        admin.refused(verb, f"{path}/{line}", {} if verb != "DELETE" else None, status=404)
    admin.refused("POST", path, {"qty": "x"}, status=400)


def test_contacts_have_roles(admin, make, customer):
    jane = admin.ask("POST", "/contacts", {"lastname": "Doe", "socid": customer})
    template = make()
    path = f"/invoices/templates/{template}"
    assert admin.ask("POST", f"{path}/contact/{jane}/BILLING")["contacts_ids"] == [jane]
    assert admin.simulate_post(f"{path}/contact/{jane}/BILLING").status_code == 304
    admin.refused("POST", f"{path}/contact/{jane}/NOBODY", status=404)
    assert [row["code"] for row in admin.get(f"{path}/contacts")] == ["BILLING"]
    assert admin.get(path, contact_list=0)["contacts_ids"][0]["lastname"] == "Doe"
    invoice = admin.ask("POST", f"{path}/createinvoice")
    assert invoice["contacts_ids"] == [jane]
    assert admin.get(f"/invoices/{invoice['id']}/contacts")[0]["code"] == "BILLING"
    admin.ask("DELETE", f"{path}/contact/{jane}/BILLING")
    assert admin.get(path)["contacts_ids"] == []
    admin.refused("DELETE", f"{path}/contact/{jane}/BILLING", status=404)


def test_an_invoice_is_made_of_a_template(admin, make, customer):
    line = {**LINE, "desc": "Care in __INVOICE_MONTH_TEXT__"}
    template = make(
        lines=[line], note_public="For __INVOICE_MONTH__/__INVOICE_YEAR__", cond_reglement_id=2, mode_reglement_id=4,
        fk_account=7, date_when="2027-01-31", frequency=1,
    )  # fmt: skip
    with extra_field(admin, "facture_rec", "colour"), extra_field(admin, "facture", "colour"):
        admin.ask("PATCH", f"/invoices/templates/{template}", {"array_options": {"options_colour": "red"}})
        invoice = admin.ask("POST", f"/invoices/templates/{template}/createinvoice", {"date": "2026-11-21"})
        assert invoice["array_options"] == {"options_colour": "red"}
    expected = {
        "socid": customer, "date": DAY, "fk_fac_rec_source": template, "note_public": "For 11/2026", "statut": 0,
        "cond_reglement_id": 2, "mode_reglement_id": 4, "fk_account": 7, "total_ttc": "59.88000000", "type": 0,
        "date_lim_reglement": DAY + 30 * 86400,
    }  # fmt: skip
    assert {name: invoice[name] for name in expected} == expected
    assert [each["desc"] for each in invoice["lines"]] == ["Care in November"]
    assert list(invoice["linkedObjectsIds"]["facture_rec"].values()) == [template]
    record = read(admin, template)
    assert list(record["linkedObjectsIds"]["facture"].values()) == [invoice["id"]]
    # The plan stays
    assert (record["date_when"], record["nb_gen_done"], bool(record["date_last_gen"])) == (JANUARY, 0, True)
    admin.ask("PATCH", f"/invoices/templates/{template}", {"auto_validate": 1})
    assert admin.ask("POST", f"/invoices/templates/{template}/createinvoice")["statut"] == 1
    admin.ask("DELETE", f"/invoices/templates/{template}")
    left = admin.get(f"/invoices/{invoice['id']}")
    assert (left["fk_fac_rec_source"], left["linkedObjectsIds"]) == (None, {})


def test_no_invoice_is_made_where_none_can_be(admin, make):
    closed = admin.ask("POST", "/thirdparties", {"name": "Closed Ltd", "client": 1})
    template = make(socid=closed)
    admin.ask("PUT", f"/thirdparties/{closed}", {"status": 0})
    before = len(admin.get("/invoices"))
    message = admin.refused("POST", f"/invoices/templates/{template}/createinvoice", status=405)
    assert "Closed Ltd is closed" in message
    empty = make(lines=[], auto_validate=1)
    assert "lines" in admin.refused("POST", f"/invoices/templates/{empty}/createinvoice", status=405)
    admin.refused("POST", f"/invoices/templates/{empty}/createinvoice", {"date": "soon"}, status=400)
    assert len(admin.get("/invoices")) == before


def test_a_template_is_made_of_an_invoice(admin, customer):
    body = {"socid": customer, "date": DAY, "note_private": "p", "cond_reglement_id": 2, "lines": [LINE, LINE]}
    invoice = admin.ask("POST", "/invoices", body)
    path = f"/invoices/templates/createfrominvoice/{invoice}"
    record = admin.ask("POST", path, {"title": "Twice", "frequency": 1, "date_when": "2027-01-31", "note_public": "x"})
    assert (record["socid"], record["total_ht"], record["note_private"]) == (customer, "99.80000000", "p")
    assert (record["title"], record["day_of_month"], record["note_public"]) == ("Twice", 31, "x")
    assert list(record["linkedObjectsIds"]["facture"].values()) == [invoice]
    for number, key in enumerate(("fk_facture", "facid")):
        made = admin.ask("POST", "/invoices/templates", {"title": f"By key {number}", key: invoice})
        assert read(admin, made)["total_ht"] == "99.80000000"
    assert "title" in admin.refused("POST", path, {}, status=400)
    # The third party is that of the invoice; only a template without one needs it
    assert admin.get("/explorer/openapi/invoices.json")["components"]["schemas"]["TemplateNew"]["required"] == ["title"]
    assert "socid" in admin.refused("POST", "/invoices/templates", {"title": "y"}, status=400)
    admin.refused("POST", path, {"title": "Twice"}, status=405)
    admin.refused("POST", "/invoices/templates", {"title": "y", "facid": 9999}, status=404)
    both = {"title": "y", "facid": invoice, "lines": [LINE]}
    assert "lines" in admin.refused("POST", "/invoices/templates", both, status=400)
    credit = admin.ask("POST", "/invoices", {**body, "type": 2})
    message = admin.refused("POST", f"/invoices/templates/createfrominvoice/{credit}", {"title": "y"}, status=405)
    assert "credit note" in message


def test_a_line_that_uses_a_discount_up_recurs_not(admin, customer):
    credit = admin.ask("POST", "/invoices", {"socid": customer, "date": DAY, "type": 2, "lines": [LINE]})
    admin.ask("POST", f"/invoices/{credit}/validate")
    admin.ask("POST", f"/invoices/{credit}/markAsCreditAvailable")
    discount = admin.get(f"/invoices/{credit}/discount")["id"]
    invoice = admin.ask("POST", "/invoices", {"socid": customer, "date": DAY, "lines": [LINE, LINE]})
    admin.ask("POST", f"/invoices/{invoice}/usediscount/{discount}")
    record = admin.ask("POST", f"/invoices/templates/createfrominvoice/{invoice}", {"title": "Without"})
    assert (len(record["lines"]), record["total_ht"]) == (2, "99.80000000")


def test_the_profile_of_the_reference(serve):
    client = serve(profile_name="dolibarr16").client()
    assert client.refused("GET", "/invoices/templates", status=404).endswith("No template invoice found")
    customer = client.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})
    body = {"title": "Care", "socid": customer, "lines": [LINE], "frequency": 1}
    record = client.get(f"/invoices/templates/{client.ask('POST', '/invoices/templates', body)}")
    assert (record["title"], record["frequency"], record["suspended"], record["date_when"]) == ("Care", "1", "0", "")


@pytest.mark.parametrize("element", ["facture_rec", "facturedet_rec"])
def test_templates_and_their_lines_have_extra_fields(admin, make, element):
    with extra_field(admin, element, "place"):
        identifier = make(
            array_options={"options_place": "a"}, lines=[{**LINE, "array_options": {"options_place": "b"}}]
        )
        record = read(admin, identifier)
        found = record if element == "facture_rec" else record["lines"][0]
        assert found["array_options"]["options_place"] == ("a" if element == "facture_rec" else "b")
