"""What an author may write, a disk hold or a client send to trouble the explorer."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.usefixtures("without_natives")


INDEX, WHOLE = "/explorer/index.json", "/explorer/openapi.json"

ODD = '''
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, Generic, Literal, TypedDict, TypeVar

from core import Api, Part

from ..models import Family

Kind = TypeVar("Kind")


class Colour(enum.Enum):
    RED = 1


class Node(TypedDict):
    name: str
    child: Node


class Box(TypedDict, Generic[Kind]):
    inside: list[Box[Kind]]


class Odd(Api):
    """Types that hardly anybody writes.

    :access: public
    """

    {method}
'''

MODELS = """
import peewee

from core import Model


class Family(Model):
    kids = peewee.TextField(default="")

    class Meta:
        table_name = "llx_family"
"""

#: what a method may look like → what is told of its answer, its parameter or its body
METHODS = {
    "a literal with nothing in it": (
        'def index(self) -> Literal["a", None]: return None',
        "answer",
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
    ),
    "a literal of several types": (
        'def index(self, x: Literal[1, "a", True] = 1) -> int: return 1',
        "parameter",
        {
            "anyOf": [
                {"type": "integer", "enum": [1]},
                {"type": "string", "enum": ["a"]},
                {"type": "boolean", "enum": [True]},
            ]
        },
    ),
    "a literal of an enumeration": ("def index(self) -> Literal[Colour.RED]: return 1", "answer", {}),
    "a literal of bytes": ('def index(self) -> Literal[b"x"]: return 1', "answer", {}),
    "a default that is no number": (
        'def index(self, x: float = float("nan")) -> int: return 1',
        "parameter",
        {"type": "number"},
    ),
    "a shape that holds itself": (
        "def post(self, request_data: Node) -> int: return 1",
        "body",
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "child": {"type": "object"}},
            "required": ["child", "name"],
        },
    ),
    "a generic shape that holds itself": (
        "def index(self) -> Box[int]: return {}",
        "answer",
        {
            "type": "object",
            "properties": {"inside": {"type": "array", "items": {"type": "object"}}},
            "required": ["inside"],
        },
    ),
}


@pytest.fixture
def admin(serve, folder):
    served = serve(modules=str(folder))
    client = served.client()
    client.served = served
    return client


def odd(write, method):
    write("odd/models.py", MODELS)
    write("odd/class/api_odd.py", ODD.replace("{method}", method))


def operations(client, path="/explorer/openapi/odd.json"):
    """Verb and path → what is said of an operation."""
    paths = client.get(path)["paths"]
    return {f"{verb.upper()} {path}": said for path, verbs in paths.items() for verb, said in verbs.items()}


def own_parameters(said):
    """The parameters of an operation, without the header that all operations have."""
    return [each for each in said["parameters"] if each.get("$ref") != "#/components/parameters/Prefer"]


def inlined(schema, document):
    """A schema with components in place of references, without defaults and the names of values."""
    if isinstance(schema, list):
        return [inlined(each, document) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inlined(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document)
    left_out = ("default", "x-enum-varnames")
    return {key: inlined(each, document) for key, each in schema.items() if key not in left_out}


@pytest.mark.parametrize("name", METHODS)
def test_odd_types_are_told_as_far_as_they_can_be(admin, write, name):
    method, place, expected = METHODS[name]
    odd(write, method)
    (said,) = operations(admin).values()
    found = {
        "answer": lambda: said["responses"]["200"]["content"],
        "body": lambda: said["requestBody"]["content"],
        "parameter": lambda: {"application/json": said["parameters"][0]},
    }[place]()
    assert inlined(found["application/json"]["schema"], admin.get("/explorer/openapi/odd.json")) == expected


def test_an_operation_that_cannot_be_told_hides_no_other(admin, write):
    method = """def get(self, id: int, half: str = "\\ud800") -> int:
        '''Half a letter.'''
        return 1

    def fine(self, x: int) -> int:
        return 1"""
    odd(write, method)
    said = operations(admin)
    assert set(said) == {"GET /odd/fine", "GET /odd/{id}"}
    assert [each["schema"] for each in own_parameters(said["GET /odd/fine"])] == [{"type": "integer"}]
    assert said["GET /odd/{id}"]["summary"] == "Half a letter"
    parameters = {each["name"]: each["schema"] for each in own_parameters(said["GET /odd/{id}"])}
    assert parameters.keys() == {"id", "half"}
    assert parameters["half"]["default"] == "?"


def test_a_record_in_a_record_of_its_own_kind_has_an_example(admin, write):
    odd(write, 'def post(self, request_data: Annotated[dict, Family, Part("sons", Family)]) -> int: return 1')
    content = operations(admin)["POST /odd"]["requestBody"]["content"]["application/json"]
    assert content["example"] == {"kids": "text", "sons": [{}]}


def test_a_limit_of_a_billion_letters_makes_no_example_of_them(admin, write):
    odd(write, 'def post(self, a: str) -> int:\n        """X.\n\n        :param a: much {@min 1000000000}\n        """')
    content = operations(admin)["POST /odd"]["requestBody"]["content"]["application/json"]
    assert content["schema"]["properties"]["a"]["minLength"] == 10**9
    assert len(content["example"]["a"]) <= 1000


def test_a_number_and_a_word_of_one_name_are_both_told(admin, write):
    method = '''def one(self, id: int) -> str:
        """By number.

        :url: GET {id}
        """
        return "number"

    def two(self, id: str) -> str:
        """By word.

        :url: GET {id}
        """
        return "word"'''
    odd(write, method)
    said = operations(admin)
    assert {path: each["parameters"][0]["schema"]["type"] for path, each in said.items()} == {
        "GET /odd/{id}": "integer",
        "GET /odd/{id_}": "string",
    }
    assert [each["parameters"][0]["name"] for each in said.values()] == ["id", "id_"]
    assert (admin.get("/odd/7"), admin.get("/odd/seven")) == ("number", "word")


def test_two_lists_may_mean_different_things_by_a_name(admin, write):
    for name, kind, default in (("aaa", "int", "5"), ("bbb", "str", '"five"')):
        write(
            f"{name}/class/api_{name}.py",
            f"from dataclasses import dataclass\n\nfrom core import Api\n\n\n@dataclass\nclass Ways:\n"
            f"    colour: {kind} = {default}\n\n\nclass {name.title()}(Api):\n"
            f"    def index(self, ways: Ways) -> int:\n        return 1\n",
        )
    whole = admin.get(WHOLE)

    def type_of(path):
        (each,) = own_parameters(whole["paths"][path]["get"])
        said = whole["components"]["parameters"][each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        return str(said["schema"]["type"])

    assert (type_of("/aaa"), type_of("/bbb")) == ("integer", "string")


TRANSITIONS = 'transitions = (Transition("draft", 1, object()),)\n\n    def index(self) -> int: return 1'


def test_transitions_are_words(admin, write):
    text = ODD.replace("{method}", TRANSITIONS).replace("Part\n", "Part, Transition\n")
    write("odd/models.py", MODELS)
    write("odd/class/api_odd.py", text)
    (failure,) = [each for each in admin.get(INDEX)["failures"] if each["name"] == "odd"]
    assert failure["reason"].startswith("Odd.transitions: expected Transition(source, name, target), got Transition(")


def test_half_letters_in_docstrings_errors_and_file_names_are_told(admin, write, folder):
    said = 'class {}:\n    def index(self):\n        """X \\udfff y."""\n'
    write("one/class/api_one.py", said.format("One"))
    write("bad/class/api_bad.py", said.format("Bad") + "1 / 0")
    write("two/class/api_two.py", 'raise ValueError("half \\udc80 a letter")')
    os.mkdir(os.fsencode(folder) + b"/d\xe9vis")
    index = admin.get(INDEX)
    told = {each["name"]: each for each in index["failures"]}
    assert told["bad"]["methods"][0]["summary"] == "X ? y."
    (listed,) = [each for each in index["services"] if each["name"] == "one"]
    assert listed["operations"][0]["summary"] == "X ? y."
    assert told["two"]["reason"] == "ValueError: half ? a letter"
    assert f"{folder}/d?vis" in [each["file"] for each in index["skipped"]]
    assert f"{folder}/d?vis" in [each["file"] for each in admin.get("/explorer/modules")["files"]]
    assert admin.ask("GET", "/two", status=501)["error"]["cause"] == "ValueError: half ? a letter"


# HTTP ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("gzip", "gzip"),
        ("GZIP;q=0.5, identity", "gzip"),
        ("gzip;q=0", None),
        ("deflate, gzip ; q=0.000", None),
        ("x-gzip-not", None),
        ("", None),
    ],
)
def test_what_is_refused_is_not_compressed(admin, header, encoding):
    answer = admin.simulate_get(INDEX, headers={"Accept-Encoding": header})
    assert (answer.status_code, answer.headers.get("Content-Encoding")) == (200, encoding)


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [("/", "explorer/"), ("/api/index.php", "index.php/explorer/"), ("/api/index.php/", "explorer/")],
)
def test_the_entrance_leads_below_where_one_came_in(admin, path, leads_to):
    assert admin.simulate_get(path).headers["Location"] == leads_to


# Cost ----------------------------------------------------------------------------------------------------------------


def test_the_document_of_a_service_says_which_description_it_is_of(admin, write):
    def tags():
        (listed,) = [each["tag"] for each in admin.get(INDEX)["services"] if each["name"] == "odd"]
        return listed, admin.get("/explorer/openapi/odd.json")["info"]["x-tag"]

    odd(write, "def index(self) -> int: return 1")
    first = tags()
    odd(write, "def index(self) -> str: return 1")
    second = tags()
    assert first[0] == first[1] != second[0] == second[1]


def test_threads_that_ask_while_files_change_see_whole_answers(admin, write):
    odd(write, "def index(self) -> int: return 1")
    with ThreadPoolExecutor(4) as pool:

        def ask(path):
            return int(admin.simulate_get(path).status_code)

        for number in range(8):
            asked = [pool.submit(ask, path) for path in (INDEX, WHOLE, "/explorer/openapi/odd.json", INDEX)]
            odd(write, f"def index(self, p{number}: int = 1) -> int: return 1")
            assert {each.result() for each in asked} == {200}
    admin.get(INDEX)  # has a look at the disk, at once
    (parameter,) = own_parameters(operations(admin)["GET /odd"])
    assert parameter["name"] == "p7"
