"""The feed of events: stored with each change, numbered once they are committed, read by their numbers.

IDs don't follow the commits: a transaction that began earlier may end later. So a committed event gets its number
afterwards, and a reader who follows the numbers misses none.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from core import (
    NotFound,
    Records,
    SentEvent,
    Unauthorized,
    current_caller,
    now,
    query,
    read_record,
    readable,
    setting,
    transaction,
)
from core.for_natives import current_user_id, execute, untracked_writes

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


def store(events: Iterable[SentEvent]) -> None:
    """Store the events of a transaction, in the same transaction; with one statement."""
    # Those of deletions are stored before the record is deleted
    rows = [(each.service, each.event, each.id, _detail_of(each)) for each in events if each.event != "deleted"]
    _insert(rows)


def store_deletion(service: str, record: int, seen: dict[int, Any]) -> None:
    """Store the event of a deletion, before the record is deleted.

    :param seen: ID of each user who may see the record → the record as that user reads it, None: it isn't needed
    """
    text = json.dumps({"seen": seen})
    if len(text) > MAX_DETAIL:
        text = json.dumps({"seen": dict.fromkeys(seen)})
    _insert([(service, "deleted", record, text)])


def _insert(rows: Sequence[tuple[str, str, int | None, str]]) -> None:
    moment, user = int(now().timestamp()), current_user_id()
    for first in range(0, len(rows), ROWS):
        some = rows[first : first + ROWS]
        values = [value for *names, detail in some for value in (*names, moment, user, detail)]
        # The record that the response has is the same after it
        with untracked_writes():
            execute(f"INSERT INTO comptoir_event ({_COLUMNS}) VALUES {', '.join([_ROW] * len(some))}", values)


def _detail_of(event: SentEvent) -> str:
    details: dict[str, Any] = {}
    if event.record is not None:
        details["record"] = event.record
    if event.after:
        details |= {"before": _shortened(event.before), "after": _shortened(event.after)}
    text = json.dumps(details, default=str) if details else ""
    return text if len(text) <= MAX_DETAIL else ""


def _shortened(values: Any) -> dict[str, Any]:
    return {
        name: f"{each[:MAX_CHARS]}…" if isinstance(each, str) and len(each) > MAX_CHARS else each
        for name, each in values.items()
    }


# Number and remove ----------------------------------------------------------------------------------------------------

feeds = Records(Feed)


def number_events() -> int:
    """Number the committed events that have no number yet; return the last number."""
    if not query("SELECT 1 FROM comptoir_event WHERE number IS NULL LIMIT 1"):
        return last_number()
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
    return int(last)


def last_number() -> int:
    """Return the last number."""
    return int(query("SELECT last FROM comptoir_event_feed WHERE rowid = 1")[0][0])


def pruned_number() -> int:
    """Return the last number that was removed."""
    return int(query("SELECT pruned FROM comptoir_event_feed WHERE rowid = 1")[0][0])


def last_old_number() -> int:
    """Return the number up to which all events are old enough to be removed."""
    oldest = int(now().timestamp()) - setting("webhooks.days") * 86_400
    kept = query(
        "SELECT number FROM comptoir_event WHERE number IS NOT NULL AND moment >= ? ORDER BY number LIMIT 1", (oldest,)
    )
    return int(kept[0][0]) - 1 if kept else last_number()


def remove_events(until: int) -> None:
    """Remove the events up to a number."""
    first = pruned_number()
    while first < until:
        first = min(first + PORTION, until)
        with transaction():
            execute("DELETE FROM comptoir_event WHERE number <= ?", (first,))
            feeds.write_unchecked(1, pruned=first)


# Read -----------------------------------------------------------------------------------------------------------------


def events_after(number: int, patterns: Patterns, most: int) -> list[FeedEvent]:
    """Return the next events after a number, in their order."""
    condition, values = condition_of(patterns)
    sql = f"{_READ} WHERE number > ? AND {condition} ORDER BY number LIMIT ?"
    return [FeedEvent(*row) for row in query(sql, (number, *values, most))]


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
    """Return who could see deleted records: ID of the record → ID of each user, as text, and what the user read."""
    marks = ", ".join("?" * len(records))
    sql = f"SELECT record, detail FROM comptoir_event WHERE service = ? AND event = 'deleted' AND record IN ({marks})"
    rows = query(sql, (service, *records)) if records else []
    return {record: json.loads(detail)["seen"] if detail else {} for record, detail in rows}


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
    except NotFound:
        return True
    except Unauthorized:
        return False
    return True


def _was_seen(users: dict[str, Any]) -> bool:
    caller = current_caller()
    return caller is None or caller.oversees or str(caller.id) in users
