"""What comes next below a record: by its state, and by what others do with records of its kind."""

import json
import re

import pytest

from tests.browser import samples
from tests.browser.pages import body_of, call, content, expect, field, go, title


@pytest.fixture
def ask(site):
    def send(verb, path, body=None):
        answer = site.ask(path, verb, body, key=site.key)
        assert answer.status == 200, answer.body
        return answer.json

    return send


def shown(page, place):
    """Call what an address fills in; the links that are offered then."""
    go(page, place)
    expect(field(page, "id")).to_have_value(place.rpartition("=")[2])
    return call(page).get_by_role("navigation", name=re.compile("^Next for")).get_by_role("link")


def leads(links):
    """Where links lead, without what every address of the page begins with."""
    expect(links.first).to_be_visible()
    return [str(each.get_attribute("href")).removeprefix("#/") for each in links.all()]


def test_the_next_steps_follow_the_state(visit, ask):
    lines = [{"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": 20}]
    invoice = ask("POST", "/invoices", {"socid": 1, "date": "2026-11-21", "lines": lines})
    proposal = ask("POST", "/proposals", {"socid": 2, "date": "2026-11-21", "lines": lines})
    place = f"#/invoices/get-invoices-id?id={invoice}"
    page = visit(place)
    draft = leads(shown(page, place))
    assert draft[:2] == [f"invoices/post-invoices-id-{each}?id={invoice}" for each in ("validate", "lines")]
    assert len(draft) == 8
    assert not [each for each in draft if "settopaid" in each or "payments" in each or "fk_facture_source" in each]
    ref = ask("POST", f"/invoices/{invoice}/validate", {})["ref"]
    links = shown(page, place)
    paths = leads(links)
    assert not [each for each in paths if each.startswith("invoices/post-invoices-id-validate")]
    # 10 and 20 % VAT
    assert f"invoices/post-invoices-id-payments?id={invoice}&amount=12.00000000" in paths[:2]
    expect(links.filter(has_text=re.compile("^POSTAdd a payment$"))).to_have_count(1)
    assert next(each for each in paths if "pdf" in each) == f"invoices/get-invoices-id-pdf-issued?id={invoice}"
    expect(links.filter(has_text=re.compile("^POSTPay it back$"))).to_have_count(0)
    pdf = links.filter(has_text=re.compile("^PUTStore a new PDF$"))
    values = f"modulepart=invoices&original_file={ref}/{ref}.pdf"
    expect(pdf).to_have_attribute("href", f"#/documents/put-documents-builddoc?{values}")
    # What a link says besides parameters stands in the body
    links.filter(has_text=re.compile("^POSTCreate a credit note$")).click()
    expect(title(page)).to_have_text("POST /invoices")
    made = json.loads(body_of(page).input_value())
    assert (made["type"], made["fk_facture_source"], made["socid"]) == (2, invoice, 1)
    order = f"orders/post-orders-createfromproposal-proposalid?proposalid={proposal}"
    place = f"#/proposals/get-proposals-id?id={proposal}"
    assert order not in leads(shown(page, place))
    ask("POST", f"/proposals/{proposal}/validate", {})
    ask("POST", f"/proposals/{proposal}/close", {"status": 2})
    links = shown(page, place)
    assert leads(links)[0] == order
    expect(links.first).to_have_text("POSTCreate the order")


def test_a_new_record_is_read_for_its_state(visit):
    page = visit("#/orders/post-orders?socid=1")
    answer = call(page)
    number = content(answer)
    steps = answer.get_by_role("navigation", name=f"Next for order {number}", exact=True).get_by_role("link")
    paths = leads(steps)
    assert paths[0] == f"orders/post-orders-id-validate?id={number}"
    assert not [each for each in paths if "reopen" in each or "close" in each]


def next_for(answer, label):
    return answer.get_by_role("navigation", name=label, exact=True).get_by_role("link")


