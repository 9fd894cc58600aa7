"""Third parties over HTTP, on each kind of database; expected values: fields.md, rules.md, differences.md."""

from __future__ import annotations

import datetime
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from core.records.extra_field_definitions import define, undefine
from core.storage.database import close, database, ensure_connected
from core.testing import Client, Served, statements
from modules.thirdparties.models import Representative

#: fields.md: every field with PUT "yes", a value to send and what is read back
PUT_KEPT: dict[str, tuple[Any, Any]] = {
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
#: fields.md: every field with PUT "no", and a value that would change it
PUT_DROPPED: dict[str, Any] = {
    "id": 77, "ref": 77, "prospect": 1, "code_client": "CU9901-00001", "code_fournisseur": "SU9901-00001",
    "code_compta": "411X", "code_compta_client": "411X", "code_compta_fournisseur": "401X", "country_code": "DE",
    "region_id": 5, "typent_code": "TE", "fk_account": 3, "fk_warehouse": 3, "price_level": 2,
    "status_prospect_label": "x", "remise_percent": 5, "remise_supplier_percent": 5, "fk_multicurrency": 3,
    "multicurrency_code": "USD", "canvas": "c", "import_key": "k", "date_creation": 1, "date_modification": 1,
    "user_creation": 99, "user_modification": 99, "commercial_id": 1, "absolute_discount": "9",
    "absolute_creditnote": "9",
}  # fmt: skip
#: fields.md: columns of llx_societe by the name of their field
COLUMNS = {
    "id": "rowid", "name": "nom", "state_id": "fk_departement", "country_id": "fk_pays", "idprof1": "siren",
    "idprof2": "siret", "idprof3": "ape", "typent_id": "fk_typent", "effectif_id": "fk_effectif",
    "forme_juridique_code": "fk_forme_juridique", "mode_reglement_id": "mode_reglement",
    "cond_reglement_id": "cond_reglement", "transport_mode_id": "transport_mode",
    "mode_reglement_supplier_id": "mode_reglement_supplier", "shipping_method_id": "fk_shipping_method",
    "stcomm_id": "fk_stcomm", "remise_percent": "remise_client", "remise_supplier_percent": "remise_supplier",
    "date_creation": "datec", "date_modification": "tms", "user_creation": "fk_user_creat",
    "user_modification": "fk_user_modif", "ref": "rowid", "code_compta_client": "code_compta",
    "ref_int": "ref_int", "statut": "statut", "fk_currency": "fk_currency", "last_main_doc": "last_main_doc",
    "prefix_comm": "prefix_comm", "supplier_account": "supplier_account", "customer_bad": "customer_bad",
    "customer_rate": "customer_rate", "supplier_rate": "supplier_rate", "fk_barcode_type": "fk_barcode_type",
    "logo_squarred": "logo_squarred", "tva_intra": "tva_intra", "capital": "capital", "barcode": "barcode",
}  # fmt: skip


def make(client: Client, name: str = "Somebody", /, **fields: Any) -> int:
    identifier = client.ask("POST", "/thirdparties", {"name": name, **fields})
    assert isinstance(identifier, int)
    return identifier


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


def wrong_fields(client: Client, body: Any, verb: str = "POST", path: str = "/thirdparties") -> dict[str, str]:
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}


# Create, read, change, delete ----------------------------------------------------------------------------------------


def test_a_new_third_party_has_the_documented_defaults(admin: Client, server: Served) -> None:
    before = int(time.time())
    record = admin.get(f"/thirdparties/{make(admin, 'Defaults')}")
    expected = {
        "name": "Defaults", "entity": 1, "status": 1, "client": 0, "prospect": 0, "fournisseur": 0, "tva_assuj": 1,
        "localtax1_assuj": 0, "localtax2_assuj": 0, "stcomm_id": 0, "fk_account": 0, "name_alias": None,
        "code_client": None, "email": None, "capital": None, "parent": None, "country_id": None,
        "country_code": None, "socialnetworks": {}, "array_options": {}, "remise_percent": "0.0000",
        "absolute_discount": "0", "absolute_creditnote": "0", "user_creation": server.administrator.id,
        "user_modification": server.administrator.id, "status_prospect_label": "Never contacted",
    }  # fmt: skip
    assert {key: record[key] for key in expected} == expected
    assert record["ref"] == record["id"]
    assert before <= record["date_creation"] <= time.time() + 1
    assert record["date_modification"] == record["date_creation"]


def test_the_recorded_creation(admin: Client) -> None:
    """observed/01: texts for numbers are taken, the code is generated, the country's code is told."""
    identifier = make(
        admin, "Contract Test Customer", client="1", code_client="-1", email="customer@example.com",
        address="1 Test Street", zip="75001", town="Paris", country_id=1, tva_assuj=1, status=1,
    )  # fmt: skip
    record = admin.get(f"/thirdparties/{identifier}")
    assert record["client"] == 1
    assert record["country_code"] == "FR"
    assert record["code_client"]
    assert admin.get("/thirdparties/email/customer@example.com")["id"] == identifier
    changed = admin.ask("PUT", f"/thirdparties/{identifier}", {"name_alias": "CTC", "phone": "01 02.03 04 05"})
    assert (changed["name_alias"], changed["phone"], changed["town"]) == ("CTC", "0102030405", "Paris")


