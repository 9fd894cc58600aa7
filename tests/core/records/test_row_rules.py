"""A module's own row rule, in every way in: what one may not see does not exist, and nothing tells that it does."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import pytest

from core.testing import Client, serving

from .timesheets import number_of, write_timesheets

RIGHTS = ("documents.read", "documents.write", "documents.delete", "timesheets.read", "timesheets.delete")
NOWHERE = 999999


@dataclass
class World:
    """Anna and Ben, a sheet and an entry of each, and an entry of a sheet of Ben's that is shared."""

    anna: Client
    ben: Client
    of_anna: int
    of_ben: int
    shared: int
    entry_of_anna: int
    entry_of_ben: int
    entry_of_shared: int


@pytest.fixture(scope="module")
def worked(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("worked")
    with serving(folder, kind, modules=write_timesheets(folder / "outside")) as served:
        yield served


@pytest.fixture(scope="module")
def admin(worked):
    return worked.client()


@pytest.fixture(scope="module")
def world(worked, admin):
    anna, ben = worked.user(*RIGHTS), worked.user(*RIGHTS)
    sheets = [
        admin.ask("POST", "/timesheets", {"user": number_of(user), "ref": ref, "hours": hours})
        for user, ref, hours in ((ben, "B", 8), (anna, "A", 7), (ben, "team-wide", 6))
    ]
    entries = [admin.ask("POST", "/sheetentries", {"sheet": sheet, "task": "t"}) for sheet in sheets]
    return World(anna, ben, sheets[1], sheets[0], sheets[2], entries[1], entries[0], entries[2])


def ids(rows):
    return sorted(row["id"] for row in rows)


FILTERS = (
    "", "(t.id:>:0)", "(t.id:>:0) or (t.id:<:0)", "not (t.id:=:0)", "(t.user:>:0) or (t.ref:is:NULL)", "(t.hours:<:100)"
)  # fmt: skip


@pytest.mark.parametrize("filters", FILTERS)
def test_a_list_holds_one_s_own_whatever_is_asked(world, filters):
    assert ids(world.anna.get("/timesheets", sqlfilters=filters)) == [world.of_anna]
    assert ids(world.anna.get("/timesheets", sqlfilters=filters, sortfield="t.hours", limit=0)) == [world.of_anna]
    wrapped = world.ben.get("/timesheets", sqlfilters=filters, pagination_data="true")
    assert (ids(wrapped["data"]), wrapped["pagination"]["total"]) == (sorted([world.of_ben, world.shared]), 2)
    answer = world.anna.simulate_get("/timesheets", params={"sqlfilters": filters, "count": "true", "limit": 1})
    assert answer.headers["x-total-count"] == "1"
    assert "x-next-cursor" not in answer.headers
    assert ids(world.anna.get("/timesheets/all")) == [world.of_anna]


def test_a_cursor_and_properties_show_nothing_more(admin, world):
    cursor = admin.simulate_get("/timesheets", params={"limit": 1}).headers["x-next-cursor"]
    assert ids(world.anna.get("/timesheets", after=cursor)) == [world.of_anna]
    assert world.anna.get("/timesheets", properties="ref,hours") == [{"ref": "A", "hours": "7.00"}]
    assert world.anna.get("/timesheets", page=1) == []


@pytest.mark.parametrize(
    "accept", ["text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"], ids=["csv", "xlsx"]
)
def test_a_sheet_of_a_table_holds_one_s_own(admin, world, accept):
    def told(client):
        content = client.simulate_get("/timesheets", headers={"Accept": accept}).content
        if accept == "text/csv":
            return content.decode()
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            return "".join(book.read(name).decode() for name in book.namelist())

    assert "team-wide" in told(admin)
    assert "team-wide" not in told(world.anna)


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("GET", "/timesheets/{}", None),
        ("PUT", "/timesheets/{}", {"ref": "stolen"}),
        ("PUT", "/timesheets/{}", {}),
        ("DELETE", "/timesheets/{}", None),
        ("GET", "/documents?modulepart=timesheets&id={}", None),
        ("GET", "/documents/download?modulepart=timesheets&original_file={}/a.txt", None),
        ("DELETE", "/documents?modulepart=timesheets&original_file={}/a.txt", None),
    ],
)
def test_what_one_may_not_see_does_not_exist(admin, world, verb, path, body):
    file = {"filename": "a.txt", "modulepart": "timesheets", "filecontent": "x", "overwriteifexists": 1}
    admin.ask("POST", "/documents/upload", file | {"ref": str(world.of_ben)})
    hidden = world.anna.refused(verb, path.format(world.of_ben), body, status=404)
    missing = world.anna.refused(verb, path.format(NOWHERE), body, status=404)
    assert hidden.replace(f" {world.of_ben} ", " # ") == missing.replace(f" {NOWHERE} ", " # ")
    assert admin.get(f"/timesheets/{world.of_ben}")["ref"] == "B"
    assert len(admin.get("/documents", modulepart="timesheets", id=world.of_ben)) == 1


