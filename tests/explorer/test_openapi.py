"""The OpenAPI document: valid, complete, true to what is answered, without secrets, fit for generators of clients.

What a document says of operations, values and fields of each kind is in the approved one of a sample module.
"""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from core.access.keys import ACCESS_TABLES
from core.contract.catalogue import catalogue
from core.storage.model import meta_of
from core.storage.serializer import to_json
from core.storage.sqlfilters import LIST, NULL, ONE, OPERATORS, TWO
from core.testing import ADMIN_KEY, Client, Served, make_settings
from tests.explorer import approved

SAMPLES = Path(__file__).parent.parent / "samples"
FOLDERS = ":".join(str(SAMPLES / name) for name in ("modules", "routing", "reference", "documented"))

PATH = "/explorer/openapi.json"


class Documented:
    """A server, its document, and the schemas of it that answers are held against."""

    def __init__(self, served):
        self.served = served
        self.admin = served.client()
        self.document = self.admin.get(PATH)
        self.schemas = self.document["components"]["schemas"]

    def operation(self, verb, path):
        return self.document["paths"][path][verb.lower()]

    def schema(self, verb, path):
        return self.operation(verb, path)["responses"]["200"]["content"]["application/json"]["schema"]

    def plain(self, schema):
        """A schema with the component that it refers to in its place."""
        return self.schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema

    def body(self, verb, path):
        return self.operation(verb, path)["requestBody"]["content"]["application/json"]

    def wrong(self, schema, value):
        whole = {**schema, "components": self.document["components"]}
        return [f"{error.json_path}: {error.message}" for error in OAS31Validator(whole).iter_errors(value)]


def made(tmp_path_factory, profile):
    served = Served(make_settings(tmp_path_factory.mktemp("explorer"), modules=FOLDERS, profile_name=profile))
    definition = {"label": "Colour", "type": "select", "param": {"options": {"r": "red", "g": "green"}}}
    served.client().ask("POST", "/setup/extrafields/societe/colour", definition)
    return served


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    served = made(tmp_path_factory, "specification")
    yield Documented(served)
    served.close()


def operations(document):
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            yield verb.upper(), path, operation


def contents(document):
    """Everything with a schema and an example that an operation takes or returns."""
    for _, _, each in operations(document):
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


def objects_in(said):
    """Every object of a document."""
    if isinstance(said, list):
        for each in said:
            yield from objects_in(each)
    elif isinstance(said, dict):
        yield said
        for each in said.values():
            yield from objects_in(each)


def test_the_sample_has_the_approved_document(documented):
    """`python -m tests.explorer.approved` writes it again."""
    document = documented.admin.get(approved.PATH)
    found = approved.as_text(approved.approved_part(document)).splitlines()
    assert found == approved.FILE.read_text().splitlines()


# Each profile --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["specification", "dolibarr16"])
def test_the_document_is_valid_and_describes_its_profile(profile, tmp_path_factory, request):
    served = made(tmp_path_factory, profile)
    request.addfinalizer(served.close)
    both = Documented(served)
    document, is_old = both.document, profile == "dolibarr16"
    assert [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()] == []
    check_examples(both)
    assert [name for name in both.schemas if name[-1].isdigit()] == []
    assert both.schemas["Thirdparty"]["properties"]["id"]["type"] == ("string" if is_old else "integer")
    assert both.schemas["Thirdparty"]["properties"]["capital"]["type"] == ["string", "null"]
    assert ("profile" in document["info"]["description"]) == is_old
    assert ("404" in both.operation("GET", "/contacts")["responses"]) == is_old
    # In Dolibarr, a negative limit has a meaning
    limit = document["components"]["parameters"]["limit-Parameter"]["schema"]
    assert (limit["maximum"], limit.get("minimum")) == (1000, None if is_old else 0)
    day = document["info"]["x-example-day"]
    assert both.body("POST", "/orders")["example"]["date"] == day
    paid = both.body("POST", "/invoices/{id}/payments")["example"]["datepaye"]
    # Only the default profile accepts ISO 8601 there
    assert (datetime.fromtimestamp(paid, UTC).date().isoformat() if is_old else paid) == day


def check_examples(documented):
    """Every example fits its schema."""
    checked = 0
    for content in contents(documented.document):
        shown = [content["example"]] if "example" in content else []
        for each in content.get("examples", {}).values():
            kept = documented.document["components"]["examples"][each["$ref"].rpartition("/")[2]]
            shown.append(kept["value"])
        for value in shown:
            assert documented.wrong(content["schema"], value) == [], value
            checked += 1
    assert checked > 500


