"""What the server itself serves, beside what modules do: its health and its metrics.

They are API classes like a module's, so that the explorer, the documents and the command line tell of them.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from ..contract.api import File
from .metrics import CONTENT_TYPE, metrics_text
from .readiness import State, degraded_modules, ensure_ready

#: the module that they belong to
OWN = "core"


class Alive(TypedDict):
    """The server responds."""

    live: Literal[True]


class Ready(TypedDict):
    """The server is ready."""

    ready: Literal[True]
    parts: Annotated[dict[str, State], "the state of each part; `degraded`: a file can't be loaded"]
    degraded: Annotated[list[str], "the modules with a file that can't be loaded"]


class Health:
    """Liveness and readiness checks for monitoring.

    :access: public
    """

    #: no key is looked at, and the answer comes while the database does not
    needs_database = False

    def live(self) -> Alive:
        """Check that a worker is alive.

        The worker responds immediately, without the database. If it doesn't, restart it.

        :url: GET live
        """
        return {"live": True}

    def ready(self) -> Ready:
        """Check that the server is ready.

        Responds with 200 if all parts work, otherwise with 503 and the part that doesn't. The check runs at most once a
        second. If a file of a module can't be loaded, `modules` is `degraded`; the status is still 200, because only
        that service is disabled.

        :url: GET ready
        :raises Unavailable: a part is unavailable; `parts` lists it
        """
        parts = ensure_ready()
        return {"ready": True, "parts": parts, "degraded": degraded_modules()}


class Metrics:
    """Prometheus metrics."""

    def index(self) -> File:
        """Read the metrics for Prometheus.

        Includes requests by method, route and status, their time and their time in the database.

        :permission: read
        :raises 304: the metrics match `If-None-Match`
        """
        return File(metrics_text(), "metrics.txt", CONTENT_TYPE)


SERVICES = (Health, Metrics)
