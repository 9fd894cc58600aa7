"""What is left out of whatever people or logs are shown: keys, passwords, queries."""

from __future__ import annotations

import re

#: the password of a database's or a store's URL, which may hold what is otherwise the end of one
_PASSWORD = re.compile(r"(://[^\s:/@]*:)\S+(?=@)")
_SECRETS = (
    # the query of a path
    re.compile(r"(/[^\s?'\"]*\?)[^\s'\"]+"),
    re.compile(r"(?i)((?:DOLAPIKEY|api_key|password)(?:=|:\s*))[^&\s'\"]+"),
    _PASSWORD,
)


def hide_password(url: str) -> str:
    """A URL that may be shown."""
    return _PASSWORD.sub(r"\1…", url)


def masked(text: str) -> str:
    """A text without queries, and without what follows the name of a key or of a password."""
    for secret in _SECRETS:
        text = secret.sub(r"\1…", text)
    return text
