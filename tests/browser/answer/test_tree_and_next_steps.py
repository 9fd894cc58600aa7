"""The tree of an answer: it folds, hides and finds; identifiers in it lead on, and so does the record itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.browser.conftest import Opener
from tests.browser.faults import Faults
from tests.browser.pages import call, expect, field, title, tree_of

if TYPE_CHECKING:
    pass


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