def test_reading_by_email_and_barcode(admin: Client) -> None:
    first = make(admin, "First", email="same@example.com", barcode="BAR 1é")
    make(admin, "Second", email="same@example.com")
    assert admin.get("/thirdparties/email/same@example.com")["id"] == first
    assert admin.get("/thirdparties/barcode/BAR%201%C3%A9")["id"] == first
    assert "not found" in admin.refused("GET", "/thirdparties/email/nobody@example.com", status=404)
    assert "not found" in admin.refused("GET", "/thirdparties/barcode/none", status=404)
    admin.refused("GET", "/thirdparties/email/no-address", status=400)


@pytest.mark.parametrize("verb", ["GET", "PUT", "PATCH", "DELETE"])
def test_unknown_and_unusable_identifiers(admin: Client, verb: str) -> None:
    body = {"name": "x"} if verb.startswith("P") else None
    for identifier in ("99999", "-5", "99999999999999"):
        message = admin.refused(verb, f"/thirdparties/{identifier}", body, status=404)
        assert message == "Not Found: Thirdparty not found"
    for identifier in ("0", "abc", "1.5"):
        admin.refused(verb, f"/thirdparties/{identifier}", body, status=400)


def test_every_field_that_put_keeps(admin: Client) -> None:
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


def test_every_field_that_put_drops(admin: Client) -> None:
    identifier = make(admin, "Kept", client=1, code_client="CU2601-00777", code_compta="411")
    before = admin.get(f"/thirdparties/{identifier}")
    answer = admin.simulate_put(f"/thirdparties/{identifier}", json=PUT_DROPPED | {"date_validite": 1})
    assert answer.status_code == 200
    after = answer.json
    # The moment of the change is the server's to set
    assert after["date_modification"] >= before["date_modification"] > 1
    assert after | {"date_modification": 0} == before | {"date_modification": 0}
    warning = answer.headers["warning"]
    for field in (*PUT_DROPPED, "date_validite"):
        assert field in warning, field


def test_what_was_read_can_be_sent_back(admin: Client) -> None:
    body = {field: sent for field, (sent, _) in PUT_KEPT.items()} | {"name": "Round trip", "barcode": "RT"}
    identifier = make(admin, str(body.pop("name")), **body)
    record = admin.get(f"/thirdparties/{identifier}")
    after = admin.ask("PUT", f"/thirdparties/{identifier}", record)
    assert after | {"date_modification": 0} == record | {"date_modification": 0}


def test_put_merges_and_nothing_is_a_change_too(admin: Client) -> None:
    identifier = make(admin, "Merged", town="Paris", zip="75001")
    admin.ask("PUT", f"/thirdparties/{identifier}", {"zip": "75002"})
    admin.ask("PATCH", f"/thirdparties/{identifier}", {"address": "x"})
    record = admin.ask("PUT", f"/thirdparties/{identifier}")
    assert (record["town"], record["zip"], record["address"]) == ("Paris", "75002", "x")
    assert admin.ask("PUT", f"/thirdparties/{identifier}", {"town": None})["town"] is None


def test_a_second_name_gives_way_to_the_first(admin: Client) -> None:
    identifier = make(admin, client=1, code_compta="411A", code_compta_client="411B")
    assert admin.get(f"/thirdparties/{identifier}")["code_compta"] == "411A"
    identifier = make(admin, client=1, code_compta_client="411B")
    assert admin.get(f"/thirdparties/{identifier}")["code_compta"] == "411B"


def test_the_changing_user_is_noted(server: Served, admin: Client) -> None:
    identifier = make(admin)
    other = server.user("thirdparties.read", "thirdparties.write", "thirdparties.all")
    other.ask("PUT", f"/thirdparties/{identifier}", {"town": "x"})
    record = admin.get(f"/thirdparties/{identifier}")
    assert record["user_creation"] == server.administrator.id
    assert record["user_modification"] == other.user_id  # type: ignore[attr-defined]


def test_deleting(server: Served, admin: Client) -> None:
    identifier = make(admin, "Gone")
    user = server.user(represents=[identifier])
    assert admin.ask("DELETE", f"/thirdparties/{identifier}") == 1
    admin.refused("GET", f"/thirdparties/{identifier}", status=404)
    admin.refused("DELETE", f"/thirdparties/{identifier}", status=404)
    ensure_connected()
    assert not Representative.select().where(Representative.user == user.user_id).exists()  # type: ignore[attr-defined]


def test_what_is_used_is_not_deleted(server: Served, admin: Client) -> None:
    with_contact, parent, with_user = make(admin), make(admin), make(admin)
    contact = admin.ask("POST", "/contacts", {"lastname": "A", "socid": with_contact})
    make(admin, parent=parent)
    server.user(socid=with_user)
    for identifier in (with_contact, parent, with_user):
        message = admin.refused("DELETE", f"/thirdparties/{identifier}", status=405)
        assert f"Thirdparty {identifier} is used by" in message
        assert admin.get(f"/thirdparties/{identifier}")["id"] == identifier
    assert admin.get(f"/contacts/{contact}")["socid"] == with_contact


