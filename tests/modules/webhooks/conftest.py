"""A receiver of webhooks whose answers a test sets, and a clock that a test sets."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field

import pytest

from core import ApiError
from core.common.clock import as_if
from core.storage.database import execute

URL = "https://receiver.example/hook"
SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
#: 2027-01-15 08:00:00 UTC
NOW = 1_800_000_000
DAY = 86_400


@dataclass
class Receiver:
    """The requests that have arrived, and the answers: a status for each URL, or a function of the body."""

    answers: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)
    arrived: list = field(default_factory=list)

    def fetch(self, url, *, method, body, headers):
        sent = json.loads(body)
        self.requests.append((url, sent, headers))
        answer = self.answers.get(url, 204)
        answer = answer(sent) if callable(answer) else answer
        if isinstance(answer, ApiError):
            raise answer
        if 200 <= answer < 300:
            self.arrived.append((url, sent))
        return type("Response", (), {"status": answer})

    def take(self, url=URL):
        """Return the type and record of what has arrived since the last call."""
        found = [(sent["type"], sent["data"].get("id")) for each, sent in self.arrived if each == url]
        self.arrived = [each for each in self.arrived if each[0] != url]
        return found

    @property
    def bodies(self):
        return [sent for _, sent in self.arrived]


class Post:
    """The server, at a moment that the test moves on."""

    def __init__(self, server):
        self.server, self.admin, self.seconds = server, server.client(), NOW

    def after(self, seconds=0):
        """Move on, and let the jobs run."""
        self.seconds += seconds
        return self.server.run_jobs(at=self.seconds)

    def hook(self, events, client=None, url=URL, **more):
        with as_if(self.seconds):
            body = {"url": url, "events": events, "secret": SECRET, **more}
            return (client or self.admin).ask("POST", "/webhooks", body)

    def shown(self, hook):
        return self.admin.get(f"/webhooks/{hook}")


@pytest.fixture
def receiver(monkeypatch):
    made = Receiver()
    monkeypatch.setattr("modules.webhooks.deliveries.fetch", made.fetch)
    return made


@pytest.fixture
def post(server, receiver):
    """The server, without webhooks and events of other tests."""
    made = Post(server)
    for table in ("comptoir_webhook_delivery", "comptoir_webhook", "comptoir_event", "comptoir_event_follower"):
        execute(f"DELETE FROM {table}")
    execute("DELETE FROM comptoir_job")
    made.after()
    with as_if(made.seconds):
        yield made


def expected_signature(secret, headers, body):
    """The signature of a request, by the words of the Standard Webhooks specification."""
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
