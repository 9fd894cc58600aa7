"""Logging in: whatever is sent is answered, and nobody gets a key without the password."""

import json

from argon2 import PasswordHasher

from core.access import passwords
from core.access.accounts import Account
from core.storage.database import ensure_connected
from tests.fuzz.findings import insist
from tests.fuzz.site import Site

_TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "")
_PASSWORD = "fuzz-open-sesame"


class Target:
    """Content type or, from 128 on, a GET; the body, or the query."""

    seeds = [
        b'\x00{"login": "ada", "password": "fuzz-open-sesame"}',
        b'\x00{"login": "ada@example.org", "password": "wrong", "entity": "1", "reset": true}',
        b"\x01login=ada&password=fuzz-open-sesame&reset=1",
        b"\x80login=ada&password=wrong&entity=0&reset=0",
        b'\x02--b\r\nContent-Disposition: form-data; name="login"\r\n\r\nada\r\n--b\r\n'
        b'Content-Disposition: form-data; name="password"\r\n\r\nx\r\n--b--\r\n',
    ]
    words = [
        *(b'"login": ', b'"password": ', b'"entity": ', b'"reset": ', b"login=", b"&password=", b"null", b"[]", b"{}"),
        *(b"ada", b"ADA", b"ad\xc2\xada", b"ada\\u0000", b'"\\ud800"', b"1e99", b"-1", b"1e400", b"1e99999999999999999999", b"%00", b"%FF", b"%"),
        *("ı".encode(), "²".encode(), "ﬀ".encode(), b"true", b'"1"', b"0.5", b"--b", b"' OR 1=1"),
    ]  # fmt: skip

    def __init__(self, folder):
        # A hash that takes its time leaves time for ten inputs a second
        passwords._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        passwords._NOBODY = passwords._hasher.hash("nobody")
        # There the password may come in the URL
        self._site = Site(folder, few=8, profile_name="dolibarr16")
        ensure_connected()
        hashed = passwords.hash_password(_PASSWORD)
        Account.create(login="ada", email="ada@example.org", lastname="Ada", statut=1, pass_crypted=hashed)
        self._site.remember()
        self._number = 0

    def __call__(self, data):
        kind, content = (data or b"\0")[0], data[1:]
        self._number += 1
        # Another client each time: else all but ten are answered 429
        address = f"10.{self._number >> 16 & 255}.{self._number >> 8 & 255}.{self._number & 255}"
        if kind >= 128:
            content = content.replace(b"#", b"%23")
            answer = self._site.ask("GET", b"/login", content, REMOTE_ADDR=address, HTTP_DOLAPIKEY=None)
        else:
            media_type = _TYPES[kind % len(_TYPES)]
            answer = self._site.ask(
                "POST", b"/login", b"", content, REMOTE_ADDR=address, CONTENT_TYPE=media_type, HTTP_DOLAPIKEY=None
            )
        insist(answer.status in (200, 400, 403, 405, 413, 415, 429), "a login is answered as documented", answer.status)
        said = json.loads(answer.body)
        insist(("success" in said) == (answer.status == 200), "only a login that succeeds gives a key", said)
        if answer.status == 200:
            insist(
                _PASSWORD[5:].encode() in content or b"%" in content or b"\\u" in content, "a key needs the password"
            )

    def close(self):
        """Nothing stays open."""
        self._site.close()
