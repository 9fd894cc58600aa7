"""Every function of dolibarrpy, unchanged, but for those of parts of the reference that this server does not have."""

import inspect

import pytest
from requests import HTTPError

from core.testing import ADMIN_KEY
from tests.modules.clients.local_server import local_server

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

DAY = 1795219200
LINE = {"desc": "Lamp", "qty": 2, "subprice": "10", "tva_tx": 20, "product_type": 0}
#: what is served by modules that are not built here: projects, members, subscriptions, interventions, tickets …
ELSEWHERE = ("project", "member", "subscription", "intervention", "ticket", "notification", "factory", "_accounts_")


class Watched:
    """A client that notes which of its functions are called."""

    def __init__(self, client):
        self._client = client
        self.called = set()

    def __getattr__(self, name):
        self.called.add(name)
        return getattr(self._client, name)


@pytest.fixture
def client(tmp_path):
    from dolibarrpy import Dolibarrpy

    with local_server(tmp_path) as address:
        yield Watched(Dolibarrpy(f"{address}/", ADMIN_KEY, 10, False))


def reads_on(find):
    """Whether a function goes on to the page behind the last one and raises there, as it does on the reference.

    That page is 404 in the interface that it was written for, and the client's own calls raise what is no success.
    """
    with pytest.raises(HTTPError, match="404 Client Error"):
        find()
    return True


def test_each_function_does_what_it_says(client):
    customer = client.create_thirdparties({"name": "Acme", "client": 1, "code_client": "-1", "fournisseur": 1,
                                           "email": "a@example.org", "barcode": "4711"})  # fmt: skip
    _third_parties(client, customer)
    _contacts(client, customer)
    product = _products(client)
    proposal = _proposals(client, customer, product)
    order = _orders(client, customer, product, proposal)
    _shipments(client, order, product)
    _invoices(client, customer, order)
    _users(client)
    _setup(client)
    from dolibarrpy import Dolibarrpy

    functions = {name for name, _ in inspect.getmembers(Dolibarrpy, inspect.isfunction) if not name.startswith("_")}
    wanted = {name for name in functions if not any(part in name for part in ELSEWHERE)}
    # the headers, and the calls that all others are made of
    wanted -= {name for name in functions if name.startswith("call_") or name.endswith("_headers")}
    assert sorted(wanted - client.called) == []


def _third_parties(client, customer):
    assert reads_on(client.find_all_thirdparty)
    assert client.find_some_thirdparty()[0]["name"] == "Acme"
    for found in (
        client.get_thirdparty_by_tid(customer),
        client.get_thirdparty_by_barcode("4711"),
        client.get_thirdparty_by_email("a@example.org"),
        client.update_thirdparty_by_tid(customer, {"town": "Lyon", "address": "1 rue Haute", "zip": "69001"}),
    ):
        assert found["id"] == str(customer)
    account = client.call_create_api(
        f"thirdparties/{customer}/bankaccounts",
        {"label": "Theirs", "iban": "FR7630006000011234567890189", "bic": "AGRIFRPP", "proprio": "Acme"},
    )
    account = int(account["id"] if isinstance(account, dict) else account)
    assert client.get_thirdparties_bankaccounts_by_tid(customer)[0]["iban"] == "FR7630006000011234567890189"
    client.call_update_api("setup/conf/PRELEVEMENT_ICS", None, {"value": "FR72ZZZ123456"})
    client.call_update_api("setup/company", None, {"name": "Comptoir", "address": "1 Main St", "town": "Paris"})
    made = client.get_thirdparties_generateBankAccountDocument_by_tid(customer, account)
    assert "success" in made
    for kind in ("proposals", "orders", "invoices"):
        assert float(client.get_thirdparties_outstanding_by_tid(customer, kind, "customer")["opened"]) == 0
    assert client.get_thirdparties_representatives_by_tid(customer, 0) == []
    assert client.get_thirdparties_fixedamountdiscounts_by_tid(customer, "none") == []
    assert not client.get_thirdparties_getinvoicesqualifiedforcreditnote_by_tid(customer)
    assert not client.get_thirdparties_getinvoicesqualifiedforreplacement_by_tid(customer)
    good = client.call_create_api("categories", {"label": "Good", "type": "customer"})
    client.call_create_api(f"thirdparties/{customer}/categories/{good}", {})
    assert [each["label"] for each in client.get_some_thirdparties_categories_by_tid(customer)] == ["Good"]
    assert [each["label"] for each in client.get_all_thirdparties_categories_by_tid(customer)] == ["Good"]
    assert reads_on(client.find_all_categories)
    assert [each["label"] for each in client.find_some_categories()] == ["Good"]
    assert client.get_category_by_id(good, include_childs=True)["label"] == "Good"


