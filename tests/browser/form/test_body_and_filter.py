"""The editor of a body and the builder of a filter: what they offer, what they say of what is typed, what they keep."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.browser.pages import (
    body_of,
    call,
    complaint,
    content,
    expect,
    field,
    filter_builder,
)

Drop = Callable[[str, str], Path]


BOUNDED = '''
from core import Api


class Bounded(Api):
    """Numbers within limits.

    :access: public
    """

    def say(self, size: int = 0) -> int:
        """Answer what came.

        :url: GET say
        :param size: how large {@max MOST}
        """
        return size
'''


def state_of(page):
    """What is said of the body."""
    return page.get_by_role("form", name="Call").get_by_role("status")


def fields_of(page):
    """The opened list of the body's fields."""
    fields = page.get_by_role("form", name="Call").locator("details.fields")
    fields.get_by_text("fields", exact=False).first.click()
    return fields


def test_a_body_begins_with_an_example_that_the_server_takes(visit, site):
    page = visit("#/thirdparties/post-thirdparties")
    example = json.loads(body_of(page).input_value())
    assert example.keys() >= {"name"}
    expect(page.get_by_role("form").get_by_role("status")).to_have_text("Valid")
    number = content(call(page))
    assert site.ask(f"/thirdparties/{number}", key=site.key).json["name"] == example["name"]
    site.ask(f"/thirdparties/{number}", "DELETE", key=site.key)


def test_a_body_is_checked_as_one_types(visit, faults):
    page = visit("#/thirdparties/post-thirdparties")
    form = page.get_by_role("form")
    state = form.get_by_role("status")
    body_of(page).fill('{"name": "Karin", "client": "x"}')
    expect(state).to_contain_text("1 problem")
    expect(form).to_contain_text("client")
    expect(body_of(page)).to_have_attribute("aria-invalid", "true")
    body_of(page).fill('{"name": "Karin",\n "client" 1}')
    expect(form).to_contain_text("line 2")
    body_of(page).fill('{"client": 1}')
    expect(form).to_contain_text("name")
    body_of(page).fill('{"name": "Karin", "client": 1}')
    expect(state).to_have_text("Valid")
    form.get_by_role("button", name="Format").click()
    expect(body_of(page)).to_have_value('{\n  "name": "Karin",\n  "client": 1\n}')
    form.get_by_role("button", name="Example").click()
    assert json.loads(body_of(page).input_value()).keys() >= {"name"}
    assert not [each for each in faults.asked if each.startswith("POST")]


def test_a_filter_is_built_that_the_server_takes(visit, faults):
    page = visit("#/thirdparties/get-thirdparties")
    builder = filter_builder(page)
    columns = builder.get_by_label("Column").get_by_role("option").all_inner_texts()
    assert {"town", "client"} <= set(columns)
    builder.get_by_label("Column").select_option("t.town")
    builder.get_by_label("Operator").select_option("=")
    builder.get_by_label("Value").fill("O'Fallon")
    builder.get_by_role("button", name="Add a condition").click()
    builder.get_by_label("Joined by").last.select_option("or")
    builder.get_by_label("Column").last.select_option("t.town")
    builder.get_by_label("Operator").last.select_option("begins")
    builder.get_by_label("Value").last.fill("Le H")
    names = [each["name"] for each in content(call(page))]
    assert names == ["Atelier Vasseur"]


def test_a_filter_comes_back_whole_from_the_builder(visit):
    page = visit("#/proposals/get-proposals")
    builder = filter_builder(page)
    text = field(page, "sqlfilters")
    # 9 is no choice; several choices stand in one value
    text.fill(
        "(t.statut:in:1,2) and (t.socid:=:161) or (t.statut:=:9) and (t.ref:like:'A_%') and (t.note_public:is:NULL)"
    )
    text.press("Tab")
    values = builder.get_by_label("Value")
    assert [each.input_value() for each in values.all()] == ["1, 2", "161", "9", "A_%"]
    values.nth(1).fill("1")
    expect(text).to_have_value(
        "(t.statut:in:1,2) and (t.socid:=:1) or (t.statut:=:9) and (t.ref:like:'A_%') and (t.note_public:is:NULL)"
    )


def test_a_builder_says_what_values_mean_and_which_cannot_be(visit):
    page = visit("#/proposals/get-proposals")
    builder = filter_builder(page)
    columns = builder.get_by_label("Column")
    own, aliases = (columns.locator(each).all_inner_texts() for each in ("> option", "> optgroup > option"))
    own = [each for each in own if not each.startswith("ef.")]
    assert own == sorted(own) and {"total_ht", "statut"} <= {*own}
    assert aliases == sorted(aliases) and "status" in aliases and not {*own} & {*aliases}
    columns.select_option("t.statut")
    assert "1 validated" in builder.get_by_label("Value").get_by_role("option").all_inner_texts()
    for column, wrong, right in [
        ("t.socid", "abc", "1"),
        ("t.total_ht", "1 000,50", "1000.50"),
        ("t.date", "2026-02-31", "2026-02-28"),
    ]:
        columns.select_option(column)
        value = builder.get_by_label("Value")
        value.fill(wrong)
        value.blur()
        expect(complaint(value)).to_contain_text(wrong)
        value.fill(right)
        expect(value).not_to_have_attribute("aria-invalid", "true")


