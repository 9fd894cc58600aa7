"""Compares responses with the OpenAPI document: a response may only have the fields that the document describes.

answers = Answers(served)
identifier = answers.call("POST", "/proposals", {"socid": 1, "date": "2026-11-21"})
answers.call("POST", "/proposals/{id}/validate", id=identifier)
assert answers.wrong == []
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from jsonschema.exceptions import ValidationError
from openapi_schema_validator import OAS31Validator

from core.testing import Client, Served

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

    :ivar wrong: what did not fit, in words
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.admin = served.client()
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
        return answer.json

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
