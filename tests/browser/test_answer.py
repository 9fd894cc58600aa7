"""An answer: status, time, size, headers; a tree that folds and leads on; files shown or offered; the history."""

from __future__ import annotations

import re
from pathlib import Path

from tests.browser.conftest import Opener
from tests.browser.faults import Faults
from tests.browser.pages import Locator, Page, call, expect, field, go, title


def tree_of(answer: Locator) -> Locator:
    return answer.get_by_role("group", name="Content of the answer")


def save(page: Page, link: Locator) -> tuple[str, bytes]:
    """The name and content of what a link saves."""
    with page.expect_download() as saved:
        link.click()
    return saved.value.suggested_filename, Path(saved.value.path()).read_bytes()


def test_status_time_size_and_headers_are_told(visit: Opener) -> None:
    page = visit("#/thirdparties/get-thirdparties-id?id=1")
    answer = call(page)
    expect(answer.get_by_role("status").first).to_have_text(re.compile(r"200.*\d+ ms.*\d+(\.\d+)? (bytes|kB)"))
    expect(answer).to_contain_text("GET /thirdparties/1")
    answer.get_by_text(re.compile(r"^\d+ headers$")).click()
    expect(answer).to_contain_text("content-type")
    expect(answer).to_contain_text("application/json")
    expect(answer).to_contain_text("etag")


def test_a_refusal_is_told_in_words(visit: Opener, faults: Faults) -> None:
    faults.expect_status(404)
    page = visit("#/thirdparties/get-thirdparties-id?id=4711")
    answer = call(page, "404")
    expect(answer).to_contain_text("Thirdparty not found")


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


def test_the_text_is_what_was_answered(visit: Opener) -> None:
    page = visit("#/show/get-show-old")
    answer = call(page)
    answer.get_by_role("button", name="Text", exact=True).click()
    assert tree_of(answer).inner_text() == '"old"'
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer.get_by_role("button", name="Copy").click()
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == '"old"'
    assert save(page, answer.get_by_role("link", name="Save"))[1] == b'"old"'


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
    answer = call(page)
    page.get_by_role("button", name="Expand all").click()
    tree_of(answer).get_by_role("listitem").filter(has_text=re.compile("^id: 2$")).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(page.locator(".answer")).to_contain_text("Brasserie du Quai")


def test_what_a_creation_answers_leads_to_the_record(visit: Opener) -> None:
    page = visit("#/contacts/post-contacts")
    page.get_by_role("textbox", name=re.compile("^Body")).fill('{"lastname": "Newcomer"}')
    tree_of(call(page)).get_by_role("link").click()
    expect(title(page)).to_have_text("GET /contacts/{id}")
    expect(page.locator(".answer")).to_contain_text("Newcomer")


def test_a_pdf_is_shown_in_place(visit: Opener) -> None:
    page = visit("#/show/get-show-paper")
    answer = call(page)
    frame = answer.locator("iframe")
    expect(frame).to_have_attribute("title", "paper.pdf")
    expect(frame).to_have_attribute("src", re.compile("^blob:"))
    name, content = save(page, answer.get_by_role("link", name="Save paper.pdf"))
    assert name == "paper.pdf" and content.startswith(b"%PDF-1.4")


def test_bytes_are_offered(visit: Opener) -> None:
    page = visit("#/show/get-show-bytes")
    answer = call(page)
    expect(answer.locator("iframe")).to_have_count(0)
    assert save(page, answer.get_by_role("link", name="Save noise.bin")) == ("noise.bin", b"\x00\xff" * 1000)


def test_fifty_megabytes_are_offered_and_the_page_goes_on(visit: Opener) -> None:
    page = visit("#/show/get-show-large")
    page.evaluate(
        """() => {
          window.longest = 0;
          let before = performance.now();
          const beat = () => {
            const now = performance.now();
            window.longest = Math.max(window.longest, now - before);
            before = now;
            setTimeout(beat, 20);
          };
          beat();
        }"""
    )
    answer = call(page)
    expect(answer).to_contain_text("50.0 MB")
    expect(answer.get_by_role("group", name="Content of the answer")).to_have_count(0)
    name, content = save(page, answer.get_by_role("link", name="Save large.json"))
    assert (name, len(content)) == ("large.json", 50_000_001)
    # A page that reads 50 MB as text and parses them stands still for seconds
    assert page.evaluate("window.longest") < 1_500
    page.get_by_role("searchbox").fill("show typed")
    expect(page.get_by_role("list", name="Found").get_by_role("link")).to_have_count(1)


def test_a_large_list_is_shown_in_steps(visit: Opener) -> None:
    page = visit("#/show/get-show-large")
    field(page, "megabytes").fill("1")
    answer = call(page)
    tree = tree_of(answer)
    expect(tree).to_contain_text("500,000 items")
    assert tree.get_by_role("listitem").count() < 300
    tree.get_by_role("button", name="Show 100 more").click()
    expect(tree.get_by_role("listitem").nth(150)).to_be_visible()


# History -------------------------------------------------------------------------------------------------------------


def test_the_history_of_the_tab_opens_calls_again(visit: Opener, faults: Faults) -> None:
    faults.expect_status(404)
    page = visit("#/thirdparties/get-thirdparties-id?id=2")
    call(page)
    field(page, "id").fill("4711")
    call(page, "404")
    page.get_by_role("link", name="History").click()
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


def test_it_keeps_no_secret(visit: Opener, faults: Faults) -> None:
    faults.expect_status(403)
    page = visit("#/login/post-login")
    body = page.get_by_role("textbox", name=re.compile("^Body"))
    body.fill('{"login": "nobody", "password": "hunter2-hunter2"}')
    call(page, "403")
    kept = page.evaluate("JSON.stringify({ ...sessionStorage })")
    assert "hunter2" not in kept
    assert "post-login" in kept


def test_another_tab_has_a_history_of_its_own(visit: Opener) -> None:
    page = visit("#/show/get-show-old")
    call(page)
    other = visit("#/history")
    expect(other.get_by_role("main")).to_contain_text("Nothing was called in this tab yet")
