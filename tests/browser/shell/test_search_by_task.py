"""What people type who have a task, and the operation, or page of the guide, that must come first."""

from __future__ import annotations

from tests.browser.conftest import Opener
from tests.browser.pages import expect

#: the question → what comes first, as verb and path, or `guide/` and the name of a page
TASKS = {
    # What is no operation
    "auth": "guide/authenticate",
    "authenticate": "guide/authenticate",
    "header": "guide/authenticate",
    "api key": "guide/authenticate",
    "paging": "guide/lists",
    "next page": "guide/lists",
    "pagination": "guide/lists",
    "etag": "guide/changes",
    "if-match": "guide/changes",
    "idempotency": "guide/changes",
    "405": "guide/errors",
    "dates": "guide/dates-and-amounts",
    "rate limit": "guide/limits",
    "bulk": "guide/batches",
    "import contacts": "guide/batches",
    "timezone": "guide/dates-and-amounts",
    # Third parties and contacts
    "customer": "GET /thirdparties",
    "create customer": "POST /thirdparties",
    "new client": "POST /thirdparties",
    "supplier": "GET /thirdparties",
    "third party by email": "GET /thirdparties/email/{email}",
    "delete customer": "DELETE /thirdparties/{id}",
    "merge customers": "PUT /thirdparties/{id}/merge/{idtodelete}",
    "kunde": "GET /thirdparties",
    "kunde anlegen": "POST /thirdparties",
    "fournisseur": "GET /thirdparties",
    "create contact": "POST /contacts",
    "person": "GET /contacts",
    # From offer to payment
    "create quote": "POST /proposals",
    "proforma": "GET /proposals",
    "devis": "GET /proposals",
    "angebot erstellen": "POST /proposals",
    "sign proposal": "POST /proposals/{id}/close",
    "create order": "POST /orders",
    "place an order": "POST /orders",
    "order from proposal": "POST /orders/createfromproposal/{proposalid}",
    "commande": "GET /orders",
    "bestellung": "GET /orders",
    "validate order": "POST /orders/{id}/validate",
    "confirm order": "POST /orders/{id}/validate",
    "add line to order": "POST /orders/{id}/lines",
    "cancel order": "POST /orders/{id}/cancel",
    "invoices": "GET /invoices",
    "unpaid": "GET /invoices",
    "unpaid invoices": "GET /invoices",
    "open invoices": "GET /invoices",
    "facture": "GET /invoices",
    "offene rechnungen": "GET /invoices",
    "create invoice": "POST /invoices",
    "facture à partir d'une commande": "POST /invoices/createfromorder/{orderid}",
    "invoice from order": "POST /invoices/createfromorder/{orderid}",
    "take a payment": "POST /invoices/{id}/payments",
    "pay invoice": "POST /invoices/{id}/payments",
    "credit note": "POST /invoices",
    "gutschrift": "POST /invoices",
    "mark invoice paid": "POST /invoices/{id}/settopaid",
    "recurring invoice": "GET /invoices/templates",
    # Papers and files
    "pdf": "GET /documents/raw",
    "invoice pdf": "GET /documents/raw",
    "fetch pdf": "GET /documents/raw",
    "download": "GET /documents/raw",
    "generate pdf": "PUT /documents/builddoc",
    "upload": "POST /documents/upload",
    "attach file": "POST /documents/upload",
    # Plain names, as they always were
    "orders": "GET /orders",
    "order": "GET /orders",
    "proposal": "GET /proposals",
    "products": "GET /products",
    "payment": "POST /invoices/{id}/payments",
    # Others
    "api token": "POST /users/{id}/keys",
    "login": "POST /login",
    "whoami": "GET /users/info",
    "vat": "GET /setup/dictionary/vat_rates",
    "sepa": "POST /thirdparties/{id}/generateBankAccountDocument",
    "iban": "GET /bankaccounts",
    "stock": "GET /products/{id}/stock",
    "tag": "GET /categories",
    "custom field": "GET /setup/extrafields",
    "POST /orders": "POST /orders",
    # Values of parameters and names of fields
    "cancelled invoices": "GET /invoices",
    "multicurrency_code invoices": "GET /invoices",
    "zip town": "GET /setup/dictionary/towns",
}

FIRST = """questions => questions.map((question) => {
  const [first] = findOperations(question);
  return first && (first.page ? `guide/${first.page.name}` : `${first.operation.verb} ${first.operation.path}`);
})"""


def test_every_task_finds_its_operation_first(visit: Opener) -> None:
    page = visit()
    has_guide = page.evaluate("Boolean(indexState.index.guide)")
    tasks = {each: aim for each, aim in TASKS.items() if has_guide or not aim.startswith("guide/")}
    assert len(tasks) >= 55
    found = page.evaluate(FIRST, list(tasks))
    assert {each: first for each, first in zip(tasks, found, strict=True) if first != tasks[each]} == {}
    # As one sees it: the first link leads there
    page.get_by_role("searchbox").fill("  Créate CUSTOMER ")
    links = page.get_by_role("list", name="Found").get_by_role("link")
    expect(links.first).to_have_attribute("href", "#/thirdparties/post-thirdparties")


def test_a_page_of_the_guide_is_found_and_counted(visit: Opener) -> None:
    page = visit()
    page.evaluate("indexState.index.guide = [{ name: 'tides', title: 'The tides', words: 'ebb, flood' }]; showList()")
    page.get_by_role("searchbox").fill("flood")
    links = page.get_by_role("list", name="Found").get_by_role("link")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("href", "#//guide/tides")
    expect(page.get_by_role("navigation").get_by_role("status")).to_have_text("0 operations and 1 page found")
