"""Tables of products and services. Fields have the names in the API, columns those in Dolibarr."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Never, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField, SmallIntegerField, TextField

from core import ExactField, Model, RecordField, now

from ..dictionaries.codes import PlaceCodes
from ..dictionaries.models import Unit

NO_YES = ((0, "no"), (1, "yes"))
TYPES = ((0, "product"), (1, "service"))
SOLD = ((0, "not for sale"), (1, "for sale"))
BOUGHT = ((0, "not bought"), (1, "bought"))
#: role of a product with variants, or as a variant
VARIANT_ROLES = ((0, "neither"), (1, "has variants"), (2, "is a variant"))
ALONE, HAS_VARIANTS, IS_VARIANT = 0, 1, 2
BATCHES = ((0, "none"), (1, "lots"), (2, "serial numbers"))
#: the price that was agreed on, before or with VAT; the other one is computed from it
BASES = (("HT", "HT"), ("TTC", "TTC"))
EXPONENT = "power of ten of the unit, such as -3 for a thousandth; larger numbers name others"


class Duration(TypedDict, total=False):
    """The parts of a duration, which a body may say, too."""

    duration_value: Annotated[
        int | str | None,
        "of a service: how many duration_unit it takes; in the profile dolibarr16 answered as text, empty: none",
    ]
    duration_unit: Annotated[
        Literal["s", "i", "h", "d", "w", "m", "y", ""] | None, "seconds, minutes, hours, days, weeks, months or years"
    ]


class ProductAccepts(Duration, PlaceCodes, total=False):
    """Keys of the body of a product that are not columns."""


class StockPlace(TypedDict):
    """How many of a product lie in a warehouse."""

    id: Annotated[int, IntegerField, "identifier of the row"]
    real: Annotated[str, "quantity in this warehouse"]


class ProductAnswers(Duration, total=False):
    """What a product holds besides its columns, and what its dates are."""

    date_creation: Annotated[
        int | str | None, datetime, "Unix seconds; in the profile dolibarr16 text such as 2026-11-21 10:00:00, UTC"
    ]
    date_modification: Annotated[int | str | None, datetime, "as date_creation"]
    country_code: Annotated[str | None, "ISO 3166-1 code of two letters of the country of origin"]
    stock_warehouse: Annotated[dict[str, StockPlace], "quantity by warehouse; with includestockdata"]
    stock_theorique: Annotated[str, "stock minus ordered and not yet shipped quantities; with includestockdata"]
    multiprices: Annotated[
        dict[str, str | None],
        "price of each segment before VAT; null: none. As all multiprices only where PRODUIT_MULTIPRICES is on",
    ]
    multiprices_ttc: Annotated[dict[str, str | None], "the same, VAT included"]
    multiprices_base_type: Annotated[dict[str, str | None], "HT or TTC, as price_base_type"]
    multiprices_min: Annotated[dict[str, str | None], "lowest price before VAT"]
    multiprices_min_ttc: Annotated[dict[str, str | None], "lowest price, VAT included"]
    multiprices_tva_tx: Annotated[dict[str, str | None], "VAT, percent"]
    multiprices_default_vat_code: Annotated[dict[str, str | None], "code of the rate of VAT"]
    sousprods: Annotated[list[Annotated[dict[str, Any], Association]], "its components; with includesubproducts"]
    fk_product_parent: Annotated[int | None, IntegerField, "product that it is a variant of; with includeparentid"]


class Product(Model):
    """A product or service that is sold or bought."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, help_text="company the record belongs to")
    ref = CharField(max_length=128, unique=True, help_text="special characters become _; `auto`: the next")
    ref_ext = CharField(max_length=128, null=True, index=True, help_text="reference in another system")
    label = CharField(max_length=255, index=True, help_text="label")
    description = TextField(null=True, help_text="description")
    type = IntegerField(column_name="fk_product_type", default=0, choices=TYPES, help_text="0 product, 1 service")
    status = SmallIntegerField(column_name="tosell", default=1, choices=SOLD, help_text="1: for sale")
    status_buy = SmallIntegerField(column_name="tobuy", default=0, choices=BOUGHT, help_text="1: bought")
    status_batch = SmallIntegerField(column_name="tobatch", default=0, choices=BATCHES)
    price = ExactField(
        24,
        8,
        default=Decimal(0),
        help_text="of one unit, before VAT, rounded to MAIN_MAX_DECIMALS_UNIT (5) decimal places; negative: a discount",
    )
    price_ttc = ExactField(24, 8, default=Decimal(0), help_text="of one unit, VAT included")
    price_min = ExactField(24, 8, default=Decimal(0), help_text="lowest price before VAT, at most `price`; 0: none")
    price_min_ttc = ExactField(24, 8, default=Decimal(0), help_text="lowest price, VAT included; 0: none")
    price_base_type = CharField(
        max_length=3, default="HT", choices=BASES, help_text="HT: VAT is added to the price; TTC: VAT is taken out"
    )
    cost_price = ExactField(24, 8, null=True, help_text="what one unit costs us, before VAT")
    tva_tx = ExactField(7, 4, default=Decimal(0), help_text="VAT, percent")
    default_vat_code = CharField(max_length=10, null=True, help_text="code of the VAT rate")
    localtax1_tx = ExactField(7, 4, default=Decimal(0), help_text="percent")
    localtax2_tx = ExactField(7, 4, default=Decimal(0), help_text="percent")
    localtax1_type = CharField(max_length=10, default="0", help_text="type of the first local tax")
    localtax2_type = CharField(max_length=10, default="0", help_text="type of the second local tax")
    barcode = CharField(max_length=180, null=True, unique=True, help_text="barcode")
    barcode_type = IntegerField(column_name="fk_barcode_type", null=True, help_text="type of the barcode")
    weight = ExactField(24, 8, trimmed=True, null=True, help_text="weight")
    weight_units = SmallIntegerField(null=True, help_text=EXPONENT)
    length = ExactField(24, 8, trimmed=True, null=True, help_text="length")
    length_units = SmallIntegerField(null=True, help_text=EXPONENT)
    width = ExactField(24, 8, trimmed=True, null=True, help_text="width")
    width_units = SmallIntegerField(null=True, help_text="default: that of length_units")
    height = ExactField(24, 8, trimmed=True, null=True, help_text="height")
    height_units = SmallIntegerField(null=True, help_text="default: that of length_units")
    surface = ExactField(24, 8, trimmed=True, null=True, help_text="surface")
    surface_units = SmallIntegerField(null=True, help_text=EXPONENT)
    volume = ExactField(24, 8, trimmed=True, null=True, help_text="volume")
    volume_units = SmallIntegerField(null=True, help_text=EXPONENT)
    net_measure = ExactField(24, 8, trimmed=True, null=True, help_text="net measure")
    net_measure_units = SmallIntegerField(null=True, help_text=EXPONENT)
    customcode = CharField(max_length=32, null=True, help_text="customs code")
    country_id = IntegerField(column_name="fk_country", null=True, help_text="country of origin; 0: none")
    state_id = IntegerField(column_name="fk_state", null=True, help_text="state or county of origin")
    duration = CharField(
        max_length=6, default="", help_text="of a service, such as 1m: duration_value and duration_unit"
    )
    url = CharField(max_length=255, null=True, help_text="URL")
    seuil_stock_alerte = ExactField(24, 8, trimmed=True, null=True, help_text="stock below which to warn")
    desiredstock = ExactField(24, 8, trimmed=True, null=True, default=Decimal(0), help_text="stock level to restore")
    fk_default_warehouse = IntegerField(null=True, help_text="default warehouse; 0: none")
    finished = SmallIntegerField(null=True, help_text="nature of the product")
    lifetime = IntegerField(null=True, help_text="days")
    qc_frequency = IntegerField(null=True, help_text="days between quality controls")
    fk_unit = RecordField(Unit, "Unit", null=True, help_text="unit in which it is sold")
    accountancy_code_sell = CharField(max_length=32, null=True, help_text="account in the books for sales")
    accountancy_code_sell_intra = CharField(
        max_length=32, null=True, help_text="account in the books for sales within the EU"
    )
    accountancy_code_sell_export = CharField(
        max_length=32, null=True, help_text="account in the books for sales outside the EU"
    )
    accountancy_code_buy = CharField(max_length=32, null=True, help_text="account in the books for purchases")
    accountancy_code_buy_intra = CharField(
        max_length=32, null=True, help_text="account in the books for purchases within the EU"
    )
    accountancy_code_buy_export = CharField(
        max_length=32, null=True, help_text="account in the books for purchases outside the EU"
    )
    note_public = TextField(null=True, help_text="note for the customer")
    note_private = TextField(column_name="note", null=True, help_text="never printed")
    mandatory_period = SmallIntegerField(default=0, choices=NO_YES, help_text="1: a line needs its dates")
    stock_reel = ExactField(24, 8, trimmed=True, column_name="stock", null=True,
                            help_text="quantity in all warehouses; computed from the stock movements")  # fmt: skip
    pmp = ExactField(24, 8, default=Decimal(0), help_text="average price paid for what came in")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    date_creation = DateTimeField(column_name="datec", null=True, default=now, index=True, help_text="time of creation")
    date_modification = DateTimeField(
        column_name="tms", null=True, default=now, index=True, help_text="time of the last change"
    )
    fk_user_author = IntegerField(null=True, help_text="user who created the record")
    fk_user_modif = IntegerField(null=True, help_text="user who changed it last")
    fk_parent = IntegerField(null=True, default=0, help_text="product that it is a variant of; 0: none")
    variant_role = SmallIntegerField(
        default=0, choices=VARIANT_ROLES, help_text="1: has variants; 2: is one of the product in fk_parent"
    )
    recuperableonly = IntegerField(default=0, help_text="1: the VAT can't be deducted")
    onportal = SmallIntegerField(null=True, default=0, help_text="kept for compatibility")
    batch_mask = CharField(max_length=32, null=True, help_text="mask for lot numbers")
    partnumber = CharField(max_length=32, null=True, help_text="part number")
    fifo = ExactField(24, 8, null=True)
    lifo = ExactField(24, 8, null=True)
    canvas = CharField(max_length=32, null=True, help_text="kept for compatibility")
    hidden = SmallIntegerField(null=True, default=0, help_text="kept for compatibility")
    model_pdf = CharField(max_length=255, null=True, help_text="template of the PDF")
    fk_price_expression = IntegerField(null=True, help_text="kept for compatibility")
    price_autogen = SmallIntegerField(null=True, default=0, help_text="kept for compatibility")
    fk_project = IntegerField(null=True, help_text="ID of the project")
    fk_default_bom = IntegerField(null=True, help_text="kept for compatibility")

    class Meta:
        table_name = "llx_product"
        searched = ("ref", "label", "barcode", "description")
        sorted = ("ref", "label")
        extrafields = "product"
        required = ("ref", "label")
        example = {"ref": "LAMP", "label": "Lamp, copper", "price": "89.50", "tva_tx": "20"}
        managed = (
            "id", "entity", "stock_reel", "pmp", "import_key", "date_creation", "date_modification", "fk_user_author",
            "fk_user_modif", "fk_parent", "variant_role", "recuperableonly", "onportal", "batch_mask", "partnumber",
            "fifo", "lifo", "canvas", "hidden", "model_pdf", "fk_price_expression", "price_autogen", "fk_project",
            "fk_default_bom",
        )  # fmt: skip
        stamps = ("date_modification", "fk_user_modif")
        internal = ("note_private", "cost_price", "pmp", "fifo", "lifo")
        # Stock movements change these fields, and the audit trail contains the movements
        unaudited = ("stock_reel", "pmp")
        answers = ProductAnswers
        accepts = ProductAccepts


