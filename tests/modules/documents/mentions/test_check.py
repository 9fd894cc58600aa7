"""The check of a PDF: who may ask, what is answered, and the setting that refuses a validation."""

import importlib

import pytest

from core.testing import constant, serving
from modules.documents.mentions.constants import RATE, SWITCHES
from tests.modules.documents.mentions.opening import check, draft, keys, open_shop, words_of
from tests.modules.documents.mentions.shops import BELGIUM, FRANCE, GERMANY, Shop

#: a company that has set its country alone
BARE = Shop("FR", "fr_FR", {"name": "Vasseur"}, {}, {"name": "Nobody"}, {})

SWEDEN = """
from ...documents.mentions.rule import INVOICES, Rule

RULES = (
    Rule("se.fskatt", "F-skatt", "Skatteförfarandelagen 9 kap.", "Godkänd för F-skatt", verbatim=True),
    Rule("se.number", "Organisation number", "custom", "Org.nr {company.idprof1}", place="foot", kinds=INVOICES),
    "no rule",
)
"""


def test_what_is_missing_tells_its_law_and_who_sets_it(admin):
    with open_shop(admin, FRANCE, capital=None, customer={"town": None}) as customer:
        identifier = draft(admin, customer)
        checked = check(admin, identifier)
    assert not checked["complete"]
    assert checked["summary"] == (
        "missing (required): Legal form and share capital (company.capital), Name and address of the customer "
        "(thirdparty.town)"
    )
    missing = {each["key"]: each for each in checked["missing"]}
    assert missing.keys() == {"fr.capital", "fr.customer"}
    assert missing["fr.capital"] == {
        "key": "fr.capital", "name": "Legal form and share capital", "required": True, "place": "foot", "sentence": "",
        "source": "Code de commerce, art. L. 223-1 (SARL), L. 224-1 (SA), L. 227-1 (SAS)",
        "missing": [{"field": "company.capital", "set_by": "PUT /setup/company: capital"}],
    }  # fmt: skip
    assert missing["fr.customer"]["missing"] == [
        {"field": "thirdparty.town", "set_by": f"PUT /thirdparties/{customer}: town"}
    ]


def test_the_company_in_general_is_checked_without_a_record(admin):
    with open_shop(admin, FRANCE, idprof4=None):
        checked = check(admin)
        offers = check(admin, kind="proposal")
    assert keys(checked["missing"]) == keys(offers["missing"]) == {"fr.rcs"}
    assert {"fr.late", "fr.indemnity"} <= keys(checked["there"])
    assert not {"fr.late", "fr.customer", "fr.nature"} & keys(offers["there"])


def test_what_is_customary_is_not_required(admin):
    with open_shop(admin, FRANCE, idprof3=None):
        checked = check(admin)
    assert checked["complete"]
    assert [(each["key"], each["required"]) for each in checked["missing"]] == [("fr.ape", False)]


def test_without_a_country_nobody_knows(admin):
    with open_shop(admin, Shop("", "en_US", {"name": "A"}, {}, {"name": "B"}, {})):
        checked = check(admin)
    assert (checked["country"], checked["complete"]) == (None, False)
    assert checked["missing"][0]["missing"][0]["field"] == "company.country_code"


def test_the_explorer_is_told_whose_records_are_checked(admin):
    services = {each["name"]: each["operations"] for each in admin.get("/explorer/index.json")["services"]}
    operation = next(each for each in services["documents"] if each["path"] == "/documents/check")
    assert operation["records"] == {"parameter": "modulepart", "services": ["invoices", "proposals", "orders"]}
    # Each is a service whose records are checked under that name
    for service in operation["records"]["services"]:
        assert "complete" in admin.get("/documents/check", modulepart=service)
    assert [each["id"] for name in services for each in services[name] if "records" in each] == [operation["id"]]


