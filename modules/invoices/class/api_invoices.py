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
    """Customer invoices of all kinds, and what is paid of them.

    {states} Of an invoice
    that is no draft only notes and payment fields change.

    Types: 0 standard, 1 replacement, 2 credit note, 3 deposit, 4 proforma, 5 situation.
    """

    noun = "invoice"
    model = Invoice
    line = InvoiceLine
    documents = invoices

    def index(self, query: ListQuery, thirdparty_ids: str = "", status: str = "") -> list[DocumentRecord]:
        """List invoices with their lines.

        :param thirdparty_ids: only those of these third parties, such as 1,2,3 {@pattern /^[0-9,]*$/}
        :param status: only those in this state {@choice draft,unpaid,paid,cancelled}
        :after: thirdparties ?thirdparty_ids={id}&status=unpaid: Their unpaid invoices
        :permission: read
        """
        state = {"statut": STATUS[status]} if status else {}
        return invoices.page(query, of_thirdparties(thirdparty_ids) | state)

    def post(self, request_data: DocumentRecord) -> int:
        """Create an invoice as a draft, with the `lines` that are sent; answers its identifier.

        `linked_objects` links it with others: {"commande": 12} or {"commande": [12, 13]}.

        :raises BadRequest: fields are missing or do not fit, of the invoice or of a line; all of them are named
        :raises NotFound: a third party, product or other record that is named does not exist
        :after: thirdparties: New invoice for this customer
        :after: invoices validated|paid ?type=2&fk_facture_source={id}&socid={socid}: Credit note
        :permission: write
        """
        return invoices.create(request_data)

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Change an invoice: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        Of an invoice that is no draft only notes and payment fields change.

        :param id: row identifier of the invoice
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such invoice, or a record that is named does not exist
        :raises Refused: another field of an invoice that is no draft would change; all of them are named
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        invoices.put(id, request_data)
        return invoices.read(id)

    def create_from_order(self, orderid: int) -> DocumentRecord:
        """Create an invoice from an order: a draft of today with its lines, notes, terms, contacts and extra fields.

        The order stays as it is; it is not marked as billed.

        :url: POST createfromorder/{orderid}
        :param orderid: row identifier of the order
        :raises BadRequest: no order is named
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: the order is cancelled
        :after: orders validated|shipment in process|closed: Invoice this
        :permission: orders.read and invoices.write
        """
        return create_from_order(orderid)

    def settopaid(self, id: int, close_code: str = "", close_note: str = "") -> DocumentRecord:
        """Mark an invoice as paid: close a validated one, or give up what remains of it where a code says why.

        :url: POST {id}/settopaid
        :param id: row identifier of the invoice
        :param close_code: discount_vat, badcustomer, bankcharge, other or abandon; when nothing has been paid, the
            invoice is abandoned
        :param close_note: what is to be said of it {@max 128}
        :raises BadRequest: there is no such code
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is not validated
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: pay
        """
        invoices.close(id, close_code, close_note)
        return invoices.answer(id)

    def settounpaid(self, id: int) -> DocumentRecord:
        """Mark an invoice as unpaid: open a paid or abandoned one again; discounts that came from it are taken back.

        :url: POST {id}/settounpaid
        :param id: row identifier of the invoice
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is neither paid nor abandoned, has been replaced, or a discount from it has been used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: pay
        """
        return self._act(id, "settounpaid")

    def add_contact(
        self, id: int, fk_socpeople: int, type_contact: str, source: Literal["internal", "external"], notrigger: int = 0
    ) -> DocumentRecord:
        """Give a contact or a user a role in an invoice.

        :url: POST {id}/contacts
        :param id: row identifier of the invoice
        :param fk_socpeople: row identifier of the contact, of the user when the source is internal
        :param type_contact: the role: BILLING, SHIPPING or SERVICE, of a user SALESREPFOLL
        :param source: external: a contact, internal: a user
        :param notrigger: not used
        :raises NotFound: there is no such invoice, contact, user or role
        :raises Unchanged: the person has this role already
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        invoices.people.give_role(id, fk_socpeople, type_contact, source)
        return invoices.read(id)

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an invoice, a draft: it gets its final reference.

        :url: POST {id}/validate
        :param id: row identifier of the invoice
        :param notrigger: not used
        :param idwarehouse: not used
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: it is no draft, has no lines, or what it replaces or credits cannot be
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: validate
        """
        return self._act(id, "validate")

    def qualified_for_credit_note(self, id: int) -> dict[str, Creditable]:
        """List invoices open for a credit note: those of a third party of which one can be made, by identifier.

        They are validated or paid, not credited wholly, and of situations the last. A credit note that names what it
        credits is validated by the same rule.

        :url: GET ../thirdparties/{id}/getinvoicesqualifiedforcreditnote
        :param id: row identifier of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: read
        """
        return creditable(id)

    def qualified_for_replacement(self, id: int) -> dict[str, Replaceable]:
        """List invoices open for replacement: those of a third party that can be replaced, by identifier.

        They are standard ones, validated, with nothing paid and no credit note: the rule by which a replacement is
        validated.

        :url: GET ../thirdparties/{id}/getinvoicesqualifiedforreplacement
        :param id: row identifier of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: read
        """
        return replaceable(id)
