"""The attacker itself: each row can fail, since it finds a hole that is cut for it; and some rows hold as they should.

`make attack` runs all of them on every database; here the holes are what is tried.
"""

import json
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.attacks.__main__ import attack, run
from tests.attacks.field import field
from tests.attacks.improper import IMPROPER
from tests.attacks.people import KEY, MARK, digest
from tests.attacks.rows import ROWS, Tally
from tests.attacks.sections import ALWAYS, NAMES
from tests.attacks.weak import NONE, AllIsWell, EverybodyAdministers
from tests.needed import program

pytestmark = [pytest.mark.serving, pytest.mark.slow]
#: what somebody reads who reads everything
_TOLD = json.dumps(
    [{"id": 1, "ref": MARK, "login": "nobody", "email": "x", "pass_crypted": KEY, "digest": digest(KEY), "key": KEY}]
)
#: holes that nothing is changed by, which most rows find
_HOLES = (
    AllIsWell("{}"),
    AllIsWell(_TOLD),
    AllIsWell("{}", 500),
    AllIsWell('"x"', 401),
    AllIsWell("1"),
    AllIsWell("x\n=1+1"),
    AllIsWell('"taken"'),
)
#: rows about who may do what: taken for an administrator, everybody does
_OF_RIGHTS = (
    "S5",
    "S20",
    "S22",
    "S23",
    "S24",
    "S25",
    "S27",
    "S28",
    "S40",
    "S41",
    "S44",
    "S46",
    "S82",
    "S96",
    "representatives",
    "company-reads",
    "company-writes",
    "key-narrow",
)
#: rows that look at the program or its processes, each tried by itself below; there is nothing to attack yet for the last
_BY_THEMSELVES = ("S7", "S10", "S60", "S85", "audit-kept", "S42", "S61")
#: rows that hold within a few seconds
_QUICK = ("S3", "S25", "S41", "S46", "S53", "S81")


class Found(Exception):
    """The row has found the hole."""


class Eager(Tally):
    """Ends with the first attack that gets through."""

    def check(self, held, words):
        super().check(held, words)
        if not held:
            raise Found(words)
        return held


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


def _finds(ground, name, hole):
    """What a row found of a hole; empty when nothing. An attack that breaks off has found nothing."""
    ground.weakness = hole
    try:
        ROWS[name].attack(ground, Eager())
    except Found as found:
        return str(found) or "nothing said"
    except Exception:
        return ""
    finally:
        ground.weakness = NONE
    return ""


@pytest.mark.lasting
@pytest.mark.parametrize("name", [each for each in NAMES if each not in _BY_THEMSELVES])
def test_each_row_finds_a_hole(grounds, name):
    holes = (EverybodyAdministers(KEY),) if name in _OF_RIGHTS else _HOLES
    for hole in holes:
        if _finds(grounds.current, name, hole):
            return
    grounds.anew()
    assert any(_finds(grounds.current, name, hole) for hole in holes), f"{name} finds no hole"


def test_rows_that_hold_say_so(grounds):
    grounds.anew()
    told = run(grounds.current, list(_QUICK), quiet=True)
    assert {name: each["examples"] for name, each in told.items() if each["through"]} == {}
    assert all(each["tried"] > 2 for each in told.values())
    assert told[ALWAYS]["tried"] > 500


def test_no_improper_request_is_read_as_another_s(seen):
    """Some hundred and fifty, alone and behind nginx, each before a request of another client."""
    assert len({each.name for each in IMPROPER}) == len({each.content for each in IMPROPER}) == len(IMPROPER) >= 90
    with field("sqlite") as ground:
        tally = attack(ground, "S80")
    assert tally.through == []
    assert tally.tried >= len(IMPROPER) * (3 if program("nginx") else 1)
    seen(f"{len(IMPROPER)} invalid requests, {tally.tried} attempts, all rejected")


def test_the_command_line_says_what_it_does_not_know():
    command = [sys.executable, "-m", "tests.attacks", "--only", "S1,S999"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.rstrip().endswith(", got S999")
