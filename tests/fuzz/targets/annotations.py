"""What authors write: docstrings, signatures, permissions; refused with a reason, or routes that can be served."""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from core.access.callers import Permission
from core.common.errors import ApiError
from core.contract.annotations import _TAGS, FIELDS, AnnotationError, read_annotation
from core.contract.converters import UnknownType, converter
from core.contract.routes import RouteError, read_routes
from core.storage.serializer import to_json
from tests.fuzz.findings import insist

_RIGHT = re.compile(r"[a-z][a-z0-9]*\.[a-z][a-z0-9_]*")
_TYPES = (
    str, int, float, bool, list, dict, list[int], str | None, Any, date, datetime, Decimal, set[str], tuple[int, ...],
    Literal["a", 1], list[str] | None,
)  # fmt: skip
_VALUES = (
    "", "1", "-1", "abc", "²", "1e999", "9" * 400, "2026-11-22", "a@b.co", True, 7, 1.5, [], ["x", "y", "z"], [1, 2, 3],
    {}, {"a": 1}, Decimal("2.25"),
)  # fmt: skip


def _method(kind):
    def spend(self, id, card="x", rest=None):
        return self, id, card, rest

    spend.__annotations__ = {"id": int, "card": _TYPES[kind % len(_TYPES)]} if kind < 128 else {}
    spend.__name__ = ("spend", "get", "post_spend", "index")[kind % 4]
    return spend


class Target:
    """The type of a parameter; a docstring. Every permission in it, and the whole text, is also read as one."""

    seeds = [
        b"\x00Spend points.\n\n:url: POST {id}/spend\n:param id: the card {@min 1} {@max 9}\n:param card: text {@choice a,b}\n"
        b":raises NotFound: no card\n:returns: what is left\n:permission: cards.read and cards.write or users.read\n",
        b"\x01:url: GET {id}/files/*\n:param str card: {@pattern /^a{2}$/i} {@message no} {@example aa} {@label Card}\n"
        b":access: hybrid\n:status: 201\n:header: X-A: b\n:cache: no-store\n:expires: 60\n:deprecated: use another\n",
        b"\x80@url GET {id}\n@param int|string $id  text {@from path} {@required true}\n@throws RestException 404 gone\n"
        b"@return array\n@access public\n",
        b"\x02:rights: spend, block\n:param card:\n:type card: list[int]\n:param rest: {@values 0 all, 1 some}\n",
    ]
    words = [
        *(f":{word}: ".encode() for word in FIELDS),
        *(f"{{@{word} ".encode() for word in _TAGS),
        *(f"@{word} ".encode() for word in ("url", "param", "throws", "return", "access", "status")),
        *(b":param id: ", b":param card: ", b"\n", b"}", b"{id}", b"{", b"/", b"*", b" and ", b" or ", b".", b":", b"$", b"|"),
        *(b"GET ", b"POST ", b"DELETE ", b"email", b"timestamp", b"date", b"uuid", b"path", b"body", b"head", b"true", b"1"),
        *("²".encode(), b"{@type ip}", b"{@type uuid}", b"{@type timestamp}", b"{@fix true}", b"{@min -1}", b"{@max 2.5}"),
    ]  # fmt: skip

    def __init__(self, folder):
        pass

    def __call__(self, data):
        kind, text = (data or b"\0")[0], data[1:].decode("utf-8", "surrogateescape")
        _permission(text)
        try:
            annotation = read_annotation(text)
        except AnnotationError as error:
            insist(str(error), "a docstring is refused with a reason")
            return
        _permission(annotation.permission or "")
        _told(annotation)
        method = _method(kind)
        try:
            routes, _ = read_routes(method.__name__, method, annotation, type("Cards", (), {}), annotation.parameters)
        except RouteError as error:
            insist(str(error), "a route is refused with a reason")
            return
        for route in routes:
            for each in route.inputs:
                _convert(each)

    def close(self):
        """Nothing stays open."""


def _permission(text):
    for service in ("", "cards"):
        try:
            permission = Permission.parse(text, service)
        except ValueError:
            continue
        insist(permission.alternatives and all(permission.alternatives), "a permission asks for something", text)
        insist(all(_RIGHT.fullmatch(right) for right in permission.rights), "a permission names rights", permission)


def _told(annotation):
    """What the explorer tells of it can be sent."""
    to_json([annotation.summary, annotation.description, annotation.urls, annotation.returns, annotation.raises])
    for name, value in annotation.headers:
        insist((name + value).isascii() and (name + value).isprintable(), "a header can be sent", (name, value))
    for note in annotation.parameters.values():
        to_json([note.name, note.text, note.choices, note.message, note.meanings, note.example, note.minimum])


def _convert(each):
    try:
        convert = converter(each.type, each.note)
    except UnknownType:
        return
    for value in _VALUES:
        try:
            to_json(convert(value))
        except (ValueError, ApiError):
            continue
