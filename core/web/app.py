"""The falcon application: what every request passes before and after its endpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import falcon

from ..common.settings import Settings, settings
from .answers import request_id, write_error
from .router import Router

#: what every answer carries, also the one to a request that is no proper HTTP
COMMON_HEADERS = {"x-content-type-options": "nosniff"}
#: what an answer carries that says nothing else
DEFAULT_HEADERS = {"cache-control": "no-cache, must-revalidate"}

_OVERRIDES = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_EXPOSED = "X-Total-Count, X-Next-Cursor, Warning, X-Request-Id, ETag"


class EveryAnswer:
    """The middleware around every request: method override before, the headers of every answer after."""

    def __init__(self, configuration: Settings) -> None:
        self._origins = set(configuration.origins.split())

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Let a POST stand for another verb; it passes the same checks as that verb."""
        if req.method == "POST":
            override = req.get_header("X-HTTP-Method-Override")
            if override and override.upper() in _OVERRIDES:
                req.method = override.upper()

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        """Add the headers of every answer."""
        headers = resp._headers
        headers |= COMMON_HEADERS
        for name, value in DEFAULT_HEADERS.items():
            headers.setdefault(name, value)
        if getattr(req.context, "request_id", None) or "HTTP_X_REQUEST_ID" in req.env:
            headers["x-request-id"] = request_id(req)
        if self._origins:
            self._allow_origin(req, resp)

    def _allow_origin(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.append_header("Vary", "Origin")
        origin = req.get_header("Origin")
        if origin not in self._origins:
            return
        resp.set_header("Access-Control-Allow-Origin", origin)
        resp.set_header("Access-Control-Expose-Headers", _EXPOSED)
        if req.method == "OPTIONS":
            resp.set_header("Access-Control-Allow-Methods", ", ".join(_OVERRIDES))
            resp.set_header(
                "Access-Control-Allow-Headers", "Authorization, Content-Type, DOLAPIKEY, If-Match, If-None-Match"
            )
            resp.set_header("Access-Control-Max-Age", "600")


def create_app(look_again: Callable[[], bool] = lambda: False) -> falcon.App[Any, Any]:
    """The application over the catalogue in force.

    :param look_again: called when a service is not found; answers whether a look at the disk changed the catalogue
    """
    router: Any = Router(look_again)
    app: falcon.App[Any, Any] = falcon.App(middleware=[EveryAnswer(settings())], router=router)
    app.req_options.auto_parse_qs_csv = False
    app.req_options.keep_blank_qs_values = True
    app.req_options.strip_url_path_trailing_slash = False
    app.add_error_handler(Exception, write_error)
    return app
