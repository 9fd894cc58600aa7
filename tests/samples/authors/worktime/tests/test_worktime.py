"""Working time over HTTP, on every database that is there."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.testing import DATABASE_KINDS, Client, Served, serving, why_unavailable

MODULES = Path(__file__).resolve().parents[2]
HEAD = "day,hours,activity,project,note\n"


@pytest.fixture(scope="module", params=DATABASE_KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with this module and an empty database."""
    if reason := why_unavailable(request.param):
        pytest.skip(reason)
    with serving(tmp_path_factory.mktemp("data"), modules=str(MODULES), kind=request.param) as served:
        yield served


def worker(server: Served) -> Client:
    """Somebody who notes hours."""
    return server.user("worktime.read", "worktime.write", "worktime.delete")


def approver(server: Served) -> Client:
    """Somebody who sees and approves them."""
    return server.user("worktime.read", "worktime.approve")


def project(server: Served, code: str) -> int:
    """A new project."""
    return server.client().ask("POST", "/worktimeprojects", {"code": code})


def upload(client: Client, path: str, text: str, status: int = 200) -> Any:
    """Send a CSV file; what is answered."""
    body = f'--x\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n{text}\r\n--x--\r\n'
    answer = client.simulate_post(path, body=body, headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert answer.status_code == status, answer.text[:600]
    return answer.json


def test_entries_are_seen_by_their_owners(server: Served) -> None:
    """Others find nothing, who approves finds all."""
    anna, ben = worker(server), worker(server)
    made = anna.ask("POST", "/worktime", {"day": "2026-11-20", "hours": "7.5", "user": ben.user_id})
    assert anna.get(f"/worktime/{made}")["user"] == anna.user_id
    assert ben.get("/worktime") == []
    ben.refused("PATCH", f"/worktime/{made}", {"hours": 1}, status=404)
    assert approver(server).get(f"/worktime/{made}")["hours"] == "7.5000"


def test_what_is_wrong_with_an_entry_is_told_at_once(server: Served) -> None:
    """Hours out of range, a project that is unknown, another activity."""
    answer = worker(server).ask("POST", "/worktime", {"hours": 25, "project": 999, "activity": "sleep"}, status=400)
    assert {each["field"] for each in answer["error"]["errors"]} >= {"day", "project", "activity"}
    worker(server).refused("POST", "/worktime", {"day": "2026-11-20", "hours": "0.1"}, status=400)


def test_an_activity_stands_once_a_day(server: Served) -> None:
    """No two entries of one user, day and activity."""
    anna, entry = worker(server), {"day": "2026-11-20", "hours": 1, "activity": "travel"}
    anna.ask("POST", "/worktime", entry)
    assert "together" in anna.refused("POST", "/worktime", entry, status=405)
    worker(server).ask("POST", "/worktime", entry)


def test_an_approved_entry_stays(server: Served) -> None:
    """It is neither changed nor deleted, nor approved twice."""
    anna, boss = worker(server), approver(server)
    made = anna.ask("POST", "/worktime", {"day": "2026-11-20", "hours": 1})
    anna.refused("POST", f"/worktime/{made}/approve", status=401)
    assert boss.ask("POST", f"/worktime/{made}/approve")["approved"] is True
    assert "approved already" in boss.refused("POST", f"/worktime/{made}/approve", status=405)
    assert "cannot be changed" in anna.refused("PATCH", f"/worktime/{made}", {"hours": 2}, status=405)
    assert "cannot be deleted" in anna.refused("DELETE", f"/worktime/{made}", status=405)


def test_a_project_with_entries_stays_and_a_user_may_go(server: Served) -> None:
    """Hours outlive their user, and hold their project."""
    anna, named = worker(server), project(server, "HELD")
    made = anna.ask("POST", "/worktime", {"day": "2026-11-20", "hours": 1, "project": named})
    server.client().refused("DELETE", f"/worktimeprojects/{named}", status=405)
    server.client().ask("DELETE", f"/users/{anna.user_id}")
    assert approver(server).get(f"/worktime/{made}")["user"] is None


def test_sums_are_exact_and_of_what_one_sees(server: Served) -> None:
    """By user, project, month and activity."""
    anna, ben, named = worker(server), worker(server), project(server, "SUMS")
    for day, hours in (("2026-10-31", "0.25"), ("2026-11-01", "7.35"), ("2026-11-02", "8.05")):
        anna.ask("POST", "/worktime", {"day": day, "hours": hours, "project": named})
    ben.ask("POST", "/worktime", {"day": "2026-11-01", "hours": 2, "project": named})
    assert anna.get("/worktime/sums") == [{"user": anna.user_id, "entries": 3, "hours": "15.6500"}]
    assert anna.get("/worktime/sums", by="month") == [
        {"month": "2026-10", "entries": 1, "hours": "0.2500"},
        {"month": "2026-11", "entries": 2, "hours": "15.4000"},
    ]
    assert anna.get("/worktime/sums", by="activity", begin="2026-11-02")[0]["hours"] == "8.0500"
    assert {"project": named, "entries": 4, "hours": "17.6500"} in approver(server).get("/worktime/sums", by="project")


def lines(count: int, named: int) -> list[str]:
    """Lines of a file, all of them right."""
    return [f"{date(2000, 1, 1) + timedelta(number)},7.25,work,{named},x" for number in range(count)]


def test_a_thousand_lines_or_none(server: Served) -> None:
    """Each wrong line is told with its number, field and reason, and nothing is written."""
    anna, named = worker(server), project(server, "FILE")
    anna.ask("POST", "/worktime", {"day": "2000-01-02", "hours": 1})
    wrong = lines(1000, named)
    wrong[10] = wrong[10].replace("7.25", "25")
    wrong[20] = wrong[20][10:]
    wrong[30] = wrong[30].replace(f",{named},", ",999,")
    wrong[40] = wrong[39]
    answer = upload(anna, "/worktime/import", HEAD + "\n".join(wrong), status=400)
    fields = [each["field"] for each in answer["error"]["errors"]]
    assert {"line 3.day", "line 12.hours", "line 22.day", "line 32.project", "line 42.day"} <= set(fields)
    assert "5 of 1000" in answer["error"]["message"] and len(anna.get("/worktime")) == 1
    assert upload(anna, "/worktime/import", HEAD + "\n".join(lines(1000, named)[2:])) == 998
    upload(anna, "/worktime/import", "day,huors\n2025-01-01,2", status=400)


def test_a_file_is_noted_in_the_background(server: Served) -> None:
    """The job tells how far it is, what it has noted, and what is wrong."""
    anna, named = worker(server), project(server, "LATER")
    for text, noted, wrong in ((lines(50, named), 50, 0), (lines(60, named), 0, 50)):
        made = upload(anna, "/worktime/import/later", HEAD + "\n".join(text), status=202)["job"]
        server.run_jobs()
        found = anna.get(f"/jobs/{made}")
        assert (found["state"], found["done"], found["total"]) == ("done", len(text), len(text))
        assert found["result"]["noted"] == noted
        assert len({field.split(".")[0] for field, reason in found["result"]["errors"]}) == min(wrong, 34)
    assert len(anna.get("/worktime", limit=100)) == 50
