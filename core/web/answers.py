"""Responses: the result or the error of an operation, with its status.

They are JSON, or files with their entity tag and ranges of bytes. If the caller accepts only a sheet, a list is one
(`sheets.py`).
"""

from __future__ import annotations

import io
import logging
import os
import re
import stat
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote

import falcon

from ..access.callers import ANONYMOUS
from ..common.errors import MAX_MESSAGE_CHARS, ApiError, BadRequest, NotFound, Unchanged
from ..common.metrics import metrics
from ..common.readers import readable
from ..common.request_state import RequestState
from ..common.settings import settings
from ..contract.api import SHOWN_TYPES, Accepted, File, Redirect
from ..records.lists import Page
from ..storage.cache_version import tables_changed
from ..storage.database import classify_error, is_unreachable
from ..storage.error_kinds import DENIED, DISK_FULL, MISSING, READ_ONLY
from ..storage.serializer import etag_of, names_etag, to_json, with_state
from .authentication import KEYS_IN_URL, is_overseen
from .request_states import STATE, begin_request
from .sheets import LINES, PAGE, SHEETS, sheet_type, write_page_headers
from .views import View

JSON = "application/json; charset=utf-8"
#: the prefix of paths that clients of Dolibarr use
PREFIX = "/api/index.php"
#: characters of a `Link`: nginx reads a response's headers into 4 or 8 kB, and fails with 502 if they don't fit
MAX_LINK_CHARS = 2000
#: characters of a cursor, for the same reason; the server accepts a request line of 8 kB
MAX_CURSOR_CHARS = 3000
#: characters that a query has as they are, and what begins an escaped one
_OF_QUERIES = "!$&'()*+,;=:@/?%"

#: results with a status, or a media type, of their own
_NO_JSON = (File, Accepted, Redirect)

_log = logging.getLogger("comptoir")


def write_result(
    request: falcon.Request, response: falcon.Response, result: Any, status: int, view: View | None = None
) -> None:
    """Write the result of a method.

    :param view: the part that the request selects; None: all
    """
    response.status, content_type = status, JSON
    if isinstance(result, _NO_JSON):
        _write_no_json(request, response, result)
        return
    accept = request.env.get("HTTP_ACCEPT", "*/*")
    sheet = "" if accept == "*/*" else sheet_type(accept, result)
    state_tag = ""
    if view is not None:
        # The state of the whole record, with which `If-Match` is compared
        state_tag = etag_of(to_json(result)) if type(result) is dict else ""
        result = view.apply(result)
    if isinstance(result, Page):
        if not result and result.empty and settings().profile.empty_list_is_missing:
            raise NotFound(result.empty)
        write_page_headers(response, result)
        if result.cursor:
            if len(result.cursor) <= MAX_CURSOR_CHARS:
                response.set_header("X-Next-Cursor", result.cursor)
            elif "page" not in request.params:
                raise BadRequest(errors=[("sortfield", "its values are too long for a cursor; sort by another field")])
            if link := _next_link(request, result):
                response.set_header("Link", link)
        if result.query.pagination_data and not sheet:
            result, content_type = result.wrapped(), PAGE if PAGE in accept else JSON
    if sheet:
        response.content_type = sheet
        flat = result if view is None or sheet == LINES else view.flat(result)
        response.data = SHEETS[sheet](flat, request.get_param("properties") or "")
        return
    response.data = content = b"" if result is None else to_json(result)
    if type(result) is dict and request.method in ("GET", "HEAD"):
        response.set_header("ETag", tag := with_state(etag_of(content), state_tag))
        known = request.env.get("HTTP_IF_NONE_MATCH")
        if known and names_etag(known, tag):
            raise Unchanged(headers={"ETag": tag})
    response.content_type = content_type


def _write_no_json(request: falcon.Request, response: falcon.Response, result: File | Accepted | Redirect) -> None:
    if isinstance(result, File):
        write_file(request, response, result)
    elif isinstance(result, Accepted):
        _write_accepted(request, response, result)
    else:
        _write_redirect(request, response, result)