def test_a_parent_is_another_third_party(admin: Client) -> None:
    a, b = make(admin), make(admin)
    assert admin.ask("PUT", f"/thirdparties/{b}", {"parent": a})["parent"] == a
    assert "parent" in wrong_fields(admin, {"parent": a}, "PUT", f"/thirdparties/{a}")
    assert "parent" in wrong_fields(admin, {"parent": b}, "PUT", f"/thirdparties/{a}")
    message = admin.refused("PUT", f"/thirdparties/{a}", {"parent": 99999}, status=404)
    assert "Thirdparty 99999 not found" in message
    assert admin.ask("PUT", f"/thirdparties/{b}", {"parent": -1})["parent"] is None


def test_local_tax_rates_need_their_flag(admin: Client) -> None:
    identifier = make(admin, localtax1_value=5)
    assert admin.get(f"/thirdparties/{identifier}")["localtax1_value"] == "0.0000"
    record = admin.ask("PUT", f"/thirdparties/{identifier}", {"localtax1_assuj": 1, "localtax1_value": 5})
    assert record["localtax1_value"] == "5.0000"
    record = admin.ask("PUT", f"/thirdparties/{identifier}", {"localtax1_assuj": 0})
    assert record["localtax1_value"] == "0.0000"


def test_the_email_can_be_made_mandatory(admin: Client) -> None:
    from modules.setup.constants import set_constant, unset_constant

    ensure_connected()
    set_constant("SOCIETE_EMAIL_MANDATORY", "1")
    try:
        message = admin.refused("POST", "/thirdparties", {"name": "x"}, status=400)
        assert message == "Bad Request: email field missing"
        make(admin, email="a@example.com")
    finally:
        unset_constant("SOCIETE_EMAIL_MANDATORY")
    make(admin)


# Bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": None}, {"name": "   "}])
def test_a_name_is_needed(admin: Client, body: dict[str, Any]) -> None:
    assert admin.refused("POST", "/thirdparties", body, status=400) == "Bad Request: name field missing"


def test_a_name_cannot_be_taken_away(admin: Client) -> None:
    identifier = make(admin, "Stays")
    for name in ("", None, " "):
        assert "name" in wrong_fields(admin, {"name": name}, "PUT", f"/thirdparties/{identifier}")
    assert admin.get(f"/thirdparties/{identifier}")["name"] == "Stays"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("client", 4), ("client", -1), ("client", "x"), ("client", 1.5), ("client", True), ("status", 2),
        ("status", "open"), ("fournisseur", 2), ("tva_assuj", 5), ("localtax1_assuj", 2), ("localtax2_assuj", -1),
        ("entity", 2), ("name", "x" * 129), ("name", ["x"]), ("name", {"a": 1}), ("name", "a\x00b"),
        ("email", "no-address"), ("email", "a@b"), ("email", "<a@example.com>"), ("town", "x" * 51),
        ("phone", "1" * 21), ("capital", "2,5"), ("capital", "abc"), ("capital", "1e40"), ("capital", "NaN"),
        ("outstanding_limit", "92233720368.6"), ("localtax1_value", "1000"), ("parent", "abc"),
        ("country_id", 2**31), ("mode_reglement_id", 2**15), ("socialnetworks", "x"), ("default_lang", "francais"),
        ("array_options", "x"), ("code_client", "x" * 25), ("tva_intra", "x" * 21), ("barcode", "x" * 181),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(admin: Client, field: str, value: Any) -> None:
    assert field in wrong_fields(admin, {"name": "x", field: value})
    identifier = make(admin, "x")
    if field != "code_client":
        assert field in wrong_fields(admin, {field: value}, "PUT", f"/thirdparties/{identifier}")
        assert field in wrong_fields(admin, {field: value}, "PATCH", f"/thirdparties/{identifier}")


def test_all_wrong_fields_are_told_at_once(admin: Client) -> None:
    body = {"client": 9, "status": "x", "email": "nowhere", "capital": "2,5", "town": "x" * 60, "zip": "75001"}
    wrong = wrong_fields(admin, body)
    assert set(wrong) == {"client", "status", "email", "capital", "town", "name"}
    assert "(0,1,2,3)" in wrong["client"]
    assert "x" in wrong["status"]
    assert admin.get("/thirdparties", sqlfilters="(t.zip:=:'75001') and (t.town:like:'xxx%')") == []


@pytest.mark.parametrize("commercial", ["abc", True, -7, 1.5, [1]])
def test_a_commercial_is_a_number(admin: Client, commercial: Any) -> None:
    assert "commercial_id" in wrong_fields(admin, {"name": "No trace", "commercial_id": commercial})
    assert admin.get("/thirdparties", sqlfilters="(t.nom:=:'No trace')") == []


