"""Attributes of variants over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery
from core.for_natives import Removed, removed

from ..attributes import attributes
from ..models import Attribute

AttributeRecord = Annotated[dict[str, Any], Attribute]


class Attributes(Api):
    """Attributes in which product variants differ, such as colour."""

    def index(self, query: ListQuery) -> list[AttributeRecord]:
        """List variant attributes.

        :url: GET ../products/attributes
        :permission: products.read
        """
        return attributes.page(query)

    def get(self, id: int) -> AttributeRecord:
        """Read a variant attribute.

        :url: GET ../products/attributes/{id}
        :permission: products.read
        """
        return attributes.read(id)

    def get_by_ref(self, ref: str) -> AttributeRecord:
        """Read a variant attribute by reference.

        :url: GET ../products/attributes/ref/{ref}
        :permission: products.read
        """
        return attributes.read(ref, "ref")

    def get_by_ref_ext(self, ref_ext: str) -> AttributeRecord:
        """Read a variant attribute by external reference.

        :url: GET ../products/attributes/ref_ext/{ref_ext}
        :raises Conflict: several have it
        :permission: products.read
        """
        return attributes.read(ref_ext, "ref_ext")

    def post(self, request_data: AttributeRecord) -> int:
        """Create a variant attribute.

        :url: POST ../products/attributes
        :raises Refused: the reference is used
        :permission: products.write
        """
        return attributes.create(request_data)

    def put(self, id: int, request_data: AttributeRecord) -> AttributeRecord:
        """Update a variant attribute.

        :url: PUT ../products/attributes/{id}
        :raises Refused: the reference is used
        :permission: products.write
        """
        attributes.change(id, request_data)
        return attributes.read(id)

    def patch(self, id: int, request_data: AttributeRecord) -> AttributeRecord:
        """Change some fields of a variant attribute.

        :url: PATCH ../products/attributes/{id}
        :raises Refused: the reference is used
        :permission: products.write
        """
        return self.put(id, request_data)

    def delete(self, id: int) -> Removed:
        """Delete a variant attribute and its values.

        :url: DELETE ../products/attributes/{id}
        :raises Refused: a variant uses it
        :permission: products.delete
        """
        attributes.delete(id)
        return removed("Attribute deleted")
