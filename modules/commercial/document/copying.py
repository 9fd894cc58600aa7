"""Making a draft of another kind's document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..line_records import same_extras
from ..links import link
from ..precision import rounding
from ..roles import copy_roles

#: what is made of a text
Reword = Callable[[str], str]


def copy_into(
    target: Any,
    source: Any,
    row: Any,
    copied: tuple[str, ...],
    managed: Mapping[str, Any],
    reword: Reword | None = None,
) -> int:
    """Create a draft of one kind from a document of another, as `Documents.create_from` says.

    :param target: the one kind, a `Documents`
    :param source: the other kind
    """
    fields = target.model._meta.fields
    values = {name: getattr(row, name) for name in ("socid", *copied) if name in fields}
    if reword is not None:
        values |= {name: reword(value) for name, value in values.items() if isinstance(value, str)}
    values |= managed
    extras = same_extras(target, source.find(row.id) or {}) if target.extra_names() else None
    identifier: int = target.insert(values, extras)
    target.lines.copy(source.lines, row.id, identifier, reword)
    total = target.lines.total(identifier, rounding())
    target.write_unchecked(identifier, **target.first_reference(identifier), **target.totals(total, values))
    link((source.element, row.id), (target.element, identifier))
    copy_roles(source.element, row.id, target.element, identifier)
    target.notify("created", identifier)
    return identifier
