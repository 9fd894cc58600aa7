"""Third parties and contacts in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

import pytest

from core.storage.database import ensure_connected
from core.testing import ADMIN_KEY


def make(client, service, /, **fields):
    identifier = client.ask("POST", f"/{service}", fields)
    # A created id is a bare integer in both profiles
    assert isinstance(identifier, int)
    return identifier


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
