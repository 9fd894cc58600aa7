"""The OpenAPI document: valid, complete, true to what is answered, and without secrets."""

import re
from pathlib import Path

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from core.access.keys import ACCESS_TABLES
from core.contract.catalogue import catalogue
from core.storage.model import meta_of
from core.testing import ADMIN_KEY, Client, Served, make_settings

SAMPLES = Path(__file__).parent.parent / "samples"
FOLDERS = ":".join(str(SAMPLES / name) for name in ("modules", "routing", "reference"))

PATH = "/explorer/openapi.json"


class Documented:
    """A server, its document, and the schemas of it that answers are held against."""

    def __init__(self, served):
        self.served = served
        self.admin = served.client()
        self.document = self.admin.get(PATH)

    def operation(self, verb, path):
        return self.document["paths"][path][verb.lower()]

    def schema(self, verb, path, status="200"):
        answer = self.operation(verb, path)["responses"][status]
        if "$ref" in answer:
            answer = self.document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        return answer["content"]["application/json"]["schema"]

    def plain(self, schema):
        """A schema with the component that it refers to in its place."""
        if "$ref" not in schema:
            return schema
        component = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return component | {word: value for word, value in schema.items() if word != "$ref"}

    def body(self, verb, path):
        return self.operation(verb, path)["requestBody"]["content"]["application/json"]

    def wrong(self, schema, value):
        whole = {**schema, "components": self.document["components"]}
        return [f"{error.json_path}: {error.message}" for error in OAS31Validator(whole).iter_errors(value)]


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def documented(request, tmp_path_factory):
    served = Served(make_settings(tmp_path_factory.mktemp("explorer"), modules=FOLDERS, profile_name=request.param))
    definition = {"label": "Colour", "type": "select", "param": {"options": {"r": "red", "g": "green"}}}
    served.client().ask("POST", "/setup/extrafields/societe/colour", definition)
    yield Documented(served)
    served.close()


def operations(document):
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            yield verb.upper(), path, operation


@pytest.mark.slow
def test_the_document_is_valid(documented):
    assert [error.message for error in OpenAPIV31SpecValidator(documented.document).iter_errors()] == []


def test_every_operation_is_in_it(documented):
    expected = {(each.verb, re.sub(r"\*$", "{rest}", each.template)) for each in catalogue().operations}
    assert len(expected) > 60
    assert {(verb, path) for verb, path, _ in operations(documented.document)} == expected


def test_identifiers_are_unique_and_speak(documented):
    identifiers = [operation["operationId"] for _, _, operation in operations(documented.document)]
    assert len(identifiers) == len({each.lower().replace("-", "_") for each in identifiers})
    assert {"get-thirdparties", "get-thirdparties-id", "post-thirdparties", "get-mymod-files-rest"} <= set(identifiers)


def test_every_variable_of_a_path_is_a_required_parameter(documented):
    assert any("{" in path for _, path, _ in operations(documented.document))
    for verb, path, operation in operations(documented.document):
        declared = {
            each["name"] for each in operation.get("parameters", []) if each.get("in") == "path" and each["required"]
        }
        assert declared == set(re.findall(r"\{(\w+)\}", path)), f"{verb} {path}"


def test_rights_and_access_are_told(documented):
    document = documented.document
    assert set(document["components"]["securitySchemes"]) == {"key", "bearer"}
    assert document["components"]["securitySchemes"]["key"]["name"] == "DOLAPIKEY"
    spend = documented.operation("POST", "/loyaltycards/{id}/spend")
    assert spend["x-permission"] == "loyaltycards.spend"
    assert "security" not in spend
    assert documented.operation("GET", "/mymod")["security"] == []
    assert {} in documented.operation("GET", "/mymod/either")["security"]
    assert documented.operation("GET", "/mymod/old")["deprecated"] is True


def test_the_errors_of_an_operation_are_told(documented):
    answers = documented.operation("POST", "/loyaltycards/{id}/spend")["responses"]
    assert answers["405"]["description"] == "the card holds fewer points"
    assert "loyaltycards.spend" in answers["401"]["description"]
    assert {"200", "400", "401", "405", "default"} <= set(answers)
    assert documented.operation("GET", "/loyaltycards/{id}")["responses"]["404"]
    assert "201" in documented.operation("POST", "/mymod/made/{id}")["responses"]
    assert "401" not in documented.operation("GET", "/mymod")["responses"]


