"""What the server itself serves, beside what modules do: its health and its figures.

They are API classes like a module's, so that the explorer, the documents and the command line tell of them.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from ..contract.api import File
from .figures import CONTENT_TYPE, figures
from .readiness import State, degraded_modules, insist_on_readiness, look_at_hosts

#: the module that they belong to
OWN = "core"


class Alive(TypedDict):
    """The server answers."""

    live: Literal[True]


class Ready(TypedDict):
    """The server can do its work."""

    ready: Literal[True]
    parts: Annotated[dict[str, State], "the state of each part; `degraded`: a file can't be loaded"]
    degraded: Annotated[list[str], "the modules with a file that can't be loaded"]
    notes: Annotated[list[str], "differences from other hosts of the same database"]


class Health:
    """Whether the server lives, and whether it is ready, for those who watch over it.

    :access: public
    """

    #: no key is looked at, and the answer comes while the database does not
    needs_database = False

    def live(self) -> Alive:
        """Check that a worker lives: it answers at once, whatever the database does, or should be started anew.

        :url: GET live
        """
        return {"live": True}

    def ready(self) -> Ready:
        """Check that the server is ready: 200 when all of its parts are there, else 503 with the one that is not.

        Looked at once a second at most, however often it is asked. Hosts of one database say what they serve: a module
        that lies in another one alone is named in `notes`, for a while after it has been dropped in. The status is 200
        all the same, or a version could not be rolled out host by host. It is also 200 if a file of a module cannot be
        loaded, which disables only its own service: `modules` is `degraded` then.

        :url: GET ready
        :raises Unavailable: a part is not there; `parts` says which
        """
        parts = insist_on_readiness()
        return {"ready": True, "parts": parts, "degraded": degraded_modules(), "notes": look_at_hosts()}


class Metrics:
    """The figures of the server."""

    def index(self) -> File:
        """Read the metrics for Prometheus: requests by operation, verb and status, their and the database's time …

        :permission: read
        :raises 304: they are the ones that If-None-Match names
        """
        return File(figures().text(), "metrics.txt", CONTENT_TYPE)


SERVICES = (Health, Metrics)
