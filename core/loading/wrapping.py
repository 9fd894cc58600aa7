"""Operations that a module wraps, as its ``module.toml`` says: ``"POST /orders/{id}/validate" = "approval:approve"``.

The function is called in place of the operation's method. It gets the method to call, and the method's arguments by
their names. A function that can't be loaded is replaced by one that responds with 501.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any

from ..common.errors import NotLoadable, meant
from ..contract.catalogue import Operation
from ..web.batch import Batch
from ..web.endpoint import Endpoint
from .importing import LoadError, named_function, told_as_reason
from .manifest import NAME, read_manifest
from .module_files import ModuleFolder, text_of

#: an operation in the text of a file that isn't valid
_IN_TEXT = re.compile(r"""["']((?:GET|POST|PUT|PATCH|DELETE) /[^"'\n]*)["']\s*=""")


@dataclass(frozen=True)
class Wrap:
    """An operation that a module wraps.

    :param operation: such as ``POST /orders/{id}/validate``
    :param module: the module
    :param function: gets the method to call, and its arguments; None in a read-only catalogue
    """

    operation: str
    module: str
    function: Callable[..., Any] | None


def read_wraps(
    folder: ModuleFolder, before_import: Callable[[Path], None], error: BaseException | None
) -> tuple[list[Wrap], list[BaseException]]:
    """Return what a module wraps, and why some of it can't be loaded.

    :param before_import: called with each file before it is imported
    :param error: why nothing of the module may be used
    """
    file = folder.path / NAME
    if str(file) not in folder.prints:
        return [], []
    try:
        if error is not None:
            raise error
        named = read_manifest(file, folder.name).wraps
    except BaseException:  # noqa: BLE001 - reported where it belongs to
        return [refusing(each, folder.name) for each in _IN_TEXT.findall(text_of(file))], []
    found: list[Wrap] = []
    errors: list[BaseException] = []
    for operation, target in named.items():
        try:
            found.append(Wrap(operation, folder.name, named_function(folder, target, before_import)))
        except BaseException as wrong:  # noqa: BLE001 - a file may raise anything while it is imported
            found.append(refusing(operation, folder.name))
            errors.append(LoadError(f"{NAME}: wraps: {target}: {told_as_reason(wrong)}"))
    return found, errors


def refusing(operation: str, module: str) -> Wrap:
    """Return a wrap that responds with 501, because its function can't be loaded."""

    def refuse(original: Callable[..., Any], /, **values: Any) -> Any:
        raise NotLoadable(
            f"the module {module} wraps this operation but can't be loaded; an operator can run `comptoir check`"
        )

    return Wrap(operation, module, refuse)


def wrapped_operations(
    operations: Iterable[Operation], found: Sequence[Wrap], absent: Collection[str]
) -> tuple[dict[str, Operation], dict[str, str]]:
    """Return the operations that modules wrap, and the reason for each module whose wraps are wrong.

    :param operations: all that are served
    :param found: in the order in which the modules were loaded: the last one is called first
    :param absent: services that exist, but have failed: what is wrapped of them is unknown
    """
    if not found:
        return {}, {}
    known = {f"{each.verb} {each.template}": each for each in operations}
    by_name: dict[str, list[Wrap]] = defaultdict(list)
    reasons: dict[str, str] = {}
    for each in found:
        if each.operation in known:
            by_name[each.operation].append(each)
        elif each.operation.partition("/")[2].partition("/")[0] not in absent:
            reasons[each.module] = f"{NAME}: wraps: unknown operation {each.operation}{meant(each.operation, known)}"
    made: dict[str, Operation] = {}
    for name, each_wrap in by_name.items():
        made[name], wrong = _wrapped(known[name], each_wrap)
        reasons |= wrong
    for name, operation in known.items() if made else ():
        if any(f"{each.verb} {each.template}" in made for each in operation.entries):
            entries = tuple(made.get(f"{each.verb} {each.template}", each) for each in operation.entries)
            batch = Batch(entries)
            made[name] = _with(replace(operation, entries=entries), make=lambda batch=batch: batch)
    return made, reasons


def _wrapped(operation: Operation, found: list[Wrap]) -> tuple[Operation, dict[str, str]]:
    """Return an operation with functions around its method, and the reason for each with other parameters."""
    modules = tuple(each.module for each in found)
    if not isinstance(operation.respond, Endpoint):
        return replace(operation, wrapped_by=modules), {}
    method, reasons = operation.respond.method, dict[str, str]()
    names = [each for each in inspect.signature(method).parameters if each != "self"]
    for each in found:
        function = each.function or (lambda original, /, **values: None)
        try:
            inspect.signature(function).bind(None, **dict.fromkeys(names))
        except TypeError:
            taken = ", ".join(("original", *names))
            reasons[each.module] = f"{NAME}: wraps: {each.operation}: expected a function with ({taken})"
            function = refusing(each.operation, each.module).function  # type: ignore[assignment]
        method = _around(function, method)
    return _with(replace(operation, wrapped_by=modules), method=method), reasons


def _around(function: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, **values: Any) -> Any:
        return function(partial(method, self), **values)

    return call


def _with(operation: Operation, **changes: Any) -> Operation:
    """Return an operation with a copy of its endpoint."""
    endpoint = operation.respond.copy(**changes)  # type: ignore[attr-defined]
    made = replace(operation, respond=endpoint)
    endpoint.operation = made
    return made
