"""`Crud`: the standard operations of a service, what a class leaves out, and what it changes."""

import pytest

from core.contract.catalogue import catalogue
from core.crud import plural_of
from tests.core.loading.services import STORE, reason_of

pytestmark = pytest.mark.usefixtures("without_natives")

API = """
from core import Crud, ListQuery
from ..models import boxes

class Boxes(Crud):
    '''Boxes.'''
    records = boxes
{more}
"""
STANDARD = [
    ("GET", "/boxes", "List boxes.", "boxes.read"),
    ("GET", "/boxes/{id}", "Read a box.", "boxes.read"),
    ("POST", "/boxes", "Create a box.", "boxes.write"),
    ("PUT", "/boxes/{id}", "Update a box.", "boxes.write"),
    ("PATCH", "/boxes/{id}", "Change some fields of a box.", "boxes.write"),
    ("DELETE", "/boxes/{id}", "Delete an unused box.", "boxes.delete"),
    ("GET", "/boxes/{id}/history", "Read a box's history.", "boxes.read"),
    ("GET", "/boxes/sums", "Sum boxes.", "boxes.read"),
    ("POST", "/boxes/batch", "Create, update and delete many boxes.", "boxes.write or boxes.delete"),
]
SHARP = """
    noun = "sharp tool"
    without = ("post", "put", "delete", "batch", "history", "sums")
    refusals = {"patch": "it is broken"}

    def index(self, query: ListQuery, long: bool = False) -> list[dict]:
        '''List long and short tools.

        :param long: only long ones
        '''
        return super().index(query)

    def get(self, id: int) -> dict:
        '''Read any tool.

        :access: protected
        '''
        return super().get(id)

    def sharpen(self, id: int) -> int:
        '''Sharpen a tool.

        :url: POST {id}/sharpen
        :permission: write
        '''
        return id

    def dull(self, id: int) -> int:
        '''Make a tool dull.

        :url: POST {id}/dull
        :unconditional: nothing is compared
        :permission: write
        '''
        return id
"""


def load(served, write, more="", of_model=""):
    """The operations of the service, by verb and path."""
    write("store/models.py", STORE.format(more=of_model).replace("service='boxes'", "service='boxes', noun='Box'"))
    write("store/class/api_boxes.py", API.format(more=more))
    served.server.reloader.check()
    return {f"{each.verb} {each.template}": each for each in catalogue().services["boxes"].operations}


def statuses(operation):
    return dict(operation.errors)


def test_records_are_all_that_a_class_says(served, write):
    found = load(served, write).values()
    assert [
        (each.verb, each.template, each.annotation.summary, each.permission.text if each.permission else "")
        for each in found
    ] == STANDARD
    admin = served.client()
    assert admin.ask("POST", "/boxes", {"name": "red"}) == 1
    assert admin.get("/boxes") == [{"id": 1, "name": "red"}]
    assert admin.ask("PUT", "/boxes/1", {}) == {"id": 1, "name": "red"}
    assert admin.ask("PATCH", "/boxes/1", {"name": "blue"}) == admin.get("/boxes/1") == {"id": 1, "name": "blue"}
    assert admin.ask("DELETE", "/boxes/1") == {"success": {"code": 200, "message": "Box deleted"}}
    assert len(admin.get("/boxes/1/history")) == 3
    user = served.user("boxes.read")
    user.get("/boxes")
    user.refused("POST", "/boxes", {"name": "green"}, status=401)


def test_extra_fields_are_mentioned_if_a_record_has_any(served, write):
    found = load(served, write, of_model="    class Meta:\n        extrafields = 'box'\n")
    assert "`array_options`" in found["PUT /boxes/{id}"].annotation.description
    assert found["PATCH /boxes/{id}"].annotation.description == "Extra fields also stay."


def test_a_class_says_what_differs(served, write):
    found = load(served, write, SHARP)
    assert [*found] == [
        "GET /boxes", "GET /boxes/{id}", "PATCH /boxes/{id}", "POST /boxes/{id}/sharpen", "POST /boxes/{id}/dull",
    ]  # fmt: skip
    listed, read, changed = [*found.values()][:3]
    assert listed.annotation.summary == "List long and short tools."
    assert [each.name for each in listed.inputs if not each.group and not each.of_answer] == ["long"]
    assert listed.permission is not None
    assert (read.permission, read.access, read.is_silent) == (None, "protected", False)
    assert read.annotation.parameters["id"].text == "sharp tool ID"
    assert statuses(changed)[405] == "it is broken"
    served.user().refused("GET", "/boxes", status=401)


def test_the_server_documents_missing_and_changed_records(served, write):
    found = load(served, write, SHARP)
    missing = "there is no such sharp tool, or the caller may not see it"
    assert statuses(found["GET /boxes"]) == {}
    assert statuses(found["GET /boxes/{id}"]) == {404: missing}
    assert {*statuses(found["PATCH /boxes/{id}"])} == {404, 405, 412}
    assert {*statuses(found["POST /boxes/{id}/sharpen"])} == {404, 412}
    assert {*statuses(found["POST /boxes/{id}/dull"])} == {404}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("    without = ('pst',)", "Boxes.without: expected names of methods, batch, history or sums; got 'pst'"),
        ("    records = None", "Boxes.records: expected records such as `records = cards`"),
    ],
)
def test_what_cannot_be_is_a_failure(served, write, more, reason):
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", API.format(more=more))
    assert reason_of(served, "boxes") == reason


def test_a_broken_file_shows_the_operations_that_it_inherits(served, write):
    write("store/class/api_boxes.py", API.format(more="    def earn(self) -> int: return 1"))
    served.server.reloader.check()
    (failure,) = [each for each in catalogue().failures if each.name == "boxes"]
    shown = [f"{each.verb} {each.template}" for each in failure.methods]
    assert shown == [f"{verb} {path}" for verb, path, *_ in STANDARD[:6]] + ["GET /boxes/earn"]


@pytest.mark.parametrize(
    ("noun", "nouns"),
    [
        ("card", "cards"),
        ("category", "categories"),
        ("day", "days"),
        ("box", "boxes"),
        ("third party", "third parties"),
    ],
)
def test_regular_plurals(noun, nouns):
    assert plural_of(noun) == nouns
