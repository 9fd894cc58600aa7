"""Values in messages have the form in which a client sends them."""

from decimal import Decimal

import pytest

from core import shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"), (None, "null"), ("a'é", '"a\'é"'), (["1", 2], '["1", 2]'), (Decimal("1.50"), "1.50"),
        ("\u200b", '"\\u200b"'), ("x" * 99, '"' + "x" * 56 + "..."),
    ],
)  # fmt: skip
def test_a_value_is_shown_as_json(value, text):
    assert shown(value) == text
