"""Each attack of `test_attacks.py` must succeed against a server with a hole. It has a server of its own, which the attacks change."""

import pytest

from tests.attacks import outgoing
from tests.attacks.__main__ import attack
from tests.attacks.field import field
from tests.attacks.inside import Inside
from tests.attacks.sections import INSIDE
from tests.attacks.weak import finds_a_hole

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ground():
    with field("sqlite", Inside) as made:
        yield made


#: what these look at isn't what is answered
OTHERWISE = ("S42", "S60")


@pytest.mark.parametrize("name", [each for each in INSIDE if each not in OTHERWISE])
def test_an_attack_finds_a_hole(ground, name):
    assert finds_a_hole(ground, name)


def test_a_key_in_the_database_is_found(ground):
    ground.made("/setup/conf/PLANTED_FREE_TEXT", {"value": ground.people.keys["clerk"]}, verb="PUT")
    assert any(each.startswith("llx_const holds") for each in attack(ground, "S42").through)
    ground.made("/setup/conf/PLANTED_FREE_TEXT", None, verb="DELETE")


def test_a_file_that_calls_others_is_found(ground, monkeypatch, tmp_path):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules/caller.py").write_text("from requests import get")
    monkeypatch.setattr(outgoing, "ROOT", tmp_path)
    assert attack(ground, "S60").through == ["modules/caller.py may call others: {'requests'}"]
