"""When a key was last used is written by a thread of each worker, not by the request."""

from datetime import datetime
from types import SimpleNamespace

from core.access import keys
from core.for_natives import Key
from core.storage.database import ensure_connected
from tests.moments import LEAP_DAY_END


def test_the_last_use_of_a_key_is_written_later_and_at_most_once_a_minute(server, monkeypatch):
    keys._used.clear()
    keys._written.clear()
    client = server.user()
    ensure_connected()
    mine = Key.user == client.user_id

    def last_use(seconds):
        """The last use that is written of a call so many seconds after the first."""
        monkeypatch.setattr(keys, "time", SimpleNamespace(time=lambda: LEAP_DAY_END + seconds))
        client.get("/status")
        ensure_connected()
        before = Key.get(mine).last_use
        keys.write_last_use()
        return before, Key.get(mine).last_use

    first, later = datetime(2028, 2, 29, 23, 59, 59), datetime(2028, 3, 1, 0, 0, 59)
    assert last_use(0.9) == (None, first)
    assert last_use(60.8) == (first, first)
    assert last_use(60.9) == (first, later)
