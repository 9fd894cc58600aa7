"""The constants that the native modules declare."""

import re
from pathlib import Path

import pytest

from core.contract.catalogue import catalogue
from core.records.module_settings import declared_setting

#: a literal that is a constant of Dolibarr, or of an own one
CONSTANT = re.compile(
    r"""["']((?:MAIN|FACTURE|COMMANDE|PROPALE|EXPEDITION|SOCIETE|COMPANY|PRODUIT|PRODUCT|STOCK|INVOICE|PRELEVEMENT|API"""
    r"""|DOCUMENT)_[A-Z0-9_]+)["']"""
)
MODULES = Path("modules")


def test_a_constant_that_no_module_declares_is_refused(admin):
    for name, told in (
        ("MAIN_MONAIE", 'unknown setting "MAIN_MONAIE"; did you mean MAIN_MONNAIE?'),
        ("lower", '`constantname`: expected a name of capital letters, digits and _, got "lower"'),
    ):
        error = admin.ask("PUT", f"/setup/conf/{name}", {"value": "EUR"}, status=400)["error"]
        assert error["errors"] == [{"field": "constantname", "message": told}]
        admin.get(f"/setup/conf/{name}", status=404)


def test_every_constant_that_a_module_reads_is_declared(admin):
    read = {(file, name) for file in MODULES.rglob("*.py") for name in CONSTANT.findall(file.read_text())}
    assert {"FACTURE_ADDON", "PRELEVEMENT_ICS", "MAIN_ROUNDING_RULE_TOT"} <= {name for _, name in read}
    assert [(str(file), name) for file, name in sorted(read) if declared_setting(name) is None] == []


def test_every_declared_constant_is_used(admin):
    text = "".join(file.read_text() for file in MODULES.rglob("*.py"))
    ends = ("_MASK", "_ADDON_PDF", "FREE_TEXT", "DRAFT_WATERMARK", "CHECK_MENTIONS")
    for name, each in catalogue().settings.items():
        if each.is_constant and "*" not in name and not name.startswith("MAIN_BANK_"):
            assert name in text, name
        elif "*" in name:
            assert name.strip("*_").endswith(tuple(end.strip("_") for end in ends)), name


@pytest.mark.parametrize(("sent", "stored"), [("false", "0"), ("TRUE", "1"), ("0", "0"), ("", "")])
def test_a_switch_is_stored_as_a_digit(admin, sent, stored):
    admin.ask("PUT", "/setup/conf/MAIN_INFO_SMALL_BUSINESS", {"value": sent})
    assert admin.get("/setup/conf/MAIN_INFO_SMALL_BUSINESS") == stored
    admin.ask("DELETE", "/setup/conf/MAIN_INFO_SMALL_BUSINESS")


@pytest.mark.parametrize(
    ("name", "value", "most"),
    [("INVOICE_DRAFT_WATERMARK", "x" * 60, 60), ("INVOICE_LATE_PAYMENT_RATE", "x" * 200, 200)],
)
def test_texts_have_a_length(admin, name, value, most):
    admin.ask("PUT", f"/setup/conf/{name}", {"value": value})
    message = admin.ask("PUT", f"/setup/conf/{name}", {"value": value + "x"}, status=400)["error"]["message"]
    assert f"{name}: expected at most {most} characters" in message
    admin.ask("DELETE", f"/setup/conf/{name}")


def test_constants_are_listed_with_the_settings_of_modules(admin):
    listed = {each["name"]: each for each in admin.get("/setup/settings")}
    assert listed["MAIN_MAX_DECIMALS_TOT"] == {
        "name": "MAIN_MAX_DECIMALS_TOT", "module": "commercial", "type": "integer", "value": "2", "default": "2", "choices": [],
        "min": "0", "max": "8", "is_set": False, "help": "decimals of totals",
    }  # fmt: skip
    assert listed["STOCK_CALCULATE_ON_SHIPMENT"].items() >= {"type": "switch", "value": "1"}.items()
    assert listed["*_ADDON_PDF"]["type"] == "text"
    assert listed["FACTURE_ADDON"]["choices"] == ["mod_facture_terre", "mod_facture_mercure", "mod_facture_mars"]
