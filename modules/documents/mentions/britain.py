"""Britain: rules of the regulations on company names and on VAT."""

from __future__ import annotations

from .case import Case
from .rule import CREDIT_NOTE, INVOICES, ORDER, PROFORMA, PROPOSAL, SHIPMENT, Rule

NAMES = "Company, LLP and Business (Names and Trading Disclosures) Regulations 2015"
VAT = "VAT Regulations 1995"
#: regulation 25 covers business letters and order forms; demands for payment require the company's name (regulation 24)
LETTERS, DEMANDS = (PROPOSAL, ORDER), (*INVOICES, PROFORMA, SHIPMENT)
CUSTOM = "custom; on letters and order forms it is mandatory"
#: gross amount up to which regulation 16A requires less
SMALL = 250


def _registration(key: str, source: str, kinds: tuple[str, ...], *, must: bool) -> Rule:
    return Rule(
        key, "Part of the United Kingdom it is registered in, and its number", source,
        ("Registered in {MAIN_INFO_REGISTER_PLACE}, company number {company.idprof1}",
         "Company number {company.idprof1}"),
        needs=("MAIN_INFO_REGISTER_PLACE", "company.idprof1"), place="foot", kinds=kinds, must=must,
        when=Case.is_registered,
    )  # fmt: skip


def _office(key: str, source: str, kinds: tuple[str, ...], *, must: bool) -> Rule:
    return Rule(
        key, "Address of the registered office", source,
        ("Registered office: {MAIN_INFO_REGISTERED_OFFICE}", "Registered office: {company.place}"),
        needs=("MAIN_INFO_REGISTERED_OFFICE|company.address", "MAIN_INFO_REGISTERED_OFFICE|company.town"),
        place="foot", kinds=kinds, must=must,
        when=Case.is_registered,
    )  # fmt: skip


RULES = (
    Rule("gb.name", "Name of the company", f"{NAMES}, reg. 24; {VAT}, reg. 14(1)(d)", needs=("company.name",),
         place="page"),
    Rule("gb.address", "Address of the company", f"{VAT}, reg. 14(1)(d)", needs=("company.address", "company.town"),
         place="page"),
    _registration("gb.company", f"{NAMES}, reg. 25(2)(a), (b)", LETTERS, must=True),
    _registration("gb.company_on_invoices", CUSTOM, DEMANDS, must=False),
    _office("gb.office", f"{NAMES}, reg. 25(2)(c)", LETTERS, must=True),
    _office("gb.office_on_invoices", CUSTOM, DEMANDS, must=False),
    Rule("gb.vat", "VAT number", f"{VAT}, reg. 14(1)(d)", "VAT number {company.tva_intra}", place="foot", row=3,
         kinds=INVOICES, when=lambda case: case.charges_vat or case.is_reverse_charge),
    Rule("gb.customer", "Name and address of the customer", f"{VAT}, reg. 14(1)(e)",
         needs=("thirdparty.name", "thirdparty.address", "thirdparty.town"), place="page", kinds=INVOICES,
         when=lambda case: bool(case.record) and case.charges_vat and case.comes_to(SMALL)),
    Rule("gb.tax_point", "Time of supply", f"{VAT}, reg. 14(1)(b)", needs=("record.supply|record.date",), place="page",
         kinds=INVOICES, when=lambda case: bool(case.record)),
    Rule("gb.rate", "Rates of VAT", f"{VAT}, reg. 14(1)(h)", needs=("record.rates",), place="page", kinds=INVOICES,
         when=lambda case: bool(case.record) and case.charges_vat),
    Rule("gb.reverse", "Reverse charge", f"{VAT}, reg. 14; VAT Act 1994, s. 55A", "Reverse charge", kinds=INVOICES,
         when=lambda case: case.is_reverse_charge),
    Rule("gb.reverse_customer", "VAT number of the customer who owes the VAT",
         "custom; who is not registered owes none (VAT Act 1994, s. 55A)", needs=("thirdparty.tva_intra",),
         place="page", kinds=INVOICES, must=False, when=lambda case: case.is_reverse_charge),
    Rule("gb.corrected", "Invoice that is corrected", f"{VAT}, reg. 15C", needs=("record.fk_facture_source",),
         place="page", kinds=(CREDIT_NOTE,), when=lambda case: bool(case.record)),
)  # fmt: skip
