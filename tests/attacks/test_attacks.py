"""Some attacks on the server in this process; `test_holes.py` lets them through.

`make attack` runs these rows and all others on a real server with each database.
"""

import pytest

from core.contract.catalogue import catalogue
from tests.attacks.__main__ import attack
from tests.attacks.field import field
from tests.attacks.inside import Inside
from tests.attacks.sections import INSIDE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ground():
    with field("sqlite", Inside) as made:
        yield made


def test_every_operation_is_attacked(ground):
    assert catalogue().failures == ()
    offered = {f"{each.verb} {each.template}" for each in catalogue().operations}
    assert {each.name for each in ground.published.operations} == offered
    assert len(offered) > 400


@pytest.mark.parametrize("name", INSIDE)
def test_an_attack_is_rejected(ground, name):
    tally = attack(ground, name)
    assert tally.through == []
    assert tally.tried > 2
    # No response was a fault, or had a secret, a path of the server or another's data
    assert ground.watch.wrong == []


def test_an_administrator_is_never_refused_for_a_permission(ground):
    refused = [
        each.name
        for each in ground.published.operations
        if each.service not in ("login", "hooks")
        and ground.ask("admin", each.verb, ground.path(each, "absent"), {}).status == 401
    ]
    assert refused == []
