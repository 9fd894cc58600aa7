"""A `checking` handler runs once for each event, whatever causes it, and before the transaction."""

import datetime as dt
import importlib
from collections import Counter

import pytest

from core.testing import serving

LISTENER = """
from core import Refused, on
from core.storage.database import database

heard, refused, setters = [], set(), {}
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
    if when == "checking" and (service, event) in setters:
        setters[service, event](record, values)

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
    module.setters.clear()
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
    client.ask("PUT", "/setup/conf/MAIN_BANK_NAME", {"value": "5"})
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


@pytest.fixture
def customer(listening, heard):
    return listening.client().ask("POST", "/thirdparties", {"name": "Kunde", "client": 1})


def test_a_handler_sets_a_default_in_each_way_to_create_an_order(listening, heard, customer):
    client = listening.client()
    heard.setters["orders", "created"] = lambda record, values: values.update(
        note_private=values.get("note_private") or "by handler"
    )
    document = {"socid": customer, "date": "2026-11-21", "lines": [LINE]}
    proposal = client.ask("POST", "/proposals", document)
    client.ask("POST", f"/proposals/{proposal}/validate")
    client.ask("POST", f"/proposals/{proposal}/close", {"status": 2})
    copied = client.ask("POST", f"/orders/createfromproposal/{proposal}", {})["id"]
    made = client.ask("POST", "/orders", document)
    batch = client.ask("POST", "/orders/batch", {"entries": [{"method": "POST", "body": document}]})
    batched = batch["results"][0]["result"]
    for order in (copied, made, batched):
        assert client.get(f"/orders/{order}")["note_private"] == "by handler"
    sent = client.ask("POST", "/orders", {**document, "note_private": "sent"})
    assert client.get(f"/orders/{sent}")["note_private"] == "sent"


def test_a_handler_changes_the_lines_of_a_new_order(listening, heard, customer):
    client = listening.client()

    def change(record, values):
        first, _ = values["lines"]
        first["qty"] = 3
        values["lines"] = [{"desc": "Delivery", "qty": 1, "subprice": "5"}, first]

    heard.setters["orders", "created"] = change
    lines = [{**LINE, "ref_ext": "A7"}, {**LINE, "desc": "Left out"}]
    made = client.ask("POST", "/orders", {"socid": customer, "date": "2026-11-21", "lines": lines})
    order = client.get(f"/orders/{made}")
    kept = [(each["desc"], each["qty"], each["subprice"]) for each in order["lines"]]
    assert kept == [("Delivery", "1.00000000", "5.00000000"), ("Desk", "3.00000000", "100.00000000")]
    # 5 + 3 * 100
    assert order["total_ht"] == "305.00000000"


def test_what_a_handler_sets_is_checked_with_its_place(listening, heard, customer):
    client = listening.client()
    heard.setters["orders", "created"] = lambda record, values: values["lines"][0].update(qty="many")
    body = {"socid": customer, "date": "2026-11-21", "lines": [LINE]}
    error = client.ask("POST", "/orders", body, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == ["lines[0].qty"]


def test_a_handler_sets_extra_fields_and_dates_of_a_change(listening, heard, customer):
    client = listening.client()
    client.ask("POST", "/setup/extrafields/commande/team", {"label": "Team", "type": "varchar", "size": "10"})
    body = {"socid": customer, "date": "2026-11-21", "array_options": {"options_team": "blue"}}
    order = client.ask("POST", "/orders", body)

    def change(record, values):
        values["date_livraison"] = dt.date(2026, 12, 1)
        values["array_options"] = {"options_team": record["array_options"]["options_team"].upper()}

    heard.setters["orders", "changed"] = change
    client.ask("PATCH", f"/orders/{order}", {"note_public": "x"})
    stored = client.get(f"/orders/{order}")
    assert stored["array_options"] == {"options_team": "BLUE"} and stored["note_public"] == "x"
    # Midnight in the time zone of the server, UTC
    assert stored["date_livraison"] == 1796083200


def test_a_handler_sets_values_where_no_body_is_sent(listening, heard, customer):
    client = listening.client()
    user = listening.user("orders.read").user_id
    heard.setters["users", "changed"] = lambda record, values: values.update(job="Buyer")
    client.ask("PUT", f"/users/{user}/thirdparty", {"socid": customer})
    assert client.get(f"/users/{user}")["job"] == "Buyer"


def test_a_transition_cannot_be_given_values(listening, heard, customer):
    client = listening.client()
    order = client.ask("POST", "/orders", {"socid": customer, "date": "2026-11-21", "lines": [LINE]})
    heard.setters["orders", "validated"] = lambda record, values: values.update(note_private="x")
    raised = client.ask("POST", f"/orders/{order}/validate", {}, status=500)["error"]["raised"]
    assert "can't set note_private of orders.validated" in raised["message"]
    assert client.get(f"/orders/{order}")["statut"] == 0
