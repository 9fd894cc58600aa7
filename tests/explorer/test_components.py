"""What generators of clients and linters need of the OpenAPI document: components, descriptions, fitting examples."""

import re
from collections import Counter
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator

from core.storage.serializer import to_json
from core.testing import Served, make_settings

Schema = dict[str, Any]

PATH = "/explorer/openapi.json"
OUTSIDE = '''
from core import Api


class Outside(Api):
    """A service of somebody else."""

    def index(self) -> list[int]:
        """List orders."""
        return []

    def get(self, id: int) -> int:
        """Read an order."""
        return id

    def get_last(self) -> int:
        """Read an order."""
        return 1
'''


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def client(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("components")
    file = folder / "modules" / "outside" / "class" / "api_outside.py"
    file.parent.mkdir(parents=True)
    file.write_text(OUTSIDE)
    served = Served(make_settings(folder, modules=str(folder / "modules"), profile_name=request.param))
    yield served.client()
    served.close()


@pytest.fixture(scope="module")
def document(client):
    return client.get(PATH)


def operations(document):
    for verbs in document["paths"].values():
        yield from verbs.values()


def contents(document):
    """Everything with a schema and an example that an operation takes or returns."""
    for each in operations(document):
        yield from each.get("requestBody", {}).get("content", {}).values()
        for response in each["responses"].values():
            yield from response.get("content", {}).values()


def inner(schema):
    """A schema and those inside, but not those beside a reference."""
    yield schema
    if "$ref" in schema:
        return
    inside = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    inside += [each for word in ("anyOf", "oneOf", "allOf") for each in schema.get(word, ())]
    for each in inside:
        if isinstance(each, dict):
            yield from inner(each)


def test_no_object_and_no_enum_is_repeated(document):
    named = document["components"]["schemas"].values()
    places = [each for schema in named for one in schema.get("properties", {}).values() for each in inner(one)]
    places += [each for content in contents(document) for each in inner(content["schema"])]
    found = [each for each in places if "$ref" not in each and (each.get("properties") or each.get("enum", [0])[1:])]
    content = [{word: said for word, said in each.items() if word != "description"} for each in found]
    assert [key for key, number in Counter(map(to_json, content)).items() if number > 1] == []
    assert [each for each in found if each.get("type") in ("string", "integer")] == []
    assert {"Success", "BatchEntry", "BatchResult", "Page", "OrderStatut"} <= document["components"]["schemas"].keys()


def test_every_component_is_used_and_every_reference_leads_somewhere(document):
    used = set(re.findall(r'"#/components/(\w+)/([\w-]+)"', to_json(document).decode()))
    components = document["components"].items()
    there = {(part, name) for part, each in components if part != "securitySchemes" for name in each}
    assert used == there


def test_every_operation_and_field_is_described(document):
    natives = [each for each in operations(document) if each["tags"] != ["outside"]]
    assert [each["operationId"] for each in natives if not each.get("description")] == []
    schemas = document["components"]["schemas"]
    everything = [*schemas.values(), *(content["schema"] for content in contents(document))]
    lacking = {
        name
        for schema in everything
        for each in inner(schema)
        for name, said in each.get("properties", {}).items()
        if not said.get("description")
        and not schemas.get(said.get("$ref", "").rpartition("/")[2], {}).get("description")
    }
    assert lacking == set()


def test_every_example_fits_its_schema(document):
    checked = 0
    for content in contents(document):
        shown = [content["example"]] if "example" in content else []
        for each in content.get("examples", {}).values():
            kept = document["components"]["examples"][each["$ref"].rpartition("/")[2]] if "$ref" in each else each
            shown.append(kept["value"])
        schema = {**content["schema"], "components": document["components"]}
        for value in shown:
            assert [error.message for error in OAS31Validator(schema).iter_errors(value)] == [], value
            checked += 1
    assert checked > 500


def names_of(operation):
    return {each.get("$ref", each.get("name", "")).rpartition("/")[2] for each in operation.get("parameters", ())}


def test_conditions_are_parameters(document):
    for each in operations(document):
        assert ("IfMatch" in names_of(each)) == ("412" in each["responses"]), each["operationId"]
    compared = [each["operationId"] for each in operations(document) if "IfMatch" in names_of(each)]
    assert {"post-orders-id-validate", "patch-orders-id", "delete-orders-id"} <= set(compared)
    assert "IfNoneMatch" in names_of(document["paths"]["/orders/{id}"]["get"])
    assert document["components"]["parameters"]["IfMatch"]["name"] == "If-Match"
    assert document["components"]["parameters"]["IfMatch"]["in"] == "header"


def test_media_types_licence_and_bounds(client, document):
    assert {kind for each in contents_of_files(document) for kind in each} == {
        *("application/octet-stream", "application/pdf", "text/plain"),
    }
    assert document["info"]["license"]["name"] == "MIT License"
    assert document["info"]["contact"]
    limit = document["components"]["parameters"]["limit"]["schema"]
    assert limit["maximum"] == 1000
    # In Dolibarr, a negative limit has a meaning
    assert limit.get("minimum") == (None if "profile" in document["info"]["description"] else 0)


def contents_of_files(document):
    for each in operations(document):
        content = each["responses"].get("200", {}).get("content", {})
        if any(said["schema"].get("format") == "binary" for said in content.values()):
            yield content


def test_friendly_names_are_those_that_people_would_choose(client, document):
    friendly = client.get(f"{PATH}?names=friendly")
    paths = friendly["paths"]
    named = {
        ("/orders", "get"): "list_orders",
        ("/orders", "post"): "create_order",
        ("/orders/{id}/validate", "post"): "validate_order",
        ("/invoices/{id}/validate", "post"): "validate_invoice",
        ("/orders/{id}/history", "get"): "read_orders_history",
    }
    assert {place: paths[place[0]][place[1]]["operationId"] for place in named} == named
    identifiers = [each["operationId"] for each in operations(friendly)]
    assert len(identifiers) == len({each.lower() for each in identifiers}) == len([*operations(document)])
    assert [each for each in identifiers if not re.fullmatch(r"[a-z][a-z0-9_]*", each)] == []
    outside = [each["operationId"] for each in operations(friendly) if each["tags"] == ["outside"]]
    assert "list_orders_outside" in outside
    # What refers to operations has their other names
    assert friendly["components"]["schemas"]["Order"]["properties"]["socid"]["x-reads"] in identifiers
    [own] = {each["operationId"] for each in operations(client.get("/explorer/openapi/orders.json?names=friendly"))} & {
        "validate_order"
    }
    assert own == "validate_order"


def test_names_of_others_do_not_change_ours(tmp_path, document):
    profile = "dolibarr16" if "profile" in document["info"]["description"] else "specification"
    served = Served(make_settings(tmp_path, profile_name=profile))
    alone = served.client().get(PATH)
    served.close()
    assert alone["components"]["schemas"].items() <= document["components"]["schemas"].items()
