"""A table, its columns, and filters that are turned into SQL for it."""

import datetime
import re

import pytest

from core.common.errors import BadRequest
from core.storage.mysql import Mysql
from core.storage.postgresql import Postgresql
from core.storage.sqlfilters import FilterColumn, parse, render
from core.storage.sqlite import Sqlite

SQLITE, POSTGRESQL, MARIADB = Sqlite(None), Postgresql(None), Mysql(None)
# A database that lowers all letters by itself, which a connection would find out
POSTGRESQL._lowering = ""


def integer(text):
    try:
        return int(text)
    except ValueError:
        raise ValueError("a whole number") from None


def date(text):
    try:
        return datetime.datetime.fromisoformat(text).isoformat(" ")
    except ValueError:
        raise ValueError("a date") from None


COLUMNS = {
    "t.rowid": FilterColumn('t."rowid"', integer, False),
    "t.nom": FilterColumn('t."nom"', str, True),
    "t.ref": FilterColumn('t."ref"', str, True),
    "t.fk_statut": FilterColumn('t."fk_statut"', integer, False),
    "t.datec": FilterColumn('t."datec"', date, False),
    "ef.colour": FilterColumn('ef."colour"', str, True),
}


def sql(text, backend=SQLITE):
    return render(parse(text), COLUMNS, backend)


def refusal(text):
    with pytest.raises(BadRequest) as caught:
        sql(text)
    assert caught.value.status == 400
    assert caught.value.errors == [("sqlfilters", caught.value.message)]
    assert re.match(r"Bad filter at position [1-9]\d*: \S", caught.value.message)
    return caught.value.message


def found(database, text, rule="1=1"):
    where, parameters = sql(text)
    query = f"SELECT t.rowid FROM t JOIN ef ON ef.fk = t.rowid WHERE {rule} AND {where} ORDER BY t.rowid"
    return [row[0] for row in database.execute(query, parameters)]
