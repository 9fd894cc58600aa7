"""Attacks on a real server: a few that hold, each row that isn't tried in this process, and the command."""

import subprocess
import sys

import pytest

from tests.attacks.__main__ import attack, run
from tests.attacks.field import field
from tests.attacks.sections import ALWAYS, INSIDE, NAMES
from tests.attacks.weak import finds_a_hole

pytestmark = [pytest.mark.serving, pytest.mark.slow]
#: rows that hold within a few seconds, and look at the socket, the log and the files of the server
_QUICK = ("S12", "S41", "S46")


@pytest.fixture(scope="module")
def ground():
    with field("sqlite") as made:
        yield made


@pytest.mark.lasting
@pytest.mark.parametrize("name", [each for each in NAMES if each not in INSIDE])
def test_each_row_finds_a_hole(ground, name):
    assert finds_a_hole(ground, name)


def test_rows_that_hold_say_so(ground):
    told = run(ground, list(_QUICK), quiet=True)
    assert {name: each["examples"] for name, each in told.items() if each["through"]} == {}
    assert all(each["tried"] > 2 for each in told.values())
    assert told[ALWAYS]["tried"] > 100


def test_no_improper_request_is_read_as_another_s_behind_nginx(ground, seen):
    tally = attack(ground, "S80-nginx")
    assert tally.through == []
    seen(f"{tally.tried} attempts, all rejected")


def test_the_command_line_says_what_it_does_not_know():
    command = [sys.executable, "-m", "tests.attacks", "--only", "S1,S999"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.rstrip().endswith(", got S999")