def parameters_of(operation):
    return {each["name"]: each for each in operation["parameters"] if "name" in each}


def test_limits_follow_the_type(documented):
    index = parameters_of(documented.operation("GET", "/mymod"))
    assert index["n"]["schema"] == {"type": "integer", "minimum": 2, "maximum": 5, "default": 3}
    assert index["n"]["description"] == "a number"
    colour = documented.plain(index["c"]["schema"])
    assert (colour["type"], colour["enum"], colour["default"]) == ("string", ["red", "green"], "red")
    assert index["p"]["schema"] == {"type": "string", "pattern": "^[a-z]+$", "default": "abc"}
    limits = parameters_of(documented.operation("GET", "/mymod/limits"))
    assert limits["name"]["schema"] == {"type": "string", "minLength": 2, "maxLength": 4, "default": "abc"}
    many = limits["many"]
    assert many["schema"] == {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}
    assert many["explode"] is False
    assert (limits["rate"]["schema"]["minimum"], limits["rate"]["schema"]["maximum"]) == (0.5, 1.5)
    kinds = parameters_of(documented.operation("GET", "/mymod/kinds"))
    size = documented.plain(kinds["size"]["schema"])
    assert (size["type"], size["enum"], size["default"]) == ("string", ["small", "large"], "small")
    assert kinds["day"]["schema"]["default"] == "2026-01-01"
    assert kinds["maybe"]["schema"] == {"type": "integer"}
    assert "application/json" in kinds["options"]["content"]
    placed = documented.operation("POST", "/mymod/placed")
    assert {(name, each["in"]) for name, each in parameters_of(placed).items()} == {
        ("limit", "query"),
        ("token", "header"),
    }
    assert "requestBody" not in placed
    mail = parameters_of(documented.operation("GET", "/mymod/mail"))
    assert mail["address"]["schema"]["format"] == "email"
    assert mail["address"]["required"] is True


def test_values_of_a_body_are_its_properties(documented):
    body = documented.body("POST", "/loyaltycards/{id}/spend")
    assert body["schema"]["required"] == ["points"]
    assert body["schema"]["properties"]["points"]["minimum"] == 1
    assert body["example"] == {"points": 1}
    assert documented.operation("POST", "/loyaltycards/{id}/spend")["requestBody"]["required"] is True


def test_the_parameters_of_lists_stand_once(documented):
    shared = documented.document["components"]["parameters"]
    assert {"limit", "page", "properties", "pagination_data", "after"} <= set(shared)
    taken = documented.operation("GET", "/contacts")["parameters"]
    # Those whose examples name columns stand once for each kind of record
    assert {"$ref": "#/components/parameters/limit"} in taken
    assert {"$ref": "#/components/parameters/sqlfilters-Contact"} in taken


IDEMPOTENCY_KEY = {"$ref": "#/components/parameters/IdempotencyKey"}


def test_every_post_of_a_user_takes_an_idempotency_key(documented):
    told = {
        (verb, path): IDEMPOTENCY_KEY in said.get("parameters", ())
        for path, verbs in documented.document["paths"].items()
        for verb, said in verbs.items()
    }
    public = {
        path for path, verbs in documented.document["paths"].items() if verbs.get("post", {}).get("security") == []
    }
    posts = {path for verb, path in told if verb == "post"}
    assert {each for each, taken in told.items() if taken} == {("post", path) for path in posts - public}
    assert "/login" in public
    assert told["post", "/orders/{id}/validate"]


def test_what_becomes_of_an_idempotency_key_is_told(documented):
    answers = documented.operation("POST", "/thirdparties")["responses"]
    assert answers["200"]["headers"] == {
        name: {"$ref": f"#/components/headers/{name}"} for name in ("Location", "Idempotency-Replayed")
    }
    assert answers["409"] == {"$ref": "#/components/responses/Conflict"}
    assert answers["422"] == {"$ref": "#/components/responses/Unprocessable"}
    assert not {"409", "422"} & set(documented.operation("POST", "/login")["responses"])


