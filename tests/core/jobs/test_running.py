"""Jobs as they are run: arguments, failures, progress, results, the trail; modules that change meanwhile."""

import asyncio
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from core import today
from core.access.callers import Caller, current_caller
from core.audit.change import Change
from core.common.clock import clock as clock_of_jobs
from core.common.clock import now
from core.common.metrics import metrics
from core.common.process_state import running as running_methods
from core.common.request_state import acting_as, current_background
from core.common.wakeup import WakeupEvent, wakeup
from core.contract.catalogue import catalogue, current_catalogue
from core.jobs.claiming import progress
from core.jobs.functions import JobFunction, active_jobs
from core.jobs.runner import Runner
from core.jobs.table import DONE, GIVEN_UP, RUNNING, WAITING, Job
from core.storage.cache_version import loaded_generation, read_generation
from core.storage.database import backend, close, execute, lock_timeout, query, transaction
from core.testing import statements

from .samples import JOBS, write_post

pytestmark = pytest.mark.usefixtures("without_natives")

#: seconds after which what does not happen is a failure of the test
PATIENCE = 60.0


def later(name, *arguments):
    return active_jobs()[f"post.{name}"].later(*arguments)


def until(right):
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not right():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def own(post, monkeypatch):
    """``own(function)`` makes a job of a function of a test."""

    def add(function, attempts=8, **options):
        function.__module__ = "modules.post.jobs"
        made = JobFunction(function, attempts, 60, **options)
        jobs = {**active_jobs(), made.called: made}
        monkeypatch.setattr(current_catalogue, "value", replace(catalogue(), jobs=jobs))
        return made

    return add


@contextmanager
def running(threads, monkeypatch):
    """A runner in threads of its own, which a new job wakes: its clock stands still, so it may have looked too early."""
    monkeypatch.setattr(wakeup, "value", WakeupEvent())
    made = Runner(threads, wakeup=wakeup.value, poll=1)
    thread = threading.Thread(target=made.run)
    thread.start()
    try:
        yield made, thread
    finally:
        made.stop(10)
        thread.join()
        # They have connections to the database, which the next test replaces
        until(lambda: not any(each.name == "comptoir-job" for each in threading.enumerate()))


@pytest.fixture
def runner(post, monkeypatch):
    with running(2, monkeypatch) as (made, _):
        yield made


# One after the other --------------------------------------------------------------------------------------------------


@pytest.mark.every_database
def test_what_is_due_is_run_and_its_answer_kept(post, clock):
    identifier = later("send", 5)
    clock.seconds += 2
    assert post.run_jobs() == 1
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.result, kept.attempts, kept.error) == (DONE, "5", 1, None)
    assert kept.started == kept.ended == clock.seconds
    assert query("SELECT text FROM letter WHERE number = 5") == [("hello",)]


def test_what_fails_is_tried_again_and_given_up_with_words(post, clock):
    identifier = later("refuse", "no\nstamps; password=secret")
    with pytest.raises(ValueError, match="no"):
        post.run_jobs()
    for _ in range(5):
        clock.seconds += 200
        post.run_jobs(failing=True)
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.attempts, kept.error) == (GIVEN_UP, 3, "ValueError: no stamps; password=…")


class TimedOut(BaseException):
    """As of a library that ends what takes too long."""


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, RecursionError, asyncio.CancelledError, TimedOut])
def test_whatever_is_raised_is_a_failure(own, post, clock, error):
    def bad():
        raise error

    identifier = own(bad).later()
    post.run_jobs(failing=True)
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.error) == (WAITING, error.__name__)


def test_a_thread_that_has_ended_is_replaced(own, post, monkeypatch, caplog):
    counters, failing = metrics(), [SystemExit]
    before = counters.total(counters.ended_threads)

    def begin(name):
        # Outside of the job's function, where the exception would only fail the job
        if failing:
            raise failing.pop()

    monkeypatch.setattr(running_methods, "begin", begin)
    with running(1, monkeypatch):
        numbers = [later("send", number) for number in (1, 2, 3)]
        until(lambda: Job.select().where(Job.id.in_(numbers), Job.status == DONE).count() == 2)
        until(lambda: counters.total(counters.ended_threads) == before + 1)
    assert "a job thread has ended unexpectedly; another one replaces it" in caplog.text
    # Its job is taken over when the lease is over
    assert [each.status for each in Job.select().where(Job.id.in_(numbers)).order_by(Job.id)] == [RUNNING, DONE, DONE]


@pytest.mark.every_database
def test_no_error_holds_text_of_the_database(own, post, clock):
    def bad():
        query("SELECT nothing FROM nowhere")

    own(bad).later()
    post.run_jobs(failing=True)
    error = Job.get(Job.name == "bad").error
    assert error.startswith("the database rejected a statement: ")
    assert "nowhere" not in error


