"""JSON as it is sent: which numbers, how deep, how much, which texts."""

from decimal import Decimal

import pytest

from core.common.json_texts import DEPTH, LONGEST_NUMBER, MOST_VALUES, UnfitTexts, check_texts, read_json


@pytest.mark.parametrize(
    "number",
    [
        "1e99999999999999999999", "-1e-99999999999999999999", "1e1000000", "-1e401", "1e-401", "0e99999999999999999999",
        "1.5E999999999999999999",
    ],
)  # fmt: skip
def test_a_number_that_nobody_can_write_out_is_none(number):
    for text in (number, f'{{"a": {number}}}', f"[[{number}]]"):
        with pytest.raises(ValueError, match=r"^a number is above 1e400 or closer to 0 than 1e-400$"):
            read_json(text)


def test_other_numbers_are_exact():
    assert read_json("[1e400, -1.5e-400, 0.10, 12]") == [Decimal("1e400"), Decimal("-1.5e-400"), Decimal("0.10"), 12]
    digits = "9" * LONGEST_NUMBER
    assert read_json(digits) == int(digits)
    for text in (f"{digits}9", f"0.{digits}"):
        with pytest.raises(ValueError, match=r"^a number is longer than 100 characters$"):
            read_json(text)


def test_depth_and_count_have_an_end():
    assert read_json("[" * DEPTH + "]" * DEPTH)
    assert read_json("[" * DEPTH + "1" + "]" * DEPTH)
    for deeper in (
        "[" * (DEPTH + 1) + "]" * (DEPTH + 1),
        '{"a":' * (DEPTH + 1) + "1" + "}" * (DEPTH + 1),
        "[" * 100_000,
    ):
        with pytest.raises(ValueError, match="expected at most 100 levels of nesting"):
            read_json(deeper)
    assert len(read_json("[" + "1," * (MOST_VALUES - 2) + "1]")) == MOST_VALUES - 1
    with pytest.raises(ValueError, match=f"expected at most {MOST_VALUES} values"):
        read_json("[" + "1," * (MOST_VALUES - 1) + "1]")


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("a\x00", [("", "U+0000")]),
        ({"name": "\x1b[1m"}, [("name", "U+001B")]),
        ({"lines": [{"label": "x"}, {"label": "\ufffe"}]}, [("lines[1].label", "U+FFFE")]),
        ({"a": "\ud800", "b": ["\uffff"], "c": "é"}, [("a", "U+D800"), ("b[0]", "U+FFFF")]),
        ({"ke\x07y": 1}, [("key", "U+0007")]),
    ],
)
def test_texts_that_cannot_be_kept_are_named_with_their_place(value, wrong):
    with pytest.raises(UnfitTexts) as caught:
        check_texts(value)
    expected = [(place, f"expected text without the character {character}") for place, character in wrong]
    assert caught.value.wrong == expected


def test_all_other_texts_are_kept():
    check_texts({"a": "tab\tfeed\nreturn\r é 漢 \x7f \x85 \u200b \u202e \ufffd \U0001f4a5 \U0001fffe", "ключ": None})


def test_a_long_name_is_not_copied_for_each_of_its_values():
    # Which would take some 250 GB
    with pytest.raises(UnfitTexts) as caught:
        check_texts({"k" * 500_000: ["x"] * 500_000 + ["\x01"]})
    assert caught.value.wrong[0][0] == "k" * 60 + "[500000]"
