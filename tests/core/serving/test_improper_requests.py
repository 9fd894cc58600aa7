"""What is answered to a request that is no proper HTTP."""

import json

from core.web.app import COMMON_HEADERS
from tests.core.serving.conversation import Conversation, Echo


def test_it_has_the_shape_and_the_headers_of_every_other_failure(caplog):
    caplog.set_level("INFO", "comptoir")
    talk = Conversation(Echo())
    talk.reject(talk.connection, 414, "limit is 8190")
    talk.connection.close()
    head, _, body = talk.read().partition(b"\r\n\r\n")
    talk.close()
    lines = head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 414 Request-URI Too Long"
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    assert headers["x-content-type-options"] == "nosniff"
    assert headers.items() >= COMMON_HEADERS.items()
    assert int(headers["content-length"]) == len(body)
    error = {
        "code": 414,
        "message": "Request-URI Too Long: limit is 8190",
        "reason": "too_large",
        "request_id": headers["x-request-id"],
    }
    assert json.loads(body) == {"error": error}
    assert headers["x-request-id"] in caplog.text
