"""Tables of categories and their links. Fields have the names of the API, columns those of Dolibarr."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import Model, RecordField, now

from ..dictionaries.category_links import LINKS
from ..products.models import Product
from ..thirdparties.models import Contact, Thirdparty
from ..users.models import User

NO_YES = ((0, "no"), (1, "yes"))
ENTITY = ((1, "this company"),)
TYPES = tuple((each.type, kind) for kind, each in LINKS.items())


class CategoryAccepts(TypedDict, total=False):
    """What a body may say in other words."""

    type: Annotated[
        Literal[0, 1, 2, 4, 7, "0", "1", "2", "4", "7", "product", "supplier", "customer", "contact", "user"],
        "what is in it, by number or by word; it never changes",
    ]


class Category(Model):
    """A category of products, suppliers, customers, contacts or users; each type is a tree."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, choices=ENTITY, help_text="company the record belongs to")
    # Not a RecordField: a root category has 0, because NULL would let the unique index accept a label twice
    fk_parent = IntegerField(default=0, index=True, help_text="category above it, of the same type; 0: none")
    label = CharField(max_length=180, help_text="used once below one parent")
    ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    type = SmallIntegerField(
        choices=TYPES,
        help_text="what is in it: 0 product, 1 supplier, 2 customer, 4 contact, 7 user; the word is taken, too",
    )
    description = TextField(null=True, help_text="description")
    color = CharField(max_length=8, null=True, help_text="six hexadecimal digits, such as 207040")
    position = IntegerField(null=True, default=0, help_text="place among those beside it")
    visible = SmallIntegerField(default=1, choices=NO_YES, help_text="1: shown to visitors")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    date_creation = DateTimeField(null=True, default=now, help_text="time of creation")
    date_modification = DateTimeField(column_name="tms", null=True, default=now, help_text="time of the last change")
    user_creation = IntegerField(column_name="fk_user_creat", null=True, help_text="user who created the record")
    user_modification = IntegerField(column_name="fk_user_modif", null=True, help_text="user who changed it last")

    class Meta:
        table_name = "llx_categorie"
        searched = ("label", "description")
        sorted = ("label",)
        extrafields = "categorie"
        aliases = {"ref": "id"}
        required = ("label",)
        managed = ("id", "date_creation", "date_modification", "user_creation", "user_modification")
        create_only = ("type", "import_key")
        stamps = ("date_modification", "user_modification")
        indexes = ((("fk_parent", "type", "label"), True),)
        accepts = CategoryAccepts
        example = {"label": "Nurseries", "type": 2, "color": "207040"}


class Link(Model, pattern=True):
    """A link between a record and a category; each type has its own table."""

    id = AutoField(column_name="rowid")
    category = RecordField(Category, "Category", column_name="fk_categorie", on_delete="cascade")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")

    class Meta:
        part_of = ("record",)
        indexes = ((("category", "record"), True),)


class ProductLink(Link):
    """A link between a product and a category."""

    record = RecordField(Product, "Product", column_name=LINKS["product"].column, on_delete="cascade")

    class Meta:
        table_name = LINKS["product"].table


class SupplierLink(Link):
    """A link between a third party and a category of suppliers."""

    record = RecordField(Thirdparty, "Thirdparty", column_name=LINKS["supplier"].column, on_delete="cascade")

    class Meta:
        table_name = LINKS["supplier"].table
        thirdparty = "record"


class CustomerLink(Link):
    """A link between a third party and a category of customers."""

    record = RecordField(Thirdparty, "Thirdparty", column_name=LINKS["customer"].column, on_delete="cascade")

    class Meta:
        table_name = LINKS["customer"].table
        thirdparty = "record"


class ContactLink(Link):
    """A link between a contact and a category."""

    record = RecordField(Contact, "Contact", column_name=LINKS["contact"].column, on_delete="cascade")

    class Meta:
        table_name = LINKS["contact"].table
        thirdparty = "record.socid"


class UserLink(Link):
    """A link between a user and a category."""

    record = RecordField(User, "User", column_name=LINKS["user"].column, on_delete="cascade")

    class Meta:
        table_name = LINKS["user"].table
