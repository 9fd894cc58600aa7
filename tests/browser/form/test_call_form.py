"""The form of a call: its controls follow the parameters' types and limits, and the server gets what was typed."""

import json
import re

from tests.browser.pages import body_of, call, call_as_code, complaint, content, expect, field, go


def shown_code(page, kind):
    call_as_code(page)
    page.get_by_role("button", name=kind, exact=True).click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".code").get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.get_by_label("Request as code").inner_text()
    expect(page.get_by_role("button", name="Copied")).to_have_count(0)
    return copied


def test_values_go_where_they_belong(visit, faults):
    page = visit("#/show/get-show-typed-size")
    field(page, "size").fill("9")
    field(page, "kind").select_option("ash")
    field(page, "day").fill("2026-11-21")
    field(page, "price").fill("0.10")
    field(page, "whole").select_option("true")
    field(page, "code").fill("A&B")
    answer = call(page, "400")
    expect(answer).to_contain_text("code")
    field(page, "code").fill("ABC")
    answer = call(page)
    assert content(answer) == {
        "size": 9, "kind": "ash", "day": 20778 * 86400, "price": "0.10", "whole": True, "code": "ABC",
    }  # fmt: skip
    faults.expect_status(400)
    sent = [each for each in faults.asked if "/show/typed/" in each]
    assert sent[-1] == "GET /show/typed/9?kind=ash&day=2026-11-21&price=0.10&whole=true&code=ABC"


