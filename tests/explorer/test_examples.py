"""Every example of the documents is true: calls with them succeed on demonstration data, answers fit their schemas."""

import re

import pytest
from openapi_schema_validator import OAS31Validator

from core.testing import serving
from tests.explorer.calling import Caller, is_written
from tests.files import write_files
from tests.filled import demonstration, filled

#: a list of nothing is 404 in the older profile
EMPTY = ("GET /setup/extrafields", "GET /contacts/{id}/categories")
OF_DEFINITIONS = [f"{verb} /setup/extrafields/{{elementtype}}/{{attrname}}" for verb in ("GET", "PUT")]

#: what demonstration data has nothing for → why; nothing that succeeds stands here
CANNOT = {
    r"GET /\w+/ref_ext/.*|GET /thirdparties/barcode/.*": "no record has a second reference or a bar code",
    r".* /products/{id}/selling_multiprices/.*|PUT .*/setpricelevel": "prices by customer are switched on by setup",
    r".*/generateBankAccountDocument.*": "the company has no creditor identifier before setup names one",
    r"DELETE .*/contact/.*|DELETE .*/representatives/.*": "nobody has a role before somebody gives one",
    r".* /webhook(s|deliveries)/{id}.*": "there is no webhook",
    r"POST /jobs/({id}/.*|batch)": "no job has failed or waits",
    r"(GET|POST) /login": "nobody's password is known; GET is told to send a body",
    r"DELETE /bankaccounts/{id}": "lines lie on all accounts",
    r"POST /invoices/{id}/(markAsCreditAvailable|usediscount/{discountid})": "no deposit waits, no draft has a credit",
    r"(GET|PUT|DELETE) /setup/extrafields/{elementtype}/{attrname}": "there are no extra fields",
    r"GET /invoices/{id}/pdf/issued": "the demonstration prints no PDF",
    r"GET /setup/checkintegrity": "only an installed release knows its files",
    r"POST /shipments/{id}/lines": "all shipments have left",
    r"DELETE /invoices/{id}/usecreditnote/{discountid}": "no discount pays an invoice",
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.slow) for name in ("specification", "dolibarr16")],
)
def caller(request, tmp_path_factory):
    """A server with demonstration data in each profile."""
    served = filled(tmp_path_factory, demonstration, profile_name=request.param)
    yield Caller(served)
    served.close()


def test_each_call_with_its_examples_succeeds(caller, request):
    is_old = request.node.callspec.params["caller"] == "dolibarr16"
    failed, called = [], 0
    for verb, path in caller.operations():
        cannot = any(re.fullmatch(each, f"{verb} {path}") for each in CANNOT)
        # What is written is the same in both profiles
        if is_old and (cannot or is_written(verb) or f"{verb} {path}" in EMPTY):
            continue
        parameters, body = caller.examples(verb, path)
        answer = caller.call(verb, path, parameters, {"limit": 2}, body)
        called += 1
        if is_written(verb):
            caller.restore()
        if (answer.status_code < 300) == cannot and not (cannot and path.endswith("/batch")):
            failed.append(f"{verb} {path} {parameters} {body}: {answer.status_code} {answer.text[:300]}")
    assert failed == []
    assert called > 150


def test_each_answer_of_success_has_an_example_that_fits(caller):
    components = {"components": caller.document["components"]}
    wrong, untyped, without, shared = [], [], [], set()
    for verb, path in caller.operations():
        content = caller.success(verb, path)[1].get("content", {}).get("application/json")
        if content is None:
            continue
        if not content["schema"]:
            untyped.append(f"{verb} {path}")
        name = content.get("examples", {}).get("success", {}).get("$ref", "").rpartition("/")[2]
        if not name and "example" not in content:
            without.append(f"{verb} {path}")
        if name in shared or f"{verb} {path}" in without:
            continue
        shared.add(name or path)
        value = caller.document["components"]["examples"][name]["value"] if name else content["example"]
        errors = OAS31Validator({**content["schema"], **components}).iter_errors(value)
        wrong += [f"{verb} {path}: {each.json_path} {each.message[:200]}" for each in errors]
    assert wrong == []
    assert untyped == []
    # Linters take the definition of a field for a schema
    assert without == OF_DEFINITIONS
    order = caller.document["components"]["examples"]["Order"]["value"]
    assert re.fullmatch(r"\(?(CO|PROV)\d.*", order["ref"]) and order["lines"][0]["id"]


