"""Tables of documents: patterns of documents and lines, with and without prices; links and contacts.

Fields have the names of the API, columns those of Dolibarr. A kind of document derives from two patterns. It adds
different column names, further fields, and the field of a line that references its document.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from peewee import AutoField, CharField, DateField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model, RecordField, now, query
from core.for_natives import Catalogue, cached_per_catalogue

from ..dictionaries.models import Unit
from ..products.models import Product
from ..setup.authors import AuthorField
from ..thirdparties.models import Thirdparty
from .shapes import DocumentAccepts, DocumentAnswers, LineAccepts, LineAnswers, PlainAnswers, PricedAccepts
from .states import DRAFT, States

ZERO = Decimal(0)
ENTITY = ((1, "this company"),)

#: second names of the fields of a document
ALIASES = {"status": "statut", "fk_projet": "fk_project", "ref_customer": "ref_client"}
#: fields of a document that only the server writes
PLAIN_MANAGED = (
    "id", "ref", "ref_int", "statut", "date_creation", "date_validation", "date_modification", "user_author_id",
    "user_valid_id", "fk_user_modif", "last_main_doc", "import_key", "extraparams",
)  # fmt: skip

#: fields with the user and time of a document's last change
STAMPS = ("fk_user_modif", "date_modification")


def state_field(states: States, kind: type[SmallIntegerField] = SmallIntegerField) -> SmallIntegerField:
    """Return the field `statut` of a kind of document, which lists its states.

    :param states: the table of states and transitions
    :param kind: the class of the field
    """
    return kind(column_name="fk_statut", default=DRAFT, choices=states.choices, help_text=states.listed)


class PlainDocument(Model, pattern=True):
    """A document without prices: a third party, lines, a state, a reference."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    ref = CharField(max_length=30, null=True, unique=True, help_text="(PROV<id>) until it is validated")
    ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    ref_int = CharField(max_length=255, null=True, help_text="kept for compatibility")
    ref_client = CharField(max_length=255, null=True, help_text="the customer's own reference")
    socid = RecordField(Thirdparty, "Thirdparty", column_name="fk_soc", help_text="third party")
    fk_project = IntegerField(column_name="fk_projet", null=True, help_text="ID of the project")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, index=True, help_text="time of creation")
    date_validation = DateTimeField(column_name="date_valid", null=True, help_text="time of validation")
    date_modification = DateTimeField(
        column_name="tms", null=True, default=now, index=True, help_text="time of the last change"
    )
    statut = SmallIntegerField(column_name="fk_statut", default=0, index=True, help_text="state; 0: draft")
    user_author_id = AuthorField(column_name="fk_user_author", help_text="user who created it")
    user_valid_id = AuthorField(column_name="fk_user_valid", help_text="user who validated it")
    fk_user_modif = IntegerField(null=True, help_text="user who changed it last")
    note_public = TextField(null=True, help_text="printed on the document")
    note_private = TextField(null=True, help_text="never printed")
    model_pdf = CharField(max_length=255, null=True, help_text="template of the document's file")
    last_main_doc = CharField(max_length=255, null=True, help_text="path of the file that was made last")
    fk_incoterms = IntegerField(null=True, default=0, help_text="ID of the Incoterm")
    location_incoterms = CharField(max_length=255, null=True, help_text="place of the Incoterm")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    extraparams = CharField(max_length=255, null=True, help_text="kept for compatibility")

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


#: further fields that only the server writes, if the document has prices
MANAGED = (
    "total_ht", "total_tva", "total_localtax1", "total_localtax2", "total_ttc", "fk_currency", "fk_multicurrency",
    "multicurrency_code", "multicurrency_tx", "multicurrency_total_ht", "multicurrency_total_tva",
    "multicurrency_total_ttc", "rounding_amount",
)  # fmt: skip


