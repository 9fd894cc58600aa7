"""Attacks on a real server: a few that hold, each row that isn't tried in this process, and the command."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.attacks.__main__ import attack, run
from tests.attacks.field import field
from tests.attacks.sections import ALWAYS, INSIDE, NAMES
from tests.attacks.weak import finds_a_hole

pytestmark = [pytest.mark.serving, pytest.mark.slow]
#: rows that look at the program, its processes, its database or its speed, which no hole in front of it changes
_BY_THEMSELVES = ("S7", "S60", "S85", "S42", "S4-time", "S71-lines")
#: rows that hold within a few seconds, and look at the socket, the log and the files of the server
_QUICK = ("S41", "S46", "S53")


class Grounds:
    """The server that is attacked; another one where an attack has left too little of it."""

    def __init__(self):
        self._stack = ExitStack()
        self.current = self._stack.enter_context(field("sqlite"))

    def anew(self):
        self.end()
        self.current = self._stack.enter_context(field("sqlite"))

    def end(self):
        self._stack.close()


@pytest.fixture(scope="module")
def grounds():
    made = Grounds()
    yield made
    made.end()


@pytest.mark.lasting
@pytest.mark.parametrize("name", [each for each in NAMES if each not in (*INSIDE, *_BY_THEMSELVES)])
def test_each_row_finds_a_hole(grounds, name):
    if not finds_a_hole(grounds.current, name):
        grounds.anew()
        assert finds_a_hole(grounds.current, name), f"{name} finds no hole"


def test_rows_that_hold_say_so(grounds):
    told = run(grounds.current, list(_QUICK), quiet=True)
    assert {name: each["examples"] for name, each in told.items() if each["through"]} == {}
    assert all(each["tried"] > 2 for each in told.values())
    assert told[ALWAYS]["tried"] > 100


def test_no_improper_request_is_read_as_another_s_behind_nginx(grounds, seen):
    tally = attack(grounds.current, "S80-nginx")
    assert tally.through == []
    seen(f"{tally.tried} attempts, all rejected")


def test_the_command_line_says_what_it_does_not_know():
    command = [sys.executable, "-m", "tests.attacks", "--only", "S1,S999"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.rstrip().endswith(", got S999")
