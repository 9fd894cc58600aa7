"""Claims of jobs: who gets one, who may settle it, what becomes of one whose process has ended."""

import threading
from copy import copy

import pytest

from core.common.clock import unix_now
from core.jobs import claiming
from core.jobs.claiming import Claimed
from core.jobs.functions import active_jobs
from core.jobs.queue import forget_job, run_job_again
from core.jobs.table import DONE, GIVEN_UP, RUNNING, WAITING, Job
from core.storage.database import close, ensure_connected, transaction

from .conftest import NOW

pytestmark = pytest.mark.every_database


def functions(attempts=8):
    """The functions that can run."""
    found = {name: copy(active_jobs()[name]) for name in ("post.send", "post.refuse")}
    found["post.send"].attempts = attempts
    return found


def put(number=1, **more):
    return active_jobs()["post.send"].later(number, **more)


def claim(process="a" * 16, attempts=8):
    return claiming.claim(functions(attempts), process)


def is_due():
    due = claiming.next_due(functions())
    return due is not None and due <= unix_now()


def claimed(process="a" * 16, attempts=8):
    found = claim(process, attempts)
    assert found is not None
    return found


def test_the_one_that_has_waited_longest_comes_first(post, clock):
    late, early, never = put(at=NOW - 5), put(at=NOW - 9), put(at=NOW + 1)
    assert [claimed().id, claimed().id] == [early, late]
    assert not is_due()
    assert claim() is None
    clock.seconds += 1
    assert is_due()
    assert claimed().id == never


def test_what_cannot_be_run_is_passed_over(post):
    Job.insert(module="gone", name="send", arguments="{}", due=NOW - 100, created=NOW).execute()
    identifier = put()
    assert claimed().id == identifier
    assert claim() is None
    assert claiming.next_due({}) is None
    assert claiming.claim({}, "a" * 16) is None


def test_each_is_claimed_once_by_many(post):
    wanted = sorted(put(number) for number in range(40))
    found = []

    def work(process):
        while True:
            try:
                mine = claim(process)
            except Exception:
                continue
            if mine is None and not is_due():
                break
            if mine is not None:
                found.append(mine.id)
        close()

    threads = [threading.Thread(target=work, args=(f"{number:016}",)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(found) == wanted
    assert {each.attempts for each in Job.select()} == {1}


@pytest.mark.every_database("postgresql", "mysql")
def test_who_waits_for_no_lock_takes_the_next(post):
    first, second = put(1), put(2)
    held, go_on = threading.Event(), threading.Event()

    def hold():
        ensure_connected()
        with transaction():
            list(Job.select().where(Job.id == first).for_update())
            held.set()
            go_on.wait(60)
        close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    try:
        assert claimed().id == second
    finally:
        go_on.set()
        thread.join()


def test_a_failure_is_tried_again_after_growing_pauses_and_given_up(post, clock):
    identifier = put()
    pauses = []
    for attempt in range(1, 5):
        mine = claimed(attempts=4)
        assert mine.attempt == attempt
        pause = mine.fail("ValueError: no")
        if pause is None:
            break
        pauses.append(pause)
        assert claim() is None
        clock.seconds += pause
    # 15, 30 and 60 seconds, a tenth more or less
    assert [
        low <= pause <= high for pause, (low, high) in zip(pauses, [(13, 17), (27, 33), (54, 66)], strict=True)
    ] == [True] * 3
    kept = Job.get_by_id(identifier)
    assert (kept.status, kept.error, kept.attempts) == (GIVEN_UP, "ValueError: no", 4)
    assert claim() is None


def test_pauses_end_at_six_hours(post):
    mine = Claimed(1, functions(100)["post.send"], "{}", None, 60, "x")
    Job.insert(
        id=1, module="post", name="send", arguments="{}", due=NOW, created=NOW, status=RUNNING, token="x"
    ).execute()
    pause = mine.fail("no")
    assert pause is not None
    assert 19_440 <= pause <= 23_760


def test_only_who_holds_it_settles(post, clock):
    put()
    late = claimed("a" * 16)
    clock.seconds += 60
    assert claiming.take_over(functions()) == 1
    clock.seconds += 2
    other = claimed("b" * 16)
    assert (other.id, other.attempt) == (late.id, 2)
    assert not late.finish("1")
    assert late.fail("late") is None
    late.hand_back()
    late.extend()
    kept = Job.get()
    assert (kept.status, kept.token, kept.lease) == (RUNNING, other.token, NOW + 62 + 60)
    assert other.finish("2")
    kept = Job.get()
    assert (kept.status, kept.result, kept.error) == (DONE, "2", None)


def test_a_lease_that_is_extended_is_not_taken_over(post, clock):
    put()
    mine = claimed()
    clock.seconds += 50
    mine.extend()
    clock.seconds += 50
    assert claiming.take_over(functions()) == 0
    clock.seconds += 10
    assert claiming.take_over(functions()) == 1
    assert Job.get().error == "the process ended while the job ran (attempt 1 of 8)"


def test_what_a_dead_process_was_running_is_taken_over_at_once(post):
    put(1)
    put(2)
    mine, theirs = claimed("a" * 16), claimed("b" * 16)
    assert claiming.take_over(functions(), "a" * 16) == 1
    assert (Job.get_by_id(mine.id).status, Job.get_by_id(theirs.id).status) == (WAITING, RUNNING)


def test_what_ends_its_process_each_time_is_given_up(post, clock):
    put()
    for _ in range(3):
        claimed()
        clock.seconds += 60
        claiming.take_over(functions(3))
        clock.seconds += 100
    kept = Job.get()
    assert (kept.status, kept.error) == (GIVEN_UP, "the process ended while the job ran (attempt 3 of 3)")


def test_what_is_handed_back_costs_no_attempt(post):
    put()
    claimed().hand_back()
    assert claimed().attempt == 1


@pytest.mark.parametrize(
    ("status", "again", "forget"),
    [(WAITING, True, True), (RUNNING, False, False), (DONE, True, True), (GIVEN_UP, True, True)],
)
def test_what_an_administrator_may_do(post, status, again, forget):
    identifier = put()
    change = Job.update(status=status, attempts=8, error="no", token="x").where
    change(Job.id == identifier).execute()
    assert run_job_again(identifier) is again
    if again:
        kept = Job.get_by_id(identifier)
        assert (kept.status, kept.attempts, kept.error) == (WAITING, 0, None)
        change(Job.id == identifier).execute()
    assert forget_job(identifier) is forget
    assert not run_job_again(999_999)
    assert not run_job_again(put())
    assert not forget_job(999_999)
