"""What is running here, over HTTP."""

from typing import Any

from core import VERSION, Api

#: the release whose interface is spoken
SPOKEN = "16.0.3"


class Status(Api):
    """Version and state of this installation."""

    def index(self) -> dict[str, Any]:
        """Answer the version, to any valid key."""
        return {
            "success": {
                "code": 200,
                "dolibarr_version": SPOKEN,
                "access_locked": "0",
                "comptoir_version": VERSION,
            }
        }