def test_a_text_that_is_no_filter_yet_is_said_to_be_none(visit):
    page = visit("#/proposals/get-proposals")
    note = filter_builder(page).get_by_role("status")
    for words, said in [
        ("(t.statut:=:1", "Incomplete filter: ) is missing"),
        ("garbage", "Incomplete filter: expected a condition such as"),
        ("(t.ref:=:'x", "Incomplete filter: a closing quote is missing"),
        ("(t.ref:=:'x') and", "Incomplete filter: a condition is missing after “and”"),
        ("not (t.ref:=:'a)')", "too complex for the builder"),
    ]:
        field(page, "sqlfilters").fill(words)
        field(page, "sqlfilters").press("Tab")
        expect(note).to_contain_text(said)


def test_all_fields_of_what_is_searched_for_are_shown(visit):
    page = visit("#/orders/post-orders")
    fields = fields_of(page)
    fields.get_by_role("searchbox").fill("lines")
    for name in ("lines", "desc", "qty", "rang"):
        expect(fields.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(fields.get_by_role("button", name="socid", exact=True)).to_be_hidden()


def test_fields_that_would_be_lost_are_told(visit):
    page = visit("#/orders/post-orders")
    form = page.get_by_role("form", name="Call")
    body_of(page).fill('{"socid": 1, "date": "2026-02-28", "lines": [{"label": "x", "quantity": 2, "price": 3}]}')
    expect(state_of(page)).to_have_text("Valid; 2 fields will be ignored")
    expect(form).to_contain_text("lines[0].quantity: ignored by the server; did you mean qty?")
    expect(form).to_contain_text("lines[0].price: ignored by the server; did you mean subprice?")
    assert state_of(page).evaluate("each => getComputedStyle(each).color") == page.evaluate(
        "getComputedStyle(document.body).color"
    )
    body_of(page).fill('{"socid": 1, "dtae": "2026-02-28"}')
    expect(form).to_contain_text("dtae: ignored by the server; did you mean date?")
    body_of(page).fill('{"socid": 1, "date": "2026-02-31"}')
    expect(state_of(page)).to_have_text("1 problem")
    expect(form).to_contain_text("date: expected an existing date, got 2026-02-31")


def test_a_value_that_fits_no_longer_says_so(visit, drop):
    drop("bounded", BOUNDED.replace("MOST", "99"))
    page = visit("#/bounded/get-bounded-say")
    field(page, "size").fill("42")
    drop("bounded", BOUNDED.replace("MOST", "9"))
    expect(complaint(field(page, "size"))).to_contain_text("at most 9")
    expect(field(page, "size")).to_have_value("42")


def test_an_operator_takes_as_many_values_as_the_server_says(visit):
    page = visit("#/proposals/get-proposals")
    builder = filter_builder(page)
    builder.get_by_label("Column").select_option("t.total_ht")
    builder.get_by_label("Operator").select_option("between")
    builder.get_by_label("Value").fill("100")
    builder.get_by_label("Value").blur()
    expect(complaint(builder.get_by_label("Value"))).to_have_text("expected 2 values, separated by commas")
    builder.get_by_label("Value").fill("100, 250.5")
    expect(field(page, "sqlfilters")).to_have_value("(t.total_ht:between:100,250.5)")
    call(page)


def test_two_days_are_picked_one_after_the_other(visit):
    page = visit("#/invoices/get-invoices")
    builder = filter_builder(page)
    builder.get_by_label("Column").select_option("t.date")
    builder.get_by_label("Operator").select_option("between")
    value = builder.get_by_label("Value")
    picker = builder.locator("input[type=date]")
    for day, written in (
        ("2026-10-01", "2026-10-01"),
        ("2026-10-31", "2026-10-01, 2026-10-31"),
        ("2026-11-05", "2026-11-05"),
    ):
        picker.evaluate("(each, day) => { each.value = day; each.dispatchEvent(new Event('input')); }", day)
        expect(value).to_have_value(written)
    value.fill("2026-10-01, 2026-10-31")
    expect(field(page, "sqlfilters")).to_have_value("(t.date:between:'2026-10-01','2026-10-31')")


def test_a_condition_that_cannot_be_sent_holds_the_call_back(visit):
    page = visit("#/invoices/get-invoices")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    builder = filter_builder(page)
    builder.get_by_label("Column").select_option("t.date")
    builder.get_by_label("Operator").select_option("between")
    builder.get_by_label("Value").fill("last month")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(complaint(builder.get_by_label("Value"))).to_contain_text("expected Unix seconds or a date")
    expect(builder.get_by_label("Value")).to_be_focused()
    # The form itself reads one record, for its examples
    assert not [each for each in asked if each.split("?")[0].endswith("/invoices") and "limit=1" not in each]
    builder.get_by_label("Value").fill("2026-10-01, 2026-10-31")
    call(page)


def test_the_fields_of_a_list_belong_to_its_last_element(visit):
    page = visit("#/invoices/post-invoices-id-lines?id=1")
    fields = fields_of(page)
    fields.get_by_role("searchbox").fill("discount")
    add = fields.get_by_role("button", name="remise_percent", exact=True)
    for before, after in (
        ('[{"qty": 1}, {"qty": 2}]', [{"qty": 1}, {"qty": 2, "remise_percent": 1}]),
        ('{"qty": 3}', {"qty": 3, "remise_percent": 1}),
        ("", [{"remise_percent": 1}]),
    ):
        body_of(page).fill(before)
        add.click()
        assert json.loads(body_of(page).input_value()) == after


def test_a_few_fields_are_open_and_many_are_folded(visit):
    page = visit("#/proposals/post-proposals-id-close")
    expect(page.get_by_role("form", name="Call")).to_contain_text("2: signed, 3: refused")
    page = visit("#/proposals/post-proposals")
    expect(page.get_by_role("button", name="duree_validite", exact=True)).to_be_hidden()
