"""France: rules of the Code de commerce and the CGI."""

from __future__ import annotations

from ...setup.constants import is_on
from .case import Case
from .rule import CREDIT_NOTE, INVOICE, INVOICES, Rule

NAMES = "Code de commerce, art. L. 441-9; CGI, ann. II, art. 242 nonies A, I, 1°"
REGISTER = "Code de commerce, art. R. 123-237"
PAYING = "Code de commerce, art. L. 441-9, I"
#: source of the legal notices that decree 2022-1299 adds: they become mandatory together with electronic invoices, on
#: 1 September 2026 for large companies and on 1 September 2027 for all others
DECREE = "custom until electronic invoices are mandatory; CGI, ann. II, art. 242 nonies A (décret 2022-1299)"
#: net amount up to which VAT numbers may be left out
SMALL = 150


def _has_capital(case: Case) -> bool:
    return case.form is None or case.form.capital


def _to_business(case: Case) -> bool:
    return not case.is_private


def _without_vat(case: Case) -> bool:
    return not case.charges_vat and (case.is_small_business or not case.own.get("tva_intra"))


RULES = (
    Rule("fr.name", "Name of the company", NAMES, needs=("company.name",), place="page"),
    Rule("fr.address", "Address of the company, its seat", f"{NAMES}; {REGISTER}, 3°",
         needs=("company.address|MAIN_INFO_REGISTERED_OFFICE", "company.town|MAIN_INFO_REGISTERED_OFFICE"),
         place="page"),
    Rule("fr.seat", "Seat, where it is elsewhere", f"{REGISTER}, 3°",
         "Registered office: {MAIN_INFO_REGISTERED_OFFICE}", place="foot", row=1,
         when=lambda case: bool(case.text("MAIN_INFO_REGISTERED_OFFICE"))),
    Rule("fr.form", "Legal form, or EI", "Code de commerce, art. L. 223-1, L. 224-1, L. 227-1, R. 526-27",
         "{company.forme_juridique_code}", place="foot", row=1, verbatim=True,
         when=lambda case: not _has_capital(case)),
    Rule("fr.capital", "Legal form and share capital",
         "Code de commerce, art. L. 223-1 (SARL), L. 224-1 (SA), L. 227-1 (SAS)",
         ("{company.forme_juridique_code} with a capital of {company.capital}", "Share capital: {company.capital}",
          "{company.forme_juridique_code}"),
         needs=("company.forme_juridique_code", "company.capital"), place="foot", row=1, when=_has_capital),
    Rule("fr.siren", "SIREN", f"{REGISTER}, 1°", "SIREN {company.idprof1}", place="foot", verbatim=True),
    Rule("fr.siret", "SIRET", "custom", "SIRET {company.idprof2}", place="foot", must=False, verbatim=True),
    Rule("fr.rcs", "RCS and town of the register", f"{REGISTER}, 2°", "{company.idprof4}",
         place="foot", verbatim=True, when=Case.is_registered),
    Rule("fr.rm", "Other register", "custom", "{company.idprof4}", place="foot", must=False, verbatim=True,
         when=lambda case: not case.is_registered() and bool(case.own.get("idprof4"))),
    Rule("fr.ape", "APE", "custom", "APE {company.idprof3}", place="foot", must=False, verbatim=True),
    Rule("fr.vat", "VAT number", "CGI, ann. II, art. 242 nonies A, I, 2°", "VAT number {company.tva_intra}",
         place="foot", kinds=INVOICES, when=lambda case: case.charges_vat and case.comes_to(SMALL, net=True)),
    Rule("fr.customer", "Name and address of the customer", NAMES,
         needs=("thirdparty.name", "thirdparty.address", "thirdparty.town"), place="page", kinds=INVOICES,
         when=lambda case: bool(case.record)),
    Rule("fr.customer_siren", "SIREN of the customer", DECREE, needs=("thirdparty.idprof1|thirdparty.idprof2",),
         place="page", kinds=INVOICES, must=False,
         when=lambda case: case.is_business and case.their_country == "FR"),
    Rule("fr.customer_vat", "VAT number of the customer", "CGI, ann. II, art. 242 nonies A, I, 2° and 3°",
         needs=("thirdparty.tva_intra",), place="page", kinds=INVOICES, when=lambda case: case.is_abroad_in_union),
    Rule("fr.delivery", "Delivery address, where it is elsewhere", DECREE, needs=("record.delivery",), place="page",
         kinds=INVOICES, must=False, when=lambda case: bool(case.delivery)),
    Rule("fr.nature", "Goods, services, or both", DECREE, "Nature of the transactions: {record.nature}.",
         kinds=INVOICES, must=False, when=lambda case: bool(case.record)),
    Rule("fr.debits", "Option for VAT on debits", DECREE, "Option to pay VAT on the basis of debits.", kinds=INVOICES,
         must=False, when=lambda case: case.charges_vat and is_on("INVOICE_VAT_ON_DEBITS")),
    Rule("fr.due", "Day it is due", PAYING, needs=("record.date_lim_reglement",), place="page", kinds=(INVOICE,),
         when=lambda case: bool(case.record) and _to_business(case)),
    Rule("fr.late", "Rate of penalties for late payment", f"{PAYING}; art. L. 441-10, II",
         ("Late payment bears interest at {INVOICE_LATE_PAYMENT_RATE} from the day after the due date.",
          # The statutory rate, if no other was agreed
          "Late payment bears interest at the most recent refinancing rate of the European Central Bank plus 10 "
          "percentage points from the day after the due date."),
         needs=("company.country_code",), kinds=(INVOICE,), when=_to_business, subject="PMD"),
    Rule("fr.indemnity", "Fixed compensation of 40 € for recovery costs", f"{PAYING}; art. D. 441-5",
         "Fixed compensation for recovery costs in case of late payment: {law.indemnity}.",
         kinds=(INVOICE,), when=_to_business, subject="PMT"),
    Rule("fr.discount", "Terms of discount for early payment", PAYING,
         ("{INVOICE_DISCOUNT_TERMS}", "No discount is granted for early payment."),
         needs=("company.country_code",), kinds=(INVOICE,), when=_to_business, subject="AAB"),
    Rule("fr.franchise", "VAT that a small business does not charge", "CGI, art. 293 B and 293 E",
         "VAT not applicable, article 293 B of the CGI", kinds=INVOICES,
         when=lambda case: _without_vat(case) and case.their_country == "FR"),
    Rule("fr.reverse", "Reverse charge", "CGI, ann. II, art. 242 nonies A, I, 13°", "Reverse charge", kinds=INVOICES,
         when=lambda case: case.is_reverse_charge),
    Rule("fr.corrected", "Invoice that is corrected", "CGI, art. 289, I, 5", needs=("record.fk_facture_source",),
         place="page", kinds=(CREDIT_NOTE,), when=lambda case: bool(case.record)),
)  # fmt: skip