class Document(PlainDocument, pattern=True):
    """A commercial document: a third party, lines, totals, a state, a reference."""

    date = DateField(help_text="a day")
    total_ht = ExactField(24, 8, default=ZERO, help_text="before taxes, in the document's currency")
    total_tva = ExactField(24, 8, default=ZERO, help_text="VAT")
    total_localtax1 = ExactField(24, 8, column_name="localtax1", default=ZERO, help_text="first local tax")
    total_localtax2 = ExactField(24, 8, column_name="localtax2", default=ZERO, help_text="second local tax")
    total_ttc = ExactField(24, 8, default=ZERO, help_text="taxes included")
    rounding_amount = ExactField(
        24, 8, default=ZERO, help_text="what rounds total_ttc, of which it is part, to the smallest coin"
    )
    remise_percent = ExactField(
        7, 4, trimmed=True, null=True, help_text="from 0 to 100 percent; kept, and without effect on the totals"
    )
    remise_absolue = ExactField(24, 8, trimmed=True, null=True, help_text="kept, and without effect on the totals")
    cond_reglement_id = IntegerField(column_name="fk_cond_reglement", null=True, help_text="terms of payment")
    mode_reglement_id = IntegerField(column_name="fk_mode_reglement", null=True, help_text="mode of payment")
    fk_account = IntegerField(null=True, help_text="bank account")
    fk_currency = CharField(max_length=3, null=True, help_text="code of the currency")
    fk_multicurrency = IntegerField(null=True, default=0, help_text="ID of the currency")
    multicurrency_code = CharField(max_length=3, null=True, help_text="currency of the document")
    multicurrency_tx = ExactField(24, 8, null=True, default=Decimal(1), help_text="its rate; 1: the company's own")
    multicurrency_total_ht = ExactField(
        24, 8, default=ZERO, help_text="total excluding taxes, in the document's currency"
    )
    multicurrency_total_tva = ExactField(24, 8, default=ZERO, help_text="total VAT, in the document's currency")
    multicurrency_total_ttc = ExactField(
        24, 8, default=ZERO, help_text="total including taxes, in the document's currency"
    )

    class Meta:
        required = ("date",)
        managed = MANAGED
        # Lists filter by state or third party and sort by date
        indexes = ((("statut", "date"), False), (("socid", "date"), False))
        answers = DocumentAnswers
        accepts = PricedAccepts
        example = {
            "socid": 1, "date": "2026-11-21", "note_public": "Thank you for your trust.",
            "lines": [{"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": "20"}],
        }  # fmt: skip


class PlainLine(Model, pattern=True):
    """A line of a document: quantity and position."""

    id = AutoField(column_name="rowid")
    qty = ExactField(24, 8, trimmed=True, default=ZERO, help_text="quantity")
    rang = IntegerField(default=0, help_text="place among the lines; the last when none is given")

    class Meta:
        aliases = {"rowid": "id"}
        managed = ("id",)


LINE_TYPES = ((0, "product"), (1, "service"), (9, "title"))
#: second names of the fields of a line
LINE_ALIASES = {"description": "desc"}
#: fields of a line that only the server writes
LINE_MANAGED = (
    "localtax1_type", "localtax2_type", "total_ht", "total_tva", "total_localtax1", "total_localtax2",
    "total_ttc", "fk_multicurrency", "multicurrency_code", "multicurrency_subprice", "multicurrency_total_ht",
    "multicurrency_total_tva", "multicurrency_total_ttc", "price", "remise", "import_key", "fk_remise_except",
)  # fmt: skip