def test_a_body_names_what_may_be_written(documented):
    schemas = documented.document["components"]["schemas"]
    new, change = schemas["ThirdpartyNew"], schemas["ThirdpartyChange"]
    assert new["required"] == ["name"]
    assert "required" not in change
    assert {"code_client", "canvas"} <= set(new["properties"])
    assert not {"code_client", "canvas", "id", "ref", "date_creation"} & set(change["properties"])
    assert "code_compta_client" in new["properties"]
    assert schemas["CardNew"]["properties"].keys() == {"number"}
    assert schemas["CardNew"]["properties"]["number"]["maxLength"] == 20
    colour = documented.plain(new["properties"]["array_options"])["properties"]["options_colour"]
    assert documented.plain(colour["anyOf"][0])["enum"] == ["r", "g"]


def test_wrong_values_do_not_fit_the_schemas(documented):
    assert documented.wrong(documented.body("POST", "/thirdparties")["schema"], {"town": "Lyon"})
    assert documented.wrong(documented.body("POST", "/thirdparties")["schema"], {"name": ""})
    assert documented.wrong(documented.body("POST", "/loyaltycards/{id}/spend")["schema"], {"points": 0})
    assert documented.wrong(documented.schema("GET", "/loyaltycards/{id}"), {"id": [1]})


def test_every_example_fits_its_schema(documented):
    checked = 0
    for _, path, operation in operations(documented.document):
        if "requestBody" in operation:
            body = operation["requestBody"]["content"]["application/json"]
            assert documented.wrong(body["schema"], body["example"]) == [], path
            checked += 1
    assert checked > 20


def test_the_current_profile_is_described(documented):
    as_text = documented.served.settings.profile.text_values
    properties = documented.document["components"]["schemas"]["Thirdparty"]["properties"]
    assert properties["id"]["type"] == ("string" if as_text else "integer")
    assert properties["capital"]["type"] == ["string", "null"]
    told = documented.document["info"]["description"]
    assert ("profile" in told) == (documented.served.settings.profile_name != "specification")
    assert ("404" in documented.operation("GET", "/contacts")["responses"]) == as_text


def test_no_secret_is_named(documented):
    models = {*catalogue().models, *ACCESS_TABLES}
    fields = {(model, meta_of(model).fields[name]) for model in models for name in meta_of(model).secret}
    secrets = {name for _, field in fields for name in (field.name, field.column_name)}
    assert {"pass_crypted", "digest"} <= secrets
    schemas = documented.document["components"]["schemas"]
    for model, field in fields:
        # Of a constant's value the module shows what is no secret
        shown = getattr(meta_of(model).answers, "__annotations__", {})
        for name in (model.__name__, f"{model.__name__}New", f"{model.__name__}Change"):
            assert field.name not in schemas.get(name, {}).get("properties", {}).keys() - shown.keys(), name
    # The value of a constant is a secret under a common word
    for path in (PATH, "/explorer/index.json"):
        text = documented.admin.simulate_get(path).text
        assert [name for name in secrets - {"value"} if re.search(rf"\b{name}\b", text)] == []


# Serving it ----------------------------------------------------------------------------------------------------------


def test_it_needs_a_key(sample_server):
    assert sample_server.client(None).get(PATH, status=401)["error"]["code"] == 401
    assert sample_server.client("no-such-key").get(PATH, status=401)
    assert sample_server.client(None).get(f"{PATH}?DOLAPIKEY={ADMIN_KEY}", status=401)
    assert sample_server.client(None).simulate_get(PATH).headers["content-type"].startswith("application/json")
    assert sample_server.user().get(PATH)["openapi"] == "3.1.0"
    bearer = Client(sample_server.app, headers={"Authorization": f"Bearer {ADMIN_KEY}"})
    assert bearer.get(f"/api/index.php{PATH}")["openapi"] == "3.1.0"


def test_it_tells_what_the_key_may_not_call(sample_server):
    clerk = sample_server.user("loyaltycards.read")
    paths = clerk.get(PATH)["paths"]
    assert "x-allowed" not in paths["/loyaltycards/{id}"]["get"]
    assert paths["/loyaltycards/{id}/spend"]["post"]["x-allowed"] is False
    assert paths["/contacts"]["get"]["x-allowed"] is False
    every = sample_server.client().get(PATH)["paths"].values()
    assert not [each for verbs in every for each in verbs.values() if "x-allowed" in each]


