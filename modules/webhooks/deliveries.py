"""Deliveries: what a webhook gets, in which order, and when a failed one is repeated."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import peewee

from core import (
    ApiError,
    NotFound,
    Records,
    Refused,
    Unauthorized,
    acting_as,
    fetch,
    query,
    read_record,
    readable,
    transaction,
)
from core.for_natives import as_answered, catalogue, unix_now

from .feed import FeedEvent, count_events, deletions_of, event_with, events_between, last_number, readers_in
from .models import DELIVERED, GIVEN_UP, TEST, WAITING, Delivery, Webhook
from .patterns import stored_patterns
from .signing import headers_of
from .webhooks import secrets_of, webhooks

#: seconds that one job delivers to a webhook before others get its thread
TURN_SECONDS = 30
#: seconds after which another job takes over a webhook whose job has ended; a request takes 10 at most
LEASE = 60
#: the same while the job waits for a thread
QUEUED_LEASE = 3600
#: events that are read at once, and numbers that one search for them looks at
AT_ONCE, LOOKED_AT = 100, 5_000
#: seconds before the second request, the factor of each further pause, and the longest one
FIRST_PAUSE, GROWTH, LONGEST_PAUSE = 10, 3, 6 * 3600
#: requests that fail one after the other before the webhook waits as a whole, because its receiver may be down
FAILURES_OF_DOWN = 3
#: seconds after which a webhook that only fails is paused, and a single event that fails is given up
PATIENCE = 3 * 86_400
#: requests that fail, at least, before an event is given up or a webhook is paused: the server may have been stopped
LEAST_REQUESTS = 10
#: statuses of 400 to 499 that don't mean that a receiver rejects the event itself
RETRIED = (401, 403, 404, 408, 410, 425, 429)
#: the event with the number of those that were removed before they could be delivered
MISSED = "events.missed"


class Deliveries(Records[Delivery]):
    """Deliveries to the caller's webhooks."""

    model = Delivery
    service = "webhookdeliveries"
    noun = "Delivery"
    sort = "-t.rowid"

    def repeat(self, identifier: int) -> None:
        """Deliver an event again, now.

        :raises Refused: the event was removed, or it was a test
        """
        with transaction():
            # The webhook first, as everywhere
            webhooks.load(self.load(identifier).webhook, lock=True)
            row = self.load(identifier, lock=True)
            if (row.service, row.event) == TEST:
                raise Refused("a test is not repeated: send another one with POST /webhooks/{id}/test")
            if event_with(row.number) is None:
                raise Refused("the event is no longer kept", reason="expired")
            if row.state == WAITING:
                # Earlier events of the record come first; the receiver may work again
                webhooks.write_unchecked(row.webhook, retry_at=None)
                first = Delivery.select(Delivery.id).where(*_of_record(row.webhook, row)).order_by(Delivery.number)
                identifier = first.first().id if row.record is not None else identifier
            self.write_unchecked(identifier, state=WAITING, due=unix_now(), since=None, error="")


deliveries = Deliveries()


@dataclass(frozen=True)
class Answer:
    """The answer to a request: its status (None: there was none), and why it isn't a success."""

    status: int | None
    error: str = ""


def send(webhook: Any, name: str, moment: int, data: dict[str, Any], identifier: str) -> Answer:
    """Send an event to a webhook.

    :param identifier: the same for each attempt
    """
    body = {"type": name, "timestamp": datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "data": data}
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    headers = headers_of(secrets_of(webhook), identifier, unix_now(), content)
    try:
        response = fetch(webhook.url, method="POST", body=content, headers=headers)
    except ApiError as error:
        return Answer(None, error.message[:255])
    if 200 <= response.status < 300:
        return Answer(response.status)
    text = "redirects aren't followed" if 300 <= response.status < 400 else "expected a status from 200 to 299"
    return Answer(response.status, f"{text}, got {response.status}")


