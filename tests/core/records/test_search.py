"""`q` of lists: the same rows in the same order on every database, kept whatever writes."""

import json

import pytest

from core import BadRequest, query
from core.records.records import Records
from core.storage.database import backend, ensure_connected, execute
from core.storage.model import Model, all_models, meta_of
from core.testing import serving
from tests.core.records.library import BOOKS, FOUND, fill

pytestmark = pytest.mark.every_database


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    with serving(folder, kind, modules=fill(folder / "outside")) as served:
        yield served


@pytest.fixture
def client(served):
    client = served.client()
    ensure_connected()
    for number, (title, author, summary) in enumerate(BOOKS, 1):
        client.ask("POST", "/librarybooks", {"title": title, "author": author, "summary": summary, "shelf": number})
    yield client
    ensure_connected()
    execute("DELETE FROM library_book")


def shelves(client, **asked):
    return [book["shelf"] for book in client.get("/librarybooks", **asked)]


def test_a_search_goes_with_everything_else_of_a_list(client):
    assert shelves(client, q="noir", sqlfilters="(t.shelf:>:1)") == [2, 5, 7]
    assert shelves(client, q="noir", sortfield="shelf", sortorder="DESC") == [7, 5, 2, 1]
    assert [shelves(client, q="noir", limit=3, page=page) for page in (0, 1, 2)] == [[1, 2, 5], [7], []]
    assert client.get("/librarybooks", q="noir", limit=1, properties="title") == [{"title": "Le Rouge et le Noir"}]
    answer = client.simulate_get("/librarybooks", params={"q": "noir", "limit": "2", "count": "true"})
    assert answer.headers["X-Total-Count"] == "4"
    whole = client.get("/librarybooks", q="noir", limit=2, pagination_data=True)
    assert [book["shelf"] for book in whole["data"]] == [1, 2]
    assert whole["pagination"] == {"total": 4, "page": 0, "page_count": 2, "limit": 2}


@pytest.mark.parametrize("order", [{}, {"sortfield": "shelf"}], ids=["usual", "by shelf"])
def test_cursors_go_through_what_is_found(client, order):
    first = client.simulate_get("/librarybooks", params={"q": "noir", "limit": "3", **order})
    assert [book["shelf"] for book in first.json] == [1, 2, 5]
    second = client.simulate_get(
        "/librarybooks", params={"q": "noir", "limit": "3", "after": first.headers["X-Next-Cursor"], **order}
    )
    assert [book["shelf"] for book in second.json] == [7]
    assert "x-next-cursor" not in second.headers


def test_all_that_is_found_is_streamed(client):
    lines = client.simulate_get(
        "/librarybooks", params={"q": "noir", "all": "1"}, headers={"Accept": "application/x-ndjson"}
    )
    assert [json.loads(each)["shelf"] for each in lines.text.splitlines()] == [1, 2, 5, 7]


@pytest.mark.parametrize("few", [0, 3, 500])
def test_many_are_found_like_few(client, monkeypatch, few):
    ensure_connected()
    monkeypatch.setattr(backend(), "few_rows", few)
    assert {text: shelves(client, q=text) for text in FOUND} == FOUND
    assert [shelves(client, q="noir", limit=3, page=page) for page in (0, 1)] == [[1, 2, 5], [7]]
    assert shelves(client, q="noir", sortfield="title", limit=3) == [1, 7, 2]
    assert shelves(client, q="noir", sqlfilters="(t.shelf:>:1)", limit=2) == [2, 5]
    assert client.get("/librarybooks", q="noir", limit=2, pagination_data=True)["pagination"]["total"] == 4


def test_what_cannot_be_searched_is_refused(client):
    refused = {
        "x" * 201: "`q`: expected at most 200 characters, got 201",
        "x" * 10_000: "`q`: expected at most 200 characters, got 10000",
        "a\0b": "`q`: expected text without",
    }
    for text, words in refused.items():
        assert words in client.refused("GET", "/librarybooks", status=400, params={"q": text})
    said = client.refused("GET", "/setup/conf", status=400, params={"q": "x"})
    assert "`q`: these records have no fields to search" in said


def test_what_is_written_is_found_whoever_writes_it(client):
    one = client.ask("POST", "/librarybooks", {"title": "Gamma", "shelf": 50})
    assert shelves(client, q="gamma") == [50]
    client.ask("PUT", f"/librarybooks/{one}", {"author": "Epsilon"})
    assert shelves(client, q="epsi gam") == [50]
    assert shelves(client, sqlfilters="(t.writer:like:'%silo%')") == [50]
    client.ask("PUT", f"/librarybooks/{one}", {"title": "Delta"})
    assert (shelves(client, q="gamma"), shelves(client, q="delta")) == ([], [50])
    assert shelves(client, sqlfilters="(t.title:like:'%amm%')") == []
    # Behind the server's back
    ensure_connected()
    execute("UPDATE library_book SET title = 'Zeta', shelf = 51 WHERE shelf = 50")
    assert shelves(client, q="zeta") == [51]
    execute("INSERT INTO library_book (title, shelf) VALUES ('Theta', 52), ('Theta', 53)")
    assert shelves(client, q="theta") == [52, 53]
    execute("DELETE FROM library_book WHERE shelf IN (51, 53)")
    assert (shelves(client, q="zeta"), shelves(client, q="theta")) == ([], [52])
    assert shelves(client, sqlfilters="(t.title:like:'%het%')") == [52]


def test_rows_that_a_batch_writes_are_found(client):
    entries = [{"method": "POST", "body": {"lastname": f"Sigmund {number}"}} for number in range(3)]
    made = client.ask("POST", "/contacts/batch", {"entries": entries})["results"]
    first, second, third = (each["result"] for each in made)
    assert [each["id"] for each in client.get("/contacts", q="sigm")] == [first, second, third]
    client.ask("POST", "/contacts/batch", {"entries": [
        {"method": "DELETE", "id": first}, {"method": "PATCH", "id": second, "body": {"firstname": "Ziggy"}},
    ]})  # fmt: skip
    assert [each["id"] for each in client.get("/contacts", q="sigmund")] == [second, third]
    assert [each["id"] for each in client.get("/contacts", q="ziggy")] == [second]


def test_row_rules_hold_for_what_is_found(served, client):
    mine = client.ask("POST", "/thirdparties", {"name": "Quincaillerie Une"})
    client.ask("POST", "/thirdparties", {"name": "Quincaillerie Deux"})
    own = served.user("thirdparties.read", socid=mine)
    answer = own.simulate_get("/thirdparties", params={"q": "quincaillerie", "count": "1"})
    assert [each["name"] for each in answer.json] == ["Quincaillerie Une"]
    assert answer.headers["X-Total-Count"] == "1"
    assert len(client.get("/thirdparties", q="quinc")) == 2


def _model():
    return next(each for each in all_models(Model) if meta_of(each).table_name == "library_book")


def test_where_nothing_is_made_the_same_is_found_by_reading(client):
    ensure_connected()
    made = query("SELECT digest FROM comptoir_table WHERE name = 'library_book search'")
    execute("UPDATE comptoir_table SET digest = '' WHERE name = 'library_book search'")
    try:
        reader = Records(_model())
        if backend().name == "sqlite":
            with pytest.raises(BadRequest, match="`q`: this database can't search"):
                reader.page(q="noir")
            return
        assert not reader.select_plan().search.searched.is_made
        found = {text: [book["shelf"] for book in reader.page(q=text)] for text in FOUND}
        assert found == FOUND
    finally:
        execute("UPDATE comptoir_table SET digest = ? WHERE name = 'library_book search'", made[0])