def _contacts(client, customer):
    contact = client.call_create_api("contacts", {"lastname": "Doe", "socid": customer, "email": "d@example.org"})
    assert [each["id"] for each in client.find_all_contacts()] == [str(contact)]
    assert client.get_contact_by_cid(contact)["lastname"] == "Doe"
    assert client.get_contact_by_email("d@example.org")["id"] == str(contact)
    assert client.update_contact_by_cid(contact, {"poste": "Buyer"})["poste"] == "Buyer"
    friends = client.call_create_api("categories", {"label": "Friends", "type": "contact"})
    client.call_create_api(f"contacts/{contact}/categories/{friends}", {})
    assert [each["label"] for each in client.get_some_contacts_categories_by_cid(contact)] == ["Friends"]
    assert [each["label"] for each in client.get_all_contacts_categories_by_cid(contact)] == ["Friends"]


def _products(client):
    product = client.call_create_api("products", {"ref": "LAMP", "label": "Lamp", "price": 10, "status": 1})
    service = client.call_create_api("products", {"ref": "CARE", "label": "Care", "type": 1, "status": 1})
    assert reads_on(client.find_all_products_services)
    assert [each["ref"] for each in client.find_some_products_services()] == ["CARE", "LAMP"]
    assert [each["ref"] for each in client.find_only_products()] == ["LAMP"]
    assert [each["id"] for each in client.find_only_services()] == [str(service)]
    assert client.get_product_by_id(product)["ref"] == "LAMP"
    assert client.get_product_by_ref("LAMP")["id"] == str(product)
    return int(product)


def _proposals(client, customer, product):
    body = {"socid": customer, "date": DAY, "lines": [LINE | {"fk_product": product}, LINE]}
    signed, refused, closed = (
        client.call_create_api("proposals", body | {"ref_ext": ref_ext}) for ref_ext in ("P1", "P2", "P3")
    )
    assert reads_on(client.find_all_proposals)
    assert len(client.find_some_proposals()) == 3
    assert client.get_proposal_by_pid(signed)["socid"] == str(customer)
    assert client.get_proposal_by_ref(f"(PROV{signed})")["id"] == str(signed)
    assert client.get_proposal_by_ref_ext("P1")["id"] == str(signed)
    assert client.update_proposal_with_pid(signed, {"note_private": "ask again"})["note_private"] == "ask again"
    first, second = client.get_proposal_lines_by_pid(signed, "")
    assert client.update_proposal_line_with_lineid(signed, first["id"], {"qty": 3})
    client.delete_line_id_from_proposal_id_(signed, second["id"])
    assert [each["qty"] for each in client.get_proposal_by_pid(signed)["lines"]] == ["3"]
    contact = client.find_all_contacts()[0]["id"]
    client.proposal_add_contact(signed, contact, "CUSTOMER")
    for each in (signed, refused, closed):
        assert client.validate_proposal_by_pid(each)["statut"] in (1, "1")
    client.proposal_accepted(signed, "yes")
    client.proposal_rejected(refused, "no")
    client.close_proposal_by_pid(closed, {"status": 3})
    assert [client.get_proposal_by_pid(each)["statut"] for each in (signed, refused, closed)] == [2, 3, 3]
    return int(signed)


def _orders(client, customer, product, proposal):
    order = client.create_order_from_proposal(proposal)
    order = int(order["id"] if isinstance(order, dict) else order)
    other = client.call_create_api("orders", {"socid": customer, "date": DAY, "lines": [LINE], "ref_ext": "O1"})
    assert reads_on(client.find_all_orders)
    assert len(client.find_some_orders()) == 2
    for found in (client.get_order_by_id(order), client.get_order_by_oid(order)):
        assert [line["fk_product"] for line in found["lines"]] == [str(product)]
    assert client.get_order_by_ref(f"(PROV{other})")["id"] == str(other)
    assert client.get_order_by_ref_ext("O1")["id"] == str(other)
    assert client.update_order_with_oid(other, {"note_public": "thanks"})["note_public"] == "thanks"
    assert len(client.get_order_lines_by_oid(other)) == 1
    assert [each["code"] for each in client.get_order_contacts_by_oid(order)] == ["CUSTOMER"]
    assert client.set_order_to_validated(order)["statut"] == "1"
    assert client.set_order_to_draft(order)["statut"] == "0"
    assert client.set_order_to_validated(order)["statut"] == "1"
    assert [each["id"] for each in client.get_orders_by_status(1)] == [str(order)]
    assert "success" in client.delete_order_by_oid(other)
    return order


