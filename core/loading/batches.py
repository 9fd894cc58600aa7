"""The batch of every service: a route beside those that write a record, unless the author has written one."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterable
from typing import Any

from ..access.callers import ADMINISTRATORS, Permission
from ..contract.api import File
from ..contract.catalogue import Operation
from ..contract.routes import WHOLE_BODY
from ..records.records import Records
from ..web.batch import Batch, BatchAnswer, Manner

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
    """A class with the method `batch`, and the operations that its entries ask for; None: none is due."""
    operations = tuple(operations)
    if any(_takes_its_place(each) for each in operations):
        return None
    entries = _entries(operations)
    if not entries:
        return None
    manners = [_manner(api_class, each) for each in entries]

    class Many:
        """Many records of a service at once."""

        def batch(self, entries: list, atomic: bool = True) -> BatchAnswer:  # type: ignore[type-arg]
            return Batch(manners).run(entries, atomic)

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


# What only hands its body on -----------------------------------------------------------------------------------------


def _manner(api_class: type, operation: Operation) -> Manner:
    segments = operation.segments
    return Manner(
        operation.verb,
        segments[0][1:-1] if segments else "",
        operation.respond,  # type: ignore[arg-type]
        operation.permission,
        operation.status,
        any(each.place in ("whole", "body") for each in operation.inputs),
        _handed_on(api_class, operation),
    )


def _handed_on(api_class: type, operation: Operation) -> Records[Any] | None:
    """The records whose `create` a method calls with its body, if that is all that it does: many go at once then.

    What it does is read from what Python has made of it; of what is not known it is believed that it does more.
    """
    method: Any = getattr(api_class, operation.name)
    if operation.verb != "POST" or not inspect.isfunction(method):
        return None
    steps = [(each.opname, each.argval) for each in dis.get_instructions(method) if each.opname not in _NOISE]
    names = [name for opname, name in steps if opname in ("LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD")]
    loaded = [name for opname, name in steps if opname.startswith("LOAD_FAST")]
    if [opname for opname, _ in steps if not opname.startswith("LOAD")] != ["CALL", "RETURN_VALUE"]:
        return None
    if len(steps) != len(names) + len(loaded) + 2 or ("CALL", 1) not in steps or names[-1:] != ["create"]:
        return None
    found: Any = None
    if len(names) == 2 and loaded == [WHOLE_BODY]:
        found = method.__globals__.get(names[0]) if steps[0][0] == "LOAD_GLOBAL" else None
    elif len(names) == 2 and loaded == ["self", WHOLE_BODY] and steps[0][0] != "LOAD_GLOBAL":
        found = getattr(api_class, names[0], None)
    return found if isinstance(found, Records) and found.is_plain else None


#: steps that say nothing of what is done
_NOISE = ("RESUME", "PUSH_NULL", "PRECALL", "CACHE", "NOP")
