"""The batch of every service: a route beside those that write a record, unless the author has written one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..access.callers import ADMINISTRATORS, Permission
from ..contract.api import File
from ..contract.catalogue import Operation
from ..contract.routes import WHOLE_BODY
from ..records.bulk import WRITING
from ..records.records import Records
from ..web.batch import Batch, BatchAnswer
from .importing import LoadError

NAME = "batch"

_DOC = """Create, update and delete many records.

An entry is `{"method": "POST", "body": {…}}`, `{"method": "PATCH", "id": 5, "body": {…}}` or `{"method": "DELETE",
"id": 7}`, optionally with the record's tag as `if_match`. Each entry does what the operation with that method does,
with the same body and permissions. Returns the result of each entry, in order. If entries are malformed, the response
lists all of them, and nothing is changed.

:url: POST batch
:param entries: the operations, in order
:param atomic: true: all or nothing, the first failure undoes everything, and the response gives its number from 0 as
    `entry`; false: a failed entry is reported in its place, and the others are done
:raises BadRequest: an entry is malformed, or there are too many; nothing was changed
:raises Unavailable: the time limit for a batch ran out; nothing was changed
:strict:
%(more)s
"""


def batch_class(api_class: type, operations: Iterable[Operation]) -> tuple[Any, tuple[Operation, ...]] | None:
    """A class with the method `batch`, and the operations that its entries ask for; None: none is due.

    :raises LoadError: `bulk_create` is declared, and can't be kept
    """
    operations = tuple(operations)
    if any(_takes_its_place(each) for each in operations):
        return None
    entries = _entries(operations)
    if not entries:
        return None
    batch = Batch(entries, _bulk_records(api_class, entries))

    class Many:
        """Many records of a service at once."""

        def batch(self, entries: list, atomic: bool = True) -> BatchAnswer:  # type: ignore[type-arg]
            return batch.run(entries, atomic)

    permission = _permission(entries)
    more = [f":permission: {permission}" if permission else ":access: protected"]
    if any(each.annotation.idempotency == "secret" for each in entries):
        more.append(":idempotency: secret")
    Many.batch.__doc__ = _DOC % {"more": "\n".join(more)}
    return Many, entries


def _takes_its_place(operation: Operation) -> bool:
    """Whether an author's own operation answers ``POST /<service>/batch``."""
    if operation.verb != "POST" or operation.is_guest or len(operation.segments) != 1:
        return False
    (segment,) = operation.segments
    texts = {each.name for each in operation.inputs if each.type not in (int, float)}
    return segment.lower() == NAME or segment == "*" or segment[1:-1] in texts


def _entries(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """What creates, changes and deletes one record, one for each verb."""
    found: dict[str, Operation] = {}
    for each in operations:
        if not each.is_guest and _is_of_one(each) and _fits(each):
            found.setdefault(each.verb, each)
    return tuple(found.values())


def _is_of_one(operation: Operation) -> bool:
    if operation.verb == "POST":
        return not operation.segments
    return (
        operation.verb in ("PUT", "PATCH", "DELETE")
        and len(operation.segments) == 1
        and operation.segments[0].startswith("{")
    )


def _fits(operation: Operation) -> bool:
    """Whether an entry can say all that an operation takes, and be undone with the others."""
    return (
        operation.access == "protected"
        and operation.annotation.idempotency != "apart"
        and operation.result is not File
        and not any(each.required and each.place in ("query", "head") for each in operation.inputs)
    )


def _permission(entries: Iterable[Operation]) -> str:
    """The right to ask for any of the entries; each asks for its own besides. Empty: some need none."""
    texts: dict[str, Permission] = {}
    for each in entries:
        if each.permission is None:
            return ""
        texts[each.permission.text] = each.permission
    # They hold every right
    return " or ".join(text for text in texts if text != ADMINISTRATORS.text) or ADMINISTRATORS.text


def _bulk_records(api_class: type, entries: Iterable[Operation]) -> Records[Any] | None:
    """Return the records that are created together in a batch, as `Api.bulk_create` declares; None: one by one.

    :raises LoadError: the class declares it, but can't keep it
    """
    operation = next((each for each in entries if each.verb == "POST"), None)
    if operation is None or not getattr(api_class, "bulk_create", False):
        return None
    declares, creates = (
        next(each for each in api_class.__mro__ if name in vars(each)) for name in ("bulk_create", operation.name)
    )
    if creates is not declares and issubclass(creates, declares):
        # A subclass of the class that declares it overrides the method, which may do more
        return None
    records, place = getattr(api_class, "records", None), f"{api_class.__name__}.bulk_create"
    if not isinstance(records, Records):
        raise LoadError(f"{place}: expected the class to have records, such as `records = cards`")
    if [each.name for each in operation.inputs] != [WHOLE_BODY]:
        raise LoadError(f"{place}: expected {operation.name}(self, {WHOLE_BODY}), without other parameters")
    if operation.result is not int:
        raise LoadError(f"{place}: expected {operation.name} to return the ID: -> int")
    own = [name for name in WRITING if not records.keeps(name)]
    if own:
        raise LoadError(f"{place}: expected records without their own {' and '.join(own)}; use `prepare`")
    return records
