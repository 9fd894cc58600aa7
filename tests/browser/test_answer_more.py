"""An answer in sight, in the format that was asked for, sifted, and what one can go on with; notes and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.conftest import Opener
from tests.browser.faults import Faults
from tests.browser.pages import call, expect, field, go, title
from tests.browser.test_answer import save, tree_of

if TYPE_CHECKING:
    from playwright.sync_api import Route

NOTED = '''
from core import Api


class Noted(Api):
    """Has notes and tables.

    :access: public
    """

    def get(self, id: int) -> int:
        """Answer the number.

        .. warning:: It is *hot*.
           Do not touch.

        ====== =======
        Number Meaning
        ====== =======
        0      draft
        1      sent, or
               answered
        ====== =======

        === ===
        never closed
        """
        return id
'''


def test_one_goes_on_with_a_record(visit: Opener, faults: Faults) -> None:
    page = visit("#/proposals/get-proposals-id?id=1")
    answer = call(page)
    steps = answer.get_by_role("navigation", name="Go on with 1").get_by_role("link")
    # The moves first, each once, in the order of the service's table; never what was just called
    expect(steps).to_contain_text(["validate", "close", "setinvoiced", "settodraft"])
    assert steps.filter(has_text="validate").count() == 1
    answer.get_by_role("button", name=re.compile(r"^\d more$")).click()
    expect(steps.filter(has_text=re.compile("^GETlines$"))).to_have_count(1)
    expect(steps.filter(has_text=re.compile("^GETthe record$"))).to_have_count(0)
    own = tree_of(answer).get_by_role("listitem").filter(has_text=re.compile("^id: 1$"))
    expect(own.first).to_be_visible()
    expect(own.first.get_by_role("link")).to_have_count(0)
    steps.filter(has_text="validate").click()
    expect(title(page)).to_have_text("POST /proposals/{id}/validate")
    expect(field(page, "id")).to_have_value("1")
    assert not [each for each in faults.asked if each.startswith("POST")]


def test_one_goes_on_with_what_was_made(visit: Opener) -> None:
    page = visit("#/contacts/post-contacts")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"lastname": "Later"}')
    answer = call(page)
    number = tree_of(answer).get_by_role("link").inner_text()
    link = answer.get_by_role("navigation", name=f"Go on with {number}").get_by_role("link").filter(has_text="PATCH")
    expect(link).to_have_attribute("href", f"#/contacts/patch-contacts-id?id={number}")


def test_a_list_is_answered_as_csv(visit: Opener) -> None:
    page = visit("#/thirdparties/get-thirdparties?limit=1")
    choice = page.get_by_label("Answer as")
    expect(choice.get_by_role("option")).to_have_text(["JSON", "CSV", "XLSX"])
    page.get_by_text("The call as code").click()
    code = page.get_by_label("The call as code")
    expect(code).not_to_contain_text("Accept")
    choice.select_option(label="CSV")
    expect(code).to_contain_text("Accept: text/csv")
    answer = call(page)
    expect(answer).to_contain_text("Atelier Vasseur")
    name, content = save(page, answer.get_by_role("link", name="Save"))
    assert name == "get-thirdparties.csv"
    assert content.startswith(b"id,")
    go(page, "#/thirdparties/get-thirdparties-id")
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(choice).to_have_count(0)


def test_the_answer_comes_into_sight(visit: Opener) -> None:
    page = visit("#/thirdparties/get-thirdparties?limit=1", size=(1280, 500))
    status = page.locator(".answer").get_by_role("status").first
    field(page, "mode").press("Control+Enter")
    expect(status).to_contain_text("200")
    expect(status).to_be_in_viewport()
    assert page.evaluate("scrollY") > 0


def test_who_scrolls_meanwhile_is_not_taken_away(visit: Opener) -> None:
    page = visit("#/thirdparties/get-thirdparties?limit=1", size=(1280, 500))
    held: list[Route] = []
    page.route("**/thirdparties?limit=1", lambda route: held.append(route))
    field(page, "mode").press("Control+Enter")
    expect(page.locator(".answer")).to_have_attribute("aria-busy", "true")
    page.evaluate("scrollTo(0, 40)")
    held[0].continue_()
    expect(tree_of(page.locator(".answer"))).to_be_attached()
    assert page.evaluate("scrollY") == 40


def test_a_refusal_is_said_once(visit: Opener, faults: Faults) -> None:
    faults.expect_status(400)
    page = visit("#/thirdparties/post-thirdparties")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"client": 1}')
    answer = call(page, "400")
    notice = answer.locator(".notice")
    expect(notice).to_contain_text("name field missing")
    expect(notice.get_by_role("listitem")).to_have_count(0)
    expect(tree_of(answer).get_by_role("button")).to_have_attribute("aria-expanded", "false")


def test_what_is_empty_is_hidden_and_names_are_found(visit: Opener) -> None:
    page = visit("#/proposals/get-proposals-id?id=1")
    answer = call(page)
    tree = tree_of(answer)
    entry = tree.get_by_role("listitem")
    expect(tree.get_by_role("button").first).to_contain_text(re.compile(r"\d+ fields$"))
    expect(entry.filter(has_text=re.compile("^ref_ext: null$"))).to_be_visible()
    answer.get_by_role("button", name="Hide empty").click()
    expect(entry.filter(has_text=re.compile("null$"))).to_have_count(0)
    expect(entry.filter(has_text=re.compile("^socid: 1$"))).to_be_visible()
    expect(tree.get_by_role("button").first).to_contain_text(re.compile(r"\d+ fields, \d+ hidden$"))
    answer.get_by_label("Find", exact=True).fill("TVA_tx")
    # In its one line alone, which is unfolded for it
    expect(answer).to_contain_text("1 found")
    expect(entry.filter(has_text=re.compile('^tva_tx: "20'))).to_be_visible()
    expect(entry.filter(has_text=re.compile("^socid"))).to_have_count(0)
    answer.get_by_label("Find", exact=True).fill("")
    page.reload()
    # A preference of the tab
    expect(title(page)).to_have_text("GET /proposals/{id}")
    expect(call(page).get_by_role("button", name="Hide empty")).to_have_attribute("aria-pressed", "true")


def test_an_empty_list_and_what_the_history_tells(visit: Opener) -> None:
    page = visit("#/thirdparties/get-thirdparties?sqlfilters=(t.town:=:'Nowhere at all')")
    expect(call(page)).to_contain_text("An empty list.")
    go(page, "#/contacts/post-contacts")
    body = page.get_by_role("textbox", name=re.compile("^Body"))
    body.fill('{\n  "lastname": "Earlier",\n  "note_public": "' + "x" * 100 + '"\n}')
    call(page)
    go(page, "#/history")
    entries = page.get_by_role("main").get_by_role("listitem")
    expect(entries.nth(0)).to_contain_text('{ "lastname": "Earlier", "note_public": "x')
    expect(entries.nth(0)).not_to_contain_text("x" * 60)
    expect(entries.nth(1)).to_contain_text("(t.town:=:'Nowhere at all')")


def test_notes_and_tables_of_a_docstring(visit: Opener, drop: Callable[[str, str], Path]) -> None:
    page = visit()
    drop("noted", NOTED)
    go(page, "#/noted/get-noted-id")
    expect(title(page)).to_have_text("GET /noted/{id}")
    main = page.get_by_role("main")
    expect(main.locator(".aside")).to_have_text(re.compile(r"^Warning\. It is hot\.\s+Do not touch\.$"))
    rows = main.locator(".prose").get_by_role("row")
    expect(rows).to_have_text(["NumberMeaning", "0draft", "1sent, or answered"])
    expect(main.locator(".prose pre")).to_contain_text("never closed")
