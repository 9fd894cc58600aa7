"""Templates of invoices over HTTP, below the invoices."""

from __future__ import annotations

from datetime import date as day
from typing import Annotated, Any

from core import Api, ListQuery, Part

from ...answers.deeds import DELETION, Success, removed, success
from ...commercial.document.lines_body import Added, add_lines
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
    """Templates of invoices: an invoice is made of one by hand, or again and again by the clock.

    With `frequency`, `unit_frequency` and `date_when` an invoice is made in the night of each day that is planned, once
    a period; of `suspended` ones none is. `problem` says why the last one could not be made.
    """

    def index(self, query: ListQuery, thirdparty_ids: str = "") -> list[TemplateRecord]:
        """List templates of invoices with their lines.

        :url: GET ../invoices/templates
        :param thirdparty_ids: only those of these third parties, such as 1,2,3 {@pattern /^[0-9,]*$/}
        :permission: invoices.read
        """
        return templates.page(query, of_thirdparties(thirdparty_ids))

    def get(self, id: int, contact_list: int = 1) -> TemplateRecord:
        """Read a template of invoices with its lines.

        :url: GET ../invoices/templates/{id}
        :param id: row identifier of the template
        :param contact_list: contacts in `contacts_ids` {@values 1 identifiers, 0 objects, -1 none} {@min -1} {@max 1}
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.read
        """
        return templates.read(id, contact_list=contact_list)

    def post(self, request_data: TemplateRecord) -> int:
        """Create a template of invoices, with `lines` of its own, or with those of the invoice that `fk_facture` names.

        :url: POST ../invoices/templates
        :raises BadRequest: fields are missing or do not fit, of the template or of a line; all of them are named
        :raises NotFound: a third party, product, invoice or other record that is named does not exist
        :raises Refused: the title is used, or the invoice is no standard one
        :permission: invoices.write
        """
        return templates.create(request_data)

    def create_from_invoice(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Make a template from a standard invoice: its third party, lines, terms, notes, contacts and extra fields.

        Give it a `title`, and whatever is to be another than in the invoice. Lines that use a discount are left out.

        :url: POST ../invoices/templates/createfrominvoice/{id}
        :param id: row identifier of the invoice
        :raises BadRequest: fields are missing or do not fit; all of them are named
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: the title is used, or the invoice is no standard one
        :permission: invoices.write
        """
        return templates.read(templates.create_from_invoice(id, request_data))

    def put(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Change a template: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        `suspended` 1 suspends it, 0 lets it go on: invoices that would have been due meanwhile are made then, unless
        `date_when` names another day.

        :url: PUT ../invoices/templates/{id}
        :param id: row identifier of the template
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such template, or a record that is named does not exist
        :raises Refused: the title is used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.change(id, request_data)
        return templates.read(id)

    def patch(self, id: int, request_data: TemplateRecord) -> TemplateRecord:
        """Change a template: the fields that are sent, extra fields one by one.

        :url: PATCH ../invoices/templates/{id}
        :param id: row identifier of the template
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such template, or a record that is named does not exist
        :raises Refused: the title is used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.change(id, request_data, merge_extras=True)
        return templates.read(id)

    def delete(self, id: int) -> Success:
        """Delete a template with its lines; the invoices that were made of it stay.

        :url: DELETE ../invoices/templates/{id}
        :param id: row identifier of the template
        :raises NotFound: there is no such template, or the caller may not see it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.delete
        """
        templates.delete(id)
        return success(f"{templates.noun} deleted")

    def create_invoice(self, id: int, date: day | None = None) -> InvoiceRecord:
        """Make an invoice from a template now, whatever is planned; the plan stays as it is.

        :url: POST ../invoices/templates/{id}/createinvoice
        :param id: row identifier of the template
        :param date: the day it bears; today when none is given
        :raises NotFound: there is no such template, or the caller may not see it
        :raises Refused: the third party is closed, or the invoice cannot be validated
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        return invoices.read(make_one(id, date))

    # Lines -----------------------------------------------------------------------------------------------------------

    def get_lines(self, id: int, sqlfilters: str = "") -> list[LineRecord]:
        """List the lines of a template.

        :url: GET ../invoices/templates/{id}/lines
        :param id: row identifier of the template
        :param sqlfilters: conditions such as (d.description:like:'a%'); d is the line, p its product
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.read
        """
        return templates.line_editor.list(id, sqlfilters)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> Added:
        """Add a line to a template, or a list of lines, of which all are added or none.

        :url: POST ../invoices/templates/{id}/lines
        :param id: row identifier of the template
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such template or product
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        return add_lines(templates.line_editor, id, request_data)

    def put_line(self, id: int, lineid: int, request_data: LineRecord) -> TemplateRecord:
        """Replace a line of a template: what is not sent goes back to its default.

        :url: PUT ../invoices/templates/{id}/lines/{lineid}
        :param id: row identifier of the template
        :param lineid: row identifier of the line
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such template, or it has no such line
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.line_editor.change(id, lineid, request_data)
        return templates.read(id)

    def patch_line(self, id: int, lineid: int, request_data: LineRecord) -> TemplateRecord:
        """Change a line of a template: the fields that are sent; `rang` moves it.

        :url: PATCH ../invoices/templates/{id}/lines/{lineid}
        :param id: row identifier of the template
        :param lineid: row identifier of the line
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such template, or it has no such line
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.line_editor.change(id, lineid, request_data, merge=True)
        return templates.read(id)

    def delete_line(self, id: int, lineid: int) -> Annotated[Success | TemplateRecord, DELETION]:
        """Delete a line of a template.

        :url: DELETE ../invoices/templates/{id}/lines/{lineid}
        :param id: row identifier of the template
        :param lineid: row identifier of the line
        :raises NotFound: there is no such template, or it has no such line
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.line_editor.remove(id, lineid)
        return removed("Line deleted", lambda: templates.read(id))

    # Contacts --------------------------------------------------------------------------------------------------------

    def get_contacts(self, id: int, type: str = "") -> list[RoleRow]:
        """List the contacts with a role in a template; its invoices have them, too.

        :url: GET ../invoices/templates/{id}/contacts
        :param id: row identifier of the template
        :param type: only those with this role: BILLING, SHIPPING or SERVICE
        :raises NotFound: there is no such template, or the caller may not see it
        :permission: invoices.read
        """
        return templates.people.of(id, type)

    def link_contact(self, id: int, contactid: int, type: str) -> TemplateRecord:
        """Give a contact a role in a template.

        :url: POST ../invoices/templates/{id}/contact/{contactid}/{type}
        :param id: row identifier of the template
        :param contactid: row identifier of the contact
        :param type: the role: BILLING, SHIPPING or SERVICE
        :raises NotFound: there is no such template, contact or role
        :raises Unchanged: the contact has this role already
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.people.give_role(id, contactid, type)
        return templates.read(id)

    def unlink_contact(self, id: int, contactid: int, type: str) -> Annotated[Success | TemplateRecord, DELETION]:
        """Take a role in a template from a contact.

        :url: DELETE ../invoices/templates/{id}/contact/{contactid}/{type}
        :param id: row identifier of the template
        :param contactid: row identifier of the contact
        :param type: the role: BILLING, SHIPPING or SERVICE
        :raises NotFound: there is no such template or role, or the contact does not have it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: invoices.write
        """
        templates.people.take_role(id, contactid, type)
        return removed("Contact unlinked", lambda: templates.read(id))
