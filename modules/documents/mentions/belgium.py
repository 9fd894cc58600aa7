"""Belgium: rules of the companies code for every document, and of the royal decree on VAT for invoices."""

from __future__ import annotations

from .case import Case
from .rule import CREDIT_NOTE, INVOICES, Rule

COMPANIES = "CSA/WVV art. 2:20"
VAT = "AR/KB n° 1 (TVA/btw), art. 5, § 1"


RULES = (
    Rule("be.name", "Name of the company", f"{COMPANIES}, 1°; {VAT}, 2°", needs=("company.name",), place="page"),
    Rule("be.address", "Seat of the company", f"{COMPANIES}, 3°; {VAT}, 2°",
         needs=("company.address|MAIN_INFO_REGISTERED_OFFICE", "company.town|MAIN_INFO_REGISTERED_OFFICE"),
         place="page"),
    Rule("be.seat", "Seat, where it is elsewhere", f"{COMPANIES}, 3°",
         "Registered office: {MAIN_INFO_REGISTERED_OFFICE}", place="foot", row=1,
         when=lambda case: bool(case.text("MAIN_INFO_REGISTERED_OFFICE"))),
    Rule("be.form", "Legal form", f"{COMPANIES}, 2°", "{company.forme_juridique_code}", place="foot", row=1,
         verbatim=True, when=Case.is_registered),
    Rule("be.number", "Enterprise number", f"CDE/WER art. III.25; {COMPANIES}, 4°",
         ("Enterprise number {company.idprof1}", "VAT number {company.tva_intra}"),
         needs=("company.idprof1|company.tva_intra",), place="foot"),
    Rule("be.register", "Register of legal entities and court", f"{COMPANIES}, 5°",
         "Register of legal entities, {MAIN_INFO_REGISTER_PLACE}", place="foot", when=Case.is_registered),
    Rule("be.vat", "VAT number", f"{VAT}, 2°", "VAT number {company.tva_intra}", place="foot", kinds=INVOICES,
         when=lambda case: case.charges_vat or case.is_reverse_charge),
    Rule("be.account", "Bank account", "custom", needs=("MAIN_BANK_IBAN",), place="page", kinds=INVOICES, must=False),
    Rule("be.customer", "Name and address of the customer", f"{VAT}, 3°",
         needs=("thirdparty.name", "thirdparty.address", "thirdparty.town"), place="page", kinds=INVOICES,
         when=lambda case: bool(case.record) and not case.is_private),
    Rule("be.customer_vat", "VAT number of the customer", f"{VAT}, 3°", needs=("thirdparty.tva_intra",), place="page",
         kinds=INVOICES, when=lambda case: case.is_abroad_in_union or case.is_reverse_charge),
    Rule("be.supplied", "Day of supply", f"{VAT}, 5°", needs=("record.supply|record.date",), place="page",
         kinds=INVOICES, when=lambda case: bool(case.record)),
    Rule("be.franchise", "VAT that a small business does not charge", "CTVA/W.Btw art. 56bis",
         "Exemption scheme for small businesses: VAT not applicable (art. 56bis of the Belgian VAT Code).",
         kinds=INVOICES, when=lambda case: case.is_small_business and not case.charges_vat),
    Rule("be.reverse", "Reverse charge", f"{VAT}, 9°bis", "Reverse charge", kinds=INVOICES,
         when=lambda case: case.is_reverse_charge),
    Rule("be.corrected", "Invoice that is corrected", "Directive 2006/112/EC, art. 219",
         needs=("record.fk_facture_source",), place="page", kinds=(CREDIT_NOTE,), when=lambda case: bool(case.record)),
)  # fmt: skip
