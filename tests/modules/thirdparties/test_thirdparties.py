"""Third parties over HTTP: creating, reading, changing, deleting, and bodies that are refused."""

import pytest

from core.common.clock import as_if
from core.storage.database import ensure_connected
from modules.thirdparties.models import Representative
from tests.modules.thirdparties.thirdparties import make, wrong_fields
from tests.moments import LEAP_DAY_END

#: every field that PUT keeps, a value to send and what is read back
PUT_KEPT = {
    "entity": (1, 1),
    "name": ("Näme & <b>Co</b> 'x'", "Näme & <b>Co</b> 'x'"),
    "name_alias": ("alias", "alias"),
    "ref_ext": ("EXT-1", "EXT-1"),
    "status": (0, 0),
    "client": (3, 3),
    "fournisseur": (1, 1),
    "address": ("1 rue du Test\n2e étage", "1 rue du Test\n2e étage"),
    "zip": ("75001", "75001"),
    "town": ("Łódź", "Łódź"),
    "state_id": (12, 12),
    "country_id": (1, 1),
    "phone": ("01 02.03 04", "01020304"),
    "fax": ("+33 1.2", "+3312"),
    "email": ("put@example.com", "put@example.com"),
    "url": ("http://www.example.com", "www.example.com"),
    "socialnetworks": ({"mastodon": "@a"}, {"mastodon": "@a"}),
    "idprof1": ("p1", "p1"),
    "idprof2": ("p2", "p2"),
    "idprof3": ("p3", "p3"),
    "idprof4": ("p4", "p4"),
    "idprof5": ("p5", "p5"),
    "idprof6": ("p6", "p6"),
    "tva_assuj": (0, 0),
    "tva_intra": ("FR/12:34*5", "FR12345"),
    "localtax1_assuj": (1, 1),
    "localtax1_value": ("5.2", "5.2000"),
    "localtax2_assuj": (1, 1),
    "localtax2_value": (1.25, "1.2500"),
    "capital": ("1000.5", "1000.50000000"),
    "typent_id": (2, 2),
    "effectif_id": (3, 3),
    "forme_juridique_code": (54, 54),
    "mode_reglement_id": (6, 6),
    "cond_reglement_id": (2, 2),
    "deposit_percent": ("30", "30"),
    "transport_mode_id": (1, 1),
    "mode_reglement_supplier_id": (4, 4),
    "cond_reglement_supplier_id": (5, 5),
    "transport_mode_supplier_id": (2, 2),
    "shipping_method_id": (1, 1),
    "barcode": ("BAR-PUT", "BAR-PUT"),
    "default_lang": ("fr_FR", "fr_FR"),
    "outstanding_limit": ("9999999999.12345678", "9999999999.12345678"),
    "order_min_amount": (0, "0.00000000"),
    "supplier_order_min_amount": ("-1.5", "-1.50000000"),
    "stcomm_id": (2, 2),
    "fk_prospectlevel": ("PL_HIGH", "PL_HIGH"),
    "fk_incoterms": (1, 1),
    "location_incoterms": ("Port", "Port"),
    "note_public": ("hello <b>bold</b>", "hello <b>bold</b>"),
    "note_private": ("line 1\nline 2", "line 1\nline 2"),
    "model_pdf": ("azur", "azur"),
    "logo": ("logo.png", "logo.png"),
    "accountancy_code_sell": ("701", "701"),
    "accountancy_code_buy": ("601", "601"),
    "webservices_url": ("https://ws.example.com", "https://ws.example.com"),
    "webservices_key": ("k", "k"),
}
#: every field that PUT drops, and a value that would change it
PUT_DROPPED = {
    "id": 77, "ref": 77, "prospect": 1, "code_client": "CU9901-00001", "code_fournisseur": "SU9901-00001",
    "code_compta": "411X", "code_compta_client": "411X", "code_compta_fournisseur": "401X", "country_code": "DE",
    "region_id": 5, "typent_code": "TE", "fk_account": 3, "fk_warehouse": 3, "price_level": 2,
    "status_prospect_label": "x", "remise_percent": 5, "remise_supplier_percent": 5, "fk_multicurrency": 3,
    "multicurrency_code": "USD", "canvas": "c", "import_key": "k", "date_creation": 1, "date_modification": 1,
    "user_creation": 99, "user_modification": 99, "commercial_id": 1, "absolute_discount": "9",
    "absolute_creditnote": "9",
}  # fmt: skip

# Create, read, change, delete -----------------------------------------------------------------------------------------


