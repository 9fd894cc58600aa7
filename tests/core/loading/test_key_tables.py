"""Tables of keys that all records of a model hold in a profile: `<profile>/<model>.tsv` of any module."""

import json

import pytest

from core.contract.catalogue import catalogue
from core.loading.check import examine
from core.loading.file_status import file_statuses
from core.records.key_tables import KeyTable, KnownKey, read_key_table

pytestmark = pytest.mark.usefixtures("without_natives")


MODELS = """
from peewee import AutoField, CharField, IntegerField
from core import Model, Records


class Box(Model):
    id = AutoField()
    label = CharField(max_length=20)
    colour = CharField(max_length=20, null=True)
    weight = IntegerField(default=0)
    height = IntegerField(null=True, default=0)
    depth = IntegerField(null=True)
    changes = IntegerField(default=0)

    class Meta:
        table_name = "shelf_box"
        required = ("label",)
        managed = ("changes",)
        aliases = {"tint": "colour"}


class Boxes(Records[Box]):
    model = Box
    service = "boxes"

    def complete(self, records):
        for record in records:
            record["parts"] = ["lid"] if record["label"] == "full" else None

    def prepare(self, values, before):
        changed = before and any(values[name] != getattr(before, name) for name in values)
        values["changes"] = before.changes + 1 if changed else 0 if before is None else before.changes


boxes = Boxes()
"""
API = '''
from core import Crud
from core.crud import Record
from modules.shelf.models import boxes


class Boxes(Crud):
    """Boxes."""

    records = boxes

    def patch(self, id: int, request_data: Record) -> Record:
        """Change a box.

        :strict: what is misspelt would stay as it is
        """
        boxes.change(id, request_data)
        return boxes.answer(id)
'''
HEARD = """
heard = []


def after_boxes_created(record):
    heard.append(record)
"""
TABLE = """key\tempty\tinstead_of\tabout\talways
owner\tnull\t\tnobody owns a box yet
labels\t[]
parts\t[]
colour\t""
tint\t""
weight\tnull\t"0"
height\tnull\t"0"
depth\t"0"
sides\t{"top": {"open": 0}}
changes\tnull\t\t\tyes
"""


@pytest.fixture
def shelf(write):
    write("shelf/models.py", MODELS)
    write("shelf/class/api_boxes.py", API)
    write("shelf/events.py", HEARD)
    return write("shelf/dolibarr16/Box.tsv", TABLE)


def failures():
    return {failure.name: failure.reason for failure in catalogue().failures}


def sent(client, identifier, body):
    """A change that warns of nothing but what the server alone writes."""
    own = {name: value for name, value in body.items() if name not in ("id", "changes")}
    answer = client.simulate_patch(f"/boxes/{identifier}", json=own)
    assert (answer.status_code, answer.headers.get("warning")) == (200, None)
    return answer.json


@pytest.mark.usefixtures("shelf")
def test_keys_are_there_in_their_profile(serve, folder):
    served = serve(modules=str(folder), profile_name="dolibarr16")
    client = served.client()
    number = client.ask("POST", "/boxes", {"label": "small"})
    empty = {
        "owner": None, "labels": [], "parts": [], "colour": "", "tint": "", "weight": None, "height": None,
        "depth": "0", "sides": {"top": {"open": 0}}, "changes": None,
    }  # fmt: skip
    record = client.get(f"/boxes/{number}")
    assert record == {"id": str(number), "label": "small"} | empty
    assert client.get("/boxes") == [record]
    from modules.shelf.events import heard

    assert heard == [record]
    heard[0]["labels"].append("mine")
    heard[0]["sides"]["top"]["open"] = 1
    # Nothing is known of a value, or one is, and both travel back
    assert sent(client, number, record) == record
    full = {"label": "full", "colour": "red", "weight": "3", "depth": "2", "height": "4"}
    other = client.get(f"/boxes/{client.ask('POST', '/boxes', record | full)}")
    assert other == record | full | {"id": "2", "tint": "red", "parts": ["lid"]}
    assert sent(client, 2, other) == other
    assert sent(client, 2, {"colour": ""})["tint"] == ""
    assert client.get("/boxes", sqlfilters="(t.colour:is:null)", properties="id,owner,labels") == [
        {"id": each, "owner": None, "labels": []} for each in ("1", "2")
    ]
    assert "ownr" in client.refused("PATCH", "/boxes/1", {"ownr": None, "owner": None}, status=400)
    tag = client.simulate_get("/boxes/1").headers["etag"]
    changed = client.simulate_patch("/boxes/1", json={"weight": "5"}, headers={"If-Match": tag})
    assert (changed.status_code, changed.json["weight"]) == (200, "5")
    assert client.simulate_patch("/boxes/1", json={}, headers={"If-Match": tag}).status_code == 412
    sheet = client.simulate_get("/boxes", headers={"Accept": "text/csv"}).text.splitlines()
    assert {"owner", "labels"} <= {*sheet[0].split(",")}


