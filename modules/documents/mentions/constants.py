"""Validate and format the constants that legal notices contain."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from ..content.language import Language

RATE = "INVOICE_LATE_PAYMENT_RATE"
#: maximum rate in percent a year, to catch typing errors
LARGEST_RATE = 100
#: constants that are switches
SWITCHES = ("INVOICE_VAT_ON_DEBITS", "MAIN_INFO_SMALL_BUSINESS")
#: end of switches that prevent validation without the required legal notices, such as INVOICE_CHECK_MENTIONS
CHECKS = "CHECK_MENTIONS"


def check_rate(name: str, text: str) -> None:
    """Check the constant with the rate of late payments.

    :raises ValueError: it is neither a rate nor one line of text
    """
    if not text.isprintable():
        raise ValueError("expected one line")
    if (rate := _number(text)) is not None and not 0 <= rate <= LARGEST_RATE:
        raise ValueError(f"expected a yearly rate from 0 to {LARGEST_RATE} percent such as 12.15, or words")


def _number(text: str) -> Decimal | None:
    """Return the number in a text, with or without a percent sign; -1 if it isn't finite, None if there isn't one."""
    try:
        found = Decimal(text.removesuffix("%").strip().replace(",", "."))
    except InvalidOperation:
        return None
    return found if found.is_finite() else Decimal(-1)


def _rate(value: str, words: Language) -> str:
    rate = _number(value)
    if rate is None or not 0 <= rate <= LARGEST_RATE:
        return " ".join(value.split())
    return words.say("{rate} a year").replace("{rate}", words.percent(rate))


#: constant → function that formats it; all others are printed unchanged
CONSTANT_VALUES: dict[str, Callable[[str, Language], str]] = {
    RATE: _rate,
    # A switch that is off is an unset field
    **dict.fromkeys(SWITCHES, lambda value, words: "" if value == "0" else value),
}