# The whole document --------------------------------------------------------------------------------------------------


def test_every_operation_is_in_it(documented):
    expected = {(each.verb, re.sub(r"\*$", "{rest}", each.template)) for each in catalogue().operations}
    assert len(expected) > 60
    assert {(verb, path) for verb, path, _ in operations(documented.document)} == expected


def test_identifiers_are_unique(documented):
    identifiers = [operation["operationId"] for _, _, operation in operations(documented.document)]
    assert len(identifiers) == len({each.lower().replace("-", "_") for each in identifiers})


def test_every_variable_of_a_path_is_a_required_parameter(documented):
    assert any("{" in path for _, path, _ in operations(documented.document))
    for verb, path, operation in operations(documented.document):
        declared = {
            each["name"] for each in operation.get("parameters", []) if each.get("in") == "path" and each["required"]
        }
        assert declared == set(re.findall(r"\{(\w+)\}", path)), f"{verb} {path}"


def test_every_post_of_a_user_takes_an_idempotency_key(documented):
    key = {"$ref": "#/components/parameters/IdempotencyKey"}
    found = {(verb, path): key in said.get("parameters", ()) for verb, path, said in operations(documented.document)}
    public = {path for verb, path, said in operations(documented.document) if said.get("security") == []}
    posts = {path for verb, path in found if verb == "POST"}
    # A test event is sent while the server answers, so it isn't in a transaction
    once = posts - public - {"/webhooks/{id}/test"}
    assert {each for each, taken in found.items() if taken} == {("POST", path) for path in once}
    assert "/login" in posts & public
    assert not {"409", "422"} & set(documented.operation("POST", "/login")["responses"])


def test_conditions_are_parameters(documented):
    compared = set()
    for _, _, each in operations(documented.document):
        names = {one.get("$ref", "").rpartition("/")[2] for one in each.get("parameters", ())}
        assert ("IfMatch" in names) == ("412" in each["responses"]), each["operationId"]
        compared |= {each["operationId"]} if "IfMatch" in names else set()
    assert {"validateOrder", "patchOrder", "deleteOrder"} <= compared


def test_no_object_and_no_enum_is_repeated(documented):
    named = documented.schemas.values()
    places = [each for schema in named for one in schema.get("properties", {}).values() for each in inner(one)]
    places += [each for content in contents(documented.document) for each in inner(content["schema"])]
    found = [each for each in places if "$ref" not in each and (each.get("properties") or each.get("enum", [0])[1:])]
    content = [{word: said for word, said in each.items() if word != "description"} for each in found]
    assert [key for key, number in Counter(map(to_json, content)).items() if number > 1] == []
    assert [each for each in found if each.get("type") in ("string", "integer")] == []


def test_every_component_is_used_and_every_reference_leads_somewhere(documented):
    used = set(re.findall(r'"#/components/(\w+)/([\w-]+)"', json.dumps(documented.document)))
    components = documented.document["components"].items()
    assert used == {(part, name) for part, each in components if part != "securitySchemes" for name in each}


def test_every_native_operation_and_field_is_described(documented):
    samples = {"loyaltycards", "contracts", "mymod", "points", "boxes"}
    natives = [each for _, _, each in operations(documented.document) if not samples & {*each["tags"]}]
    assert len(natives) > 60
    assert [each["operationId"] for each in natives if not each.get("description")] == []
    components = [
        each for name, each in documented.schemas.items() if not name.startswith(("Box", "Label", "Contract"))
    ]
    native_contents = contents({"paths": {each["operationId"]: {"get": each} for each in natives}})
    lacking = {
        name
        for schema in [*components, *(content["schema"] for content in native_contents)]
        for each in inner(schema)
        for name, said in each.get("properties", {}).items()
        if not said.get("description") and not documented.plain(said).get("description")
    }
    assert lacking == set()


def test_media_types_of_files(documented):
    answers = [each["responses"].get("200", {}).get("content", {}) for _, _, each in operations(documented.document)]
    files = [each for each in answers if "binary" in {said["schema"].get("format") for said in each.values()}]
    assert {kind for each in files for kind in each} == {"application/octet-stream", "application/pdf", "text/plain"}


