"""The attacker itself: each row can fail, since it finds a hole that is cut for it; and some rows hold as they should.

`make attack` runs all of them on every database; here the holes are what is tried.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playhouse.db_url import connect

from core.testing import DATABASE_KINDS, why_unavailable
from tests.attacks import messages, outgoing, texts
from tests.attacks.__main__ import attack, run
from tests.attacks.field import Field, field
from tests.attacks.improper import IMPROPER
from tests.attacks.people import KEY, MARK, digest
from tests.attacks.rows import ROWS, Tally
from tests.attacks.sections import ALWAYS, NAMES
from tests.attacks.weak import NONE, AllIsWell, EverybodyAdministers, Weakness
from tests.needed import program
from tests.serving.conftest import Seen
from tests.serving.running import Answer

pytestmark = [pytest.mark.serving, pytest.mark.slow]
#: rows whose attacks take long before they come to what would find a hole
_LASTING = (
    "S2",
    "S6",
    "S8",
    "S11",
    "S74",
    "S90",
    "S91",
    "S92",
    "S93",
    "S95",
    "constants",
    "extra-fields",
    "numbers",
    "login-count",
    "login-lockout",
    "chunks",
    "S72",
)

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

    def check(self, held: bool, words: str) -> bool:
        super().check(held, words)
        if not held:
            raise Found(words)
        return held


class Grounds:
    """The server that is attacked; another one where an attack has left too little of it."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self.current = self._stack.enter_context(field("sqlite"))

    def anew(self) -> None:
        self.end()
        self.current = self._stack.enter_context(field("sqlite"))

    def end(self) -> None:
        self._stack.close()


@pytest.fixture(scope="module")
def grounds() -> Iterator[Grounds]:
    made = Grounds()
    yield made
    made.end()


def _finds(ground: Field, name: str, hole: Weakness) -> str:
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


def _rows() -> list[Any]:
    names = [each for each in NAMES if each not in _BY_THEMSELVES]
    return [pytest.param(each, marks=pytest.mark.lasting) if each in _LASTING else each for each in names]


@pytest.mark.parametrize("name", _rows())
def test_each_row_finds_a_hole(grounds: Grounds, name: str) -> None:
    holes: tuple[Weakness, ...] = (EverybodyAdministers(KEY),) if name in _OF_RIGHTS else _HOLES
    for hole in holes:
        if _finds(grounds.current, name, hole):
            return
    grounds.anew()
    assert any(_finds(grounds.current, name, hole) for hole in holes), f"{name} finds no hole"


def test_rows_that_hold_say_so(grounds: Grounds) -> None:
    grounds.anew()
    told = run(grounds.current, list(_QUICK), quiet=True)
    assert {name: each["examples"] for name, each in told.items() if each["through"]} == {}
    assert all(each["tried"] > 2 for each in told.values())
    assert told[ALWAYS]["tried"] > 500


@pytest.mark.thorough
@pytest.mark.parametrize("kind", DATABASE_KINDS)
def test_no_improper_request_is_read_as_another_s(kind: str, seen: Seen) -> None:
    """Some hundred and fifty, alone and behind nginx, each before a request of another client."""
    if reason := why_unavailable(kind):
        pytest.skip(reason)
    assert len({each.name for each in IMPROPER}) == len({each.content for each in IMPROPER}) == len(IMPROPER) >= 90
    with field(kind) as ground:
        tally = attack(ground, "S80")
    assert tally.through == []
    assert tally.tried >= len(IMPROPER) * (3 if program("nginx") else 1)
    seen(f"{len(IMPROPER)} invalid requests, {tally.tried} attempts, all rejected")


def test_a_row_that_breaks_off_has_not_held(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROWS, "S3", ROWS["S3"].__class__("S3", "x", lambda ground, tally: 1 / 0))  # type: ignore[arg-type,return-value]
    tally = attack(grounds.current, "S3")
    assert tally.lost == 1
    assert "ZeroDivisionError" in tally.through[0]


def test_every_answer_is_looked_through(grounds: Grounds) -> None:
    watch = grounds.current.watch
    for body, status in (
        (KEY, 200),
        (MARK, 200),
        ("Traceback (most recent call last)", 400),
        ("x", 500),
        (str(grounds.current.folder), 404),
    ):
        before = len(watch.wrong)
        watch.look(
            "x",
            b"",
            Answer(status, body.encode(), {"x-content-type-options": "nosniff"}),
            blind=True,
            administers=False,
        )
        assert len(watch.wrong) == before + 1, body
        # What was sent is no secret to whoever sent it
        watch.look(
            "x",
            body.encode(),
            Answer(200, body.encode(), {"x-content-type-options": "nosniff"}),
            blind=True,
            administers=False,
        )
        assert len(watch.wrong) == before + 1, body
        del watch.wrong[before:]


def test_what_works_out_a_text_is_seen() -> None:
    assert list(texts._calls("x = eval(y)")) == ["eval"]
    assert list(texts._calls("Template(text)")) == ["template of a text"]
    assert list(texts._calls("Template('fixed')")) == ["Template"]
    assert list(texts._calls("pickle.loads(x)")) == ["pickle.loads"]


def test_an_old_library_is_seen(grounds: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportlab.__version__", "3.6.12")
    assert attack(grounds.current, "S10").lost == 1


def test_what_calls_others_is_seen() -> None:
    assert outgoing._imports("import httpx\nfrom urllib.request import urlopen\nfrom .x import y") == {
        "httpx",
        "urllib.request",
    }


def test_a_key_in_the_database_is_seen(grounds: Grounds) -> None:
    grounds.current.made("/setup/conf/KEPT", {"value": grounds.current.people.keys["nobody"]}, verb="PUT")
    through = attack(grounds.current, "S42").through
    # What a setting is told to be stands in the trail, too
    assert [each.split()[0] for each in through] == ["comptoir_audit", "llx_const"]
    grounds.current.made("/setup/conf/KEPT", None, verb="DELETE")


def test_a_trail_that_takes_changes_is_seen(grounds: Grounds) -> None:
    database = connect(grounds.current.database)
    names = database.execute_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (name,) in names:
        database.execute_sql(f'DROP TRIGGER "{name}"')
    database.close()
    assert names
    assert attack(grounds.current, "audit-kept").lost > 2


def test_a_socket_that_takes_commands_is_seen(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as ear:
        ear.bind(str(tmp_path / "control"))
        ear.listen()
        assert str(tmp_path / "control") in messages.named_sockets({os.getpid()})


def test_the_command_line_says_what_it_does_not_know() -> None:
    command = [sys.executable, "-m", "tests.attacks", "--only", "S1,S999"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.rstrip().endswith(", got S999")