def test_a_new_third_party_has_the_documented_defaults(admin, server):
    with as_if(LEAP_DAY_END):
        record = admin.get(f"/thirdparties/{make(admin, 'Defaults')}")
    expected = {
        "name": "Defaults", "entity": 1, "status": 1, "client": 0, "prospect": 0, "fournisseur": 0, "tva_assuj": 1,
        "localtax1_assuj": 0, "localtax2_assuj": 0, "stcomm_id": 0, "fk_account": 0, "name_alias": None,
        "code_client": None, "email": None, "capital": None, "parent": None, "country_id": None,
        "country_code": None, "socialnetworks": {}, "array_options": {}, "remise_percent": "0.0000",
        "absolute_discount": "0.00000000", "absolute_creditnote": "0.00000000", "user_creation": server.administrator.id,
        "user_modification": server.administrator.id, "status_prospect_label": "Never contacted",
    }  # fmt: skip
    assert {key: record[key] for key in expected} == expected
    assert record["ref"] == record["id"]
    assert record["date_creation"] == LEAP_DAY_END
    assert record["date_modification"] == record["date_creation"]


def test_reading_by_email_and_barcode(admin):
    first = make(admin, "First", email="same@example.com", barcode="BAR 1é")
    assert admin.get("/thirdparties/email/same@example.com")["id"] == first
    assert admin.get("/thirdparties/barcode/BAR%201%C3%A9")["id"] == first
    assert "not found" in admin.refused("GET", "/thirdparties/email/nobody@example.com", status=404)
    assert "not found" in admin.refused("GET", "/thirdparties/barcode/none", status=404)
    admin.refused("GET", "/thirdparties/email/no-address", status=400)


def test_every_field_that_put_keeps(admin):
    parent = make(admin, "Parent")
    identifier = make(admin, "Before")
    for field, (sent, expected) in PUT_KEPT.items():
        if field.endswith("_value"):
            admin.ask("PUT", f"/thirdparties/{identifier}", {field.replace("value", "assuj"): 1})
        answered = admin.ask("PUT", f"/thirdparties/{identifier}", {field: sent})
        assert answered[field] == expected, field
    changed = admin.ask("PUT", f"/thirdparties/{identifier}", {"parent": parent})
    expected_record = {field: expected for field, (_, expected) in PUT_KEPT.items()} | {"parent": parent}
    stored = admin.get(f"/thirdparties/{identifier}")
    assert {field: stored[field] for field in expected_record} == expected_record
    assert changed == stored


def test_every_field_that_put_drops(admin):
    identifier = make(admin, "Kept", client=1, code_client="CU2601-00777", code_compta="411")
    before = admin.get(f"/thirdparties/{identifier}")
    answer = admin.simulate_put(f"/thirdparties/{identifier}", json=PUT_DROPPED | {"date_validite": 1})
    assert answer.status_code == 200
    after = answer.json
    # The moment of the change is the server's to set
    assert after["date_modification"] >= before["date_modification"] > 1
    assert after | {"date_modification": 0} == before | {"date_modification": 0}
    for field, value in (PUT_DROPPED | {"date_validite": 1}).items():
        answer = admin.simulate_put(f"/thirdparties/{identifier}", json={field: value})
        assert f"ignored: {field}" in answer.headers["warning"]


def test_put_merges_and_nothing_is_a_change_too(admin):
    identifier = make(admin, "Merged", town="Paris", zip="75001")
    admin.ask("PUT", f"/thirdparties/{identifier}", {"zip": "75002"})
    admin.ask("PATCH", f"/thirdparties/{identifier}", {"address": "x"})
    record = admin.ask("PUT", f"/thirdparties/{identifier}")
    assert (record["town"], record["zip"], record["address"]) == ("Paris", "75002", "x")
    assert admin.ask("PUT", f"/thirdparties/{identifier}", {"town": None})["town"] is None


def test_a_second_name_gives_way_to_the_first(admin):
    identifier = make(admin, client=1, code_compta="411A", code_compta_client="411B")
    assert admin.get(f"/thirdparties/{identifier}")["code_compta"] == "411A"
    identifier = make(admin, client=1, code_compta_client="411B")
    assert admin.get(f"/thirdparties/{identifier}")["code_compta"] == "411B"


def test_the_changing_user_is_noted(server, admin):
    identifier = make(admin)
    other = server.user("thirdparties.read", "thirdparties.write", "thirdparties.all")
    other.ask("PUT", f"/thirdparties/{identifier}", {"town": "x"})
    record = admin.get(f"/thirdparties/{identifier}")
    assert record["user_creation"] == server.administrator.id
    assert record["user_modification"] == other.user_id


def test_deleting(server, admin):
    identifier = make(admin, "Gone")
    user = server.user(represents=[identifier])
    assert admin.ask("DELETE", f"/thirdparties/{identifier}")["success"]["code"] == 200
    admin.refused("GET", f"/thirdparties/{identifier}", status=404)
    admin.refused("DELETE", f"/thirdparties/{identifier}", status=404)
    ensure_connected()
    assert not Representative.select().where(Representative.user == user.user_id).exists()


