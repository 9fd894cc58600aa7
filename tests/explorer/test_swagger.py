"""The same document as Swagger 2.0: valid for old programs, and true to what is answered."""

import pytest
from openapi_schema_validator import OAS30Validator
from openapi_spec_validator import OpenAPIV2SpecValidator
from openapi_spec_validator.schemas import openapi_v2_schema_validator

from core.testing import Served, make_settings
from tests.explorer.test_openapi import FOLDERS

PATH = "/explorer/swagger.json"

#: words of OpenAPI 3 that 2.0 does not know
NEWER = {
    *("openapi", "servers", "components", "requestBody", "content", "anyOf", "oneOf", "not", "const", "examples"),
    *("style", "explode", "nullable", "prefixItems", "patternProperties", "scheme"),
}


class Shown:
    """A server, its document in 2.0, and the one it was made of."""

    def __init__(self, admin):
        self.admin = admin
        self.document = admin.get(PATH)
        self.newer = admin.get("/explorer/openapi.json")

    def operation(self, verb, path):
        return self.document["paths"][path][verb.lower()]

    def parameters(self, verb, path):
        return {each["name"]: each for each in self.operation(verb, path)["parameters"] if "name" in each}

    def wrong(self, schema, value):
        """What does not fit a schema; OpenAPI 3.0 has the same schemas, but for the word for null."""
        whole = {**_with_nullable(schema), "definitions": _with_nullable(self.document["definitions"])}
        return [f"{error.json_path}: {error.message}" for error in OAS30Validator(whole).iter_errors(value)]


def _with_nullable(value):
    if isinstance(value, list):
        return [_with_nullable(each) for each in value]
    if not isinstance(value, dict):
        return value
    made = {("nullable" if name == "x-nullable" else name): _with_nullable(each) for name, each in value.items()}
    # What may be null may be so beside the values that are listed
    return made | {"enum": [*made["enum"], None]} if made.get("nullable") is True and "enum" in made else made


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    served = Served(make_settings(tmp_path_factory.mktemp("swagger"), modules=FOLDERS))
    yield Shown(served.client())
    served.close()


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["specification", "dolibarr16"])
def test_it_is_valid(serve, profile):
    document = serve(modules=FOLDERS, profile_name=profile).client().get(PATH)
    assert document["swagger"] == "2.0"
    assert [error.message for error in openapi_v2_schema_validator.iter_errors(document)] == []
    # The library looks at every schema as if it were of 3.0, which has no type for files
    wrong = {error.message for error in OpenAPIV2SpecValidator(document).iter_errors()}
    assert wrong <= {"'file' is not valid under any of the given schemas"}
    check_words(document)


def walk(value, *way):
    """Every object of the document with the way to it, but for what is no word of 2.0's: examples and extensions."""
    if isinstance(value, list):
        for each in value:
            yield from walk(each, *way, "[]")
    elif isinstance(value, dict):
        yield way, value
        for name, each in value.items():
            if not name.startswith("x-"):
                yield from walk(each, *way, name)


#: what stands in these are names, not words
NAMED = ("properties", "definitions", "parameters", "responses", "paths", "headers", "securityDefinitions")


def check_words(document):
    """No word of OpenAPI 3 is left, and each reference leads somewhere."""
    types = references = 0
    for way, each in walk(document):
        if way[-1:] and way[-1] in NAMED:
            continue
        assert not NEWER & set(each), "/".join(way)
        if "type" in each:
            assert isinstance(each["type"], str) and each["type"] != "null", "/".join(way)
            types += 1
        if "$ref" in each:
            assert set(each) == {"$ref"}
            part, _, name = each["$ref"].removeprefix("#/").partition("/")
            assert name in document[part]
            references += 1
    assert types > 1000 and references > 500


def test_every_operation_is_in_it_as_in_the_other_document(shown):
    same = ("operationId", "tags", "summary", "description", "deprecated", "security", "x-permission", "x-deprecated")
    old, new = shown.document["paths"], shown.newer["paths"]
    assert old.keys() == new.keys()
    for path, verbs in new.items():
        assert old[path].keys() == verbs.keys()
        for verb, said in verbs.items():
            assert {name: old[path][verb].get(name) for name in same} == {name: said.get(name) for name in same}
            assert old[path][verb]["responses"].keys() == said["responses"].keys()
    assert shown.operation("GET", "/mymod/old")["deprecated"] is True
    assert shown.operation("GET", "/mymod")["security"] == []
    assert shown.document["tags"] == shown.newer["tags"]
    # There are no webhooks in Swagger 2.0
    assert shown.document["definitions"].keys() == shown.newer["components"]["schemas"].keys() - {"WebhookEvent"}


def test_a_list_has_its_parameters_and_headers(shown):
    cards = shown.operation("GET", "/loyaltycards")
    assert {"$ref": "#/parameters/sqlfilters-Card"} in cards["parameters"]
    limit = shown.document["parameters"]["limit-Parameter"]
    assert (limit["name"], limit["in"], limit["type"], limit["default"]) == ("limit", "query", "integer", 100)
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    page = "application/vnd.comptoir.page+json"
    assert cards["produces"] == ["application/json", "text/csv", "application/x-ndjson", sheet, page]
    answer = cards["responses"]["200"]
    # Swagger 2.0 has one schema for all media types
    assert answer["schema"] == {"type": "array", "items": {"$ref": "#/definitions/Card"}}
    assert answer["headers"]["X-Total-Count"]["type"] == "integer"
    assert answer["headers"]["X-Next-Cursor"]["type"] == "string"


def test_an_upload_takes_a_file(shown):
    assert shown.operation("POST", "/documents/upload")["consumes"] == ["multipart/form-data"]
    fields = shown.parameters("POST", "/documents/upload")
    assert {each["in"] for each in fields.values()} == {"formData"}
    assert {name: fields[name]["type"] for name in ("file", "filename", "filecontent", "overwriteifexists")} == {
        **{"file": "file", "filename": "string", "filecontent": "string", "overwriteifexists": "integer"},
    }


def test_answers_are_as_promised(shown):
    admin, wrong = shown.admin, shown.wrong
    body = shown.parameters("POST", "/thirdparties")["body"]["schema"]
    for sent in ({"name": "Promised", "capital": "12.5", "town": None}, {"name": "Promised", "capital": 12.5}):
        assert wrong(body, sent) == []
        identifier = admin.ask("POST", "/thirdparties", sent)
    assert wrong(body, {"town": "Lyon"}) == ["$: 'name' is a required property"]
    record = admin.get(f"/thirdparties/{identifier}")
    schema = shown.operation("GET", "/thirdparties/{id}")["responses"]["200"]["schema"]
    assert schema == {"$ref": "#/definitions/Thirdparty"}
    assert wrong({"allOf": [schema]}, {**record, "array_options": {}, "socialnetworks": {}}) == []
    assert wrong({"allOf": [schema]}, {"id": [identifier]}) != []
    change = shown.parameters("PUT", "/thirdparties/{id}")["body"]["schema"]
    assert wrong({"allOf": [change]}, {name: record[name] for name in ("name", "capital", "date_creation")}) == []
