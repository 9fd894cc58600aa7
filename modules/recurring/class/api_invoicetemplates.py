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

    You can create an invoice from a template yourself, or let the server do it on a schedule. With `frequency`,
    `unit_frequency` and `date_when`, the server creates one invoice per period, in the night of the planned day.
    Suspended templates create no invoices. `problem` gives the reason if the last invoice couldn't be created.
    """

    def index(self, query: ListQuery, thirdparty_ids: str = "") -> list[TemplateRecord]:
        """List invoice templates.

        Returns each template with its lines.

        :url: GET ../invoices/templates
        :param thirdparty_ids: only those of these third parties, such as 1,2,3 {@pattern /^[0-9,]*$/}
        :permission: invoices.read
        """
        return templates.page(query, of_thirdparties(thirdparty_ids))

    def get(self, id: int, contact_list: int = 1) -> TemplateRecord:
        """Read an invoice template.

        Returns the template with its lines.

        :url: GET ../invoices/templates/{id}
        :param id: ID of the template
        :param contact_list: contacts in `contacts_ids` {@values 1 IDs, 0 objects, -1 none} {@min -1} {@max 1}
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.read
        """
        return templates.read(id, contact_list=contact_list)

    def post(self, request_data: TemplateRecord) -> int:
        """Create an invoice template.

        The template has the `lines` you send, or those of the invoice in `fk_facture`.

        :url: POST ../invoices/templates
        :raises BadRequest: missing or invalid fields in the template or a line; the response lists all of them
        :raises NotFound: a third party, product, invoice or other referenced record does not exist
        :raises Refused: the title is already used, or the invoice is not a standard invoice
        :permission: invoices.write
        """
        return templates.create(request_data)

    def create_from_invoice(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Create an invoice template from an invoice.

        Copies the third party, lines, terms, notes, contacts and extra fields of a standard invoice; lines that use a
        discount are left out. Send a `title`, and any field that differs from the invoice.

        :url: POST ../invoices/templates/createfrominvoice/{id}
        :param id: ID of the invoice
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: the title is already used, or the invoice is not a standard invoice
        :permission: invoices.write
        """
        return templates.read(templates.create_from_invoice(id, request_data))

    def put(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Update an invoice template and replace its extra fields.

        Fields you don't send stay as they are. `array_options`, if sent, replaces all extra fields. `suspended` 1
        suspends the template, and 0 resumes it. After resuming, invoices that were due are created, unless you set
        another day in `date_when`.

        :url: PUT ../invoices/templates/{id}
        :param id: ID of the template
        :raises NotFound: there is no such template, or a referenced record does not exist
        :raises Refused: the title is already used
        :permission: invoices.write
        """
        templates.change(id, request_data)
        return templates.read(id)

    def patch(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Update an invoice template.

        Fields and extra fields you don't send stay as they are.

        :url: PATCH ../invoices/templates/{id}
        :param id: ID of the template
        :raises NotFound: there is no such template, or a referenced record does not exist
        :raises Refused: the title is already used
        :permission: invoices.write
        """
        templates.change(id, request_data, merge_extras=True)
        return templates.read(id)

    def delete(self, id: int) -> Success:
        """Delete an invoice template with its lines.

        Invoices created from it stay.

        :url: DELETE ../invoices/templates/{id}
        :param id: ID of the template
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.delete
        """
        templates.delete(id)
        return success(f"{templates.noun} deleted")

    def create_invoice(self, id: int, date: day | None = None) -> InvoiceRecord:
        """Create an invoice from a template.

        Creates the invoice now. The schedule doesn't change.

        :url: POST ../invoices/templates/{id}/createinvoice
        :param id: ID of the template
        :param date: date of the invoice; today if omitted
        :raises NotFound: there is no such template, or the caller may not see it
        :raises Refused: the third party is closed, or the invoice cannot be validated
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: invoices.write
        """
        return invoices.read(make_one(id, date))

    # Lines -----------------------------------------------------------------------------------------------------------

    def get_lines(self, id: int, sqlfilters: str = "") -> list[LineRecord]:
        """List the lines of an invoice template.

        :url: GET ../invoices/templates/{id}/lines
        :param id: ID of the template
        :param sqlfilters: conditions such as (d.description:like:'a%'); d is the line, p its product
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.read
        """
        return templates.read_lines(id, sqlfilters)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> Added:
        """Add a line to an invoice template.

        You can send one line, or a list of lines: all of them are added, or none.

        :url: POST ../invoices/templates/{id}/lines
        :param id: ID of the template
        :raises NotFound: there is no such template or product
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: invoices.write
        """
        return add_lines(templates, id, request_data)

    def put_line(self, id: int, lineid: int, request_data: LineRecord) -> TemplateRecord:
        """Replace a line of an invoice template.

        Fields you don't send go back to their defaults.

        :url: PUT ../invoices/templates/{id}/lines/{lineid}
        :param id: ID of the template
        :param lineid: ID of the line
        :raises NotFound: there is no such template, or it has no such line
        :permission: invoices.write
        """
        templates.change_line(id, lineid, request_data)
        return templates.read(id)

    def patch_line(self, id: int, lineid: int, request_data: LineRecord) -> TemplateRecord:
        """Update a line of an invoice template.

        Fields you don't send stay as they are. `rang` sets the line's position.

        :url: PATCH ../invoices/templates/{id}/lines/{lineid}
        :param id: ID of the template
        :param lineid: ID of the line
        :raises NotFound: there is no such template, or it has no such line
        :permission: invoices.write
        """
        templates.change_line(id, lineid, request_data, merge=True)
        return templates.read(id)

    def delete_line(self, id: int, lineid: int) -> Annotated[Success | TemplateRecord, DELETION]:
        """Delete a line of an invoice template.

        :url: DELETE ../invoices/templates/{id}/lines/{lineid}
        :param id: ID of the template
        :param lineid: ID of the line
        :raises NotFound: there is no such template, or it has no such line
        :permission: invoices.write
        """
        templates.remove_line(id, lineid)
        return removed("Line deleted", lambda: templates.read(id))

    # Contacts --------------------------------------------------------------------------------------------------------

    def get_contacts(self, id: int, type: str = "") -> list[RoleRow]:
        """List the contacts of an invoice template.

        Invoices created from the template get the same contacts.

        :url: GET ../invoices/templates/{id}/contacts
        :param id: ID of the template
        :param type: only contacts with this role: BILLING, SHIPPING or SERVICE
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.read
        """
        return templates.read_contacts(id, type)

    def link_contact(self, id: int, contactid: int, type: str) -> TemplateRecord:
        """Add a contact to an invoice template.

        The contact gets the given role.

        :url: POST ../invoices/templates/{id}/contact/{contactid}/{type}
        :param id: ID of the template
        :param contactid: ID of the contact
        :param type: the role: BILLING, SHIPPING or SERVICE
        :raises NotFound: there is no such template, contact or role
        :raises Unchanged: the contact has this role already
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: invoices.write
        """
        templates.add_contact(id, contactid, type)
        return templates.read(id)

    def unlink_contact(self, id: int, contactid: int, type: str) -> Annotated[Success | TemplateRecord, DELETION]:
        """Remove a contact from an invoice template.

        The contact loses the given role.

        :url: DELETE ../invoices/templates/{id}/contact/{contactid}/{type}
        :param id: ID of the template
        :param contactid: ID of the contact
        :param type: the role: BILLING, SHIPPING or SERVICE
        :raises NotFound: there is no such template or role, or the contact does not have it
        :permission: invoices.write
        """
        templates.remove_contact(id, contactid, type)
        return removed("Contact unlinked", lambda: templates.read(id))