def test_operation_ids_read_like_functions(documented):
    named = {
        ("/invoices", "get"): "listInvoices",
        ("/thirdparties", "post"): "createThirdparty",
        ("/thirdparties/{id}", "get"): "getThirdparty",
        ("/thirdparties/{id}", "patch"): "patchThirdparty",
        ("/thirdparties/{id}", "delete"): "deleteThirdparty",
        ("/thirdparties/{id}/history", "get"): "getThirdpartyHistory",
        ("/thirdparties/batch", "post"): "batchThirdparties",
        ("/orders/createfromproposal/{proposalid}", "post"): "createOrderFromProposal",
        ("/invoices/{id}/validate", "post"): "validateInvoice",
        ("/proposals/sums", "get"): "sumProposals",
        # Both have one title, and the paths differ in a variable
        ("/thirdparties/{id}/generateBankAccountDocument", "get"): "generateSepaMandate",
        (
            "/thirdparties/{id}/generateBankAccountDocument/{companybankid}",
            "get",
        ): "generateSepaMandateByCompanybankid",
    }
    assert {place: documented.operation(place[1], place[0])["operationId"] for place in named} == named
    identifiers = [each["operationId"] for _, _, each in operations(documented.document)]
    assert [each for each in identifiers if not re.fullmatch(r"[a-z][A-Za-z0-9]*", each)] == []
    own = documented.admin.get("/explorer/openapi/orders.json")
    assert "validateOrder" in {each["operationId"] for _, _, each in operations(own)}


@pytest.mark.parametrize("path", [PATH, "/explorer/openapi/orders.json", "/explorer/swagger.json"])
def test_the_ids_of_paths_are_given_on_request(documented, path):
    document = documented.admin.get(f"{path}?names=paths")
    assert document["paths"]["/orders/{id}/validate"]["post"]["operationId"] == "post-orders-id-validate"
    identifiers = [each["operationId"] for _, _, each in operations(document)]
    assert len(identifiers) == len({each.lower().replace("-", "_") for each in identifiers})
    kept = document.get("definitions") or document["components"]["schemas"]
    assert kept["Order"]["properties"]["socid"]["x-reads"] == "get-thirdparties-id"
    refused = documented.admin.get(f"{path}?names=friendly", status=400)["error"]
    assert refused["errors"] == [{"field": "names", "message": 'expected paths, got "friendly"'}]


def test_components_have_the_names_of_what_they_are(documented):
    kinds = {
        "YesNo": ["yes", "no"],
        "NoYes": [0, 1],
        "Flag": [0, 1],
        "FlagText": ["0", "1"],
        "Remain": ["remain"],
        "RemainOrEmpty": ["remain", ""],
        "PriceBaseType": ["HT", "TTC"],
        "PriceBaseTypeOrEmpty": ["HT", "TTC", ""],
        "ContactRoleSource": ["internal", "external"],
    }
    assert {name: documented.schemas[name]["enum"] for name in kinds} == kinds
    assert documented.schemas["StringMap"] == {"type": "object", "additionalProperties": {"type": "string"}}
    # A body takes the numbers of a record, and their words
    taken = [
        each["$ref"].rpartition("/")[2] for each in documented.schemas["CategoryNew"]["properties"]["type"]["anyOf"]
    ]
    assert taken == ["CategoryType", "CategoryTypeText"]
    assert documented.schemas["Category"]["properties"]["type"]["$ref"].endswith("/CategoryType")


# Fields --------------------------------------------------------------------------------------------------------------


def test_wrong_values_do_not_fit_the_schemas(documented):
    new = documented.body("POST", "/thirdparties")["schema"]
    assert documented.wrong(new, {"town": "Lyon"}) and documented.wrong(new, {"name": ""})
    assert documented.wrong(documented.body("POST", "/boxes/{id}/burn")["schema"], {"pieces": 0})
    assert documented.wrong(documented.schema("GET", "/loyaltycards/{id}"), {"id": [1]})


def test_extra_fields_are_in_the_body(documented):
    extras = documented.plain(documented.schemas["ThirdpartyNew"]["properties"]["array_options"])
    colour = extras["properties"]["options_colour"]
    assert documented.plain(colour["anyOf"][0])["enum"] == ["r", "g"]


def test_a_second_name_is_one_of_a_field_beside_it(documented):
    found = [
        (each["properties"], schema["x-alias-of"])
        for each in objects_in(documented.document)
        if isinstance(each.get("properties"), dict)
        for schema in each["properties"].values()
        if "x-alias-of" in schema
    ]
    assert len(found) > 10
    assert [name for fields, name in found if name not in fields] == []


