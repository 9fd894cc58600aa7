"""Attributes of variants over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Crud
from core.for_natives import Removed, removed

from ..attributes import attributes
from ..models import Attribute

AttributeRecord = Annotated[dict[str, Any], Attribute]


class Attributes(Crud):
    """Attributes in which product variants differ, such as colour."""

    path = "products/attributes"
    records = attributes
    noun = "variant attribute"
    refusals = {"post put patch": "the reference is used", "delete": "a variant uses it"}

    def get_by_ref(self, ref: str) -> AttributeRecord:
        """Read a variant attribute by reference.

        :url: GET ref/{ref}
        :permission: read
        """
        return attributes.read(ref, "ref")

    def get_by_ref_ext(self, ref_ext: str) -> AttributeRecord:
        """Read a variant attribute by external reference.

        :url: GET ref_ext/{ref_ext}
        :raises Conflict: several have it
        :permission: read
        """
        return attributes.read(ref_ext, "ref_ext")

    def delete(self, id: int) -> Removed:
        """Delete a variant attribute and its values."""
        attributes.delete(id)
        return removed("Attribute deleted")
