"""Each kind of record in the profile `dolibarr16`, read at each moment of its life, has the recorded keys and types.

The tables are those of `test_recorded_shapes`; here the records have more fields, and are read after their creation, a
change and each transition, in every way. A value where the recorded records had none is text, as all columns are, or a
date if the recorded one was "". `left_moments.tsv` lists every other difference with its reason.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from core.testing import serving
from tests.modules.test_recorded_shapes import DAY, FREE, fits, shape, table

pytestmark = pytest.mark.slow

EMPTY_TEXTS = {"null", '""', '"0"'}
TEXTS = ("text", "digits", "decimal", '"0')
CONTAINERS = {"[]": ("list", "map"), "{}": ("map",)}
#: transitions of each kind, in order, and their bodies
TRANSITIONS = {
    "proposal": [
        ("validate", {}), ("settodraft", {}), ("validate", {}), ("close", {"status": 3}), ("settodraft", {}),
        ("validate", {}), ("close", {"status": 2, "notes": "signed"}), ("setinvoiced", {}),
    ],
    "order": [
        ("validate", {}), ("settodraft", {}), ("validate", {}), ("close", {}), ("reopen", {}), ("setinvoiced", {}),
    ],
    "invoice": [
        ("validate", {}), ("settodraft", {}), ("validate", {}), ("settopaid", {}), ("settounpaid", {}),
        ("settopaid", {"close_code": "badcustomer", "close_note": "note"}),
    ],
}  # fmt: skip


class Moments:
    """Records, made and read over HTTP.

    :ivar found: kind → moment and record
    """

    def __init__(self, client):
        self.client = client
        self.found = defaultdict(list)

    def add(self, kind, moment, record):
        """Note a record, and its lines."""
        self.found[kind].append((moment, record))
        self.found[f"{kind} line"] += [(moment, line) for line in record.get("lines") or ()]

    def read(self, kind, moment, identifier, *paths, **query):
        """Read a record by its ID, with `query`, in the list, and by further paths."""
        service = SERVICES[kind]
        for path in (f"/{service}/{identifier}", *paths):
            self.add(kind, f"{moment}: {path}", self.client.get(path))
        self.add(kind, f"{moment}: {query}", self.client.get(f"/{service}/{identifier}", **query))
        for record in self.client.get(f"/{service}", sqlfilters=f"(t.rowid:=:{identifier})"):
            self.add(kind, f"{moment}: list", record)

    def make(self, kind, body, change, *paths, **query):
        """Create a record and change it."""
        identifier = int(self.client.ask("POST", f"/{SERVICES[kind]}", body))
        self.read(kind, "created", identifier, *paths, **query)
        self.add(kind, "change", self.client.ask("PUT", f"/{SERVICES[kind]}/{identifier}", change))
        self.read(kind, "changed", identifier, *paths, **query)
        return identifier

    def document(self, kind, body, contact):
        """Create a document, change it and a line, and make its transitions."""
        identifier = self.make(kind, body, {"note_public": "changed"}, contact_list=0)
        path = f"/{SERVICES[kind]}/{identifier}"
        self.client.ask("POST", f"{path}/line" if kind == "proposal" else f"{path}/lines", FREE)
        line = self.client.get(f"{path}/lines")[-1]["id"]
        self.add(kind, "line changed", self.client.ask("PUT", f"{path}/lines/{line}", FREE | {"qty": 5}))
        role = "BILLING" if kind == "invoice" else "CUSTOMER"
        linked = self.client.ask("POST", f"{path}/contact/{contact}/{role}", {})
        if kind != "order":
            self.add(kind, "contact linked", linked)
        for action, sent in TRANSITIONS[kind]:
            done = self.client.ask("POST", f"{path}/{action}", sent)
            if action != "reopen":
                self.add(kind, action, done)
            self.read(kind, f"after {action}", identifier, contact_list=-1)
            self.found[f"{kind} line"] += [(f"after {action}", each) for each in self.client.get(f"{path}/lines")]
        return identifier


SERVICES = {
    "thirdparty": "thirdparties", "contact": "contacts", "product": "products", "user": "users",
    "proposal": "proposals", "order": "orders", "invoice": "invoices",
}  # fmt: skip
THIRDPARTY = {
    "name": "Full", "name_alias": "Alias", "client": 3, "fournisseur": 1, "code_client": "-1", "code_fournisseur": "-1",
    "address": "1 Street", "zip": "75001", "town": "Paris", "country_id": 1, "email": "full@example.com", "phone": "1",
    "fax": "2", "url": "x.example", "tva_intra": "FR1", "capital": "1000.5", "typent_id": 2, "effectif_id": 1,
    "forme_juridique_code": 54, "cond_reglement_id": 2, "mode_reglement_id": 2, "outstanding_limit": "500",
    "order_min_amount": "10", "note_public": "p", "note_private": "q", "default_lang": "fr_FR", "barcode": "123",
    "ref_ext": "EXT", "idprof1": "1", "idprof2": "2", "fk_prospectlevel": "PL_HIGH", "fk_incoterms": 1,
    "location_incoterms": "Paris", "shipping_method_id": 1, "socialnetworks": {"twitter": "x"},
}  # fmt: skip
CONTACT = {
    "lastname": "Doe", "firstname": "Jane", "civility_id": "MME", "email": "j@example.com", "phone_pro": "1",
    "phone_perso": "2", "phone_mobile": "3", "birthday": DAY, "poste": "Head", "address": "1 Street", "zip": "1",
    "town": "Paris", "country_id": 1, "note_public": "p", "note_private": "q", "default_lang": "fr_FR",
    "socialnetworks": {"twitter": "x"}, "photo": "x.png", "ref_ext": "C1",
}  # fmt: skip
PRODUCT = {
    "ref": "FULL", "label": "Full", "price": "100", "tva_tx": "20", "price_base_type": "HT", "status": 1,
    "status_buy": 1, "weight": "1.5", "weight_units": 0, "length": "2", "length_units": 0, "surface": "5",
    "surface_units": 0, "volume": "6", "volume_units": 0, "barcode": "4711", "description": "text", "customcode": "12",
    "country_id": 1, "duration_value": 1, "duration_unit": "m", "url": "x.example", "seuil_stock_alerte": "2",
    "desiredstock": "3", "finished": 1, "cost_price": "60", "accountancy_code_sell": "707", "note_public": "p",
    "price_min": "10", "ref_ext": "P1",
}  # fmt: skip
USER = {
    "login": "full", "lastname": "Full", "firstname": "Fay", "email": "u@example.com", "civility_code": "MR",
    "gender": "man", "birth": DAY, "job": "Head", "signature": "s", "address": "1 Street", "zip": "1", "town": "Paris",
    "country_id": 1, "office_phone": "1", "user_mobile": "2", "employee": 1, "thm": "50", "tjm": "300",
    "weeklyhours": "35", "dateemployment": DAY, "note_public": "p", "note_private": "q", "ref_ext": "U1",
    "color": "ff0000", "accountancy_code": "421", "salary": "3000", "lang": "fr_FR",
}  # fmt: skip
DOCUMENT = {
    "date": DAY, "cond_reglement_id": 2, "mode_reglement_id": 2, "ref_client": "REF", "note_public": "p",
    "note_private": "q", "availability_id": 1, "demand_reason_id": 1, "shipping_method_id": 1, "fk_incoterms": 1,
    "location_incoterms": "Paris", "delivery_date": DAY, "deposit_percent": "30", "remise_percent": "5",
}  # fmt: skip


@pytest.fixture(scope="module")
def moments(tmp_path_factory):
    """Records of each kind, bare ones and such with a value in most fields."""
    with serving(tmp_path_factory.mktemp("moments"), profile_name="dolibarr16") as served:
        client = served.client()
        found = Moments(client)
        client.ask("PUT", "/setup/conf/MAIN_DISABLE_PDF_AUTOUPDATE", {"value": "1"})
        change = {"note_public": "changed"}
        customer = found.make("thirdparty", THIRDPARTY, change, "/thirdparties/email/full@example.com")
        bare = found.make("thirdparty", {"name": "Bare", "client": 1}, change)
        found.make("thirdparty", {"name": "Supplier", "fournisseur": 1, "code_fournisseur": "-1"}, change)
        roles = {"includecount": 1, "includeroles": 1}
        contact = found.make("contact", CONTACT | {"socid": customer}, change, "/contacts/email/j@example.com", **roles)
        found.make("contact", {"lastname": "Bare"}, change, **roles)
        stock = {"includestockdata": 1, "includesubproducts": 1, "includeparentid": 1, "includetrans": 1}
        full = found.make("product", PRODUCT, {"label": "Changed"}, "/products/ref/FULL", **stock)
        plain = found.make("product", {"ref": "BARE", "label": "Bare"}, {"description": "changed"}, **stock)
        service = {"ref": "SERVICE", "label": "Service", "type": 1, "price_ttc": "120", "price_base_type": "TTC"}
        work = found.make("product", service | {"price": "120", "tva_tx": "20"}, {"label": "Changed"}, **stock)
        for user in (USER, {"login": "bare", "lastname": "Bare"}, {"login": "chief", "lastname": "Chief", "admin": 1}):
            found.make("user", user, {"job": "Changed"}, f"/users/login/{user['login']}", includepermissions=1)
        found.add("user", "info", client.get("/users/info"))
        found.read("user", "first", 1, includepermissions=1)
        lines = [
            FREE, {"qty": 1, "fk_product": full}, {"qty": 2, "subprice": "7.5", "tva_tx": "5.5", "fk_product": plain},
            {"qty": "1.5", "subprice": "33.33333", "tva_tx": 20, "fk_product": work},
            {"desc": "free of charge", "qty": 1, "subprice": 0, "tva_tx": 0, "product_type": 1},
            {"desc": "costs", "qty": 1, "subprice": 50, "tva_tx": 20, "pa_ht": "30", "label": "label"},
            {"desc": "days", "qty": 1, "subprice": 10, "tva_tx": 20, "date_start": DAY, "date_end": DAY},
            {"desc": "title", "qty": 0, "product_type": 9}, {"desc": "less", "qty": 1, "subprice": "-5", "tva_tx": 20},
        ]  # fmt: skip
        for body in (DOCUMENT | {"socid": customer, "lines": lines}, {"socid": bare, "date": DAY, "lines": [FREE]}):
            proposal = found.document("proposal", body, contact)
            order = client.ask("POST", f"/orders/createfromproposal/{proposal}", {})
            found.add("order", "created from a proposal", order)
            found.read("order", "with a proposal", int(order["id"]))
            found.read("proposal", "with an order", proposal)
            invoice = client.ask("POST", f"/invoices/createfromorder/{order['id']}", {})
            found.add("invoice", "created from an order", invoice)
            found.document("order", body, contact)
            found.document("invoice", body, contact)
            pay_and_credit(found, int(invoice["id"]), body["socid"])
        return found.found


def pay_and_credit(found, invoice, customer):
    """Pay an invoice, and give it back by a credit note that becomes a discount."""
    client = found.client
    client.ask("POST", f"/invoices/{invoice}/validate", {})
    payment = {"datepaye": DAY, "paymentid": 4, "closepaidinvoices": "yes", "accountid": 1}
    client.ask("POST", f"/invoices/{invoice}/payments", payment)
    found.read("invoice", "paid", invoice)
    credit = {"socid": customer, "date": DAY, "type": 2, "fk_facture_source": invoice, "lines": [FREE]}
    note = found.make("invoice", credit, {"note_public": "changed"})
    found.add("invoice", "validate", client.ask("POST", f"/invoices/{note}/validate", {}))
    found.add("invoice", "discount", client.ask("POST", f"/invoices/{note}/markAsCreditAvailable", {}))
    found.read("invoice", "with a discount", note)


def is_like_recorded(seen, recorded):
    """Whether a shape was recorded, or is the value of a column that was empty in all recorded records."""
    if fits(seen, recorded):
        return True
    if not EMPTY_TEXTS.isdisjoint(recorded) or any(re.fullmatch(r'"0\.0+"', each) for each in recorded):
        if seen.startswith(TEXTS):
            return True
        if seen == "integer" and {*recorded} <= {'""', "null"} and '""' in recorded:
            return True
    return any(seen in CONTAINERS.get(each, ()) for each in recorded)


def test_what_differs_at_any_moment_is_what_is_left(moments):
    found = defaultdict(list)
    for row in table("recorded_shapes.tsv"):
        kind, key, recorded = row["kind"], row["key"], row["shapes"].split(" ")
        for moment, record in moments[kind]:
            seen = shape(record[key]) if key in record else "absent"
            if not is_like_recorded(seen, recorded):
                found[kind, key, seen].append(moment)
    left = {(row["kind"], row["key"], row["ours"]) for row in table("left_moments.tsv")}
    assert {key: places[:3] for key, places in found.items() if key not in left} == {}
    assert left - {*found} == set()


def test_every_kind_was_read(moments):
    kinds = {row["kind"] for row in table("recorded_shapes.tsv")}
    assert kinds == {"thirdparty", "contact", "product", "user"} | {
        each for kind in TRANSITIONS for each in (kind, f"{kind} line")
    }
    assert min(len(moments[kind]) for kind in kinds) >= 15
    for kind, transitions in TRANSITIONS.items():
        seen = {moment for moment, _ in moments[kind]}
        assert {action for action, _ in transitions} - {"reopen"} <= seen


def test_each_row_that_is_left_has_a_reason():
    assert [row for row in table("left_moments.tsv") if not row["reason"]] == []
    assert (Path(__file__).parent / "left_moments.tsv").read_text().endswith("\n")
