"""A plain falcon application for gunicorn's own workers: what `footprint` compares a server with."""

from __future__ import annotations

from typing import Any

import falcon


class Status:
    """Responds with an object."""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Respond."""
        resp.media = {"success": {"code": 200}}


app: falcon.App[Any, Any] = falcon.App()
app.add_route("/status", Status())
