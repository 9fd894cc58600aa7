"""Users who created, validated or closed what has a number or an amount. These users can't be deleted."""

from __future__ import annotations

from typing import Any

from peewee import IntegerField

from core import Model
from core.for_natives import Catalogue, cached_per_catalogue


class AuthorField(IntegerField):
    """The ID of such a user. It has an index, so that the deletion of a user finds its rows without reading a table."""

    def __init__(self, **options: Any) -> None:
        super().__init__(null=True, index=True, **options)


@cached_per_catalogue
def author_fields(served: Catalogue) -> dict[type[Model], list[Any]]:
    """Return the fields of this class, by model; of several models of a table only the first."""
    found: dict[str, tuple[type[Model], list[Any]]] = {}
    for model in served.models:
        fields = [field for field in model._meta.sorted_fields if isinstance(field, AuthorField)]
        if fields:
            found.setdefault(model._meta.table_name, (model, fields))
    return dict(found.values())
