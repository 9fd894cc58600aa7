"""Results that our connection reads, beside those of pymysql's own."""

import pymysql
import pytest
from playhouse import db_url

from core.storage.drivers import pymysql_results
from core.storage.drivers.pymysql_results import MOST_DESCRIPTIONS, RememberingConnection
from core.testing.databases import DATABASE_SERVERS

pytestmark = [pytest.mark.mysql]

TABLE = """CREATE TEMPORARY TABLE of_all_kinds (
    a INT, b BIGINT UNSIGNED, c TINYINT(1), d DECIMAL(24, 8), e DOUBLE, f FLOAT, g DATE, h DATETIME(6), i TIMESTAMP NULL,
    j TIME(3), k YEAR, l VARCHAR(300), m TEXT, n LONGTEXT, o BLOB, p JSON, q CHAR(3), r ENUM('x', 'y'), s BIT(9),
    t VARCHAR(20) CHARACTER SET latin1, u VARBINARY(9)
) DEFAULT CHARSET=utf8mb4"""
ROWS = [
    (1, 2**64 - 1, 1, "-1234567890123456.12345678", 0.1, 0.5, "2026-02-28", "2026-02-28 23:59:59.000001", "2026-01-01",
     "-800:00:00.5", 2026, "é€😀" * 80, "x" * 251, "ü" * 40_000, b"\x00\xff\xfe", '{"a": [1, "é"]}', "a", "y", 257,
     "ÿ", b"\xfb"),
    (0, 0, 0, "0", -0.0, 0, "0001-01-01", "9999-12-31 00:00:00", None, "00:00:00", 1901, "", "", "", b"", "[]", "", "x",
     0, "", b""),
    (None,) * 21,
]  # fmt: skip


@pytest.fixture
def connections():
    """Yield a connection of pymysql and one of ours, with the same table."""
    options = db_url.parse(DATABASE_SERVERS["mysql"]) | {"charset": "utf8mb4"}
    opened = [kind(**options) for kind in (pymysql.connections.Connection, RememberingConnection)]
    for each in opened:
        cursor = each.cursor()
        cursor.execute(TABLE)
        cursor.executemany(f"INSERT INTO of_all_kinds VALUES ({', '.join(['%s'] * 21)})", ROWS)
    yield opened
    for each in opened:
        if each.open:
            each.close()


def results(connection, sql):
    """Return all that a cursor says of a statement."""
    cursor = connection.cursor()
    cursor.execute(sql)
    return cursor.description, cursor.rowcount, cursor.lastrowid, repr(cursor.fetchall())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM of_all_kinds",
        "SELECT * FROM of_all_kinds WHERE a > 5",
        "SELECT COUNT(*), MAX(d), AVG(e), NULL, 'é', CAST('x' AS BINARY), 1 = 1 FROM of_all_kinds",
        "SELECT REPEAT('é', 250), REPEAT('x', 65535), REPEAT('x', 65536), REPEAT('x', 16777215), REPEAT('x', 17000000)",
        f"SELECT {', '.join(map(str, range(700)))}",
        "UPDATE of_all_kinds SET a = 7 WHERE a = 1",
        "SET @x = 1",
    ],
)
def test_results_are_those_of_pymysql(sql, connections):
    theirs, ours = connections
    for _ in range(2):
        assert results(ours, sql) == results(theirs, sql)


def test_a_changed_column_is_described_anew(connections):
    theirs, ours = connections
    for each in connections:
        results(each, "SELECT a, l FROM of_all_kinds")
        each.cursor().execute("ALTER TABLE of_all_kinds MODIFY a VARCHAR(20), MODIFY l VARBINARY(2000)")
    assert results(ours, "SELECT a, l FROM of_all_kinds") == results(theirs, "SELECT a, l FROM of_all_kinds")


def test_a_description_is_parsed_once(connections, monkeypatch):
    _, ours = connections
    expected = results(ours, "SELECT * FROM of_all_kinds")
    monkeypatch.setattr(pymysql_results, "_Recorded", None)
    assert results(ours, "SELECT * FROM of_all_kinds") == expected


def test_few_descriptions_are_kept(connections):
    _, ours = connections
    for number in range(MOST_DESCRIPTIONS * 2 + 5):
        results(ours, f"SELECT 1 AS c{number}")
    assert 0 < len(ours.described) <= MOST_DESCRIPTIONS


def test_an_error_after_the_first_rows_is_raised_and_the_connection_goes_on(connections):
    _, ours = connections
    with pytest.raises(pymysql.err.OperationalError, match="max_statement_time"):
        results(
            ours,
            "SET STATEMENT max_statement_time = 0.2 FOR SELECT seq, REPEAT('x', 9000), SLEEP(0.02) FROM seq_1_to_500",
        )
    assert results(ours, "SELECT 1")[3] == "((1,),)"


def test_a_connection_lost_while_it_sends_rows_is_closed(connections):
    theirs, ours = connections
    ours._read_timeout = 0.3
    with pytest.raises(pymysql.err.OperationalError) as failed:
        results(ours, "SELECT seq, REPEAT('x', 9000), IF(seq = 400, SLEEP(3), 0) FROM seq_1_to_500")
    assert (failed.value.args[0], ours.open) == (pymysql.constants.CR.CR_SERVER_LOST, False)
    assert results(theirs, "SELECT 1")[3] == "((1,),)"


def test_an_interrupted_read_closes_the_connection(connections, monkeypatch):
    """What is left of the result would be taken for that of the next statement."""
    _, ours = connections

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(pymysql_results, "_packet", interrupt)
    with pytest.raises(KeyboardInterrupt):
        results(ours, "SELECT 1")
    assert not ours.open


def test_rows_can_be_read_one_by_one(connections):
    _, ours = connections
    cursor = ours.cursor(pymysql.cursors.SSCursor)
    cursor.execute("SELECT a FROM of_all_kinds")
    assert [*cursor] == [(1,), (0,), (None,)]
