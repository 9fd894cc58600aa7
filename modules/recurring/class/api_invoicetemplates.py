"""Templates of invoices over HTTP, below the invoices."""

from __future__ import annotations

from datetime import date as day
from typing import Annotated, Any

from core import Part

from ...commercial.api import DocumentRecord, LineRecord, PlainDocumentApi
from ...commercial.shapes import RoleRow
from ...invoices.invoices import invoices
from ...invoices.models import Invoice, InvoiceLine
from ...setup.responses import DELETION, Success
from ..making import make_one
from ..templates import templates

InvoiceRecord = Annotated[dict[str, Any], Invoice, Part("lines", InvoiceLine)]


class InvoiceTemplates(PlainDocumentApi):
    """Templates for recurring invoices.

    With `frequency`, `unit_frequency` and `date_when`, the server creates one invoice per period, in the night of the
    planned day. Suspended templates create no invoices. `problem` is the reason if the last one failed.
    """

    path = "invoices/templates"
    documents = templates
    noun = "invoice template"
    without = ("get_by_ref", "get_by_ref_ext", "get_pdf", "validate", "settodraft")
    refusals = {
        "post": "the title is already used, or the invoice is not standard",
        "put patch": "the title is already used",
        "delete add_lines put_line patch_line delete_line": "",
    }

    def post(self, request_data: DocumentRecord) -> int:
        """Create an invoice template.

        Takes your `socid` and `lines`, or those of the invoice `fk_facture`. Returns its ID.
        """
        return templates.create(request_data)

    def create_from_invoice(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Create an invoice template from an invoice.

        Copies third party, lines, terms, notes, contacts and extra fields, except lines that use a discount. Send a
        `title`, and any field that differs, such as `socid`.

        :url: POST createfrominvoice/{id}
        :raises Refused: the title is already used, or the invoice is not standard
        :after: invoices: Make it recurring
        :after: invoices type=0
        :permission: write
        """
        return templates.read(templates.create_from_invoice(id, request_data))

    def put(self, id: int, request_data: DocumentRecord) -> DocumentRecord:
        """Update an invoice template.

        `array_options` replaces all extra fields. `suspended` 1 suspends the template, 0 resumes it. Resuming creates
        the invoices that were due, unless you change `date_when`.
        """
        templates.change(id, request_data)
        return templates.read(id)

    def delete(self, id: int) -> Success:
        """Delete an invoice template.

        Invoices created from it stay.
        """
        return super().delete(id)

    def create_invoice(self, id: int, date: day | None = None) -> InvoiceRecord:
        """Create an invoice from a template.

        The schedule doesn't change.

        :url: POST {id}/createinvoice
        :param date: invoice date; default: today
        :raises Refused: the third party is closed, or validation fails
        :permission: write
        """
        return invoices.read(make_one(id, date))

    def put_line(self, id: int, lineid: int, request_data: LineRecord) -> DocumentRecord:
        """Replace an invoice template line.

        Fields you don't send get their defaults.
        """
        return super().put_line(id, lineid, request_data)

    def get_contacts(self, id: int, type: str = "") -> list[RoleRow]:
        """List the contacts of an invoice template.

        New invoices get the same contacts.

        :param type: only BILLING, SHIPPING or SERVICE
        """
        return super().get_contacts(id, type)

    def link_contact(self, id: int, contactid: int, type: str) -> DocumentRecord:
        """Add a contact to an invoice template.

        :param contactid: contact ID
        :param type: BILLING, SHIPPING or SERVICE
        """
        templates.add_contact(id, contactid, type)
        return templates.read(id)

    def unlink_contact(self, id: int, contactid: int, type: str) -> Annotated[Success | DocumentRecord, DELETION]:
        """Remove a contact from an invoice template.

        :param contactid: contact ID
        :param type: BILLING, SHIPPING or SERVICE
        """
        return super().unlink_contact(id, contactid, type)
