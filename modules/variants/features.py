"""What makes a variant: for each attribute a value, as in ``{"3": 7}``. Of one parent no two variants have the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peewee import Case, fn

from core import NotFound, Records, wrong_fields

from .attributes import attributes
from .models import AttributeValue, Feature, Variant

#: identifiers, and their digits
LARGEST = 2**31
LONGEST = 10

features = Records(Feature, noun="Feature")


def read_features(sent: Mapping[str, Any]) -> list[AttributeValue]:
    """The values that are meant, in the order in which they were sent.

    :param sent: identifier of the attribute → identifier of the value
    :raises BadRequest: there is none, or something is no identifier
    :raises NotFound: there is no such attribute, or it has no such value
    """
    wanted: dict[int, int] = {}
    wrong = [] if sent else [("features", "expected the value of at least one attribute, got none")]
    for attribute, value in sent.items():
        if _is_identifier(attribute) and _is_identifier(value):
            wanted[int(attribute)] = int(value)
        else:
            reason = "expected the IDs of an attribute and one of its values"
            wrong.append(("features", f"{reason}, got {attribute!r:.40}: {value!r:.40}"))
    if wrong:
        raise wrong_fields(wrong)
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
    """The variant of a product that has these values and no others; None: there is none."""
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
    """Note what makes a variant."""
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