@pytest.mark.every_database
def test_what_a_job_leaves_open_is_undone(own, post, clock):
    def bad():
        with transaction():
            active_jobs()["post.send"](77)
            later("send", 78)
            raise ValueError

    own(bad).later()
    post.run_jobs(failing=True)
    assert query("SELECT COUNT(*) FROM letter WHERE number IN (77, 78)") == [(0,)]
    assert [each.name for each in Job.select().where(Job.moment.is_null())] == ["bad"]


@pytest.mark.parametrize(("answer", "kept"), [(None, None), ({"a": [1, "é"]}, {"a": [1, "é"]}), (0, 0)])
def test_results(own, post, clock, answer, kept):
    def works():
        return answer

    own(works).later()
    post.run_jobs()
    result = Job.get(Job.name == "works").result
    assert (None if result is None else json.loads(result)) == kept


def test_a_job_whose_answer_cannot_be_kept_is_done(own, post, clock):
    def works():
        return {1, 2}

    own(works).later()
    post.run_jobs()
    kept = Job.get(Job.name == "works")
    assert (kept.status, kept.result) == (DONE, None)
    assert kept.error.startswith(
        "the job is done, but its result can't be stored: the result: expected None, bool, int, float, str, or"
    )


def test_there_is_no_caller_and_the_trail_says_who_caused_it(own, post, clock):
    seen = []

    def works():
        seen.extend([current_caller(), current_background()])
        active_jobs()["post.send"](31)
        later("send", 32)

    made = own(works)
    user = post.user(login="berta")
    assert user.user_id is not None
    with acting_as(Caller(user.user_id, "berta")):
        identifier = made.later()
    assert post.run_jobs() == 2
    assert seen[0] is None
    assert (seen[1].id, seen[1].login) == (identifier, "berta")
    # What it enqueues is caused by the same user
    assert [each.user for each in Job.select().where(Job.moment.is_null())] == [user.user_id] * 2
    newest = list(Change.select().where(Change.element == "letter").order_by(Change.id.desc()).limit(2))
    assert [(each.user_id, each.login, each.operation) for each in newest] == [
        (user.user_id, "berta", "job post.send"),
        (user.user_id, "berta", "job post.works"),
    ]
    assert newest[1].request_id == f"job {identifier}"
    assert current_background() is None


def test_a_schedule_is_run(post, clock):
    assert post.run_jobs() == 0
    clock.seconds += 60
    assert post.run_jobs() == 1
    assert post.run_jobs() == 0


# In threads -----------------------------------------------------------------------------------------------------------


def test_a_runner_runs_what_comes(runner, post):
    for number in range(20):
        later("send", 1000 + number)
    until(lambda: Job.select().where(Job.status == DONE, Job.name == "send").count() == 20)
    assert query("SELECT COUNT(*) FROM letter WHERE number >= 1000 AND number < 1020") == [(20,)]


@pytest.mark.every_database
def test_progress_is_seen_while_a_transaction_is_open(own, runner, post):
    go_on = threading.Event()

    def works():
        if backend().name == "sqlite":
            progress(3, 10, "three")
            go_on.wait(PATIENCE)
            return
        with transaction():
            active_jobs()["post.send"](1)
            progress(3, 10, "three")
            go_on.wait(PATIENCE)
        progress(10, 10, "x" * 300)

    identifier = own(works).later()
    until(lambda: Job.get_by_id(identifier).total == 10)
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.done, kept.text) == (RUNNING, 3, "three")
    go_on.set()
    until(lambda: Job.get_by_id(identifier).status == DONE)
    if backend().name != "sqlite":
        kept = Job.get_by_id(identifier)
        assert (kept.done, kept.text) == (10, "x" * 255)


@pytest.mark.every_database("sqlite")
def test_on_sqlite_progress_does_not_wait_for_the_jobs_own_transaction(own, runner, post, monkeypatch):
    tried = threading.Event()

    @contextmanager
    def limited(seconds):
        try:
            with lock_timeout(seconds):
                yield
        finally:
            tried.set()

    monkeypatch.setattr("core.jobs.claiming.lock_timeout", limited)

    def works():
        with transaction():
            progress(1, 1000)
            # The thread that writes it has met the lock of this transaction, and given up
            assert tried.wait(PATIENCE)
            progress(999, 1000)

    identifier = own(works).later()
    until(lambda: Job.get_by_id(identifier).status == DONE)
    kept = Job.get_by_id(identifier)
    assert (kept.done, kept.total) == (999, 1000)


def test_a_function_that_is_called_all_the_time_needs_no_job(own, runner, post, caplog, monkeypatch):
    calls = []
    # The log has an error once a minute
    monkeypatch.setattr("core.jobs.runner.is_news", lambda failure: True)

    def looks():
        calls.append(current_background().name)
        if len(calls) == 2:
            raise ValueError("no stamps")

    own(looks, seconds=3600)
    until(lambda: calls)
    # Anything that wakes the process calls it, also after a failure
    until(lambda: wakeup.value.set() or len(calls) >= 3)
    assert {*calls} == {"post.looks"}
    assert "post.looks failed; it is called again in 3600 s" in caplog.text
    assert not Job.select().where(Job.name == "looks").exists()


