"""The records after which the explorer offers an operation as the next call.

An `:after:` in a docstring takes precedence over names and each `RecordField`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core import RecordField
from core.contract.annotations import AfterNote
from core.contract.catalogue import Operation
from core.contract.relations import model_of
from core.storage.model import Model, meta_of, relations_of

from .field_schemas import Schema
from .names import Names, service_reading

#: the parameter that filters a list by a field without a parameter of its own
FILTERS = "sqlfilters"

_IDENTIFIER = re.compile(r"_?ids?$")


def read_next_calls(operation: Operation, names: Names) -> tuple[Schema, ...]:
    """Return an entry for each kind of record: its service (``of``) and the values of the form (``with``).

    An `:after:` can also limit the states (``in``) and give a label (``words``), which ranks it higher. Otherwise
    ``noun`` is the field's name for the record.
    """
    derived: dict[str, Schema] = {}
    for each in _derived(operation, names):
        derived.setdefault(each["of"], each)
    said = [each for note in operation.annotation.after for each in _said(note, operation, derived)]
    told = {each["of"] for each in said}
    return (*said, *(each for service, each in derived.items() if service not in told))


def _said(note: AfterNote, operation: Operation, derived: dict[str, Schema]) -> Iterator[Schema]:
    """Return the entries of an `:after:`, one for each of its services."""
    variables = re.findall(r"\{(\w+)\}", operation.template)
    plain = f"{variables[0]}={{id}}" if len(variables) == 1 else ""
    # Below another service, the records of a class aren't told apart from those of this service
    own = operation.origin if operation.is_mounted else ""
    for service in (each for each in note.services if each != own):
        states = {"in": list(note.states)} if note.states else {}
        found = derived.get(service, {"with": plain})
        label = {"words": note.words} if note.words else {name: found[name] for name in ("noun",) if name in found}
        yield {"of": service, "with": note.values or found["with"], **label, **states}


def _derived(operation: Operation, names: Names) -> Iterator[Schema]:
    """Return the entries derived from names and fields, the best first."""
    variables = re.findall(r"\{(\w+)\}", operation.template)
    if operation.template.endswith("/*") or len(variables) > 1:
        return
    if variables:
        # A path that begins with the ID belongs to the record itself and needs no link to it
        service = names.kinds.get(_IDENTIFIER.sub("", variables[0]).lower())
        if service and not operation.segments[0].startswith("{"):
            yield {"of": service, "with": f"{variables[0]}={{id}}"}
        return
    if operation.own_segments != () or operation.entries:
        return
    if operation.verb == "GET" and operation.shape is not None and operation.shape.is_list:
        yield from _filters(operation, names)
    elif operation.verb == "POST":
        yield from _bodies(operation, names)


def _filters(operation: Operation, names: Names) -> Iterator[Schema]:
    """The services by whose records a list is narrowed."""
    assert operation.shape is not None
    taken = {each.name for each in operation.inputs if each.place == "query"}
    for relation, field, service in _named_by(operation.shape.model, names):
        nouns = (field.name, relation)
        own = next((each for each in sorted(taken) if each in nouns or _IDENTIFIER.sub("", each) in nouns), "")
        if own or FILTERS in taken:
            values = f"{own}={{id}}" if own else f"{FILTERS}=(t.{field.name}:=:{{id}})"
            yield {"of": service, "with": values, "noun": field.noun.lower()}


def _bodies(operation: Operation, names: Names) -> Iterator[Schema]:
    """The services whose records the body of a new one names."""
    model = next((found for each in operation.inputs if each.place == "whole" and (found := model_of(each.type))), None)
    if model is None:
        return
    meta = meta_of(model)
    for _, field, service in _named_by(model, names):
        if field.name not in {*meta.managed, *meta.secret}:
            yield {"of": service, "with": f"{field.name}={{id}}", "noun": field.noun.lower()}


def _named_by(model: type[Model], names: Names) -> Iterator[tuple[str, RecordField, str]]:
    """The relations of a model to records of other kinds: their names, fields, and the services that read them."""
    own = meta_of(model).table_name
    for relation, field in relations_of(model).items():
        table = meta_of(field.target()).table_name
        reader = names.readers.get(table)
        if reader and table != own:
            yield relation, field, service_reading(reader)
