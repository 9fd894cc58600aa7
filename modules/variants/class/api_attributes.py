"""Attributes of variants over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import Removed, removed
from ..attributes import attributes
from ..models import Attribute

AttributeRecord = Annotated[dict[str, Any], Attribute]


class Attributes(Api):
    """What variants of products differ in, such as their colour."""

    def index(self, query: ListQuery) -> list[AttributeRecord]:
        """List attributes of variants, by reference.

        :url: GET ../products/attributes
        :permission: products.read
        """
        return attributes.page(query)

    def get(self, id: int) -> AttributeRecord:
        """Read an attribute of variants.

        :url: GET ../products/attributes/{id}
        :param id: row identifier of the attribute
        :raises NotFound: there is no such attribute
        :permission: products.read
        """
        return attributes.read(id)

    def get_by_ref(self, ref: str) -> AttributeRecord:
        """Read an attribute of variants by its reference.

        :url: GET ../products/attributes/ref/{ref}
        :param ref: reference of the attribute
        :raises NotFound: there is no such attribute
        :permission: products.read
        """
        return attributes.read(ref, "ref")

    def get_by_ref_ext(self, ref_ext: str) -> AttributeRecord:
        """Read an attribute by its reference in another system.

        :url: GET ../products/attributes/ref_ext/{ref_ext}
        :param ref_ext: reference of the attribute in another system
        :raises NotFound: there is no such attribute
        :raises Conflict: several attributes have it
        :permission: products.read
        """
        return attributes.read(ref_ext, "ref_ext")

    def post(self, request_data: AttributeRecord) -> int:
        """Create an attribute of variants; answers its identifier.

        :url: POST ../products/attributes
        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises Refused: the reference is already used
        :permission: products.write
        """
        return attributes.create(request_data)

    def put(self, id: int, request_data: AttributeRecord) -> AttributeRecord:
        """Change an attribute of variants: the fields that are sent.

        :url: PUT ../products/attributes/{id}
        :url: PATCH ../products/attributes/{id}
        :param id: row identifier of the attribute
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such attribute
        :raises Refused: the reference is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        attributes.change(id, request_data)
        return attributes.read(id)

    def delete(self, id: int) -> Removed:
        """Delete an attribute of variants with its values.

        :url: DELETE ../products/attributes/{id}
        :param id: row identifier of the attribute
        :raises NotFound: there is no such attribute
        :raises Refused: a variant has a value of it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        attributes.delete(id)
        return removed("Attribute deleted")
