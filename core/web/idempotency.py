"""A POST that is done once, however often it is sent: the header `Idempotency-Key` of the IETF's draft.

The claim is committed first; the method then runs inside one transaction, which also keeps its answer. So a try that
comes later finds the answer, or that nothing was done; there is nothing in between. What fails is undone and its claim
given up: no refusal is kept, and the same key may be tried again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from typing import Any

import falcon
import peewee

from ..access.callers import Caller
from ..common.errors import ApiError, Conflict, NotFound, Unavailable, Unprocessable, shown, wrong_fields
from ..common.request_state import RequestState
from ..common.settings import settings
from ..contract.api import Upload
from ..contract.catalogue import Operation, catalogue
from ..storage.claims import Answer, Found, take
from ..storage.database import transaction
from ..storage.error_kinds import OutcomeUnknown
from ..storage.model import meta_of
from .answers import write_warnings

#: the header in the environment of a request
VARIABLE = "HTTP_IDEMPOTENCY_KEY"
#: what the header of an answer is called that was given before
REPLAYED = "Idempotency-Replayed"
#: characters of a key
LONGEST = 255
#: bytes of an answer that is kept, as it is and compressed: MariaDB's BLOB holds 65,535
LARGEST, LARGEST_KEPT = 2**20, 60_000
#: seconds that a claim outlives the time-out of requests: until then its worker has been replaced
GRACE = 5

#: a string of structured fields, without spaces; or what clients send in its place. A comma joins two headers
_KEY = re.compile(r'"((?:[!#-\[\]-~]|\\["\\])+)"|([!#-+\--:<-\[\]-~]+)')

NOT_MINDED = "Idempotency-Key is ignored by this operation"


def read_key(header: str) -> str:
    """The key that a header names.

    :raises BadRequest: it names none
    """
    found = _KEY.fullmatch(header.strip(" \t"))
    key = re.sub(r"\\(.)", r"\1", found[1] or found[2]) if found else ""
    if not 1 <= len(key) <= LONGEST:
        reason = (
            f"expected 1 to {LONGEST} visible ASCII characters in quotes, such as "
            f'"8e03978e-40d5-43dd-bc93-6894a57f9324"; got {shown(header)}'
        )
        raise wrong_fields([("Idempotency-Key", reason)])
    return key


def answer_once(
    request: falcon.Request,
    response: falcon.Response,
    state: RequestState,
    body: Any,
    manner: str | None,
    call: Callable[[], Any],
    write: Callable[[Any], None],
    ensure_readable: Callable[[bytes, str], None],
) -> None:
    """Answer a request that has an `Idempotency-Key`.

    :param body: what was read of its body
    :param manner: what the docstring says, a word of `IDEMPOTENCIES`
    :param call: does the work and answers its result
    :param write: writes a result into the response
    :param ensure_readable: raises `NotFound` if the caller may no longer read what an answer, of a moment, is about
    :raises BadRequest: the header names no key
    :raises Conflict: the request is being done, or was done and its answer is not kept
    :raises Unprocessable: another request was made under the key
    """
    key = read_key(request.env[VARIABLE])
    if not state.caller.id:
        # Without a user nobody can be told from anybody else
        state.warnings.append("Idempotency-Key is ignored without an API key")
        write(call())
        return
    digest = hashlib.sha256(f"{state.caller.id} {key}".encode()).hexdigest()
    fingerprint = fingerprint_of(request, state.caller, key, body)
    claim = take(state.caller.id, digest, fingerprint, settings().timeout + GRACE)
    if isinstance(claim, Found):
        _answer_again(response, claim, fingerprint, manner, ensure_readable)
        return
    try:
        with nullcontext() if manner == "apart" else transaction():
            result = call()
            write(result)
            said, kept = _said(state), _kept(response, manner)
            if not claim.settle(kept) and manner != "apart":
                raise Conflict("another request with this Idempotency-Key has taken over; this one changed nothing")
    except BaseException as error:
        # One that was settled stays: it was committed, and what failed came later
        claim.release()
        response._headers.clear()
        if isinstance(error, OutcomeUnknown) and manner != "apart":
            message = "the connection to the database was lost; repeat the request with the same Idempotency-Key"
            raise Unavailable(message, headers={"Retry-After": "1"}) from error
        raise
    if _said(state) != said:
        # Late handlers have run by now
        _write_anew(response, state, result, write)
        if (anew := _kept(response, manner)) != kept:
            with suppress(peewee.PeeweeException):
                claim.settle(anew)


def fingerprint_of(request: falcon.Request, caller: Caller, key: str, body: Any) -> str:
    """What must be the same for a request to be the same.

    Under the key, which is not kept, because a body may hold what can be guessed. Of the body its values: a file comes
    between other boundaries each time.
    """
    rights = caller.restriction.rights
    limits = None if rights is None else sorted(rights)
    parts = [request.method, request.path, request.query_string, limits, caller.socid, body]
    text = json.dumps(parts, sort_keys=True, default=_plain)
    return hmac.digest(key.encode(), text.encode(), "sha256").hex()


def _plain(value: Any) -> Any:
    if isinstance(value, Upload):
        return ["file", value.name, value.content_type, hashlib.sha256(value.content).hexdigest()]
    return repr(value)


def _answer_again(
    response: falcon.Response,
    found: Found,
    fingerprint: str,
    manner: str | None,
    ensure_readable: Callable[[bytes, str], None],
) -> None:
    """Give the first answer again, or say why it is not given."""
    if found.fingerprint != fingerprint:
        raise Unprocessable(
            "this Idempotency-Key was used with a different path, query or body, or with an API key that has "
            "different permissions; use a new Idempotency-Key"
        )
    answer = found.answer
    if answer is None:
        message = "the first request with this Idempotency-Key is still running; try again in a second"
        raise Conflict(message, headers={"Retry-After": "1"})
    done = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(found.created))
    if answer.headers is None:
        why = "contains a secret" if manner == "secret" else "is a file or too large"
        message = f"the first request made this change at {done}; its response isn't stored, because it {why}"
        raise Conflict(message, details={"done": True})
    content = zlib.decompress(answer.body or b"")
    ensure_readable(content, done)
    response.status = answer.status
    response.set_headers(json.loads(answer.headers))
    response.set_header(REPLAYED, "true")
    response.data = content


def _kept(response: falcon.Response, manner: str | None) -> Answer:
    """An answer as it is kept: that it was given, where it holds a secret or is large."""
    status, content = response.status_code, response.data or b""
    if manner == "secret" or response.stream is not None or len(content) > LARGEST:
        return Answer(status)
    packed = zlib.compress(content, 1)
    return Answer(status, json.dumps(response.headers), packed) if len(packed) <= LARGEST_KEPT else Answer(status)


def _said(state: RequestState) -> tuple[object, ...]:
    """What changes when something happens that an answer may tell of."""
    notified = None if state.notified is None else id(state.notified.record)
    return state.writes, notified, len(state.warnings), dict(state.headers)


def _write_anew(response: falcon.Response, state: RequestState, result: Any, write: Callable[[Any], None]) -> None:
    """Write an answer once more: a record as late handlers have left it, and what they have to say."""
    record, read = state.read or (None, None)
    if read is not None and record is result:
        # Where it cannot be read any more, the first answer stays
        with suppress(ApiError, peewee.PeeweeException):
            write(read())
            return
    write_warnings(response, state)


def ensure_readable(operation: Operation, path: Mapping[str, str], body: Any, content: bytes, done: str) -> None:
    """Go on only if the caller may still read what the answer to a request is about.

    That is the record of the service that its path begins with; else the records of the service that it returns, or
    whose IDs it returns. What a batch has deleted is gone, and does not count.

    :param path: the values of the path
    :param body: the body of the request
    :param content: the answer
    :param done: when the request was done, for the message
    :raises NotFound: a record is gone, or the caller may not see it
    """
    variable = operation.segments[0] if operation.segments else ""
    in_path = variable.startswith("{")
    service = catalogue().services.get(operation.service if in_path else operation.origin)
    records = service.records if service is not None else None
    if records is None or not records.select_plan().is_numbered:
        return
    if in_path:
        name = variable[1:-1]
        is_id = any(each.name == name and each.type is int for each in operation.inputs)
        found: Iterable[int] = [int(path[name])] if is_id else []
    elif operation.entries:
        found = _in_batch(body, content)
    else:
        found = _in_answer(operation, records, content)
    ids = set(found)
    if ids and len(records.rows({meta_of(records.model).primary_key.name: ids})) < len(ids):
        message = f"{records.noun} not found; the first request succeeded at {done}, and this one changed nothing"
        raise NotFound(message, details={"done": True})


def _in_batch(body: Any, content: bytes) -> Iterator[int]:
    entries = body["entries"] if isinstance(body, dict) else body
    for entry, each in zip(entries, json.loads(content)["results"], strict=True):
        if entry["method"] != "DELETE" and "result" in each:
            yield from _id_of(entry if "id" in entry else each["result"])


def _in_answer(operation: Operation, records: Any, content: bytes) -> Iterator[int]:
    try:
        answer = json.loads(content)
    except ValueError:
        # A text, or nothing
        return
    # A POST to the service itself returns the ID of what it has created; another number may mean anything
    if isinstance(answer, int) and operation.segments:
        return
    shape = operation.shape
    is_own = shape is not None and meta_of(shape.model).table_name == meta_of(records.model).table_name
    if is_own or isinstance(answer, int):
        for each in answer if isinstance(answer, list) else [answer]:
            yield from _id_of(each)


def _id_of(record: Any) -> Iterator[int]:
    """The ID that a record has, or is; the profile may have it as a text."""
    found = record.get("id") if isinstance(record, dict) else record
    if isinstance(found, (int, str)) and not isinstance(found, bool) and str(found).isdecimal():
        yield int(found)
