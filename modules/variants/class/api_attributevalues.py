"""Values of the attributes of variants over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api
from core.for_natives import Removed, removed

from ..attributes import attribute_values, attributes
from ..models import AttributeValue

ValueRecord = Annotated[dict[str, Any], AttributeValue]


class AttributeValues(Api):
    """Values of variant attributes, such as red."""

    def of_attribute(self, id: int) -> list[ValueRecord]:
        """List the values of an attribute.

        :url: GET ../products/attributes/{id}/values
        :permission: products.read
        """
        return attribute_values.of(id)

    def of_attribute_ref(self, ref: str) -> list[ValueRecord]:
        """List the values of an attribute by reference.

        :url: GET ../products/attributes/ref/{ref}/values
        :permission: products.read
        """
        return attribute_values.of(attributes.identifier_of(ref))

    def get(self, id: int) -> ValueRecord:
        """Read an attribute value.

        :url: GET ../products/attributes/values/{id}
        :permission: products.read
        """
        return attribute_values.read(id)

    def get_by_ref(self, id: int, ref: str) -> ValueRecord:
        """Read an attribute value by reference.

        :url: GET ../products/attributes/{id}/values/ref/{ref}
        :permission: products.read
        """
        return attribute_values.read(attribute_values.identifier_of(id, ref))

    def post(self, id: int, request_data: ValueRecord) -> int:
        """Add a value to an attribute.

        :url: POST ../products/attributes/{id}/values
        :raises Refused: the reference is used
        :permission: products.write
        """
        return attribute_values.add(id, request_data)

    def put(self, id: int, request_data: ValueRecord) -> ValueRecord:
        """Update an attribute value.

        Existing products keep reference and label.

        :url: PUT ../products/attributes/values/{id}
        :raises Refused: the reference is used
        :permission: products.write
        """
        attribute_values.change(id, request_data)
        return attribute_values.read(id)

    def patch(self, id: int, request_data: ValueRecord) -> ValueRecord:
        """Change some fields of an attribute value.

        Existing products keep reference and label.

        :url: PATCH ../products/attributes/values/{id}
        :raises Refused: the reference is used
        :permission: products.write
        """
        return self.put(id, request_data)

    def delete(self, id: int) -> Removed:
        """Delete an attribute value.

        :url: DELETE ../products/attributes/values/{id}
        :raises Refused: a variant uses it
        :permission: products.delete
        """
        attribute_values.delete(id)
        return removed("Attribute value deleted")

    def delete_by_ref(self, id: int, ref: str) -> Removed:
        """Delete an attribute value by reference.

        :url: DELETE ../products/attributes/{id}/values/ref/{ref}
        :raises Refused: a variant uses it
        :permission: products.delete
        """
        attribute_values.delete(attribute_values.identifier_of(id, ref))
        return removed("Attribute value deleted")
