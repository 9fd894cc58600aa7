"""Tables of product prices: those of suppliers, of single customers and of quantities.

Those of segments are in `products/models.py`, because a product shows them.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, TextField

from core import ExactField, Model, RecordField, now

from ..products.models import Priced, Product, ProductPrice
from ..thirdparties.models import Thirdparty

ZERO = Decimal(0)


class PurchasePriceAnswers(TypedDict, total=False):
    """What a purchase price holds besides its columns."""

    id: Annotated[int | str, Product.id, "of the product"]
    product_fourn_price_id: Annotated[int | str, Product.id, "row identifier of the price"]
    product_ref: Annotated[str, Product.ref, "of the product"]
    fourn_name: Annotated[str, Thirdparty.name, "of the supplier"]
    fourn_ref: Annotated[str, "same as ref_supplier"]
    fourn_unitprice_with_discount: Annotated[str, Product.price, "of one unit, the discount taken off"]
    fourn_date_creation: Annotated[int | str | None, datetime, "when it was noted, Unix seconds"]


class PurchasePrice(Model):
    """What a supplier asks for a quantity of a product."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, help_text="the company; always 1")
    product_id = RecordField(
        Product, "Product", column_name="fk_product", on_delete="cascade", help_text="ID of the product"
    )
    fourn_id = RecordField(Thirdparty, "Supplier", column_name="fk_soc", on_delete="cascade", help_text="supplier")
    ref_supplier = CharField(max_length=128, column_name="ref_fourn", help_text="the supplier's reference")
    desc_supplier = TextField(column_name="desc_fourn", null=True, help_text="the supplier's description")
    fk_availability = IntegerField(null=True, help_text="entry of the dictionary of availabilities")
    fourn_qty = ExactField(24, 8, column_name="quantity", trimmed=True, help_text="bought at once, at the least")
    fourn_price = ExactField(24, 8, column_name="price", help_text="of the whole quantity, before VAT")
    fourn_unitprice = ExactField(24, 8, column_name="unitprice", help_text="of one unit, before VAT")
    fourn_remise_percent = ExactField(
        7, 4, column_name="remise_percent", trimmed=True, default=ZERO, help_text="discount"
    )
    fourn_remise = ExactField(
        24, 8, column_name="remise", trimmed=True, default=ZERO, help_text="kept, not computed with"
    )
    fourn_charges = ExactField(24, 8, column_name="charges", null=True, help_text="kept, not computed with")
    fourn_tva_tx = ExactField(7, 4, column_name="tva_tx", default=ZERO, help_text="VAT, percent")
    fourn_tva_npr = IntegerField(column_name="info_bits", default=0, help_text="1: VAT is not charged")
    default_vat_code = CharField(max_length=10, null=True, help_text="code of the VAT rate")
    localtax1_tx = ExactField(7, 4, default=ZERO, help_text="percent")
    localtax1_type = CharField(max_length=10, default="0", help_text="type of the first local tax")
    localtax2_tx = ExactField(7, 4, default=ZERO, help_text="percent")
    localtax2_type = CharField(max_length=10, default="0", help_text="type of the second local tax")
    delivery_time_days = IntegerField(null=True, help_text="days until it is delivered")
    supplier_reputation = CharField(max_length=10, null=True, help_text="FAVORITE, NOTTHGOOD, DONOTORDER")
    supplier_barcode = CharField(max_length=180, column_name="barcode", null=True, help_text="barcode of the supplier")
    supplier_fk_barcode_type = IntegerField(
        column_name="fk_barcode_type", null=True, help_text="ID of the type of the supplier's barcode"
    )
    packaging = ExactField(24, 8, trimmed=True, null=True, help_text="units of one package")
    fourn_multicurrency_id = IntegerField(
        column_name="fk_multicurrency", null=True, help_text="ID of the supplier's currency"
    )
    fourn_multicurrency_code = CharField(
        max_length=3, column_name="multicurrency_code", null=True, help_text="code of the supplier's currency"
    )
    fourn_multicurrency_tx = ExactField(24, 8, column_name="multicurrency_tx", default=Decimal(1), help_text="rate")
    fourn_multicurrency_price = ExactField(
        24, 8, column_name="multicurrency_price", null=True, help_text="price in the supplier's currency"
    )
    fourn_multicurrency_unitprice = ExactField(
        24, 8, column_name="multicurrency_unitprice", null=True, help_text="unit price in the supplier's currency"
    )
    fk_supplier_price_expression = IntegerField(null=True, help_text="kept for compatibility")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    fk_user = IntegerField(null=True, help_text="user who wrote it last")
    fourn_date_creation = DateTimeField(column_name="datec", null=True, default=now)
    date_modification = DateTimeField(column_name="tms", null=True, default=now, help_text="time of the last change")

    class Meta:
        table_name = "llx_product_fournisseur_price"
        thirdparty = "fourn_id"
        # Not the product: its readers may not see the prices
        part_of = ("fourn_id",)
        stamps = ("date_modification", "fk_user")
        answers = PurchasePriceAnswers
        # A supplier has one price per reference and quantity of a product
        indexes = ((("product_id", "fourn_id", "ref_supplier", "fourn_qty"), True),)


