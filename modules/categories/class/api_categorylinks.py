"""The categories of a record, below the record's own service: three operations for each kind."""

from __future__ import annotations

from core import Api

from ..links import KINDS
from ..operations import link_operations


class CategoryLinks(Api):
    """The categories of third parties, contacts, products and users."""


for _kind in KINDS.values():
    for _operation in link_operations(_kind):
        setattr(CategoryLinks, _operation.__name__, _operation)
