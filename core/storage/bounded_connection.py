"""A connection to PostgreSQL that waits for an answer for some seconds, and not without end.

PostgreSQL ends by itself what takes too long, but not where it does not come to it: a pool holds a statement back while
its database is gone, for two minutes as PgBouncer is installed, and a host may stand still.
"""

from __future__ import annotations

from typing import Any

import psycopg


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is given up where nothing is answered."""

    #: seconds that an answer is waited for; None: without end
    patience: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for an answer.

        :raises psycopg.OperationalError: there was none
        """
        try:
            return super().wait(gen, interval, self.patience if timeout is None else timeout)
        except psycopg.OperationalError as error:
            if error.sqlstate is None:
                # The server has not said it, so nobody knows what it would answer to next
                self.pgconn.finish()
            raise
