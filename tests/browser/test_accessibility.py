"""axe-core finds nothing, in light and in dark, in every state of the page."""

import re

import pytest

from tests.browser.pages import call, call_as_code, expect, field, filter_builder, go, shown, title
from tests.browser.samples import BROKEN, EXPORTS

axe_base = pytest.importorskip("axe_playwright_python.base", reason="no axe: pip install axe-playwright-python")


def violations(page, *rules):
    """What axe-core finds by all of its rules or by some: rule, element and what is wrong with it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_base.AXE_SCRIPT)
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    # What shows a PDF belongs to the browser
    found = page.evaluate(
        "options => axe.run({ exclude: ['iframe'] }, options).then((each) => each.violations)", options
    )
    return [f"{each['id']}: {node['html'][:160]}: {node['failureSummary']}" for each in found for node in each["nodes"]]


def check(page, state):
    """Nothing is found in this state, light or dark."""
    page.emulate_media(color_scheme="light")
    light = violations(page)
    assert not light, f"{state}:\n" + "\n".join(light)
    # Dark differs in its colours alone
    page.emulate_media(color_scheme="dark")
    dark = violations(page, "color-contrast", "link-in-text-block")
    assert not dark, f"{state}, dark:\n" + "\n".join(dark)


def test_it_is_able_to_find_something(visit):
    page = visit()
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert any(each.startswith("label") for each in violations(page))


def test_the_question_for_a_key(visit, faults):
    faults.expect_status(401)
    page = visit(key=None)
    check(page, "asked")
    page.get_by_text("Sign in with a password instead").click()
    page.get_by_label("Key", exact=True).fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="key")).to_be_visible()
    check(page, "refused")


def test_the_list_and_what_is_read(visit, drop, faults):
    drop("broken", BROKEN)
    page = visit()
    expect(title(page)).to_be_visible()
    check(page, "home")
    places = {name: name for name in ("proposals", "show/get-show-old", "broken", "nothing")} | {
        "history": "Your calls"
    }
    for place, name in places.items():
        go(page, f"#/{place}")
        expect(title(page)).to_contain_text(re.compile(name.split("/")[0], re.IGNORECASE))
        check(page, place)
    page.get_by_role("searchbox").fill("validate")
    expect(page.get_by_role("list", name="Found")).to_be_visible()
    check(page, "search")


def test_the_first_page_and_the_guide(visit, faults):
    faults.expect_status(400)
    page = visit(size=(320, 640))
    expect(title(page)).to_have_text("Start here")
    check(page, "first page")
    go(page, "#//guide/errors")
    expect(title(page)).to_have_text("Errors")
    for number, words in ((1, "400"), (4, "Run call 3 first"), (2, "200")):
        page.get_by_role("button", name=f"Run call {number}", exact=True).click()
        expect(page.get_by_role("status", name=f"Response to call {number}", exact=True)).to_contain_text(words)
    page.get_by_text("Full response").first.click()
    check(page, "guide")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_what_the_key_may_not(visit, user):
    page = visit("#/thirdparties/delete-thirdparties-id", key=user("thirdparties.read"))
    expect(page.get_by_role("main")).to_contain_text("doesn't have the permission")
    check(page, "dimmed")


def test_a_form_and_its_answers(visit, faults):
    faults.expect_status(400)
    page = visit("#/show/get-show-typed-size")
    field(page, "size").fill("12")
    field(page, "day").fill("2026-11-21")
    field(page, "code").fill("abcd")
    field(page, "code").press("Tab")
    call_as_code(page)
    expect(field(page, "code")).to_have_attribute("aria-invalid", "true")
    check(page, "a filled form")
    field(page, "size").fill("9")
    call(page, "400")
    check(page, "refused")
    go(page, "#/proposals/get-proposals-id?id=1")
    expect(title(page)).to_have_text("GET /proposals/{id}")
    answer = call(page)
    answer.get_by_text(re.compile(r"^\d+ headers$")).click()
    check(page, "answered")
    answer.get_by_role("button", name="Text", exact=True).click()
    check(page, "as text")
    go(page, "#/history")
    expect(title(page)).to_have_text("Your calls")
    check(page, "history")


def test_tables_and_cards_on_a_narrow_screen(visit):
    page = visit("#/thirdparties/get-thirdparties", size=(320, 640))
    answer = call(page)
    answer.get_by_text(re.compile(r"^Columns: ")).click()
    check(page, "a table")
    shown(answer).get_by_role("gridcell", name="Atelier Vasseur", exact=True).click()
    page.get_by_role("group", name="name: Atelier Vasseur").get_by_role("button", name="Only this value").focus()
    check(page, "what can be done with a cell")
    page.keyboard.press("Enter")
    expect(answer.get_by_role("list", name="Active filters")).to_be_visible()
    answer.get_by_label("Find in response", exact=True).fill("le")
    check(page, "a narrowed table")
    assert answer.evaluate("each => each.scrollWidth <= each.clientWidth")
    go(page, "#/proposals/get-proposals-id?id=1")
    expect(title(page)).to_have_text("GET /proposals/{id}")
    answer = call(page)
    answer.get_by_text(re.compile(r"^\d+ empty fields$")).first.click()
    expect(shown(answer).get_by_role("link", name="Atelier Vasseur")).to_be_visible()
    check(page, "a card")
    assert answer.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_a_body_a_file_and_a_filter(visit):
    page = visit("#/thirdparties/post-thirdparties")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"client": "x"}')
    expect(page.get_by_role("form").get_by_role("status")).to_contain_text("problem")
    page.get_by_text(re.compile(r"^\d+ fields$")).first.click()
    check(page, "body")
    go(page, "#/show/post-show-upload")
    expect(title(page)).to_have_text("POST /show/upload")
    check(page, "upload")
    go(page, "#/show/get-show-letter")
    expect(title(page)).to_have_text("GET /show/letter")
    call(page)
    check(page, "PDF")
    go(page, "#/thirdparties/get-thirdparties")
    expect(title(page)).to_have_text("GET /thirdparties")
    filter_builder(page)
    check(page, "filter")


@pytest.mark.parametrize(
    "ended", [{"state": "done", "result": {"pages": 3}}, {"state": "given up", "error": "no paper"}]
)
def test_a_job_that_does_the_work(visit, drop, ended):
    drop("exports", EXPORTS)
    page = visit("#/exports/post-exports", size=(320, 640))
    expect(title(page)).to_contain_text("/exports")
    told = {"id": 7, "state": "running", "done": 1, "total": 3, "text": "Page 1", "result": None}
    page.route("**/jobs/7", lambda route: route.fulfill(json=told))
    call(page, "202")
    state = page.get_by_role("region", name="Job 7").get_by_role("status")
    expect(state).to_have_text("running, Page 1")
    check(page, "running")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    told |= ended
    expect(state).to_contain_text(ended["state"])
    check(page, "ended")
    page.unroute_all(behavior="ignoreErrors")


def test_the_question_before_a_change_and_a_narrow_screen(visit):
    page = visit("#/contacts/delete-contacts-id?id=4711", size=(360, 740))
    expect(title(page)).to_have_text("DELETE /contacts/{id}")
    check(page, "narrow")
    page.get_by_label("Confirm changes").check()
    page.get_by_role("button", name="Send", exact=True).click()
    dialog = page.get_by_role("dialog", name="Send this request?")
    expect(dialog.get_by_role("button")).to_have_text(["Cancel", "Delete"])
    check(page, "dialog")
