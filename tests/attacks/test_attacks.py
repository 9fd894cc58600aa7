"""Some attacks on the server in this process, each of which must also find a hole that is cut for it.

`make attack` runs these rows and all others on a real server with each database.
"""

import pytest

from core.contract.catalogue import catalogue
from tests.attacks import outgoing
from tests.attacks.__main__ import attack
from tests.attacks.field import field
from tests.attacks.inside import Inside
from tests.attacks.sections import INSIDE
from tests.attacks.weak import finds_a_hole


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


#: what these look at isn't what is answered
OTHERWISE = ("S42", "S60")


@pytest.mark.parametrize("name", [each for each in INSIDE if each not in OTHERWISE])
def test_an_attack_finds_a_hole(ground, name):
    assert finds_a_hole(ground, name)


def test_a_key_in_the_database_is_found(ground):
    ground.made("/setup/conf/PLANTED", {"value": ground.people.keys["clerk"]}, verb="PUT")
    assert any(each.startswith("llx_const holds") for each in attack(ground, "S42").through)
    ground.made("/setup/conf/PLANTED", None, verb="DELETE")


def test_a_file_that_calls_others_is_found(ground, monkeypatch, tmp_path):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules/caller.py").write_text("from requests import get")
    monkeypatch.setattr(outgoing, "ROOT", tmp_path)
    assert attack(ground, "S60").through == ["modules/caller.py may call others: {'requests'}"]


def test_an_administrator_is_never_refused_for_a_permission(ground):
    refused = [
        each.name
        for each in ground.published.operations
        if each.service != "login" and ground.ask("admin", each.verb, ground.path(each, "absent"), {}).status == 401
    ]
    assert refused == []
