"""The address of a new record in the header `Location`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..common.request_state import RequestState
from ..contract.catalogue import Operation
from .answers import PREFIX


def note_location(path: str, depth: int, state: RequestState, result: Any) -> None:
    """Set `Location`. It is relative, because a proxy may remove a prefix from the path.

    :param depth: the number of parts of the path that the ID follows
    """
    identifier = result.get("id") if isinstance(result, dict) else result
    if isinstance(identifier, (int, str)) and not isinstance(identifier, bool):
        below = path[len(PREFIX) :] if path[: len(PREFIX)].lower() == PREFIX else path
        parts = [each for each in below.split("/") if each][:depth]
        state.headers["Location"] = f"{'../' * (below.count('/') - 1)}{'/'.join([*parts, str(identifier)])}"


def with_creations(operations: Iterable[Operation], records: Any) -> list[Operation]:
    """Return operations, those that create a record marked as such, and let their endpoints set `Location`.

    :param records: the records that the class serves; None: none
    """
    found = list(operations)
    # The paths below which an ID leads to a record
    read = {each.template.lower().rpartition("/")[0] for each in found if _reads_by_id(each)}
    for at, each in enumerate(found):
        if each.verb != "POST" or each.is_mounted or each.entries:
            continue
        path = each.template.lower()
        if path not in read and _makes_a_record(each, records):
            path = f"/{each.service}"
        if path in read:
            endpoint: Any = each.respond
            endpoint.id_depth = path.count("/")
            found[at] = replace(each, creates=True)
    return found


def _reads_by_id(operation: Operation) -> bool:
    """Return whether an operation reads a record by the ID that is the last part of its path."""
    if operation.verb != "GET" or operation.is_mounted or not operation.segments:
        return False
    name = operation.segments[-1][1:-1]
    return any(each.name == name and each.place == "path" and each.type is int for each in operation.inputs)


def _makes_a_record(operation: Operation, records: Any) -> bool:
    """Return whether an operation below a word, such as ``createfromorder/{id}``, returns a record of the service."""
    shape = operation.shape
    if records is None or shape is None or shape.is_list or not operation.segments:
        return False
    return operation.segments[0].lower().startswith("create") and shape.model is records.model
