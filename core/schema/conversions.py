"""What becomes of values when a column's type changes: alike everywhere, and nothing is lost unasked.

SQLite keeps exact decimals as whole numbers and checks no length, so its values are converted here, one by one; on the
others it is done by an expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ..storage.database import dialect_name
from .forms import ColumnForm

_FAMILIES = {
    "text": "VARCHAR CHAR TEXT",
    "whole": "INT BIGINT SMALLINT",
    "exact": "DECIMAL",
    "float": "FLOAT DOUBLE",
    "flag": "BOOL",
    "day": "DATE",
    "instant": "DATETIME",
}
_FAMILY = {kind: family for family, kinds in _FAMILIES.items() for kind in kinds.split()}
_BITS = {"SMALLINT": 15, "INT": 31, "BIGINT": 63}
#: a text that is a number and nothing else, such as a code that begins with zeros
_NUMBER = r"^-?(0|[1-9][0-9]{0,18})([.][0-9]{1,20})?$"


class Impossible(Exception):
    """There is no way from one type to the other."""


@dataclass(frozen=True)
class Conversion:
    """How values become those of another type.

    :ivar value: SQLite: what a value becomes; raises `Cut` or `Unfit`
    :ivar sql: elsewhere: the expression it becomes, where one is needed
    :ivar cut: elsewhere: which rows would lose something
    :ivar unfit: elsewhere: which rows cannot be converted at all
    """

    value: Callable[[Any], Any] | None = None
    sql: str = ""
    cut: str = ""
    unfit: str = ""


class Cut(ValueError):
    """A value would lose something.

    :ivar rest: what is left of it
    """

    def __init__(self, rest: Any) -> None:
        super().__init__()
        self.rest = rest


class Unfit(ValueError):
    """A value has no place in the new column."""


def family_of(form: ColumnForm) -> str:
    """What kind of values a column holds; one we know nothing about is a family of its own."""
    return _FAMILY.get(form.kind, form.kind)


def conversion(old: ColumnForm, new: ColumnForm, column: str, *, scaled: bool) -> Conversion:
    """How a column's values become those of another type.

    :param column: its name, quoted
    :param scaled: the old column is one of SQLite's exact decimals, rather than a number of peewee's own
    :raises Impossible: nobody knows
    """
    ways = family_of(old), family_of(new)
    if ways not in _KNOWN and ways[0] != ways[1]:
        raise Impossible
    if dialect_name() == "sqlite":
        return Conversion(value=_reader(old, new, scaled=scaled))
    return _CONVERSIONS[ways](old, new, column) if ways in _CONVERSIONS else Conversion()


# SQLite --------------------------------------------------------------------------------------------------------------


def _reader(old: ColumnForm, new: ColumnForm, *, scaled: bool) -> Callable[[Any], Any] | None:
    """What makes the new value of one that SQLite keeps; None: it stays as it is."""
    before, after = family_of(old), family_of(new)
    if before == "exact" and not scaled:
        before = "float"
    same = (before, old.scale) == (after, new.scale) if "exact" in (before, after) else before == after
    if same and not _narrower(old, new, after):
        return None
    if after == "text":
        return lambda value: _text(value if before != "exact" else _shown(_number(value, "exact", old.scale)), new)
    if after in ("whole", "exact", "flag"):
        return lambda value: _kept(_number(value, before, old.scale), new, after)
    if (before, after) == ("instant", "day"):
        return _day
    return None


def _narrower(old: ColumnForm, new: ColumnForm, family: str) -> bool:
    if family == "text":
        return new.length is not None and (old.length is None or old.length > new.length)
    if family == "whole":
        return _BITS[new.kind] < _BITS[old.kind]
    return family == "exact" and _room(new) < _room(old)


def _room(form: ColumnForm) -> int:
    return (form.digits or 24) - (form.scale or 0)


def _shown(value: Decimal) -> str:
    return f"{value:f}"


def _number(value: Any, family: str, scale: int | None) -> Decimal:
    if family == "exact":
        return Decimal(int(value)).scaleb(-(scale or 0))
    if family == "text":
        if not re.fullmatch(_NUMBER, str(value)):
            raise Unfit
        return Decimal(str(value))
    return Decimal(repr(value) if isinstance(value, float) else str(value))


def _kept(value: Decimal, new: ColumnForm, family: str) -> Any:
    scale = new.scale or 0 if family == "exact" else 0
    whole = int(value.scaleb(scale).quantize(Decimal(1), ROUND_HALF_UP))
    limit = 1 if family == "flag" else 2 ** _BITS[new.kind] - 1 if family == "whole" else _limit(new)
    if abs(whole) > limit or (family == "flag" and whole < 0):
        raise Unfit
    if Decimal(whole).scaleb(-scale) != value:
        raise Cut(whole)
    return whole


def _limit(form: ColumnForm) -> int:
    """The largest exact decimal of a column, without its point, that has room on every database."""
    return min(int("9" * (form.digits or 24)), 2**63 - 1)


def _text(value: Any, new: ColumnForm) -> str:
    text = str(value)
    if new.length is not None and len(text) > new.length:
        raise Cut(text[: new.length])
    return text


def _day(value: Any) -> str:
    text = str(value)
    if text[10:].strip(" T0:.+"):
        raise Cut(text[:10])
    return text[:10]


# PostgreSQL and MariaDB ----------------------------------------------------------------------------------------------


def _as_text(column: str) -> str:
    return f"CAST({column} AS CHAR)" if dialect_name() == "mysql" else f"CAST({column} AS TEXT)"


def _matches(column: str, pattern: str) -> str:
    if dialect_name() == "mysql":
        return f"CAST({column} AS CHAR) COLLATE utf8mb4_bin REGEXP '{pattern}'"
    return f"{column} ~ '{pattern}'"


def _to_text(old: ColumnForm, new: ColumnForm, column: str) -> Conversion:
    was_text = family_of(old) == "text"
    if was_text and not _narrower(old, new, "text"):
        return Conversion()
    text = column if was_text else _as_text(column)
    if new.length is None:
        return Conversion(sql=text)
    return Conversion(sql=f"LEFT({text}, {new.length})", cut=f"CHAR_LENGTH({text}) > {new.length}")


def _to_number(old: ColumnForm, new: ColumnForm, column: str) -> Conversion:
    before, after = family_of(old), family_of(new)
    unfit, value = "", column
    if before == "text":
        unfit = f"NOT ({_matches(column, _NUMBER)})"
        value = f"CASE WHEN {unfit} THEN NULL ELSE CAST({column} AS DECIMAL(60, 20)) END"
    elif before == "float":
        value = f"CAST({_as_text(column)} AS DECIMAL(60, 20))"
    elif before == "flag" and dialect_name() == "postgresql":
        value = f"CASE WHEN {column} THEN 1 WHEN NOT {column} THEN 0 END"
    scale = new.scale or 0 if after == "exact" else 0
    rounded = f"ROUND({value}, {scale})"
    limit = Decimal(2 ** _BITS[new.kind] - 1) if after == "whole" else Decimal(_limit(new)).scaleb(-scale)
    beyond = f"ABS({rounded}) > {limit:f}"
    cut = f"{rounded} <> {value}" if before not in ("whole", "flag") and (old.scale or 99) > scale else ""
    fits = before == after and not _narrower(old, new, after)
    return Conversion(
        sql="" if fits and not cut else rounded if cut else value,
        cut=cut,
        unfit=(unfit and f"({unfit} OR {beyond})") or ("" if fits and not cut else beyond),
    )


def _to_flag(old: ColumnForm, new: ColumnForm, column: str) -> Conversion:
    return Conversion(sql=f"{column} <> 0", unfit=f"{column} NOT IN (0, 1)")


def _to_day(old: ColumnForm, new: ColumnForm, column: str) -> Conversion:
    instant = "DATETIME" if dialect_name() == "mysql" else "TIMESTAMP"
    return Conversion(sql=f"CAST({column} AS DATE)", cut=f"CAST(CAST({column} AS DATE) AS {instant}) <> {column}")


_CONVERSIONS: dict[tuple[str, str], Callable[[ColumnForm, ColumnForm, str], Conversion]] = {
    **{(family, "text"): _to_text for family in ("text", "whole", "exact")},
    **{(family, number): _to_number for family in ("text", "whole", "exact", "float", "flag")
       for number in ("whole", "exact") if (family, number) != ("flag", "exact")},
    ("whole", "flag"): _to_flag,
    ("instant", "day"): _to_day,
}  # fmt: skip
_KNOWN = {*_CONVERSIONS, ("day", "instant")}
