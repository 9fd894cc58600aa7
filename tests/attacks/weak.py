"""Holes that are cut between an attack and the server: each row has to find one of them, or it checks nothing."""

from dataclasses import replace


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
