"""What a call's time goes into: a profile of the application in this process, gathered by library and file."""

import cProfile
import itertools
import pstats
import tempfile
from collections import defaultdict
from io import BytesIO
from pathlib import Path

from falcon.testing import StartResponseMock, create_environ

from core.access.accounts import Account
from core.access.keys import make_key
from core.common.settings import Settings
from core.storage.database import ensure_connected
from core.storage.serializer import to_json
from core.wsgi import build

from .calls import CALLS, Call, fill
from .servers import KEY, ROOT

_numbers = itertools.count(1)

#: how often a call is made for its profile
TIMES = 300


def profiles():
    """Call → its three largest costs, each with its share of the call's time."""
    with tempfile.TemporaryDirectory(prefix="comptoir-bench-") as folder:
        app = build(Settings(database=f"sqlite:///{folder}/bench.db", documents=folder)).app
        ensure_connected()
        make_key(Account.create(login="bench", admin=1).id, "measures", key=KEY)
        fill(lambda path, body: answer(app, Call("", path, 0, body=body)))
        return {call.name: costs(app, call) for call in CALLS}


def answer(app, call):
    """What the application answers, called as gunicorn calls it."""
    path, _, query = call.path.partition("?")
    environ = create_environ(
        path,
        query_string=query,
        method="GET" if call.body is None else call.verb,
        headers={
            "DOLAPIKEY": KEY,
            "Content-Type": "application/json",
            **({"Idempotency-Key": str(next(_numbers))} if call.once else {}),
        },
    )
    body = b"" if call.body is None else to_json(call.body)
    environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
    started = StartResponseMock()
    parts = app(environ, started)
    content = b"".join(parts)
    if hasattr(parts, "close"):
        parts.close()
    assert started.status.startswith("200"), f"{call.path}: {started.status} {content[:300]!r}"
    return content


def costs(app, call, most=3):
    """The largest costs of one call."""
    answer(app, call)
    profile = cProfile.Profile()
    for _ in range(TIMES):
        profile.enable()
        answer(app, call)
        profile.disable()
    spent = defaultdict(float)
    for (file, _, name), numbers in pstats.Stats(profile).stats.items():
        spent[place(file, name)] += numbers[2]
    for mine in ("tests/bench/costs.py", "falcon.testing"):
        spent.pop(mine, None)
    whole = sum(spent.values())
    return [(name, value / whole) for name, value in sorted(spent.items(), key=lambda each: -each[1])[:most]]


def place(file, name):
    """Where time was spent: a file of ours, a library, a method of an extension."""
    path = Path(file)
    if file == "~":
        return "the database (sqlite3)" if "sqlite3" in name else "orjson" if "orjson" in name else "Python's built-ins"
    if path.is_relative_to(ROOT) and "site-packages" not in path.parts:
        return str(path.relative_to(ROOT))
    if "site-packages" in path.parts:
        parts = path.parts[path.parts.index("site-packages") + 1 :]
        return "falcon.testing" if parts[:2] == ("falcon", "testing") else parts[0].removesuffix(".py")
    return "Python's library"