def _next_link(request: falcon.Request, page: Page) -> str:
    """Return the `Link` to the next page, with the parameters of the request; empty if it would be too long.

    It is only a query, because a proxy may change the path. A key in the URL is left out.
    """
    name, value = ("after", page.cursor) if "after" in request.params else ("page", str(max(page.query.page, 0) + 1))
    sent = (part for part in request.query_string.split("&") if part)
    kept = [part for part in sent if unquote(part.partition("=")[0]) not in (name, *KEYS_IN_URL)]
    query = quote("&".join([*kept, f"{name}={value}"]).encode("latin-1", "replace"), safe=_OF_QUERIES)
    return f'<?{query}>; rel="next"' if len(query) <= MAX_LINK_CHARS else ""


def accepted_body(accepted: Accepted) -> dict[str, Any]:
    """Return the body of a response whose work a job does."""
    return {"job": accepted.job, "state": "waiting", "href": f"/jobs/{accepted.job}"}


def _way_up(request: falcon.Request) -> str:
    """Return the relative path to the services, because a proxy may remove a prefix from the path."""
    # An escaped slash separates nothing
    raw = request.env.get("RAW_URI", "").partition("?")[0].lower()
    steps: int = request.path.lower().removeprefix(PREFIX).count("/") - raw.count("%2f") - 1
    return "../" * steps


def note_location(request: falcon.Request, depth: int, result: Any) -> None:
    """Set the header `Location` to the address of a new record.

    :param depth: the number of parts of the path that the ID follows
    """
    identifier = result.get("id") if isinstance(result, dict) else result
    if isinstance(identifier, (int, str)) and not isinstance(identifier, bool):
        path = request.path[len(PREFIX) if request.path.lower().startswith(PREFIX) else 0 :]
        parts = [each for each in path.split("/") if each][:depth]
        request.env[STATE].headers["Location"] = f"{_way_up(request)}{'/'.join([*parts, str(identifier)])}"


def _write_accepted(request: falcon.Request, response: falcon.Response, accepted: Accepted) -> None:
    response.status = 202
    response.set_header("Location", f"{_way_up(request)}jobs/{accepted.job}")
    response.set_header("Retry-After", "1")
    response.data = to_json(accepted_body(accepted))
    response.content_type = JSON


def _write_redirect(request: falcon.Request, response: falcon.Response, redirect: Redirect) -> None:
    # 303 and not 302: after a POST, a client must not send its body again
    response.status = 303
    url = redirect.url
    # `./`, because a path such as `/a:b` would otherwise be a URL with the scheme `a`
    response.set_header("Location", f"{_way_up(request) or './'}{url[1:]}" if url.startswith("/") else url)
    response.data = b""


# Errors --------------------------------------------------------------------------------------------------------------


def write_error(
    request: falcon.Request, response: falcon.Response, error: BaseException, params: object = None
) -> None:
    """Write an error: an `ApiError` with its message, any other as 500, whose details only administrators see."""
    # falcon rejects some verbs before the request begins
    state = request.env.get(STATE) or begin_request(request)
    named = named_error(state, error, request)
    response.status = named.status
    _set_headers(response, named.headers)
    if named.status in (304, 204):
        response.data = b""
        return
    response.content_type = JSON
    debug = traceback.format_exception(error) if settings().debug and named is not error else ()
    response.data = to_json(named.body(settings().profile.dolibarr_messages, state.request_id, debug))


