"""Replayed answers: they go only to callers who may still read the records that they are about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..common.errors import NotFound
from ..contract.catalogue import Operation, catalogue
from ..storage.model import meta_of


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
        found = _in_path(operation, path, variable[1:-1])
    elif operation.entries:
        found = _in_batch(body, content)
    else:
        found = _in_answer(operation, records, content)
    ids = set(found)
    if ids and len(records.rows({meta_of(records.model).primary_key.name: ids})) < len(ids):
        message = f"{records.noun} not found; the first request succeeded at {done}, and this one changed nothing"
        raise NotFound(message, details={"done": True})


def _in_path(operation: Operation, path: Mapping[str, str], name: str) -> Iterator[int]:
    if any(each.name == name and each.type is int for each in operation.inputs):
        yield int(path[name])


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