@pytest.mark.parametrize("body", [[], [{"name": "x"}], "x", 5])
def test_a_body_is_an_object(admin: Client, body: Any) -> None:
    admin.refused("POST", "/thirdparties", body, status=400)


def test_keys_of_a_body_are_never_columns(admin: Client) -> None:
    hostile = {"nom=1,x": 1, "__class__": "x", "rowid": 5, "t.name": "x", '"; DROP TABLE llx_societe; --': 1}
    answer = admin.simulate_post("/thirdparties", json={"name": "Hostile", **hostile})
    assert answer.status_code == 200
    assert answer.headers["warning"].isascii()
    assert admin.get(f"/thirdparties/{answer.json}")["name"] == "Hostile"


# Codes ---------------------------------------------------------------------------------------------------------------


def month() -> str:
    return f"{datetime.datetime.now(datetime.UTC):%y%m}"


@pytest.mark.parametrize("word", ["-1", -1, "auto", "AUTO"])
def test_codes_are_generated_one_behind_the_other(admin: Client, word: Any) -> None:
    codes = []
    for _ in range(2):
        identifier = make(admin, client=1, fournisseur=1, code_client=word, code_fournisseur=word)
        record = admin.get(f"/thirdparties/{identifier}")
        codes.append((record["code_client"], record["code_fournisseur"]))
    (first, first_supplier), (second, second_supplier) = codes
    assert first.startswith(f"CU{month()}-") and len(first.partition("-")[2]) == 5
    assert first_supplier.startswith(f"SU{month()}-")
    assert int(second.partition("-")[2]) == int(first.partition("-")[2]) + 1
    assert int(second_supplier.partition("-")[2]) == int(first_supplier.partition("-")[2]) + 1


def test_codes_are_written_only_for_their_kind(admin: Client) -> None:
    sent = {"code_fournisseur": "SU2601-00500", "code_compta": "411", "code_compta_fournisseur": "401"}
    record = admin.get(f"/thirdparties/{make(admin, **sent)}")
    assert {field: record[field] for field in sent} == dict.fromkeys(sent)
    record = admin.get(f"/thirdparties/{make(admin, client=1, fournisseur=1, **sent)}")
    assert {field: record[field] for field in sent} == sent


def test_codes_are_checked_only_for_their_kind(admin: Client) -> None:
    message = admin.refused("POST", "/thirdparties", {"name": "x", "client": 1, "code_client": "short"}, status=400)
    assert "ErrorBadCustomerCodeSyntax" in message
    body = {"name": "x", "fournisseur": 1, "code_fournisseur": "short"}
    assert "ErrorBadSupplierCodeSyntax" in admin.refused("POST", "/thirdparties", body, status=400)
    assert admin.get(f"/thirdparties/{make(admin, code_client='short')}")["code_client"] == "short"
    assert admin.get(f"/thirdparties/{make(admin, client=1)}")["code_client"] is None
    assert admin.get(f"/thirdparties/{make(admin, client=1, code_client='')}")["code_client"] is None


def test_codes_are_unique(admin: Client) -> None:
    make(admin, client=1, code_client="CU2601-00900")
    for code in ("CU2601-00900", " cu2601-00900 "):
        body = {"name": "x", "client": 1, "code_client": code}
        assert "ErrorCustomerCodeAlreadyUsed" in admin.refused("POST", "/thirdparties", body, status=405)
    make(admin, fournisseur=1, code_fournisseur="SU2601-00900")
    body = {"name": "x", "fournisseur": 1, "code_fournisseur": "SU2601-00900"}
    assert "ErrorSupplierCodeAlreadyUsed" in admin.refused("POST", "/thirdparties", body, status=405)


def test_deleting_the_last_one_frees_its_number(admin: Client) -> None:
    first, last = (make(admin, client=1, code_client="auto") for _ in range(2))
    code = admin.get(f"/thirdparties/{last}")["code_client"]
    admin.ask("DELETE", f"/thirdparties/{last}")
    again = make(admin, client=1, code_client="auto")
    assert admin.get(f"/thirdparties/{again}")["code_client"] == code
    admin.ask("DELETE", f"/thirdparties/{first}")
    further = admin.get(f"/thirdparties/{make(admin, client=1, code_client='auto')}")["code_client"]
    assert int(further.partition("-")[2]) == int(code.partition("-")[2]) + 1


def test_barcodes_are_unique(admin: Client) -> None:
    make(admin, barcode="ONE")
    other = make(admin, barcode="")
    make(admin, barcode="")
    assert "barcode" in admin.refused("POST", "/thirdparties", {"name": "x", "barcode": "ONE"}, status=405)
    assert "barcode" in admin.refused("PUT", f"/thirdparties/{other}", {"barcode": "ONE"}, status=405)


def test_codes_never_repeat_under_concurrency(server: Served) -> None:
    made: list[int] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                made.append(make(server.client(), "Together", client=1, code_client="auto"))
        except BaseException as error:
            failed.append(error)
        finally:
            close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    rows = server.client().get("/thirdparties", sqlfilters="(t.nom:=:'Together')", properties="code_client")
    numbers = sorted(int(row["code_client"].partition("-")[2]) for row in rows)
    assert len(numbers) == len(made) == 20
    assert numbers == list(range(numbers[0], numbers[0] + 20))


