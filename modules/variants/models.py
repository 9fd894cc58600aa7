"""Tables of attributes, their values, and variants of products. Columns have the names in Dolibarr."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, IntegerField, SmallIntegerField

from core import ExactField, Model, RecordField

from ..products.models import NO_YES, Product

USED = "in how many variants it is; where the attribute is read by itself"


class AttributeAnswers(TypedDict, total=False):
    """What an attribute holds besides its columns."""

    is_used_by_products: Annotated[int, USED]


class Attribute(Model):
    """What variants of a product differ in, such as their colour."""

    id = AutoField(column_name="rowid")
    ref = CharField(max_length=255, unique=True, help_text="special characters become _")
    ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    label = CharField(max_length=255, help_text="label")
    position = IntegerField(default=0, help_text="place among the attributes")
    entity = IntegerField(default=1, help_text="company the record belongs to")

    class Meta:
        table_name = "llx_product_attribute"
        required = ("ref", "label")
        managed = ("id", "entity")
        answers = AttributeAnswers
        example = {"ref": "FINISH", "label": "Finish"}


class AttributeValue(Model):
    """A value of an attribute, such as red."""

    id = AutoField(column_name="rowid")
    fk_product_attribute = RecordField(
        Attribute, "Attribute", on_delete="cascade", help_text="attribute whose value it is"
    )
    ref = CharField(max_length=180, help_text="once in an attribute; part of the reference of its variants")
    value = CharField(max_length=255, help_text="word for it, part of the label of its variants")
    entity = IntegerField(default=1, help_text="company the record belongs to")

    class Meta:
        table_name = "llx_product_attribute_value"
        required = ("ref", "value")
        managed = ("id", "entity", "fk_product_attribute")
        indexes = ((("fk_product_attribute", "ref"), True),)
        example = {"ref": "RED", "value": "red"}


class Variant(Model):
    """A product that is a variant of another one, and what it costs and weighs more."""

    id = AutoField(column_name="rowid")
    fk_product_parent = RecordField(Product, "Product", help_text="product that it is a variant of")
    fk_product_child = RecordField(Product, "Product", unique=True, help_text="the variant's own product")
    variation_price = ExactField(
        24, 8, default=Decimal(0), help_text="added to the parent's price; a currency amount, or percent of that price"
    )
    variation_price_percentage = SmallIntegerField(
        default=0, choices=NO_YES, help_text="1: variation_price is percent of the parent's price"
    )
    variation_weight = ExactField(24, 8, default=Decimal(0), help_text="surcharge on the parent's weight, in its unit")
    variation_ref_ext = CharField(max_length=255, null=True, index=True, help_text="reference in another system")
    entity = IntegerField(default=1, help_text="company the record belongs to")

    class Meta:
        table_name = "llx_product_attribute_combination"
        managed = ("id", "fk_product_parent", "fk_product_child", "entity")


class Feature(Model):
    """The value that a variant has of one attribute."""

    id = AutoField(column_name="rowid")
    fk_prod_combination = RecordField(Variant, "Variant", on_delete="cascade", help_text="variant that has it")
    fk_prod_attr = RecordField(Attribute, "Attribute", help_text="attribute")
    fk_prod_attr_val = RecordField(AttributeValue, "Attribute value", help_text="value of the attribute")

    class Meta:
        table_name = "llx_product_attribute_combination2val"
        indexes = ((("fk_prod_combination", "fk_prod_attr"), True),)


__all__ = ["Attribute", "AttributeValue", "Feature", "Variant"]
