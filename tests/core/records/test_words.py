"""What a word is, in Python; that every database says the same is tried in `test_search.py`."""

import sqlite3
import unicodedata

import pytest

from core.storage.texts import LIGATURES, unaccented, words_of

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
    folded = [each for each in letters if unicodedata.category(each)[0] == "L" and unaccented(each).isascii()]
    # Those that the triggers write with other letters are not the tokenizer's affair
    plain = [each for each in folded if each.lower() not in LIGATURES]
    assert len(plain) > 400
    connection.executemany("INSERT INTO w(rowid, words) VALUES (?, ?)", [(ord(each), f"x{each}y") for each in plain])
    for each in plain:
        found = connection.execute("SELECT rowid FROM w WHERE w MATCH ?", (f'"x{unaccented(each)}y"',)).fetchall()
        assert (ord(each),) in found, each
