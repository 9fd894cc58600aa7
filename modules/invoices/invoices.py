"""Invoices to customers, from draft to paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from core import (
    ApiError,
    BadRequest,
    NotFound,
    Refused,
    Values,
    allowed_operations,
    current_caller,
    now,
    profile,
    query,
    shown,
    today,
    transaction,
    warn,
)
from core.for_natives import current_user_id, default_context

from ..commercial.documents import Documents
from ..commercial.lines import Lines, as_fields, summed
from ..commercial.links import read_links
from ..commercial.models import STAMPS
from ..commercial.plain_lines import AcceptedLine
from ..commercial.precision import Terms, read_rounding, rounding, write_rounding
from ..commercial.states import CHANGE, DELETE, DRAFT, Transition
from ..commercial.terms import Term, due_date
from ..commercial.totals import Amounts, Rounding, sum_lines
from ..dictionaries.entries import entry
from ..dictionaries.models import PaymentTerm
from ..numbering.series import Series, is_provisional
from ..orders.orders import orders
from ..orders.states import INVOICE
from ..thirdparties.discounts import available, plain_amount
from ..thirdparties.thirdparties import become_customer
from .balances import AMOUNTS, SUBQUERIES, add_balances, balance_of, balances
from .credit_notes import (
    LineValues,
    amounts_of,
    coin_of,
    give_back,
    opposite,
    set_sign,
    set_signs,
    sign_of,
)
from .discount_rows import (
    crediting,
    discount_lines,
    forget,
    free_lines,
    free_payments,
    made_from,
    take_again,
    take_over,
    withdraw,
)
from .models import CREDIT_NOTE, PROFORMA, REPLACEMENT, STANDARD, Invoice, InvoiceLine
from .references import series_for
from .sources import facts_of, require_left, why_not_credited, why_not_replaced
from .states import ABANDONED, PAID, STATES

WHOLE = Decimal(100)
#: close code of a replaced invoice
REPLACED = "replaced"
OF_ANOTHER = "belongs to another third party"
#: warnings about a further invoice for an order, and about the order's cancellation
INVOICED_AGAIN = "order {order} already has"
CANCELLED = "order {order} is cancelled, but it has"


class InvoiceLines(Lines[InvoiceLine]):
    """Lines of invoices. PUT replaces a line, as in Dolibarr."""

    model = InvoiceLine
    put_replaces = True
    empty_in_dolibarr = (
        "price", "product_tosell", "product_tobuy", "product_tobatch", "weight", "weight_units", "volume",
        "volume_units",
    )  # fmt: skip

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the errors of a line, such as a progress outside 0 to 100 percent."""
        wrong = super().unfit(values, body)
        progress = values.get("situation_percent")
        if progress is not None and not 0 <= progress <= WHOLE:
            reason = f"expected a percentage from 0 to 100, got {shown(body['situation_percent'])}"
            wrong.append(("situation_percent", reason))
        return wrong

    def price(self, values: dict[str, Any], before: InvoiceLine | None, terms: Terms) -> None:
        """Set the amounts of a line, with the signs that it has on a credit note.

        :raises Refused: the line uses a discount, so its amounts stay
        """
        if before is not None and before.fk_remise_except:
            raise Refused(
                f"line {before.id} uses a discount, so its amounts can't change; "
                "delete the line to release the discount",
                reason="locked",
            )
        super().price(values, before, terms)
        if not terms.credit:
            return
        if before is not None:
            set_sign(values, sign_of(before.__data__) or -1)
        elif self.parent in values:
            note = Invoice.select(Invoice.fk_facture_source).where(Invoice.id == values[self.parent]).first()
            source = note.fk_facture_source if note else None
            set_sign(values, opposite(_lines_of([source] if source else []), values))

    def progress(self, values: Mapping[str, Any], before: InvoiceLine | None) -> Decimal:
        """Return the share of the work that the line charges, in percent."""
        progress = values.get("situation_percent", before.situation_percent if before is not None else None)
        return WHOLE if progress is None else progress

    def is_credit(self, document: Mapping[str, Any]) -> bool:
        """Return whether an invoice is a credit note."""
        return bool(document.get("type", STANDARD) == CREDIT_NOTE)

    def rounding_of(self, document: Mapping[str, Any]) -> Rounding:
        """Return the rounding rules of an invoice; a credit note and a replacement have those of their source."""
        rules = self._rules(document)
        # The lines of a credit note with a source are settled together with those of the source
        return replace(rules, per_rate=False) if self._credited(document) else rules

    def _rules(self, document: Mapping[str, Any]) -> Rounding:
        source = _source_of(document)
        return read_rounding(source.rounding) if source else rounding()

    def _credited(self, document: Mapping[str, Any]) -> Invoice | None:
        """Return the invoice that a document gives back."""
        return _source_of(document) if self.is_credit(document) else None

    @default_context
    def totals(self, sums: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of an invoice with its stamp duty, and the rules by which they are rounded."""
        stamp = document.get("revenuestamp") or 0
        totals = sums | {name: sums[name] + stamp for name in ("total_ttc", "multicurrency_total_ttc")}
        return totals | {"rounding": write_rounding(self._rules(document))}

    def first_totals(self, lines: Sequence[AcceptedLine], terms: Terms, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of a new invoice; the lines of a credit note get their signs and amounts."""
        if not terms.credit:
            return super().first_totals(lines, terms, document)
        sent = [values for values, _ in lines]
        set_signs(sent)
        source = self._credited(document)
        if source is None:
            return super().first_totals(lines, terms, document)
        notes = crediting(source.id)
        for values, amounts in zip(sent, self._give_back(source, notes, sent), strict=True):
            values.update(as_fields(amounts))
        return _with_coin(super().first_totals(lines, terms, document), source, notes)

    def totals_of(self, identifier: int, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of an invoice; the lines of a credit note get their amounts."""
        source = self._credited(document)
        if source is None:
            return super().totals_of(identifier, document)
        notes = crediting(source.id)
        lines = _lines_of([identifier])
        for line, amounts in zip(lines, self._give_back(source, notes, lines), strict=True):
            if amounts != amounts_of(line):
                self.write_unchecked(line["id"], **as_fields(amounts))
        return _with_coin(super().totals_of(identifier, document), source, notes)

    def _give_back(self, source: Invoice, notes: Sequence[Invoice], lines: Sequence[LineValues]) -> list[Amounts]:
        """Return the amounts of the lines of a credit note.

        :param notes: the other credit notes of the source
        """
        rules = read_rounding(source.rounding)

        def settle(others: Sequence[LineValues]) -> list[Amounts]:
            return sum_lines([summed(each) for each in others], rules)[1]

        return give_back(_lines_of([source.id]), _lines_of([each.id for each in notes]), lines, settle)

    def removing(self, row: InvoiceLine) -> None:
        """Release the discount that the line used."""
        free_lines([row.id])


def _lines_of(identifiers: Sequence[int]) -> list[dict[str, Any]]:
    """Return the lines of invoices, oldest first."""
    if not identifiers:
        return []
    mine = InvoiceLine.fk_facture.in_(list(identifiers))
    return [line.__data__ for line in InvoiceLine.select().where(mine).order_by(InvoiceLine.id)]


def _source_of(document: Mapping[str, Any]) -> Invoice | None:
    """Return the invoice that a credit note or a replacement refers to."""
    identifier = document.get("fk_facture_source")
    if document.get("type") not in (CREDIT_NOTE, REPLACEMENT) or not identifier:
        return None
    found: Invoice | None = Invoice.select().where(Invoice.id == identifier).first()
    return found


@default_context
def _with_coin(totals: dict[str, Any], source: Invoice, notes: Sequence[Invoice]) -> dict[str, Any]:
    """Return the totals of a credit note; one that gives back all that is left has what is left of the coin."""
    own = totals["total_ttc"] - totals["rounding_amount"]
    rounded_left = -sum((each.total_ttc for each in (source, *notes)), Decimal(0))
    left = rounded_left + sum((each.rounding_amount for each in (source, *notes)), Decimal(0))
    difference = coin_of(own, totals["total_ttc"], left, rounded_left)
    names = ("total_ttc", "multicurrency_total_ttc")
    return totals | {"rounding_amount": difference} | dict.fromkeys(names, own + difference)


#: reasons for closing an invoice that is not fully paid
CLOSE_CODES = ("discount_vat", "badcustomer", "bankcharge", "other", "abandon")
#: fields that can change after validation: notes and payment
OPEN = (
    "note_public", "note_private", "cond_reglement_id", "mode_reglement_id", "date_lim_reglement", "fk_account",
)  # fmt: skip


class Invoices(Documents[Invoice]):
    """Invoices."""

    model = Invoice
    service = "invoices"
    events = ("payment_added", "payment_cancelled", "credited")
    noun = "Invoice"
    empty = "No invoice found"
    constants = {"ADDON_PDF": "FACTURE"}
    template = "crabe"
    printed = (
        "date_lim_reglement", "date_pointoftax", "paye", "close_code", "totaldeposits", "totalcreditnotes", "totalpaid",
        "remaintopay",
    )  # fmt: skip
    copied = (*Documents.copied, "module_source", "pos_source")
    unread_after_actions = {
        "contacts_ids": None, "linkedObjectsIds": None, "linkedObjectsFullLoaded": [], "remaintopay": None,
        "totalpaid": None, "sumpayed": None,
    }  # fmt: skip
    subqueries = SUBQUERIES
    amounts = AMOUNTS
    lines = InvoiceLines()
    origins = ("commande", "propal")
    put_replaces = False
    needs_lines = True
    keeps_issued = True
    states = STATES
    series = Series("invoices", "FA{yy}{mm}-{0000}")

    def kind_of(self, record: Mapping[str, Any]) -> str:
        """Return the kind of a record: ``invoice``, ``credit note`` or ``proforma``."""
        return {CREDIT_NOTE: "credit note", PROFORMA: "proforma"}.get(int(record.get("type") or 0), self.kind)

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the amounts paid and the amount that remains."""
        super().complete(records)
        add_balances(records)

    # Writing ---------------------------------------------------------------------------------------------------------

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a draft; warn if an order that it is linked to already has an invoice."""
        made = super().create(body, **managed)
        for kind, order in read_links(body):
            if kind == orders.element:
                self.warn_of_invoices(order, INVOICED_AGAIN, made)
        return made

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of an invoice; an empty `date` is today.

        :raises BadRequest: a field is missing or invalid; the message lists all of them
        """
        if "date" in body and body["date"] in ("", None):
            body = {**body, "date": str(today())}
        return super().accept(body, creating=creating, replace=replace)

    def prepare(self, values: Values, before: Invoice | None) -> None:
        """Set date and due day of a draft; in other states, only notes and payment fields may change.

        :raises Refused: another field of a validated invoice would change; the message lists all of them
        """
        super().prepare(values, before)
        if before is None:
            values.setdefault("date", today())
        elif not self.states.permits(before.statut, CHANGE):
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
            raise BadRequest(
                errors=[("fk_facture_source", f"expected another invoice, got {before.id}, which is this invoice")]
            )

    def change(self, identifier: Any, body: Mapping[str, Any], **options: Any) -> bool:
        """Change an invoice; extra fields can change only while it is a draft."""
        body = self.check_body("changed", identifier, body, **options)
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            closed = "array_options" in body and not self.states.permits(row.statut, CHANGE)
            before = self.find(identifier) if closed else None
            changed = super().change(identifier, body, checked=True, **options)
            after = self.find(identifier) if before else None
            if before and after and before["array_options"] != after["array_options"]:
                now = self.states.described(row.statut)
                message = f"can't change `array_options` of invoice {row.ref}: it is {now}"
                errors = [("array_options", f"can't change: the invoice is {now}")]
                raise self.state_error(row, CHANGE, message, errors=errors)
            return changed

    def stored(self, identifier: int, body: Mapping[str, Any], before: Invoice | None) -> None:
        """Recompute the totals if the stamp duty changes, or the invoice whose rounding applies."""
        names = ("revenuestamp", "fk_facture_source", "type")
        if before is not None and any(name in body for name in names):
            row = self.load(identifier)
            if any(getattr(row, name) != getattr(before, name) for name in names):
                self.recount(row)

    @default_context
    def amount_open(self, thirdparty: int, identifiers: list[int], total: Decimal) -> Decimal:
        """Return the unpaid amount, less unused discounts from credit notes and overpayments."""
        settled = sum((each.settled for each in balances(identifiers).values()), Decimal(0))
        return total - settled - Decimal(available(thirdparty)[1])

    def series_of(self, row: Invoice) -> Series:
        """Return the numbering series for invoices of its type."""
        return series_for(row.type)

    def removing(self, row: Invoice) -> None:
        """Delete what belongs to an invoice, unless it has payments or a gap in the numbering would result.

        :raises Refused: it has payments, a discount was made from it, or its reference is not the last of its series
        """
        if row.statut != DRAFT or not is_provisional(row.ref):
            if balance_of(row.id).paid:
                raise self.payments_error(row, f"can't delete invoice {row.ref}: it has payments")
            if made_from(row.id):
                raise Refused(f"can't delete invoice {row.ref}: a discount was made from it", reason="in_use")
        if row.ref and not is_provisional(row.ref):
            code = self.customer_of(row).code_client
            if not self.series_of(row).is_last(row.ref, Invoice.ref, self.number_day(row), code):
                raise Refused(
                    f"can't delete invoice {row.ref}: it is not the last of its series, "
                    "so deleting it would leave a gap in the numbering",
                    reason="not_last",
                )
        free_lines(discount_lines(row.id))
        if not is_provisional(row.ref):
            free_payments(row.id)
            forget(row.id)
        super().removing(row)

    def allows(self, row: Invoice, action: str) -> bool:
        """Return whether an invoice allows a transition or an action; payments forbid `delete` and `settodraft`."""
        is_gone = action in (DELETE, "settodraft")
        return super().allows(row, action) and not (is_gone and row.statut != DRAFT and balance_of(row.id).paid)

    # Transitions -----------------------------------------------------------------------------------------------------

    def close(self, identifier: int, code: str = "", note: str = "") -> None:
        """Close a validated invoice as paid or, with a close code and no payment, as abandoned.

        :param code: one of `CLOSE_CODES`; empty: paid
        :param note: reason in free text, stored together with a code
        :raises BadRequest: the code is not in `CLOSE_CODES`
        :raises Refused: the invoice is not validated
        """
        if code and code not in CLOSE_CODES:
            reason = f"expected one of {', '.join(CLOSE_CODES)}; got {shown(code)}"
            raise BadRequest(errors=[("close_code", reason)])
        checked = self.check_transition(identifier, "settopaid", self._end(identifier, code))
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            end = self._end(identifier, code)
            if code and row.statut in (PAID, ABANDONED):
                end = row.statut
            given = {"close_code": code, "close_note": note or None} if code else {}
            self.act_on(row, "settopaid", end, checked, **given)

    def _end(self, identifier: int, code: str) -> int:
        """Return the state that closing leads to: an invoice with a payment isn't abandoned."""
        return PAID if not code or any(balance_of(identifier)) else ABANDONED

    def before_transition(self, transition: Transition, row: Invoice, values: dict[str, Any]) -> None:
        """Set fields that change with a transition, or reject it.

        :raises Refused: the invoice has payments, a discount made from it has been used, or the invoice that it
            replaces or credits can't be replaced or credited
        """
        if transition.name == "validate" and row.type == CREDIT_NOTE:
            values |= self._settle(row)
        elif transition.name == "validate":
            if not is_provisional(row.ref):
                require_left(row, facts_of([row])[row.id].credited)
            if row.total_ttc < 0 and discount_lines(row.id):
                message = f"can't validate invoice {row.ref}: it deducts discounts of more than its amount"
                raise Refused(message, reason="too_much")
            if row.type == REPLACEMENT:
                self._abandon_source(row)
        elif transition.name in ("settopaid", "replace"):
            values.setdefault("date_closing", now())
            values["fk_user_closing"] = current_user_id()
            values["paye"] = 0 if values.get("close_code") else 1
        elif transition.name == "settounpaid":
            _require_not_replaced(row)
            withdraw(row)
            if row.statut == ABANDONED:
                take_again(row)
                if row.type == CREDIT_NOTE:
                    self._require_creditable(row, row.total_ttc)
            values |= dict.fromkeys(("close_code", "close_note", "date_closing", "fk_user_closing")) | {"paye": 0}
        elif transition.name == "settodraft":
            if balance_of(row.id).paid:
                raise self.payments_error(row, f"can't set to draft: the invoice {row.ref} has payments")
            withdraw(row)
            free_payments(row.id)

    def payments_error(self, row: Invoice, message: str) -> ApiError:
        """Return the error for an invoice that first needs its payments cancelled."""
        error = self.with_state(Refused(message, reason="has_payments"), row)
        paid = query("SELECT fk_paiement FROM llx_paiement_facture WHERE fk_facture = ? AND amount <> ?", (row.id, 0))
        for (payment,) in paid:
            error.details["allowed"] += allowed_operations(["DELETE /invoices/payments/{id}"], payment)
        return error

    def open_again(self, row: Invoice) -> None:
        """Mark a paid invoice as unpaid, because a payment of it goes, in the transaction that has locked it."""
        if row.statut == PAID:
            self.act_on(row, "settounpaid")

    def after_transition(self, transition: Transition, row: Invoice) -> None:
        """Make the third party of a validated invoice a customer; release the discounts of an abandoned one."""
        if transition.name == "validate":
            become_customer(self.customer_of(row))
        elif transition.target == ABANDONED:
            free_lines(discount_lines(row.id))
            free_payments(row.id, mark=True)

    def _abandon_source(self, row: Invoice) -> None:
        """Abandon the invoice that a replacement replaces, in the transaction that validates the replacement.

        :param row: the replacement invoice
        :raises Refused: its source is not a validated, unpaid standard invoice of the same third party
        """
        if not row.fk_facture_source:
            raise Refused(
                f"replacement invoice {row.ref} has no source invoice; set `fk_facture_source`", reason="incomplete"
            )
        try:
            source = self.load(row.fk_facture_source, lock=True)
        except NotFound as error:
            message = f"the invoice that {row.ref} replaces does not exist; check `fk_facture_source`"
            raise Refused(message, reason="incomplete") from error
        if source.close_code == REPLACED and source.socid == row.socid:
            # The replacement invoice was set back to draft and is validated again
            _require_not_replaced(source)
            return
        belongs = source.socid == row.socid
        reason = why_not_replaced(source, facts_of([source])[source.id]) if belongs else OF_ANOTHER
        if reason:
            raise Refused(f"can't replace invoice {source.ref}: it {reason}", reason="unfit_source")
        self.act_on(source, "replace", close_code=REPLACED, close_note=None)
        take_over(source, row)

    def _settle(self, row: Invoice) -> dict[str, Any]:
        """Return the totals of a credit note that is to be validated, according to what is left now.

        :raises Refused: its total is above 0, or its source can't be credited
        """
        if row.fk_facture_source:
            # Locked, so a second credit note on the same invoice waits for the first
            self.load(row.fk_facture_source, lock=True)
        totals = self.lines.totals_of(row.id, row.__data__)
        self._require_creditable(row, totals["total_ttc"])
        return totals

    def _require_creditable(self, row: Invoice, total: Decimal) -> None:
        """Check that a credit note gives money back, and that its source, if it has one, can be credited.

        :raises Refused: the source belongs to another third party, or no such credit note can be made of it
        """
        if total > 0:
            message = f"can't validate credit note {row.ref}: its total must be at most 0, got {plain_amount(total)}"
            raise Refused(message, reason="wrong_type")
        if not row.fk_facture_source:
            return
        # Locked, so a second credit note on the same invoice waits for the first
        source = self.load(row.fk_facture_source, lock=True)
        facts = facts_of([source])[source.id]
        reason = why_not_credited(source, facts) if source.socid == row.socid else OF_ANOTHER
        if reason:
            raise Refused(f"can't credit invoice {source.ref}: it {reason}", reason="unfit_source")
        require_left(source, facts.credited, -total)

    # From an order ---------------------------------------------------------------------------------------------------

    def create_from_order(self, order_id: int) -> dict[str, Any]:
        """Create a draft with today's date from an order, which doesn't change; return the record.

        :raises BadRequest: the ID is empty
        :raises NotFound: no such order, or the caller may not see it
        :raises Refused: the state of the order doesn't allow it, for example cancelled
        """
        with transaction():
            row = orders.load(order_id, lock=True)
            if not orders.states.permits(row.statut, INVOICE):
                message = f"can't invoice order {row.ref}: it is {orders.states.described(row.statut)}"
                raise orders.state_error(row, INVOICE, message)
            copied = self.copied
            if profile().documents_as_recorded:
                # Without terms, an invoice created from an order stores 0, the same as an invoice without an order
                copied = tuple(name for name in copied if getattr(row, name) is not None)
            identifier = self.create_from(orders, row, copied, date=today())
            self.warn_of_invoices(row.id, INVOICED_AGAIN, identifier)
        as_text = profile().text_values
        delivery = dict.fromkeys(("delivery_date", "date_livraison"), row.delivery_date) if row.delivery_date else {}
        source = {"origin": orders.element, "origin_id": str(row.id) if as_text else row.id}
        return self.read(identifier) | source | delivery

    def warn_of_invoices(self, order: int, text: str, new: int = 0) -> None:
        """Warn if an order has an invoice; the warning lists the references that the caller may see.

        Credit notes and abandoned invoices are ignored: the order can be invoiced again.

        :param order: ID of an order that the caller may see
        :param text: the warning, such as ``order {order} has``
        :param new: ID of the invoice just created for the order; 0: none
        """
        ids = orders.links.derived(order, self.element)
        chosen = Invoice.id.in_(ids), Invoice.type != CREDIT_NOTE, Invoice.statut != ABANDONED
        standing = [row.id for row in Invoice.select(Invoice.id).where(*chosen)] if ids else []
        found = [each for each in standing if each != new]
        if not found or (new and new not in standing):
            return
        caller = current_caller()
        may_read = caller is None or caller.holds("invoices.read")
        seen = ", ".join(str(row.ref) for row in self.rows({"id": found})) if may_read else ""
        told = "an invoice" if len(found) == 1 or not may_read else f"{len(found)} invoices"
        warn(f"{text.format(order=orders.load(order).ref)} {told}{seen and f': {seen}'}")


invoices = Invoices()


def _require_not_replaced(row: Invoice) -> None:
    """Check that no validated invoice replaces one that is to become unpaid again.

    :raises Refused: a validated invoice replaces it
    """
    if row.close_code != REPLACED:
        return
    others = query(
        "SELECT ref FROM llx_facture WHERE fk_facture_source = ? AND type = ? AND fk_statut > 0 ORDER BY rowid LIMIT 1",
        (row.id, REPLACEMENT),
    )
    if others:
        raise Refused(
            f"can't set to unpaid: the invoice {row.ref} has been replaced by {others[0][0]}", reason="in_use"
        )


def due_day(day: date, term_id: int | None) -> date:
    """Return the due day of an invoice of a given day.

    :param term_id: its payment terms; without any (0 or None) it is due on the same day
    :raises BadRequest: the due day is outside the years 1 to 9999
    """
    known = entry(PaymentTerm, term_id)
    if known is None:
        return day
    return due_date(day, Term(known.type_cdr, known.nbjour or 0, known.decalage or 0))


def set_due_day(values: dict[str, Any], before: Invoice | None) -> None:
    """Set the due day of a draft, unless the body contains one.

    It follows the invoice's date and terms until a request sets a different one.

    :param values: the values to be written; changed in place
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
