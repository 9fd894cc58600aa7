"""Tables of shipments and their lines. `commercial` contains the fields that all documents share."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from peewee import CharField, DateTimeField, IntegerField, SmallIntegerField

from core import ExactField, RecordField, now

from ..commercial.models import PlainDocument, PlainLine, state_field
from ..commercial.shapes import DocumentAccepts, PlainAnswers
from ..orders.models import Order, OrderLine
from ..products.models import Product
from ..stock.models import StockMovement, Warehouse
from .states import STATES

NO_YES = ((0, "no"), (1, "yes"))
EXPONENT = "power of ten of the unit: 0 kilogrammes, -3 grammes"


class ShipmentAnswers(PlainAnswers, total=False):
    """What the record of a shipment holds besides its fields and lines."""

    origin: Annotated[Literal["commande"], "kind of document that it ships: an order"]
    shipping_method: Annotated[str | None, "way the goods travel, in words"]
    tracking_url: Annotated[str | None, "address where the parcel is followed"]


class ShipmentAccepts(DocumentAccepts, total=False):
    """What the body of a shipment may say besides fields and lines."""

    origin: Annotated[
        Literal["commande", "order"], "kind of document that it ships; a shipment is always one of an order"
    ]
    origin_type: Annotated[Literal["commande", "order"], "the same as origin"]


class Shipment(PlainDocument):
    """Goods of an order that leave together."""

    ref_client = CharField(column_name="ref_customer", max_length=255, null=True, help_text="as on the order")
    origin_id = RecordField(Order, "Order", column_name="fk_commande", help_text="order that it ships")
    date_creation = DateTimeField(
        column_name="date_creation", null=True, default=now, index=True, help_text="time of creation"
    )
    date_delivery = DateTimeField(null=True, help_text="planned delivery; default: that of the order")
    date_shipping = DateTimeField(column_name="date_expedition", null=True, help_text="when it left")
    statut = state_field(STATES)
    billed = SmallIntegerField(default=0, choices=NO_YES, help_text="1: it has been billed")
    shipping_method_id = IntegerField(column_name="fk_shipping_method", null=True, help_text="way the goods travel")
    tracking_number = CharField(max_length=50, null=True, help_text="the carrier's number of the parcel")
    weight = ExactField(24, 8, trimmed=True, null=True, help_text="of the parcel, in weight_units")
    weight_units = SmallIntegerField(null=True, help_text=EXPONENT)
    width = ExactField(24, 8, trimmed=True, null=True, help_text="in size_units")
    height = ExactField(24, 8, trimmed=True, null=True, help_text="in size_units")
    size = ExactField(24, 8, trimmed=True, null=True, help_text="depth, in size_units")
    size_units = SmallIntegerField(null=True, help_text="power of ten of the unit: 0 metres, -2 centimetres")

    class Meta:
        table_name = "llx_expedition"
        searched = ("ref", "ref_client", "tracking_number", "ref_ext")
        extrafields = "expedition"
        answers = ShipmentAnswers
        accepts = ShipmentAccepts
        aliases = {
            "fk_commande": "origin_id", "date_valid": "date_validation", "fk_user_author": "user_author_id",
            "fk_user_valid": "user_valid_id", "trueWeight": "weight", "trueWidth": "width", "trueHeight": "height",
            "trueDepth": "size",
        }  # fmt: skip
        # Its third party is that of the order
        required = ("-socid", "origin_id")
        create_only = ("socid", "origin_id")
        indexes = ((("statut", "date_creation"), False), (("socid", "date_creation"), False))
        example = {"origin_id": 3, "lines": [{"fk_origin_line": 10, "qty": 1, "entrepot_id": 1}]}


class ShipmentLineAnswers(TypedDict, total=False):
    """What the record of a line holds besides its fields."""

    fk_product: Annotated[int | None, OrderLine.fk_product]
    desc: Annotated[str | None, OrderLine.desc, "text of the order's line"]
    description: Annotated[str | None, "the same as desc"]
    label: Annotated[str | None, OrderLine.label, "label of the order's line"]
    product_type: Annotated[int, OrderLine.product_type]
    fk_unit: Annotated[int | None, OrderLine.fk_unit]
    qty_asked: Annotated[str, OrderLine.qty, "quantity of the order's line"]
    qty_shipped: Annotated[str, OrderLine.qty, "the same as qty"]
    product_ref: Annotated[str | None, Product.ref, "reference of the product"]
    product_label: Annotated[str | None, Product.label, "label of the product"]
    product_desc: Annotated[str | None, "description of the product"]
    ref: Annotated[str | None, "the same as product_ref"]
    libelle: Annotated[str | None, "the same as product_label"]


class ShipmentLine(PlainLine):
    """How much of a line of the order a shipment holds, and out of which warehouse."""

    fk_expedition = RecordField(Shipment, "Shipment", help_text="ID of the shipment")
    fk_origin_line = RecordField(OrderLine, "Order line", help_text="line of the order")
    entrepot_id = RecordField(
        Warehouse, "Warehouse", column_name="fk_entrepot", null=True,
        help_text="warehouse that it leaves; needed of a product before the shipment is validated",
    )  # fmt: skip
    qty = ExactField(24, 8, trimmed=True, help_text="above 0, and no more than is left of the order's line")

    movement_id = RecordField(
        StockMovement, "Movement", column_name="fk_movement", null=True,
        help_text="movement that took the goods out; none: nothing has left, or it is back",
    )  # fmt: skip

    class Meta:
        table_name = "llx_expeditiondet"
        thirdparty = "fk_expedition.socid"
        extrafields = "expeditiondet"
        aliases = {"origin_line_id": "fk_origin_line", "fk_entrepot": "entrepot_id", "warehouse_id": "entrepot_id"}
        create_only = ("fk_origin_line",)
        managed = ("movement_id",)
        answers = ShipmentLineAnswers
        example = {"fk_origin_line": 10, "qty": 1, "entrepot_id": 1}


__all__ = ["Shipment", "ShipmentLine"]
