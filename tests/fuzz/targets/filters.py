"""Filters of lists: refused with a reason, or SQL that runs and holds nothing of what was written."""

import re
import sqlite3
from dataclasses import replace
from urllib.parse import quote_from_bytes

import peewee

from core.common.errors import BadRequest
from core.storage.sqlfilters import OPERATORS, parse, render
from core.storage.values import codec
from tests.core.storage.filters import COLUMNS, SQLITE
from tests.fuzz.findings import insist
from tests.fuzz.site import Site

#: what stands for each column when its values are read, as the server reads them
_FIELDS = {
    "t.rowid": peewee.AutoField(),
    "t.nom": peewee.CharField(),
    "t.ref": peewee.CharField(),
    "t.fk_statut": peewee.SmallIntegerField(),
    "t.datec": peewee.DateTimeField(),
    "ef.colour": peewee.TextField(),
}
#: whatever the SQL of a filter may be made of
_WORDS = re.compile(
    r"\?|[()]|, |AND|OR|NOT|IS|NULL|IN|LIKE|BETWEEN|[<>=]+|ESCAPE '\\'|CAST|AS|TEXT| |"
    + "|".join(re.escape(column.sql) for column in COLUMNS.values())
)
_TABLE = """
CREATE TABLE t (rowid INTEGER PRIMARY KEY, nom TEXT, ref TEXT, fk_statut INTEGER, datec TEXT);
CREATE TABLE ef (fk INTEGER, colour TEXT);
INSERT INTO t VALUES (1, 'Ada', 'A1', 0, '2026-01-01 00:00:00'), (2, NULL, '%_\\''"', 1, NULL), (3, '', '', 2, NULL);
INSERT INTO ef VALUES (1, 'red'), (2, NULL), (3, '''');
"""


class Target:
    """The text of a filter; every sixteenth is sent to a list, too."""

    seeds = [
        b"(t.nom:like:'A%') and not ((t.fk_statut:=:1) or (ef.colour:is:NULL))",
        b"t.ref:=:'x'",
        b"(t.rowid:in:1,2,3)",
        b"(t.ref:notin:('A','B'))",
        b"(t.datec:between:'2026-01-01','2026-12-31')",
        b"(t.datec:<:20260101) or (fk_statut:isnot:null)",
        rb"(t.nom:notlike:'100\%\_') AND (t.nom:<>:'O''Brien')",
    ]
    words = [
        *(f":{operator}:".encode() for operator in OPERATORS),
        *(name.encode() for name in COLUMNS),
        *(b" and ", b" or ", b"not ", b"(", b")", b"''", b"'", b",", b"NULL", b"%", b"\\", b"--", b"/*", b";", b"?"),
    ]  # fmt: skip

    def __init__(self, folder):
        self._database = sqlite3.connect(":memory:")
        self._database.executescript(_TABLE)
        self._site = Site(folder)
        self._columns = {name: replace(column, read=codec(_FIELDS[name]).compare) for name, column in COLUMNS.items()}
        self._number = 0

    def __call__(self, data):
        self._number += 1
        if self._number % 16 == 0:
            self._site.ask("GET", b"/contacts", b"sqlfilters=" + quote_from_bytes(data).encode())
        text = data.decode("utf-8", "surrogateescape")
        try:
            sql, values = render(parse(text), self._columns, SQLITE)
        except BadRequest as error:
            insist(error.errors == [("sqlfilters", error.message)], "a refusal names the filter", error.errors)
            return
        rest = _WORDS.sub("", sql)
        insist(not rest, "the SQL is made of known words", rest)
        insist(sql.count("?") == len(values), "each value has its placeholder", sql)
        found = self._run(f"t.rowid < 3 AND {sql}", values)
        insist(found <= {1, 2}, "a filter never widens the rule beside it", found)
        # What is neither true nor false is in none of both
        others = self._run(f"NOT {sql}", values)
        insist(not others & self._run(sql, values), "a row fits a filter or its contrary", sql)

    def _run(self, where, values):
        rows = self._database.execute(f"SELECT t.rowid FROM t JOIN ef ON ef.fk = t.rowid WHERE {where}", values)
        return {row[0] for row in rows}

    def close(self):
        """Nothing stays open."""
        self._site.close()
