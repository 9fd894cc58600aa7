"""Reading the body of a request: JSON, forms, multipart, or its bytes as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import falcon
from falcon.media import MultipartFormHandler

from ..common.errors import BadRequest, TooLarge, UnsupportedMediaType
from ..common.json_texts import UnfitTexts, check_texts, read_json
from ..contract.api import Headers, RawBody, Upload

#: parts of a multipart body
MOST_PARTS = 1000
#: values of a form
MOST_FORM_VALUES = 1000

#: maximum size of a body without a key, unless the docstring of its operation has `:body:`
MAX_BYTES_WITHOUT_KEY = 16 * 1024

#: headers that a method doesn't get with a raw body, because it may log or store them: they hold keys
KEY_HEADERS = ("DOLAPIKEY", "AUTHORIZATION", "PROXY-AUTHORIZATION", "COOKIE")

#: reads the bytes of a body, with their content type
Reader = Callable[[bytes, str], Any]

_multipart = MultipartFormHandler()
_multipart.parse_options.max_body_part_count = MOST_PARTS
# COMPTOIR_MAX_BODY limits the size of a part
_multipart.parse_options.max_body_part_buffer_size = 2**40


def read_body(request: falcon.Request, max_bytes: int, readers: Mapping[str, Reader]) -> Any:
    """Return the body of a request as plain data; None if it is empty.

    Numbers with a fraction become `Decimal`, uploaded files `Upload`.

    :param max_bytes: maximum size of the body; no more is read
    :param readers: media type → function that reads a body of this type
    :raises BadRequest: the body can't be parsed, or a text in it has a character that can't be stored
    :raises TooLarge: it is larger
    :raises UnsupportedMediaType: it has another content type, or is compressed
    """
    content = _read_bytes(request, max_bytes)
    # Only the whitespace of JSON: a vertical tab isn't an empty body
    if not content.strip(b" \t\r\n"):
        return None
    if (encoding := request.env.get("HTTP_CONTENT_ENCODING", "").lower()) not in ("", "identity"):
        reason = f"`Content-Encoding`: expected a body without compression, got {encoding!r:.80}"
        raise UnsupportedMediaType(reason, headers={"Accept-Encoding": "identity"})
    media_type = (request.content_type or "application/json").split(";")[0].strip().lower()
    reader = readers.get(media_type)
    if reader is None:
        raise UnsupportedMediaType(f"`Content-Type`: expected one of {', '.join(readers)}; got {media_type!r:.80}")
    try:
        return reader(content, request.content_type or "")
    except UnfitTexts as error:
        raise BadRequest(errors=error.wrong) from None


def read_raw_body(request: falcon.Request, max_bytes: int) -> RawBody:
    """Return the body of a request as it was sent, with its headers.

    :raises TooLarge: it has more bytes than `max_bytes`
    """
    content = _read_bytes(request, max_bytes)
    return RawBody(content, Headers({name: each for name, each in request.headers.items() if name not in KEY_HEADERS}))


def _read_bytes(request: falcon.Request, max_bytes: int) -> bytes:
    length = request.content_length
    if length is not None and length > max_bytes:
        raise TooLarge(f"the body has {length} bytes; the limit is {max_bytes}")
    if length is None and "HTTP_TRANSFER_ENCODING" not in request.env:
        return b""
    content: bytes = request.env["wsgi.input"].read(max_bytes + 1 if length is None else length)
    # A retry of the request reads it again
    request.env["wsgi.input"] = BytesIO(content)
    if len(content) > max_bytes:
        raise TooLarge(f"the body has more than {max_bytes} bytes, which is the limit")
    if length is not None and len(content) < length:
        raise BadRequest(f"expected {length} bytes, as in `Content-Length`, got {len(content)}")
    return content


def _read_json(content: bytes, content_type: str) -> Any:
    try:
        return read_json(content)
    except UnfitTexts:
        raise
    except ValueError as error:
        raise BadRequest(f"the body can't be read as JSON: {error}", dolibarr=f"Error decoding JSON: {error}") from None


def _read_form(content: bytes, content_type: str) -> dict[str, Any]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise BadRequest(f"the form is not valid: byte {error.start} is not UTF-8") from None
    if text.lstrip().startswith(("{", "[")):
        raise BadRequest(
            "the body looks like JSON but is sent as a form; set the header Content-Type: application/json"
        )
    if text.count("&") >= MOST_FORM_VALUES:
        raise BadRequest(f"the form is not valid: expected at most {MOST_FORM_VALUES} values, got more")
    values = dict(falcon.uri.parse_query_string(text, keep_blank=True, csv=False))
    check_texts(values)
    return values


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
        reason = getattr(error, "description", None) or "unreadable"
        raise BadRequest(f"the multipart body is not valid: {reason}") from None
    check_texts({name: each.name if isinstance(each, Upload) else each for name, each in values.items()})
    return values


#: what every operation accepts
READERS: dict[str, Reader] = {
    "application/json": _read_json,
    "application/x-www-form-urlencoded": _read_form,
    "multipart/form-data": _read_multipart,
}
