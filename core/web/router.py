"""The router: first path segment → service → the service's own tree of segments.

falcon's compiled router replaces an identical template without a word, refuses `/{id}` next to `/{number}/points`,
is sensitive to case and takes time to compile; a tree has none of this and is filled at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import falcon

from ..common.errors import BadRequest, NotFound, NotLoadable, Refused, Unauthorized, meant, shown, wrong_fields
from ..common.request_state import RequestState
from ..contract.annotations import Annotation
from ..contract.catalogue import Catalogue, Failure, Operation, catalogue
from ..contract.converters import plain_type
from ..storage.retry import retry_undone
from .answers import PREFIX, write_error
from .authentication import authenticated, key_of
from .request_states import ROUTE, state_of

#: what clients of Dolibarr know
NOT_LOADABLE = "API not found (failed to include API file)"

_NUMBERS = (int, float)
_VERBS = "GET, HEAD, POST, PUT, PATCH, DELETE"


class _Node:
    __slots__ = ("literals", "operations", "rest", "variable")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.variable: _Node | None = None
        self.rest: _Node | None = None
        self.operations: dict[str, list[_Target]] = {}


class _Target:
    """An operation with the places of its variables in the path."""

    __slots__ = ("method_map", "numbers", "operation", "variables")

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        types = {each.name: plain_type(each.type) for each in operation.inputs}
        self.variables = [
            (place, segment[1:-1]) for place, segment in enumerate(operation.segments) if segment.startswith("{")
        ]
        self.numbers = [place for place, name in self.variables if types.get(name) in _NUMBERS]
        respond = _retrying(operation.respond)
        self.method_map = {operation.verb: respond, "HEAD": respond}

    def fits(self, segments: list[str]) -> bool:
        return all(_is_number(segments[place]) for place in self.numbers)

    def empty(self, segments: list[str]) -> str:
        """The name of a variable that the path leaves empty; empty: there is none."""
        return next((name for place, name in self.variables if not segments[place]), "")

    def params(self, segments: list[str]) -> dict[str, str]:
        found = {name: segments[place] for place, name in self.variables}
        if self.operation.segments[-1:] == ("*",):
            found["rest"] = "/".join(segments[len(self.operation.segments) - 1 :])
        return found


def _retrying(respond: Callable[..., None]) -> Callable[..., None]:
    """Return a responder that calls another one, again if the database undid all that it did."""

    def respond_at_last(request: falcon.Request, response: falcon.Response, **path: str) -> None:
        state = state_of(request.env)
        call = partial(respond, request, response, **path)
        retry_undone(call, f"request {state.request_id}", state.began, partial(_forget, state, response))

    return respond_at_last


def _forget(state: RequestState, response: falcon.Response) -> None:
    state.forget()
    response._headers.clear()
    response.data, response.stream, response.status = None, None, falcon.HTTP_200


def _is_number(segment: str) -> bool:
    digits = segment[1:] if segment[:1] == "-" else segment
    whole, point, fraction = digits.partition(".")
    return whole.isascii() and whole.isdigit() and (not point or fraction.isdigit())


class ServiceRoutes:
    """The tree of one service."""

    def __init__(self, operations: tuple[Operation, ...]) -> None:
        self.root = _Node()
        for operation in operations:
            self._add(operation)

    def _add(self, operation: Operation) -> None:
        node = self.root
        for segment in operation.segments:
            if segment == "*":
                node.rest = node = node.rest or _Node()
            elif segment.startswith("{"):
                node.variable = node = node.variable or _Node()
            else:
                node = node.literals.setdefault(segment.lower(), _Node())
        targets = node.operations.setdefault(operation.verb, [])
        targets.append(_Target(operation))
        # Where two variables compete for one place, the number is tried first
        targets.sort(key=lambda target: -len(target.numbers))

    def find(self, verb: str, segments: list[str]) -> _Target:
        """The operation for a path below the service; raises what is answered when there is none."""
        lowered = [segment.lower() for segment in segments]
        if lowered == ["index"] and "index" not in self.root.literals:
            segments, lowered = [], []
        allowed: set[str] = set()
        wrong_number: tuple[str, str] | None = None
        for node in self._nodes(self.root, lowered, 0):
            for target in node.operations.get("GET" if verb == "HEAD" else verb, ()):
                if empty := target.empty(segments):
                    raise wrong_fields([(empty, f"`{empty}` is mandatory, but its segment of the path is empty")])
                if target.fits(segments):
                    return target
                wrong_number = wrong_number or next(
                    (name, segments[place])
                    for place, name in target.variables
                    if place in target.numbers and not _is_number(segments[place])
                )
            allowed.update(node.operations)
        if wrong_number and not self._is_exact(lowered):
            name, segment = wrong_number
            reason = f"expected a whole number, got {shown(segment)}"
            raise wrong_fields([(name, reason)], dolibarr=f"invalid value specified for `{name}`")
        if allowed:
            verbs = sorted(allowed | ({"HEAD"} if "GET" in allowed else set()) | {"OPTIONS"})
            raise Refused(headers={"Allow": ", ".join(verbs)}, details={"allowed": verbs})
        raise NotFound()

    def _is_exact(self, lowered: list[str]) -> bool:
        """Whether a path without variables is served, if only with another verb."""
        node: _Node | None = self.root
        for segment in lowered:
            node = node.literals.get(segment) if node else None
        return node is not None and bool(node.operations)

    def _nodes(self, node: _Node, lowered: list[str], depth: int) -> Iterator[_Node]:
        """Every node that a path leads to, exact segments first."""
        if depth == len(lowered):
            if node.operations:
                yield node
            return
        literal = node.literals.get(lowered[depth])
        if literal is not None:
            yield from self._nodes(literal, lowered, depth + 1)
        if node.variable is not None:
            yield from self._nodes(node.variable, lowered, depth + 1)
        if node.rest is not None:
            yield node.rest


class Router:
    """falcon's router interface over the active catalogue.

    :param look_again: called when a service is not found; answers whether a look at the disk changed the catalogue
    """

    def __init__(self, look_again: Callable[[], bool] = lambda: False) -> None:
        self._look_again = look_again
        self._fixed: dict[str, tuple[object, dict[str, Any], str]] = {}
        self._routes: dict[str, ServiceRoutes] = {}
        self._of: Catalogue | None = None

    def add_route(self, uri_template: str, resource: object, **_: Any) -> None:
        """Serve a path that is no service's: the pages of the explorer."""
        self._fixed[uri_template] = resource, falcon.routing.map_http_methods(resource), uri_template

    def find(self, uri: str, req: falcon.Request | None = None) -> tuple[Any, dict[str, Any], dict[str, Any], str]:
        """The responder for a path."""
        if req is not None and ROUTE in req.env:
            # Found when the request was admitted
            found: tuple[Any, dict[str, Any], dict[str, Any], str] = req.env[ROUTE]
            return found
        if not uri.startswith("/"):
            # The server itself, or another one
            if uri == "*" and req is not None and req.method == "OPTIONS":
                return self, {"OPTIONS": _answer_options_of_all}, {}, ""
            raise BadRequest(f"expected a path such as /status, got {shown(uri)}")
        if uri[: len(PREFIX)].lower() == PREFIX and uri[len(PREFIX) : len(PREFIX) + 1] in ("", "/"):
            # Some clients of the reference put a slash before a path that begins with one; its server does not mind
            uri = "/" + uri[len(PREFIX) :].lstrip("/")
        ended, uri = uri.endswith("/"), uri.rstrip("/") or "/"
        folder, _, last = uri.rpartition("/")
        fixed = self._fixed.get(uri) or self._fixed.get(f"{folder}/*")
        if req is not None and req.method == "OPTIONS" and req.get_header("Access-Control-Request-Method"):
            return self, {"OPTIONS": _answer_preflight}, {}, ""
        if fixed is not None:
            resource, methods, template = fixed
            if req is not None and req.method not in methods:
                raise Refused(headers={"Allow": ", ".join([*sorted(methods), "OPTIONS"])})
            return resource, methods, ({"rest": last} if template.endswith("*") else {}), template
        _, name, *segments = uri.split("/") if uri != "/" else ("", "")
        name = name.lower()
        served = catalogue()
        if name not in served.services and name and self._look_again():
            served = catalogue()
        service = served.services.get(name)
        if service is None:
            if served.failed(name) is not None:
                return self, {req.method if req else "GET": _not_loadable(name)}, {}, ""
            raise NotFound(f"unknown service {name!r:.80}{meant(name, served.services)}" if name else "")
        verb, tree = req.method if req else "GET", self._of_service(served, name)
        try:
            target = tree.find(verb, segments)
        except (NotFound, Refused, BadRequest):
            if ended:
                # What stands behind the last slash may be a variable that is empty: that is told first
                with suppress(NotFound, Refused):
                    tree.find(verb, [*segments, ""])
            raise
        return target.operation, target.method_map, target.params(segments), target.operation.template

    def _of_service(self, served: Catalogue, name: str) -> ServiceRoutes:
        if self._of is not served:
            # One assignment each, so that threads see either the old trees or the new ones
            self._routes, self._of = {}, served
        routes = self._routes
        tree = routes.get(name)
        if tree is None:
            failed = (_unloadable(failure, name) for failure in served.failures if not failure.shadowed)
            guests = (operation for operations in failed for operation in operations)
            tree = routes[name] = ServiceRoutes((*served.services[name].operations, *guests))
        return tree


