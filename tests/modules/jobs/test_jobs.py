"""Jobs over HTTP: who sees which, what they say, once more, deleted, and the schedules."""

import json
import time

import pytest

from core.for_natives import Job
from core.storage.database import ensure_connected
from core.testing import serving

JOBS = '''
from core import job, schedule


@job
def send(number: int, text: str = "") -> str:
    return text


@schedule("0 8 * * *")
def remind() -> None:
    """Remind."""


@schedule("*/5 * * * *")
def fetch() -> None:
    """Fetch."""
'''

API = '''
from core import Accepted, Api

from ..jobs import send


class Letters(Api):
    """Letters.

    :access: protected
    """

    def post(self, text: str) -> Accepted:
        """Send one."""
        return Accepted(send.later(7, text=text))
'''


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    folder = tmp_path_factory.mktemp("letters")
    for name, text in (("jobs.py", JOBS), ("class/api_letters.py", API)):
        file = folder / "modules/letters" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with serving(folder, kind, modules=str(folder / "modules")) as made:
        yield made


@pytest.fixture
def admin(served):
    return served.client()


@pytest.fixture(autouse=True)
def empty(served):
    """No job is left of the test before."""
    ensure_connected()
    Job.delete().execute()


def send(client, text="well"):
    return client.ask("POST", "/letters", {"text": text}, status=202)["job"]


def put(identifier, **values):
    """Bring a job into a state, as who runs it would."""
    ensure_connected()
    Job.update(**values).where(Job.id == identifier).execute()


# What is told --------------------------------------------------------------------------------------------------------


def test_a_job_says_what_it_is_and_what_it_waits_for(admin, served):
    number = send(admin)
    answer = admin.simulate_get(f"/jobs/{number}")
    shown = answer.json
    assert shown.pop("due") == shown.pop("created") > 1_700_000_000
    assert shown.pop("key") > 0
    assert shown == {
        "id": number, "module": "letters", "name": "send", "arguments": {"number": 7, "text": "well"},
        "user": served.administrator.id, "status": 0, "state": "waiting", "problem": None, "attempts": 0, "lease": None, "moment": None,
        "cron": None, "error": None, "done": None, "total": None, "text": "", "result": None, "started": None,
        "ended": None,
    }  # fmt: skip
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("status", "state", "tells_when"),
    [(0, "waiting", True), (1, "running", True), (2, "done", False), (3, "given up", False)],
)
def test_its_state_is_a_word(admin, status, state, tells_when):
    number = send(admin)
    put(number, status=status)
    answer = admin.simulate_get(f"/jobs/{number}")
    assert (answer.json["status"], answer.json["state"]) == (status, state)
    assert ("retry-after" in answer.headers) is tells_when


def test_one_that_waits_for_its_time_need_not_be_looked_at_before(admin):
    number = send(admin)
    put(number, due=Job.get_by_id(number).due + 10_000_000)
    assert admin.simulate_get(f"/jobs/{number}").headers["retry-after"] == "3600"


def test_the_zone_of_the_machine_does_not_change_the_pause(admin, monkeypatch):
    number = send(admin)
    put(number, due=Job.get_by_id(number).due + 100)
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        pause = int(admin.simulate_get(f"/jobs/{number}").headers["retry-after"])
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    assert 1 <= pause <= 100


def test_what_it_has_answered_is_data(admin):
    number = send(admin)
    put(
        number,
        status=2,
        started=1_795_000_000,
        result=json.dumps({"pages": [1, 2.5, "three"]}),
        done=3,
        total=3,
        text="Printed",
    )
    shown = admin.get(f"/jobs/{number}")
    assert shown["result"] == {"pages": [1, 2.5, "three"]}
    assert (shown["done"], shown["total"], shown["text"]) == (3, 3, "Printed")


def test_one_whose_function_is_away_says_so(admin, served):
    anna = served.user()
    number = send(anna)
    put(number, name="renamed")
    assert admin.get(f"/jobs/{number}")["problem"] == "no loaded module has this job"
    assert [each["problem"] for each in admin.get("/jobs")] == ["no loaded module has this job"]
    assert anna.get(f"/jobs/{number}")["problem"] == "the job can't run now; an administrator can see why"
    put(number, status=2)
    assert admin.get(f"/jobs/{number}")["problem"] is None


