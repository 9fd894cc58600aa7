"""The first page and the guide: where who writes a client begins, with calls that run in the page."""

import re

import pytest

from explorer.guide_pages import guide_pages
from tests.browser.conftest import a_site
from tests.browser.copied_code import expected
from tests.browser.pages import expect, go, title
from tests.explorer.guide_calls import calls_of, first_values, follow
from tests.serving.running import Running

#: the code of a call with some values, and the request that it is for
CODE = """([kind, text, number, values, base, key]) => {
  const blocks = [...text.matchAll(/^```(call .*)\\n([^]*?)\\n```$/gm)];
  const guide = { values: new Map(Object.entries(values)), calls: blocks.map(([, ...parts]) => ({ call: callOf(...parts) })) };
  const { call } = guide.calls[number];
  const request = { ...requestOfCall(call, guide.values), variables: openVariables(call, guide) };
  const { saves } = operationOfCall(call);
  return { request, saves, code: codeOf(kind, { ...request, saves }, base, key) };
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server of its own, for the guide's calls make records."""
    yield from a_site(Running(tmp_path_factory.mktemp("guide"), workers=2, known=True))


def tab_to(page, role, name, back=False):
    """Reach something as who has no mouse does."""
    wanted = page.get_by_role(role, name=name, exact=True)
    for _ in range(80):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if wanted.evaluate("each => each === document.activeElement"):
            return wanted
    raise AssertionError(f"the keyboard does not reach {role} {name!r}")


def run(page, number, back=False):
    """Press the button of a call; its answer in short."""
    tab_to(page, "button", f"Run call {number}", back)
    page.keyboard.press("Enter")
    return page.get_by_role("status", name=f"Response to call {number}", exact=True)


def test_the_walk_runs_by_the_keyboard_alone(visit):
    page = visit()
    expect(title(page)).to_have_text("Start here")
    tab_to(page, "link", "From quote to payment")
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text("From quote to payment")
    expect(title(page)).to_be_focused()
    code = page.get_by_label("Call 2 as code")
    expect(code).to_contain_text("customer=1")
    expect(code).to_contain_text("""{"socid": '"$customer"', """)
    expect(page.get_by_label("Call 8 as code")).to_contain_text("""-o 'invoices-'"$invoice"'.pdf'""")
    expect(run(page, 2)).to_have_text("Run call 1 first: it returns {customer}.")
    expect(run(page, 1, back=True)).to_contain_text("200")
    expect(code).to_contain_text(re.compile(r'"socid": \d+'))
    for number in range(2, 12):
        expect(run(page, number)).to_contain_text("200")
        if number == 8:
            expect(page.get_by_role("region", name="Call 8").locator("iframe")).to_be_visible()
    last = page.get_by_role("region", name="Call 11")
    expect(last).to_contain_text("state = 2")
    expect(last).to_contain_text("remaining = 0.0")
    for service in ("Third parties", "Proposals", "Orders", "Invoices"):
        expect(page.get_by_role("main").get_by_role("link", name=re.compile(rf"^{service} \d+$"))).to_have_count(1)
    tab_to(page, "button", "Python", back=True)
    page.keyboard.press("Enter")
    expect(code).to_contain_text("import requests")
    go(page, "#//history")
    expect(page.get_by_role("region", name="Calls in this tab").get_by_role("listitem")).to_have_count(11)
    go(page, "#//guide/walk")
    expect(last).to_contain_text("state = 2")


