"""Products and services: checks and completion of writes, and lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from core import BadRequest, ListQuery, Refused, Values, current_caller, profile, today, transaction, warn
from core.for_natives import Page, catalogue, settings

from ..dictionaries.category_links import in_category
from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.entries import entry
from ..dictionaries.models import Country, Unit
from ..numbering.series import Series
from ..setup.changed_values import announced
from ..setup.named_records import require_named
from ..setup.stamps import stamp, unset_zeros
from ..setup.text_cleaners import clean_base, clean_code, clean_label, clean_ref
from .durations import PARTS, clean_duration, fill_parts, has_parts, join, split
from .models import ALONE, HAS_VARIANTS, IS_VARIANT, Product
from .price_rules import settle_prices, unfit
from .segments import add_segment_prices

#: values that request the next reference
AUTOMATIC = ("-1", "auto")
#: `mode` of a list → condition on the products
MODES: dict[int, dict[str, Any]] = {1: {"type": 0}, 2: {"type": 1}}
#: `variant_filter` of a list → condition on the products
VARIANT_FILTERS: dict[int, dict[str, Any]] = {
    1: {"variant_role": ALONE},
    2: {"variant_role": HAS_VARIANTS},
    3: {"variant_role": IS_VARIANT},
}
SERVICE = 1
ADDON, ELEPHANT = "PRODUCT_CODEPRODUCT_ADDON", "mod_codeproduct_elephant"
#: type → the series of its references, which has one name, as no product and service have the same reference
SERIES = {
    type: Series("products", addon=ADDON, masks={ELEPHANT: (mask,)}, default="mod_codeproduct_leopard")
    for type, mask in ((0, "PRODUCT_ELEPHANT_MASK_PRODUCT"), (SERVICE, "PRODUCT_ELEPHANT_MASK_SERVICE"))
}
NO_STOCK = "`stock_reel` can't be set here; create a stock movement instead"
#: the permission required to see quantities in stock
SEES_STOCK = "warehouses.read"
#: the stock's names in filters, sort orders and sums
STOCK = {"t.stock", "t.stock_reel"}


class Products(CodedRecords[Product]):
    """Products and services."""

    model = Product
    service = "products"
    events = ("parent_changed",)
    noun = "Product"
    other_names = ("produit",)
    sort = "t.ref"
    empty = "No product found"
    codes = {"country_code": ("country_id", Country)}
    cleaners = {
        **announced({"ref": clean_ref}),
        "label": clean_label,
        "barcode": clean_code,
        "duration": clean_duration,
        "price_base_type": clean_base,
    } | code_cleaners(Product)

    # Reading --------------------------------------------------------------------------------------------------------

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the country's code, the parts of the duration and prices of segments; format dates as in the profile."""
        super().complete(records)
        add_segment_prices(records)
        as_text, sees_stock = profile().text_values, _sees_stock()
        for record in records:
            if not sees_stock:
                del record["stock_reel"]
            record |= dict(zip(PARTS, split(record["duration"]), strict=True))
            if as_text:
                _as_text(record)

    def page(self, query: ListQuery | None = None, where: Mapping[str, Any] | None = None, **parameters: Any) -> Page:
        """List products; filters and sort orders by stock require the permission to see stock."""
        query = query or ListQuery(**parameters)
        wrong = [] if _sees_stock() else [name for name, fields in query.used_fields().items() if fields & STOCK]
        if wrong:
            raise BadRequest(
                errors=[
                    (name, f"`{name}`: stock fields can be used only with the permission {SEES_STOCK}")
                    for name in wrong
                ]
            )
        return super().page(query, where)

    def listed(
        self, query: ListQuery, mode: int, *, ids_only: bool, category: int, variant_filter: int, stock: bool
    ) -> Page:
        """List products.

        :param mode: 0 all, 1 products, 2 services
        :param ids_only: return their IDs in place of the records
        :param category: only those in this category; 0: all
        :param variant_filter: 0 all, 1 neither variants nor those that have some, 2 those that have some, 3 variants
        :param stock: with their stock by warehouse
        """
        records = stocked_products if stock and not ids_only else self
        where = {**MODES.get(mode, {}), **VARIANT_FILTERS.get(variant_filter, {}), **in_category("product", category)}
        page = records.page(replace(query, properties="id") if ids_only else query, where)
        if ids_only:
            identifiers: Any = [record["id"] for record in page]
            page[:] = identifiers
        return page

    # Writing --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body; the two parts of the duration are joined first."""
        if creating and body.get("stock_reel") is not None:
            raise unfit("stock_reel", NO_STOCK)
        return super().accept(join(body) if has_parts(body) else body, creating=creating, replace=replace)

    def change(self, identifier: Any, body: Mapping[str, Any], **more: Any) -> bool:
        """Change a product; the body may contain only one part of the duration."""
        if body.get("price_base_type") == "" == profile().new_product_price_base:
            # Sent back as it was read
            body = {name: value for name, value in body.items() if name != "price_base_type"}
        parts = {name: body[name] for name in PARTS if name in body}
        if parts:
            body = {**body, **fill_parts(parts, self.load(identifier).duration)}
        body = self.check_body("changed", identifier, body, **more)
        with transaction():
            if body.get("stock_reel") is not None:
                self._require_stock(self.load(identifier, lock=True), body["stock_reel"])
            if parts:
                body = {**body, **fill_parts(parts, self.load(identifier, lock=True).duration)}
            return super().change(identifier, body, checked=True, **more)

    def _require_stock(self, row: Product, sent: object) -> None:
        """Reject a stock that differs from the current one; a record can be sent back as it was read."""
        try:
            same = _sees_stock() and row.stock_reel == Decimal(str(sent))
        except InvalidOperation:
            same = False
        if not same:
            raise unfit("stock_reel", NO_STOCK)

    def prepare(self, values: Values, before: Product | None) -> None:
        """Check conditions on several fields, and set the fields that the server sets."""
        super().prepare(values, before)
        unset_zeros(values, "country_id", "state_id", "barcode_type", "fk_default_warehouse")
        if before is None:
            values.setdefault("status", profile().new_product_status)
            values.setdefault("price_base_type", profile().new_product_price_base)
        require_named(values, before, fk_default_warehouse="warehouses")
        if values.get("type") == SERVICE and before is not None and before.type != SERVICE and before.stock_reel:
            raise Refused(f"product {before.ref} ({before.id}) can't become a service: it has stock", reason="in_use")
        _copy_units(values, before)
        settle_prices(values, before)
        # The first query fills a dictionary, and the unit must exist
        entry(Unit, values.get("fk_unit"))
        stamp(values, new=before is None, creator="fk_user_author", changer="fk_user_modif")
        # Last, because it locks the counter
        if before is not None and "ref" in values:
            if values["ref"].lower() in AUTOMATIC:
                reason = "`ref` can't be generated for an existing product; send a reference or leave `ref` out"
                raise unfit("ref", reason)
            SERIES[values.get("type", before.type)].advance_past(values["ref"])
        is_automatic = before is None and "ref" in values and values["ref"].lower() in AUTOMATIC
        if is_automatic and not SERIES[values.get("type", 0)].mask().text:
            hint = f"; to number products automatically, set the constant {ADDON} to {ELEPHANT}"
            raise BadRequest(errors=[BadRequest.missing("ref", hint)])

    def inserting(self, values: Values) -> None:
        """Take the reference of a new product from its series, or advance the series past a chosen one."""
        series = SERIES[values.get("type", 0)]
        if values["ref"].lower() in AUTOMATIC:
            values["ref"] = series.take(Product.ref, today())
        else:
            series.advance_past(values["ref"])

    def stored(self, identifier: int, body: Mapping[str, Any], before: Product | None) -> None:
        """Notify the variants of a changed product; a product without variants notifies no service."""
        if before is not None and before.variant_role == HAS_VARIANTS:
            self.notify("parent_changed", identifier)

    def removing(self, row: Product) -> None:
        """Free the reference if it is the last of its series."""
        SERIES[row.type].give_back(row.ref)


