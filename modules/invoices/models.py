"""Tables of invoices, their lines and payments. `commercial` has the fields that all documents share."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Required

from peewee import AutoField, CharField, DateField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model, NumberField, RecordField, now

from ..commercial.models import (
    ENTITY,
    STAMPS,
    ZERO,
    Document,
    Line,
    state_field,
)
from ..commercial.shapes import DocumentAnswers
from ..setup.authors import AuthorField
from ..thirdparties.shapes import LeftField
from .states import STATES

STANDARD, REPLACEMENT, CREDIT_NOTE, DEPOSIT, PROFORMA, SITUATION = range(6)
TYPES = {
    STANDARD: "standard",
    REPLACEMENT: "replacement",
    CREDIT_NOTE: "credit note",
    DEPOSIT: "deposit",
    PROFORMA: "proforma",
    SITUATION: "situation",
}


class InvoiceAnswers(DocumentAnswers, total=False):
    """What the record of an invoice holds besides its fields and lines."""

    totalpaid: Required[Annotated[str | None, Document.total_ttc, "sum of its payments, in the company's currency"]]
    totalcreditnotes: Required[
        Annotated[str | None, Document.total_ttc, "what credit notes and excess payments pay of it"]
    ]
    totaldeposits: Required[Annotated[str | None, Document.total_ttc, "what deposits pay of it"]]
    sumpayed: Required[Annotated[str | None, Document.total_ttc, "another name of totalpaid"]]
    sumcreditnote: Required[Annotated[str | None, Document.total_ttc, "another name of totalcreditnotes"]]
    sumdeposit: Required[Annotated[str | None, Document.total_ttc, "another name of totaldeposits"]]
    remaintopay: Required[Annotated[str, LeftField, "what is left to pay, in the company's currency"]]
    delivery_date: Annotated[
        int, DateTimeField, "when the order was to be delivered; where the invoice has just been made of one"
    ]
    date_livraison: Annotated[int, DateTimeField, "another name of delivery_date"]


class Invoice(Document):
    """A customer invoice."""

    type = SmallIntegerField(
        default=STANDARD, choices=tuple(TYPES.items()), index=True,
        help_text="0 standard, 1 replacement, 2 credit note, 3 deposit, 4 proforma, 5 situation",
    )  # fmt: skip
    date = DateField(column_name="datef", index=True, help_text="a day; today when none is given")
    date_lim_reglement = DateField(
        null=True, index=True, help_text="day it is due; by the terms of payment when none is given"
    )
    date_pointoftax = DateField(null=True, help_text="date of the VAT liability")
    date_validation = DateField(column_name="date_valid", null=True, help_text="day it was validated")  # type: ignore[assignment]
    date_closing = DateTimeField(null=True, help_text="when it was paid or abandoned")
    statut = state_field(STATES)
    paye = SmallIntegerField(default=0, choices=((0, "no"), (1, "yes")), help_text="1: paid completely")
    close_code = CharField(max_length=16, null=True, help_text="why it was closed without being paid completely")
    close_note = CharField(max_length=128, null=True, help_text="note on why it was closed")
    close_missing_amount = ExactField(24, 8, null=True, help_text="unpaid amount when it was closed")
    fk_facture_source = RecordField("self", "Invoice", null=True, help_text="invoice that this one credits or replaces")
    fk_fac_rec_source = IntegerField(null=True, help_text="template it was made from")
    fk_user_closing = AuthorField(help_text="user who closed it")
    revenuestamp = ExactField(24, 8, default=ZERO, help_text="stamp duty; part of total_ttc")
    remise = ExactField(24, 8, trimmed=True, null=True, default=ZERO, help_text="discount")
    cond_reglement_id = IntegerField(
        column_name="fk_cond_reglement", null=True, default=0, help_text="terms of payment"
    )
    mode_reglement_id = IntegerField(column_name="fk_mode_reglement", null=True, default=0, help_text="mode of payment")
    increment = CharField(max_length=10, null=True, help_text="kept for compatibility")
    situation_cycle_ref = SmallIntegerField(null=True, help_text="series of situation invoices it belongs to")
    situation_counter = SmallIntegerField(null=True, help_text="its place in that series")
    situation_final = SmallIntegerField(default=0, help_text="1: the last of that series")
    retained_warranty = ExactField(24, 8, trimmed=True, default=ZERO, help_text="retained, percent")
    retained_warranty_date_limit = DateField(null=True, help_text="day until which it is retained")
    retained_warranty_fk_cond_reglement = IntegerField(
        default=0, help_text="ID of the payment term of the retained warranty"
    )
    module_source = CharField(max_length=32, null=True, help_text="what it was made with")
    pos_source = CharField(max_length=32, null=True, help_text="till it was made at")
    fk_transport_mode = IntegerField(null=True, help_text="ID of the transport mode")
    rounding = CharField(
        max_length=40, null=True, help_text="decimals of prices, totals and quantities, smallest coin, VAT per rate"
    )

    class Meta:
        table_name = "llx_facture"
        answers = InvoiceAnswers
        extrafields = "facture"
        # An empty date is today
        required = ("-date",)
        aliases = {
            "datem": "date_modification", "user_author": "user_author_id", "fk_user_author": "user_author_id",
            "user_valid": "user_valid_id", "fk_user_valid": "user_valid_id", "user_modification": "fk_user_modif",
        }  # fmt: skip
        managed = (
            "date_closing", "paye", "close_code", "close_note", "close_missing_amount", "fk_user_closing",
            "remise", "increment", "fk_transport_mode", "rounding",
        )  # fmt: skip
        create_only = ("fk_fac_rec_source", "module_source", "pos_source")


class InvoiceLine(Line):
    """A line of an invoice."""

    fk_facture = RecordField(Invoice, "Invoice", help_text="ID of the invoice")
    situation_percent = ExactField(
        24, 8, trimmed=True, null=True, default=Decimal(100), help_text="progress of the work that is charged, percent"
    )
    fk_prev_id = IntegerField(null=True, help_text="line of the situation invoice before")
    fk_code_ventilation = NumberField(default=0, help_text="account in the books")
    ref_ext = CharField(max_length=255, null=True, default="", help_text="reference in another system")
    fk_contract_line = IntegerField(null=True, help_text="kept for compatibility")
    fk_user_author = IntegerField(null=True, help_text="ID of the user who created it")
    fk_user_modif = IntegerField(null=True, help_text="ID of the user who changed it last")

    class Meta:
        table_name = "llx_facturedet"
        thirdparty = "fk_facture.socid"
        extrafields = "facturedet"
        aliases = {"code_ventilation": "fk_code_ventilation"}
        managed = ("fk_facture", "fk_contract_line", "fk_user_author", "fk_user_modif")
        create_only = ("fk_product", "fk_prev_id", "fk_code_ventilation")


class Payment(Model):
    """A payment of one or more invoices; amounts paid back are negative."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    ref = CharField(max_length=30, null=True, unique=True, help_text="reference")
    ref_ext = CharField(max_length=255, null=True, default="", index=True, help_text="reference in another system")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, index=True, help_text="time of creation")
    date_modification = DateTimeField(
        column_name="tms", null=True, default=now, index=True, help_text="time of the last change"
    )
    datepaye = DateTimeField(column_name="datep", index=True, help_text="when it was paid")
    amount = ExactField(24, 8, default=ZERO)
    multicurrency_amount = ExactField(24, 8, default=ZERO)
    paymentid = IntegerField(column_name="fk_paiement", help_text="mode of payment")
    num_payment = CharField(column_name="num_paiement", max_length=50, null=True, default="", help_text="its number")
    comment = TextField(column_name="note", null=True, help_text="comment")
    accountid = IntegerField(column_name="fk_account", null=True, help_text="bank account")
    chqemetteur = CharField(column_name="emetteur", max_length=255, null=True, help_text="who drew the cheque")
    chqbank = CharField(column_name="banque", max_length=255, null=True, help_text="bank of the cheque")
    fk_bank = IntegerField(null=True, help_text="line of the bank account")
    fk_user_creat = AuthorField()
    fk_user_modif = IntegerField(null=True, help_text="ID of the user who changed it last")
    statut = SmallIntegerField(default=0)
    date_cancellation = DateTimeField(null=True, help_text="when it was cancelled; its amount counts nowhere then")
    fk_user_cancellation = AuthorField(help_text="ID of the user who cancelled it")

    class Meta:
        table_name = "llx_paiement"
        required = ("datepaye", "paymentid")
        managed = (
            "id", "ref", "date_creation", "date_modification", "amount", "multicurrency_amount", "fk_bank",
            "fk_user_creat", "fk_user_modif", "statut", "date_cancellation", "fk_user_cancellation",
        )  # fmt: skip
        stamps = STAMPS