def test_a_file_cannot_be_left_with_somebody_else(world):
    file = {"filename": "b.txt", "modulepart": "timesheets", "filecontent": "x"}
    world.anna.refused("POST", "/documents/upload", file | {"ref": str(world.of_ben)}, status=404)
    assert world.anna.ask("POST", "/documents/upload", file | {"ref": str(world.of_anna)}) == "b.txt"


def test_one_s_own_is_there_in_every_way(world):
    assert world.anna.get(f"/timesheets/{world.of_anna}")["hours"] == "7.00"
    assert world.anna.ask("PUT", f"/timesheets/{world.of_anna}", {"hours": 7})["ref"] == "A"
    made = world.anna.ask("POST", "/timesheets", {"user": number_of(world.anna)})
    assert world.anna.ask("DELETE", f"/timesheets/{made}") == 1


def test_a_rule_leads_over_a_record_in_between(world):
    assert ids(world.anna.get("/sheetentries")) == sorted([world.entry_of_anna, world.entry_of_shared])
    assert ids(world.ben.get("/sheetentries")) == sorted([world.entry_of_ben, world.entry_of_shared])
    world.anna.refused("GET", f"/sheetentries/{world.entry_of_ben}", status=404)
    assert world.anna.get(f"/sheetentries/{world.entry_of_shared}")["sheet"] == world.shared


def test_a_body_cannot_name_the_unseen(world):
    for verb, path in (
        ("POST", "/sheetbills"),
        ("POST", "/sheetentries"),
        ("PUT", f"/sheetentries/{world.entry_of_anna}"),
    ):
        message = world.anna.refused(verb, path, {"sheet": world.of_ben}, status=404)
        assert message == f"Not Found: Sheet {world.of_ben} not found"
    bill = world.anna.ask("POST", "/sheetbills", {"sheet": world.of_anna})
    world.anna.refused("PUT", f"/sheetbills/{bill}", {"sheet": world.of_ben}, status=404)
    assert world.ben.get(f"/sheetbills/{bill}")["sheet"] == world.of_anna


def test_who_is_seen_to_see_all_does(worked, admin, world):
    every = sorted([world.of_anna, world.of_ben, world.shared])
    for client in (admin, worked.user("timesheets.approve")):
        assert ids(client.get("/timesheets")) == every
        assert client.get(f"/timesheets/{world.of_ben}")["ref"] == "B"
    restricted = worked.user(admin=True, only=["timesheets.read"])
    assert restricted.get("/timesheets") == []
    restricted.refused("GET", f"/timesheets/{world.of_ben}", status=404)


def test_nobody_and_guests_see_nothing(worked, admin, world):
    third = admin.ask("POST", "/thirdparties", {"name": "Guest"})
    for client in (worked.client(None), worked.user("timesheets.approve", socid=third)):
        assert client.get("/timesheets") == client.get("/sheetentries") == []
        client.refused("GET", f"/timesheets/{world.of_anna}", status=404)
        client.refused("POST", "/sheetbills", {"sheet": world.of_anna}, status=404)


def test_dependent_rows_go_with_the_record(worked, admin):
    leaver = worked.user()
    sheet = admin.ask("POST", "/timesheets", {"user": number_of(leaver)})
    bill = admin.ask("POST", "/sheetbills", {"sheet": sheet})
    assert "is used by 1 bill" in admin.refused("DELETE", f"/timesheets/{sheet}", status=405)
    admin.ask("DELETE", f"/sheetbills/{bill}")
    entry = admin.ask("POST", "/sheetentries", {"sheet": sheet})
    admin.ask("DELETE", f"/timesheets/{sheet}")
    admin.refused("GET", f"/sheetentries/{entry}", status=404)
    gone = admin.ask("POST", "/timesheets", {"user": number_of(leaver)})
    admin.ask("DELETE", f"/users/{number_of(leaver)}")
    admin.refused("GET", f"/timesheets/{gone}", status=404)


def test_of_two_rules_both_hold(worked, admin):
    here, there = (admin.ask("POST", "/thirdparties", {"name": name}) for name in ("Here", "There"))
    carl, dora = worked.user(represents=[here]), worked.user("thirdparties.all")
    chief, guest = worked.user("timesheets.approve", represents=[there]), worked.user(socid=here)
    made = {
        (visitor, third): admin.ask("POST", "/sheetvisits", {"user": number_of(visitor), "socid": third})
        for visitor in (carl, dora, guest)
        for third in (here, there, None)
    }
    seen = {
        carl: [(carl, here), (carl, None)],
        dora: [(dora, here), (dora, there), (dora, None)],
        chief: [(who, third) for who in (carl, dora, guest) for third in (there, None)],
        guest: [(guest, here)],
        admin: list(made),
    }
    for client, pairs in seen.items():
        expected = sorted(made[pair] for pair in pairs)
        assert ids(client.get("/sheetvisits")) == expected
        assert ids(client.get("/sheetvisits", sqlfilters="(t.user:>:0) or (t.socid:is:NULL)")) == expected
        for identifier in made.values():
            client.get(f"/sheetvisits/{identifier}", status=200 if identifier in expected else 404)
