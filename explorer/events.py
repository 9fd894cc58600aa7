"""The events of services in OpenAPI, under `webhooks`: the requests that the server sends to webhooks."""

from __future__ import annotations

from dataclasses import dataclass

from core.contract.catalogue import Catalogue
from core.records.events import Event

from .examples import DAY
from .field_schemas import Schema, nullable
from .shared_schemas import reference
from .titles import service_noun

EVENT = "WebhookEvent"
_RECORD = {"description": "the record as the webhook's owner reads it; null: it was deleted meanwhile"}
_VALUES: Schema = {"type": "object", "additionalProperties": True}
#: what the bodies of all events have
EVENT_SCHEMA: Schema = {
    "type": "object",
    "description": "The body of a request to a webhook",
    "required": ["type", "timestamp", "data"],
    "properties": {
        "type": {"type": "string", "description": "service and event, such as orders.validated"},
        "timestamp": {"type": "string", "format": "date-time", "description": "when the event happened"},
        "data": {
            "type": "object",
            "description": "what happened",
            "required": ["id", "user", "record"],
            "properties": {
                "id": {"type": ["integer", "null"], "description": "ID of the record; null: the event has none"},
                "user": {"type": ["integer", "null"], "description": "who caused it; null: the server"},
                "record": {**nullable(_VALUES), **_RECORD},
                "before": {**_VALUES, "description": "the old values of the changed fields"},
                "after": {**_VALUES, "description": "their new values"},
                "details": {**_VALUES, "description": "what else belongs to the event"},
            },
        },
    },
}

#: the headers of the requests, as the Standard Webhooks specification defines them
EVENT_PARAMETERS: Schema = {
    f"Webhook{name.title()}": {
        "name": f"webhook-{name}", "in": "header", "required": True, "description": text, "schema": {"type": "string"}
    }
    for name, text in (
        ("id", "the same for each attempt to deliver an event"),
        ("timestamp", "when the request was made, in Unix seconds"),
        ("signature", "signatures, separated by spaces: `v1,` and the HMAC-SHA256 in base64"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class EventFacts:
    """An event that webhooks receive.

    :param summary: such as "Order validated"
    :param details: what `data.details` holds; of an event without a record, what `data.record` holds; otherwise empty
    :param has_record: whether `data.record` is a record of the service
    """

    summary: str
    details: str
    has_record: bool


def find_events(served: Catalogue) -> dict[str, dict[str, EventFacts]]:
    """Return the events of each service that webhooks receive: those of records that can be read, and those without."""
    found: dict[str, dict[str, EventFacts]] = {}
    for name, service in served.services.items():
        operations = served.operations_by_origin.get(name, ())
        is_read = service.records is not None and any(each.reads_record for each in operations)
        found[name] = {
            event: EventFacts(
                f"{service_noun(service)} {event.replace('_', ' ')}",
                "" if each.record == Event.record else each.record,
                is_read,
            )
            for event, each in served.events.get(name, {}).items()
            if "after" in each.moments and (is_read or each.record != Event.record)
        }
    return found


def describe_event(name: str, facts: EventFacts, tag: str, schema: Schema, record: Schema, change: Schema) -> Schema:
    """Return the request of an event in OpenAPI.

    :param name: such as ``orders.validated``
    :param schema: the schema of the record
    :param record: an example of the record; without one, it is empty
    :param change: an example of a body that changes it
    """
    own: Schema = {"type": {"type": "string", "const": name}}
    data: Schema = {"id": None, "user": 1, "record": {}}
    if facts.has_record:
        own["data"] = {"type": "object", "properties": {"record": {**nullable(schema), **_RECORD}}}
        identifier = str(record.get("id"))
        data |= {"id": int(identifier) if identifier.isdecimal() else 1, "record": record}
        if not name.endswith(".deleted"):
            changed = [each for each in change if each in record] if name.endswith(".changed") else []
            data |= {"before": dict.fromkeys(changed), "after": {each: record[each] for each in changed}}
    key = "details" if facts.has_record else "record"
    text = f"`{key}` has {facts.details}." if facts.details else ""
    shown = {"type": name, "timestamp": f"{DAY}T10:30:00Z", "data": data}
    return {
        "post": {
            "tags": [tag],
            "summary": facts.summary,
            **({"description": text} if text else {}),
            "security": [],
            "parameters": [{"$ref": f"#/components/parameters/{each}"} for each in EVENT_PARAMETERS],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": {"allOf": [reference(EVENT), {"type": "object", "properties": own}]},
                        # Generators copy `example` into a comment
                        "examples": {"event": {"value": shown}},
                    }
                },
            },
            "responses": {"204": {"description": "Received. Without a status from 200 to 299, it is sent again"}},
        }
    }
