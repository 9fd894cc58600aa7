"""Lists as tables and records as cards: order, pages, filters, columns and sheets by the server; names of states, days."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs

from tests.browser.pages import call, expect, field, go, shown, title

#: the two third parties of the samples, whatever others tests have made
TWO = "sqlfilters=(t.town:in:'Le Havre','Lyon')"


def test_a_list_is_sorted_turned_and_narrowed(visit):
    page = visit(f"#/thirdparties/get-thirdparties?limit=1&{TWO}")
    answer = call(page)
    table = shown(answer).get_by_role("grid")
    rows = table.locator("tbody").get_by_role("row")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Atelier Vasseur")
    # How many there are is asked for behind the answer, for a page of one did not tell
    expect(answer).to_contain_text("1–1 of 2")
    following = answer.get_by_role("button", name="Next", exact=True)
    following.click()
    expect(answer).to_contain_text("2–2 of 2")
    expect(rows).to_contain_text("Brasserie du Quai")
    expect(following).to_be_focused()
    expect(following).to_have_attribute("aria-disabled", "true")
    # Another order begins with the first page
    heading = table.get_by_role("columnheader", name="name", exact=True)
    for order, first in (("ascending", "Atelier"), ("descending", "Brasserie")):
        heading.get_by_role("button").click()
        expect(heading).to_have_attribute("aria-sort", order)
        expect(rows).to_contain_text(first)
        expect(heading.get_by_role("button")).to_be_focused()
    expect(answer).to_contain_text(
        re.compile("limit=1&sortfield=name&sortorder=DESC|sortfield=name&sortorder=DESC&limit=1")
    )
    expect(answer).to_contain_text("1–1 of 2")
    expect(field(page, "sortfield")).to_have_value("name")


def test_the_columns_of_first_sight_are_those_people_look_for(visit):
    page = visit("#/contacts/get-contacts?sqlfilters=(t.lastname:=:'Vasseur')")
    heads = shown(call(page)).get_by_role("columnheader")
    expect(heads).to_contain_text(["id", "lastname", "firstname", "socid"])
    page = visit("#/invoices/get-invoices")
    list_of = [{
        "id": each, "ref": f"FA{each}", "socid": 7 + each, "date": 1795219200 + each, "date_lim_reglement": 1797811200, "statut": 2 - each,
        "total_ht": "100.00000000", "total_ttc": "120.00000000", "multicurrency_total_ttc": "990.00000000", "remaintopay": "20.00",
    } for each in (1, 2)]  # fmt: skip
    page.route("**/invoices", lambda route: route.fulfill(json=list_of))
    heads = shown(call(page)).get_by_role("columnheader")
    expect(heads).to_contain_text(
        ["id", "ref", "socid", "total_ttc", "remaintopay", "statut", "date", "date_lim_reglement"]
    )
    page.unroute_all(behavior="ignoreErrors")


def test_the_moment_of_a_change_is_not_seen_at_first(visit):
    page = visit("#/orders/get-orders")
    list_of = [{
        "id": each, "ref": f"CO{each}", "socid": 7 + each, "date": 1795219200 + 86400 * each, "date_modification": 1795219300 + each,
        "statut": 3 - each, "total_ttc": f"{each}20.00",
    } for each in (0, 1, 2)]  # fmt: skip
    page.route("**/orders", lambda route: route.fulfill(json=list_of))
    heads = shown(call(page)).get_by_role("columnheader")
    expect(heads).to_have_text(["id", "ref", "socid", "total_ttc", "statut", "date"])
    page.unroute_all(behavior="ignoreErrors")


def test_a_cell_narrows_the_list_and_nothing_found_says_what_helps(visit):
    page = visit(f"#/thirdparties/get-thirdparties?{TWO}")
    answer = call(page)
    table = shown(answer).get_by_role("grid")
    rows = table.locator("tbody").get_by_role("row")
    expect(rows).to_have_count(2)
    # By the keyboard: one stop for all cells, arrows between them
    table.locator("td[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    menu = page.get_by_role("group", name="name: Brasserie du Quai")
    expect(menu.get_by_role("button")).to_have_text(["Only this value", "Exclude this value", "Copy value"])
    expect(menu.get_by_role("button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(table.get_by_role("gridcell", name="Brasserie du Quai")).to_be_focused()
    table.get_by_role("gridcell", name="Brasserie du Quai").click()
    menu.get_by_role("button", name="Only this value").click()
    expect(rows).to_have_count(1)
    expect(field(page, "sqlfilters")).to_have_value("(t.town:in:'Le Havre','Lyon') and (t.name:=:'Brasserie du Quai')")
    narrowed = answer.get_by_role("list", name="Active filters").get_by_role("button")
    expect(narrowed).to_have_text(["town is one of Le Havre, Lyon", "name is Brasserie du Quai"])
    narrowed.last.click()
    expect(rows).to_have_count(2)
    field(page, "sqlfilters").fill("(t.name:=:'nobody')")
    call(page)
    expect(answer).to_contain_text("No matching records")
    expect(table).to_have_count(0)
    narrowed.click()
    expect(rows.first).to_be_visible()


def test_a_search_for_the_middle_of_a_word_is_one_click_from_the_filter(visit):
    page = visit("#/thirdparties/get-thirdparties?q=asserie")
    answer = call(page)
    expect(answer).to_contain_text("q finds beginnings of words")
    answer.get_by_role("button", name="find it inside words", exact=True).click()
    # The words that found nothing would still narrow the list
    expect(field(page, "q")).to_have_value("")
    expect(field(page, "sqlfilters")).to_have_value(re.compile(r"\(t\.name:like:'%asserie%'\) or "))
    expect(answer).to_contain_text("Brasserie du Quai")


def test_digits_of_a_phone_number_are_found_between_its_spaces(visit, site):
    body = {"lastname": "Digits", "phone_mobile": "+420 777 98 76 541"}
    assert site.ask("/contacts", "POST", body, site.key).status == 200
    page = visit("#/contacts/get-contacts?q=77798")
    answer = call(page)
    answer.get_by_role("button", name="find it inside words", exact=True).click()
    expect(answer).to_contain_text("Digits")


def test_a_record_without_values_says_empty(visit, faults):
    faults.expect_status(404)  # there is no such product, whose next steps are read
    page = visit("#/products/get-products-id-stock?id=7")
    page.route("**/products/7/stock", lambda route: route.fulfill(json={"stock_warehouses": []}))
    expect(shown(call(page)).get_by_role("definition")).to_have_text("empty")
    page.unroute_all(behavior="ignoreErrors")


def test_columns_are_remembered_and_sheets_come_from_the_server(visit, faults):
    page = visit(f"#/thirdparties/get-thirdparties?{TWO}")
    answer = call(page)
    heads = shown(answer).get_by_role("columnheader")
    expect(heads.filter(has_text=re.compile("^name$"))).to_be_visible()
    expect(heads.filter(has_text=re.compile("^zip$"))).to_have_count(0)
    answer.get_by_text(re.compile(r"^Columns: \d+ of \d+$")).click()
    boxes = answer.get_by_role("group", name="Columns")
    answer.get_by_label("Find a column").fill("zip")
    expect(boxes.get_by_role("checkbox")).to_have_count(1)
    boxes.get_by_label("zip").check()
    expect(heads.filter(has_text=re.compile("^zip$"))).to_be_visible()
    kept = json.loads(page.evaluate("localStorage.getItem('comptoir-columns')"))
    assert "zip" in kept["get-thirdparties"]
    assert "Vasseur" not in str(kept)
    page.reload()
    expect(title(page)).to_have_text("GET /thirdparties")
    call(page)
    expect(heads.filter(has_text=re.compile("^zip$"))).to_be_visible()
    answer.get_by_text(re.compile(r"^Columns: \d+ of \d+$")).click()
    answer.get_by_role("button", name="Reset").click()
    expect(heads.filter(has_text=re.compile("^zip$"))).to_have_count(0)
    with page.expect_download() as saved:
        answer.get_by_role("button", name="Download as CSV").click()
    assert saved.value.suggested_filename.endswith(".csv")
    text = Path(saved.value.path()).read_text()
    assert text.startswith("id,") and "Atelier Vasseur" in text
    with page.expect_download() as saved:
        answer.get_by_role("button", name="Download as XLSX").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"PK")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer.get_by_role("button", name="Copy as CSV").click()
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n") == text.replace("\r\n", "\n")


def test_what_names_a_record_says_its_name_and_leads_to_it(visit):
    page = visit("#/contacts/get-contacts?sqlfilters=(t.lastname:=:'Vasseur')")
    table = shown(call(page)).get_by_role("grid")
    table.get_by_role("link", name="Atelier Vasseur").first.click()
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(field(page, "id")).to_have_value("1")


def test_a_record_is_a_card(visit):
    page = visit("#/proposals/get-proposals-id?id=1")
    answer = call(page)
    card = shown(answer)
    value = {name: card.locator(f"dt:text-is('{name}') + dd").first for name in ("statut", "date", "total_ht", "socid")}
    expect(value["statut"]).to_have_text("draft 0")
    expect(value["date"]).to_have_text("2026-11-21")
    expect(value["date"].locator("span")).to_have_attribute("title", "sent as 1795219200")
    expect(value["total_ht"]).to_have_text("200.00")
    expect(value["socid"].get_by_role("link")).to_have_text("Atelier Vasseur")
    lines = card.get_by_role("group", name="lines")
    expect(lines.get_by_role("row")).to_have_count(2)
    expect(lines).to_contain_text("Desk")
    # The quantity before longer texts, which would push it out of sight
    heads = lines.get_by_role("columnheader").all_inner_texts()
    assert heads.index("qty") < heads.index("desc")
    empty = card.get_by_text("ref_ext", exact=True)
    expect(empty).to_have_count(0)
    card.get_by_text(re.compile(r"^\d+ empty fields$")).first.click()
    expect(empty).to_be_visible()
    # The view is remembered in this tab
    answer.get_by_role("button", name="Text", exact=True).click()
    go(page, "#/thirdparties/get-thirdparties-id?id=1")
    expect(title(page)).to_have_text("GET /thirdparties/{id}")
    expect(call(page).get_by_role("button", name="Text", exact=True)).to_have_attribute("aria-pressed", "true")


def test_a_thousand_records_are_drawn_as_they_are_seen(visit):
    page = visit("#/thirdparties/get-thirdparties?limit=1000")
    records = [{"id": each, "name": f"Party {each}", "client": each % 4, "town": "Lyon"} for each in range(1, 1001)]
    page.route("**/thirdparties?limit=1000", lambda route: route.fulfill(json=records))
    answer = call(page)
    rows = shown(answer).get_by_role("grid").locator("tbody tr")
    expect(rows).to_have_count(100)
    expect(answer).to_contain_text("1,000 records")
    shown(answer).get_by_role("button", name="Show 100 more").scroll_into_view_if_needed()
    expect(rows).not_to_have_count(100)
    answer.get_by_label("Find in response", exact=True).fill("Party 1000")
    expect(rows).to_have_count(1)
    page.unroute_all(behavior="ignoreErrors")


def test_a_history_shows_who_changed_what_and_the_values(visit, faults):
    faults.expect_status(404)  # there is no such invoice, whose next steps are read
    page = visit("#/invoices/get-invoices-id-history?id=7")
    row = {"user_id": 3, "operation": "POST /invoices/{id}/validate", "login": "ada", "record": "7"}
    page.route("**/invoices/7/history", lambda route: route.fulfill(json=[
        {**row, "id": 9, "moment": 1795942247618, "kind": "changed", "element": "llx_facturedet", "label": "invoice line Desk",
         "before": {"qty": "1.00000000"}, "after": {"qty": "2.50000000"}},
        {**row, "id": 8, "moment": 1795942200000, "kind": "changed", "element": "llx_facture", "label": "invoice FA2611-0003",
         "before": {"statut": 0, "date_closing": None}, "after": {"statut": 1, "date_closing": 1795942200}},
        {**row, "id": 7, "record": "12", "moment": 1795942100000, "kind": "created", "element": "llx_ecm_files",
         "label": "stored file a.pdf", "before": None, "after": {"filename": "a.pdf", "size": 15203}},
    ]))  # fmt: skip
    answer = shown(call(page))
    groups = answer.locator("table.changes tbody")
    expect(groups.nth(0)).to_contain_text("2026-11-29 08:50:47 UTC ada changed invoice line Desk")
    expect(groups.nth(0).get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["qty", "1.00", "2.50"])
    # Only values of the record itself have the names of its states and the form of its days
    lines = groups.nth(1).get_by_role("row")
    expect(lines.nth(1).get_by_role("cell")).to_have_text(["statut", "draft", "validated"])
    expect(lines.nth(2).get_by_role("cell")).to_have_text(["date_closing", "empty", "2026-11-29 08:50"])
    # What was created with the record is folded
    lines = groups.nth(2).get_by_role("row")
    expect(lines).to_have_count(1)
    lines.get_by_role("button", name="2 fields").click()
    expect(lines.nth(1).get_by_role("cell")).to_have_text(["filename", "–", "a.pdf"])
    page.get_by_label("Find in response").fill("Desk")
    expect(groups).to_have_count(1)
    page.unroute_all(behavior="ignoreErrors")


def test_amounts_of_a_list_are_summed(visit):
    page = visit("#/invoices/get-invoices")
    amounts = (("1000.10", "20.05"), ("250.15", "-0.05"), ("0.00", "0.00"))
    list_of = [
        {"id": each, "ref": f"FA{each}", "total_ttc": total, "remaintopay": left, "multicurrency_tx": "1.5"}
        for each, (total, left) in enumerate(amounts, 1)
    ]
    page.route("**/invoices", lambda route: route.fulfill(json=list_of))
    answer = call(page)
    # 1000.10 + 250.15, and 20.05 - 0.05
    sums = shown(answer).get_by_role("row", name=re.compile("^Sum "))
    expect(sums).to_contain_text("1,250.25")
    expect(sums).to_contain_text("20.00")
    page.unroute_all(behavior="ignoreErrors")


def test_the_sums_of_a_page_become_those_of_all_pages(visit):
    page = visit("#/invoices/get-invoices?limit=2&sqlfilters=(t.total_ttc:%3E:1)")
    rows = [{"id": each, "ref": f"FA{each}", "total_ttc": "10.00", "remaintopay": "1.00"} for each in (1, 2)]
    asked = []

    def sums(route):
        asked.append(route.request.url.partition("?")[2])
        route.fulfill(json=[{"count": 9, "total_ttc": "123456.70000000", "remaintopay": "4.50000000"}])

    page.route("**/invoices?*", lambda route: route.fulfill(json=rows, headers={"X-Next-Cursor": "x"}))
    page.route("**/invoices/sums?*", sums)
    answer = shown(call(page))
    row = answer.get_by_role("row", name=re.compile("^All "))
    expect(row).to_contain_text("123,456.70")
    expect(row).to_contain_text("4.50")
    (query,) = {*asked}
    assert parse_qs(query) == {"sqlfilters": ["(t.total_ttc:>:1)"], "fields": ["total_ttc,remaintopay"]}
    page.unroute_all(behavior="ignoreErrors")


def test_the_lines_of_an_order_show_their_quantity(visit, faults):
    # The page reads the order for its next steps, but the order doesn't exist
    faults.expect_status(404)
    page = visit("#/orders/get-orders-id-lines?id=1")
    line = {"desc": "Desk", "subprice": "10.00000000", "tva_tx": "20.0000", "total_ht": "30.00", "total_ttc": "36.00"}
    page.route(
        "**/orders/1/lines",
        lambda route: route.fulfill(json=[{"id": each, "qty": str(each + 2), **line} for each in (1, 2)]),
    )
    heads = shown(call(page)).get_by_role("columnheader")
    expect(heads.filter(has_text=re.compile("^qty$"))).to_have_count(1)
    page.unroute_all(behavior="ignoreErrors")


def test_lists_of_documents_fit_beside_the_form(visit):
    page = visit("#/invoices/get-invoices", size=(1280, 800))
    name = "Société des Ateliers de la Rive Gauche, Le Havre"
    list_of = [{
        "id": 100 + each, "ref": f"FA2611-000{each}", "socid": 1, "ref_client": name, "date": 1795219200, "date_lim_reglement": 1797811200 + each, "statut": each,
        "total_ttc": f"1234{each}.00000000", "remaintopay": f"234{each}.00",
    } for each in (1, 2)]  # fmt: skip
    page.route("**/invoices", lambda route: route.fulfill(json=list_of))
    box = call(page).locator(".json")
    expect(box.get_by_role("grid")).to_be_visible()
    assert box.evaluate("each => each.scrollWidth <= each.clientWidth")
    page.unroute_all(behavior="ignoreErrors")