def _unloadable(failure: Failure, name: str) -> Iterator[Operation]:
    """What a file that cannot be loaded would serve below another service: each of it answers 501."""
    for method in failure.methods if failure.name != name else ():
        if method.template.split("/")[1] == name:
            yield Operation(
                name, "", method.verb, method.template, Annotation(), (), None, None, "public",
                _not_loadable(failure.name), origin=failure.name,
            )  # fmt: skip


def _not_loadable(name: str) -> Callable[..., None]:
    """The 501 of a service whose file cannot be loaded; an administrator's key also gets the reason."""

    def respond(request: falcon.Request, response: falcon.Response, **path: str) -> None:
        failure = catalogue().failed(name)
        details = {}
        # Without a key no database is asked: this answer comes before authentication
        if failure is not None and key_of(request):
            with suppress(Unauthorized), authenticated(request, "protected") as caller:
                if caller.oversees:
                    details = {"reason": failure.reason, "trace": failure.trace}
        write_error(request, response, NotLoadable(NOT_LOADABLE, details=details))

    return respond


def _answer_preflight(request: falcon.Request, response: falcon.Response, **path: str) -> None:
    """Every path answers in the same way: a preflight does not reveal which paths exist."""
    response.status = 204


def _answer_options_of_all(request: falcon.Request, response: falcon.Response, **path: str) -> None:
    """``OPTIONS *`` asks what the server can do at all."""
    response.status = 204
    response.set_header("Allow", _VERBS)