# Lists ---------------------------------------------------------------------------------------------------------------

#: name, town, outstanding_limit, client, fournisseur, status
LISTED = [
    ("Alpha", "Nice", None, 0, 0, 1),
    ("Beta", "Brest", "5", 1, 0, 0),
    ("Gamma", "Nice", "5", 2, 0, 1),
    ("Delta", "Brest", "100.5", 3, 0, 0),
    ("Epsilon", "Nice", None, 0, 1, 1),
    ("Zeta", "Brest", "0", 1, 1, 0),
    ("Eta%", "Nice", "12.00000001", 2, 1, 1),
]
OURS = "(t.ref_ext:=:'listed')"


@pytest.fixture(scope="module")
def listed(admin: Client) -> list[int]:
    return [
        make(
            admin, name, town=town, outstanding_limit=limit, client=client, fournisseur=supplier, status=status,
            ref_ext="listed",
        )
        for name, town, limit, client, supplier, status in LISTED
    ]  # fmt: skip


@pytest.mark.usefixtures("listed")
class TestLists:
    def test_pages(self, admin: Client, listed: list[int]) -> None:
        pages = [admin.get("/thirdparties", sqlfilters=OURS, limit=3, page=page) for page in range(4)]
        assert [[row["id"] for row in page] for page in pages] == [listed[:3], listed[3:6], listed[6:], []]

    def test_an_empty_list_is_an_empty_list(self, admin: Client) -> None:
        assert admin.get("/thirdparties", sqlfilters="(t.rowid:=:-5)") == []

    def test_one_match_is_an_array_of_one(self, admin: Client) -> None:
        assert names(admin.get("/thirdparties", sqlfilters=f"{OURS} and (t.nom:=:'Beta')")) == ["Beta"]

    def test_sorting_by_two_fields(self, admin: Client) -> None:
        rows = admin.get("/thirdparties", sqlfilters=OURS, sortfield="t.town,t.nom", sortorder="ASC,DESC")
        assert names(rows) == ["Zeta", "Delta", "Beta", "Gamma", "Eta%", "Epsilon", "Alpha"]
        rows = admin.get("/thirdparties", sqlfilters=OURS, sortfield="town,name", sortorder="desc")
        assert names(rows) == ["Gamma", "Eta%", "Epsilon", "Alpha", "Zeta", "Delta", "Beta"]

    def test_sorting_by_amount_puts_null_first(self, admin: Client) -> None:
        rows = admin.get("/thirdparties", sqlfilters=OURS, sortfield="t.outstanding_limit")
        assert names(rows) == ["Alpha", "Epsilon", "Zeta", "Beta", "Gamma", "Eta%", "Delta"]
        assert [row["outstanding_limit"] for row in rows][2:] == [
            "0.00000000", "5.00000000", "5.00000000", "12.00000001", "100.50000000",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("sortfield", "sortorder", "expected"),
        [
            ("t.outstanding_limit", "ASC", ["Alpha", "Epsilon", "Zeta", "Beta", "Gamma", "Eta%", "Delta"]),
            ("t.outstanding_limit", "DESC", ["Delta", "Eta%", "Gamma", "Beta", "Zeta", "Epsilon", "Alpha"]),
            ("t.town,t.outstanding_limit", "ASC,DESC", ["Delta", "Beta", "Zeta", "Eta%", "Gamma", "Epsilon", "Alpha"]),
            ("t.datec,t.rowid", "DESC,ASC", None),
            ("", "", ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta%"]),
        ],
    )
    @pytest.mark.parametrize("limit", [1, 2, 3, 10])
    def test_a_cursor_walks_the_whole_list(
        self, admin: Client, sortfield: str, sortorder: str, expected: list[str] | None, limit: int
    ) -> None:
        found, cursor = [], ""
        for _ in range(10):
            params = {"sqlfilters": OURS, "sortfield": sortfield, "sortorder": sortorder, "limit": limit}
            answer = admin.simulate_get("/thirdparties", params=params | ({"after": cursor} if cursor else {}))
            assert answer.status_code == 200, answer.text
            found += names(answer.json)
            cursor = answer.headers.get("x-next-cursor", "")
            if not cursor:
                break
        if expected is None:
            assert sorted(found) == sorted(row[0] for row in LISTED)
        else:
            assert found == expected

    def test_a_cursor_of_another_order_is_refused(self, admin: Client) -> None:
        answer = admin.simulate_get("/thirdparties", params={"limit": 1, "sqlfilters": OURS})
        cursor = answer.headers["x-next-cursor"]
        for params in ({"sortfield": "t.nom", "after": cursor}, {"after": "abc"}, {"after": cursor[:-3]}):
            admin.refused("GET", "/thirdparties", status=400, params=params)

    def test_counting(self, admin: Client) -> None:
        answer = admin.simulate_get("/thirdparties", params={"sqlfilters": OURS, "limit": 2, "count": "true"})
        assert (answer.headers["x-total-count"], len(answer.json)) == ("7", 2)
        wrapped = admin.get("/thirdparties", sqlfilters=OURS, limit=2, page=1, pagination_data="true")
        assert names(wrapped["data"]) == ["Gamma", "Delta"]
        assert wrapped["pagination"] == {"total": 7, "page": 1, "page_count": 4, "limit": 2}

    def test_properties(self, admin: Client) -> None:
        row = admin.get("/thirdparties", sqlfilters=OURS, limit=1, properties="name,outstanding_limit,country_code")
        assert row == [{"name": "Alpha", "outstanding_limit": None, "country_code": None}]
        admin.refused("GET", "/thirdparties", status=400, params={"properties": "name,nonsense"})

    @pytest.mark.parametrize(
        ("mode", "expected"),
        [
            (0, [row[0] for row in LISTED]),
            (1, ["Beta", "Delta", "Zeta"]),
            (2, ["Gamma", "Delta", "Eta%"]),
            (3, ["Alpha", "Epsilon"]),
            (4, ["Epsilon", "Zeta", "Eta%"]),
        ],
    )
    def test_modes(self, admin: Client, mode: int, expected: list[str]) -> None:
        assert names(admin.get("/thirdparties", sqlfilters=OURS, mode=mode)) == expected

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("(t.nom:like:'%eta')", ["Beta", "Zeta"]),
            ("(t.name:like:'%ETA')", ["Beta", "Zeta"]),
            (r"(t.nom:like:'%\%')", ["Eta%"]),
            ("(t.nom:in:'Alpha','Gamma')", ["Alpha", "Gamma"]),
            ("(t.outstanding_limit:>:5)", ["Delta", "Eta%"]),
            ("(t.outstanding_limit:=:'5.00000000')", ["Beta", "Gamma"]),
            ("(t.outstanding_limit:is:NULL)", ["Alpha", "Epsilon"]),
            ("not (t.client:in:1,2,3)", ["Alpha", "Epsilon"]),
            ("(t.client:!=:0) and ((t.town:=:'Nice') or (t.status:=:1))", ["Gamma", "Eta%"]),
            ("(t.datec:>:'20200101')", [row[0] for row in LISTED]),
            ("(t.datec:<:'2020-01-01 10:00:00')", []),
        ],
    )
    def test_filters(self, admin: Client, condition: str, expected: list[str]) -> None:
        assert names(admin.get("/thirdparties", sqlfilters=f"{OURS} and ({condition})")) == expected

    @pytest.mark.parametrize(("field", "column"), COLUMNS.items())
    def test_fields_and_columns_are_named_alike(self, admin: Client, field: str, column: str) -> None:
        for name in (field, column):
            rows = admin.get("/thirdparties", sqlfilters=f"{OURS} and not (t.{name}:is:NULL)", sortfield=f"t.{name}")
            same = admin.get("/thirdparties", sqlfilters=f"{OURS} and (t.{column}:isnot:NULL)")
            assert sorted(names(rows)) == sorted(names(same))

    def test_a_page_is_capped(self, admin: Client, server: Served) -> None:
        assert len(admin.get("/thirdparties", sqlfilters=OURS, limit=0)) == 7
        assert server.settings.max_page == 1000

    def test_the_list_is_a_spreadsheet_too(self, admin: Client) -> None:
        answer = admin.simulate_get(
            "/thirdparties", params={"sqlfilters": OURS, "properties": "name"}, headers={"Accept": "text/csv"}
        )
        assert answer.text.split() == ["name", *(row[0] for row in LISTED)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sqlfilters", "1=1"),
        ("sqlfilters", "(t.rowid:=:1) or 1=1"),
        ("sqlfilters", "(t.rowid:=:1)) UNION SELECT * FROM llx_user --"),
        ("sqlfilters", "(t.nonsense:=:1)"),
        ("sqlfilters", "(t.rowid:=:'abc')"),
        ("sqlfilters", "(t.rowid:~:1)"),
        ("sqlfilters", "(" * 10000),
        ("sqlfilters", "(t.nom;--:=:1)"),
        ("sqlfilters", "(u.pass_crypted:like:'a%')"),
        ("sortfield", "t.nom;--"),
        ("sortfield", "(select 1)"),
        ("sortfield", "u.login"),
        ("sortorder", "ASC,(select 1)"),
        ("limit", "abc"),
        ("limit", "-1"),
        ("page", "x"),
        ("mode", "5"),
        ("mode", "-1"),
        ("mode", "x"),
        ("properties", "(select 1)"),
        ("pagination_data", "perhaps"),
    ],
)
def test_hostile_lists(admin: Client, name: str, value: str) -> None:
    make(admin)
    message = admin.refused("GET", "/thirdparties", status=400, params={name: value})
    assert "SELECT t." not in message


