"""The search for a series that breaks a law: how many series of how many operations."""

from __future__ import annotations

from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.laws.goods import Business

#: series and operations of each: the same each time in the gate, others each night
GATE, NIGHTLY = (54, 25), (100, 30)


def search(client, *, is_old=False):
    """Look for a series of operations that breaks a law; the shortest fails the test.

    :param client: an administrator's client
    :param is_old: the profile is `dolibarr16`
    """
    machine = type("Machine", (Business,), {"client": client, "is_old": is_old, "settings_now": {}})
    series, operations = NIGHTLY
    if settings.default.derandomize:
        series, operations = GATE
        # Not the same series for both profiles
        seed(int(is_old))(machine)
    run_state_machine_as_test(machine, settings=settings(max_examples=series, stateful_step_count=operations))
