"""`like` finds the same rows by the index of a column as without it, whatever pattern and texts are."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from core.records.records import Records
from core.storage.database import backend, database, ensure_connected, execute
from core.storage.model import Model, all_models, meta_of
from core.storage.sqlfilters import parse, render
from core.testing import serving
from tests.core.records.library import MODELS, fill

#: parts that texts and patterns are made of, so that many fit each other
PARTS = ("dup", "Dupont", "ont", "ÉTÉ", "été", "ß", "s\u017f", "Kk\u212a", "\u0130i\u0131", "a", "B", "9", "999", " ",
         "-", "_", "%", '"', "'", "\\", "*", "😀", "Ωω", "Йй", "e\u0301")  # fmt: skip
#: `%` and `_` stand for others here, and behind a backslash for themselves
PATTERNS = some.lists(some.sampled_from([*PARTS, "%", "%", "_", r"\%", r"\_"]), max_size=5).map("".join)
MOST_WILDCARDS = 6


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    modules = fill(folder / "outside")
    indexed = 'column_name="writer", index=True,'
    assert 'column_name="writer",' in MODELS
    models = folder / "outside/library/models.py"
    models.write_text(
        MODELS.replace('column_name="writer",', indexed).replace("title = CharField(", "title = CharField(index=True, ")
    )
    with serving(folder, modules=modules):
        yield _filled()


def _filled():
    ensure_connected()
    draw = [f"{one}{two}{three}" for one in PARTS for two in PARTS[:7] for three in ("", "999", "ont")]
    for begin in range(0, len(draw), 100):
        rows = draw[begin : begin + 100]
        marks = ", ".join(["(?, ?)"] * len(rows))
        values = [value for text in rows for value in (text, None if "999" in text else text[::-1])]
        execute(f"INSERT INTO library_book (title, writer) VALUES {marks}", values)
    model = next(each for each in all_models(Model) if meta_of(each).table_name == "library_book")
    return Records(model)


def rendered(reader, text, *, narrowed=True):
    return render(parse(text), reader.select_plan().columns, backend(), [] if narrowed else None)


def found(reader, text, *, narrowed):
    sql, params = rendered(reader, text, narrowed=narrowed)
    source = reader.select_plan().source
    rows = database.execute_sql(f"SELECT t.rowid FROM {source} WHERE {sql} ORDER BY t.rowid", params)
    return [number for (number,) in rows.fetchall()]


def said(field, pattern):
    quoted = pattern.replace("'", "''")
    return f"(t.{field}:like:'%{quoted}%')"


@given(some.data())
@example(None)
def test_the_same_rows_are_found(reader, data):
    ensure_connected()
    one, two = ("dup", "ont") if data is None else (data.draw(PATTERNS), data.draw(PATTERNS))
    if max(each.count("%") for each in (one, two)) > MOST_WILDCARDS or one.endswith("\\") or two.endswith("\\"):
        return
    for text in (
        said("title", one),
        f"{said('writer', one)} and not {said('title', two)}",
        f"{said('title', one)} or {said('writer', two)}",
        f"not ({said('title', one)} or {said('writer', two)})",
    ):
        assert found(reader, text, narrowed=True) == found(reader, text, narrowed=False), text


def test_the_index_is_read_instead_of_the_table(reader):
    ensure_connected()
    seen = []
    database.obj.query_hooks.append(lambda event: seen.append((event.sql, event.params)))
    try:
        sql, params = rendered(reader, "(t.title:like:'%pont9%')")
    finally:
        database.obj.query_hooks.pop()
    # The first filter of a table also reads whether the table can be searched
    (probe,) = (each for each in seen if "comptoir_table" not in each[0])
    steps = database.execute_sql(f"EXPLAIN QUERY PLAN {probe[0]}", probe[1]).fetchall()
    assert [each[3] for each in steps] == ["SCAN t USING COVERING INDEX library_book_title"]
    # Texts such as 'dupDupont999' match
    numbers = found(reader, "(t.title:like:'%pont9%')", narrowed=False)
    listed = re.fullmatch(r'\(t\."rowid" IN \(([0-9, ]+)\)\)', sql)
    assert listed
    assert (sorted(map(int, listed[1].split(", "))), params) == (sorted(numbers), ())
    steps = database.execute_sql(f"EXPLAIN QUERY PLAN SELECT 1 FROM library_book AS t WHERE {sql}", params).fetchall()
    assert "SEARCH t USING INTEGER PRIMARY KEY" in steps[0][3]
    # A column without an index is compared as it is
    assert "IN (" not in rendered(reader, "(t.summary:like:'%pont9%')")[0]


def test_where_many_match_the_table_is_read(reader, monkeypatch):
    ensure_connected()
    monkeypatch.setattr(backend(), "few_rows", 3)
    assert " IN (" not in rendered(reader, "(t.title:like:'%dupont%')")[0]
    assert rendered(reader, "(t.title:like:'%dupontel%')")[0] == '(t."rowid" IN (NULL))'
    assert found(reader, "(t.title:like:'%dupontel%')", narrowed=True) == []
