"""A dataclass as annotation: its fields are parameters of the query, or of the body where the verb has one."""

import pytest

pytestmark = pytest.mark.usefixtures("without_natives")

API = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Brew:
    """How tea is made.

    :param cups: how many {@min 1} {@max 9}
    :param sort: which tea
    """

    cups: int
    sort: str = "green"


class Teas:
    """Tea.

    :access: public
    """

    def index(self, brew: Brew) -> list:
        """Ask."""
        return [brew.cups, brew.sort]

    def post(self, brew: Brew) -> list:
        """Make."""
        return [brew.cups, brew.sort]
'''


def test_the_fields_come_from_the_query_or_the_body(serve, folder, write):
    write("tea/class/api_teas.py", API)
    served = serve(modules=str(folder))
    client = served.client(None)
    assert client.get("/teas", cups=2, sort="black") == [2, "black"]
    assert client.ask("POST", "/teas", {"cups": 3}) == [3, "green"]
    error = client.ask("POST", "/teas", {"cups": 10, "sort": []}, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {"cups", "sort"}
    document = served.client().get("/explorer/openapi/teas.json")
    body = document["paths"]["/teas"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(
        body.get("properties") or document["components"]["schemas"][body["$ref"].rpartition("/")[2]]["properties"]
    ) == {
        "cups",
        "sort",
    }


ODD = '''
from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass, field

from .forms import Page


@dataclass
class Wanted(Page):
    """What is wanted.

    :param tags: texts
    """

    tags: list[str] = field(default_factory=list)
    area: int = field(init=False, default=0)
    _: KW_ONLY
    unit: str = "m"
    factor: InitVar[int] = 2

    def __post_init__(self, factor):
        self.area = self.page * factor
        self.tags.append(self.unit)


class Teas:
    """Tea.

    :access: public
    """

    def index(self, wanted: Wanted) -> list:
        """Ask."""
        return [wanted.page, wanted.tags, wanted.area]
'''
FORMS = '''
from dataclasses import dataclass

Number = int


@dataclass
class Page:
    """A page.

    :param page: its number {@max 9}
    """

    page: "Number" = 1
'''


def test_a_dataclass_is_made_as_python_makes_it(serve, folder, write):
    write("tea/class/forms.py", FORMS)
    write("tea/class/api_teas.py", ODD)
    client = serve(modules=str(folder)).client()
    for _ in range(2):
        # Each call has its own list
        assert client.get("/teas") == [1, ["m"], 2]
    assert client.get("/teas", page=3, tags="a,b", unit="km", factor=5) == [3, ["a", "b", "km"], 15]
    client.get("/teas", page=10, status=400)
    assert client.get("/teas", area=9, handling="strict") == [1, ["m"], 2]