def test_a_service_has_a_document_of_its_own(documented):
    for name in ("loyaltycards", "orders", "users"):
        own = documented.admin.get(f"/explorer/openapi/{name}.json")
        assert [error.message for error in OpenAPIV31SpecValidator(own).iter_errors()] == []
        assert own["servers"] == documented.document["servers"]
        whole = documented.document
        assert own["paths"] == {path: said for path, said in whole["paths"].items() if path.split("/")[1] == name}
        assert own["components"]["schemas"].items() <= whole["components"]["schemas"].items()
        assert [each["name"] for each in own["tags"]] == [name]
    assert documented.admin.get("/explorer/openapi/nothing.json", status=404)
    assert documented.admin.get("/explorer/openapi/orders", status=404)
    assert documented.served.client(None).get("/explorer/openapi/orders.json", status=401)


def test_states_and_rights_of_a_service_are_told(documented):
    tags = {each["name"]: each for each in documented.document["tags"]}
    # As clients of the reference know them, with its numbers
    moves = {(each["from"], each["move"], each["to"]) for each in tags["proposals"]["x-transitions"]}
    assert moves == {
        ("draft (0)", "validate", "validated (1)"),
        ("validated (1)", "close", "signed (2)"),
        ("validated (1)", "close", "refused (3)"),
        ("signed (2)", "setinvoiced", "billed (4)"),
        ("validated (1)", "settodraft", "draft (0)"),
        ("signed (2)", "settodraft", "draft (0)"),
        ("refused (3)", "settodraft", "draft (0)"),
    }
    close = next(each for each in tags["proposals"]["x-transitions"] if each["move"] == "close")
    assert close["operation"] == "post-proposals-id-close"
    assert "loyaltycards.spend" in tags["loyaltycards"]["x-rights"]
    assert "x-transitions" not in tags["loyaltycards"]


def test_identifiers_name_the_operation_that_reads_them(documented):
    schemas = documented.document["components"]["schemas"]
    assert schemas["Order"]["properties"]["socid"]["x-reads"] == "get-thirdparties-id"
    assert schemas["Order"]["properties"]["id"]["x-reads"] == "get-orders-id"
    assert schemas["OrderLine"]["properties"]["fk_product"]["x-reads"] == "get-products-id"
    assert documented.schema("POST", "/orders")["x-reads"] == "get-orders-id"
    identifiers = {operation["operationId"] for _, _, operation in operations(documented.document)}
    found = re.findall(r'"x-reads":"([^"]+)"', documented.admin.simulate_get(PATH).text)
    assert len(set(found)) > 5
    assert set(found) <= identifiers


def test_a_module_cannot_rename_the_schemas_of_the_natives(serve, tmp_path):
    folder = tmp_path / "outside" / "aaa"
    (folder / "class").mkdir(parents=True)
    (folder / "models.py").write_text(
        "from peewee import AutoField\nfrom core import Model\n\n"
        "class Contact(Model):\n    id = AutoField()\n    class Meta:\n        table_name = 'aaa_contact'\n"
    )
    (folder / "class" / "api_aaa.py").write_text(
        "from typing import Annotated, Any\nfrom core import Api\nfrom ..models import Contact\n\n"
        "class Aaa(Api):\n    def index(self) -> list[Annotated[dict[str, Any], Contact]]:\n        return []\n"
        "    def get(self, id: int) -> dict[str, Any]:\n        return {}\n"
        "    def get_id(self) -> dict[str, Any]:\n        return {}\n"
    )
    document = serve(modules=str(tmp_path / "outside")).client().get(PATH)
    schemas = document["components"]["schemas"]
    assert "lastname" in schemas["Contact"]["properties"]
    assert list(schemas["AaaContact"]["properties"]) == ["id"]
    identifiers = {operation["operationId"] for _, path, operation in operations(document) if path.startswith("/aaa/")}
    assert identifiers == {"get-aaa-id", "get-aaa-id-get_id"}
