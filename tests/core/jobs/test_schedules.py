"""Schedules: each moment once, however many look; what was missed; what a new or changed text means."""

import threading

import pytest

from core.jobs.queue import forget_old_jobs
from core.jobs.schedules import KNOWN_FROM_HERE, Schedule, Schedules
from core.jobs.table import DONE, WAITING, Job
from core.storage.database import close
from core.testing import statements

from .conftest import NOW

pytestmark = pytest.mark.usefixtures("without_natives")

DAY = 86_400


def scheduled(cron):
    """The schedules of a module in which one function has one."""
    return [Schedule("post", "tick", cron)]


def moments():
    """Those that were enqueued, in seconds since the beginning of the test."""
    return [each.moment - NOW for each in Job.select().where(Job.status == WAITING).order_by(Job.moment)]


@pytest.mark.every_database
def test_a_minute_is_fired_once_by_two_runners_for_ten_minutes(post, clock):
    jobs, runners = scheduled("* * * * *"), [Schedules(), Schedules()]
    fired = [0, 0]
    for each in runners:
        each.fire(jobs)

    def look(number):
        fired[number] += runners[number].fire(jobs)
        close()

    for _ in range(600 // 20):
        clock.seconds += 20
        # Both at once
        threads = [threading.Thread(target=look, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert moments() == [60 * minute for minute in range(1, 11)]
    assert sum(fired) == 10


def test_between_its_moments_no_statement_is_run(post, clock):
    jobs, schedules = scheduled("* * * * *"), Schedules()
    schedules.fire(jobs)
    clock.seconds += 59
    with statements() as seen:
        schedules.fire(jobs)
    assert seen == []


def test_a_new_schedule_does_not_make_up_for_what_was_before_it(post):
    Schedules().fire(scheduled("0 8 * * *"))
    assert moments() == []
    (mark,) = Job.select()
    assert (mark.status, mark.text, mark.started) == (DONE, KNOWN_FROM_HERE, None)


def test_of_what_was_missed_the_last_is_made_up_for(post, clock):
    jobs = scheduled("* * * * *")
    Schedules().fire(jobs)
    clock.seconds += 3 * DAY + 30
    # Another process, later
    Schedules().fire(jobs)
    Schedules().fire(jobs)
    assert moments() == [3 * DAY]


def test_a_process_that_slept_makes_up_for_the_last(post, clock):
    jobs, schedules = scheduled("*/10 * * * *"), Schedules()
    schedules.fire(jobs)
    clock.seconds += 3605
    schedules.fire(jobs)
    assert moments() == [3600]


def test_another_text_says_nothing_of_moments_that_are_over(post, clock):
    # 09:00 in Paris
    Schedules().fire(scheduled("0 8 * * *"))
    clock.seconds += 2 * 3600
    Schedules().fire(scheduled("30 9 * * *"))
    assert moments() == []
    clock.seconds += DAY
    Schedules().fire(scheduled("30 9 * * *"))
    assert moments() == [DAY + 1800]


def test_an_earlier_text_fires_at_its_next_moment_after_a_stop(post, clock):
    Schedules().fire(scheduled("0 8 * * *"))
    Schedules().fire(scheduled("0 7 * * *"))
    assert moments() == []
    clock.seconds += DAY
    Schedules().fire(scheduled("0 7 * * *"))
    assert moments() == [DAY - 2 * 3600]


def test_one_that_comes_back_goes_on(post, clock):
    jobs, schedules = scheduled("* * * * *"), Schedules()
    schedules.fire(jobs)
    clock.seconds += 60
    schedules.fire([])
    clock.seconds += 60
    schedules.fire(jobs)
    assert moments() == [120]


def test_a_clock_that_is_set_back_fires_no_moment_twice(post, clock):
    jobs, schedules = scheduled("* * * * *"), Schedules()
    schedules.fire(jobs)
    for _ in range(5):
        clock.seconds += 60
        schedules.fire(jobs)
    clock.seconds -= 180
    for _ in range(5):
        clock.seconds += 60
        schedules.fire(jobs)
    assert moments() == [60, 120, 180, 240, 300, 360, 420]


@pytest.mark.every_database
@pytest.mark.parametrize("age", [6, 8])
def test_old_jobs_are_removed_but_for_the_last_moment_of_a_schedule(post, clock, age):
    put = lambda **values: (  # noqa: E731
        Job.insert(module="post", arguments="{}", due=NOW, created=NOW, ended=NOW, **values).execute()
    )
    for minute in range(3):
        put(name="tick", status=DONE, moment=NOW + minute, cron="* * * * *")
    done, given_up = put(name="send", status=DONE), put(name="send", status=3)
    put(name="tick", status=3, moment=NOW - 1, cron="* * * * *")
    clock.seconds += age * DAY
    removed = forget_old_jobs()
    assert removed == (0 if age == 6 else 3)
    if age == 8:
        kept = {each.id for each in Job.select()}
        assert done not in kept
        assert given_up in kept
        assert [each.moment for each in Job.select().where(Job.status == DONE)] == [NOW + 2]
        clock.seconds += 30 * DAY
        assert forget_old_jobs() == 1
