"""Templates of invoices over HTTP, below the invoices."""

from __future__ import annotations

from datetime import date as day
from typing import Annotated, Any

from core import Api, ListQuery, Part

from ...answers.responses import DELETION, Success, removed, success
from ...commercial.api import Added, add_lines
from ...commercial.shapes import RoleRow
from ...invoices.invoices import invoices
from ...invoices.models import Invoice, InvoiceLine
from ...thirdparties.contacts import of_thirdparties
from ..making import make_one
from ..models import Template, TemplateLine
from ..templates import templates

TemplateRecord = Annotated[dict[str, Any], Template, Part("lines", TemplateLine)]
LineRecord = Annotated[dict[str, Any], TemplateLine]
InvoiceRecord = Annotated[dict[str, Any], Invoice, Part("lines", InvoiceLine)]


class InvoiceTemplates(Api):
    """Templates for recurring invoices.

    With `frequency`, `unit_frequency` and `date_when`, the server creates one invoice per period, in the night of the
    planned day. Suspended templates create no invoices. `problem` is the reason if the last one failed.
    """

    def index(self, query: ListQuery, thirdparty_ids: str = "") -> list[TemplateRecord]:
        """List invoice templates.

        :url: GET ../invoices/templates
        :param thirdparty_ids: only of these third parties {@pattern /^[0-9,]*$/}
        :permission: invoices.read
        """
        return templates.page(query, of_thirdparties(thirdparty_ids))

    def get(self, id: int, contact_list: int = 1) -> TemplateRecord:
        """Read an invoice template.

        :url: GET ../invoices/templates/{id}
        :param contact_list: contacts in `contacts_ids` {@values 1 IDs, 0 objects, -1 none} {@min -1} {@max 1}
        :permission: invoices.read
        """
        return templates.read(id, contact_list=contact_list)

    def post(self, request_data: TemplateRecord) -> int:
        """Create an invoice template.

        Takes your `socid` and `lines`, or those of the invoice `fk_facture`. Returns its ID.

        :url: POST ../invoices/templates
        :raises NotFound: a referenced record does not exist
        :raises Refused: the title is already used, or the invoice is not standard
        :permission: invoices.write
        """
        return templates.create(request_data)

    def create_from_invoice(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Create an invoice template from an invoice.

        Copies third party, lines, terms, notes, contacts and extra fields, except lines that use a discount. Send a
        `title`, and any field that differs, such as `socid`.

        :url: POST ../invoices/templates/createfrominvoice/{id}
        :raises Refused: the title is already used, or the invoice is not standard
        :after: invoices: Make it recurring
        :after: invoices type=0
        :permission: invoices.write
        """
        return templates.read(templates.create_from_invoice(id, request_data))

    def put(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Update an invoice template.

        `array_options` replaces all extra fields. `suspended` 1 suspends the template, 0 resumes it. Resuming creates
        the invoices that were due, unless you change `date_when`.

        :url: PUT ../invoices/templates/{id}
        :raises Refused: the title is already used
        :permission: invoices.write
        """
        templates.change(id, request_data)
        return templates.read(id)

    def patch(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Change some fields of an invoice template.

        Extra fields you don't send stay.

        :url: PATCH ../invoices/templates/{id}
        :raises Refused: the title is already used
        :permission: invoices.write
        """
        templates.change(id, request_data, merge_extras=True)
        return templates.read(id)

    def delete(self, id: int) -> Success:
        """Delete an invoice template.

        Invoices created from it stay.

        :url: DELETE ../invoices/templates/{id}
        :permission: invoices.delete
        """
        templates.delete(id)
        return success(f"{templates.noun} deleted")

    def create_invoice(self, id: int, date: day | None = None) -> InvoiceRecord:
        """Create an invoice from a template.

        The schedule doesn't change.

        :url: POST ../invoices/templates/{id}/createinvoice
        :param date: invoice date; default: today
        :raises Refused: the third party is closed, or validation fails
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: invoices.write
        """
        return invoices.read(make_one(id, date))

    # Lines -----------------------------------------------------------------------------------------------------------

    def get_lines(self, id: int, sqlfilters: str = "") -> list[LineRecord]:
        """List invoice template lines.

        :url: GET ../invoices/templates/{id}/lines
        :param sqlfilters: such as (d.description:like:'a%'); `p.` is the product
        :permission: invoices.read
        """
        return templates.read_lines(id, sqlfilters)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> Added:
        """Add a line to an invoice template.

        Send one line or a list: all are added, or none.

        :url: POST ../invoices/templates/{id}/lines
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: invoices.write
        """
        return add_lines(templates, id, request_data)

    def put_line(self, id: int, lineid: int, request_data: LineRecord) -> TemplateRecord:
        """Replace an invoice template line.

        Fields you don't send get their defaults.

        :url: PUT ../invoices/templates/{id}/lines/{lineid}
        :permission: invoices.write
        """
        templates.change_line(id, lineid, request_data)
        return templates.read(id)

    def patch_line(self, id: int, lineid: int, request_data: LineRecord) -> TemplateRecord:
        """Change some fields of an invoice template line.

        `rang` sets the position.

        :url: PATCH ../invoices/templates/{id}/lines/{lineid}
        :permission: invoices.write
        """
        templates.change_line(id, lineid, request_data, merge=True)
        return templates.read(id)

    def delete_line(self, id: int, lineid: int) -> Annotated[Success | TemplateRecord, DELETION]:
        """Delete an invoice template line.

        :url: DELETE ../invoices/templates/{id}/lines/{lineid}
        :permission: invoices.write
        """
        templates.remove_line(id, lineid)
        return removed("Line deleted", lambda: templates.read(id))

    # Contacts --------------------------------------------------------------------------------------------------------

    def get_contacts(self, id: int, type: str = "") -> list[RoleRow]:
        """List the contacts of an invoice template.

        New invoices get the same contacts.

        :url: GET ../invoices/templates/{id}/contacts
        :param type: only BILLING, SHIPPING or SERVICE
        :permission: invoices.read
        """
        return templates.read_contacts(id, type)

    def link_contact(self, id: int, contactid: int, type: str) -> TemplateRecord:
        """Add a contact to an invoice template.

        :url: POST ../invoices/templates/{id}/contact/{contactid}/{type}
        :param type: BILLING, SHIPPING or SERVICE
        :raises 304: it has this role already
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: invoices.write
        """
        templates.add_contact(id, contactid, type)
        return templates.read(id)

    def unlink_contact(self, id: int, contactid: int, type: str) -> Annotated[Success | TemplateRecord, DELETION]:
        """Remove a contact from an invoice template.

        :url: DELETE ../invoices/templates/{id}/contact/{contactid}/{type}
        :param type: BILLING, SHIPPING or SERVICE
        :permission: invoices.write
        """
        templates.remove_contact(id, contactid, type)
        return removed("Contact unlinked", lambda: templates.read(id))
