"""The receivers of the guide: they accept requests that are signed as the Standard Webhooks specification says."""

import base64
import hashlib
import hmac
import http.client
import time
from contextlib import closing

import pytest

from tests.explorer.receivers import COMMANDS, programs, receiver
from tests.needed import why_without
from tests.serving.running import wait_until

#: secret, ID, time, body and signature: the example of the specification
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EXAMPLE = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
BODY = '{"type":"orders.validated","timestamp":"2026-11-30T19:41:40Z","data":{"id":12,"user":1,"record":{"note":"é"}}}'.encode()


def sign(secret, identifier, moment, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return (
        "v1," + base64.b64encode(hmac.digest(key, f"{identifier}.{moment}.".encode() + body, hashlib.sha256)).decode()
    )


def test_the_signature_is_that_of_the_specification():
    assert sign(SECRET, *EXAMPLE) == SIGNATURE


def test_each_has_twenty_lines():
    assert {name: text.count("\n") <= 20 for name, text in programs().items()} == dict.fromkeys(COMMANDS, True)


@pytest.fixture(params=COMMANDS)
def running(request, tmp_path):
    """A receiver that listens."""
    needed = {"php": "php", "js": "node"}.get(request.param)
    if reason := why_without(needed) if needed else None:
        pytest.skip(reason)

    def listens():
        try:
            return send(started) == 401
        except OSError:
            return False

    with receiver(request.param, SECRET, tmp_path) as started:
        wait_until(listens, lambda: str(started.lines))
        yield started


def send(to, body=BODY, **headers):
    """Send a request with some of the headers ``webhook-…``; return the status of the response."""
    with closing(http.client.HTTPConnection("127.0.0.1", to.port, timeout=20)) as connection:
        sent = {f"webhook-{name}": str(each) for name, each in headers.items()}
        connection.request("POST", "/hook", body, {"Content-Type": "application/json"} | sent)
        return connection.getresponse().status


def test_it_accepts_right_signatures_only(running):
    moment = int(time.time())
    right, other = (sign(each, "evt_1", moment, BODY) for each in (SECRET, OTHER_SECRET))

    def status(body=BODY, **changed):
        return send(running, body, **{"id": "evt_1", "timestamp": moment, "signature": right} | changed)

    assert status() == 204
    # The new secret is first, and the receiver still has the former one, or the other way round
    assert status(signature=f"{other} {right}") == status(signature=f"{right} {other}") == 204
    running.wait_for("evt_1 orders.validated", 3)
    assert status(signature=other) == status(signature="") == status(signature="v1,") == status(signature="é") == 401
    assert status(signature=right.replace("v1,", "v2,")) == status(signature=right[:-1]) == 401
    assert status(BODY.replace(b"12", b"13")) == status(id="evt_2") == status(timestamp=moment + 1) == 401
    assert status(timestamp="now", signature=sign(SECRET, "evt_1", "now", BODY)) == 401
    assert status(timestamp="", signature=sign(SECRET, "evt_1", "", BODY)) == 401


def test_it_rejects_what_is_older_than_five_minutes(running):
    def status(age):
        moment = int(time.time()) - age
        return send(running, id="evt_1", timestamp=moment, signature=sign(SECRET, "evt_1", moment, BODY))

    # The receiver may read the clock some seconds later
    assert [status(age) for age in (0, 270, 330, 86_400, -330)] == [204, 204, 401, 401, 401]
    identifier, moment, body = EXAMPLE
    assert send(running, body, id=identifier, timestamp=moment, signature=SIGNATURE) == 401
