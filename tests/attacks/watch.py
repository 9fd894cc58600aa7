"""What no answer may be, whoever asks: a fault, words of the database, a path of the server, a secret, others' data."""

import re
import threading

from tests.serving.running import ROOT

#: what only a fault of the server tells
_FAULTS = re.compile(
    rb"Traceback \(most recent|File \"/|sqlite3\.|psycopg|MySQLdb|pymysql|peewee|OperationalError|IntegrityError"
    rb"|UNIQUE constraint|syntax error at or near|You have an error in your SQL|no such column|llx_\w+\.\w+|SELECT .{1,80} FROM "
)
#: statuses of failures that are answers: a module that cannot be loaded, another server or this one away, full
_MEANT = (501, 502, 503, 507)


class Watch:
    """Looks through every answer of every attack.

    :param secrets: what nobody is ever told
    :param hidden: what those who are blind must not see
    """

    def __init__(self, secrets, hidden, folder):
        self.secrets = secrets
        self.hidden = hidden
        self._places = [str(ROOT).encode(), folder.encode()]
        self.seen = 0
        self.wrong = []
        self._lock = threading.Lock()

    def look(self, what, sent, answer, *, blind, administers):
        """Look through an answer.

        :param what: who asked for what, for the words
        :param sent: everything that was sent: what is only echoed tells nothing
        """
        found = list(self._look(sent, answer, blind, administers))
        with self._lock:
            self.seen += 1
            self.wrong += [f"{what}: {each}" for each in found]

    def _look(self, sent, answer, blind, administers):
        found = []
        body = answer.body + "\n".join(f"{name}: {value}" for name, value in answer.headers.items()).encode()
        if answer.status >= 500 and answer.status not in _MEANT:
            found.append(f"{answer.status} {answer.body[:120]!r}")
        if answer.status and answer.headers.get("x-content-type-options") != "nosniff":
            found.append(f"{answer.status} without nosniff")
        found += [f"tells a secret ({each[:8]!r}…)" for each in self.secrets if each in body and each not in sent]
        if not administers:
            fault = _FAULTS.search(body)
            if fault and fault[0] not in sent:
                found.append(f"tells {fault[0][:60]!r}")
            found += [f"tells a path ({each!r})" for each in self._places if each in body and each not in sent]
        if blind and self.hidden in body and self.hidden not in sent:
            found.append("tells another's data")
        return found
