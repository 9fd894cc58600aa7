"""`path`: a class whose operations are below another service has all that a class of its own service has."""

import pytest

from core.contract.catalogue import catalogue
from core.loading.file_status import file_statuses
from tests.core.loading.services import STORE

pytestmark = pytest.mark.usefixtures("without_natives")

MODELS = (
    STORE.format(more="")
    + """
from core import RecordField
class Label(Model):
    id = AutoField()
    text = CharField()
    box_id = RecordField(Box, 'Box', null=True)
    class Meta:
        required = ('text',)
        searched = ('text',)
class Print(Model):
    id = AutoField()
    label_id = RecordField(Label, 'Label')
labels = Records(Label, service='labels', noun='Label')
prints = Records(Print, service='prints')
"""
)
CLASS = (
    "from core import Crud\nfrom ..models import {name}\nclass {title}(Crud):\n    '''Some.'''\n    records = {name}\n"
)
BOXES, PRINTS = (CLASS.format(name=name, title=name.title()) for name in ("boxes", "prints"))
LABELS = CLASS.format(name="labels", title="Labels") + (
    '    path = "boxes/labels"\n'
    "    def get_first(self) -> dict:\n        '''Read the first label.\n\n        :permission: read\n        '''\n"
    "        return labels.read(1)\n"
    "    def post_copy(self, id: int) -> dict:\n        '''Copy a label.\n\n        :url: POST {id}/copy\n"
    "        :permission: write\n        '''\n"
    "        return labels.read(labels.create({'text': labels.load(id).text}))\n"
)
#: verb, path, title and permission
OPERATIONS = [
    ("GET", "/boxes/labels", "List labels.", "boxes.read"),
    ("GET", "/boxes/labels/{id}", "Read a label.", "boxes.read"),
    ("POST", "/boxes/labels", "Create a label.", "boxes.write"),
    ("PUT", "/boxes/labels/{id}", "Update a label.", "boxes.write"),
    ("PATCH", "/boxes/labels/{id}", "Change some fields of a label.", "boxes.write"),
    ("DELETE", "/boxes/labels/{id}", "Delete an unused label.", "boxes.delete"),
    ("GET", "/boxes/labels/first", "Read the first label.", "boxes.read"),
    ("POST", "/boxes/labels/{id}/copy", "Copy a label.", "boxes.write"),
    ("GET", "/boxes/labels/{id}/history", "Read a label's history.", "boxes.read"),
    ("GET", "/boxes/labels/sums", "Sum labels.", "boxes.read"),
    ("POST", "/boxes/labels/batch", "Create, update and delete many labels.", "boxes.write or boxes.delete"),
]


@pytest.fixture
def labels(served, write):
    write("store/models.py", MODELS)
    write("store/class/api_boxes.py", BOXES)
    write("store/class/api_prints.py", PRINTS)

    def load(text=LABELS):
        file = write("store/class/api_labels.py", text)
        served.server.reloader.check()
        return next(each for each in file_statuses(catalogue()) if each.file == file)

    load()
    return load


def test_the_operations_are_below_the_path_with_the_permissions_of_its_service(served, labels):
    routes = [(each["verb"], each["path"], each["summary"], each["permission"]) for each in labels().routes]
    assert routes == OPERATIONS
    admin, reader = served.client(), served.user("boxes.read")
    assert admin.get("/labels", status=404)
    assert reader.get("/boxes/labels") == []
    reader.refused("POST", "/boxes/labels", {"text": "red"}, status=401)
    served.user("labels.read", "labels.write").refused("GET", "/boxes/labels", status=401)
    document = admin.get("/explorer/openapi/boxes.json")
    assert {(verb, path) for verb, path, *_ in OPERATIONS} <= {
        (verb.upper(), path) for path, verbs in document["paths"].items() for verb in verbs
    }
    assert document["paths"]["/boxes/labels/{id}"]["get"]["responses"]["404"]["description"].startswith(
        "there is no such label"
    )


def test_every_standard_operation(served, labels):
    admin = served.client()
    box = admin.ask("POST", "/boxes", {"name": "red"})
    made = admin.simulate_post("/boxes/labels", json={"text": "a", "box_id": box})
    assert (made.json, made.headers["Location"]) == (1, "../boxes/labels/1")
    copied = admin.simulate_post("/boxes/labels/1/copy")
    assert copied.json["id"] == 2 and "Location" not in copied.headers
    record = {"id": 1, "text": "a", "box_id": box}
    assert admin.get("/boxes/labels/1") == admin.get("/boxes/labels/first") == record
    assert admin.ask("PUT", "/boxes/labels/1", {"text": "b"}) == record | {"text": "b"}
    assert admin.ask("PATCH", "/boxes/labels/1", {"text": "c"}) == record | {"text": "c"}
    assert admin.get("/boxes/labels", q="c") == [record | {"text": "c"}]
    assert admin.ask("DELETE", "/boxes/labels/2") == {"success": {"code": 200, "message": "Label deleted"}}
    changes = admin.get("/boxes/labels/1/history")
    assert [each["kind"] for each in changes] == ["changed", "changed", "created"]
    assert admin.get("/boxes/1/history") and admin.get("/boxes/1") == {"id": 1, "name": "red"}


