"""Tables of warehouses, movements and stock. Fields have the names in the API."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model, RecordField, now

from ..dictionaries.codes import PlaceCodes
from ..products.models import Product
from ..setup.authors import AuthorField

ENTITY = ((1, "this company"),)
CLOSED, OPEN, INTERNAL = 0, 1, 2
STATES = ((CLOSED, "closed"), (OPEN, "open"), (INTERNAL, "open for internal use only"))
#: types of movements: in and out of a transfer, and in and out otherwise
MOVED_IN, MOVED_OUT, OUT, IN = 0, 1, 2, 3
TYPES = ((MOVED_IN, "in, by a transfer"), (MOVED_OUT, "out, by a transfer"), (OUT, "out"), (IN, "in"))


class WarehouseAnswers(TypedDict, total=False):
    """What the record of a warehouse holds besides its columns."""

    country_code: Annotated[str | None, "ISO 3166-1 code of two letters"]


class Warehouse(Model):
    """A place where goods lie."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    label = CharField(column_name="ref", max_length=255, unique=True, help_text="short name; `ref` is the same")
    description = TextField(null=True, help_text="description")
    lieu = CharField(max_length=64, null=True, help_text="place in words")
    statut = SmallIntegerField(default=OPEN, choices=STATES, help_text="0: closed, nothing moves in or out")
    fk_parent = RecordField("self", "Warehouse", null=True, help_text="warehouse that it is a part of; 0: none")
    fk_project = IntegerField(null=True, help_text="ID of the project")
    address = CharField(max_length=255, null=True, help_text="street and house number")
    zip = CharField(max_length=10, null=True, help_text="postal code")
    town = CharField(max_length=50, null=True, help_text="town")
    state_id = IntegerField(column_name="fk_departement", null=True, help_text="state or county")
    country_id = IntegerField(column_name="fk_pays", null=True, help_text="country; 0: none")
    phone = CharField(max_length=20, null=True, help_text="phone number")
    fax = CharField(max_length=20, null=True, help_text="fax number")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, help_text="time of creation")
    date_modification = DateTimeField(column_name="tms", null=True, default=now, help_text="time of the last change")
    user_creation_id = IntegerField(column_name="fk_user_author", null=True, help_text="user who created the record")
    user_modification_id = IntegerField(column_name="fk_user_modif", null=True, help_text="user who changed it last")

    class Meta:
        table_name = "llx_entrepot"
        searched = ("label", "lieu", "town")
        sorted = ("label",)
        extrafields = "entrepot"
        aliases = {"ref": "label", "status": "statut"}
        required = ("label",)
        example = {"label": "Yard", "lieu": "Hall 3, beside the crane", "town": "Le Havre", "statut": 1}
        managed = (
            "id", "import_key", "date_creation", "date_modification", "user_creation_id", "user_modification_id",
        )  # fmt: skip
        stamps = ("date_modification", "user_modification_id")
        answers = WarehouseAnswers
        accepts = PlaceCodes


class StockAnswers(TypedDict, total=False):
    """What is told of a product that lies somewhere."""

    product_ref: Annotated[str, Product.ref, "reference of the product"]
    product_label: Annotated[str, Product.label, "what the product is called"]


class ProductStock(Model):
    """How much of a product lies in a warehouse: the sum of its movements there."""

    id = AutoField(column_name="rowid")
    product_id = RecordField(Product, "Product", column_name="fk_product", help_text="ID of the product")
    warehouse_id = RecordField(Warehouse, "Warehouse", column_name="fk_entrepot", help_text="ID of the warehouse")
    reel = ExactField(24, 8, trimmed=True, default=Decimal(0), help_text="how many there are")
    tms = DateTimeField(null=True, default=now, help_text="time of the last change")

    class Meta:
        table_name = "llx_product_stock"
        indexes = ((("product_id", "warehouse_id"), True),)
        managed = ("id", "product_id", "warehouse_id", "reel", "tms")
        answers = StockAnswers
        # Movements change these rows, and the audit trail contains the movements
        audited = False


class MovementAccepts(TypedDict, total=False):
    """What the body of a movement may hold besides the columns."""

    lot: Annotated[str, "lots are not kept: anything but an empty text is refused"]


class StockMovement(Model):
    """Goods of one product that have come into a warehouse, or gone out of it."""

    id = AutoField(column_name="rowid")
    datem = DateTimeField(default=now, index=True, help_text="time of the movement; default: now")
    product_id = RecordField(Product, "Product", column_name="fk_product", help_text="ID of the product")
    warehouse_id = RecordField(Warehouse, "Warehouse", column_name="fk_entrepot", help_text="ID of the warehouse")
    qty = ExactField(24, 8, trimmed=True, column_name="value", help_text="above 0 comes in, below 0 goes out")
    type = SmallIntegerField(column_name="type_mouvement", choices=TYPES, help_text="follows from qty: 3 in, 2 out")
    price = ExactField(24, 8, default=Decimal(0), help_text="unit price; `pmp` is the average of incoming prices")
    label = CharField(max_length=255, null=True, help_text="why it moved; `movementlabel` is the same")
    inventorycode = CharField(
        max_length=128, null=True, index=True, help_text="what movements have in common; `movementcode` is the same"
    )
    batch = CharField(max_length=128, null=True, help_text="lots are not kept: always empty")
    origin_type = CharField(column_name="origintype", max_length=64, null=True, help_text="kind of record it came from")
    origin_id = IntegerField(column_name="fk_origin", null=True, help_text="identifier of that record")
    fk_project = IntegerField(null=True, help_text="ID of the project")
    undoes = RecordField("self", "Movement", column_name="fk_undoes", null=True, unique=True,
                         help_text="movement that this one undoes")  # fmt: skip
    undone_by = RecordField("self", "Movement", column_name="fk_undone_by", null=True,
                            help_text="movement that has undone this one")  # fmt: skip
    part_of = RecordField("self", "Movement", column_name="fk_part_of", null=True,
                          help_text="movement of the kit that this component moved with")  # fmt: skip
    fk_user_author = AuthorField(help_text="user who noted it")

    class Meta:
        table_name = "llx_stock_mouvement"
        aliases = {"ref": "id", "movementlabel": "label", "movementcode": "inventorycode"}
        required = ("product_id", "warehouse_id", "qty", "-type")
        example = {"product_id": 1, "warehouse_id": 1, "qty": "12", "price": "4.50", "label": "Delivery of today"}
        managed = ("id", "undoes", "undone_by", "part_of", "fk_user_author")
        accepts = MovementAccepts
        indexes = ((("origin_type", "origin_id"), False),)


__all__ = ["CLOSED", "IN", "MOVED_IN", "MOVED_OUT", "OUT", "ProductStock", "StockMovement", "Warehouse"]
