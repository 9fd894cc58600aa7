"""The machine's base: the business it works for, how it calls, and the check of the laws after each step."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from tests.laws import laws
from tests.laws.amounts import Rounding, exact, half_up
from tests.laws.journal import BrokenLawError, Journal
from tests.laws.known import KNOWN
from tests.laws.ledger import (
    ABANDONED,
    CREDIT_NOTE,
    DRAFT,
    INVOICE,
    PAID,
    VALIDATED,
    Document,
    Row,
    amounts_of,
    differences,
)
from tests.laws.printed import Printed
from tests.modules.invoices.facturx.electronic import COMPANY, IBAN

#: 2026-11-21, midnight UTC, and a time on it
DAY, TIME = 1795219200, 1795226000
#: constants that a series changes, and their defaults
CONSTANTS = {
    "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND": "0", "MAIN_ROUNDING_RULE_TOT": "0", "MAIN_MAX_DECIMALS_UNIT": "5",
    "MAIN_MAX_DECIMALS_STOCK": "5",
}  # fmt: skip
#: constants of all series
FIXED = {"PRODUIT_CUSTOMER_PRICES": "1", "PRODUIT_CUSTOMER_PRICES_BY_QTY_MULTIPRICES": "1"}
#: a VAT rate with two local taxes: one on the net amount, one on that with VAT
LOCAL_TAXES = {
    "country_id": 1, "code": "LT", "rate": "20", "localtax1": "5", "localtax1_type": "1", "localtax2": "50",
    "localtax2_type": "2",
}  # fmt: skip
#: which of the records that fit an operation takes
PICK = st.integers(0, 7)
#: statuses of a refusal
REFUSALS = (304, 400, 404, 405)

_numbers = itertools.count(1)


class EndedError(Exception):
    """The series has come upon a known finding, and goes no further."""


class IdleError(Exception):
    """An operation finds nothing that it fits."""


class Trade(RuleBasedStateMachine):
    """A business with one customer, a bank account, two warehouses and some products.

    :cvar client: an administrator's client of the server
    :cvar is_old: the profile is `dolibarr16`
    """

    client = None
    is_old = False
    #: known findings that were met, and how often
    met: dict[str, int] = {}

    def __init__(self):
        super().__init__()
        self.journal = Journal(self.client)
        self.documents = []
        self.discounts = []
        self.payments = []
        self.constants = dict(CONSTANTS)
        self.rounding = Rounding()
        self.is_over = False
        self.number = itertools.count(1)
        self.banked = Fraction(0)
        self._open()

    def _open(self):
        for name, value in CONSTANTS.items():
            if self.settings_now.get(name, value) != value:
                self._put_constant(name, value)
        for name, value in FIXED.items():
            if name not in self.settings_now:
                self._put_constant(name, value)
        if "dictionary" not in self.settings_now:
            self.ok(self.journal.call("PUT", "/setup/company", COMPANY))
            self._put_constant("MAIN_BANK_IBAN", IBAN)
            # The server may know it already, from an earlier machine
            self.journal.call("POST", "/setup/dictionary/vat_rates", LOCAL_TAXES)
            self.settings_now["dictionary"] = "LT"
        self.journal.lines.clear()
        self.own = next(_numbers)
        place = {"address": "2 quai", "zip": "75001", "town": "Paris", "country_id": 1}
        self.customer = self.post("/thirdparties", {"name": f"Customer {self.own}", "client": 1, **place}).made

    @cached_property
    def account(self):
        """The bank account of the series, made when it is first needed."""
        body = {"ref": f"BANK{self.own}", "label": f"Bank {self.own}", "type": 1, "currency_code": "EUR"}
        return self.post("/bankaccounts", body | {"country_id": 1, "date_solde": DAY}).made

    #: constants as the server has them, of all series
    settings_now: dict[str, str] = {}

    def _put_constant(self, name, value):
        self.ok(self.journal.call("PUT", f"/setup/conf/{name}", {"value": value}))
        self.settings_now[name] = value

    def set_constant(self, name, value):
        """Set a constant, and what it means for totals."""
        self._put_constant(name, value)
        self.constants[name] = value
        self.rounding = Rounding(
            self.constants["MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND"] == "1",
            exact(self.constants["MAIN_ROUNDING_RULE_TOT"]),
        )

    # Calls -----------------------------------------------------------------------------------------------------------

    def post(self, path, body=None):
        """Make a call that has to succeed."""
        return self.ok(self.journal.call("POST", path, body if body is not None else {}))

    def ok(self, answer):
        """Fail if an operation was refused."""
        if not answer.is_done:
            self.broken("0 refused", f"{answer.status} without a reason: {answer.reason}")
        return answer

    def expect(self, answer, allowed, *touched):
        """Return whether an operation succeeded; fail if it shouldn't have, or if a refusal changed something.

        :param allowed: whether it has to succeed; None: either
        :param touched: documents that a refusal may not change
        """
        if answer.is_done:
            if allowed is False:
                self.broken("0 accepted", "an operation that the books don't allow was accepted")
            return True
        if answer.status not in REFUSALS:
            self.broken("0 refused", f"status {answer.status}")
        if allowed is True:
            self.broken("0 refused", f"{answer.status} without a reason: {answer.reason}")
        for each in touched:
            self.look(each)
        return False

    def broken(self, law, message):
        """Fail with the series, or end it if the finding is known."""
        series = "\n".join(self.journal.lines)
        for name, is_it in KNOWN.items():
            if is_it(law, message, series):
                self.is_over = True
                self.met[name] = self.met.get(name, 0) + 1
                raise EndedError
        self.journal.broken(f"law {law}", message)

    def hold(self, law, wrong, document=None):
        """Fail if a law returns anything wrong."""
        if wrong:
            self.broken(law, (f"{document}: " if document is not None else "") + "; ".join(wrong))

    # Documents -------------------------------------------------------------------------------------------------------

    def look(self, document, *, changed=False, law="1 unchanged"):
        """Read a document, and check its laws.

        :param changed: its amounts may have changed
        :param law: the law that is broken if they have, though they may not
        """
        answer = self.journal.call("GET", document.path)
        if document.is_deleted:
            if answer.status != 404:
                self.broken("0 deleted", f"{document} is still there")
            return
        if answer.status == 404:
            self.broken("0 deleted", f"{document} is gone")
        before, document.seen = document.seen, answer.data
        state = int(answer.data.get("statut") or 0)
        if before and not changed:
            self.hold(law, differences(amounts_of(before), amounts_of(answer.data)), document)
            if state != document.state:
                self.broken("0 state", f"{document} was {document.state}, is {state}")
        document.state = state
        if document.fixed is not None and state != DRAFT:
            self.hold("8 validated", laws.unchanged(document.fixed, answer.data), document)
        self.hold("2 sums", laws.sums(answer.data), document)
        self.hold("2 local taxes", laws.local_taxes(document, rounds_lines=self.is_old), document)
        self.hold("4 coin", laws.coin(document), document)
        self.hold("3 agreed", laws.agreed(document, rounds_lines=self.is_old), document)

    def pick(self, which, documents):
        """Return one of the documents, the last ones first."""
        if not documents:
            raise IdleError
        return documents[-1 - which % len(documents)]

    def those(self, *kinds, states=None, types=None):
        """Return the documents of these kinds, states and types."""
        return [
            each
            for each in self.documents
            if not each.is_deleted
            and each.kind in kinds
            and (states is None or each.state in states)
            and (types is None or each.type in types)
        ]

    def keep(self, kind, identifier, rows, roundings, **more):
        """Enter a new document into the books; `rows` are agreed values, or rows without IDs."""
        document = Document(kind, identifier, [], set(roundings), **more)
        document.price(self.rounding)
        answer = self.journal.get(document.path)
        lines = sorted(answer["lines"], key=lambda line: int(line["id"]))
        if len(lines) != len(rows):
            self.broken("3 agreed", f"{document} has {len(lines)} lines, {len(rows)} were sent")
        for line, row in zip(lines, rows, strict=True):
            made = row if isinstance(row, Row) else Row(0, row)
            document.rows.append(replace(made, id=int(line["id"])))
        self.documents.append(document)
        self.look(document, changed=True)
        self.mark_lossy(document)
        return document

    def mark_lossy(self, document):
        """Mark the lines of which less is stored than was agreed: they keep their amount, but changes begin with less."""
        for row, line in zip(sorted(document.rows, key=lambda row: row.id), document.lines, strict=True):
            if row.agreed is not None and not row.discount:
                now = (exact(line["qty"]), exact(line["remise_percent"]))
                price = row.agreed.price
                kept = half_up(price, int(self.constants["MAIN_MAX_DECIMALS_UNIT"])) == price
                if now != (row.agreed.qty, row.agreed.discount) or not kept:
                    row.is_lossy = document.is_lossy = True

    def text_of_line(self):
        """Return a text that no other line of the series has."""
        return f"L{next(self.number)}"

    def used_as_payment(self, document):
        """Return the sum of the discounts that pay an invoice."""
        return sum((each.gross for each in self.discounts if each.use is document and not each.as_line), Fraction(0))

    def remains(self, document):
        """Return what remains to be paid of an invoice."""
        return document.gross - sum(document.paid, Fraction(0)) - self.used_as_payment(document)

    def check_owed(self, *documents):
        """Check what the PDFs of invoices ask for."""
        for each in documents:
            if each.state not in (VALIDATED, PAID):
                continue
            remains = self.remains(each)
            if each.state == VALIDATED or not remains:
                self.hold("2 owed", laws.owed(each, remains, self.printed(f"{each.path}/pdf")), each)

    def check_issued(self):
        """Check what the PDFs of validations ask for."""
        for each in self.those(INVOICE, states=(VALIDATED, PAID, ABANDONED)):
            if each.fixed is not None:
                self.hold("2 issued", laws.issued(each, self.printed(f"{each.path}/pdf/issued")), each)

    def printed(self, path):
        """Return what a PDF asks for."""
        return Printed.of(self.journal.client.simulate_get(path).content)

    def made_of(self, source):
        """Return the discounts made of an invoice."""
        return [each for each in self.discounts if each.source is source]

    def notes_of(self, source):
        """Return the validated credit notes of an invoice."""
        return [
            each
            for each in self.those(INVOICE, states=(VALIDATED, PAID), types=(CREDIT_NOTE,))
            if each.source is source
        ]

    # The end ---------------------------------------------------------------------------------------------------------

    def check_money(self):
        """Check the laws about giving back and money, of the whole series."""
        for each in self.those(INVOICE):
            if each.type == CREDIT_NOTE:
                made = sum((found.gross for found in self.made_of(each)), Fraction(0))
                self.hold("5 made once", laws.made_once(each, made, [], Fraction(0)), each)
            else:
                notes = self.notes_of(each) if each.state != DRAFT else []
                made = sum((found.gross for found in self.made_of(each)), Fraction(0))
                if notes:
                    self.hold("5 given back", laws.given_back(each, notes), each)
                self.hold("5 made once", laws.made_once(each, made, notes, self.used_as_payment(each)), each)
            if each.state == VALIDATED and not self.made_of(each):
                listed = [exact(row["amount"]) for row in self.journal.get(f"{each.path}/payments") or []]
                self.hold("6 balance", laws.balance(each, self.used_as_payment(each), listed), each)
        found = self.journal.call("GET", f"/thirdparties/{self.customer}/fixedamountdiscounts")
        rows = found.data if found.is_done else []
        self.hold("6 discounts", laws.discounts(self.discounts, rows))
        owed = self.journal.get(f"/thirdparties/{self.customer}/outstandinginvoices")
        self.hold("6 outstanding", laws.outstanding(self.those(INVOICE), self.discounts, exact(owed["opened"])))
        if "account" not in vars(self):
            return
        lines = self.journal.call("GET", f"/bankaccounts/{self.account}/lines", limit=100)
        balance = self.journal.get(f"/bankaccounts/{self.account}")["balance"]
        self.hold("7 bank", laws.bank(exact(balance), lines.data if lines.is_done else [], self.banked))

    def check_goods(self):
        """Check the law about stock."""

    def teardown(self):
        """Check all laws once more, of everything."""
        if self.is_over:
            return
        try:
            for each in self.documents:
                self.look(each)
            self.check_owed(*self.those(INVOICE))
            self.check_issued()
            self.check_money()
            self.check_goods()
        except EndedError:
            pass


__all__ = ["ABANDONED", "DAY", "PICK", "TIME", "BrokenLawError", "EndedError", "Trade"]
