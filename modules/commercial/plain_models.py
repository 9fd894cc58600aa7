"""What records with a third party, lines, a reference and a state have in common, whether they have prices or not.

Fields carry the interface's names, columns the reference's. `models.py` adds what those with prices have besides.
"""

from __future__ import annotations

from decimal import Decimal

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model, RecordField, utc_now

from ..thirdparties.models import Thirdparty
from .shapes import DocumentAccepts, PlainAnswers
from .states import DRAFT, States

ZERO = Decimal(0)
ENTITY = ((1, "the one company"),)

#: second names of the fields of a document
ALIASES = {"status": "statut", "fk_projet": "fk_project", "ref_customer": "ref_client"}
#: what the server alone writes of a document
PLAIN_MANAGED = (
    "id", "ref", "ref_int", "statut", "date_creation", "date_validation", "date_modification", "user_author_id",
    "user_valid_id", "fk_user_modif", "last_main_doc", "import_key", "extraparams",
)  # fmt: skip

#: what says who changed a document last, and when
STAMPS = ("fk_user_modif", "date_modification")

#: kind of extra fields → what the same kind is called in links and in the roles of contacts, where that is another name
ELEMENTS = {"expedition": "shipping"}


def state_field(states: States, kind: type[SmallIntegerField] = SmallIntegerField) -> SmallIntegerField:
    """The field `statut` of a kind of document, which tells of its states.

    :param states: the table of states and moves
    :param kind: the class of the field
    """
    return kind(column_name="fk_statut", default=DRAFT, choices=states.choices, help_text=states.listed)


class PlainDocument(Model, pattern=True):
    """A document without prices: a third party, lines, a state, a reference."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    ref = CharField(max_length=30, null=True, unique=True, help_text="(PROV<id>) until it is validated")
    ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    ref_int = CharField(max_length=255, null=True)
    ref_client = CharField(max_length=255, null=True, help_text="the customer's own reference")
    socid = RecordField(Thirdparty, "Thirdparty", column_name="fk_soc", help_text="third party")
    fk_project = IntegerField(column_name="fk_projet", null=True)
    date_creation = DateTimeField(column_name="datec", null=True, default=utc_now, index=True)
    date_validation = DateTimeField(column_name="date_valid", null=True)
    date_modification = DateTimeField(column_name="tms", null=True, default=utc_now, index=True)
    statut = SmallIntegerField(column_name="fk_statut", default=0, index=True, help_text="state; 0: draft")
    user_author_id = IntegerField(column_name="fk_user_author", null=True, help_text="user who created it")
    user_valid_id = IntegerField(column_name="fk_user_valid", null=True, help_text="user who validated it")
    fk_user_modif = IntegerField(null=True, help_text="user who changed it last")
    note_public = TextField(null=True, help_text="printed on the document")
    note_private = TextField(null=True, help_text="never printed")
    model_pdf = CharField(max_length=255, null=True, help_text="template of the document's file")
    last_main_doc = CharField(max_length=255, null=True, help_text="path of the file that was made last")
    fk_incoterms = IntegerField(null=True, default=0)
    location_incoterms = CharField(max_length=255, null=True)
    import_key = CharField(max_length=14, null=True)
    extraparams = CharField(max_length=255, null=True)

    class Meta:
        searched = ("ref", "ref_client", "ref_ext")
        thirdparty = "socid"
        sorted = ("ref",)
        aliases = ALIASES
        required = ("socid",)
        managed = PLAIN_MANAGED
        stamps = STAMPS
        internal = ("note_private",)
        answers = PlainAnswers
        accepts = DocumentAccepts


class PlainLine(Model, pattern=True):
    """A line of a document: how many, and its place."""

    id = AutoField(column_name="rowid")
    qty = ExactField(24, 8, trimmed=True, default=ZERO, help_text="quantity")
    rang = IntegerField(default=0, help_text="place among the lines; the last when none is given")

    class Meta:
        aliases = {"rowid": "id"}
        managed = ("id",)


__all__ = ["ALIASES", "ELEMENTS", "ENTITY", "STAMPS", "ZERO", "PlainDocument", "PlainLine", "state_field"]
