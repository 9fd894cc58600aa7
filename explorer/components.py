"""Components: a schema that the documents repeat gets a name, and every place refers to it.

Services are described with each schema where it is used. Afterwards, `name_components` gives names to enums, to the
objects of a `TypedDict`, and to every object that is repeated. `Draft.share` puts references in their place. Equal
content has one name in all documents of a catalogue, so the document of a service is a part of the whole one.

A name is that of the content, such as `NoYes`, or of the record and key that have it, such as `InvoiceType`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from core.storage.serializer import etag_of, to_json

from .field_schemas import COMPONENT, Component, Schema
from .names import record_name
from .operations import DescribedService
from .shared_schemas import reference
from .titles import service_title, words_of

#: the content of a schema → the name of its component
ComponentNames = Mapping[bytes, str]

#: keywords that belong to the use of a schema, not to the schema
_OF_THE_PLACE = ("description", "default", "examples", "title", "deprecated", "readOnly")
#: values without meanings → the name of their enum
_KINDS = {(0, 1): "Flag", ("0", "1"): "Flag", (1,): "Yes", ("1",): "Yes", ("yes", "no"): "YesNo"}
_WORDS = re.compile(r"[A-Za-z0-9]+")
_EMPTY_NAME = "EMPTY"
#: a value of an enum that can be the name of its constant, whatever it means
_NAMES_ITSELF = re.compile(r"[a-z]{3,}")
_UNNAMED = Component()
#: objects in errors, by the names that their places would give them
_IN_ERRORS = {"ErrorError": "ErrorDetails", "ErrorErrorErrors": "FieldError", "ErrorErrorRaised": "RaisedError"}
#: maximum number of values, all with meanings, whose meanings are the name of an enum: `NoYes`
_FEW_VALUES = 3
#: maximum number of a body's keys in its name
_FEW_KEYS = 2
#: keys that hold one schema, and keys that hold several
_INNER, _INNER_LISTS = ("items", "additionalProperties"), ("anyOf", "oneOf", "allOf")


class Place(NamedTuple):
    """A place that a schema is used in.

    :param owners: possible names of what has it, the best first, such as `Invoice` and `InvoiceNew`
    :param word: its key there, as a part of a name
    :param holder: identifies the place in a document, which may have what is around it several times
    """

    owners: tuple[str, ...]
    word: str
    holder: bytes

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the place, the best first."""
        return tuple(owner + self.word for owner in self.owners)


class Use(NamedTuple):
    """A use of a content that may become a component.

    :param key: identifies the content
    :param kind: the name of the content wherever it is used; empty: it has the name of its place
    :param endings: for a name that another content has, such as `OrNull`
    :param prefix: the record or the service, for a name that another content has
    :param is_sure: whether it becomes a component even if it isn't repeated
    """

    key: bytes
    kind: str
    endings: tuple[str, ...]
    place: Place
    prefix: str
    is_sure: bool


@dataclass(frozen=True)
class Draft:
    """A service with each schema where it is used.

    :param uses: what may be shared, each content as often as it is used
    """

    described: DescribedService
    uses: tuple[Use, ...]

    @staticmethod
    def of(described: DescribedService) -> Draft:
        """Find what the service may share."""
        prefix = described.record or _pascal(service_title(described.service))
        uses = []
        for schema, place, inside in _places(prefix, described):
            for inner, at in _walk(schema, place, inside):
                if is_shared(inner):
                    kind = _kind(inner) or _IN_ERRORS.get(at.names[0], "")
                    uses.append(Use(key_of(inner), kind, _endings(inner), at, prefix, "enum" in inner or bool(kind)))
        return Draft(described, tuple(uses))

    def share(self, names: ComponentNames) -> DescribedService:
        """Return the service with references in place of the contents that have a name."""
        sharing, described = _Sharing(names), self.described
        schemas = {name: sharing.inside(each) for name, each in described.schemas.items()}
        return replace(
            described,
            operations=tuple(replace(each, said=sharing.operation(each.said)) for each in described.operations),
            parameters={name: sharing.parameter(each) for name, each in described.parameters.items()},
            schemas={**schemas, **sharing.made},
            tag=etag_of(to_json([described.tag, *sharing.made])).strip('"'),
        )


