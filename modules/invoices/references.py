"""References of invoices: one series per type, all in one unique column."""

from __future__ import annotations

from datetime import date

from peewee import Field

from core import Refused

from ..commercial.numbers import Series
from ..numbering.counters import company_context
from ..numbering.mask_constants import check_mask
from ..numbering.masks import Reading, read
from ..numbering.parts import MaskError, parse
from ..setup.company import company
from ..setup.constants import constant
from ..thirdparties.models import Thirdparty
from .models import CREDIT_NOTE, DEPOSIT, REPLACEMENT, STANDARD

NUMBER = "{yy}{mm}-{0000}"
#: the constant with the prefix of standard invoices
PREFIX = "INVOICE_NUMBERING_TERRE_FORCE_PREFIX"
#: prefixes in the company's country and abroad, by type; types not listed use the standard ones
TERRE = {STANDARD: ("FA", "IN"), CREDIT_NOTE: ("AV", "IC"), DEPOSIT: ("AC", "ID")}
MARS = TERRE | {REPLACEMENT: ("FR", "IR")}
MASKS = {
    STANDARD: ("FACTURE_MERCURE_MASK_INVOICE",),
    REPLACEMENT: ("FACTURE_MERCURE_MASK_REPLACEMENT", "FACTURE_MERCURE_MASK_INVOICE"),
    CREDIT_NOTE: ("FACTURE_MERCURE_MASK_CREDIT",),
    DEPOSIT: ("FACTURE_MERCURE_MASK_DEPOSIT",),
}


def series_for(kind: int) -> Series:
    """Return the numbering series for a type of invoice, according to the company's constants."""
    abroad = (company()["country_code"] or "FR") != "FR"
    standard = TERRE[STANDARD][abroad]
    terre = TERRE.get(kind, TERRE[STANDARD])[abroad]
    if terre == standard:
        terre = constant(PREFIX).strip() or terre
    return Series(
        "invoices",
        terre + NUMBER,
        addon="FACTURE_ADDON",
        masks={"mod_facture_mercure": MASKS.get(kind, MASKS[STANDARD])},
        formats={"mod_facture_mars": MARS.get(kind, MARS[STANDARD])[abroad] + NUMBER},
    )


def check_prefix(name: str, value: str) -> None:
    """Reject a prefix that references can't begin with; an empty prefix unsets it.

    :param name: name of a constant; any except `PREFIX` is ignored
    :raises BadRequest: a mask that begins with it is invalid or too long
    """
    if name == PREFIX and value.strip():
        check_mask(name, value.strip() + NUMBER)


def require_last(series: Series, reference: str, column: Field, day: date, thirdparty: Thirdparty | None) -> None:
    """Check that a reference is the last of its series, in the transaction that deletes it.

    Locks the counter of the series, so no concurrent request can take the next number.

    :raises Refused: it is not the last, or a different series is active
    """
    following = series.take(column, day, thirdparty)
    mine, after = _said(series, reference, day), _said(series, following, day)
    if mine is None or after is None or not _follows(mine, after):
        raise Refused(
            f"can't delete invoice {reference}: it is not the last of its series, "
            "so deleting it would leave a gap in the numbering",
            reason="not_last",
        )
    series.give_back(following)


def _said(series: Series, reference: str, day: date) -> Reading | None:
    mask, grows = series.mask()
    context = company_context(day)
    try:
        return read(parse(mask, context.fiscal_month, short_counters=context.short_counters, grows=grows), reference)
    except MaskError:
        return None


def _follows(mine: Reading, after: Reading) -> bool:
    if (mine.period, mine.customer) != (after.period, after.customer):
        return False
    if mine.number is None or after.number is None:
        return after.customer_number == (mine.customer_number or 0) + 1
    return after.number == mine.number + 1
