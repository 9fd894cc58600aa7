"""The calls of the guide's pages, read as the page in the browser reads them, and run."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote
from uuid import uuid4

from core.common.clock import now

BLOCK = re.compile(r"^```call (?P<statuses>[\d,]+)(?P<keeps>[^\n]*)\n(?P<said>.*?)\n```$", re.M | re.S)
KEEP = re.compile(r"(?P<name>[a-z]+)(?:=(?P<place>[^|]*))?(?:\|(?P<otherwise>.*))?")
PLACEHOLDER = re.compile(r"\{([a-z]+)\}")


@dataclass
class Call:
    """A call as a page writes it."""

    statuses: list[int]
    keeps: list[re.Match[str]]
    #: names of values that are gone after it
    ends: list[str]
    verb: str
    address: str
    headers: dict[str, str]
    body: str


def calls_of(text):
    """The calls of a page, in their order."""
    return [_call(block) for block in BLOCK.finditer(text)]


def _call(block):
    head, _, body = block["said"].partition("\n\n")
    line, *headers = head.split("\n")
    verb, _, address = line.partition(" ")
    words = block["keeps"].split()
    keeps = [KEEP.fullmatch(each) for each in words if not each.startswith("-")]
    ends = [each[1:] for each in words if each.startswith("-")]
    assert all(keeps), block["keeps"]
    statuses = [int(each) for each in block["statuses"].split(",")]
    parted = dict(each.split(": ", 1) for each in headers)
    return Call(statuses, [each for each in keeps if each], ends, verb, address, parted, body)


def first_values():
    """What every page may use before a call has answered it."""
    today = now().date()
    midnight = datetime(today.year, today.month, today.day, tzinfo=UTC)
    return {"today": str(today), "seconds": str(int(midnight.timestamp())), "once": uuid4().hex}


def run(calls, client):
    """Run calls one after the other, each with what the earlier ones answered; answers all values."""
    values = first_values()

    def filled(words, safe=None):
        return PLACEHOLDER.sub(lambda found: values[found[1]] if safe is None else quote(values[found[1]], safe), words)

    for call in calls:
        path, _, query = call.address.partition("?")
        answer = client.simulate_request(
            call.verb,
            filled(path, ""),
            query_string=quote(filled(query), "=&"),
            headers={name: filled(value) for name, value in call.headers.items()},
            **({"json": json.loads(filled(call.body))} if call.body else {}),
        )
        assert answer.status_code in call.statuses, (
            f"{call.verb} {call.address}: {answer.status} {answer.content[:600]!r}"
        )
        follow(call, answer.status_code, answer, values)
    return values


def follow(call, status, answer, values):
    """Keep what the answer to a call has for later ones, and drop what is gone after it."""
    if status < 400 or len(call.statuses) > 1:
        values |= {each["name"]: _kept(each, answer) for each in call.keeps}
    for name in call.ends:
        del values[name]


def _kept(keep, answer):
    place = keep["place"]
    if place and place.startswith("header."):
        found = answer.headers.get(place.removeprefix("header.").lower())
    elif not place:
        found = answer.json["id"] if isinstance(answer.json, dict) else answer.json
    else:
        found = answer.json
        for key in place.split("."):
            try:
                found = found[int(key) if isinstance(found, list) else key]
            except (KeyError, IndexError):
                found = None
                break
    found = keep["otherwise"] if found is None else found
    assert found is not None, f"nothing at {keep[0]} in {answer.json!r:.300}"
    return str(found)