# Lists ---------------------------------------------------------------------------------------------------------------


def test_the_newest_come_first_and_filters_say_which(admin, served):
    numbers = [send(admin) for _ in range(4)]
    put(numbers[1], status=3)
    put(numbers[2], status=1, module="other", user=None)

    def ids(**params):
        return [each["id"] for each in admin.get("/jobs", **params)]

    assert ids() == numbers[::-1]
    assert ids(state="given up") == [numbers[1]]
    assert ids(state="waiting", sortfield="t.rowid") == [numbers[0], numbers[3]]
    assert ids(module="other") == [numbers[2]]
    assert ids(name="send", user=served.administrator.id) == [numbers[3], numbers[1], numbers[0]]
    assert ids(sqlfilters="(t.status:in:1,3)") == [numbers[2], numbers[1]]
    assert ids(limit=1, page=1) == [numbers[2]]
    assert "given up" in admin.refused("GET", "/jobs?state=lost", status=400)


def test_the_token_of_who_runs_one_is_never_told(admin):
    number = send(admin)
    put(number, token="a-secret-token")
    assert "a-secret-token" not in json.dumps([admin.get(f"/jobs/{number}"), admin.get("/jobs")])
    admin.refused("GET", "/jobs?sqlfilters=(t.token:like:'a%25')", status=400)


# Who sees which ------------------------------------------------------------------------------------------------------


def test_whoever_caused_a_job_may_follow_it_without_its_arguments(served):
    anna, ben = served.user(), served.user()
    number = send(anna)
    shown = anna.get(f"/jobs/{number}")
    assert (shown["state"], shown["arguments"], shown["user"]) == ("waiting", None, anna.user_id)
    ben.refused("GET", f"/jobs/{number}", status=404)
    reader = served.user("jobs.read")
    assert reader.get(f"/jobs/{number}")["arguments"] == {"number": 7, "text": "well"}
    assert [each["id"] for each in reader.get("/jobs")] == [number]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (None, None),
        ("Invoice 7 is a draft", "Invoice 7 is a draft"),
        ("OSError: /srv/secret", "the job failed; an administrator can see why"),
        ("KeyError", "the job failed; an administrator can see why"),
    ],
)
def test_an_exceptions_own_words_are_for_whoever_may_read_jobs(served, error, told):
    anna = served.user()
    number = send(anna)
    put(number, status=3, error=error)
    assert anna.get(f"/jobs/{number}")["error"] == told
    assert served.user("jobs.read").get(f"/jobs/{number}")["error"] == error


def test_a_key_that_opens_some_rights_follows_its_own_jobs(served):
    client = served.user("thirdparties.read", only=["thirdparties.read"])
    own = send(client)
    assert client.get(f"/jobs/{own}")["state"] == "waiting"
    put(own, key=None)
    client.refused("GET", f"/jobs/{own}", status=404)


def test_an_external_user_sees_their_own_whatever_their_rights(served, admin):
    thirdparty = admin.ask("POST", "/thirdparties", {"name": "Guest"})
    guest = served.user("jobs.read", "jobs.write", "jobs.delete", socid=thirdparty)
    other, own = send(admin), send(guest)
    assert [each["id"] for each in guest.get("/jobs")] == [own]
    put(other, status=3)
    guest.refused("GET", f"/jobs/{other}", status=404)
    guest.refused("POST", f"/jobs/{other}/again", status=404)
    guest.refused("DELETE", f"/jobs/{other}", status=404)


# Once more, deleted --------------------------------------------------------------------------------------------------


def test_one_that_was_given_up_is_run_again(admin, served):
    number = send(admin)
    put(number, status=3, attempts=8, error="no paper left")
    answer = admin.simulate_post(f"/jobs/{number}/again")
    assert (answer.status_code, answer.json["job"], answer.headers["location"]) == (202, number, f"../../jobs/{number}")
    shown = admin.get(f"/jobs/{number}")
    assert (shown["state"], shown["attempts"], shown["error"]) == ("waiting", 0, None)


