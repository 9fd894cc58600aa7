"""The laws hold after any series of operations, in the profile `specification`."""

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.laws.money import Money


def test_the_laws_hold_after_any_series_of_operations(server):
    class Machine(Money):
        client = server.client()

    run_state_machine_as_test(Machine, settings=settings(stateful_step_count=30))