def named_error(state: RequestState, error: BaseException, request: falcon.Request | None = None) -> ApiError:
    """Return the `ApiError` for any exception; an unexpected one is logged.

    :param request: its key is read if the operation has ignored it
    """
    if isinstance(error, ApiError):
        return error
    if isinstance(error, falcon.HTTPError):
        headers = {name: value for name, value in dict(error.headers or {}).items() if name.lower() == "allow"}
        text = "" if error.status_code in (404, 405) else (error.description or "")
        return ApiError(text, status=error.status_code, headers=headers)
    if changed := tables_changed(error, state.generation):
        return changed
    kind = classify_error(error)
    if kind is None or kind in (MISSING, DENIED):
        advice = f": {kind.advice}" if kind else ""
        _log.error("request %s failed%s", state.request_id, advice, exc_info=error)
        if request is not None and state.caller in (None, ANONYMOUS):
            overseen = is_overseen(request)
        else:
            overseen = state.caller is not None and state.caller.oversees
        return ApiError(details={"raised": raised(error)} if overseen else {})
    if kind in (DISK_FULL, READ_ONLY):
        metrics().rejected_writes.inc()
    # An unreachable database has been logged once
    level = logging.DEBUG if is_unreachable(error) else logging.ERROR
    _log.log(level, "request %s: the database failed: %s; %s", state.request_id, error, kind.advice)
    return kind.answer()


def write_warnings(response: falcon.Response, state: RequestState) -> None:
    """Write the warnings and headers that were collected during the request."""
    if state.headers:
        _set_headers(response, state.headers)
    if state.ignored or state.warnings:
        text = re.sub(r"[^ -~]", "?", "; ".join(state.all_warnings()))[:1000]
        response.set_header("Warning", '299 comptoir "{}"'.format(re.sub(r'(["\\])', r"\\\1", text)))


def _set_headers(response: falcon.Response, headers: Mapping[str, str]) -> None:
    """Set headers of an author, with `?` for each character that a header can't have."""
    for name, value in headers.items():
        text = str(value).encode("latin-1", "replace").decode("latin-1")
        response.set_header(name, re.sub(r"[\0-\x08\x0a-\x1f\x7f]", "?", text))


_ROOT = Path(__file__).parents[2]


class NoJson(TypeError):
    """A result that can't be JSON.

    :param method: the method that has returned it
    """

    def __init__(self, message: str, method: Callable[..., Any]) -> None:
        super().__init__(message)
        self.method = method


def place_of_method(method: Callable[..., Any]) -> tuple[str, int]:
    """Return the file of a method, relative to the modules folder, and its line."""
    code: Any = method.__code__
    file = Path(code.co_filename)
    folders = (*settings().module_folders, _ROOT)
    within = next((file.relative_to(each) for each in folders if file.is_relative_to(each)), file)
    return readable(str(within)), code.co_firstlineno


def raised(error: BaseException) -> dict[str, Any]:
    """Return the place of an exception in the author's file, relative to the modules folder, and its message."""
    place = place_of_method(error.method) if isinstance(error, NoJson) else _place_of(error)
    message = readable("".join(traceback.format_exception_only(error)).strip())[:MAX_MESSAGE_CHARS]
    return {"file": place[0], "line": place[1], "message": message} if place else {"message": message}


def _place_of(error: BaseException) -> tuple[str, int] | None:
    """Return the innermost line in an outside module; otherwise in a native one; otherwise in the server."""
    native, *outside = settings().module_folders
    lines = list(_lines_of(error))
    for folders in (outside, [native], [_ROOT]):
        for file, line in reversed(lines):
            for folder in folders:
                if file.is_relative_to(folder):
                    return readable(str(file.relative_to(folder))), line
    return None


def _lines_of(error: BaseException) -> Iterator[tuple[Path, int]]:
    """Yield every line of the tracebacks of an exception; those of its causes come first."""
    chain: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in chain:
        chain.append(each)
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    for each in reversed(chain):
        for frame, line in traceback.walk_tb(each.__traceback__):
            yield Path(frame.f_code.co_filename), line


_CONTROLS = re.compile(r"[\0-\x1f\x7f]")
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


