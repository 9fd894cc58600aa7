"""What troubles a page: names that mean something to JavaScript, addresses that anybody may write, answers that come at
the wrong moment, definitions that change under the hands of whoever types."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.pages import call, expect, field, go, title
from tests.browser.samples import WORDS

Drop = Callable[[str, str], Path]

NAMES = '''
from core import Api


class {title}(Api):
    """Names that mean something elsewhere.

    :access: public
    """

    def say(self, __proto__: str = "", constructor: str = "", toString: str = "") -> dict:
        """Answer what came.

        :url: GET say
        """
        return {"__proto__": __proto__, "constructor": constructor, "toString": toString}

    def post(self, __proto__: int, hasOwnProperty: str = "") -> dict:
        """Answer what came."""
        return {"__proto__": __proto__, "hasOwnProperty": hasOwnProperty}

    def part(self, size: str, rest: str, größe: str = "") -> list[str]:
        """Answer the parts of the path.

        :url: GET {size}/*
        """
        return [size, rest, größe]
'''


def words(summary="Say one.", more=""):
    return WORDS.replace("{summary}", summary).replace("{more}", more)


# Names and addresses -------------------------------------------------------------------------------------------------


def test_names_of_javascript_are_names_like_any_other(visit, drop):
    drop("named", NAMES)
    page = visit("#/named/get-named-say")
    for name in ("__proto__", "constructor", "toString"):
        field(page, name).fill(f"my {name}")
    call(page).get_by_role("button", name="Text").click()
    shown = json.loads(page.locator(".answer pre").inner_text())
    assert shown == {name: f"my {name}" for name in ("__proto__", "constructor", "toString")}
    go(page, "#/named/post-named")
    body = page.get_by_role("textbox", name="Body")
    body.fill('{"__proto__": "x"}')
    expect(page.locator(".problems")).to_contain_text("__proto__: expected a whole number")
    body.fill('{"__proto__": 4}')
    call(page).get_by_role("button", name="Text").click()
    assert json.loads(page.locator(".answer pre").last.inner_text())["__proto__"] == 4
    assert page.evaluate("({}).polluted === undefined && Object.keys(Object.prototype).length === 0")


@pytest.mark.parametrize("value", ["100%", "?x=1#y&z", "é 名", "%2e%2e", "half \ud800"])
def test_a_value_of_a_path_arrives_as_it_was_typed(visit, drop, value):
    drop("named", NAMES)
    page = visit("#/named/get-named-size-rest")
    # What no keyboard types a paste may hold
    field(page, "size").evaluate("(input, value) => { input.value = JSON.parse(value) }", json.dumps(value))
    field(page, "rest").fill("c/d e")
    field(page, "größe").fill(value.replace("\ud800", ""))
    call(page).get_by_role("button", name="Text").click()
    expected = [value.replace("\ud800", "\ufffd"), "c/d e", value.replace("\ud800", "").strip()]
    assert json.loads(page.locator(".answer pre").inner_text()) == expected


def test_a_stroke_in_a_value_makes_no_other_path(visit, drop, faults):
    drop("named", NAMES)
    page = visit("#/named/get-named-size-rest")
    field(page, "size").fill("a/b")
    field(page, "rest").fill("c")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(field(page, "size")).to_have_attribute("aria-invalid", "true")
    expect(field(page, "size")).to_be_focused()
    assert not [each for each in faults.asked if "/named/" in each]


@pytest.mark.parametrize(
    "place",
    [
        "#/../../",
        "#/%E0%A4%A",
        "#/constructor",
        "#/__proto__/get-x",
        "#/show/__proto__",
        "#/show/constructor?constructor=1",
        "#/show/get-show-typed-size?size=javascript:alert(1)&__proto__=x&size=2",
        "#//",
        "#?x",
        "#/%00",
        "#/history/x",
    ],
)
def test_no_address_breaks_the_page_or_makes_it_call(visit, faults, place):
    page = visit(place)
    expect(title(page)).to_be_visible()
    go(page, "#/show/get-show-typed-size")
    expect(title(page)).to_contain_text("/show/typed/{size}")
    asked = {each.partition(" /")[2].partition("/")[0] for each in faults.asked}
    assert asked == {"explorer"}, faults.asked


def test_a_service_may_be_called_history(visit, drop):
    page = visit("#/history")
    expect(title(page)).to_have_text("Your calls")
    drop("history", words())
    expect(page.get_by_role("main")).to_contain_text("module history")
    go(page, "#/history/get-history-say")
    expect(title(page)).to_contain_text("/history/say")
    page.get_by_role("banner").get_by_role("link", name="Your calls", exact=True).click()
    expect(title(page)).to_have_text("Your calls")


# What was typed ------------------------------------------------------------------------------------------------------


def test_back_finds_what_was_typed_since_the_address_was_opened(visit):
    page = visit("#/show/get-show-typed-size?size=5")
    field(page, "size").fill("7")
    field(page, "price").fill("1.5")
    go(page, "#/thirdparties")
    expect(title(page)).to_have_text("Third parties")
    page.go_back()
    expect(field(page, "size")).to_have_value("7")
    expect(field(page, "price")).to_have_value("1.5")
    go(page, "#/show/get-show-typed-size?size=3")
    expect(field(page, "size")).to_have_value("3")
    # Another address means its own values
    expect(field(page, "price")).to_have_value("")


def test_a_document_that_does_not_come_at_once_costs_nothing_typed(visit, drop, faults):
    drop("edited", words("Say one."))
    page = visit("#/edited/get-edited-say?first=address")
    field(page, "first").fill("typed")
    faults.expect("net::ERR_FAILED")
    page.route("**/openapi/edited.json?*", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        drop("edited", words("Say two."))
    page.unroute("**/openapi/edited.json?*")
    expect(page.get_by_role("main")).to_contain_text("Say two")
    expect(field(page, "first")).to_have_value("typed")
    expect(field(page, "first")).to_be_focused()


def test_a_document_of_a_worker_that_lags_behind_is_not_believed(visit, drop, site):
    drop("edited", words("Say one."))
    # Each connection may reach another worker
    site.everywhere("/edited/say", lambda answer: answer.status != 404)
    page = visit("#/edited/get-edited-say")
    expect(page.get_by_role("main")).to_contain_text("Say one")
    key = page.evaluate("sessionStorage.getItem('comptoir-key')")
    old = page.request.get(
        page.url.split("#")[0] + "openapi/edited.json?names=paths", headers={"DOLAPIKEY": key}
    ).text()
    late = []

    def lag(route):
        late.append(1)
        route.fulfill(body=old, content_type="application/json")

    page.route("**/openapi/edited.json?*", lag, times=1)
    drop("edited", words("Say two."))
    expect(page.get_by_role("main")).to_contain_text("Say two")
    assert late == [1]