def test_each_failure_has_an_example(caller):
    components, tried = caller.document["components"], 0
    for verb, path in caller.operations():
        for status, answer in caller.said(verb, path)["responses"].items():
            if status[0] not in "45":
                continue
            if "$ref" in answer:
                answer = components["responses"][answer["$ref"].rpartition("/")[2]]
            for content in answer.get("content", {}).values():
                shown = components["examples"][content["examples"]["error"]["$ref"].rpartition("/")[2]]["value"]
                assert shown["error"]["code"] == int(status)
                tried += 1
    # Each operation has at least one
    assert tried >= len([*caller.operations()]) > 0


MODELS = '''
from peewee import AutoField, CharField, IntegerField

from core import Model, Records, RecordField


class Boat(Model):
    """A boat."""

    id = AutoField()
    places = IntegerField(default=0)
    name = CharField(max_length=20)
    built = IntegerField(null=True)

    class Meta:
        table_name = "harbour_boat"
        required = ("name",)


class Berth(Model):
    """A berth."""

    id = AutoField()
    boat = RecordField(Boat, "Boat", null=True)

    class Meta:
        table_name = "harbour_berth"


boats = Records(Boat, service="boats")
berths = Records(Berth, service="berths")
'''
API = '''
from core import Crud
from core.crud import Record

from ..models import {records}


class {title}(Crud):
    """{title}."""

    records = {records}

    def get_called(self, name: str) -> Record:
        """One of a name.

        :url: GET called/{{name}}
        :permission: read
        """
        return {records}.read(1)
'''
SAID = """{
 "Boat": {"id": 7, "name": "Ariel", "places": 4},
 "POST /boats": {"body": {"name": "Puck"}},
 "GET /boats/called/{name}": {"answer": {"id": 8, "name": 12, "colour": "red"}}
}"""


def test_an_outsider_says_examples_in_a_file(tmp_path):
    services = {f"class/api_{each}.py": API.format(title=each.title(), records=each) for each in ("boats", "berths")}
    write_files(tmp_path / "modules/harbour", {"models.py": MODELS, "examples.json": SAID} | services)
    with serving(tmp_path, modules=str(tmp_path / "modules")) as served:
        document = served.client().get("/explorer/openapi/boats.json")
        berths = served.client().get("/explorer/openapi/berths.json")
        for name in ("boats", "berths"):
            shown = served.client().get(f"/explorer/openapi/{name}.json")["components"]["parameters"]
            filters = [each["example"] for key, each in shown.items() if key.startswith("sqlfilters-")]
            # Made of its own columns: it is taken
            assert served.client().get(f"/{name}", sqlfilters=filters[0]) == []
    components, paths = document["components"], document["paths"]
    assert components["parameters"]["sqlfilters-Boat"]["example"] == "(t.name:like:'Ari%')"
    assert components["parameters"]["sortfield-Boat"]["example"] == "t.name"
    assert paths["/boats/{id}"]["get"]["parameters"][0]["example"] == 7
    assert paths["/boats/called/{name}"]["get"]["parameters"][0]["example"] == "Ariel"
    assert paths["/boats"]["post"]["requestBody"]["content"]["application/json"]["example"] == {"name": "Puck"}
    boat = {"id": 7, "name": "Ariel", "places": 4, "built": None}
    assert components["examples"]["Boat"]["value"] == boat
    assert components["examples"]["BoatList"]["value"] == [boat]
    # What does not fit, and what no schema knows, is left out
    called = paths["/boats/called/{name}"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
    assert called["id"] == 8 and called["name"] == "12" and "colour" not in called
    # Of a record of which nothing is said, every kind of value is shown; a body names the operation that reads a record
    assert berths["components"]["examples"]["Berth"]["value"] == {"id": 1, "boat": 1}
    assert berths["components"]["schemas"]["BerthNew"]["properties"]["boat"]["x-reads"] == "getBoat"
