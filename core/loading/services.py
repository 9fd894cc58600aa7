"""Services: made from the classes of imported files, with their operations."""

from __future__ import annotations

import inspect
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from ..access.callers import ADMINISTRATORS, Permission
from ..audit.forms import part_of
from ..common.errors import ApiError, NotFound, PreconditionFailed, Refused, named_errors
from ..common.plain_functions import line_in, why_not_plain
from ..contract.annotations import VERBS, Annotation, AnnotationError, read_annotation
from ..contract.api import Api, Transition
from ..contract.catalogue import WRITING, Operation, Service
from ..contract.converters import UnknownType
from ..contract.relations import model_of, shape_below
from ..contract.routes import RouteError, base_of, path_below, read_routes, split_verb
from ..crud import Crud, with_article
from ..records.events import event_names
from ..records.records import Records
from ..storage.model import Model, meta_of, relations_of, wrong_hints
from ..web.builtin_services import OWN, SERVICES
from ..web.endpoint import Endpoint
from ..web.views import view_inputs
from .failures import line_of_text
from .importing import LoadError
from .module_files import RESERVED, ModuleFile, ModuleFolder, text_of
from .standard_operations import ADDED, standard_operations

#: the methods of `Records` that a module overrides
HOOKS = ("prepare", "stored", "complete", "complete_one", "removing")

#: verb and shape of the path → the operation
Seen = dict[tuple[str, tuple[object, ...]], Operation]


def read_service(folder: ModuleFolder, file: ModuleFile, module: ModuleType) -> Service:
    """Return the service of a file.

    :raises LoadError: it can't be served; the message has the method and the reason
    """
    if file.service in RESERVED:
        raise LoadError(f"the name {file.service} is reserved for the server; choose another name")
    service = service_of(_find_class(file, module), file.service, folder.name, file.path)
    declared = getattr(module, "events", ())
    # A file may also import an `events.py`, or have records of events
    return replace(service, events=event_names(declared) if isinstance(declared, (str, Collection)) else {})


def service_of(api_class: type, name: str, module: str, file: Path) -> Service:
    """Return the service of a class.

    :raises LoadError: it can't be served; the message has the method and the reason
    """
    try:
        annotation = read_annotation(_worded(vars(api_class).get("__doc__"), api_class))
    except AnnotationError as error:
        raise LoadError(f"the docstring of {api_class.__name__}: {error}") from error
    try:
        api_class()
    except TypeError as error:
        raise LoadError(f"expected the class {api_class.__name__} to take no arguments: {error}") from error
    try:
        base = base_of(name, api_class)
    except RouteError as error:
        raise LoadError(f"{api_class.__name__}.{error}", line_of(file, "path")) from error
    records = _records(api_class, name)
    operations: list[Operation] = []
    seen: Seen = {}
    for method_name, method in _methods(api_class):
        try:
            found = _read_method(name, base, api_class, method_name, method, annotation, records)
            check_twice(found, seen)
            operations += found
        except (AnnotationError, RouteError, UnknownType, LoadError, ValueError) as error:
            line = line_in(method, str(file))
            raise LoadError(f"{api_class.__name__}.{method_name}: {error}", line) from error
    operations = list(_with_locations(operations, records))
    operations += standard_operations(api_class, annotation, operations, records)
    rights, transitions = dict.fromkeys(annotation.rights, ""), _transitions(api_class)
    for each in operations:
        endpoint: Any = each.respond
        endpoint.operation = each
    made, shown = tuple(operations), api_class.__name__
    # A class that doesn't derive from Api may have an operation of this name
    group = getattr(api_class, "group", "")
    group = group if isinstance(group, str) else ""
    kind = meta_of(records.model).extrafields if records is not None else ""
    unserved = tuple(_unserved(api_class))
    return Service(name, module, file, annotation, made, rights, transitions, records, kind, shown, group, unserved)


@cache
def own_services() -> tuple[Service, ...]:
    """Return the server's own services, which are the same in every catalogue."""
    return tuple(service_of(each, each.__name__.lower(), OWN, Path(inspect.getfile(each))) for each in SERVICES)


