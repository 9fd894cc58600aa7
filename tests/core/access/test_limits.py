"""How often a key may be used: windows and portions, and what workers hand out of them."""

import logging
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.access.limits import Allowance, Limiter

#: a full minute, as 2026-11-22 12:00:00 UTC is one
NOON = 1_795_348_800


class Clock:
    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now


class Shared:
    """What all workers share, without a database."""

    error = ConnectionError

    def __init__(self, portions=16):
        self.portions = portions
        self.taken = Counter()
        self.asked = 0
        self.forgotten = []
        self.away = False
        self._turn = threading.Lock()

    def take(self, key_id, since, amount):
        if self.away:
            raise ConnectionError("it is away")
        with self._turn:
            self.asked += 1
            self.taken[key_id, since] += amount
            return self.taken[key_id, since]

    def forget(self, since):
        self.forgotten.append(since)


# Arithmetic -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "seconds"),
    [
        (NOON, 60),
        (NOON + 0.001, 60),
        (NOON + 1, 59),
        (NOON + 59.2, 1),
        (NOON + 59.999, 1),
        (NOON + 60, 60),
        (NOON - 0.5, 1),
    ],
)
def test_a_request_is_told_the_seconds_until_the_window_ends_rounded_up(now, seconds):
    assert Limiter(Shared(), Clock(now)).take(1, 5) == Allowance(5, 4, seconds)


def test_a_clock_that_is_set_back_is_in_another_window():
    shared, clock = Shared(), Clock()
    limiter = Limiter(shared, clock)
    limiter.take(1, 5)
    clock.now -= 3600
    assert limiter.take(1, 5) == Allowance(5, 4, 60)
    assert set(shared.taken) == {(1, NOON), (1, NOON - 3600)}


def test_the_header_fields_are_those_of_the_draft():
    headers = {}
    Allowance(600, 599, 42).write(headers)
    assert headers == {"ratelimit-policy": '"key";q=600;w=60', "ratelimit": '"key";r=599;t=42'}


# Workers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 10, 31])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_of_a_small_allowance_each_request_is_answered_wherever_it_comes(limit, workers):
    shared, clock = Shared(), Clock()
    limiters = [Limiter(shared, clock) for _ in range(workers)]
    allowances = [limiters[number % workers].take(7, limit) for number in range(limit + 5)]
    assert [each.is_spent for each in allowances] == [False] * limit + [True] * 5
    if workers == 1:
        assert [each.remaining for each in allowances[:limit]] == list(range(limit - 1, -1, -1))
    # The last of it in a whole, by one who has asked before and one who has not
    assert all(each.take(7, limit).is_spent for each in limiters)


@given(some.integers(1, 2000), some.lists(some.integers(0, 4), min_size=1, max_size=400), some.integers(1, 60))
def test_no_order_of_requests_gets_more_than_the_allowance(limit, order, repeats):
    shared, clock = Shared(), Clock()
    limiters = [Limiter(shared, clock) for _ in range(5)]
    answered = sum(not limiters[each].take(1, limit).is_spent for each in order * repeats)
    assert answered <= limit
    # What the others hold back of it is no more than they have used themselves, nor than a 16th for each
    assert answered >= min(limit * (1 - 4 / 16) - 4, len(order) * repeats)


def test_without_portions_each_request_is_counted_and_none_is_held_back():
    shared, clock = Shared(portions=0), Clock()
    limiters = [Limiter(shared, clock) for _ in range(2)]
    allowances = [limiters[number >= 90].take(1, 100) for number in range(110)]
    assert [each.remaining for each in allowances] == [*range(99, -1, -1), *[0] * 10]
    assert shared.asked == 100


def test_what_is_spent_is_known_without_asking_until_the_window_ends():
    shared, clock = Shared(), Clock()
    limiter = Limiter(shared, clock)
    assert [limiter.take(1, 1).is_spent for _ in range(2)] == [False, True]
    asked = shared.asked
    clock.now += 12.5
    assert limiter.take(1, 1) == Allowance(1, 0, 48, is_spent=True)
    assert shared.asked == asked
    clock.now = NOON + 60
    assert limiter.take(1, 1) == Allowance(1, 0, 60)
    # Another key has its own
    assert not limiter.take(2, 1).is_spent


def test_a_limit_that_has_changed_counts_at_once():
    shared, clock = Shared(), Clock()
    limiter = Limiter(shared, clock)
    assert [limiter.take(1, 2).is_spent for _ in range(3)] == [False, False, True]
    # Two of four have been taken
    assert [limiter.take(1, 4).is_spent for _ in range(3)] == [False, False, True]


def test_threads_of_one_worker_take_no_more_than_there_is():
    shared = Shared()
    limiters = [Limiter(shared, Clock()) for _ in range(2)]
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(lambda number: limiters[number % 2].take(1, 25).is_spent, range(400))
    assert Counter(answers) == {False: 25, True: 375}


def test_while_nothing_is_shared_each_worker_counts_for_itself(caplog):
    shared, clock = Shared(), Clock()
    limiters = [Limiter(shared, clock) for _ in range(2)]
    shared.away = True
    with caplog.at_level(logging.WARNING, "comptoir.limits"):
        answers = [[each.take(1, 20).is_spent for _ in range(30)] for each in limiters]
        assert answers == [[False] * 20 + [True] * 10] * 2
        assert len(caplog.records) == 2
        # The next window, with what is shared back again
        clock.now += 60
        shared.away = False
        answers = [[each.take(1, 20).is_spent for _ in range(15)] for each in limiters]
    assert answers == [[False] * 15, [False] * 5 + [True] * 10]
    assert [each.getMessage() for each in caplog.records[2:]] == [
        "rate limits: the shared counter is available again"
    ] * 2


def test_old_windows_are_forgotten():
    shared, clock = Shared(), Clock()
    limiter = Limiter(shared, clock)
    limiter.forget_old_windows()
    assert shared.forgotten == []
    limiter.take(1, 5)
    limiter.forget_old_windows()
    assert shared.forgotten == [NOON - 60]
    clock.now += 60
    limiter.take(2, 5)
    limiter.forget_old_windows()
    assert (shared.forgotten, list(limiter._shares)) == ([NOON - 60, NOON], [2])
    limiter.forget_old_windows()
    assert len(shared.forgotten) == 2
