"""Tables of proposals and their lines. `commercial` contains the fields that all documents share."""

from __future__ import annotations

from typing import Annotated

from peewee import CharField, DateField, DateTimeField, IntegerField

from core import ExactField, NumberField, RecordField

from ..commercial.models import Document, Line, state_field
from ..commercial.shapes import DocumentAnswers, OfferAccepts
from ..setup.authors import AuthorField
from .states import STATES


class ProposalAnswers(DocumentAnswers, total=False):
    """What the record of a proposal holds besides its fields and lines."""

    statut_libelle: Annotated[str, "state in words"]
    availability_code: Annotated[str | None, "code of the time of delivery"]
    availability: Annotated[str | None, "time of delivery in words"]
    demand_reason_code: Annotated[str | None, "code of what brought the customer"]
    demand_reason: Annotated[str | None, "what brought the customer, in words"]


class Proposal(Document):
    """A commercial proposal."""

    date = DateField(column_name="datep", index=True, help_text="a day; today if none is sent, except in dolibarr16")
    fin_validite = DateTimeField(null=True, index=True, help_text="end of validity; 0 without duree_validite")
    duree_validite = NumberField(null=True, help_text="days of validity; sets fin_validite unless you send it")
    date_signature = DateTimeField(null=True, help_text="when it was signed or refused")
    date_cloture = DateTimeField(null=True, help_text="when it was billed")
    statut = state_field(STATES, NumberField)
    user_signature_id = AuthorField(column_name="fk_user_signature", help_text="user who closed it")
    user_close_id = AuthorField(column_name="fk_user_cloture", help_text="user who set it billed")
    remise = ExactField(24, 8, trimmed=True, null=True, default=0, help_text="discount")
    price = ExactField(24, 8, null=True, help_text="price")
    deposit_percent = CharField(max_length=63, null=True, help_text="deposit asked for, percent")
    availability_id = IntegerField(column_name="fk_availability", null=True, default=0, help_text="time of delivery")
    demand_reason_id = IntegerField(
        column_name="fk_input_reason", null=True, default=0, help_text="what brought the customer"
    )
    shipping_method_id = IntegerField(
        column_name="fk_shipping_method", null=True, help_text="ID of the shipping method"
    )
    warehouse_id = IntegerField(column_name="fk_warehouse", null=True, help_text="ID of the warehouse")
    delivery_date = DateField(column_name="date_livraison", null=True, help_text="a day")
    online_sign_ip = CharField(max_length=48, null=True, help_text="IP address of the online signature")
    online_sign_name = CharField(max_length=64, null=True, help_text="name of the online signatory")
    fk_delivery_address = IntegerField(null=True, help_text="ID of the delivery address")

    class Meta:
        table_name = "llx_propal"
        answers = ProposalAnswers
        accepts = OfferAccepts
        extrafields = "propal"
        aliases = {
            "datep": "date", "datec": "date_creation", "datev": "date_validation", "date_livraison": "delivery_date",
            "total": "total_ttc",
        }  # fmt: skip
        managed = (
            "date_signature", "date_cloture", "user_signature_id", "user_close_id", "price",
            "online_sign_ip", "online_sign_name", "fk_delivery_address",
        )  # fmt: skip


class ProposalLine(Line):
    """A line of a proposal."""

    fk_propal = RecordField(Proposal, "Proposal", help_text="ID of the proposal")

    class Meta:
        table_name = "llx_propaldet"
        thirdparty = "fk_propal.socid"
        extrafields = "propaldet"
        managed = ("fk_propal",)


__all__ = ["Proposal", "ProposalLine"]