def _with_locations(operations: list[Operation], records: Records[Any] | None) -> Iterator[Operation]:
    """Yield operations; those that create a record which another one reads have the place of its ID."""
    # The paths below which an ID leads to a record
    read = {
        each.template.lower().rpartition("/")[0]
        for each in operations
        if each.verb == "GET" and each.own_segments and each.takes_id(each.own_segments[-1])
    }
    for each in operations:
        path, shape, own = each.template.lower(), each.shape, each.own_segments
        # A path such as `createfromorder/{id}` returns a record of the service
        made = records is not None and shape is not None and not shape.is_list and shape.model is records.model
        if path not in read and made and own and own[0].lower().startswith("create"):
            path = f"/{each.base.lower()}"
        creates = each.verb == "POST" and own is not None and path in read
        yield replace(each, id_depth=path.count("/")) if creates else each


def _find_class(file: ModuleFile, module: ModuleType) -> type:
    found = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and name.lower().replace("_", "") in (file.service, file.service + "api")
    ]
    if not found:
        raise LoadError(f"expected a class named after the file ({file.service}; case and underscores are ignored)")
    return found[0]


def _methods(api_class: type) -> list[tuple[str, Callable[..., Any]]]:
    found = {name: value for name, value in _members(api_class).items() if inspect.isfunction(value)}
    without = getattr(api_class, "without", ())
    for name in without:
        if name not in found and name not in ADDED:
            raise LoadError(
                f"{api_class.__name__}.without: expected names of methods, batch, history or sums; got {name!r}"
            )
    return [(name, method) for name, method in found.items() if name not in without]


def _members(api_class: type) -> dict[str, Any]:
    """Return the public members of a class by name, as Python looks them up: one that isn't a method hides a method."""
    found: dict[str, Any] = {}
    for base in reversed(api_class.__mro__):
        if base not in (Api, object):
            found |= {name: value for name, value in vars(base).items() if not name.startswith("_")}
    return found


def _unserved(api_class: type) -> Iterator[tuple[str, str]]:
    for name, value in _members(api_class).items():
        is_called = callable(value) or hasattr(type(value), "__get__")
        if is_called and not inspect.isfunction(value) and not isinstance(value, type):
            yield name, type(value).__name__


def _read_method(
    service: str,
    base: str,
    api_class: type,
    name: str,
    method: Callable[..., Any],
    of_class: Annotation,
    records: Records[Any] | None,
) -> list[Operation]:
    own = read_annotation(_worded(method.__doc__, api_class))
    annotation = own.over(_overridden(api_class, name, method))
    annotation = replace(annotation, strict=annotation.strict or of_class.strict, body=annotation.body or of_class.body)
    access = annotation.access or of_class.access or "protected"
    if access == "private":
        return []
    text = annotation.permission or (of_class.permission if access == "protected" else None)
    if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
        raise LoadError(why_not_plain(method))
    permission = Permission.parse(text, base.partition("/")[0]) if text else None
    is_silent = not text and not annotation.access and not of_class.access
    if permission is not None and access != "protected":
        raise LoadError(f":permission: needs a key, but :access: is {access}")
    raised = _read_raises(annotation, api_class, name)
    if refused := [text for names, text in getattr(api_class, "refusals", {}).items() if name in names.split()]:
        others = (each for each in raised if each[0] != Refused.status)
        raised = (*others, *((Refused.status, each) for each in refused if each))
    routes, signature = read_routes(name, method, annotation, api_class, own.parameters)
    if inspect.isgeneratorfunction(method) and any(route.verb != "GET" for route in routes):
        # It would write while the response is written, when its transaction has ended
        raise LoadError("only a GET may have `yield`; collect the values in a list, and return it")
    answers = signature.return_annotation
    if _has_bytes(answers):
        raise LoadError("bytes can't be sent as JSON; return File(content, name, content_type), with `-> File`")
    _check_hints([answers, *(each.annotation for each in signature.parameters.values())])
    grouped = {each.group for route in routes for each in route.inputs if each.group}
    groups = {name: parameter.annotation for name, parameter in signature.parameters.items() if name in grouped}
    operations = []
    for read in routes:
        template = path_below(base, read.path)
        shape = shape_below(read.path, answers, records.model if records is not None else None)
        route = replace(read, inputs=(*read.inputs, *view_inputs(read.verb, read.inputs, shape)))
        # Without `:permission:`, only administrators may write
        needed = ADMINISTRATORS if is_silent and route.verb in WRITING else permission
        endpoint = Endpoint(api_class, method, route, needed, access, annotation, groups, shape, answers)
        made = Operation(
            template.split("/")[1], name, route.verb, template, annotation, route.inputs, answers, needed, access,
            endpoint, raised, service, shape=shape, is_silent=is_silent, base=base,
        )  # fmt: skip
        operations.append(replace(made, errors=(*raised, *_standard_errors(made, api_class, records))))
    return operations


