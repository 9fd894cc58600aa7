"""The router: the first segment of a path is the service, and the service's own paths lead to the operation.

falcon's compiled router silently replaces an identical template, rejects `/{id}` next to `/{number}/points`, is
case-sensitive, and takes time to compile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_to_bytes

import falcon

from ..common.errors import BadRequest, NotFound, NotLoadable, Reason, Refused, meant, shown
from ..contract.annotations import Annotation
from ..contract.catalogue import WRITING, Catalogue, Failure, Operation, catalogue
from ..contract.converters import plain_type
from .answers import PREFIX, write_error
from .authentication import is_overseen
from .request_states import OVERRIDES, ROUTE, STATE

#: the message that clients of Dolibarr know
NOT_LOADABLE = "API not found (failed to include API file)"

#: the last segment of a template that matches all further segments
_REST = "*"

#: the types of variables that are numbers: the test of a segment, and what is expected
_NUMBERS: dict[Any, Any] = {
    int: (re.compile(r"-?\d+", re.ASCII).fullmatch, "a whole number"),
    float: (re.compile(r"-?\d+(?:\.\d+)?", re.ASCII).fullmatch, "a number"),
}


class _Target:
    """An operation with the places of its variables in the path.

    :ivar variables: place and name of each
    :ivar numbers: those that are numbers, with the test of a segment and what is expected
    :ivar rest: place of the further segments; None: it has none
    """

    __slots__ = ("method_map", "numbers", "operation", "rest", "variables")

    def __init__(self, operation: Operation) -> None:
        segments = operation.segments
        types = {each.name: plain_type(each.type) for each in operation.inputs}
        self.variables = [(place, each[1:-1]) for place, each in enumerate(segments) if each.startswith("{")]
        numbers = ((place, name, _NUMBERS.get(types.get(name))) for place, name in self.variables)
        self.numbers = [(place, name, *number) for place, name, number in numbers if number]
        self.rest = len(segments) - 1 if segments[-1:] == (_REST,) else None
        self.operation = operation
        self.method_map = {operation.verb: operation.respond, "HEAD": operation.respond}

    def params(self, segments: list[str]) -> dict[str, str]:
        found = {name: segments[place] for place, name in self.variables}
        if self.rest is not None:
            found["rest"] = "/".join(segments[self.rest :])
        return found


class ServiceRoutes:
    """The paths of one service, such as ``/{id}/lines``, with their operations by verb."""

    def __init__(self, operations: tuple[Operation, ...]) -> None:
        #: the segments of a path, None for a variable → verb → operations
        self._paths: dict[tuple[str | None, ...], dict[str, list[_Target]]] = {}
        for operation in operations:
            path = tuple(None if each.startswith("{") else each.lower() for each in operation.segments)
            targets = self._paths.setdefault(path, {}).setdefault(operation.verb, [])
            targets.append(_Target(operation))
            # If two variables have the same place, a number is tried first
            targets.sort(key=lambda target: -len(target.numbers))
        self._has_index = any(path[:1] == ("index",) for path in self._paths)
        self._longest = max(map(len, self._paths), default=0) + 1
        #: number of segments → the paths of that length: the exact segments of each, and its operations
        self._of_length = [list(self._paths_of(length)) for length in range(self._longest + 1)]

    def _paths_of(self, length: int) -> Iterator[tuple[list[tuple[int, str]], dict[str, list[_Target]]]]:
        """Yield the paths that match a number of segments; at each place, exact segments come before variables."""
        for path in sorted(self._paths, key=lambda path: [2 if each == _REST else each is None for each in path]):
            has_rest = path[-1:] == (_REST,)
            if len(path) == length or (has_rest and len(path) < length):
                exact = [(place, each) for place, each in enumerate(path) if each is not None and each != _REST]
                yield exact, self._paths[path]

    def find(self, verb: str, segments: list[str]) -> _Target:
        """Return the operation for the segments after the service.

        :raises BadRequest: a variable is empty, or not a number
        :raises Refused: there are only operations for other verbs
        :raises NotFound: no operation has this path
        """
        lowered = [segment.lower() for segment in segments]
        if lowered == ["index"] and not self._has_index:
            segments, lowered = [], []
        allowed: set[str] = set()
        not_number: tuple[str, str, str] | None = None
        for exact, operations in self._of_length[min(len(lowered), self._longest)]:
            for place, segment in exact:
                if lowered[place] != segment:
                    break
            else:
                allowed.update(operations)
                for target in operations.get("GET" if verb == "HEAD" else verb, ()):
                    if "" in segments:
                        _ensure_filled(target, segments)
                    for place, name, fits, expected in target.numbers:
                        if not fits(segments[place]):
                            not_number = not_number or (name, expected, segments[place])
                            break
                    else:
                        return target
        if not_number and tuple(lowered) not in self._paths:
            name, expected, segment = not_number
            reason = f"expected {expected}, got {shown(segment)}"
            # Dolibarr takes a number with decimals for a number, until it converts it
            is_number = _NUMBERS[float][0](segment)
            raise BadRequest(
                errors=[(name, reason)], dolibarr="" if is_number else f"invalid value specified for `{name}`"
            )
        if allowed:
            verbs = sorted(allowed | ({"HEAD"} if "GET" in allowed else set()) | {"OPTIONS"})
            raise Refused(headers={"Allow": ", ".join(verbs)}, reason="wrong_method")
        raise NotFound(reason="unknown_path")


def _split(path: str, env: Mapping[str, Any]) -> list[str]:
    """Return the segments of a decoded path, without final slashes.

    An escaped slash (`%2F`) is a part of its segment (RFC 3986, 2.2).
    """
    segments, raw = path.split("/"), env.get("RAW_URI", "")
    if "%2" in raw:
        sent = raw.partition("?")[0].encode("latin-1", "replace").split(b"/")
        decoded = [unquote_to_bytes(each).decode(errors="replace") for each in sent]
        # A prefix comes before the path, or a whole URL
        ends = (decoded[start:] for start in range(len(decoded)))
        segments = next((each for each in ends if "/".join(each) == path), segments)
    while segments[1:] and not segments[-1]:
        del segments[-1]
    return segments


def _ensure_filled(target: _Target, segments: list[str]) -> None:
    for place, name in target.variables:
        if not segments[place]:
            reason = f"`{name}` is mandatory, but its segment of the path is empty"
            raise BadRequest(errors=[(name, Reason(reason, word="missing_field"))])


class Router:
    """falcon's router interface over the active catalogue.

    :param look_again: called if a service isn't found; returns whether the catalogue has changed
    """

    def __init__(self, look_again: Callable[[], bool] = lambda: False) -> None:
        self._look_again = look_again
        self._fixed: dict[str, tuple[object, dict[str, Any], str]] = {}
        self._routes: dict[str, ServiceRoutes] = {}
        self._of: Catalogue | None = None

    def add_route(self, uri_template: str, resource: object, **_: Any) -> None:
        """Serve a path that no service has: the pages of the explorer."""
        self._fixed[uri_template] = resource, falcon.routing.map_http_methods(resource), uri_template

    def find(self, uri: str, req: falcon.Request) -> tuple[Any, dict[str, Any], dict[str, Any], str]:
        """Return the responder for a path, as falcon expects it, and note the operation in the state of the request."""
        if ROUTE in req.env:
            # Found when the request was admitted
            found: tuple[Any, dict[str, Any], dict[str, Any], str] = req.env[ROUTE]
            return found
        if not uri.startswith("/"):
            if uri == "*" and req.method == "OPTIONS":
                return self, {"OPTIONS": _respond_to_options_of_all}, {}, ""
            raise BadRequest(f"expected a path such as /status, got {shown(uri)}")
        # Clients whose base URL ends with a slash send two
        uri = "/" + uri.lstrip("/")
        if uri[: len(PREFIX)].lower() == PREFIX and uri[len(PREFIX) : len(PREFIX) + 1] in ("", "/"):
            uri = "/" + uri[len(PREFIX) :].lstrip("/")
        ends_with_slash, (name, *segments) = uri.endswith("/"), _split(uri[1:], req.env)
        uri = uri.rstrip("/") or "/"
        folder, _, last = uri.rpartition("/")
        fixed = self._fixed.get(uri) or self._fixed.get(f"{folder}/*")
        if req.method == "OPTIONS" and req.get_header("Access-Control-Request-Method"):
            return self, {"OPTIONS": _respond_to_preflight}, {}, ""
        if fixed is not None:
            resource, methods, template = fixed
            if req.method not in methods:
                raise Refused(headers={"Allow": ", ".join([*sorted(methods), "OPTIONS"])}, reason="wrong_method")
            req.env[STATE].operation = template
            return resource, methods, ({"rest": last} if template.endswith("*") else {}), template
        name = name.lower()
        served = catalogue()
        if name not in served.services and name and self._look_again():
            served = catalogue()
        if name not in served.services:
            if served.failed(name) is not None:
                return self, {req.method: _not_loadable(name)}, {}, ""
            text = f"unknown service {name!r:.80}{meant(name, served.services)}" if name else ""
            raise NotFound(text, reason="unknown_path")
        routes = self._of_service(served, name)
        try:
            target = routes.find(req.method, segments)
        except (NotFound, Refused, BadRequest):
            if ends_with_slash:
                # If a variable after the last slash is empty, that is the better message
                with suppress(NotFound, Refused):
                    routes.find(req.method, [*segments, ""])
            raise
        req.env[STATE].operation = template = target.operation.template
        return target.operation, target.method_map, target.params(segments), template

    def _of_service(self, served: Catalogue, name: str) -> ServiceRoutes:
        if self._of is not served:
            # One assignment each, so that threads see either the old routes or the new ones
            self._routes, self._of = {}, served
        routes = self._routes
        found = routes.get(name)
        if found is None:
            failed = (_unloadable(failure, name) for failure in served.failures if not failure.shadowed)
            guests = (operation for operations in failed for operation in operations)
            found = routes[name] = ServiceRoutes((*served.services[name].operations, *guests))
        return found


def _unloadable(failure: Failure, name: str) -> Iterator[Operation]:
    """Yield the operations that a file which can't be loaded would serve below another service; they fail with 501."""
    routes = [(each.verb, each.template) for each in failure.methods]
    if failure.path:
        routes += [(verb, f"/{failure.path}{end}") for verb in ("GET", *WRITING) for end in ("", "/*")]
    for verb, template in routes if failure.name != name else ():
        if template.split("/")[1] == name:
            yield Operation(
                name, "", verb, template, Annotation(), (), None, None, "public", _not_loadable(failure.name),
                origin=failure.name,
            )  # fmt: skip


def _not_loadable(name: str) -> Callable[..., None]:
    """Return the responder of a service whose file can't be loaded: 501, for administrators with the reason."""

    def respond(request: falcon.Request, response: falcon.Response, **path: str) -> None:
        failure = catalogue().failed(name)
        details = {}
        if failure is not None and is_overseen(request):
            details = {"cause": failure.reason, "trace": failure.trace}
        write_error(request, response, NotLoadable(NOT_LOADABLE, details=details))

    return respond


def _respond_to_preflight(request: falcon.Request, response: falcon.Response, **path: str) -> None:
    """Respond in the same way for every path, so that a preflight doesn't reveal which paths exist."""
    response.status = 204


def _respond_to_options_of_all(request: falcon.Request, response: falcon.Response, **path: str) -> None:
    """Respond to ``OPTIONS *``."""
    response.status = 204
    response.set_header("Allow", ", ".join(OVERRIDES))
