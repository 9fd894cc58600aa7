"""Answers held against the OpenAPI document: whatever an answer holds must be named there, and fit.

answers = Answers(served)
answers.walk("proposals", answers.sample("/proposals", "statut"))
identifier = answers.call("POST", "/proposals", {"socid": 1, "date": "2026-11-21"})
answers.call("POST", "/proposals/{id}/validate", id=identifier)
assert answers.wrong == [] and answers.missing("proposals") == []
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from jsonschema.exceptions import ValidationError
from openapi_schema_validator import OAS31Validator

from core.testing import Client, Served

#: an operation as the document names it, such as ``("GET", "/orders/{id}")``
Place = tuple[str, str]

_NUMBER = re.compile(r"\[[0-9]+\]")


def close_objects(schema: Any) -> Any:
    """A schema in which an object holds nothing but the properties it names, and so do all objects in it.

    Not those that are one of several parts of the same object (``allOf``): each of them names but its own.
    """
    if isinstance(schema, list):
        return [close_objects(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        key: value if key in ("allOf", "enum", "example") else close_objects(value) for key, value in schema.items()
    }
    # A property may be called so, too
    return closed | {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else closed


class Answers:
    """Calls operations, and holds bodies and answers against the document.

    :ivar checked: operation → how many of its answers with data have been held against its schema of success
    :ivar wrong: what did not fit, in words
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.admin = served.client()
        self.checked: Counter[Place] = Counter()
        self.wrong: list[str] = []
        self.read_document()

    def read_document(self) -> None:
        """Read the document anew, as after an extra field has been defined."""
        self.document: dict[str, Any] = self.admin.get("/explorer/openapi.json")
        self.components = close_objects(self.document["components"])

    # Schemas ---------------------------------------------------------------------------------------------------------

    def schema(self, verb: str, path: str, status: int = 200) -> dict[str, Any] | None:
        """The schema of an answer; None where none in JSON is documented."""
        answers = self.document["paths"][path][verb.lower()]["responses"]
        answer = answers.get(str(status)) or (answers["default"] if status >= 400 else {})
        if "$ref" in answer:
            answer = self.document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        schema: dict[str, Any] | None = answer.get("content", {}).get("application/json", {}).get("schema")
        return schema

    def body(self, verb: str, path: str) -> dict[str, Any] | None:
        """The schema of a body in JSON; None where the operation takes none."""
        content = self.document["paths"][path][verb.lower()].get("requestBody", {}).get("content", {})
        schema: dict[str, Any] | None = content.get("application/json", {}).get("schema")
        return schema

    def errors(self, schema: dict[str, Any], value: Any) -> list[str]:
        """What of a value a schema does not name or does not allow."""
        whole = {**close_objects(schema), "components": self.components}
        return sorted(
            {
                f"{_NUMBER.sub('[]', leaf.json_path)}: {leaf.message[:300]}"
                for error in OAS31Validator(whole).iter_errors(value)
                for leaf in _leaves(error)
            }
        )

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(
        self,
        verb: str,
        path: str,
        body: Any = None,
        /,
        *,
        status: int | None = 200,
        client: Client | None = None,
        query: Mapping[str, Any] | None = None,
        **variables: Any,
    ) -> Any:
        """Call an operation, hold body and answer against their schemas, note what does not fit; answers the data.

        :param path: as the document has it: ``/orders/{id}``
        :param status: the one insisted on; None: 200, or any failure, held against the schema of that failure
        :param variables: those of the path
        """
        place = f"{verb} {path}"
        if body is not None and (status or 200) < 400:
            sent = self.body(verb, path)
            self._note(f"{place} body", ["no body is documented"] if sent is None else self.errors(sent, body))
        filled = re.sub(r"\{(\w+)\}", lambda name: quote(str(variables[name[1]]), safe=""), path)
        options: dict[str, Any] = {"params": dict(query)} if query else {}
        if body is not None:
            options["json"] = body
        answer = (client or self.admin).simulate_request(verb, filled, **options)
        said = f"{place} {dict(query or {})} {variables} -> {answer.status_code} {answer.text[:600]}"
        assert answer.status_code == status or (status is None and answer.status_code < 500), said
        if not answer.content or not answer.headers.get("content-type", "").startswith("application/json"):
            return None
        schema = self.schema(verb, path, answer.status_code)
        if schema in (None, {}, {"type": "object", "additionalProperties": True}):
            self._note(place, [f"no schema for the status {answer.status_code}: {answer.text[:200]}"])
            return answer.json
        self._note(place, self.errors(schema or {}, answer.json))
        if answer.status_code < 300:
            self.checked[verb, path] += 1
        return answer.json

    def walk(
        self,
        service: str,
        records: Iterable[Mapping[str, Any]] = (),
        *,
        queries: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
        **variables: Iterable[Any],
    ) -> None:
        """Call every GET operation of a service, for each record whose fields fill the variables of its path.

        :param records: from where variables are taken: ``{id}`` is the `id` of each
        :param queries: path → parameters to call it with besides none
        :param variables: values of variables of those paths that have but one, or that no record fills
        """
        for verb, path in self.operations(service):
            if verb != "GET":
                continue
            names = re.findall(r"\{(\w+)\}", path)
            found = [{name: each[name] for name in names} for each in records if all(each.get(name) for name in names)]
            if len(names) == 1 and names[0] in variables:
                found = [{names[0]: value} for value in variables[names[0]]]
            for filled in found if names else [{}]:
                for query in ({}, *(queries or {}).get(path, ())):
                    self.call(verb, path, status=None, query=query, **filled)

    def sample(self, path: str, *fields: str, number: int = 2, **query: Any) -> list[dict[str, Any]]:
        """Records of a list: some of each value that fields have, such as every state.

        :param number: how many of each value
        """
        records = self.admin.get(path, limit=1000, **query)
        chosen: dict[Any, dict[str, Any]] = {}
        for name in fields or ("id",):
            counts: Counter[Any] = Counter()
            for record in records:
                counts[record[name]] += 1
                if counts[record[name]] <= number and (fields or len(chosen) < number):
                    chosen[record["id"]] = record
        return list(chosen.values())

    def fields(self, model: str) -> set[str]:
        """The keys that the schema of a record names, but for those that only `expand` asks for."""
        properties = self.document["components"]["schemas"][model]["properties"]
        return {name for name, each in properties.items() if "x-expanded" not in each}

    def try_batch(self, service: str) -> None:
        """Let a batch change a record to what it is, make one as the document does, and fail to delete one."""
        path = f"/{service}/batch"
        schema = self.body("POST", path)
        assert schema is not None
        kinds = schema["properties"]["entries"]["items"]
        new = self.document["paths"][f"/{service}"].get("post", {}).get("requestBody", {}).get("content", {})
        changed = self.admin.get(f"/{service}", limit=1)[0]["id"]
        entries: list[dict[str, Any]] = []
        for each in kinds.get("anyOf", [kinds]):
            fields = each["properties"]
            entry: dict[str, Any] = {"method": fields["method"]["enum"][0]}
            if "id" in fields:
                entry |= {"id": int(changed), "body": {}} if "body" in fields else {"id": 999_999_999}
            elif "body" in fields:
                entry["body"] = new["application/json"]["example"]
            entries.append(entry)
        answer = self.call("POST", path, {"atomic": False, "entries": entries})
        assert answer["done"] + answer["failed"] == len(entries)

    def try_expansions(self, service: str) -> None:
        """Ask each list and each record of a service for all that it can be expanded by."""
        for verb, path in self.operations(service):
            taken = self.document["paths"][path][verb.lower()].get("parameters", ())
            names = [n for each in taken if each.get("name") == "expand" for n in each["schema"]["items"]["enum"]]
            if not names or path not in (f"/{service}", f"/{service}/{{id}}"):
                continue
            found = self.admin.get(f"/{service}", limit=3)
            for identifier in [each["id"] for each in found] if "{" in path else [0]:
                # Those of each branch alone: no more than ten may be asked for
                for name in names:
                    self.call(
                        verb, path, query={"expand": name, **({} if identifier else {"limit": 20})}, id=identifier
                    )

    # What was done ---------------------------------------------------------------------------------------------------

    def operations(self, service: str) -> list[Place]:
        """The operations of a service."""
        return [
            (verb.upper(), path)
            for path, verbs in self.document["paths"].items()
            for verb in verbs
            if path.split("/")[1] == service
        ]

    def missing(self, service: str) -> list[str]:
        """The operations of a service that answer JSON, and of which no answer of success has been held.

        What every service has in the same form is called here: its batch, and what `expand` adds.
        """
        if "post" in self.document["paths"].get(f"/{service}/batch", ()):
            self.try_batch(service)
        self.try_expansions(service)
        return [
            f"{verb} {path}"
            for verb, path in self.operations(service)
            if self.schema(verb, path) is not None and not self.checked[verb, path]
        ]

    def untyped(self, service: str) -> list[str]:
        """The operations of a service with a body or an answer in which something may be anything."""
        found = []
        for verb, path in self.operations(service):
            for name, schema in (("answer", self.schema(verb, path)), ("body", self.body(verb, path))):
                found += [f"{verb} {path}: {name}{where}" for where in self._holes(schema)] if schema else []
        return found

    def _holes(self, schema: Any, where: str = "", inside: tuple[str, ...] = ()) -> list[str]:
        """Where a schema says nothing of a value."""
        if schema in ({}, True):
            return [where]
        if not isinstance(schema, dict):
            return []
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return [] if name in inside else self._holes(self._component(name), f" {name}", (*inside, name))
        found = []
        for key in ("anyOf", "oneOf", "allOf"):
            found += [hole for part in schema.get(key, ()) for hole in self._holes(part, where, inside)]
        for name, part in schema.get("properties", {}).items():
            # Of a record that is expanded its own service's documents tell
            found += [] if "x-expanded" in part else self._holes(part, f"{where}.{name}", inside)
        if schema.get("type") == "array" and schema.get("maxItems") != 0:
            found += self._holes(schema.get("items", {}), f"{where}[]", inside)
        if schema.get("type") == "object" and "properties" not in schema:
            found += self._holes(schema.get("additionalProperties", {}), f"{where}.*", inside)
        return found

    @cache  # noqa: B019 - as long as a test
    def _component(self, name: str) -> Any:
        return self.document["components"]["schemas"][name]

    def _note(self, place: str, errors: Iterable[str]) -> None:
        self.wrong += [said for error in errors if (said := f"{place}: {error}") not in self.wrong]


def _leaves(error: ValidationError) -> list[ValidationError]:
    """What is really wrong: of several schemas of which none fits, the errors in the one that fits furthest."""
    if not error.context:
        return [error]
    branches: dict[Any, list[ValidationError]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    best = max(branches.values(), key=_fitness)
    return [leaf for each in best for leaf in _leaves(each)]


def _fitness(errors: list[ValidationError]) -> tuple[int, bool]:
    """How far a value fits: what is wrong lies deep in it, and is not its type."""
    first = min(errors, key=lambda each: len(each.absolute_path))
    return len(first.absolute_path), first.validator != "type"
