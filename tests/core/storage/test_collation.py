"""Lower case, and SQLite's patterns beside regular expressions that mean the same."""

import re
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.storage.texts import fold, glob, sqlite_like

LETTERS = st.sampled_from("aAiIkKéÉßẞıİΣσςΩωЖжåÅ\u212b\u212a*?[]^-_%\\ x🙂")


def fits(text, pattern):
    """Return whether a text matches a pattern: each character is a regular expression over lower case."""
    parts, signs = [], iter(pattern)
    for each in signs:
        wild = {"%": "(?s:.*)", "_": "(?s:.)"}.get(each)
        parts.append(wild or re.escape(small(next(signs) if each == "\\" else each)))
    return re.fullmatch("".join(parts), "".join(map(small, text))) is not None


def small(letter):
    return "i" if letter == "İ" else letter.lower()


def ends_well(pattern):
    return (len(pattern) - len(pattern.rstrip("\\"))) % 2 == 0


@given(st.text(LETTERS, max_size=6), st.text(LETTERS, max_size=6).filter(ends_well))
def test_a_pattern_of_sqlite_means_what_it_says(text, pattern):
    with closing(sqlite3.connect(":memory:")) as connection:
        sql, values = sqlite_like("x", pattern)
        found = connection.execute(f"SELECT {sql} FROM (SELECT ? AS x)", (*values, text)).fetchone()[0]
        assert bool(found) == fits(text, pattern)


@pytest.mark.parametrize(
    ("pattern", "made"),
    [
        ("%é%", "*[éÉ]*"),
        ("a_", "[aA]?"),
        ("\\%\\_\\\\", "%_\\"),
        ("*?[]", "[*][?][[]]"),
        ("Ж", "[жЖ]"),
        ("1ß", "1[ßẞ]"),
    ],
)
def test_globs(pattern, made):
    assert glob(pattern) == made


def test_only_a_letter_outside_of_ascii_costs_more():
    for pattern in ("%99999", "Zoe 日本"):
        assert sqlite_like("x", pattern) == ("x LIKE ? ESCAPE '\\'", (pattern,))
    assert sqlite_like("x", "é") == ("(x LIKE ? ESCAPE '\\' AND x GLOB ?)", ("_", "[éÉ]"))


def test_small_letters():
    assert fold("ÉCLAIR İΑΣ ẞ Ж") == "éclair iας ß ж".replace("ς", "σ")
