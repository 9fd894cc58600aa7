"""Tables of invoice templates and their lines. `commercial` contains the fields that all documents share."""

from __future__ import annotations

from peewee import CharField, DateField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import RecordField

from ..commercial.models import Document, Line
from ..commercial.states import CHANGE, DELETE, LINES, State, States

ACTIVE = 0
STATES = States({ACTIVE: "active", 1: State("suspended", (LINES, CHANGE, DELETE))}, ())
YES_NO = ((0, "no"), (1, "yes"))
UNITS = (("d", "days"), ("m", "months"), ("y", "years"))


class Template(Document):
    """What invoices are made of: once by hand, or again and again."""

    title = CharField(
        column_name="titre", max_length=200, unique=True, help_text="what it is called; no two are called the same"
    )
    ref = CharField(max_length=200, null=True, unique=True, help_text="the same as title")
    statut = SmallIntegerField(
        column_name="suspended", default=ACTIVE, choices=STATES.choices, help_text="1: no invoice is made by the clock"
    )
    date = DateField(column_name="datef", null=True, help_text="empty: see date_when")  # type: ignore[assignment]
    frequency = IntegerField(default=0, help_text="units between two invoices; 0: only created on request")
    unit_frequency = CharField(max_length=2, default="m", choices=UNITS, help_text="d days, m months, y years")
    date_when = DateField(
        null=True, index=True, help_text="day of the next invoice, which it bears; empty: none is planned"
    )
    day_of_month = SmallIntegerField(
        null=True, help_text="day of the month on which the plan began: a shorter month has its last day instead"
    )
    date_last_gen = DateTimeField(null=True, help_text="when an invoice was made of it last")
    nb_gen_done = IntegerField(default=0, help_text="invoices that were made by the clock")
    nb_gen_max = IntegerField(default=0, help_text="largest number of scheduled invoices; 0: unlimited")
    auto_validate = SmallIntegerField(
        default=0, choices=YES_NO, help_text="1: its invoices are validated; 0: they stay drafts"
    )
    generate_pdf = SmallIntegerField(
        default=1, choices=YES_NO, help_text="kept; an invoice's document is built when it is validated"
    )
    problem = CharField(
        max_length=255, null=True, help_text="why the last invoice could not be made; empty: it could, or none was due"
    )
    note_private = TextField(null=True, help_text="never printed")
    note_public = TextField(
        null=True, help_text="printed on the invoices; __INVOICE_MONTH_TEXT__ and the like are put into words there"
    )
    model_pdf = CharField(
        column_name="modelpdf", max_length=255, null=True, help_text="template of the document's file"
    )

    class Meta:
        table_name = "llx_facture_rec"
        searched = ("title", "ref_client")
        extrafields = "facture_rec"
        aliases = {"titre": "title", "suspended": "statut", "datec": "date_creation"}
        # An invoice that a template is made from has a third party
        required = ("title", "-date", "-socid")
        managed = ("-statut", "date", "date_last_gen", "nb_gen_done", "day_of_month", "problem")
        example = {
            "title": "Care, each quarter", "socid": 1, "frequency": 3, "unit_frequency": "m", "date_when": "2027-01-31",
            "lines": [{"desc": "Care __INVOICE_MONTH_TEXT__", "qty": 1, "subprice": "49.90", "tva_tx": "20"}],
        }  # fmt: skip


class TemplateLine(Line):
    """A line of a template: what each invoice has."""

    fk_facture = RecordField(Template, "Invoice template", help_text="ID of the invoice")

    class Meta:
        table_name = "llx_facturedet_rec"
        thirdparty = "fk_facture.socid"
        extrafields = "facturedet_rec"


__all__ = ["ACTIVE", "UNITS", "Template", "TemplateLine"]