class AssociationAnswers(TypedDict, total=False):
    """What a component holds besides its columns."""

    id: Never
    fk_association: Annotated[int, Product.id, "row identifier of the association"]
    rowid: Annotated[int, Product.id, "row identifier of the component"]
    ref: Annotated[str, Product.ref, "of the component"]
    label: Annotated[str, Product.label, "of the component"]
    fk_product_type: Annotated[int, Product.type]


class Association(Model):
    """That a product is a component of another one: of a kit, say."""

    id = AutoField(column_name="rowid")
    fk_product_pere = RecordField(Product, "Product", on_delete="cascade", help_text="product that is made of it")
    fk_product_fils = RecordField(Product, "Product", help_text="component")
    qty = ExactField(24, 8, trimmed=True, default=Decimal(1), help_text="how many of it one of the product takes")
    incdec = SmallIntegerField(default=1, choices=NO_YES, help_text="1: its stock moves along with that of the product")
    rang = IntegerField(default=0, help_text="place among the components")

    class Meta:
        table_name = "llx_product_association"
        indexes = ((("fk_product_pere", "fk_product_fils"), True),)
        answers = AssociationAnswers


class Priced(Model, pattern=True):
    """The price of a product for some customers, before and with VAT."""

    id = AutoField(column_name="rowid")
    entity = IntegerField(default=1, help_text="the company; always 1")
    fk_product = RecordField(Product, "Product", on_delete="cascade", help_text="ID of the product")
    price = ExactField(24, 8, default=Decimal(0), help_text="of one unit, before VAT")
    price_ttc = ExactField(24, 8, default=Decimal(0), help_text="of one unit, VAT included")
    price_min = ExactField(24, 8, default=Decimal(0), help_text="lowest price before VAT; 0: none")
    price_min_ttc = ExactField(24, 8, default=Decimal(0), help_text="lowest price, VAT included; 0: none")
    price_base_type = CharField(max_length=3, default="HT", choices=BASES, help_text="default: the product's")
    tva_tx = ExactField(7, 4, default=Decimal(0), help_text="VAT rate in percent; default: the product's")
    default_vat_code = CharField(max_length=10, null=True, help_text="code of the VAT rate")
    recuperableonly = IntegerField(default=0, help_text="1: the VAT can't be deducted")
    localtax1_tx = ExactField(7, 4, default=Decimal(0), help_text="percent")
    localtax1_type = CharField(max_length=10, default="0", help_text="type of the first local tax")
    localtax2_tx = ExactField(7, 4, default=Decimal(0), help_text="percent")
    localtax2_type = CharField(max_length=10, default="0", help_text="type of the second local tax")
    price_label = CharField(max_length=255, null=True, help_text="label of the price")
    import_key = CharField(max_length=14, null=True, help_text="mark of an import")
    date_modification = DateTimeField(column_name="tms", null=True, default=now, help_text="time of the last change")

    class Meta:
        managed = ("id", "entity", "fk_product", "recuperableonly", "import_key", "date_modification")
        stamps = ("date_modification",)


class ProductPrice(Priced):
    """The price of a product for a segment of customers; the newest of its level counts.

    Level 0 is what breaks by quantity of the product's own price hang on.
    """

    price_level = SmallIntegerField(default=1, help_text="segment of customers")
    date_price = DateTimeField(default=now, help_text="since when it counts")
    tosell = SmallIntegerField(default=1, help_text="1: it can be sold")
    price_by_qty = IntegerField(default=0, help_text="1: there are prices by quantity")
    fk_user_author = IntegerField(null=True, help_text="user who wrote it")

    class Meta:
        table_name = "llx_product_price"
        managed = ("date_price", "tosell", "price_by_qty", "fk_user_author")
        required = ("price_level",)
        indexes = ((("fk_product", "price_level"), False),)
        example = {"price_level": 2, "price": "80.00"}


__all__ = ["Association", "Priced", "Product", "ProductPrice", "StockPlace"]
