"""The tables of webhooks: events and their followers, webhooks and their deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypedDict

import peewee

from core import Account, Model, RecordField, now

#: `Delivery.state`
WAITING, DELIVERED, GIVEN_UP = "waiting", "delivered", "given up"
#: service and event of a test, which isn't stored
TEST = ("webhooks", "test")


class StoredEvent(Model):
    """An event that a service has sent."""

    id = peewee.BigAutoField(column_name="rowid")
    number = peewee.BigIntegerField(null=True, unique=True, help_text="its place in the order of the commits")
    service = peewee.CharField(max_length=64, help_text="such as orders")
    event = peewee.CharField(max_length=64, help_text="such as validated")
    record = peewee.BigIntegerField(null=True, help_text="ID of the record")
    moment = peewee.BigIntegerField(help_text="when, in Unix seconds")
    user = peewee.IntegerField(column_name="fk_user", null=True, help_text="the user who caused it")
    detail = peewee.TextField(default="", help_text="old and new values; who could see a deleted record; as JSON")

    class Meta:
        table_name = "comptoir_event"
        audited = False
        indexes = ((("service", "record"), False),)


class Feed(Model):
    """The last number of an event, and the last one that was removed: one row."""

    id = peewee.AutoField(column_name="rowid")
    last = peewee.BigIntegerField(default=0, help_text="the last number")
    pruned = peewee.BigIntegerField(default=0, help_text="the last number that was removed")

    class Meta:
        table_name = "comptoir_event_feed"
        audited = False


class Follower(Model):
    """A user who reads the changes: before a deletion it is noted whether the user may see the record."""

    id = peewee.AutoField(column_name="rowid")
    user = RecordField(Account, "User", column_name="fk_user", on_delete="cascade", unique=True)
    last_use = peewee.DateField(help_text="the day on which the user last read them")

    class Meta:
        table_name = "comptoir_event_follower"
        audited = False


#: an instant in Unix seconds
Instant = Annotated[int, peewee.BigIntegerField, datetime]


class WebhookAnswers(TypedDict, total=False):
    """The instants of a webhook."""

    failing_since: Annotated[Instant | None, "when the first of them failed; null: the last request succeeded"]
    retry_at: Annotated[Instant | None, "when the next request is made; null: as soon as there is an event"]


class DeliveryAnswers(TypedDict, total=False):
    """The instants of a delivery."""

    due: Annotated[Instant | None, "when the next request is made; null: after an earlier event of the record"]
    since: Annotated[Instant | None, "when the first request was made"]
    last: Annotated[Instant | None, "when the last request was made"]


class WebhookKeys(TypedDict, total=False):
    """The keys that the body of a new webhook may have besides its fields."""

    secret: Annotated[str, "signs the requests: `whsec_` and 24 to 64 bytes in base64; by default the server makes one"]


class Webhook(Model):
    """An address that the server sends events to."""

    id = peewee.AutoField(column_name="rowid")
    url = peewee.CharField(max_length=1000, help_text="the address that receives a POST for each event")
    events = peewee.CharField(
        max_length=1000,
        help_text="the events, such as `orders.* invoices.paid *.deleted`; `*` stands for all; each service's page "
        "in the explorer lists its events",
    )
    label = peewee.CharField(max_length=128, default="", help_text="what it is for")
    active = peewee.SmallIntegerField(
        default=1, choices=((0, "paused"), (1, "active")), help_text="1: active, 0: paused; it goes on where it stopped"
    )
    signing_key = peewee.CharField(max_length=100, default="", help_text="signs the requests")
    user = RecordField(Account, "User", column_name="fk_user", on_delete="cascade", help_text="its owner")
    former_key = peewee.CharField(max_length=100, default="", help_text="the former secret, which still signs, too")
    former_until = peewee.DateTimeField(null=True, help_text="until when the former secret signs")
    reason = peewee.CharField(max_length=255, default="", help_text="why the server has paused it")
    position = peewee.BigIntegerField(default=0, help_text="number of the last event that was looked at")
    missed = peewee.BigIntegerField(default=0, help_text="events that were removed before they could be delivered")
    failures = peewee.IntegerField(default=0, help_text="failed requests since the last success")
    failing_since = peewee.BigIntegerField(null=True, help_text="when the first of them failed, in Unix seconds")
    retry_at = peewee.BigIntegerField(null=True, help_text="when the next request is made, in Unix seconds")
    holder = peewee.CharField(max_length=32, default="", help_text="the job that delivers")
    held_until = peewee.BigIntegerField(null=True, help_text="when another job may take over")
    created = peewee.DateTimeField(default=now, help_text="when it was created")

    class Meta:
        table_name = "comptoir_webhook"
        required = ("url", "events")
        managed = (
            "id", "signing_key", "user", "former_key", "former_until", "reason", "position", "missed", "failures",
            "failing_since", "retry_at", "holder", "held_until", "created",
        )  # fmt: skip
        secret = ("signing_key", "former_key", "holder", "held_until")
        unaudited = ("position", "missed", "failures", "failing_since", "retry_at", "holder", "held_until")
        answers = WebhookAnswers
        accepts = WebhookKeys
        searched = ("url", "label")
        example = {"url": "https://example.com/hook", "events": "orders.* invoices.paid"}


class Delivery(Model):
    """An event that was sent to a webhook, or waits for it."""

    id = peewee.BigAutoField(column_name="rowid")
    webhook = RecordField(
        Webhook, "Webhook", column_name="fk_webhook", on_delete="cascade", help_text="ID of the webhook"
    )
    number = peewee.BigIntegerField(help_text="number of the event, as in /changes; of a test: of the last one")
    service = peewee.CharField(max_length=64, help_text="the service that sent the event")
    event = peewee.CharField(max_length=64, help_text="name of the event")
    record = peewee.BigIntegerField(null=True, help_text="ID of the record")
    state = peewee.CharField(
        max_length=16,
        default=WAITING,
        choices=tuple((each, each) for each in (WAITING, DELIVERED, GIVEN_UP)),
        help_text="waiting for the next request, delivered, or given up: after three days, a test at once",
    )
    attempts = peewee.IntegerField(default=0, help_text="number of requests")
    due = peewee.BigIntegerField(
        null=True, help_text="when the next one is made, in Unix seconds; null: after an earlier event of the record"
    )
    since = peewee.BigIntegerField(null=True, help_text="when the first one was made, in Unix seconds")
    last = peewee.BigIntegerField(null=True, help_text="when the last one was made, in Unix seconds")
    status = peewee.IntegerField(null=True, help_text="HTTP status of the last response; null: there was none")
    error = peewee.CharField(max_length=255, default="", help_text="why the last request failed")

    class Meta:
        table_name = "comptoir_webhook_delivery"
        audited = False
        answers = DeliveryAnswers
        managed = (
            "id", "webhook", "number", "service", "event", "record", "state", "attempts", "due", "since", "last",
            "status", "error",
        )  # fmt: skip
        indexes = (
            (("webhook", "state", "due"), False), (("webhook", "state", "service", "record"), False),
            (("number",), False),
        )  # fmt: skip
