"""Lists of a company with demonstration data: each shows the columns that fit, on a desk and on a phone."""

import re

import pytest

from tests.browser.conftest import a_site
from tests.browser.pages import call, expect, go, shown
from tests.serving.running import Running

#: after the third frame, columns that don't fit have been dropped
WIDER = """async (table) => {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  return table.offsetWidth - table.parentElement.clientWidth;
}"""
#: the lists whose columns people need most: their first columns on a phone
FIRST = {
    "/contacts": ["id", "lastname", "firstname", "socid"],
    "/invoices": ["id", "ref", "socid", "total_ttc"],
    "/products": ["id", "ref", "label", "stock_reel"],
    "/thirdparties": ["id", "name", "code_client", "town"],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    yield from a_site(Running(tmp_path_factory.mktemp("site"), workers=2, arguments=("--demo",)))


def lists(site):
    """The path and page of each list that needs no values."""
    for service in site.ask("/explorer/index.json", key=site.key).json["services"]:
        for each in service["operations"]:
            if each["verb"] == "GET" and "{" not in each["path"] and not each.get("missing"):
                yield each["path"], f"#/{service['name']}/{each['id']}"


def chosen(page):
    return int(page.get_by_text(re.compile(r"^Columns: \d+ of \d+$")).inner_text().split()[1])


def test_every_list_fits(visit, site, faults):
    faults.expect_status(400, 405)  # not everything without variables in its path is a list
    page = visit()
    seen = set()
    for path, place in lists(site):
        page.set_viewport_size({"width": 1280, "height": 800})
        go(page, place)
        button = page.get_by_role("form", name="Call").get_by_role("button", name="Send", exact=True)
        if button.is_disabled():
            continue
        button.click()
        page.locator(".answer .sent").wait_for()
        table = page.locator(".records[role=grid]")
        if not table.count():
            continue
        seen.add(path)
        if table.locator("td:nth-child(n + 2) > a").count():
            # The names of the referenced records come with a second response
            page.wait_for_load_state("networkidle")
        heads = table.get_by_role("columnheader")
        assert table.evaluate(WIDER) <= 0, path
        assert heads.count() == chosen(page), path
        page.set_viewport_size({"width": 390, "height": 800})
        if path in FIRST:
            expect(heads).to_have_text(FIRST[path])
        assert table.evaluate(WIDER) <= 0, path
        assert heads.count() == chosen(page), path
    assert {*FIRST, "/orders", "/proposals", "/shipments", "/users"} <= seen
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_columns_that_a_user_chose_stay(visit):
    page = visit("#/thirdparties/get-thirdparties?limit=5", size=(390, 800))
    answer = call(page)
    heads = shown(answer).get_by_role("columnheader")
    expect(heads).to_have_text(FIRST["/thirdparties"])
    answer.get_by_text(re.compile(r"^Columns: 4 of \d+$")).click()
    boxes = answer.get_by_role("group", name="Columns")
    expect(boxes.get_by_role("checkbox", checked=True)).to_have_count(4)
    for name in ("status", "phone"):
        boxes.get_by_label(name, exact=True).check()
    expect(heads).to_have_count(6)
    answer.get_by_role("button", name="Reset").click()
    expect(heads).to_have_text(FIRST["/thirdparties"])
    expect(boxes.get_by_role("checkbox", checked=True)).to_have_count(4)
