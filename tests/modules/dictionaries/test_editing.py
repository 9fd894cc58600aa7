"""Dictionaries that are changed: by whom, what is refused, what becomes of entries in use, and when it counts."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.storage.database import close
from core.testing import constant

#: 2026-11-21, midnight UTC
DAY = 1795219200
DAYS = 86400


def path(name, *rest):
    return "/".join(["/setup/dictionary", name, *map(str, rest)])


def gone(told):
    """What became of an entry, behind the success object."""
    assert told["success"]["code"] == 200
    return {name: told[name] for name in told if name != "success"}


def every(admin, name):
    rows = [row for active in (1, 0) for row in admin.get(path(name), active=active, limit=0)]
    return {row["id"] if "id" in row else row["rowid"]: row for row in rows}


def test_an_entry_is_added_changed_and_deleted(admin):
    body = {"code": "45D", "label": "45 days", "descr": "Due in 45 days", "nbjour": 45, "id": 3}
    identifier = admin.ask("POST", path("payment_terms"), body)
    assert identifier >= 10000
    kept = {
        "id": identifier, "code": "45D", "sortorder": 0, "label": "45 days", "descr": "Due in 45 days", "type_cdr": 0,
        "nbjour": 45, "decalage": None, "module": None,
    }  # fmt: skip
    assert admin.get(path("payment_terms", identifier)) == {**kept, "active": 1}
    assert kept in admin.get(path("payment_terms"))
    assert admin.ask("PUT", path("payment_terms", identifier), {"nbjour": 46})["nbjour"] == 46
    assert admin.ask("PATCH", path("payment_terms", identifier), {"active": 0})["active"] == 0
    assert gone(admin.ask("DELETE", path("payment_terms", identifier))) == {"deleted": 1, "used_by": []}
    admin.ask("DELETE", path("payment_terms", identifier), status=404)
    admin.ask("PUT", path("payment_terms", identifier), {}, status=404)
    # its identifier is not given again
    assert admin.ask("POST", path("payment_terms"), {**body, "code": "46D"}) == identifier + 1


def test_all_that_is_wrong_is_told_at_once(admin):
    body = {"code": "x" * 17, "nbjour": "soon", "type_cdr": 9}
    answer = admin.simulate_post(path("payment_terms"), json=body)
    assert answer.status_code == 400
    assert {each["field"] for each in answer.json["error"]["errors"]} == {"code", "nbjour", "type_cdr", "label"}
    assert "code" in admin.refused("POST", path("payment_types"), {"code": "", "label": "Of shells"}, status=400)
    assert "already used" in admin.refused("POST", path("payment_types"), {"code": "LIQ", "label": "x"}, status=405)
    assert "already used" in admin.refused("PUT", path("payment_types", 2), {"code": "LIQ"}, status=405)
    rate = {"country_id": 1, "rate": "20"}
    assert "already used" in admin.refused("POST", path("vat_rates"), rate, status=405)
    for verb, rest in (("POST", ()), ("PUT", (1,)), ("DELETE", (1,)), ("GET", (1,))):
        admin.refused(verb, path("nosuch", *rest), status=404)
    assert "nosuch" in admin.simulate_put(path("units", 1), json={"nosuch": 1}).headers["Warning"]


def test_fields_are_told(server):
    told = {each["name"]: each for each in server.user().get("/dictionaries")}
    assert told["payment_terms"]["right"] == "proposals.read or orders.read or invoices.read"
    fields = {each["name"]: each for each in told["vat_rates"]["fields"]}
    assert "id" not in fields
    assert (fields["rate"]["type"], fields["rate"]["required"], fields["rate"]["description"]) == (
        "decimal", True, "percent",
    )  # fmt: skip
    assert (fields["code"]["required"], fields["code"]["max_length"]) == (False, 10)
    assert (fields["active"]["type"], fields["active"]["description"]) == ("integer", "0 hidden, 1 offered")


def test_one_in_use_is_hidden_and_one_that_is_not_goes(admin):
    method = admin.ask("POST", path("shipping_methods"), {"code": "MULE", "label": "By mule"})
    owner = admin.ask("POST", "/thirdparties", {"name": "Mountain"})
    order = admin.ask("POST", "/orders", {"socid": owner, "date": DAY, "shipping_method_id": method})
    told = admin.ask("DELETE", path("shipping_methods", method))
    assert gone(told) == {"deleted": 0, "used_by": ["commande (1)"]}
    assert admin.get(path("shipping_methods", method))["active"] == 0
    assert method not in {row["id"] for row in admin.get(path("shipping_methods"))}
    assert admin.get(f"/orders/{order}")["shipping_method_id"] == method
    admin.ask("DELETE", f"/orders/{order}")
    assert admin.ask("DELETE", path("shipping_methods", method))["deleted"] == 1
    admin.get(path("shipping_methods", method), status=404)


USES = {
    "civilities": ("/contacts", {"lastname": "Who", "civility_code": "{code}"}, {"code": "PROF", "label": "Professor"}),
    "countries": ("/contacts", {"lastname": "Who", "country_id": "{id}"}, {"code": "XW", "code_iso": "XWX", "label": "W"}),
    "legal_form": ("/thirdparties", {"name": "Who", "forme_juridique_code": "{code}"}, {"code": 990001, "country_id": 1, "label": "Club"}),
    "payment_types": ("/invoices", {"socid": 1, "date": DAY, "mode_reglement_id": "{id}"}, {"code": "SHELL", "label": "S"}),
    "prospect_levels": ("/thirdparties", {"name": "Who", "fk_prospectlevel": "{code}"}, {"code": "PL_TOP", "label": "T"}),
    "socialnetworks": ("/thirdparties", {"name": "Who", "socialnetworks": {"smoke_signs": "who"}},
                       {"code": "smoke_signs", "label": "Smoke"}),
    "states": ("/thirdparties", {"name": "Who", "state_id": "{id}"},
               {"code_departement": "999", "region_code": 84, "name": "Nowhere"}),
    "units": ("/invoices", {"socid": 1, "date": DAY, "lines": [{"desc": "x", "qty": 1, "fk_unit": "{id}"}]},
              {"code": "BAG", "label": "bag", "unit_type": "qty"}),
    "vat_rates": ("/invoices", {"socid": 1, "date": DAY, "lines": [{"desc": "x", "qty": 1, "tva_tx": "33.25"}]},
                  {"country_id": 1, "rate": "33.25"}),
}  # fmt: skip


def filled(body, entry):
    """A body in which `{field}` is that of an entry."""
    if isinstance(body, dict):
        return {key: filled(value, entry) for key, value in body.items()}
    if isinstance(body, list):
        return [filled(each, entry) for each in body]
    return entry[body[1:-1]] if isinstance(body, str) and body.startswith("{") else body


@pytest.mark.parametrize("name", USES)
def test_every_way_in_which_records_name_an_entry_is_known(admin, name):
    admin.ask("POST", "/thirdparties", {"name": "First"})
    where, body, entry = USES[name]
    number = admin.ask("POST", path(name), entry)
    kept = {**entry, "id": number}
    admin.ask("POST", where, filled(body, kept))
    assert admin.ask("DELETE", path(name, number))["deleted"] == 0
    # by an identifier that nobody names it goes
    other = dict(entry)
    if "rate" in other:
        other["rate"] = "33.5"
    for key, value in (("code", "ZY"), ("code_iso", "ZZZ"), ("code_departement", "ZY")):
        if key in other:
            other[key] = 990002 if name == "legal_form" else value
    assert admin.ask("DELETE", path(name, admin.ask("POST", path(name), other)))["deleted"] == 1


def test_what_records_name_an_entry_by_stays(admin):
    number = admin.ask("POST", path("civilities"), {"code": "SIR", "label": "Sir"})
    assert admin.ask("PUT", path("civilities", number), {"code": "LORD"})["code"] == "LORD"
    admin.ask("POST", "/contacts", {"lastname": "Byron", "civility_code": "LORD"})
    message = admin.refused("PUT", path("civilities", number), {"code": "SIR"}, status=405)
    assert "used by" in message
    assert admin.ask("PUT", path("civilities", number), {"label": "My lord", "code": "LORD"})["label"] == "My lord"


def test_the_companys_own_country_and_currency_are_in_use(admin):
    shells = admin.ask("POST", path("currencies"), {"code_iso": "XWC", "label": "Shells"})
    with constant(admin, "MAIN_MONNAIE", "XWC"):
        assert gone(admin.ask("DELETE", path("currencies", shells))) == {"deleted": 0, "used_by": ["const (1)"]}
    assert admin.ask("DELETE", path("currencies", shells))["deleted"] == 1
    number = admin.ask("POST", path("countries"), {"code": "XY", "code_iso": "XYX", "label": "Nowhere"})
    with constant(admin, "MAIN_INFO_SOCIETE_COUNTRY", f"{number}:XY:Nowhere"):
        assert gone(admin.ask("DELETE", path("countries", number))) == {"deleted": 0, "used_by": ["const (1)"]}
    assert admin.ask("DELETE", path("countries", number))["deleted"] == 1


def test_what_was_shipped_and_deleted_does_not_come_back(admin):
    assert admin.ask("DELETE", path("ticket_categories", 1))["deleted"] == 1
    assert admin.get(path("ticket_categories")) == []
    assert admin.ask("POST", path("ticket_categories"), {"code": "OTHER", "label": "Others"}) == 10000
    assert [row["code"] for row in admin.get(path("ticket_categories"))] == ["OTHER"]


def test_rates_and_terms_count_at_once(admin):
    owner = admin.ask("POST", "/thirdparties", {"name": "Islander", "country_id": 1})
    term = admin.ask("POST", path("payment_terms"), {"code": "12D", "label": "12 days", "nbjour": 12})

    def due():
        body = {"socid": owner, "date": DAY, "cond_reglement_id": term}
        number = admin.ask("POST", "/invoices", {**body, "lines": [{"desc": "Desk", "qty": 1, "subprice": 100}]})
        return int(admin.get(f"/invoices/{number}")["date_lim_reglement"])

    assert due() == DAY + 12 * DAYS
    admin.ask("PUT", path("payment_terms", term), {"nbjour": 20})
    assert due() == DAY + 20 * DAYS
    with constant(admin, "MAIN_INFO_SOCIETE_COUNTRY", "1:FR:France"):
        rate = {"country_id": 1, "rate": "17.25", "localtax1": "2", "localtax1_type": "3"}
        identifier = admin.ask("POST", path("vat_rates"), rate)

        def local():
            body = {"desc": "Desk", "qty": 1, "subprice": 100, "tva_tx": "17.25", "localtax1_tx": "1"}
            number = admin.ask("POST", "/invoices", {"socid": owner, "date": DAY, "lines": [body]})
            (line,) = admin.get(f"/invoices/{number}")["lines"]
            return line["localtax1_tx"], line["total_localtax1"]

        assert local() == ("2.0000", "2.00000000")
        admin.ask("PUT", path("vat_rates", identifier), {"localtax1": "4"})
        assert local() == ("4.0000", "4.00000000")


def test_those_who_add_at_once_get_different_identifiers(admin):
    def add(number):
        try:
            return admin.ask("POST", path("hrm_functions"), {"code": f"F{number}", "label": "One of many"})
        finally:
            close()

    with ThreadPoolExecutor(6) as pool:
        numbers = list(pool.map(add, range(12)))
    assert len(set(numbers)) == 12 and min(numbers) >= 10000
    assert {row["code"] for row in every(admin, "hrm_functions").values()} >= {f"F{each}" for each in range(12)}


OWN = """
from peewee import AutoField, IntegerField

