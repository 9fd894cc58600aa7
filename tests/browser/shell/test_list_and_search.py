"""Finding an operation: search, keyboard, addresses; a service's operations are loaded when it is opened."""

import re

from tests.browser.pages import expect, field, go, listed, operation_in, title


def found(page):
    return page.get_by_role("list", name="Found").get_by_role("link")


def test_search_looks_at_paths_summaries_and_parameters(visit):
    page = visit()
    box = page.get_by_role("searchbox")
    for words, path in [
        ("proposals validate", "/proposals/{id}/validate"),
        ("VALIDATE PROPOSALS", "/proposals/{id}/validate"),
        ("answer what came", "/show/typed/{size}"),
        ("show price", "/show/typed/{size}"),
        ("get-show-typed-size", "/show/typed/{size}"),
    ]:
        box.fill(words)
        expect(found(page).filter(has_text=path).first).to_be_visible()
        expect(page.get_by_role("navigation").get_by_role("status")).to_contain_text("found")
    box.fill("there-is-no-such-word")
    expect(found(page)).to_have_count(0)
    expect(page.get_by_role("navigation").get_by_role("status")).to_have_text("0 operations found")
    box.fill("")
    expect(page.get_by_role("list", name="All services")).to_be_visible()


def test_it_goes_by_keyboard_alone(visit):
    page = visit()
    box = page.get_by_role("searchbox")
    title(page).click()
    page.keyboard.press("/")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.type("show typed")
    expect(found(page)).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(found(page).first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(box).to_be_focused()
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text("GET /show/typed/{size}")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(box).to_have_value("")
    expect(box).to_be_focused()
    page.keyboard.press("ArrowDown")
    first = page.get_by_role("list", name="All services").get_by_role("button").first
    expect(first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("list", name="Operations of Orders").get_by_role("link").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-expanded", "false")


def test_an_operation_has_an_address(visit, site):
    page = visit("#/proposals/post-proposals-id-validate")
    expect(title(page)).to_have_text("POST /proposals/{id}/validate")
    assert page.title() == "Validate a proposal · Comptoir"
    marked = listed(page).locator("[aria-current=page]")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("/proposals/{id}/validate")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == f"http://127.0.0.1:{site.port}/explorer/#/proposals/post-proposals-id-validate"
    go(page, "#/contacts/get-contacts-id")
    expect(title(page)).to_have_text("GET /contacts/{id}")
    page.go_back()
    expect(title(page)).to_have_text("POST /proposals/{id}/validate")


def test_an_address_may_carry_values(visit):
    page = visit("#/thirdparties/get-thirdparties-id?id=2")
    expect(field(page, "id")).to_have_value("2")


def test_everyday_words_find_what_they_mean(visit):
    page = visit()
    box = page.get_by_role("searchbox")
    for words, first in (
        ("users", "/users"),
        ("find a customer", "/thirdparties"),
        ("search product", "/products"),
        ("list orders", "/orders"),
        # Misspelt
        ("custmer", "/thirdparties"),
        ("validate propsal", "/proposals/{id}/validate"),
        ("webhok", "POSTCreate a webhook"),
        ("totl", "GETSum invoices"),
        ("refund", "/invoices"),
        ("phone", "/contacts"),
        ("unpaid invoices last month", "GETList invoices"),
        ("pay half", "POSTAdd a payment to an invoice"),
        ("undo payment", "DELETECancel a payment"),
        ("why refused", "GuideErrors"),
        ("spreadsheet", "GuideLists"),
        ("export customers", "GETList third parties"),
        ("import customers", "/thirdparties/batch"),
        ("sign quote", "POSTAccept or refuse a proposal"),
        ("give permission", "PUTReplace the permissions of a user"),
        ("disable user", "PATCHChange some fields of a user"),
        ("new user", "POSTCreate a user"),
        ("payment twice", "DELETECancel a payment"),
        ("discount line", "/lines"),
        ("billing contact", "POSTAdd a contact or user to an invoice"),
        ("who created customer", "/thirdparties/{id}/history"),
        ("customer invoices this year", "GETList invoices"),
        ("special price", "POSTSet a customer price"),
        ("correct stock", "POSTCreate a stock movement"),
        ("email invoice", "GuidePDFs and files"),
        ("forbidden", "GuideAuthenticate"),
        ("webhook", "GETList webhooks"),
        ("push", "POSTCreate a webhook"),
        ("notify", "POSTCreate a webhook"),
        ("callback", "POSTCreate a webhook"),
        ("events", "GuideWebhooks"),
        ("verify signature", "GuideReceive webhooks"),
        ("follow changes", "GETList changes since a cursor"),
        ("sync", "GETList changes since a cursor"),
        ("return items", "POSTCreate an invoice"),
        ("paid too much", "POSTConvert an invoice into a discount"),
        ("goods received", "POSTCreate a stock movement"),
        ("average price", "GETRead the stock of a product"),
        ("customer group price", "POSTSet a segment price"),
        ("email", "GuidePDFs and files"),
        ("send offer", "GuidePDFs and files"),
        ("files of order", "GETList the files of a record"),
        ("draft orders older than a month", "GETList orders"),
        ("repeat invoice", "POSTCreate an invoice template from an invoice"),
        ("see only own customers", "POSTAdd a representative to a third party"),
        ("amount owed", "GETList invoices"),
        ("permission denied", "GuideAuthenticate"),
        ("change quantity", "PATCHChange some fields of an order line"),
        ("PRODUIT_MULTIPRICES", "GuideWhich price a line gets"),
    ):
        box.fill(words)
        expect(found(page).first).to_contain_text(first)
    for words, guide in (
        *((each, "GuideWebhooks") for each in ("webhook", "push", "notify", "callback")),
        ("follow changes", "GuideFollow changes"),
    ):
        box.fill(words)
        expect(found(page).filter(has_text=re.compile(f"^{guide}"))).to_be_visible()


def test_what_people_want_to_do_is_among_the_first_three(visit):
    """Phrases that somebody wrote down who had not seen the page."""
    page = visit()
    box = page.get_by_role("searchbox")
    for words, wanted in (
        ("who owes us money", "GETRead the open invoice balance of a third party"),
        ("turn quote into order", "POSTCreate an order from a proposal"),
        ("bill an order", "POSTCreate an invoice from an order"),
        ("how many left", "GETRead the stock of a product"),
        ("fix stock count", "POSTCreate a stock movement"),
        ("Lagerbestand", "GETRead the stock of a product"),
        ("forgot password", "PATCHChange some fields of a user"),
        ("lost my token", "POSTCreate a key for a user"),
        ("let customer log in", "POSTCreate a user"),
        ("change price", "PATCHChange some fields of a product"),
        ("give discount", "/orders/{id}/lines"),
        ("duplicate customer", "/thirdparties/{id}/merge/{idtodelete}"),
        ("is it running", "/status"),
        ("customer said yes", "POSTAccept or refuse a proposal"),
        ("bon de livraison", "/shipments"),
        ("who changed this", "GuideChanges"),
        ("find by email", "/contacts"),
    ):
        box.fill(words)
        expect(found(page).first).to_be_visible()
        three = " ".join(found(page).all_inner_texts()[:3]).replace("\n", "")
        assert wanted in three, (words, three)


def test_a_word_that_occurs_nowhere_is_left_out_and_said(visit):
    page = visit()
    box = page.get_by_role("searchbox")
    count = page.get_by_role("navigation").get_by_role("status")
    box.fill("customers in zzyzx")
    expect(count).to_contain_text("found without “zzyzx”")
    expect(found(page).first).to_contain_text("GETList third parties")
    box.fill("10 % discount")
    expect(count).to_contain_text("without “10 %”")
    expect(found(page).first).to_contain_text("/lines")
    box.fill("customers")
    expect(count).not_to_contain_text("without")


def test_the_keys_are_listed(visit):
    page = visit()
    title(page).click()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("send the request")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("searchbox").fill("what?")
    expect(page.get_by_role("searchbox")).to_have_value("what?")
    page.get_by_role("button", name="Shortcuts").click()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_services_are_in_groups_and_those_of_others_at_the_end(visit):
    page = visit()
    items = page.get_by_role("list", name="All services").locator("> li")
    words = [re.sub(r"\s*\d+$", "", each) for each in items.all_inner_texts()]
    for group, service in (
        ("SALES", "Orders"),
        ("GOODS", "Products"),
        ("MONEY", "Bank accounts"),
        ("OTHER", "Hostile"),
    ):
        assert words.index(group) < words.index(service)
    assert (
        words.index("MONEY")
        < words.index("PEOPLE")
        < words.index("Contacts")
        < words.index("ADMINISTRATION")
        < words.index("OTHER")
    )


def test_the_states_of_a_service_come_before_its_operations(visit):
    page = visit("#/proposals")
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_contain_text(["States", "Operations"])
    expect(page.get_by_role("main").get_by_role("table", name="Operations that change the state")).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("States: 0")


def test_an_address_with_values_means_these_alone(visit):
    page = visit("#/invoices/get-invoices?status=unpaid")
    expect(field(page, "status")).to_have_value("unpaid")
    go(page, "#/invoices/get-invoices?thirdparty_ids=1")
    expect(field(page, "thirdparty_ids")).to_have_value("1")
    expect(field(page, "status")).to_have_value("")


def test_what_is_found_begins_at_the_top(visit):
    """Though what is shown at the right is among it, further down."""
    page = visit("#/invoices/get-invoices")
    box = page.get_by_role("searchbox")
    box.fill("unpaid")
    expect(found(page).first).to_be_in_viewport()
    box.fill("list contacts")
    expect(found(page).first).to_contain_text("List contacts")
    assert page.evaluate("document.getElementById('list').scrollTop") == 0


def test_a_search_shows_paths_and_the_whole_count(visit):
    page = visit(size=(1440, 900))
    paths, count = page.get_by_label("Show paths"), page.locator("#count")
    expect(paths).to_be_visible()
    page.get_by_role("searchbox").fill("customer")
    expect(found(page).locator(".path").first).to_be_visible()
    expect(paths).to_be_hidden()
    expect(count).to_contain_text("first 60 shown")
    assert count.evaluate("each => each.getBoundingClientRect().right") <= page.locator("#list").evaluate(
        "each => each.getBoundingClientRect().right"
    )


def test_an_operation_shows_who_may_call_it(visit):
    page = visit("#/orders/post-orders")
    right = page.locator(".right")
    expect(right).to_contain_text("Requires orders.write")
    # Its permission depends on the type of record
    go(page, "#/documents/put-documents-builddoc")
    expect(right).to_contain_text("Requires <modulepart>.write")
    # Its permission depends on the account
    go(page, "#/users/get-users-id-keys")
    expect(right).to_contain_text("Some calls also need a permission: see 401 under Responses.")
    expect(page.locator(".told")).to_contain_text("other users need users.read")
    go(page, "#/users/get-users-info")
    expect(right).to_contain_text("Any valid key")


def test_a_list_of_names_shows_some_of_them(visit):
    page = visit("#/shipments/get-shipments")
    hint = page.locator(".row").filter(has=page.get_by_label("expand")).locator(".hint")
    expect(hint).to_contain_text("such as thirdparty, order, separated by commas")


def test_a_slash_selects_the_last_search(visit):
    page = visit()
    box = page.get_by_role("searchbox")
    box.fill("create contact")
    page.keyboard.press("Enter")
    expect(title(page)).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("order")
    expect(box).to_have_value("order")


def test_an_address_of_nothing_says_so(visit):
    page = visit()
    for place in ("#/nothing/get-nothing", "#/%E0%A4%A/x", "#/<img src=x>"):
        go(page, place)
        expect(page.get_by_role("main")).to_contain_text("This service doesn't exist")
    expect(page.locator("main img")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("main")).to_contain_text("This service doesn't exist")


def test_a_service_is_loaded_when_it_is_opened_and_once(visit, faults):
    page = visit()
    page.get_by_role("searchbox").fill("contacts")
    expect(found(page).first).to_be_visible()

    def documents():
        return [each for each in faults.asked if "/openapi" in each]

    assert documents() == []
    operation_in(page.get_by_role("list", name="Found"), "/contacts/{id}", "GET").click()
    expect(title(page)).to_have_text("GET /contacts/{id}")
    assert documents() == ["GET /explorer/openapi/contacts.json?names=paths"]
    go(page, "#/contacts/delete-contacts-id")
    expect(title(page)).to_have_text("DELETE /contacts/{id}")
    assert documents() == ["GET /explorer/openapi/contacts.json?names=paths"]


def test_operations_are_in_groups_with_headings(visit):
    page = visit("#/invoices")
    headings = page.get_by_role("main").locator(".group-name").all_inner_texts()
    assert headings[:2] == ["Record", "States"]
    assert "PDF" in headings
