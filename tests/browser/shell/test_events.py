"""From the events of a service to a webhook, a test event and the deliveries, with a receiver of the guide."""

import json
import re

import pytest

from tests.browser.conftest import a_site
from tests.browser.pages import answered, body_of, call, expect, go, title
from tests.explorer.receivers import programs, receiver
from tests.serving.running import Running

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server that may send to this machine."""
    folder = tmp_path_factory.mktemp("events")
    yield from a_site(Running(folder, workers=2, known=True, fetch_http=1, fetch_addresses="127.0.0.0/8"))


def test_each_event_of_a_service_has_an_example(visit):
    page = visit("#/thirdparties")
    events = page.locator(".events")
    names = events.locator("summary code").all_inner_texts()
    assert [name for name in names if "." in name] == [
        f"thirdparties.{each}" for each in ("created", "changed", "deleted", "merged")
    ]
    expect(events).to_contain_text("Third party merged. details has id, and merged, the ID of the deleted record.")
    events.get_by_text("Third party changed.").click()
    shown = events.get_by_label("Example of thirdparties.changed")
    events.get_by_role("button", name=re.compile("^Show all")).click()
    example = json.loads(shown.inner_text())
    assert example["type"] == "thirdparties.changed"
    assert example["data"]["record"]["id"] == example["data"]["id"]
    assert example["data"]["before"].keys() == example["data"]["after"].keys() > set()
    # Without events, such as those of a service without records
    go(page, "#/status")
    expect(page.get_by_role("heading", name="Events")).to_have_count(0)


def test_a_receiver_is_copied_whole(visit):
    page = visit("#//guide/receivers")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for place, text in enumerate(programs().values()):
        page.get_by_role("button", name="Copy", exact=True).nth(place).click()
        expect(page.get_by_role("button", name="Copied")).to_have_count(1)
        assert page.evaluate("navigator.clipboard.readText()") + "\n" == text
        expect(page.get_by_role("button", name="Copied")).to_have_count(0)


def test_a_newcomer_adds_a_webhook_tries_it_and_sees_what_was_sent(visit, site, tmp_path):
    page = visit("#/orders")
    page.get_by_role("link", name="Add a webhook").click()
    expect(title(page)).to_have_text("POST /webhooks")
    body = json.loads(body_of(page).input_value())
    assert body["events"] == "orders.*"
    with receiver("python", SECRET, tmp_path) as started:
        url = f"http://127.0.0.1:{started.port}/"
        body_of(page).fill(json.dumps({**body, "url": url, "secret": SECRET}))
        steps = call(page).get_by_role("navigation", name=re.compile("^Next for webhook"))
        steps.get_by_role("link", name="Send a test event").click()
        expect(title(page)).to_have_text("POST /webhooks/{id}/test")
        expect(call(page).locator(".card, .json").first).to_contain_text("204")
        started.wait_for("webhooks.test")
        answer = site.ask("/orders", "POST", {"socid": 1, "date": "2026-11-21"}, key=site.key)
        assert answer.status == 200
        started.wait_for("orders.created")
    # The receiver is gone: the test's own answer is 200, so that its error must be seen beside it
    expect(call(page).locator(".notice")).to_contain_text("Connection refused")
    # A step that only reads is called at once
    answer = answered(page, steps.get_by_role("link", name="List deliveries of this webhook").click)
    expect(title(page)).to_have_text("GET /webhookdeliveries")
    row = answer.get_by_role("row").filter(has_text="created")
    expect(row).to_contain_text("orders")
    expect(row).to_contain_text("created")
    expect(row).to_contain_text("delivered")
    # A row leads to the delivery, and from there to the operation that repeats it
    row.get_by_role("link").first.click()
    expect(page.get_by_role("navigation", name=re.compile("^Next for webhook delivery"))).to_contain_text(
        "Repeat a delivery"
    )
    go(page, "#/webhooks/get-webhooks")
    expect(call(page).get_by_role("row").nth(1)).to_contain_text(url)
