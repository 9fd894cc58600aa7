"""The history of a record shows a part only to callers who may read such parts."""

import pytest

pytestmark = pytest.mark.every_database

LINE = {"desc": "Desk", "qty": 2, "subprice": "100", "tva_tx": 20}
PURCHASE, CUSTOMER, CATEGORY = "llx_product_fournisseur_price", "llx_product_customer_price", "llx_categorie_societe"


@pytest.fixture
def company(admin, constant):
    """A third party with two kinds of prices, a category and a representative."""
    constant("PRODUIT_CUSTOMER_PRICES", "1")
    made = admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1, "fournisseur": 1})
    product = admin.ask("POST", "/products", {"ref": f"LAMP{made}", "label": "Lamp", "price": 10})
    asked = {"qty": 1, "buyprice": "7.77", "price_base_type": "HT", "fourn_id": made, "availability": 0,
             "ref_fourn": "secret-ref", "tva_tx": 20}  # fmt: skip
    admin.ask("POST", f"/products/{product}/purchase_prices", asked)
    own = {"fk_soc": made, "price": "12345.67", "ref_customer": "hidden-ref"}
    admin.ask("POST", f"/products/{product}/selling_multiprices/per_customer", own)
    category = admin.ask("POST", "/categories", {"label": f"Payers {made}", "type": 2})
    admin.ask("POST", f"/categories/{category}/objects/customer/{made}")
    return made


def shown(client, company):
    """The tables in a third party's history."""
    return {each["element"] for each in client.get(f"/thirdparties/{company}/history")}


@pytest.mark.parametrize(("right", "parts"), [
    ("thirdparties.write", set()),
    ("categories.read", {CATEGORY}),
    ("products.read", {PURCHASE, CUSTOMER}),
    ("audit.read", {PURCHASE, CUSTOMER, CATEGORY}),
])  # fmt: skip
def test_a_part_needs_the_permission_of_what_returns_it(server, company, right, parts):
    reader = server.user("thirdparties.read", "thirdparties.all", right)
    assert shown(reader, company) == {"llx_societe", *parts}
    text = reader.simulate_get(f"/thirdparties/{company}/history").text
    assert ("secret-ref" in text, "hidden-ref" in text, "12345.67" in text) == ((PURCHASE in parts),) * 3


def test_what_is_passed_over_leaves_no_gap_between_pages(server, company):
    reader = server.user("thirdparties.read", "thirdparties.all")
    path = f"/thirdparties/{company}/history"
    whole = [each["id"] for each in reader.get(path)]
    paged = [each["id"] for page in range(len(whole)) for each in reader.get(path, limit=1, page=page)]
    assert whole and paged == whole
    assert reader.get(path, limit=1, page=len(whole)) == []


def test_a_document_shows_its_lines_contacts_and_files_to_its_readers(server, admin):
    company = admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    proposal = admin.ask("POST", "/proposals", {"socid": company, "date": "2026-11-21", "lines": [LINE]})
    person = admin.ask("POST", "/contacts", {"lastname": "Ada", "socid": company})
    admin.ask("POST", f"/proposals/{proposal}/contact/{person}/CUSTOMER")
    admin.ask("POST", f"/proposals/{proposal}/validate")
    reader = server.user("proposals.read", "thirdparties.all")
    entries = reader.get(f"/proposals/{proposal}/history")
    assert {each["element"] for each in entries} == {
        "llx_propal", "llx_propaldet", "llx_element_contact", "llx_ecm_files",
    }  # fmt: skip
    (line,) = [each for each in entries if each["element"] == "llx_propaldet"]
    assert line["after"]["subprice"] == "100.00000000"


def test_a_deletion_of_a_part_ends_no_history(server, admin):
    company = admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    proposal = admin.ask("POST", "/proposals", {"socid": company, "date": "2026-11-21", "lines": [LINE]})
    line = admin.get(f"/proposals/{proposal}/lines")[0]["id"]
    admin.ask("DELETE", f"/proposals/{proposal}/lines/{line}")
    reader = server.user("proposals.read", "thirdparties.all")
    kinds = [(each["kind"], each["element"]) for each in reader.get(f"/proposals/{proposal}/history")]
    assert ("deleted", "llx_propaldet") in kinds and kinds[-1] == ("created", "llx_propal")


MODELS = '''
from peewee import AutoField, CharField

from core import Model, RecordField

from ..thirdparties.models import Thirdparty


class Visit(Model):
    """A visit to a third party."""

    id = AutoField()
    thirdparty = RecordField(Thirdparty, on_delete="cascade")
    report = CharField(max_length=80)
    code = CharField(max_length=8, default="")

    class Meta:
        table_name = "visits_visit"
        secret = ("code",)
        reveals = lambda row: ("code",)


class Mark(Model):
    """A mark that a third party has; no operation returns it."""

    id = AutoField()
    thirdparty = RecordField(Thirdparty, on_delete="cascade")
    label = CharField(max_length=80)

    class Meta:
        table_name = "visits_mark"
'''
SERVICE = '''
from core import Api, Records

from ..models import Mark, Visit

visits = Records(Visit, service="visits", noun="Visit")


class Visits(Api):
    """Visits."""

    records = visits

    def get(self, id: int) -> dict:
        """Read a visit.

        :permission: read
        """
        return visits.read(id)

    def post(self, request_data: dict) -> int:
        """Create a visit, and a mark.

        :permission: write
        """
        Mark.create(thirdparty=request_data["thirdparty"], label="marked")
        Visit.create(thirdparty=request_data["thirdparty"], report="well", code="withheld")
        return 1
'''


def test_parts_of_another_module_need_its_permission(serve, folder, write):
    write("visits/models.py", MODELS)
    write("visits/class/api_visits.py", SERVICE)
    server = serve(modules=str(folder))
    admin = server.client()
    company = admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    admin.ask("POST", "/visits", {"thirdparty": company})
    reader = server.user("thirdparties.read", "thirdparties.all")
    visitor = server.user("thirdparties.read", "thirdparties.all", "visits.read")
    assert shown(reader, company) == {"llx_societe"}
    assert shown(visitor, company) == {"llx_societe", "visits_visit", "visits_mark"}
    path = f"/thirdparties/{company}/history"
    assert "withheld" in admin.simulate_get(path).text and "withheld" not in visitor.simulate_get(path).text
    # While nobody knows which permission the file states, nobody else reads them
    write("visits/class/api_visits.py", "import nothing_of_that_name\n")
    server.server.reloader.check()
    admin.get("/visits/1", status=501)
    assert shown(visitor, company) == {"llx_societe"}
    assert shown(admin, company) == {"llx_societe", "visits_visit", "visits_mark"}