def test_a_call_below_a_record_leads_back_to_it(visit, ask):
    lines = [{"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": 20}]
    order = ask("POST", "/orders", {"socid": 1, "date": "2026-11-21", "lines": lines})
    page = visit(f"#/orders/post-orders-id-lines?id={order}")
    answer = call(page)
    steps = leads(next_for(answer, f"Next for order {order}"))
    (line,) = content(answer)
    own = f"orders/{{}}-orders-id{{}}?id={order}"
    assert steps[:6] == [
        *(own.format("post", each) for each in ("-validate", "-lines")),
        *(own.format("get", each) for each in ("", "-lines")),
        *(own.format(verb, "-lines-lineid") + f"&lineid={line}" for verb in ("patch", "delete")),
    ]
    invoice = ask("POST", "/invoices", {"socid": 1, "date": "2026-11-21", "lines": lines})
    ask("POST", f"/invoices/{invoice}/validate", {})
    go(page, f"#/invoices/post-invoices-id-payments?id={invoice}")
    body_of(page).fill(
        json.dumps({"datepaye": "2026-11-21", "paymentid": "VIR", "closepaidinvoices": "no", "amount": "5"})
    )
    answer = call(page)
    steps = leads(next_for(answer, f"Next for invoice {invoice}"))
    payment = content(answer)
    reads = [f"invoices/get-invoices-id{each}?id={invoice}" for each in ("", "-payments")]
    assert {*reads, f"invoices/delete-invoices-payments-id?id={payment}"} <= {*steps}
    # Of 12, 5 are paid
    assert steps[:2] == [
        f"invoices/get-invoices-id-pdf-issued?id={invoice}",
        f"invoices/post-invoices-id-payments?id={invoice}&amount=7.00000000",
    ]
    # A deleted record has no next steps
    other = ask("POST", "/orders", {"socid": 1, "date": "2026-11-21", "lines": lines})
    go(page, f"#/orders/delete-orders-id?id={other}")
    expect(call(page).get_by_role("navigation")).to_have_count(0)


def test_what_was_made_beside_a_record_leads_on(visit, ask):
    lines = [{"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": 20}]
    order = ask("POST", "/orders", {"socid": 1, "date": "2026-11-21", "lines": lines})
    ask("POST", f"/orders/{order}/validate", {})
    warehouse = ask("POST", "/warehouses", {"label": "Next steps"})
    # A shipment made under an order is the record that comes next, not the order
    page = visit(f"#/orders/post-orders-id-shipment-warehouse_id?id={order}&warehouse_id={warehouse}")
    answer = call(page)
    shipment = content(answer)
    steps = leads(next_for(answer, f"Next for shipment {shipment}"))
    assert steps[0] == f"shipments/post-shipments-id-validate?id={shipment}"
    # A group is not a user, although /users lists both
    go(page, "#/users/post-users-groups")
    body_of(page).fill('{"name": "Next steps"}')
    answer = call(page)
    group = content(answer)
    steps = leads(next_for(answer, f"Next for group {group}"))
    assert f"users/put-users-groups-group-rights?group={group}" in steps
    assert all(each.endswith(f"?group={group}") for each in steps)


def test_a_payment_in_a_list_leads_to_its_cancellation(visit, ask):
    lines = [{"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": 20}]
    invoice = ask("POST", "/invoices", {"socid": 1, "date": "2026-11-21", "lines": lines})
    ask("POST", f"/invoices/{invoice}/validate", {})
    sent = {"datepaye": "2026-11-21", "paymentid": "VIR", "closepaidinvoices": "no", "amount": "5"}
    payment = ask("POST", f"/invoices/{invoice}/payments", sent)
    page = visit(f"#/invoices/get-invoices-id-payments?id={invoice}")
    call(page).get_by_role("grid").get_by_role("link", name=str(payment), exact=True).click()
    expect(title(page)).to_have_text("DELETE /invoices/payments/{id}")
    expect(field(page, "id")).to_have_value(str(payment))
    # The invoice is open again
    steps = leads(next_for(call(page), f"Next for invoice {invoice}"))
    assert steps[:2] == [
        f"invoices/get-invoices-id-pdf-issued?id={invoice}",
        f"invoices/post-invoices-id-payments?id={invoice}&amount=12.00000000",
    ]
    assert f"invoices/get-invoices-id?id={invoice}" in steps


def test_a_new_user_needs_permissions_and_a_key(visit):
    page = visit("#/users/post-users?login=nextsteps")
    answer = call(page)
    number = content(answer)
    steps = next_for(answer, f"Next for user {number}")
    expect(steps.nth(2)).to_be_visible()
    expect(steps.filter(has_text=re.compile("Set the permissions|Create a key"))).to_have_count(2)
    assert leads(steps)[1:3] == [f"users/{each}?id={number}" for each in ("put-users-id-rights", "post-users-id-keys")]


