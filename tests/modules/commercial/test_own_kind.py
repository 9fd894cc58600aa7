"""A kind of document in a dropped-in module: all that a native kind says about itself, it says as well."""

import pytest

from core.testing import constant, serving
from tests.modules.documents.pdf_text import text_of

MODELS = '''
from peewee import DateField, IntegerField

from core import RecordField

from ..commercial.documents import Documents
from ..commercial.lines import Lines
from ..commercial.models import Document, Line, state_field
from ..numbering.series import Series
from ..commercial.states import State, States, Transition
from ..dictionaries.models import ShippingMethod

STATES = States(
    {0: "draft", 1: State("validated", permits=("change",)), 2: State("over", predicate="given back")},
    (
        Transition("validate", [0], 1, event="validated"),
        Transition("giveback", [1], 2, event="given_back", verb="give back"),
    ),
)


class Rental(Document):
    """What somebody rents."""

    statut = state_field(STATES)
    until = DateField(null=True)
    carrier = IntegerField(null=True)

    class Meta:
        table_name, extrafields = "rentals_rental", "acme_rental"


class RentalLine(Line):
    """A line of it."""

    rental = RecordField(Rental, "Rental")

    class Meta:
        table_name, extrafields, thirdparty = "rentals_line", "acme_rentalline", "rental.socid"


class Rentals(Documents[Rental]):
    """Rentals."""

    model, service, noun, kind = Rental, "rentals", "Rental agreement", "Hire"
    constants = {"FREE_TEXT": "LEASE"}
    template = "second"
    printed = ("until",)
    element, folder, other_names = "acme", "leases", ("lease",)
    chosen = (*Documents.chosen, ("carrier", ShippingMethod, "carrier"))
    agreed = (*Documents.agreed, "until")
    origins = ("commande",)
    lines = Lines(RentalLine)
    series = Series("rentals", "RE{yy}{mm}-{0000}")
    states = STATES

    def kind_of(self, record):
        """Some of them are trials."""
        return "trial" if record["ref_client"] == "trial" else self.kind


rentals = Rentals()
'''
API = '''
from ...commercial.api import DocumentApi, DocumentRecord
from ..models import rentals


class Rentals(DocumentApi):
    """Rentals."""

    documents = rentals

    def giveback(self, id: int) -> DocumentRecord:
        """Give a rental back.

        :url: POST {id}/giveback
        :permission: write
        """
        return self._act(id, "giveback")
'''
TEMPLATE = """
from ...documents.template import Template
from ..models import rentals


class Rental(Template):
    documents = rentals
    title = "NAME sheet"
    days = {**Template.days, "until": "Until"}
"""
RULES = """
from ...documents.mentions.rule import INVOICES, Rule

RULES = (
    Rule("any.hire", "Hire", "", "Foot of hires", place="foot", kinds=("hire",)),
    Rule("any.trial", "Trial", "", "Foot of trials", place="foot", kinds=("trial",)),
    Rule("any.invoice", "Invoice", "", "Foot of invoices", place="foot", kinds=INVOICES),
    Rule("any.note", "Note", "", "Below hires {record.ref_ext}", kinds=("hire",)),
)
"""
FILES = {
    "models.py": MODELS,
    "class/api_rentals.py": API,
    "doctemplates/pdf_first.py": TEMPLATE.replace("NAME", "First"),
    "doctemplates/pdf_second.py": TEMPLATE.replace("NAME", "Second"),
    "mentiontemplates/country_any.py": RULES,
}
LINE = {"desc": "Crane", "qty": 1, "subprice": 10, "tva_tx": 20}


@pytest.fixture(scope="module")
def admin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rentals")
    for name, text in FILES.items():
        file = folder / "modules/rentals" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with serving(folder, "sqlite", modules=str(folder / "modules")) as served:
        client = served.client()
        assert client.get("/explorer/index.json")["failures"] == []
        yield client


@pytest.fixture(scope="module")
def customer(admin):
    return int(admin.ask("POST", "/thirdparties", {"name": "Builder"}))


def make(admin, customer, service="rentals", **fields):
    body = {"socid": customer, "date": "2026-11-21", "ref_ext": "X1", "lines": [LINE], **fields}
    return int(admin.ask("POST", f"/{service}", body))


def validated(admin, customer, **fields):
    return admin.ask("POST", f"/rentals/{make(admin, customer, **fields)}/validate")


def printed(admin, identifier, service="rentals"):
    return text_of(admin.simulate_get(f"/{service}/{identifier}/pdf").content)


def test_its_template_is_the_default_and_a_constant_chooses_another(admin, customer):
    identifier = make(admin, customer)
    assert "Second sheet" in printed(admin, identifier)
    with constant(admin, "HIRE_ADDON_PDF", "first"):
        assert "First sheet" in printed(admin, identifier)


@pytest.mark.parametrize(
    ("name", "known"),
    [("HIRE_ADDON_PDF", "first, second"), ("FACTURE_ADDON_PDF", "crabe, sponge"), ("PROPALE_ADDON_PDF", "azur, cyan")],
)
def test_a_constant_accepts_only_templates_of_its_kind(admin, name, known):
    told = admin.refused("PUT", f"/setup/conf/{name}", {"value": "nonsense"}, status=400)
    assert told == f'Bad Request: `value`: {name}: expected one of {known}, got "nonsense"'
    admin.ask("PUT", f"/setup/conf/{name}", {"value": ""})


