"""Look-ups by a value that several records may have: one record, or 409 with how many the caller may see."""

import pytest

from core.testing import serving

DAY = 1795219200
RIGHTS = ("thirdparties", "contacts", "proposals", "orders", "invoices", "shipments")


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def served(request, kind, tmp_path_factory):
    """The native modules in each profile."""
    with serving(tmp_path_factory.mktemp(kind), kind, profile_name=request.param) as made:
        yield made


@pytest.fixture(scope="module")
def client(served):
    return served.client()


def thirdparty(client, **fields):
    return int(client.ask("POST", "/thirdparties", {"name": "Acme", "client": 1, **fields}))


def document(client, service, socid, value):
    body = {"socid": socid, "date": DAY, "ref_ext": value}
    if service == "proposals":
        body |= {"duree_validite": 15}
    if service == "shipments":
        order = client.ask("POST", "/orders", {"socid": socid, "date": DAY, "lines": [{"qty": 1, "subprice": 1}]})
        client.ask("POST", f"/orders/{order}/validate", {})
        body = {"origin": "commande", "origin_id": order, "socid": socid, "ref_ext": value}
    return int(client.ask("POST", f"/{service}", body))


def make(client, service, socid, value):
    """A record with a value, of a third party."""
    if service == "thirdparties":
        client.ask("PUT", f"/thirdparties/{socid}", {"email": value})
        return socid
    if service == "contacts":
        return int(client.ask("POST", "/contacts", {"lastname": "Roy", "socid": socid, "email": value}))
    return document(client, service, socid, value)


@pytest.mark.parametrize("service", RIGHTS)
def test_several_records_that_the_caller_may_see_are_a_conflict(served, client, service):
    by = "email" if service in ("thirdparties", "contacts") else "ref_ext"
    value = f"{service}@example.org"
    path = f"/{service}/{by}/{value}"
    firms = [thirdparty(client) for _ in range(3)]
    client.get(path, status=404)
    first = make(client, service, firms[0], value)
    assert int(client.get(path)["id"]) == first
    make(client, service, firms[1], value)
    third = make(client, service, firms[2], value)
    error = client.get(path, status=409)["error"]
    assert f"`{by}`: expected one" in error["message"]
    assert "got 3" in error["message"]
    assert [each["field"] for each in error["errors"]] == [by]
    rights = {f"{service}.read", "thirdparties.read"}
    # Only records that the caller may see count
    outsider = served.user(*rights, socid=firms[2])
    assert int(outsider.get(path)["id"]) == third
    seller = served.user(*rights, represents=firms[:2])
    assert "got 2" in seller.refused("GET", path, status=409)
    served.user(*rights, socid=thirdparty(client)).get(path, status=404)


@pytest.mark.parametrize("service", ["products", "products/attributes"])
def test_several_products_or_attributes_with_a_reference_of_another_system(client, service):
    value = service.replace("/", "-")
    made = [
        client.ask("POST", f"/{service}", {"ref": f"{value}-{number}", "label": "x", "ref_ext": value})
        for number in range(2)
    ]
    assert "got 2" in client.refused("GET", f"/{service}/ref_ext/{value}", status=409)
    client.ask("PUT", f"/{service}/{made[0]}", {"ref": f"{value}-0", "label": "x", "ref_ext": "another"})
    assert int(client.get(f"/{service}/ref_ext/{value}")["id"]) == made[1]


def test_purchase_prices_of_one_of_several_products(client):
    made = [client.ask("POST", "/products", {"ref": f"P{n}", "label": "x", "ref_ext": "prices"}) for n in range(2)]
    path = "/products/0/purchase_prices"
    assert "got 2" in client.refused("GET", path, status=409, params={"ref_ext": "prices"})
    client.ask("PUT", f"/products/{made[0]}", {"ref_ext": "other"})
    assert client.get(path, ref_ext="prices") == []


def test_a_state_whose_code_several_countries_have(client):
    path = "/setup/dictionary/states"
    # Ain in France, Adrar in Algeria and others
    states = client.get(path, limit=0, sqlfilters="(t.code_departement:=:'01')")
    assert len(states) > 1
    assert client.get(f"{path}/byCode/01")["id"] == min((each["id"] for each in states), key=int)
    assert client.get(f"{path}/byCode/69")["name"] == "Rhône"
    client.refused("GET", f"{path}/byCode/nowhere", status=404)
