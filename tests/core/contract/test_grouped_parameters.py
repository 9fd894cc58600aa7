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