def test_a_refusal_leads_on(visit, ask, faults):
    faults.expect_status(400, 405)
    proposal = ask("POST", "/proposals", {"socid": 2, "date": "2026-11-21", "lines": [{"desc": "Desk", "qty": 1}]})
    page = visit(f"#/proposals/post-proposals-id-close?id={proposal}")
    body_of(page).fill('{"status": 2}')
    answer = call(page, "405")
    about = answer.get_by_role("navigation", name="About this error").get_by_role("link")
    expect(about).to_have_text(["What 405 means", "Read this proposal"])
    assert leads(about) == ["/guide/errors", f"proposals/get-proposals-id?id={proposal}"]
    allowed = answer.get_by_role("navigation", name=f"Next for proposal {proposal}").get_by_role("link")
    assert leads(allowed)[0] == f"proposals/post-proposals-id-validate?id={proposal}"
    # If the server lists what the state allows, these are the steps
    said = {"code": 405, "message": "no", "reason": "not_validated", "state": "draft"}
    names = ("POST /proposals/{id}/validate", "POST /orders/createfromproposal/{proposalid}", "POST /gone/{id}")
    said["allowed"] = [{"operation": each, "method": "POST", "path": "/x"} for each in names]
    page.route("**/close", lambda route: route.fulfill(status=405, json={"error": said}))
    expect(call(page, "405")).to_contain_text("not_validated")
    allowed = answer.get_by_role("navigation", name=f"Next for proposal {proposal} (draft)").get_by_role("link")
    assert leads(allowed) == [
        f"proposals/post-proposals-id-validate?id={proposal}",
        f"orders/post-orders-createfromproposal-proposalid?proposalid={proposal}",
    ]
    about.first.click()
    expect(title(page)).to_have_text("Errors")


def test_records_of_others_lead_on(visit, ask, site, user):
    files = [site.write(name, text) for name, text in samples.SHOP.items()]
    try:
        page = visit("#/thirdparties/get-thirdparties-id?id=2")
        page.get_by_role("navigation", name="Services").get_by_text("Bikes", exact=True).first.wait_for()
        site.everywhere("/bikes", status=401)
        bike = ask("POST", "/bikes", {"name": "Red", "owner": 2})
        links = shown(page, "#/thirdparties/get-thirdparties-id?id=2")
        paths = leads(links)
        assert len(paths) == 8
        assert {"orders/post-orders?socid=2", "invoices/get-invoices?thirdparty_ids=2&status=unpaid"} <= {*paths}
        page.get_by_role("button", name=re.compile(r"^\d+ more$")).click()
        expect(links.nth(8)).to_be_focused()
        expect(links.filter(has_text="List bicycles of this third party")).to_have_attribute(
            "href", "#/bikes/get-bikes?sqlfilters=(t.owner:=:2)"
        )
        links.filter(has_text="New order for this customer").click()
        assert json.loads(body_of(page).input_value())["socid"] == 2
        place = f"#/bikes/get-bikes-id?id={bike}"
        expect(shown(page, place)).to_have_text(
            ["POSTWear a bicycle out", "GETWhere it went", "POSTRide again", "POSTAdd a ride for this bike"]
        )
        ask("POST", f"/bikes/{bike}/wear", {})
        links = shown(page, place)
        expect(links).to_have_text(["POSTMend a bicycle", "POSTRide again", "POSTAdd a ride for this bike"])
        links.last.click()
        assert json.loads(body_of(page).input_value())["bike"] == bike
        # What a key may not do is not offered
        go(page, "#/")
        narrow = visit(
            "#/thirdparties/get-thirdparties-id?id=2", key=user("thirdparties.read", "thirdparties.all", "orders.read")
        )
        offered = leads(shown(narrow, "#/thirdparties/get-thirdparties-id?id=2"))
        assert "orders/get-orders?thirdparty_ids=2" in offered
        assert not [each for each in offered if each.startswith(("orders/post", "invoices/", "proposals/"))]
    finally:
        for each in files:
            each.unlink(missing_ok=True)


def every(links):
    """All links that are offered, also those that are folded."""
    expect(links.first).to_be_visible()
    more = links.first.page.get_by_role("button", name=re.compile(r"^\d+ more$"))
    if more.count():
        more.click()
    return leads(links)


