"""How the values of a column become those of one of the same kind with another size, as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ..storage.database import backend
from .forms import ColumnForm

#: from the narrowest to the widest
WHOLE = ("SMALLINT", "INT", "BIGINT")
_FAMILIES = {
    **dict.fromkeys(("AUTO", "BIGAUTO", *WHOLE), "whole"),
    **dict.fromkeys(("CHAR", "VARCHAR", "TEXT"), "text"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
}
_BITS = {"SMALLINT": 15, "INT": 31, "BIGINT": 63}


@dataclass(frozen=True)
class Conversion:
    """How values change, as expressions.

    :ivar value: the new value; empty: the old one
    :ivar lossy: whether a row would lose digits or characters
    :ivar unfit: whether a row's value has no place in the new column
    """

    value: str = ""
    lossy: str = ""
    unfit: str = ""


def conversion(old: ColumnForm, new: ColumnForm, column: str) -> Conversion | None:
    """Return how a column's values change; None if the columns are of different kinds.

    :param column: its name, quoted
    """
    family = family_of(old.kind)
    if family != family_of(new.kind):
        return None
    if family == "text":
        return _to_text(old, new, column)
    if family == "whole":
        return _to_whole(plain_kind(old), plain_kind(new), column)
    return _to_scale(old, new, column) if family == "DECIMAL" else Conversion()


def family_of(kind: str) -> str:
    """Return what kinds have in common whose values mean the same: whole, text or float; else the kind itself."""
    return _FAMILIES.get(kind, kind)


def plain_kind(form: ColumnForm) -> str:
    """Return a column's kind; an ID is a whole number."""
    return {"AUTO": "INT", "BIGAUTO": "BIGINT"}.get(form.kind, form.kind)


def _to_text(old: ColumnForm, new: ColumnForm, column: str) -> Conversion:
    if new.length is None or (old.length is not None and old.length <= new.length):
        return Conversion()
    value = f"SUBSTR({column}, 1, {new.length})"
    return Conversion(value, f"{value} <> {column}")


def _to_whole(old: str, new: str, column: str) -> Conversion:
    return Conversion(unfit=f"ABS({column}) > {2 ** _BITS[new] - 1}" if _BITS[new] < _BITS[old] else "")


def _to_scale(old: ColumnForm, new: ColumnForm, column: str) -> Conversion:
    """Return how an exact decimal changes: it is rounded half away from zero."""
    scale, more = new.scale or 0, (new.scale or 0) - (old.scale or 0)
    # Values must have room on every database
    limit = min(10 ** (new.digits or 24) - 1, 2**63 - 1)
    narrower = (new.digits or 24) - scale < (old.digits or 24) - (old.scale or 0)
    factor = 10 ** abs(more)
    if not backend().scaled_decimals:
        value = f"ROUND({column}, {scale})" if more < 0 else ""
        lossy = f"{value} <> {column}" if value else ""
        unfit = f"ABS({value or column}) > {Decimal(limit).scaleb(-scale):f}"
    elif more >= 0:
        value, lossy = f"{column} * {factor}" if more else "", ""
        unfit = f"ABS({column}) > {limit // factor}"
    else:
        # Both / and % truncate towards zero
        value = f"{column} / {factor} + {column} % {factor} / {factor // 2}"
        lossy = f"{column} % {factor} <> 0"
        unfit = f"ABS({value}) > {limit}"
    return Conversion(value, lossy, unfit if narrower or value else "")
