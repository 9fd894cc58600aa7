"""Tables of dictionaries: codes that records refer to. Fields have the names of the API, columns those of Dolibarr.

IDs are fixed, because clients hard-code them. `data/` has the predefined entries, one file for each table.
"""

from __future__ import annotations

from typing import Annotated, Never, TypedDict

from peewee import BigIntegerField, CharField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model

from .pattern import NO_YES, OFFERED
from .places import Currency, Incoterm, LegalForm, Region, State, Town, TransportMode
from .subjects import (
    Civility,
    CompanyType,
    ContactProspectLevel,
    ContactProspectStatus,
    Department,
    EventType,
    ExpenseType,
    Function,
    LeadStatus,
    OrderingMethod,
    ProductNature,
    ProposalStatusLabel,
    ProspectLevel,
    ProspectStatus,
    ResourceType,
    SocialNetwork,
    Staff,
    TicketCategory,
    TicketResolution,
    TicketSeverity,
    TicketType,
)

__all__ = [
    "Availability", "Civility", "CompanyType", "ContactProspectLevel", "ContactProspectStatus", "ContactRole",
    "Country", "Currency", "Department", "DictionaryNote", "EventType", "ExpenseType", "Function", "Incoterm",
    "LeadStatus", "LegalForm", "OrderingMethod", "Origin", "PaymentTerm", "PaymentType", "ProductNature",
    "ProposalStatusLabel", "ProspectLevel", "ProspectStatus", "Region", "ResourceType", "ShippingMethod",
    "SocialNetwork", "Staff", "State", "TicketCategory", "TicketResolution", "TicketSeverity", "TicketType", "Town",
    "TransportMode", "Unit", "VatRate",
]  # fmt: skip
#: calculation of the due day of a payment term
DUE = ((0, "days"), (1, "days, then the end of that month"), (2, "days, then the next such day of a month"))
FLOWS = ((0, "received"), (1, "paid"), (2, "both"))
SOURCES = (("internal", "a user"), ("external", "a contact"))


class Offered(TypedDict, total=False):
    """A dictionary that lists either the entries that are offered or those that are not."""

    active: Never


class OfferedRows(Offered, total=False):
    """One whose identifier is called otherwise."""

    id: Never
    rowid: Annotated[int, IntegerField, "identifier of the entry"]


class UnitAnswers(TypedDict, total=False):
    """What is shown of a unit."""

    id: Never
    rowid: Annotated[int, IntegerField, "identifier of the unit"]
    sortorder: Never


class RoleAnswers(OfferedRows, total=False):
    """What is shown of what a contact can be."""

    element: Never
    type: Annotated[str, CharField, "type of document: propal, commande, facture"]


class AvailabilityAnswers(OfferedRows, total=False):
    """What is shown of how soon something can be had."""

    position: Never


class Country(Model):
    """A country."""

    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=2, unique=True, help_text="ISO 3166-1 code of two letters")
    code_iso = CharField(max_length=3, null=True, help_text="ISO 3166-1 code of three letters")
    label = CharField(max_length=128, help_text="label")
    active = SmallIntegerField(default=1, choices=OFFERED)

    class Meta:
        table_name = "llx_c_country"
        required = ("code", "label")
        example = {"code": "XO", "code_iso": "XOW", "label": "Our country"}


class PaymentTerm(Model):
    """A payment term."""

    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=16, unique=True, help_text="code")
    sortorder = SmallIntegerField(default=0, help_text="position in lists")
    active = SmallIntegerField(default=1, choices=OFFERED)
    label = CharField(column_name="libelle", max_length=255, null=True, help_text="label")
    descr = TextField(column_name="libelle_facture", null=True, help_text="words for documents")
    type_cdr = SmallIntegerField(default=0, choices=DUE, help_text="how the days count")
    nbjour = SmallIntegerField(null=True, help_text="days after the invoice date")
    decalage = SmallIntegerField(null=True, help_text="extra days; with type_cdr 2, day of the month")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_payment_term"
        required = ("code", "label")
        example = {"code": "45D", "label": "45 days", "descr": "Due in 45 days", "nbjour": 45}
        answers = Offered


class PaymentType(Model):
    """A payment mode."""

    id = IntegerField(primary_key=True)
    code = CharField(max_length=6, unique=True, help_text="code")
    label = CharField(column_name="libelle", max_length=128, null=True, help_text="label")
    type = SmallIntegerField(default=2, choices=FLOWS, help_text="for which payments")
    active = SmallIntegerField(default=1, choices=OFFERED)
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_paiement"
        required = ("code", "label")
        example = {"code": "OWN", "label": "Of our own"}
        answers = Offered


