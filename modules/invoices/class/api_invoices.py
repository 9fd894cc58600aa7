"""Invoices over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from core import CleanedBy, ListQuery

from ...answers.responses import ACTION, Success, action_result, success
from ...commercial.api import DocumentApi, DocumentRecord
from ...dictionaries.codes import id_by_code
from ...dictionaries.models import PaymentType
from ...thirdparties.contacts import of_thirdparties
from ...thirdparties.models import Discount
from ..amounts import Share, read_amounts
from ..credits import discount_from, mark_as_credit, use_as_line, use_as_payment
from ..from_orders import create_from_order
from ..invoices import invoices
from ..payments import Manner, PaidPart, pay, payments_of, renumber
from ..qualified import Creditable, Replaceable, creditable, replaceable

DiscountRecord = Annotated[dict[str, Any], Discount]
PaymentMode = Annotated[int, CleanedBy(id_by_code(PaymentType))]
#: `status` of a list → the state the invoices are in
STATUS = {"draft": 0, "unpaid": 1, "paid": 2, "abandoned": 3, "cancelled": 3}


class Invoices(DocumentApi):
    """Customer invoices of every type, and their payments.

    {states} Once an invoice is validated, only its notes and payment fields can be changed.

    Types: 0 standard, 1 replacement, 2 credit note, 3 deposit, 4 proforma, 5 situation.
    """

    documents = invoices

    # Payments and credits --------------------------------------------------------------------------------------------

    def get_payments(self, id: int) -> list[PaidPart]:
        """List the payments of an invoice.

        Discounts used as payments come last.

        :url: GET {id}/payments
        :param id: ID of the invoice
        :permission: read
        """
        return payments_of(id)

    def add_payment(
        self,
        id: int,
        datepaye: int,
        paymentid: PaymentMode,
        closepaidinvoices: Literal["yes", "no"],
        accountid: int | None = None,
        num_payment: str = "",
        comment: str = "",
        chqemetteur: str = "",
        chqbank: str = "",
    ) -> int:
        """Add a payment to an invoice.

        Pays the full remaining amount of a validated invoice; for a credit note, pays its amount back. Returns the
        payment's ID.

        :url: POST {id}/payments
        :param id: ID of the invoice
        :param datepaye: date of the payment, Unix seconds or ISO 8601 {@type timestamp} {@min 1}
        :param paymentid: mode of payment: ID or code, such as VIR {@min 1} {@example 2}
        :param closepaidinvoices: yes: mark the invoice as paid
        :param accountid: ID of the bank account; required if there is an open one {@min 1} {@example 1}
        :param num_payment: number of the payment, such as that of a cheque
        :param comment: comment
        :param chqemetteur: name of the person who issued the cheque; required for the mode CHQ
        :param chqbank: bank of the cheque
        :raises BadRequest: a value is invalid, or no amount remains to be paid
        :raises NotFound: there is no such invoice or bank account, or the caller may not see it
        :raises Refused: the invoice is not validated, or closed; the bank account is closed
        :after: invoices validated: Add a payment
        :permission: pay
        """
        details = {
            "datepaye": datepaye, "paymentid": paymentid, "accountid": accountid, "num_payment": num_payment,
            "comment": comment, "chqemetteur": chqemetteur, "chqbank": chqbank,
        }  # fmt: skip
        return pay({id: None}, details, Manner(close=closepaidinvoices == "yes"))

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

        The invoices must be validated; either all of them are paid or none. Returns the payment's ID.

        :url: POST paymentsdistributed
        :param arrayofamounts: amounts by invoice ID: {"1": {"amount": "99.99", "multicurrency_amount": ""}}, "remain"
            for what remains, or short: {"1": "99.99"}
        :param datepaye: date of the payment, Unix seconds or ISO 8601 {@type timestamp} {@min 1}
        :param paymentid: mode of payment: ID or code, such as VIR {@min 1} {@example 2}
        :param closepaidinvoices: yes: mark fully paid invoices as paid
        :param accountid: ID of the bank account; required if there is an open one {@min 1} {@example 1}
        :param num_payment: number of the payment, such as that of a cheque
        :param comment: comment
        :param chqemetteur: name of the person who issued the cheque; required for the mode CHQ
        :param chqbank: bank of the cheque
        :param ref_ext: external reference of the payment
        :param accepthigherpayment: allow amounts above the remaining amount
        :raises BadRequest: a value is invalid, or an amount is above the remaining amount
        :raises NotFound: there is no such invoice or bank account, or the caller may not see it
        :raises PreconditionFailed: `If-Match` doesn't match: an invoice has changed
        :raises Refused: an invoice is not validated, or closed; the bank account is closed
        :permission: pay
        """
        details = {
            "datepaye": datepaye, "paymentid": paymentid, "accountid": accountid, "num_payment": num_payment,
            "comment": comment, "chqemetteur": chqemetteur, "chqbank": chqbank, "ref_ext": ref_ext,
        }  # fmt: skip
        manner = Manner(close=closepaidinvoices == "yes", higher=accepthigherpayment)
        return pay(read_amounts(arrayofamounts), details, manner)

    def put_payment(self, id: int, num_payment: str = "") -> Success:
        """Update the number of a payment.

        :url: PUT payments/{id}
        :param id: ID of the payment
        :param num_payment: number of the payment, such as that of a cheque
        :raises NotFound: there is no such payment, or it pays an invoice that the caller may not see
        :permission: pay
        """
        renumber(id, num_payment)
        return success("Payment updated")

    def mark_as_credit_available(self, id: int) -> DocumentRecord:
        """Convert an invoice into a discount.

        Applies to a validated credit note, a paid deposit, or an overpayment. Creates one discount for each VAT rate,
        which the third party can use on another invoice.

        :url: POST {id}/markAsCreditAvailable
        :param id: ID of the invoice
        :raises Refused: the invoice is of another kind or state, or has already been converted
        :permission: write
        """
        mark_as_credit(id)
        return invoices.read(id)

    def get_discount(self, id: int) -> DiscountRecord:
        """Read the discount created from an invoice.

        If there are several, returns the first.

        :url: GET {id}/discount
        :param id: ID of the invoice
        :raises NotFound: there is no such invoice, or no discount came from it
        :permission: read
        """
        return discount_from(id)

    def use_credit_note(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Apply a discount to a validated invoice.

        The discount pays a part of the invoice.

        :url: POST {id}/usecreditnote/{discountid}
        :param id: ID of the invoice
        :param discountid: ID of the discount
        :raises NotFound: there is no such invoice or discount
        :raises Refused: the invoice is not validated, the discount is used or belongs to another third party, or less
            remains to be paid
        :permission: pay
        """
        use_as_payment(id, discountid)
        return action_result(lambda: invoices.read(id))

    def use_discount(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Add a discount to a draft invoice.

        The discount becomes a negative line. Deleting the line makes the discount available again.

        :url: POST {id}/usediscount/{discountid}
        :param id: ID of the invoice
        :param discountid: ID of the discount
        :raises NotFound: there is no such invoice or discount
        :raises Refused: the invoice is not a draft, or the discount is used or belongs to another third party
        :permission: pay
        """
        line = use_as_line(id, discountid)
        return action_result(lambda: invoices.read(id), lambda: line)

    # Invoices --------------------------------------------------------------------------------------------------------

    def index(self, query: ListQuery, thirdparty_ids: str = "", status: str = "") -> list[DocumentRecord]:
        """List invoices.

        Returns each invoice with its lines.

        :param status: only those in this state {@choice draft,unpaid,paid,abandoned,cancelled} {@values draft
            (state 0), unpaid (state 1), paid (state 2), abandoned (state 3), cancelled (the same)}
        :after: thirdparties ?thirdparty_ids={id}&status=unpaid: Unpaid invoices
        """
        state = {"statut": STATUS[status]} if status else {}
        return invoices.page(query, of_thirdparties(thirdparty_ids) | state)

    def post(self, request_data: DocumentRecord) -> int:
        """Create an invoice.

        The invoice is a draft with the `lines` you send. Returns the invoice's ID.

        `linked_objects` links it to other records: {"commande": 12} or {"commande": [12, 13]}.

        :after: thirdparties: New invoice for this customer
        :after: invoices validated|paid ?type=2&fk_facture_source={id}&socid={socid}: Create a credit note
        """
        return invoices.create(request_data)

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Update an invoice and replace its extra fields.

        Fields you don't send stay as they are. `array_options`, if sent, replaces all extra fields. Once the invoice is
        validated, only its notes and payment fields can be changed.

        :raises Refused: the invoice is validated, and other fields would change; the response lists all of them
        """
        invoices.put(id, request_data)
        return invoices.read(id)

    def create_from_order(self, orderid: int) -> DocumentRecord:
        """Create an invoice from an order.

        The invoice is a draft of today with the order's lines, notes, terms, contacts and extra fields. The order
        doesn't change, and isn't marked as billed.

        :url: POST createfromorder/{orderid}
        :param orderid: ID of the order
        :raises BadRequest: the order is missing
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: the order is cancelled
        :after: orders validated|shipment in process|closed: Create the invoice
        :permission: orders.read and invoices.write
        """
        return create_from_order(orderid)

    def settopaid(self, id: int, close_code: str = "", close_note: str = "") -> DocumentRecord:
        """Mark an invoice as paid.

        Closes a validated invoice. `close_code` gives the reason for writing off an unpaid balance.

        :url: POST {id}/settopaid
        :param id: ID of the invoice
        :param close_code: discount_vat, badcustomer, bankcharge, other or abandon; without any payment, the invoice is
            abandoned
        :param close_note: comment {@max 128}
        :raises BadRequest: there is no such code
        :raises Refused: it is not validated
        :permission: pay
        """
        invoices.close(id, close_code, close_note)
        return invoices.answer(id)

    def settounpaid(self, id: int) -> DocumentRecord:
        """Mark an invoice as unpaid.

        Reopens a paid or abandoned invoice and withdraws the discounts that came from it.

        :url: POST {id}/settounpaid
        :param id: ID of the invoice
        :raises Refused: it is neither paid nor abandoned, has been replaced, or a discount from it has been used
        :permission: pay
        """
        return self._act(id, "settounpaid")

    def add_contact(
        self, id: int, fk_socpeople: int, type_contact: str, source: Literal["internal", "external"], notrigger: int = 0
    ) -> DocumentRecord:
        """Add a contact or user to an invoice.

        The contact or user gets the given role.

        :url: POST {id}/contacts
        :param id: ID of the invoice
        :param fk_socpeople: ID of the contact, or of the user if the source is internal
        :param type_contact: the role: BILLING, SHIPPING or SERVICE, of a user SALESREPFOLL
        :param source: external: a contact, internal: a user
        :param notrigger: no effect, kept for compatibility
        :raises NotFound: there is no such invoice, contact, user or role
        :raises Unchanged: the person has this role already
        :permission: write
        """
        invoices.add_contact(id, fk_socpeople, type_contact, source)
        return invoices.read(id)

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an invoice.

        Assigns the final reference to a draft.

        :param idwarehouse: no effect, kept for compatibility
        :raises Refused: it is not a draft, has no lines, or what it replaces or credits cannot be
        """
        return self._act(id, "validate")

    def qualified_for_credit_note(self, id: int) -> dict[str, Creditable]:
        """List creditable invoices of a third party.

        Returns, by ID, the invoices for which you can create a credit note: validated or paid, and not fully credited.
        In a series of situation invoices, only the last one qualifies. Validating a credit note applies the same rule.

        :url: GET ../thirdparties/{id}/getinvoicesqualifiedforcreditnote
        :param id: ID of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: read
        """
        return creditable(id)

    def qualified_for_replacement(self, id: int) -> dict[str, Replaceable]:
        """List replaceable invoices of a third party.

        Returns, by ID, the invoices that you can replace: standard, validated, without payments or credit notes.
        Validating a replacement applies the same rule.

        :url: GET ../thirdparties/{id}/getinvoicesqualifiedforreplacement
        :param id: ID of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: read
        """
        return replaceable(id)