def test_a_product_is_found_by_its_name_and_added_as_a_line(visit, site):
    made = [
        site.ask("/products", "POST", {"ref": ref, "label": label, "price": "10"}, site.key).json
        for ref, label in (("CHAIR", "Rocking chair"), ("STOOL", "Bar stool"))
    ]
    page = visit("#/orders/post-orders")
    # The customer first: the lines are still those of the example
    page.get_by_label("Find a third party").fill("brasserie")
    expect(page.get_by_role("button", name=re.compile("Brasserie du Quai"))).to_be_visible()
    page.keyboard.press("Enter")
    find = page.get_by_label("Add a line: find a product")
    for words, ref in (("rocking", "CHAIR Rocking chair"), ("stool", "STOOL Bar stool")):
        find.fill(words)
        page.get_by_role("button", name=re.compile(ref)).click()
    body = json.loads(body_of(page).input_value())
    # The line of the example goes, what was added stays
    assert body["lines"] == [{"fk_product": each, "qty": 1} for each in made]
    assert body["socid"] == 2
    order = content(call(page))
    lines = site.ask(f"/orders/{order}", key=site.key).json["lines"]
    assert [(each["product_ref"], float(each["subprice"])) for each in lines] == [("CHAIR", 10), ("STOOL", 10)]
    page = visit(f"#/orders/post-orders-id-lines?id={order}")
    find = page.get_by_label("Add a line: find a product")
    find.fill("nothing like it")
    expect(page.get_by_text("No product matches “nothing like it”. The first ones:")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("STOOL Bar stool"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert "fk_product" not in body_of(page).input_value()
    find.fill("chair")
    page.get_by_role("button", name=re.compile("CHAIR")).click()
    assert json.loads(body_of(page).input_value()) == [{"fk_product": made[0], "qty": 1}]
    body_of(page).fill("")
    find.fill("stool")
    page.get_by_role("button", name=re.compile("STOOL")).click()
    assert json.loads(body_of(page).input_value()) == [{"fk_product": made[1], "qty": 1}]


def test_a_batch_takes_a_csv_file(visit, site):
    page = visit("#/contacts/post-contacts-batch")
    example = body_of(page).input_value()
    names = "Or a CSV file: field names in the first line, such as lastname,firstname,socid,email, one new record"
    expect(page.get_by_role("form", name="Call")).to_contain_text(names)
    content_of = b"lastname;town\nVasseur;Lille\nOkafor;Hull\n"
    page.get_by_label("CSV file").set_input_files(
        {"name": "contacts.csv", "mimeType": "text/csv", "buffer": content_of}
    )
    state = page.get_by_role("form", name="Call").get_by_role("status")
    expect(state).to_contain_text(["Sends contacts.csv instead of the JSON"])
    expect(call_as_code(page)).to_contain_text("--data-binary '@contacts.csv'")
    results = content(call(page))["results"]
    assert [each["line"] for each in results] == [2, 3]
    names = [site.ask(f"/contacts/{each['result']}", key=site.key).json["lastname"] for each in results]
    assert names == ["Vasseur", "Okafor"]
    for each in results:
        site.ask(f"/contacts/{each['result']}", "DELETE", key=site.key)
    page.get_by_role("button", name="Send the JSON instead").click()
    expect(body_of(page)).to_be_enabled()
    expect(body_of(page)).to_have_value(example)


def test_lines_of_a_csv_file_that_fail_are_skipped_and_listed(visit, site):
    page = visit("#/contacts/post-contacts-batch")
    fields = page.get_by_role("form", name="Call").locator("details.fields")
    expect(fields).to_be_visible()
    page.get_by_label("CSV file").set_input_files(
        {"name": "contacts.csv", "mimeType": "text/csv", "buffer": b"lastname;town\nVasseur;Lille\n;Hull\n"}
    )
    # They would go into a body that isn't sent
    expect(fields).to_be_hidden()
    field(page, "atomic").select_option("false")
    answer = call(page)
    expect(answer).to_contain_text("1 entry failed")
    expect(answer.get_by_role("listitem").filter(has_text="Line 3:")).to_contain_text("lastname")
    made = content(answer)["results"][0]["result"]
    assert site.ask(f"/contacts/{made}", key=site.key).json["lastname"] == "Vasseur"
    site.ask(f"/contacts/{made}", "DELETE", key=site.key)


def test_the_record_of_a_path_is_found_by_its_name(visit):
    page = visit("#/thirdparties/get-thirdparties-id")
    find = page.get_by_label("Find a third party")
    find.fill("brasserie")
    page.get_by_role("button", name=re.compile("Brasserie du Quai")).click()
    expect(field(page, "id")).to_have_value("2")
    expect(find).to_be_hidden()


def test_a_call_of_the_guide_opens_with_a_body_that_a_record_can_be_found_for(visit):
    page = visit("#//guide/walk")
    call_of = page.get_by_role("region", name="POST /proposals", exact=False).first
    call_of.get_by_role("button", name="Open the form").click()
    assert json.loads(body_of(page).input_value())["socid"] is None
    page.get_by_label("Find a third party").fill("brasserie")
    page.get_by_role("button", name=re.compile("Brasserie du Quai")).click()
    assert json.loads(body_of(page).input_value())["socid"] == 2


def test_the_words_of_a_search_are_not_folded_away(visit):
    page = visit("#/thirdparties/get-thirdparties")
    names = page.locator(".call-form > .row .name")
    expect(names.first).to_have_text("q")
    expect(field(page, "limit")).to_be_hidden()
    go(page, "#/thirdparties/get-thirdparties-id?id=1")
    expect(names.first).to_have_text("id")
    expect(page.get_by_text("More parameters")).to_be_visible()


def test_a_filter_without_a_value_is_any(visit):
    page = visit("#/invoices/get-invoices")
    options = field(page, "status").locator("option")
    expect(options.first).to_have_text("any")
    expect(options.last).to_have_text("cancelled (the same as abandoned)")
    expect(page.locator(".no-answer")).to_have_text("Send the request to see the response. An example is below.")


def test_an_idempotency_key_is_sent_when_it_is_given(visit):
    page = visit("#/thirdparties/post-thirdparties")
    body_of(page).fill('{"name": "Once"}')
    made = content(call(page))
    page.get_by_text("Headers", exact=True).click()
    field(page, "Idempotency-Key").fill("two words")
    field(page, "Idempotency-Key").press("Tab")
    expect(field(page, "Idempotency-Key")).to_have_attribute("aria-invalid", "true")
    field(page, "Idempotency-Key").fill('"once"')
    answers = [content(call(page)) for _ in range(2)]
    assert answers == [made + 1, made + 1]
    assert "'Idempotency-Key: \"once\"'" in shown_code(page, "curl")


def test_what_is_left_empty_is_not_sent(visit, faults):
    page = visit("#/show/get-show-typed-size")
    field(page, "size").fill("1")
    assert content(call(page))["kind"] == "oak"
    assert "GET /show/typed/1" in faults.asked


def test_limits_are_checked_as_one_leaves_a_field(visit, faults):
    page = visit("#/show/get-show-typed-size")
    for name, wrong, words, right in [
        ("size", "12", "at most 9", "9"),
        ("size", "x", "whole number|integer", "1"),
        ("day", "tomorrow", "date", "2026-11-21"),
        ("code", "abcd", "at most 3", "ABC"),
        ("code", "abc", "[A-Z]", "ABC"),
    ]:
        control = field(page, name)
        expect(control).not_to_have_attribute("aria-invalid", "true")
        control.fill(wrong)
        control.press("Tab")
        expect(complaint(control)).to_have_text(re.compile(words if "|" in words else re.escape(words)))
        control.fill(right)
        expect(control).not_to_have_attribute("aria-invalid", "true")


def test_a_path_without_its_value_is_not_called(visit, faults):
    page = visit("#/show/get-show-typed-size")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(field(page, "size")).to_be_focused()
    expect(field(page, "size")).to_have_attribute("aria-invalid", "true")
    assert not [each for each in faults.asked if "/show/typed" in each]


def test_a_line_is_chosen_from_those_of_the_record(visit):
    page = visit("#/proposals/patch-proposals-id-lines-lineid?id=1")
    page.get_by_role("button", name="Choose from lines").click()
    page.get_by_role("button", name="Desk 2").click()
    expect(field(page, "lineid")).to_have_value("1")
    expect(page.get_by_role("button", name="Choose from lines")).to_be_hidden()


def test_choices_are_offered(visit):
    page = visit("#/show/get-show-typed-size")
    expect(field(page, "kind").get_by_role("option")).to_have_text([re.compile("oak"), "oak", "ash"])


def test_a_day_is_picked(visit):
    page = visit("#/show/get-show-typed-size")
    expect(page.get_by_role("button", name="Pick a date")).to_be_visible()
    page.locator("input[type=date]").fill("2026-02-28", force=True)
    expect(field(page, "day")).to_have_value("2026-02-28")


def test_a_file_is_sent(visit):
    page = visit("#/show/post-show-upload")
    field(page, "file").set_input_files({"name": "plan é.txt", "mimeType": "text/plain", "buffer": b"12345"})
    field(page, "label").fill("a plan")
    assert content(call(page)) == {"name": "plan é.txt", "bytes": 5, "label": "a plan"}


def test_a_raw_body_is_sent_as_it_is(visit, faults):
    page = visit("#/show/post-show-raw")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("form", name="Call")).to_contain_text("required")
    field(page, "body").set_input_files({"name": "signed.json", "mimeType": "application/json", "buffer": b"{\x00\xff"})
    expect(call_as_code(page)).to_contain_text("@signed.json")
    assert content(call(page)) == {"bytes": "7b00ff", "type": "application/octet-stream"}
    assert faults.called == ["POST /show/raw"] * 2


def test_it_asks_before_a_call_that_changes_something(visit, site, faults):
    page = visit("#/thirdparties/post-thirdparties")
    page.get_by_label("Confirm changes").check()
    body_of(page).fill('{"name": "Asked for"}')
    before = len(site.ask("/thirdparties", key=site.key).json)
    dialog = page.get_by_role("dialog", name="Send this request?")
    for leave in ("Cancel", "Escape"):
        page.get_by_role("button", name="Send", exact=True).click()
        expect(dialog).to_contain_text("POST /thirdparties can change data")
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        if leave == "Cancel":
            dialog.get_by_role("button", name="Cancel").click()
        else:
            page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
    assert not [each for each in faults.asked if each.startswith("POST")]
    assert len(site.ask("/thirdparties", key=site.key).json) == before
    page.get_by_role("button", name="Send", exact=True).click()
    dialog.get_by_role("button", name="Send").click()
    number = content(page.locator(".answer"))
    site.ask(f"/thirdparties/{number}", "DELETE", key=site.key)
    page.reload()
    expect(page.get_by_label("Confirm changes")).to_be_checked()
