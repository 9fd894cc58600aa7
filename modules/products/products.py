"""Products and services: what is checked and completed when they are written, and how they are listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core import ListQuery, Page, Records, Values, settings, transaction, warn, wrong_fields

from ..dictionaries.entries import add_codes, entry
from ..dictionaries.models import Country, Unit
from ..setup.stamps import stamp, unset_zeros
from .codes import count_ref, next_ref, release_ref
from .durations import PARTS, clean_duration, fill_parts, has_parts, join, split
from .models import Product
from .price_rules import settle_prices, unfit
from .text_cleaners import clean_base, clean_code, clean_label, clean_ref

#: what asks for the next reference
AUTOMATIC = ("-1", "auto")
#: `mode` of a list → what the products must have
MODES: dict[int, dict[str, Any]] = {1: {"type": 0}, 2: {"type": 1}}


class Products(Records[Product]):
    """Products and services."""

    model = Product
    service = "products"
    noun = "Product"
    sort = "t.ref"
    empty = "No product found"
    cleaners = {
        "ref": clean_ref,
        "label": clean_label,
        "barcode": clean_code,
        "duration": clean_duration,
        "price_base_type": clean_base,
    }

    # Reading --------------------------------------------------------------------------------------------------------

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the country's code and the parts of the duration; give dates the profile's form."""
        add_codes(records, "country_code", Country, "country_id")
        as_text = settings().profile.text_values
        for record in records:
            record |= dict(zip(PARTS, split(record["duration"]), strict=True))
            if as_text:
                _as_text(record)

    def listed(
        self, query: ListQuery, mode: int, *, ids_only: bool, category: int, variant_filter: int, stock: bool
    ) -> Page:
        """List products.

        :param mode: 0 all, 1 products, 2 services
        :param ids_only: answer their identifiers in place of the records
        :raises BadRequest: categories or variants are asked for, which are not served
        """
        unserved = [name for name, asked in (("category", category), ("variant_filter", variant_filter)) if asked]
        if unserved:
            reason = "this filter is not served; leave it out, or send 0"
            raise wrong_fields([(name, f"`{name}`: {reason}") for name in unserved])
        if stock:
            warn("ignored: includestockdata, stock is not kept here")
        page = self.page(replace(query, properties="id") if ids_only else query, MODES.get(mode))
        if ids_only:
            identifiers: Any = [record["id"] for record in page]
            page[:] = identifiers
        return page

    # Writing --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body; the two parts of the duration are joined first."""
        if body.get("stock_reel") is not None:
            raise unfit("stock_reel", "stock cannot be set on the product: it follows from stock movements")
        return super().accept(join(body) if has_parts(body) else body, creating=creating, replace=replace)

    def change(
        self,
        identifier: Any,
        body: Mapping[str, Any],
        *,
        merge_extras: bool = False,
        replace: bool = False,
        **managed: Any,
    ) -> bool:
        """Change a product; of a duration one part may be sent."""
        with transaction():
            if has_parts(body):
                body = fill_parts(body, self.load(identifier, lock=True).duration)
            return super().change(identifier, body, merge_extras=merge_extras, replace=replace, **managed)

    def prepare(self, values: dict[str, Any], before: Product | None) -> None:
        """Check what depends on several fields, and set what the server sets."""
        unset_zeros(values, "country_id", "state_id", "barcode_type", "fk_default_warehouse")
        if before is None:
            values.setdefault("status", settings().profile.new_product_status)
        _copy_units(values, before)
        settle_prices(values, before)
        # A dictionary is filled when it is first asked for, and the unit must be there
        entry(Unit, values.get("fk_unit"))
        stamp(values, new=before is None, creator="fk_user_author", changer="fk_user_modif")
        # Last: it locks the counter
        if "ref" in values:
            _settle_ref(values, before)

    def removing(self, row: Product) -> None:
        """The last reference of a series is free again."""
        release_ref(row.type, row.ref)


def _as_text(record: dict[str, Any]) -> None:
    """Dates as text in UTC, and empty text for null, where the reference answers it."""
    for name in ("date_creation", "date_modification"):
        if record[name] != "":
            record[name] = datetime.fromtimestamp(record[name], UTC).strftime("%Y-%m-%d %H:%M:%S")
    for name in ("country_code", *PARTS):
        record[name] = "" if record[name] is None else str(record[name])


def _settle_ref(values: dict[str, Any], before: Product | None) -> None:
    """The reference to store: generated, or one that counts from now on."""
    type = values.get("type", before.type if before else 0)
    if values["ref"].lower() not in AUTOMATIC:
        count_ref(type, values["ref"])
    elif before is None:
        values["ref"] = next_ref(type)
    else:
        raise unfit("ref", "a product that exists keeps its reference, or takes the one that is sent")


def _copy_units(values: dict[str, Any], before: Product | None) -> None:
    """Width and height are in the unit of the length where they have none of their own."""
    unit = values.get("length_units")
    for name in ("width_units", "height_units"):
        if unit is not None and name not in values and getattr(before, name, None) is None:
            values[name] = unit


products = Products()
