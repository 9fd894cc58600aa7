"""The records in a response, and their relations to other records.

`core/storage/model.py` derives the names of relations.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

from ..storage.model import Model, relations_of
from .api import Part


@dataclass(frozen=True)
class Shape:
    """The records of a response.

    :param model: their model
    :param parts: key → model of the records in its list
    :param is_list: whether the response is a list of them
    """

    model: Any
    parts: Mapping[str, Any] = field(default_factory=dict)
    is_list: bool = False


def shape_of(annotation: Any) -> Shape | None:
    """Return the shape that a return annotation declares; None if it declares no records of a model."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated and (model := model_of(annotation)) is not None:
        return Shape(model, {each.key: each.model for each in arguments[1:] if isinstance(each, Part)})
    if origin in (typing.Union, types.UnionType):
        return next((found for each in arguments if (found := shape_of(each)) is not None), None)
    if origin is list and (inner := shape_of(arguments[0])) is not None and not inner.is_list:
        return Shape(inner.model, inner.parts, is_list=True)
    return None


def shape_below(path: str, annotation: Any, served: Any) -> Shape | None:
    """Return the shape of a route's response.

    :param path: the path below the service
    :param served: the model of the records that the class serves; if a list of the service or a single record is
        annotated as plain dicts, they are these records
    """
    found = shape_of(annotation)
    if found is not None or served is None:
        return found
    is_list = not path
    kind = annotation
    if is_list:
        kind = next(iter(get_args(annotation)), None) if get_origin(annotation) is list else None
    elif "/" in path or not path.startswith("{"):
        return None
    return Shape(served, is_list=is_list) if (get_origin(kind) or kind) is dict else None


def model_of(annotation: Any) -> type[Model] | None:
    """Return the model in an annotation such as ``Annotated[dict, Order]``; None: it has none."""
    if get_origin(annotation) is not typing.Annotated:
        return None
    return next((each for each in get_args(annotation)[1:] if isinstance(each, type) and issubclass(each, Model)), None)


def may_relate(shape: Shape) -> bool:
    """Return whether the records of a response, or their parts, have relations."""
    return any(relations_of(model) for model in (shape.model, *shape.parts.values()))
