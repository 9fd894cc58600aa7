"""The tree of an answer: it folds, hides and finds; identifiers in it lead on, and so does the record itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.browser.conftest import Opener
from tests.browser.faults import Faults
from tests.browser.pages import call, expect, field, title, tree_of

if TYPE_CHECKING:
    pass


def test_the_tree_folds_and_is_coloured(visit: Opener) -> None:
    page = visit("#/proposals/get-proposals-id?id=1")
    tree = tree_of(call(page))
    whole = tree.get_by_role("button", expanded=True).first
    expect(tree).to_contain_text("total_ttc")
    kinds = {
        kind: tree.locator(f".json-{kind}").first.evaluate("e => getComputedStyle(e).color")
        for kind in ("key", "string", "number", "word")
    }
    assert len(set(kinds.values())) == 4
    whole.click()
    expect(tree.get_by_role("listitem")).to_have_count(1)
    whole = tree.get_by_role("button", expanded=False).first
    whole.press("Enter")
    lines = tree.get_by_role("button").filter(has_text="lines")
    expect(lines).to_be_visible()
    if lines.get_attribute("aria-expanded") == "false":
        lines.click()
    page.get_by_role("button", name="Expand all").click()
    expect(tree).to_contain_text('subprice: "100.00000000"')


def test_an_identifier_leads_to_what_reads_it(visit: Opener) -> None:
    page = visit("#/proposals/get-proposals-id?id=1")
    tree = tree_of(call(page))
    tree.get_by_role("listitem").filter(has_text=re.compile("^socid: 1$")).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(field(page, "id")).to_have_value("1")
    expect(page.locator(".answer")).to_contain_text("Atelier Vasseur")
    page.go_back()
    expect(title(page)).to_have_text("GET /proposals/{id}")
    expect(page.locator(".answer")).to_contain_text("total_ttc")


def test_a_list_leads_to_its_records(visit: Opener) -> None:
    page = visit("#/thirdparties/get-thirdparties")
    tree = tree_of(call(page))
    page.get_by_role("button", name="Expand all").click()
    tree.get_by_role("listitem").filter(has_text=re.compile("^id: 2$")).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(page.locator(".answer")).to_contain_text("Brasserie du Quai")


def test_what_a_creation_answers_leads_to_the_record(visit: Opener) -> None:
    page = visit("#/contacts/post-contacts")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"lastname": "Newcomer"}')
    tree_of(call(page)).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /contacts/{id}")
    expect(page.locator(".answer")).to_contain_text("Newcomer")


def test_a_large_list_is_shown_in_steps(visit: Opener) -> None:
    page = visit("#/show/get-show-large")
    field(page, "megabytes").fill("1")
    answer = call(page)
    tree = tree_of(answer)
    expect(tree).to_contain_text("500,000 items")
    assert tree.get_by_role("listitem").count() < 300
    tree.get_by_role("button", name="Show 100 more").click()
    expect(tree.get_by_role("listitem").nth(150)).to_be_visible()


def test_one_goes_on_with_a_record(visit: Opener, faults: Faults) -> None:
    page = visit("#/proposals/get-proposals-id?id=1")
    answer = call(page)
    steps = answer.get_by_role("navigation", name="Next for 1").get_by_role("link")
    # The moves from its state first, each once; never what was just called
    moves = [
        f"#/proposals/post-proposals-id-{each}?id=1" for each in ("validate", "close", "setinvoiced", "settodraft")
    ]
    expect(steps.filter(has_text=re.compile("^POSTValidate"))).to_have_attribute("href", moves[0])
    answer.get_by_role("button", name=re.compile(r"^\d+ more$")).click()
    paths = [each.get_attribute("href") for each in steps.all()]
    assert [paths.count(each) for each in moves] == [1, 0, 0, 0]
    assert paths.count("#/proposals/get-proposals-id-lines?id=1") == 1
    assert "#/proposals/get-proposals-id?id=1" not in paths
    # What another service does with it, which is told the service's name
    assert paths.count("#/documents/get-documents-check?modulepart=proposals&id=1") == 1
    own = tree_of(answer).get_by_role("listitem").filter(has_text=re.compile("^id: 1$"))
    expect(own.first).to_be_visible()
    expect(own.first.get_by_role("link")).to_have_count(0)
    steps.filter(has_text=re.compile("^POSTValidate")).click()
    expect(title(page)).to_have_text("POST /proposals/{id}/validate")
    expect(field(page, "id")).to_have_value("1")
    assert not [each for each in faults.asked if each.startswith("POST")]


def test_one_goes_on_with_what_was_made(visit: Opener) -> None:
    page = visit("#/contacts/post-contacts")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"lastname": "Later"}')
    answer = call(page)
    number = tree_of(answer).get_by_role("link").inner_text()
    link = answer.get_by_role("navigation", name=f"Next for {number}").get_by_role("link").filter(has_text="PATCH")
    expect(link).to_have_attribute("href", f"#/contacts/patch-contacts-id?id={number}")


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
    answer.get_by_label("Filter response", exact=True).fill("TVA_tx")
    # In its one line alone, which is unfolded for it
    expect(answer).to_contain_text("1 key, 0 values")
    expect(entry.filter(has_text=re.compile('^tva_tx: "20'))).to_be_visible()
    expect(entry.filter(has_text=re.compile("^socid"))).to_have_count(0)
    answer.get_by_label("Filter response", exact=True).fill("")
    page.reload()
    # A preference of the tab
    expect(title(page)).to_have_text("GET /proposals/{id}")
    expect(call(page).get_by_role("button", name="Hide empty")).to_have_attribute("aria-pressed", "true")
