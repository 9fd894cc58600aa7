"""Attributes and their values: what variants of a product differ in."""

from __future__ import annotations

from typing import Any

from core import NotFound, Records

from ..setup.text_cleaners import clean_label, clean_ref
from .models import Attribute, AttributeValue, Feature


class Attributes(Records[Attribute]):
    """Attributes."""

    model = Attribute
    service = "attributes"
    noun = "Product attribute"
    sort = "t.ref"
    empty = "No product attribute found"
    cleaners = {"ref": clean_ref, "label": clean_label}

    def complete_one(self, record: dict[str, Any]) -> None:
        """How many variants have a value of it: those keep it from being deleted."""
        record["is_used_by_products"] = Feature.select().where(Feature.fk_prod_attr == int(record["id"])).count()

    def identifier_of(self, ref: str) -> int:
        """The identifier of the attribute with a reference.

        :raises NotFound: there is none
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
    cleaners = {"ref": clean_ref, "value": clean_label}

    def of(self, attribute: int) -> list[dict[str, Any]]:
        """The values of an attribute, by reference.

        :raises NotFound: there is no such attribute
        """
        attributes.load(attribute)
        return self.every({"fk_product_attribute": attribute})

    def add(self, attribute: int, body: dict[str, Any]) -> int:
        """A new value of an attribute; answers its identifier.

        :raises NotFound: there is no such attribute
        """
        attributes.load(attribute)
        return self.create(body, fk_product_attribute=attribute)

    def identifier_of(self, attribute: int, ref: str) -> int:
        """The identifier of the value of an attribute with a reference.

        :raises NotFound: there is no such attribute, or it has no such value
        """
        attributes.load(attribute)
        found = self.rows({"fk_product_attribute": attribute, "ref": ref})
        if not found:
            raise NotFound(f"{self.noun} {ref:.80} not found", dolibarr=f"{self.noun} not found")
        return int(found[0].id)


attributes = Attributes()
attribute_values = AttributeValues()
