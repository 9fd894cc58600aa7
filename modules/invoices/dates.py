"""The day an invoice is due."""

from __future__ import annotations

from datetime import date
from typing import Any

from ..commercial.terms import Term, due_date
from ..dictionaries.entries import entry
from ..dictionaries.models import PaymentTerm
from .models import Invoice


def due_day(day: date, term_id: int | None) -> date:
    """The day by which an invoice of a day is due.

    :param term_id: its terms of payment; 0 and None: none, so that it is due at once
    :raises BadRequest: the day lies outside the years 1 to 9999
    """
    known = entry(PaymentTerm, term_id)
    if known is None:
        return day
    return due_date(day, Term(known.type_cdr, known.nbjour or 0, known.decalage or 0))


def set_due_day(values: dict[str, Any], before: Invoice | None) -> None:
    """Set the due day of a draft that is written, unless it is sent.

    It follows the invoice's date and terms, until somebody sets another one.

    :param values: what is written; changed in place
    """
    if values.get("date_lim_reglement"):
        return
    day = values.get("date") or getattr(before, "date", None)
    term = values.get("cond_reglement_id", getattr(before, "cond_reglement_id", None))
    if before is not None and "date_lim_reglement" not in values:
        stays = (day, term) == (before.date, before.cond_reglement_id)
        if stays or before.date_lim_reglement != due_day(before.date, before.cond_reglement_id):
            return
    if day is not None:
        values["date_lim_reglement"] = due_day(day, term)