def test_a_batch_has_the_entries_of_its_own_class(served, labels):
    admin = served.client()
    entries = [
        {"method": "POST", "body": {"text": "a"}},
        {"method": "PATCH", "id": 1, "body": {"text": "b"}},
        {"method": "POST", "body": {"text": "c"}},
        {"method": "DELETE", "id": 2},
    ]
    assert admin.ask("POST", "/boxes/labels/batch", {"entries": entries})["done"] == 4
    assert admin.get("/boxes/labels") == [{"id": 1, "text": "b", "box_id": None}]
    assert admin.get("/boxes") == []


def test_a_repeated_creation_needs_its_own_record(served, labels):
    admin, key = served.client(), {"Idempotency-Key": "once"}
    admin.ask("POST", "/boxes", {"name": "red"})
    assert [admin.ask("POST", "/boxes/labels", {"text": "a"}, headers=key) for _ in range(2)] == [1, 1]
    admin.ask("DELETE", "/boxes/labels/1")
    assert admin.ask("POST", "/boxes/labels", {"text": "a"}, headers=key, status=404)


def test_other_records_can_embed_its_records(served, labels):
    admin = served.client()
    box = admin.ask("POST", "/boxes", {"name": "red"})
    admin.ask("POST", "/boxes/labels", {"text": "a", "box_id": box})
    admin.ask("POST", "/prints", {"label_id": 1})
    (found,) = admin.get("/prints", expand="label.box")
    assert found["label"]["box"] == {"id": box, "name": "red"}


@pytest.mark.parametrize(
    "broken", ["import nothing_of_that_name\n" + LABELS, LABELS + "    def broken(:\n", LABELS + "    group = 1 / 0\n"]
)
def test_below_the_path_of_a_broken_file_everything_is_501(served, labels, broken):
    admin = served.client()
    admin.ask("POST", "/boxes", {"name": "red"})
    labels(broken)
    for verb, path in [
        ("GET", "/boxes/labels"), ("POST", "/boxes/labels"), ("PATCH", "/boxes/labels/1"), ("GET", "/boxes/labels/first"),
        ("POST", "/boxes/labels/batch"), ("GET", "/boxes/labels/1/history"), ("GET", "/labels"),
    ]:  # fmt: skip
        assert admin.ask(verb, path, status=501)
    assert admin.get("/boxes/1")["name"] == "red"
    labels()
    assert admin.get("/boxes/labels") == []


def test_a_broken_host_responds_below_the_path(served, labels, write):
    write("store/class/api_boxes.py", "import nothing_of_that_name\n" + BOXES)
    served.server.reloader.check()
    assert served.client().get("/boxes/labels", status=501)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ('"labels"', "expected a path below a service, such as 'invoices/templates', got 'labels'"),
        ('"/boxes/labels"', "expected a path below a service, such as 'invoices/templates', got '/boxes/labels'"),
        (
            '"boxes/{id}/labels"',
            "expected a path below a service, such as 'invoices/templates', got 'boxes/{id}/labels'",
        ),
        ("None", "expected a path below a service, such as 'invoices/templates', got None"),
        ('"boxs/labels"', "unknown service boxs in the path /boxs/labels; did you mean boxes?"),
        ('"health/labels"', "paths below /health are reserved for the server"),
    ],
)
def test_a_wrong_path_is_a_failure_with_its_line(labels, path, reason):
    status = labels(LABELS.replace('"boxes/labels"', path))
    assert (status.state, status.reason, status.line) == ("failed", f"Labels.path: {reason}", 6)


def test_any_class_can_have_a_path_but_no_two_the_same_operation(served, labels, write):
    tags = "class Tags:\n    path = {path!r}\n    def index(self) -> str:\n        ''':access: public'''\n        return 'tags'\n"
    write("store/class/api_tags.py", tags.format(path="boxes/tags"))
    assert labels().state == "loaded"
    assert served.client(None).get("/boxes/tags") == "tags"
    write("store/class/api_tags.py", tags.format(path="boxes/labels"))
    assert labels().state == "loaded"
    (failure,) = catalogue().failures
    assert failure.reason.startswith("GET /boxes/labels is served by both labels.index and tags.index")
    assert served.client().get("/boxes/labels") == []
