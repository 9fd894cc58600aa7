"""Holes that are cut between an attack and the server: each row has to find one of them, or it checks nothing."""

import json
from dataclasses import replace

from .people import KEY, MARK, digest
from .rows import ROWS, Tally


class Weakness:
    """None: what is sent and answered stays as it is."""

    def before(self, headers):
        """Change what is sent."""

    def after(self, answer):
        """Change what is answered."""
        return answer

    def after_raw(self, answered):
        """Change what is answered to bytes that may be no proper request."""
        return answered


NONE = Weakness()


class EverybodyAdministers(Weakness):
    """Whoever asks is taken for an administrator.

    :param key: an administrator's
    """

    def __init__(self, key):
        self.key = key

    def before(self, headers):
        """Send the administrator's key."""
        headers["DOLAPIKEY"] = self.key


class AllIsWell(Weakness):
    """Everything is answered with one status and one text, and without a header.

    :param body: what is answered
    """

    def __init__(self, body="{}", status=200):
        self.body = body.encode()
        self.status = status

    def after(self, answer):
        """Answer that."""
        return replace(answer, status=self.status, body=self.body, headers={})

    def after_raw(self, answered):
        """Answer it twice, as if a second request had been smuggled in."""
        head = f"HTTP/1.1 {self.status} X\r\nContent-Length: {len(self.body)}\r\n\r\n".encode()
        return (head + self.body) * 2


#: what somebody reads who reads everything
_TOLD = json.dumps(
    [{"id": 1, "ref": MARK, "login": "nobody", "email": "x", "pass_crypted": KEY, "digest": digest(KEY), "key": KEY}]
)
#: holes that nothing is changed by, which most rows find
_HOLES = (
    AllIsWell(_TOLD),
    AllIsWell("{}"),
    AllIsWell("{}", 500),
    AllIsWell('"x"', 401),
    AllIsWell("1"),
)
#: rows about who may do what: taken for an administrator, everybody does
_OF_RIGHTS = {"S5", "S20", "S24", "S25", "S27", "S40", "S41", "S44", "S46", "S82", "representatives"}


class Found(Exception):
    """The row has found the hole."""


class _Eager(Tally):
    """Ends with the first attack that gets through."""

    def check(self, held, words):
        super().check(held, words)
        if not held:
            raise Found(words)
        return held


#: rows that look for something of their own: a name that is kept
_OWN = {"S2": AllIsWell('{"kept": "7777777"}')}


def finds_a_hole(ground, name):
    """Whether a row finds one of its holes. An attack that breaks off has found nothing."""
    holes = (EverybodyAdministers(KEY),) if name in _OF_RIGHTS else (_OWN[name],) if name in _OWN else _HOLES
    return any(_finds(ground, name, hole) for hole in holes)


def _finds(ground, name, hole):
    told = len(ground.watch.wrong)
    ground.weakness = hole
    try:
        ROWS[name].attack(ground, _Eager())
    except Found:
        return True
    except Exception:
        return False
    finally:
        ground.weakness = NONE
        # What the hole lets through is not told of the server
        del ground.watch.wrong[told:]
    return False
