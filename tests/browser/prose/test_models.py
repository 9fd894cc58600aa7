"""Models are browsed: from the page of their service, from types, and to what answers and takes them."""

from __future__ import annotations

import json

from tests.browser.conftest import Opener
from tests.browser.pages import expect, title


def test_a_model_is_found_from_its_service_and_leads_on(visit: Opener) -> None:
    page = visit("#/orders")
    main = page.get_by_role("main")
    main.get_by_role("link", name="Order", exact=True).click()
    expect(title(page)).to_have_text("Order")
    assert page.url.endswith("#/orders//Order")
    fields = main.get_by_role("table", name="Response fields")
    expect(fields.get_by_role("row", name="ref ", exact=False).first).to_contain_text("string")
    # Its lines are of another model; who answers it, what it names, an example
    fields.get_by_role("link", name="OrderLine").first.click()
    expect(title(page)).to_have_text("OrderLine")
    page.go_back()
    expect(title(page)).to_have_text("Order")
    expect(main).to_contain_text("socid: ID of a record in Third parties")
    expect(main.get_by_role("heading", name="Accepted by")).to_have_count(0)
    main.get_by_text("Example", exact=True).click()
    assert json.loads(main.locator(".answer-example pre").inner_text())["lines"]
    main.get_by_role("link", name="OrderNew").click()
    expect(title(page)).to_have_text("OrderNew")
    expect(main.get_by_role("heading", name="Accepted by")).to_be_visible()
    main.locator(".operations a", has_text="POST").first.click()
    expect(title(page)).to_contain_text("/orders")


def test_an_answer_is_shown_before_anything_is_called(visit: Opener) -> None:
    page = visit("#/loyaltycards/get-loyaltycards-id")
    main = page.get_by_role("main")
    shown = json.loads(main.get_by_label("Example response").inner_text())
    assert set(shown) >= {"id", "number", "points"}
    main.locator(".answers table").first.get_by_role("link", name="Card").click()
    expect(title(page)).to_have_text("Card")
