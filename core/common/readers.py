"""Readers that convert a sent value to a flag, a number or an instant.

Bodies, queries, filters, definitions of extra fields and settings use the same readers, so that `1` means the same in
all of them. Each reader raises ValueError with the expected form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from .errors import Reason, joined

EPOCH = datetime(1970, 1, 1)
SECOND = timedelta(seconds=1)

#: a float from this size on isn't an ID, a count or an instant
LARGE = 10**18
#: largest decimal exponent of any number, positive or negative
LARGEST_EXPONENT = 400
#: largest decimal exponent of an amount, a rate or a quantity
LARGEST_AMOUNT = 30


#: characters that XML 1.0, and so an invoice, can't contain: most control characters, surrogates, U+FFFE, U+FFFF
_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _is_moderate(value: Any) -> bool:
    return isinstance(value, (float, Decimal)) and math.isfinite(value) and -LARGE < value < LARGE


def read_integer(value: Any, bits: int = 64) -> int:
    """Return a whole number, from a number, a text or a decimal without fraction."""
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif _is_moderate(value) and value == int(value):
        number = int(value)
    elif isinstance(value, str) and len(value) < 30 and value.isascii() and value.strip().lstrip("-").isdigit():
        try:
            number = int(value)
        except ValueError:
            number = None
    if number is None:
        raise ValueError("expected a whole number")
    limit = 2 ** (bits - 1)
    if not -limit <= number < limit:
        raise ValueError(f"expected a whole number from {-limit} to {limit - 1}")
    return number


def read_decimal(value: Any, limit: Decimal | None = None) -> Decimal:
    """Return a decimal from a number or a text with a point; a float's noise, infinities and commas are rejected.

    :param limit: the largest absolute value; None for that of all amounts
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str)):
        raise ValueError("expected a number")
    text = str(value).strip()
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or "_" in text or not text.isascii() or number.adjusted() < -LARGEST_AMOUNT:
        raise ValueError("expected a number")
    if number.adjusted() > LARGEST_AMOUNT or (limit is not None and number.copy_abs() > limit):
        bounds = f"below 1e{LARGEST_AMOUNT + 1}" if limit is None else f"from {limit.copy_negate():f} to {limit:f}"
        raise ValueError(f"expected a number {bounds}")
    return number


_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def read_flag(value: Any) -> bool:
    """Return a flag from true, false, 1 or 0."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, str)) and str(value).strip().lower() in _FLAGS:
        return _FLAGS[str(value).strip().lower()]
    raise ValueError("expected true or false")


def _as_day(seconds: int) -> date | None:
    """Return the day in eight digits such as 20261121; None if they aren't a date."""
    try:
        return date(seconds // 10000, seconds // 100 % 100, seconds % 100) if 10**7 <= seconds < 10**8 else None
    except ValueError:
        return None


def plain_word(value: Any) -> str:
    """Return a word as it is compared with known ones: without case, and with spaces for underscores."""
    return str(value).strip().lower().replace("_", " ")


def word_of_flag(value: Any) -> Any:
    """Return yes or no for true or false, as a boolean or a text; any other value unchanged."""
    flag = {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else value
    return ("yes" if flag else "no") if isinstance(flag, bool) else value


def read_instant(value: Any) -> datetime:
    """An instant in UTC without zone, from Unix seconds, ISO 8601 or a `date`; digits that may be a day are neither."""
    seconds: int | None
    try:
        # 0 is 1970-01-01 and not, as in Dolibarr, "no date": a value that was read must survive being sent back
        seconds = read_integer(value)
    except ValueError:
        seconds = int(value) if _is_moderate(value) else None
    else:
        if (day := _as_day(seconds)) is not None:
            raise ValueError(f"expected {day} with hyphens, because 8 digits could also be Unix seconds")
    try:
        if seconds is not None:
            return EPOCH + seconds * SECOND
        if isinstance(value, (str, date)):
            moment = datetime.fromisoformat(str(value).strip())
            if moment.tzinfo is not None:
                moment = moment.astimezone(UTC).replace(tzinfo=None)
            return moment.replace(microsecond=0)
    except (ValueError, OverflowError):
        pass
    raise ValueError("expected Unix seconds or a date such as 2026-11-21 or 2026-11-21T10:00:00Z")


def storable(text: str) -> str:
    """Return a text unchanged if every database, and every file made from it, can store it.

    :raises ValueError: the text has a control character other than tab, line feed and carriage return, a surrogate,
        U+FFFE or U+FFFF; the message has the first one
    """
    if not is_storable(text):
        character = next(_UNSPEAKABLE.finditer(text))[0]
        raise ValueError(f"expected text without the character U+{ord(character):04X}")
    return text


def is_storable(text: str) -> bool:
    """Return whether `storable` accepts a text."""
    return text.isprintable() or not _UNSPEAKABLE.search(text)


def speakable(text: str) -> str:
    """Return a text without the characters that `storable` rejects; old rows may have them."""
    return text if text.isprintable() else _UNSPEAKABLE.sub("", text)


def readable(text: str) -> str:
    """Return a text with `?` for NUL and for each lone surrogate, which names of files and messages may contain."""
    return text.encode(errors="replace").decode().replace("\0", "?")


def choice_of(choices: Iterable[Any]) -> str:
    """Return choices for a message: ``one of a, b, c``; two are ``a or b``."""
    known = [str(choice) for choice in choices]
    return f"one of {joined(known)}" if len(known) > 2 else " or ".join(known)


def one_of(choices: Iterable[Any]) -> str:
    """Return what is expected of a choice, for the error of a reader; with Dolibarr's words."""
    known = [str(choice) for choice in choices]
    text = f"expected {choice_of(known)}"
    return Reason(text, f"Expected one of ({joined(known).replace(', ', ',')}).") if len(known) > 1 else text


def read_float(value: Any) -> float:
    """Return a float, for a number that need not be exact."""
    return float(read_decimal(value))


def written_day(value: Any) -> date | None:
    """Return the date in a text such as 2026-11-21T23:30:00-05:00, whatever its offset; None without a date."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str) or value.strip().lstrip("-").isdigit():
        return None
    try:
        return datetime.fromisoformat(value.strip()).date()
    except ValueError:
        return None


def filter_text(text: str) -> str:
    """Return a filter's value with eight digits (20260101) converted to a date, as in Dolibarr."""
    day = _as_day(int(text)) if len(text) == 8 and text.isascii() and text.isdigit() else None
    return text if day is None else day.isoformat()


#: type of the result → its reader
READERS: Mapping[type, Callable[[Any], Any]] = {
    bool: read_flag,
    int: read_integer,
    float: read_float,
    Decimal: read_decimal,
    datetime: read_instant,
}
