"""One callable for each route: it authenticates the caller, checks the permission, binds the request, calls the method.

Whatever doesn't depend on the request is prepared when the file is loaded.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from decimal import getcontext, setcontext
from functools import partial
from typing import Any, NoReturn

import falcon
import orjson

from ..access.callers import ANONYMOUS, Caller, Permission
from ..common.authors_code import DEFAULT_CONTEXT, as_exception
from ..common.errors import ApiError, BadRequest, Reason, reason_of, shown, unknown_fields
from ..common.process_state import running
from ..common.request_state import RequestState, asks_strict, warn_ignored
from ..common.settings import settings
from ..common.unset import UNSET
from ..contract.annotations import Annotation, python_name
from ..contract.api import Accepted
from ..contract.catalogue import WRITING, Input, Operation
from ..contract.converters import allows_none, containers_of, converter, plain_type
from ..contract.relations import Shape
from ..contract.results import report_unfit, types_of
from ..contract.routes import Route
from ..storage.database import end_of_request, ensure_connected, retry_undone
from ..storage.serializer import NotPlain, to_json
from .answers import NoJson, note_location, place_of_method, write_result, write_warnings
from .authentication import KEYS_IN_URL, count, identify
from .bodies import MAX_BYTES_WITHOUT_KEY, READERS, Reader, read_body, read_raw_body
from .idempotency import VARIABLE, answer_once
from .request_states import STATE
from .sheets import PAGE, asks_for_all, write_stream
from .views import PROPERTIES, View, ViewReader


class Binding:
    """How one parameter is read from a request."""

    __slots__ = ("argument", "convert", "default", "group", "message", "name", "nullable", "place", "required", "text")

    def __init__(self, each: Input) -> None:
        self.name = each.name
        self.argument = python_name(each.name)
        self.place = each.place
        self.convert = converter(each.type, each.note)
        self.required = each.required
        self.default = each.default
        self.nullable = allows_none(each.type)
        self.message = each.note.message
        self.group = each.group
        self.text = plain_type(each.type) in (str, Any) and not each.note.choices

    def value(self, sent: Any) -> Any:
        """Return the value for the method, or `UNSET`.

        :raises ValueError: the value is invalid
        """
        if sent is None and self.nullable and self.required:
            return None
        if sent is None or sent is UNSET:
            return self.default
        if sent == "" and not self.required and (not self.text or self.place == "query"):
            return self.default
        try:
            return self.convert(sent)
        except (OverflowError, ArithmeticError):
            raise ValueError("expected a smaller number") from None


class Endpoint:
    """The callable of a route, for falcon.

    :param make: the API class; it makes the object whose method is called
    :param method: the function of this method
    :param groups: parameters of the method that are dataclasses, made from several values of the query
    :param shape: the records that it returns
    :param answers: the return annotation of the method, resolved
    :param readers: media type → function that reads a body of this type
    """

    def __init__(
        self,
        make: Callable[[], Any],
        method: Callable[..., Any],
        route: Route,
        permission: Permission | None,
        access: str,
        annotation: Annotation,
        groups: dict[str, type[Any]],
        shape: Shape | None = None,
        answers: Any = object,
        readers: Mapping[str, Reader] = READERS,
    ) -> None:
        is_raw = any(each.is_raw_body for each in route.inputs)
        self._read_body = read_raw_body if is_raw else partial(read_body, readers=readers)
        self._make = make
        self._method = method
        self._permission = permission
        self._access = access
        self._connects = getattr(make, "needs_database", True)
        self._status = annotation.status or 200
        self._function = inspect.unwrap(method)
        self._file = inspect.getfile(make)
        self._returns = types_of(answers)
        self._headers = answer_headers(annotation)
        self._groups = [
            (name, made, [python_name(each.name) for each in route.inputs if each.group == name])
            for name, made in groups.items()
        ]
        self._bindings = [Binding(each) for each in route.inputs if not each.of_answer]
        #: arguments whose default is made for each call
        self._made = [(python_name(each.name), each.default, each.make) for each in route.inputs if each.make]
        self._views = ViewReader(shape, route.inputs) if shape is not None and route.verb == "GET" else None
        #: set when its service has been loaded
        self.operation: Operation
        self.has_body = route.verb in WRITING
        self._max_body = annotation.body
        whole = any(each.place == "whole" for each in self._bindings)
        in_body = [each.name for each in self._bindings if each.place == "body"]
        #: the one parameter that takes the whole body when the body lacks its name
        self._only = in_body[0] if len(in_body) == 1 and not whole else ""
        #: the types of its lists and objects; any other object is a body with names
        self._containers = next((containers_of(each.type) for each in route.inputs if each.name == self._only), ())
        self._by_name = len(in_body) > 1 and not whole
        #: unknown names in the query or the body are an error, not a warning
        self.strict = annotation.strict
        #: the names that the query and the body may have, in the order of the signature; None: any
        self._in_query = None if whole and not self.has_body else named_in(route, "query", "body")
        self._in_body = None if whole or not self.has_body else named_in(route, "body")
        self._named = tuple(dict.fromkeys((*(self._in_body or ()), *(self._in_query or ()))))
        self._has_pages = "pagination_data" in self._named

    @property
    def method(self) -> Callable[..., Any]:
        """The function of the method that it calls."""
        return self._method

    def copy(self, make: Callable[[], Any] | None = None, method: Callable[..., Any] | None = None) -> Endpoint:
        """Return an endpoint that calls another method, or one of another object."""
        made = copy.copy(self)
        made._make, made._method = make or self._make, method or self._method
        return made

    def __call__(self, request: falcon.Request, response: falcon.Response, **path: str) -> None:
        """Respond to a request; again if the database has undone all that it did."""
        state = request.env[STATE]
        call = partial(self._respond, request, response, state, path)
        retry_undone(call, f"request {state.request_id}", state.began, partial(_forget, state, response))

    def _respond(
        self, request: falcon.Request, response: falcon.Response, state: RequestState, path: dict[str, str]
    ) -> None:
        before = getcontext()
        setcontext(DEFAULT_CONTEXT.copy())
        running.begin(self._file)
        try:
            caller = self.admit(request, state)
            body = self._read_body(request, self.body_limit(caller)) if self.has_body else None
            query = request.params if request.query_string else {}
            if self._has_pages and PAGE in request.env.get("HTTP_ACCEPT", ""):
                query = {**query, "pagination_data": "true"}
            view = self._views.read(query, caller) if self._views is not None and query else None
            bound = self.bind(request.get_header, path, query, body, view)
            method = partial(self._method, self._make())
            call = partial(method, **bound)
            write = partial(self._write, request, response, state, view)
            if streamed := asks_for_all(bound) if self._groups else "":
                self._stream(request, response, state, view, method, bound, streamed)
            elif VARIABLE in request.env and request.method == "POST":
                answer_once(request, response, state, self.operation, path, body, call, write)
            else:
                write(call())
        except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
            if isinstance(error, ApiError):
                write_warnings(response, state)
            raise as_exception(error)  # noqa: B904 - it has its cause
        finally:
            # A method that has changed it must not change the arithmetic of the next request
            setcontext(before)
            running.end()
            if self._connects:
                end_of_request()

    def admit(self, request: falcon.Request, state: RequestState) -> Caller:
        """Return the caller, who may call this operation.

        :raises ApiError: the key isn't valid, its rate limit is reached, or a permission is missing
        """
        if self._connects:
            ensure_connected()
        if state.caller is None:
            state.caller = identify(request, self._access)
        caller: Caller = state.caller
        state.asks_strict = settings().strict
        if "HTTP_PREFER" in request.env and prefers_strict(request.env["HTTP_PREFER"]):
            state.asks_strict, state.headers["Preference-Applied"] = True, STRICT
        state.strict = self.strict or state.asks_strict
        count(state, caller)
        if self._permission is not None:
            caller.require(self._permission)
        return caller

    def body_limit(self, caller: Caller) -> int:
        """Return the maximum size of a body, in bytes: without a key it is small, unless the docstring sets another."""
        most = settings().max_body
        return min(self._max_body or (MAX_BYTES_WITHOUT_KEY if caller is ANONYMOUS else most), most)

    def _stream(
        self,
        request: falcon.Request,
        response: falcon.Response,
        state: RequestState,
        view: View | None,
        method: Callable[..., Any],
        bound: dict[str, Any],
        name: str,
    ) -> None:
        """Write all records of a list.

        :param method: it lists
        :param name: the argument that asks for them
        """
        for header, value in self._headers:
            response.set_header(header, value)
        response.status = self._status
        try:
            write_stream(request, response, state, view, bound[name], lambda query: method(**{**bound, name: query}))
        except orjson.JSONEncodeError as error:
            self._fail(error)
        write_warnings(response, state)

    def _write(
        self,
        request: falcon.Request,
        response: falcon.Response,
        state: RequestState,
        view: View | None,
        result: Any,
    ) -> None:
        """Write the result of the method, with the warnings that were collected."""
        if not isinstance(result, self._returns):
            self._report_unfit(result)
        for name, value in self._headers:
            response.set_header(name, value)
        if depth := self.operation.id_depth:
            note_location(request, depth, result)
        try:
            write_result(request, response, result, self._status, view)
        except orjson.JSONEncodeError as error:
            self._fail(error)
        write_warnings(response, state)

    def _report_unfit(self, result: Any) -> None:
        if result == [] and dict in self._returns:
            # Dolibarr writes an empty object like this
            return
        names = " or ".join(sorted({each.__name__ for each in self._returns} - {"Model"}))
        got = type(result).__name__
        report_unfit(f"{self._told_method()} returned a value of the wrong type: expected {names}, got {got}")

    def _told_method(self) -> str:
        """Return the file, line and name of the method."""
        file, line = place_of_method(self._function)
        return f"{file}:{line}: {self._function.__qualname__}"

    def _fail(self, error: Exception) -> NoReturn:
        reason = error.__cause__ or error
        if reason is not error and not isinstance(reason, NotPlain):
            # An iterator in the result raised it
            raise reason from None
        message = f"{self._told_method()} returned a value that can't be sent as JSON: {reason}"
        raise NoJson(message, self._function) from error

    def entry(self, path: dict[str, str], body: Any) -> Callable[[], Any]:
        """Return a function that executes an entry of a batch, whose values are valid.

        :raises BadRequest: values are missing or invalid; the message lists all of them
        """
        method = partial(self._method, self._make())
        return partial(self._call_entry, method, **self.bind(lambda name: None, path, {}, body))

    def _call_entry(self, method: Callable[..., Any], /, **arguments: Any) -> Any:
        """Return the result of an entry, as JSON: iterators in it must end before its transaction does."""
        setcontext(DEFAULT_CONTEXT.copy())
        result = method(**arguments)
        if not isinstance(result, self._returns):
            self._report_unfit(result)
        try:
            return result if isinstance(result, Accepted) else orjson.Fragment(to_json(result))
        except orjson.JSONEncodeError as error:
            self._fail(error)

    def bind(
        self,
        header: Callable[[str], str | None],
        path: dict[str, str],
        query: Mapping[str, Any],
        body: Any,
        view: View | None = None,
    ) -> dict[str, Any]:
        """Return the arguments of the method.

        :raises BadRequest: values are missing or invalid; the message lists all of them
        """
        if self._by_name and body is not None and body != [] and not isinstance(body, dict):
            raise BadRequest(f"expected an object as body, got {shown(body)}")
        arguments: dict[str, Any] = {}
        wrong = self._look_for_unknown(query, body)
        for each in self._bindings:
            sent = self._find(each, header, path, query, body)
            try:
                value = each.value(sent)
            except ValueError as error:
                wrong.append((each.name, each.message or reason_of(error, sent)))
                continue
            if value is UNSET:
                text = f"`{each.name}` is required"
                wrong.append((each.name, Reason(each.message or text, each.message or f"{text}.", "missing_field")))
            arguments[each.argument] = value
        if wrong:
            # The message of an author is shown unchanged
            told = next((each.message for each in self._bindings if each.name == wrong[0][0]), None)
            raise BadRequest(told or "", errors=wrong)
        if view is not None and self._views is not None and self._views.passes_properties:
            arguments[PROPERTIES] = view.needed
        for name, default, make in self._made:
            if arguments[name] is default:
                arguments[name] = make()
        for name, made, parts in self._groups:
            arguments[name] = made(**{part: arguments.pop(part) for part in parts})
        return arguments

    def _look_for_unknown(self, query: Mapping[str, Any], body: Any) -> list[tuple[str, str]]:
        """Return the unknown names of a request. If the operation isn't strict, they are only a warning."""
        unknown: list[tuple[list[str], tuple[str, ...]]] = []
        if query and (known := self._in_query) is not None:
            own = KEYS_IN_URL if settings().profile.key_in_url else ()
            names = [name for name in query if name not in known and name not in own]
            unknown += [(names, known)] if names else []
        if type(body) is dict and (known := self._in_body) is not None and self._names(body):
            names = [name for name in body if name not in known]
            unknown += [(names, known)] if names else []
        if unknown and (self.strict or asks_strict()):
            return [wrong for names, known in unknown for wrong in unknown_fields(names, known)]
        for names, _ in unknown:
            warn_ignored(names, names, self._named)
        return []

    def _names(self, body: dict[str, Any]) -> bool:
        """Return whether the keys of an object are names of parameters; otherwise it is the value of the only one."""
        return not self._only or self.strict or self._only in body or not self._is_value(body)

    def _is_value(self, body: Any) -> bool:
        """Return whether a body may be the only parameter's value: a number can't be an object or an empty list."""
        return isinstance(body, self._containers) or (not isinstance(body, dict) and body != [])

    def _find(
        self,
        each: Binding,
        header: Callable[[str], str | None],
        path: dict[str, str],
        query: Mapping[str, Any],
        body: Any,
    ) -> Any:
        """Return the value that a request has for a parameter: of the body, else of the query."""
        name = each.name
        if each.place == "path":
            return path.get(name, UNSET)
        if each.place == "whole":
            sent = body if self.has_body else dict(query)
            return ({} if each.required else UNSET) if sent is None else sent
        if each.place == "head":
            return header(name.replace("_", "-")) or UNSET
        if each.place == "body":
            if isinstance(body, dict) and name in body:
                return body[name]
            # A body without the only name is the value itself
            if name == self._only and body not in (None, {}) and self._is_value(body) and name not in query:
                return body
        return query.get(name, UNSET)


def _forget(state: RequestState, response: falcon.Response) -> None:
    """Remove what an attempt has left in the state and the response."""
    state.forget()
    response._headers.clear()
    response.data, response.stream, response.status = None, None, falcon.HTTP_200


#: the value of the header `Prefer` (RFC 7240) with which unknown names are an error
STRICT = "handling=strict"


def prefers_strict(header: str) -> bool:
    """Return whether a header `Prefer` asks for strict handling; unknown preferences and parameters are ignored."""
    return STRICT in {part.partition(";")[0].replace(" ", "").replace('"', "").lower() for part in header.split(",")}


def named_in(route: Route, *places: str) -> tuple[str, ...]:
    """Return the names of the parameters that a route takes from these places."""
    return tuple(each.name for each in route.inputs if each.place in places)


def answer_headers(annotation: Annotation) -> tuple[tuple[str, str], ...]:
    """Return the headers that a docstring sets."""
    headers = list(annotation.headers)
    if annotation.cache is not None or annotation.expires is not None:
        headers.append(("Cache-Control", annotation.cache or f"private, max-age={annotation.expires}"))
    if annotation.deprecated is not None:
        headers.append(("Deprecation", "true"))
    return tuple(headers)
