"""Records that are named by a plain number, as the reference's columns do: looked for when they are newly named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import NotFound, catalogue


def require_named(values: Mapping[str, Any], before: Any, **services: str) -> None:
    """Refuse the number of a record that is not there. What a row has held before stays, whatever became of it.

    A module whose records are named need not be known to those that name them; while its service is not served,
    nobody looks.

    :param values: what is about to be written
    :param before: the row as it stands; None when it is created
    :param services: field → service whose records it names, such as ``warehouse_id="warehouses"``
    :raises NotFound: there is no such record, or the caller may not see it
    """
    for name, service in services.items():
        identifier = values.get(name)
        if not identifier or (before is not None and getattr(before, name) == identifier):
            continue
        served = catalogue().services.get(service)
        if served is None or served.records is None:
            continue
        if served.records.find(identifier) is None:
            raise NotFound(f"{served.records.noun} {identifier} not found", errors=[(name, "no such record")])
