"""Jobs as their authors mark them: what is found, what is refused at load, what travels."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from core.contract.catalogue import catalogue
from core.jobs.functions import active_jobs
from core.jobs.table import Job
from core.storage.database import transaction
from core.testing import statements

from .conftest import NOW

pytestmark = pytest.mark.any_database


def function(name):
    return active_jobs()[f"post.{name}"]


def test_jobs_are_found_like_services(post):
    found = {name: each.attempts for name, each in catalogue().jobs.items() if name.startswith("post.")}
    assert found == {"post.count": 8, "post.refuse": 3, "post.send": 8, "post.tick": 8}
    assert function("tick").cron == "* * * * *"
    assert not catalogue().failures


def test_called_it_just_runs(post):
    before = Job.select().count()
    assert function("send")(7) == 7
    assert Job.select().count() == before


@pytest.mark.every_database
def test_later_is_one_statement_in_the_transaction_around(post):
    send = function("send")
    with transaction(), statements() as seen:
        identifier = send.later(3, text="été")
    assert len(seen) == 1
    kept = Job.get_by_id(identifier)
    assert (kept.called, json.loads(kept.arguments)) == ("post.send", {"number": 3, "text": "été"})
    assert (kept.status, kept.due, kept.created, kept.attempts, kept.user) == (0, NOW, NOW, 0, None)


@pytest.mark.every_database
def test_an_undone_change_leaves_no_job(post):
    before = Job.select().count()
    with pytest.raises(ZeroDivisionError), transaction():
        function("send").later(4)
        raise ZeroDivisionError
    assert Job.select().count() == before


@pytest.mark.parametrize(
    ("moment", "due"),
    [
        (None, NOW),
        (1_900_000_000, 1_900_000_000),
        (1_900_000_000.2, 1_900_000_001),
        # Without a zone: in UTC, as `now` returns it
        (datetime(2030, 1, 2, 3, 4, 5), int(datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp())),
        (datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC), int(datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp())),
        # The day begins in Paris an hour before it does in UTC
        (date(2030, 1, 2), int(datetime(2030, 1, 1, 23, tzinfo=UTC).timestamp())),
    ],
)
def test_at(post, moment, due):
    assert Job.get_by_id(function("send").later(1, at=moment)).due == due


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, TypeError, "send.later(): missing a required argument: 'number'; expected (number: int"),
        ({"number": 1, "colour": 2}, TypeError, "got an unexpected keyword argument 'colour'"),
        (
            {"number": Decimal("1.5")},
            TypeError,
            "send.number: expected None, bool, int, float, str, or a list or dict of them, got Decimal",
        ),
        (
            {"number": date(2026, 1, 1)},
            TypeError,
            "send.number: expected None, bool, int, float, str, or a list or dict of them, got date",
        ),
        ({"number": [{"a": {1: 2}}]}, TypeError, "send.number[0].a: expected only text as dict keys, got 1"),
        ({"number": float("nan")}, ValueError, "send.number: expected a number that JSON can hold, got nan"),
        ({"number": 1, "text": "x" * 16_000}, ValueError, "expected at most 16000 characters as JSON, got 16"),
        ({"number": 1, "at": "tomorrow"}, TypeError, "at: expected a datetime, a date, Unix seconds or None, got str"),
        ({"number": 1, "at": 1e30}, ValueError, "before the year 10000"),
    ],
)
def test_arguments_are_checked_when_they_are_put_in(post, arguments, error, words):
    before = Job.select().count()
    with pytest.raises(error) as told:
        function("send").later(**arguments)
    assert words in str(told.value)
    assert Job.select().count() == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('@schedule("61 * * * *")\ndef f(): pass', "ValueError: f: expected five fields: minute, hour, day of month"),
        (
            '@schedule("* * * * *")\n@job\ndef f(): pass',
            "f: expected one of @job, @schedule and @repeat; each makes a job",
        ),
        ('@schedule("* * * * *")\ndef f(a): pass', "f: a schedule passes no arguments; give a a default"),
        ("@repeat(seconds=10)\ndef f(a): pass", "f: a schedule passes no arguments; give a a default"),
        ("@repeat(seconds=0)\ndef f(): pass", "seconds: expected a whole number from 1 to 3600, got 0"),
        ("@job(share=0)\ndef f(): pass", "share: expected a number above 0, at most 1, got 0"),
        (
            "@schedule\ndef f(): pass",
            'ValueError: f: expected five cron fields in parentheses, such as @schedule("*/5 * * * *")',
        ),
        ("@job\ndef f(at): pass", "`at` is reserved for the time of a job; rename the parameter"),
        ("@job\ndef f(*a): pass", "expected parameters with names; a job can't take *, ** or /"),
        ("@job\nasync def f(): pass", "f is async; expected a plain function (def)"),
        ("@job\nasync def f(): yield 1", "f is async; expected a plain function (def)"),
        ("@job\ndef f(): yield 1", "f is a generator; expected a plain function (def without yield)"),
        ('@schedule("* * * * *")\nasync def f(): pass', "f is async; expected a plain function (def)"),
        ("@job(attempts=0)\ndef f(): pass", "attempts: expected a whole number from 1 to 100, got 0"),
        ("@job(lease=1)\ndef f(): pass", "lease: expected a whole number from 10 to 86400, got 1"),
        ("@job\ndef f(): pass\ng = f", "g: a job must keep the name of its function, f; remove"),
    ],
)
def test_what_is_wrong_is_a_load_failure(text, reason, folder, write, serve, without_natives):
    write("post/jobs.py", f"from core import job, repeat, schedule\n{text}\n")
    serve(modules=str(folder))
    ((name, told, line),) = [(each.name, each.reason, each.line) for each in catalogue().failures]
    assert name == "post/jobs"
    assert line == 2 or "async" not in told
    assert reason in told, told
    assert dict(catalogue().jobs) == {}


def test_a_job_stands_in_jobs_py(folder, write, serve, without_natives):
    write("post/events.py", "from core import job\n@job\ndef f(): pass\n")
    serve(modules=str(folder))
    (failure,) = catalogue().failures
    assert (
        failure.reason == "TypeError: f: expected the job to be defined in a module's jobs.py, got modules.post.events"
    )
