"""`comptoir jobs`: what waits, runs, was done or given up, and what is done about it."""

import json

import pytest

from core.jobs.table import DONE, GIVEN_UP, RUNNING, WAITING, Job
from core.storage.database import close, ensure_connected, open_database
from core.testing import make_settings

pytestmark = pytest.mark.usefixtures("without_natives")


@pytest.fixture
def variables(tmp_path):
    """A database with a job in each state: 1 waits, 2 runs, 3 is done, 4 was given up."""
    url = make_settings(tmp_path).database
    open_database(url)
    ensure_connected()
    common = {"module": "post", "name": "send", "due": 1_800_000_000, "created": 1_799_999_999}
    Job.insert(**common, arguments='{"number":7,"text":"é"}').execute()
    Job.insert(**common, arguments="{}", status=RUNNING, token="x", done=3, total=9, text="letters").execute()
    Job.insert(**common, arguments="{}", status=DONE, result='{"a":1}', attempts=1).execute()
    Job.insert(**common, arguments="{}", status=GIVEN_UP, error="ValueError: no stamps", attempts=8).execute()
    close()
    return {"COMPTOIR_DATABASE": url, "COMPTOIR_DOCUMENTS": str(tmp_path / "documents")}


def test_list_shows_the_newest_first(run):
    assert run("jobs", "--list").output.splitlines() == [
        "ID  JOB                            STATUS    DUE (UTC)            ATTEMPTS  PROGRESS        ERROR",
        "4   post.send()                    given up  2027-01-15 08:00:00  8                         ValueError: no stamps",
        "3   post.send()                    done      2027-01-15 08:00:00  1",
        "2   post.send()                    running   2027-01-15 08:00:00  0         3 of 9 letters",
        "1   post.send(number=7, text='é')  waiting   2027-01-15 08:00:00  0                         no loaded module has this job",
    ]


def test_list_of_one_status(run):
    assert [each["id"] for each in json.loads(run("jobs", "--status", "given-up", "--json").output)] == [4]


def test_json_is_for_programs(run):
    (found,) = json.loads(run("jobs", "--list", "--json", "--status", "done").output)
    assert found["job"] == "post.send"
    assert found["result"] == {"a": 1}
    assert found["due"] == "2027-01-15 08:00:00"
    assert "token" not in found


def test_what_cannot_be_loaded_is_named_with_its_reason(run, tmp_path, variables, without_natives):
    folder = tmp_path / "outside/post"
    folder.mkdir(parents=True)
    (folder / "jobs.py").write_text("import nothing_at_all")
    variables["COMPTOIR_MODULES"] = str(folder.parent)
    (found,) = json.loads(run("jobs", "--json", "--status", "waiting").output)
    assert found["problem"] == "jobs.py can't be loaded: ModuleNotFoundError: No module named 'nothing_at_all'"
    (folder / "jobs.py").write_text("from core import job\n@job\ndef send(number, text): pass\n")
    (found,) = json.loads(run("jobs", "--json", "--status", "waiting").output)
    assert found["problem"] is None


def test_without_a_word_it_says_what_there_is(run):
    assert "--list" in run("jobs").output


def test_again_and_forget(run):
    assert run("jobs", "again", "3", "4").output == "Scheduled 2 jobs to run again.\n"
    assert [each["status"] for each in json.loads(run("jobs", "--json").output)] == [
        "waiting", "waiting", "running", "waiting",
    ]  # fmt: skip
    assert run("jobs", "forget", "1").output == "Removed 1 job.\n"


def test_what_waits_since_it_failed_is_hurried(run, variables):
    open_database(variables["COMPTOIR_DATABASE"])
    ensure_connected()
    Job.update(attempts=1, due=4_000_000_000, error="ValueError: no stamps").where(Job.id == 1).execute()
    close()
    assert run("jobs", "again", "1").output == "Scheduled 1 job to run again.\n"
    (found,) = [each for each in json.loads(run("jobs", "--json").output) if each["id"] == 1]
    assert found["due"] < "2096-10-02 07:06:40"
    assert (found["status"], found["attempts"], found["error"]) == ("waiting", 0, None)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["again", "4", "1"],
            "job 1 can't run again: it doesn't exist, is running, or has not run yet; nothing was changed",
        ),
        (["forget", "4", "2"], "job 2 can't be removed: it doesn't exist or is running; nothing was changed"),
    ],
)
def test_all_or_none(run, words, told):
    before = run("jobs", "--json").output
    assert told in run("jobs", *words, code=1).output
    assert run("jobs", "--json").output == before


def test_many_are_forgotten_by_their_status_and_function(run, variables):
    open_database(variables["COMPTOIR_DATABASE"])
    ensure_connected()
    for name, status in (("fetch", GIVEN_UP), ("fetch", GIVEN_UP), ("send", GIVEN_UP), ("fetch", WAITING)):
        Job.insert(module="exchange", name=name, status=status, arguments="{}", due=0, created=0).execute()
    close()
    assert run("jobs", "forget", "--status", "given-up", "--job", "exchange.fetch").output == "Removed 2 jobs.\n"
    assert run("jobs", "forget", "--status", "given-up", "--job", "exchange").output == "Removed 1 job.\n"
    assert run("jobs", "forget", "--status", "waiting").output == "Removed 2 jobs.\n"
    assert [each["id"] for each in json.loads(run("jobs", "--json").output)] == [4, 3, 2]
    for words in ([], ["4", "--status", "given-up"], ["4", "--job", "post.send"], ["--status", "running"]):
        run("jobs", "forget", *words, code=2)


def test_the_note_from_when_on_a_schedule_counts_is_no_job(run, variables):
    open_database(variables["COMPTOIR_DATABASE"])
    ensure_connected()
    Job.insert(module="post", name="tick", status=DONE, arguments="{}", due=1, moment=1, created=1).execute()
    close()
    assert [each["id"] for each in json.loads(run("jobs", "--json").output)] == [4, 3, 2, 1]