class VatRate(Model):
    """A VAT rate of a country, with its local taxes."""

    id = IntegerField(column_name="rowid", primary_key=True)
    country_id = IntegerField(column_name="fk_pays", help_text="country")
    code = CharField(max_length=10, default="", help_text="tells rates of one country and percentage apart")
    rate = ExactField(7, 4, column_name="taux", help_text="percent")
    localtax1 = CharField(max_length=20, default="0", help_text="first local tax, percent; several separated by colons")
    localtax1_type = CharField(
        max_length=10, default="0", help_text="0: none; before VAT 1 all, 3 products, 5 services; with VAT 2, 4, 6"
    )
    localtax2 = CharField(
        max_length=20, default="0", help_text="second local tax, percent; several separated by colons"
    )
    localtax2_type = CharField(max_length=10, default="0", help_text="as localtax1_type")
    recuperableonly = SmallIntegerField(default=0, choices=NO_YES, help_text="1: deducted, not paid")
    note = CharField(max_length=128, null=True, help_text="note")
    active = SmallIntegerField(default=1, choices=OFFERED)

    class Meta:
        table_name = "llx_c_tva"
        example = {"country_id": 1, "rate": "19.25", "note": "Our rate"}
        indexes = ((("country_id", "code", "rate", "recuperableonly"), True),)


class Unit(Model):
    """A unit of measure."""

    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=3, unique=True, help_text="code")
    label = CharField(max_length=128, null=True, help_text="label")
    short_label = CharField(max_length=5, null=True, help_text="short label")
    active = SmallIntegerField(default=1, choices=OFFERED)
    scale = IntegerField(
        null=True, help_text="power of ten of the type's base unit; time: seconds; from 80: not metric"
    )
    unit_type = CharField(max_length=10, null=True, help_text="weight, size, surface, volume, qty or time")
    sortorder = SmallIntegerField(default=0, help_text="position in lists")

    class Meta:
        table_name = "llx_c_units"
        required = ("code", "label")
        example = {"code": "OWN", "label": "own unit", "short_label": "own", "scale": 0, "unit_type": "qty"}
        answers = UnitAnswers
        aliases = {"rowid": "id"}


class ContactRole(Model):
    """A role that a contact or a user can have in a document."""

    id = IntegerField(column_name="rowid", primary_key=True)
    element = CharField(max_length=30, help_text="type of document: propal, commande, facture")
    source = CharField(max_length=8, default="external", choices=SOURCES)
    code = CharField(max_length=32, help_text="code")
    label = CharField(column_name="libelle", max_length=128, help_text="label")
    active = SmallIntegerField(default=1, choices=OFFERED)
    module = CharField(max_length=32, null=True, help_text="module that added the entry")
    position = IntegerField(default=0, help_text="position in lists")

    class Meta:
        table_name = "llx_c_type_contact"
        required = ("element", "code", "label")
        example = {"element": "commande", "source": "external", "code": "OWN", "label": "Of our own"}
        answers = RoleAnswers
        aliases = {"rowid": "id", "type": "element"}
        indexes = ((("element", "source", "code"), True),)


class Availability(Model):
    """A delivery time of an offer."""

    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=30, unique=True, help_text="code")
    label = CharField(max_length=128, help_text="label")
    active = SmallIntegerField(default=1, choices=OFFERED)
    position = IntegerField(default=0, help_text="position in lists")

    class Meta:
        table_name = "llx_c_availability"
        required = ("code", "label")
        example = {"code": "AV_OWN", "label": "Of our own"}
        answers = AvailabilityAnswers
        aliases = {"rowid": "id"}


class Origin(Model):
    """A reason for which a customer requested an offer or an order."""

    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=30, unique=True, help_text="code")
    label = CharField(max_length=128, help_text="label")
    active = SmallIntegerField(default=1, choices=OFFERED)
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_input_reason"
        required = ("code", "label")
        example = {"code": "SRC_OWN", "label": "Of our own"}
        answers = OfferedRows
        aliases = {"rowid": "id"}


class ShippingMethod(Model):
    """A shipping method."""

    id = IntegerField(column_name="rowid", primary_key=True)
    code = CharField(max_length=30, unique=True, help_text="code")
    label = CharField(column_name="libelle", max_length=128, help_text="label")
    description = TextField(null=True, help_text="description")
    tracking = CharField(max_length=255, null=True, help_text="tracking URL")
    active = SmallIntegerField(default=1, choices=OFFERED)
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_shipment_mode"
        required = ("code", "label")
        example = {"code": "OWN", "label": "Of our own"}
        answers = Offered


class DictionaryNote(Model):
    """A note on a dictionary from which entries were deleted: it isn't filled again, even if it is empty."""

    name = CharField(max_length=64, primary_key=True, help_text="its table")
    last = BigIntegerField(default=0, help_text="the highest identifier that was deleted: it is not given again")

    class Meta:
        table_name = "comptoir_dictionary"
        audited = False
