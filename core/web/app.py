"""The falcon application, and its middleware: the steps before and after the endpoint of every request."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import falcon

from ..common.request_state import begin, current_state
from ..common.runtime import active
from ..common.settings import Settings, settings
from .answers import write_error
from .request_states import STATE, begin_request
from .router import Router

#: the headers of every response, even to a request that isn't valid HTTP
COMMON_HEADERS = {"x-content-type-options": "nosniff"}
#: the defaults for a response, and for one that depends on the key
DEFAULT_HEADERS = {"cache-control": "no-cache, must-revalidate"}
KEYED_HEADERS = {"cache-control": "private, no-cache"}
#: the headers that may have a key
KEY_HEADERS = "DOLAPIKEY, Authorization"

_log = logging.getLogger("comptoir.slow")

_OVERRIDES = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_EXPOSED = (
    "X-Total-Count, X-Total-Estimated, X-Next-Cursor, Warning, X-Request-Id, Server-Timing, ETag, RateLimit, "
    "RateLimit-Policy, Retry-After, Idempotency-Replayed"
)
_ALLOWED = "Authorization, Content-Type, DOLAPIKEY, Idempotency-Key, If-Match, If-None-Match"


class App(falcon.App[Any, Any]):
    """falcon's application, which may be left before it has answered."""

    def __call__(self, env: Any, start_response: Any) -> Any:
        """Answer a request. What passes through falcon says that its body has not come, and that it is called again."""
        try:
            return super().__call__(env, start_response)
        except BaseException:
            state = current_state()
            if state is not None and state is env.get(STATE):
                begin(None)
            raise


class Middleware:
    """The steps of every request: its state and its verb before the endpoint, the common headers after it."""

    def __init__(self, configuration: Settings) -> None:
        self._origins = set(configuration.origins.split())
        self._slow = configuration.slow or math.inf

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Begin the request. A POST may request another verb, with the same checks as that verb."""
        begin_request(req.env)
        if req.method == "POST":
            override = (req.get_header("X-HTTP-Method-Override") or "").upper()
            if override in _OVERRIDES:
                # The response to a POST has a body
                req.method = "GET" if override == "HEAD" else override

    def process_resource(self, req: falcon.Request, resp: falcon.Response, resource: object, params: object) -> None:
        """Note the operation, for the log and the metrics."""
        state = req.env[STATE]
        state.operation, state.verb = req.uri_template or "", req.method

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        """Add the common headers, and count the request."""
        state = req.env.get(STATE)
        if state is None:
            # falcon has rejected the verb
            state = begin_request(req.env)
        headers = resp._headers
        headers |= COMMON_HEADERS
        if state.keyed:
            vary = headers.get("vary")
            headers["vary"] = f"{KEY_HEADERS}, {vary}" if vary else KEY_HEADERS
        for name, value in (KEYED_HEADERS if state.keyed else DEFAULT_HEADERS).items():
            headers.setdefault(name, value)
        headers["x-request-id"] = state.request_id
        if state.allowance is not None:
            state.allowance.write(headers)
        if self._origins:
            self._allow_origin(req, resp)
        seconds = perf_counter() - state.began
        if state.operation:
            headers["server-timing"] = f"app;dur={seconds * 1000:.1f}, db;dur={state.database_time * 1000:.1f}"
        active.runtime.metrics.count_request(
            req.method, state.operation, resp.status_code, seconds, state.database_time
        )
        if seconds >= self._slow:
            _log.warning(
                "slow: %s %s took %.2f s, of which %.2f s in the database for %d statements",
                *(req.method, state.operation or "(no operation)", seconds, state.database_time, state.statements),
            )
        begin(None)

    def _allow_origin(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.append_header("Vary", "Origin")
        origin = req.get_header("Origin")
        if origin not in self._origins:
            return
        resp.set_header("Access-Control-Allow-Origin", origin)
        resp.set_header("Access-Control-Expose-Headers", _EXPOSED)
        if req.method == "OPTIONS":
            resp.set_header("Access-Control-Allow-Methods", ", ".join(_OVERRIDES))
            resp.set_header("Access-Control-Allow-Headers", _ALLOWED)
            resp.set_header("Access-Control-Max-Age", "600")


def create_app(look_again: Callable[[], bool] = lambda: False) -> falcon.App[Any, Any]:
    """Return the application over the active catalogue.

    :param look_again: called if a service isn't found; returns whether the catalogue has changed
    """
    router: Any = Router(look_again)
    app: falcon.App[Any, Any] = App(middleware=[Middleware(settings())], router=router)
    app.req_options.auto_parse_qs_csv = False
    app.req_options.keep_blank_qs_values = True
    app.req_options.strip_url_path_trailing_slash = False
    app.add_error_handler(Exception, write_error)
    # falcon has a handler of its own for these
    app.add_error_handler(falcon.HTTPError, write_error)
    return app
