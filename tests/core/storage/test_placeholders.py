"""Which `?` of portable SQL stands for a value, as each driver is told."""

import pytest

from .filters import MARIADB, POSTGRESQL

BACKENDS = {"postgresql": POSTGRESQL, "mysql": MARIADB}


@pytest.mark.parametrize("kind", BACKENDS)
@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT a FROM t WHERE a = ? AND b=?", "SELECT a FROM t WHERE a = %s AND b=%s"),
        ("SELECT 'why?', ? FROM t", "SELECT 'why?', %s FROM t"),
        ("SELECT 'it''s ?', ?", "SELECT 'it''s ?', %s"),
        ("SELECT a % 2 FROM t WHERE b LIKE '50%?'", "SELECT a %% 2 FROM t WHERE b LIKE '50%%?'"),
        ('SELECT "odd?""name" FROM t WHERE a = ?', 'SELECT "odd?""name" FROM t WHERE a = %s'),
        ("SELECT a -- which?\n FROM t WHERE a = ?", "SELECT a -- which?\n FROM t WHERE a = %s"),
        ("SELECT a -- which 100%?", "SELECT a -- which 100%%?"),
        ("SELECT /* one?\n 'two? */ a FROM t WHERE a = ?", "SELECT /* one?\n 'two? */ a FROM t WHERE a = %s"),
        ("SELECT '-- ?', ?", "SELECT '-- ?', %s"),
        # The database rejects a text that never ends
        ("SELECT 'open ?", "SELECT 'open %s"),
    ],
)
def test_a_mark_in_a_text_a_name_or_a_comment_stays(kind, sql, told):
    assert BACKENDS[kind].driver_sql(sql) == told


@pytest.mark.parametrize(
    ("kind", "sql", "told"),
    [
        # A backslash is a letter on PostgreSQL, unless the text begins with E
        ("postgresql", r"SELECT '\', ?", r"SELECT '\', %s"),
        ("mysql", r"SELECT '\'?', ?", r"SELECT '\'?', %s"),
        ("postgresql", r"SELECT E'\'?', ?", r"SELECT E'\'?', %s"),
        ("postgresql", r"SELECT name'\', ?", r"SELECT name'\', %s"),
        ("mysql", "SELECT `a?` FROM t WHERE b = ?", "SELECT `a?` FROM t WHERE b = %s"),
        ("mysql", "SELECT 1 # why?\n, ?", "SELECT 1 # why?\n, %s"),
        ("postgresql", "SELECT a #> ? FROM t", "SELECT a #> %s FROM t"),
        ("mysql", "SELECT 5--?", "SELECT 5--%s"),
        ("postgresql", "SELECT $$ it's ? $$, ?", "SELECT $$ it's ? $$, %s"),
        ("postgresql", "SELECT $a$ $$ ? $a$, ?", "SELECT $a$ $$ ? $a$, %s"),
    ],
)
def test_each_database_ends_a_text_in_its_own_way(kind, sql, told):
    assert BACKENDS[kind].driver_sql(sql) == told
