"""The server's version over HTTP."""

from typing import Annotated, Literal, TypedDict

from core import Api
from core.for_natives import VERSION

#: Dolibarr's release with the same API
DOLIBARR_VERSION = "16.0.3"


class Versions(TypedDict):
    """The version of the server."""

    code: Annotated[Literal[200], "200"]
    dolibarr_version: Annotated[str, "the Dolibarr release with the same API"]
    access_locked: Annotated[Literal["0"], "the service can't be locked"]
    comptoir_version: Annotated[str, "the release of this server"]


class State(TypedDict):
    """The state of this installation."""

    success: Versions


class Status(Api):
    """Version and state of this server."""

    group = "Administration"

    def index(self) -> State:
        """Read the server's version.

        :access: protected
        """
        return {
            "success": {
                "code": 200,
                "dolibarr_version": DOLIBARR_VERSION,
                "access_locked": "0",
                "comptoir_version": VERSION,
            }
        }
