"""Values that used to be lost, bounded or misread: each is stored as sent, or the response says otherwise."""

import pytest

from core.testing import extra_field

LINE = {"desc": "Desk", "qty": 1, "subprice": "100"}
DOCUMENT = {"socid": 1, "date": "2026-11-21", "lines": [LINE]}
PRICED = ["proposals", "orders", "invoices"]


@pytest.fixture(scope="module", autouse=True)
def customer(admin):
    assert admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1, "email": "Info@Acme.example"}) == 1


def warning(answer):
    assert answer.status_code == 200, answer.text
    return answer.headers.get("warning", "")


@pytest.mark.parametrize("service", PRICED)
@pytest.mark.parametrize(
    ("place", "name", "meant"),
    [
        ("lines", "unit_price", "subprice"), ("lines", "price", "subprice"), ("lines", "price_ttc", "subprice_ttc"),
        ("lines", "discount", "remise_percent"), ("lines", "vat", "tva_tx"), ("lines", "quantity", "qty"),
        ("", "amount", "lines"), ("", "discount_percent", "lines"), ("", "tax", "lines"),
    ],
)  # fmt: skip
def test_a_name_that_means_an_amount_is_rejected(admin, service, place, name, meant):
    line = {"desc": "Desk", "qty": 1, name: "5"} if place else LINE
    body = DOCUMENT | {"lines": [line]} | ({} if place else {name: "5"})
    error = admin.ask("POST", f"/{service}", body, status=400)["error"]
    field = f"lines[0].{name}" if place else name
    assert [each["field"] for each in error["errors"]] == [field] and f"`{meant}`" in error["message"]
    made = admin.ask("POST", f"/{service}", DOCUMENT)
    record = admin.get(f"/{service}/{made}")
    path = f"/{service}/{made}" + (f"/lines/{record['lines'][0]['id']}" if place else "")
    admin.refused("PATCH", path, {name: "5"}, status=400)
    assert admin.get(f"/{service}/{made}") == record
    # Computed keys of a record that is sent back are ignored
    assert "ignored" in warning(
        admin.simulate_post(
            f"/{service}", json=body | {"lines": [LINE | {"total_ht": "7"}]} | ({} if place else {name: "0"})
        )
    )


@pytest.mark.parametrize("percent", ["-10", "100.01", "150"])
@pytest.mark.parametrize("service", PRICED)
def test_a_discount_is_from_0_to_100_percent(admin, service, percent):
    sent = {"remise_percent": percent}
    for body in (DOCUMENT | {"lines": [LINE | sent]}, DOCUMENT | sent):
        assert "from 0 to 100" in admin.refused("POST", f"/{service}", body, status=400)
    made = admin.ask(
        "POST", f"/{service}", DOCUMENT | {"remise_percent": 100, "lines": [LINE | {"remise_percent": 100}]}
    )
    record = admin.get(f"/{service}/{made}")
    assert record["total_ht"] == "0.00000000"
    for path in (f"/{service}/{made}", f"/{service}/{made}/lines/{record['lines'][0]['id']}"):
        assert "from 0 to 100" in admin.refused("PATCH", path, sent, status=400)


def test_a_document_for_a_closed_third_party_says_so(admin):
    socid = admin.ask("POST", "/thirdparties", {"name": "Gone", "client": 1, "status": 0})
    for service in PRICED:
        answer = admin.simulate_post(f"/{service}", json=DOCUMENT | {"socid": socid})
        assert "third party Gone is closed" in warning(answer)
        assert "closed" not in warning(admin.simulate_post(f"/{service}", json=DOCUMENT))


def test_a_mandate_is_recurrent_in_dolibarr_s_word(admin):
    for word in ("RECUR", "RCUR", "FRST"):
        account = admin.ask("POST", "/thirdparties/1/bankaccounts", {"label": word, "frstrecur": word})
        assert account["frstrecur"] == word


def test_a_choice_of_several_options_is_a_list_or_text(admin):
    options = {"options": {"1": "One", "2": "Two"}}
    with extra_field(admin, "societe", "many", type="checkbox", param=options):

        def stored(value):
            answer = admin.simulate_patch("/thirdparties/1", json={"array_options": {"options_many": value}})
            return answer.json["array_options"]["options_many"], "options_many" in warning(answer)

        for value in (["1", "2"], [1, 2], "1,2", "1, 2"):
            assert stored(value) == ("1,2", False)
        assert stored([]) == (None, False)
        assert stored("1,1") == ("1", True)
        message = admin.refused("PATCH", "/thirdparties/1", {"array_options": {"options_many": ["3"]}}, status=400)
        assert 'as a list, or as text such as "a,b": 1 or 2; got ["3"]' in message


def test_a_flag_of_an_operation_is_true_or_1(admin):
    for product in ("A", "B"):
        admin.ask("POST", "/products", {"ref": product, "label": product})
    sent = {"subproduct_id": 2, "qty": 1, "incdec": False}
    admin.ask("POST", "/products/1/subproducts/add", sent)
    file = {"filename": "a.txt", "modulepart": "product", "ref": "A", "filecontent": "a"}
    for flag in (1, True):
        assert admin.ask("POST", "/documents/upload", file | {"overwriteifexists": flag}) == "a.txt"


@pytest.mark.parametrize("service", [*PRICED, "shipments"])
def test_a_list_has_only_documents_in_a_state(admin, service):
    if service in PRICED:
        _, made = (admin.ask("POST", f"/{service}", DOCUMENT) for _ in range(2))
        admin.ask("POST", f"/{service}/{made}/validate")
    drafts = [int(each["statut"]) for each in admin.get(f"/{service}?status=draft&limit=1000")]
    assert set(drafts) <= {0} and (drafts or service == "shipments")
    assert "status" in admin.refused("GET", f"/{service}?status=nothing", status=400)


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("service", "more"), [("thirdparties", {"name": "x"}), ("contacts", {"lastname": "x"}), ("users", {"login": "x"})]
)
def test_the_case_of_an_email_address_is_ignored(admin, service, more):
    made = admin.ask("POST", f"/{service}", more | {"email": f"So.Lo@{service}.example"})
    for email in (f"so.lo@{service}.example", f"SO.LO@{service.upper()}.EXAMPLE", f"So.Lo@{service}.example"):
        assert admin.get(f"/{service}/email/{email}")["id"] == made
    admin.refused("GET", f"/{service}/email/so.lo@{service}.exam", status=404)
    admin.refused("GET", f"/{service}/email/o.lo@{service}.example", status=404)


def test_a_documented_404_is_that_of_the_source(admin):
    paths = admin.get("/explorer/openapi.json")["paths"]
    for path, noun in (
        ("/orders/createfromproposal/{proposalid}", "proposal"),
        ("/invoices/createfromorder/{orderid}", "order"),
    ):
        assert f"o such {noun}" in paths[path]["post"]["responses"]["404"]["description"]