def test_each_value_of_an_enum_has_a_name_of_its_own(documented):
    enums = {name: each for name, each in documented.schemas.items() if "enum" in each}
    assert enums["ProposalStatut"]["x-enum-varnames"] == ["DRAFT", "VALIDATED", "SIGNED", "REFUSED", "BILLED"]
    for each in enums.values():
        assert len(set(each.get("x-enum-varnames", each["enum"]))) == len(each["enum"]), each


def test_meanings_are_of_values_that_may_be(documented):
    found = [each for each in objects_in(documented.document) if "x-values" in each]
    assert len(found) > 20
    for each in found:
        parts = [documented.plain(part) for part in (each, *each.get("anyOf", ()))]
        known = [value for part in parts for value in part.get("enum", ())]
        assert not known or set(each["x-values"]) <= {str(value) for value in known}, each


def test_operators_are_those_of_the_filter_language(documented):
    numbers = {NULL: 0, ONE: 1, TWO: 2, LIST: None}
    found = documented.document["components"]["parameters"]["sqlfilters-Contact"]["x-operators"]
    assert set(found) == set(OPERATORS) - {"!="}, "which is another spelling of <>"
    assert {name: each["values"] for name, each in found.items()} == {
        name: numbers[OPERATORS[name].takes] for name in found
    }


def test_identifiers_name_the_operation_that_reads_them(documented):
    order = documented.schemas["Order"]["properties"]
    assert order["socid"]["x-reads"] == "getThirdparty"
    assert documented.schemas["OrderLine"]["properties"]["fk_product"]["x-reads"] == "getProduct"
    # What an operation under another service's path creates, a shipment of an order, is read by its own service
    shipped = documented.document["paths"]["/orders/{id}/shipment/{warehouse_id}"]["post"]["responses"]["200"]
    assert shipped["content"]["application/json"]["schema"]["x-reads"] == "getShipment"
    identifiers = {operation["operationId"] for _, _, operation in operations(documented.document)}
    found = {each["x-reads"] for each in objects_in(documented.document) if isinstance(each.get("x-reads"), str)}
    assert len(found) > 5
    assert found <= identifiers


def test_moves_of_a_service(documented):
    tags = {each["name"]: each for each in documented.document["tags"]}
    # As clients of the reference know them, with its numbers
    moves = {(each["from"], each["move"], each["to"], each["operation"]) for each in tags["proposals"]["x-transitions"]}
    close, back = "acceptOrRefuseProposal", "setProposalBackToDraft"
    assert moves == {
        ("draft (0)", "validate", "validated (1)", "validateProposal"),
        ("validated (1)", "close", "signed (2)", close),
        ("validated (1)", "close", "refused (3)", close),
        ("signed (2)", "setinvoiced", "billed (4)", "markSignedProposalAsBilled"),
        ("billed (4)", "setuninvoiced", "signed (2)", "markBilledProposalAsSignedAgain"),
        ("validated (1)", "settodraft", "draft (0)", back),
        ("signed (2)", "settodraft", "draft (0)", back),
        ("refused (3)", "settodraft", "draft (0)", back),
    }


def test_events_are_webhooks_with_the_records_of_their_services(documented):
    webhooks = documented.document["webhooks"]
    assert {"orders.validated", "invoices.paid", "thirdparties.merged", "attributes.created"} <= webhooks.keys()
    assert {"boxes.created", "setup.constant_set"} <= webhooks.keys()
    # What is sent before a change only, and what no record can be read of
    assert not {"orders.pdf_requested", "health.store", "login.created", "purchaseprices.created"} & webhooks.keys()
    bodies = {name: each["post"]["requestBody"]["content"]["application/json"] for name, each in webhooks.items()}
    examples = {name: each["examples"]["event"]["value"] for name, each in bodies.items()}
    assert [name for name, each in examples.items() if documented.wrong(bodies[name]["schema"], each)] == []
    assert {name: each["type"] for name, each in examples.items()} == {name: name for name in webhooks}
    schema, shown = bodies["orders.changed"]["schema"], examples["orders.changed"]
    assert shown["data"]["record"] == documented.document["components"]["examples"]["Order"]["value"]
    # The body of PATCH changes this field in its example
    assert shown["data"]["after"] == {"note_public": shown["data"]["record"]["note_public"]}
    assert {"before", "after"} & examples["orders.deleted"]["data"].keys() == set()
    assert documented.wrong(schema, shown | {"type": "orders.closed"})
    assert documented.wrong(schema, shown | {"data": shown["data"] | {"record": {"id": "three"}}})
    assert documented.wrong(schema, shown | {"data": shown["data"] | {"record": None}}) == []
    merged = webhooks["thirdparties.merged"]["post"]
    assert (merged["summary"], merged["tags"]) == ("Third party merged", ["thirdparties"])
    assert merged["description"] == "`details` has `id`, and `merged`, the ID of the deleted record."
    assert webhooks["attributes.created"]["post"]["tags"] == ["products"]


