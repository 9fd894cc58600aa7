"""Use of masks: the reference for a number, the number of a reference, and the period of its counter.

Pure: nothing here reads the clock, the constants or the database.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from .parts import EVERY_MONTH, MOST_DIGITS, Mask, MaskError, Part, parse

__all__ = ["Context", "Mask", "MaskError", "Reading", "counted_customer", "fill", "fits", "parse", "period", "read"]


@dataclass(frozen=True)
class Context:
    """Values that fill a mask.

    :param date: the day that is printed and decides on the period
    :param customer_code: code of the third party; the supplier code for purchase documents
    :param type_code: type of the third party, such as ``TE_SMALL``
    :param author_lastname: the author's last name; None prints X
    :param author_fields: the author's extra fields, for ``{user_extra_name}``
    """

    date: date
    customer_code: str = ""
    type_code: str = ""
    author_lastname: str | None = None
    author_fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """Values read from an existing reference: number, number per customer, that customer as printed, period.

    A number is None if the mask has no such counter.
    """

    number: int | None
    customer_number: int | None
    customer: str
    period: str


def period(mask: Mask, day: date) -> str:
    """Return the period of a day's counter, as ``<year>-<first month>``; empty if the counter never restarts.

    The year has the digits that are printed: periods that print the same year share one counter.
    """
    return _period(mask, _printed_year(mask, day), day.month)


def fill(mask: Mask, context: Context, number: int, customer_number: int = 0) -> str:
    """Return the reference for a number.

    :param customer_number: the number among its customer's, for ``{cccc000}``
    :raises MaskError: ErrorMaxNumberReachForThisMask, the number has more digits than the mask
    """
    values: dict[str, Callable[[Part], str]] = {
        "literal": lambda part: part.text,
        "counter": lambda part: _digits(mask, part, number),
        "customer_counter": lambda part: _digits(mask, part, customer_number),
        "customer": lambda part: _start(context.customer_code, part.width),
        "counted_customer": lambda part: _start(context.customer_code, part.width),
        "type": lambda part: _start(context.type_code.removeprefix("TE_"), part.width),
        "author": lambda part: _author(context, part.width),
        "author_field": lambda part: _plain(context.author_fields.get(part.text, "")),
        "year": lambda part: f"{_printed_year(mask, context.date):04d}"[-part.width :],
        "month": lambda part: f"{context.date.month:02d}",
        "day": lambda part: f"{context.date.day:02d}",
        "wildcard": lambda part: "_" * part.width,
    }
    return "".join(values[part.kind](part) for part in mask.parts)


def read(mask: Mask, reference: str) -> Reading | None:
    """Return the values read from a reference; None if it doesn't match the mask (drafts never do)."""
    if reference.upper().startswith("(PROV"):
        return None
    found = _pattern(mask).fullmatch(reference)
    if found is None:
        return None
    groups = found.groupdict()
    return Reading(
        number=int(groups["counter"]) if "counter" in groups else None,
        customer_number=int(groups["customer_counter"]) if "customer_counter" in groups else None,
        customer=groups.get("counted_customer", ""),
        period=_period(mask, int(groups["year"]), int(groups.get("month", 1))) if mask.reset else "",
    )


def fits(mask: Mask, code: str) -> bool:
    """Return whether a code that a user chose is permitted by the mask: as in Dolibarr, only the length counts."""
    length = sum(part.width for part in mask.parts)
    open_ended = mask.grows or mask.has("author_field")
    return len(code) >= length if open_ended else len(code) == length


def counted_customer(mask: Mask, customer_code: str) -> str:
    """Return the customer as ``{cccc000}`` prints it, each with its own counter; empty if the mask has no such part."""
    return next((_start(customer_code, part.width) for part in mask.parts if part.kind == "counted_customer"), "")


def _period(mask: Mask, year: int, month: int) -> str:
    """Return the key of a period from the year and the month that are printed."""
    if mask.reset is None:
        return ""
    first = mask.reset.month
    if first == EVERY_MONTH:
        first = month
    elif mask.reset.shift == "+":
        year -= first > 1
    elif not mask.reset.shift:
        year -= month < first
    width = mask.year_width
    return f"{year % 10**width:0{width}d}-{first:02d}"


def _printed_year(mask: Mask, day: date) -> int:
    if mask.reset is None or not mask.reset.shift:
        return day.year
    first = mask.reset.month
    begins = day.year - (day.month < first)
    return begins if mask.reset.shift == "-" else begins + (first > 1)


def _digits(mask: Mask, part: Part, number: int) -> str:
    text = f"{number:0{part.width}d}"
    most = MOST_DIGITS if mask.grows else part.width
    if len(text) > most:
        raise MaskError(
            "ErrorMaxNumberReachForThisMask",
            f"the mask {mask.text!r} has no numbers left: {text} has more than {most} digits; add zeros to its counter",
        )
    return text


def _plain(text: str) -> str:
    """Replace characters that a reference, which is also the name of a folder, can't contain."""
    return "".join(each if each.isprintable() and each not in "/\\" else "_" for each in text)


def _start(text: str, width: int) -> str:
    return _plain(text[:width]).ljust(width, "#")


def _author(context: Context, width: int) -> str:
    return "X" * width if context.author_lastname is None else _start(context.author_lastname, width)


@lru_cache(maxsize=256)
def _pattern(mask: Mask) -> re.Pattern[str]:
    """Return a pattern of a mask's references: its own digits and characters, and any text for variable parts.

    Case is ignored: codes are stored in capitals, whatever the case in the mask.
    """
    pieces = []
    named: set[str] = set()
    for part in mask.parts:
        piece = _piece(mask, part)
        if part.kind == "year" and part.width < mask.year_width:
            pieces.append(piece)
        elif part.kind in ("counter", "customer_counter", "counted_customer", "year", "month"):
            # A repeated year or month must have the same value
            pieces.append(f"(?P={part.kind})" if part.kind in named else f"(?P<{part.kind}>{piece})")
            named.add(part.kind)
        else:
            pieces.append(piece)
    return re.compile("".join(pieces), re.IGNORECASE | re.DOTALL)


def _piece(mask: Mask, part: Part) -> str:
    if part.kind == "literal":
        return re.escape(part.text)
    if part.kind in ("year", "month", "day"):
        return f"[0-9]{{{part.width}}}"
    if part.kind in ("counter", "customer_counter"):
        return f"[0-9]{{{part.width},{MOST_DIGITS}}}" if mask.grows else f"[0-9]{{{part.width}}}"
    return f".{{{part.width}}}" if part.width else ".*"
