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
        """List the payments of an invoice; discounts that pay it follow behind the payments.

        :url: GET {id}/payments
        :param id: row identifier of the invoice
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
        """Take a payment of an invoice: pay what remains of a validated one; answers the identifier of the payment.

        What a credit note comes to is paid back.

        :url: POST {id}/payments
        :param id: row identifier of the invoice
        :param datepaye: when it was paid, Unix seconds {@type timestamp} {@min 1}
        :param paymentid: mode of payment {@min 1} {@example 2}
        :param closepaidinvoices: yes: the invoice becomes paid
        :param accountid: bank account; needed once there is an open one {@min 1} {@example 1}
        :param num_payment: number of the payment, such as that of a cheque
        :param comment: what is to be said of it
        :param chqemetteur: who drew the cheque; needed when the mode is CHQ
        :param chqbank: bank of the cheque
        :raises BadRequest: a value does not fit, or nothing remains to be paid
        :raises NotFound: there is no such invoice or bank account, or the caller may not see it
        :raises Refused: the invoice is not validated, or closed; the bank account is closed
        :raises PreconditionFailed: `If-Match` names another state of the record
        :after: invoices validated: Take a payment
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
        """Spread one payment over several validated invoices, all or none; answers its identifier.

        :url: POST paymentsdistributed
        :param arrayofamounts: amounts by invoice: {"1": {"amount": "99.99", "multicurrency_amount": ""}}, "remain"
            for what remains, or short {"1": "99.99"}
        :param datepaye: when it was paid, Unix seconds {@type timestamp} {@min 1}
        :param paymentid: mode of payment {@min 1} {@example 2}
        :param closepaidinvoices: yes: invoices that are paid completely become paid
        :param accountid: bank account; needed once there is an open one {@min 1} {@example 1}
        :param num_payment: number of the payment, such as that of a cheque
        :param comment: what is to be said of it
        :param chqemetteur: who drew the cheque; needed when the mode is CHQ
        :param chqbank: bank of the cheque
        :param ref_ext: reference of the payment in another system
        :param accepthigherpayment: an amount may be more than what remains
        :raises BadRequest: a value does not fit, or an amount is more than what remains
        :raises NotFound: there is no such invoice or bank account, or the caller may not see it
        :raises PreconditionFailed: an invoice is no longer the one that `If-Match` names
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
        """Change the number of a payment.

        :url: PUT payments/{id}
        :param id: row identifier of the payment
        :param num_payment: number of the payment, such as that of a cheque
        :raises NotFound: there is no such payment, or it pays an invoice that the caller may not see
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: pay
        """
        renumber(id, num_payment)
        return success("Payment updated")

    def mark_as_credit_available(self, id: int) -> DocumentRecord:
        """Make a discount of an invoice: of a validated credit note, a paid deposit, or what was paid too much.

        The third party may use it on another invoice; one discount is made for each rate of VAT.

        :url: POST {id}/markAsCreditAvailable
        :param id: row identifier of the invoice
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is none of these, or has been made a discount before
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        mark_as_credit(id)
        return self.documents.read(id)

    def get_discount(self, id: int) -> DiscountRecord:
        """Read the discount from an invoice; the first one, if there are several.

        :url: GET {id}/discount
        :param id: row identifier of the invoice
        :raises NotFound: there is no such invoice, or no discount came from it
        :permission: read
        """
        return discount_from(id)

    def use_credit_note(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Let a discount pay a part of a validated invoice.

        :url: POST {id}/usecreditnote/{discountid}
        :param id: row identifier of the invoice
        :param discountid: row identifier of the discount
        :raises NotFound: there is no such invoice or discount
        :raises Refused: the invoice is not validated, the discount is used or another's, or less remains to be paid
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: pay
        """
        use_as_payment(id, discountid)
        return acted(lambda: self.documents.read(id))

    def use_discount(self, id: int, discountid: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Let a discount be a negative line of a draft. Deleting the line frees it.

        :url: POST {id}/usediscount/{discountid}
        :param id: row identifier of the invoice
        :param discountid: row identifier of the discount
        :raises NotFound: there is no such invoice or discount
        :raises Refused: the invoice is no draft, or the discount is used or another's
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: pay
        """
        line = use_as_line(id, discountid)
        return acted(lambda: self.documents.read(id), lambda: line)
