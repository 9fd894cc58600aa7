"""From a value as it was sent to a flag, a number or an instant: the one table of how each is read.

Bodies, queries, filters, definitions of extra fields and settings are read by it, so that `1` means the same in all of
them.
Each reader raises ValueError saying what was expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

EPOCH = datetime(1970, 1, 1)
SECOND = timedelta(seconds=1)

#: a number with a fraction from here on is no identifier, count or instant
LARGE = 10**18
#: the place of a number's first digit, before or behind the point, as far as numbers are read at all
LARGEST_EXPONENT = 400
#: the same of an amount, a rate or a quantity
LARGEST_AMOUNT = 30


class AmbiguousDay(ValueError):
    """Eight digits that may be a day or seconds."""


#: what XML 1.0 cannot hold, and invoices are made of: most control characters, lone surrogates, U+FFFE and U+FFFF
_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _is_moderate(value: Any) -> bool:
    return isinstance(value, (float, Decimal)) and math.isfinite(value) and -LARGE < value < LARGE


def read_integer(value: Any, bits: int = 64) -> int:
    """A whole number, also as text or as a decimal without fraction."""
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
        raise ValueError("Expecting integer value")
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"Expecting integer value below {2 ** (bits - 1)}")
    return number


def read_decimal(value: Any, limit: Decimal | None = None) -> Decimal:
    """A decimal with a point, also as text; never a float's noise, an infinity or a comma.

    :param limit: the largest, whatever its sign; None: that of all amounts
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str)):
        raise ValueError("Expecting numeric value")
    text = str(value).strip()
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or "_" in text or not text.isascii() or number.adjusted() < -LARGEST_AMOUNT:
        raise ValueError("Expecting numeric value")
    if number.adjusted() > LARGEST_AMOUNT or (limit is not None and abs(number) > limit):
        most = f"below 1e{LARGEST_AMOUNT + 1}" if limit is None else f"up to {limit:f}"
        raise ValueError(f"Expecting numeric value {most}")
    return number


_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def read_flag(value: Any) -> bool:
    """True or false, 1 or 0."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, str)) and str(value).strip().lower() in _FLAGS:
        return _FLAGS[str(value).strip().lower()]
    raise ValueError("Expecting boolean value")


def _as_day(seconds: int) -> date | None:
    """The day that eight digits spell, such as 20261121; None: they spell none."""
    try:
        return date(seconds // 10000, seconds // 100 % 100, seconds % 100) if 10**7 <= seconds < 10**8 else None
    except ValueError:
        return None


def read_instant(value: Any) -> datetime:
    """An instant in UTC without zone, from Unix seconds or ISO 8601; digits that may be a day are neither."""
    expected = "Expecting Unix seconds or a date such as 2026-11-21 or 2026-11-21T10:00:00Z"
    try:
        # 0 is 1970-01-01 and not, as in Dolibarr, "no date": a value that was read must survive being sent back
        seconds = read_integer(value)
        if (day := _as_day(seconds)) is not None:
            raise AmbiguousDay(f"Expecting {day} for the day: {seconds} may as well be seconds of 1970")
    except AmbiguousDay:
        raise
    except ValueError:
        if _is_moderate(value):
            seconds = int(value)
        elif isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value.strip())
                if moment.tzinfo is not None:
                    moment = moment.astimezone(UTC).replace(tzinfo=None)
                return moment.replace(microsecond=0)
            except (ValueError, OverflowError):
                raise ValueError(expected) from None
        else:
            raise ValueError(expected) from None
    try:
        return EPOCH + seconds * SECOND
    except OverflowError:
        raise ValueError(expected) from None


def storable(text: str) -> str:
    """A text as it is, if every database can keep it, and every file that is made of it.

    :raises ValueError: it holds a control character other than tab, line feed and carriage return, a lone surrogate,
        U+FFFE or U+FFFF; the first one is named
    """
    if not is_storable(text):
        character = next(_UNSPEAKABLE.finditer(text))[0]
        raise ValueError(f"Expecting text without the character U+{ord(character):04X}")
    return text


def is_storable(text: str) -> bool:
    """Whether `storable` takes a text."""
    return text.isprintable() or not _UNSPEAKABLE.search(text)


def speakable(text: str) -> str:
    """What was stored before `storable` refused it, without the characters that no file can hold."""
    return text if text.isprintable() else _UNSPEAKABLE.sub("", text)


def read_float(value: Any) -> float:
    """A number that need not be exact."""
    return float(read_decimal(value))


def written_day(value: Any) -> date | None:
    """The day that a text names, such as 2026-11-21T23:30:00-05:00, whatever its offset; None: it names none."""
    if not isinstance(value, str) or value.strip().lstrip("-").isdigit():
        return None
    try:
        return datetime.fromisoformat(value.strip()).date()
    except ValueError:
        return None


def filter_text(text: str) -> str:
    """A date in a filter, where eight digits are a day (20260101), as in the reference."""
    day = _as_day(int(text)) if len(text) == 8 and text.isascii() and text.isdigit() else None
    return text if day is None else day.isoformat()


#: what a value becomes → its reader
READERS: Mapping[type, Callable[[Any], Any]] = {
    bool: read_flag,
    int: read_integer,
    float: read_float,
    Decimal: read_decimal,
    datetime: read_instant,
}
