"""What a word is, in Python; that every database says the same is tried in `test_search.py`."""

import sqlite3
import unicodedata

import pytest

from core.records.search import closeness
from core.storage.search import LIGATURES, fold, literal_runs, trigram_phrases, words_of

#: text → its words, written by hand
WORDS = {
    "": [],
    "Dupont Marie": ["dupont", "marie"],
    "Société Générale": ["societe", "generale"],
    "SOCIE\u0301TE\u0301": ["societe"],
    "anne-marie.dupont@example.org": ["anne", "marie", "dupont", "example", "org"],
    "foo_bar/12,50 €": ["foo", "bar", "12", "50"],
    "l'œuvre d’Æsop": ["l", "oeuvre", "d", "aesop"],
    "Straße, Łódź, Ørsted": ["strasse", "lodz", "orsted"],
    "+33 1 42-00": ["33", "1", "42", "00"],
    "AB-2026/007a": ["ab", "2026", "007a"],
    "Ελένη Кий": ["ελένη", "кий"],
    '½ m² 😀 ! " * NEAR(': ["m", "near"],
    "a" * 70: ["a" * 60],
}


@pytest.mark.parametrize(("text", "words"), WORDS.items())
def test_a_text_is_split_into_words(text, words):
    assert words_of(text) == words


def test_the_tokenizer_of_sqlite_folds_latin_letters_as_python_does():
    connection = sqlite3.connect(":memory:")
    tokens = "unicode61 remove_diacritics 2 categories ''L* Nd''"
    connection.execute(f"CREATE VIRTUAL TABLE w USING fts5(words, content='', tokenize='{tokens}')")
    letters = [chr(code) for code in (*range(0xC0, 0x180), *range(0x1CD, 0x220), *range(0x1E00, 0x1EFF))]
    folded = [each for each in letters if unicodedata.category(each)[0] == "L" and fold(each).isascii()]
    # Those that the triggers write with other letters are not the tokenizer's affair
    plain = [each for each in folded if each.lower() not in LIGATURES]
    assert len(plain) > 400
    connection.executemany("INSERT INTO w(rowid, words) VALUES (?, ?)", [(ord(each), f"x{each}y") for each in plain])
    for each in plain:
        found = connection.execute("SELECT rowid FROM w WHERE w MATCH ?", (f'"x{fold(each)}y"',)).fetchall()
        assert (ord(each),) in found, each


@pytest.mark.parametrize(
    ("pattern", "runs"),
    [
        ("%dupont%", ["", "dupont", ""]),
        ("a_b%c", ["a", "b", "c"]),
        (r"100\%\_x\\y", [r"100%_x\y"]),
        ("50%", ["50", ""]),
        ("%stra\u00dfe%", ["", "stra", "e", ""]),
        ("%été%", ["", "été", ""]),
        # A letter of which small and large are no pair: the Kelvin sign, the dotless i
        ("ab\u212acd\u0131ef", ["ab", "cd", "ef"]),
    ],
)
def test_what_a_pattern_must_hold(pattern, runs):
    assert literal_runs(pattern) == runs


def test_trigrams_find_a_letter_in_each_of_its_cases():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE w USING fts5(words, content='', tokenize='trigram')")
    cases = {"i": {"\u0130"}}
    for code in range(0x20, 0x1F000):
        cases.setdefault(chr(code).lower(), set()).add(chr(code))
    tried = 0
    for code in range(0x20, 0x530):
        letter = chr(code)
        if literal_runs(letter) != [letter] or letter in "%_\\":
            continue
        for other in cases[letter.lower()]:
            connection.execute("INSERT INTO w(w) VALUES ('delete-all')")
            connection.execute("INSERT INTO w(rowid, words) VALUES (1, REPLACE(?, '\u0130', 'i'))", (f"xy{other}zz",))
            (wanted,) = trigram_phrases(f"%xy{letter}zz%")
            found = connection.execute("SELECT rowid FROM w WHERE w MATCH ?", (wanted,)).fetchall()
            assert found == [(1,)], (letter, other)
            tried += 1
    assert tried > 1000


def test_trigrams_are_asked_for_three_letters_in_a_row():
    assert trigram_phrases("%du%po_t%") == []
    assert trigram_phrases('%a"b%dupont%') == ['"a""b"', '"dupont"']


def test_whole_words_are_nearer_than_beginnings_and_earlier_fields_than_later():
    fields = ["Dupont", "Marie", "m.dupontel@example.org"]
    assert closeness(["dupont"], fields) == (0, 0)
    assert closeness(["marie"], fields) == (0, 1)
    assert closeness(["dup", "mar"], fields) == (2, 1)
    assert closeness(["dupontel"], fields) == (0, 2)
    assert closeness(["m", "dupont"], fields) == (0, 2)
