"""The constants that mentions are made of: what each may hold, and how it is printed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from core import wrong_fields

from ...setup.constants import constant
from ..papers.language import Language

RATE = "INVOICE_LATE_PAYMENT_RATE"
#: percent a year; a rate above is a typing error
LARGEST_RATE = 100
#: a constant that is a switch
SWITCHES = ("INVOICE_VAT_ON_DEBITS", "MAIN_INFO_SMALL_BUSINESS")
#: how a switch ends that refuses to validate what lacks a mention, such as INVOICE_CHECK_MENTIONS
CHECKS = "_CHECK_MENTIONS"
#: a constant that is printed → characters that it may have
TEXTS = {
    RATE: 200,
    "INVOICE_DISCOUNT_TERMS": 300,
    "MAIN_INFO_REGISTER_PLACE": 100,
    "MAIN_INFO_REGISTERED_OFFICE": 300,
    "MAIN_INFO_SUPERVISORY_BOARD": 200,
}


def check_mention_constant(name: str, value: str) -> None:
    """Refuse a value that a constant of mentions cannot have; an empty one unsets it.

    :raises BadRequest: it cannot have it
    """
    text, expected = value.strip(), ""
    if (name in SWITCHES or name.endswith(CHECKS)) and text not in ("", "0", "1"):
        expected = "0 or 1"
    elif name in TEXTS and (len(text) > TEXTS[name] or not text.isprintable()):
        expected = f"one line of at most {TEXTS[name]} characters"
    elif name == RATE and (rate := _number(text)) is not None and not 0 <= rate <= LARGEST_RATE:
        expected = f"a yearly rate from 0 to {LARGEST_RATE} percent such as 12.15, or words"
    if expected:
        raise wrong_fields([("value", f"{name}: expected {expected}, got {value!r:.60}")])


def is_on(name: str) -> bool:
    """Whether a switch is on."""
    return constant(name).strip() not in ("", "0")


def _number(text: str) -> Decimal | None:
    """The number that a text is; with a sign for percent behind it, too."""
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


#: what is not printed as it stands
CONSTANT_VALUES: dict[str, Callable[[str, Language], str]] = {
    RATE: _rate,
    # A switch that is off says nothing
    **dict.fromkeys(SWITCHES, lambda value, words: "" if value == "0" else value),
}
