"""Invoices made from templates: one by hand, or each due one, once per period."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from core import ApiError, Refused, Values, allowed_operations, now, today, transaction

from ..documents.content.language import choose_language
from ..invoices.invoices import invoices
from ..setup.constants import constant
from ..thirdparties.thirdparties import thirdparties
from .models import ACTIVE, Template
from .periods import following, period_words, reworded
from .templates import templates

#: missed periods that are made up for; if more are missing, the plan is wrong or needs a decision by a user
MOST_MISSED = 100
LONGEST_PROBLEM = 255


def is_planned(row: Template) -> bool:
    """Return whether a template will make further invoices by schedule."""
    left = not row.nb_gen_max or row.nb_gen_done < row.nb_gen_max
    return bool(row.date_when and row.frequency and row.statut == ACTIVE and left)


def next_day(row: Template) -> date | None:
    """Return the date after the planned one; None without a plan, or after the end of the calendar."""
    try:
        return row.date_when and following(row.date_when, row.frequency, row.unit_frequency, row.day_of_month or 0)
    except OverflowError:
        return None


def due_templates() -> list[int]:
    """Return the templates with an invoice that is due."""
    rows = Template.select().where(Template.date_when <= today()).order_by(Template.id)
    return [row.id for row in rows if is_planned(row)]


def make_one(identifier: int, day: date | None = None) -> int:
    """Make an invoice by hand, regardless of the plan, which doesn't change; return the invoice's ID.

    :param day: date of the invoice; today if omitted
    :raises NotFound: there is no such template, or the caller may not see it
    :raises Refused: the third party is closed, or the invoice cannot be validated
    """
    with transaction():
        row = templates.load(identifier, lock=True, if_match=True)
        values = templates.check_event("changed", row.id)
        invoice = _make(row, day or today(), row.date_when, row.nb_gen_done)
        templates.write_unchecked(row.id, **{**_checked(values, row), "date_last_gen": now()})
        templates.notify("changed", row.id, checked=True)
    return invoice


def make_due(identifier: int, told: Callable[[int, int], None] = lambda done, total: None) -> list[int]:
    """Make the due invoices of a template, each with its own date; return their IDs.

    Each invoice and the plan's next step are one transaction. So a period has one invoice, even if this runs twice,
    concurrently, or is killed.

    :param told: callback for progress: the number of invoices made, and the total
    :raises Refused: an invoice can't be made; the template stores the reason, and earlier invoices stay
    """
    made: list[int] = []
    if not templates.rows({"id": identifier}):
        # The template was deleted after it became due
        return made
    try:
        _require_near(identifier)
        while (invoice := _make_next(identifier)) is not None:
            made.append(invoice)
            told(len(made), MOST_MISSED)
    except ApiError as error:
        problem = f"{error}"[:LONGEST_PROBLEM]
        with transaction():
            templates.write_unchecked(identifier, problem=problem)
        raise
    return made


def _make_next(identifier: int) -> int | None:
    """Make the next due invoice and return its ID; None if no invoice is due."""
    with transaction():
        # A concurrent call waits here, and then reads the advanced plan
        row = templates.load(identifier, lock=True)
        day = row.date_when
        if day is None or day > today() or not is_planned(row):
            return None
        after = next_day(row)
        values = templates.check_event("changed", row.id, {"date_when": after})
        invoice = _make(row, day, after, row.nb_gen_done + 1)
        plan = {"date_when": after, "nb_gen_done": row.nb_gen_done + 1, "date_last_gen": now(), "problem": None}
        templates.write_unchecked(row.id, **{**plan, **_checked(values, row)})
        templates.notify("changed", row.id, checked=True)
    return invoice


def _checked(values: Values, row: Any) -> dict[str, Any]:
    """Return what handlers have set in a template, checked as a change."""
    return templates.check(values, row, None) if values else {}


def _require_near(identifier: int) -> None:
    row = templates.load(identifier)
    day, missed = row.date_when, 0
    while is_planned(row) and day is not None and day <= today():
        missed += 1
        if missed > MOST_MISSED:
            reason = f"more than {MOST_MISSED} invoices are due; set `date_when` to a later date"
            raise Refused(f"{templates.noun} {row.title}: {reason}", reason="too_much")
        row.date_when = day = next_day(row)


def _make(row: Template, day: date, after: date | None, number: int) -> int:
    """Make an invoice from a locked template.

    :param day: date of the invoice
    :param after: date of the next one
    :param number: its number among the template's invoices
    """
    thirdparty = thirdparties.load(row.socid)
    if not thirdparty.status:
        allowed = allowed_operations(["PATCH /thirdparties/{id}"], thirdparty.id)
        raise Refused(
            f"{templates.noun} {row.title}: third party {thirdparty.name} is closed",
            reason="closed",
            details={"state": "closed", "allowed": allowed},
        )
    locale = choose_language("", thirdparty.default_lang, constant("MAIN_LANG_DEFAULT")).locale
    words = period_words(day, after, (number, row.nb_gen_max), locale)
    invoice = invoices.create_from(
        templates, row, templates.copied, lambda text: reworded(text, words), date=day, fk_fac_rec_source=row.id
    )
    if row.auto_validate:
        invoices.act(invoice, "validate")
    return invoice
