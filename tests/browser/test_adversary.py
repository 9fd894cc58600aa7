"""What troubles a page: names that mean something to JavaScript, addresses that anybody may write, answers that come at
the wrong moment, definitions that change under the hands of whoever types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Opener
from tests.browser.faults import Faults
from tests.browser.pages import Page, call, call_as_code, expect, field, go, listed, operation_in, promptly, title
from tests.browser.samples import BROKEN, WORDS
from tests.serving.running import Running

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


def words(summary: str = "Say one.", more: str = "") -> str:
    return WORDS.replace("{summary}", summary).replace("{more}", more)


# Names and addresses -------------------------------------------------------------------------------------------------


def test_names_of_javascript_are_names_like_any_other(visit: Opener, drop: Drop) -> None:
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
def test_a_value_of_a_path_arrives_as_it_was_typed(visit: Opener, drop: Drop, value: str) -> None:
    drop("named", NAMES)
    page = visit("#/named/get-named-size-rest")
    # What no keyboard types a paste may hold
    field(page, "size").evaluate("(input, value) => { input.value = JSON.parse(value) }", json.dumps(value))
    field(page, "rest").fill("c/d e")
    field(page, "größe").fill(value.replace("\ud800", ""))
    call(page).get_by_role("button", name="Text").click()
    expected = [value.replace("\ud800", "\ufffd"), "c/d e", value.replace("\ud800", "").strip()]
    assert json.loads(page.locator(".answer pre").inner_text()) == expected


def test_a_stroke_in_a_value_makes_no_other_path(visit: Opener, drop: Drop, faults: Faults) -> None:
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
def test_no_address_breaks_the_page_or_makes_it_call(visit: Opener, faults: Faults, place: str) -> None:
    page = visit(place)
    expect(title(page)).to_be_visible()
    go(page, "#/show/get-show-typed-size")
    expect(title(page)).to_contain_text("/show/typed/{size}")
    asked = {each.partition(" /")[2].partition("/")[0] for each in faults.asked}
    assert asked == {"explorer"}, faults.asked


def test_a_service_may_be_called_history(visit: Opener, drop: Drop) -> None:
    page = visit("#/history")
    expect(title(page)).to_have_text("History")
    promptly(
        lambda: drop("history", words()), lambda: expect(page.get_by_role("main")).to_contain_text("module history")
    )
    go(page, "#/history/get-history-say")
    expect(title(page)).to_contain_text("/history/say")
    page.get_by_role("banner").get_by_role("link", name="History", exact=True).click()
    expect(title(page)).to_have_text("History")


def test_a_file_that_another_one_shadows_is_told_beside_it(visit: Opener, drop: Drop, site: Running) -> None:
    drop("words", words())
    other = site.write("zwords/class/api_words.py", BROKEN.replace("{title}", "Words"))
    try:
        page = visit("#/words")
        expect(listed(page).get_by_role("button", name="words")).to_have_count(1)
        expect(page.get_by_role("main")).to_contain_text("there_is_no_such_thing")
        expect(page.get_by_role("main")).to_contain_text("/words/say")
    finally:
        other.unlink()


# What was typed ------------------------------------------------------------------------------------------------------


def test_a_parameter_that_is_renamed_and_named_back_has_its_value(visit: Opener, drop: Drop) -> None:
    drop("edited", words("Say one."))
    page = visit("#/edited/get-edited-say")
    field(page, "first").fill("halfway")
    other = words("Say two.").replace("first: str", "begin: str").replace("param first", "param begin")
    promptly(lambda: drop("edited", other), lambda: expect(field(page, "begin")).to_have_value(""))
    field(page, "second").fill("7")
    promptly(lambda: drop("edited", words("Say three.")), lambda: expect(field(page, "first")).to_have_value("halfway"))
    expect(field(page, "second")).to_have_value("7")
    field(page, "first").fill("")
    promptly(lambda: drop("edited", other), lambda: expect(field(page, "begin")).to_have_value(""))
    promptly(lambda: drop("edited", words("Say four.")), lambda: expect(field(page, "first")).to_have_value(""))


def test_back_finds_what_was_typed_since_the_address_was_opened(visit: Opener) -> None:
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
    expect(field(page, "price")).to_have_value("1.5")


def test_a_document_that_does_not_come_at_once_costs_nothing_typed(visit: Opener, drop: Drop, faults: Faults) -> None:
    drop("edited", words("Say one."))
    page = visit("#/edited/get-edited-say?first=address")
    field(page, "first").fill("typed")
    faults.expect("net::ERR_FAILED")
    page.route("**/openapi/edited.json", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        drop("edited", words("Say two."))
    page.unroute("**/openapi/edited.json")
    expect(page.get_by_role("main")).to_contain_text("Say two")
    expect(field(page, "first")).to_have_value("typed")
    expect(field(page, "first")).to_be_focused()


def test_a_document_of_a_worker_that_lags_behind_is_not_believed(visit: Opener, drop: Drop) -> None:
    drop("edited", words("Say one."))
    page = visit("#/edited/get-edited-say")
    expect(page.get_by_role("main")).to_contain_text("Say one")
    key = page.evaluate("sessionStorage.getItem('comptoir-key')")
    old = page.request.get(page.url.split("#")[0] + "openapi/edited.json", headers={"DOLAPIKEY": key}).text()
    late = []

    def lag(route: object) -> None:
        late.append(1)
        route.fulfill(body=old, content_type="application/json")  # type: ignore[attr-defined]

    page.route("**/openapi/edited.json", lag, times=1)
    drop("edited", words("Say two."))
    expect(page.get_by_role("main")).to_contain_text("Say two")
    assert late == [1]


# The focus -----------------------------------------------------------------------------------------------------------


def focused(page: Page) -> str:
    return str(page.evaluate("(e => `${e.tagName} ${e.textContent.slice(0, 20)}`)(document.activeElement)"))


def test_the_list_keeps_the_focus_when_another_service_changes(visit: Opener, drop: Drop) -> None:
    page = visit("#/show")
    button = listed(page).get_by_role("button", name=re.compile(r"^Show \d+$"))
    # Whoever has entered the key is taken to the search, once the service is there
    expect(page.get_by_role("searchbox")).to_be_focused()
    button.focus()
    before = focused(page)
    other = listed(page).get_by_role("button", name="words")
    promptly(lambda: drop("words", words()), lambda: expect(other).to_contain_text("1"))
    assert focused(page) == before
    link = operation_in(listed(page), "/show/paper").and_(page.get_by_role("link"))
    link.focus()
    promptly(lambda: drop("words", "def ("), lambda: expect(other).to_contain_text("501"))
    expect(link).to_be_focused()
    page.get_by_role("searchbox").fill("/show/")
    link.focus()
    promptly(lambda: drop("words", words()), lambda: expect(page.locator("#services")).to_contain_text("Words1"))
    expect(link).to_be_focused()


def test_the_button_keeps_the_focus_through_a_call_and_a_change(visit: Opener, drop: Drop) -> None:
    drop("edited", words("Say one."))
    page = visit("#/edited/get-edited-say")
    button = page.get_by_role("button", name="Send", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text("200")
    expect(button).to_be_focused()
    main = page.get_by_role("main")
    promptly(lambda: drop("edited", words("Say two.")), lambda: expect(main).to_contain_text("Say two"))
    expect(button).to_be_focused()


def test_what_is_open_stays_open_with_the_focus_in_it(visit: Opener, drop: Drop, site: Running) -> None:
    page = visit("#/thirdparties/get-thirdparties")
    page.get_by_text("Sorting, filtering and paging").click()
    call_as_code(page)
    field(page, "sortfield").focus()
    more = json.dumps({"label": "Size", "type": "int"})
    page.locator("form[aria-label=Call]").evaluate("form => { form.dataset.old = 1 }")
    page.request.post(
        f"http://127.0.0.1:{site.port}/setup/extrafields/societe/adversary",
        headers={"DOLAPIKEY": site.key, "Content-Type": "application/json"},
        data=more,
    )
    try:
        expect(page.locator("form[data-old]")).to_have_count(0)
        expect(field(page, "sortfield")).to_be_focused()
        expect(page.get_by_label("Request as code")).to_be_visible()
    finally:
        site.ask("/setup/extrafields/societe/adversary", "DELETE", key=site.key)


# Secrets and files ---------------------------------------------------------------------------------------------------


def test_no_password_of_a_body_stays_in_the_tab(visit: Opener, faults: Faults) -> None:
    page = visit("#/users/post-users")
    faults.expect_status(400, 405)
    body = {"login": "adversary", "lastname": "A", "pass": "hidden-secret-1", "pwd": "hidden-secret-2"}
    page.get_by_role("textbox", name="Body").fill(json.dumps(body))
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".answer .status")).not_to_be_empty()
    expect(page.get_by_role("button", name="Send", exact=True)).not_to_have_attribute("aria-disabled", "true")
    stored = page.evaluate("JSON.stringify(sessionStorage)")
    assert "post-users" in stored
    assert "hidden-secret" not in stored