def test_who_may_not_read_is_told_nothing(served, admin):
    with open_shop(admin, FRANCE) as customer:
        identifier = draft(admin, customer)
        query = f"/documents/check?modulepart=invoice&id={identifier}"
        served.user("proposals.read").refused("GET", query, status=401)
        served.user("invoices.read", socid=1 if customer != 1 else 2).refused("GET", query, status=404)
        assert check(served.user("invoices.read", socid=customer), identifier)["complete"]
    admin.refused("GET", "/documents/check?modulepart=invoice&id=999999", status=404)
    admin.refused("GET", "/documents/check?modulepart=thirdparty&id=1", status=400)
    admin.refused("GET", "/documents/check", status=400)


@pytest.mark.parametrize("service", ("invoices", "proposals", "orders"))
def test_a_setting_refuses_what_lacks_a_mention_and_names_all_of_it(admin, service):
    kind = service.removesuffix("s")
    with open_shop(admin, BARE) as customer, constant(admin, f"{kind.upper()}_CHECK_MENTIONS", "1"):
        identifier = draft(admin, customer, service)
        wanted = [each for each in check(admin, identifier, kind)["missing"] if each["required"]]
        answer = admin.simulate_post(f"/{service}/{identifier}/validate", json={})
        assert answer.status_code == 405
        fields = {field["field"] for each in wanted for field in each["missing"]}
        assert {"company.address", "company.town", "company.forme_juridique_code", "company.idprof1"} <= fields
        assert all(field in answer.json["error"]["message"] for field in fields)
        record = admin.get(f"/{service}/{identifier}")
        assert (int(record["statut"]), record["ref"]) == (0, f"(PROV{identifier})")
    with open_shop(admin, FRANCE):
        # Without the setting, what is missing hinders nobody
        before = admin.ask("POST", f"/{service}/{draft(admin, customer, service)}/validate", {})["ref"]
    with open_shop(admin, FRANCE) as customer, constant(admin, f"{kind.upper()}_CHECK_MENTIONS", "1"):
        after = admin.ask("POST", f"/{service}/{draft(admin, customer, service)}/validate", {})["ref"]
    # No reference was taken by what was refused
    assert int(after[-4:]) == int(before[-4:]) + 1


@pytest.mark.parametrize(
    "name, value, is_taken",
    [
        ("INVOICE_LATE_PAYMENT_RATE", "12,15 %", True), ("INVOICE_LATE_PAYMENT_RATE", "three times the legal rate", True),
        ("INVOICE_LATE_PAYMENT_RATE", "", True), ("INVOICE_LATE_PAYMENT_RATE", "101", False),
        ("INVOICE_LATE_PAYMENT_RATE", "-1", False), ("INVOICE_LATE_PAYMENT_RATE", "NaN", False),
        ("INVOICE_LATE_PAYMENT_RATE", "x" * 201, False), ("INVOICE_DISCOUNT_TERMS", "a\nb", False),
        ("INVOICE_VAT_ON_DEBITS", "yes", False), ("MAIN_INFO_SMALL_BUSINESS", "2", False),
        ("INVOICE_CHECK_MENTIONS", "on", False), ("ORDER_CHECK_MENTIONS", "0", True),
        ("MAIN_INFO_REGISTER_PLACE", "x" * 101, False), ("MAIN_INFO_REGISTERED_OFFICE", "1 quai Nord", True),
    ],
)  # fmt: skip
def test_constants_hold_what_can_be_printed(admin, name, value, is_taken):
    if is_taken:
        with constant(admin, name, value):
            return
    assert name in admin.refused("PUT", f"/setup/conf/{name}", {"value": value}, status=400)


#: the constants that notices print
TEXTS = (
    RATE, "INVOICE_DISCOUNT_TERMS", "MAIN_INFO_REGISTER_PLACE", "MAIN_INFO_REGISTERED_OFFICE", "MAIN_INFO_SUPERVISORY_BOARD",
)  # fmt: skip


