"""Settings that nobody could work with: refused when they are set, or harmless. Each time an invoice is made of them."""

import json
import re
import sys
from pathlib import Path

import pytest

from modules.setup.company import COUNTRY, FIELDS, STATE

#: what somebody may take for a value, besides what a constant is for
NASTY = [
    "", "0", "-1", "²", "NaN", "1e400", "1e-400", "1e99999999999999999999", "9" * 5000, "../a/b", "\x00", "\x1b[31m", "\ufffe",
    "\ud800", "x" * 500, "x" * 65000, "a\n" * 5000, "<b>&", "{{7*7}}", "%s%n", "\u202e💥", "1:FR:France", "9" * 5000 + ":FR:x",
    None, True, -1, 10**30, ["x"], {"a": 1},
]  # fmt: skip
CONSTANTS = [
    *FIELDS.values(), COUNTRY, STATE, "MAIN_ROUNDING_RULE_TOT", "MAIN_MAX_DECIMALS_UNIT", "MAIN_MAX_DECIMALS_TOT",
    "MAIN_MAX_DECIMALS_STOCK", "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "MAIN_LANG_DEFAULT", "MAIN_BANK_NAME", "MAIN_BANK_OWNER",
    "DOCUMENT_ACCENT_COLOUR", "DOCUMENT_CARRIED_FORWARD", "INVOICE_LATE_PAYMENT_RATE", "INVOICE_FREE_TEXT",
    "INVOICE_DRAFT_WATERMARK", "INVOICE_PAYMENT_LINK",
    "MAIN_BANK_IBAN", "MAIN_BANK_BIC", "MAIN_INFO_SOCIETE_LOGO", "MAIN_DISABLE_PDF_AUTOUPDATE", "FACTURE_ADDON", "FACTURE_ADDON_PDF",
    "INVOICE_NUMBERING_TERRE_FORCE_PREFIX", "FACTURE_MERCURE_MASK_INVOICE", "MAIN_COUNTER_WITH_LESS_3_DIGITS",
    "SOCIETE_FISCAL_MONTH_START", "SOCIETE_CODECLIENT_ADDON", "SOCIETE_EMAIL_MANDATORY", "PRODUCT_CODEPRODUCT_ADDON",
    "PROPALE_VALIDITY_DURATION",
    "PRODUIT_MULTIPRICES", "PRODUIT_MULTIPRICES_LIMIT", "PRODUIT_CUSTOMER_PRICES", "PRODUIT_CUSTOMER_PRICES_BY_QTY",
    "PRODUIT_CUSTOMER_PRICES_BY_QTY_MULTIPRICES",
    "STOCK_ALLOW_NEGATIVE_TRANSFER",
    "PRELEVEMENT_ICS",
    "STOCK_CALCULATE_ON_SHIPMENT", "EXPEDITION_ADDON_NUMBER", "EXPEDITION_RIBERA_MASK", "EXPEDITION_ADDON_PDF",
]  # fmt: skip
#: constants that say what is to be asked for; they are meant to refuse whatever lacks it, with a word about themselves
DEMANDING = {"SOCIETE_EMAIL_MANDATORY"}

#: constants that count only together with another one
WITH = {"FACTURE_MERCURE_MASK_INVOICE": ("FACTURE_ADDON", "mod_facture_mercure")}


def write_invoice(admin, **more):
    """A customer, an invoice of theirs, its number and its file."""
    customer = admin.ask("POST", "/thirdparties", {"name": "Customer", "client": 1, "code_client": "auto"})
    lines = [{"desc": "Work", "qty": "1.5", "subprice": "10.25", "tva_tx": 20}]
    invoice = admin.ask("POST", "/invoices", {"socid": customer, "date": "2026-11-22", "lines": lines, **more})
    record = admin.ask("POST", f"/invoices/{invoice}/validate")
    assert not record["ref"].startswith("(PROV")
    file, _issued = admin.get("/documents", modulepart="invoice", id=invoice)
    path = f"{file['level1name']}/{file['name']}"
    answer = admin.simulate_get("/documents/raw", params={"modulepart": "invoice", "original_file": path})
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(b"%PDF")
    return record


def put(admin, path, body, verb="PUT"):
    """Set something; answers the status, which is one of two."""
    content = json.dumps(body)
    answer = admin.simulate_request(verb, path, body=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 400), f"{path} {content[:80]} -> {answer.status_code} {answer.text[:300]}"
    return answer.status_code


@pytest.fixture
def unset(admin):
    """Constants are what they were, afterwards."""
    yield
    for name in CONSTANTS:
        admin.simulate_delete(f"/setup/conf/{name}")


@pytest.mark.lasting
@pytest.mark.usefixtures("unset")
@pytest.mark.parametrize(
    "kind",
    # What a constant may hold is decided before any database sees it
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.lasting), pytest.param("mysql", marks=pytest.mark.lasting)],
    indirect=True,
)
@pytest.mark.parametrize("name", CONSTANTS)
def test_no_value_of_a_constant_keeps_anybody_from_writing_an_invoice(admin, constant, name):
    if name in WITH:
        constant(*WITH[name])
        admin.ask("PUT", f"/setup/conf/{name}", {"value": "F{yyyy}-{00000}"})
    taken = 0
    for value in NASTY:
        if put(admin, f"/setup/conf/{name}", {"value": value}) == 200:
            taken += 1
            if name in WITH and not str(value).strip():
                # Without any mask the manner itself refuses, and says which constant is to hold one
                admin.ask("PUT", f"/setup/conf/{name}", {"value": "F{yyyy}-{00000}"})
            if name in DEMANDING:
                admin.simulate_delete(f"/setup/conf/{name}")
            write_invoice(admin)
    assert taken