def _shipments(client, order, product):
    warehouse = client.call_create_api("warehouses", {"label": "Main", "statut": 1})
    assert warehouse == 1, "the client ships from the first warehouse"
    client.call_create_api("stockmovements", {"product_id": product, "warehouse_id": warehouse, "qty": 9})
    client.create_shipment_from_order(order, tracking_number="T1")
    assert reads_on(client.find_all_shipments)
    (found,) = client.find_some_shipments()
    assert client.get_shipment_by_id(found["id"])["tracking_number"] == "T1"
    client.update_shipment_tracking(found["id"], "T2")
    assert client.get_shipment_by_id(found["id"])["tracking_number"] == "T2"
    client.set_shipment_to_validated(found["id"])
    assert [each["id"] for each in client.get_shipments_by_status(1)] == [found["id"]]
    assert [each["id"] for each in client.get_shipments_by_orderid(order)] == [found["id"]]
    assert [each["id"] for each in client.get_order_shipment_by_oid(order)] == [found["id"]]
    assert client.get_order_by_id(order)["statut"] == "2"


def _invoices(client, customer, order):
    invoice = client.call_create_api("invoices", {"socid": customer, "date": DAY, "lines": [LINE], "ref_ext": "I1"})
    assert reads_on(client.find_all_invoices)
    assert len(client.find_some_invoices()) == 1
    assert client.get_invoice_by_iid(invoice)["total_ttc"] == "24.00000000"
    assert client.get_invoice_by_ref(f"(PROV{invoice})")["id"] == str(invoice)
    assert client.get_invoice_by_ref_ext("I1")["id"] == str(invoice)
    assert client.update_invoice_with_iid(invoice, {"note_public": "thanks"})["note_public"] == "thanks"
    assert len(client.get_invoice_lines_by_iid(invoice)) == 1
    assert client.get_invoice_payments_by_iid(invoice) == []
    assert "error" in client.get_invoice_discounts_by_iid(invoice)
    template = client.call_create_api(
        "invoices/templates",
        {
            "title": "Monthly",
            "socid": customer,
            "frequency": 1,
            "unit_frequency": "m",
            "date_when": DAY,
            "lines": [LINE],
        },
    )
    # It asks for `invoices/payments/{id}`, which nobody serves
    assert "error" in client.get_invoice_template_by_tid(template)
    assert client.call_get_api("invoices/templates", template)["title"] == "Monthly"
    reference = client.call_action_api("invoices", invoice, "validate")["ref"]
    assert client.build_document_by_ref("invoice", reference)["filename"] == f"{reference}.pdf"
    # They are sorted by their time, so their order depends on the second
    names = {file["name"] for file in client.get_documents("invoice", invoice)}
    assert names == {f"{reference}.pdf", f"{reference}-issued.pdf"}
    assert "success" in client.delete_documents("invoice", f"{reference}/{reference}.pdf")


def _users(client):
    ada = client.call_create_api("users", {"login": "ada", "pass": "correct horse battery", "email": "ada@example.org"})
    group = client.call_create_api("users/groups", {"name": "Sellers"})
    assert reads_on(client.find_all_users)
    assert str(ada) in [each["id"] for each in client.find_some_users()]
    for found in (
        client.get_user_by_uid(ada), client.get_user_by_email("ada@example.org"), client.get_user_by_login("ada"),
    ):  # fmt: skip
        assert found["login"] == "ada"
    assert client.setgroup_user_uid(ada, group) == 1
    assert [each["name"] for each in client.get_user_groups_uid(ada)] == ["Sellers"]


def _setup(client):
    assert "dolibarr_version" in client.get_status()["success"]
    assert "name" in client.get_setup_company()
    client.call_update_api("setup/conf/MAIN_MONNAIE", None, {"value": "EUR"})
    assert client.get_setup_conf("MAIN_MONNAIE") == "EUR"
    assert client.create_extrafield("societe", "sector", {"label": "Sector", "type": "varchar", "size": "20"})
    client.update_extrafield("societe", "sector", {"label": "Sectors"})
    assert client.get_setup_extrafields()["societe"]["sector"]["label"] == "Sectors"
    assert client.get_setup_extrafields("societe")["societe"]["sector"]["label"] == "Sectors"
    assert client.get_setup_extrafields("societe", "sector")["label"] == "Sectors"
    assert "facture" in client.get_setup_modules()
    assert "EUR" in [each["code_iso"] for each in client.get_setup_dictionary_currencies()]
    assert len(client.find_all_countries()) > 200
    assert len(client.find_some_countries()) == 100
    assert client.get_country_by_code("FR")["code_iso"] == "FRA"
    assert len(client.find_all_states()) > 1000
    state = client.find_some_states()[0]
    assert client.get_state_by_id(state["id"])["id"] == state["id"]
    assert client.get_state_by_code("974")["code_departement"] == "974"
