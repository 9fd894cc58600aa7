"""JSON Schema of method annotations and model fields.

There are two directions: responses, and bodies, which accept more forms (a date as text, an amount as a number). Both
use the codecs that convert the values, so they follow the current profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import peewee

from core import File, Model, RawBody, RecordField, Upload
from core.common.errors import ERROR_PARTS, ERROR_SCHEMA
from core.common.settings import profile
from core.contract.catalogue import Operation
from core.contract.relations import Shape
from core.storage.model import meta_of, required_fields
from core.storage.values import SECONDS

from .annotation_schemas import NOTHING, Direction, members_of, schema_of
from .answer_examples import AnswerExamples
from .field_schemas import (
    AMOUNT,
    MOMENT,
    Schema,
    accepted_extras,
    accepted_field,
    alias_of,
    answered_extras,
    answered_field,
    described,
    nullable,
    takes_number,
    taking_text,
)
from .key_schemas import EXPANDED, accepting_known_keys, with_known_keys
from .names import CHANGE, NEW, PARTIAL, RECORD, Names, candidates
from .shared_schemas import ACCEPTED_JOB, PAGINATION, reference

_ANSWERED: dict[Any, Schema] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    Decimal: {"type": "string"},
    date: {**SECONDS, "description": "Unix seconds"},
    datetime: {**SECONDS, "description": "Unix seconds"},
    File: {"type": "string", "format": "binary"},
    Upload: {"type": "string", "format": "binary"},
    RawBody: {"type": "string", "format": "binary"},
    None: {"type": "null"},
    type(None): {"type": "null"},
}


#: ends the description of a field that `Meta.internal` lists
INTERNAL = "only for internal users"
EXTRAS = "extra fields, as `/setup/extrafields` defines them"
#: the table of jobs
JOBS = "comptoir_job"

_ACCEPTED: dict[Any, Schema] = _ANSWERED | {Decimal: AMOUNT, date: MOMENT, datetime: MOMENT}


class Schemas:
    """The named schemas of one service, collected while its operations are described.

    :param names: the names of models, and of the operations that read them
    """

    def __init__(self, names: Names) -> None:
        self.named: dict[str, Schema] = {"Error": ERROR_SCHEMA, **ERROR_PARTS, "Pagination": PAGINATION}
        #: model → its name
        self.models: dict[type[Model], str] = {}
        #: element type → the schemas of its extra fields
        self.extras: dict[str, Schema] = {}
        self._names = names
        self.samples = names.samples
        #: makes examples of responses
        self.examples = AnswerExamples(self.named, names.samples.models)
        #: shared examples of responses, by name
        self.shown: dict[str, Schema] = {}
        #: additional lists in the records of a model: key → model of the list's records
        self._parts: dict[type[Model], dict[str, type[Model]]] = {}
        #: tables whose records hold those of a model
        self._holders: dict[type[Model], set[str]] = {}
        self._answered = Direction(_ANSWERED, self._record, self._answered_field, True)
        #: whether a record is created → how its body travels
        self._accepted = {
            creating: Direction(_ACCEPTED, partial(self._body, creating), self._accepted_field, False)
            for creating in (True, False)
        }

    def answered(self, annotation: Any) -> Schema:
        """Return the schema of a return annotation."""
        return schema_of(annotation, self._answered)

    def accepted(self, annotation: Any, verb: str) -> Schema:
        """Return the schema of a parameter's annotation.

        :param verb: POST creates a record: the fields that its model requires are required, and more can be set
        """
        return schema_of(annotation, self._accepted[verb == "POST"])

    def accepted_job(self) -> Schema:
        """Return the response if a job does the work, with the operation that reads the job."""
        reader = self._names.readers.get(JOBS)
        job = {**ACCEPTED_JOB["properties"]["job"], **({"x-reads": reader} if reader else {})}
        return {**ACCEPTED_JOB, "properties": {**ACCEPTED_JOB["properties"], "job": job}}

    def name_of(self, model: type[Model]) -> str:
        """Return a model's name in the documents, or an empty text."""
        return self.models.get(model) or self._names.models.get(model, "")

    def close(self, body: Schema, record: Schema) -> None:
        """Reject unknown keys in a record's body; keys that only responses have may be sent back."""
        taken, answered = (self.named.get(each.get("$ref", "").rpartition("/")[2], {}) for each in (body, record))
        if taken.get("additionalProperties"):
            taken |= closed_body(taken, answered)

    def _register(self, model: type[Model], purpose: str, make: Callable[[], Schema]) -> Schema:
        """A schema under the model's name."""
        name = purpose.format(self.models.setdefault(model, self._names.models.get(model) or self._unknown(model)))
        if name not in self.named:
            # A record may contain records of its own kind
            self.named[name] = {}
            self.named[name] = make()
        return reference(name)

    def _unknown(self, model: type[Model]) -> str:
        """Return a name for a model outside the modules: one of the server's tables."""
        taken = {*self._names.models.values(), *self.models.values()}
        return next(name for name in candidates(model) if name not in taken)

    # Models ----------------------------------------------------------------------------------------------------------

    def _record(self, model: type[Model], parts: dict[str, type[Model]], is_partial: bool = False) -> Schema:
        """Return the schema of a record: the keys that every caller gets without ``properties`` are required.

        :param is_partial: whether it may lack any of its keys
        """

        if parts:
            self._parts[model] = parts

        def make() -> Schema:
            meta = meta_of(model)
            properties = {
                name: self._answered_field(meta.fields[name])
                for name in meta.sorted_field_names
                if name not in meta.secret
            }
            for alias, name in meta.aliases.items():
                properties[alias] = alias_of(properties[name], name)
            if meta.extrafields:
                properties["array_options"] = {**self._remembered(meta.extrafields), "description": EXTRAS}
            always = [*properties]
            if meta.answers is not None:
                computed, sure = members_of(meta.answers, self._answered)
                # The profile may leave out a field
                always = [
                    *(name for name in always if name in computed or name not in meta.answers.__annotations__),
                    *sure,
                ]
                # A computed key with a field's name remains a field; fields that are never returned are left out
                fields = {*meta.fields, *meta.aliases} - {*meta.secret}
                properties |= {
                    name: schema if name in fields else {**schema, "x-computed": True}
                    for name, schema in computed.items()
                }
                properties = {name: schema for name, schema in properties.items() if schema != NOTHING}
            properties |= {name: _internal(properties[name]) for name in meta.internal if name in properties}
            hidden = {*meta.internal, *(alias for alias, name in meta.aliases.items() if name in meta.internal)}
            for key, part in self._parts.get(model, {}).items():
                listed = {"type": "array", "items": self._record(part, {})}
                properties[key] = {**listed, "description": f"its {key}", "x-computed": True}
                always.append(key)
            for name, (leads, target) in self._names.relations.below(Shape(model)).items():
                if target.shape is not None and name not in properties:
                    record = nullable(self._record(target.shape.model, dict(target.shape.parts)))
                    told = f"the record in `{leads.name}`; only with `expand`"
                    properties[name] = {**record, "description": told, "x-computed": True, EXPANDED: True}
            required = [name for name in dict.fromkeys(always) if name in properties and name not in hidden]
            made = _object(model, with_known_keys(model, properties), () if is_partial else required)
            # Generators of clients read an open object as a map of anything
            return {word: said for word, said in made.items() if word != "additionalProperties"}

        return self._register(model, PARTIAL if is_partial else RECORD, make)

    def expansions(self, operation: Operation) -> list[str]:
        """Return the values of an operation's parameter `expand`."""
        return list(self._names.relations.paths(operation.shape)) if operation.shape is not None else []

    def reader_of(self, operation: Operation) -> str:
        """Return the operation that reads the records that an operation creates, or an empty text."""
        # An operation under another service's path creates records of its own service, such as a shipment of an order
        wanted = f"get-{operation.origin if operation.is_mounted else operation.service}-"
        readers = [each for each in self._names.readers.values() if each.startswith(wanted)]
        return readers[0] if len(readers) == 1 and (operation.is_mounted or not operation.segments) else ""

    def _answered_field(self, field: peewee.Field) -> Schema:
        """Return a field's schema in responses, with the operation that reads the referenced record."""
        return self._read_by(described(answered_field(field), field), field)

    def _accepted_field(self, field: peewee.Field, required: bool = False) -> Schema:
        """Return a field's schema in bodies, with the operation that reads the referenced record."""
        return self._read_by(described(accepted_field(field, required), field), field)

    def _read_by(self, schema: Schema, field: peewee.Field) -> Schema:
        if isinstance(field, RecordField):
            target = field.target()
        elif field.primary_key and getattr(field, "model", None) is not None:
            target = field.model
        else:
            return schema
        reader = self._names.readers.get(meta_of(target).table_name)
        return {**schema, "x-reads": reader} if reader else schema

    def _remembered(self, elementtype: str) -> Schema:
        schema = answered_extras(elementtype)
        self.extras[elementtype] = extras_state(elementtype)
        return schema

    def _body(
        self, creating: bool, model: type[Model], parts: dict[str, type[Model]], is_partial: bool = False
    ) -> Schema:
        """Return the schema of a record in bodies, where `Partial` has no effect."""
        if parts:
            self._parts[model] = parts

        def make() -> Schema:
            meta = meta_of(model)
            closed = {*meta.managed, *meta.secret, *(() if creating else meta.create_only)}
            properties = {
                name: self._accepted_field(meta.fields[name], name in meta.required)
                for name in meta.sorted_field_names
                if name not in closed
            }
            properties |= self._with_codes(model, properties)
            required = [name for name in self._required(model) if creating and name in properties]
            for alias, name in meta.aliases.items():
                if name in properties:
                    properties[alias] = alias_of(properties[name], name)
            if meta.extrafields:
                properties["array_options"] = {**accepted_extras(meta.extrafields, creating), "description": EXTRAS}
                self.extras[meta.extrafields] = extras_state(meta.extrafields)
                required += ["array_options"] if properties["array_options"].get("required") else []
            if meta.accepts is not None:
                accepted = members_of(meta.accepts, self._accepted[creating])[0]
                properties |= {name: _with_meanings(each, meta.fields.get(name)) for name, each in accepted.items()}
            properties = accepting_known_keys(model, properties)
            for key, part in self._parts.get(model, {}).items() if creating else ():
                self._holders.setdefault(part, set()).add(meta.table_name)
                properties[key] = {"type": "array", "items": self._body(True, part, {}), "description": f"its {key}"}
            made = _object(model, properties, required)
            # Sending the example unchanged must not change the fields that identify a record
            shown = {
                name: value
                for name, value in meta.example.items()
                if name in properties and (creating or name not in meta.required)
            }
            return {**made, "examples": [shown]} if shown else made

        return self._register(model, NEW if creating else CHANGE, make)

    def _with_codes(self, model: type[Model], properties: dict[str, Schema]) -> dict[str, Schema]:
        """The IDs that a body may also specify by a code: those with a function that makes an ID of one."""
        records = self._records_of(model)
        if records is None or not profile().accepts_other_forms:
            return {}
        coded = {name: properties[name] for name in records.cleaners if name in properties}
        return {name: taking_text(each, "also as a code") for name, each in coded.items() if takes_number(each)}

    def _records_of(self, model: type[Model]) -> Any:
        """The `Records` of a model that a service lists; None: it has none."""
        target = self._names.relations.targets.get(meta_of(model).table_name)
        return target.records if target is not None else None

    def _required(self, model: type[Model]) -> list[str]:
        """Return the fields that a new record requires; inside a parent's body, the reference to it isn't required."""
        fields, holders = meta_of(model).fields, self._holders.get(model, ())
        records = self._records_of(model)
        return [
            name
            for name in required_fields(model)
            if not (records is not None and name in records.filled)
            and not (isinstance(fields[name], RecordField) and meta_of(fields[name].target()).table_name in holders)
        ]


