"""When a key was last used is written by a thread of each worker, not by the request."""

import time
from datetime import datetime

from core import Key
from core.access import keys
from core.storage.database import ensure_connected


def test_the_last_use_of_a_key_is_written_later_and_at_most_once_a_minute(server):
    keys._used.clear()
    keys._written.clear()
    client = server.user()
    client.get("/status")
    ensure_connected()
    mine = Key.user == client.user_id
    assert Key.get(mine).last_use is None
    keys.write_last_use()
    first = Key.get(mine).last_use
    assert abs((first - datetime(1970, 1, 1)).total_seconds() - time.time()) < 60
    client.get("/status")
    ensure_connected()
    Key.update(last_use=None).where(mine).execute()
    keys.write_last_use()
    assert Key.get(mine).last_use is None
