"""Holes that are cut between an attack and the server: each row has to find one of them, or it checks nothing."""

from __future__ import annotations

from dataclasses import replace

from tests.serving.running import Answer


class Weakness:
    """None: what is sent and answered stays as it is."""

    cut = False

    def before(self, headers: dict[str, str]) -> None:
        """Change what is sent."""

    def after(self, answer: Answer) -> Answer:
        """Change what is answered."""
        return answer

    def after_raw(self, answered: bytes) -> bytes:
        """Change what is answered to bytes that may be no proper request."""
        return answered


NONE = Weakness()


class EverybodyAdministers(Weakness):
    """Whoever asks is taken for an administrator.

    :param key: an administrator's
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.cut = False

    def before(self, headers: dict[str, str]) -> None:
        """Send the administrator's key."""
        if self.cut:
            headers["DOLAPIKEY"] = self.key


class AllIsWell(Weakness):
    """Everything is answered with 200, one text, and no header.

    :param body: what is answered
    """

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.cut = False

    def after(self, answer: Answer) -> Answer:
        """Answer 200."""
        return replace(answer, status=200, body=self.body, headers={}) if self.cut else answer

    def after_raw(self, answered: bytes) -> bytes:
        """Answer 200 twice, as to a request that was smuggled in."""
        return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" * 2 if self.cut else answered


class EverythingFails(AllIsWell):
    """Everything is answered with 500."""

    def after(self, answer: Answer) -> Answer:
        """Answer 500."""
        return replace(answer, status=500, body=self.body, headers={}) if self.cut else answer

    def after_raw(self, answered: bytes) -> bytes:
        """Answer 500."""
        return b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n{}" if self.cut else answered
