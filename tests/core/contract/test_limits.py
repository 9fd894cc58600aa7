"""Limits of parameters: what can be measured, and what is repaired instead of refused."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from core.contract.annotations import ParameterNote
from core.contract.converters import UnknownType, converter


@pytest.mark.parametrize("kind", [Any, object, date, datetime, dict, datetime | None])
@pytest.mark.parametrize("limit", [{"minimum": Decimal(1)}, {"maximum": Decimal(9)}])
def test_what_cannot_be_measured_takes_no_limit(kind, limit):
    with pytest.raises(UnknownType, match=r"`x`: \{@min\} and \{@max\} work only on numbers, text and lists"):
        converter(kind, ParameterNote("x", **limit))


@pytest.mark.parametrize(
    ("kind", "sent", "expected"),
    [
        (str, "abcd", "abc"),
        (list, ["a", "b", "c", "d"], ["a", "b", "c"]),
        (tuple[int, ...], [1, 2, 3, 4], (1, 2, 3)),
        (int, 4, 3),
        (Decimal, "3.5", Decimal(3)),
    ],
)
def test_what_is_too_much_is_cut_where_that_is_asked_for(kind, sent, expected):
    assert converter(kind, ParameterNote("x", maximum=Decimal(3), fix=True))(sent) == expected


@pytest.mark.parametrize(("kind", "sent"), [(set[str], ["a", "b", "c", "d"]), (list, {"a": 1, "b": 2, "c": 3, "d": 4})])
def test_what_has_no_order_is_refused_all_the_same(kind, sent):
    with pytest.raises(ValueError, match="expected at most 3 values, got 4"):
        converter(kind, ParameterNote("x", maximum=Decimal(3), fix=True))(sent)