def test_lists_need_few_statements(admin: Client) -> None:
    for number in range(12):
        make(admin, ref_ext="few", country_id=1, town=str(number))
    counts = set()
    for limit in (2, 12):
        with statements() as seen:
            assert len(admin.get("/thirdparties", sqlfilters="(t.ref_ext:=:'few')", limit=limit)) == limit
        counts.add(len(seen))
    # the caller and the list; the dictionary of countries is kept
    assert counts == {2}


# Extra fields --------------------------------------------------------------------------------------------------------


@pytest.fixture
def extra_fields(server: Served) -> Iterator[None]:
    ensure_connected()
    define("societe", "colour", {"label": "Colour", "type": "varchar", "size": "10"})
    define("societe", "points", {"label": "Points", "type": "int"})
    define("societe", "worth", {"label": "Worth", "type": "price"})
    yield
    ensure_connected()
    for name in ("colour", "points", "worth"):
        undefine("societe", name)


@pytest.mark.usefixtures("extra_fields")
class TestExtraFields:
    def test_kept_and_read(self, admin: Client) -> None:
        identifier = make(admin, array_options={"options_colour": "red", "points": "7", "options_worth": "1.5"})
        assert admin.get(f"/thirdparties/{identifier}")["array_options"] == {
            "options_colour": "red", "options_points": 7, "options_worth": "1.50000000",
        }  # fmt: skip

    def test_put_replaces_and_patch_merges(self, admin: Client) -> None:
        identifier = make(admin, array_options={"options_colour": "red", "options_points": 7})
        path = f"/thirdparties/{identifier}"
        assert admin.ask("PUT", path, {"town": "x"})["array_options"]["options_points"] == 7
        patched = admin.ask("PATCH", path, {"array_options": {"options_colour": "blue"}})["array_options"]
        assert patched == {"options_colour": "blue", "options_points": 7, "options_worth": None}
        replaced = admin.ask("PUT", path, {"array_options": {"options_colour": "green"}})["array_options"]
        assert replaced == {"options_colour": "green", "options_points": None, "options_worth": None}

    def test_filtered_and_sorted_by(self, admin: Client) -> None:
        for colour, points in (("red", 3), ("green", 1), ("blue", 2)):
            make(admin, colour, ref_ext="ef", array_options={"options_colour": colour, "options_points": points})
        make(admin, "none", ref_ext="ef")
        ours = "(t.ref_ext:=:'ef')"
        assert names(admin.get("/thirdparties", sqlfilters=f"{ours} and (ef.points:>=:2)")) == ["red", "blue"]
        assert names(admin.get("/thirdparties", sqlfilters=f"{ours} and (ef.colour:like:'%E%')")) == [
            "red", "green", "blue",
        ]  # fmt: skip
        rows = admin.get("/thirdparties", sqlfilters=ours, sortfield="ef.points", sortorder="desc")
        assert names(rows) == ["red", "blue", "green", "none"]

    @pytest.mark.parametrize(
        ("field", "value"), [("options_points", "many"), ("options_colour", "x" * 11), ("options_worth", "2,5")]
    )
    def test_values_that_do_not_fit(self, admin: Client, field: str, value: str) -> None:
        wrong = wrong_fields(admin, {"client": 9, "array_options": {field: value}})
        assert set(wrong) == {"client", "name", f"array_options.{field}"}

    def test_unknown_ones_are_named(self, admin: Client) -> None:
        answer = admin.simulate_post("/thirdparties", json={"name": "x", "array_options": {"options_size": 1}})
        assert "array_options.options_size" in answer.headers["warning"]

    def test_they_go_with_the_record(self, admin: Client) -> None:
        identifier = make(admin, array_options={"options_colour": "red"})
        admin.ask("DELETE", f"/thirdparties/{identifier}")
        ensure_connected()
        rows = database.execute_sql(f"SELECT COUNT(*) FROM llx_societe_extrafields WHERE fk_object = {identifier}")
        assert rows.fetchone()[0] == 0