def name_components(drafts: Sequence[Draft], native: int) -> ComponentNames:
    """Name the content that is shared, in the order of the services.

    :param native: how many services come first that other ones can't rename the components of
    """
    names: dict[bytes, str] = {}
    taken = {name for each in drafts for name in each.described.schemas}
    for some in (drafts[:native], drafts[native:]):
        found: dict[bytes, list[Use]] = defaultdict(list)
        for each in some:
            for use in each.uses:
                found[use.key].append(use)
        records = {record_name(name) for each in some for name in each.described.schemas}
        # A content without endings has the plain name
        for key, uses in sorted(found.items(), key=lambda each: len(each[1][0].endings)):
            if key not in names and (uses[0].is_sure or len({use.place.holder for use in uses}) > 1):
                names[key] = next(name for name in _possible_names(uses, records) if name not in taken)
                taken.add(names[key])
    return names


def _possible_names(uses: Sequence[Use], records: set[str]) -> Iterator[str]:
    """Yield the possible names of a content, the best first."""
    first, of_records = uses[0], [use for use in uses if use.place.owners[0] in records]
    own = of_records or uses
    by_place = [name for number in (0, 1) for use in own for name in use.place.names[number : number + 1]]
    if first.kind:
        bases = [first.kind, first.prefix + first.kind, *by_place]
    else:
        bases = [*_common_words(of_records), *by_place]
    yield from (base + ending for base in dict.fromkeys(bases) for ending in ("", *first.endings))
    yield from (f"{bases[-1]}{number}" for number in range(2, 10_000))


def _common_words(uses: Sequence[Use]) -> list[str]:
    """Return the keys of several words that all of several records use for a content: `PriceBaseType`."""
    words: dict[str, list[str]] = defaultdict(list)
    for use in uses:
        words[use.place.owners[0]].append(use.place.word)
    several = [word for word in next(iter(words.values()), ()) if sum(map(str.isupper, word)) > 1]
    return [word for word in several if len(words) > 1 and all(word in each for each in words.values())]


class _Sharing:
    """Puts references in place of contents.

    :param made: the components that are referred to, by name
    """

    def __init__(self, names: ComponentNames) -> None:
        self._names = names
        self.made: dict[str, Schema] = {}

    def schema(self, schema: Schema) -> Schema:
        """A schema as it is written at its place."""
        if not is_shared(schema):
            return self.inside(schema)
        name = self._names.get(key_of(schema))
        if name is None:
            return self.inside(schema)
        if name not in self.made:
            self.made[name] = {}
            content = _general(_content(schema), schema)
            self.made[name] = _component(content if "enum" in content else self.inside(content), schema)
        told = {word: value for word, value in _beside(schema).items() if self.made[name].get(word) != value}
        # All keys, so that validators that close every object accept those of the component
        keys = schema["properties"] if _component_of(schema).general else {}
        own = {key: self.schema(each) for key, each in keys.items()}
        return {**reference(name), **told, **({"properties": own} if own else {})}

    def inside(self, schema: Schema) -> Schema:
        """A schema with references inside; itself if there are none."""
        changed: Schema = {}
        if "properties" in schema:
            changed["properties"] = {name: self.schema(each) for name, each in schema["properties"].items()}
        for word in _INNER:
            if isinstance(schema.get(word), dict):
                changed[word] = self.schema(schema[word])
        for word in _INNER_LISTS:
            if word in schema:
                changed[word] = [self.schema(each) for each in _alternatives(schema, word)]
        if COMPONENT in schema:
            return {word: value for word, value in {**schema, **changed}.items() if word != COMPONENT}
        if len(schema.get("enum", ())) == 1 and schema.get("type") in ("string", "integer"):
            [only] = schema["enum"]
            return {**{word: value for word, value in schema.items() if word != "enum"}, "const": only}
        return {**schema, **changed} if changed else schema

    def parameter(self, said: Schema) -> Schema:
        """Share a parameter, or another object with a schema or a content."""
        if "schema" in said:
            return {**said, "schema": self.schema(said["schema"])}
        return self._with_content(said)

    def operation(self, said: Schema) -> Schema:
        """An operation."""
        changed: Schema = {}
        if "parameters" in said:
            changed["parameters"] = [self.parameter(each) for each in said["parameters"]]
        if "requestBody" in said:
            changed["requestBody"] = self._with_content(said["requestBody"])
        changed["responses"] = {status: self._with_content(each) for status, each in said["responses"].items()}
        return {**said, **changed}

    def _with_content(self, said: Schema) -> Schema:
        if "content" not in said:
            return said
        return {**said, "content": {kind: self.parameter(each) for kind, each in said["content"].items()}}


