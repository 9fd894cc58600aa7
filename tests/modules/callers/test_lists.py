"""How many records of each list a caller sees, in each format.

`lists.tsv` has a row for each list with records of customers. A cell has three numbers of rows: those of the first
customer, of the second customer, and of the company itself. A refused list has its status instead.
"""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from core.contract.catalogue import catalogue
from core.web.sheets import CSV, LINES, XLSX
from tests.modules.callers.world import HIDDEN, INTERNAL, OWN

EXPECTED = Path(__file__).parent / "lists.tsv"
LIMITED = ("external", "representative")
#: `Visible-Records` of a list in which rows of customers are hidden
OF_CUSTOMERS = {
    "external": "those of the user's own third party",
    "representative": "those of third parties that the user represents; the permission thirdparties.all shows all",
}
#: paths without any record of a customer, or with all changes of all of them
NOT_ABOUT_CUSTOMERS = ("/explorer", "/setup", "/dictionaries", "/audit")
#: lists that show the company's own records to each internal user with the permission, whichever customers they see
OF_THE_COMPANY = ("/bankaccounts", "/jobs", "/stockmovements", "/users")


@pytest.fixture(scope="module")
def lists(world):
    """The path of each list, with the IDs of both customers and of the company for its variables, and its operation."""
    found = {}
    for each in catalogue().operations:
        variables = [one.name for one in each.inputs if one.place == "path"]
        for value in (1, 2, 3, 4, OWN, HIDDEN) if variables else ("",):
            path = re.sub(r"\{(\w+)\}", "customer" if "{type}" in each.template else str(value), each.template, count=1)
            path = re.sub(r"\{(\w+)\}", str(value), path)
            if each.verb == "GET" and not each.template.startswith(NOT_ABOUT_CUSTOMERS):
                answer = world.admin.simulate_get(path)
                kind = answer.headers.get("Content-Type", "")
                if (
                    answer.status_code == 200
                    and not path.endswith("/history")
                    and kind.startswith("application/json")
                    and isinstance(answer.json, list)
                ):
                    found[path] = each
    assert len(found) > 60
    return found


def is_streamed(operation):
    """Return whether `all=1` returns all rows of a list."""
    return any(each.name == "all" and each.group for each in operation.inputs)


def ids_of(rows):
    return [int(each["id"] if isinstance(each, dict) else each) for each in rows]


def owner_of(row):
    """Return 1 for a row of the first customer, 2 for the second, and 0 for the company's own."""
    known = [row.get(name) for name in ("fourn_id", "id")] if isinstance(row, dict) else [row]
    ids = [int(each) for each in known if str(each).isdecimal()]
    return next((1 + (each >= HIDDEN) for each in ids if OWN <= each < INTERNAL), 0)


def seen(client, path):
    """Return the three numbers of rows that a caller sees, or the status of a refusal."""
    answer = client.simulate_get(path, params={"limit": 1000})
    if answer.status_code != 200:
        return str(answer.status_code)
    owners = [owner_of(each) for each in answer.json]
    return f"{owners.count(1)} {owners.count(2)} {owners.count(0)}"


def test_each_caller_sees_the_rows_of_the_table(world, lists):
    rows, others = [["list", *world.callers]], []
    for path in lists:
        cells = [seen(client, path) for client in world.callers.values()]
        if not cells[0].startswith("0 0 "):
            rows.append([path, *cells])
        elif len({*cells} - {"401", "404"}) > 1 and not path.startswith(OF_THE_COMPANY):
            others.append((path, cells))
    assert others == []
    with EXPECTED.open(encoding="utf-8", newline="") as lines:
        assert rows == [*csv.reader(lines, delimiter="\t")]


def test_a_list_that_hides_rows_has_the_header(world, lists):
    wrong = []
    for path in lists:
        every = len(world.admin.get(path, limit=1000))
        for who, client in world.callers.items():
            answer = client.simulate_get(path, params={"limit": 1000})
            if answer.status_code == 200 and who not in LIMITED and "Visible-Records" in answer.headers:
                wrong.append((who, path, answer.headers["Visible-Records"]))
            hides = answer.status_code == 200 and len(answer.json) < every and not path.startswith(OF_THE_COMPANY)
            if hides and answer.headers.get("Visible-Records") != OF_CUSTOMERS[who]:
                wrong.append((who, path, answer.headers.get("Visible-Records")))
    assert wrong == []


def test_a_history_is_that_of_the_administrator_or_not_there(world):
    """Internal users have it if they may read the record; external users have none."""
    services = ("thirdparties", "contacts", "proposals", "orders", "invoices", "shipments")
    for service in services:
        for record in (OWN, HIDDEN):
            path = f"/{service}/{record}/history"
            whole = [each["id"] for each in world.admin.get(path)]
            assert whole
            world.callers["external"].get(path, status=404)
            if record == OWN:
                assert [each["id"] for each in world.callers["representative"].get(path)] == whole
            else:
                world.callers["representative"].get(path, status=404)
            if service == "invoices":
                assert [each["id"] for each in world.callers["invoices"].get(path)] == whole
            else:
                world.callers["invoices"].get(path, status=401)
            world.callers["none"].get(path, status=401)


def ids_in(answer, media_type):
    """Return the IDs in an export."""
    if media_type == LINES:
        return ids_of(json.loads(line) for line in answer.text.splitlines())
    if media_type == CSV:
        return ids_of(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    with zipfile.ZipFile(io.BytesIO(answer.content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    return [int(value) for row, value in re.findall(r'<c r="A(\d+)"[^>]*><v>([^<]*)</v>', sheet) if row != "1"]


@pytest.mark.parametrize("media_type", [CSV, LINES, XLSX])
def test_an_export_has_the_rows_of_the_list(world, lists, media_type):
    compared = 0
    for path, operation in lists.items():
        if not is_streamed(operation):
            continue
        for who, client in world.callers.items():
            answer = client.simulate_get(path, params={"limit": 1000})
            export = client.simulate_get(path, params={"all": 1}, headers={"Accept": media_type})
            assert export.status_code == answer.status_code, (who, path)
            if answer.status_code == 200:
                assert ids_in(export, media_type) == ids_of(answer.json), (who, path, media_type)
                assert export.headers.get("Visible-Records") == answer.headers.get("Visible-Records"), (who, path)
                compared += bool(answer.json)
    assert compared > 50
