"""The tree of an answer: it folds, hides and finds; identifiers in it lead on."""

import re

from tests.browser.pages import call, expect, field, title, tree_of


def test_an_identifier_leads_to_what_reads_it(visit):
    page = visit("#/proposals/get-proposals-id?id=1")
    tree = tree_of(call(page))
    tree.get_by_role("listitem").filter(has_text=re.compile("^socid: 1$")).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(field(page, "id")).to_have_value("1")
    expect(page.locator(".answer")).to_contain_text("Atelier Vasseur")
    page.go_back()
    expect(title(page)).to_have_text("GET /proposals/{id}")
    expect(page.locator(".answer")).to_contain_text("total_ttc")


def test_what_a_creation_answers_leads_to_the_record(visit):
    page = visit("#/contacts/post-contacts")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"lastname": "Newcomer"}')
    tree_of(call(page)).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /contacts/{id}")
    expect(page.locator(".answer")).to_contain_text("Newcomer")


def test_a_large_list_is_shown_in_steps(visit):
    page = visit("#/show/get-show-large")
    field(page, "megabytes").fill("1")
    answer = call(page)
    tree = tree_of(answer)
    expect(tree).to_contain_text("500,000 items")
    assert tree.get_by_role("listitem").count() < 300
    tree.get_by_role("button", name="Show 100 more").click()
    expect(tree.get_by_role("listitem").nth(150)).to_be_visible()
