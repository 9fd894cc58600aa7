"""Checks of references without a foreign key, as in Dolibarr's columns: a new value must exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import NotFound
from core.for_natives import catalogue


def require_named(values: Mapping[str, Any], before: Any, **services: str) -> None:
    """Raise NotFound if a new reference is to a missing record. A value that the row already has stays.

    The table of the referenced records need not be known here: the check finds them by the service. If the service is
    not loaded, the value isn't checked.

    :param values: fields to be written
    :param before: the current row; None in a creation
    :param services: field → service of the referenced records, such as ``warehouse_id="warehouses"``
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
