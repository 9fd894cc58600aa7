"""Dictionaries about people, companies, products, events and tickets."""

from __future__ import annotations

from peewee import CharField, IntegerField, SmallIntegerField

from core import ExactField

from .pattern import NO_YES, Entry, EntryAnswers, Numbered, OfTickets, Positioned, Row


class Civility(Entry):
    """A form of address."""

    code = CharField(max_length=6, unique=True, help_text="code")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_civility"
        answers = EntryAnswers


class EventType(Numbered):
    """A type of event."""

    type = CharField(max_length=50, default="user", help_text="source: system, systemauto, module or user")

    class Meta:
        table_name = "llx_c_actioncomm"


class ExpenseType(Numbered):
    """A type of expense."""

    code = CharField(max_length=12, unique=True, help_text="code")
    label = CharField(max_length=128, help_text="label")
    accountancy_code = CharField(max_length=32, null=True, help_text="account in the books")

    class Meta:
        table_name = "llx_c_type_fees"


class OrderingMethod(Entry):
    """A way to place an order."""

    label = CharField(column_name="libelle", max_length=128, help_text="label")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_input_method"


class SocialNetwork(Entry):
    """A social network."""

    entity = IntegerField(default=1, help_text="company")
    url = CharField(max_length=255, null=True, help_text="URL of an account; {socialid}: its name")
    icon = CharField(max_length=20, null=True, help_text="name of the icon")

    class Meta:
        table_name = "llx_c_socialnetworks"
        managed = ("entity",)


class Staff(Numbered):
    """A size of the staff."""

    class Meta:
        table_name = "llx_c_effectif"
        aliases = {"libelle": "label"}


class CompanyType(Numbered):
    """A type of company."""

    country_id = IntegerField(column_name="fk_country", null=True, help_text="country; null: all")

    class Meta:
        table_name = "llx_c_typent"


class TicketCategory(OfTickets):
    """A subject of tickets."""

    public = SmallIntegerField(default=0, choices=NO_YES, help_text="1: available to external users")

    class Meta:
        table_name = "llx_c_ticket_category"


class TicketSeverity(OfTickets):
    """A severity of tickets."""

    color = CharField(max_length=10, null=True, help_text="such as FF0000")

    class Meta:
        table_name = "llx_c_ticket_severity"


class TicketType(OfTickets):
    """A type of ticket."""

    class Meta:
        table_name = "llx_c_ticket_type"


class TicketResolution(OfTickets):
    """A resolution of tickets."""

    class Meta:
        table_name = "llx_c_ticket_resolution"


class ProspectLevel(Entry):
    """A prospect level of third parties."""

    code = CharField(max_length=12, unique=True, help_text="code")
    sortorder = IntegerField(default=0, help_text="rank; higher is more promising")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_prospectlevel"


class ContactProspectLevel(Entry):
    """A prospect level of contacts."""

    code = CharField(max_length=12, unique=True, help_text="code")
    sortorder = IntegerField(default=0, help_text="rank; higher is more promising")
    module = CharField(max_length=32, null=True, help_text="module that added the entry")

    class Meta:
        table_name = "llx_c_prospectcontactlevel"


class ProspectStatus(Numbered):
    """A prospect status of third parties."""

    class Meta:
        table_name = "llx_c_stcomm"


class ContactProspectStatus(Numbered):
    """A prospect status of contacts."""

    class Meta:
        table_name = "llx_c_stcommcontact"


class Department(Positioned):
    """A department of a company."""

    class Meta:
        table_name = "llx_c_hrm_department"


class Function(Positioned):
    """A function of an employee in a company."""

    c_level = SmallIntegerField(default=0, choices=NO_YES, help_text="1: executive level")

    class Meta:
        table_name = "llx_c_hrm_function"


class ProductNature(Row):
    """The nature of a product: raw material or manufactured."""

    code = SmallIntegerField(unique=True, help_text="what `finished` of a product holds")
    label = CharField(max_length=255, help_text="label")

    class Meta:
        table_name = "llx_c_product_nature"
        required = ("code", "label")
        example = {"code": 90, "label": "Of our own"}


class LeadStatus(Entry):
    """A status of leads."""

    position = IntegerField(default=0, help_text="position")
    percent = ExactField(5, 2, null=True, help_text="likelihood of a sale")

    class Meta:
        table_name = "llx_c_lead_status"


class ProposalStatusLabel(Entry):
    """A label for a state of proposals."""

    id = IntegerField(primary_key=True)

    class Meta:
        table_name = "llx_c_propalst"


class ResourceType(Entry):
    """A type of resource that can be booked."""

    class Meta:
        table_name = "llx_c_type_resource"
