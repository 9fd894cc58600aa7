"""Values of the attributes of variants over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api

from ...answers.deeds import Removed, removed
from ..attributes import attribute_values, attributes
from ..models import AttributeValue

ValueRecord = Annotated[dict[str, Any], AttributeValue]


class AttributeValues(Api):
    """The values that attributes of variants have, such as red."""

    def of_attribute(self, id: int) -> list[ValueRecord]:
        """List the values of an attribute, by reference.

        :url: GET ../products/attributes/{id}/values
        :param id: row identifier of the attribute
        :raises NotFound: there is no such attribute
        :permission: products.read
        """
        return attribute_values.of(id)

    def of_attribute_ref(self, ref: str) -> list[ValueRecord]:
        """List the values of the attribute with a reference, by reference.

        :url: GET ../products/attributes/ref/{ref}/values
        :param ref: reference of the attribute
        :raises NotFound: there is no such attribute
        :permission: products.read
        """
        return attribute_values.of(attributes.identifier_of(ref))

    def get(self, id: int) -> ValueRecord:
        """Read a value of an attribute.

        :url: GET ../products/attributes/values/{id}
        :param id: row identifier of the value
        :raises NotFound: there is no such value
        :permission: products.read
        """
        return attribute_values.read(id)

    def get_by_ref(self, id: int, ref: str) -> ValueRecord:
        """Read the value of an attribute with a reference.

        :url: GET ../products/attributes/{id}/values/ref/{ref}
        :param id: row identifier of the attribute
        :param ref: reference of the value
        :raises NotFound: there is no such attribute, or it has no such value
        :permission: products.read
        """
        return attribute_values.read(attribute_values.identifier_of(id, ref))

    def post(self, id: int, request_data: ValueRecord) -> int:
        """Add a value to an attribute; answers its identifier.

        :url: POST ../products/attributes/{id}/values
        :param id: row identifier of the attribute
        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: there is no such attribute
        :raises Refused: the attribute has a value with this reference
        :permission: products.write
        """
        return attribute_values.add(id, request_data)

    def put(self, id: int, request_data: ValueRecord) -> ValueRecord:
        """Change a value of an attribute: the fields that are sent; products that there are keep reference and label.

        :url: PUT ../products/attributes/values/{id}
        :url: PATCH ../products/attributes/values/{id}
        :param id: row identifier of the value
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such value
        :raises Refused: the attribute has a value with this reference
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        attribute_values.change(id, request_data)
        return attribute_values.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a value of an attribute.

        :url: DELETE ../products/attributes/values/{id}
        :param id: row identifier of the value
        :raises NotFound: there is no such value
        :raises Refused: a variant has it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        attribute_values.delete(id)
        return removed("Attribute value deleted")

    def delete_by_ref(self, id: int, ref: str) -> Removed:
        """Delete the value of an attribute with a reference.

        :url: DELETE ../products/attributes/{id}/values/ref/{ref}
        :param id: row identifier of the attribute
        :param ref: reference of the value
        :raises NotFound: there is no such attribute, or it has no such value
        :raises Refused: a variant has it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        attribute_values.delete(attribute_values.identifier_of(id, ref))
        return removed("Attribute value deleted")
