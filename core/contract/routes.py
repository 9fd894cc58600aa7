"""The routes of a method, as `modules/OPERATIONS.md` describes them.

They are those of its ``:url:`` lines, or else derived from its name. The inputs of each route are computed here once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import MISSING, InitVar, dataclass, is_dataclass, replace
from functools import partial, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from ..common.unset import UNSET
from .annotations import VERBS, Annotation, ParameterNote, read_annotation, wire_name
from .api import ByProfile, Part, RawBody, Upload
from .catalogue import Input
from .converters import docstring_type, plain_type

WITHOUT_BODY = ("GET", "DELETE")
WHOLE_BODY = "request_data"
REST = "rest"

#: the beginning of a path below another service
BESIDE = "../"

#: the path of a class below another service
BELOW = re.compile(r"[a-z0-9]+(?:/[A-Za-z0-9_-]+)+")

_BESIDE = re.compile(r"\.\./[A-Za-z0-9_-]+(?:/|$)")
_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SEGMENT = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}|[^{}/*?#\s]+|\*")


class RouteError(ValueError):
    """A method that can't be served; the message has the reason."""


@dataclass(frozen=True)
class Route:
    """One verb on one path below a service, and where each parameter comes from."""

    verb: str
    path: str
    inputs: tuple[Input, ...]


def read_routes(
    name: str, method: Callable[..., Any], annotation: Annotation, api_class: type, described: Iterable[str]
) -> tuple[list[Route], inspect.Signature]:
    """Return the routes of a method, and its signature with resolved annotations.

    :param name: the name of the attribute, from which a route is derived; the function may have another one
    :param api_class: the class that is served; it may inherit the method
    :param described: the parameters that the method's own docstring describes
    :raises RouteError: a parameter or a path can't be served
    """
    try:
        signature = inspect.signature(method, eval_str=True)
    except (NameError, TypeError, ValueError, SyntaxError) as error:
        raise RouteError(f"the type annotations can't be resolved: {error}") from error
    signature = signature.replace(
        parameters=[
            each.replace(annotation=_resolved(each.annotation, api_class)) for each in signature.parameters.values()
        ],
        return_annotation=_resolved(signature.return_annotation, api_class),
    )
    if next(iter(signature.parameters), "") not in ("self", "_"):
        raise RouteError(f"expected self as the first parameter, got ({', '.join(signature.parameters)})")
    parameters = list(signature.parameters.values())[1:]
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise RouteError(
                f"the parameter {parameter} can't be read from a request; declare a named parameter, without *, ** or /"
            )
    unknown = set(described) - {name for each in parameters for name in _names(each)}
    if unknown:
        raise RouteError(f":param {min(unknown)}: describes a parameter that the signature doesn't have")
    required = [each.name for each in parameters if each.default is each.empty]
    names = [each.name for each in parameters]
    urls = annotation.urls or (derive_path(name, names, required),)
    routes = [_route(verb, path, parameters, annotation) for verb, path in urls]
    return routes, signature


def _resolved(annotation: Any, api_class: type) -> Any:
    """Return an annotation with the model of the class for ``"model"`` in ``Annotated[dict, "model"]``."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Annotated and dict in (arguments[0], get_origin(arguments[0])):
        notes = [_named(note, api_class) for note in arguments[1:]]
        return Annotated[(_resolved(arguments[0], api_class), *notes)]
    if get_origin(annotation) is Annotated and any(isinstance(note, ByProfile) for note in arguments[1:]):
        return Annotated[(_resolved(arguments[0], api_class), *arguments[1:])]
    if get_origin(annotation) in (Union, UnionType):
        return reduce(or_, (_resolved(each, api_class) for each in arguments))
    if get_origin(annotation) is list:
        return list[_resolved(arguments[0], api_class)]  # type: ignore[misc]
    return annotation


def _named(note: Any, api_class: type) -> Any:
    if isinstance(note, Part):
        return replace(note, model=_named(note.model, api_class))
    return getattr(api_class, note, note) if isinstance(note, str) else note


def base_of(service: str, api_class: type) -> str:
    """Return the path of a class, such as ``invoices/templates``: its `path`, or the name of its service.

    :raises RouteError: `path` isn't the path below a service
    """
    path = getattr(api_class, "path", "")
    # A method of that name is a route
    if path == "" or inspect.isfunction(path):
        return service
    if not isinstance(path, str) or not BELOW.fullmatch(path):
        raise RouteError(f"path: expected a path below a service, such as 'invoices/templates', got {path!r:.80}")
    return path


def path_below(base: str, path: str) -> str:
    """Return a route's path from the root: below that of its class, or for ``../orders/{id}/shipment`` elsewhere."""
    if path.startswith(BESIDE):
        service, _, path = path.removeprefix(BESIDE).partition("/")
        base = service.lower()
    return "/" + "/".join(part for part in (base, path) if part)


def derive_path(name: str, parameter_names: list[str], required: list[str]) -> tuple[str, str]:
    """Return verb and path of a method without ``:url:``, from its name and its parameters' names."""
    verb, rest = split_verb(name)
    parts = [] if rest in ("", "index") else [rest]
    if "id" in required:
        parts.append("{id}")
    return verb or ("POST" if WHOLE_BODY in parameter_names else "GET"), "/".join(parts)