@pytest.mark.usefixtures("shelf")
def test_the_document_says_what_stands_there(serve, folder):
    client = serve(modules=str(folder), profile_name="dolibarr16").client()
    schemas = client.get("/explorer/openapi/boxes.json")["components"]["schemas"]
    box = schemas["Box"]["properties"]
    assert box["owner"] == {"type": "null", "description": "nobody owns a box yet", "x-computed": True}
    assert box["labels"]["description"] == "always empty" and box["labels"]["maxItems"] == 0
    assert box["colour"]["type"] == "string"
    assert box["weight"]["type"] == ["string", "null"]
    assert box["depth"]["type"] == "string"
    assert box["changes"]["type"] == "null"
    assert box["sides"]["$ref"].endswith("/JsonObject")
    assert box["sides"]["description"] == 'always {"top": {"open": 0}}'
    assert schemas["BoxChange"]["properties"]["owner"]["readOnly"] is True


@pytest.mark.usefixtures("shelf")
def test_the_other_profile_knows_nothing_of_them(serve, folder):
    client = serve(modules=str(folder)).client()
    number = client.ask("POST", "/boxes", {"label": "small"})
    assert client.get(f"/boxes/{number}") == {
        "id": 1, "label": "small", "colour": None, "tint": None, "weight": 0, "height": 0, "depth": None, "changes": 0,
        "parts": None,
    }  # fmt: skip
    assert "owner" in client.refused("PATCH", "/boxes/1", {"owner": None}, status=400)


def test_a_table_is_followed_and_fails_alone(serve, folder, shelf, write):
    served = serve(modules=str(folder), profile_name="dolibarr16")
    client = served.client()
    client.ask("POST", "/boxes", {"label": "small"})
    assert [each.state for each in file_statuses(catalogue()) if each.file == shelf] == ["loaded"]
    write("shelf/dolibarr16/Box.tsv", "key\tempty\nseal\t0\n")
    served.server.reloader.check()
    assert client.get("/boxes/1")["seal"] == 0
    write("shelf/dolibarr16/Box.tsv", "key\tempty\nseal\tnone\n")
    write("shelf/dolibarr16/Bx.tsv", TABLE)
    write("shelf/dolibarr17/Box.tsv", TABLE)
    served.server.reloader.check()
    assert failures() == {
        "shelf/dolibarr16/Box": "line 2: empty: expected JSON such as null, \"\" or []; got 'none'",
        "shelf/dolibarr16/Bx": "models.py has no model Bx",
    }
    assert "seal" not in client.get("/boxes/1")
    found = examine(served.settings.module_folders, wanted=lambda each: each.name == "shelf")
    assert {each.name for each in found.failures} == {*failures()}


WRONG = {
    "": "line 1: expected the columns key, empty",
    "empty\tkey\n": "line 1: expected the columns",
    "key\tempty\tmeaning\n": "line 1: expected the columns",
    "key\tempty\tempty\n": "line 1: expected the columns",
    "key\tempty\none\n": "line 2: expected a key, a tab and the JSON value of an empty field",
    "key\tempty\n\n": "line 2: expected a key, a tab and the JSON value of an empty field",
    "key\tempty\none\tnull\tmore\n": "line 2: expected a key, a tab and the JSON value of an empty field",
    "key\tempty\ntwo words\tnull\n": "line 2: expected a key, a tab and the JSON value of an empty field",
    "key\tempty\none\t\n": "line 2: empty: expected JSON, got nothing",
    "key\tempty\none\tNULL\n": "line 2: empty: expected JSON such as null",
    "key\tempty\tinstead_of\none\tnull\t'0'\n": "line 2: instead_of: expected JSON",
    "key\tempty\talways\none\tnull\tno\n": "line 2: always: expected yes or nothing, got 'no'",
    "key\tempty\none\tnull\none\tnull\n": "line 3: the key one occurs twice",
    "key\tempty\none\t" + "[" * 100_000: "line 2: empty: expected JSON",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: repr(text[:40]))
def test_what_is_wrong_with_a_table_is_told(text):
    with pytest.raises(ValueError) as raised:
        read_key_table(text)
    assert str(raised.value).startswith(WRONG[text])


def test_values_are_kept_and_what_is_empty_is_filled_in():
    keys = [KnownKey("a", None), KnownKey("b", ""), KnownKey("c", {}), KnownKey("d", "0", ("0.00",))]
    keys.append(KnownKey("e", None, always=True))
    records = [
        {},
        {"a": 1, "b": None, "c": None, "d": "0.00", "e": 3},
        {"b": "x", "c": {"y": 1}, "d": "2"},
    ]
    KeyTable(keys).fill(records)
    assert [json.dumps(each, sort_keys=True) for each in records] == [
        '{"a": null, "b": "", "c": {}, "d": "0", "e": null}',
        '{"a": 1, "b": "", "c": {}, "d": "0", "e": null}',
        '{"a": null, "b": "x", "c": {"y": 1}, "d": "2", "e": null}',
    ]
    assert records[0]["c"] is not records[1]["c"]