def data_of(event: FeedEvent, owner: int) -> dict[str, Any] | None:
    """Return what a user may know of an event; None: nothing.

    :raises Exception: the service can't return the record, for example because it can't be loaded
    """
    try:
        with acting_as(owner) as caller:
            details = event.details
            data: dict[str, Any] = {"id": event.record, "user": event.user, "record": None}
            if event.record is None:
                return data | {"record": details.get("record")} if caller.oversees else None
            if event.event == "deleted":
                seen = readers_in(details)
                if str(owner) not in seen:
                    return None
                with suppress(NotFound):
                    # Raises if the owner has lost the permission
                    read_record(event.service, event.record)
                return data | {"record": seen[str(owner)]}
            try:
                data["record"] = shown = read_record(event.service, event.record)
            except NotFound:
                seen = deletions_of(event.service, [event.record]).get(event.record, {})
                if str(owner) not in seen and not readable(event.service, [event.record]):
                    return None
                shown = seen.get(str(owner)) or {}
            for name in ("before", "after"):
                values = {key: each for key, each in details.get(name, {}).items() if _is_shown(key, shown)}
                data[name] = as_answered(_table_of(event.service), values)
            if caller.socid is not None:
                # External users can't read the history: the record may have been another customer's
                present = {key: each for key, each in data["after"].items() if shown.get(key) == each}
                data |= {"before": {}, "after": present}
            return data | ({"details": details["record"]} if "record" in details else {})
    except Unauthorized:
        return None


def _table_of(service: str) -> str:
    served = catalogue().services.get(service)
    return "" if served is None or served.records is None else str(served.records.model._meta.table_name)


def _is_shown(key: str, record: dict[str, Any]) -> bool:
    head, _, name = key.partition(".")
    return name in (record.get(head) or {}) if name else key in record


# Which webhook is due -------------------------------------------------------------------------------------------------

_DUE = """
    SELECT rowid FROM comptoir_webhook AS w WHERE active = 1 AND (held_until IS NULL OR held_until < ?)
    AND (retry_at IS NULL OR retry_at <= ?) AND (position < ? OR missed > 0 OR EXISTS (SELECT 1
    FROM comptoir_webhook_delivery AS d WHERE d.fk_webhook = w.rowid AND d.state = 'waiting' AND d.due <= ?))"""


def due_webhooks(last: int) -> list[int]:
    """Return the webhooks that have something to deliver now, and that no job works for.

    :param last: the last number of an event
    """
    seconds = unix_now()
    return [identifier for (identifier,) in query(_DUE, (seconds, seconds, last, seconds))]


def has_more(identifier: int, last: int) -> bool:
    """Return whether a webhook has something to deliver; events that it doesn't want are passed over.

    :param last: the last number of an event
    """
    row = Webhook.get_or_none(Webhook.id == identifier)
    if row is None or row.missed or _due_delivery(row) is not None:
        return row is not None
    position, patterns = row.position, stored_patterns(row.events)
    while position < last and not events_between(position, min(position + LOOKED_AT, last), patterns, 1):
        position = min(position + LOOKED_AT, last)
    unmoved = (Webhook.id == identifier) & (Webhook.position == row.position)
    Webhook.update(position=position).where(unmoved).execute()
    return bool(position < last)


def take(identifier: int, token: str) -> bool:
    """Take a webhook for a job; return whether no other one has it.

    :param token: a new one for each job
    """
    free = (Webhook.id == identifier) & ((Webhook.held_until.is_null()) | (Webhook.held_until < unix_now()))
    return bool(Webhook.update(holder=token, held_until=unix_now() + QUEUED_LEASE).where(free).execute())


# Deliver --------------------------------------------------------------------------------------------------------------


def deliver_to(identifier: int, token: str) -> bool:
    """Deliver to a webhook for a while; return whether there is more to deliver now.

    :param token: that of `take`; with another one, nothing is done
    """
    ends = time.monotonic() + TURN_SECONDS
    while time.monotonic() < ends:
        webhook = _held(identifier, token)
        if webhook is None or not webhook.active or (webhook.retry_at or 0) > unix_now():
            break
        if webhook.missed:
            going_on = _tell_missed(webhook)
        elif row := _due_delivery(webhook):
            going_on = _repeat(webhook, row)
        else:
            going_on = _deliver_new(webhook, ends)
        if not going_on:
            break
    else:
        Webhook.update(held_until=unix_now() + QUEUED_LEASE).where(_own(identifier, token)).execute()
        return True
    Webhook.update(held_until=None).where(_own(identifier, token)).execute()
    return False


def _own(identifier: int, token: str) -> Any:
    return (Webhook.id == identifier) & (Webhook.holder == token)


def _is_enabled(user: int) -> bool:
    try:
        with acting_as(user):
            return True
    except Unauthorized:
        return False


def _held(identifier: int, token: str) -> Any:
    """Return a webhook, and keep it for this job; None: another job has it, or it was deleted."""
    Webhook.update(held_until=unix_now() + LEASE).where(_own(identifier, token)).execute()
    return Webhook.get_or_none(_own(identifier, token))


def _due_delivery(webhook: Any) -> Any:
    mine = (Delivery.webhook == webhook.id) & (Delivery.state == WAITING) & (Delivery.due <= unix_now())
    return Delivery.select().where(mine).order_by(Delivery.number).first()