@pytest.mark.parametrize("value", ("1e400", "-1", "{company.name}\n{0}", "\\1 %s <b>&", "x" * 20000, "²"))
@pytest.mark.parametrize("shop", (FRANCE, GERMANY, BELGIUM), ids=lambda shop: shop.country)
def test_whatever_is_stored_pdfs_are_printed(admin, shop, value):
    names = ("forme_juridique_code", "managers", "idprof1", "idprof3", "idprof4")
    with open_shop(admin, shop) as customer:
        admin.ask("PUT", "/setup/company", dict.fromkeys(names, value[:4000]))
        for name in (*TEXTS, *SWITCHES):
            importlib.import_module("modules.setup.constants").set_constant(name, value)
        try:
            identifier = draft(admin, customer)
            assert check(admin, identifier)["country"] == shop.country
            assert words_of(admin, identifier)
        finally:
            for name in {*TEXTS, *SWITCHES} - shop.constants.keys():
                admin.ask("DELETE", f"/setup/conf/{name}")


def test_a_module_brings_the_rules_of_its_country(tmp_path):
    file = tmp_path / "modules/nordic/mentiontemplates/country_se.py"
    file.parent.mkdir(parents=True)
    file.write_text(SWEDEN)
    sweden = Shop("SE", "sv_SE", {"name": "Fjäll"}, {}, {"name": "A"}, {})
    with serving(tmp_path, modules=str(tmp_path / "modules")) as served, open_shop(served.client(), sweden) as customer:
        checked = check(served.client(), draft(served.client(), customer))
    assert keys(checked["missing"]) == {"se.number"}
    assert [each["sentence"] for each in checked["there"]] == ["Godkänd för F-skatt"]


EACH_KIND = """
from ...documents.mentions import rule

KINDS = (rule.INVOICE, rule.CREDIT_NOTE, rule.PROFORMA, rule.PROPOSAL, rule.ORDER, rule.SHIPMENT)
RULES = [
    rule.Rule(f"se.{kind}", "Notice", "custom", f"Only on a {kind}.", kinds=(kind,), verbatim=True) for kind in KINDS
]
"""


@pytest.mark.parametrize("profile", ["specification", "dolibarr16"])
def test_a_rule_of_each_kind_prints_on_this_kind_only(tmp_path, profile):
    file = tmp_path / "modules/nordic/mentiontemplates/country_se.py"
    file.parent.mkdir(parents=True)
    file.write_text(EACH_KIND)
    sweden = Shop("SE", "en_US", {"name": "Fjäll"}, {}, {"name": "A"}, {})
    options = {"modules": str(tmp_path / "modules"), "profile_name": profile}
    with serving(tmp_path, **options) as served, open_shop(served.client(), sweden) as customer:
        client = served.client()
        order, place = draft(client, customer, "orders"), client.ask("POST", "/warehouses", {"label": "Quay"})
        made = {"order": ("orders", order), "proposal": ("proposals", draft(client, customer, "proposals"))}
        source = draft(client, customer)
        made |= {"invoice": ("invoices", source), "proforma": ("invoices", draft(client, customer, type=4))}
        texts = {kind: words_of(client, identifier, service[:-1]) for kind, (service, identifier) in made.items()}
        made["credit note"] = "invoices", draft(client, customer, type=2, fk_facture_source=source)
        made["shipment"] = "shipments", int(client.ask("POST", f"/orders/{order}/shipment/{place}"))
        for kind in ("credit note", "shipment"):
            texts[kind] = words_of(client, made[kind][1], made[kind][0][:-1])
        for kind, (service, identifier) in made.items():
            assert [other for other in made if f"Only on a {other}." in texts[kind]] == [kind]
            checked = check(client, identifier, service[:-1])
            assert (checked["kind"], keys(checked["there"])) == (kind, {f"se.{kind}"})


def test_the_older_profile_checks_the_same(tmp_path):
    with serving(tmp_path, profile_name="dolibarr16") as served, open_shop(served.client(), GERMANY) as customer:
        assert check(served.client(), draft(served.client(), customer))["missing"] == []
