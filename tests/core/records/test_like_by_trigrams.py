"""`like` in the middle of words finds the same rows with trigrams as without them, whatever pattern and texts are."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from core import execute
from core.records import search
from core.records.records import Records
from core.storage.backend import MANY
from core.storage.database import backend, database, ensure_connected
from core.storage.model import Model, all_models, meta_of
from core.storage.sqlfilters import LOOKED_INTO, parse, render
from core.testing import serving
from tests.core.records.library import fill

pytestmark = pytest.mark.every_database

#: parts that texts and patterns are made of, so that many fit each other
PARTS = ("dup", "Dupont", "ont", "ÉTÉ", "été", "ß", "s\u017f", "Kk\u212a", "\u0130i\u0131", "a", "B", "9", "999", " ",
         "-", "_", "%", '"', "'", "\\", "*", "😀", "Ωω", "Йй", "e\u0301")  # fmt: skip
#: `%` and `_` stand for others here, and behind a backslash for themselves
PATTERNS = some.lists(some.sampled_from([*PARTS, "%", "%", "_", r"\%", r"\_"]), max_size=5).map("".join)
MOST_WILDCARDS = 6


@pytest.fixture(scope="module")
def reader(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    with serving(folder, kind, modules=fill(folder / "outside")) as served:
        yield _filled(served)


def _filled(served):
    ensure_connected()
    draw = [f"{one}{two}{three}" for one in PARTS for two in PARTS[:7] for three in ("", "999", "ont")]
    for begin in range(0, len(draw), 100):
        rows = draw[begin : begin + 100]
        marks = ", ".join(["(?, ?, ?)"] * len(rows))
        values = [value for text in rows for value in (text, text[::-1], "." * (LOOKED_INTO - 4) + text)]
        execute(f"INSERT INTO library_book (title, writer, summary) VALUES {marks}", values)
    assert len(draw) < search.FEW
    model = next(each for each in all_models(Model) if meta_of(each).table_name == "library_book")
    return Records(model)


def found(reader, text, *, narrowed):
    plan, probes = reader.select_plan(), [] if narrowed else None
    sql, params = render(parse(text), plan.columns, backend(), probes)
    rows = database.execute_sql(f"SELECT t.rowid FROM {plan.source} WHERE {sql} ORDER BY t.rowid", params)
    return [number for (number,) in rows.fetchall()]


def said(field, pattern):
    quoted = pattern.replace("'", "''")
    return f"(t.{field}:like:'%{quoted}%')"


@pytest.mark.every_database("sqlite", "postgresql")
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
        f"{said('title', one)} or {said('summary', two)}",
        f"not ({said('title', one)} or {said('writer', two)})",
    ):
        if backend().name == "sqlite":
            assert found(reader, text, narrowed=True) == found(reader, text, narrowed=False), text
            continue
        execute("SET enable_seqscan = off")
        by_index = found(reader, text, narrowed=True)
        execute("SET enable_seqscan = on")
        execute("SET enable_bitmapscan = off")
        assert by_index == found(reader, text, narrowed=False), text
        execute("SET enable_bitmapscan = on")


def test_the_index_is_used(reader):
    ensure_connected()
    plan, probes = reader.select_plan(), []
    sql, params = render(parse("(t.title:like:'%pont9%')"), plan.columns, backend(), probes)
    if backend().name == "sqlite":
        steps = database.execute_sql(f"EXPLAIN QUERY PLAN SELECT 1 FROM {plan.source} WHERE {sql}", params).fetchall()
        assert any("SEARCH t USING INTEGER PRIMARY KEY" in str(each[3]) for each in steps), steps
        # 'pont9' is in Dupont and ont, each followed by 999: nothing is found by chance
        assert found(reader, "(t.title:like:'%pont9%')", narrowed=True)
    elif backend().name == "postgresql":
        execute("SET enable_seqscan = off")
        steps = database.execute_sql(f"EXPLAIN SELECT 1 FROM {plan.source} WHERE {sql}", params).fetchall()
        execute("SET enable_seqscan = on")
        assert any("comptoir_trigrams_library_book" in str(step) for (step,) in steps), steps
    else:
        assert probes == []


@pytest.mark.every_database("sqlite")
def test_where_many_come_into_question_nothing_is_narrowed(reader, monkeypatch):
    ensure_connected()
    narrow = reader.select_plan().columns["t.title"].among
    assert narrow is not None
    assert narrow("%dupont%") is not None
    monkeypatch.setattr(search, "FEW", 3)
    assert narrow("%dupont%") == MANY
    assert narrow("%dupontel%") is not None
    assert narrow("%du%") is None