def test_a_share_of_the_threads_is_left_to_other_jobs(own, post, monkeypatch):
    # A job that two threads claimed at once is put back for a second
    monkeypatch.setattr(clock_of_jobs, "value", time.time)
    go_on, together, most = threading.Event(), [0], [0]

    def slow():
        together[0] += 1
        most[0] = max(most[0], together[0])
        go_on.wait(PATIENCE)
        together[0] -= 1

    made = own(slow, share=0.5)
    with running(4, monkeypatch):
        for _ in range(5):
            made.later()
        until(lambda: together[0] == 2)
        identifier = later("send", 8)
        # It would wait behind them if they had all threads
        until(lambda: Job.get_by_id(identifier).status == DONE)
        go_on.set()
        until(lambda: Job.select().where(Job.name == "slow", Job.status == DONE).count() == 5)
    assert most == [2]


def test_progress_outside_of_a_job_is_nothing(post):
    with statements() as seen:
        progress(1, 2)
    assert seen == []


def test_what_does_not_end_in_time_is_handed_back(own, post, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def works():
        begun.set()
        go_on.wait(PATIENCE)

    with running(1, monkeypatch) as (made, thread):
        identifier = own(works).later()
        assert begun.wait(PATIENCE)
        made.stop(0)
        thread.join()
        kept = Job.get_by_id(identifier)
        assert (kept.status, kept.attempts) == (WAITING, 0)
        go_on.set()
        until(lambda: not made._running)
    # It was no longer its own
    assert Job.get_by_id(identifier).status == WAITING


# Modules that change --------------------------------------------------------------------------------------------------


@pytest.fixture
def edited(tmp_path, serve, without_natives):
    """``edited(text)`` writes the module's jobs.py (None: takes the module away) and has it loaded."""
    folder = write_post(tmp_path / "outside")
    served = serve(modules=str(folder))

    def edit(text):
        if text is None:
            (folder / "post").rename(tmp_path / "away")
        else:
            if (tmp_path / "away").exists():
                (tmp_path / "away").rename(folder / "post")
            write_post(folder, text)
        served.server.reloader.check()
        close()
        return served

    return edit


def test_a_module_that_is_edited_runs_what_it_says_then(edited, clock):
    later("send", 1)
    served = edited(JOBS.replace('text: str = "hello"', 'text: str = "goodbye"'))
    assert served.run_jobs() == 1
    assert query("SELECT text FROM letter") == [("goodbye",)]


@pytest.mark.parametrize("broken", ["def (", None, "import nothing_at_all"])
def test_a_module_that_is_broken_or_gone_keeps_its_jobs(edited, clock, broken):
    served = edited(JOBS)
    served.run_jobs()
    identifier = later("send", 1)
    served = edited(broken)
    clock.seconds += 600
    assert served.run_jobs() == 0
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.attempts, kept.error) == (WAITING, 0, None)
    assert [each.name for each in catalogue().failures] == ([] if broken is None else ["post/jobs"])
    # It is back: what waits is run, and of its schedule the last moment
    served = edited(JOBS)
    assert served.run_jobs() == 2
    assert Job.get_by_id(identifier).status == DONE


def test_an_argument_that_is_called_otherwise_by_now_fails_with_words(edited, clock):
    identifier = later("send", 1)
    served = edited(
        JOBS.replace("number", "letter").replace("Letter.create(letter=letter", "Letter.create(number=letter")
    )
    served.run_jobs(failing=True)
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.attempts) == (WAITING, 1)
    assert kept.error == (
        "expected the arguments of send(letter: int, text: str = 'hello') -> int, got number: "
        "missing a required argument: 'letter'"
    )
    for _ in range(8):
        clock.seconds += 4000
        served.run_jobs(failing=True)
    assert Job.get_by_id(identifier).status == GIVEN_UP


def test_a_job_that_fails_because_its_models_are_older_than_their_tables_waits(edited, clock):
    served = edited(JOBS)
    served.run_jobs()
    identifier = later("send", 1)
    # As a process on another host does that has changed tables
    execute("INSERT INTO comptoir_generation (number, tables) VALUES (9, 9)")
    execute("ALTER TABLE letter RENAME COLUMN text TO words")
    served.run_jobs(failing=True)
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.attempts, kept.error) == (WAITING, 0, None)
    execute("ALTER TABLE letter RENAME COLUMN words TO text")
    # As soon as the job process finds out
    served.server.reloader.start()
    until(lambda: loaded_generation.value == read_generation())
    served.server.reloader.stop()
    clock.seconds += 1
    served.run_jobs()
    assert Job.get_by_id(identifier).status == DONE


def test_whatever_asks_the_clock_is_told_the_moment_of_a_test(own, post):
    seen = []

    def look():
        seen.append((now(), today()))

    own(look).later(at=0)
    # The last second of the year in Greenwich is the new one in Paris
    post.run_jobs(datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())
    assert seen == [(datetime(2026, 12, 31, 23, 59, 59), date(2027, 1, 1))]
