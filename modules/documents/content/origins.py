"""The documents that a document was made from: an invoice from orders, an order from proposals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import reduce
from operator import or_
from typing import Any

from ...commercial.documents import Documents
from ...commercial.models import DocumentLink, kinds_by_element
from ...numbering.series import is_provisional


def origins(documents: Documents[Any], record: Mapping[str, Any]) -> list[tuple[str, str, date | None]]:
    """Return the documents that a document was made from: English name of the kind, reference, date.

    Documents that these were made from are included, such as the proposals of an invoice's orders. A document without
    links needs no SQL statement.

    :param documents: its kind, which lists the kinds in `origins`
    :param record: the document, with its links to documents that the caller may see
    """
    linked = record.get("linkedObjectsIds") or {}
    found = []
    later: list[Any] = []
    for element in documents.origins:
        kind, ids = (
            kinds_by_element().get(element),
            sorted({int(each) for each in (linked.get(element) or {}).values()}),
        )
        if kind and (ids or later):
            found += _rows(kind, ids, later, int(record["socid"]))
        if ids:
            later.append((DocumentLink.targettype == element) & DocumentLink.fk_target.in_(ids))
    return found


def _rows(kind: Documents[Any], ids: list[int], later: list[Any], socid: int) -> list[tuple[str, str, date | None]]:
    """Return the documents of a kind with an ID, and those that documents of later kinds were made from."""
    model: Any = kind.model
    among = model.id.in_(ids)
    if later:
        sources = DocumentLink.select(DocumentLink.fk_source).where(
            DocumentLink.sourcetype == kind.element, reduce(or_, later)
        )
        # The caller hasn't been shown the links of these documents: their sources must be the same third party's
        among |= model.id.in_(sources) & (model.socid == socid)
    day = model.date if "date" in model._meta.fields else model.date_validation
    rows = model.select(model.ref, day).where(among).order_by(model.id).tuples()
    return [(kind.noun.capitalize(), ref, day) for ref, day in rows if ref and not is_provisional(ref)]