class Line(PlainLine, pattern=True):
    """A line of a document: product or text, quantity, price and VAT rate."""

    desc = TextField(
        column_name="description", null=True, default="", help_text="the product's description when none is given"
    )
    label = CharField(max_length=255, null=True, help_text="a label instead of the product's")
    product_type = IntegerField(
        default=0, choices=LINE_TYPES, help_text="0 product, 1 service, 9 title, which counts in no total"
    )
    fk_product = RecordField(Product, "Product", null=True, help_text="gives price, VAT, type and text not given")
    qty = ExactField(24, 8, trimmed=True, default=ZERO, help_text="quantity; below 0 it takes away")
    subprice = ExactField(24, 8, default=ZERO, help_text="price of one unit before taxes")
    subprice_ttc = ExactField(
        24, 8, null=True, help_text="price of one unit including VAT, if that was agreed; it then decides the amounts"
    )
    tva_tx = ExactField(7, 4, default=ZERO, help_text="VAT, percent")
    vat_src_code = CharField(max_length=10, null=True, default="", help_text="code of the rate of VAT")
    localtax1_tx = ExactField(7, 4, default=ZERO, help_text="percent; not 0: the one of the VAT dictionary applies")
    localtax2_tx = ExactField(7, 4, default=ZERO, help_text="percent; not 0: the one of the VAT dictionary applies")
    localtax1_type = CharField(max_length=10, default="0", help_text="type of the first local tax")
    localtax2_type = CharField(max_length=10, default="0", help_text="type of the second local tax")
    remise_percent = ExactField(
        7, 4, trimmed=True, default=ZERO, help_text="discount, from 0 to 100 percent, 3 decimals"
    )
    fk_remise_except = IntegerField(null=True, help_text="discount that the line uses")
    total_ht = ExactField(24, 8, default=ZERO, help_text="before taxes")
    total_tva = ExactField(24, 8, default=ZERO, help_text="VAT")
    total_localtax1 = ExactField(24, 8, default=ZERO, help_text="total of the first local tax")
    total_localtax2 = ExactField(24, 8, default=ZERO, help_text="total of the second local tax")
    total_ttc = ExactField(24, 8, default=ZERO, help_text="taxes included")
    date_start = DateTimeField(null=True, help_text="when the service begins")
    date_end = DateTimeField(null=True, help_text="when it ends, not before it begins")
    info_bits = IntegerField(
        default=0, help_text="bit 0: VAT is not charged, so it is 0; bit 1: the line is a discount"
    )
    special_code = IntegerField(default=0, help_text="3: an option; the line counts as any other")
    fk_parent_line = IntegerField(null=True, help_text="line of the same document that this one belongs to")
    fk_unit = RecordField(Unit, "Unit", null=True, help_text="unit of the quantity")
    pa_ht = ExactField(24, 8, column_name="buy_price_ht", default=ZERO, help_text="what one unit costs us")
    fk_fournprice = IntegerField(
        column_name="fk_product_fournisseur_price", null=True, help_text="ID of the supplier price"
    )
    fk_multicurrency = IntegerField(null=True, help_text="ID of the currency")
    multicurrency_code = CharField(max_length=3, null=True, help_text="code of the document's currency")
    multicurrency_subprice = ExactField(24, 8, default=ZERO, help_text="unit price in the document's currency")
    multicurrency_total_ht = ExactField(
        24, 8, default=ZERO, help_text="total excluding taxes, in the document's currency"
    )
    multicurrency_total_tva = ExactField(24, 8, default=ZERO, help_text="total VAT, in the document's currency")
    multicurrency_total_ttc = ExactField(
        24, 8, default=ZERO, help_text="total including taxes, in the document's currency"
    )
    price = ExactField(24, 8, null=True, help_text="price")
    remise = ExactField(24, 8, trimmed=True, null=True, help_text="discount")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")

    class Meta:
        aliases = LINE_ALIASES
        managed = LINE_MANAGED
        create_only = ("fk_product",)
        internal = ("pa_ht", "marge_tx", "marque_tx")
        answers = LineAnswers
        accepts = LineAccepts
        example = {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": "20"}


@cached_per_catalogue
def kinds_by_element(served: Catalogue) -> dict[str, Any]:
    """Return the `Documents` of every service, by their name in links and roles."""
    kinds = (each.records for each in served.services.values() if hasattr(each.records, "element"))
    return {each.element: each for each in kinds if issubclass(each.model, PlainDocument)}


@cached_per_catalogue
def models_by_element(served: Catalogue) -> dict[str, type[PlainDocument]]:
    """Return the model of every kind of document, by its name in links and roles."""
    elements = {kind.model: element for element, kind in kinds_by_element().items()}
    models: list[Any] = [model for model in served.models if issubclass(model, PlainDocument)]
    return {elements.get(model, model._meta.extrafields): model for model in models}


def _linked(row: Mapping[str, Any]) -> tuple[Any, Any]:
    return models_by_element().get(row["targettype"], ""), row["fk_target"]


def _with_role(row: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Return the document of a role; the dictionary entry of the role defines the kind of document."""
    found = query("SELECT element FROM llx_c_type_contact WHERE rowid = ?", (row["fk_c_type_contact"],))
    return (models_by_element().get(found[0][0], ""), row["element_id"]) if found else None


class DocumentLink(Model):
    """A link between two documents: one was made from the other, or belongs to it."""

    id = AutoField(column_name="rowid")
    fk_source = IntegerField()
    sourcetype = CharField(max_length=64, help_text="type of document: propal, commande, facture")
    fk_target = IntegerField()
    targettype = CharField(max_length=64)

    class Meta:
        table_name = "llx_element_element"
        context = ("targettype", "fk_target")
        belongs_to = _linked
        indexes = (
            (("fk_source", "sourcetype", "fk_target", "targettype"), True),
            (("fk_target", "targettype"), False),
        )


class DocumentContact(Model):
    """A contact, or a user, with a role in a document."""

    id = AutoField(column_name="rowid")
    date_creation = DateTimeField(column_name="datecreate", null=True, default=now, help_text="time of creation")
    statut = SmallIntegerField(null=True, default=4)
    element_id = IntegerField(help_text="identifier of the document")
    fk_c_type_contact = IntegerField(help_text="role; it includes the kind of document")
    fk_socpeople = IntegerField(help_text="contact, or user when the role is an internal one")

    class Meta:
        table_name = "llx_element_contact"
        context = ("element_id", "fk_c_type_contact")
        belongs_to = _with_role
        indexes = (
            (("element_id", "fk_c_type_contact", "fk_socpeople"), True),
            (("fk_socpeople", "fk_c_type_contact"), False),
        )


__all__ = [
    "ENTITY", "LINE_ALIASES", "LINE_MANAGED", "MANAGED", "STAMPS", "ZERO", "Document", "DocumentContact",
    "DocumentLink", "Line", "PlainDocument", "PlainLine", "state_field",
]  # fmt: skip
