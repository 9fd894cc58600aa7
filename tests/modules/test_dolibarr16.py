"""Third parties and contacts in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

from __future__ import annotations

from typing import Any

import pytest

from core.storage.database import ensure_connected
from core.testing import ADMIN_KEY, Client, Served


@pytest.fixture(scope="module")
def old(old_server: Served) -> Client:
    return old_server.client()


def make(client: Client, service: str, /, **fields: Any) -> int:
    identifier = client.ask("POST", f"/{service}", fields)
    # A created id is a bare integer in both profiles
    assert isinstance(identifier, int)
    return identifier


def test_lists_without_a_match_are_missing(old: Client) -> None:
    for service, message in (("thirdparties", "Thirdparties not found"), ("contacts", "Contacts not found")):
        for params in ({"sqlfilters": "(t.rowid:=:-5)"}, {"page": "1000"}):
            assert old.refused("GET", f"/{service}", status=404, params=params) == f"Not Found: {message}"
    identifier = make(old, "thirdparties", name="x")
    assert old.get(f"/thirdparties/{identifier}/representatives") == []


def test_the_recorded_third_party(old: Client, old_server: Served) -> None:
    body = {
        "name": "Contract Test Customer 226844", "client": "1", "code_client": "-1", "address": "1 Test Street",
        "email": "customer226844@example.com", "zip": "75001", "town": "Paris", "country_id": 1, "tva_assuj": 1,
        "status": 1,
    }  # fmt: skip
    identifier = make(old, "thirdparties", **body)
    record = old.get(f"/thirdparties/{identifier}")
    # Of the recorded answer what every record has
    recorded = {
        "entity": "1", "import_key": None, "array_options": [], "canvas": None, "ref_ext": None, "statut": None,
        "status": "1", "country_id": "1", "country_code": "FR", "state_id": None, "region_id": None,
        "mode_reglement_id": None, "cond_reglement_id": None, "transport_mode_id": None, "shipping_method_id": None,
        "last_main_doc": None, "fk_account": "0", "note_public": None, "note_private": None,
        "name": "Contract Test Customer 226844", "address": "1 Test Street", "zip": "75001", "town": "Paris",
        "phone": None, "fax": None, "email": "customer226844@example.com", "socialnetworks": [], "url": None,
        "barcode": None, "tva_assuj": "1", "localtax1_value": "0.0000", "localtax2_value": "0.0000",
        "typent_code": None, "effectif_id": None, "forme_juridique_code": None, "deposit_percent": None,
        "client": "1", "prospect": 0, "fournisseur": "0", "code_fournisseur": None, "code_compta_client": None,
        "code_compta": None, "code_compta_fournisseur": None, "stcomm_id": "0",
        "status_prospect_label": "Never contacted", "price_level": None, "outstanding_limit": None,
        "order_min_amount": None, "supplier_order_min_amount": None, "parent": None, "default_lang": None,
        "webservices_url": None, "webservices_key": None, "logo": None, "logo_squarred": None, "fk_warehouse": None,
        "location_incoterms": None, "absolute_discount": "0", "absolute_creditnote": "0",
    }  # fmt: skip
    assert {key: record[key] for key in recorded} == recorded
    assert record["id"] == record["ref"] == str(identifier)
    assert record["user_creation"] == record["user_modification"] == str(old_server.administrator.id)
    assert isinstance(record["date_creation"], int)
    assert isinstance(record["date_modification"], int)
    assert record["code_client"].startswith("CU")


def test_amounts_keep_their_places(old: Client) -> None:
    identifier = make(
        old, "thirdparties", name="x", capital="1000", outstanding_limit="9999999999.12345678", localtax1_assuj=1,
        localtax1_value=5.2,
    )  # fmt: skip
    record = old.get(f"/thirdparties/{identifier}")
    assert (record["capital"], record["outstanding_limit"]) == ("1000.00000000", "9999999999.12345678")
    assert (record["localtax1_assuj"], record["localtax1_value"]) == ("1", "5.2000")


def test_the_recorded_contact(old: Client) -> None:
    owner = make(old, "thirdparties", name="Owner", status=1)
    body = {"lastname": "Doe", "firstname": "Jane", "email": "jane226844@example.com", "phone_pro": "0611223344"}
    identifier = make(old, "contacts", **body, socid=owner, statut=1)
    record = old.get(f"/contacts/{identifier}")
    recorded = body | {
        "id": str(identifier), "ref": str(identifier), "entity": "1", "array_options": [], "statut": "1",
        "country_id": None, "socid": str(owner), "fk_soc": str(owner), "socialnetworks": [], "photo": None,
        "priv": "0", "birthday": "", "default_lang": None, "ref_facturation": None, "ref_contrat": None,
        "ref_commande": None, "ref_propal": None, "user_id": None, "user_login": None, "roles": None,
        "stcomm_id": "0", "socname": "Owner", "mail": "jane226844@example.com",
    }  # fmt: skip
    assert {key: record[key] for key in recorded} == recorded
    assert isinstance(record["date_creation"], int)
    assert old.get(f"/contacts/{identifier}", includecount=1, includeroles=1)["roles"] == []
    assert old.ask("PUT", f"/contacts/{identifier}", {"birthday": 3789 * 86400})["birthday"] == 3789 * 86400
    assert old.ask("PUT", f"/contacts/{identifier}", {"birthday": ""})["birthday"] == ""


def test_what_was_read_can_be_sent_back(old: Client) -> None:
    owner = make(old, "thirdparties", name="Round trip", capital=5, parent=make(old, "thirdparties", name="Parent"))
    contact = make(old, "contacts", lastname="Round trip", socid=owner)
    for path in (f"/thirdparties/{owner}", f"/contacts/{contact}"):
        record = old.get(path)
        after = old.ask("PUT", path, record)
        assert after | {"date_modification": 0} == record | {"date_modification": 0}


def test_put_merges(old: Client) -> None:
    identifier = make(old, "thirdparties", name="x", town="Paris", zip="75001")
    record = old.ask("PUT", f"/thirdparties/{identifier}", {"zip": "75002"})
    assert (record["town"], record["zip"]) == ("Paris", "75002")


def test_a_new_record_that_names_no_status_is_open(old: Client) -> None:
    assert old.get(f"/thirdparties/{make(old, 'thirdparties', name='x')}")["status"] == "1"
    assert old.get(f"/contacts/{make(old, 'contacts', lastname='x')}")["statut"] == "1"
    assert old.get(f"/thirdparties/{make(old, 'thirdparties', name='x', status='0')}")["status"] == "0"


def test_limits(old: Client, old_server: Served) -> None:
    from modules.thirdparties.models import Contact

    ensure_connected()
    wanted = old_server.settings.max_page + 10
    for start in range(0, wanted, 101):
        Contact.insert_many(
            [{"lastname": f"n{number}", "ref_ext": "many"} for number in range(start, min(start + 101, wanted))]
        ).execute()
    many = "(t.ref_ext:=:'many')"
    assert len(old.get("/contacts", sqlfilters=many, limit=0)) == wanted
    assert len(old.get("/contacts", sqlfilters=many, limit="0", page=3)) == wanted
    assert len(old.get("/contacts", sqlfilters=many, limit=-1)) == wanted
    assert len(old.get("/contacts", sqlfilters=many, limit=-5)) == 20
    assert len(old.get("/contacts", sqlfilters=many)) == 100
    assert [row["lastname"] for row in old.get("/contacts", sqlfilters=many, limit=3, page=-2)] == ["n0", "n1", "n2"]


@pytest.mark.parametrize("name", ["DOLAPIKEY", "api_key"])
def test_the_key_may_come_in_the_url(old: Client, old_server: Served, name: str) -> None:
    identifier = make(old, "thirdparties", name="By key")
    nobody = old_server.client(None)
    assert nobody.get(f"/thirdparties/{identifier}", **{name: ADMIN_KEY})["name"] == "By key"
    nobody.refused("GET", f"/thirdparties/{identifier}", status=401, params={name: "wrong"})
    # A valid header beats a wrong query value
    assert old.get(f"/thirdparties/{identifier}", **{name: "wrong"})["name"] == "By key"


def test_filters_take_the_same_values(old: Client) -> None:
    identifier = make(old, "thirdparties", name="Filtered", outstanding_limit="12.5", status=1)
    for condition in ("(t.outstanding_limit:=:12.5)", "(t.status:=:'1')", "(t.rowid:>:'0')"):
        rows = old.get("/thirdparties", sqlfilters=f"{condition} and (t.nom:=:'Filtered')")
        assert [row["id"] for row in rows] == [str(identifier)]


def test_modes_and_third_parties(old: Client) -> None:
    customer = make(old, "thirdparties", name="Customer", client=1, ref_ext="m")
    assert [row["id"] for row in old.get("/thirdparties", mode=1, sqlfilters="(t.ref_ext:=:'m')")] == [str(customer)]
    message = old.refused("GET", "/thirdparties", status=404, params={"mode": 2, "sqlfilters": "(t.ref_ext:=:'m')"})
    assert message == "Not Found: Thirdparties not found"
    contact = make(old, "contacts", lastname="x", socid=customer)
    assert [row["id"] for row in old.get("/contacts", thirdparty_ids=str(customer))] == [str(contact)]
