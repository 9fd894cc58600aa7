"""Records as a user may read them: for modules that hand records over to others, such as by webhooks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from ..access.callers import ANONYMOUS, Caller, current_caller
from ..access.keys import caller_of
from ..common import request_state
from ..common.errors import ApiError, NotFound, NotLoadable, Unauthorized
from ..contract.catalogue import Catalogue, Operation, cached_per_catalogue, current_catalogue
from ..storage.database import ensure_connected
from ..storage.model import meta_of


@contextmanager
def acting_as(user: int) -> Iterator[Caller]:
    """Act with a user's permissions: `current_caller()`, row rules and hidden fields are the user's.

    Use it to read; what is written meanwhile is recorded as a change of this user.

    :param user: the user's ID
    :raises Unauthorized: there is no such user, or the user is disabled
    """
    ensure_connected()
    caller = caller_of(user)
    if caller is None:
        raise Unauthorized(f"user {user} doesn't exist or is disabled")
    with request_state.acting_as(caller):
        yield caller


def read_record(service: str, id: int) -> dict[str, Any]:
    """Return a record as ``GET <service>/{id}`` returns it to the current caller, as plain JSON data.

    :param service: such as ``"orders"``
    :raises NotFound: there is no such record, the caller may not see it, or the service can't read one
    :raises Unauthorized: the caller lacks the permission
    :raises ApiError: with the status 501: the service can't be loaded
    """
    operation = _reading().get(service)
    if operation is None and current_catalogue.value.failed(service) is not None:
        raise NotLoadable(f"{service} can't be loaded")
    if operation is None:
        raise NotFound(f"{service} has no operation that reads a record")
    _admit(operation)
    endpoint: Any = operation.respond
    return orjson.loads(orjson.dumps(endpoint.entry({operation.segments[-1].strip("{}"): str(id)}, None)()))  # type: ignore[no-any-return]


def readable(service: str, ids: Collection[int]) -> set[int]:
    """Return those of some records that the current caller may read.

    :param service: such as ``"orders"``; of a service that can't read one record, only administrators may read any
    """
    caller, operation = current_caller(), _reading().get(service)
    if operation is None:
        return {*ids} if caller is None or caller.oversees else set()
    try:
        _admit(operation)
    except Unauthorized:
        return set()
    records = current_catalogue.value.services[service].records
    # Without a permission, the method decides itself
    if records is None or not records.expandable or operation.permission is None:
        return {each for each in ids if _may_read(service, each)}
    key = meta_of(records.model).primary_key.name
    return {int(getattr(row, key)) for row in records.rows({key: [*ids]})} if ids else set()


@cached_per_catalogue
def _reading(served: Catalogue) -> dict[str, Operation]:
    """Return the operation of each service that reads a record by its ID."""
    return {
        service: each
        for service, operations in served.operations_by_origin.items()
        for each in operations
        if each.reads_record
    }


def _admit(operation: Operation) -> None:
    caller = current_caller()
    if caller is not None and operation.permission is not None:
        caller.require(operation.permission)
    if caller is ANONYMOUS and operation.access == "protected":
        raise Unauthorized("an API key is required")


def _may_read(service: str, id: int) -> bool:
    try:
        read_record(service, id)
    except ApiError:
        return False
    return True