class StockedProducts(Products):
    """Products with their stock by warehouse."""

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add present and expected stock by warehouse, as far as the caller may see it."""
        super().complete(records)
        served = catalogue().services.get("warehouses")
        if not _sees_stock():
            warn(f"ignored: includestockdata, because it requires the permission {SEES_STOCK}")
        elif served is None or served.records is None:
            warn("ignored: includestockdata, because the service `warehouses` is not available")
        else:
            served.records.add_stock(records)


def _sees_stock() -> bool:
    """Return whether the caller may see the quantities of a product."""
    caller = current_caller()
    return caller is None or caller.holds(SEES_STOCK)


def _as_text(record: dict[str, Any]) -> None:
    """Convert dates to text in the company's zone, and null to empty text where Dolibarr returns it."""
    for name in ("date_creation", "date_modification"):
        if record[name] != "":
            record[name] = datetime.fromtimestamp(record[name], settings().zone).strftime("%Y-%m-%d %H:%M:%S")
    for name in ("country_code", *PARTS):
        record[name] = "" if record[name] is None else str(record[name])


def _copy_units(values: dict[str, Any], before: Product | None) -> None:
    """Copy the unit of the length to width and height if they have none."""
    unit = values.get("length_units")
    for name in ("width_units", "height_units"):
        if unit is not None and name not in values and getattr(before, name, None) is None:
            values[name] = unit


products = Products()
stocked_products = StockedProducts()
