"""The falcon application, and its middleware: the steps before and after the endpoint of every request."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, cast

import falcon

from ..common.metrics import metrics
from ..common.request_state import begin
from ..common.setting_checks import ANY_ORIGIN
from ..common.settings import Settings, settings
from ..storage.database import end_of_request
from .answers import write_error
from .endpoint import Endpoint
from .request_states import OVERRIDES, ROUTE, STATE, begin_request
from .router import Router

#: the headers of every response, even to a request that isn't valid HTTP
COMMON_HEADERS = {"x-content-type-options": "nosniff"}
#: the defaults for a response, and for one that depends on the key
DEFAULT_HEADERS = {"cache-control": "no-cache, must-revalidate"}
KEYED_HEADERS = {"cache-control": "private, no-cache"}
#: the headers that may have a key
KEY_HEADERS = "DOLAPIKEY, Authorization"

_log = logging.getLogger("comptoir.slow")

#: all that the server and its modules read and write. `*` doesn't include Authorization (Fetch, 4.10)
_EXPOSED, _ALLOWED = "*", "*, Authorization"


class App(falcon.App[Any, Any]):
    """falcon's application, which the worker asks about a request whose body has not arrived yet."""

    def __init__(self, router: Router) -> None:
        super().__init__(middleware=[Middleware(settings())], router=cast(Any, router))
        self._own_router = router

    def admit(self, env: dict[str, Any]) -> int | None:
        """Return how many bytes the body of a request may have; None: the response doesn't depend on it.

        The route and the caller are found only once: they stay in `env`. An error is the response of the route.
        """
        request = falcon.Request(env, self.req_options)
        state = begin_request(request)
        limit = None
        try:
            env[ROUTE] = route = self._own_router.find(request.path, request)
            endpoint = getattr(route[0], "respond", None)
            if isinstance(endpoint, Endpoint) and endpoint.has_body:
                limit = endpoint.body_limit(endpoint.admit(request, state))
        except Exception as error:  # noqa: BLE001 - each is the response of the application
            env[ROUTE] = self, {request.method: partial(_fail, error)}, {}, state.operation
        finally:
            end_of_request()
            begin(None)
        return None if (request.content_length or 0) > (limit or 0) else limit


def _fail(error: Exception, request: falcon.Request, response: falcon.Response, **path: str) -> None:
    raise error


class Middleware:
    """The steps of every request: its state before the endpoint, the common headers after it."""

    def __init__(self, configuration: Settings) -> None:
        self._origins = set(configuration.origins.split())
        self._slow = configuration.slow or math.inf

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Begin the request, or continue it after its admission."""
        begin_request(req)

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        """Add the common headers, and count the request."""
        state = req.env[STATE]
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
        metrics().count_request(req.method, state.operation, resp.status_code, seconds, state.database_time)
        if seconds - state.waited >= self._slow:
            _log.warning(
                "slow: %s %s took %.2f s, of which %.2f s in the database for %d statements",
                *(req.method, state.operation or "(no operation)", seconds, state.database_time, state.statements),
            )
        begin(None)

    def _allow_origin(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Let a page of a configured origin call the API. It gets no credentials, so a page has to send its key."""
        origin = ANY_ORIGIN
        if origin not in self._origins:
            resp.append_header("Vary", "Origin")
            origin = req.get_header("Origin") or ""
            if origin not in self._origins:
                return
        resp.set_header("Access-Control-Allow-Origin", origin)
        resp.set_header("Access-Control-Expose-Headers", _EXPOSED)
        if req.method == "OPTIONS":
            resp.set_header("Access-Control-Allow-Methods", ", ".join(OVERRIDES))
            resp.set_header("Access-Control-Allow-Headers", _ALLOWED)
            resp.set_header("Access-Control-Max-Age", "600")


def create_app(look_again: Callable[[], bool] = lambda: False) -> App:
    """Return the application over the active catalogue.

    :param look_again: called if a service isn't found; returns whether the catalogue has changed
    """
    app = App(Router(look_again))
    app.req_options.auto_parse_qs_csv = False
    app.req_options.keep_blank_qs_values = True
    app.req_options.strip_url_path_trailing_slash = False
    app.add_error_handler(Exception, write_error)
    # falcon has a handler of its own for these
    app.add_error_handler(falcon.HTTPError, write_error)
    return app