class Portion:
    """A part of an open file, from its current position.

    :param stream: the file; it's closed with this object
    :param length: bytes of the part
    """

    def __init__(self, stream: IO[bytes], length: int) -> None:
        self._stream = stream
        self._left = length

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; none at the end of the part."""
        content = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(content)
        return content

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def write_file(request: falcon.Request, response: falcon.Response, file: File) -> None:
    """Write a file, or the range of its bytes that is requested.

    Several ranges, and one that can't be read, are ignored.

    :raises Unchanged: the caller has the file already (`If-None-Match`)
    :raises ApiError: 416, the range is beyond the file's end
    """
    content: Any = file.content.open("rb") if isinstance(file.content, Path) else file.content
    # Browsers show PDFs and pictures under this policy, and run nothing
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'"}
    try:
        length, tag = _size_and_tag(content)
        is_shown = file.inline and _begins_as(file.content_type, content)
        if length is not None and request.method in ("GET", "HEAD"):
            if tag:
                headers["ETag"] = tag
            if tag and names_etag(request.env.get("HTTP_IF_NONE_MATCH", ""), tag):
                raise Unchanged(headers=headers)
            headers["Accept-Ranges"] = "bytes"
            if (span := _requested_range(request.env, length, tag)) is not None:
                start, end = span
                headers["Content-Range"] = f"bytes {start}-{end - 1}/{length}"
                response.status, length = 206, end - start
                if isinstance(content, bytes):
                    content = content[start:end]
                else:
                    content.seek(start)
                    content = Portion(content, length)
    except ApiError:
        if not isinstance(content, bytes):
            content.close()
        raise
    response.content_type = file.content_type
    _set_name(response, file.name, is_shown)
    response.set_headers(headers)
    if isinstance(content, bytes):
        response.data = content
        return
    if length is not None:
        response.content_length = length
    response.stream = content
    if request.method == "HEAD":
        content.close()
        # falcon would report that an unknown length is 0
        response.stream = ()


def _set_name(response: falcon.Response, name: str, is_shown: bool) -> None:
    """Set the name of a file, which a browser shows or saves."""
    name = _CONTROLS.sub("_", name)
    # falcon escapes nothing in a name in ASCII
    name = re.sub(r'(["\\])', r"\\\1", name) if name.isascii() else name
    if is_shown:
        response.viewable_as = name
    else:
        response.downloadable_as = name


def _begins_as(content_type: str, content: Any) -> bool:
    """Return whether a file begins as its media type does; not, if its first bytes can't be read twice."""
    if isinstance(content, bytes):
        first = content[:12]
    elif content.seekable():
        place = content.tell()
        first = content.read(12)
        content.seek(place)
    else:
        return False
    return SHOWN_TYPES[content_type].match(first) is not None


def _size_and_tag(content: bytes | IO[bytes]) -> tuple[int | None, str]:
    """Return the number of bytes, or None if it isn't known; and the entity tag, or an empty text."""
    if isinstance(content, bytes):
        return len(content), etag_of(content)
    try:
        state = os.fstat(content.fileno())
        if stat.S_ISREG(state.st_mode):
            return state.st_size, f'"{state.st_mtime_ns:x}-{state.st_size:x}-{state.st_ino:x}"'
    except (OSError, AttributeError):
        pass
    if isinstance(content, io.IOBase) and content.seekable():
        size = content.seek(0, io.SEEK_END)
        content.seek(0)
        return size, ""
    return None, ""


def _requested_range(env: Mapping[str, Any], size: int, tag: str) -> tuple[int, int] | None:
    """Return start and end of the requested range; None: the whole file."""
    sent = _RANGE.fullmatch(env.get("HTTP_RANGE", "").replace(" ", ""))
    if sent is None or sent.groups() == ("", "") or env.get("HTTP_IF_RANGE", tag).strip() != tag:
        return None
    first, last = sent.groups()
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        reason = f"expected a range within the file's {size} bytes"
        raise ApiError(reason, status=416, headers={"Content-Range": f"bytes */{size}"})
    return start, end
