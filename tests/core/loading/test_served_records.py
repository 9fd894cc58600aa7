"""`records` of an API class: handed to the catalogue, checked when the file is loaded, left out by `check`."""

import pytest

from core.contract.catalogue import catalogue

pytestmark = pytest.mark.usefixtures("without_natives")


MODELS = """
from peewee import AutoField

from core import Model, Records


class Leaf(Model):
    id = AutoField()

    class Meta:
        table_name = "tea_leaf"


leaves = Records(Leaf, service="leaves", noun="Leaf")
silent = Records(Leaf)
"""
API = """
from ..models import Leaf, leaves, silent


class {name}:
    records = {value}

    def index(self) -> str:
        ''':access: public'''
        return "here"
"""
ROUTE_OF_THIS_NAME = """
class Pots:
    def records(self) -> int:
        ''':access: public'''
        return 1
"""


@pytest.fixture
def served(serve, folder, write):
    write("tea/models.py", MODELS)
    return serve(modules=str(folder))


@pytest.mark.parametrize("value", ["leaves", "silent"])
def test_the_catalogue_holds_the_records_that_a_class_names(served, write, value):
    write("tea/class/api_leaves.py", API.format(name="Leaves", value=value))
    served.server.reloader.check()
    records = catalogue().services["leaves"].records
    assert (type(records).__name__, records.model.__name__) == ("Records", "Leaf")
    assert served.client(None).get("/leaves") == "here"


@pytest.mark.natives
def test_a_class_that_names_none_serves_none(served, write):
    write("tea/class/api_leaves.py", API.format(name="Leaves", value="None"))
    write("tea/class/api_pots.py", ROUTE_OF_THIS_NAME)
    served.server.reloader.check()
    assert [catalogue().services[name].records for name in ("leaves", "pots", "status")] == [None, None, None]
    assert served.client(None).get("/pots/records") == 1


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("leaves", "Leaf", "Leaves.records: expected records such as `records = cards`, got <Model: Leaf>"),
        ("leaves", "'leaves'", "Leaves.records: expected records such as `records = cards`, got 'leaves'"),
        ("pots", "leaves", "Pots.records: expected this service's records, got those of leaves"),
    ],
)
def test_a_wrong_value_is_a_failure_with_its_reason(served, write, name, value, reason):
    write(f"tea/class/api_{name}.py", API.format(name=name.capitalize(), value=value))
    served.server.reloader.check()
    failure = catalogue().failed(name)
    assert failure is not None
    assert failure.reason == reason
    served.client().refused("GET", f"/{name}", status=501)