class PaymentShare(Model):
    """The part of a payment that pays one invoice."""

    id = AutoField(column_name="rowid")
    fk_paiement = RecordField(Payment, "Payment")
    # An invoice that money pays can't be deleted; the parts of cancelled payments go with it
    fk_facture = RecordField(Invoice, "Invoice", on_delete="cascade", help_text="ID of the invoice")
    amount = ExactField(24, 8, default=ZERO)
    multicurrency_code = CharField(max_length=3, null=True, help_text="code of the document's currency")
    multicurrency_tx = ExactField(24, 8, null=True, default=Decimal(1), help_text="exchange rate")
    multicurrency_amount = ExactField(24, 8, default=ZERO)
    cancelled_amount = ExactField(24, 8, default=ZERO, help_text="its amount, if the payment was cancelled")

    class Meta:
        table_name = "llx_paiement_facture"
        part_of = ("fk_facture",)
        thirdparty = "fk_facture.socid"
        indexes = ((("fk_paiement", "fk_facture"), True),)


__all__ = [
    "CREDIT_NOTE", "DEPOSIT", "PROFORMA", "REPLACEMENT", "SITUATION", "STANDARD", "TYPES", "Invoice",
    "InvoiceLine", "Payment", "PaymentShare",
]  # fmt: skip
