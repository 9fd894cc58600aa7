"""Values: converters of parameters, codecs of fields, and paths and queries as a whole."""

import sqlite3
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from core.common.errors import ApiError
from core.contract.annotations import ParameterNote
from core.contract.catalogue import catalogue
from core.contract.converters import KINDS, converter
from core.storage.serializer import to_json
from core.storage.values import codec
from tests.fuzz.findings import insist
from tests.fuzz.site import Site, body_of

_TYPES = (
    int, float, Decimal, bool, str, date, datetime, list, dict, list[int], list[str], list[datetime], set[Decimal],
    tuple[bool, ...], Literal[1, "a"], str | None, int | None, dict[str, Any], Any,
)  # fmt: skip
_VERBS = ("GET", "GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS")


class Target:
    """What reads, and a value as text, or as JSON: what begins with 0 is for converters, with 1 for codecs, with 2 a path."""

    seeds = [
        *(bytes([0, number]) + value for number in range(len(_TYPES)) for value in (b"1", b'"2026-11-22"', b"[1,2]")),
        *(b"\x01\x00" + value for value in (b"12", b"12.50", b'{"a": 1}', b"2026-11-22T10:00:00Z", b"true", b"0x1")),
        b"\x02\x00thirdparties/1",
        b"\x02\x00contacts?sortfield=t.rowid&sortorder=DESC&limit=3&page=1&properties=id,lastname&pagination_data=true",
        b"\x02\x00contacts?after=W1tbInQucm93aWQiLGZhbHNlXV0sWyIxIl1d&count=1",
        b"\x02\x00documents/download?modulepart=societe&original_file=a%2Fb.txt",
        b"\x02\x00explorer/openapi.json?x=1",
        b"\x02\x03proposals/1?x=1",
        b"\x02\x05api/index.php/setup/conf/X",
    ]
    words = [
        *(b"1e999", b"-1e-999", b"1e99999999999999999999", b"1E+30", b"9" * 19, b"9" * 400, b"-0", b".5", b"5.", b"1_0", b" 1", b"+1", b"Infinity", b"nan"),
        *(b"0001-01-01", b"9999-12-31T23:59:59-23:59", b"2026-W01-1", b"20261122", b"T24:00:00", b"2026-02-30", b"Z"),
        *("²".encode(), "١".encode(), "\u2028".encode(), "\ufffe".encode(), b"\\ud800", b"\\u0000", b"[[", b"{", b'"'),
        *(b"%00", b"%FF", b"%2F", b"/", b"?", b"&", b"=", b"..", b"%", b"#", b";", b"//", b"null", b"true"),
        *(b"sqlfilters=", b"sortfield=", b"limit=", b"page=", b"after=", b"properties=", b"thirdparties", b"invoices", b"users"),
    ]  # fmt: skip

    def __init__(self, folder):
        self._site = Site(folder)
        notes = [ParameterNote("x", kind=kind) for kind in KINDS] + [
            ParameterNote("x", minimum=Decimal(-1), maximum=Decimal("2.5"), fix=True),
            ParameterNote("x", choices=("a", "1"), fix=True),
            ParameterNote("x", pattern="^[a-z]+$"),
        ]
        plain = [converter(kind, ParameterNote("x")) for kind in _TYPES]
        self._converters = plain + [converter(kind, note) for note in notes for kind in (str, int, list[str], float)]
        self._fields = [
            field
            for records in {id(each): each for each in _all_records()}.values()
            for field in records.model._meta.sorted_fields
        ]
        self._database = sqlite3.connect(":memory:")

    def __call__(self, data):
        what, number, content = *(data[:2] + b"\0\0")[:2], data[2:]
        if what % 3 == 2:
            path, _, query = content.partition(b"?")
            self._site.ask(_VERBS[number % len(_VERBS)], b"/" + path.lstrip(b"/"), query.replace(b"#", b"%23"))
            return
        for value in _read(content):
            if what % 3 == 0:
                _tried(self._converters[number % len(self._converters)], value)
            else:
                self._travel(self._fields[number % len(self._fields)], value)

    def _travel(self, field, value):
        """Body → database → answer, and filter → database."""
        ways = codec(field)
        if isinstance(value, str):
            self._bind(_tried(ways.compare, value))
        accepted = _tried(ways.accept, value)
        if accepted is None:
            return
        stored = self._bind(field.db_value(accepted))
        to_json(ways.answer(stored) if ways.answer else stored)

    def _bind(self, value):
        if isinstance(value, (date, Decimal)):
            value = str(value)
        return self._database.execute("SELECT ?", (value,)).fetchone()[0]

    def close(self):
        """Nothing stays open."""
        self._site.close()


def _all_records():
    found = [service.records for service in catalogue().services.values()]
    return [each for each in found if each is not None]


def _read(content):
    """A value as a query and as a body has it."""
    values = [content.decode("utf-8", "replace")]
    try:
        values.append(body_of("application/json", content))
    except ApiError:
        pass
    return values


def _tried(read, value):
    try:
        made = read(value)
    except ValueError as error:
        insist(str(error), "a value is refused with a reason", repr(value))
        return None
    if isinstance(made, (int, str)) and not isinstance(value, (dict, list)):
        to_json(made)
    return made
