"""Germany: rules of the Umsatzsteuergesetz for invoices, and of the laws on companies for every business letter."""

from __future__ import annotations

from .case import Case
from .rule import CREDIT_NOTE, INVOICES, Rule

LETTERS = "GmbHG § 35a; AktG § 80; HGB §§ 37a, 125, 161, 177a; GenG § 25a"
INVOICE_LAW = "UStG § 14 Abs. 4 Satz 1"
#: gross amount up to which § 33 UStDV requires less
SMALL = 250


def _has_directors(case: Case) -> bool:
    return case.form is None or case.form.led_by == "directors"


def _has_board(case: Case) -> bool:
    return case.form is not None and case.form.led_by == "board"


def _in_full(case: Case) -> bool:
    return case.comes_to(SMALL)


RULES = (
    Rule("de.name", "Name of the company", f"{INVOICE_LAW} Nr. 1; HGB § 37a", needs=("company.name",), place="page"),
    Rule("de.address", "Address of the company", f"{INVOICE_LAW} Nr. 1", needs=("company.address", "company.town"),
         place="page"),
    Rule("de.form", "Legal form", LETTERS, "{company.forme_juridique_code}", place="foot", row=1, verbatim=True,
         when=Case.is_registered),
    Rule("de.seat", "Registered office", LETTERS,
         ("Registered office: {MAIN_INFO_REGISTERED_OFFICE}", "Registered office: {company.town}"),
         needs=("MAIN_INFO_REGISTERED_OFFICE|company.town",), place="foot", when=Case.is_registered),
    Rule("de.register", "Court of the register and number", LETTERS,
         ("{MAIN_INFO_REGISTER_PLACE} {company.idprof3}", "{company.idprof3}", "{MAIN_INFO_REGISTER_PLACE}"),
         needs=("MAIN_INFO_REGISTER_PLACE", "company.idprof3"), place="foot", verbatim=True, when=Case.is_registered),
    Rule("de.directors", "Managing directors, by first name and surname", "GmbHG § 35a Abs. 1",
         "Managing directors: {company.managers}", place="foot", when=_has_directors),
    Rule("de.board", "Members of the board", "AktG § 80 Abs. 1; GenG § 25a Abs. 1",
         "Executive board: {company.managers}", place="foot", when=_has_board),
    Rule("de.supervisors", "Chair of the supervisory board", "AktG § 80 Abs. 1; GenG § 25a Abs. 1",
         "Chair of the supervisory board: {MAIN_INFO_SUPERVISORY_BOARD}", place="foot", when=_has_board),
    Rule("de.vat", "VAT number or tax number", f"{INVOICE_LAW} Nr. 2",
         ("VAT number {company.tva_intra}", "Tax number {company.idprof2}"),
         needs=("company.tva_intra|company.idprof2",), place="foot", row=3, kinds=INVOICES, when=_in_full),
    Rule("de.tax_number", "Tax number", "custom", "Tax number {company.idprof2}", place="foot", row=3, must=False,
         when=lambda case: bool(case.own.get("idprof2"))),
    Rule("de.customer", "Name and address of the customer", f"{INVOICE_LAW} Nr. 1",
         needs=("thirdparty.name", "thirdparty.address", "thirdparty.town"), place="page", kinds=INVOICES,
         when=lambda case: bool(case.record) and _in_full(case)),
    Rule("de.customer_vat", "VAT number of the customer", "UStG § 14a Abs. 1 and 3", needs=("thirdparty.tva_intra",),
         place="page", kinds=INVOICES, when=lambda case: case.is_abroad_in_union),
    Rule("de.supplied", "Date of supply", f"{INVOICE_LAW} Nr. 6", needs=("record.supply",), place="page",
         kinds=INVOICES, when=lambda case: bool(case.record and case.text("record.supply"))),
    Rule("de.supplied_today", "Date of supply", f"{INVOICE_LAW} Nr. 6; UStAE 14.5 Abs. 16",
         "The date of supply is the date of the invoice.", kinds=INVOICES, needs=("record.date",),
         when=lambda case: bool(case.record) and not case.text("record.supply") and not case.is_deposit
         and case.kind != CREDIT_NOTE),
    Rule("de.small", "VAT that a small business does not charge", "UStG § 19; UStDV § 34a Satz 1 Nr. 5",
         "Exempt from VAT as a small business (§ 19 UStG).", kinds=INVOICES,
         when=lambda case: case.is_small_business and not case.charges_vat),
    Rule("de.exempt", "Ground on which there is no VAT, such as § 4 UStG with its number",
         f"custom; {INVOICE_LAW} Nr. 8 wants a notice, UStAE 14.5 Abs. 20 the ground", needs=("record.vat_reason",),
         place="page", kinds=INVOICES, must=False, when=lambda case: case.is_untaxed),
    Rule("de.reverse", "Reverse charge", "UStG §§ 13b, 14a Abs. 1 and 5", "Reverse charge", kinds=INVOICES,
         when=lambda case: case.is_reverse_charge),
    Rule("de.corrected", "Invoice that is corrected", "UStDV § 31 Abs. 5", needs=("record.fk_facture_source",),
         place="page", kinds=(CREDIT_NOTE,), when=lambda case: bool(case.record)),
)  # fmt: skip
