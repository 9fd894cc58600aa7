"""A parameter that stands for a Python keyword: `from_` in the signature travels as `from`, wherever it comes from."""

import pytest

pytestmark = pytest.mark.usefixtures("without_natives")

API = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """From where.

    :param from_: where it begins {@max 3}
    """

    from_: str
    to: str = "end"


class Rates:
    """Rates.

    :access: public
    """

    def index(self, from_: str, to: str = "EUR") -> list:
        """Ask.

        :param from: the currency {@pattern /[A-Z]{3}/}
        """
        return [from_, to]

    def one(self, from_: int) -> int:
        """Ask for one.

        :url: GET one/{from_}
        :url: GET another/{from}
        :param from_: which
        """
        return from_

    def post(self, from_: str, to: str) -> list:
        """Tell."""
        return [from_, to]

    def span(self, span: Span) -> list:
        """Ask for a span.

        :url: GET span
        """
        return [span.from_, span.to]
'''


def test_it_travels_without_its_underscore(serve, folder, write):
    write("rates/class/api_rates.py", API)
    served = serve(modules=str(folder))
    client = served.client(None)
    assert client.simulate_get("/rates?from=USD").json == ["USD", "EUR"]
    assert client.get("/rates/one/7") == client.get("/rates/another/7") == 7
    assert client.ask("POST", "/rates", {"from": "USD", "to": "GBP"}) == ["USD", "GBP"]
    assert client.simulate_get("/rates/span?from=abc").json == ["abc", "end"]
    assert client.refused("GET", "/rates?from_=USD", status=400) == "Bad Request: `from` is required"
    assert client.refused("GET", "/rates?from=usd", status=400).startswith("Bad Request: `from`: expected text that")
    assert client.refused("GET", "/rates/span?from=abcd", status=400).startswith("Bad Request: `from`: expected at")
    paths = served.client().get("/explorer/openapi/rates.json")["paths"]
    (asked, _) = paths["/rates"]["get"]["parameters"][:2]
    assert (asked["name"], asked["description"]) == ("from", "the currency")
    assert {"/rates/one/{from}", "/rates/another/{from}"} <= set(paths)
    assert "from" in str(paths["/rates"]["post"]["requestBody"])
    assert "from_" not in str(paths)


def test_a_history_is_found_by_it(serve, folder, write):
    write(
        "tale/models.py",
        "import peewee\nfrom core import Model, Records\n\n\nclass Tale(Model):\n    id = peewee.AutoField()\n"
        "    name = peewee.CharField()\n\n\ntales = Records(Tale, service='tales', noun='Tale')\n",
    )
    write(
        "tale/class/api_tales.py",
        "from core import Api\nfrom ..models import tales\n\n\nclass Tales(Api):\n    '''Tales.'''\n\n    records = tales\n\n"
        "    def one(self, class_: int) -> dict:\n        '''One.\n\n        :url: GET {class}\n        '''\n"
        "        return tales.read(class_)\n\n    def post(self, request_data: dict) -> int:\n        '''New.'''\n"
        "        return tales.create(request_data)\n",
    )
    client = serve(modules=str(folder)).client()
    number = client.ask("POST", "/tales", {"name": "Ali"})
    assert client.get(f"/tales/{number}")["name"] == "Ali"
    assert [each["kind"] for each in client.get(f"/tales/{number}/history")] == ["created"]
    client.refused("GET", "/tales/99", status=404)
