"""Ten tasks of who writes a client, done by the keyboard alone: from a question in the search to the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from tests.browser.conftest import Opener, a_site
from tests.browser.pages import Page, answered, expect, title
from tests.serving.running import Running

#: how often Tab may be pressed until what is looked for has the focus
FAR = 90
_WORDS = """() => {
  const { activeElement: one } = document;
  return (one.labels && one.labels[0] ? one.labels[0].innerText : one.getAttribute("aria-label") || one.innerText || "").trim();
}"""


def find(question: str) -> Callable[[Page], None]:
    """Ask the search, and take what it has found first."""

    def do(page: Page) -> None:
        page.keyboard.press("/")
        page.keyboard.press("Control+a")
        page.keyboard.type(question)
        expect(page.get_by_role("list", name="Found")).to_be_visible()
        page.keyboard.press("Enter")

    return do


def reach(words: str) -> Callable[[Page], None]:
    """Go to what is called so."""

    def do(page: Page) -> None:
        for _ in range(FAR):
            page.keyboard.press("Tab")
            # A link to a call begins with its verb
            if re.search(rf"^(?:{words})", page.evaluate(_WORDS), re.MULTILINE):
                return
        raise AssertionError(f"{words} is not reached by Tab")

    return do


def enter(words: str, text: str) -> Callable[[Page], None]:
    """Write into a field, or choose of a list."""

    def do(page: Page) -> None:
        reach(words)(page)
        page.keyboard.type(text)

    return do


def press(words: str) -> Callable[[Page], None]:
    """Follow a link, or press a button."""

    def do(page: Page) -> None:
        reach(words)(page)
        page.keyboard.press("Enter")

    return do


def call(page: Page) -> None:
    """Send the form from whatever field of it has the focus."""
    page.locator("form[aria-label=Call]").wait_for()
    reach(r"Send$")(page)
    answered(page, lambda: page.keyboard.press("Enter"))


def see(words: str) -> Callable[[Page], None]:
    """The heading of what is shown."""
    return lambda page: expect(title(page)).to_contain_text(words)


def read(words: str) -> Callable[[Page], None]:
    """What the page says."""
    return lambda page: expect(page.get_by_role("main")).to_contain_text(words)


TASKS = {
    "authenticate": [find("auth"), see("Authenticate"), read("DOLAPIKEY")],
    "what a 405 means": [find("405"), see("Errors"), read("405")],
    "many contacts at once": [find("import contacts"), see("Batches"), read("/contacts/batch")],
    "a customer": [find("create customer"), see("POST /thirdparties"), call],
    "an order with lines, validated, and its PDF": [
        find("create order"), see("POST /orders"), call,
        press("Validate"), see("POST /orders/{id}/validate"), call,
        press("Generate PDF"), see("PUT /documents/builddoc"), call,
    ],
    "what a customer has not paid": [
        find("unpaid invoices"), see("GET /invoices"), enter("thirdparty_ids", "1"), enter("status", "unpaid"), call,
        read("status=unpaid"),
    ],
    "all contacts, page by page": [
        find("contacts"), see("GET /contacts"), press("Sorting, filtering and paging"), enter("limit", "1"), call,
        press("Next"), read("2–2 of"),
    ],
    "an invoice that is paid": [
        find("create invoice"), see("POST /invoices"), call,
        press("Validate"), see("POST /invoices/{id}/validate"), call,
        press("Add a payment"), see("POST /invoices/{id}/payments"),
    ],
    "an offer that is accepted": [find("sign proposal"), see("POST /proposals/{id}/close")],
    "a file of a record": [find("download"), see("GET /documents")],
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of its own, for what is made here stays: a customer, his contacts, an offer."""
    server = Running(tmp_path_factory.mktemp("tasks"), workers=2, known=True)
    yield from a_site(server, *[("POST", "/contacts", {"lastname": name}) for name in ("Adam", "Berg")])


def test_ten_tasks_are_done_by_the_keyboard_alone(visit: Opener) -> None:
    page = visit()
    failed = {}
    for task, steps in TASKS.items():
        try:
            for step in steps:
                step(page)
        except AssertionError as error:
            failed[task] = str(error)[:400]
    assert not failed, "\n\n".join(f"{task}: {said}" for task, said in failed.items())
