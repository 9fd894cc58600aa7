"""What tests say to a page, and expect of it. A test file that imports this is skipped where there is no playwright."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")

from playwright.sync_api import Browser, Locator, Page, expect

#: the page hears of the change before the one that is added here does
FOLLOW = """place => new Promise((done) => {
  const before = location.href;
  addEventListener("hashchange", done, { once: true });
  location.hash = place;
  if (location.href === before) done();
}).then(() => {})"""


def go(page, place):
    """Follow an address within the page, until what it names is shown: what is pressed too early is of the page before."""
    page.evaluate(FOLLOW, place)
    expect(page.locator("#shown:not([aria-busy=true])")).to_have_count(1)


def title(page):
    """The heading of what is shown."""
    return page.get_by_role("main").get_by_role("heading", level=1)


def listed(page):
    """The pane with search and services."""
    return page.get_by_role("navigation", name="Services")


def field(page, name):
    """The control of a parameter."""
    return page.get_by_role("form", name="Call").get_by_label(re.compile(rf"^{re.escape(name)}( required)?$"))


def filter_builder(page):
    """Open what builds a filter of a list; it stands among the parameters that all lists share."""
    page.get_by_text("Filters by field, sorting and paging").click()
    page.get_by_role("button", name="Build a filter").click()
    return page.get_by_role("group", name="Filter")


def operation_in(place, path, verb=""):
    """What tells of an operation in a list: its words, and its path, which may be there on demand only."""
    page = place.page
    said = place.locator(".operation").filter(has=page.locator(".path", has_text=re.compile(rf"^{re.escape(path)}$")))
    return said.filter(has=page.locator(".verb", has_text=re.compile(rf"^{verb}")))


def call_as_code(page):
    """The call as code: beside the form it is open, below it somebody opens it."""
    shown, title = page.get_by_label("Request as code"), page.get_by_text("Request as code")
    # Before the page is there, it can't be told whether it is open
    title.wait_for()
    if not page.locator("details.code[open]").count():
        title.click()
    expect(shown).to_be_visible()
    return shown


def call(page, status="200"):
    """Press the button, wait for the answer's status, and hand on the answer."""
    press = page.get_by_role("form", name="Call").get_by_role("button", name="Send", exact=True).click
    return answered(page, press, status)


def answered(page, send, status="200"):
    """Send a call, wait until its answer stands in the place of the one before, and hand it on."""
    answer = page.locator(".answer")
    answer.locator(".sent").evaluate_all("all => all.forEach((each) => each.classList.add('before'))")
    send()
    expect(answer.locator(".sent:not(.before)").first).to_be_visible()
    expect(answer.get_by_role("status").first).to_contain_text(status)
    return answer


def body_of(page):
    """The editor of the body."""
    return page.get_by_role("textbox", name=re.compile("^Body"))


def content(answer):
    """The answer's text as data."""
    answer.get_by_role("button", name="Text", exact=True).click()
    return json.loads(shown(answer).inner_text())


def complaint(control):
    """What is said to be wrong with a control: found as a screen reader finds it."""
    expect(control).to_have_attribute("aria-invalid", "true")
    ids = (control.get_attribute("aria-describedby") or "").split()
    return control.page.locator(", ".join(f"#{each}" for each in ids)).filter(has_text="expected")


def shown(answer):
    """The content of an answer in the view that is on."""
    return answer.get_by_role("group", name="Response body")


def tree_of(answer):
    """The content of an answer as a tree."""
    answer.get_by_role("button", name="Tree", exact=True).click()
    return shown(answer)


def save(page, link):
    """The name and content of what a link saves."""
    with page.expect_download() as saved:
        link.click()
    return saved.value.suggested_filename, Path(saved.value.path()).read_bytes()


__all__ = [
    "Browser",
    "Locator",
    "Page",
    "body_of",
    "call",
    "call_as_code",
    "complaint",
    "content",
    "expect",
    "field",
    "filter_builder",
    "go",
    "listed",
    "operation_in",
    "save",
    "shown",
    "title",
    "tree_of",
]
