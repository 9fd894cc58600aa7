"""The history of a tab: it opens calls again, keeps no secret, and is nobody else's."""

import re

from tests.browser.pages import call, expect, field, go, title


def test_the_history_of_the_tab_opens_calls_again(visit, faults):
    faults.expect_status(404)
    page = visit("#/thirdparties/get-thirdparties-id?id=2")
    call(page)
    field(page, "id").fill("4711")
    call(page, "404")
    page.get_by_role("link", name="Your calls", exact=True).click()
    entries = page.get_by_role("main").get_by_role("listitem")
    expect(entries).to_have_count(2)
    expect(entries.nth(0)).to_contain_text("/thirdparties/4711")
    expect(entries.nth(0)).to_contain_text("404")
    expect(entries.nth(1)).to_contain_text("/thirdparties/2")
    page.reload()
    entries.nth(1).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(field(page, "id")).to_have_value("2")
    go(page, "#/history")
    page.get_by_role("button", name="Clear").click()
    expect(entries).to_have_count(0)


def test_it_keeps_no_secret(visit, faults):
    faults.expect_status(403)
    page = visit("#/login/post-login")
    body = page.get_by_role("textbox", name=re.compile("^Body"))
    body.fill('{"login": "nobody", "password": "hunter2-hunter2"}')
    call(page, "403")
    kept = page.evaluate("JSON.stringify({ ...sessionStorage })")
    assert "hunter2" not in kept
    assert "post-login" in kept
