"""Variants: products that differ from a parent in some features, and follow its price and weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from peewee import Case, fn

from core import BadRequest, Children, ExactField, Loader, NotFound, Records, Refused, Values, shown, transaction
from core.for_natives import Event, default_context

from ..products.models import ALONE, HAS_VARIANTS, IS_VARIANT, Product
from ..products.products import products
from .attributes import attributes
from .models import AttributeValue, Feature, Variant

#: maximum characters of a product's label
LONGEST_LABEL = 255


@dataclass(frozen=True)
class NewVariant:
    """The fields of a new variant.

    :param weight_impact: surcharge on the parent's weight, in its unit
    :param price_impact: surcharge on the parent's price
    :param price_impact_is_percent: 1: `price_impact` is a percentage
    :param features: value ID by attribute ID
    :param reference: of the variant's product; default: parent's and values' references, joined by _
    :param ref_ext: external reference of the variant's product
    """

    weight_impact: Decimal
    price_impact: Decimal
    price_impact_is_percent: bool
    features: dict[str, int]
    reference: str = ""
    ref_ext: str = ""

    @default_context
    def check_impacts(self) -> None:
        """Raise unless every database can store the surcharges.

        :raises BadRequest: a surcharge is too large
        """
        field: Any = Variant.variation_price
        limit = ExactField.limit(field)
        impacts = {"price_impact": self.price_impact, "weight_impact": self.weight_impact}
        wrong = [name for name, impact in impacts.items() if abs(impact) > limit]
        if wrong:
            raise BadRequest(
                errors=[(name, f"expected a number up to {limit:f}, got {impacts[name]:f}") for name in wrong]
            )


class Variants(Records[Variant]):
    """Variants of products."""

    model = Variant
    service = "variants"
    noun = "Variant"
    events = {"created": Event()}

    def loaders(self, *, alone: bool) -> Sequence[Loader]:
        """Return the loader of the features."""
        return [Children(features, "fk_prod_combination", "attributes")]

    def of(self, parent: int) -> list[dict[str, Any]]:
        """Return the variants of a product.

        :raises NotFound: there is no such product
        """
        products.load(parent)
        return self.every({"fk_product_parent": parent})

    # Writing --------------------------------------------------------------------------------------------------------
    # Writes lock the parent first, then the variant, then its product, in the order of a change of the parent

    def add(self, parent: int, wanted: NewVariant) -> int:
        """Make a variant of a product, with a product of its own; return the variant's ID.

        :raises BadRequest: the features are not IDs, or the product would be invalid
        :raises NotFound: there is no such product, attribute or value
        :raises Refused: the product is a variant itself, has this variant, or the reference is used
        """
        wanted.check_impacts()
        values = read_features(wanted.features)
        impact = {
            "variation_price": wanted.price_impact,
            "variation_price_percentage": wanted.price_impact_is_percent,
            "variation_weight": wanted.weight_impact,
        }
        self.check_event("created", values={**impact, "fk_product_parent": parent})
        with transaction():
            row = products.load(parent, lock=True)
            if row.variant_role == IS_VARIANT:
                raise Refused(f"product {parent} is a variant and can't have variants", reason="wrong_type")
            if same := find_same(parent, values):
                raise Refused(
                    f"product {parent} already has variant {same} with the same features", reason="value_taken"
                )
            accepted, _ = self.accept({**impact, "variation_ref_ext": wanted.ref_ext or None})
            child = self._make_product(row, Variant(**accepted), values, wanted)
            variant = self.insert({**accepted, "fk_product_parent": parent, "fk_product_child": child}, None)
            add_features(variant, values)
            if row.variant_role == ALONE:
                products.write_unchecked(parent, variant_role=HAS_VARIANTS)
            self.notify("created", variant, checked=True)
        return variant

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body; `variation_price_percentage` may also be true or false, as in the creation of a variant."""
        flag = body.get("variation_price_percentage")
        if isinstance(flag, bool):
            body = {**body, "variation_price_percentage": int(flag)}
        return super().accept(body, creating=creating, replace=replace)

    def change(self, identifier: Any, body: Mapping[str, Any], **more: Any) -> bool:
        """Change the surcharges of a variant, and its product."""
        body = self.check_body("changed", identifier, body, **more)
        with transaction():
            products.load(self.load(identifier).fk_product_parent, lock=True)
            return super().change(identifier, body, checked=True, **more)

    def stored(self, identifier: int, body: Mapping[str, Any], before: Variant | None) -> None:
        """Update the price and weight of a changed variant's product."""
        if before is not None:
            row = self.load(identifier)
            parent = products.load(row.fk_product_parent)
            products.change(row.fk_product_child, {}, **followed(parent, row))

    def delete(self, identifier: Any, **more: Any) -> None:
        """Delete a variant with its product; if the product is in use, both stay.

        :raises Refused: the variant's product is in use, for example in a line
        """
        self.check_event("deleted", identifier)
        with transaction():
            row = self.load(identifier)
            parent = products.load(row.fk_product_parent, lock=True)
            super().delete(identifier, checked=True)
            products.delete(row.fk_product_child)
            if not self.count({"fk_product_parent": parent.id}):
                products.write_unchecked(parent.id, variant_role=ALONE)

    def follow(self, parent: int) -> None:
        """Update the variants of a changed product, inside the same transaction."""
        row = products.load(parent)
        found = self.rows({"fk_product_parent": parent}, "fk_product_child")
        children = {each.id: each for each in products.rows({"id": [one.fk_product_child for one in found]}, lock=True)}
        for each in found:
            wanted = followed(row, each)
            if any(getattr(children[each.fk_product_child], name) != value for name, value in wanted.items()):
                products.change(each.fk_product_child, {}, **wanted)

    def _make_product(self, parent: Product, variant: Variant, values: list[AttributeValue], wanted: NewVariant) -> int:
        words = " ".join([parent.label, *(value.value for value in values)])
        body: dict[str, Any] = {
            "ref": wanted.reference or "_".join([parent.ref, *(value.ref for value in values)]),
            "ref_ext": wanted.ref_ext or None,
            "label": words[:LONGEST_LABEL],
        }
        if products.extra_names():
            body["array_options"] = products.read(parent.id)["array_options"]
        own = {"fk_parent": parent.id, "variant_role": IS_VARIANT}
        return products.create(body, **copied(parent), **followed(parent, variant), **own)


