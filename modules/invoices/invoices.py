"""Invoices: what a customer owes, from draft to paid."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from core import Refused, Values, current_user_id, transaction, utc_now, wrong_fields

from ..commercial.documents import Documents
from ..commercial.lines import BASE, PRICED, Lines
from ..commercial.links import read_links
from ..commercial.models import STAMPS
from ..commercial.numbers import Series, is_provisional
from ..commercial.precision import Terms
from ..commercial.states import DELETE, DRAFT, Transition
from ..commercial.terms import Term, due_date
from ..dictionaries.entries import entry
from ..dictionaries.models import PaymentTerm
from ..orders.orders import orders
from ..setup.company import today
from ..thirdparties.discounts import available
from ..thirdparties.thirdparties import become_customer
from .balances import SUBQUERIES, add_balances, balance_of, balances
from .discount_rows import discount_lines, free_lines, made_from, withdraw
from .models import CREDIT_NOTE, REPLACEMENT, STANDARD, Invoice, InvoiceLine
from .order_warnings import INVOICED_AGAIN, warn_of_invoices
from .references import require_last, series_for
from .replacements import abandon_source, require_creditable, require_not_replaced
from .states import ABANDONED, CHANGE, PAID, STATES

WHOLE = Decimal(100)


class InvoiceLines(Lines[InvoiceLine]):
    """Lines of invoices. PUT replaces a line, as it does in the reference system."""

    model = InvoiceLine
    put_replaces = True
    empty_in_dolibarr = (
        "price", "product_tosell", "product_tobuy", "product_tobatch", "weight", "weight_units", "volume",
        "volume_units",
    )  # fmt: skip

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong, such as a progress that isn't from 0 to 100 percent."""
        wrong = super().unfit(values, body)
        progress = values.get("situation_percent")
        if progress is not None and not 0 <= progress <= WHOLE:
            reason = f"expected a percentage from 0 to 100, got {body['situation_percent']!r:.60}"
            wrong.append(("situation_percent", reason))
        return wrong

    def price(self, values: dict[str, Any], before: InvoiceLine | None, terms: Terms, *, with_tax: bool) -> None:
        """Set the amounts of a line; a credit note gives nothing back where the discount is above 100 percent."""
        discount = values.get("remise_percent", before.remise_percent if before is not None else None)
        if terms.credit and (discount or 0) > WHOLE:
            reason = f"expected at most 100 on a credit note, got {discount:f}"
            raise wrong_fields([("remise_percent", reason)])
        super().price(values, before, terms, with_tax=with_tax)

    def progress(self, values: Mapping[str, Any], before: InvoiceLine | None) -> Decimal:
        """How much of the work the line charges, percent."""
        progress = values.get("situation_percent", before.situation_percent if before is not None else None)
        return WHOLE if progress is None else progress

    def is_credit(self, document: Mapping[str, Any]) -> bool:
        """Return whether an invoice is a credit note."""
        return bool(document.get("type", STANDARD) == CREDIT_NOTE)

    def totals(self, sums: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of an invoice with its stamp duty."""
        stamp = document.get("revenuestamp") or 0
        return sums | {name: sums[name] + stamp for name in ("total_ttc", "multicurrency_total_ttc")}

    def alter(self, line: InvoiceLine, body: Mapping[str, Any], terms: Terms, *, replace: bool) -> bool:
        """Change a line; of one that uses a discount only what leaves its amounts alone.

        :raises Refused: the line uses a discount, and its amounts would change
        """
        if line.fk_remise_except and (replace or any(name in body for name in (*PRICED, BASE))):
            raise Refused(
                f"line {line.id} uses a discount, so its amounts can't change; delete the line to release the discount",
                reason="locked",
            )
        return super().alter(line, body, terms, replace=replace)

    def removing(self, row: InvoiceLine) -> None:
        """A discount that the line used is free again."""
        free_lines([row.id])


#: why an invoice is closed that is not paid completely
CLOSE_CODES = ("discount_vat", "badcustomer", "bankcharge", "other", "abandon")
#: what of an invoice may change that is no draft: notes, and how it is to be paid
OPEN = (
    "note_public", "note_private", "cond_reglement_id", "mode_reglement_id", "date_lim_reglement", "fk_account",
)  # fmt: skip


class Invoices(Documents[Invoice]):
    """Invoices."""

    model = Invoice
    service = "invoices"
    noun = "Invoice"
    empty = "No invoice found"
    element = "facture"
    unread_after_actions = {
        "contacts_ids": None, "linkedObjectsIds": None, "linkedObjectsFullLoaded": [], "remaintopay": None,
        "totalpaid": None, "sumpayed": None,
    }  # fmt: skip
    subqueries = SUBQUERIES
    lines = InvoiceLines()
    put_replaces = False
    needs_lines = True
    states = STATES
    series = Series("invoices", "FA{yy}{mm}-{0000}")

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add what is paid, and what remains."""
        super().complete(records)
        add_balances(records)

    # Writing ---------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a draft; warn if an order that it is linked to already has an invoice."""
        made = super().create(body, **managed)
        for kind, order in read_links(body):
            if kind == orders.element:
                warn_of_invoices(self, order, INVOICED_AGAIN, made)
        return made

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of an invoice; an empty `date` is today.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        """
        if "date" in body and body["date"] in ("", None):
            body = {**body, "date": str(today())}
        return super().accept(body, creating=creating, replace=replace)

    def prepare(self, values: Values, before: Invoice | None) -> None:
        """Set date and due day of a draft; of any other only notes and payment fields change.

        :raises Refused: another field of an invoice that is no draft would change; all of them are named
        """
        super().prepare(values, before)
        if before is None:
            values.setdefault("date", today())
        elif not self.states.permits(before.statut, CHANGE):
            self._require_same(values, before)
            return
        else:
            self._check_draft(values, before)
        set_due_day(values, before)

    def _require_same(self, values: Mapping[str, Any], before: Invoice) -> None:
        closed = [name for name in values if name not in (*OPEN, *STAMPS)]
        wrong = [name for name in closed if (values[name] or None) != (getattr(before, name) or None)]
        if wrong:
            names = ", ".join(f"`{name}`" for name in wrong)
            now = self.states.described(before.statut)
            errors = [(name, f"can't change: the invoice is {now}") for name in wrong]
            message = f"can't change {names} of invoice {before.ref}: it is {now}"
            raise self.state_error(before, CHANGE, message, errors=errors)

    def _check_draft(self, values: Mapping[str, Any], before: Invoice) -> None:
        kind = values.get("type", before.type)
        if kind != before.type:
            if not is_provisional(before.ref):
                reason = f"`type` can't change, because the number of invoice {before.ref} belongs to its current type"
                raise Refused(reason, errors=[("type", reason)], reason="locked")
            if CREDIT_NOTE in (kind, before.type) and self.lines.last_rank(before.id):
                reason = f"`type` can't change between invoice and credit note, because invoice {before.ref} has lines"
                raise Refused(reason, errors=[("type", reason)], reason="has_lines")
        if values.get("socid", before.socid) != before.socid and discount_lines(before.id):
            reason = f"`socid` can't change, because invoice {before.ref} uses a discount of its third party"
            raise Refused(reason, errors=[("socid", reason)], reason="locked")
        if values.get("fk_facture_source") == before.id:
            raise wrong_fields(
                [("fk_facture_source", f"expected another invoice, got {before.id}, which is this invoice")]
            )

    def change(self, identifier: Any, body: Mapping[str, Any], **options: Any) -> bool:
        """Change an invoice; extra fields of one that is no draft stay as they are."""
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            closed = "array_options" in body and not self.states.permits(row.statut, CHANGE)
            before = self.find(identifier) if closed else None
            changed = super().change(identifier, body, **options)
            after = self.find(identifier) if before else None
            if before and after and before["array_options"] != after["array_options"]:
                now = self.states.described(row.statut)
                message = f"can't change `array_options` of invoice {row.ref}: it is {now}"
                errors = [("array_options", f"can't change: the invoice is {now}")]
                raise self.state_error(row, CHANGE, message, errors=errors)
            return changed

    def stored(self, identifier: int, body: Mapping[str, Any], before: Invoice | None) -> None:
        """The stamp duty is part of the total."""
        if before is not None and "revenuestamp" in body:
            row = self.load(identifier)
            if row.revenuestamp != before.revenuestamp:
                self.recount(row)

    def amount_open(self, thirdparty: int, identifiers: list[int], total: Decimal) -> Decimal:
        """What remains to be paid, less what credit notes and excess payments give that no invoice has used yet."""
        settled = sum((each.settled for each in balances(identifiers).values()), Decimal(0))
        return total - settled - Decimal(available(thirdparty)[1])

    def series_of(self, row: Invoice) -> Series:
        """How invoices of its type are numbered."""
        return series_for(row.type)

    def removing(self, row: Invoice) -> None:
        """Delete what belongs to an invoice, unless money has moved or a number would be missing.

        :raises Refused: it is paid in part, a discount came from it, or its reference is not the last of its series
        """
        if row.statut != DRAFT or not is_provisional(row.ref):
            if any(balance_of(row.id)):
                raise Refused(f"can't delete invoice {row.ref}: it has payments", reason="has_payments")
            if made_from(row.id):
                raise Refused(f"can't delete invoice {row.ref}: a discount was made from it", reason="in_use")
        if row.ref and not is_provisional(row.ref):
            require_last(self.series_of(row), row.ref, Invoice.ref, self.number_day(row), self.customer_of(row))
        free_lines(discount_lines(row.id))
        super().removing(row)

    def allows(self, row: Invoice, action: str) -> bool:
        """Return whether the state of an invoice allows a transition or an action; one with payments stays."""
        is_gone = action in (DELETE, "settodraft")
        return super().allows(row, action) and not (is_gone and row.statut != DRAFT and any(balance_of(row.id)))

    # Transitions -----------------------------------------------------------------------------------------------------

    def close(self, identifier: int, code: str = "", note: str = "") -> None:
        """Close a validated invoice: paid, or given up in part or wholly where a code says why.

        :param code: one of `CLOSE_CODES`; with it the invoice is abandoned if nothing has been paid
        :param note: what is to be said of it
        :raises BadRequest: there is no such code
        :raises Refused: it is not validated
        """
        if code and code not in CLOSE_CODES:
            reason = f"expected one of {', '.join(CLOSE_CODES)}; got {code!r:.60}"
            raise wrong_fields([("close_code", reason)])
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            end = PAID if not code or any(balance_of(identifier)) else ABANDONED
            if code and row.statut in (PAID, ABANDONED):
                end = row.statut
            given = {"close_code": code, "close_note": note or None} if code else {}
            self.act_on(row, "settopaid", end, **given)

    def before_transition(self, transition: Transition, row: Invoice, values: dict[str, Any]) -> None:
        """Set fields that change with a transition, or reject it.

        :raises Refused: something has been paid, a discount that came from the invoice has been used, or the invoice
            that it replaces or credits cannot be
        """
        if transition.name == "validate" and row.type == REPLACEMENT:
            abandon_source(self, row)
        elif transition.name == "validate" and row.type == CREDIT_NOTE:
            require_creditable(self, row)
        elif transition.name in ("settopaid", "replace"):
            values.setdefault("date_closing", utc_now())
            values["fk_user_closing"] = current_user_id()
            values["paye"] = 0 if values.get("close_code") else 1
        elif transition.name == "settounpaid":
            require_not_replaced(row)
            withdraw(row)
            values |= dict.fromkeys(("close_code", "close_note", "date_closing", "fk_user_closing")) | {"paye": 0}
        elif transition.name == "settodraft":
            if any(balance_of(row.id)):
                raise Refused(f"can't set to draft: the invoice {row.ref} has payments", reason="has_payments")
            withdraw(row)

    def after_transition(self, transition: Transition, row: Invoice) -> None:
        """Make the third party of a validated invoice a customer."""
        if transition.name == "validate":
            become_customer(self.customer_of(row))


invoices = Invoices()


def due_day(day: date, term_id: int | None) -> date:
    """The day by which an invoice of a day is due.

    :param term_id: its terms of payment; 0 and None: none, so that it is due at once
    :raises BadRequest: the day lies outside the years 1 to 9999
    """
    known = entry(PaymentTerm, term_id)
    if known is None:
        return day
    return due_date(day, Term(known.type_cdr, known.nbjour or 0, known.decalage or 0))


def set_due_day(values: dict[str, Any], before: Invoice | None) -> None:
    """Set the due day of a draft that is written, unless it is sent.

    It follows the invoice's date and terms, until somebody sets another one.

    :param values: what is written; changed in place
    """
    if values.get("date_lim_reglement"):
        return
    day = values.get("date") or getattr(before, "date", None)
    term = values.get("cond_reglement_id", getattr(before, "cond_reglement_id", None))
    if before is not None and "date_lim_reglement" not in values:
        stays = (day, term) == (before.date, before.cond_reglement_id)
        if stays or before.date_lim_reglement != due_day(before.date, before.cond_reglement_id):
            return
    if day is not None:
        values["date_lim_reglement"] = due_day(day, term)
