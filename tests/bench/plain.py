"""A plain falcon application for gunicorn's own workers: what `footprint` compares a server with."""

import falcon


class Status:
    """Responds with an object."""

    def on_get(self, req, resp):
        """Respond."""
        resp.media = {"success": {"code": 200}}


app = falcon.App()
app.add_route("/status", Status())
