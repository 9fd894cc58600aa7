"""Switzerland: rules of the Mehrwertsteuergesetz for invoices, and of the Obligationenrecht for every letter."""

from __future__ import annotations

from .rule import INVOICES, Rule

VAT = "MWSTG Art. 26 Abs. 2"
#: amount in francs up to which the customer's name is optional (Art. 26 Abs. 3 MWSTG with Art. 57 MWSTV)
SMALL = 400

RULES = (
    Rule("ch.name", "Name of the company, as it is registered", f"OR Art. 954a; {VAT} lit. a", needs=("company.name",),
         place="page"),
    Rule("ch.place", "Place of the company", f"{VAT} lit. a", needs=("company.town",), place="page"),
    Rule("ch.vat", "Number with which it is registered for VAT", f"{VAT} lit. a",
         "{company.idprof1_label} {company.tva_intra}", needs=("company.tva_intra",), place="foot", kinds=INVOICES,
         verbatim=True, when=lambda case: case.charges_vat),
    Rule("ch.uid", "UID", "custom", "{company.idprof1_label} {company.idprof1}", needs=("company.idprof1",),
         place="foot", must=False, verbatim=True, when=lambda case: not case.own.get("tva_intra")),
    Rule("ch.register", "Number in the commercial register", "custom", "{company.idprof4}", place="foot", must=False,
         verbatim=True, when=lambda case: bool(case.own.get("idprof4"))),
    Rule("ch.customer", "Name and place of the customer", f"{VAT} lit. b", needs=("thirdparty.name", "thirdparty.town"),
         place="page", kinds=INVOICES,
         when=lambda case: bool(case.record) and case.charges_vat and case.comes_to(SMALL)),
    Rule("ch.supplied", "Day or period of supply, where it is not the day of the invoice", f"{VAT} lit. c",
         needs=("record.supply|record.date",), place="page", kinds=INVOICES, when=lambda case: bool(case.record)),
    Rule("ch.rate", "Rates of VAT and the tax", f"{VAT} lit. f", needs=("record.rates", "record.tax"), place="page",
         kinds=INVOICES, when=lambda case: bool(case.record) and case.charges_vat),
)  # fmt: skip