def test_a_required_extra_field(admin: Client) -> None:
    older = make(admin)
    ensure_connected()
    define("societe", "must", {"label": "Must", "type": "varchar", "required": 1})
    try:
        assert set(wrong_fields(admin, {"name": "x"})) == {"array_options.options_must"}
        assert set(wrong_fields(admin, {"client": 9})) == {"client", "name", "array_options.options_must"}
        wrong = wrong_fields(admin, {"name": "x", "array_options": {"options_must": ""}})
        assert set(wrong) == {"array_options.options_must"}
        make(admin, array_options={"options_must": "x"})
        # A change that does not speak of it passes, one that empties it does not
        admin.ask("PUT", f"/thirdparties/{older}", {"town": "x"})
        body = {"array_options": {"options_must": None}}
        assert set(wrong_fields(admin, body, "PUT", f"/thirdparties/{older}")) == {"array_options.options_must"}
    finally:
        ensure_connected()
        undefine("societe", "must")


# Representatives -----------------------------------------------------------------------------------------------------


def test_representatives(server: Served, admin: Client) -> None:
    identifier = make(admin)
    path = f"/thirdparties/{identifier}/representatives"
    assert admin.get(path) == []
    first, second = (server.user().user_id for _ in range(2))  # type: ignore[attr-defined]
    admin.ask("POST", f"{path}/{second}")
    told = admin.ask("POST", f"{path}/{first}")
    assert [user["id"] for user in told] == [first, second]
    assert admin.get(path) == told
    assert {"id", "login", "lastname", "firstname", "email", "statut"} <= set(told[0])
    assert not [key for key in told[0] if "pass" in key or "key" in key or key == "admin"]
    assert admin.get(path, mode=1) == [first, second]
    assert "already" in admin.refused("POST", f"{path}/{first}", status=405)
    assert admin.ask("DELETE", f"{path}/{first}") == 1
    admin.refused("DELETE", f"{path}/{first}", status=404)
    assert admin.get(path, mode=1) == [second]
    assert "User 99999 not found" in admin.refused("POST", f"{path}/99999", status=404)
    admin.refused("GET", "/thirdparties/99999/representatives", status=404)
    admin.refused("POST", f"/thirdparties/99999/representatives/{first}", status=404)
    admin.refused("GET", path, status=400, params={"mode": "2"})


