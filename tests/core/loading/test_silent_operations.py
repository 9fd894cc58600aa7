"""An operation that writes, and does not say who may call it, is the administrators' alone."""

import os

import click.testing
import pytest

from core.__main__ import main
from tests.core.loading.services import STORE

pytestmark = pytest.mark.usefixtures("without_natives")

API = """
from core import Api
from ..models import boxes

class Boxes(Api):
    '''Boxes.{of_class}'''
    records = boxes

    def index(self) -> list[dict]:
        '''List.'''
        return boxes.page()

    def get(self, id: int):
        '''Read.'''
        return boxes.read(id)

    def post(self, request_data: dict):
        '''Create.{of_method}'''
        return boxes.create(request_data)

    def patch(self, id: int, request_data: dict):
        '''Change.{of_method}'''
        return boxes.change(id, request_data)

    def put(self, id: int, request_data: dict):
        '''Replace.{of_method}'''
        return boxes.change(id, request_data)

    def delete(self, id: int):
        '''Delete.{of_method}'''
        return boxes.delete(id)

    def empty(self, id: int):
        '''Empty.

        :url: POST {{id}}/empty
        :url: GET {{id}}/empty{of_method}
        '''
        return id
"""
WRITES = [
    ("POST", "/boxes", {"name": "a"}),
    ("PATCH", "/boxes/1", {"name": "b"}),
    ("PUT", "/boxes/1", {"name": "c"}),
    ("POST", "/boxes/1/empty", None),
    ("POST", "/boxes/batch", {"entries": [{"method": "POST", "body": {"name": "d"}}]}),
    ("DELETE", "/boxes/1", None),
]
READS = ["/boxes", "/boxes/1", "/boxes/1/empty", "/boxes/1/history"]


def load(served, write, of_class="", of_method=""):
    """The client of a user without rights, once the service is served."""
    write("store/models.py", STORE.format(more=""))
    write("store/class/api_boxes.py", API.format(of_class=of_class, of_method=of_method))
    served.server.reloader.check()
    return served.user()


def test_a_silent_writing_operation_is_the_administrators(served, write, caplog):
    user = load(served, write)
    admin = served.client()
    assert admin.ask("POST", "/boxes", {"name": "first"}) == 1
    for path in READS:
        user.get(path)
    for verb, path, body in WRITES:
        assert user.refused(verb, path, body, status=401) == "Unauthorized: only administrators may call this operation"
    assert admin.get("/boxes/1")["name"] == "first"
    for verb, path, body in WRITES:
        admin.ask(verb, path, body)
    warned = [each.getMessage() for each in caplog.records if "only administrators" in each.getMessage()]
    file = served.server.reloader.loader.folders[-1] / "store/class/api_boxes.py"
    assert warned == [
        f"{file}:{line}: only administrators can call {verb} {path}; add `:permission: {right}` to the docstring of {name}, "
        "or `:access: protected` to allow any key"
        for line, verb, path, right, name in (
            (17, "POST", "/boxes", "write", "post"),
            (21, "PATCH", "/boxes/{id}", "write", "patch"),
            (25, "PUT", "/boxes/{id}", "write", "put"),
            (29, "DELETE", "/boxes/{id}", "delete", "delete"),
            (33, "POST", "/boxes/{id}/empty", "write", "empty"),
        )
    ]


@pytest.mark.natives
def test_a_restricted_key_of_an_administrator_does_not_open_it(served, write):
    load(served, write)
    admin = served.client()
    made = admin.ask(
        "POST", f"/users/{admin.get('/users/info')['id']}/keys", {"label": "few", "rights": ["boxes.write"]}
    )
    few = served.client(made["key"])
    assert (
        few.refused("POST", "/boxes", {"name": "a"}, status=401)
        == "Unauthorized: only administrators may call this operation"
    )


@pytest.mark.parametrize("where", ["of_class", "of_method"])
def test_what_is_said_holds(served, write, where):
    user = load(served, write, **{where: "\n\n    :access: protected\n    "})
    for verb, path, body in WRITES:
        user.ask(verb, path, body)
    user = load(served, write, **{where: "\n\n    :permission: write\n    "})
    assert (
        user.refused("POST", "/boxes", {"name": "a"}, status=401) == "Unauthorized: you need the permission boxes.write"
    )
    served.user("boxes.write").ask("POST", "/boxes", {"name": "a"})


def test_one_that_says_administrators_is_not_warned_of(served, write, caplog):
    user = load(served, write, of_method="\n\n        :permission: administrators\n        ")
    assert (
        user.refused("POST", "/boxes", {"name": "a"}, status=401)
        == "Unauthorized: only administrators may call this operation"
    )
    user.refused(*WRITES[4], status=401)
    assert served.client().ask("POST", "/boxes", {"name": "a"}) == 1
    assert "only administrators" not in caplog.text


def test_a_batch_opens_to_the_permission_of_any_entry(served, write):
    load(served, write)
    text = API.format(of_class="", of_method="").replace(
        "'''Create.'''", "'''Create.\n\n        :permission: write\n        '''"
    )
    write("store/class/api_boxes.py", text)
    served.server.reloader.check()
    entries = [{"method": "POST", "body": {"name": "d"}}, {"method": "DELETE", "id": 1}]
    told = served.user("boxes.write").ask("POST", "/boxes/batch", {"entries": entries, "atomic": False})
    assert [each["status"] for each in told["results"]] == [200, 401]


def test_the_documents_show_administrators_only(served, write):
    user = load(served, write)
    documented = user.get("/explorer/openapi.json")["paths"]["/boxes"]
    assert documented["post"]["x-permission"] == "administrators"
    assert documented["post"]["x-allowed"] is False
    assert "only administrators may call this operation" in str(documented["post"]["responses"]["401"])
    assert "x-permission" not in documented["get"]


@pytest.mark.usefixtures("without_natives")
def test_check_names_the_line_to_add_and_what_any_key_may_read(write, folder):
    write("store/models.py", STORE.format(more=""))
    file = write("store/class/api_boxes.py", API.format(of_class="", of_method=""))
    environment = dict.fromkeys(name for name in os.environ if name.startswith("COMPTOIR_"))
    environment |= {"COMPTOIR_MODULES": str(folder), "COMPTOIR_DATABASE": f"sqlite:///{folder}/none.db"}
    result = click.testing.CliRunner().invoke(main, ["check"], env=environment, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    notes = [line.removeprefix("note     ") for line in result.output.splitlines() if line.startswith("note ")]
    assert (
        f"{file}:17: only administrators can call POST /boxes; add `:permission: write` to the docstring of post, "
        "or `:access: protected` to allow any key"
    ) in notes
    assert {
        f"any key can call GET {path}" for path in ("/boxes", "/boxes/{id}", "/boxes/{id}/empty", "/boxes/{id}/history")
    } <= {*notes}
    assert not [each for each in notes if "batch" in each]
