"""Validate and format the constants that legal notices contain."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from core import BadRequest, shown

from ..content.language import Language

RATE = "INVOICE_LATE_PAYMENT_RATE"
#: maximum rate in percent a year, to catch typing errors
LARGEST_RATE = 100
#: constants that are switches
SWITCHES = ("INVOICE_VAT_ON_DEBITS", "MAIN_INFO_SMALL_BUSINESS")
#: end of switches that prevent validation without the required legal notices, such as INVOICE_CHECK_MENTIONS
CHECKS = "CHECK_MENTIONS"
#: printed constant → its maximum length in characters
TEXTS = {
    RATE: 200,
    "INVOICE_DISCOUNT_TERMS": 300,
    "MAIN_INFO_REGISTER_PLACE": 100,
    "MAIN_INFO_REGISTERED_OFFICE": 300,
    "MAIN_INFO_SUPERVISORY_BOARD": 200,
}


def check_mention_constant(name: str, value: str) -> None:
    """Reject an invalid value of a constant for legal notices; an empty value unsets it.

    :raises BadRequest: the value is invalid
    """
    text, expected = value.strip(), ""
    if (name in SWITCHES or name.endswith(f"_{CHECKS}")) and text not in ("", "0", "1"):
        expected = "0 or 1"
    elif name in TEXTS and (len(text) > TEXTS[name] or not text.isprintable()):
        expected = f"one line of at most {TEXTS[name]} characters"
    elif name == RATE and (rate := _number(text)) is not None and not 0 <= rate <= LARGEST_RATE:
        expected = f"a yearly rate from 0 to {LARGEST_RATE} percent such as 12.15, or words"
    if expected:
        raise BadRequest(errors=[("value", f"{name}: expected {expected}, got {shown(value)}")])


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
