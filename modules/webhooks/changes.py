"""The changes that a client follows with a cursor."""

from __future__ import annotations

import threading
import time
from itertools import takewhile
from typing import Annotated, TypedDict

from core import ApiError, BadRequest, current_caller
from core.for_natives import catalogue, pause, settings

from .feed import FeedEvent, events_between, last_number, pruned_number, visible_events
from .followers import follow
from .patterns import Patterns, read_patterns

#: numbers that one request looks at, and events that it reads at once
MOST_LOOKED_AT, AT_ONCE = 5_000, 500
#: requests of a worker that wait for changes at the same time; others get an empty page at once
WAITING_REQUESTS = threading.BoundedSemaphore(2)
#: seconds between two looks for changes
PAUSE = 0.25
#: seconds before COMPTOIR_TIMEOUT at which a request ends its wait
MARGIN = 5


class Change(TypedDict):
    """An event of a record."""

    number: Annotated[int, "its place in the order of the commits"]
    type: Annotated[str, "service and event, such as orders.validated"]
    service: Annotated[str, "the service that sent it"]
    event: Annotated[str, "such as created, changed, deleted or validated"]
    id: Annotated[int | None, "ID of the record; null: the event has none"]
    moment: Annotated[int, "when, in Unix seconds"]
    user: Annotated[int | None, "ID of the user who caused it; null: the server"]


class Changes(TypedDict):
    """A page of changes."""

    cursor: Annotated[int, "send it as `since` to get the next changes"]
    changes: Annotated[list[Change], "in the order of the commits"]


def changes_since(since: int | None, events: str, limit: int, wait: int) -> Changes:
    """Return the changes after a cursor that the caller may see.

    :param since: None: no changes, only the present cursor
    :raises ApiError: with the status 410: some of the changes are no longer kept
    """
    began = time.monotonic()
    patterns = _patterns_of(events)
    follow()
    if since is None:
        return {"cursor": last_number(), "changes": []}
    if since > (last := last_number()):
        raise BadRequest(errors=[("since", f"expected a cursor of this server, at most {last}, got {since}")])
    found = _next_changes(since, patterns, limit)
    # Afterwards: some may have been removed meanwhile
    if since < pruned_number():
        raise ApiError(
            "changes after this cursor are no longer kept; read the lists again, with a new cursor", status=410,
            reason="expired",
        )  # fmt: skip
    if found["changes"] or not wait or not WAITING_REQUESTS.acquire(blocking=False):
        return found
    try:
        # A request that takes longer than the timeout ends its worker
        ends = began + min(wait, settings().timeout - MARGIN)
        while not found["changes"] and time.monotonic() < ends and not pause(PAUSE):
            if last_number() > found["cursor"]:
                found = _next_changes(found["cursor"], patterns, limit)
    finally:
        WAITING_REQUESTS.release()
    return found


def _patterns_of(text: str) -> Patterns:
    try:
        return read_patterns(text or "*")
    except ValueError as error:
        raise BadRequest(errors=[("events", str(error))]) from None


def _next_changes(since: int, patterns: Patterns, limit: int) -> Changes:
    """Return the next changes; the cursor is behind everything that was looked at."""
    found: list[Change] = []
    cursor, until = since, min(last_number(), since + MOST_LOOKED_AT)
    while cursor < until:
        events = events_between(cursor, until, patterns, AT_ONCE)
        known = [*takewhile(_is_knowable, events)]
        for each in visible_events(known):
            if len(found) == limit:
                return {"cursor": found[-1]["number"], "changes": found}
            found.append(_shown(each))
        if len(known) < len(events):
            if not found:
                raise ApiError(f"the next change is of {events[len(known)].service}, which can't be loaded", status=501)
            return {"cursor": found[-1]["number"], "changes": found}
        cursor = events[-1].number if len(events) == AT_ONCE else until
    return {"cursor": cursor, "changes": found}


def _is_knowable(event: FeedEvent) -> bool:
    """Return whether it is known who may see an event: its service can be loaded, or the caller sees everything."""
    caller = current_caller()
    return caller is None or caller.oversees or catalogue().failed(event.service) is None


def _shown(event: FeedEvent) -> Change:
    return {
        "number": event.number, "type": event.name, "service": event.service, "event": event.event,
        "id": event.record, "moment": event.moment, "user": event.user,
    }  # fmt: skip
