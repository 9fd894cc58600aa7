"""Tables of orders and their lines. `commercial` contains the fields that all documents share."""

from __future__ import annotations

from typing import Annotated

from peewee import CharField, DateField, DateTimeField, IntegerField, SmallIntegerField

from core import ExactField, RecordField, now

from ..commercial.models import ZERO, Document, Line, state_field
from ..commercial.shapes import DocumentAnswers, OfferAccepts
from ..setup.authors import AuthorField
from .states import STATES

NO_YES = ((0, "no"), (1, "yes"))


class OrderAnswers(DocumentAnswers, total=False):
    """What the record of an order holds besides its fields and lines."""

    availability_code: Annotated[str | None, "code of the time of delivery"]
    availability: Annotated[str | None, "time of delivery in words"]
    demand_reason_code: Annotated[str | None, "code of what brought the customer"]
    online_payment_url: Annotated[None, "there is no page on which a customer could pay"]


class Order(Document):
    """A customer's order."""

    date = DateField(
        column_name="date_commande", index=True, help_text="a day; today if none is sent, except in dolibarr16"
    )
    delivery_date = DateTimeField(
        column_name="date_livraison", null=True, index=True, help_text="when it is to be delivered"
    )
    date_creation = DateTimeField(null=True, default=now, index=True, help_text="time of creation")
    date_cloture = DateTimeField(null=True, help_text="when it was closed last")
    statut = state_field(STATES)
    billed = SmallIntegerField(column_name="facture", default=0, choices=NO_YES, help_text="1: it has been billed")
    fk_user_cloture = AuthorField(help_text="user who closed it last")
    remise_percent = ExactField(
        7, 4, trimmed=True, null=True, default=ZERO, help_text="percent; kept, and without effect on the totals"
    )
    remise_absolue = ExactField(
        24, 8, trimmed=True, null=True, default=ZERO, help_text="kept, and without effect on the totals"
    )
    remise = ExactField(24, 8, trimmed=True, null=True, default=ZERO, help_text="discount")
    amount_ht = ExactField(24, 8, null=True, default=ZERO, help_text="amount excluding taxes")
    source = SmallIntegerField(null=True, help_text="way it came in, as the caller numbers them")
    module_source = CharField(max_length=32, null=True, help_text="module it came from")
    pos_source = CharField(max_length=32, null=True, help_text="point of sale it came from")
    deposit_percent = CharField(max_length=63, null=True, help_text="deposit asked for, percent")
    availability_id = IntegerField(column_name="fk_availability", null=True, help_text="time of delivery")
    demand_reason_id = IntegerField(column_name="fk_input_reason", null=True, help_text="what brought the customer")
    shipping_method_id = IntegerField(
        column_name="fk_shipping_method", null=True, help_text="ID of the shipping method"
    )
    warehouse_id = IntegerField(column_name="fk_warehouse", null=True, help_text="ID of the warehouse")
    fk_delivery_address = IntegerField(null=True, help_text="ID of the delivery address")

    class Meta:
        table_name = "llx_commande"
        answers = OrderAnswers
        accepts = OfferAccepts
        extrafields = "commande"
        aliases = {
            "date_commande": "date", "date_livraison": "delivery_date", "user_creation_id": "user_author_id",
            "user_valid": "user_valid_id", "user_validation_id": "user_valid_id", "user_modification": "fk_user_modif",
            "user_modification_id": "fk_user_modif",
        }  # fmt: skip
        managed = (
            "billed", "date_cloture", "fk_user_cloture", "remise", "amount_ht", "fk_delivery_address",
        )  # fmt: skip


class OrderLine(Line):
    """A line of an order."""

    fk_commande = RecordField(Order, "Order", help_text="ID of the order")
    ref_ext = CharField(max_length=255, null=True, default="", help_text="reference of the line in another system")
    fk_commandefourndet = IntegerField(null=True, help_text="kept for compatibility")

    class Meta:
        table_name = "llx_commandedet"
        thirdparty = "fk_commande.socid"
        extrafields = "commandedet"
        aliases = {"commande_id": "fk_commande"}
        managed = ("fk_commande", "fk_commandefourndet")


__all__ = ["Order", "OrderLine"]