variants = Variants()


# Features -------------------------------------------------------------------------------------------------------------

#: largest ID, and its digits
LARGEST = 2**31
LONGEST = 10

features = Records(Feature, noun="Feature")


def read_features(sent: Mapping[str, Any]) -> list[AttributeValue]:
    """Return the attribute values of a request, in the order in which they were sent.

    :param sent: ID of the attribute → ID of the value
    :raises BadRequest: the request has no value, or an ID isn't a number
    :raises NotFound: there is no such attribute, or it has no such value
    """
    wanted: dict[int, int] = {}
    wrong = [] if sent else [("features", "expected the value of at least one attribute, got none")]
    for attribute, value in sent.items():
        if _is_identifier(attribute) and _is_identifier(value):
            wanted[int(attribute)] = int(value)
        else:
            reason = "expected the IDs of an attribute and one of its values"
            wrong.append(("features", f"{reason}, got {shown(attribute)}: {shown(value)}"))
    if wrong:
        raise BadRequest(errors=wrong)
    known = {row.id for row in attributes.rows({"id": [*wanted]})}
    rows = AttributeValue.select().where(AttributeValue.id.in_([*wanted.values()]))
    found = {(row.fk_product_attribute, row.id): row for row in rows}
    missing = [
        f"Attribute value {value} of attribute {attribute}" if attribute in known else f"Product attribute {attribute}"
        for attribute, value in wanted.items()
        if (attribute, value) not in found
    ]
    if missing:
        reasons = [f"{each} not found" for each in missing]
        raise NotFound("; ".join(reasons), errors=[("features", reason) for reason in reasons])
    return [found[pair] for pair in wanted.items()]


