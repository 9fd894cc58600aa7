"""Invoices over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from typing import Literal

from core import ListQuery

from ...commercial.api import DocumentRecord
from ...thirdparties.contacts import of_thirdparties
from ..from_orders import create_from_order
from ..invoices import invoices
from ..models import Invoice, InvoiceLine
from ..money_api import MoneyApi
from ..qualified import Creditable, Replaceable, creditable, replaceable

#: `status` of a list → the state the invoices are in
STATUS = {"draft": 0, "unpaid": 1, "paid": 2, "cancelled": 3}


class Invoices(MoneyApi):
    """Customer invoices of every type, and their payments.

    {states} Once an invoice is validated, only its notes and payment fields can be changed.

    Types: 0 standard, 1 replacement, 2 credit note, 3 deposit, 4 proforma, 5 situation.
    """

    noun = "invoice"
    model = Invoice
    line = InvoiceLine
    documents = invoices

    def index(self, query: ListQuery, thirdparty_ids: str = "", status: str = "") -> list[DocumentRecord]:
        """List invoices.

        Returns each invoice with its lines.

        :param thirdparty_ids: only those of these third parties, such as 1,2,3 {@pattern /^[0-9,]*$/}
        :param status: only those in this state {@choice draft,unpaid,paid,cancelled} {@values draft (state 0),
            unpaid (state 1), paid (state 2), cancelled (state 3; abandoned)}
        :after: thirdparties ?thirdparty_ids={id}&status=unpaid: Unpaid invoices
        :permission: read
        """
        state = {"statut": STATUS[status]} if status else {}
        return invoices.page(query, of_thirdparties(thirdparty_ids) | state)

    def post(self, request_data: DocumentRecord) -> int:
        """Create an invoice.

        The invoice is a draft with the `lines` you send. Returns the invoice's ID.

        `linked_objects` links it to other records: {"commande": 12} or {"commande": [12, 13]}.

        :raises BadRequest: missing or invalid fields in the invoice or a line; the response lists all of them
        :raises NotFound: a third party, product or other referenced record does not exist
        :after: thirdparties: New invoice for this customer
        :after: invoices validated|paid ?type=2&fk_facture_source={id}&socid={socid}: Create a credit note
        :permission: write
        """
        return invoices.create(request_data)

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Update an invoice and replace its extra fields.

        Fields you don't send stay as they are. `array_options`, if sent, replaces all extra fields. Once the invoice is
        validated, only its notes and payment fields can be changed.

        :param id: ID of the invoice
        :raises BadRequest: invalid fields; the response lists all of them
        :raises NotFound: there is no such invoice, or a referenced record does not exist
        :raises Refused: the invoice is validated, and other fields would change; the response lists all of them
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: write
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
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is not validated
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: pay
        """
        invoices.close(id, close_code, close_note)
        return invoices.answer(id)

    def settounpaid(self, id: int) -> DocumentRecord:
        """Mark an invoice as unpaid.

        Reopens a paid or abandoned invoice and withdraws the discounts that came from it.

        :url: POST {id}/settounpaid
        :param id: ID of the invoice
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is neither paid nor abandoned, has been replaced, or a discount from it has been used
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
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
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: write
        """
        invoices.people.give_role(id, fk_socpeople, type_contact, source)
        return invoices.read(id)

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an invoice.

        Assigns the final reference to a draft.

        :url: POST {id}/validate
        :param id: ID of the invoice
        :param notrigger: no effect, kept for compatibility
        :param idwarehouse: no effect, kept for compatibility
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is not a draft, has no lines, or what it replaces or credits cannot be
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: validate
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
