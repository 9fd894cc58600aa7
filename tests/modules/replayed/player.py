"""Plays the exchanges against a server of ours, one after the other."""

import json

import falcon.testing

from core.testing import ADMIN_KEY
from tests.modules.replayed.exchanges import CHAPTERS, exchanges
from tests.modules.replayed.installation import Installation
from tests.modules.replayed.preparations import prepare

Answer = falcon.testing.Result


def play(here):
    """Each exchange with what is answered here; whoever asks compares before the next one, which may need what was learnt."""
    for chapter in CHAPTERS:
        for exchange in exchanges(chapter):
            prepare(here, exchange)
            yield exchange, send(here, exchange)


def install(served):
    """A server that is to stand for the recorded one."""
    here = Installation(served)
    here.identifiers.bind("users", 1, served.administrator.id)
    return here


def send(here, exchange):
    """Ask what was asked then, with identifiers of here."""
    known = here.identifiers
    options = {"headers": dict(exchange.headers)}
    if exchange.query:
        options["query_string"] = known.query(exchange.query).replace("<API_KEY>", ADMIN_KEY)
    if exchange.raw is not None:
        kind = exchange.kind or "application/json"
        options["body"] = exchange.raw
        options["headers"]["Content-Type"] = kind
        if kind.endswith("urlencoded"):
            options["body"] = exchange.raw.replace("1042", known.ours("thirdparties", 1042))
    elif exchange.body is not None:
        options["body"] = json.dumps(known.body(exchange.body))
        options["headers"]["Content-Type"] = "application/json"
    return here.clients[exchange.by].simulate_request(exchange.verb, known.path(exchange.path), **options)


def data(answer):
    """What an answer says: null where it says nothing, text where it is no JSON."""
    if not answer.content:
        return None
    return answer.json if answer.headers.get("content-type", "").startswith("application/json") else answer.text
