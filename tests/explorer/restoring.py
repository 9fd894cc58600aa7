"""A database on SQLite that is put back to what it was: a server for each call would take a second each."""

import sqlite3

from core.storage.database import database, ensure_connected, query

_NUMBER = "SELECT number FROM comptoir_generation"


class Restorer:
    """Remembers the database of the active server, and puts it back."""

    def __init__(self):
        ensure_connected()
        # The disk need not keep what is thrown away
        self.live.execute("PRAGMA synchronous = OFF")
        self._before = sqlite3.connect(":memory:")
        self.remember()

    @property
    def live(self):
        """The connection of this thread."""
        return database.obj.connection()

    def remember(self):
        """Let the database be restored to what it is now."""
        self.live.backup(self._before)
        self._number = self._before.execute(_NUMBER).fetchone()[0]

    def restore(self):
        """Make the database what it was, but for the counter of what is kept in memory, which only rises."""
        ensure_connected()
        ((number,),) = query(_NUMBER)
        if number != self._number:
            self._number = number + 1
            self._before.execute("UPDATE comptoir_generation SET number = ?", (self._number,))
            self._before.commit()
        self._before.backup(self.live)

    def close(self):
        """Forget what was remembered."""
        self._before.close()
