"""The operation that lists a dictionary, made of what is said of it: each has its own parameters and record."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from core import ListQuery, Page

from .dictionary import Dictionary

LANG = "language of the labels, such as fr or fr_FR; English when empty"


def list_operation(dictionary: Dictionary) -> Callable[..., Page]:
    """The method that lists a dictionary, with its path, parameters and right."""

    def listed(_: Any, query: ListQuery, **asked: Any) -> Page:
        return dictionary.listed(query, **asked)

    parameters: list[tuple[str, Any, Any]] = [("self", Any, Parameter.empty), ("query", ListQuery, Parameter.empty)]
    parameters += [(each.name, type(each.default), each.default) for each in dictionary.filters]
    parameters += [("lang", str, "")]
    lines = [f"List {dictionary.title}.", "", f":url: GET ../setup/dictionary/{dictionary.name}"]
    lines += [f":param {each.name}: {each.text}" for each in dictionary.filters]
    lines += [f":param lang: {LANG}", *([f":permission: {dictionary.right}"] if dictionary.right else [])]
    listed.__name__ = dictionary.name
    listed.__qualname__ = f"Dictionaries.{dictionary.name}"
    listed.__doc__ = "\n".join(lines)
    model = dictionary.model
    listed.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=default)
         for name, kind, default in parameters],
        return_annotation=list[Annotated[dict[str, Any], model]],
    )  # fmt: skip
    return listed
