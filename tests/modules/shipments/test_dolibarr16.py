"""Shipments in the profile dolibarr16."""

import pytest

from tests.modules.shipments.parcels import make_yard


@pytest.fixture(scope="module")
def old_yard(old_server):
    return make_yard(old_server.client())


def test_an_order_without_shipments(old_yard):
    order = old_yard.order()
    client = old_yard.client
    assert "Shipments not found" in client.refused("GET", f"/orders/{order}/shipment", status=404)
    assert "No shipment found" in client.refused("GET", "/shipments?thirdparty_ids=999", status=404)
    made = client.ask("POST", f"/orders/{order}/shipment/{old_yard.place}")
    assert isinstance(made, int)
    (record,) = client.get(f"/orders/{order}/shipment")
    assert (record["id"], record["origin_id"], record["statut"]) == (str(made), str(order), "0")
    (line,) = record["lines"]
    assert (line["qty"], line["entrepot_id"]) == ("5", str(old_yard.place))
    assert record["array_options"] == []
    assert list(client.get(f"/orders/{order}")["linkedObjectsIds"]["shipping"].values()) == [str(made)]


def test_an_order_that_is_shipped_stays(old_yard):
    order = old_yard.order()
    made = old_yard.ship(order)
    old_yard.act(made, "validate")
    assert old_yard.state(order) == 2
    # In this profile, too
    for verb, path in (("POST", "/settodraft"), ("POST", "/cancel"), ("DELETE", "")):
        old_yard.client.refused(verb, f"/orders/{order}{path}", status=405)
    record = old_yard.client.ask("PUT", f"/shipments/{made}", {"tracking_number": "T1"})
    assert (record["tracking_number"], record["ref_client"]) == ("T1", None)
