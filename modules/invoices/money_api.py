"""What moves money around invoices, over HTTP: payments, credit notes, deposits, discounts."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from ..answers.deeds import ACTION, Success, acted, success
from ..commercial.api import DocumentApi, DocumentRecord
from ..thirdparties.models import Discount
from .amounts import Share, read_amounts
from .credits import discount_from, mark_as_credit, use_as_line, use_as_payment
from .payments import Manner, PaidPart, pay, payments_of, renumber

DiscountRecord = Annotated[dict[str, Any], Discount]


class MoneyApi(DocumentApi):
    """Payments of invoices, and credits."""

    def get_payments(self, id: int) -> list[PaidPart]:
        """List the payments of an invoice.

        Discounts used as payments come last.

        :url: GET {id}/payments
        :param id: ID of the invoice
        :raises NotFound: there is no such invoice, or the caller may not see it
        :permission: read
        """
        return payments_of(id)

    def add_payment(
        self,
        id: int,
        datepaye: int,
        paymentid: int,
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
        :param datepaye: date of the payment, Unix seconds {@type timestamp} {@min 1}
        :param paymentid: mode of payment {@min 1} {@example 2}
        :param closepaidinvoices: yes: mark the invoice as paid
        :param accountid: ID of the bank account; required if there is an open one {@min 1} {@example 1}
        :param num_payment: number of the payment, such as that of a cheque
        :param comment: comment
        :param chqemetteur: name of the person who issued the cheque; required for the mode CHQ
        :param chqbank: bank of the cheque
        :raises BadRequest: a value is invalid, or no amount remains to be paid
        :raises NotFound: there is no such invoice or bank account, or the caller may not see it
        :raises Refused: the invoice is not validated, or closed; the bank account is closed
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
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
        paymentid: int,
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
        :param datepaye: date of the payment, Unix seconds {@type timestamp} {@min 1}
        :param paymentid: mode of payment {@min 1} {@example 2}
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
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
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
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is none of these, or it has already been converted
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: write
        """
        mark_as_credit(id)
        return self.documents.read(id)

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
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: pay
        """
        use_as_payment(id, discountid)
        return acted(lambda: self.documents.read(id))

    def use_discount(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Add a discount to a draft invoice.

        The discount becomes a negative line. Deleting the line makes the discount available again.

        :url: POST {id}/usediscount/{discountid}
        :param id: ID of the invoice
        :param discountid: ID of the discount
        :raises NotFound: there is no such invoice or discount
        :raises Refused: the invoice is not a draft, or the discount is used or belongs to another third party
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: pay
        """
        line = use_as_line(id, discountid)
        return acted(lambda: self.documents.read(id), lambda: line)
