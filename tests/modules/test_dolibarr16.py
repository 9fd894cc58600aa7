"""Third parties and contacts in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

import pytest

from core.storage.database import ensure_connected
from core.testing import ADMIN_KEY


@pytest.fixture(scope="module")
def old(old_server):
    return old_server.client()


def make(client, service, /, **fields):
    identifier = client.ask("POST", f"/{service}", fields)
    # A created id is a bare integer in both profiles
    assert isinstance(identifier, int)
    return identifier


def test_amounts_keep_their_places(old):
    identifier = make(
        old, "thirdparties", name="x", capital="1000", outstanding_limit="9999999999.12345678", localtax1_assuj=1,
        localtax1_value=5.2,
    )  # fmt: skip
    record = old.get(f"/thirdparties/{identifier}")
    assert (record["capital"], record["outstanding_limit"]) == ("1000.00000000", "9999999999.12345678")
    assert (record["localtax1_assuj"], record["localtax1_value"]) == ("1", "5.2000")


def test_a_new_record_that_names_no_status_is_open(old):
    assert old.get(f"/thirdparties/{make(old, 'thirdparties', name='x')}")["status"] == "1"
    assert old.get(f"/contacts/{make(old, 'contacts', lastname='x')}")["statut"] == "1"
    assert old.get(f"/thirdparties/{make(old, 'thirdparties', name='x', status='0')}")["status"] == "0"


def test_limits(old, old_server):
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
def test_the_key_may_come_in_the_url(old, old_server, name):
    identifier = make(old, "thirdparties", name="By key")
    nobody = old_server.client(None)
    assert nobody.get(f"/thirdparties/{identifier}", **{name: ADMIN_KEY})["name"] == "By key"
    nobody.refused("GET", f"/thirdparties/{identifier}", status=401, params={name: "wrong"})
    # A valid header beats a wrong query value
    assert old.get(f"/thirdparties/{identifier}", **{name: "wrong"})["name"] == "By key"


def test_lists_of_identifiers_are_text(old):
    customer = make(old, "thirdparties", name="Customer", client=1, ref_ext="m")
    assert old.get(f"/thirdparties/{customer}/representatives") == []
    assert [row["id"] for row in old.get("/thirdparties", mode=1, sqlfilters="(t.ref_ext:=:'m')")] == [str(customer)]
    old.get("/thirdparties", mode=2, sqlfilters="(t.ref_ext:=:'m')", status=404)
    contact = make(old, "contacts", lastname="x", socid=customer)
    assert [row["id"] for row in old.get("/contacts", thirdparty_ids=str(customer))] == [str(contact)]