@pytest.mark.usefixtures("unset")
@pytest.mark.parametrize("field", ["name", "currency_code", "capital", "country_id", "country_code", "country"])
def test_no_value_of_the_company_keeps_anybody_from_writing_an_invoice(admin, field):
    for value in NASTY:
        if put(admin, "/setup/company", {field: value}) == 200:
            write_invoice(admin)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("MAIN_ROUNDING_RULE_TOT", "1e-400", "expected a rounding step up to"),
        ("MAIN_ROUNDING_RULE_TOT", "0.000000001", "expected a rounding step up to"),
        ("MAIN_ROUNDING_RULE_TOT", "1001", "up to 1000"),
        ("MAIN_MAX_DECIMALS_TOT", "9", "expected a number from 0 to 8"),
        ("MAIN_MONNAIE", "Euro", "expected a currency such as EUR"),
        ("MAIN_INFO_SOCIETE_LOGO", "l" * 500, "expected a file name of at most 200 bytes"),
        ("MAIN_INFO_SOCIETE_LOGO", "../secret.png", "expected a file name"),
        ("FACTURE_MERCURE_MASK_INVOICE", "INV{yy}", "expected one counter such as {0000}"),
        ("COMMANDE_SAPHIR_MASK", "CO/{0000}", "without slashes"),
        ("COMPANY_ELEPHANT_MASK_CUSTOMER", "CU{yy}", "expected one counter such as {0000}"),
        ("PROPALE_SAPHIR_MASK", "P" * 27 + "{0000}", "at most 30 characters, got 31"),
        ("INVOICE_NUMBERING_TERRE_FORCE_PREFIX", "F/", "without slashes"),
        ("SOCIETE_CODECLIENT_ADDON", "mod_codeclient_zebra", "expected one of mod_codeclient_monkey,"),
        (
            "PRODUCT_CODEPRODUCT_ADDON",
            "mod_codeproduct_zebra",
            "expected mod_codeproduct_leopard or mod_codeproduct_elephant, got",
        ),
        ("STOCK_ALLOW_NEGATIVE_TRANSFER", "2", "expected 0 or 1, got"),
        ("STOCK_CALCULATE_ON_SHIPMENT", "maybe", "expected 0 or 1, got"),
        ("MAIN_INFO_SOCIETE_COUNTRY", "9" * 10 + ":FR:France", "expected a country such as 1:FR:France"),
        ("MAIN_LANG_DEFAULT", "\x07", "U+0007"),
    ],
)
def test_a_value_that_nothing_could_work_with_is_refused_by_name(admin, name, value, reason):
    answer = admin.ask("PUT", f"/setup/conf/{name}", {"value": value}, status=400)["error"]
    assert reason in answer["message"]
    assert answer["errors"][0]["field"] == "value"
    if value != "\x07":
        assert f"{name}: " in answer["message"]


EXTRA = {
    "type": "varchar", "label": "Field", "size": "20", "default": "x", "unique": 0, "required": 0,
    "param": {"options": {"a": "A"}}, "pos": 1, "alwayseditable": 1,
}  # fmt: skip


@pytest.mark.parametrize("key", EXTRA)
def test_no_definition_of_an_extra_field_keeps_anybody_from_writing_an_invoice(admin, key):
    for value in NASTY:
        body = EXTRA | {key: value}
        if key == "param":
            body |= {"type": "select", "default": None}
        if put(admin, "/setup/extrafields/facture/nasty", body, "POST") == 200:
            # Who has to name it does
            sent = {"array_options": {"options_nasty": "x"}} if key != "param" else {}
            write_invoice(admin, **sent)
            admin.ask("DELETE", "/setup/extrafields/facture/nasty")


@pytest.mark.parametrize(
    "name", ["ctid", "db_row_id", "rowid", "²", "a" * 64, "x y", "select", "order", "xmin", "oid", "1a"]
)
def test_no_name_of_an_extra_field_keeps_anybody_from_writing_an_invoice(admin, name):
    if put(admin, f"/setup/extrafields/facture/{name}", EXTRA, "POST") == 200:
        write_invoice(admin, array_options={f"options_{name}": "kept"})
        admin.ask("DELETE", f"/setup/extrafields/facture/{name}")


def test_every_constant_that_the_modules_read_is_tried():
    """A constant that is read somewhere new is to be tried, too."""
    modules = Path(sys.modules["modules.setup.constants"].__file__ or "").parents[1]
    read = {
        name
        for file in modules.rglob("*.py")
        for name in re.findall(r'constant\(\s*"([A-Z_0-9]+)"', file.read_text())
        if file.name != "demo.py"
    }
    known = {*CONSTANTS, "INVOICE_FACTURX"}
    assert read - known == set()
