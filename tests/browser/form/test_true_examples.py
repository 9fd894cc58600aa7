"""Examples that a form offers: of records that there are, and none where there is no record."""

import json

from tests.browser.pages import body_of, call, content, expect, field, go, title


def test_examples_are_of_records_that_there_are(visit, site):
    made = site.ask("/thirdparties", "POST", {"name": "Élan & fils", "client": 1}, key=site.key).json
    page = visit("#/thirdparties/get-thirdparties-id")
    form = page.get_by_role("form", name="Call")
    form.get_by_role("button", name="Example:").click()
    expect(field(page, "id")).to_be_focused()
    assert field(page, "id").input_value().isdigit()
    first = content(call(page))
    # A filter about a value that a record has
    go(page, "#/thirdparties/get-thirdparties")
    page.get_by_text("Filters by field, sorting and paging").click()
    form.get_by_role("button", name="Example: (t.").click()
    assert content(call(page))
    # A body names records that there are; what somebody typed stays
    go(page, "#/orders/post-orders")
    expect(title(page)).to_contain_text("/orders")
    page.wait_for_function("() => JSON.parse(document.querySelector('textarea[name=body]').value).socid > 0")
    assert json.loads(body_of(page).input_value())["socid"] in (first["id"], made)
    # No card was issued: nothing is a true example
    go(page, "#/loyaltycards/get-loyaltycards-id")
    expect(title(page)).to_contain_text("/loyaltycards/{id}")
    site.ask("/loyaltycards", "GET", key=site.key)
    expect(form.get_by_role("button", name="Example:")).to_have_count(0)


def test_a_change_of_a_line_begins_with_its_present_values(visit, site):
    lines = [
        {"desc": "Desk", "qty": 2, "subprice": "12.5", "tva_tx": 20},
        {"desc": "Lamp", "qty": "1.5", "subprice": "8", "tva_tx": 10},
    ]
    order = site.ask("/orders", "POST", {"socid": 1, "date": "2026-11-21", "lines": lines}, key=site.key).json
    first, second = [each["id"] for each in site.ask(f"/orders/{order}/lines", key=site.key).json]
    page = visit(f"#/orders/get-orders-id?id={order}")
    table = call(page).get_by_role("group", name="lines")
    table.get_by_role("link", name=str(first), exact=True).click()
    expect(title(page)).to_have_text("PATCH /orders/{id}/lines/{lineid}")
    expect(field(page, "id")).to_have_value(str(order))
    expect(field(page, "lineid")).to_have_value(str(first))
    restore = page.get_by_role("button", name="Present values")
    expect(restore).to_be_visible()
    desk = {"desc": "Desk", "qty": 2, "subprice": "12.5", "tva_tx": "20"}
    assert json.loads(body_of(page).input_value()) == desk
    # Sent at once after another line was chosen, the body has the values of that line
    field(page, "lineid").fill(str(second))
    field(page, "lineid").press("Enter")
    expect(page.locator(".answer .status")).to_contain_text("200")
    changed = site.ask(f"/orders/{order}/lines", key=site.key).json
    assert [(each["desc"], float(each["qty"]), float(each["subprice"])) for each in changed] == [
        ("Desk", 2, 12.5),
        ("Lamp", 1.5, 8),
    ]
    body_of(page).fill('{"qty": 3}')
    restore.click()
    lamp = {"desc": "Lamp", "qty": 1.5, "subprice": "8", "tva_tx": "10"}
    assert json.loads(body_of(page).input_value()) == lamp
    # Without the record there is only an example
    field(page, "lineid").fill("")
    field(page, "lineid").blur()
    expect(page.get_by_role("button", name="Example", exact=True)).to_be_visible()
