"""Keys of a `TypedDict` that travel as fields do, and fields that have choices."""

import pytest

from core.testing import serving

MODELS = '''
from datetime import datetime
from typing import Annotated, TypedDict

from peewee import AutoField, CharField, DateTimeField, IntegerField

from core import Model, Records

SIZES = (("small", "small"), ("large", "large"))


class Box(Model):
    id = AutoField()
    name = CharField(max_length=20)
    pieces = IntegerField(default=0)
    size = CharField(default="small", choices=SIZES)
    lid = CharField(null=True, choices=SIZES)
    mark = CharField(default="", choices=SIZES)

    class Meta:
        table_name = "store_box"


class Label(TypedDict):
    """Of a box."""

    label: Annotated[str, Box.name, "what is written on it"]
    inside: Annotated[int, Box.pieces]
    packed: Annotated[int | str, datetime, "when"]


boxes = Records(Box, service="boxes")
'''
API = '''
from typing import Annotated, Any

from ..models import Box, Label, boxes


class Boxes:
    """Boxes."""

    def get(self, id: int) -> Annotated[dict[str, Any], Box]:
        """One.

        :permission: read
        """
        return boxes.read(id)

    def get_label(self, id: int) -> Label:
        """Its label.

        :permission: read
        """
        return {}
'''


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("boxes")
    for name, text in (("models.py", MODELS), ("class/api_boxes.py", API)):
        path = tmp_path / "modules" / "store" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with serving(tmp_path, modules=str(tmp_path / "modules")) as served:
        yield served.client().get("/explorer/openapi/boxes.json")


def resolved(schema, document):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def properties(document, path):
    answer = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    return resolved(answer, document)["properties"]


def test_a_field_beside_a_type_makes_no_instant_of_it(document):
    assert properties(document, "/boxes/label/{id}") == {
        "label": {"type": "string", "description": "what is written on it"},
        "inside": {"type": "integer"},
        "packed": {"type": ["integer", "string"], "description": "when", "format": "unix-time"},
    }


def test_a_text_with_choices_is_one_of_them(document):
    answered = properties(document, "/boxes/{id}")
    size = {"$ref": "#/components/schemas/BoxSize"}
    assert answered["size"] == size
    assert answered["lid"] == {"anyOf": [size, {"type": "null"}]}
    assert resolved(size, document)["enum"] == ["small", "large"]
    # It begins as something else
    assert answered["mark"] == {"type": "string"}
