"""The header `Idempotency-Key` of the IETF's draft: a POST is done once, however often it is sent.

The claim of the key is committed first. The method then runs in one transaction, which also stores the response. So a
later attempt finds the response, or that nothing was done. If the method fails, its work is undone and the claim is
released: no rejection is stored, and the same key may be used again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from typing import Any

import falcon
import peewee

from ..access.callers import Caller, current_caller
from ..common.errors import ApiError, BadRequest, Conflict, NotFound, Unavailable, Unprocessable, shown
from ..common.request_state import RequestState
from ..common.settings import settings
from ..contract.api import RawBody, Upload
from ..contract.catalogue import Operation, catalogue
from ..storage.claims import Answer, Found, take
from ..storage.database import transaction
from ..storage.error_kinds import OutcomeUnknown
from ..storage.model import Model, meta_of
from .answers import write_warnings

#: the header in the environment of a request
VARIABLE = "HTTP_IDEMPOTENCY_KEY"
#: the header of a response that was stored
REPLAYED = "Idempotency-Replayed"
MAX_KEY_CHARS = 255
#: bytes of a stored response before and after compression; a BLOB of MariaDB has at most 65,535
MAX_BYTES, MAX_STORED_BYTES = 2**20, 60_000
#: seconds that a claim outlives the time-out of requests; by then its worker has been replaced
GRACE = 5

#: a string of structured fields without spaces, or a plain text; a comma would join two headers
_KEY = re.compile(r'"((?:[!#-\[\]-~]|\\["\\])+)"|([!#-+\--:<-\[\]-~]+)')


def read_key(header: str) -> str:
    """Return the key in a header.

    :raises BadRequest: it has none
    """
    found = _KEY.fullmatch(header.strip(" \t"))
    key = re.sub(r"\\(.)", r"\1", found[1] or found[2]) if found else ""
    if not 1 <= len(key) <= MAX_KEY_CHARS:
        reason = (
            f"expected 1 to {MAX_KEY_CHARS} visible ASCII characters in quotes, such as "
            f'"8e03978e-40d5-43dd-bc93-6894a57f9324"; got {shown(header)}'
        )
        raise BadRequest(errors=[("Idempotency-Key", reason)])
    return key


def answer_once(
    request: falcon.Request,
    response: falcon.Response,
    state: RequestState,
    operation: Operation,
    path: Mapping[str, str],
    body: Any,
    call: Callable[[], Any],
    write: Callable[[Any], None],
) -> None:
    """Respond to a request that has an `Idempotency-Key`.

    :param path: the values in the path
    :param body: its body, as read
    :param call: does the work and returns its result
    :param write: writes a result into the response
    :raises BadRequest: the header has no key
    :raises Conflict: the first request is running, or its response isn't stored
    :raises NotFound: the caller may no longer read the records of the stored response
    :raises Unprocessable: another request was made with the key
    """
    key, manner = "", operation.annotation.idempotency
    if operation.takes_idempotency_key:
        key = read_key(request.env[VARIABLE])
    if not key or not state.caller.id:
        # Without a user, callers can't be distinguished
        state.warnings.append(f"Idempotency-Key is ignored {'without an API key' if key else 'by this operation'}")
        write(call())
        return
    digest = hashlib.sha256(f"{state.caller.id} {key}".encode()).hexdigest()
    fingerprint = fingerprint_of(request, state.caller, key, body)
    claim = take(state.caller.id, digest, fingerprint, settings().timeout + GRACE)
    if isinstance(claim, Found):
        if claim.fingerprint != fingerprint:
            raise Unprocessable(
                "this Idempotency-Key was used with a different path, query or body, or with an API key that has "
                "different permissions; use a new Idempotency-Key",
                reason="key_reused",
            )
        _replay(response, claim, operation, path, body)
        return
    try:
        with nullcontext() if manner == "apart" else transaction():
            result = call()
            write(result)
            before, stored = _side_effects(state), _stored(response, manner)
            if not claim.settle(stored) and manner != "apart":
                message = "another request with this Idempotency-Key has taken over; this one changed nothing"
                raise Conflict(message, reason="same_key_running")
    except BaseException as error:
        # A settled claim was committed and stays; the failure came later
        claim.release()
        response._headers.clear()
        if isinstance(error, OutcomeUnknown) and manner != "apart":
            message = "the connection to the database was lost; repeat the request with the same Idempotency-Key"
            raise Unavailable(message, headers={"Retry-After": "1"}) from error
        raise
    if _side_effects(state) != before:
        # Late handlers have run after the commit
        _write_again(response, state, result, write)
        if (again := _stored(response, manner)) != stored:
            with suppress(peewee.PeeweeException):
                claim.settle(again)


def fingerprint_of(request: falcon.Request, caller: Caller, key: str, body: Any) -> str:
    """Return a digest of everything that makes two requests the same.

    It is made with the key, which isn't stored, because the values of a body can be guessed. It has the values of the
    body and not its bytes, because the boundary of a multipart body differs each time.
    """
    rights = caller.restriction.rights
    limits = None if rights is None else sorted(rights)
    parts = [request.method, request.path, request.query_string, limits, caller.socid, body]
    text = json.dumps(parts, sort_keys=True, default=_plain)
    return hmac.digest(key.encode(), text.encode(), "sha256").hex()


def _plain(value: Any) -> Any:
    if isinstance(value, Upload):
        return ["file", value.name, value.content_type, hashlib.sha256(value.content).hexdigest()]
    if isinstance(value, RawBody):
        # Other headers may have the time of the attempt
        return ["raw", value.headers.get("Content-Type", ""), hashlib.sha256(value.content).hexdigest()]
    return repr(value)


def _replay(
    response: falcon.Response,
    found: Found,
    operation: Operation,
    path: Mapping[str, str],
    body: Any,
) -> None:
    """Write the stored response."""
    answer = found.answer
    if answer is None:
        message = "the first request with this Idempotency-Key is still running; try again in a second"
        raise Conflict(message, reason="same_key_running", headers={"Retry-After": "1"})
    done = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(found.created))
    if answer.headers is None:
        reason = "contains a secret" if operation.annotation.idempotency == "secret" else "is a file or too large"
        message = f"the first request made this change at {done}; its response isn't stored, because it {reason}"
        raise Conflict(message, reason="response_not_stored", details={"done": True})
    content = zlib.decompress(answer.body or b"")
    _ensure_readable(operation, path, body, content, done)
    response.status = answer.status
    response.set_headers(json.loads(answer.headers))
    response.set_header(REPLAYED, "true")
    response.data = content


def _stored(response: falcon.Response, manner: str | None) -> Answer:
    """Return a response as it is stored; only its status if it has a secret or is large."""
    status, content = response.status_code, response.data or b""
    if manner == "secret" or response.stream is not None or len(content) > MAX_BYTES:
        return Answer(status)
    packed = zlib.compress(content, 1)
    return Answer(status, json.dumps(response.headers), packed) if len(packed) <= MAX_STORED_BYTES else Answer(status)


def _side_effects(state: RequestState) -> tuple[object, ...]:
    """Return what changes if a handler does something that the response shows."""
    notified = None if state.notified is None else id(state.notified.record)
    return state.writes, notified, len(state.warnings), dict(state.headers)


def _write_again(response: falcon.Response, state: RequestState, result: Any, write: Callable[[Any], None]) -> None:
    """Write a response again, with the record and the warnings that late handlers have left."""
    record, read = state.read or (None, None)
    if read is not None and record is result:
        # If the record is no longer readable, the first response stays
        with suppress(ApiError, peewee.PeeweeException):
            write(read())
            return
    write_warnings(response, state)


def _ensure_readable(operation: Operation, path: Mapping[str, str], body: Any, content: bytes, done: str) -> None:
    """Check that the caller may still read the records that a stored response is about.

    That is the record whose ID begins the path below the service; otherwise the records that the response has, or whose
    IDs it has. The records that a batch has deleted are skipped.

    :param content: the response
    :param done: the time of the first request, for the message
    :raises NotFound: a record is deleted, or the caller may not see it
    :raises Unavailable: the service is gone
    :raises Unauthorized: the caller lacks the permission of an entry that a batch has done
    """
    own = operation.own_segments
    variable = [*(operation.segments if own is None else own), ""][0]
    in_path = variable.startswith("{")
    service = catalogue().services.get(operation.service if in_path and own is None else operation.origin)
    if service is None:
        raise Unavailable("the service was reloaded during the request; try again", headers={"Retry-After": "1"})
    if (records := service.records) is None or not records.select_plan().is_numbered:
        return
    if in_path:
        about = [path[variable[1:-1]]] if operation.takes_id(variable) else []
    elif operation.entries:
        about = _in_batch(operation, body, content)
    else:
        about = _in_answer(operation, records.model, content)
    ids = set(map(int, about))
    if ids and len(records.rows({meta_of(records.model).primary_key.name: ids})) < len(ids):
        message = f"{records.noun} not found; the first request succeeded at {done}, and this one changed nothing"
        raise NotFound(message, details={"done": True})


def _in_batch(operation: Operation, body: Any, content: bytes) -> list[Any]:
    entries = body["entries"] if isinstance(body, dict) else body
    done = [pair for pair in zip(entries, json.loads(content)["results"], strict=True) if "result" in pair[1]]
    caller: Any = current_caller()
    for each in operation.entries:
        if each.permission is not None and each.verb in {entry["method"] for entry, _ in done}:
            caller.require(each.permission)
    kept = [(entry, answer) for entry, answer in done if entry["method"] != "DELETE"]
    return [found for entry, answer in kept for found in _id_of(entry if "id" in entry else answer["result"])]


def _in_answer(operation: Operation, model: type[Model], content: bytes) -> list[Any]:
    try:
        answer = json.loads(content)
    except ValueError:
        # It is a text, or empty
        return []
    is_of_service = operation.own_segments == ()
    if isinstance(answer, int) or (is_of_service and operation.result is int):
        # A POST to the service returns the new record, or its ID; another number may mean anything
        return _id_of(answer) if is_of_service else []
    shape = operation.shape
    if shape is None or meta_of(shape.model).table_name != meta_of(model).table_name:
        return []
    return [found for each in (answer if isinstance(answer, list) else [answer]) for found in _id_of(each)]


def _id_of(record: Any) -> list[Any]:
    """Return the ID that a record has, or is; the profile may have it as a text."""
    found = record.get("id") if isinstance(record, dict) else record
    is_id = isinstance(found, (int, str)) and not isinstance(found, bool) and str(found).isdecimal()
    return [found] if is_id else []
