"""The guide for who writes a client: every call of it answers as it says, in both profiles, and its links lead somewhere."""

import re
from decimal import Decimal

import pytest

from core.common.clock import as_if
from core.common.settings import settings
from core.contract.catalogue import catalogue
from explorer.guide_pages import guide_pages, module_pages
from tests.explorer.guide_calls import PLACEHOLDER, calls_of, run
from tests.moments import LEAP_DAY_END

LINK = re.compile(r"\]\((#[^)\s]*)\)")
#: what a page may use before a call has answered it
GIVEN = {"today", "seconds", "once"}


def page_of(client, name):
    answer = client.simulate_get(f"/explorer/guide/{name}")
    assert answer.status_code == 200, name
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    return answer.text


@pytest.fixture(params=["specification", "dolibarr16"])
def served(request, serve):
    return serve(profile_name=request.param)


def test_every_call_of_every_page_answers_as_the_page_says(served):
    """On an empty database, and again on what that has left; the explorer's pages are read without a key."""
    client, reader = served.client(), served.client(None)
    texts = {page.name: page_of(reader, page.name) for page in guide_pages()}
    texts |= {page.name: page_of(client, page.name) for page in module_pages(catalogue())}
    found = {name: calls_of(text) for name, text in texts.items()}
    assert len(found) >= 25
    for name, text in texts.items():
        assert len(found[name]) == text.count("```call"), f"a call of {name} cannot be read"
        assert "{{" not in text, name
        assert ("{specification}" in text, "{dolibarr16}" in text) == (False, False), name
    with as_if(LEAP_DAY_END):
        for _ in range(2):
            values = {name: run(calls, client) for name, calls in found.items()}
    walked = values["walk"]
    assert (walked["state"], Decimal(walked["total"]), Decimal(walked["remaining"])) == ("2", Decimal("275.77"), 0)
    assert values["batches"]["failed"] == "1"
    assert client.get(f"/invoices/{walked['invoice']}/payments")


def test_links_lead_to_operations_and_pages(served):
    shown = served.client().get("/explorer/index.json")
    operations = {f"#/{each['name']}/{one['id']}" for each in shown["services"] for one in each["operations"]}
    pages = {f"#//guide/{each['name']}" for each in shown["guide"]} | {
        f"#/{each['name']}" for each in shown["services"]
    }
    links = {link for each in shown["guide"] for link in LINK.findall(page_of(served.client(), each["name"]))}
    assert len(links) > 40
    assert links <= operations | pages | {"#/"}


def test_a_call_uses_only_what_an_earlier_one_answers(serve):
    """Or the page in the browser could not say which call is missing."""
    serve()
    for page in (*guide_pages(), *module_pages(catalogue())):
        known = set(GIVEN)
        for call in calls_of(page.told(settings(), ())):
            wanted = set(PLACEHOLDER.findall("\n".join([call.address, call.body, *call.headers.values()])))
            assert wanted <= known, f"{page.name}: {call.verb} {call.address}"
            known |= {each["name"] for each in call.keeps}
            assert set(call.ends) <= known
            known -= set(call.ends)


def test_the_list_of_pages_and_what_they_are_found_by(serve):
    client = serve(rate=600, max_page=50).client()
    guide = client.get("/explorer/index.json")["guide"]
    assert [each["name"] for each in guide][:3] == ["authenticate", "first-call", "lists"]
    assert [each["title"] for each in guide if "orders" in each.get("services", ())] == [
        "Orders and their invoices",
        "Shipping an order",
    ]
    for each in guide:
        assert each["title"], each
        assert each["summary"], each
        assert each["words"], each
    for page in (*guide_pages(), *module_pages(catalogue())):
        assert page.told(settings(), ()).count("\n") <= 80, page.name
    limits = page_of(client, "limits")
    assert "600 requests per minute" in limits
    assert "| 50 |" in limits
    answer = client.simulate_get("/explorer/guide/limits", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    again = client.simulate_get("/explorer/guide/limits", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    for name in ("nothing", "..%2fpage", ""):
        assert client.simulate_get(f"/explorer/guide/{name}").status_code == 404, name


MODULE_PAGE = """---
summary: How hours are noted
words: timesheet, hours
---
# Hours

A page holds {{max_page}} rows, and {{nothing}} stays. <b>No HTML</b>.

{{settings}}

{{settings stock}}
"""

SETTINGS = """
[settings.rounding]
type = "integer"
default = 15
min = 1
max = 60
help = "minutes that hours are rounded to"

[settings.mark]
default = "unseen"
secret = true

[settings.day]
choices = ["monday", "sunday"]
default = "monday"
"""
#: the rows of `hours`, then those of `stock`
TABLES = """
| name | values | default | meaning |
|---|---|---|---|
| `hours.rounding` | a number from 1 to 60 | `15` | minutes that hours are rounded to |
| `hours.mark` |  |  |  |
| `hours.day` | monday, sunday | `monday` |  |

| name | values | default | meaning |
|---|---|---|---|
| `STOCK_ALLOW_NEGATIVE_TRANSFER` | 0 or 1 | `1` | 0: stock can't become negative |
"""

HOURS = '''
class {}:
    """Hours."""

    def index(self) -> dict:
        """Read."""
        return {{}}
'''


def test_a_module_has_a_page_that_needs_a_key(serve, write, folder):
    """One that cannot be read costs nothing else, and none takes the place of the explorer's."""
    texts = {"hours": MODULE_PAGE, "lists": MODULE_PAGE, "spoilt": "# No lines before it\n"}
    for name, text in texts.items():
        write(f"{name}/class/api_{name}.py", HOURS.format(name.title()))
        write(f"{name}/guide.md", text)
    write("hours/module.toml", SETTINGS)
    served = serve(modules=str(folder), max_page=50)
    guide = served.client().get("/explorer/index.json")["guide"]
    (hours,) = (each for each in guide if each["name"] == "hours")
    assert (hours["title"], hours["services"]) == ("Hours", ["hours"])
    assert [each["title"] for each in guide if each["name"] in ("lists", "spoilt")] == ["Lists"]
    text = page_of(served.client(), "hours")
    assert "A page holds 50 rows, and {{nothing}} stays. <b>No HTML</b>." in text
    assert text.endswith(TABLES)
    assert "pagination_data" in page_of(served.client(None), "lists")
    assert served.client(None).simulate_get("/explorer/guide/hours").status_code == 401
    write("hours/guide.md", MODULE_PAGE.replace("# Hours", "# Hours noted"))
    write("hours/class/api_hours.py", HOURS.format("Hours") + "\n")
    again = served.client().get("/explorer/index.json")["guide"]
    (later,) = (each for each in again if each["name"] == "hours")
    assert later["title"] == "Hours noted"
    assert later["tag"] != hours["tag"]
