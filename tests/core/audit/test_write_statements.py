"""What is read from the text of a statement, and what is not guessed."""

import pytest

from core.audit.write_statements import read_statement


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1", "select * from t for update", "PRAGMA x = 1", "SET a = 1", "BEGIN", "CREATE TABLE t (a INT)",
        "ALTER TABLE t ADD COLUMN b INT", "DROP TABLE t", "WITH a AS (SELECT 1) SELECT * FROM a", "",
    ],
)  # fmt: skip
def test_what_writes_no_rows_is_nothing(sql):
    assert read_statement(sql) is None


SIMPLE = [
    (
        'INSERT INTO "t" ("a", "b") VALUES (?, ?)',
        {"verb": "insert", "columns": ("a", "b"), "places": (0, 1), "rows": 1},
    ),
    ("insert into t (a) values (%s), (%s)", {"verb": "insert", "columns": ("a",), "places": (0, 1), "rows": 2}),
    (
        f"INSERT INTO t (a, b) VALUES {', '.join(['(?, ?)'] * 250)} RETURNING a",
        {"verb": "insert", "columns": ("a", "b"), "places": tuple(range(500)), "rows": 250, "returning": True},
    ),
    (
        f"INSERT INTO t (a) VALUES {', '.join(['(%s)'] * 6)}, (NULL)",
        {"verb": "insert", "places": (*range(6), None), "rows": 7},
    ),
    (
        "INSERT INTO t (a, b) VALUES ('VALUES (?), (?), (?), (?), (?)', ?)",
        {"verb": "insert", "places": (None, 0), "rows": 1},
    ),
    ("INSERT INTO t (a, b) VALUES (NULL, ?)", {"verb": "insert", "places": (None, 0)}),
    ("INSERT INTO t (a, b) VALUES (COALESCE(?, ?), ?)", {"verb": "insert", "places": (None, 2)}),
    ("INSERT OR IGNORE INTO t (a) VALUES (?)", {"verb": "insert", "conflicts": True}),
    ("INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING", {"verb": "insert", "conflicts": True}),
    ("REPLACE INTO t (a) VALUES (?)", {"verb": "insert", "conflicts": True}),
    ('INSERT INTO t (a) VALUES (?) RETURNING "rowid"', {"verb": "insert", "returning": True, "conflicts": False}),
    ("INSERT INTO t DEFAULT VALUES", {"verb": "insert", "columns": (), "rows": 1}),
    (
        "UPDATE `t` SET `a` = %s, `b` = %s WHERE `rowid` = %s",
        {"verb": "update", "places": (0, 1), "before": 2, "key": "rowid", "condition": "`rowid` = %s"},
    ),
    (
        'UPDATE "t" SET "a" = ("t"."a" + ?), "b" = ? WHERE (("t"."a" >= ?) AND ("t"."c" = ?))',
        {"verb": "update", "places": (None, 1), "before": 2, "key": "", "columns": ("a", "b")},
    ),
    ("UPDATE t SET a = 'x, WHERE y = ?'", {"verb": "update", "places": (None,), "before": 0, "condition": ""}),
    ('DELETE FROM "t" WHERE ("t"."rowid" = ?)', {"verb": "delete", "key": "rowid", "condition": '("t"."rowid" = ?)'}),
    ("DELETE FROM t", {"verb": "delete", "condition": ""}),
    ("DELETE FROM t WHERE a = ? OR b = ?;", {"verb": "delete", "key": "", "condition": "a = ? OR b = ?"}),
    ("DELETE FROM t WHERE a = ? RETURNING a", {"verb": "delete", "key": "a", "returning": True, "condition": "a = ?"}),
]


@pytest.mark.parametrize(("sql", "expected"), SIMPLE, ids=[sql for sql, _ in SIMPLE])
def test_simple_statements_are_read(sql, expected):
    found = read_statement(sql)
    assert found is not None
    assert found.table == "t"
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET a = s.a FROM s WHERE s.b = t.b", "UPDATE t JOIN s ON s.b = t.b SET t.a = 1", "UPDATE t AS x SET a = 1",
        "DELETE t FROM t JOIN s ON s.b = t.b", "DELETE FROM t USING s WHERE s.b = t.b", "INSERT INTO t SELECT * FROM s",
        "INSERT INTO t (a) SELECT b FROM s", "WITH s AS (SELECT 1) DELETE FROM t", "TRUNCATE TABLE t",
        "UPDATE t SET a = 1; DELETE FROM u", "UPDATE t SET a = 1 -- all", "/* all */ UPDATE t SET a = 1",
        "UPDATE t SET a = 1 ORDER BY b LIMIT 1",
    ],
)  # fmt: skip
def test_what_is_not_simple_is_known_to_write_a_table(sql):
    found = read_statement(sql)
    assert found is not None
    assert (found.verb, found.table) == ("other", "t")


def test_the_text_holds_no_value():
    found = read_statement("INSERT INTO t (a, b) SELECT 'secret', 4711 FROM s WHERE c = 'it''s' AND d = ?")
    assert found is not None
    assert found.text == "INSERT INTO t (a, b) SELECT ?, ? FROM s WHERE c = ? AND d = ?"
