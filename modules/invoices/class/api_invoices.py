"""Invoices over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from core import ListQuery

from ...commercial.api import DocumentApi, DocumentRecord
from ...dictionaries.codes import id_by_code
from ...dictionaries.models import PaymentType
from ...setup.responses import ACTION, Success, action_result, success
from ...thirdparties.contacts import of_thirdparties
from ...thirdparties.models import Discount
from ..credits import discount_from, mark_as_credit, stop_paying, use_as_line, use_as_payment
from ..invoices import invoices
from ..payments import PaidPart, PaymentOptions, Share, cancel, pay, payments_of, read_amount, read_amounts, renumber
from ..qualified import Creditable, Replaceable, creditable, replaceable

DiscountRecord = Annotated[dict[str, Any], Discount]
PaymentMode = Annotated[int, id_by_code(PaymentType)]
#: `status` of a list → the state the invoices are in
STATUS = {"draft": 0, "unpaid": 1, "paid": 2, "abandoned": 3, "cancelled": 3}


class Invoices(DocumentApi):
    """Customer invoices of every type, and their payments.

    {states}

    Types: 0 standard, 1 replacement, 2 credit note, 3 deposit, 4 proforma, 5 situation.
    """

    group = "Money"

    documents = invoices

    # Payments and credits --------------------------------------------------------------------------------------------

    def get_payments(self, id: int, cancelled: bool = False) -> list[PaidPart]:
        """List the payments of an invoice.

        Discounts used as payments come last.

        :url: GET {id}/payments
        :param cancelled: instead, list the payments that were cancelled
        :permission: read
        """
        return payments_of(id, cancelled=cancelled)

    def add_payment(
        self,
        id: int,
        datepaye: int,
        paymentid: PaymentMode,
        closepaidinvoices: Literal["yes", "no"],
        amount: Decimal | Literal["remain"] = "remain",
        accountid: int | None = None,
        num_payment: str = "",
        comment: str = "",
        chqemetteur: str = "",
        chqbank: str = "",
        accepthigherpayment: bool = False,
    ) -> int:
        """Add a payment to an invoice.

        Without `amount`, pays the full remaining amount. A credit note is paid back. Returns the payment's ID.

        :url: POST {id}/payments
        :param datepaye: Unix seconds or ISO 8601 {@type timestamp} {@min 1}
        :param paymentid: payment mode ID or code {@min 1} {@example 2}
        :param closepaidinvoices: yes or true: mark the invoice as paid, if nothing remains to be paid
        :param amount: above 0, in the company's currency; `remain`: the full remaining amount {@example remain}
        :param accountid: required if any bank account is open {@min 1} {@example 1}
        :param num_payment: cheque or transfer number
        :param comment: note
        :param chqemetteur: cheque issuer; required for mode CHQ
        :param chqbank: cheque's bank
        :param accepthigherpayment: allow overpayment
        :raises BadRequest: the amount is above the remaining amount, or no amount remains to be paid
        :raises NotFound: no such invoice or bank account
        :raises Refused: the invoice is not validated, or the bank account is closed
        :after: invoices type=0|type=1|type=3|type=5 ?id={id}&amount={remaintopay}: Add a payment
        :after: invoices type=2: Pay it back
        :after: invoices validated
        :strict:
        :permission: pay
        """
        details = {
            "datepaye": datepaye, "paymentid": paymentid, "accountid": accountid, "num_payment": num_payment,
            "comment": comment, "chqemetteur": chqemetteur, "chqbank": chqbank,
        }  # fmt: skip
        options = PaymentOptions(close=closepaidinvoices == "yes", higher=accepthigherpayment)
        return pay({id: read_amount(amount)}, details, options)

    def distribute_payment(
        self,
        arrayofamounts: dict[str, Share | Decimal | Literal["remain"]],
        datepaye: int,
        paymentid: PaymentMode,
        closepaidinvoices: Literal["yes", "no"],
        accountid: int | None = None,
        num_payment: str = "",
        comment: str = "",
        chqemetteur: str = "",
        chqbank: str = "",
        ref_ext: str = "",
        accepthigherpayment: bool = False,
    ) -> int:
        """Pay several invoices with one payment.

        All invoices are paid, or none. Returns the payment's ID.

        :url: POST paymentsdistributed
        :param arrayofamounts: amount or "remain" by invoice ID: {"1": "99.99"} or {"1": {"amount": "99.99",
            "multicurrency_amount": ""}}
        :param datepaye: Unix seconds or ISO 8601 {@type timestamp} {@min 1}
        :param paymentid: payment mode ID or code {@min 1} {@example 2}
        :param closepaidinvoices: yes or true: mark fully paid invoices as paid
        :param accountid: required if any bank account is open {@min 1} {@example 1}
        :param num_payment: cheque or transfer number
        :param comment: note
        :param chqemetteur: cheque issuer; required for mode CHQ
        :param chqbank: cheque's bank
        :param ref_ext: external reference
        :param accepthigherpayment: allow overpayment
        :raises BadRequest: an amount is above the remaining amount
        :raises NotFound: no such invoice or bank account
        :raises PreconditionFailed: `If-Match` doesn't match: an invoice has changed
        :raises Refused: an invoice is not validated, or the bank account is closed
        :strict:
        :permission: pay
        """
        details = {
            "datepaye": datepaye, "paymentid": paymentid, "accountid": accountid, "num_payment": num_payment,
            "comment": comment, "chqemetteur": chqemetteur, "chqbank": chqbank, "ref_ext": ref_ext,
        }  # fmt: skip
        options = PaymentOptions(close=closepaidinvoices == "yes", higher=accepthigherpayment)
        return pay(read_amounts(arrayofamounts), details, options)

    def put_payment(self, id: int, num_payment: str = "") -> Success:
        """Update the number of a payment.

        :url: PUT payments/{id}
        :param num_payment: cheque or transfer number
        :strict:
        :permission: pay
        """
        renumber(id, num_payment)
        return success("Payment updated")

    def delete_payment(self, id: int) -> Success:
        """Cancel a payment.

        For one that was entered by mistake. Its number stays, but it counts nowhere: its invoices are open again, the
        discounts made of them go, and so does its bank line. The list of payments shows it with `cancelled=1`.

        :url: DELETE payments/{id}
        :param id: payment ID, from `GET /invoices/{id}/payments`
        :raises NotFound: no such payment, or it pays an invoice that you may not see
        :raises PreconditionFailed: `If-Match` doesn't match: an invoice has changed
        :raises Refused: cancelled before, its bank line is reconciled, or a discount made of an invoice is used
        :permission: pay
        """
        cancel(id)
        return success("Payment cancelled")

    def mark_as_credit_available(self, id: int) -> DocumentRecord:
        """Convert an invoice into a discount.

        Takes a validated credit note, a paid deposit or an overpayment. Creates one discount per VAT rate.

        :url: POST {id}/markAsCreditAvailable
        :raises Refused: another kind or state, already converted, or credited in full
        :after: invoices validated|paid
        :strict:
        :permission: write
        """
        mark_as_credit(id)
        return self._acted(id)

    def get_discount(self, id: int) -> DiscountRecord:
        """Read the discount created from an invoice.

        If there are several, returns the first.

        :url: GET {id}/discount
        :after: invoices validated|paid
        :permission: read
        """
        return discount_from(id)

    def use_credit_note(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Apply a discount to a validated invoice.

        :url: POST {id}/usecreditnote/{discountid}
        :raises NotFound: no such invoice or discount
        :raises Refused: the invoice is not validated, less remains to be paid, or the discount is used or another third
            party's
        :strict:
        :permission: pay
        """
        use_as_payment(id, discountid)
        return action_result(lambda: invoices.read(id))

    def delete_credit_note_use(self, id: int, discountid: int) -> Success:
        """Remove a discount from a validated invoice.

        Undoes `usecreditnote`: the discount is free, and a paid invoice is open again.

        :url: DELETE {id}/usecreditnote/{discountid}
        :raises NotFound: the discount doesn't pay this invoice
        :raises Refused: a discount made of the invoice is used
        :permission: pay
        """
        stop_paying(id, discountid)
        return success("Discount removed from the invoice")

    def use_discount(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Add a discount to a draft invoice.

        Becomes a negative line; deleting it frees the discount.

        :url: POST {id}/usediscount/{discountid}
        :raises NotFound: no such invoice or discount
        :raises Refused: not a draft, or the discount is used, another third party's or more than the total
        :strict:
        :permission: pay
        """
        line = use_as_line(id, discountid)
        return action_result(lambda: invoices.read(id), lambda: line)

    # Invoices --------------------------------------------------------------------------------------------------------

    def index(self, query: ListQuery, thirdparty_ids: str = "", status: str = "") -> list[DocumentRecord]:
        """List invoices.

        :param status: only this state {@choice draft,unpaid,paid,abandoned,cancelled} {@values draft (state 0),
            unpaid (state 1), paid (state 2), abandoned (state 3), cancelled (the same as abandoned)}
        :after: thirdparties ?thirdparty_ids={id}&status=unpaid: Unpaid invoices
        """
        state = {"statut": STATUS[status]} if status else {}
        return invoices.page(query, of_thirdparties(thirdparty_ids) | state)

    def post(self, request_data: DocumentRecord) -> int:
        """Create an invoice.

        Creates a draft with your `lines` and returns its ID. For a credit note, send `type` 2, `fk_facture_source` and
        the lines to credit. `linked_objects` links other records, such as `{"commande": [12, 13]}`.

        :after: thirdparties: New invoice for this customer
        :after: invoices validated|paid ?type=2&fk_facture_source={id}&socid={socid}: Create a credit note
        """
        return invoices.create(request_data)

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Update an invoice.

        `array_options` replaces all extra fields. After validation, only notes and payment fields can change.

        :raises Refused: the invoice is validated, and other fields would change
        """
        invoices.put(id, request_data)
        return invoices.read(id)

    def create_from_order(self, orderid: int) -> DocumentRecord:
        """Create an invoice from an order.

        Creates a draft with the order's lines, notes, terms, contacts and extra fields. The order isn't marked as
        billed. If it already has an invoice, a `Warning` lists it.

        :url: POST createfromorder/{orderid}
        :raises NotFound: no such order, or you may not see it
        :raises Refused: the order is cancelled
        :after: orders validated|shipment in process|closed: Create the invoice
        :permission: orders.read and invoices.write
        """
        return invoices.create_from_order(orderid)

    def settopaid(self, id: int, close_code: str = "", close_note: str = "") -> DocumentRecord:
        """Mark an invoice as paid.

        `close_code` writes off an unpaid balance; without any payment, the invoice is abandoned.

        :url: POST {id}/settopaid
        :param close_code: discount_vat, badcustomer, bankcharge, other or abandon
        :param close_note: note {@max 128}
        :raises Refused: not validated
        :permission: pay
        """
        invoices.close(id, close_code, close_note)
        return self._acted(id)

    def settounpaid(self, id: int) -> DocumentRecord:
        """Mark an invoice as unpaid.

        Withdraws the discounts created from it. An abandoned invoice takes those that it used again.

        :url: POST {id}/settounpaid
        :raises Refused: neither paid nor abandoned, or replaced, or a discount is used
        :permission: pay
        """
        return self._act(id, "settounpaid")

    def add_contact(
        self, id: int, fk_socpeople: int, type_contact: str, source: Literal["internal", "external"], notrigger: int = 0
    ) -> DocumentRecord:
        """Add a contact or user to an invoice.

        :url: POST {id}/contacts
        :param fk_socpeople: contact ID or user ID
        :param type_contact: BILLING, SHIPPING or SERVICE; for users SALESREPFOLL
        :param source: external: contact, internal: user
        :param notrigger: no effect
        :raises 304: it has this role already
        :permission: write
        """
        invoices.add_contact(id, fk_socpeople, type_contact, source)
        return invoices.read(id)

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an invoice.

        Assigns the final reference.

        :param idwarehouse: no effect
        :raises Refused: not a draft, no lines, or it can't replace or credit its source, or exceeds it
        """
        return self._act(id, "validate")

    def qualified_for_credit_note(self, id: int) -> dict[str, Creditable]:
        """List creditable invoices of a third party.

        Returns, by ID, validated or paid invoices that aren't fully credited. A situation invoice qualifies only
        if it is the last in its series.

        :url: GET ../thirdparties/{id}/getinvoicesqualifiedforcreditnote
        :permission: read
        """
        return creditable(id)

    def qualified_for_replacement(self, id: int) -> dict[str, Replaceable]:
        """List replaceable invoices of a third party.

        Returns, by ID, validated standard invoices without payments or credit notes.

        :url: GET ../thirdparties/{id}/getinvoicesqualifiedforreplacement
        :permission: read
        """
        return replaceable(id)