def _deliver_new(webhook: Any, ends: float) -> bool:
    """Deliver the next events; return False if there are none, or the webhook has to wait."""
    last = last_number()
    until = min(webhook.position + LOOKED_AT, last)
    events = events_between(webhook.position, until, stored_patterns(webhook.events), AT_ONCE)
    position = webhook.position
    for event in events:
        present = _held(webhook.id, webhook.holder)
        if present is None or (present.active, present.url, present.events) != (1, webhook.url, webhook.events):
            # The next round reads it again
            return present is not None
        if time.monotonic() >= ends or not _deliver_one(present, event):
            return time.monotonic() >= ends
        position = event.number
    position = until if len(events) < AT_ONCE else position
    Webhook.update(position=position).where(_own(webhook.id, webhook.holder)).execute()
    return bool(position < last)


def _deliver_one(webhook: Any, event: FeedEvent) -> bool:
    """Deliver a new event, or queue it behind an earlier one of its record; return whether the webhook can go on."""
    is_behind = event.record is not None and Delivery.select().where(*_of_record(webhook.id, event)).exists()
    return _note_queued(webhook, event) if is_behind else _attempt(webhook, event, None)


def _note_queued(webhook: Any, event: FeedEvent) -> bool:
    with transaction():
        moved = Webhook.update(position=event.number).where(_own(webhook.id, webhook.holder))
        if moved.execute():
            _note(webhook, event)
    return True


def _of_record(webhook: int, event: Any) -> tuple[Any, ...]:
    return (
        Delivery.webhook == webhook, Delivery.state == WAITING, Delivery.service == event.service,
        Delivery.record == event.record,
    )  # fmt: skip


def _repeat(webhook: Any, row: Any) -> bool:
    event = event_with(row.number)
    if event is None:
        with transaction():
            Webhook.update(missed=Webhook.missed + 1).where(Webhook.id == webhook.id).execute()
            row.delete_instance()
        return True
    return _attempt(webhook, event, row)


def _attempt(webhook: Any, event: FeedEvent, row: Any) -> bool:
    """Send an event and note the outcome; return whether the webhook can go on.

    :param row: that of an earlier attempt; None: there was none
    """
    try:
        data = data_of(event, webhook.user)
    except peewee.PeeweeException:
        raise
    except Exception as error:  # noqa: BLE001 - the code of the service may raise anything
        reason = error.message if isinstance(error, ApiError) else type(error).__name__
        answer = Answer(None, f"the record can't be read: {reason}"[:255])
        return _settle(webhook, event, row, answer, is_own_fault=True)
    if data is None:
        with transaction():
            if _lock(webhook) is None:
                return False
            webhooks.write_unchecked(webhook.id, position=max(webhook.position, event.number))
            if row is not None:
                row.delete_instance()
                _release(webhook, row)
        return True
    # The moment tells it from one with the same number after a backup was restored
    identifier = f"evt_{event.number}_{event.moment}"
    return _settle(webhook, event, row, send(webhook, event.name, event.moment, data, identifier))


def _lock(webhook: Any) -> Any:
    """Lock the row of a webhook and return it; None: it was deleted meanwhile."""
    try:
        return webhooks.load(webhook.id, lock=True)
    except NotFound:
        return None


def _settle(webhook: Any, event: FeedEvent, row: Any, answer: Answer, *, is_own_fault: bool = False) -> bool:
    """Note the outcome of an attempt; return whether the webhook can go on.

    :param is_own_fault: nothing was sent, so the receiver's failures aren't counted
    """
    seconds = unix_now()
    attempts, since = (row.attempts + 1, row.since or seconds) if row is not None else (1, seconds)
    values: dict[str, Any] = {
        "attempts": attempts, "since": since, "last": seconds, "status": answer.status, "error": answer.error,
        "state": DELIVERED, "due": None,
    }  # fmt: skip
    if answer.error:
        is_over = seconds - since >= PATIENCE and attempts >= LEAST_REQUESTS and not _is_down(webhook)
        values |= {"state": GIVEN_UP} if is_over else {"state": WAITING, "due": seconds + pause_after(attempts)}
    with transaction():
        held = _lock(webhook)
        if held is None or held.holder != webhook.holder:
            # The webhook was deleted, or another job has taken over and sends it again
            return False
        if row is None:
            _note(webhook, event, **values)
        else:
            deliveries.write_unchecked(row.id, **values)
        if answer.error and webhook.failing_since:
            # An event that failed first may be gone: its record no longer belongs to the owner, or it was removed
            webhook.failing_since = max(webhook.failing_since, _oldest_failure(webhook.id) or seconds)
        changes = {} if is_own_fault else _after(webhook, answer, seconds)
        webhooks.write_unchecked(webhook.id, **changes, position=max(webhook.position, event.number))
        if values["state"] != WAITING:
            _release(webhook, event)
    return not ({"retry_at", "active"} & {name for name, value in changes.items() if value is not None})