def test_no_secret_is_named(documented):
    models = {*catalogue().models, *ACCESS_TABLES}
    fields = {(model, meta_of(model).fields[name]) for model in models for name in meta_of(model).secret}
    secrets = {name for _, field in fields for name in (field.name, field.column_name)}
    assert {"pass_crypted", "digest", "pin"} <= secrets
    for model, field in fields:
        # Of a constant's value the module shows what is no secret
        shown = getattr(meta_of(model).answers, "__annotations__", {})
        for name in (model.__name__, f"{model.__name__}New", f"{model.__name__}Change"):
            listed = documented.schemas.get(name, {}).get("properties", {})
            assert field.name not in listed.keys() - shown.keys(), name
    # The value of a constant is a secret under a common word
    for path in (PATH, "/explorer/index.json"):
        text = documented.admin.simulate_get(path).text
        assert [name for name in secrets - {"value"} if re.search(rf"\b{name}\b", text)] == []


# Serving it ----------------------------------------------------------------------------------------------------------


def test_it_needs_a_key(documented):
    served = documented.served
    assert served.client(None).get(PATH, status=401)["error"]["code"] == 401
    assert served.client("no-such-key").get(PATH, status=401)
    assert served.client(None).get(f"{PATH}?DOLAPIKEY={ADMIN_KEY}", status=401)
    assert served.client(None).get("/explorer/openapi/orders.json", status=401)
    assert served.user().get(PATH)["openapi"] == "3.1.0"
    bearer = Client(served.app, headers={"Authorization": f"Bearer {ADMIN_KEY}"})
    assert bearer.get(f"/api/index.php{PATH}")["openapi"] == "3.1.0"


def test_it_tells_what_the_key_may_not_call(documented):
    paths = documented.served.user("boxes.read").get(PATH)["paths"]
    assert "x-allowed" not in paths["/boxes/{id}"]["get"]
    assert paths["/boxes/{id}/burn"]["post"]["x-allowed"] is False
    assert paths["/contacts"]["get"]["x-allowed"] is False
    assert not [said for _, _, said in operations(documented.document) if "x-allowed" in said]


def test_a_service_has_a_document_of_its_own(documented):
    whole = documented.document
    for name in ("loyaltycards", "orders", "users"):
        own = documented.admin.get(f"/explorer/openapi/{name}.json")
        assert [error.message for error in OpenAPIV31SpecValidator(own).iter_errors()] == []
        assert own["servers"] == whole["servers"]
        assert own["paths"] == {path: said for path, said in whole["paths"].items() if path.split("/")[1] == name}
        sent = {each: said for each, said in whole["webhooks"].items() if said["post"]["tags"] == [name]}
        assert own.get("webhooks", {}) == sent
        schemas = whole["components"]["schemas"]
        # The whole document closes bodies
        others = {
            each: said for each, said in own["components"]["schemas"].items() if not each.endswith(("New", "Change"))
        }
        assert others == {each: schemas[each] for each in others}
        assert own["components"]["schemas"].keys() <= schemas.keys()
        assert [each["name"] for each in own["tags"]] == [name]
    assert documented.admin.get("/explorer/openapi/nothing.json", status=404)
    assert documented.admin.get("/explorer/openapi/orders", status=404)


MODEL = "from peewee import AutoField\nfrom core import Model\n\nclass Contact(Model):\n    id = AutoField()\n    class Meta:\n        table_name = 'aaa_contact'\n"
SERVICE = '''
from typing import Annotated, Any
from core import Api
from ..models import Contact

class Aaa(Api):
    def index(self) -> list[Annotated[dict[str, Any], Contact]]:
        """List orders."""
        return []
    def get(self, id: int) -> dict[str, Any]:
        return {}
    def get_id(self) -> dict[str, Any]:
        return {}
'''


