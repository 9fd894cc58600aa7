"""A `checking` handler runs once for each event, whatever causes it, and before the transaction."""

import importlib
from collections import Counter

import pytest

from core.testing import serving

LISTENER = """
from core import Refused, on
from core.storage.database import database

heard, refused = [], set()
EVENTS = (
    "created changed deleted validated signed refused billed set_to_draft closed reopened cancelled shipped unshipped paid "
    "unpaid abandoned payment_added credited undone merged constant_set parent_changed"
).split()
HANDLER = '''
@on("any.{event}", when="{when}")
def {when}_{event}(service, record{more}):
    note("{when}", service, "{event}", record{more})
'''

def note(when, service, event, record, values=None):
    heard.append((when, service, event, None if record is None else record.get("id"), values, database.in_transaction()))
    if (when, service, event) in refused:
        raise Refused("not today")

for event in EVENTS:
    for when in ("checking", "before", "after"):
        exec(HANDLER.format(event=event, when=when, more=", values" if when == "checking" else ""))
"""
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 20}
#: 2026-11-21 01:53:20
PAY = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "yes"}


@pytest.fixture(scope="module")
def listening(tmp_path_factory):
    folder = tmp_path_factory.mktemp("listening")
    (folder / "modules/listener").mkdir(parents=True)
    (folder / "modules/listener/events.py").write_text(LISTENER)
    with serving(folder, modules=str(folder / "modules")) as served:
        yield served


@pytest.fixture
def heard(listening):
    module = importlib.import_module("modules.listener.events")
    module.heard.clear()
    module.refused.clear()
    return module


def counted(heard, when):
    return Counter((service, event) for time, service, event, *_ in heard if time == when)


def test_each_event_is_checked_once_before_its_transaction(listening, heard):
    client = listening.client()
    customer = client.ask("POST", "/thirdparties", {"name": "Kunde", "client": 3})
    other = client.ask("POST", "/thirdparties", {"name": "Other", "client": 1})
    client.ask("PATCH", f"/thirdparties/{other}", {"town": "Lyon"})
    client.ask("PUT", f"/thirdparties/{customer}/merge/{other}", {})
    document = {"socid": customer, "date": "2026-11-21", "lines": [LINE]}
    proposal = client.ask("POST", "/proposals", document)
    client.ask("POST", f"/proposals/{proposal}/validate")
    client.ask("POST", f"/proposals/{proposal}/close", {"status": 2})
    order = client.ask("POST", f"/orders/createfromproposal/{proposal}", {})["id"]
    for action in ("validate", "settodraft", "validate", "close", "reopen", "setinvoiced"):
        client.ask("POST", f"/orders/{order}/{action}", {})
    invoice = client.ask("POST", "/invoices", document)
    client.ask("POST", f"/invoices/{invoice}/validate")
    client.ask("POST", f"/invoices/{invoice}/payments", PAY)
    client.ask("POST", f"/invoices/{invoice}/settounpaid")
    second = client.ask("POST", "/invoices", document)
    client.ask("POST", f"/invoices/{second}/validate")
    client.ask("POST", f"/invoices/{second}/settopaid", {"close_code": "abandon"})
    note = client.ask("POST", "/invoices", {**document, "type": 2, "fk_facture_source": invoice})
    client.ask("POST", f"/invoices/{note}/validate")
    client.ask("POST", f"/invoices/{note}/markAsCreditAvailable", {})
    product = client.ask("POST", "/products", {"ref": "P", "label": "P"})
    warehouse = client.ask("POST", "/warehouses", {"label": "W"})
    moved = client.ask("POST", "/stockmovements", {"product_id": product, "warehouse_id": warehouse, "qty": 3})
    client.ask("POST", f"/stockmovements/{moved}/undo", {})
    client.ask("POST", "/contacts/batch", {"entries": [{"method": "POST", "body": {"lastname": "A"}}]})
    client.ask("PUT", "/setup/conf/MAIN_SIZE", {"value": "5"})
    draft = client.ask("POST", "/orders", document)
    client.ask("DELETE", f"/orders/{draft}")
    checks, before = counted(heard.heard, "checking"), counted(heard.heard, "before")
    assert checks == before == counted(heard.heard, "after")
    for key in (
        ("thirdparties", "merged"), ("orders", "created"), ("orders", "billed"), ("orders", "deleted"), ("orders", "reopened"),
        ("invoices", "paid"), ("invoices", "payment_added"), ("invoices", "abandoned"), ("invoices", "credited"),
        ("invoices", "unpaid"), ("stockmovements", "undone"), ("contacts", "created"), ("proposals", "signed"),
    ):  # fmt: skip
        assert before[key] >= 1, key
    # Inside a transaction are only events that another one causes, copies, and entries of a batch
    inside = {(service, event) for time, service, event, *_, within in heard.heard if time == "checking" and within}
    assert inside <= {
        ("contacts", "created"), ("thirdparties", "changed"), ("thirdparties", "deleted"), ("orders", "created"),
        ("invoices", "paid"), ("stockmovements", "created"), ("stockmovements", "undone"), ("proposals", "billed"),
    }  # fmt: skip


def test_a_check_has_the_record_and_the_values_to_come(listening, heard):
    client = listening.client()
    customer = client.ask("POST", "/thirdparties", {"name": "Before", "client": 1})
    client.ask("PATCH", f"/thirdparties/{customer}", {"name": "After"})
    order = client.ask("POST", "/orders", {"socid": customer, "date": "2026-11-21", "lines": [LINE]})
    client.ask("POST", f"/orders/{order}/validate")
    found = [each for each in heard.heard if each[0] == "checking"]
    made, changed, created, validated = found
    assert made[3] is None and made[4]["name"] == "Before"
    assert changed[3] == customer and changed[4]["name"] == "After"
    assert created[4]["socid"] == customer and created[4]["lines"][0]["desc"] == "Desk"
    assert validated[:4] == ("checking", "orders", "validated", order) and validated[4]["statut"] == 1
    assert [each[:3] for each in found if each[-1]] == []


@pytest.mark.parametrize("when", ["checking", "before"])
def test_a_refusal_writes_nothing(listening, heard, when):
    client = listening.client()
    customer = client.ask("POST", "/thirdparties", {"name": "Kept", "client": 1})
    order = client.ask("POST", "/orders", {"socid": customer, "date": "2026-11-21", "lines": [LINE]})
    heard.refused.update(
        {(when, "orders", "validated"), (when, "thirdparties", "changed"), (when, "thirdparties", "created")}
    )
    client.ask("POST", f"/orders/{order}/validate", status=405)
    client.ask("PATCH", f"/thirdparties/{customer}", {"name": "Other"}, status=405)
    entries = [{"method": "POST", "body": {"name": "In a batch"}}]
    client.ask("POST", "/thirdparties/batch", {"entries": entries}, status=405)
    assert client.get(f"/orders/{order}")["statut"] == 0
    names = [each["name"] for each in client.get("/thirdparties")]
    assert "Kept" in names and "Other" not in names and "In a batch" not in names


def test_a_check_of_an_invisible_or_missing_record_is_a_404(listening, heard):
    listening.client().ask("PATCH", "/thirdparties/9999", {"name": "x"}, status=404)
    assert not heard.heard
