"""The reasons of errors: stable words that a client compares, each with its meaning.

`error_body` writes one into every error. The OpenAPI documents and the guide list them from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: word → meaning; `state_reasons` makes those of states, such as `not_draft`
REASONS: dict[str, str] = {
    # The request
    "invalid_value": "a value is invalid; `errors` lists the fields",
    "missing_field": "a required value is missing; `errors` lists the fields",
    "unknown_field": "a field or parameter doesn't exist; `errors` lists them",
    "not_acceptable": "the server can't return a format in the `Accept` header",
    "too_large": "the body is larger than the limit",
    "unsupported_type": "the server doesn't accept this type of body",
    # The caller
    "missing_key": "the request has no API key",
    "invalid_key": "the API key is invalid, has expired, or can't be used from this address",
    "login_rejected": "wrong login or password, or login is disabled",
    "missing_permission": "the caller lacks a permission",
    "forbidden": "the API doesn't allow this, whatever your permissions",
    "too_many_requests": "a limit of requests is reached; `Retry-After` is the number of seconds to wait",
    # The URL and the record
    "unknown_path": "no operation has this path",
    "wrong_method": "the path doesn't have this method; the header `Allow` lists its methods",
    "not_found": "the record, or one that it references, doesn't exist or is invisible to the caller",
    "ambiguous": "several records have this value; use the ID",
    "changed_meanwhile": "the record has changed since you read it",
    # Idempotency keys
    "same_key_running": "the first request with this `Idempotency-Key` is still running",
    "key_reused": "this `Idempotency-Key` was used for a different request",
    "response_not_stored": "the first request with this `Idempotency-Key` was done; its response isn't stored",
    # The state of the record
    "already_done": "it was done before",
    "wrong_state": "the record's state doesn't allow it; several other states do",
    "closed": "a record that it needs is closed",
    "locked": "the record, or the value, is final",
    "expired": "the key has expired",
    "in_use": "other records use it",
    "no_lines": "the document has no lines",
    "has_lines": "the document has lines",
    "has_payments": "the invoice has payments",
    "not_last": "only the last reference of a series can be deleted",
    "last_one": "this is the last or the default one, which must stay",
    # Values that don't go together
    "value_taken": "another record has this value",
    "wrong_type": "the type of a record doesn't allow it",
    "unfit_source": "the invoice that it replaces or credits can't be replaced or credited",
    "wrong_thirdparty": "a record belongs to another third party",
    "circular": "the record would contain itself",
    "too_much": "less is left, or a maximum is exceeded",
    "nothing_left": "nothing is left to do",
    "insufficient_stock": "a warehouse has too little stock",
    "incomplete": "the record, or one that it needs, lacks a value",
    "not_configured": "a setting of the server is missing or invalid",
    "refused": "the message gives the reason",
    # The server
    "request_timeout": "the request didn't arrive in time",
    "server_error": "an unexpected error",
    "not_loadable": "the service's file can't be loaded",
    "bad_gateway": "another server, which the operation needs, gave no valid response in time",
    "unavailable": "the server or the database can't do this now; `Retry-After` is the number of seconds to wait",
    "disk_full": "a disk of the server is full",
}

#: the reason of a status, unless the error has its own
_OF_STATUS = {
    400: "invalid_value",
    401: "missing_permission",
    403: "forbidden",
    404: "not_found",
    406: "not_acceptable",
    408: "request_timeout",
    409: "ambiguous",
    412: "changed_meanwhile",
    413: "too_large",
    414: "too_large",
    415: "unsupported_type",
    429: "too_many_requests",
    431: "too_large",
    501: "not_loadable",
    502: "bad_gateway",
    503: "unavailable",
    507: "disk_full",
}


def reason_of_status(status: int) -> str:
    """Return the reason of an error that has none of its own."""
    return _OF_STATUS.get(status) or ("server_error" if status >= 500 else "refused")


def state_reasons(transitions: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the reasons that the states of records can have, each with its meaning.

    :param transitions: source, name and target of each; states may end with their number, as in ``draft (0)``
    """
    shown = [each for source, _, target in transitions for each in (source, target)]
    for state in dict.fromkeys(each.rpartition(" (")[0] or each for each in shown):
        word = state.replace(" ", "_")
        yield f"already_{word}", f"the record is already in the state {state}"
        yield f"not_{word}", f"the record must be in the state {state}"
