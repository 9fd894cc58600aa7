"""The categories of a record, under the record's own service: three operations for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

from core import Api, ListQuery
from core.for_natives import Success, removed

from ...setup.responses import DELETION
from ..links import KINDS, Kind, categories_of, link, unlink
from ..models import Category

CategoryRecord = Annotated[dict[str, Any], Category]


def link_operations(kind: Kind) -> Iterator[Callable[..., Any]]:
    """Yield the methods that list the categories of a record, add it to one and remove it."""

    def of(_: Any, query: ListQuery, id: int) -> list[CategoryRecord]:
        """List the {role}categories of a {noun}.

        :url: GET ../{path}
        :permission: categories.read
        """
        return categories_of(kind.name, id, query)

    def add(_: Any, id: int, category_id: int) -> dict[str, Any]:
        """Add a {noun} to a {kind} category.

        :url: POST ../{path}/{category_id}
        :raises Refused: already in it, or the category has another type
        :raises PreconditionFailed: `If-Match` doesn't match
        :permission: {service}.write
        """
        return link(kind.name, id, category_id)

    def remove(_: Any, id: int, category_id: int) -> Any:
        """Remove a {noun} from a {kind} category.

        :url: DELETE ../{path}/{category_id}
        :raises Refused: the category has another type
        :permission: {service}.write
        """
        unlink(kind.name, id, category_id)
        return removed("Removed from the category", lambda: kind.records.read(id))

    record: Any = Annotated[dict[str, Any], kind.records.model]
    add.__annotations__["return"], remove.__annotations__["return"] = record, Annotated[Success | record, DELETION]
    for method in (of, add, remove):
        for word, text in _words(kind).items():
            method.__doc__ = (method.__doc__ or "").replace(f"{{{word}}}", text)
        method.__name__ = f"{method.__name__}_{kind.name}"
        yield method


def _words(kind: Kind) -> dict[str, str]:
    """Return the text of each placeholder."""
    service = kind.records.service
    return {
        "noun": kind.noun,
        "role": "" if kind.noun == kind.name else f"{kind.name} ",
        "kind": kind.name,
        "path": f"{service}/{{id}}/{kind.path}",
        "service": service,
    }


class CategoryLinks(Api):
    """The categories of third parties, contacts, products and users."""


for _kind in KINDS.values():
    for _operation in link_operations(_kind):
        setattr(CategoryLinks, _operation.__name__, _operation)