def test_what_a_record_refuses_is_not_offered(visit, ask):
    lines = [{"desc": "Desk", "qty": 1, "subprice": "10", "tva_tx": 20}]
    body = {"socid": 1, "date": "2026-11-21", "lines": lines}
    invoice, order, proposal = (ask("POST", f"/{each}", body) for each in ("invoices", "orders", "proposals"))
    page = visit()
    convert = f"invoices/post-invoices-id-markAsCreditAvailable?id={invoice}"
    assert convert not in every(shown(page, f"#/invoices/get-invoices-id?id={invoice}"))
    ask("POST", f"/invoices/{invoice}/validate", {})
    offered = every(shown(page, f"#/invoices/get-invoices-id?id={invoice}"))
    # It is possible now, but it isn't what most do next
    assert convert in offered[8:]
    read, bill, unbill = (
        f"#/orders/get-orders-id?id={order}",
        *(f"orders/post-orders-id-{each}?id={order}" for each in ("setinvoiced", "setuninvoiced")),
    )
    assert not {bill, unbill} & {*every(shown(page, read))}
    ask("POST", f"/orders/{order}/validate", {})
    offered = every(shown(page, read))
    assert bill in offered and unbill not in offered
    ask("POST", f"/orders/{order}/setinvoiced", {})
    offered = every(shown(page, read))
    assert unbill in offered and bill not in offered
    read, add, delete = (
        f"#/proposals/get-proposals-id?id={proposal}",
        f"proposals/post-proposals-id-lines?id={proposal}",
        f"proposals/delete-proposals-id?id={proposal}",
    )
    offered = every(shown(page, read))
    assert {add, delete} <= {*offered}
    # An operation that adds a single line would be offered beside it
    assert add.replace("lines", "line") not in offered
    ask("POST", f"/proposals/{proposal}/validate", {})
    ask("POST", f"/proposals/{proposal}/close", {"status": 2})
    assert not {add, delete} & {*every(shown(page, read))}


def test_a_credit_note_begins_with_the_lines_of_its_invoice(visit, ask):
    lines = [
        {"desc": "Chair", "qty": 5, "subprice": "12.5", "tva_tx": 20, "remise_percent": 10, "product_type": 1},
        {"desc": "Bench", "qty": 1, "subprice": "80", "tva_tx": "5.5"},
    ]
    invoice = ask("POST", "/invoices", {"socid": 1, "date": "2026-11-21", "lines": lines})
    ask("POST", f"/invoices/{invoice}/validate", {})
    page = visit()
    links = shown(page, f"#/invoices/get-invoices-id?id={invoice}")
    links.filter(has_text=re.compile("^POSTCreate a credit note$")).click()
    expect(body_of(page)).to_have_value(re.compile("Bench"))
    made = json.loads(body_of(page).input_value())
    assert (made["type"], made["fk_facture_source"], made["socid"]) == (2, invoice, 1)
    assert made["lines"] == [
        {"desc": "Chair", "qty": 5, "subprice": "12.5", "tva_tx": "20", "product_type": 1, "remise_percent": "10"},
        {"desc": "Bench", "qty": 1, "subprice": "80", "tva_tx": "5.5"},
    ]
    # Two of the five chairs are given back: 2 * 12.50 less 10 %, and 20 % VAT
    made["lines"] = [{**made["lines"][0], "qty": 2}]
    body_of(page).fill(json.dumps(made))
    note = content(call(page))
    assert float(ask("POST", f"/invoices/{note}/validate", {})["total_ttc"]) == -27


def test_a_file_is_uploaded_to_a_record_and_found_again(visit, ask):
    order = ask("POST", "/orders", {"socid": 1, "date": "2026-11-21", "lines": [{"desc": "Desk", "qty": 1}]})
    ref = ask("POST", f"/orders/{order}/validate", {})["ref"]
    page = visit()
    shown(page, f"#/orders/get-orders-id?id={order}").filter(has_text=re.compile("^POSTUpload a file$")).click()
    expect(field(page, "modulepart")).to_have_value("orders")
    expect(field(page, "ref")).to_have_value(ref)
    page.locator("input[type=file]").first.set_input_files(
        {"name": "plan.txt", "mimeType": "text/plain", "buffer": b"two doors"}
    )
    steps = next_for(call(page), f"Next for order {ref}")
    assert leads(steps) == [
        f"documents/{each}?modulepart=orders&ref={ref}" for each in ("get-documents", "post-documents-upload")
    ]
    steps.first.click()
    expect(field(page, "ref")).to_have_value(ref)
    call(page).get_by_role("gridcell").get_by_role("link", name="plan.txt").click()
    expect(title(page)).to_have_text("GET /documents/raw")
    expect(call(page)).to_contain_text("two doors")


def test_a_call_in_an_error_is_a_link(visit, faults):
    # The page looks for the constant's value, which isn't set
    faults.expect_status(404, 405)
    page = visit("#/thirdparties/put-thirdparties-id-setpricelevel?id=1")
    body_of(page).fill('{"priceLevel": 1, "price": 2}')
    answer = call(page, "405")
    # The form says that a field is ignored; the answer says what to do
    expect(answer).not_to_contain_text("ignored")
    answer.get_by_role("link", name="PUT /setup/conf/PRODUIT_MULTIPRICES").click()
    expect(field(page, "constantname")).to_have_value("PRODUIT_MULTIPRICES")