def test_an_external_user_represents_nobody(server: Served, admin: Client) -> None:
    identifier = make(admin)
    external = server.user(socid=identifier).user_id  # type: ignore[attr-defined]
    admin.refused("POST", f"/thirdparties/{identifier}/representatives/{external}", status=405)
    admin.refused("POST", "/thirdparties", {"name": "x", "commercial_id": external}, status=405)


def test_a_creation_names_a_representative(server: Served, admin: Client) -> None:
    user = server.user().user_id  # type: ignore[attr-defined]
    identifier = make(admin, commercial_id=user)
    assert admin.get(f"/thirdparties/{identifier}/representatives", mode=1) == [user]
    assert admin.get(f"/thirdparties/{make(admin, commercial_id=-1)}/representatives") == []
    message = admin.refused("POST", "/thirdparties", {"name": "No trace 2", "commercial_id": 99999}, status=404)
    assert "99999" in message
    assert admin.get("/thirdparties", sqlfilters="(t.nom:=:'No trace 2')") == []


# Rights --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "calls"),
    [
        (
            "thirdparties.read",
            [
                ("GET", ""), ("GET", "/{id}"), ("GET", "/email/a@example.com"), ("GET", "/barcode/x"),
                ("GET", "/{id}/representatives"),
            ],
        ),
        (
            "thirdparties.write",
            [
                ("POST", ""), ("PUT", "/{id}"), ("PATCH", "/{id}"), ("POST", "/{id}/representatives/1"),
                ("DELETE", "/{id}/representatives/1"),
            ],
        ),
        ("thirdparties.delete", [("DELETE", "/{id}")]),
    ],
)  # fmt: skip
def test_each_call_needs_its_right(server: Served, admin: Client, right: str, calls: list[tuple[str, str]]) -> None:
    every = {"thirdparties.read", "thirdparties.write", "thirdparties.delete", "thirdparties.all"}
    without = server.user(*(every - {right}))
    identifier = make(admin)
    for verb, path in calls:
        url = "/thirdparties" + path.format(id=identifier)
        assert right in without.refused(verb, url, {"name": "x"} if verb[0] == "P" else None, status=401)
        server.client(None).refused(verb, url, status=401)
    assert admin.get(f"/thirdparties/{identifier}")["name"] == "Somebody"


def test_one_right_is_enough(server: Served, admin: Client) -> None:
    identifier = make(admin, "Readable")
    reader = server.user("thirdparties.read", "thirdparties.all")
    assert reader.get(f"/thirdparties/{identifier}")["name"] == "Readable"
    restricted = server.user(admin=True, only=["thirdparties.read", "thirdparties.all"])
    assert restricted.get(f"/thirdparties/{identifier}")["name"] == "Readable"
    restricted.refused("POST", "/thirdparties", {"name": "x"}, status=401)


def test_demonstration_data(admin: Client) -> None:
    import random

    from modules.thirdparties.demo import make as make_demo

    made = []
    for _ in range(2):
        last = make(admin, "Last")
        last_contact = admin.ask("POST", "/contacts", {"lastname": "Last"})
        ensure_connected()
        make_demo(random.Random(1), datetime.date(2026, 11, 21))
        shown = "name,town,phone,email,client,fournisseur,outstanding_limit,date_creation,status"
        companies = admin.get("/thirdparties", sqlfilters=f"(t.rowid:>:{last})", properties=shown, limit=400)
        shown = "lastname,firstname,phone_pro,birthday,email,socname,date_creation"
        people = admin.get("/contacts", sqlfilters=f"(t.rowid:>:{last_contact})", properties=shown, limit=400)
        made.append((companies, people))
    assert made[0] == made[1]
    companies, people = made[0]
    assert (len(companies), len({row["name"] for row in companies}), len(people)) == (160, 160, 300)
    assert any("Ελ" in row["name"] for row in companies)
    assert any("Ź" in row["name"] for row in companies)
    assert any(person["socname"] is None for person in people)
    assert all(row["date_creation"] < 1795219200 for row in companies + people)  # 2026-11-21
