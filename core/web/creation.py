"""The address of a new record in the header `Location`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..common.request_state import RequestState
from ..contract.catalogue import Operation
from .answers import PREFIX


class Creation:
    """The address of what an operation creates.

    :param depth: the number of parts of the path that its ID follows
    """

    __slots__ = ("_depth",)

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def note(self, path: str, state: RequestState, result: Any) -> None:
        """Set `Location`. It is relative, because a proxy may remove a prefix from the path."""
        identifier = result.get("id") if isinstance(result, dict) else result
        if isinstance(identifier, bool) or not isinstance(identifier, (int, str)):
            return
        if path[: len(PREFIX)].lower() == PREFIX:
            path = path[len(PREFIX) :]
        parts = [each for each in path.split("/") if each][: self._depth]
        state.headers["Location"] = f"{'../' * (path.count('/') - 1)}{'/'.join([*parts, str(identifier)])}"


def with_creations(operations: Iterable[Operation], records: Any) -> list[Operation]:
    """Return operations, those that create a record marked as such, and let their endpoints use it.

    :param records: the records that the class serves; None: none
    """
    found = list(operations)
    reads = {each.template.lower(): each for each in found if each.verb == "GET" and not each.is_mounted}
    for at, each in enumerate(found):
        if each.verb != "POST" or each.is_mounted or each.entries:
            continue
        reading, depth = _read_after(each, reads), 1 + len(each.segments)
        if reading is None and _makes_a_record(each, records):
            reading = next((read for read in reads.values() if _reads_by_id(read, 1)), None)
            depth = 1
        endpoint: Any = each.respond
        if reading is not None:
            endpoint.creation = Creation(depth)
            found[at] = replace(each, creates=True)
    return found


def _read_after(operation: Operation, reads: dict[str, Operation]) -> Operation | None:
    """Return the operation that reads a record at an operation's path and an ID."""
    prefix = f"{operation.template.lower()}/{{"
    depth = len(operation.segments) + 1
    return next((read for path, read in reads.items() if path.startswith(prefix) and _reads_by_id(read, depth)), None)


def _reads_by_id(operation: Operation, depth: int) -> bool:
    """Return whether the last part of an operation's path is an ID, and the number of parts is given."""
    if len(operation.segments) != depth:
        return False
    name = operation.segments[-1][1:-1]
    return any(each.name == name and each.place == "path" and each.type is int for each in operation.inputs)


def _makes_a_record(operation: Operation, records: Any) -> bool:
    """Return whether an operation below a word, such as ``createfromorder/{id}``, returns a record of the service."""
    shape = operation.shape
    if records is None or shape is None or shape.is_list or not operation.segments:
        return False
    return operation.segments[0].lower().startswith("create") and shape.model is records.model
