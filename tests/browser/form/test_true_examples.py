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
    page.get_by_text("Sorting, filtering and paging").click()
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
