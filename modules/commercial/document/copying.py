"""Making a draft of another kind's document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..line_records import same_extras
from ..links import link
from ..numbers import provisional
from ..precision import rounding
from ..roles import copy_roles
from .records import DocumentRecords


def copy_into(
    target: DocumentRecords[Any],
    source: DocumentRecords[Any],
    row: Any,
    copied: tuple[str, ...],
    managed: Mapping[str, Any],
) -> int:
    """Create a draft of one kind from a document of another, as `Documents.create_from` says."""
    fields = target.model._meta.fields
    values = {name: getattr(row, name) for name in ("socid", *copied) if name in fields} | dict(managed)
    extras = same_extras(target, source.find(row.id) or {}) if target.extra_names() else None
    identifier = target.insert(values, extras)
    target.lines.copy(source.lines, row.id, identifier)
    total = target.lines.total(identifier, rounding())
    target.write(identifier, ref=provisional(identifier), **target.totals(total, values))
    link((source.element, row.id), (target.element, identifier))
    copy_roles(source.element, row.id, target.element, identifier)
    target.tell("created", identifier)
    return identifier