def is_shared(schema: Schema) -> bool:
    """Return whether a schema may become a component: an enum of several values, or an object whose keys are known."""
    if "enum" in schema:
        several = len(schema["enum"]) > 1 or COMPONENT in schema
        return several and schema.get("type") in ("string", "integer")
    return COMPONENT in schema or "properties" in schema or bool(schema.get("additionalProperties"))


def key_of(schema: Schema) -> bytes:
    """Return a key that two schemas with the same content share."""
    return json.dumps([_component_of(schema).name, _general(_content(schema), schema)], sort_keys=True).encode()


def _component_of(schema: Schema) -> Component:
    component: Component = schema.get(COMPONENT, _UNNAMED)
    return component


def _general(content: Schema, schema: Schema) -> Schema:
    """Return the content of a component; places add descriptions of some keys beside their reference."""
    keys = _component_of(schema).general
    return {**content, "properties": {**content["properties"], **keys}} if keys else content


def _content(schema: Schema) -> Schema:
    return {word: value for word, value in schema.items() if word != COMPONENT and not _is_of_the_place(word)}


def _beside(schema: Schema) -> Schema:
    return {word: value for word, value in schema.items() if _is_of_the_place(word)}


def _is_of_the_place(word: str) -> bool:
    return word in _OF_THE_PLACE or (word.startswith("x-") and word not in ("x-values", COMPONENT))


def _component(content: Schema, schema: Schema) -> Schema:
    """A component; an enum with the names of its values, and a description."""
    if "enum" not in content:
        told = _component_of(schema).description
        return {**({"description": told} if told else {}), **content}
    values, meanings = content["enum"], content.get("x-values", {})
    if _KINDS.get(tuple(values)) == "Flag" and not meanings:
        meanings = {"0": "no", "1": "yes"}
    told = ", ".join(f"{value}: {meanings[str(value)]}" for value in values if str(value) in meanings)
    names = [_constant(_name_of_value(value, meanings)) for value in values]
    usable = len({*names}) == len(names) and all(name[:1].isalpha() for name in names)
    return {
        **({"description": told} if told else {}),
        **content,
        **({"x-enum-varnames": names} if usable else {}),
    }


def _name_of_value(value: Any, meanings: Mapping[str, Any]) -> str:
    """Return the word for a value: itself if it is one, otherwise its meaning."""
    return str(value if _NAMES_ITSELF.fullmatch(str(value)) else meanings.get(str(value), value))


def _constant(words: str) -> str:
    """Return the name of a constant: ``GIVEN_UP`` for "given up"."""
    return "_".join(_WORDS.findall(words)).upper() or _EMPTY_NAME


def _pascal(words: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _WORDS.findall(words))


def _kind(schema: Schema) -> str:
    """Return the name that the content suggests, wherever it is used."""
    if name := _component_of(schema).name:
        return name
    if "enum" in schema:
        return _kind_of_enum([each for each in schema["enum"] if each != ""], schema.get("x-values", {}))
    if schema.get("properties"):
        return ""
    values = schema.get("additionalProperties")
    if values is True:
        return "JsonObject"
    if not isinstance(values, dict) or set(values) != {"type"}:
        return ""
    return f"{'Or'.join(map(_pascal, _types(values)))}Map"