class CustomerPriceAnswers(TypedDict, total=False):
    """What the price of a customer holds besides its columns."""

    socname: Annotated[str, Thirdparty.name, "of the customer"]
    prodref: Annotated[str, Product.ref, "of the product"]


class CustomerPrice(Priced):
    """The price of a product for one customer."""

    fk_soc = RecordField(Thirdparty, "Third party", on_delete="cascade", help_text="customer")
    ref_customer = CharField(max_length=128, null=True, help_text="what the customer calls the product")
    fk_user = IntegerField(null=True, help_text="user who wrote it last")
    datec = DateTimeField(null=True, default=now, help_text="when it was noted")

    class Meta:
        table_name = "llx_product_customer_price"
        thirdparty = "fk_soc"
        # Not the product: its readers may not see the prices
        part_of = ("fk_soc",)
        create_only = ("fk_soc",)
        managed = ("fk_user", "datec")
        stamps = ("fk_user",)
        answers = CustomerPriceAnswers
        indexes = ((("fk_product", "fk_soc"), True),)
        example = {"fk_soc": 1, "price": "75.00"}


class QuantityPriceAnswers(TypedDict, total=False):
    """What the price of a quantity holds besides its columns."""

    price_level: Annotated[int | str, ProductPrice.price_level, "segment whose price it breaks; 0: the product's own"]


class QuantityPriceAccepts(TypedDict, total=False):
    """What a body may say besides the columns."""

    price_level: Annotated[int, "segment whose price it breaks; 0, the default: the product's own; of a creation"]


class QuantityPrice(Model):
    """What one unit costs from some quantity on; before VAT, or with it where the price that it breaks says TTC."""

    id = AutoField(column_name="rowid")
    fk_product_price = RecordField(ProductPrice, "Price", on_delete="cascade", help_text="ID of the product price")
    quantity = ExactField(24, 8, trimmed=True, help_text="from which on it counts")
    unitprice = ExactField(24, 8, default=ZERO, help_text="of one unit")
    price = ExactField(
        24, 8, default=ZERO, help_text="of the whole quantity; unitprice follows from it, or it from that"
    )
    remise_percent = ExactField(7, 4, trimmed=True, default=ZERO, help_text="discount that a line takes, percent")
    remise = ExactField(24, 8, trimmed=True, default=ZERO, help_text="discount")
    fk_user_creat = IntegerField(null=True, help_text="user who created it")
    fk_user_modif = IntegerField(null=True, help_text="user who changed it last")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    date_modification = DateTimeField(column_name="tms", null=True, default=now, help_text="time of the last change")

    class Meta:
        table_name = "llx_product_price_by_qty"
        aliases = {"rowid": "id"}
        managed = (
            "id",
            "fk_product_price",
            "remise",
            "fk_user_creat",
            "fk_user_modif",
            "import_key",
            "date_modification",
        )
        stamps = ("date_modification", "fk_user_modif")
        answers = QuantityPriceAnswers
        accepts = QuantityPriceAccepts
        indexes = ((("fk_product_price", "quantity"), True),)
        example = {"quantity": 10, "unitprice": "70.00"}


__all__ = ["ZERO", "CustomerPrice", "PurchasePrice", "QuantityPrice"]