def find_same(parent: int, values: list[AttributeValue]) -> int | None:
    """Return the variant of a product that has exactly these values; None if no variant has them."""
    matches = fn.SUM(Case(None, [(Feature.fk_prod_attr_val.in_([value.id for value in values]), 1)], 0))
    same = (
        Feature.select(Feature.fk_prod_combination)
        .join(Variant, on=(Variant.id == Feature.fk_prod_combination))
        .where(Variant.fk_product_parent == parent)
        .group_by(Feature.fk_prod_combination)
        .having((fn.COUNT(Feature.id) == len(values)) & (matches == len(values)))
        .tuples()
        .first()
    )
    return int(same[0]) if same else None


def add_features(variant: int, values: list[AttributeValue]) -> None:
    """Store the features of a variant."""
    for value in values:
        row = {
            "fk_prod_combination": variant,
            "fk_prod_attr": value.fk_product_attribute,
            "fk_prod_attr_val": value.id,
        }
        features.insert(row, None)


def _is_identifier(value: Any) -> bool:
    text = "" if isinstance(value, bool) else str(value)
    return len(text) <= LONGEST and text.isascii() and text.isdigit() and 0 < int(text) < LARGEST


# Fields that a variant takes from its parent --------------------------------------------------------------------------

#: fields that follow every change of the parent, in addition to price and weight
FOLLOWED = ("tva_tx", "default_vat_code", "localtax1_tx", "localtax2_tx", "localtax1_type", "localtax2_type",
            "price_base_type", "weight_units")  # fmt: skip
#: fields that a new variant copies from its parent, and that may change afterwards
COPIED = (
    "description", "type", "status", "status_buy", "status_batch", "cost_price", "fk_unit",
    "length", "length_units", "width", "width_units", "height", "height_units", "surface", "surface_units",
    "volume", "volume_units", "net_measure", "net_measure_units", "customcode", "country_id", "state_id", "duration",
    "url", "fk_default_warehouse", "finished", "lifetime", "qc_frequency", "mandatory_period",
    "accountancy_code_sell", "accountancy_code_sell_intra", "accountancy_code_sell_export",
    "accountancy_code_buy", "accountancy_code_buy_intra", "accountancy_code_buy_export",
)  # fmt: skip


class Impact(Protocol):
    """The surcharges of a variant."""

    variation_price: Decimal
    variation_price_percentage: int
    variation_weight: Decimal


def followed(parent: Product, impact: Impact) -> dict[str, Any]:
    """Return the fields of a variant's product that follow its parent, as Python values."""
    side = "_ttc" if parent.price_base_type == "TTC" else ""
    price = varied_price(getattr(parent, f"price{side}"), impact)
    lowest = getattr(parent, f"price_min{side}")
    return {
        **{name: getattr(parent, name) for name in FOLLOWED},
        f"price{side}": price,
        # The lowest price is that of the parent, unless the variant costs less
        f"price_min{side}": min(lowest, price),
        "weight": varied_weight(parent.weight, impact),
    }


def copied(parent: Product) -> dict[str, Any]:
    """Return the fields that a new variant copies from its parent."""
    return {name: getattr(parent, name) for name in COPIED}


@default_context
def varied_price(price: Decimal, impact: Impact) -> Decimal:
    """Return the parent's price with the surcharge, an amount or a percentage."""
    if impact.variation_price_percentage:
        return price * (1 + impact.variation_price / 100)
    return price + impact.variation_price


@default_context
def varied_weight(weight: Decimal | None, impact: Impact) -> Decimal | None:
    """Return the parent's weight with the surcharge; None if both are unset."""
    if weight is None and not impact.variation_weight:
        return None
    return (weight or Decimal(0)) + impact.variation_weight