def test_the_first_line_to_copy_and_a_page_there_is_not(visit):
    page = visit()
    line = page.get_by_label("First request to try")
    page.get_by_role("button", name="curl", exact=True).click()
    address = page.evaluate("location.origin")
    expect(line).to_have_text(f"curl '{address}/status' \\\n  -H \"DOLAPIKEY: $DOLAPIKEY\"")
    page.evaluate("navigator.clipboard.writeText = async (words) => { window.copied = words; }")
    page.get_by_role("button", name="Copy with my key").click()
    key = page.evaluate("sessionStorage.getItem('comptoir-key')")
    assert page.evaluate("window.copied") == f"curl '{address}/status' \\\n  -H 'DOLAPIKEY: {key}'"
    expect(line).not_to_contain_text(key)
    # The language is the same everywhere
    page.get_by_role("button", name="PHP", exact=True).click()
    expect(line).to_contain_text("curl_init")
    for place, label in (
        ("#//guide/authenticate", "First request to try"),
        ("#/contacts/get-contacts", "Request as code"),
    ):
        go(page, place)
        expect(page.get_by_label(label)).to_contain_text("curl_init")
        expect(page.get_by_role("button", name="PHP", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Copy with my key").click()
    assert f"'DOLAPIKEY: {key}'" in page.evaluate("window.copied")
    page.evaluate("localStorage.clear()")
    go(page, "#//guide/nothing")
    expect(page.get_by_role("main")).to_contain_text("This page doesn't exist.")


def test_what_is_asked_before_changes_and_what_is_gone(visit, faults):
    """A call of a page is a call like others; the number of a record that was deleted is used no more."""
    faults.expect_status(412)
    page = visit("#//guide/changes")
    page.get_by_label("Confirm changes").check()
    page.get_by_role("button", name="Run call 1", exact=True).click()
    page.get_by_role("dialog", name="Send this request?").get_by_role("button", name="Send").click()
    # The next call needs the number that this one returns
    expect(page.get_by_role("status", name="Response to call 1", exact=True)).to_contain_text("200")
    page.get_by_label("Confirm changes").uncheck()
    for number, words in ((2, "200"), (3, "200"), (4, "412"), (5, "200")):
        page.get_by_role("button", name=f"Run call {number}", exact=True).click()
        expect(page.get_by_role("status", name=f"Response to call {number}", exact=True)).to_contain_text(words)
    expect(page.get_by_text("expects a different response")).to_have_count(0)
    page.get_by_role("button", name="Run call 2", exact=True).click()
    expect(page.get_by_role("status", name="Response to call 2", exact=True)).to_contain_text("Run call 1 first")


def test_pages_of_modules_are_on_the_first_page_beside_services_and_found(visit):
    page = visit()
    subjects = page.get_by_role("list", name="Guide by subject").get_by_role("link")
    expect(subjects.filter(has_text="Shipping an order")).to_have_count(1)
    expect(page.get_by_role("list", name="Guide", exact=True)).not_to_contain_text("Shipping an order")
    go(page, "#/orders")
    guide = page.get_by_role("main").get_by_text("Guide: ")
    expect(guide).to_have_text("Guide: Orders and their invoices, Shipping an order")
    guide.get_by_role("link").first.click()
    expect(title(page)).to_have_text("Orders and their invoices")
    page.get_by_role("searchbox").fill("partial delivery")
    found = page.get_by_role("list", name="Found").get_by_role("link")
    expect(found.first).to_contain_text("Shipping an order")


def test_the_code_of_every_call_runs_as_it_is_copied(visit, site, interpreter, recorder):
    """First with variables for what earlier calls return, then against the server with what they have returned."""
    page = visit("#//guide/walk")
    texts = {name: site.ask(f"/explorer/guide/{name}").body.decode() for name in (each.name for each in guide_pages())}
    assert "".join(texts.values()).count("```call") > 40
    for name, text in texts.items():
        values = first_values()
        for number, call in enumerate(calls_of(text)):
            place = f"{name}-{number}"
            made = page.evaluate(CODE, [interpreter.kind, text, number, first_values(), recorder.address, ""])
            assert bool(interpreter.run(f"{place}-opened", made["code"])) == bool(made["saves"])
            assert recorder.take()[0] == expected(made["request"]), made["code"]
            made = page.evaluate(CODE, [interpreter.kind, text, number, values, recorder.address, site.key])
            with recorder.forwarding_to(site.port):
                saved = interpreter.run(place, made["code"])
            sent, answer = recorder.take()
            assert sent == expected(made["request"], site.key), made["code"]
            assert answer.status in call.statuses, f"{place}: {answer.status} {answer.body!r}"
            assert [*saved.values()] == ([answer.body] if made["saves"] else [])
            follow(call, answer.status, answer, values)
