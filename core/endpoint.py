"""One callable per route: name the caller, check the right, bind the request to the signature, call, answer.

Everything that does not depend on the request was worked out when the file was loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import falcon

from .answers import write_result, write_warnings
from .bodies import read_body
from .caller import ANONYMOUS, Caller, Permission
from .catalogue import REQUIRED, Input
from .context import RequestState, begin
from .converters import allows_none, converter, plain_type
from .database import end_of_request, ensure_connected
from .errors import ApiError, BadRequest, Unauthorized
from .keys import find_caller
from .routes import Route
from .settings import settings

_MISSING = object()
_BODY_VERBS = ("POST", "PUT", "PATCH", "DELETE")

NO_KEY = "Failed to login to API. No key: send it in the header DOLAPIKEY or as Authorization: Bearer"


def key_of(request: falcon.Request) -> str:
    """The key a request came with; empty when there is none. In the URL it counts only where the profile allows it."""
    env = request.env
    key: str = env.get("HTTP_DOLAPIKEY", "")
    if not key:
        authorization: str = env.get("HTTP_AUTHORIZATION", "")
        if authorization[:7].lower() == "bearer ":
            key = authorization[7:].strip()
    if not key and settings().profile.key_in_url:
        key = request.get_param("DOLAPIKEY") or request.get_param("api_key") or ""
    return key


def identify(request: falcon.Request, access: str) -> Caller:
    """Who is calling.

    :param access: ``protected``: a valid key is needed; ``hybrid``: one may come; ``public``: none is looked at
    :raises Unauthorized: a key is missing or not valid
    """
    if access == "public":
        return ANONYMOUS
    key = key_of(request)
    if not key:
        if access == "hybrid":
            return ANONYMOUS
        raise Unauthorized(NO_KEY, headers={"WWW-Authenticate": 'Bearer realm="comptoir"'})
    ensure_connected()
    caller = find_caller(key)
    if caller is None:
        raise Unauthorized(headers={"WWW-Authenticate": 'Bearer realm="comptoir"'})
    return caller


def address_of(request: falcon.Request) -> str:
    """Where a request comes from: the address a trusted proxy names, else the peer's."""
    trusted = {address.strip() for address in settings().proxies.split(",")}
    peer = request.remote_addr or ""
    route = list(request.access_route)
    while peer in trusted and route:
        peer = route.pop()
    return peer


class Binding:
    """How one parameter is taken from a request."""

    __slots__ = ("convert", "default", "group", "message", "name", "nullable", "place", "required", "text")

    def __init__(self, each: Input) -> None:
        self.name = each.name
        self.place = each.place
        self.convert = converter(each.type, each.note)
        self.required = each.default is REQUIRED
        self.default = each.default
        self.nullable = allows_none(each.type)
        self.message = each.note.message
        self.group = each.group
        self.text = plain_type(each.type) is str and not each.note.choices

    def value(self, sent: Any) -> Any:
        """The value for the method; `_MISSING` when there is none. Raises ValueError when it does not fit."""
        if sent is None and self.nullable and self.required:
            return None
        if sent is None or sent is _MISSING:
            return _MISSING if self.required else self.default
        if sent == "" and not self.required and (not self.text or self.place == "query"):
            return self.default
        try:
            return self.convert(sent)
        except (OverflowError, ArithmeticError):
            raise ValueError("Expecting a smaller number") from None


def make_responder(
    api_class: type,
    method_name: str,
    route: Route,
    permission: Permission | None,
    access: str,
    status: int,
    headers: tuple[tuple[str, str], ...],
    groups: dict[str, type],
) -> Callable[..., None]:
    """What falcon calls for a route."""
    bindings = [Binding(each) for each in route.inputs]
    in_body = [each for each in bindings if each.place == "body"]
    takes_body = route.verb in _BODY_VERBS and (in_body or any(each.place == "whole" for each in bindings))
    only_one = in_body[0].name if len(in_body) == 1 and not any(each.place == "whole" for each in bindings) else ""
    group_fields = {name: {each.name for each in fields(made)} for name, made in groups.items()}  # type: ignore[arg-type]

    def respond(request: falcon.Request, response: falcon.Response, **path: str) -> None:
        state = RequestState(address=lambda: address_of(request))
        begin(state)
        try:
            state.caller = caller = identify(request, access)
            if permission is not None:
                caller.require(permission)
            arguments = bind(request, path) if bindings else {}
            if not bindings and route.verb in _BODY_VERBS:
                read_body(request)
            for name, made in groups.items():
                arguments[name] = made(**{each: arguments.pop(each) for each in group_fields[name]})
            result = getattr(api_class(), method_name)(**arguments)
            for name, value in headers:
                response.set_header(name, value)
            write_result(request, response, result, status)
            write_warnings(response, state)
        except ApiError:
            write_warnings(response, state)
            raise
        except SystemExit as error:
            # An author's sys.exit() must not end the worker
            raise RuntimeError("the method called sys.exit()") from error
        finally:
            begin(None)
            end_of_request()

    def bind(request: falcon.Request, path: dict[str, str]) -> dict[str, Any]:
        query = request.params if request.query_string else {}
        body = read_body(request) if takes_body or route.verb in _BODY_VERBS else None
        keys = body if isinstance(body, dict) else {}
        arguments: dict[str, Any] = {}
        wrong: list[tuple[str, str]] = []
        for each in bindings:
            name = each.name
            if each.place == "path":
                sent: Any = path.get(name, _MISSING)
            elif each.place == "whole":
                sent = body if takes_body else dict(query)
                if sent is None:
                    sent = {} if each.required else _MISSING
            elif each.place == "head":
                sent = request.get_header(name.replace("_", "-")) or _MISSING
            elif name in keys and each.place == "body":
                sent = keys[name]
            elif each.place == "body" and name == only_one and body not in (None, {}) and name not in query:
                sent = body
            else:
                sent = query.get(name, _MISSING)
            try:
                value = each.value(sent)
            except ValueError as error:
                reason = each.message or f"Invalid value specified for `{name}`. {error}"
                wrong.append((name, reason if each.message else f"{reason} (got {_shown(sent)})"))
                continue
            if value is _MISSING:
                wrong.append((name, each.message or f"`{name}` is required."))
            else:
                arguments[name] = value
        if wrong:
            raise BadRequest(wrong[0][1], errors=wrong)
        return arguments

    return respond


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
