"""Words that many records have are found by reading on MariaDB: the same records, however they are found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core import query
from core.records import common_words
from core.records.common_words import held_words
from core.storage.database import dialect_name, ensure_connected
from core.storage.search_names import WORDS as TABLES
from core.storage.search_names import search_name
from core.testing import Client, Served, serving, statements
from tests.core.records.library import fill
from tests.core.records.test_search import BOOKS, FOUND, shelves
from tests.core.records.test_words import WORDS

TABLE = search_name(TABLES, "library_book")


@pytest.fixture(scope="module")
def served(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if kind != "mysql":
        pytest.skip("the others break off when they have found enough")
    folder = tmp_path_factory.mktemp("library")
    with serving(folder, kind, modules=fill(Path(folder) / "outside")) as served:
        yield served


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    ensure_connected()
    yield served.client()
    ensure_connected()
    query("DELETE FROM library_book")


@pytest.mark.parametrize(("places", "rows"), [(1, 1), (2, 1), (4, 1)])
def test_the_same_is_found_however_many_words_are_common(
    client: Client, monkeypatch: pytest.MonkeyPatch, places: int, rows: int
) -> None:
    for number, (title, author, summary) in enumerate(BOOKS, 1):
        client.ask("POST", "/librarybooks", {"title": title, "author": author, "summary": summary, "shelf": number})
    # Of one place half is none: every word is common
    monkeypatch.setattr(common_words, "PLACES", places)
    monkeypatch.setattr(common_words, "ROWS", rows)
    with statements() as seen:
        assert {text: shelves(client, q=text) for text in FOUND} == FOUND
    assert any(f"{TABLE}` AS searched" in sql and "LIKE %s" in sql and "AGAINST" not in sql for sql in seen)
    # A search of more words than are looked for asks the index for the others
    assert any("AGAINST" in sql for sql in seen)


def test_every_word_is_found_by_reading_and_none_that_holds_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_words, "PLACES", 1)
    monkeypatch.setattr(common_words, "ROWS", 1)
    for text, words in WORDS.items():
        if not words:
            continue
        number = client.ask("POST", "/librarybooks", {"title": text, "author": None, "shelf": 100})
        for word in words:
            assert shelves(client, q=word) == [100], (text, word)
            assert shelves(client, q=f"x{word}"[:200]) == [], (text, word)
        client.ask("DELETE", f"/librarybooks/{number}")


def test_common_is_what_is_found_all_over_the_table(client: Client) -> None:
    query(
        "INSERT INTO library_book (title, writer, shelf) SELECT CONCAT('volume ', 1000 + seq), "
        "IF(seq = 700, 'Rarely', IF(seq % 2, 'Odd', 'Even')), seq FROM seq_1_to_2000"
    )

    def ways(*words: str, whole: bool = False) -> tuple[str, tuple[str, ...]]:
        return held_words(f"`{TABLE}`", "w", words, whole=whole)

    index, read = "MATCH(w.words) AGAINST (%s IN BOOLEAN MODE)", "CONCAT(' ', w.words, ' ') LIKE %s"
    assert ways("vol") == (read, ("% zzvol%",))
    assert ways("volume", whole=True) == (read, ("% zzvolume %",))
    assert ways("vol", whole=True) == (index, ("+zzvol",))
    assert ways("rarely") == (index, ("+zzrarely*",))
    assert ways("volume", "rarely") == (f"{index} AND {read}", ("+zzrarely*", "% zzvolume%"))
    # A hundred that follow each other are no common word, though they fill a place
    assert ways("11") == (index, ("+zz11*",))
    # Each of half of the rows, and both of none
    assert ways("odd", "even") == (index, ("+zzodd* +zzeven*",))
    assert shelves(client, q="volume rarely") == [700]
    assert shelves(client, q="odd even") == []
    assert shelves(client, q="vol", limit=3) == [1, 2, 3]
    assert shelves(client, q="volume odd", limit=3, sortfield="shelf", sortorder="DESC") == [1999, 1997, 1995]
    answer = client.simulate_get("/librarybooks", params={"q": "volume odd", "limit": "2", "count": "true"})
    assert answer.headers["X-Total-Count"] == "1000"


def test_a_table_of_few_rows_is_asked_by_its_index(client: Client) -> None:
    assert dialect_name() == "mysql"
    for number in range(20):
        client.ask("POST", "/librarybooks", {"title": "Same", "author": None, "shelf": number})
    assert held_words(f"`{TABLE}`", "w", ["same"], whole=False)[1] == ("+zzsame*",)
    assert shelves(client, q="same") == list(range(20))