def split_verb(name: str) -> tuple[str, str]:
    """Return verb and rest of a name, in lower case: `delete_all` and `deleteAll` have a verb, `deleted` hasn't one."""
    for verb in VERBS:
        rest = name[len(verb) :]
        if name.upper().startswith(verb) and (rest[:1] in ("", "_") or rest[0].isupper()):
            return verb, rest.removeprefix("_").lower()
    return "", name.lower()


def _names(parameter: inspect.Parameter) -> Iterator[str]:
    yield wire_name(parameter.name)
    made: Any = parameter.annotation
    if is_dataclass(parameter.annotation):
        yield from map(wire_name, inspect.signature(made).parameters)


def _route(verb: str, path: str, parameters: list[inspect.Parameter], annotation: Annotation) -> Route:
    variables = _VARIABLE.findall(path)
    if path.startswith("..") and not _BESIDE.match(path):
        raise RouteError(f"the path {path!r}: expected a path below a service, such as ../orders/{{id}}/shipment")
    for segment in path.removeprefix(BESIDE).split("/") if path else []:
        if segment == ".." or not _SEGMENT.fullmatch(segment) or (segment == "*" and not path.endswith("*")):
            raise RouteError(
                f"the path {path!r}: the segment {segment!r} can't be served; use text, {{variable}}, or a final *"
            )
    missing = set(variables) - {wire_name(each.name) for each in parameters}
    if missing or len(set(variables)) != len(variables):
        raise RouteError(f"the path {path!r}: expected a parameter for each of the variables {variables}")
    inputs: list[Input] = []
    for parameter in parameters:
        inputs += _inputs(parameter, verb, variables, annotation, path)
    _check_raw_body(verb, inputs)
    return Route(verb, path, tuple(inputs))


def _check_raw_body(verb: str, inputs: list[Input]) -> None:
    for each in inputs:
        if not each.is_raw_body:
            continue
        if verb in WITHOUT_BODY or each.place != "whole" or each.group:
            reason = f"expected a RawBody as the body of a POST, PUT or PATCH, got one in the {each.place} of a {verb}"
            raise RouteError(f"`{each.name}`: {reason}")
        if others := [other.name for other in inputs if other is not each and other.place in ("body", "whole")]:
            raise RouteError(
                f"`{each.name}`: a RawBody is the whole body; take `{others[0]}` from the path, or add {{@from query}}"
            )


def _inputs(
    parameter: inspect.Parameter, verb: str, variables: list[str], annotation: Annotation, path: str
) -> list[Input]:
    if is_dataclass(parameter.annotation) and parameter.annotation not in (RawBody, Upload):
        return _group(parameter, verb, variables, annotation, path)
    name = wire_name(parameter.name)
    note = annotation.parameters.get(name, ParameterNote(name))
    default = UNSET if parameter.default is parameter.empty else parameter.default
    if note.required is not None:
        default = UNSET if note.required else (None if default is UNSET else default)
    # A method may change it, and the next call must not see that
    make = partial(deepcopy, default) if isinstance(default, (list, dict, set)) else None
    kind, place = _type_of(parameter, note), _place(name, verb, variables, note, path)
    if plain_type(kind) is RawBody and place == "body":
        place = "whole"
    return [Input(name, place, kind, default, note, make=make)]


def _group(
    parameter: inspect.Parameter, verb: str, variables: list[str], annotation: Annotation, path: str
) -> list[Input]:
    """Return the inputs for the arguments of a dataclass, in the query or the body."""
    made: Any = parameter.annotation
    described: dict[str, ParameterNote] = {}
    for base in reversed(made.__mro__):
        described |= read_annotation(vars(base).get("__doc__")).parameters if is_dataclass(base) else {}
    types = get_type_hints(made, include_extras=True)
    inputs = []
    for each in inspect.signature(made).parameters.values():
        name, kind = wire_name(each.name), types.get(each.name, Any)
        note = annotation.parameters.get(name) or described.get(name) or ParameterNote(name)
        place = _place(name, verb, variables, note, path)
        factory = getattr(made.__dataclass_fields__.get(each.name), "default_factory", MISSING)
        make = None if factory is MISSING else factory
        default = None if make else UNSET if each.default is each.empty else each.default
        kind = kind.type if isinstance(kind, InitVar) else kind
        inputs.append(Input(name, place, kind, default, note, parameter.name, make=make))
    return inputs


def _place(name: str, verb: str, variables: list[str], note: ParameterNote, path: str) -> str:
    if name in variables or (name == REST and path.endswith("*")):
        return "path"
    if name == WHOLE_BODY:
        return "whole"
    if note.place == "path":
        raise RouteError(f"`{name}` is declared as a path parameter, but the path has no {{{name}}}")
    return note.place or ("query" if verb in WITHOUT_BODY else "body")


def _type_of(parameter: inspect.Parameter, note: ParameterNote) -> Any:
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    if note.type_name:
        try:
            return docstring_type(note.type_name)
        except ValueError as error:
            raise RouteError(f"`{note.name}`: {error}") from None
    if parameter.default is not parameter.empty and type(parameter.default) in (int, float, bool, str, list, dict):
        return type(parameter.default)
    return dict if parameter.name == WHOLE_BODY else Any
