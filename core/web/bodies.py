"""Reading the body of a request: JSON, forms, multipart."""

from __future__ import annotations

import json
from decimal import Decimal
from io import BytesIO
from typing import Any

import falcon
from falcon.media import MultipartFormHandler

from ..common.errors import BadRequest, TooLarge, UnsupportedMediaType
from ..common.settings import settings
from ..contract.api import Upload

#: nesting of lists and objects that a body may have
DEPTH = 100

_multipart = MultipartFormHandler()
_multipart.parse_options.max_body_part_count = 1000


def read_body(request: falcon.Request) -> Any:
    """The body of a request as plain data; None when there is none.

    Numbers with a fraction come as `Decimal`, uploaded files as `Upload`.

    :raises BadRequest: the body cannot be read
    :raises TooLarge: it is larger than COMPTOIR_MAX_BODY
    :raises UnsupportedMediaType: it has another content type
    """
    content = _read_bytes(request)
    if not content.strip():
        return None
    media_type = (request.content_type or "application/json").split(";")[0].strip().lower()
    reader = _READERS.get(media_type)
    if reader is None:
        raise UnsupportedMediaType(f"expected one of {', '.join(_READERS)}, got {media_type!r:.80}")
    return reader(content, request.content_type or "")


def _read_bytes(request: falcon.Request) -> bytes:
    longest = settings().max_body
    length = request.content_length
    if length is not None and length > longest:
        raise TooLarge(f"expected a body of {longest} bytes at most, got {length}")
    if length is None and "HTTP_TRANSFER_ENCODING" not in request.env:
        return b""
    stream = request.env["wsgi.input"] if length is None else request.bounded_stream
    try:
        content: bytes = stream.read(longest + 1)
    except Exception:  # noqa: BLE001 - the server's own words for chunks that are none
        raise BadRequest("expected a body in proper chunks (Transfer-Encoding: chunked)") from None
    if len(content) > longest:
        raise TooLarge(f"expected a body of {longest} bytes at most")
    if length is not None and len(content) < length:
        raise BadRequest(f"expected a body of {length} bytes, got {len(content)}")
    return content


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _read_number(text: str) -> Decimal:
    if len(text) > 100:
        raise ValueError("a number is too long")
    return Decimal(text)


def _read_json(content: bytes, content_type: str) -> Any:
    try:
        value = json.loads(content, parse_float=_read_number, parse_constant=_refuse_constant)
        _check_depth(value)
    except RecursionError:
        raise BadRequest(f"Error decoding JSON: more than {DEPTH} levels") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise BadRequest(f"Error decoding JSON: {_where(error)}") from None
    return value


def _where(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno} column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    return "a number is too long" if "digits" in str(error) else str(error)


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEPTH):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise RecursionError


def _read_form(content: bytes, content_type: str) -> dict[str, Any]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise BadRequest(f"Error decoding form: {_where(error)}") from None
    if text.lstrip().startswith(("{", "[")):
        raise BadRequest(
            "the body looks like JSON and is sent as a form: set the header Content-Type: application/json"
        )
    return dict(falcon.uri.parse_query_string(text, keep_blank=True, csv=False))


def _read_multipart(content: bytes, content_type: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    try:
        for part in _multipart.deserialize(BytesIO(content), content_type, len(content)):
            data = part.get_data()
            if part.filename is not None:
                values[part.name or "file"] = Upload(part.filename, part.content_type, data)
            else:
                values[part.name or ""] = data.decode()
    except (falcon.HTTPError, UnicodeDecodeError, ValueError) as error:
        raise BadRequest(f"Error decoding multipart: {getattr(error, 'description', None) or 'unreadable'}") from None
    return values


_READERS = {
    "application/json": _read_json,
    "application/x-www-form-urlencoded": _read_form,
    "multipart/form-data": _read_multipart,
}
