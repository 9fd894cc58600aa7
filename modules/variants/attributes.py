"""Attributes in which the variants of a product differ, and their values."""

from __future__ import annotations

from typing import Any

from core import NotFound, Records

from ..setup.changed_values import announced
from ..setup.text_cleaners import clean_label, clean_ref
from .models import Attribute, AttributeValue, Feature


class Attributes(Records[Attribute]):
    """Attributes."""

    model = Attribute
    service = "attributes"
    noun = "Product attribute"
    sort = "t.ref"
    empty = "No product attribute found"
    cleaners = announced({"ref": clean_ref, "label": clean_label})

    def complete_one(self, record: dict[str, Any]) -> None:
        """Add the number of variants that use the attribute and so prevent its deletion."""
        record["is_used_by_products"] = Feature.select().where(Feature.fk_prod_attr == int(record["id"])).count()

    def identifier_of(self, ref: str) -> int:
        """Return the ID of the attribute with a reference.

        :raises NotFound: there is no such attribute
        """
        found = self.rows({"ref": ref})
        if not found:
            raise NotFound(f"{self.noun} {ref:.80} not found", dolibarr=f"{self.noun} not found")
        return int(found[0].id)


class AttributeValues(Records[AttributeValue]):
    """Values of attributes."""

    model = AttributeValue
    service = "attributevalues"
    noun = "Attribute value"
    sort = "t.ref"
    cleaners = announced({"ref": clean_ref, "value": clean_label})

    def of(self, attribute: int) -> list[dict[str, Any]]:
        """Return the values of an attribute, by reference.

        :raises NotFound: there is no such attribute
        """
        attributes.load(attribute)
        return self.every({"fk_product_attribute": attribute})

    def add(self, attribute: int, body: dict[str, Any]) -> int:
        """Add a value of an attribute; return its ID.

        :raises NotFound: there is no such attribute
        """
        attributes.load(attribute)
        return self.create(body, fk_product_attribute=attribute)

    def identifier_of(self, attribute: int, ref: str) -> int:
        """Return the ID of an attribute's value with a reference.

        :raises NotFound: there is no such attribute, or it has no such value
        """
        attributes.load(attribute)
        found = self.rows({"fk_product_attribute": attribute, "ref": ref})
        if not found:
            raise NotFound(f"{self.noun} {ref:.80} not found", dolibarr=f"{self.noun} not found")
        return int(found[0].id)


attributes = Attributes()
attribute_values = AttributeValues()
