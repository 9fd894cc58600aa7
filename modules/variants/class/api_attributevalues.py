"""Values of the attributes of variants over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Crud
from core.for_natives import Removed, removed

from ..attributes import attribute_values, attributes
from ..models import AttributeValue

ValueRecord = Annotated[dict[str, Any], AttributeValue]


class AttributeValues(Crud):
    """Values of variant attributes, such as red."""

    path = "products/attributes/values"
    records = attribute_values
    without = ("index", "post")
    refusals = {"put patch": "the reference is used", "delete": "a variant uses it"}
    wording = {
        "replaced": ". Existing products keep reference and label",
        "merged": "Existing products keep reference and label",
    }

    def of_attribute(self, id: int) -> list[ValueRecord]:
        """List the values of an attribute.

        :url: GET ../products/attributes/{id}/values
        :permission: read
        """
        return attribute_values.of(id)

    def of_attribute_ref(self, ref: str) -> list[ValueRecord]:
        """List the values of an attribute by reference.

        :url: GET ../products/attributes/ref/{ref}/values
        :permission: read
        """
        return attribute_values.of(attributes.identifier_of(ref))

    def get_by_ref(self, id: int, ref: str) -> ValueRecord:
        """Read an attribute value by reference.

        :url: GET ../products/attributes/{id}/values/ref/{ref}
        :permission: read
        """
        return attribute_values.read(attribute_values.identifier_of(id, ref))

    def add(self, id: int, request_data: ValueRecord) -> int:
        """Add a value to an attribute.

        :url: POST ../products/attributes/{id}/values
        :raises Refused: the reference is used
        :permission: write
        """
        return attribute_values.add(id, request_data)

    def delete_by_ref(self, id: int, ref: str) -> Removed:
        """Delete an attribute value by reference.

        :url: DELETE ../products/attributes/{id}/values/ref/{ref}
        :raises Refused: a variant uses it
        :permission: delete
        """
        attribute_values.delete(attribute_values.identifier_of(id, ref))
        return removed("Attribute value deleted")
