"""Groups of operations come from paths and moves, so that anybody's service has them."""

from pathlib import Path

from core import Transition
from core.contract.annotations import Annotation
from core.contract.catalogue import Operation, Service
from explorer.groups import group_operations, group_services
from tests.files import write_files

JSON = {"responses": {"200": {"content": {"application/json": {}, "text/csv": {}}}}}
PICTURE = {"responses": {"200": {"content": {"image/png": {}}}}}
UPLOAD = {"requestBody": {"content": {"multipart/form-data": {}}}}

#: path → what OpenAPI says of it, and its group
EXPECTED = {
    "/crates": (JSON, ""),
    "/crates/{id}": (JSON, ""),
    "/crates/mark/{mark}": (JSON, ""),
    "/crates/{id}/nail": (JSON, "states"),
    "/crates/{id}/loosePlanks": (JSON, "loose planks"),
    "/crates/{id}/loosePlank/{plank}": (JSON, "loose planks"),
    "/crates/bulk_prices": (JSON, "bulk prices"),
    "/crates/bulk_prices/{price}": (JSON, "bulk prices"),
    "/crates/{id}/picture": (PICTURE, "files"),
    "/crates/{id}/drawing": (UPLOAD, "files"),
    "/crates/{id}/weigh": (JSON, "more"),
    "/crates/{id}/history": ({}, "more"),
}


def test_operations_are_grouped_by_path_and_move():
    note = Annotation()
    operations = tuple(
        Operation("crates", path.rpartition("/")[2], "GET", path, note, (), dict, None, "public", lambda: None)
        for path in EXPECTED
    )
    service = Service("crates", "crates", Path(), note, operations, transitions=(Transition("open", "nail", "shut"),))
    groups = group_operations(service, [said for said, _ in EXPECTED.values()])
    assert dict(zip(EXPECTED, groups, strict=True)) == {path: group for path, (_, group) in EXPECTED.items()}


def test_a_replacement_comes_last_where_a_patch_changes_the_same_record():
    note = Annotation()
    verbs = {"/crates/{id}": ("GET", "PUT", "PATCH"), "/crates/mark/{mark}": ("PUT",)}
    operations = tuple(
        Operation("crates", verb.lower(), verb, path, note, (), dict, None, "public", lambda: None)
        for path, all_verbs in verbs.items()
        for verb in all_verbs
    )
    groups = group_operations(Service("crates", "crates", Path(), note, operations), [JSON] * len(operations))
    assert groups == ["", "more", "", ""]


def test_services_are_grouped_by_their_class_and_others_come_last():
    def service(name, group=""):
        return Service(name, name, Path(), Annotation(), (), group=group)

    services = [
        service("zeppelins"),
        service("fuel", "Energy"),
        service("users", "People"),
        service("orders", "Sales"),
        service("bills", "Sales"),
    ]
    assert list(group_services(services).items()) == [
        ("Sales", ["bills", "orders"]),
        ("People", ["users"]),
        ("Energy", ["fuel"]),
        ("Other", ["zeppelins"]),
    ]


def test_a_class_gives_its_group_unless_that_is_an_operation(serve, folder, without_natives):
    head = "from core import Api\n\n\nclass {}(Api):\n    {}\n\n    def get(self, id: int) -> int:\n        return id\n"
    for name, line in (("boats", 'group = "Fleet"'), ("rafts", "def group(self) -> int: return 1")):
        write_files(folder, {f"{name}/class/api_{name}.py": head.format(name.title(), line)})
    client = serve(modules=str(folder)).client()
    groups = client.get("/explorer/index.json")["groups"]
    assert groups["Fleet"] == ["boats"] and "rafts" in groups["Other"]
    document = client.get("/explorer/openapi.json")
    assert {"name": "Fleet", "tags": ["boats"]} in document["x-tagGroups"]
    assert {each["name"]: each["x-displayName"] for each in document["tags"]}["boats"] == "Boats"