def _overridden(api_class: type, name: str, method: Callable[..., Any]) -> Annotation:
    """Return the fields of the docstrings of the methods that a method overrides."""
    found = Annotation()
    for base in reversed(api_class.__mro__):
        other = vars(base).get(name)
        if inspect.isfunction(other) and other is not method:
            found = read_annotation(_worded(other.__doc__, api_class)).over(found)
    return found


def _standard_errors(operation: Operation, api_class: type, records: Records[Any] | None) -> Iterator[tuple[int, str]]:
    """Yield the errors of an operation on records that its docstring need not document."""
    documented = {status for status, _ in operation.errors}
    in_path = any(each.place == "path" for each in operation.inputs)
    is_of_record = operation.own_segments and operation.own_segments[0].startswith("{")
    if NotFound.status not in documented:
        if in_path:
            shape = operation.shape if operation.verb == "GET" else None
            is_own = is_of_record or (records and shape and not shape.is_list and shape.model is records.model)
            noun = (getattr(api_class, "noun", None) if is_own else None) or "record"
            yield NotFound.status, f"there is no such {noun}, or the caller may not see it"
        if any(each.place == "whole" and _may_refer(model_of(each.type)) for each in operation.inputs):
            yield NotFound.status, "a referenced record does not exist"
    is_action = operation.verb == "POST" and is_of_record and records is not None
    compares = is_action or (in_path and operation.verb in ("PUT", "PATCH", "DELETE"))
    if compares and PreconditionFailed.status not in documented and not operation.annotation.unconditional:
        yield PreconditionFailed.status, "`If-Match` doesn't match: the record has changed"


def _may_refer(model: type[Model] | None) -> bool:
    """Return whether a body of a model's record may refer to other records."""
    return model is not None and any(each.name not in meta_of(model).managed for each in relations_of(model).values())


def _has_bytes(annotation: Any) -> bool:
    is_bytes = isinstance(annotation, type) and issubclass(annotation, (bytes, bytearray, memoryview))
    return is_bytes or any(map(_has_bytes, get_args(annotation)))


def _check_hints(annotations: Iterable[Any]) -> None:
    """Check that each `TypedDict` can be read; otherwise its description would fail later.

    :raises LoadError: one can't
    """
    for each in annotations:
        if wrong := wrong_hints(each):
            raise LoadError(wrong)
        _check_hints(get_args(each))


def _worded(docstring: str | None, api_class: type) -> str | None:
    """Return a docstring with the class's words for `{noun}`, `{a_noun}` and the keys of `wording`.

    A base class can then describe records that it doesn't know. `str.format` can't do it: docstrings have other braces.
    """
    noun = getattr(api_class, "noun", None)
    a_noun = with_article(noun) if isinstance(noun, str) and noun else None
    words = {"noun": noun, "a_noun": a_noun, **getattr(api_class, "wording", {})}
    for name, text in words.items():
        if docstring and isinstance(text, str):
            docstring = docstring.replace(f"{{{name}}}", text)
    return docstring


def _read_raises(annotation: Annotation, api_class: type, method: str) -> tuple[tuple[int, str], ...]:
    """Return the status and the text of every documented error."""
    functions = [vars(base)[method] for base in api_class.__mro__ if method in vars(base)]
    known = ChainMap(*(each.__globals__ for each in functions if inspect.isfunction(each)), named_errors())
    errors = []
    for name, text in annotation.raises:
        if name.isdigit() and 300 <= int(name) <= 599:
            errors.append((int(name), text))
            continue
        value = known.get(name)
        if isinstance(value, type) and issubclass(value, ApiError):
            errors.append((value.status, text))
        else:
            raise LoadError(
                f":raises {name}: expected a status or an error of core ({', '.join(sorted(named_errors()))})"
            )
    return tuple(errors)


def _transitions(api_class: type) -> tuple[Transition, ...]:
    found = tuple(getattr(api_class, "transitions", ()))
    for each in found:
        if not isinstance(each, Transition) or not all(isinstance(text, str) for text in each):
            expected = "expected Transition(source, name, target)"
            raise LoadError(f"{api_class.__name__}.transitions: {expected}, got {each!r}")
    return found