def extras_state(elementtype: str) -> Schema:
    """Return the schemas of an element type's extra fields, to detect changes."""
    return {"answered": answered_extras(elementtype), "accepted": accepted_extras(elementtype, True)}


def closed_body(body: Schema, record: Schema) -> Schema:
    """Return the schema of a body without unknown keys; those that only the record has may be sent back."""
    read = {
        name: {**each, "readOnly": True} for name, each in record.get("properties", {}).items() if EXPANDED not in each
    }
    return {**body, "properties": {**read, **body["properties"]}, "additionalProperties": False}


def _object(model: type[Model], properties: dict[str, Schema], required: Iterable[str]) -> Schema:
    text = " ".join((model.__dict__.get("__doc__") or "").split())
    return {
        "type": "object",
        **({"description": text} if text else {}),
        "properties": properties,
        **({"required": sorted(required)} if required else {}),
        # A module may add computed fields, and a body may contain ignored keys
        "additionalProperties": True,
    }


def _with_meanings(schema: Schema, field: peewee.Field | None) -> Schema:
    """Return the schema of a key in bodies, with the meanings of the field's values if it takes all of them."""
    taken = {str(value) for part in (schema, *schema.get("anyOf", ())) for value in part.get("enum", ())}
    meanings = {} if field is None else described({}, field).get("x-values", {})
    return {**schema, "x-values": meanings} if meanings and taken.issuperset(meanings) else schema


def _internal(schema: Schema) -> Schema:
    """Return a field's schema with a note that external users don't see it."""
    told = schema.get("description")
    return {**schema, "description": f"{told}; {INTERNAL}" if told else INTERNAL}
