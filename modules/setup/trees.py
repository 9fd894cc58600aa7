"""Trees of records: a field of each record refers to the one above it."""

from __future__ import annotations

from typing import Any

from peewee import fn


def lock_tree(field: Any) -> None:
    """Wait for concurrent moves in a tree, and block further ones until the transaction ends: two could form a cycle.

    This locks only the first row of the table: all rows may be many, and callers see different rows. A locked row
    remains the first one.

    :param field: the field of the model that refers to the record above
    """
    key = field.model._meta.primary_key
    lowest, first = field.model.select(fn.MIN(key)), None
    # If the row was deleted while this waited, no lock is held
    while first != (first := lowest.scalar()):
        # Any change locks a row, on each kind of database
        field.model.update({field: field}).where(key == first).execute()


def is_within(field: Any, identifier: int | None, other: int) -> bool:
    """Return whether a record is another one, or is below it in the tree.

    :param field: the field of the model that refers to the record above
    """
    key, seen = field.model._meta.primary_key, set()
    while identifier and identifier not in seen:
        if identifier == other:
            return True
        seen.add(identifier)
        identifier = field.model.select(field).where(key == identifier).scalar()
    return False
