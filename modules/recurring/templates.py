"""Templates of invoices: checks and creation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import BadRequest, Refused, Values, transaction

from ..commercial.documents import Documents
from ..commercial.lines import Lines
from ..commercial.plain_lines import PlainLines, Reword
from ..commercial.totals import IS_DISCOUNT
from ..invoices.invoices import invoices
from ..invoices.models import REPLACEMENT, STANDARD, TYPES, Invoice
from .models import STATES, Template, TemplateLine

#: keys of a body with the ID of the invoice that a template is made from
SOURCES = ("fk_facture", "facid")
#: maximum units between two invoices
LONGEST = 1000


class TemplateLines(Lines[TemplateLine]):
    """Lines of templates. PUT replaces a line, as in invoices."""

    model = TemplateLine
    put_replaces = True

    def copy(self, source: PlainLines[Any], document: int, target: int, reword: Reword | None = None) -> None:
        """Copy the lines of an invoice, except those that use up a discount, which is possible only once."""
        super().copy(source, document, target, reword)
        for line in self.rows({self.parent: target}):
            if line.info_bits & IS_DISCOUNT:
                self.remove(line)


class Templates(Documents[Template]):
    """Templates of invoices."""

    model = Template
    service = "invoicetemplates"
    noun = "Template invoice"
    kind = "invoicetemplate"
    empty = "No template invoice found"
    lines = TemplateLines()
    states = STATES
    series = None
    roles = {"BILLING": "Contact for invoices", "SHIPPING": "Contact for deliveries", "SERVICE": "Contact for services"}
    copied = (
        *Documents.copied, "model_pdf", "remise_percent", "remise_absolue", "fk_incoterms", "location_incoterms",
    )  # fmt: skip
    extra_keys = (*Documents.extra_keys, *SOURCES)

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a template with its lines, or from the invoice in `fk_facture` or `facid`.

        :raises BadRequest: fields are missing or invalid; the error lists all of them
        :raises NotFound: a referenced record does not exist, or the caller may not see it
        """
        source = next((body[name] for name in SOURCES if body.get(name) not in (None, "", 0, "0")), None)
        if source is None:
            return super().create(body, **managed)
        if body.get("lines"):
            raise BadRequest(errors=[("lines", "expected either `lines` or an invoice to copy, got both")])
        return self.create_from_invoice(source, body)

    def create_from_invoice(self, identifier: Any, body: Mapping[str, Any]) -> int:
        """Create a template from an invoice; a line that uses a discount is omitted.

        :param body: further fields, and those that replace the invoice's
        :raises NotFound: there is no such invoice, or the caller may not see it
        :raises Refused: the invoice is not of the type standard or replacement
        """
        with transaction():
            row = invoices.load(identifier, lock=True)
            if row.type not in (STANDARD, REPLACEMENT):
                raise Refused(
                    f"invoice {row.ref} can't become a template: its type is {TYPES[row.type]}", reason="wrong_type"
                )
            sent = {name: value for name, value in body.items() if name not in SOURCES}
            values, _ = self.accept({"socid": row.socid, **sent})
            template = self.create_from(invoices, row, **values)
            if sent.get("array_options"):
                self.change(template, {"array_options": sent["array_options"]}, merge_extras=True)
        return template

    def prepare(self, values: Values, before: Template | None) -> None:
        """Check the plan; a new date also sets the day of the month from which later dates are computed.

        :raises BadRequest: a number is outside the permitted range
        """
        super().prepare(values, before)
        if values.get("title"):
            values["ref"] = values["title"]
        wrong = [
            (name, f"expected a number from 0 to {most}, got {values[name]}")
            for name, most in (("frequency", LONGEST), ("nb_gen_max", 1_000_000))
            if not 0 <= (values.get(name) or 0) <= most
        ]
        if wrong:
            raise BadRequest(errors=wrong)
        if "date_when" in values and (before is None or values["date_when"] != before.date_when):
            values["day_of_month"] = values["date_when"].day if values["date_when"] else None
            values["problem"] = None

    def removing(self, row: Template) -> None:
        """Delete the records that belong to a template; invoices made from it stay."""
        Invoice.update(fk_fac_rec_source=None).where(Invoice.fk_fac_rec_source == row.id).execute()
        super().removing(row)


templates = Templates()
