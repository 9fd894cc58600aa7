"""Bodies of requests: read as plain data or refused with a reason, by the readers and by every operation that takes one."""

import re
from random import Random

from core.common.errors import ApiError
from core.contract.catalogue import catalogue
from core.storage.serializer import to_json
from tests.fuzz.findings import insist
from tests.fuzz.site import Site, body_of

_TYPES = (
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "multipart/form-data",
    'application/json; charset="utf-8"',
)
#: what no other request of the same run would survive
_LEFT_OUT = re.compile(r"/users.*(keys|password)|/login")
#: variable of a path → what stands there; anywhere else a 1
_NAMES = {"elementtype": "societe", "attrname": "varchar", "constantname": "MAIN_X", "type": "BILLING"}

_FORM = (
    b'\x02\x00--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
    b'hello\r\n--b\r\nContent-Disposition: form-data; name="modulepart"\r\n\r\nsociete\r\n--b--\r\n'
)


class Target:
    """Content type, operation, body; a content type of 200 and more is written in the first line.

    From 100 to 199 each byte of the body chooses a part of an object of the fields that the operation knows: bytes that
    are changed at random are seldom JSON.
    """

    def __init__(self, folder):
        self._site = Site(folder)
        self._operations = sorted(
            (
                each.verb,
                re.sub(r"\{(\w+)\}", lambda name: _NAMES.get(name[1], "1"), each.template).encode(),
                _fields(service, each),
            )
            for service in catalogue().services.values()
            for each in service.operations
            if each.verb in ("POST", "PUT", "PATCH") and not _LEFT_OUT.search(each.template)
        )
        fields = {name for each in self._operations for name in each[2]}
        self.seeds = [
            b'\x00\x00{"name": "Ltd", "qty": 1.50, "lines": [{"subprice": "10", "tva_tx": null}], "date": "2026-11-22"}',
            b"\x01\x00name=Ltd&client=1&name=%C3%A9",
            _FORM,
            b'\xc8\x00application/json\n{"a": [true, false, 1e5, "\\ud83d\\ude00"]}',
            *(
                bytes([0, number]) + b'{"socid": 1, "lines": [{"desc": "x"}]}'
                for number in range(len(self._operations))
            ),
            *(bytes([100, number]) + Random(number).randbytes(60) for number in range(len(self._operations))),
        ]
        self.words = [
            *(f'"{name}": '.encode() for name in sorted(fields | set(_FIELDS))),
            *(b"{}", b"[]", b"null", b"true", b'""', b"1e400", b"1e99999999999999999999", b"-0.0", b"1e-400", b"NaN", b"9" * 20, b'"\\ud800"'),
            *(b"\\u0000", b"%00", b"&", b"=", b"--b", b"\r\n", b"; filename*=UTF-8''%ff", b'; filename="'),
            *(b"Content-Type: ", b"Content-Disposition: form-data; ", b'"2026-02-30"', b'"0001-01-01"', b"-1"),
        ]  # fmt: skip

    def __call__(self, data):
        kind, number, content = *(data[:2] + b"\0\0")[:2], data[2:]
        media_type = _TYPES[kind % len(_TYPES)]
        if kind >= 200:
            first, _, content = content.partition(b"\n")
            media_type = first.decode("latin-1").strip()
        verb, path, fields = self._operations[number % len(self._operations)]
        if 100 <= kind < 200:
            media_type, content = _TYPES[0], _made(iter(content), fields, 0).encode()
        _read(media_type, content)
        answer = self._site.ask(verb, path, body=content, CONTENT_TYPE=media_type)
        if answer.status == 200:
            # What was taken can be read
            identifier = answer.body if answer.body.isdigit() else b"1"
            self._site.ask("GET", b"/".join([*path.split(b"/")[:2], identifier]))

    def close(self):
        """Nothing stays open."""
        self._site.close()


_FIELDS = (
    "name", "lines", "qty", "subprice", "tva_tx", "remise_percent", "socid", "fk_product", "date", "array_options",
    "options_int", "options_date", "options_double", "options_select", "options_checkbox", "options_mail", "label", "value", "note_public", "email", "code_client", "price", "desc", "product_type", "rang",
)  # fmt: skip


#: values as JSON writes them
_VALUES = (
    "1", "2", "0", "-1", "1.5", '"1"', '"a"', '""', "null", "true", "false", '"BILLING"', '"2026-11-22"', "1790000000",
    '"0001-01-01T00:00:00+14:00"', "1e400", "1e-400", "9" * 19, "9" * 99, "-0.0", '"\\ud800"', '"\\u0000"', '"\\ufffe"',
    '" "', '"\u00b2"', '"\u0661"', '"100%"', '"a@b.co"', "[]", "{}", '"<b>&"', '"' + "x" * 300 + '"', "253402300800", "0.1",
)  # fmt: skip


#: what many operations ask for; of two members of one name the later one counts
_BASE = '"socid":1,"name":"a","lastname":"b","ref":"r","label":"l","type":"int","qty":1,"subprice":"10"'


def _fields(service, operation):
    """What a body of an operation may name."""
    named = [each.name for each in operation.inputs if each.place == "body"]
    model = service.records.model._meta.fields if service.records is not None else ()
    return tuple(dict.fromkeys([*named, *model, *_FIELDS]))


def _made(choices, fields, depth):
    """A value as JSON, from as many bytes as it takes."""
    kind = next(choices, 0) % 8 if depth else 7
    if kind < 5 or depth > 3:
        return _VALUES[next(choices, 0) % len(_VALUES)]
    count = next(choices, 0) % (4 if depth else 12)
    if kind == 5:
        return "[" + ",".join(_made(choices, fields, depth + 1) for _ in range(count)) + "]"
    members = [] if depth else [_BASE]
    members += (f'"{fields[next(choices, 0) % len(fields)]}":{_made(choices, fields, depth + 1)}' for _ in range(count))
    return "{" + ",".join(members) + "}"


def _read(media_type, content):
    try:
        value = body_of(media_type, content)
    except ApiError as error:
        to_json(error.body())
        insist(400 <= error.status < 500, "a body that cannot be read is its sender's fault", error.status)
        return
    _require_plain(value)


def _require_plain(value):
    level = [value]
    for _ in range(102):
        level = [inner for each in level if isinstance(each, (dict, list)) for inner in _inner(each)]
    insist(not level, "a body is not nested deeper than it may be")


def _inner(value):
    return value.values() if isinstance(value, dict) else value
