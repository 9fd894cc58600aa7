"""A method that returns an iterator has ended when its values are known: within its transaction, with its own errors."""

import json

import pytest

from core.storage.serializer import to_json
from core.testing import serving
from tests.files import write_files

MODELS = """
import peewee
from core import Model, NotFound, Records, Refused


class Thing(Model):
    id = peewee.AutoField()
    name = peewee.CharField()


things = Records(Thing, service="lazies", noun="Thing")


def make(name):
    made = things.create({"name": name})
    if name.endswith("bad"):
        raise Refused("bad name")
    if name.endswith("gone"):
        raise NotFound("gone name")
    if name.endswith("wrong"):
        raise ValueError("wrong name")
    return made
"""
API = '''
from core import Api
from ..models import make, things


class Custom:
    """An iterator of its own."""

    def __init__(self, names):
        self.names = list(names)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.names:
            raise StopIteration
        return make(self.names.pop(0))


class Each:
    """It can be iterated again and again."""

    def __init__(self, names):
        self.names = names

    def __iter__(self):
        yield from map(make, self.names)


def generated(names):
    for name in names:
        yield make(name)


WAYS = {
    "map": lambda names: map(make, names),
    "generator": generated,
    "expression": lambda names: (make(name) for name in names),
    "filter": lambda names: filter(make, names),
    "zip": lambda names: zip(names, map(make, names)),
    "custom": Custom,
    "each": Each,
    "in a dict": lambda names: {"made": map(make, names)},
    "in a list": lambda names: [{"made": [generated(names)]}],
    "chained": lambda names: (list(each) for each in [map(make, names)]),
}


class Lazies(Api):
    """Lazy ones."""

    records = things

    def index(self, ids: str = "") -> object:
        """Read some.

        :access: protected
        """
        for each in filter(None, ids.split(",")):
            yield things.read(int(each))

    def post(self, names: list, way: str) -> object:
        """Create some.

        :access: protected
        """
        return WAYS[way](names)
'''
WAYS = (
    "map", "generator", "expression", "filter", "zip", "custom", "each", "in a dict", "in a list", "chained",
)  # fmt: skip
#: the end of a name → status, and the error's words
ENDS = {"bad": (405, "bad name"), "gone": (404, "gone name"), "wrong": (500, "")}
GENERATOR = (
    "import core\n\n\nclass Lazies:\n    ':access: protected'\n\n    def {name}(self) -> list:\n        yield 1\n"
)


@pytest.fixture(scope="module")
def lazies(kind, tmp_path_factory):
    """A server with the module `lazies`, on each kind of database."""
    folder = tmp_path_factory.mktemp(kind)
    write_files(folder / "modules/lazies", {"class/api_lazies.py": API, "models.py": MODELS})
    with serving(folder, kind, modules=str(folder / "modules")) as served:
        yield served


@pytest.fixture
def client(lazies):
    from modules.lazies.models import Thing

    Thing.delete().execute()
    return lazies.client()


def made():
    from modules.lazies.models import Thing

    return [each.name for each in Thing.select().order_by(Thing.id)]


@pytest.mark.parametrize("way", WAYS)
def test_values_are_sent(client, way):
    client.ask("POST", "/lazies", {"names": ["one", "two"], "way": way})
    assert made() == ["one", "two"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", WAYS)
def test_an_error_is_the_method_s(client, way, end):
    status, words = ENDS[end]
    error = client.ask("POST", "/lazies", {"names": ["one", end], "way": way}, status=status)["error"]
    assert words in error["message"]
    if status == 500:
        line = 1 + MODELS[: MODELS.index("raise ValueError")].count("\n")
        assert error["raised"] == {"file": "lazies/models.py", "line": line, "message": "ValueError: wrong name"}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_batch_is_atomic(client, way, end):
    bodies = [{"names": [name, "more"], "way": way} for name in ("one", end, "three")]
    entries = [{"method": "POST", "body": each} for each in bodies]
    client.ask("POST", "/lazies/batch", {"entries": entries, "atomic": True}, status=ENDS[end][0])
    assert made() == []
    found = client.ask("POST", "/lazies/batch", {"entries": entries, "atomic": False})
    assert [each["status"] for each in found["results"]] == [200, ENDS[end][0], 200]
    assert made() == ["one", "more", "three", "more"]


@pytest.mark.parametrize("way", WAYS)
def test_a_repeated_request_gets_the_values(client, way):
    for end in (*ENDS, "good"):
        body = {"names": ["one", end], "way": way}
        key = {"Idempotency-Key": f"{way}-{end}".replace(" ", "_")}
        first, second = (client.simulate_post("/lazies", json=body, headers=key) for _ in "12")
        assert first.status_code == second.status_code == ENDS.get(end, (200,))[0]
        if end == "good":
            assert second.headers["idempotency-replayed"] == "true"
            assert first.text == second.text
    assert made() == ["one", "good"]


def test_a_generator_may_be_a_get(client):
    client.ask("POST", "/lazies", {"names": ["one", "two"], "way": "map"})
    from modules.lazies.models import Thing

    ids = [each.id for each in Thing.select().order_by(Thing.id)]
    assert [each["name"] for each in client.get("/lazies", ids=",".join(map(str, ids)))] == ["one", "two"]
    client.get("/lazies", ids=f"{ids[0]},999999", status=404)
    assert client.get("/lazies") == []


@pytest.mark.parametrize("name", ["post", "put", "patch_all", "delete", "post_more", "delete_all"])
def test_a_generator_that_writes_is_refused(serve, folder, write, name, caplog):
    write("lazies/class/api_lazies.py", GENERATOR.replace("{name}", name))
    client = serve(modules=str(folder)).client()
    client.get("/lazies", status=501)
    assert "lazies/class/api_lazies.py:7 can't be loaded: Lazies." in caplog.text
    assert "`yield`" in caplog.text
    assert "return" in caplog.text


@pytest.mark.parametrize("name", ["index", "get", "get_all", "of_today"])
def test_a_generator_that_reads_is_served(serve, folder, write, name):
    write("lazies/class/api_lazies.py", GENERATOR.replace("{name}", name).replace("-> list", "-> object"))
    path = {"index": "", "get": "", "get_all": "/all", "of_today": "/of_today"}[name]
    assert serve(modules=str(folder)).client().get(f"/lazies{path}") == [1]


def test_an_iterator_is_read_once_whatever_is_beside_it():
    """A text or a number that needs a second attempt would find the iterator at its end."""
    made = json.loads(to_json([map(str.upper, "xy"), {"a": (n for n in range(2)), "b": "\udce4"}, 2**70, iter(())]))
    assert made == [["X", "Y"], {"a": [0, 1], "b": "?"}, 2**70, []]