from core import Model, RecordField, Records

from ..dictionaries.models import PaymentType


class Caravan(Model):
    id = AutoField()
    paid_by = RecordField(PaymentType, "Payment type", null=True, on_delete="clear")
    way = IntegerField(column_name="fk_shipping_method", null=True)

    class Meta:
        table_name = "silk_caravan"


caravans = Records(Caravan, service="silkcaravans", noun="Caravan")
"""
API = """
from ..models import caravans


class SilkCaravans:
    records = caravans

    def post(self, request_data: dict) -> int:
        '''Add one.

        :permission: silkcaravans.write
        '''
        return caravans.create(request_data)
"""


def test_records_of_modules_from_elsewhere_count_too(kind, serve, folder, write):
    write("silk/models.py", OWN)
    write("silk/class/api_silkcaravans.py", API)
    admin = serve(kind=kind, modules=str(folder)).client()
    silk = admin.ask("POST", path("payment_types"), {"code": "SILK", "label": "Silk"})
    camel = admin.ask("POST", path("shipping_methods"), {"code": "CAMEL", "label": "Camel"})
    admin.ask("POST", "/silkcaravans", {"paid_by": silk, "way": camel})
    for name, number in (("payment_types", silk), ("shipping_methods", camel)):
        assert gone(admin.ask("DELETE", path(name, number))) == {"deleted": 0, "used_by": ["silk_caravan (1)"]}