TASTED = """
from core import Records
from .models import Contact


class Tasted(Records[Contact]):
    model = Contact
    service = "warehouses"
    events = ("tasted",)


tasted = Tasted()
"""


def test_a_module_adds_an_event_to_another_service(serve, write, folder):
    write("aaa/models.py", MODEL)
    write("aaa/class/api_aaa.py", SERVICE)
    client = serve(modules=str(folder)).client()

    def tag():
        [found] = [
            each["tag"] for each in client.get("/explorer/index.json")["services"] if each["name"] == "warehouses"
        ]
        return found

    before = tag()
    assert "warehouses.tasted" not in client.get("/explorer/openapi/warehouses.json")["webhooks"]
    write("aaa/tasted.py", TASTED)
    write("aaa/class/api_aaa.py", SERVICE + "\nfrom ..tasted import tasted\n")
    after = client.get("/explorer/openapi/warehouses.json")
    assert after["webhooks"]["warehouses.tasted"]["post"]["summary"] == "Warehouse tasted"
    # Or the page would keep what it has
    assert tag() == after["info"]["x-tag"] != before


WITHOUT_RECORDS = '''
from core import Api


class {}(Api):
    def post(self, name: str) -> int:
        """Add one.

        :permission: {}.write
        """
        return 1
'''


def test_a_batch_without_records_is_named_after_its_service(serve, write, folder):
    for name in ("boats", "kites"):
        write(f"{name}/class/api_{name}.py", WITHOUT_RECORDS.format(name.title(), name))
    paths = serve(modules=str(folder)).client().get(PATH)["paths"]
    batches = {name: paths[f"/{name}/batch"]["post"]["operationId"] for name in ("boats", "kites", "orders", "jobs")}
    assert batches == {"boats": "batchBoats", "kites": "batchKites", "orders": "batchOrders", "jobs": "batchJobs"}


def test_a_module_cannot_rename_the_schemas_and_operations_of_the_natives(serve, write, folder, documented):
    write("aaa/models.py", MODEL)
    write("aaa/class/api_aaa.py", SERVICE)
    client = serve(modules=str(folder)).client()
    document = client.get(PATH)
    schemas = document["components"]["schemas"]
    ours = documented.schemas
    # The server with the samples has an extra field of third parties, and reasons of its own
    assert {name for name in schemas.keys() & ours.keys() if schemas[name] != ours[name]} == {
        *("Reason", "Thirdparty", "ThirdpartyChange", "ThirdpartyNew"),
    }
    assert schemas.keys() - ours.keys() == {"AaaContact"}
    assert list(schemas["AaaContact"]["properties"]) == ["id"]
    identifiers = {each["operationId"] for _, path, each in operations(document) if path.startswith("/aaa/")}
    assert identifiers == {"getAaa", "getId"}
    assert document["paths"]["/orders"]["get"]["operationId"] == "listOrders"
    assert document["paths"]["/aaa"]["get"]["operationId"] == "listOrdersAaa"
    own = operations(client.get(f"{PATH}?names=paths"))
    identifiers = {each["operationId"] for _, path, each in own if path.startswith("/aaa/")}
    assert identifiers == {"get-aaa-id", "get-aaa-id-get_id"}


PARTS = '''
from typing import Annotated, Any
from core import Account, Api, Partial

class Bbb(Api):
    def index(self) -> list[Annotated[dict[str, Any], Account, Partial]]:
        """List the names of users."""
        return []
    def get(self, id: int) -> Annotated[dict[str, Any], Account]:
        """Read a user."""
        return {}
'''


def test_a_part_of_a_record_requires_no_keys(serve, write, folder, documented):
    write("bbb/class/api_bbb.py", PARTS)
    served = Documented(serve(modules=str(folder)))
    account, part = served.schemas["Account"], served.schemas["PartialAccount"]
    assert {"id", "login", "lastname"} <= set(account["required"])
    assert part == {word: each for word, each in account.items() if word != "required"}
    assert served.schema("GET", "/bbb")["items"]["$ref"].endswith("/PartialAccount")
    assert served.schema("GET", "/bbb/{id}")["$ref"].endswith("/Account")
    # Without `users.read`, the representatives of a third party have only some keys
    listed = documented.schema("GET", "/thirdparties/{id}/representatives")["anyOf"][0]["items"]
    assert listed["$ref"].endswith("/PartialAccount")
    # For each, a generated client has a model
    assert len(served.schemas) <= 300
