"""Warnings about a second invoice for one order, and about the cancellation of an invoiced one."""

import pytest

from tests.modules.invoices.invoices import CODE, DAY, LINE, act

#: permissions for everything below, except to read invoices
WRITER = ("orders.read", "orders.write", "orders.close", "invoices.write", "thirdparties.read")


@pytest.fixture
def order(admin, customer):
    made = admin.ask("POST", "/orders", {"socid": customer, "date": DAY, "lines": [LINE]})
    admin.ask("POST", f"/orders/{made}/validate")
    return made


def reference(admin, service, identifier):
    return str(admin.get(f"/{service}/{identifier}")["ref"])


def sent(client, path, body=None):
    """The answer to a POST that succeeds, and the text of its warning."""
    answer = client.simulate_post(path, json=body or {})
    assert answer.status_code == 200, answer.text
    text = answer.headers.get("warning", "")
    assert not text or (text.startswith('299 comptoir "') and text.endswith('"'))
    return answer.json, text[14:-1]


def invoiced(client, order):
    made, text = sent(client, f"/invoices/createfromorder/{order}")
    return made["id"], text


def test_a_second_invoice_succeeds_and_the_first_is_named(admin, order):
    ordered = reference(admin, "orders", order)
    first, text = invoiced(admin, order)
    assert text == ""
    assert invoiced(admin, order)[1] == f"order {ordered} already has an invoice: (PROV{first})"
    act(admin, first, "validate")
    first_ref = reference(admin, "invoices", first)
    assert first_ref.startswith("FA")
    # The other invoice is the second one
    text = invoiced(admin, order)[1]
    assert text == f"order {ordered} already has 2 invoices: {first_ref}, (PROV{first + 1})"


def test_an_invoice_that_is_linked_to_an_order_counts(admin, customer, order):
    body = {"socid": customer, "date": DAY, "lines": [LINE], "linked_objects": {"commande": order}}
    first, text = sent(admin, "/invoices", body)
    assert text == ""
    assert sent(admin, "/invoices", body)[1].endswith(f"already has an invoice: (PROV{first})")
    # A credit note is no further invoice
    assert sent(admin, "/invoices", {**body, "type": 2})[1] == ""
    entries = [{"method": "POST", "body": body}]
    done = admin.ask("POST", "/invoices/batch", {"entries": entries})["results"][0]
    assert done["warnings"] == [
        f"order {reference(admin, 'orders', order)} already has 2 invoices: (PROV{first}), (PROV{first + 1})"
    ]


def test_credit_notes_and_abandoned_invoices_do_not_count(admin, customer, order):
    first, _ = invoiced(admin, order)
    act(admin, first, "validate")
    act(admin, first, "settopaid", CODE)
    assert admin.get(f"/invoices/{first}")["statut"] == 3
    body = {"socid": customer, "date": DAY, "type": 2, "lines": [LINE], "linked_objects": {"commande": order}}
    admin.ask("POST", "/invoices", body)
    assert invoiced(admin, order)[1] == ""


def test_the_cancellation_of_an_invoiced_order(admin, order):
    cancelled, text = sent(admin, f"/orders/{order}/cancel")
    assert (cancelled["statut"], text) == (-1, "")
    admin.ask("POST", f"/orders/{order}/reopen")
    first, _ = invoiced(admin, order)
    cancelled, text = sent(admin, f"/orders/{order}/cancel")
    assert cancelled["statut"] == -1
    assert text == f"order {cancelled['ref']} is cancelled, but it has an invoice: (PROV{first})"


def test_an_invoice_that_the_caller_may_not_read_is_not_named(server, admin, order):
    first, _ = invoiced(admin, order)
    ordered = reference(admin, "orders", order)
    socid = admin.get(f"/orders/{order}")["socid"]
    for rights, named in ((WRITER, ""), ((*WRITER, "invoices.read"), f": (PROV{first})")):
        client = server.user(*rights, "thirdparties.all")
        body = {"socid": socid, "date": DAY, "linked_objects": {"commande": order}}
        answer = client.simulate_post("/invoices", json=body)
        assert answer.headers["warning"] == f'299 comptoir "order {ordered} already has an invoice{named}"'
        admin.ask("DELETE", f"/invoices/{answer.json}")
    text = sent(server.user(*WRITER, "thirdparties.all"), f"/orders/{order}/cancel")[1]
    assert text == f"order {ordered} is cancelled, but it has an invoice"


def test_of_a_hidden_order_nothing_is_told(server, admin, order):
    invoiced(admin, order)
    own = admin.ask("POST", "/thirdparties", {"name": "Represented", "client": 1})
    client = server.user(*WRITER, represents=[own])
    body = {"socid": own, "date": DAY, "linked_objects": {"commande": order}}
    for path in ("/invoices", f"/invoices/createfromorder/{order}", f"/orders/{order}/cancel"):
        answer = client.simulate_post(path, json=body if path == "/invoices" else {})
        assert answer.status_code == 404, path
        assert "warning" not in answer.headers, path


def test_the_invoice_of_another_third_party_is_not_named(server, admin, order):
    """An invoice may be linked to the order of someone else."""
    other = admin.ask("POST", "/thirdparties", {"name": "Parent Ltd", "client": 1})
    admin.ask("POST", "/invoices", {"socid": other, "date": DAY, "linked_objects": {"commande": order}})
    client = server.user(*WRITER, "invoices.read", represents=[admin.get(f"/orders/{order}")["socid"]])
    assert invoiced(client, order)[1] == f"order {reference(admin, 'orders', order)} already has an invoice"
