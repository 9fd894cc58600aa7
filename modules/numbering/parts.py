"""The mask language: parses the text of a mask into its parts, or raises an error with the expected syntax.

The language is Dolibarr's, so you can use its masks unchanged. `modules/setup/guide.md` describes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core import shown

Kind = Literal[
    "literal", "counter", "customer_counter", "customer", "counted_customer", "type", "author", "author_field",
    "year", "month", "day", "wildcard",
]  # fmt: skip

LONGEST_MASK = 100
#: the column of the number has no room for more
MOST_DIGITS = 18
EVERY_MONTH = 99


class MaskError(ValueError):
    """A mask that cannot be used, or that has no number left.

    :param name: Dolibarr's name of the error, such as ``ErrorBadMask``
    :param expected: what was expected, in plain words
    """

    def __init__(self, name: str, expected: str) -> None:
        super().__init__(f"{name}: {expected}")
        self.name = name


@dataclass(frozen=True)
class Part:
    """One piece of a mask: kind, width in characters (0: any number), and its literal text or name."""

    kind: Kind
    width: int
    text: str = ""


@dataclass(frozen=True)
class Reset:
    """A restart of the counter: a month of each year (99: every month), and which year is printed.

    `shift` is ``-`` (the year in which the fiscal year begins), ``+`` (in which it ends) or empty (the date's own).
    """

    month: int
    shift: str = ""


@dataclass(frozen=True)
class Mask:
    """A parsed mask; `grows`: the counter may become longer than its digits."""

    text: str
    parts: tuple[Part, ...]
    offset: int = 0
    reset: Reset | None = None
    grows: bool = False

    def has(self, kind: Kind) -> bool:
        """Return whether the mask has a part of a kind."""
        return any(part.kind == kind for part in self.parts)

    @property
    def year_width(self) -> int:
        """Return the digits of the longest year in the mask; 0 without a year."""
        return max((part.width for part in self.parts if part.kind == "year"), default=0)


_BRACES = re.compile(r"\{([^{}]*)\}")
_COUNTER = re.compile(r"(0+)((?:\+[0-9]+|@(?:[0-9]+|[=+-]))*)")
_OPTION = re.compile(r"\+[0-9]+|@(?:[0-9]+|[=+-])")

#: text between braces → the parts it means; the counter is parsed separately, all else is literal
_VARIABLES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[Part, ...]]], ...] = (
    (re.compile("yyyy|yy|y"), lambda found: (Part("year", len(found[0])),)),
    (re.compile("mm"), lambda found: (Part("month", 2),)),
    (re.compile("dd"), lambda found: (Part("day", 2),)),
    (re.compile("c+"), lambda found: (Part("customer", len(found[0])),)),
    (
        re.compile("(c+)(0+)"),
        lambda found: (Part("counted_customer", len(found[1])), Part("customer_counter", len(found[2]))),
    ),
    (re.compile("t+"), lambda found: (Part("type", len(found[0])),)),
    (re.compile("u+"), lambda found: (Part("author", len(found[0])),)),
    (re.compile("[A-Z]+-([1-9])"), lambda found: (Part("wildcard", int(found[1])),)),
    (re.compile("user_extra_([a-z0-9_]+)"), lambda found: (Part("author_field", 0, found[1]),)),
)


@lru_cache(maxsize=256)
def parse(text: str, fiscal_month: int = 1, *, short_counters: bool = False, grows: bool = False) -> Mask:
    """Parse a mask.

    :param fiscal_month: the month in which the fiscal year begins, which ``@0``, ``@=``, ``@-`` and ``@+`` mean
    :param short_counters: allow counters of one or two digits
    :param grows: the counter may become longer than its digits, as in the fixed formats
    :raises MaskError: the mask is invalid; the text begins with Dolibarr's name of the error
    """
    if len(text) > LONGEST_MASK:
        raise MaskError("ErrorBadMask", f"expected at most {LONGEST_MASK} characters, got {len(text)}")
    if "/" in text or "\\" in text or not text.isprintable():
        raise MaskError("ErrorBadMask", f"expected a mask without slashes or control characters, got {shown(text)}")
    parts: list[Part] = []
    options = ""
    done = 0
    for braces in _BRACES.finditer(text):
        inner = braces[1]
        counter = _COUNTER.fullmatch(inner)
        read = (Part("counter", len(counter[1])),) if counter else _variable(inner)
        if not read:
            continue
        if braces.start() > done:
            parts.append(_literal(text[done : braces.start()]))
        parts += read
        options += counter[2] if counter else ""
        done = braces.end()
    if done < len(text):
        parts.append(_literal(text[done:]))
    offset, reset = _read_options(text, options, fiscal_month)
    mask = Mask(text, tuple(parts), offset, reset, grows)
    _check_counters(mask, 1 if short_counters else 3)
    if reset is not None:
        _check_reset(mask, reset)
    return mask


def _literal(text: str) -> Part:
    return Part("literal", len(text), text)


def _variable(inner: str) -> tuple[Part, ...]:
    for pattern, make in _VARIABLES:
        found = pattern.fullmatch(inner)
        if found:
            return make(found)
    return ()


def _read_options(text: str, options: str, fiscal_month: int) -> tuple[int, Reset | None]:
    """Return the offset and the reset from a counter's braces."""
    each: list[str] = _OPTION.findall(options)
    offsets = [option[1:] for option in each if option[0] == "+"]
    resets = [option[1:] for option in each if option[0] == "@"]
    if len(offsets) > 1 or len(resets) > 1:
        raise MaskError("ErrorBadMask", f"expected at most one + and one @ in a counter, got {shown(text)}")
    if offsets and len(offsets[0]) > MOST_DIGITS:
        raise MaskError("ErrorBadMask", f"expected at most {MOST_DIGITS} digits after +, got {shown(text)}")
    offset = int(offsets[0]) if offsets else 0
    if not resets:
        return offset, None
    if resets[0] in "=+-":
        return offset, Reset(fiscal_month, resets[0].replace("=", ""))
    month = int(resets[0][:MOST_DIGITS])
    if month > 12 and resets[0] != str(EVERY_MONTH):
        raise MaskError("ErrorBadMaskBadRazMonth", f"expected a month from 0 to 12, or 99, after @, got {shown(text)}")
    return offset, Reset(month or fiscal_month)


def _check_counters(mask: Mask, shortest: int) -> None:
    counters = [part for part in mask.parts if part.kind in ("counter", "customer_counter")]
    if not counters or len({part.kind for part in counters}) < len(counters):
        raise MaskError("ErrorBadMask", f"expected one counter such as {{0000}} in the mask, got {shown(mask.text)}")
    if min(part.width for part in counters) < shortest:
        expected = "expected a counter of at least 3 digits, such as {000}"
        raise MaskError("ErrorCounterMustHaveMoreThan3Digits", f"{expected}, got {shown(mask.text)}")
    # With two of them, the end of one and the start of the other are ambiguous
    if sum(part.kind == "author_field" or (mask.grows and part in counters) for part in mask.parts) > 1:
        expected = "expected at most one part of variable length ({user_extra_...} or a growing counter)"
        raise MaskError("ErrorBadMask", f"{expected}, got {shown(mask.text)}")
    if max(part.width for part in counters) > MOST_DIGITS:
        raise MaskError("ErrorBadMask", f"expected a counter of at most {MOST_DIGITS} digits, got {shown(mask.text)}")


def _check_reset(mask: Mask, reset: Reset) -> None:
    """Raise MaskError unless the printed parts distinguish the periods."""
    if reset.month == 1:
        if not mask.year_width:
            expected = "expected a year such as {yy} because the counter restarts every year"
            raise MaskError("ErrorCantUseRazIfNoYearInMask", f"{expected}, got {shown(mask.text)}")
        return
    neighbours = zip(mask.parts, mask.parts[1:], strict=False)
    pairs = [pair for pair in neighbours if {part.kind for part in pair} == {"year", "month"}]
    if not pairs:
        expected = "expected {yy}{mm} or {mm}{yy} because the counter restarts within a year"
        raise MaskError("ErrorCantUseRazInStartedYearIfNoYearMonthInMask", f"{expected}, got {shown(mask.text)}")
    if all(part.width == 1 for pair in pairs for part in pair if part.kind == "year"):
        expected = "expected a year of 2 or 4 digits because the counter restarts within a year"
        raise MaskError("ErrorCantUseRazWithYearOnOneDigit", f"{expected}, got {shown(mask.text)}")
