"""The PDFs themselves: their records are made as a client makes them, over one database."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from itertools import cycle, groupby
from typing import Any

from core.testing import Served, make_settings
from modules.documents.content.language import Language, choose_language
from tests.modules.documents.matrix.cases import INVOICE, ORDER, PROPOSAL, Case
from tests.modules.documents.matrix.contents import ITEMS, NOTE, deposit_line, lines_of
from tests.modules.documents.matrix.logos import logo
from tests.modules.documents.matrix.parties import COMPANIES, RECIPIENTS, Company

Record = dict[str, Any]
SERVICES = {INVOICE: "/invoices", PROPOSAL: "/proposals", ORDER: "/orders"}
DATE, DELIVERY, EARLIER = "2026-11-21", "2026-11-19", "2026-11-03"
#: 2026-11-21 01:53:20, and ten days before
PAID, PAID_BEFORE = 1795226000, 1794362000
TRANSFER = 2
CREDIT_NOTE, DEPOSIT, SITUATION = 2, 3, 5
#: what each of the invoices for a part of the work charges of it, percent
DONE = ("30", "40")
FACTURX = "INVOICE_FACTURX"
LOGO = "MAIN_INFO_SOCIETE_LOGO"
#: contents of which a contact is told, who also gets the goods elsewhere
DELIVERED_ELSEWHERE = ("titles", "discounts", "forty")
#: contents whose note is another one: HTML, or none
NOTES = {"html": NOTE, "one": ""}
#: contents whose lines are of products, which have references
WITH_PRODUCTS = ("forty", "discounts")


@dataclass
class Made:
    """A PDF that has been made.

    :param record: what is printed
    :param words: the language it is in
    :param before: records that it comes from or that have become part of it
    :param xml: whether it is one that carries its data
    """

    case: Case
    record: Record
    pdf: bytes
    company: Company
    recipient: Record
    words: Language
    xml: bool
    before: list[Record] = field(default_factory=list)


class Desk:
    """Makes records, for one company after the other."""

    def __init__(self, served):
        self.client = served.client()
        for name in ("MAIN_DISABLE_PDF_AUTOUPDATE", "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND"):
            self.set(name, "1")
        self.representative = served.user("users.read", login="representative").user_id
        self.client.ask("PUT", f"/users/{self.representative}", {"firstname": "Robin", "lastname": "Hale"})
        #: the series of invoices for parts of a work that there are
        self._series = 0
        self._products = [
            self.client.ask("POST", "/products", {"ref": f"LM-{100 + place}", "label": item[0], "price": "1"})
            for place, item in enumerate(ITEMS["en"])
        ]
        self.customers = {code: self._customer(code) for code in RECIPIENTS}

    def set(self, name, value):
        """Set a constant; an empty value unsets it."""
        if value:
            self.client.ask("PUT", f"/setup/conf/{name}", {"value": value})
        elif self.client.simulate_get(f"/setup/conf/{name}").status_code == 200:
            self.client.ask("DELETE", f"/setup/conf/{name}")

    def open(self, company):
        """Be a company from now on."""
        body = dict.fromkeys(_known(), "") | company.data
        self.client.ask("PUT", "/setup/company", body)
        for name, value in company.constants.items():
            self.set(name, value)

    def make(self, case):
        """Make a PDF."""
        company = COMPANIES[case.company]
        self._hang(case.logo)
        rates = ("0",) if case.standing == "zero" else company.rates
        lines = lines_of(case.content, company.language, rates)
        if case.content in WITH_PRODUCTS:
            for line, product in zip(lines, cycle(self._products), strict=False):
                line["fk_product"] = product
        identifier, before = _MAKERS.get(case.standing, Desk.plain)(self, case, lines)
        path = f"{SERVICES[case.kind]}/{identifier}"
        record = self.client.get(path)
        xml = case.kind == INVOICE and case.standing != "draft" and case.company != "US"
        self.set(FACTURX, "1" if xml else "")
        ref = record["ref"]
        body = {"modulepart": case.kind, "original_file": f"{ref}/{ref}.pdf", "doctemplate": case.template}
        built = self.client.ask("PUT", "/documents/builddoc", body)
        self.set(FACTURX, "")
        words = choose_language(built["langcode"])
        recipient = RECIPIENTS[case.recipient].data
        content = base64.b64decode(built["content"])
        return Made(case, self.client.get(path), content, company, recipient, words, xml, before)

    # Standings -------------------------------------------------------------------------------------------------------

    def draft(self, case, lines, **more):
        """A draft."""
        body = {
            "socid": self.customers[case.recipient][0], "date": DATE, "lines": lines, "ref_client": "PO-2026/118",
            "cond_reglement_id": 2, "mode_reglement_id": TRANSFER, "note_public": "Thank you for your trust.",
            "delivery_date": DELIVERY, "duree_validite": 30,
        }  # fmt: skip
        if case.content in NOTES:
            body["note_public"] = NOTES[case.content]
        if case.kind == INVOICE:
            body = {name: value for name, value in body.items() if name not in ("delivery_date", "duree_validite")}
            body["date_pointoftax"] = DELIVERY
        path = SERVICES[case.kind]
        identifier = self.client.ask("POST", path, body | more)
        contact = self.customers[case.recipient][1]
        if case.content in DELIVERED_ELSEWHERE:
            for role in ("BILLING", "SHIPPING"):
                self.client.ask("POST", f"{path}/{identifier}/contact/{contact}/{role}")
            if case.kind == INVOICE:
                body = {"fk_socpeople": self.representative, "type_contact": "SALESREPFOLL", "source": "internal"}
                self.client.ask("POST", f"{path}/{identifier}/contacts", body)
        return identifier, []

    def plain(self, case, lines, **more):
        """A validated one; an invoice comes from an order, the order from a proposal that has been signed."""
        if case.standing != "plain" or case.kind == PROPOSAL:
            identifier, before = self.draft(case, lines, **more)
        else:
            identifier, before = self._from_proposal(case, lines)
        self._act(case.kind, identifier, "validate")
        return identifier, before

    def credit(self, case, lines):
        """A credit note for the whole of an invoice."""
        source, _ = self.plain(case, lines, date=EARLIER)
        identifier, _ = self.plain(case, lines, type=CREDIT_NOTE, fk_facture_source=source)
        return identifier, [self.client.get(f"/invoices/{source}")]

    def deposit(self, case, lines, **more):
        """A deposit."""
        language = COMPANIES[case.company].language
        return self.plain(case, [deposit_line(line, language) for line in lines], type=DEPOSIT, **more)

    def final(self, case, lines):
        """An invoice from which a deposit is taken off: as a line by one template, as a payment by the other."""
        priced = next(line for line in lines if line.get("product_type") != 9)
        source, _ = self.deposit(case, [priced], date=EARLIER)
        pays = {"datepaye": PAID_BEFORE, "paymentid": TRANSFER, "closepaidinvoices": "yes"}
        self._act(INVOICE, source, "payments", pays)
        self._act(INVOICE, source, "markAsCreditAvailable")
        discount = self.client.get(f"/invoices/{source}/discount")["id"]
        identifier, _ = self.draft(case, lines)
        if case.template == "sponge":
            self._act(INVOICE, identifier, "validate")
            self._act(INVOICE, identifier, f"usecreditnote/{discount}")
        else:
            self._act(INVOICE, identifier, f"usediscount/{discount}")
            self._act(INVOICE, identifier, "validate")
        return identifier, [self.client.get(f"/invoices/{source}")]

    def situation(self, case, lines):
        """The second of three invoices for parts of the work."""
        self._series += 1
        series = {"type": SITUATION, "situation_cycle_ref": self._series, "retained_warranty": "5"}
        parts = [line | {"situation_percent": DONE[0]} for line in lines]
        first, _ = self.plain(case, parts, date=EARLIER, situation_counter=1, **series)
        before = self.client.get(f"/invoices/{first}")
        parts = [
            line | {"situation_percent": DONE[1], "fk_prev_id": row["id"]}
            for line, row in zip(lines, before["lines"], strict=True)
        ]
        identifier, _ = self.plain(case, parts, situation_counter=2, **series)
        return identifier, [before]

    def paid(self, case, lines):
        """One that is paid, in two payments."""
        identifier, _ = self.plain(case, lines)
        part = {"arrayofamounts": {str(identifier): "100"}, "datepaye": PAID_BEFORE, "paymentid": TRANSFER}
        self.client.ask("POST", "/invoices/paymentsdistributed", part | {"closepaidinvoices": "no"})
        rest = {"datepaye": PAID, "paymentid": TRANSFER, "closepaidinvoices": "yes"}
        self._act(INVOICE, identifier, "payments", rest)
        return identifier, []

    def abandoned(self, case, lines):
        """One that nobody will pay."""
        identifier, _ = self.plain(case, lines)
        self._act(INVOICE, identifier, "settopaid", {"close_code": "abandon", "close_note": "withdrawn"})
        return identifier, []

    def signed(self, case, lines):
        """A proposal that has been signed."""
        identifier, _ = self.plain(case, lines)
        self._act(case.kind, identifier, "close", {"status": 2})
        return identifier, []

    # Parts -----------------------------------------------------------------------------------------------------------

    def _from_proposal(self, case, lines):
        proposal, _ = self.draft(case._replace(template="azur"), lines)
        self._act(PROPOSAL, proposal, "validate")
        self._act(PROPOSAL, proposal, "close", {"status": 2})
        order = self.client.ask("POST", f"/orders/createfromproposal/{proposal}", {})["id"]
        before = [self.client.get(f"/proposals/{proposal}")]
        if case.kind == ORDER:
            return int(order), before
        self._act(ORDER, int(order), "validate")
        invoice = self.client.ask("POST", f"/invoices/createfromorder/{order}", {})["id"]
        self.client.ask("PATCH", f"/invoices/{invoice}", {"date": DATE, "date_pointoftax": DELIVERY})
        return int(invoice), [*before, self.client.get(f"/orders/{order}")]

    def _act(self, kind, identifier, action, body=None):
        return self.client.ask("POST", f"{SERVICES[kind]}/{identifier}/{action}", body)

    def _customer(self, code):
        recipient = RECIPIENTS[code]
        socid = self.client.ask("POST", "/thirdparties", recipient.data | {"client": 1, "code_client": "auto"})
        self.client.ask("POST", f"/thirdparties/{socid}/representatives/{self.representative}")
        country = {"socid": socid, "country_id": recipient.data["country_id"]}
        return socid, self.client.ask("POST", "/contacts", recipient.person | country)

    def _hang(self, shape):
        if shape == "none":
            self.set(LOGO, "")
            return
        content = base64.b64encode(logo(shape)).decode()
        self.client.ask("PUT", "/documents/logo", {"filename": f"{shape}.png", "filecontent": content})


_MAKERS = {
    name: getattr(Desk, name)
    for name in ("draft", "credit", "deposit", "final", "situation", "paid", "abandoned", "signed")
}  # fmt: skip


def _known():
    return {name for each in COMPANIES.values() for name in each.data}


def making(folder, cases):
    """Make PDFs; company after company.

    :param folder: where a database and the files lie
    """
    served = Served(make_settings(folder))
    try:
        desk = Desk(served)
        for code, group in groupby(sorted(cases, key=lambda case: case.company), key=lambda case: case.company):
            desk.open(COMPANIES[code])
            for case in group:
                yield desk.make(case)
    finally:
        served.close()