def _records(api_class: type, service: str) -> Records[Any] | None:
    """Return the records of a class; None: it has none."""
    found = getattr(api_class, "records", None)
    if found is None and issubclass(api_class, Crud):
        raise LoadError(f"{api_class.__name__}.records: expected records such as `records = cards`")
    # A method of that name is a route
    if found is None or inspect.isfunction(found):
        return None
    if not isinstance(found, Records):
        raise LoadError(f"{api_class.__name__}.records: expected records such as `records = cards`, got {found!r:.80}")
    if found.has_service and found.service != service:
        raise LoadError(f"{api_class.__name__}.records: expected this service's records, got those of {found.service}")
    home = api_class.__module__.split(".")[:2]
    if not found.service and found.model.__module__.split(".")[:2] == home:
        found.service = service
    key = meta_of(found.model).primary_key
    if getattr(key, "field_type", "") not in ("AUTO", "BIGAUTO", "INT", "BIGINT"):
        name = getattr(key, "name", "") or "its key"
        raise LoadError(f"{found.model.__name__}: expected `id = AutoField()`; make {name} a field with unique=True")
    for model, name in found.owned:
        part_of(model, name, found.model)
    return found


def check_twice(operations: Iterable[Operation], seen: Seen) -> None:
    """Check that no two operations have the same verb and path.

    :param seen: those that were checked before; these are added
    :raises LoadError: two have
    """
    for operation in operations:
        numbers = {each.name: each.type in (int, float) for each in operation.inputs}
        shape = tuple(
            ("number" if numbers.get(part[1:-1]) else "text",) if part.startswith("{") else part.lower()
            for part in (operation.service, *operation.segments)
        )
        other = seen.setdefault((operation.verb, shape), operation)
        if other is not operation:
            raise LoadError(
                f"{operation.verb} {operation.template} is served by both {other.origin}.{other.name} and "
                f"{operation.origin}.{operation.name}; change the path of one with `:url:`"
            )


# Operations whose docstrings have neither `:permission:` nor `:access:` ----------------------------------------------


def unguarded(service: Service) -> Iterator[str]:
    """Yield a line for each such operation that writes: only administrators can call it.

    :param service: with the operations of its class, as `Catalogue.operations_by_origin` has them
    """
    for each in _silent(service):
        if each.verb in WRITING:
            right = "delete" if each.verb == "DELETE" else "write"
            yield (
                f"{_place(service, each)}: only administrators can call {each.verb} {each.template}; add "
                f"`:permission: {right}` to the docstring of {each.name}, or `:access: protected` to allow any key"
            )


def open_to_any_key(service: Service) -> Iterator[str]:
    """Yield a line for each such operation that reads."""
    for each in _silent(service):
        if each.verb not in WRITING:
            yield f"any key can call {each.verb} {each.template}"


def unlike_hooks(service: Service) -> Iterator[str]:
    """Yield a line for each method of its records whose name is almost that of one to override."""
    kind = type(service.records)
    if kind is Records:
        return
    for name, method in vars(kind).items():
        near = get_close_matches(name, HOOKS, 1, 0.8)
        if inspect.isfunction(method) and near and not any(hasattr(base, name) for base in kind.__mro__[1:]):
            code = method.__code__
            place = f"{code.co_filename}:{code.co_firstlineno}"
            yield f"{place}: {kind.__name__}.{name} overrides nothing; did you mean {near[0]}?"


def like_verbs(service: Service) -> Iterator[str]:
    """Yield a line for each operation whose name only begins like a verb, so that its verb may surprise."""
    for each in service.operations:
        if not each.annotation.urls and each.name.upper().startswith(VERBS) and not split_verb(each.name)[0]:
            path = "/".join(each.own_segments or ())
            yield (
                f"{_place(service, each)}: {each.name} is {each.verb} {each.template}, although it begins like a verb; "
                f"add `:url: {each.verb} {path}` to its docstring, or the verb that you mean"
            )


def line_of(file: Path, member: str) -> int | None:
    """Return the line of a class's member, such as ``def index`` or ``path``; None: another file has it."""
    return line_of_text(rf"[ \t]+{member}\b", text_of(file))


def _place(service: Service, operation: Operation) -> str:
    line = line_of(service.file, f"def {operation.name}")
    return f"{service.file}:{line}" if line else str(service.file)


def _silent(service: Service) -> Iterator[Operation]:
    return (each for each in service.operations if each.is_silent)