def _kind_of_enum(values: Sequence[Any], meanings: Mapping[str, Any]) -> str:
    """Return the name of an enum: its meanings if they are few words, or its only value."""
    words = [str(meanings.get(str(value), "")) for value in values]
    if 1 < len(words) <= _FEW_VALUES and all(word.isalpha() for word in words):
        return "".join(map(_pascal, words))
    if meanings:
        return _pascal(words[0]) if len(words) == 1 else ""
    only = str(values[0]) if len(values) == 1 else ""
    return _KINDS.get(tuple(values)) or (_pascal(only) if only.isalpha() else "") or ("" if values else "Empty")


def _endings(schema: Schema) -> tuple[str, ...]:
    """Return the endings that tell a content from a similar one: the empty text, text for numbers, null or a list."""
    if "enum" not in schema:
        others = "".join(f"Or{_pascal(each)}" for each in _types(schema) if each != "object")
        return (others,) if others else ()
    empty = "OrEmpty" if "" in schema["enum"][1:] or schema["enum"][:1] == [""] != schema["enum"] else ""
    text = "Text" if schema["type"] == "string" else ""
    return tuple(dict.fromkeys(filter(None, (empty, text, text + empty))))


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def _places(prefix: str, described: DescribedService) -> Iterator[tuple[Schema, Place, str]]:
    """Each schema of a service that isn't in another one, with its place, and the owner of the keys inside."""
    for name, schema in described.schemas.items():
        owners = tuple(dict.fromkeys((record_name(name), name)))
        # The component itself has its name already
        for word, each in schema.get("properties", {}).items():
            yield each, Place(owners, _pascal(word), f"{name}.{word}".encode()), ""
    for name, said in described.parameters.items():
        # Generators have one namespace for schemas and parameters
        yield said.get("schema", {}), Place(("", prefix), f"{_pascal(said['name'])}Parameter", name.encode()), ""
    for each in described.operations:
        about = each.models[0] if each.models else prefix
        for said in each.said.get("parameters", ()):
            if "name" in said:
                place = Place((about,), _pascal(said["name"]), f"{each.id}?{said['name']}".encode())
                yield said.get("schema", {}), place, ""
        for kind, content in each.said.get("requestBody", {}).get("content", {}).items():
            keys = [_pascal(key) for key in content["schema"].get("properties", {})]
            words = keys if len(keys) <= _FEW_KEYS else [_pascal(word) for word in words_of(each.said["summary"])]
            yield content["schema"], Place(("",), f"{''.join(words)}Body", f"{each.id}<{kind}".encode()), about
        for status, response in each.said["responses"].items():
            for kind, content in response.get("content", {}).items():
                place = Place((about,), _pascal(each.operation.name), f"{each.id}>{status}{kind}".encode())
                yield content["schema"], place, ""


def _alternatives(schema: Schema, word: str) -> list[Schema]:
    """Return the schemas in ``anyOf`` and the like; an enum with the meanings that are around it."""
    meanings = schema.get("x-values", {})
    found = []
    for each in schema.get(word, ()):
        values = each.get("enum", ())
        if values and meanings.keys() >= {*map(str, values)}:
            found.append({"x-values": meanings, **each, COMPONENT: _UNNAMED})
        else:
            # Generated clients reject the other alternatives to a `const`
            found.append({**each, COMPONENT: _UNNAMED} if values else each)
    return found


def _walk(schema: Schema, place: Place, inside: str = "") -> Iterator[tuple[Schema, Place]]:
    """A schema and those inside, each with its place.

    :param inside: the owner of its keys; empty: the schema
    """
    yield schema, place
    component = _component_of(schema)
    owner = inside or component.name
    owners = (owner,) if owner else place.names
    # A component is in a document once
    holder = key_of(schema) if is_shared(schema) and not component.general else place.holder
    # Generators of clients overlook what a place says beside a reference, so it doesn't become a component
    for name, each in {**schema.get("properties", {}), **component.general}.items():
        yield from _walk(each, Place(owners, _pascal(name), holder + name.encode()))
    if isinstance(schema.get("items"), dict):
        yield from _walk(schema["items"], place)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _walk(schema["additionalProperties"], place._replace(word=f"{place.word}Value", holder=holder))
    for word in _INNER_LISTS:
        for each in _alternatives(schema, word):
            yield from _walk(each, place)
