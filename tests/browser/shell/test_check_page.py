"""For the author of a module: what became of every file, what a method raised, and how long a call took."""

import re

from tests.browser.pages import call, expect, go, title
from tests.browser.test_accessibility import check

FALLS = """
class Falls:
    \"\"\"Falls.

    :permission: thirdparties.read
    \"\"\"

    def index(self) -> int:
        \"\"\"Fall.\"\"\"
        return {}["private words"]
"""


def test_every_file_is_shown_with_what_became_of_it(visit, drop, user, faults):
    page = visit()
    page.get_by_role("link", name="Module status").click()
    expect(title(page)).to_have_text("Module status")
    loaded = page.get_by_role("main").get_by_role("listitem").filter(has_text="api_thirdparties.py")
    # It is folded as long as the server knows the broken file of another test
    expect(loaded).to_be_visible()
    mark, path = loaded.get_by_role("img", name="loaded").bounding_box(), loaded.locator("code").bounding_box()
    assert mark and path and mark["x"] + mark["width"] < path["x"]
    expect(loaded).to_contain_text(re.compile(r"\d+ operations"))
    # One that is broken now appears by itself, above all others
    first = page.get_by_role("main").get_by_role("listitem").first
    drop("broken", "def early():\n    return 1 / 0\n\n\nearly()")
    expect(first).to_contain_text("ZeroDivisionError: division by zero")
    expect(first.get_by_role("img", name="failed to load")).to_be_visible()
    # The files that need no action are folded then
    expect(loaded).to_be_hidden()
    first.get_by_text("Traceback").click()
    expect(first.get_by_label("Traceback").locator("mark").first).to_contain_text("api_broken.py")
    # The module itself, which has only this file
    expect(
        page.get_by_role("main").get_by_role("listitem").filter(has_text=re.compile(r"^✕\s*broken$"))
    ).to_be_visible()
    left = [each.bounding_box() for each in (title(page), first)]
    assert left[0] and left[1] and left[0]["x"] == left[1]["x"] and left[1]["width"] > 500
    check(page, "module files")
    page.set_viewport_size({"width": 320, "height": 600})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    first.get_by_role("link", name="broken").click()
    expect(title(page)).to_contain_text("broken")
    # Others read neither paths nor reasons
    page = visit("#//check", key=user("thirdparties.read"))
    expect(page.get_by_role("main").get_by_role("listitem").first).to_contain_text("broken")
    shown = page.get_by_role("main").inner_text()
    assert ".py" not in shown and "ZeroDivisionError" not in shown


def test_what_a_method_raises_and_how_long_it_takes_is_shown(visit, drop, user, faults):
    drop("falls", FALLS)
    faults.expect_status(500)
    page = visit()
    page.get_by_role("link", name="Falls", exact=True).first.wait_for()
    go(page, "#/falls/get-falls")
    answer = call(page, "500")
    expect(answer.locator(".raised")).to_have_text("falls/class/api_falls.py, line 10: KeyError: 'private words'")
    go(page, "#/thirdparties/get-thirdparties-id?id=1")
    status = call(page).get_by_role("status").first
    expect(status).to_contain_text(re.compile(r"ms \(server [\d.]+ ms, database [\d.]+ ms\), "))
    go(page, "#/thirdparties")
    expect(page.get_by_role("main")).to_contain_text("Postman, Bruno or Insomnia")
    page = visit("#/falls/get-falls", key=user("thirdparties.read"))
    answer = call(page, "500")
    expect(answer).to_contain_text("Internal Server Error")
    expect(answer).not_to_contain_text("private words")