def _note(webhook: Any, event: FeedEvent, **values: Any) -> None:
    Delivery.create(
        webhook=webhook.id, number=event.number, service=event.service, event=event.event, record=event.record, **values
    )


def note_test(webhook: Any, answer: Answer) -> None:
    """Note the answer to a test, which is not repeated."""
    seconds = unix_now()
    Delivery.create(
        webhook=webhook.id, number=last_number(), service=TEST[0], event=TEST[1], attempts=1, since=seconds,
        last=seconds, state=GIVEN_UP if answer.error else DELIVERED, status=answer.status, error=answer.error,
    )  # fmt: skip


def _oldest_failure(webhook: int) -> int | None:
    """Return when the first request of the events that wait after a failure was made; None: there are none."""
    failed = (Delivery.webhook == webhook) & (Delivery.state == WAITING) & Delivery.since.is_null(False)
    return Delivery.select(peewee.fn.MIN(Delivery.since)).where(failed).scalar()  # type: ignore[no-any-return]


def _release(webhook: Any, event: Any) -> None:
    """Let the next event of the same record be delivered, unless an earlier one still waits to be repeated."""
    waiting = Delivery.select(Delivery.id, Delivery.due).where(*_of_record(webhook.id, event))
    row = waiting.order_by(Delivery.number).first() if event.record is not None else None
    if row is not None and row.due is None:
        deliveries.write_unchecked(row.id, due=unix_now())


def _is_down(webhook: Any) -> bool:
    return bool(webhook.failures >= FAILURES_OF_DOWN)


def _after(webhook: Any, answer: Answer, seconds: int) -> dict[str, Any]:
    """Return what an answer changes about a webhook."""
    if not answer.error:
        webhook.failures = 0
        return {"failures": 0, "failing_since": None, "retry_at": None}
    webhook.failures += 1
    since = webhook.failing_since or seconds
    webhook.failing_since = since
    changes: dict[str, Any] = {"failures": webhook.failures, "failing_since": since, "retry_at": None}
    if answer.status == 410:
        return changes | {"active": 0, "reason": "the receiver answered 410 Gone"}
    if seconds - since >= PATIENCE and webhook.failures >= LEAST_REQUESTS:
        return changes | {"active": 0, "reason": f"all requests of three days failed: {answer.error}"[:255]}
    if _is_down(webhook):
        changes["retry_at"] = seconds + pause_after(webhook.failures - FAILURES_OF_DOWN + 1)
    return changes


def _tell_missed(webhook: Any) -> bool:
    """Tell the receiver how many events were removed before they could be delivered; return whether it can go on."""
    seconds, answer = unix_now(), Answer(None)
    if _is_enabled(webhook.user):
        answer = send(webhook, MISSED, seconds, {"number": webhook.missed}, f"missed_{webhook.id}_{webhook.position}")
    if answer.status is not None and 400 <= answer.status < 500 and answer.status not in RETRIED:
        # It doesn't want this event
        answer = Answer(answer.status)
    changes = _after(webhook, answer, seconds)
    if not answer.error:
        changes["missed"] = Webhook.missed - webhook.missed
    Webhook.update(changes).where(_own(webhook.id, webhook.holder)).execute()
    return not answer.error


def pause_after(attempts: int) -> int:
    """Return the seconds before the next request after a number of failed ones."""
    return int(min(FIRST_PAUSE * GROWTH ** min(attempts - 1, 20), LONGEST_PAUSE))


# Remove ---------------------------------------------------------------------------------------------------------------


def leave_behind(until: int) -> None:
    """Count the events that are about to be removed, and that a webhook hasn't got.

    :param until: their last number
    """
    for (identifier,) in query("SELECT rowid FROM comptoir_webhook"):
        with transaction():
            row = webhooks.load(identifier, lock=True)
            waiting = (Delivery.webhook == identifier) & (Delivery.state == WAITING) & (Delivery.number <= until)
            lost = (
                count_events(row.position, until, stored_patterns(row.events))
                + Delivery.delete().where(waiting).execute()
            )
            webhooks.write_unchecked(identifier, missed=row.missed + lost, position=max(row.position, until))
