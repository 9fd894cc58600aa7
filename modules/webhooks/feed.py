"""The feed of events: stored with each change, numbered once they are committed, read by their numbers.

IDs don't follow the commits: a transaction that began earlier may end later. So a committed event gets its number
afterwards, and a reader who follows the numbers misses none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from core import (
    ApiError,
    Records,
    SentEvent,
    current_caller,
    query,
    read_record,
    readable,
    setting,
    transaction,
)
from core.for_natives import current_user_id, execute, unix_now, untracked_writes

from .models import Feed
from .patterns import Patterns, condition_of

#: rows of one INSERT; SQLite binds 32,766 values
ROWS = 1000
#: events that one statement numbers or removes
PORTION = 200
#: bytes of the details of one event: the type of the column holds 64 kB on MariaDB
MAX_DETAIL = 60_000
#: characters of a noted value
MAX_CHARS = 2_000
#: ID of each user who may see a record → the record as that user reads it; None: it isn't needed
Seen = dict[int, Any]

_COLUMNS = "service, event, record, moment, fk_user, detail"
_ROW = "(?, ?, ?, ?, ?, ?)"
_READ = "SELECT rowid, number, service, event, record, moment, fk_user, detail FROM comptoir_event"


class FeedEvent(NamedTuple):
    """An event of the feed."""

    id: int
    number: int
    service: str
    event: str
    record: int | None
    moment: int
    user: int | None
    detail: str

    @property
    def name(self) -> str:
        """Return service and event, such as ``orders.validated``."""
        return f"{self.service}.{self.event}"

    @property
    def details(self) -> dict[str, Any]:
        """Return the old and new values, or who could see a deleted record."""
        found: dict[str, Any] = json.loads(self.detail) if self.detail else {}
        return found


# Store ----------------------------------------------------------------------------------------------------------------


def begin() -> None:
    """Create the row of the feed."""
    Feed.create(id=1)


def store(events: Iterable[SentEvent], seen: Callable[[str, int | None], Seen]) -> None:
    """Store the events of a transaction, in the same transaction; with one statement.

    :param seen: returns the users who may see a record that is deleted
    """
    rows = [
        (
            each.service,
            each.event,
            each.id,
            _deletion_detail(seen(each.service, each.id)) if each.event == "deleted" else _detail_of(each),
        )
        for each in events
    ]
    moment, user = unix_now(), current_user_id()
    for first in range(0, len(rows), ROWS):
        some = rows[first : first + ROWS]
        values = [value for *names, detail in some for value in (*names, moment, user, detail)]
        # The record that the response has is the same after it
        with untracked_writes():
            execute(f"INSERT INTO comptoir_event ({_COLUMNS}) VALUES {', '.join([_ROW] * len(some))}", values)


def _deletion_detail(seen: Seen) -> str:
    """Return the users who may see a record, each with the place of what they read; equal records are stored once."""
    records: list[Any] = []
    places: dict[int, int | None] = {}
    for user, record in seen.items():
        if record is not None and record not in records:
            records.append(record)
        places[user] = None if record is None else records.index(record)
    text = json.dumps({"seen": places, "records": records})
    return text if len(text) <= MAX_DETAIL else json.dumps({"seen": dict.fromkeys(places), "records": []})


def _detail_of(event: SentEvent) -> str:
    details: dict[str, Any] = {}
    if event.record is not None:
        details["record"] = event.record
    text = ""
    for most in (MAX_CHARS, MAX_CHARS // 20):
        if event.after:
            details |= {"before": _shortened(event.before, most), "after": _shortened(event.after, most)}
        text = json.dumps(details, default=str) if details else ""
        if len(text) <= MAX_DETAIL:
            return text
    return ""


def _shortened(values: Mapping[str, Any], most: int) -> dict[str, Any]:
    return {
        name: f"{each[:most]}…" if isinstance(each, str) and len(each) > most else each for name, each in values.items()
    }


# Number and remove ----------------------------------------------------------------------------------------------------

feeds = Records(Feed)


def number_events() -> int:
    """Number the committed events that have no number yet; return the last number."""
    while query("SELECT 1 FROM comptoir_event WHERE number IS NULL LIMIT 1"):
        _number_some()
    return last_number()


def _number_some() -> None:
    with transaction():
        # The lock comes first: one numbering sees what the one before has done
        last = feeds.load(1, lock=True).last
        rows = query("SELECT rowid FROM comptoir_event WHERE number IS NULL ORDER BY rowid LIMIT ?", (10 * PORTION,))
        for first in range(0, len(rows), PORTION):
            ids = [identifier for (identifier,) in rows[first : first + PORTION]]
            cases = [value for place, each in enumerate(ids, last + 1) for value in (each, place)]
            last += len(ids)
            execute(
                f"UPDATE comptoir_event SET number = CASE rowid {' '.join(['WHEN ? THEN ?'] * len(ids))} END "
                f"WHERE rowid IN ({', '.join('?' * len(ids))})",
                [*cases, *ids],
            )
        feeds.write_unchecked(1, last=last)


def last_number() -> int:
    """Return the last number."""
    return int(query("SELECT last FROM comptoir_event_feed WHERE rowid = 1")[0][0])


def pruned_number() -> int:
    """Return the last number that was removed."""
    return int(query("SELECT pruned FROM comptoir_event_feed WHERE rowid = 1")[0][0])


def last_old_number() -> int:
    """Return the number up to which all events are old enough to be removed."""
    oldest = unix_now() - setting("webhooks.days") * 86_400
    kept = query(
        "SELECT number FROM comptoir_event WHERE number IS NOT NULL AND moment >= ? ORDER BY number LIMIT 1", (oldest,)
    )
    return int(kept[0][0]) - 1 if kept else last_number()


def remove_events(until: int) -> None:
    """Remove the events up to a number, and their deliveries."""
    first = pruned_number()
    while first < until:
        first = min(first + PORTION, until)
        with transaction():
            execute("DELETE FROM comptoir_event WHERE number <= ?", (first,))
            execute("DELETE FROM comptoir_webhook_delivery WHERE number <= ? AND state <> 'waiting'", (first,))
            feeds.write_unchecked(1, pruned=first)


# Read -----------------------------------------------------------------------------------------------------------------


def events_between(number: int, last: int, patterns: Patterns, most: int) -> list[FeedEvent]:
    """Return the next events after a number and up to another, in their order."""
    condition, values = condition_of(patterns)
    sql = f"{_READ} WHERE number > ? AND number <= ? AND {condition} ORDER BY number LIMIT ?"
    return [FeedEvent(*row) for row in query(sql, (number, last, *values, most))]


def count_events(first: int, last: int, patterns: Patterns) -> int:
    """Return how many events there are after one number and up to another."""
    condition, values = condition_of(patterns)
    sql = f"SELECT COUNT(*) FROM comptoir_event WHERE number > ? AND number <= ? AND {condition}"
    return int(query(sql, (first, last, *values))[0][0])


def event_with(number: int) -> FeedEvent | None:
    """Return the event with a number; None: it was removed."""
    rows = query(f"{_READ} WHERE number = ?", (number,))
    return FeedEvent(*rows[0]) if rows else None


def deletions_of(service: str, records: Collection[int]) -> dict[int, dict[str, Any]]:
    """Return the users who could see deleted records: ID of the record → ID of each user, as text → what the user read.

    The last is None for a reader of the changes.
    """
    marks = ", ".join("?" * len(records))
    sql = f"SELECT record, detail FROM comptoir_event WHERE service = ? AND event = 'deleted' AND record IN ({marks})"
    rows = query(sql, (service, *records)) if records else []
    return {record: readers_in(json.loads(detail)) for record, detail in rows}


def readers_in(details: dict[str, Any]) -> dict[str, Any]:
    """Return the users who could see a deleted record, by ID as text, each with the record as the user read it."""
    records = details["records"]
    return {user: None if place is None else records[place] for user, place in details["seen"].items()}


def visible_events(events: Sequence[FeedEvent]) -> list[FeedEvent]:
    """Return those of some events whose records the caller may see, or might have seen before they were deleted."""
    caller = current_caller()
    seen: set[tuple[str, int | None]] = set()
    by_service: dict[str, set[int]] = {}
    for each in events:
        if each.record is not None:
            by_service.setdefault(each.service, set()).add(each.record)
        elif caller is None or caller.oversees:
            seen.add((each.service, None))
    for service, records in by_service.items():
        present = readable(service, records)
        seen |= {(service, each) for each in present}
        gone = deletions_of(service, records - present)
        if gone and _may_read(service, min(gone)):
            seen |= {(service, each) for each, users in gone.items() if _was_seen(users)}
    return [each for each in events if (each.service, each.record) in seen]


def _may_read(service: str, gone: int) -> bool:
    """Return whether the caller has the permission to read records of a service.

    :param gone: the ID of a deleted one
    """
    try:
        read_record(service, gone)
    except ApiError as error:
        return error.status == 404
    return True


def _was_seen(users: dict[str, Any]) -> bool:
    caller = current_caller()
    return caller is None or caller.oversees or str(caller.id) in users
