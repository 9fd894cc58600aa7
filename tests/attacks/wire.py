"""What an attacker sends: requests over connections that are kept, and bytes that are no proper requests."""

import http.client
import json
import re
import socket
import threading
from contextlib import suppress
from urllib.parse import quote, urlencode

from tests.serving.running import Answer

#: seconds after which an answer that does not come is one that never comes
PATIENCE = 40.0
#: what an address may hold as it stands
_PLAIN = "/?&=%:;,@+$!*'()~._-"


class Wire:
    """Connections to a server, one for each thread and address that they come from."""

    def __init__(self, port):
        self.port = port
        self._own = threading.local()
        self._all = []

    def ask(self, verb, path, body=None, headers=None, source=""):
        """One request; status 0: no answer came.

        :param body: bytes as they are, anything else as JSON
        :param source: the address it comes from
        """
        sent = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        for attempt in (1, 2):
            connection = self._connection(source)
            try:
                connection.request(verb, quote(path, safe=_PLAIN), body, sent)
                answer = connection.getresponse()
                return Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                # A connection that was kept may have been ended meanwhile
                if attempt == 2 or isinstance(error, TimeoutError):
                    return Answer(0, repr(error).encode(), {})
        raise AssertionError

    def _connection(self, source):
        kept = self._own.__dict__.setdefault("kept", {})
        if source not in kept:
            kept[source] = self.open(source)
            self._all.append(kept[source])
        return kept[source]

    def open(self, source):
        """A connection from an address."""
        address = (source, 0) if source else None
        return http.client.HTTPConnection("127.0.0.1", self.port, PATIENCE, source_address=address)

    def another(self):
        """A wire with connections of its own: a connection is one worker's, and this may be another one."""
        return Wire(self.port)

    def close(self):
        """End the connections of all threads."""
        for each in self._all:
            each.close()

    def raw(self, content, *, wait=3.0, source=""):
        """Everything that is answered to these bytes until the connection ends, or nothing comes for a while."""
        with socket.socket() as connection:
            if source:
                connection.bind((source, 0))
            connection.settimeout(wait)
            connection.connect(("127.0.0.1", self.port))
            with suppress(OSError):
                connection.sendall(content)
            answered = b""
            with suppress(OSError):
                while part := connection.recv(65536):
                    answered += part
        return answered


def statuses(answered):
    """The statuses of all answers in these bytes."""
    return [int(each) for each in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answered)]


def with_query(path, **parameters):
    """A path with a query."""
    return f"{path}?{urlencode(parameters, quote_via=quote)}"


def message_of(answer):
    """The words of a refusal; empty where it is none, or none of ours."""
    try:
        return str(answer.json["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""