def test_what_is_used_is_not_deleted(server, admin):
    with_contact, parent, with_user = make(admin), make(admin), make(admin)
    contact = admin.ask("POST", "/contacts", {"lastname": "A", "socid": with_contact})
    make(admin, parent=parent)
    server.user(socid=with_user)
    refusals = {
        with_contact: f"Thirdparty {with_contact} can't be deleted, because",
        parent: f"Thirdparty {parent} can't be deleted, because",
        with_user: f"can't delete third party {with_user}: external users belong to it",
    }
    for identifier, refusal in refusals.items():
        message = admin.refused("DELETE", f"/thirdparties/{identifier}", status=405)
        assert refusal in message
        assert "socpeople" not in message and "societe" not in message
        assert admin.get(f"/thirdparties/{identifier}")["id"] == identifier
    assert admin.get(f"/contacts/{contact}")["socid"] == with_contact


def test_a_parent_is_another_third_party(admin):
    a, b = make(admin), make(admin)
    assert admin.ask("PUT", f"/thirdparties/{b}", {"parent": a})["parent"] == a
    assert "parent" in wrong_fields(admin, {"parent": a}, "PUT", f"/thirdparties/{a}")
    assert "parent" in wrong_fields(admin, {"parent": b}, "PUT", f"/thirdparties/{a}")
    message = admin.refused("PUT", f"/thirdparties/{a}", {"parent": 99999}, status=404)
    assert "Thirdparty 99999 not found" in message
    assert admin.ask("PUT", f"/thirdparties/{b}", {"parent": -1})["parent"] is None


def test_local_tax_rates_need_their_flag(admin):
    identifier = make(admin, localtax1_value=5)
    assert admin.get(f"/thirdparties/{identifier}")["localtax1_value"] == "0.0000"
    record = admin.ask("PUT", f"/thirdparties/{identifier}", {"localtax1_assuj": 1, "localtax1_value": 5})
    assert record["localtax1_value"] == "5.0000"
    record = admin.ask("PUT", f"/thirdparties/{identifier}", {"localtax1_assuj": 0})
    assert record["localtax1_value"] == "0.0000"


def test_the_email_can_be_made_mandatory(admin):
    from modules.setup.constants import set_constant, unset_constant

    ensure_connected()
    set_constant("SOCIETE_EMAIL_MANDATORY", "1")
    try:
        message = admin.refused("POST", "/thirdparties", {"name": "x"}, status=400)
        assert message == "Bad Request: `email` is required"
        make(admin, email="a@example.com")
    finally:
        unset_constant("SOCIETE_EMAIL_MANDATORY")
    make(admin)


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": None}, {"name": "   "}])
def test_a_name_is_needed(admin, body):
    assert admin.refused("POST", "/thirdparties", body, status=400) == "Bad Request: `name` is required"


def test_a_name_cannot_be_taken_away(admin):
    identifier = make(admin, "Stays")
    for name in ("", None, " "):
        assert "name" in wrong_fields(admin, {"name": name}, "PUT", f"/thirdparties/{identifier}")
    assert admin.get(f"/thirdparties/{identifier}")["name"] == "Stays"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("client", 4), ("client", -1), ("client", "x"), ("client", 1.5), ("client", True), ("status", 2),
        ("status", "opened"), ("fournisseur", 2), ("tva_assuj", 5), ("localtax1_assuj", 2), ("localtax2_assuj", -1),
        ("entity", 2), ("name", "x" * 129), ("name", ["x"]), ("name", {"a": 1}), ("name", "a\x00b"),
        ("email", "no-address"), ("email", "a@b"), ("email", "<a@example.com>"), ("town", "x" * 51),
        ("phone", "1" * 21), ("capital", "2,5"), ("capital", "abc"), ("capital", "1e40"), ("capital", "NaN"),
        ("outstanding_limit", "92233720368.6"), ("localtax1_value", "1000"), ("parent", "abc"),
        ("country_id", 2**31), ("mode_reglement_id", 2**15), ("socialnetworks", "x"), ("default_lang", "francais"),
        ("array_options", "x"), ("code_client", "x" * 25), ("tva_intra", "x" * 21), ("barcode", "x" * 181),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(admin, field, value):
    assert field in wrong_fields(admin, {"name": "x", field: value})
    identifier = make(admin, "x")
    if field != "code_client":
        assert field in wrong_fields(admin, {field: value}, "PUT", f"/thirdparties/{identifier}")
        assert field in wrong_fields(admin, {field: value}, "PATCH", f"/thirdparties/{identifier}")


def test_keys_of_a_body_are_never_columns(admin):
    hostile = {"nom=1,x": 1, "__class__": "x", "rowid": 5, "t.name": "x", '"; DROP TABLE llx_societe; --': 1}
    answer = admin.simulate_post("/thirdparties", json={"name": "Hostile", **hostile})
    assert answer.status_code == 200
    assert answer.headers["warning"].isascii()
    assert admin.get(f"/thirdparties/{answer.json}")["name"] == "Hostile"