def test_its_texts_are_in_constants_of_its_words(admin, customer):
    identifier = make(admin, customer)
    with (
        constant(admin, "LEASE_FREE_TEXT", "We lease {ref_client}."),
        constant(admin, "HIRE_DRAFT_WATERMARK", "SAMPLE"),
    ):
        text = printed(admin, identifier)
    assert "We lease ." in text and "SAMPLE" in text
    assert "DRAFT" in printed(admin, identifier)


def test_its_notices_are_checked_in_its_word(admin, customer):
    identifier = make(admin, customer, ref_ext=None)
    with constant(admin, "HIRE_CHECK_MENTIONS", "1"):
        told = admin.refused("POST", f"/rentals/{identifier}/validate", {}, status=405)
    assert "legal notices are missing from the hire" in told
    assert "Note (record.ref_ext)" in told
    assert admin.get("/documents/check", modulepart="hire", id=identifier)["kind"] == "hire"


def test_a_rule_of_a_kind_is_at_the_foot_of_that_kind_only(admin, customer):
    feet = {"Foot of hires", "Foot of trials", "Foot of invoices"}

    def found(identifier, service="rentals"):
        text = printed(admin, identifier, service)
        return {each for each in feet if each in text}

    assert found(make(admin, customer)) == {"Foot of hires"}
    assert found(make(admin, customer, ref_client="trial")) == {"Foot of trials"}
    assert found(make(admin, customer, "invoices"), "invoices") == {"Foot of invoices"}
    assert found(make(admin, customer, "orders"), "orders") == set()


@pytest.mark.parametrize("part", ["hire", "rental", "rentals", "lease", "acme_rental"])
def test_its_files_are_in_its_folder_under_its_names(admin, customer, part):
    record = validated(admin, customer)
    assert record["last_main_doc"] == f"leases/{record['ref']}/{record['ref']}.pdf"
    (file,) = admin.get("/documents", modulepart=part, id=record["id"])
    assert file["name"] == f"{record['ref']}.pdf"


def test_its_pdf_follows_its_own_fields(admin, customer):
    record = validated(admin, customer)
    path = {"modulepart": "hire", "original_file": f"{record['ref']}/{record['ref']}.pdf"}
    admin.ask("PATCH", f"/rentals/{record['id']}", {"until": "2027-03-09"})
    assert "Until Mar 9, 2027" in text_of(admin.simulate_get("/documents/raw", params=path).content)


def test_its_pdf_tells_what_it_was_made_from(admin, customer):
    order = make(admin, customer, "orders")
    ref = admin.ask("POST", f"/orders/{order}/validate")["ref"]
    identifier = make(admin, customer, linked_objects={"commande": order})
    assert f"Order {ref} of Nov 21, 2026" in printed(admin, identifier)


def test_a_state_permits_only_what_it_lists(admin, customer):
    record = validated(admin, customer)
    path, other = f"/rentals/{record['id']}", int(admin.ask("POST", "/thirdparties", {"name": "Other"}))
    assert admin.ask("PATCH", path, {"socid": other, "date": "2026-11-22", "until": "2026-12-24"})["socid"] == other
    admin.ask("POST", f"{path}/giveback")
    error = admin.ask(
        "PATCH", path, {"socid": customer, "date": "2026-11-23", "until": None, "note_public": "x"}, status=405
    )["error"]
    assert error["message"].startswith("Method Not Allowed: can't change `socid` and `date` and `until` of rental")
    assert ({each["field"] for each in error["errors"]}, error["state"]) == ({"socid", "date", "until"}, "over")
    assert admin.ask("PATCH", path, {"note_public": "x"})["note_public"] == "x"


def test_its_verbs_and_states_are_told_in_its_words(admin, customer):
    draft, over = make(admin, customer), validated(admin, customer)
    told = admin.refused("POST", f"/rentals/{draft}/giveback", {}, status=405)
    assert told.startswith("Method Not Allowed: can't give back: the rental agreement (PROV")
    assert told.endswith("is a draft, but must be validated")
    admin.ask("POST", f"/rentals/{over['id']}/giveback")
    told = admin.refused("POST", f"/rentals/{over['id']}/validate", {}, status=405)
    assert told.endswith(f"the rental agreement {over['ref']} is given back, but must be a draft")
    assert "can't set to draft: " in admin.refused("POST", f"/rentals/{draft}/settodraft", {}, status=405)


def test_a_choice_is_told_in_its_word(admin, customer):
    body = {"socid": customer, "date": "2026-11-21", "carrier": 999, "mode_reglement_id": 999}
    errors = admin.ask("POST", "/rentals", body, status=400)["error"]["errors"]
    assert {each["field"]: each["message"] for each in errors} == {
        "carrier": "expected the ID of a carrier, got 999",
        "mode_reglement_id": "expected the ID of a payment method, got 999",
    }


def test_its_links_have_its_element(admin, customer):
    identifier = make(admin, customer)
    order = make(admin, customer, "orders", linked_objects={"acme": identifier})
    assert list(admin.get(f"/orders/{order}")["linkedObjectsIds"]["acme"].values()) == [identifier]
    linked = admin.get(f"/orders/{order}/history")
    assert {"acme"} <= {each["after"].get("sourcetype") for each in linked if each["after"]}


def test_its_extra_fields_are_found_under_its_word(admin):
    admin.ask("POST", "/setup/extrafields/rental/site", {"label": "Site", "type": "varchar", "size": "20"})
    assert admin.get("/setup/extrafields/acme_rental/site")["label"] == "Site"
