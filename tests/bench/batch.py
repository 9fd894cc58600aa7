"""1,000 contacts, one by one and in one request, by one client over one connection that is kept."""

import http.client
import json
import time
from statistics import median

from .servers import KEY, comptoir

ENTRIES = 1000
HEAD = f"{ENTRIES} contacts: one request each, one atomic batch, one independent batch (seconds; speed-up):"


def bodies(socid, word):
    """What is created: people of one third party, with what most of them have."""
    return [
        {"lastname": f"{word} {number}", "firstname": "Ada", "email": f"ada.{number}@example.org", "socid": socid,
         "phone_pro": f"+33 1 55 50 {number:04}", "town": "Lyon", "poste": "Buyer"}
        for number in range(ENTRIES)
    ]  # fmt: skip


class Connection:
    """One connection that is kept."""

    def __init__(self, address):
        self._wire = http.client.HTTPConnection(address, timeout=60)

    def post(self, path, body):
        """The answer to a POST, which must be a success."""
        sent = json.dumps(body)
        self._wire.request("POST", path, sent, {"DOLAPIKEY": KEY, "Content-Type": "application/json"})
        answer = self._wire.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {content[:300]!r}")
        return json.loads(content)


def measure(runs, kind, older=None):
    """Measure in turns, so that what else the machine does meets all of them; the medians count.

    :param kind: that of the database
    """
    took = {"one by one": [], "all or nothing": [], "each for itself": []}
    with comptoir(kind=kind) as (address, _):
        wire = Connection(address)
        socid = wire.post("/thirdparties", {"name": "Bench Ltd", "client": 1})
        for number in range(min(runs, 5) + 1):
            for name, seconds in took.items():
                people = bodies(socid, f"{name} {number}")
                began = time.perf_counter()
                if name == "one by one":
                    for body in people:
                        wire.post("/contacts", body)
                else:
                    entries = [{"method": "POST", "body": body} for body in people]
                    done = wire.post("/contacts/batch", {"atomic": name == "all or nothing", "entries": entries})
                    if not all(each["status"] == 200 for each in done["results"]):
                        raise RuntimeError(f"not every entry was a success: {done['results'][:3]}")
                seconds.append(time.perf_counter() - began)
    # The first ones warm the server up
    middle = {name: median(seconds[1:]) for name, seconds in took.items()}
    rows = []
    for name, seconds in middle.items():
        ratio = middle["one by one"] / seconds
        text = f"{kind:12} {name:16} {seconds:8.3f} {ratio:8.1f}"
        rows.append({"database": kind, "manner": name, "seconds": seconds, "ratio": ratio, "text": text})
    return rows