def test_one_that_waits_since_it_failed_is_hurried(admin):
    number = send(admin)
    put(number, due=4_000_000_000, attempts=1, error="no paper left")
    admin.ask("POST", f"/jobs/{number}/again", status=202)
    shown = admin.get(f"/jobs/{number}")
    assert (shown["state"], shown["attempts"], shown["error"]) == ("waiting", 0, None)
    assert shown["due"] < 4_000_000_000


@pytest.mark.parametrize(("status", "state"), [(0, "waiting"), (1, "running"), (2, "done")])
def test_no_other_is(admin, status, state):
    number = send(admin)
    put(number, status=status)
    told = admin.refused("POST", f"/jobs/{number}/again", status=405)
    hint = "only jobs that were given up, or that failed and wait for a retry, can be run again"
    assert told == f"Method Not Allowed: can't run job {number} again: it is {state}; {hint}"


def test_one_that_is_not_being_run_is_deleted(admin, served):
    number = send(admin)
    put(number, status=1)
    told = admin.refused("DELETE", f"/jobs/{number}", status=405)
    assert told == f"Method Not Allowed: can't delete job {number} while it is running; wait until it has finished"
    put(number, status=0)
    assert admin.ask("DELETE", f"/jobs/{number}")["success"]["code"] == 200
    admin.refused("DELETE", f"/jobs/{number}", status=404)


def test_the_trail_says_who_did_that(admin):
    number = send(admin)
    put(number, status=3)
    admin.ask("POST", f"/jobs/{number}/again", status=202)
    admin.ask("DELETE", f"/jobs/{number}")
    noted = admin.get("/audit", sqlfilters="(t.element:=:'comptoir_job')", sortfield="t.rowid")[-2:]
    assert [(each["kind"], each["record"], each["after"]) for each in noted] == [
        ("run_again", str(number), {"name": "letters.send"}),
        ("deleted", str(number), {"name": "letters.send", "state": "waiting"}),
    ]


# Schedules -----------------------------------------------------------------------------------------------------------


def test_schedules_tell_when_and_what_came_of_the_last(admin, served):
    number = send(admin)
    put(number, name="remind", moment=1_795_000_000, status=3)
    newer = send(admin)
    put(newer, name="remind", moment=1_795_086_400, status=2, started=1_795_086_401)
    # What is noted when a schedule is seen for the first time
    note = send(admin)
    put(note, name="fetch", moment=1_795_086_400, status=2)
    admin.refused("GET", f"/jobs/{note}", status=404)
    assert [each["id"] for each in admin.get("/jobs", sqlfilters="(t.id:>:0) or (t.id:<:0)")] == [newer, number]
    fetch, remind = (each for each in admin.get("/jobs/schedules") if each["module"] == "letters")
    assert (fetch["name"], fetch["cron"], fetch["last"], fetch["job"]) == ("fetch", "*/5 * * * *", None, None)
    assert fetch["state"] == "not yet run"
    assert fetch["next"] % 300 == 0
    assert (remind["module"], remind["last"], remind["job"], remind["state"]) == (
        "letters", 1_795_086_400, newer, "done",
    )  # fmt: skip


def test_the_explorer_knows_states_instants_and_the_way_to_a_job(admin):
    document = admin.get("/explorer/openapi.json")
    fields = document["components"]["schemas"]["Job"]["properties"]
    named = {
        name: document["components"]["schemas"][fields[name]["$ref"].rpartition("/")[2]] for name in ("status", "state")
    }
    assert named["status"]["x-values"] == {"0": "waiting", "1": "running", "2": "done", "3": "given up"}
    assert named["state"]["enum"] == ["waiting", "running", "done", "given up"]
    assert {name for name, each in fields.items() if each.get("format") == "unix-time"} == {
        "due", "lease", "moment", "created", "started", "ended",
    }  # fmt: skip
    assert "token" not in fields
    said = document["paths"]["/letters"]["post"]["responses"]["202"]["content"]["application/json"]["schema"]
    assert said["properties"]["job"]["x-reads"] == "getJob"
